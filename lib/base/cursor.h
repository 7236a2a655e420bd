/* cursor.h - the bounds-checked reader every parser of hostile bytes goes through.
 *
 * Invariant: 0 <= at <= s.n. Peeking past the end gives -1, never a read. Advancing stops at the end. */
#ifndef TOAD_BASE_CURSOR_H
#define TOAD_BASE_CURSOR_H

#include "lib/base/str.h"

typedef struct toad__cur {
    toad_str s;
    size_t at;
} toad__cur;

static inline toad__cur toad__cur_of(toad_str s) { return (toad__cur){ s, 0 }; }
static inline size_t toad__cur_left(const toad__cur *c) { return c->s.n - c->at; }
static inline bool toad__cur_end(const toad__cur *c) { return c->at >= c->s.n; }
/* The byte `k` ahead as 0..255, or -1 past the end. */
static inline int toad__cur_peek(const toad__cur *c, size_t k) {
    return k < c->s.n - c->at ? (unsigned char)c->s.p[c->at + k] : -1;
}
/* Take one byte, or -1 at the end. */
static inline int toad__cur_next(toad__cur *c) { return c->at < c->s.n ? (unsigned char)c->s.p[c->at++] : -1; }
static inline void toad__cur_skip(toad__cur *c, size_t k) { c->at = k < c->s.n - c->at ? c->at + k : c->s.n; }
static inline bool toad__cur_looking_at(const toad__cur *c, toad_str word) {
    return toad__cur_left(c) >= word.n && (!word.n || !memcmp(c->s.p + c->at, word.p, word.n));
}
/* Step over `word` if it stands here. */
static inline bool toad__cur_eat(toad__cur *c, toad_str word) {
    if (!toad__cur_looking_at(c, word)) return false;
    c->at += word.n;
    return true;
}
static inline void toad__cur_skip_space(toad__cur *c) {
    while (toad__is_space(toad__cur_peek(c, 0))) c->at++;
}
/* Move to the next `byte` or to the end; false at the end. */
static inline bool toad__cur_find(toad__cur *c, char byte) {
    const char *hit = toad__cur_end(c) ? NULL : memchr(c->s.p + c->at, byte, toad__cur_left(c));
    c->at = hit ? (size_t)(hit - c->s.p) : c->s.n;
    return hit != NULL;
}

#endif
