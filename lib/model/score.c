/* score.c - sliding windows over units, and the words that weigh most in the best of them.
 *
 * All text is read as far as the gate: two small lookups a token, summed over a unit, 240 and 480 bytes. Where one of the
 * three reaches the gate, the features of its units are read (each unit once) and the window gets its score: the mean of
 * its best unit, of 240 and of 480 bytes. A unit has 16 bytes or more, so a window has at most 31 of them: the work per
 * byte is bounded. Invariant: ring[k & MASK] holds unit k for the last RING units. */
#include "lib/base/str.h"
#include "lib/model/model.h"

#include <stdlib.h>

enum { RING = 64, MASK = RING - 1, UNITS = 16, NEAR = 240, FAR = 480, SPELLED_LEAST = 2, CUES_MOST = 24, NEVER = INT32_MIN / 4 };
/* How far the long window may lift a score above what the shorter ones say, and how far below the threshold a score is still told. */
#define SLACK (5 * 65536 / 2)

typedef struct sums {
    int32_t words[BZR__MODEL_HEADS], grams[BZR__MODEL_HEADS];
    uint32_t words_n, grams_n, tokens, spelled;
    uint64_t cues;
} sums;

typedef struct gate {
    int32_t sum;
    uint32_t n;
} gate;

typedef struct kept_unit {
    uint32_t from, start, end;
    gate gate;
    bool read; /* `sums` and `alone` hold */
    sums sums;
    int32_t alone[BZR__MODEL_HEADS]; /* its score by itself */
} kept_unit;

typedef struct best {
    int32_t logit;
    uint32_t window_from, window_to, unit_from, unit_to; /* of the window's first unit, of the sentence */
    bool any;
} best;

struct bzr__model_scratch {
    bzr__unit unit, units[UNITS]; /* unit k in units[k % UNITS] until another needs the place */
    bzr__word words[BZR__UNIT_WORDS];
    uint32_t ids[BZR__UNIT_GRAMS]; /* gates or grams */
    kept_unit ring[RING];
    best best[BZR__MODEL_HEADS];
};

bzr__model_scratch *bzr__model_scratch_new(void) { return malloc(sizeof(bzr__model_scratch)); }
void bzr__model_scratch_free(bzr__model_scratch *s) { free(s); }

typedef struct scoring {
    const bzr__model *m;
    bzr__model_scratch *s;
    bzr_str text;
    int32_t lean;                    /* how much less is asked of this text */
    int32_t floor[BZR__MODEL_HEADS]; /* less is not worth telling */
    uint32_t n; /* units read */
} scoring;

static kept_unit *unit_at(scoring *c, uint32_t k) { return &c->s->ring[k & MASK]; }

/* ---- sums ---- */

static void add_weights(const int8_t *table, uint32_t id, int32_t to[BZR__MODEL_HEADS]) {
    const int8_t *w = table + (size_t)id * BZR__MODEL_HEADS;
    to[0] += w[0];
    to[1] += w[1];
}

static void add_sums(sums *to, const sums *s) {
    for (unsigned h = 0; h < BZR__MODEL_HEADS; h++) {
        to->words[h] += s->words[h];
        to->grams[h] += s->grams[h];
    }
    to->words_n += s->words_n;
    to->grams_n += s->grams_n;
    to->tokens += s->tokens;
    to->spelled += s->spelled;
    to->cues |= s->cues;
}

/* ---- logits ---- */

static int32_t cut(int64_t v) { return v > INT32_MAX / 4 ? INT32_MAX / 4 : v < NEVER ? NEVER : (int32_t)v; }

/* sum * step / sqrt(n); rounds towards zero, so no shift of a negative number. */
static int64_t part(const bzr__model *m, int32_t sum, int32_t step, uint32_t n) {
    return (int64_t)sum * m->root[n < BZR__MODEL_FEATURES ? n : BZR__MODEL_FEATURES - 1] * step / 32768;
}

/* Each class that stands in the window, and each pair of classes. */
static void cue_sums(const bzr__model *m, uint64_t cues, int32_t ret[BZR__MODEL_HEADS]) {
    uint8_t list[CUES_MOST];
    unsigned n = 0;
    for (uint32_t c = 0; c < m->cue_classes && n < CUES_MOST; c++)
        if (cues >> c & 1) list[n++] = (uint8_t)c;
    ret[0] = ret[1] = 0;
    for (unsigned i = 0; i < n; i++)
        for (unsigned k = i; k < n; k++) {
            const int8_t *w = m->cues + ((size_t)list[i] * m->cue_classes + list[k]) * BZR__MODEL_HEADS;
            ret[0] += w[0];
            ret[1] += w[1];
        }
}

static bool is_prose(const sums *s) { return s->spelled >= SPELLED_LEAST && s->spelled * 5 >= s->tokens; }

