/* score.c - where to look, sliding windows over the units there, and the words that weigh most in the best of them.
 *
 * All text is read by the front (front.h), which sums a weight a word. Where the sum of a few blocks in a row reaches
 * the gate, the sentences around the weightiest of them are read as units, each by itself. Where one of these says
 * nearly enough to be told, the windows that hold it are judged: units are read from 480 bytes before it on, and a
 * window gets its score: the mean of its best unit, of 240 and of 480 bytes. Who steers in ordinary words is known by
 * what stands around them, so the third head weighs the 480 bytes twice and is asked of whole windows alone; its
 * glosses are read where its other features come near. Its best window is read again by the net (net.h). Where a unit
 * begins is found from the text around it, so that reading may begin anywhere. A unit has 16 bytes or more, so a window
 * has at most 31 of them, and every byte is read as part of a unit three times at most: the work per byte is bounded.
 * Invariant: ring[k & MASK] holds unit k for the last RING units. */
#include "lib/base/str.h"
#include "lib/model/model.h"

#include <stdlib.h>
#include <string.h>

enum {
    RING = 64,
    MASK = RING - 1,
    NEAR = 240,
    FAR = 480,
    MODEL_CUE = 3, /* the class of words for a model, "ai" in data/model/cues.txt */
    FULL = 330, /* a shorter window is not yet enough to tell what the third head tells, unless the text ends there */
    WORDS_LEAST = 9, /* and fewer words never are: a few of them weigh too much each */
    BEFORE = 160,
    SPELLED_LEAST = 2,
    CUES_MOST = 32,
    BLOCKS = 3,
    BATCH = 32,
    NEVER = INT32_MIN / 4
};
/* How far the long window may lift a score above what the shorter ones say, and how far below the threshold a score is
 * still told. */
#define SLACK (5 * 65536 / 2)
/* The third head's glosses are asked of windows whose other features come so near to its threshold: those of most
 * ordinary text do not, and of attacks that are found one in a hundred does not (measured on pairs that training did
 * not see). */
#define GLOSSED (3 * 65536)
/* What the net says of a window is added to what the third head does, so far up and so far down. */
#define NET_LIFT (15 * 65536 / 4)
#define NET_DROP (8 * 65536)

typedef struct sums {
    int32_t words[TOAD__MODEL_HEADS], parts[TOAD__MODEL_HEADS]; /* parts: grams, of the third head glosses */
    uint32_t words_n, grams_n, glosses_n, tokens, spelled;
    uint64_t cues;
} sums;

typedef struct kept_unit {
    uint32_t start, end;
    sums sums;
    int32_t alone[TOAD__MODEL_HEADS]; /* its score by itself */
    bool glossed;                     /* the third's holds its glosses */
} kept_unit;

typedef struct best {
    int32_t logit;
    uint32_t window_from, window_to, unit_from; /* starts of units, end of the window */
    uint32_t far_from;                          /* where the long window begins */
    bool any, model;                            /* there is one; it speaks of a model */
} best;

struct toad__model_scratch {
    toad__unit unit;
    toad__word words[TOAD__UNIT_WORDS];
    kept_unit ring[RING];
    best best[TOAD__MODEL_HEADS];
    toad__net_scratch net;
};

toad__model_scratch *toad__model_scratch_new(void) { return malloc(sizeof(toad__model_scratch)); }
void toad__model_scratch_free(toad__model_scratch *s) { free(s); }

typedef struct scoring {
    const toad__model *m;
    toad__model_scratch *s;
    toad_str text;
    int32_t lean, hidden; /* how much less is asked of this text; of a window that speaks of a model, where people do
                             not see it */
    int32_t cost[TOAD__MODEL_HEADS];  /* how much more for its length */
    int64_t gate;                     /* of the front */
    int32_t floor[TOAD__MODEL_HEADS]; /* less is not worth telling, but by the third head at the end of a short text */
    size_t at, seen;    /* of the next unit; all that lies before has been looked at as closely as it deserves */
    uint32_t n;         /* units read in a row */
    uint32_t near, far; /* first units of the windows that end with the newest */
} scoring;

