/* match.c - candidates to exact matches.
 *
 * The filter (match_filter.c) calls toad__match_literal for every literal that stands in the text. A guard is noted:
 * its slot holds where it was last seen. A trigger that stands between bytes that may stand there, and of which the
 * guards were seen near enough before, is a candidate of its pattern: a walk backward from the literal finds where a
 * match could begin (mostly nowhere, after two or three bytes); from there the automaton is walked forward, lazily:
 * only as far as matches may begin and a few bytes on, and the state is kept. The next candidate of the pattern goes on
 * from there; what is left is finished at the end of the text. So no byte is walked forward twice by a pattern, however
 * its windows overlap, and near misses cost the same as misses.
 *
 * An accepting state says that a match ends here. Which one is leftmost and longest is then settled by four short
 * walks, none longer than two matches. Both that and the backward walks are on a budget, proportional to the text, so a
 * text made to provoke them stays linear: beyond it the backward walk is left out, and a pattern that has matched that
 * often is not looked for any more in this text.
 *
 * A text of nothing but near misses, copied, would still cost all of this for every copy. So where a literal stands
 * within the same bytes as before, and nothing came of it there, it triggers nothing (match_repeat.h); and where
 * nothing came of a whole stretch, the filter goes on at the end of its last copy.
 *
 * Invariants of a mark: every start that a candidate asked for is in the state or settled; all starts in [asked_low,
 * asked_end) were asked for, and asked_end <= at; no match may begin before `floor`. A new text is a new generation and
 * slots count on from text to text: nothing is cleared. Scratch: 40 bytes and a state a pattern, 8 bytes a slot. */
#include "lib/scan/match.h"
#include "lib/scan/match_dfa.h"
#include "lib/scan/match_filter.h"
#include "lib/scan/match_repeat.h"
#include "lib/scan/match_walk.h"

#include <stdlib.h>

#define BACKWARD_MAX 64 /* a literal that may stand further into a match is not walked back from */
#define EAGER \
    32 /* bytes walked on behind the last start, while that pays: most candidates die there, and need not be kept */
#define EAGER_LOSS      256 /* ... it pays until a quarter of the text and so many bytes were walked again for it */
#define BACKWARD_BUDGET 4   /* backward steps per byte of text and pattern ... */
#define SETTLE_BUDGET   16  /* steps spent on settling matches per byte of text and pattern ... */
#define BUDGET_BASE     (1u << 14) /* ... plus so many */
#define CLOCK_STEP      (TOAD__LIMIT_PATTERN_LENGTH + 1)
#define ENDS_WORDS      (2 * TOAD__LIMIT_PATTERN_POSITIONS / 64 + 1)

typedef struct mark {
    uint32_t generation;
    uint32_t at; /* the text was walked up to here */
    uint32_t asked_low, asked_end;
    uint32_t floor;
    uint32_t number;                 /* of the state, where it is not in k->state but remembered (match_dfa.h) */
    uint32_t backward, settle, late; /* steps spent looking back, on settling, on bytes walked before */
    bool alive;                      /* the state is not empty */
    bool done;                       /* enough seen, or budget spent: not looked for any more */
} mark;

struct toad__matcher {
    const bool *wanted; /* by rule; NULL: all */
    const toad__ruleset *set;
    const toad__table_set *tables;
    subject text;
    uint32_t generation;
    toad__match_fn fn;
    void *ctx;
    bool stopped, exhausted;
    uint32_t skip; /* what toad__matcher_skip was told for the match in hand */
    mark *marks;
    uint64_t *states;
    toad__dfa dfa;
    toad__repeats repeats;
    uint32_t loud;     /* where a literal last triggered what was not shown to come to nothing */
    uint32_t reach[2]; /* by set: how far from a literal a match with it, and what it depends on, may lie */
    uint64_t *seen;    /* by slot: `clock` plus the offset where the guard was last seen */
    uint64_t clock;    /* grows from text to text by more than any reach */
    uint32_t *touched; /* patterns with a mark of this generation */
    size_t touched_n;
};

/* What a walk of one pattern needs at hand. */
typedef struct walk {
    toad__matcher *m;
    const toad__table_pattern *pattern;
    automaton a;
    mark *mark;
    uint64_t *state;
} walk;

