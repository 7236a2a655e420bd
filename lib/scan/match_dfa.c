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

static uint32_t key_of(const toad__dfa_of *of, unsigned starts) {
    return of->pattern << 4 | starts << 1 | of->backward;
}

static uint32_t find(const toad__dfa *d, uint32_t bucket, uint32_t key, const uint64_t *set, unsigned words) {
    for (uint32_t i = d->buckets[bucket]; i; i = toad__dfa_at(d, i)->next) {
        const toad__dfa_state *s = toad__dfa_at(d, i);
        if (s->key == key && !memcmp(toad__dfa_positions(s), set, words * sizeof *set)) return i;
    }
    return TOAD__DFA_UNKNOWN;
}

static uint32_t make(toad__dfa *d, const toad__dfa_of *of, uint32_t bucket, uint32_t key, const uint64_t *set) {
    uint32_t row_words = (of->classes + 3u) / 4,
             size = (uint32_t)(sizeof(toad__dfa_state) / sizeof *d->pool) + row_words + of->words;
    d->full = d->full || d->used + size > POOL_WORDS;
    if (!d->room || d->full) return TOAD__DFA_UNKNOWN;
    d->room--;
    uint32_t number = d->used / UNIT;
    toad__dfa_state *s = (void *)(d->pool + d->used);
    d->used += (size + UNIT - 1) / UNIT * UNIT;
    *s = (toad__dfa_state){ d->buckets[bucket], key, (uint16_t)of->classes, (uint16_t)of->words, 0 };
    memset(s->row, 0, row_words * sizeof *d->pool);
    memcpy(d->pool + number * UNIT + size - of->words, set, of->words * sizeof *set);
    const uint64_t *edge = of->backward ? of->a->first_any : of->a->last_any;
    for (unsigned w = 0; w < of->words; w++) s->edge |= (set[w] & edge[w]) != 0;
    d->buckets[bucket] = number;
    return number;
}

static uint32_t number_of(toad__dfa *d, const toad__dfa_of *of, uint32_t key, const uint64_t *set) {
    uint64_t h = key;
    for (unsigned w = 0; w < of->words; w++) h = mixed(h, set[w]);
    uint32_t bucket = (uint32_t)(h >> 32) % BUCKETS, number = find(d, bucket, key, set, of->words);
    return number ? number : make(d, of, bucket, key, set);
}

uint32_t toad__dfa_intern(toad__dfa *d, const toad__dfa_of *of, const uint64_t *set) {
    for (unsigned w = 0; w < of->words; w++)
        if (set[w]) return number_of(d, of, key_of(of, 0), set);
    return TOAD__DFA_EMPTY;
}

/* What `a` and `b` make, if that is still remembered; b has its highest bit set where it is no number. */
static toad__dfa_pair *pair_of(toad__dfa *d, uint32_t a, uint32_t b) {
    return &d->pairs[mixed(a, b) >> 40 & (PAIRS - 1)];
}

static uint32_t remember(toad__dfa_pair *pair, uint32_t a, uint32_t b, uint32_t to) {
    if (to) *pair = (toad__dfa_pair){ a, b, to };
    return to;
}

uint32_t toad__dfa_constant(toad__dfa *d, const toad__dfa_of *of, const uint64_t *set, uint32_t offset) {
    uint32_t b = key_of(of, 0) | (uint32_t)1 << 31;
    toad__dfa_pair *pair = pair_of(d, offset, b);
    return pair->to && pair->a == offset && pair->b == b ? pair->to
                                                         : remember(pair, offset, b, toad__dfa_intern(d, of, set));
}

uint32_t toad__dfa_starts(toad__dfa *d, const toad__dfa_of *of, bool boundary, bool line_start) {
    static const uint64_t none[TOAD__WORDS_MAX];
    uint32_t key = key_of(of, 1u + boundary + 2u * line_start), b = key | (uint32_t)1 << 31;
    toad__dfa_pair *pair = pair_of(d, 0, b);
    return pair->to && !pair->a && pair->b == b ? pair->to : remember(pair, 0, b, number_of(d, of, key, none));
}

uint32_t toad__dfa_united(toad__dfa *d, const toad__dfa_of *of, uint32_t a, uint32_t b) {
    if (a == TOAD__DFA_EMPTY || a == b) return b;
    if (b == TOAD__DFA_EMPTY) return a;
    toad__dfa_pair *pair = pair_of(d, a, b);
    if (pair->to && pair->a == a && pair->b == b) return pair->to;
    uint64_t set[TOAD__WORDS_MAX];
    const uint64_t *x = toad__dfa_positions(toad__dfa_at(d, a)), *y = toad__dfa_positions(toad__dfa_at(d, b));
    for (unsigned w = 0; w < of->words; w++) set[w] = x[w] | y[w];
    return remember(pair, a, b, toad__dfa_intern(d, of, set));
}

uint32_t toad__dfa_learn(toad__dfa *d, const toad__dfa_of *of, uint32_t from, uint8_t byte) {
    toad__dfa_state *state = (void *)(d->pool + (size_t)from * TOAD__DFA_UNIT);
    unsigned starts = state->key >> 1 & 7, words = of->words;
    uint64_t set[TOAD__WORDS_MAX];
    positions s;
    draft next;
    draft_init(&next, words);
    load_state(&s, toad__dfa_positions(state), words);
    if (starts)
        inject_starts(of->a, &next, (starts - 1) & 1, (starts - 1) & 2, words);
    else if (of->backward)
        retreat(of->a, &s, &next, words);
    else
        advance(of->a, &s, &next, words);
    take(of->a, &next, &s, byte, words);
    store_state(&s, set, words);
    uint32_t to = toad__dfa_intern(d, of, set);
    state->row[of->a->class_of[byte]] = (uint16_t)to;
    return to;
}