static kept_unit *unit_at(scoring *c, uint32_t k) { return &c->s->ring[k & MASK]; }

/* ---- sums ---- */

static void add_sums(sums *to, const sums *s) {
    for (unsigned h = 0; h < TOAD__MODEL_HEADS; h++) {
        to->words[h] += s->words[h];
        to->parts[h] += s->parts[h];
    }
    to->words_n += s->words_n;
    to->grams_n += s->grams_n;
    to->glosses_n += s->glosses_n;
    to->tokens += s->tokens;
    to->spelled += s->spelled;
    to->cues |= s->cues;
}

/* ---- logits ---- */

static int32_t cut(int64_t v) { return v > INT32_MAX / 4 ? INT32_MAX / 4 : v < NEVER ? NEVER : (int32_t)v; }

/* sum * step / sqrt(n); rounds towards zero, so no shift of a negative number. */
static int64_t part(const toad__model *m, int32_t sum, int32_t step, uint32_t n) {
    return (int64_t)sum * m->root[n < TOAD__MODEL_FEATURES ? n : TOAD__MODEL_FEATURES - 1] * step / 32768;
}

/* Each class that stands in the window, and each pair of classes. */
static void cue_sums(const toad__model *m, uint64_t cues, int32_t ret[TOAD__MODEL_HEADS]) {
    uint8_t list[CUES_MOST];
    unsigned n = 0;
    for (uint32_t c = 0; c < m->cue_classes && n < CUES_MOST; c++)
        if (cues >> c & 1) list[n++] = (uint8_t)c;
    memset(ret, 0, TOAD__MODEL_HEADS * sizeof *ret);
    for (unsigned i = 0; i < n; i++)
        for (unsigned k = i; k < n; k++) {
            const int8_t *w = m->cues + ((size_t)list[i] * m->cue_classes + list[k]) * TOAD__MODEL_HEADS;
            for (unsigned h = 0; h < TOAD__MODEL_HEADS; h++) ret[h] += w[h];
        }
}

static bool is_prose(const sums *s) { return s->spelled >= SPELLED_LEAST && s->spelled * 5 >= s->tokens; }

static void full_logits(const toad__model *m, const sums *s, int32_t ret[TOAD__MODEL_HEADS]) {
    int32_t cues[TOAD__MODEL_HEADS];
    bool prose = is_prose(s);
    if (prose) cue_sums(m, s->cues, cues);
    for (unsigned h = 0; h < TOAD__MODEL_HEADS; h++)
        ret[h] = !prose ? NEVER
                        : cut(m->bias[h] + part(m, s->words[h], m->word_step[h], s->words_n) +
                              part(m, s->parts[h], m->part_step[h], h < TOAD__GRAM_HEADS ? s->grams_n : s->glosses_n) +
                              (int64_t)cues[h] * m->cue_step[h]);
}

/* ---- windows ---- */

/* What the unit that was read says, but for its glosses. */
static void measure(scoring *c, kept_unit *u) {
    const toad__model *m = c->m;
    const toad__unit *unit = &c->s->unit;
    *u = (kept_unit){ .start = unit->start, .end = unit->end };
    u->sums = (sums){ .tokens = unit->tokens_n, .spelled = unit->spelled };
    u->sums.words_n = toad__unit_word_sums(unit, m->words, u->sums.words);
    u->sums.grams_n = toad__unit_gram_sums(c->text, unit, m->grams, u->sums.parts);
    u->sums.cues = toad__unit_cues(&m->lexicon, unit);
    full_logits(m, &u->sums, u->alone);
}

/* Does it say nearly enough by itself? */
static bool is_suspect(const scoring *c, const kept_unit *u) {
    bool is = false;
    for (unsigned h = 0; h < TOAD__MODEL_HEADS; h++) is |= u->alone[h] >= c->floor[h];
    return is;
}

/* Does nothing follow? */
static bool at_end(const scoring *c) {
    size_t at = c->at;
    while (at < c->text.n && (unsigned char)c->text.p[at] <= ' ') at++;
    return at == c->text.n;
}