static size_t at_least_one(size_t n) { return n ? n : 1; }

static uint32_t reach_of(const toad__ruleset *set, const toad__table_set *tables) {
    const toad__table_pattern *patterns = toad__table_at(set, tables->patterns);
    uint32_t longest = 0;
    for (uint32_t i = 0; i < tables->n_patterns; i++)
        if (patterns[i].len_max > longest) longest = patterns[i].len_max;
    return longest + TOAD__LITERAL_MAX;
}

toad__matcher *toad__matcher_new(const toad__ruleset *set) {
    const toad__table_set *text = &set->sets[0], *skeleton = &set->sets[1];
    size_t patterns = text->n_patterns > skeleton->n_patterns ? text->n_patterns : skeleton->n_patterns;
    size_t words = text->state_words > skeleton->state_words ? text->state_words : skeleton->state_words;
    size_t slots = text->n_slots > skeleton->n_slots ? text->n_slots : skeleton->n_slots;
    toad__matcher *m = calloc(1, sizeof *m);
    if (!m) return NULL;
    m->set = set;
    m->marks = calloc(at_least_one(patterns), sizeof *m->marks);
    m->states = calloc(at_least_one(words), sizeof *m->states);
    m->touched = calloc(at_least_one(patterns), sizeof *m->touched);
    m->seen = calloc(at_least_one(slots), sizeof *m->seen);
    m->clock = CLOCK_STEP;
    m->reach[0] = reach_of(set, text);
    m->reach[1] = reach_of(set, skeleton);
    if (toad__dfa_init(&m->dfa) && m->marks && m->states && m->touched && m->seen) return m;
    toad__matcher_free(m);
    return NULL;
}

void toad__matcher_free(toad__matcher *m) {
    if (!m) return;
    free(m->marks);
    free(m->states);
    free(m->touched);
    toad__dfa_free(&m->dfa);
    free(m->seen);
    free(m);
}

/* --- settling a match --- */

/* The least start, not below `floor`, of a match that ends at one of the ends: bit i of `found` is end base + i; `last`
 * is the highest. */
TOAD__INLINE uint32_t least_start(const walk *k, const uint64_t *found, uint32_t base, uint32_t last, uint32_t floor,
                                  const unsigned words) {
    const subject *t = &k->m->text;
    positions s;
    draft d;
    uint32_t least = last;
    draft_init(&d, words);
    clear(&s, words);
    for (uint32_t at = last; at > floor; at--) {
        retreat(&k->a, &s, &d, words);
        if (at >= base && toad__bit(found, at - base)) inject_ends(&k->a, &d, t, at, words);
        take(&k->a, &d, &s, t->p[at - 1], words);
        if (begins(&k->a, &s, t, at - 1, words)) least = at - 1;
        k->mark->settle++;
        if (is_empty(&s, words) && at <= base) break;
    }
    return least;
}

/* Walk forward with starts in [from, to]; record the ends of matches in `found` (bit i: from + i) and return the
 * highest. */
TOAD__INLINE uint32_t all_ends(const walk *k, uint32_t from, uint32_t to, uint64_t *found, const unsigned words) {
    const subject *t = &k->m->text;
    positions s;
    draft d;
    uint32_t last = from;
    draft_init(&d, words);
    clear(&s, words);
    for (uint32_t at = from; at < t->n; at++) {
        advance(&k->a, &s, &d, words);
        if (at <= to) inject(&k->a, &d, t, at, words);
        take(&k->a, &d, &s, t->p[at], words);
        if (ends(&k->a, &s, t, at + 1, words)) {
            last = at + 1;
            toad__bit_set(found, last - from);
        }
        k->mark->settle++;
        if (at >= to && is_empty(&s, words)) break;
    }
    return last;
}

