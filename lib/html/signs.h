/* signs.h - which of 64 bytes are signs that a reader of text stops at. With AVX2 it is two byte shuffles for 32 of them, else byte by byte. */
#ifndef BZR_HTML_SIGNS_H
#define BZR_HTML_SIGNS_H

#include "bezoar/types.h"

/* A set of ASCII bytes: row[c & 15] has bit c >> 4 set where c is in. `pairs`: the first of two line feeds is in, too. */
typedef struct bzr__signs {
    unsigned char row[16];
    bool pairs;
} bzr__signs;

/* Bit i: the byte at p + i is in the set. 65 bytes are read. */
typedef uint64_t bzr__signs_fn(const char *p, const bzr__signs *set);
bzr__signs_fn bzr__signs_portable;
bzr__signs_fn *bzr__signs_best(void);

/* The same of what stands at `at`, which is below in.n; bytes beyond the end are not in. */
uint64_t bzr__signs_at(bzr_str in, size_t at, const bzr__signs *set, bzr__signs_fn *fn);

#endif
