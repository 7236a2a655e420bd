/* sanitize.c - the pass itself: copy what is quiet, ask the keep-rules about the rest, count what goes.
 *
 * Invariants: every input byte is either copied, replaced or counted; the map covers both texts; counters, never lists,
 * so a text of nothing but invisibles costs what any other does. Cost: one pass; about memcpy speed on quiet text after
 * one scan of it. */
#include "lib/text/sanitize.h"
#include "lib/base/cursor.h"
#include "lib/base/utf8.h"
#include "lib/text/keep_rules.h"
#include "lib/text/tables/class_tables.gen.h"

#define RUN_REPORTED       8u /* invisibles in a row that are a finding wherever they stand */
#define SELECTORS_REPORTED 8u
#define SHORT_WORD         4u /* letters; a soft hyphen in a shorter word serves no line break */

/* Consecutive code points that were removed and show nothing. */
typedef struct gap {
    uint32_t n, classes; /* bit c: class c is in it */
    bool joiner;         /* a ZWJ is in it */
} gap;

typedef struct pass {
    toad__keeper keeper;
    toad__buf *out;
    size_t base; /* output that was there before us */
    toad__offmap *map;
    toad__census *census;
    gap gap;
    uint32_t single_letters; /* soft hyphens with one letter up to the next */
} pass;

static toad_str left_of(const pass *p) {
    toad_str all = toad__buf_str(p->out);
    return toad__str_part(all, p->base, all.n);
}

static void map_add(pass *p, size_t out, size_t in) {
    if (p->map) toad__offmap_add(p->map, out, in);
}

/* Take back the last `n` bytes of output: their input becomes a deletion. */
static void map_cut(toad__offmap *m, size_t n) {
    if (m->status) return;
    uint32_t out_len = m->out_len - (uint32_t)n,
             in = (uint32_t)toad__offmap_back(m, (toad_span){ out_len, out_len + 1 }).start;
    while (m->n && m->runs[m->n - 1].out >= out_len) in = m->runs[--m->n].in;
    uint32_t deleted = m->in_len - in;
    m->out_len = out_len;
    m->in_len = in;
    m->ratio = UINT32_MAX; /* the deletion is a run of its own */
    toad__offmap_add(m, 0, deleted);
}

/* ---- the census ---- */

static void report(pass *p, toad__census_class c) {
    if (p->census) p->census->reported[c] = true;
}

static void count(pass *p, toad__census_class c, size_t at, size_t n) {
    toad__census *census = p->census;
    if (!census) return;
    toad_span *first = &census->first[c];
    if (!census->count[c])
        *first = (toad_span){ at, at + n };
    else if (first->end == at)
        first->end = at + n;
    if (census->count[c] < UINT32_MAX) census->count[c]++;
}

static bool shows_nothing(toad__census_class c) {
    return c <= TOAD__CENSUS_CONTROL || c == TOAD__CENSUS_ANNOTATION || c == TOAD__CENSUS_BOM;
}

static const toad__class *class_at(toad_str s, size_t at) {
    unsigned len;
    uint32_t c = at < s.n ? toad__utf8_decode(s, at, &len) : TOAD__BAD;
    return toad__class_of(c == TOAD__BAD ? 0 : c);
}

static const toad__class *class_before(toad_str s) { return class_at(s, s.n ? toad__utf8_floor(s, s.n - 1) : 0); }

/* Letters at the end of `left`, up to SHORT_WORD. */
static unsigned letters_before(toad_str left) {
    unsigned n = 0;
    while (n < SHORT_WORD && left.n && (class_before(left)->flags & (TOAD__IS_LETTER | TOAD__IS_COMBINES))) {
        left.n = toad__utf8_floor(left, left.n - 1);
        n++;
    }
    return n;
}

/* Letters from `at` on, up to SHORT_WORD, over soft hyphens. `*one`: a single letter stands before the next soft
 * hyphen. */
static unsigned letters_after(toad_str in, size_t at, bool *one) {
    unsigned n = 0, len;
    for (unsigned step = 0; step < 2 * SHORT_WORD && at < in.n && n < SHORT_WORD; step++) {
        uint32_t c = toad__utf8_decode(in, at, &len);
        if (c == TOAD__BAD) break;
        if (c == 0xAD)
            *one = *one || n == 1;
        else if (!(toad__class_of(c)->flags & (TOAD__IS_LETTER | TOAD__IS_COMBINES)))
            break;
        else
            n++;
        at += len;
    }
    return n;
}

static void judge_soft_hyphen(pass *p, size_t at) {
    bool one = false;
    unsigned before = letters_before(left_of(p)), after = letters_after(p->keeper.in, at, &one);
    if (!before || !after) return;
    p->single_letters += one;
    if (before + after < SHORT_WORD || p->gap.n > 1 || p->single_letters > 1) report(p, TOAD__CENSUS_SOFT_HYPHEN);
}

/* Do digits stand on both sides of the gap that ends before `at`? No number needs an invisible, and an amount with one
 * reads differently from how it is parsed. */
static bool inside_number(pass *p, size_t at) {
    toad_str left = left_of(p), in = p->keeper.in;
    return left.n && at < in.n && toad__is_digit((unsigned char)left.p[left.n - 1]) &&
           toad__is_digit((unsigned char)in.p[at]);
}

