/* client_options.h - what is written into an agent's configuration behind our own name. */
#ifndef TOAD_FACE_CLI_CLIENT_OPTIONS_H
#define TOAD_FACE_CLI_CLIENT_OPTIONS_H

#include "face/cli/args.h"

#include <limits.h>

enum { CLI_CLIENT_OPTIONS = 40 };

/* The store that the user's own commands look in, for a client that does not pass its environment on; NULL: the usual
 * one. A URL is left out: arguments can be read by everybody on the machine, and it may hold a password. */
const char *cli_client_store(const args *a, char out[PATH_MAX]);
/* What `toadstone proxy` is started with, beside the server itself, and `toadstone hook`, beside agent and event.
 * Returns how many words. */
size_t cli_proxy_options(const args *a, const char *store, const char *options[CLI_CLIENT_OPTIONS]);
size_t cli_hook_options(const args *a, const char *store, const char *options[CLI_CLIENT_OPTIONS]);

#endif