/* Is all of the text one window, and this its end? There the third head is always asked. */
static bool is_last(const scoring *c) { return c->text.n <= FAR && at_end(c); }

/* The weightiest of the units from `first` on, by a head. */
static uint32_t top_unit(scoring *c, uint32_t first, unsigned head) {
    uint32_t top = c->n - 1;
    for (uint32_t k = c->n - 1; k-- > first;)
        if (unit_at(c, k)->alone[head] > unit_at(c, top)->alone[head]) top = k;
    return top;
}

static void sum_units(scoring *c, uint32_t first, uint32_t end, sums *to) {
    for (uint32_t k = end; k-- > first;) add_sums(to, &unit_at(c, k)->sums);
}

static void keep_best(scoring *c, unsigned head, int32_t logit, uint32_t unit, uint64_t cues) {
    best *b = &c->s->best[head];
    if (b->any && logit <= b->logit) return;
    *b = (best){ .logit = logit,
                 .window_from = unit_at(c, c->near)->start,
                 .window_to = unit_at(c, c->n - 1)->end,
                 .unit_from = unit_at(c, unit)->start,
                 .far_from = unit_at(c, c->far)->start,
                 .any = true,
                 .model = cues >> MODEL_CUE & 1 };
}

/* What the long window says by the third head. */
static void judge_steering(scoring *c, int32_t far) {
    const unsigned h = TOAD__MODEL_STEERING;
    if (unit_at(c, top_unit(c, c->near, h))->alone[h] + 2 * (int64_t)far < 3 * (int64_t)c->floor[h]) return;
    for (uint32_t k = c->far; k < c->n; k++) {
        kept_unit *u = unit_at(c, k);
        if (u->glossed) continue;
        toad__unit_read(c->text, u->start, &c->s->unit);
        u->sums.glosses_n =
            toad__unit_gloss_sum(&c->m->glossary, c->text, &c->s->unit, c->m->glosses, u->sums.parts + h);
        full_logits(c->m, &u->sums, u->alone);
        u->glossed = true;
    }
    sums all = { .cues = 0 };
    int32_t logit[TOAD__MODEL_HEADS];
    sum_units(c, c->far, c->n, &all);
    full_logits(c->m, &all, logit);
    uint32_t top = top_unit(c, c->near, h);
    keep_best(c, h, (int32_t)((unit_at(c, top)->alone[h] + 2 * (int64_t)logit[h]) / 3), top, all.cues);
}

/* The score of the windows that end with the newest unit. The long window is not read where the shorter ones say too
 * little for it to matter. */
static void judge_windows(scoring *c) {
    sums all = { .cues = 0 };
    int32_t near_logit[TOAD__MODEL_HEADS], far_logit[TOAD__MODEL_HEADS];
    uint32_t top[TOAD__MODEL_HEADS];
    sum_units(c, c->near, c->n, &all);
    full_logits(c->m, &all, near_logit);
    bool hopeless = !is_last(c);
    for (unsigned h = 0; h < TOAD__MODEL_HEADS; h++) {
        top[h] = top_unit(c, c->near, h);
        hopeless &= unit_at(c, top[h])->alone[h] + 2 * (int64_t)near_logit[h] < 3 * (int64_t)c->floor[h];
    }
    if (hopeless) return;
    sum_units(c, c->far, c->near, &all);
    full_logits(c->m, &all, far_logit);
    for (unsigned h = 0; h < TOAD__MODEL_STEERING; h++) {
        int64_t sum = (int64_t)unit_at(c, top[h])->alone[h] + near_logit[h] + far_logit[h];
        keep_best(c, h, (int32_t)(sum / 3), top[h], all.cues);
    }
    bool whole =
        all.spelled >= WORDS_LEAST && (unit_at(c, c->n - 1)->end - unit_at(c, c->far)->start >= FULL || at_end(c));
    if (whole) judge_steering(c, far_logit[TOAD__MODEL_STEERING]);
}

/* Let the units before `first` fall out of a window until it has at most `most` bytes. */
static void shorten(scoring *c, uint32_t *first, uint32_t most) {
    uint32_t end = unit_at(c, c->n - 1)->end;
    while (*first + 1 < c->n && end - unit_at(c, *first)->start > most) ++*first;
}

