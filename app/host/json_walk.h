/* json_walk.h - every value of a JSON tree in document order, without recursion. The reader bounds the depth, so the
 * stack is fixed. */
#ifndef TOAD_APP_JSON_WALK_H
#define TOAD_APP_JSON_WALK_H

#include "lib/base/json.h"

typedef struct toad__json_walk {
    const toad__json *stack[TOAD__JSON_DEPTH + 2];
    size_t n;
} toad__json_walk;

static inline void toad__json_walk_begin(toad__json_walk *w, const toad__json *root) {
    w->stack[0] = root;
    w->n = root ? 1 : 0;
}

/* The next value, `root` first; NULL at the end. */
static inline const toad__json *toad__json_walk_next(toad__json_walk *w) {
    while (w->n && !w->stack[w->n - 1]) w->n--;
    if (!w->n) return NULL;
    const toad__json *v = w->stack[w->n - 1];
    w->stack[w->n - 1] = w->n == 1 ? NULL : v->next;
    if (v->child && w->n < sizeof w->stack / sizeof *w->stack) w->stack[w->n++] = v->child;
    return v;
}

#endif
