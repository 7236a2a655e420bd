/* asker.c - see asker.h. */
#include "face/cli/asker.h"

#include "face/cli/person.h"

#include <stdio.h>
#include <unistd.h>

void cli_decide_asker(args *a, bool reads) {
    static char why[64];
    const char *agent = cli_own_agent();
    if (agent) snprintf(why, sizeof why, "%s is set", agent);
    if (agent && (!a->has_as || !a->as_model))
        a->taken_for_model = why;
    else if (!a->has_as && reads && !isatty(STDOUT_FILENO))
        a->taken_for_model = "its output is no terminal";
    a->as_model |= a->taken_for_model != NULL;
}