/* Does a sentence end before `i`, as features.c sees it? */
static bool ends_before(toad_str text, size_t i) {
    const char *p = text.p + i;
    switch (p[-1]) {
    case '.':
    case '!':
    case '?': return *p == ' ';
    case ',':
    case '}': return i > 1 && (p[-2] == '"' || p[-2] == '\'');
    case '\x82': return i > 2 && p[-2] == '\x80' && p[-3] == '\xe3'; /* the full stop of ideographs */
    default: return false;
    }
}

/* The last place up to `from` where a sentence ends; where none does for BEFORE bytes, some blank. */
static size_t sentence_start(toad_str text, size_t from) {
    size_t least = from > BEFORE ? from - BEFORE : 0, i = from;
    while (i > least && !ends_before(text, i)) i--;
    if (i > least || !least) return i;
    while (i < from && text.p[i] != ' ') i++;
    return i;
}

/* Judge the windows that hold the text from `start` to `end`, and those that hold what is suspect beside it. */
static void judge_around(scoring *c, uint32_t start, uint32_t end) {
    size_t from = start > FAR ? sentence_start(c->text, start - FAR) : 0;
    if (!c->n || from > c->at) {
        c->n = c->near = c->far = 0;
        c->at = from;
    }
    while (c->at < c->text.n) {
        c->at = toad__unit_read(c->text, c->at, &c->s->unit);
        if (!c->s->unit.tokens_n) break; /* blanks to the end */
        kept_unit *u = unit_at(c, c->n++);
        measure(c, u);
        shorten(c, &c->near, NEAR);
        shorten(c, &c->far, FAR);
        if (u->end <= start) continue;
        if (is_suspect(c, u)) end = u->end;
        if (unit_at(c, c->far)->start < end || is_last(c))
            judge_windows(c);
        else if (c->text.n > FAR)
            break;
    }
    if (c->seen < c->at) c->seen = c->at;
}

/* Read the sentences of the block at `from`, and judge what is suspect. */
static void look_at(scoring *c, size_t from) {
    size_t to = c->text.n - from < TOAD__FRONT_BLOCK ? c->text.n : from + TOAD__FRONT_BLOCK;
    if (to <= c->seen) return;
    size_t at = sentence_start(c->text, from);
    if (at < c->seen) at = c->seen;
    while (at < to) {
        at = toad__unit_read(c->text, at, &c->s->unit);
        if (!c->s->unit.tokens_n || c->s->unit.end <= from) continue;
        kept_unit u;
        measure(c, &u);
        c->seen = at;
        if (is_suspect(c, &u)) judge_around(c, u.start, u.end);
        at = c->seen;
    }
}

/* log2 in 1/65536, linear between powers of two. */
static uint32_t log2_of(uint32_t n) {
    unsigned whole = 31u - (unsigned)__builtin_clz(n);
    return (whole << 16) + (uint32_t)(((uint64_t)n << 16 >> whole) - 65536u);
}

/* What a long text holds by chance is not worth a look: see LENGTH. */
#define GATE_BYTES 1024u

/* A short text and a tool's description are always read closely: there ordinary words are all that an attack has. */
static int64_t gate_of(const toad__model *m, size_t n, toad_kind kind) {
    if (n <= GATE_BYTES || kind == TOAD_KIND_TOOL_DESCRIPTION) return INT64_MIN;
    uint32_t length = log2_of(n < GATE_BYTES ? GATE_BYTES : (uint32_t)n) - log2_of(GATE_BYTES);
    return (int64_t)m->gate * 128 + (int64_t)m->gate_step * length / 512;
}

static bool opens(const toad__model *m, int64_t gate, toad__front_sum s) {
    return s.n && (int64_t)s.sum * m->root[s.n < TOAD__MODEL_FEATURES ? s.n : TOAD__MODEL_FEATURES - 1] >= gate;
}

