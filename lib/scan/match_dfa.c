/* match_dfa.c - the pool of remembered states and the tables over it. A full pool is emptied before the next text, not
 * before: numbers stay good. */
#include "lib/scan/match_dfa.h"

#include <stdlib.h>

#define UNIT       TOAD__DFA_UNIT
#define POOL_WORDS (UNIT << 16) /* 1 MiB, as far as numbers of 16 bits go: some ten thousand states */
#define BUCKETS    4096u
#define PAIRS      1024u

static void forget(toad__dfa *d) {
    memset(d->buckets, 0, BUCKETS * sizeof *d->buckets);
    memset(d->pairs, 0, PAIRS * sizeof *d->pairs);
    d->used = (TOAD__DFA_EMPTY + 1) * UNIT;
    d->full = false;
}

bool toad__dfa_init(toad__dfa *d) {
    d->pool = malloc(POOL_WORDS * sizeof *d->pool);
    d->buckets = malloc(BUCKETS * sizeof *d->buckets);
    d->pairs = malloc(PAIRS * sizeof *d->pairs);
    if (!d->pool || !d->buckets || !d->pairs) return false;
    forget(d);
    return true;
}

void toad__dfa_free(toad__dfa *d) {
    free(d->pool);
    free(d->buckets);
    free(d->pairs);
}

void toad__dfa_begin(toad__dfa *d) {
    if (d->full) forget(d);
}

static uint64_t mixed(uint64_t h, uint64_t x) {
    h = (h ^ x) * 0x9E3779B97F4A7C15u;
    return h ^ h >> 29;
}

/* `starts`: 0, or of a state before the first byte 1 + boundary + 2 * line start. */
static uint32_t key_of(const automaton *a, unsigned starts, bool backward) {
    assert(a->id < 1u << 27 && starts < 8);
    return a->id << 4 | starts << 1 | backward;
}

static uint32_t find(const toad__dfa *d, uint32_t bucket, uint32_t key, const uint64_t *set, unsigned words) {
    for (uint32_t i = d->buckets[bucket]; i; i = toad__dfa_at(d, i)->next) {
        const toad__dfa_state *s = toad__dfa_at(d, i);
        if (s->key == key && !memcmp(toad__dfa_positions(s), set, words * sizeof *set)) return i;
    }
    return TOAD__DFA_UNKNOWN;
}

static uint32_t make(toad__dfa *d, const automaton *a, uint32_t bucket, uint32_t key, const uint64_t *set) {
    uint32_t row_words = (a->classes + 3u) / 4,
             size = (uint32_t)(sizeof(toad__dfa_state) / sizeof *d->pool) + row_words + a->words;
    d->full = d->full || d->used + size > POOL_WORDS;
    if (!d->room || d->full) return TOAD__DFA_UNKNOWN;
    d->room--;
    uint32_t number = d->used / UNIT;
    assert(number > TOAD__DFA_EMPTY && number <= UINT16_MAX && d->used % UNIT == 0);
    toad__dfa_state *s = (void *)(d->pool + d->used);
    d->used += (size + UNIT - 1) / UNIT * UNIT;
    *s = (toad__dfa_state){ d->buckets[bucket], key, a->classes, 0 };
    memset(s->row, 0, row_words * sizeof *d->pool);
    memcpy(d->pool + number * UNIT + size - a->words, set, a->words * sizeof *set);
    const uint64_t *edge = key & 1 ? a->first_any : a->last_any;
    for (unsigned w = 0; w < a->words; w++) s->edge |= (set[w] & edge[w]) != 0;
    d->buckets[bucket] = number;
    return number;
}

static uint32_t number_of(toad__dfa *d, const automaton *a, uint32_t key, const uint64_t *set) {
    uint64_t h = key;
    for (unsigned w = 0; w < a->words; w++) h = mixed(h, set[w]);
    uint32_t bucket = (uint32_t)(h >> 32) % BUCKETS, number = find(d, bucket, key, set, a->words);
    return number ? number : make(d, a, bucket, key, set);
}

static uint32_t intern(toad__dfa *d, const automaton *a, const uint64_t *set, bool backward) {
    for (unsigned w = 0; w < a->words; w++)
        if (set[w]) return number_of(d, a, key_of(a, 0, backward), set);
    return TOAD__DFA_EMPTY;
}

uint32_t toad__dfa_intern(toad__dfa *d, const automaton *a, const uint64_t *set) { return intern(d, a, set, false); }

/* What `x` and `y` make, if that is still remembered; y has its highest bit set where it is a key, not a number. */
static toad__dfa_pair *pair_of(toad__dfa *d, uint32_t x, uint32_t y) {
    toad__dfa_pair *pair = &d->pairs[mixed(x, y) >> 40 & (PAIRS - 1)];
    if (pair->x != x || pair->y != y) *pair = (toad__dfa_pair){ x, y, TOAD__DFA_UNKNOWN };
    return pair;
}

uint32_t toad__dfa_constant(toad__dfa *d, const automaton *a, const uint64_t *set, uint32_t offset) {
    toad__dfa_pair *pair = pair_of(d, offset, key_of(a, 0, true) | (uint32_t)1 << 31);
    return pair->to ? pair->to : (pair->to = intern(d, a, set, true));
}

uint32_t toad__dfa_starts(toad__dfa *d, const automaton *a, bool boundary, bool line_start) {
    static const uint64_t none[TOAD__WORDS_MAX];
    uint32_t key = key_of(a, 1u + boundary + 2u * line_start, false);
    toad__dfa_pair *pair = pair_of(d, 0, key | (uint32_t)1 << 31);
    return pair->to ? pair->to : (pair->to = number_of(d, a, key, none));
}

uint32_t toad__dfa_united(toad__dfa *d, const automaton *a, uint32_t x, uint32_t y) {
    if (x == TOAD__DFA_EMPTY || x == y) return y;
    if (y == TOAD__DFA_EMPTY) return x;
    toad__dfa_pair *pair = pair_of(d, x, y);
    if (pair->to) return pair->to;
    uint64_t set[TOAD__WORDS_MAX];
    const uint64_t *p = toad__dfa_positions(toad__dfa_at(d, x)), *q = toad__dfa_positions(toad__dfa_at(d, y));
    for (unsigned w = 0; w < a->words; w++) set[w] = p[w] | q[w];
    return pair->to = intern(d, a, set, false);
}

uint32_t toad__dfa_learn(toad__dfa *d, const automaton *a, uint32_t from, uint8_t byte) {
    toad__dfa_state *state = (void *)(d->pool + (size_t)from * TOAD__DFA_UNIT);
    unsigned starts = state->key >> 1 & 7;
    bool backward = state->key & 1;
    uint64_t set[TOAD__WORDS_MAX];
    positions s;
    draft *next = &d->next;
    assert(state->key >> 4 == a->id);
    load_positions(&s, toad__dfa_positions(state), a->words);
    if (starts)
        inject_starts(a, next, (starts - 1) & 1, (starts - 1) & 2);
    else if (backward)
        retreat(a, &s, next);
    else
        advance(a, &s, next);
    take(a, next, &s, byte);
    store_positions(&s, set, a->words);
    uint32_t to = intern(d, a, set, backward);
    state->row[a->class_of[byte]] = (uint16_t)to;
    return to;
}
