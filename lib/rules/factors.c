/* factors.c - which literals must a match hold?
 *
 * Every subtree gets two facts: `exact`, all the strings it can match if they are few, and `best`, the cheapest set of
 * literals of which each of its matches holds one. A sequence tries runs of neighbors with exact strings, so
 * `(?:previous|prior) instructions` is weighed as " instruct" against {previous, prior in}. From every string the
 * rarest eight bytes are taken: one masked load compares them.
 *
 * Rules are made of word lists, and a list holds common words, so one set alone is met too often. A top-level
 * alternative therefore gets a chain: a trigger, and up to two guards that must have stood before it, at most the
 * length of a match away. A hit of a guard costs one store, of a trigger without its guards one compare; the automaton
 * starts where all agree. A chain is only ever a necessary condition; the automaton judges. So truncating and merging
 * literals is safe, and dropping one is not. */
#include "lib/base/str.h"
#include "lib/rules/cost.h"
#include "lib/rules/pattern.h"
#include "lib/rules/table.h"

#include <stdlib.h>

#define STRINGS     160
#define STRING      24
#define EDGE        4
#define FEW         12 /* of a part with more strings, a run may also begin in its last bytes */
#define SET_MEMBERS 10 /* a larger byte set breaks a run */

typedef struct strings {
    unsigned n;
    struct string {
        uint8_t n;
        char p[STRING];
    } at[STRINGS];
} strings;

typedef struct facts {
    const strings *exact; /* NULL: too many or too long */
    const strings *head,
        *tail;           /* how its matches begin and end, at most EDGE bytes of each; {""} where nothing is known */
    toad__literals best; /* n 0: there is none */
    unsigned longest;    /* bytes it matches at most */
} facts;

/* Cycles: to note a literal; to look at a candidate, and for each byte that may stand before its trigger; and the bytes
 * over which a guard is remembered, as far as costs go. */
#define NOTE      150
#define LOOK      1000
#define LOOK_BYTE 20
#define REACH     64
#define TABLE     80 /* a literal's share of the tables; the filter for three bytes is good for a few literals only */
#define SHORT     300000

/* Runs overlap, so the same windows are weighed again and again: the last result for each hash of one. */
#define WEIGHED 2048

typedef struct weighed {
    double rate, fixed;
    toad__literal literal; /* n 0: empty */
} weighed;

typedef struct finder {
    toad__arena *arena;
    weighed *seen; /* [WEIGHED] */
    bool nomem;
} finder;

static void *allocate(finder *f, size_t n) {
    void *p = toad__arena_alloc(f->arena, n);
    if (!p) f->nomem = true;
    return p;
}

static bool add_string(strings *set, const char *a, size_t an, const char *b, size_t bn) {
    struct string s = { .n = (uint8_t)(an + bn) };
    if (an + bn > STRING) return false;
    if (an) memcpy(s.p, a, an);
    if (bn) memcpy(s.p + an, b, bn);
    for (unsigned i = 0; i < set->n; i++)
        if (set->at[i].n == s.n && !memcmp(set->at[i].p, s.p, s.n)) return true;
    if (set->n == STRINGS) return false;
    set->at[set->n++] = s;
    return true;
}

/* All of a followed by all of b, or NULL. */
static const strings *crossed(finder *f, const strings *a, const strings *b) {
    strings *to = a && b ? allocate(f, sizeof *to) : NULL;
    if (!to) return NULL;
    for (unsigned i = 0; i < a->n; i++)
        for (unsigned j = 0; j < b->n; j++)
            if (!add_string(to, a->at[i].p, a->at[i].n, b->at[j].p, b->at[j].n)) return NULL;
    return to;
}

static const strings *united(finder *f, const strings *a, const strings *b) {
    strings *to = a && b ? allocate(f, sizeof *to) : NULL;
    if (!to) return NULL;
    *to = *a;
    for (unsigned j = 0; j < b->n; j++)
        if (!add_string(to, b->at[j].p, b->at[j].n, NULL, 0)) return NULL;
    return to;
}

