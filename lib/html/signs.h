/* signs.h - which of 64 bytes are signs that a reader of text stops at. With AVX2 it is two byte shuffles for 32 of
 * them, else byte by byte. */
#ifndef TOAD_HTML_SIGNS_H
#define TOAD_HTML_SIGNS_H

#include "toadstone/types.h"

/* A set of ASCII bytes: row[c & 15] has bit c >> 4 set where c is in. `pairs`: the first of two line feeds is in, too.
 */
typedef struct toad__signs {
    unsigned char row[16];
    bool pairs;
} toad__signs;

/* Bit i: the byte at p + i is in the set. 65 bytes are read. */
typedef uint64_t toad__signs_fn(const char *p, const toad__signs *set);
toad__signs_fn toad__signs_portable;
toad__signs_fn *toad__signs_best(void);

/* The same of what stands at `at`, which is below in.n; bytes beyond the end are not in. */
uint64_t toad__signs_at(toad_str in, size_t at, const toad__signs *set, toad__signs_fn *fn);

#endif
