/* trial.h - run a command as an agent would, in a directory that is thrown away, and keep what it prints. */
#ifndef TOAD_FACE_CLI_TRIAL_H
#define TOAD_FACE_CLI_TRIAL_H

#include "lib/base/buf.h"

typedef struct cli_trial {
    char directory[64];
    toad__buf out, err; /* of the last command */
    int code;           /* its exit status; -1: it was killed, or took too long */
} cli_trial;

/* False: no directory could be made. */
bool cli_trial_open(cli_trial *t);
/* Removes the directory and what commands left in it. */
void cli_trial_close(cli_trial *t);
/* `sh -c COMMAND` there, at most ten seconds, all its children with it. `store`: TOADSTONE_STORE for it, or NULL: as it
 * is. False: it could not be started. */
bool cli_trial_run(cli_trial *t, const char *command, const char *store, toad_str input);
/* Write a file there. */
bool cli_trial_write(const cli_trial *t, const char *name, toad_str text);

#endif
