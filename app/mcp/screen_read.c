/* screen_read.c - judges the strings of a value: together first, each by itself only where that found something.
 *
 * A rule that matches in a part of a text matches in the text, if perhaps less gravely (a quotation may begin before
 * the part), so what is clean together is clean alone. The learned model weighs a text as a whole, so strings as long
 * as a sentence are also scanned by themselves. What is read together is the strings in order, a line each; the same
 * with nothing between what may be parts of one word; with the names of members between them; and those that are no
 * prose, such as addresses, by themselves. Of a long string only both ends are read with its neighbors. So a clean
 * value costs little more than one scan of its text. */
#include "app/host/origin.h"
#include "app/mcp/screen_internal.h"

#include <stdlib.h>

enum {
    SENTENCE = 64, /* bytes of a string that is scanned by itself */
    LONG = 768,    /* ... of which only the ends are read with its neighbors */
    END = 320,
    FEW = 3, /* strings that the learned model may take for one text */
};

typedef struct toad__segment {
    size_t at, leaf, from, n; /* offset in the joined text; which bytes of which leaf */
} segment;

typedef enum joint { LINES, TORN, NAMES, ASIDE } joint;

typedef struct judging {
    toad__screen *s;
    toad_kind kind;
    joint how;
    bool details; /* note what was found; else only that something was */
    bool found;
    bool excepts; /* what was found may be excepted */
    bool glued;   /* words were put together in what is joined now */
} judging;

static toad_kind kind_of(toad__mcp_what what) {
    switch (what) {
    case TOAD__MCP_VALUE_SERVER:
    case TOAD__MCP_VALUE_TOOLS:
    case TOAD__MCP_VALUE_PROMPTS:
    case TOAD__MCP_VALUE_RESOURCES:
    case TOAD__MCP_VALUE_TEMPLATES: return TOAD_KIND_TOOL_DESCRIPTION;
    default: return TOAD_KIND_TOOL_RESULT;
    }
}

/* ---- findings ---- */

static toad_status keep_findings(judging *j, const toad_verdict *v) {
    toad__reading *r = &j->s->reading;
    toad__buf json;
    if (toad_verdict_severity(v) <= r->findings_of) return TOAD_OK;
    toad__buf_init(&json, TOAD__SCREEN_OUT);
    toad__findings_left(&r->excepted, v, &json);
    toad_str copy = json.status ? toad__str(NULL, 0) : toad__arena_dup(&j->s->arena, toad__buf_str(&json));
    toad_status status = json.status ? json.status : copy.p ? TOAD_OK : TOAD_E_NOMEM;
    toad__buf_free(&json);
    if (status) return status;
    r->findings = copy;
    r->findings_of = toad_verdict_severity(v);
    return TOAD_OK;
}

static toad_status keep_rule_in(judging *j, const toad_finding *f, toad__known_rule *rules, size_t *n) {
    size_t i = 0;
    while (i < *n && strcmp(rules[i].rule, f->rule) != 0) i++;
    if (i < *n) {
        if (f->severity > rules[i].severity) rules[i].severity = f->severity;
        return TOAD_OK;
    }
    toad_str rule = toad__arena_dup(&j->s->arena, toad__str_z(f->rule)),
             family = toad__arena_dup(&j->s->arena, toad__str_z(f->family));
    if (!rule.p || !family.p) return TOAD_E_NOMEM;
    if (*n < TOAD__SCREEN_RULES)
        ++*n;
    else if (rules[--i].severity >= f->severity)
        return TOAD_OK;
    rules[i] = (toad__known_rule){ rule.p, family.p, f->severity };
    return TOAD_OK;
}

static toad_status keep_rule(judging *j, const toad_finding *f) {
    return keep_rule_in(j, f, j->s->reading.rules, &j->s->reading.n_rules);
}

/* What the user excepted here is told of, and does not count. */
static toad_status lift(judging *j, const toad_finding *f) {
    return keep_rule_in(j, f, j->s->reading.lifted, &j->s->reading.n_lifted);
}

/* The learned model says that it is somewhere in there. */
static bool is_vague(const toad_finding *f) { return !strcmp(f->rule, "learned_injection"); }

static toad_status add_mark(judging *j, size_t leaf, size_t start, size_t end, const toad_finding *f) {
    toad__reading *r = &j->s->reading;
    if (f->severity > r->leaves[leaf].severity) r->leaves[leaf].severity = f->severity;
    if (r->n_marks == r->cap_marks) {
        size_t cap = r->cap_marks ? 2 * r->cap_marks : 32;
        toad__mark *more = realloc(r->marks, cap * sizeof *more);
        if (!more) return TOAD_E_NOMEM;
        r->marks = more;
        r->cap_marks = cap;
    }
    r->marks[r->n_marks++] = (toad__mark){ leaf, start, end, f->severity, is_vague(f) };
    return TOAD_OK;
}