static void full_logits(const bzr__model *m, const sums *s, int32_t ret[BZR__MODEL_HEADS]) {
    int32_t cues[BZR__MODEL_HEADS];
    bool prose = is_prose(s);
    if (prose) cue_sums(m, s->cues, cues);
    for (unsigned h = 0; h < BZR__MODEL_HEADS; h++)
        ret[h] = !prose ? NEVER : cut(m->bias[h] + part(m, s->words[h], m->word_step[h], s->words_n) +
            part(m, s->grams[h], m->gram_step[h], s->grams_n) + (int64_t)cues[h] * m->cue_step[h]);
}

/* ---- windows ---- */

static void read_features(scoring *c, uint32_t k) {
    kept_unit *u = unit_at(c, k);
    if (u->read) return;
    const bzr__model *m = c->m;
    bzr__model_scratch *s = c->s;
    const bzr__unit *unit = &s->units[k % UNITS];
    if (c->n - k > UNITS) {
        bzr__unit_read(c->text, u->from, &s->unit);
        unit = &s->unit;
    }
    size_t words = bzr__unit_words(unit, s->words), grams = bzr__unit_grams(c->text, unit, s->ids);
    u->sums = (sums){ .words_n = (uint32_t)words, .grams_n = (uint32_t)grams, .tokens = unit->tokens_n, .spelled = unit->spelled };
    u->sums.cues = bzr__unit_cues(&m->lexicon, unit);
    for (size_t i = 0; i < words; i++) add_weights(m->words, s->words[i].id, u->sums.words);
    for (size_t i = 0; i < grams; i++) add_weights(m->grams, s->ids[i], u->sums.grams);
    u->read = true;
    full_logits(m, &u->sums, u->alone);
}

/* The score of the windows that end with the newest unit and begin with units `near` and `far`. The long window is not
 * read where the shorter ones say too little for it to matter. */
static void judge_windows(scoring *c, uint32_t near, uint32_t far) {
    sums all = { .cues = 0 };
    int32_t top[BZR__MODEL_HEADS] = { NEVER, NEVER }, near_logit[BZR__MODEL_HEADS], far_logit[BZR__MODEL_HEADS];
    uint32_t which[BZR__MODEL_HEADS] = { c->n - 1, c->n - 1 }, k = c->n;
    while (k-- > near) {
        read_features(c, k);
        add_sums(&all, &unit_at(c, k)->sums);
        for (unsigned h = 0; h < BZR__MODEL_HEADS; h++) {
            if (unit_at(c, k)->alone[h] <= top[h]) continue;
            top[h] = unit_at(c, k)->alone[h];
            which[h] = k;
        }
    }
    full_logits(c->m, &all, near_logit);
    bool hopeless = true;
    for (unsigned h = 0; h < BZR__MODEL_HEADS; h++) hopeless &= (int64_t)top[h] + 2 * (int64_t)near_logit[h] < 3 * (int64_t)c->floor[h];
    if (hopeless) return;
    for (k = near; k-- > far;) {
        read_features(c, k);
        add_sums(&all, &unit_at(c, k)->sums);
    }
    full_logits(c->m, &all, far_logit);
    for (unsigned h = 0; h < BZR__MODEL_HEADS; h++) {
        best *b = &c->s->best[h];
        int32_t logit = (int32_t)(((int64_t)top[h] + near_logit[h] + far_logit[h]) / 3);
        if (b->any && logit <= b->logit) continue;
        *b = (best){ logit, unit_at(c, near)->from, unit_at(c, c->n - 1)->end, unit_at(c, which[h])->from, unit_at(c, which[h])->end, true };
    }
}

static bool opens(const bzr__model *m, gate g) {
    uint32_t n = g.n < BZR__MODEL_FEATURES ? g.n : BZR__MODEL_FEATURES - 1;
    return (int64_t)g.sum * m->root[n] >= (int64_t)m->gate * 128;
}

/* Let the units before `to` fall out of a window until it has at most `most` bytes. */
static void shorten(scoring *c, gate *g, uint32_t *first, uint32_t end, uint32_t most) {
    for (; *first + 1 < c->n && end - unit_at(c, *first)->start > most; ++*first) {
        g->sum -= unit_at(c, *first)->gate.sum;
        g->n -= unit_at(c, *first)->gate.n;
    }
}

/* Read every unit; look closely where the gate opens. */
static void read_text(scoring *c) {
    uint32_t near = 0, far = 0;
    gate near_gate = { 0, 0 }, far_gate = { 0, 0 };
    for (size_t at = 0; at < c->text.n;) {
        bzr__unit *unit = &c->s->units[c->n % UNITS];
        size_t from = at;
        at = bzr__unit_read(c->text, at, unit);
        if (!unit->tokens_n) continue;
        kept_unit *u = unit_at(c, c->n++);
        u->from = (uint32_t)from;
        u->start = unit->start;
        u->end = unit->end;
        u->read = false;
        u->gate.n = bzr__unit_gate(unit, c->m->gates, &u->gate.sum);
        near_gate = (gate){ near_gate.sum + u->gate.sum, near_gate.n + u->gate.n };
        far_gate = (gate){ far_gate.sum + u->gate.sum, far_gate.n + u->gate.n };
        shorten(c, &near_gate, &near, u->end, NEAR);
        shorten(c, &far_gate, &far, u->end, FAR);
        if (opens(c->m, u->gate) || opens(c->m, near_gate) || opens(c->m, far_gate)) judge_windows(c, near, far);
    }
}

