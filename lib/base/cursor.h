/* cursor.h - the bounds-checked reader every parser of hostile bytes goes through.
 *
 * Invariant: 0 <= at <= s.n. Peeking past the end gives -1, never a read. Advancing stops at the end. */
#ifndef BZR_BASE_CURSOR_H
#define BZR_BASE_CURSOR_H

#include "lib/base/str.h"

typedef struct bzr__cur {
    bzr_str s;
    size_t at;
} bzr__cur;

static inline bzr__cur bzr__cur_of(bzr_str s) { return (bzr__cur){ s, 0 }; }
static inline size_t bzr__cur_left(const bzr__cur *c) { return c->s.n - c->at; }
static inline bool bzr__cur_end(const bzr__cur *c) { return c->at >= c->s.n; }
/* The byte `k` ahead as 0..255, or -1 past the end. */
static inline int bzr__cur_peek(const bzr__cur *c, size_t k) {
    return k < c->s.n - c->at ? (unsigned char)c->s.p[c->at + k] : -1;
}
/* Take one byte, or -1 at the end. */
static inline int bzr__cur_next(bzr__cur *c) { return c->at < c->s.n ? (unsigned char)c->s.p[c->at++] : -1; }
static inline void bzr__cur_skip(bzr__cur *c, size_t k) { c->at = k < c->s.n - c->at ? c->at + k : c->s.n; }
static inline bool bzr__cur_looking_at(const bzr__cur *c, bzr_str word) {
    return bzr__cur_left(c) >= word.n && (!word.n || !memcmp(c->s.p + c->at, word.p, word.n));
}
/* Step over `word` if it stands here. */
static inline bool bzr__cur_eat(bzr__cur *c, bzr_str word) {
    if (!bzr__cur_looking_at(c, word)) return false;
    c->at += word.n;
    return true;
}
static inline void bzr__cur_skip_space(bzr__cur *c) {
    while (bzr__is_space(bzr__cur_peek(c, 0))) c->at++;
}
/* Move to the next `byte` or to the end; false at the end. */
static inline bool bzr__cur_find(bzr__cur *c, char byte) {
    const char *hit = bzr__cur_end(c) ? NULL : memchr(c->s.p + c->at, byte, bzr__cur_left(c));
    c->at = hit ? (size_t)(hit - c->s.p) : c->s.n;
    return hit != NULL;
}

#endif
