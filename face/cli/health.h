/* health.h - how the configuration and the store stand, for `status` and `doctor`; and the pieces of such reports. */
#ifndef TOAD_FACE_CLI_HEALTH_H
#define TOAD_FACE_CLI_HEALTH_H

#include "app/host/host.h"
#include "face/cli/args.h"

/* Adds "configuration":{"valid","mistakes"}, "store" (status.h), "store_error" where it cannot be used, and what waits
 * in it. `config` NULL: it could not be read. Errors: TOAD_E_NOMEM. */
toad_status cli_health_look(const args *a, const toad__config *config, toad__answer *answer);
/* How much of that is broken. */
size_t cli_health_broken(const toad__json *answer);
void cli_health_print(const toad__json *answer);

/* Print a value as a person reads it, what strangers wrote escaped, between two texts of ours. */
void cli_say(const char *before, const toad__json *value, const char *after);
size_t cli_count(const toad__json *rows);

#endif
