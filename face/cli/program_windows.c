/* program_windows.c - see program.h. */
#include "face/cli/program.h"

#include "face/cli/out.h"

#include <windows.h>

bool cli_program(const char *command, const char **ret) {
    static char path[32768];
    DWORD n = GetModuleFileNameA(NULL, path, sizeof path);
    if (!n || n >= sizeof path) {
        cli_error(command, "the path of this program cannot be found");
        return false;
    }
    for (char *p = path; *p; p++)
        if (*p == '\\') *p = '/';
    *ret = path;
    return true;
}