/* The first, or the last, `most` bytes of each string. */
static const strings *cut(finder *f, const strings *from, unsigned most, bool first) {
    strings *to = from ? allocate(f, sizeof *to) : NULL;
    for (unsigned i = 0; to && i < from->n; i++) {
        unsigned n = from->at[i].n < most ? from->at[i].n : most;
        add_string(to, from->at[i].p + (first ? 0 : from->at[i].n - n), n, NULL, 0);
    }
    return to;
}

static const strings *only_empty(finder *f) {
    strings *to = allocate(f, sizeof *to);
    if (to) to->n = 1;
    return to;
}

static const strings *set_strings(finder *f, const toad__bytes *set) {
    unsigned n = toad__bytes_count(set);
    strings *to = n && n <= SET_MEMBERS ? allocate(f, sizeof *to) : NULL;
    if (!to) return NULL;
    for (unsigned c = 0; c < 256; c++) {
        char byte = (char)c;
        if (toad__bytes_has(set, c)) add_string(to, &byte, 1, NULL, 0);
    }
    return to;
}

/* Find the place of l->at, and how often one of its grams is expected. */
static double place(toad__literal *l) {
    toad__filter_kind kind = toad__filter_kind_of(toad__filter_of(l->n));
    double least = 1e300;
    for (unsigned at = 0; at + kind.gram + kind.places - 1 <= l->n; at++) {
        double rate = toad__cost_rate(toad__str(l->p + at, kind.gram));
        if (kind.places == 2) rate = (rate + toad__cost_rate(toad__str(l->p + at + 1, kind.gram))) / 2;
        if (rate >= least) continue;
        least = rate;
        l->at = (uint8_t)at;
    }
    return least;
}

static bool same_literal(const toad__literal *a, const toad__literal *b) {
    return a->n == b->n && !memcmp(a->p, b->p, a->n);
}

static const weighed *weigh_window(finder *f, const char *p, unsigned n) {
    weighed w = { .literal = { .n = (uint8_t)n } };
    uint64_t key = 0;
    memcpy(w.literal.p, p, n);
    memcpy(&key, p, n);
    weighed *seen = &f->seen[key * 0x9E3779B97F4A7C15u >> 53];
    if (same_literal(&seen->literal, &w.literal)) return seen;
    w.fixed = place(&w.literal) * 1e6 * 60 + (n == TOAD__LITERAL_MIN ? SHORT : TABLE);
    w.rate = toad__cost_rate(toad__str(p, n));
    *seen = w;
    return seen;
}

/* What a set costs by itself, a trigger without guards being the worst use of it and a guard the best. */
static double cost_of(double rate, double fixed) { return rate * 1e6 * 200 + fixed; }

/* The cheapest window of at most eight bytes. */
static weighed best_window(finder *f, const struct string *s) {
    unsigned n = s->n < TOAD__LITERAL_MAX ? s->n : TOAD__LITERAL_MAX;
    weighed best = *weigh_window(f, s->p, n);
    for (unsigned at = 1; at + n <= s->n; at++) {
        const weighed *w = weigh_window(f, s->p + at, n);
        if (cost_of(w->rate, w->fixed) < cost_of(best.rate, best.fixed)) best = *w;
    }
    return best;
}

static int by_bytes(const void *a, const void *b) {
    const toad__literal *x = a, *y = b;
    int order = memcmp(x->p, y->p, TOAD__LITERAL_MAX);
    return order ? order : (int)x->n - (int)y->n;
}