/* How many blocks before the last of a window its weightiest begins. */
static size_t weightiest(const toad__front_sum *last) {
    size_t most = BLOCKS;
    for (size_t k = BLOCKS; k-- > 0;)
        if (last[-(ptrdiff_t)k].n && (most == BLOCKS || last[-(ptrdiff_t)k].sum > last[-(ptrdiff_t)most].sum)) most = k;
    return most;
}

/* Read all blocks; where the gate opens, look at the weightiest of the last. */
static void read_text(scoring *c) {
    toad__front front = { .text = c->text };
    toad__front_sum blocks[BLOCKS - 1 + BATCH] = { { 0, 0 } }, all = { 0, 0 };
    for (;;) {
        size_t at = front.at, n = toad__front_read(&front, c->m->gates, blocks + BLOCKS - 1, BATCH);
        if (!n) return;
        for (size_t i = 0; i < n; i++, at += TOAD__FRONT_BLOCK) {
            const toad__front_sum *last = blocks + i + BLOCKS - 1;
            all = (toad__front_sum){ all.sum + last->sum, all.n + last->n };
            if (opens(c->m, c->gate, all)) look_at(c, at - weightiest(last) * TOAD__FRONT_BLOCK);
            all = (toad__front_sum){ all.sum - blocks[i].sum, all.n - blocks[i].n };
        }
        memmove(blocks, blocks + n, (BLOCKS - 1) * sizeof *blocks);
    }
}

/* ---- the answer ---- */

/* 1000 / (1 + exp(-x / 65536)): linear between whole numbers, 0 and 1000 beyond eight. */
static uint32_t squash(int64_t x) {
    static const uint16_t at[17] = { 0, 1, 2, 7, 18, 47, 119, 269, 500, 731, 881, 953, 982, 993, 998, 999, 1000 };
    if (x <= -8 * 65536) return 0;
    if (x >= 8 * 65536) return TOAD__MODEL_SCORE_MAX;
    uint32_t v = (uint32_t)(x + 8 * 65536);
    return at[v >> 16] + (((uint32_t)(at[(v >> 16) + 1] - at[v >> 16]) * (v & 65535u)) >> 16);
}

/* A long text has more places where chance may look like an attack, so it must look more like one: so much for each
 * doubling of it. In log odds one attack somewhere in n places would cost the whole log n, .69 for each; neighbors are
 * alike, so it costs less: little less by the third head, since of ordinary words every place is full (measured on dev
 * rows and pairs). */
static const int32_t length_costs[TOAD__MODEL_HEADS] = { 18000, 18000, 42600 };
/* Prose that somebody took the trouble to disguise is an attack more often. */
#define DISGUISED   (3 * 65536 / 4)
#define UNIT_USUAL  115u /* bytes */
#define SHORT_UNITS 4u

static int32_t length_cost(unsigned head, size_t n) {
    uint32_t units = (uint32_t)(n / UNIT_USUAL);
    return (int32_t)((int64_t)log2_of(units > SHORT_UNITS ? units : SHORT_UNITS) * length_costs[head] / 65536);
}

/* What is asked less of a text that is hidden from people and speaks of a model: whom else does it speak to? */
#define HIDDEN 65536

static bool overlaps(const toad__model_hit *hit, toad_span s) {
    for (size_t i = 0; i < hit->phrases_n; i++)
        if (s.start < hit->phrases[i].end && hit->phrases[i].start < s.end) return true;
    return false;
}

/* The weightiest word features of the sentence, each taken once. */
static void pick_phrases(scoring *c, toad__model_hit *hit) {
    const toad__unit *u = &c->s->unit;
    size_t n = toad__unit_words(u, c->s->words);
    while (hit->phrases_n < TOAD__MODEL_PHRASES) {
        int heaviest = 0;
        toad_span found = { 0, 0 };
        for (size_t i = 0; i < n; i++) {
            toad__word word = c->s->words[i];
            int w = c->m->words[(size_t)word.id * TOAD__MODEL_HEADS + hit->head];
            toad_span s = { u->tokens[word.from].start, u->tokens[word.to].end };
            if (w <= heaviest || s.end - s.start < 3 || overlaps(hit, s)) continue;
            heaviest = w;
            found = s;
        }
        if (!heaviest) return;
        hit->phrases[hit->phrases_n++] = found;
    }
}

