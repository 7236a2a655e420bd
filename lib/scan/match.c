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
 * Invariants of a mark: every start that a candidate asked for is in the state or settled; all starts in
 * [asked_low, asked_end) were asked for, and asked_end <= at; no match may begin before `floor`. A new text is a new
 * generation and slots count on from text to text: nothing is cleared. Scratch: 40 bytes and a state a pattern, 8 bytes
 * a slot. */
#include "lib/scan/match.h"
#include "lib/scan/match_dfa.h"
#include "lib/scan/match_filter.h"
#include "lib/scan/match_repeat.h"
#include "lib/scan/match_walk.h"

#include <assert.h>
#include <stdlib.h>

#define BACKWARD_MAX    64  /* a literal that may stand further into a match is not walked back from */
#define EAGER           32  /* bytes walked on behind the last start: most candidates die there, unkept ... */
#define EAGER_LOSS      256 /* ... while at most a quarter of the text and so many bytes were walked again for it */
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
    uint32_t number;                 /* of the state; UNKNOWN: it stands in walk.kept and is not empty */
    uint32_t backward, settle, late; /* steps spent looking back, on settling, on bytes walked before */
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
    draft next; /* of the step in hand */
    toad__dfa dfa;
    toad__repeats repeats;
    uint32_t loud;     /* where a literal last triggered what was not shown to come to nothing */
    uint32_t reach[2]; /* by set: how far from a literal a match with it, and what it depends on, may lie */
    uint64_t *seen;    /* by slot: `clock` plus the offset where the guard was last seen */
    uint64_t clock;    /* grows from text to text by more than any reach */
    uint32_t *touched; /* patterns with a mark of this generation */
    size_t touched_n;
};

/* What the walks of one pattern need at hand. */
typedef struct walk {
    toad__matcher *m;
    const toad__table_pattern *pattern;
    automaton a;
    mark *mark;
    uint64_t *kept; /* the state between two walks, where the mark has no number of it */
} walk;

/* Where matches may begin: [low, high]. */
typedef struct starts {
    uint32_t low, high;
} starts;

static const starts nowhere = { 1, 0 };

static size_t at_least_one(size_t n) { return n ? n : 1; }
static uint32_t most(uint32_t a, uint32_t b) { return a > b ? a : b; }
static uint32_t least(uint32_t a, uint32_t b) { return a < b ? a : b; }

static uint32_t reach_of(const toad__ruleset *set, const toad__table_set *tables) {
    const toad__table_pattern *patterns = toad__table_at(set, tables->patterns);
    uint32_t longest = 0;
    for (uint32_t i = 0; i < tables->n_patterns; i++) longest = most(longest, patterns[i].len_max);
    return longest + TOAD__LITERAL_MAX;
}

static size_t patterns_n(const toad__ruleset *set) { return most(set->sets[0].n_patterns, set->sets[1].n_patterns); }