/* A stretch of removed invisibles has ended before input offset `at`: was it where no script needs one? */
static void close_gap(pass *p, size_t at) {
    gap g = p->gap;
    if (!g.n || !p->census) return;
    toad__census *census = p->census;
    const toad__class *before = class_before(left_of(p)), *after = class_at(p->keeper.in, at);
    bool inside = left_of(p).n && (before->flags & after->flags & TOAD__IS_PLAIN_LETTER);
    bool soft_only = g.classes == 1u << TOAD__CENSUS_SOFT_HYPHEN;
    inside = inside || inside_number(p, at);
    if (inside && !soft_only) census->intraword += g.n;
    if (g.n > census->longest_run) census->longest_run = g.n;
    bool lonely_joiner =
        g.joiner && left_of(p).n && at < p->keeper.in.n && !((before->flags | after->flags) & TOAD__IS_BLANK);
    uint32_t loud = inside || g.n >= RUN_REPORTED ? g.classes : 0;
    if (lonely_joiner) loud |= 1u << TOAD__CENSUS_ZERO_WIDTH;
    if (g.n > 1) loud |= g.classes & 1u << TOAD__CENSUS_SELECTORS;
    for (int c = 0; c < TOAD__CENSUS_CLASSES; c++)
        if (loud >> c & 1 && c != TOAD__CENSUS_SOFT_HYPHEN && c != TOAD__CENSUS_BOM) report(p, (toad__census_class)c);
    if (g.classes & 1u << TOAD__CENSUS_SOFT_HYPHEN) judge_soft_hyphen(p, at);
    p->gap = (gap){ .n = 0 };
}

static void widen_gap(pass *p, size_t at, toad__census_class why) {
    if (p->gap.n < UINT32_MAX) p->gap.n++;
    p->gap.classes |= 1u << why;
    p->gap.joiner =
        p->gap.joiner || toad__str_starts(toad__str_part(p->keeper.in, at, p->keeper.in.n), TOAD__S("\xE2\x80\x8D"));
}

/* ---- the pass ---- */

static void copy(pass *p, size_t from, size_t to) {
    if (from == to) return;
    close_gap(p, from);
    toad__buf_add(p->out, p->keeper.in.p + from, to - from);
    map_add(p, to - from, to - from);
    p->keeper.solid = to;
}

static void cut(pass *p, size_t n) {
    if (!n) return;
    p->out->n -= n;
    if (p->map) map_cut(p->map, n);
}

/* Blanks that spell bits, at the end of the line that ends at input offset `at`. */
static void cut_bits(pass *p, size_t at) {
    size_t n = toad__trailing_bits(left_of(p));
    cut(p, n);
    if (n) count(p, TOAD__CENSUS_TRAILING, at > n ? at - n : 0, n);
}

static void apply(pass *p, const toad__ruling *r, size_t at) {
    if (r->ends_line) cut_bits(p, at);
    cut(p, r->cut);
    if (r->act == TOAD__KEEP) {
        if (r->report) count(p, r->why, at, r->n);
        if (r->report) report(p, r->why);
        copy(p, at, at + r->n);
        return;
    }
    count(p, r->why, at, r->n);
    if (r->report) report(p, r->why);
    if (r->act == TOAD__DROP) {
        if (shows_nothing(r->why) && !r->cut) widen_gap(p, at, r->why);
        map_add(p, 0, r->n);
        return;
    }
    close_gap(p, at);
    toad__buf_add(p->out, r->put.p, r->put.n);
    map_add(p, r->put.n, r->n);
}

static bool is_line_break(toad_str in, size_t at) { return at < in.n && (in.p[at] == '\n' || in.p[at] == '\r'); }

static void run(pass *p) {
    toad_str in = p->keeper.in;
    size_t at = 0;
    while (!p->out->status) {
        size_t odd = at && p->keeper.solid != at && is_line_break(in, at) ? at : toad__next_odd(in, at);
        copy(p, at, odd);
        if (odd >= in.n) break;
        toad__ruling r = toad__rule_on(&p->keeper, left_of(p), odd);
        apply(p, &r, odd);
        for (at = odd + r.n; toad__rules_alike(&r, in, at); at += r.n) apply(p, &r, at);
    }
}

static void finish(pass *p) {
    cut_bits(p, p->keeper.in.n);
    close_gap(p, p->keeper.in.n);
    if (p->census && p->census->count[TOAD__CENSUS_SELECTORS] >= SELECTORS_REPORTED) report(p, TOAD__CENSUS_SELECTORS);
}

toad_status toad__sanitize(toad_str in, toad__buf *out, toad__offmap *map, toad__census *census) {
    if (census) memset(census, 0, sizeof *census);
    pass p = { .out = out, .base = out->n, .map = map, .census = census };
    toad__keeper_init(&p.keeper, in);
    if (!out->status && in.n <= out->max - out->n) toad__buf_room(out, in.n); /* once, and not by steps */
    run(&p);
    if (!out->status) finish(&p);
    return out->status ? out->status : map ? map->status : TOAD_OK;
}

bool toad__sanitize_is_clean(toad_str in) {
    toad__keeper keeper;
    toad__keeper_init(&keeper, in);
    for (size_t at = 0;;) {
        size_t odd = toad__next_odd(in, at);
        if (odd >= in.n) return !toad__trailing_bits(in);
        keeper.solid = odd;
        toad__ruling r = toad__rule_on(&keeper, toad__str_part(in, 0, odd), odd);
        if (r.act != TOAD__KEEP || r.report) return false;
        if (r.ends_line && toad__trailing_bits(toad__str_part(in, 0, odd))) return false;
        at = odd + r.n;
    }
}

const char *toad__census_rule(toad__census_class c) {
    static const char *const rules[] = {
#define X(name, rule) rule,
        TOAD__CENSUS(X)
#undef X
    };
    return rules[c];
}