/* A match ends at `end`: report the leftmost one that overlaps it, as long as it gets. Returns its end. */
TOAD__INLINE uint32_t settle_with(walk *k, uint32_t end, const unsigned words) {
    toad__matcher *m = k->m;
    uint64_t here = 2, found[ENDS_WORDS] = { 0 }, longest[ENDS_WORDS] = { 0 };
    uint32_t span = k->pattern->len_max - 1;
    uint32_t start = least_start(k, &here, end - 1, end, k->mark->floor, words);
    uint32_t from = start > span && start - span > k->mark->floor ? start - span : k->mark->floor;
    uint32_t last = all_ends(k, from, start, found, words);
    start = least_start(k, found, from, last, from, words);
    last = all_ends(k, start, start, longest, words);
    m->skip = 0;
    if (!m->fn(m->ctx, k->pattern->rule, start, last)) m->stopped = true;
    bool enough = m->skip >= m->text.n, spent = k->mark->settle > (uint64_t)SETTLE_BUDGET * m->text.n + BUDGET_BASE;
    k->mark->done = enough || spent;
    m->exhausted = m->exhausted || (spent && !enough);
    k->mark->floor = m->skip > last && !enough ? m->skip : last;
    return k->mark->floor;
}

/* One body for each width: where `words` is a constant the choice is made by the compiler. */
TOAD__NOINLINE static uint32_t settle_1(walk *k, uint32_t end) { return settle_with(k, end, 1); }
TOAD__NOINLINE static uint32_t settle_n(walk *k, uint32_t end) { return settle_with(k, end, k->pattern->words); }

TOAD__INLINE uint32_t settle(walk *k, uint32_t end, const unsigned words) {
    return words == 1 ? settle_1(k, end) : settle_n(k, end);
}

/* --- the forward walk --- */

/* Walk k->state from `at` up to `until`; matches may begin in [low, high]. Every match met is settled and leaves an
 * empty state behind its end. Returns where it stands: `until`, earlier when the state is empty and no start is left,
 * or later after a match. */
TOAD__INLINE uint32_t go_with(walk *k, uint32_t at, uint32_t until, uint32_t low, uint32_t high, const unsigned words) {
    const subject *t = &k->m->text;
    positions s;
    draft d;
    draft_init(&d, words);
    load_state(&s, k->state, words);
    while (at < until) {
        if (is_empty(&s, words)) {
            if (at > high) break;
            if (at < low) at = low;
            at = next_start(&k->a, t, at, high < until ? high + 1 : until);
            if (at >= until || at > high) break;
        }
        advance(&k->a, &s, &d, words);
        if (at >= low && at <= high) inject(&k->a, &d, t, at, words);
        take(&k->a, &d, &s, t->p[at++], words);
        if (!ends(&k->a, &s, t, at, words)) continue;
        at = settle(k, at, words);
        clear(&s, words);
        if (k->m->stopped || k->mark->done) break;
    }
    store_state(&s, k->state, words);
    k->mark->alive = !is_empty(&s, words);
    return at;
}

TOAD__NOINLINE static uint32_t go_1(walk *k, uint32_t at, uint32_t until, uint32_t low, uint32_t high) {
    return go_with(k, at, until, low, high, 1);
}

static toad__dfa_of dfa_of(const walk *k, bool backward) {
    const toad__table_pattern *rows = toad__table_at(k->m->set, k->m->tables->patterns);
    uint32_t pattern = (uint32_t)(k->pattern - rows) << 1 | (uint32_t)(k->m->tables != k->m->set->sets);
    return (toad__dfa_of){ &k->a, pattern, k->pattern->words, k->pattern->classes, backward };
}

/* Does a match end at `at` in a state that may hold an end? */
static bool ends_in(const walk *k, const toad__dfa_state *state, uint32_t at) {
    positions s;
    load_state(&s, toad__dfa_positions(state), state->words);
    return ends(&k->a, &s, &k->m->text, at, state->words);
}

/* The state after byte `at` by remembered steps; a match may begin there if `begins`. */
static uint32_t next_number(const walk *k, const toad__dfa_of *of, uint32_t now, uint32_t at, bool begins) {
    toad__dfa *d = &k->m->dfa;
    const subject *t = &k->m->text;
    uint32_t next = toad__dfa_step(d, of, now, t->p[at]);
    if (!next || !begins || !may_start(&k->a, t, at)) return next;
    uint32_t starts = toad__dfa_starts(d, of, is_boundary(t, at), is_line_start(t, at));
    uint32_t begun = starts ? toad__dfa_step(d, of, starts, t->p[at]) : starts;
    return begun ? toad__dfa_united(d, of, next, begun) : begun;
}

