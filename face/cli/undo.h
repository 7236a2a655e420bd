/* undo.h - taking away what protects an agent is the user's, in every command that can. */
#ifndef TOAD_FACE_CLI_UNDO_H
#define TOAD_FACE_CLI_UNDO_H

#include "face/cli/args.h"

/* Does the user agree that `what` is done to the protection of `whom`? False after a message. */
bool cli_may_undo(const args *a, const char *what, const char *whom);
#define CLI_TAKE_AWAY "take the protection away"

#endif
