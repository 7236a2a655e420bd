/* match_dfa.h - steps of large automata, remembered.
 *
 * A pattern of many words costs tens of nanoseconds a step, and text that comes close to it asks for the same few steps
 * again and again. So a state, once met, is kept with the states it leads to: a DFA built as far as the texts of this
 * scanner need it (Thompson 1968; RE2 does the same). What is kept is a pure function of the pattern, so it serves
 * later texts too.
 *
 * A state is known by its number, good for the current text; UNKNOWN stands where there is no room for one, and then
 * the caller walks without. A walk makes few states: most ways are gone once and not worth remembering, and one that is
 * gone often is known soon, some steps further each time. */
#ifndef TOAD_SCAN_MATCH_DFA_H
#define TOAD_SCAN_MATCH_DFA_H

#include "lib/scan/match_walk.h"

#define TOAD__DFA_ROOM 2  /* states that a walk may make */
#define TOAD__DFA_UNIT 2u /* words of the pool that a number counts */

enum { TOAD__DFA_UNKNOWN, TOAD__DFA_EMPTY }; /* numbers that are no offsets */

typedef struct toad__dfa_state {
    uint32_t next; /* in its bucket */
    uint32_t key;  /* automaton, starts, direction */
    uint32_t classes;
    uint32_t edge;  /* holds a position at which a match may end, or going back begin */
    uint16_t row[]; /* [classes] the state after a byte of the class; then, 8-aligned, uint64_t[words] positions */
} toad__dfa_state;

typedef struct toad__dfa_pair {
    uint32_t x, y, to;
} toad__dfa_pair;

typedef struct toad__dfa {
    uint64_t *pool;
    uint32_t *buckets;
    toad__dfa_pair *pairs; /* direct-mapped: what two numbers make together */
    uint32_t used;
    uint32_t room; /* states that the current walk may still make */
    bool full;
    draft next; /* of the step being learned */
} toad__dfa;

bool toad__dfa_init(toad__dfa *d); /* false: out of memory */
void toad__dfa_free(toad__dfa *d);
/* A new text: numbers of the last one are void. */
void toad__dfa_begin(toad__dfa *d);
/* A new walk. */
static inline void toad__dfa_walk(toad__dfa *d) { d->room = TOAD__DFA_ROOM; }

/* The number of a set of positions, going forward. */
uint32_t toad__dfa_intern(toad__dfa *d, const automaton *a, const uint64_t *set);
/* The same, going back, of a set in the table that is known by its offset there. */
uint32_t toad__dfa_constant(toad__dfa *d, const automaton *a, const uint64_t *set, uint32_t offset);
/* The state before the first byte of a match: it holds no positions, its steps lead to where a match begins. */
uint32_t toad__dfa_starts(toad__dfa *d, const automaton *a, bool boundary, bool line_start);
/* Both at once; neither is UNKNOWN. */
uint32_t toad__dfa_united(toad__dfa *d, const automaton *a, uint32_t x, uint32_t y);
/* A step that is not known yet. */
uint32_t toad__dfa_learn(toad__dfa *d, const automaton *a, uint32_t from, uint8_t byte);

static inline const toad__dfa_state *toad__dfa_at(const toad__dfa *d, uint32_t number) {
    assert(number > TOAD__DFA_EMPTY && number * TOAD__DFA_UNIT < d->used);
    return (const void *)(d->pool + (size_t)number * TOAD__DFA_UNIT);
}

static inline const uint64_t *toad__dfa_positions(const toad__dfa_state *s) {
    return (const uint64_t *)(const void *)(s->row + (s->classes + 3u) / 4 * 4);
}

/* The state after `byte`; `from` is a real state or EMPTY. */
static inline uint32_t toad__dfa_step(toad__dfa *d, const automaton *a, uint32_t from, uint8_t byte) {
    if (from == TOAD__DFA_EMPTY) return from;
    uint32_t to = toad__dfa_at(d, from)->row[a->class_of[byte]];
    return to ? to : toad__dfa_learn(d, a, from, byte);
}

#endif