/* The walk's state as positions in k->state, for who cannot use the number. */
static void spell_out(walk *k) {
    uint32_t number = k->mark->number;
    if (number == TOAD__DFA_EMPTY)
        memset(k->state, 0, k->pattern->words * sizeof *k->state);
    else if (number)
        memcpy(k->state, toad__dfa_positions(toad__dfa_at(&k->m->dfa, number)), k->pattern->words * sizeof *k->state);
    k->mark->number = TOAD__DFA_UNKNOWN;
}

/* go_with by remembered steps, as far as there is room for them. */
TOAD__NOINLINE static uint32_t go_n(walk *k, uint32_t at, uint32_t until, uint32_t low, uint32_t high) {
    toad__dfa_of of = dfa_of(k, false);
    mark *mk = k->mark;
    toad__dfa_walk(&k->m->dfa);
    uint32_t now = mk->number ? mk->number : toad__dfa_intern(&k->m->dfa, &of, k->state), next = now;
    while (next && at < until && !k->m->stopped && !mk->done) {
        if (now == TOAD__DFA_EMPTY) {
            if (at > high) break;
            if (at < low) at = low;
            at = next_start(&k->a, &k->m->text, at, high < until ? high + 1 : until);
            if (at >= until || at > high) break;
        }
        next = next_number(k, &of, now, at, at >= low && at <= high);
        if (!next) break;
        now = next;
        at++;
        if (now == TOAD__DFA_EMPTY || !toad__dfa_at(&k->m->dfa, now)->edge ||
            !ends_in(k, toad__dfa_at(&k->m->dfa, now), at))
            continue;
        at = settle_n(k, at);
        now = TOAD__DFA_EMPTY;
    }
    if (now) mk->number = now; /* else the state stands in k->state */
    mk->alive = now != TOAD__DFA_EMPTY;
    if (next) return at;
    spell_out(k);
    return go_with(k, at, until, low, high, of.words);
}

TOAD__INLINE uint32_t go(walk *k, uint32_t at, uint32_t until, uint32_t low, uint32_t high, const unsigned words) {
    return words == 1 ? go_1(k, at, until, low, high) : go_n(k, at, until, low, high);
}

/* Starts in [low, high] below k->mark->at were never walked: walk them up to there and add them to the state. */
TOAD__INLINE void catch_up(walk *k, uint32_t low, uint32_t high, const unsigned words) {
    uint64_t kept[TOAD__WORDS_MAX];
    spell_out(k);
    uint32_t floor = k->mark->floor, until = k->mark->at;
    k->mark->late += until - low;
    bool alive = k->mark->alive;
    memcpy(kept, k->state, words * sizeof *kept);
    memset(k->state, 0, words * sizeof *kept);
    uint32_t at = go(k, low, until, low, high, words);
    spell_out(k);
    if (k->mark->floor == floor) {
        for (unsigned w = 0; w < words; w++) k->state[w] |= kept[w];
        k->mark->alive = k->mark->alive || alive;
    } else if (k->mark->floor < until &&
               !k->mark->done) { /* a match ended below: what began before its end is void, the rest is walked again */
        memset(k->state, 0, words * sizeof *kept);
        at = go(k, k->mark->floor, until, k->mark->floor, until - 1, words);
    }
    if (at > until) k->mark->at = at;
}

/* Note that [low, end) was asked for, together with what it touches. */
static void note_asked(mark *mk, uint32_t low, uint32_t end) {
    bool touches = low <= mk->asked_end && end >= mk->asked_low;
    mk->asked_low = touches && mk->asked_low < low ? mk->asked_low : low;
    mk->asked_end = touches && mk->asked_end > end ? mk->asked_end : end;
}

