/* random.h - random bytes for what must not be guessed.
 *
 * The only place where lib/ asks the operating system for anything: an envelope whose id can be guessed is no envelope,
 * and a caller who forgets to pass a source of randomness must not get a weak one. */
#ifndef TOAD_BASE_RANDOM_H
#define TOAD_BASE_RANDOM_H

#include "toadstone/types.h"

/* Fill `p` with `n` random bytes (n <= 256). False if the system has none; `p` is then not to be used. Thread rule: any
 * thread. */
bool toad__random(void *p, size_t n);

#endif
