/* finding.c - from a match in some view to one finding in the original bytes.
 *
 * The same words are often met twice: raw and as visible text, in both views, in the overlap of two pieces. Two
 * findings of one rule whose spans overlap are one; the graver wins, then the shorter path. Records of a rule are
 * chained, at most TOAD__LIMIT_RULE_FINDINGS of them per piece are kept, so a flood of findings costs a counter each.
 */
#include "lib/base/json.h"
#include "lib/base/str.h"
#include "lib/base/utf8.h"
#include "lib/scan/scanner.h"

#include <assert.h>
#include <stdlib.h>

#define NO_RECORD SIZE_MAX

/* No rule has a record. */
void toad__records_forget(toad_scanner *s) {
    for (unsigned set = 0; set < TOAD__SETS; set++)
        for (size_t i = 0; s->heads[set] && i < s->engine->counts[set]; i++) s->heads[set][i] = NO_RECORD;
    for (size_t i = 0; i < sizeof s->builtin_heads / sizeof *s->builtin_heads; i++) s->builtin_heads[i] = NO_RECORD;
}

void toad__verdict_begin(struct toad_verdict *v) {
    v->n = 0;
    v->total = v->bytes = 0;
    v->score = 0;
    v->severity = TOAD_NONE;
    v->completeness = TOAD_FULL;
    if (v->arena.blocks) toad__arena_free(&v->arena);
}

void toad__incomplete(toad_scanner *s, toad_completeness why) {
    if (s->verdict.completeness == TOAD_FULL) s->verdict.completeness = why;
}

toad_span toad__node_origin(const toad__node *node, toad_span at) {
    assert(at.start <= at.end && at.end <= node->text.n);
    for (; node->parent; node = node->parent) at = toad__offmap_back(&node->map, at);
    return at;
}

/* Escaped to ASCII, at most TOAD__LIMIT_EXCERPT bytes of source, on a code point border; an ellipsis where it was cut.
 */
static toad_str escape(toad_scanner *s, toad_str text) {
    bool cut = text.n > TOAD__LIMIT_EXCERPT;
    if (cut) text = toad__str_part(text, 0, toad__utf8_floor(text, TOAD__LIMIT_EXCERPT));
    toad__buf out;
    toad__buf_init(&out, 8 * TOAD__LIMIT_EXCERPT + 16);
    toad__json_add_str(&out, text);
    toad_str body = out.status ? toad__str("", 0) : toad__str_part(toad__buf_str(&out), 1, out.n - 1);
    char *copy = toad__arena_alloc(&s->verdict.arena, body.n + (cut ? 3 : 0));
    if (copy && body.n) memcpy(copy, body.p, body.n);
    if (copy && cut) memcpy(copy + body.n, "...", 3);
    toad_str ret = copy ? toad__str(copy, body.n + (cut ? 3 : 0)) : toad__str("", 0);
    toad__buf_free(&out);
    return ret;
}

static size_t path_of(const toad__node *node, toad_span at, const char *path[TOAD__PATH_MAX]) {
    const char *steps[TOAD__PATH_MAX];
    size_t n = 0;
    for (; node && node->parent && n < TOAD__PATH_MAX; node = node->parent) {
        steps[n] = node->step->name;
        for (size_t i = 0; i < node->pieces_n; i++)
            if (node->pieces[i].start <= at.start && at.start < node->pieces[i].end)
                steps[n] = toad__hidden_name(node->pieces[i].reason);
        n++;
        at = toad__offmap_back(&node->map, at);
    }
    for (size_t i = 0; i < n; i++) path[i] = steps[n - 1 - i];
    return n;
}

/* An empty span (a decoder that could not say where) overlaps what begins at the same place. */
static bool overlaps(toad_span a, toad_span b) { return (a.start < b.end && b.start < a.end) || a.start == b.start; }

static toad__record *record_new(struct toad_verdict *v) {
    assert(v->n < TOAD__LIMIT_FINDINGS);
    if (v->n == v->cap) {
        size_t cap = v->cap ? v->cap * 2 : 16;
        toad__record *records = realloc(v->records, cap * sizeof *records);
        if (!records) return NULL;
        v->records = records;
        v->cap = cap;
    }
    return &v->records[v->n++];
}

typedef struct report {
    const char *rule, *family, *why;
    toad_severity severity, plain; /* `plain`: if nothing lowered it; or TOAD_NONE */
    const toad__node *node;
    toad_span at;     /* in the node's text */
    toad_str matched; /* the folded words; empty for none */
    bool act;         /* no mere cue: toad__acts_note is told */
} report;