/* Matches may begin in [low, high]. */
TOAD__INLINE void ask(walk *k, uint32_t low, uint32_t high, const unsigned words) {
    mark *mk = k->mark;
    if (low >= mk->asked_low && low < mk->asked_end) low = mk->asked_end;
    if (low > high) return;
    note_asked(mk, low, high + 1);
    if (low < mk->at) catch_up(k, low, high < mk->at ? high : mk->at - 1, words);
    if (high < mk->at || k->m->stopped || mk->done) return;
    uint32_t from = low > mk->at ? low : mk->at, ahead = mk->late <= high / 4 + EAGER_LOSS ? EAGER : 1;
    uint32_t until = k->m->text.n - high > ahead ? high + ahead : k->m->text.n;
    if (low > mk->at && mk->alive) {
        uint32_t at = go(k, mk->at, low, 1, 0, words);
        if (at > from) from = at;
    }
    if (from <= high && !k->m->stopped && !mk->done) from = go(k, from, until, from, high, words);
    mk->at = from > high + 1 ? from : high + 1;
}

/* Where in [*low, *high] could a match begin that has the literal at `p`? Narrow the range; false: nowhere. */
TOAD__INLINE bool look_back(walk *k, const toad__table_ref *ref, uint32_t p, uint32_t *low, uint32_t *high,
                            const unsigned words) {
    const subject *t = &k->m->text;
    positions s;
    draft d;
    uint32_t least = UINT32_MAX, most = 0;
    draft_init(&d, words);
    load_state(&s, toad__table_at(k->m->set, ref->at_first), words);
    for (uint32_t at = p;; at--) {
        if (begins(&k->a, &s, t, at, words)) {
            if (least == UINT32_MAX) most = at;
            least = at;
        }
        if (at <= *low) break;
        retreat(&k->a, &s, &d, words);
        take(&k->a, &d, &s, t->p[at - 1], words);
        k->mark->backward++;
        if (is_empty(&s, words)) break;
    }
    *low = least;
    *high = most;
    return least != UINT32_MAX;
}

/* The same by remembered steps. */
static bool look_back_n(walk *k, const toad__table_ref *ref, uint32_t p, uint32_t *low, uint32_t *high) {
    toad__dfa *d = &k->m->dfa;
    toad__dfa_of of = dfa_of(k, true);
    const subject *t = &k->m->text;
    uint32_t least = UINT32_MAX, most = 0, at = p;
    positions s;
    toad__dfa_walk(d);
    uint32_t now = toad__dfa_constant(d, &of, toad__table_at(k->m->set, ref->at_first), ref->at_first);
    while (now > TOAD__DFA_EMPTY) {
        const toad__dfa_state *state = toad__dfa_at(d, now);
        if (state->edge) {
            load_state(&s, toad__dfa_positions(state), of.words);
            if (begins(&k->a, &s, t, at, of.words)) {
                if (least == UINT32_MAX) most = at;
                least = at;
            }
        }
        if (at <= *low) break;
        now = toad__dfa_step(d, &of, now, t->p[--at]);
        k->mark->backward++;
    }
    if (!now) return look_back(k, ref, p, low, high, of.words);
    *low = least;
    *high = most;
    return least != UINT32_MAX;
}

TOAD__INLINE bool could_begin(walk *k, const toad__table_ref *ref, uint32_t p, uint32_t *low, uint32_t *high,
                              const unsigned words) {
    return words == 1 ? look_back(k, ref, p, low, high, 1) : look_back_n(k, ref, p, low, high);
}

/* Ask for where a match with the literal at `p` may begin. Is it shown already that there is none? */
TOAD__INLINE bool examine(walk *k, const toad__table_ref *ref, uint32_t p, const unsigned words) {
    mark *mk = k->mark;
    uint32_t floor = mk->floor, low = p > ref->depth_max && p - ref->depth_max > floor ? p - ref->depth_max : floor;
    if (p < ref->depth_min || p - ref->depth_min < low) return false;
    uint32_t high = p - ref->depth_min;
    if (low >= mk->asked_low && high < mk->asked_end) return false;
    bool affordable = mk->backward <= (uint64_t)BACKWARD_BUDGET * p + BUDGET_BASE, is_uncut = !floor || low > floor;
    if (ref->depth_max <= BACKWARD_MAX && affordable && !could_begin(k, ref, p, &low, &high, words)) return is_uncut;
    ask(k, low, high, words);
    return is_uncut && !mk->alive && mk->floor == floor;
}

/* The literal stood at `p` before, and was examined there: did no match with it come of that? What is still under way
 * is walked to its end. */
