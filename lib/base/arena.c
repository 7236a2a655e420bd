#include "lib/base/arena.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#if defined(__SANITIZE_ADDRESS__)
#define REDZONE 16
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define REDZONE 16
#endif
#endif
#ifdef REDZONE
#include <sanitizer/asan_interface.h>
#else
#define REDZONE                           0
#define ASAN_POISON_MEMORY_REGION(p, n)   ((void)(p))
#define ASAN_UNPOISON_MEMORY_REGION(p, n) ((void)(p))
#endif

#define BLOCK 16384
#define ALIGN 16

struct toad__block {
    struct toad__block *next;
    size_t used, cap;
    _Alignas(ALIGN) char bytes[];
};

void toad__arena_init(toad__arena *a, size_t max) { *a = (toad__arena){ .max = max }; }

void toad__arena_free(toad__arena *a) {
    for (struct toad__block *b = a->blocks, *next; b; b = next) {
        next = b->next;
        ASAN_UNPOISON_MEMORY_REGION(b->bytes, b->cap);
        free(b);
    }
    *a = (toad__arena){ .max = a->max };
}

static struct toad__block *new_block(toad__arena *a, size_t need) {
    size_t cap = need > BLOCK ? need : BLOCK;
    struct toad__block *b = malloc(sizeof *b + cap);
    if (!b) return NULL;
    b->next = a->blocks;
    b->used = 0;
    b->cap = cap;
    a->blocks = b;
    ASAN_POISON_MEMORY_REGION(b->bytes, cap);
    return b;
}

void *toad__arena_alloc(toad__arena *a, size_t n) {
    if (n > SIZE_MAX / 2) return NULL;
    size_t need = (n + REDZONE + ALIGN - 1) / ALIGN * ALIGN;
    if (need > a->max - a->used) return NULL;
    struct toad__block *b = a->blocks;
    if (!b || b->cap - b->used < need) b = new_block(a, need);
    if (!b) return NULL;
    char *p = b->bytes + b->used;
    b->used += need;
    a->used += need;
    ASAN_UNPOISON_MEMORY_REGION(p, n);
    return memset(p, 0, n);
}

toad_str toad__arena_dup(toad__arena *a, toad_str s) {
    char *p = toad__arena_alloc(a, s.n + 1);
    if (!p) return (toad_str){ NULL, 0 };
    if (s.n) memcpy(p, s.p, s.n);
    return (toad_str){ p, s.n };
}

void *toad__arena_room(toad__arena *a, void *items, size_t n, size_t *cap, size_t size) {
    assert(n <= *cap);
    if (n < *cap) return items;
    size_t more = n ? 2 * n : 64;
    void *longer = more > SIZE_MAX / size ? NULL : toad__arena_alloc(a, more * size);
    if (!longer) return NULL;
    if (n) memcpy(longer, items, n * size);
    *cap = more;
    return longer;
}
