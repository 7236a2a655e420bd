/* match_walk.h - the bit-parallel automaton of one pattern, on one text, in both directions.
 *
 * A state is the set of positions that took the last byte. One step: shift the sequential ones, add what the jumping
 * ones lead to, keep what takes the next byte. A pattern with word lists written out has many words of positions but
 * few alive at a time, so a state knows which words are not empty and a step visits only those. (Code of their own for
 * patterns of one word saves one instruction in a hundred.) */
#ifndef TOAD_SCAN_MATCH_WALK_H
#define TOAD_SCAN_MATCH_WALK_H

#include "lib/rules/pattern.h"
#include "lib/rules/table.h"
#include "lib/scan/match.h"

#include <assert.h>
#include <string.h>

#if defined(__GNUC__)
#define TOAD__INLINE static inline __attribute__((always_inline))
#else
#define TOAD__INLINE static inline
#endif

typedef struct steps {
    const uint64_t *shift, *jump, *groups;
    const uint16_t *group_of;
    const uint8_t *ranges;
} steps;

typedef struct automaton {
    uint32_t id; /* unique over both sets of patterns */
    unsigned words, classes, first_words;
    const uint8_t *class_of;
    const uint64_t *starts, *takes, *first, *last, *first_any, *last_any;
    steps forward, backward;
} automaton;

/* A set of positions: w[i] counts only where bit i of `live` is set, and is not zero there. */
typedef struct positions {
    uint32_t live;
    uint64_t w[TOAD__WORDS_MAX];
} positions;

/* The text being searched. */
typedef struct subject {
    const uint8_t *p;
    uint32_t n;
    const uint8_t *lines; /* NULL: only byte 0 begins a line */
} subject;

TOAD__INLINE steps steps_of(const toad__ruleset *set, const toad__table_steps *s) {
    return (steps){ toad__table_at(set, s->shift), toad__table_at(set, s->jump), toad__table_at(set, s->groups),
                    toad__table_at(set, s->group_of), toad__table_at(set, s->ranges) };
}

static inline automaton automaton_of(const toad__ruleset *set, const toad__table_set *tables, uint32_t pattern) {
    const toad__table_pattern *rows = toad__table_at(set, tables->patterns), *p = &rows[pattern];
    assert(pattern < tables->n_patterns && p->words && p->words <= TOAD__WORDS_MAX && p->first_words <= p->words);
    return (automaton){
        .id = pattern << 1 | (uint32_t)(tables != set->sets),
        .words = p->words,
        .classes = p->classes,
        .first_words = p->first_words,
        .class_of = toad__table_at(set, p->class_of),
        .starts = toad__table_at(set, p->starts),
        .takes = toad__table_at(set, p->takes),
        .first = toad__table_at(set, p->first),
        .last = toad__table_at(set, p->last),
        .first_any = toad__table_at(set, p->first_any),
        .last_any = toad__table_at(set, p->last_any),
        .forward = steps_of(set, &p->forward),
        .backward = steps_of(set, &p->backward),
    };
}

/* Do they share a position? */
TOAD__INLINE bool meets(const positions *s, const uint64_t *set) {
    uint64_t all = 0;
    for (uint32_t l = s->live; l; l &= l - 1) all |= s->w[__builtin_ctz(l)] & set[__builtin_ctz(l)];
    return all != 0;
}

TOAD__INLINE void load_positions(positions *s, const uint64_t *from, unsigned words) {
    s->live = 0;
    for (unsigned w = 0; w < words; w++) {
        s->w[w] = from[w];
        s->live |= (uint32_t)(from[w] != 0) << w;
    }
}

static inline void store_positions(const positions *s, uint64_t *to, unsigned words) {
    for (unsigned w = 0; w < words; w++) to[w] = s->live >> w & 1 ? s->w[w] : 0;
}

static inline void add_positions(positions *s, const positions *more) {
    for (uint32_t l = more->live; l; l &= l - 1) {
        unsigned w = (unsigned)__builtin_ctz(l);
        s->w[w] = more->w[w] | (s->live >> w & 1 ? s->w[w] : 0);
    }
    s->live |= more->live;
}

/* A state being made: what may take the next byte, before looking at it. Between steps all is zero. */
typedef struct draft {
    uint32_t touched;
    uint64_t w[TOAD__WORDS_MAX + 1];
} draft;

TOAD__INLINE void draft_put(draft *d, unsigned w, uint64_t x) {
    d->w[w] |= x;
    d->touched |= (uint32_t)1 << w;
}

TOAD__INLINE void draft_add(draft *d, const uint64_t *set, unsigned from, unsigned to) {
    for (unsigned w = from; w < to; w++) draft_put(d, w, set[w]);
}

/* Where the jumping positions of word `w` lead. */
TOAD__INLINE void draft_jump(draft *d, const automaton *a, const steps *s, uint64_t x, unsigned w) {
    while (x) {
        unsigned g = s->group_of[w * 64 + (unsigned)__builtin_ctzll(x)];
        const uint64_t *group = s->groups + (size_t)g * 2 * a->words;
        draft_add(d, group + a->words, s->ranges[2 * g], s->ranges[2 * g + 1]);
        x &= ~group[w];
    }
}

