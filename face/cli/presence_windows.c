/* presence_windows.c - see presence.h. Windows says of no process for sure who started it, and lets every program of
 * the user type into his console. So each caller counts as an agent, and what is the user's alone is refused to all. */
#include "face/cli/presence.h"

#include <stdio.h>

bool cli_agent_above(char why[128]) {
    snprintf(why, 128, "on Windows nobody knows who runs this");
    return true;
}

bool cli_typed(const char *what, toad_str question, char why[160]) {
    (void)what, (void)question;
    snprintf(why, 160, "on Windows there is no terminal to ask at");
    return false;
}