/* The first segment that ends behind `at`. */
static size_t segment_at(const toad__screen *s, size_t at) {
    size_t lo = 0, hi = s->n_segments;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (s->segments[mid].at + s->segments[mid].n <= at)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

/* Does a finding in the joined text say more than the strings by themselves do? Not if it stands in one of them: that
 * was seen, and what its neighbors make of it (an open comment, a quotation) is an accident of the joining. Nor if one
 * of them is as bad by itself: what follows a flagged string is not yet part of it. The learned model is not asked what
 * it makes of many short strings: a list of titles is no text. */
static bool says_more(const judging *j, const toad_finding *f, size_t first, size_t end) {
    const toad__screen *s = j->s;
    bool explained = end - first < 2 || (end - first > FEW && is_vague(f));
    for (size_t i = first; i < end; i++) explained |= s->reading.leaves[s->segments[i].leaf].severity >= f->severity;
    return !explained;
}

/* A finding in the joined text belongs to every string that it touches. */
static toad_status take_finding(judging *j, const toad_finding *f) {
    toad__screen *s = j->s;
    if (j->excepts && toad__is_excepted(&s->reading.excepted, f->rule)) return lift(j, f);
    size_t first = segment_at(s, f->span.start), end = first;
    while (end < s->n_segments && s->segments[end].at < f->span.end) end++;
    if (s->n_segments > 1 && !says_more(j, f, first, end)) return TOAD_OK;
    toad_status status = first < end ? keep_rule(j, f) : TOAD_OK;
    for (size_t i = first; i < end && !status; i++) {
        const segment *g = &s->segments[i];
        size_t from = f->span.start > g->at ? (size_t)f->span.start - g->at : 0;
        size_t to = f->span.end < g->at + g->n ? (size_t)f->span.end - g->at : g->n;
        status = add_mark(j, g->leaf, g->from + from, g->from + to, f);
    }
    return status;
}

static void take_completeness(judging *j, toad_completeness completeness) {
    toad__screen *s = j->s;
    if (completeness == TOAD_FULL) return;
    s->reading.completeness = completeness;
    for (size_t i = 0; i < s->n_segments; i++) s->reading.leaves[s->segments[i].leaf].completeness = completeness;
}

/* Scan what was joined. */
static toad_status scan(judging *j) {
    const toad_verdict *v;
    if (!j->s->n_segments) return TOAD_OK;
    if (j->s->joined.status) return j->s->joined.status;
    toad_status status = toad__host_scan(j->s->host, toad__buf_str(&j->s->joined), j->kind, &v);
    if (status) return status;
    j->found |= toad_verdict_severity(v) != TOAD_NONE || toad_verdict_completeness(v) != TOAD_FULL;
    if (!j->details) return TOAD_OK;
    take_completeness(j, toad_verdict_completeness(v));
    bool any = false;
    j->excepts = toad__is_listed_whole(v);
    for (size_t i = 0; i < toad_verdict_count(v) && !status; i++, any = true)
        status = take_finding(j, toad_verdict_finding(v, i));
    return !status && any ? keep_findings(j, v) : status;
}

/* ---- joining ---- */

static void begin(judging *j) {
    toad__buf_clear(&j->s->joined);
    j->s->n_segments = 0;
    j->glued = false;
}

static bool is_letter(int c) { return toad__is_alpha(c) || c >= 0x80; }

/* Can one word have been torn into the end of `a` and the start of `b`? */
static bool is_torn(toad_str a, toad_str b) {
    int left = a.n ? (unsigned char)a.p[a.n - 1] : 0, right = b.n ? (unsigned char)b.p[0] : 0;
    return is_letter(left) && is_letter(right) && (!toad__is_upper(right) || toad__is_upper(left));
}

static void separate(judging *j, toad_str next) {
    toad__screen *s = j->s;
    if (!s->n_segments) return;
    bool glue = j->how == TORN && is_torn(toad__buf_str(&s->joined), next);
    if (!glue) toad__buf_add_c(&s->joined, '\n');
    j->glued |= glue;
}

static toad_status append(judging *j, size_t leaf, size_t from, size_t n) {
    toad__screen *s = j->s;
    if (s->n_segments == s->cap_segments) {
        size_t cap = s->cap_segments ? 2 * s->cap_segments : 64;
        segment *more = realloc(s->segments, cap * sizeof *more);
        if (!more) return TOAD_E_NOMEM;
        s->segments = more;
        s->cap_segments = cap;
    }
    separate(j, toad__str_part(s->reading.leaves[leaf].text, from, from + n));
    s->segments[s->n_segments++] = (segment){ s->joined.n, leaf, from, n };
    toad__buf_add(&s->joined, s->reading.leaves[leaf].text.p + from, n);
    return TOAD_OK;
}

static toad_status scan_alone(judging *j, size_t leaf) {
    begin(j);
    toad_status status = append(j, leaf, 0, j->s->reading.leaves[leaf].text.n);
    return status ? status : scan(j);
}

/* A stretch of short strings between two long ones. One string is no joint; of that between long ones, its scan alone
 * is enough, but what is short is scanned nowhere else. */
static toad_status finish(judging *j) {
    toad__screen *s = j->s;
    if (j->how == TORN && !j->glued) return TOAD_OK;
    if (s->n_segments == 1) {
        const toad__leaf *l = &s->reading.leaves[s->segments[0].leaf];
        if (l->text.n > SENTENCE || (j->how != LINES && !l->key)) return TOAD_OK;
    }
    return scan(j);
}

static bool is_part(const toad__leaf *l, joint how) {
    return l->text.n && (how == ASIDE ? l->aside : l->joined && (!l->key || how == NAMES));
}

static toad_status scan_joined(judging *j) {
    toad__screen *s = j->s;
    toad_status status = TOAD_OK;
    begin(j);
    for (size_t i = 0; i < s->reading.n && !status; i++) {
        const toad__leaf *l = &s->reading.leaves[i];
        if (!is_part(l, j->how)) continue;
        bool is_long = l->text.n > LONG;
        status = append(j, i, 0, is_long ? END : l->text.n);
        if (status || !is_long) continue;
        status = finish(j);
        begin(j);
        if (!status) status = append(j, i, l->text.n - END, END);
    }
    return status ? status : finish(j);
}

static bool is_single(const toad__leaf *l, bool all) {
    return l->text.n && (all || !l->joined || l->text.n > SENTENCE);
}

static toad_status scan_singles(judging *j, bool all) {
    toad_status status = TOAD_OK;
    j->how = LINES;
    for (size_t i = 0; i < j->s->reading.n && !status; i++)
        if (is_single(&j->s->reading.leaves[i], all)) status = scan_alone(j, i);
    return status;
}

static toad_status scan_all_ways(judging *j) {
    toad_status status = TOAD_OK;
    for (j->how = LINES; j->how <= ASIDE && !status; j->how++)
        if (j->how != NAMES || j->s->reading.keys) status = scan_joined(j);
    return status;
}

/* ---- all of it ---- */

static void clear(toad__reading *r) {
    for (size_t i = 0; i < r->n; i++) {
        r->leaves[i].severity = TOAD_NONE;
        r->leaves[i].completeness = TOAD_FULL;
        r->leaves[i].treatment = TOAD__TREAT_NONE;
    }
    r->n_marks = r->n_rules = r->n_lifted = 0;
    r->excepted = (toad__excepted){ .n = 0 };
    r->severity = r->findings_of = TOAD_NONE;
    r->completeness = TOAD_FULL;
    r->findings = TOAD__S("[]");
}

/* A store that fails excepts nothing. */
static void look_up(toad__screen *s, const toad__screen_in *in) {
    toad_str source;
    toad__origin origin;
    if (toad__screen_source(s, in, &source) || toad__origin_of(source, &s->arena, &origin) ||
        toad__excepted_at(s->host, origin.url, origin.domain, &s->arena, &s->reading.excepted))
        s->reading.excepted = (toad__excepted){ .n = 0 };
}

toad_status toad__screen_read(toad__screen *s, const toad__screen_in *in, const toad__json *schema, bool known) {
    judging j = { .s = s, .kind = in->reads_as ? in->reads_as : kind_of(in->what) };
    toad_status status = toad__screen_collect(s, in, schema, known);
    clear(&s->reading);
    if (!status) status = scan_singles(&j, false);
    if (!status) status = scan_all_ways(&j);
    if (status || !j.found) return status;
    j.details = true;
    look_up(s, in);
    status = scan_singles(&j, true);
    if (!status) status = scan_all_ways(&j);
    for (size_t i = 0; i < s->reading.n; i++)
        if (s->reading.leaves[i].severity > s->reading.severity) s->reading.severity = s->reading.leaves[i].severity;
    return status;
}

void toad__screen_body(const toad__screen *s, toad__buf *out) {
    for (size_t i = 0; i < s->reading.n; i++) {
        toad__buf_add_str(out, s->reading.leaves[i].text);
        toad__buf_add_c(out, '\n');
    }
}

void toad__reading_free(toad__screen *s) {
    free(s->reading.leaves);
    free(s->reading.marks);
    free(s->segments);
    toad__buf_free(&s->joined);
}
