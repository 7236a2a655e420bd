/* environment.h - what a server sees of our environment: what any program needs, and what the user named. */
#ifndef TOAD_FACE_PROXY_ENVIRONMENT_H
#define TOAD_FACE_PROXY_ENVIRONMENT_H

#include "toadstone/types.h"

/* strncmp, or the one of a system where the case of a name does not count. */
typedef int proxy_same(const char *a, const char *b, size_t n);

/* The entries of ours that are `needed` (ends with NULL; "LC_": all that begin so) or named by `env`, and those of
 * `env` that say NAME=VALUE, which go before ours. To be freed, the strings not; NULL: out of memory. */
char **proxy_environment(const char *const *needed, const char *const *env, size_t env_n, proxy_same *same);

#endif