/* What is asked less of a head's best window. Who steers in ordinary words does not disguise them, and of words that a
 * wrong decoding made the third head knows nothing. */
static int32_t lean_of(const scoring *c, unsigned head) {
    return (head == TOAD__MODEL_STEERING ? 0 : c->lean) + (c->s->best[head].model ? c->hidden : 0);
}

/* The third head's best window is read once more, by the net, where what that says may still matter. */
static void read_again(scoring *c, int32_t threshold) {
    best *b = &c->s->best[TOAD__MODEL_STEERING];
    if (!b->any) return;
    int64_t missing = (int64_t)threshold + c->cost[TOAD__MODEL_STEERING] - lean_of(c, TOAD__MODEL_STEERING) - b->logit;
    b->any = missing <= NET_LIFT;
    if (!b->any) return;
    int32_t said = toad__net_logit(&c->m->net, &c->m->glossary, &c->s->net, c->text, b->far_from, b->window_to);
    b->logit += said > NET_LIFT ? NET_LIFT : said < -NET_DROP ? -NET_DROP : said;
}

/* A tool's result is noted before it is flagged: what an agent does after it is looked at more closely. */
#define NOTED (4 * 65536 / 5)

static void answer(scoring *c, unsigned kind, bool doubtful, toad__model_hit *ret) {
    int64_t most = INT64_MIN;
    if (!doubtful) read_again(c, c->m->threshold[kind][TOAD__MODEL_STEERING]);
    for (unsigned h = 0; h < TOAD__MODEL_HEADS; h++) {
        const best *b = &c->s->best[h];
        int32_t threshold = c->m->threshold[kind][h];
        ret->logit[h] = b->any ? b->logit - c->cost[h] : INT32_MIN;
        if (!b->any || threshold == INT32_MAX || (doubtful && h == TOAD__MODEL_STEERING)) continue;
        int64_t over = (int64_t)ret->logit[h] + lean_of(c, h) - threshold;
        ret->noted |= kind == TOAD_KIND_TOOL_RESULT && h == TOAD__MODEL_PLANTED && over >= -NOTED;
        if (over <= most) continue;
        most = over;
        ret->head = h;
    }
    if (most == INT64_MIN) return;
    ret->score = squash(most);
    ret->flagged = most >= 0;
    if (!ret->flagged && !ret->noted) return;
    if (!ret->flagged) ret->head = TOAD__MODEL_PLANTED;
    const best *b = &c->s->best[ret->head];
    toad__unit_read(c->text, b->unit_from, &c->s->unit);
    ret->window = (toad_span){ b->window_from, b->window_to };
    ret->sentence = (toad_span){ c->s->unit.start, c->s->unit.end };
    pick_phrases(c, ret);
}

void toad__model_score(const toad__model *m, toad__model_scratch *s, toad_str folded, toad_kind kind, unsigned how,
                       toad__model_hit *ret) {
    scoring c = { .m = m, .s = s, .text = folded };
    c.lean = how & TOAD__MODEL_DISGUISED ? DISGUISED : 0;
    c.hidden = how & TOAD__MODEL_HIDDEN ? HIDDEN : 0;
    c.gate = gate_of(m, folded.n, kind);
    unsigned k = (unsigned)kind < TOAD__MODEL_KINDS ? (unsigned)kind : 0;
    for (unsigned h = 0; h < TOAD__MODEL_HEADS; h++) {
        s->best[h] = (best){ .logit = NEVER };
        c.cost[h] = length_cost(h, folded.n);
        int32_t slack = h == TOAD__MODEL_STEERING ? GLOSSED + NET_LIFT : SLACK;
        c.floor[h] = cut((int64_t)m->threshold[k][h] - c.lean - c.hidden + c.cost[h] - slack);
    }
    *ret = (toad__model_hit){ .score = 0 };
    if (folded.n <= FAR)
        judge_around(&c, 0, 0);
    else
        read_text(&c);
    answer(&c, k, how & TOAD__MODEL_DOUBTFUL, ret);
}