TOAD__INLINE bool came_to_nothing(walk *k, const toad__table_ref *ref, uint32_t p, const unsigned words) {
    mark *mk = k->mark;
    uint32_t floor = mk->floor, until = p + k->pattern->len_max;
    if (floor && floor + ref->depth_max >= p) return false;
    if (mk->alive && mk->at < until) mk->at = go(k, mk->at, until < k->m->text.n ? until : k->m->text.n, 1, 0, words);
    return mk->floor == floor;
}

/* Behind the last candidate: what is under way ends or dies. */
TOAD__INLINE void finish(walk *k, const unsigned words) {
    if (k->mark->alive && !k->mark->done) go(k, k->mark->at, k->m->text.n, 1, 0, words);
}

static walk walk_of(toad__matcher *m, uint32_t pattern) {
    const toad__table_pattern *rows = toad__table_at(m->set, m->tables->patterns), *row = &rows[pattern];
    return (walk){ .m = m,
                   .pattern = row,
                   .a = automaton_of(m->set, row),
                   .mark = &m->marks[pattern],
                   .state = m->states + row->state };
}

static void touch(walk *k, uint32_t pattern) {
    *k->mark = (mark){ .generation = k->m->generation };
    memset(k->state, 0, k->pattern->words * sizeof *k->state);
    k->m->touched[k->m->touched_n++] = pattern;
}

static bool was_seen(const toad__matcher *m, const toad__table_guard *guard, uint32_t at) {
    return guard->slot == TOAD__NO_SLOT || m->seen[guard->slot] + guard->reach >= m->clock + at;
}

/* Is it shown that the pattern, if it is looked for at all, has no match with the literal at `at`? `before`: where the
 * literal stood within the same bytes. */
static bool trigger(toad__matcher *m, const toad__table_ref *ref, uint32_t at, uint32_t before) {
    walk k = walk_of(m, ref->pattern);
    if (m->wanted && !m->wanted[k.pattern->rule]) return true;
    if (k.mark->generation != m->generation) touch(&k, ref->pattern);
    if (k.mark->done) return true;
    if (k.pattern->words == 1)
        return (before != TOAD__NOWHERE && came_to_nothing(&k, ref, before, 1)) ||
               (!k.mark->done && examine(&k, ref, at, 1));
    unsigned words = k.pattern->words;
    return (before != TOAD__NOWHERE && came_to_nothing(&k, ref, before, words)) ||
           (!k.mark->done && examine(&k, ref, at, words));
}

void toad__matcher_want(toad__matcher *m, const bool *wanted) { m->wanted = wanted; }
void toad__matcher_skip(toad__matcher *m, uint32_t until) { m->skip = until; }
bool toad__matcher_exhausted(const toad__matcher *m) { return m->exhausted; }

/* What stands around a literal, as the bits of table.h; all of them at an end of the text. */
typedef struct around {
    uint64_t before, after, three_before, three_after;
} around;

static uint32_t load_4(const uint8_t *p) {
    uint32_t x;
    memcpy(&x, p, sizeof x);
    return x;
}

static around around_of(const subject *t, uint32_t at, uint32_t end) {
    return (around){
        .before = at ? (uint64_t)1 << (t->p[at - 1] & 63) : UINT64_MAX,
        .after = end < t->n ? (uint64_t)1 << (t->p[end] & 63) : UINT64_MAX,
        .three_before = at >= 3 ? toad__three_bit(load_4(t->p + at - 3)) : UINT64_MAX,
        .three_after = t->n - end >= 3 ? toad__three_bit(load_4(t->p + end - 1) >> 8) : UINT64_MAX,
    };
}

static bool fits(const toad__table_ref *ref, const around *a) {
    return (ref->before & a->before) && (ref->after & a->after) && (ref->three_before & a->three_before) &&
           (ref->three_after & a->three_after);
}

/* The first of refs [i, end) that may be part of a match, as far as can be told without its pattern. */
static uint32_t next_ref(const toad__matcher *m, const toad__table_ref *refs, uint32_t i, uint32_t end, const around *a,
                         uint32_t at) {
    while (i < end &&
           !(fits(&refs[i], a) && was_seen(m, &refs[i].guards[0], at) && was_seen(m, &refs[i].guards[1], at)))
        i++;
    return i;
}