static void fill(toad_scanner *s, toad__record *r, const report *what, toad_span origin) {
    toad_span local = { origin.start - s->base, origin.end - s->base };
    toad_finding *f = &r->finding;
    r->plain = what->plain;
    *f = (toad_finding){ what->rule, what->family, what->severity, origin, NULL, 0, { "", 0 }, { "", 0 }, what->why };
    f->path_n = path_of(what->node, what->at, r->path);
    f->excerpt = escape(s, toad__str_part(s->piece, local.start, local.end));
    if (what->node->parent)
        f->decoded = escape(s, toad__str_part(what->node->text, what->at.start, what->at.end));
    else if (what->matched.n && !toad__sanitize_is_clean(toad__str_part(s->piece, local.start, local.end)))
        f->decoded = escape(s, what->matched);
}

static size_t path_length(const toad__node *node) {
    size_t n = 0;
    for (; node->parent; node = node->parent) n++;
    return n;
}

/* `tally` is NULL for findings of C code, which are few. */
static void add(toad_scanner *s, size_t *head, toad__tally *tally, const report *what) {
    toad_span origin = toad__node_origin(what->node, what->at);
    if (what->act) toad__acts_note(s, what->family, origin, what->plain == TOAD_HIGH && what->severity < TOAD_HIGH);
    origin.start += s->base;
    origin.end += s->base;
    if (what->severity > s->verdict.severity) s->verdict.severity = what->severity;
    if (tally) s->tallied = true;
    if (tally && what->severity > tally->worst) tally->worst = (uint8_t)what->severity;
    size_t steps = path_length(what->node);
    for (size_t i = *head; i != NO_RECORD; i = s->verdict.records[i].next) {
        toad__record *r = &s->verdict.records[i];
        if (!overlaps(r->finding.span, origin)) continue;
        bool graver = what->severity > r->finding.severity ||
                      (what->severity == r->finding.severity && steps < r->finding.path_n);
        if (graver) fill(s, r, what, origin);
        return;
    }
    s->verdict.total++;
    if (tally && tally->kept >= TOAD__LIMIT_RULE_FINDINGS) return;
    if (tally) tally->kept++; /* also where none is kept any more: a full verdict must not make the rest slower */
    if (s->verdict.n >= TOAD__LIMIT_FINDINGS) {
        toad__incomplete(s, TOAD_MATCH_LIMIT);
        return;
    }
    toad__record *r = record_new(&s->verdict);
    if (!r) {
        s->status = TOAD_E_NOMEM;
        return;
    }
    fill(s, r, what, origin);
    r->next = *head;
    *head = s->verdict.n - 1;
    s->listed = true;
}

/* The gravest that a match in this node can be. A match that is smuggled counts as hidden. */
static toad_severity gravest(const toad__rule *rule, const toad__node *node, const toad__view *view) {
    bool plain =
        !(node->flags & (TOAD__NODE_HIDDEN | TOAD__NODE_ENCODED | TOAD__NODE_SMUGGLED)) && !(view && view->dropped);
    toad_severity hidden = rule->hidden_severity != TOAD_NONE ? rule->hidden_severity : TOAD_HIGH;
    return plain || rule->severity > hidden ? rule->severity : hidden;
}

/* Does all of the node's text come from where the span does? Then whatever else is found in it is the same finding. */
static bool is_whole(const toad__node *node, toad_span at) {
    if (!node->parent) return false;
    toad_span here = toad__node_origin(node, at), all = toad__node_origin(node, (toad_span){ 0, node->text.n });
    return here.start == all.start && here.end == all.end;
}

bool toad__report_rule(toad_scanner *s, unsigned set, uint32_t rule, const toad__node *node, const toad__view *view,
                       toad_span at, bool doubtful) {
    const toad__rule *info = &s->engine->rules[set][rule];
    if (info->scope == TOAD_STRICT && !s->strict) return true;
    if (set == TOAD__SET_BUILTIN && s->engine->replaced[rule]) return true;
    toad_severity plain, severity = toad__judge(s, info, node, view, at, &plain);
    if (severity == TOAD_NONE) return false;
    toad_severity limit = doubtful || toad__is_doubtful(node) ? TOAD_MEDIUM : TOAD_HIGH;
    if (severity > limit) severity = limit;
    if (plain > limit) plain = limit;
    report what = { info->id, info->family, info->why, severity, plain, node, at, { NULL, 0 }, false };
    what.act = info->severity >= TOAD_MEDIUM && info->scope == TOAD_RELAXED;
    if (view) {
        what.matched = toad__str_part(toad__buf_str(&view->text), at.start, at.end);
        what.at = toad__offmap_back(&view->map, at);
    }
    toad__tally *tally = &s->tallies[set][rule];
    add(s, &s->heads[set][rule], tally, &what);
    toad_severity most = gravest(info, node, view);
    if (most > limit) most = limit;
    return (tally->kept >= TOAD__LIMIT_RULE_FINDINGS && tally->worst >= most) ||
           (severity >= most && is_whole(node, what.at));
}