/* Weigh the strings as a literal set and keep it in *best if it is cheaper. */
static void weigh(finder *f, const strings *from, toad__literals *best) {
    toad__literal found[STRINGS];
    toad__literals set = { 0 };
    for (unsigned i = 0; from && i < from->n; i++) {
        if (from->at[i].n < TOAD__LITERAL_MIN) return;
        weighed w = best_window(f, &from->at[i]);
        size_t k = 0;
        while (k < set.n && !same_literal(&found[k], &w.literal)) k++;
        if (k < set.n) continue;
        found[set.n++] = w.literal;
        set.rate += w.rate;
        set.fixed += w.fixed;
        if (best->n && cost_of(set.rate, set.fixed) >= cost_of(best->rate, best->fixed)) return;
    }
    toad__literal *at = set.n ? allocate(f, set.n * sizeof *at) : NULL;
    if (!at) return;
    qsort(found, set.n, sizeof *found, by_bytes);
    memcpy(at, found, set.n * sizeof *at);
    set.at = at;
    *best = set;
}

static void keep_cheaper(toad__literals *best, const toad__literals *other) {
    if (other->n && (!best->n || cost_of(other->rate, other->fixed) < cost_of(best->rate, best->fixed))) *best = *other;
}

static facts look(finder *f, const toad__pnode *n);

/* Parts [from, to) of a sequence hold a literal of the set. */
typedef struct segment {
    size_t from, to;
    unsigned before; /* bytes of a match before part `from`, at most */
    toad__literals set;
} segment;

typedef struct segments {
    segment *at;
    size_t n;
    facts whole;     /* of the sequence, but for `best` */
    unsigned *first; /* [parts + 1] positions before each part */
} segments;

/* How a sequence begins, or ends: whole parts, and the edge of the first that is not exact. */
static const strings *edge_of(finder *f, const facts *parts, size_t n, bool first) {
    const strings *edge = only_empty(f);
    for (size_t i = 0; i < n && edge; i++) {
        const facts *part = &parts[first ? i : n - 1 - i];
        const strings *more = cut(f, part->exact ? part->exact : first ? part->head : part->tail, EDGE, first);
        const strings *with = first ? crossed(f, edge, more) : crossed(f, more, edge);
        if (!with) break;
        edge = cut(f, with, EDGE, first);
        if (!part->exact) break;
    }
    return edge;
}

/* The run cannot take the next part whole: take how it begins, as much of it as there is room for. */
static bool weigh_head(finder *f, const strings *run, const strings *head, toad__literals *best) {
    const toad__literal *before = best->at;
    for (unsigned most = EDGE; most && run; most--) {
        const strings *with = crossed(f, run, cut(f, head, most, true));
        if (!with) continue;
        weigh(f, with, best);
        break;
    }
    return best->at != before;
}

/* Weigh the runs that go on from `run`, which ends before part j. */
static void extend_run(finder *f, const facts *parts, size_t n, size_t j, const strings *run, segment *best) {
    for (; run; j++) {
        const toad__literal *last = best->set.at;
        const strings *next = j < n ? crossed(f, run, parts[j].exact) : NULL;
        weigh(f, run, &best->set);
        if (best->set.at != last) best->to = j;
        if (!next && j < n && weigh_head(f, run, parts[j].head, &best->set)) best->to = j + 1;
        run = next;
    }
}

/* The cheapest run that begins at part `i`, or in its last bytes where it has many strings or is not exact. */
static segment best_run(finder *f, const facts *parts, size_t n, size_t i, unsigned before) {
    segment best = { .from = i, .before = before };
    const strings *exact = parts[i].exact;
    extend_run(f, parts, n, i + 1, exact, &best);
    if (!exact || exact->n > FEW) extend_run(f, parts, n, i + 1, cut(f, parts[i].tail, 3, false), &best);
    return best;
}

static void add_segment(segments *to, segment s) {
    if (s.set.n) to->at[to->n++] = s;
}

