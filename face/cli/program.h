/* program.h - where this program is: what another program's configuration must say to start it again. */
#ifndef TOAD_FACE_CLI_PROGRAM_H
#define TOAD_FACE_CLI_PROGRAM_H

#include <stdbool.h>

/* The absolute path, without links, static storage: a client started from a desktop has another PATH than this shell.
 * False after a message: there is none, it cannot be executed, or has another name than `toadstone`, by which an entry
 * is known. */
bool cli_program(const char *command, const char **ret);

#endif