void toad__report_why(toad_scanner *s, const char *id, const toad__node *node, toad_span at, toad_severity severity,
                      const char *why) {
    size_t i;
    const toad__builtin *b = toad__builtin_find(id, &i);
    if (!b || severity == TOAD_NONE || i >= sizeof s->builtin_heads / sizeof *s->builtin_heads) return;
    report what = { b->id, b->family, why, severity, TOAD_NONE, node, at, { NULL, 0 }, severity >= TOAD_MEDIUM };
    add(s, &s->builtin_heads[i], NULL, &what);
}

void toad__report_builtin(toad_scanner *s, const char *id, const toad__node *node, toad_span at,
                          toad_severity severity) {
    size_t i;
    const toad__builtin *b = toad__builtin_find(id, &i);
    if (b) toad__report_why(s, id, node, at, severity, b->why);
}

/* Excerpts, and what the model says, lie in the arena of the piece's verdict. */
static void copy_record(struct toad_verdict *v, toad__record *to, const toad__record *from) {
    toad_finding *f = &to->finding;
    *to = *from;
    f->excerpt = toad__arena_dup(&v->arena, f->excerpt);
    f->decoded = toad__arena_dup(&v->arena, f->decoded);
    if (!f->excerpt.p) f->excerpt = TOAD__S("");
    if (!f->decoded.p) f->decoded = TOAD__S("");
    if (strcmp(f->family, "learned") != 0) return;
    toad_str why = toad__arena_dup(&v->arena, toad__str_z(f->why));
    f->why = why.p ? why.p : "The text reads like an attack.";
}

static toad_status merge_record(struct toad_verdict *v, const toad__record *record) {
    const toad_finding *f = &record->finding;
    for (size_t i = v->n; i-- > 0;) {
        toad_finding *known = &v->records[i].finding;
        if (known->rule != f->rule || !overlaps(known->span, f->span)) continue;
        bool graver = f->severity > known->severity || (f->severity == known->severity && f->path_n < known->path_n);
        if (graver) copy_record(v, &v->records[i], record);
        return TOAD_OK;
    }
    v->total++;
    if (v->n >= TOAD__LIMIT_FINDINGS) {
        if (v->completeness == TOAD_FULL) v->completeness = TOAD_MATCH_LIMIT;
        return TOAD_OK;
    }
    toad__record *r = record_new(v);
    if (!r) return TOAD_E_NOMEM;
    copy_record(v, r, record);
    return TOAD_OK;
}

toad_status toad__verdict_merge(struct toad_verdict *v, struct toad_verdict *piece) {
    toad_status status = TOAD_OK;
    if (piece->severity > v->severity) v->severity = piece->severity;
    if (piece->score > v->score) v->score = piece->score;
    if (v->completeness == TOAD_FULL) v->completeness = piece->completeness;
    v->total += piece->total - piece->n; /* counted, not listed */
    if (!v->n) {                         /* nearly every text: what the piece says is what the text says */
        struct toad_verdict was = *v;
        v->total += piece->n;
        v->n = piece->n;
        v->cap = piece->cap;
        v->records = piece->records;
        v->arena = piece->arena;
        piece->n = 0;
        piece->cap = was.cap;
        piece->records = was.records;
        piece->arena = was.arena;
        return TOAD_OK;
    }
    for (size_t i = 0; i < piece->n && !status; i++) status = merge_record(v, &piece->records[i]);
    return status;
}

static int by_place(const void *a, const void *b) {
    const toad_finding *x = a, *y = b;
    if (x->span.start != y->span.start) return x->span.start < y->span.start ? -1 : 1;
    if (x->span.end != y->span.end) return x->span.end < y->span.end ? -1 : 1;
    return strcmp(x->rule, y->rule);
}

toad_status toad__verdict_finish(struct toad_verdict *v) {
    if (!v->n) return TOAD_OK;
    toad_finding *sorted = realloc(v->findings, v->n * sizeof *sorted);
    if (!sorted) return TOAD_E_NOMEM;
    v->findings = sorted;
    for (size_t i = 0; i < v->n; i++) {
        sorted[i] = v->records[i].finding;
        sorted[i].path = v->records[i].path;
    }
    qsort(sorted, v->n, sizeof *sorted, by_place);
    return TOAD_OK;
}