/* All that triggered since `before` was quiet, and the text from there on stands again at `at`. Where does it stop to
 * be a copy? What triggers near there depends on guards before it. */
static uint32_t end_of_copy(toad__matcher *m, uint32_t at) {
    uint32_t end = toad__repeats_end(&m->repeats, &m->text), reach = m->repeats.reach;
    return end - at > 2 * reach ? (end - 2 * reach) & ~1u : 0;
}

/* The literal triggers refs [i, end), the first of them for sure. Returns an offset before which nothing triggers any
 * pattern. */
static uint32_t trigger_all(toad__matcher *m, const toad__table_ref *refs, uint32_t i, uint32_t end, const around *a,
                            uint32_t literal, uint32_t at) {
    uint32_t before;
    bool quiet = true;
    toad__place *place = toad__repeats_find(&m->repeats, &m->text, m->clock, literal, at, &before);
    bool known = before != TOAD__NOWHERE && place->quiet;
    place->when = m->clock + at;
    if (known)
        return before > m->loud + TOAD__LITERAL_MAX
                   ? end_of_copy(m, at)
                   : 0; /* literals are met in the order of their grams, not of their first bytes */
    do quiet &= trigger(m, &refs[i], at, before);
    while ((i = next_ref(m, refs, i + 1, end, a, at)) < end && !m->stopped);
    place->quiet = quiet;
    if (!quiet && at > m->loud) m->loud = at;
    return 0;
}

uint32_t toad__match_literal(toad__matcher *m, uint32_t literal, uint32_t at) {
    const toad__table_literal *row = toad__table_at(m->set, m->tables->literals);
    const toad__table_ref *refs = toad__table_at(m->set, m->tables->refs);
    const uint32_t *slots = toad__table_at(m->set, m->tables->slots);
    uint32_t next = 0;
    row += literal;
    if (row[0].first_ref < row[1].first_ref) { /* triggers first: a literal is no guard of itself */
        around a = around_of(&m->text, at, at + row->n);
        uint32_t end = row[1].first_ref, i = next_ref(m, refs, row[0].first_ref, end, &a, at);
        if (i < end) next = trigger_all(m, refs, i, end, &a, literal, at);
    }
    for (uint32_t i = row[0].first_slot; i < row[1].first_slot; i++) m->seen[slots[i]] = m->clock + at;
    return m->stopped ? TOAD__MATCH_STOP : next;
}

static void finish_all(toad__matcher *m) {
    for (size_t i = 0; i < m->touched_n && !m->stopped; i++) {
        if (!m->marks[m->touched[i]].alive) continue;
        walk k = walk_of(m, m->touched[i]);
        if (k.pattern->words == 1)
            finish(&k, 1);
        else
            finish(&k, k.pattern->words);
    }
}

/* Marks of a generation 2^32 texts ago must not be taken for this one's. */
static void next_generation(toad__matcher *m) {
    if (++m->generation) return;
    size_t patterns = m->set->sets[0].n_patterns > m->set->sets[1].n_patterns ? m->set->sets[0].n_patterns
                                                                              : m->set->sets[1].n_patterns;
    memset(m->marks, 0, patterns * sizeof *m->marks);
    m->generation = 1;
}

bool toad__match(toad__matcher *m, toad__match_set which, toad_str text, const uint8_t *lines, toad__match_fn fn,
                 void *ctx) {
    m->tables = &m->set->sets[which];
    if (text.n < TOAD__LITERAL_MIN || !m->tables->n_patterns) return true;
    m->text = (subject){ (const uint8_t *)text.p, (uint32_t)text.n, lines };
    m->fn = fn;
    m->ctx = ctx;
    m->stopped = m->exhausted = false;
    m->touched_n = 0;
    m->loud = 0;
    toad__dfa_begin(&m->dfa);
    toad__repeats_begin(&m->repeats, m->text.n, m->reach[which]);
    next_generation(m);
    toad__match_filter(m, m->set, m->tables, text);
    finish_all(m);
    m->clock += text.n + CLOCK_STEP;
    return !m->stopped;
}