/* What may take the byte after `s`. */
TOAD__INLINE void advance(const automaton *a, const positions *s, draft *d) {
    const steps *f = &a->forward;
    assert(!d->touched);
    for (uint32_t l = s->live; l; l &= l - 1) {
        unsigned w = (unsigned)__builtin_ctz(l);
        uint64_t x = s->w[w] & f->shift[w];
        if (x) draft_put(d, w, x << 1);
        if (x >> 63) draft_put(d, w + 1, 1);
        draft_jump(d, a, f, s->w[w] & f->jump[w], w);
    }
}

/* What may take the byte before `s`. */
TOAD__INLINE void retreat(const automaton *a, const positions *s, draft *d) {
    const steps *b = &a->backward;
    assert(!d->touched);
    for (uint32_t l = s->live; l; l &= l - 1) {
        unsigned w = (unsigned)__builtin_ctz(l);
        uint64_t x = s->w[w] & b->shift[w];
        if (x) draft_put(d, w, x >> 1);
        if (x & 1) draft_put(d, w - 1, (uint64_t)1 << 63);
        draft_jump(d, a, b, s->w[w] & b->jump[w], w);
    }
}

/* Of the draft, the positions that take `byte`. The draft is used up. */
TOAD__INLINE void take(const automaton *a, draft *d, positions *s, uint8_t byte) {
    const uint64_t *takes = a->takes + (size_t)a->class_of[byte] * a->words;
    uint32_t live = 0;
    for (uint32_t l = d->touched; l; l &= l - 1) {
        unsigned w = (unsigned)__builtin_ctz(l);
        s->w[w] = d->w[w] & takes[w];
        d->w[w] = 0;
        live |= (uint32_t)(s->w[w] != 0) << w;
    }
    d->touched = 0;
    s->live = live;
}

TOAD__INLINE bool is_word(uint8_t c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; }

TOAD__INLINE bool is_boundary(const subject *t, uint32_t at) {
    bool before = at > 0 && is_word(t->p[at - 1]), after = at < t->n && is_word(t->p[at]);
    return before != after;
}

TOAD__INLINE bool is_line_start(const subject *t, uint32_t at) {
    return !at || (t->lines && (t->lines[at >> 3] >> (at & 7) & 1));
}

/* The end of the text, or the blank that a line break became. */
TOAD__INLINE bool is_line_end(const subject *t, uint32_t at) {
    if (at == t->n) return true;
    return t->p[at] == ' ' && (at + 1 == t->n || is_line_start(t, at + 1));
}

/* May a match begin at `at`, by its first two bytes? */
TOAD__INLINE bool may_start(const automaton *a, const subject *t, uint32_t at) {
    uint64_t second = a->starts[a->class_of[t->p[at]]];
    return at + 1 < t->n ? second >> (a->class_of[t->p[at + 1]] & 63) & 1 : second == UINT64_MAX;
}

/* The first place in [at, end) at which a match may begin by its first two bytes, or `end`; end is at most the length
 * of the text. */
TOAD__INLINE uint32_t next_start(const automaton *a, const subject *t, uint32_t at, uint32_t end) {
    if (at >= end) return end;
    for (unsigned c = a->class_of[t->p[at]], next; at + 1 < end; at++, c = next) {
        next = a->class_of[t->p[at + 1]];
        if (a->starts[c] >> (next & 63) & 1) return at;
    }
    return may_start(a, t, at) ? at : end;
}

/* Does a match of which the first byte is taken by `s` begin at `at`? */
TOAD__INLINE bool begins(const automaton *a, const positions *s, const subject *t, uint32_t at) {
    if (!meets(s, a->first_any)) return false;
    return meets(s, a->first) || (meets(s, a->first + a->words) && is_boundary(t, at)) ||
           (meets(s, a->first + 2 * a->words) && is_line_start(t, at));
}

/* Does a match of which the last byte was taken by `s` end at `at`? */
TOAD__INLINE bool ends(const automaton *a, const positions *s, const subject *t, uint32_t at) {
    if (!meets(s, a->last_any)) return false;
    return meets(s, a->last) || (meets(s, a->last + a->words) && is_boundary(t, at)) ||
           (meets(s, a->last + 2 * a->words) && is_line_end(t, at));
}

/* Add the positions at which a match may begin. */
TOAD__INLINE void inject_starts(const automaton *a, draft *d, bool boundary, bool line_start) {
    draft_add(d, a->first, 0, a->first_words);
    if (boundary) draft_add(d, a->first + a->words, 0, a->first_words);
    if (line_start) draft_add(d, a->first + 2 * a->words, 0, a->first_words);
}

/* The same at `at`, as far as they take its byte. */
TOAD__INLINE void inject(const automaton *a, draft *d, const subject *t, uint32_t at) {
    if (may_start(a, t, at)) inject_starts(a, d, is_boundary(t, at), is_line_start(t, at));
}

/* Add the positions at which a match may end at `at`. */
TOAD__INLINE void inject_ends(const automaton *a, draft *d, const subject *t, uint32_t at) {
    draft_add(d, a->last, 0, a->words);
    if (is_boundary(t, at)) draft_add(d, a->last + a->words, 0, a->words);
    if (is_line_end(t, at)) draft_add(d, a->last + 2 * a->words, 0, a->words);
}

#endif
