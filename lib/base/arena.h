/* arena.h - memory of one scan: many small objects, freed in one step, with a hard ceiling.
 * Thread rule: one thread at a time. Under ASan a redzone stands after each object. */
#ifndef TOAD_BASE_ARENA_H
#define TOAD_BASE_ARENA_H

#include "toadstone/types.h"

typedef struct toad__arena {
    struct toad__block *blocks;
    size_t used, max;
} toad__arena;

void toad__arena_init(toad__arena *a, size_t max);
void toad__arena_free(toad__arena *a);
/* `n` zeroed bytes, aligned for any object; NULL when memory or the ceiling is out. */
void *toad__arena_alloc(toad__arena *a, size_t n);
/* A copy of s, with a NUL after it; p is NULL on failure. */
toad_str toad__arena_dup(toad__arena *a, toad_str s);
/* Room for one more behind `n` items of `size` bytes each: the items, or a copy twice as long where they fill `*cap`;
 * NULL on failure. An arena gives nothing back, so they take up to twice what they need. */
void *toad__arena_room(toad__arena *a, void *items, size_t n, size_t *cap, size_t size);

#endif