/* ---- the answer ---- */

/* 1000 / (1 + exp(-x / 65536)): linear between whole numbers, 0 and 1000 beyond eight. */
static uint32_t squash(int64_t x) {
    static const uint16_t at[17] = { 0, 1, 2, 7, 18, 47, 119, 269, 500, 731, 881, 953, 982, 993, 998, 999, 1000 };
    if (x <= -8 * 65536) return 0;
    if (x >= 8 * 65536) return BZR__MODEL_SCORE_MAX;
    uint32_t v = (uint32_t)(x + 8 * 65536);
    return at[v >> 16] + (((uint32_t)(at[(v >> 16) + 1] - at[v >> 16]) * (v & 65535u)) >> 16);
}

/* A long text has more places where chance may look like an attack, so it must look more like one: LENGTH for each doubling of its units. In log odds
 * one attack somewhere in n places would cost the whole log n; neighbors are alike, so it costs less (measured on dev rows). log2 is linear between powers. */
#define LENGTH 18000
/* Prose that somebody took the trouble to disguise is an attack more often. */
#define DISGUISED (3 * 65536 / 4)
#define SHORT_UNITS 4u

static int32_t length_cost(uint32_t units) {
    uint32_t n = units > SHORT_UNITS ? units : SHORT_UNITS;
    unsigned whole = 31u - (unsigned)__builtin_clz(n);
    return (int32_t)whole * LENGTH + (int32_t)(((uint64_t)n << 16 >> whole) - 65536u) * (LENGTH / 16) / 4096;
}

static bool overlaps(const bzr__model_hit *hit, bzr_span s) {
    for (size_t i = 0; i < hit->phrases_n; i++)
        if (s.start < hit->phrases[i].end && hit->phrases[i].start < s.end) return true;
    return false;
}

/* The weightiest word features of the sentence, each taken once. */
static void pick_phrases(scoring *c, bzr__model_hit *hit) {
    const bzr__unit *u = &c->s->unit;
    size_t n = bzr__unit_words(u, c->s->words);
    while (hit->phrases_n < BZR__MODEL_PHRASES) {
        int heaviest = 0;
        bzr_span found = { 0, 0 };
        for (size_t i = 0; i < n; i++) {
            bzr__word word = c->s->words[i];
            int w = c->m->words[(size_t)word.id * BZR__MODEL_HEADS + hit->head];
            bzr_span s = { u->tokens[word.from].start, u->tokens[word.to].end };
            if (w <= heaviest || s.end - s.start < 3 || overlaps(hit, s)) continue;
            heaviest = w;
            found = s;
        }
        if (!heaviest) return;
        hit->phrases[hit->phrases_n++] = found;
    }
}

static void answer(scoring *c, unsigned kind, bzr__model_hit *ret) {
    bool any = false;
    int32_t cost = length_cost(c->n);
    for (unsigned h = 0; h < BZR__MODEL_HEADS; h++) {
        const best *b = &c->s->best[h];
        int32_t threshold = c->m->threshold[kind][h];
        ret->logit[h] = b->any ? b->logit - cost : INT32_MIN;
        if (!b->any || threshold == INT32_MAX) continue;
        uint32_t score = squash((int64_t)ret->logit[h] + c->lean - threshold);
        if (any && score <= ret->score) continue;
        any = true;
        ret->score = score;
        ret->head = h;
    }
    if (!any) return;
    const best *b = &c->s->best[ret->head];
    ret->flagged = (int64_t)ret->logit[ret->head] + c->lean >= c->m->threshold[kind][ret->head];
    bzr__unit_read(c->text, b->window_from, &c->s->unit);
    ret->window = (bzr_span){ c->s->unit.start, b->window_to };
    bzr__unit_read(c->text, b->unit_from, &c->s->unit);
    ret->sentence = (bzr_span){ c->s->unit.start, c->s->unit.end };
    pick_phrases(c, ret);
}

void bzr__model_score(const bzr__model *m, bzr__model_scratch *s, bzr_str folded, bzr_kind kind, bool disguised, bzr__model_hit *ret) {
    scoring c = { .m = m, .s = s, .text = folded, .lean = disguised ? DISGUISED : 0 };
    unsigned k = (unsigned)kind < BZR__MODEL_KINDS ? (unsigned)kind : 0;
    for (unsigned h = 0; h < BZR__MODEL_HEADS; h++) {
        s->best[h] = (best){ .logit = NEVER };
        c.floor[h] = cut((int64_t)m->threshold[k][h] - c.lean - SLACK);
    }
    *ret = (bzr__model_hit){ .score = 0 };
    read_text(&c);
    answer(&c, k, ret);
}
