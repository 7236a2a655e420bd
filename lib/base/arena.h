/* arena.h - memory of one scan: many small objects, freed in one step, with a hard ceiling.
 * Thread rule: one thread at a time. Under ASan a redzone stands after each object. */
#ifndef BZR_BASE_ARENA_H
#define BZR_BASE_ARENA_H

#include "bezoar/types.h"

typedef struct bzr__arena {
    struct bzr__block *blocks;
    size_t used, max;
} bzr__arena;

void bzr__arena_init(bzr__arena *a, size_t max);
void bzr__arena_free(bzr__arena *a);
/* `n` zeroed bytes, aligned for any object; NULL when memory or the ceiling is out. */
void *bzr__arena_alloc(bzr__arena *a, size_t n);
/* A copy of s, with a NUL after it; p is NULL on failure. */
bzr_str bzr__arena_dup(bzr__arena *a, bzr_str s);

#endif