static segments segments_of(finder *f, const toad__pnode *cat) {
    segments to = { .whole.exact = only_empty(f) };
    size_t n = 0;
    for (const toad__pnode *c = cat->child; c; c = c->next) n++;
    facts *parts = allocate(f, n * sizeof *parts);
    to.at = allocate(f, 2 * n * sizeof *to.at);
    to.first = allocate(f, (n + 1) * sizeof *to.first);
    if (!parts || !to.at || !to.first) return to;
    size_t i = 0;
    for (const toad__pnode *c = cat->child; c; c = c->next, i++) {
        parts[i] = look(f, c);
        to.whole.exact = crossed(f, to.whole.exact, parts[i].exact);
        add_segment(&to, (segment){ i, i + 1, to.whole.longest, parts[i].best });
        to.whole.longest += parts[i].longest;
        to.first[i + 1] = to.first[i] + toad__pnode_positions(c);
    }
    /* Inside a stretch of plain letters the run from its beginning sees the same windows, until it is full. */
    unsigned before = 0;
    for (i = 0; i < n; before += parts[i++].longest)
        if (!i || i % 8 == 0 || !parts[i - 1].exact || parts[i - 1].exact->n != 1)
            add_segment(&to, best_run(f, parts, n, i, before));
    to.whole.head = edge_of(f, parts, n, true);
    to.whole.tail = edge_of(f, parts, n, false);
    return to;
}

static facts look_sequence(finder *f, const toad__pnode *cat) {
    segments all = segments_of(f, cat);
    facts to = all.whole;
    for (size_t i = 0; i < all.n; i++) keep_cheaper(&to.best, &all.at[i].set);
    return to;
}

/* A literal of each alternative. */
static toad__literals both(finder *f, const toad__literals *a, const toad__literals *b) {
    toad__literal *at = a->n && b->n ? allocate(f, (a->n + b->n) * sizeof *at) : NULL;
    if (!at) return (toad__literals){ 0 };
    memcpy(at, a->at, a->n * sizeof *at);
    size_t n = a->n;
    for (size_t i = 0; i < b->n; i++) {
        size_t k = 0;
        while (k < a->n && !same_literal(&at[k], &b->at[i])) k++;
        if (k == a->n) at[n++] = b->at[i];
    }
    qsort(at, n, sizeof *at, by_bytes);
    return (toad__literals){ n, a->rate + b->rate, a->fixed + b->fixed, at };
}

static facts look_alternatives(finder *f, const toad__pnode *alt) {
    facts to = look(f, alt->child);
    for (const toad__pnode *c = alt->child->next; c; c = c->next) {
        facts one = look(f, c);
        to.exact = united(f, to.exact, one.exact);
        to.head = united(f, to.head, one.head);
        to.tail = united(f, to.tail, one.tail);
        to.best = both(f, &to.best, &one.best);
        if (one.longest > to.longest) to.longest = one.longest;
    }
    return to;
}

static facts look_repeat(finder *f, const toad__pnode *r) {
    facts one = look(f, r->child), to = { .longest = one.longest * r->max };
    const strings *power = only_empty(f);
    if (!r->min) to.exact = power;
    for (unsigned i = 1; i <= r->max && power; i++) {
        power = crossed(f, power, one.exact);
        if (i <= r->min && power) weigh(f, power, &to.best);
        if (i == r->min || !power)
            to.exact = power;
        else if (i > r->min)
            to.exact = united(f, to.exact, power);
        if (!to.exact && i >= r->min) break;
    }
    if (!r->min) return to;
    keep_cheaper(&to.best, &one.best);
    to.head = one.head;
    to.tail = one.tail;
    return to;
}

static facts look(finder *f, const toad__pnode *n) {
    facts to = { .exact = NULL };
    if (f->nomem) return to;
    switch (n->kind) {
    case TOAD__P_EMPTY: to.exact = only_empty(f); break;
    case TOAD__P_SET: to = (facts){ .exact = set_strings(f, &n->set), .longest = 1 }; break;
    case TOAD__P_CAT: to = look_sequence(f, n); break;
    case TOAD__P_ALT: to = look_alternatives(f, n); break;
    case TOAD__P_REPEAT: to = look_repeat(f, n); break;
    }
    if (to.exact) {
        to.head = cut(f, to.exact, EDGE, true);
        to.tail = cut(f, to.exact, EDGE, false);
    }
    if (!to.head) to.head = only_empty(f);
    if (!to.tail) to.tail = only_empty(f);
    weigh(f, to.exact, &to.best);
    return to;
}

