/* asker.c - see asker.h. Only variables that agents set for what they run, none that a person puts into a profile
 * (CODEX_HOME, GEMINI_API_KEY). */
#include "face/cli/asker.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const char *const agents[] = {
    "CLAUDECODE",      "CODEX_CI",
    "CODEX_SANDBOX",   "CODEX_SANDBOX_NETWORK_DISABLED",
    "CODEX_THREAD_ID", "COPILOT_AGENT_SESSION_ID",
    "COPILOT_CLI",     "CURSOR_AGENT",
    "GEMINI_CLI",      "OPENCODE",
    "QWEN_CODE",
};

void cli_decide_asker(args *a, bool reads) {
    static char why[64];
    if (a->has_as) return;
    for (size_t i = 0; i < sizeof agents / sizeof *agents && !a->taken_for_model; i++) {
        const char *value = getenv(agents[i]);
        if (!value || !*value) continue;
        snprintf(why, sizeof why, "%s is set", agents[i]);
        a->taken_for_model = why;
    }
    if (!a->taken_for_model && reads && !isatty(STDOUT_FILENO)) a->taken_for_model = "its output is no terminal";
    a->as_model = a->taken_for_model != NULL;
}