toad__matcher *toad__matcher_new(const toad__ruleset *set) {
    const toad__table_set *text = &set->sets[0], *skeleton = &set->sets[1];
    toad__matcher *m = calloc(1, sizeof *m);
    if (!m) return NULL;
    m->set = set;
    m->marks = calloc(at_least_one(patterns_n(set)), sizeof *m->marks);
    m->states = calloc(at_least_one(most(text->state_words, skeleton->state_words)), sizeof *m->states);
    m->touched = calloc(at_least_one(patterns_n(set)), sizeof *m->touched);
    m->seen = calloc(at_least_one(most(text->n_slots, skeleton->n_slots)), sizeof *m->seen);
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

/* --- one step --- */

/* The state of a walk: a remembered number (match_dfa.h), or where it is UNKNOWN the positions. */
typedef struct state {
    uint32_t number;
    positions set;
} state;

TOAD__INLINE bool is_empty(const state *s) { return s->number ? s->number == TOAD__DFA_EMPTY : !s->set.live; }

/* Write the positions out, for who cannot use the number. */
static inline void spell_out(const walk *k, state *s) {
    if (s->number == TOAD__DFA_EMPTY)
        s->set.live = 0;
    else if (s->number)
        load_positions(&s->set, toad__dfa_positions(toad__dfa_at(&k->m->dfa, s->number)), k->a.words);
}

/* Does it hold a position at which a match may end, or going back begin? Its positions are then written out. */
TOAD__INLINE bool is_at_edge(const walk *k, state *s) {
    if (!s->number) return true;
    if (s->number == TOAD__DFA_EMPTY || !toad__dfa_at(&k->m->dfa, s->number)->edge) return false;
    spell_out(k, s);
    return true;
}

TOAD__INLINE bool ends_at(const walk *k, state *s, uint32_t at) {
    return is_at_edge(k, s) && ends(&k->a, &s->set, &k->m->text, at);
}

TOAD__INLINE bool begins_at(const walk *k, state *s, uint32_t at) {
    return is_at_edge(k, s) && begins(&k->a, &s->set, &k->m->text, at);
}

/* The state after byte `at` by remembered steps; a match may begin there if `begins`. */
TOAD__INLINE uint32_t number_after(const walk *k, uint32_t now, uint32_t at, bool begins) {
    toad__dfa *d = &k->m->dfa;
    const subject *t = &k->m->text;
    uint32_t next = toad__dfa_step(d, &k->a, now, t->p[at]);
    if (!next || !begins || !may_start(&k->a, t, at)) return next;
    uint32_t before = toad__dfa_starts(d, &k->a, is_boundary(t, at), is_line_start(t, at));
    uint32_t begun = before ? toad__dfa_step(d, &k->a, before, t->p[at]) : before;
    return begun ? toad__dfa_united(d, &k->a, next, begun) : begun;
}

/* Take byte `at`, where a match may begin if `begins`. */
TOAD__INLINE void step(const walk *k, state *s, uint32_t at, bool begins) {
    const subject *t = &k->m->text;
    uint32_t next = s->number ? number_after(k, s->number, at, begins) : TOAD__DFA_UNKNOWN;
    if (!next) {
        spell_out(k, s);
        advance(&k->a, &s->set, &k->m->next);
        if (begins) inject(&k->a, &k->m->next, t, at);
        take(&k->a, &k->m->next, &s->set, t->p[at]);
    }
    s->number = next;
}

/* Going back, take the byte at `at`. */
TOAD__INLINE void step_back(const walk *k, state *s, uint32_t at) {
    const subject *t = &k->m->text;
    uint32_t next = s->number ? toad__dfa_step(&k->m->dfa, &k->a, s->number, t->p[at]) : TOAD__DFA_UNKNOWN;
    if (!next) {
        spell_out(k, s);
        retreat(&k->a, &s->set, &k->m->next);
        take(&k->a, &k->m->next, &s->set, t->p[at]);
    }
    s->number = next;
}

/* --- settling a match --- */

/* The least start, not below `floor`, of a match that ends at one of the ends: bit i of `found` is end base + i; `last`
 * is the highest. */
static uint32_t least_start(const walk *k, const uint64_t *found, uint32_t base, uint32_t last, uint32_t floor) {
    const subject *t = &k->m->text;
    draft *d = &k->m->next;
    positions s = { .live = 0 };
    uint32_t start = last;
    assert(floor < last && base <= last);
    for (uint32_t at = last; at > floor; at--) {
        retreat(&k->a, &s, d);
        if (at >= base && toad__bit(found, at - base)) inject_ends(&k->a, d, t, at);
        take(&k->a, d, &s, t->p[at - 1]);
        if (begins(&k->a, &s, t, at - 1)) start = at - 1;
        k->mark->settle++;
        if (!s.live && at <= base) break;
    }
    return start;
}

/* Walk forward with starts in `may`; record the ends of matches in `found` (bit i: may.low + i) and return the highest.
 */
static uint32_t all_ends(const walk *k, starts may, uint64_t *found) {
    state s = { .number = TOAD__DFA_EMPTY };
    uint32_t last = may.low;
    for (uint32_t at = may.low; at < k->m->text.n && (at <= may.high || !is_empty(&s)); at++) {
        step(k, &s, at, at <= may.high);
        k->mark->settle++;
        if (!ends_at(k, &s, at + 1)) continue;
        last = at + 1;
        assert(last - may.low < ENDS_WORDS * 64);
        toad__bit_set(found, last - may.low);
    }
    return last;
}

/* A match ends at `end`: report the leftmost one that overlaps it, as long as it gets. Returns its end. */
static uint32_t settle(walk *k, uint32_t end) {
    toad__matcher *m = k->m;
    mark *mk = k->mark;
    uint64_t here = 2, found[ENDS_WORDS] = { 0 }, longest[ENDS_WORDS] = { 0 };
    uint32_t span = k->pattern->len_max - 1, start = least_start(k, &here, end - 1, end, mk->floor);
    starts overlapping = { start > span ? most(start - span, mk->floor) : mk->floor, start };
    uint32_t last = all_ends(k, overlapping, found);
    start = least_start(k, found, overlapping.low, last, overlapping.low);
    last = all_ends(k, (starts){ start, start }, longest);
    assert(mk->floor <= start && start < end && start < last);
    m->skip = 0;
    if (!m->fn(m->ctx, k->pattern->rule, start, last)) m->stopped = true;
    bool enough = m->skip >= m->text.n, spent = mk->settle > (uint64_t)SETTLE_BUDGET * m->text.n + BUDGET_BASE;
    mk->done = enough || spent;
    m->exhausted = m->exhausted || (spent && !enough);
    return mk->floor = enough ? last : most(m->skip, last);
}

/* --- the forward walk --- */

static bool is_over(const walk *k) { return k->m->stopped || k->mark->done; }

static inline void load(const walk *k, state *s) {
    s->number = k->mark->number;
    if (!s->number) load_positions(&s->set, k->kept, k->a.words);
}

static inline void keep(walk *k, const state *s) {
    k->mark->number = is_empty(s) ? TOAD__DFA_EMPTY : s->number;
    if (!k->mark->number) store_positions(&s->set, k->kept, k->a.words);
}

/* Walk on up to `until`, where matches may begin in `may`. Every match met is settled and leaves an empty state behind
 * its end. The mark then stands at `until`, earlier where the state is empty and no start is left, or later after a
 * match. */
static void go(walk *k, uint32_t until, starts may) {
    mark *mk = k->mark;
    uint32_t at = mk->at;
    state s = { .set.live = 0 };
    if (is_over(k)) return;
    load(k, &s);
    toad__dfa_walk(&k->m->dfa);
    if (!s.number) s.number = toad__dfa_intern(&k->m->dfa, &k->a, k->kept);
    while (at < until) {
        if (is_empty(&s)) {
            if (at > may.high) break;
            at = next_start(&k->a, &k->m->text, most(at, may.low), least(may.high + 1, until));
            if (at >= until || at > may.high) break;
        }
        step(k, &s, at, at >= may.low && at <= may.high);
        if (!ends_at(k, &s, ++at)) continue;
        at = settle(k, at);
        s.number = TOAD__DFA_EMPTY;
        if (is_over(k)) break;
    }
    mk->at = at;
    keep(k, &s);
}

/* Starts below mark->at were never walked: walk them up to there and add them to the state. */
static void catch_up(walk *k, starts may) {
    mark *mk = k->mark;
    uint32_t floor = mk->floor, until = mk->at;
    state before = { .set.live = 0 }, late = before;
    load(k, &before);
    mk->late += until - may.low;
    mk->at = may.low;
    mk->number = TOAD__DFA_EMPTY;
    go(k, until, may);
    if (mk->floor == floor) {
        load(k, &late);
        spell_out(k, &before);
        spell_out(k, &late);
        add_positions(&late.set, &before.set);
        late.number = TOAD__DFA_UNKNOWN;
        keep(k, &late);
    } else if (mk->floor < until) {
        /* a match ended below: what began before its end is void, the rest is walked again */
        mk->at = mk->floor;
        mk->number = TOAD__DFA_EMPTY;
        go(k, until, (starts){ mk->floor, until - 1 });
    }
    mk->at = most(mk->at, until);
}

/* Note that `may` was asked for, together with what it touches. */
static void note_asked(mark *mk, starts may) {
    bool touches = may.low <= mk->asked_end && may.high + 1 >= mk->asked_low;
    mk->asked_low = touches ? least(mk->asked_low, may.low) : may.low;
    mk->asked_end = touches ? most(mk->asked_end, may.high + 1) : may.high + 1;
}

/* A match may begin in `may`: find it, or keep what may become of it. */
static void ask(walk *k, starts may) {
    mark *mk = k->mark;
    if (may.low >= mk->asked_low && may.low < mk->asked_end) may.low = mk->asked_end;
    if (may.low > may.high) return;
    note_asked(mk, may);
    if (may.low < mk->at) catch_up(k, (starts){ may.low, least(may.high, mk->at - 1) });
    if (may.high < mk->at || is_over(k)) return;
    uint32_t ahead = mk->late <= may.high / 4 + EAGER_LOSS ? EAGER : 1;
    go(k, least(may.high + ahead, k->m->text.n), (starts){ most(may.low, mk->at), may.high });
    assert(is_over(k) || (mk->asked_low <= mk->asked_end && mk->asked_end <= mk->at));
    assert(is_over(k) || (mk->floor <= mk->at && mk->at <= k->m->text.n));
}

/* Narrow `may` to where a match could begin that has the literal at `p`; false: nowhere. */
static bool look_back(walk *k, const toad__table_ref *ref, uint32_t p, starts *may) {
    const uint64_t *first = toad__table_at(k->m->set, ref->at_first);
    starts could = { UINT32_MAX, 0 };
    toad__dfa_walk(&k->m->dfa);
    state s = { .number = toad__dfa_constant(&k->m->dfa, &k->a, first, ref->at_first) };
    if (!s.number) load_positions(&s.set, first, k->a.words);
    for (uint32_t at = p; !is_empty(&s); k->mark->backward++) {
        if (begins_at(k, &s, at)) could = (starts){ at, most(could.high, at) };
        if (at <= may->low) break;
        step_back(k, &s, --at);
    }
    *may = could;
    return could.low <= could.high;
}

/* Ask for where a match with the literal at `p` may begin. Is it shown already that there is none? */
static bool examine(walk *k, const toad__table_ref *ref, uint32_t p) {
    mark *mk = k->mark;
    uint32_t floor = mk->floor;
    if (p < ref->depth_min + floor || ref->depth_max < ref->depth_min) return false;
    starts may = { p > ref->depth_max ? most(p - ref->depth_max, floor) : floor, p - ref->depth_min };
    if (may.low >= mk->asked_low && may.high < mk->asked_end) return false;
    bool affordable = mk->backward <= (uint64_t)BACKWARD_BUDGET * p + BUDGET_BASE, is_uncut = !floor || may.low > floor;
    if (ref->depth_max <= BACKWARD_MAX && affordable && !look_back(k, ref, p, &may)) return is_uncut;
    ask(k, may);
    return is_uncut && mk->number == TOAD__DFA_EMPTY && mk->floor == floor;
}

/* The literal stood at `p` before, and was examined there: did no match with it come of that? What is still under way
 * is walked to its end. */
static bool came_to_nothing(walk *k, const toad__table_ref *ref, uint32_t p) {
    uint32_t floor = k->mark->floor, until = least(p + k->pattern->len_max, k->m->text.n);
    if (floor && floor + ref->depth_max >= p) return false;
    if (k->mark->number != TOAD__DFA_EMPTY) go(k, until, nowhere);
    return k->mark->floor == floor;
}

static walk walk_of(toad__matcher *m, uint32_t pattern) {
    const toad__table_pattern *rows = toad__table_at(m->set, m->tables->patterns), *row = &rows[pattern];
    return (walk){ .m = m,
                   .pattern = row,
                   .a = automaton_of(m->set, m->tables, pattern),
                   .mark = &m->marks[pattern],
                   .kept = m->states + row->state };
}

static bool was_seen(const toad__matcher *m, const toad__table_guard *guard, uint32_t at) {
    return guard->slot == TOAD__NO_SLOT || m->seen[guard->slot] + guard->reach >= m->clock + at;
}

/* Is it shown that the pattern, if it is looked for at all, has no match with the literal at `at`? `before`: where the
 * literal stood within the same bytes. */
static bool trigger(toad__matcher *m, const toad__table_ref *ref, uint32_t at, uint32_t before) {
    const toad__table_pattern *rows = toad__table_at(m->set, m->tables->patterns);
    mark *mk = &m->marks[ref->pattern];
    if (m->wanted && !m->wanted[rows[ref->pattern].rule]) return true;
    if (mk->generation != m->generation) {
        *mk = (mark){ .generation = m->generation, .number = TOAD__DFA_EMPTY };
        m->touched[m->touched_n++] = ref->pattern;
    }
    if (mk->done) return true;
    walk k = walk_of(m, ref->pattern);
    return (before != TOAD__NOWHERE && came_to_nothing(&k, ref, before)) || (!mk->done && examine(&k, ref, at));
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

/* Behind the last candidate: what is under way ends or dies. */
static void finish_all(toad__matcher *m) {
    for (size_t i = 0; i < m->touched_n && !m->stopped; i++) {
        const mark *mk = &m->marks[m->touched[i]];
        if (mk->number == TOAD__DFA_EMPTY || mk->done) continue;
        walk k = walk_of(m, m->touched[i]);
        go(&k, m->text.n, nowhere);
    }
}

/* Marks of a generation 2^32 texts ago must not be taken for this one's. */
static void next_generation(toad__matcher *m) {
    if (++m->generation) return;
    memset(m->marks, 0, patterns_n(m->set) * sizeof *m->marks);
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