/* Cycles per megabyte of a chain on ordinary text, its trigger with `before` bytes of a match before it. */
static double chain_cost(const toad__chain *c, unsigned before) {
    double looks = c->trigger.set.rate, cost = looks * NOTE * 1e6 + c->trigger.set.fixed;
    for (unsigned i = 0; i < c->n_guards; i++) {
        const toad__literals *g = &c->guards[i].set;
        looks *= g->rate * REACH < 1 ? g->rate * REACH : 1;
        cost += g->rate * NOTE * 1e6 + g->fixed;
    }
    return cost + looks * (LOOK + LOOK_BYTE * (before < 200 ? before : 200)) * 1e6;
}

static toad__factor factor_of(const segments *all, const segment *s) {
    return (toad__factor){ s->set, all->first[s->from], all->first[s->to] };
}

/* Add the guard that lowers the cost most; all guards stand before the trigger and apart from each other. NULL: none
 * does. */
static const segment *add_guard(const segments *all, toad__chain *c, const segment *trigger, const segment *other) {
    const segment *found = NULL;
    double least = chain_cost(c, trigger->before);
    for (size_t i = 0; i < all->n; i++) {
        const segment *s = &all->at[i];
        if (s->to > trigger->from || (other && s->from < other->to && other->from < s->to)) continue;
        c->guards[c->n_guards++].set = s->set;
        double cost = chain_cost(c, trigger->before);
        c->n_guards--;
        if (cost >= least) continue;
        least = cost;
        found = s;
    }
    if (found) c->guards[c->n_guards++] = factor_of(all, found);
    return found;
}

static toad__chain best_chain(const segments *all) {
    toad__chain best = { .n_guards = 0 };
    double least = 0;
    for (size_t i = 0; i < all->n; i++) {
        const segment *s = &all->at[i];
        toad__chain c = { .trigger = factor_of(all, s) };
        const segment *guard = add_guard(all, &c, s, NULL);
        if (guard) add_guard(all, &c, s, guard);
        double cost = chain_cost(&c, s->before);
        if (best.trigger.set.n && cost >= least) continue;
        best = c;
        least = cost;
    }
    return best;
}

/* The alternative begins at position `by`. */
static void shift(toad__chain *c, unsigned by) {
    c->trigger.from += by;
    c->trigger.to += by;
    for (unsigned i = 0; i < c->n_guards; i++) {
        c->guards[i].from += by;
        c->guards[i].to += by;
    }
}

toad_status toad__factors_of(const toad__branch *branches, toad__arena *arena, const toad__chain **ret, size_t *ret_n,
                             toad__rule_error *err) {
    finder f = { .arena = arena };
    size_t n = 0, i = 0;
    unsigned positions = 0;
    for (const toad__branch *b = branches; b; b = b->next) n++;
    f.seen = allocate(&f, WEIGHED * sizeof *f.seen);
    toad__chain *chains = allocate(&f, n * sizeof *chains);
    for (const toad__branch *b = branches; b && !f.nomem; b = b->next, i++) {
        segments all = segments_of(&f, b->body);
        if (f.nomem) break;
        chains[i] = best_chain(&all);
        shift(&chains[i], positions);
        positions += toad__pnode_positions(b->body);
        if (!chains[i].trigger.set.n)
            return toad__rule_fail(
                err, 0,
                "no literal of %d bytes that every match must hold; add a fixed word or sign to each alternative",
                TOAD__LITERAL_MIN);
    }
    if (f.nomem) return TOAD_E_NOMEM;
    *ret = chains;
    *ret_n = n;
    return TOAD_OK;
}
