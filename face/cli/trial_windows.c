/* trial_windows.c - see trial.h: no command of a configuration is run here, so no trial succeeds. */
#include "face/cli/trial.h"

bool cli_trial_open(cli_trial *t) { return *t = (cli_trial){ .code = -1 }, false; }
void cli_trial_close(cli_trial *t) { (void)t; }
bool cli_trial_write(const cli_trial *t, const char *name, toad_str text) {
    return (void)t, (void)name, (void)text, false;
}
bool cli_trial_run(cli_trial *t, const char *command, const char *store, toad_str input) {
    return (void)t, (void)command, (void)store, (void)input, false;
}
