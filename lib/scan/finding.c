/* finding.c - from a match in some view to one finding in the original bytes.
 *
 * The same words are often met twice: raw and as visible text, in both views, in the overlap of two pieces. Two findings of one rule
 * whose spans overlap are one; the graver wins, then the shorter path. Records of a rule are chained, at most BZR__LIMIT_RULE_FINDINGS of them
 * per piece are kept, so a flood of findings costs a counter each. */
#include "lib/base/json.h"
#include "lib/base/str.h"
#include "lib/base/utf8.h"
#include "lib/scan/scanner.h"

#include <stdlib.h>

#define NO_RECORD SIZE_MAX

/* No rule has a record. */
void bzr__records_forget(bzr_scanner *s) {
    for (unsigned set = 0; set < BZR__SETS; set++)
        for (size_t i = 0; s->heads[set] && i < s->engine->counts[set]; i++) s->heads[set][i] = NO_RECORD;
    for (size_t i = 0; i < sizeof s->builtin_heads / sizeof *s->builtin_heads; i++) s->builtin_heads[i] = NO_RECORD;
}

void bzr__verdict_begin(bzr_scanner *s) {
    struct bzr_verdict *v = &s->verdict;
    if (v->n) bzr__records_forget(s);
    v->n = 0;
    v->total = v->bytes = 0;
    v->score = 0;
    v->severity = BZR_NONE;
    v->completeness = BZR_FULL;
    if (v->arena.blocks) bzr__arena_free(&v->arena);
}

void bzr__incomplete(bzr_scanner *s, bzr_completeness why) {
    if (s->verdict.completeness == BZR_FULL) s->verdict.completeness = why;
}

bzr_span bzr__node_origin(const bzr__node *node, bzr_span at) {
    for (; node->parent; node = node->parent) at = bzr__offmap_back(&node->map, at);
    return at;
}

/* Escaped to ASCII, at most BZR__LIMIT_EXCERPT bytes of source, on a code point border; an ellipsis where it was cut. */
static bzr_str escape(bzr_scanner *s, bzr_str text) {
    bool cut = text.n > BZR__LIMIT_EXCERPT;
    if (cut) text = bzr__str_part(text, 0, bzr__utf8_floor(text, BZR__LIMIT_EXCERPT));
    bzr__buf out;
    bzr__buf_init(&out, 8 * BZR__LIMIT_EXCERPT + 16);
    bzr__json_add_str(&out, text);
    bzr_str body = out.status ? bzr__str("", 0) : bzr__str_part(bzr__buf_str(&out), 1, out.n - 1);
    char *copy = bzr__arena_alloc(&s->verdict.arena, body.n + (cut ? 3 : 0));
    if (copy && body.n) memcpy(copy, body.p, body.n);
    if (copy && cut) memcpy(copy + body.n, "...", 3);
    bzr_str ret = copy ? bzr__str(copy, body.n + (cut ? 3 : 0)) : bzr__str("", 0);
    bzr__buf_free(&out);
    return ret;
}

static size_t path_of(const bzr__node *node, bzr_span at, const char *path[BZR__PATH_MAX]) {
    const char *steps[BZR__PATH_MAX];
    size_t n = 0;
    for (; node && node->parent && n < BZR__PATH_MAX; node = node->parent) {
        steps[n] = node->step;
        for (size_t i = 0; i < node->pieces_n; i++)
            if (node->pieces[i].start <= at.start && at.start < node->pieces[i].end) steps[n] = bzr__hidden_name(node->pieces[i].reason);
        n++;
        at = bzr__offmap_back(&node->map, at);
    }
    for (size_t i = 0; i < n; i++) path[i] = steps[n - 1 - i];
    return n;
}

/* An empty span (a decoder that could not say where) overlaps what begins at the same place. */
static bool overlaps(bzr_span a, bzr_span b) { return (a.start < b.end && b.start < a.end) || a.start == b.start; }

static bzr__record *record_new(bzr_scanner *s, size_t *head) {
    struct bzr_verdict *v = &s->verdict;
    if (v->n == v->cap) {
        size_t cap = v->cap ? v->cap * 2 : 16;
        bzr__record *records = realloc(v->records, cap * sizeof *records);
        if (!records) {
            s->status = BZR_E_NOMEM;
            return NULL;
        }
        v->records = records;
        v->cap = cap;
    }
    bzr__record *r = &v->records[v->n];
    *r = (bzr__record){ .next = *head };
    *head = v->n++;
    return r;
}

typedef struct report {
    const char *rule, *family, *why;
    bzr_severity severity;
    const bzr__node *node;
    bzr_span at;     /* in the node's text */
    bzr_str matched; /* the folded words; empty for none */
} report;

static void fill(bzr_scanner *s, bzr__record *r, const report *what, bzr_span origin) {
    bzr_span local = { origin.start - s->base, origin.end - s->base };
    bzr_finding *f = &r->finding;
    *f = (bzr_finding){ what->rule, what->family, what->severity, origin, NULL, 0, { "", 0 }, { "", 0 }, what->why };
    f->path_n = path_of(what->node, what->at, r->path);
    f->excerpt = escape(s, bzr__str_part(s->piece, local.start, local.end));
    if (what->node->parent) f->decoded = escape(s, bzr__str_part(what->node->text, what->at.start, what->at.end));
    else if (what->matched.n && !bzr__sanitize_is_clean(bzr__str_part(s->piece, local.start, local.end))) f->decoded = escape(s, what->matched);
}

