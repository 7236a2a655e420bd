/* program.c - see program.h. */
#include "face/cli/program.h"

#include "face/cli/out.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool cli_program(const char *command, const char **ret) {
    static char path[PATH_MAX];
    const char *why = !realpath("/proc/self/exe", path) || access(path, X_OK) ? strerror(errno) : NULL;
    const char *slash = why ? NULL : strrchr(path, '/');
    if (!why && strcmp(slash + 1, "toadstone")) why = "it is not called toadstone";
    if (why) {
        cli_error(command, "the path of this program ('%s') cannot be written for the client: %s",
                  *path ? cli_safe(path) : "/proc/self/exe", why);
        cli_hint("run the installed program itself, by its own name");
        return false;
    }
    *ret = path;
    return true;
}