static size_t path_length(const bzr__node *node) {
    size_t n = 0;
    for (; node->parent; node = node->parent) n++;
    return n;
}

#define PIECE_MAX (BZR__LIMIT_SEGMENT + BZR__LIMIT_OVERLAP)

/* `tally` is NULL for findings of C code, which are few. */
static void add(bzr_scanner *s, size_t *head, bzr__tally *tally, const report *what) {
    bzr_span origin = bzr__node_origin(what->node, what->at);
    origin.start += s->base;
    origin.end += s->base;
    if (what->severity > s->verdict.severity) s->verdict.severity = what->severity;
    if (tally) s->tallied = true;
    if (tally && what->severity > tally->worst) tally->worst = (uint8_t)what->severity;
    size_t steps = path_length(what->node);
    for (size_t i = *head; i != NO_RECORD; i = s->verdict.records[i].next) {
        bzr__record *r = &s->verdict.records[i];
        if (r->finding.span.end + PIECE_MAX < s->base) break; /* so are all before it: the chain need not grow with the input */
        if (!overlaps(r->finding.span, origin)) continue;
        bool graver = what->severity > r->finding.severity || (what->severity == r->finding.severity && steps < r->finding.path_n);
        if (graver) fill(s, r, what, origin);
        return;
    }
    s->verdict.total++;
    if (tally && tally->kept >= BZR__LIMIT_RULE_FINDINGS) return;
    if (tally) tally->kept++; /* also where none is kept any more: a full verdict must not make the rest slower */
    if (s->verdict.n >= BZR__LIMIT_FINDINGS) {
        bzr__incomplete(s, BZR_MATCH_LIMIT);
        return;
    }
    bzr__record *r = record_new(s, head);
    if (r) fill(s, r, what, origin);
}

/* The gravest that a match in this node can be. A match that is smuggled counts as hidden. */
static bzr_severity gravest(const bzr__rule *rule, const bzr__node *node, const bzr__view *view) {
    bool plain = !(node->flags & (BZR__NODE_HIDDEN | BZR__NODE_ENCODED | BZR__NODE_SMUGGLED)) && !(view && view->dropped);
    bzr_severity hidden = rule->hidden_severity != BZR_NONE ? rule->hidden_severity : BZR_HIGH;
    return plain || rule->severity > hidden ? rule->severity : hidden;
}

bool bzr__report_rule(bzr_scanner *s, unsigned set, uint32_t rule, const bzr__node *node, const bzr__view *view, bzr_span at, bool doubtful) {
    const bzr__rule *info = &s->engine->rules[set][rule];
    if (info->scope == BZR_STRICT && !s->strict) return true;
    if (set == BZR__SET_BUILTIN && s->engine->replaced[rule]) return true;
    bzr_severity severity = bzr__judge(s, info, node, view, at);
    if (severity == BZR_NONE) return false;
    if (severity > BZR_MEDIUM && (doubtful || bzr__is_doubtful(node))) severity = BZR_MEDIUM;
    report what = { info->id, info->family, info->why, severity, node, at, { NULL, 0 } };
    if (view) {
        what.matched = bzr__str_part(bzr__buf_str(&view->text), at.start, at.end);
        what.at = bzr__offmap_back(&view->map, at);
    }
    bzr__tally *tally = &s->tallies[set][rule];
    add(s, &s->heads[set][rule], tally, &what);
    return tally->kept >= BZR__LIMIT_RULE_FINDINGS && tally->worst >= gravest(info, node, view);
}

void bzr__report_why(bzr_scanner *s, const char *id, const bzr__node *node, bzr_span at, bzr_severity severity, const char *why) {
    size_t i;
    const bzr__builtin *b = bzr__builtin_find(id, &i);
    if (!b || severity == BZR_NONE || i >= sizeof s->builtin_heads / sizeof *s->builtin_heads) return;
    report what = { b->id, b->family, why, severity, node, at, { NULL, 0 } };
    add(s, &s->builtin_heads[i], NULL, &what);
}

void bzr__report_builtin(bzr_scanner *s, const char *id, const bzr__node *node, bzr_span at, bzr_severity severity) {
    size_t i;
    const bzr__builtin *b = bzr__builtin_find(id, &i);
    if (b) bzr__report_why(s, id, node, at, severity, b->why);
}

static int by_place(const void *a, const void *b) {
    const bzr_finding *x = a, *y = b;
    if (x->span.start != y->span.start) return x->span.start < y->span.start ? -1 : 1;
    if (x->span.end != y->span.end) return x->span.end < y->span.end ? -1 : 1;
    return strcmp(x->rule, y->rule);
}

bzr_status bzr__verdict_finish(bzr_scanner *s) {
    struct bzr_verdict *v = &s->verdict;
    if (!v->n) return BZR_OK;
    bzr_finding *sorted = realloc(v->findings, v->n * sizeof *sorted);
    if (!sorted) return BZR_E_NOMEM;
    v->findings = sorted;
    for (size_t i = 0; i < v->n; i++) {
        sorted[i] = v->records[i].finding;
        sorted[i].path = v->records[i].path;
    }
    qsort(sorted, v->n, sizeof *sorted, by_place);
    return BZR_OK;
}
