/* render_text.c - verdicts for people, in the manner of compilers: place, severity, rule, the words, why.
 *
 * Findings that begin in the same words are shown as one, the gravest first, the other rules named below it: several
 * rules often see one attack. Names and excerpts are a stranger's: names are escaped here, excerpts were escaped by the
 * library. */
#include "face/cli/out.h"
#include "face/cli/render.h"
#include "lib/base/str.h"

static const char *const severity_colors[] = { "", "\x1b[36m", "\x1b[33m", "\x1b[1;31m" };

static void paint(bzr__buf *b, const rendering *r, const char *color, bzr_str text) {
    if (r->color) bzr__buf_add_z(b, color);
    bzr__buf_add_str(b, text);
    if (r->color) bzr__buf_add_z(b, "\x1b[0m");
}

static void add_place(bzr__buf *b, const rendering *r, size_t i) {
    if (r->color) bzr__buf_add_z(b, "\x1b[1m");
    cli_add_safe(b, r->name);
    if (r->color) bzr__buf_add_z(b, "\x1b[0m");
    bzr__buf_add_c(b, ':');
    if (r->places[2 * i].line) {
        bzr__buf_add_u64(b, r->places[2 * i].line);
        bzr__buf_add_c(b, ':');
        bzr__buf_add_u64(b, r->places[2 * i].column);
    } else {
        bzr__buf_add_z(b, "byte ");
        bzr__buf_add_u64(b, bzr_verdict_finding(r->verdict, i)->span.start);
    }
    bzr__buf_add_z(b, ": ");
}

static void add_quote(bzr__buf *b, const rendering *r, const char *mark, bzr_str text, size_t most) {
    if (!text.n) return;
    bzr__buf_add_z(b, "    ");
    paint(b, r, "\x1b[2m", bzr__str_z(mark));
    bzr__buf_add_str(b, bzr__str_part(text, 0, most));
    bzr__buf_add_z(b, text.n > most ? "...\n" : "\n");
}

/* The gravest finding of a group speaks for it; then the one the catalogue lists first. */
static bool speaks_before(const bzr_finding *f, const bzr_finding *than) {
    if (f->severity != than->severity) return f->severity > than->severity;
    return bzr__rule_rank(f->rule) < bzr__rule_rank(than->rule);
}

/* Where a group of findings that begin in the same words ends: all begin before the shortest of them is over. */
static size_t group_end(const bzr_verdict *v, size_t from, size_t *ret_lead) {
    uint64_t end = UINT64_MAX;
    size_t i = from;
    *ret_lead = from;
    for (; i < bzr_verdict_count(v); i++) {
        const bzr_finding *f = bzr_verdict_finding(v, i);
        if (f->span.start >= end) break;
        if (f->span.end < end) end = f->span.end;
        if (speaks_before(f, bzr_verdict_finding(v, *ret_lead))) *ret_lead = i;
    }
    return i;
}

static void add_others(bzr__buf *b, const rendering *r, size_t from, size_t to, size_t lead) {
    const char *said = bzr_verdict_finding(r->verdict, lead)->rule, *before = "    + ";
    for (size_t i = from; i < to; i++) {
        const char *rule = bzr_verdict_finding(r->verdict, i)->rule;
        bool repeated = !strcmp(rule, said);
        for (size_t k = from; k < i && !repeated; k++)
            repeated = !strcmp(rule, bzr_verdict_finding(r->verdict, k)->rule);
        if (repeated) continue;
        bzr__buf_add_z(b, before);
        bzr__buf_add_z(b, rule);
        before = ", ";
    }
    if (*before == ',') bzr__buf_add_c(b, '\n');
}

/* A spelling that nobody can read is cut short, above all where the words it hid stand below it. */
#define DISGUISE_MAX 60

static bool is_readable(bzr_str escaped) {
    size_t escapes = 0;
    for (size_t at = 0; (at = bzr__str_find(escaped, BZR__S("\\u"), at)) < escaped.n; at += 2) escapes++;
    return 12 * escapes <= escaped.n;
}

static void add_group(bzr__buf *b, const rendering *r, size_t from, size_t to, size_t lead) {
    const bzr_finding *f = bzr_verdict_finding(r->verdict, lead);
    add_place(b, r, lead);
    paint(b, r, severity_colors[f->severity & 3], bzr__str_z(bzr_severity_name(f->severity)));
    bzr__buf_add_c(b, ' ');
    bzr__buf_add_z(b, f->rule);
    for (size_t k = 0; k < f->path_n; k++) {
        bzr__buf_add_z(b, k ? " > " : " [");
        bzr__buf_add_z(b, f->path[k]);
    }
    bzr__buf_add_z(b, f->path_n ? "]\n" : "\n");
    bool disguised = f->decoded.n && !bzr__str_eq(f->decoded, f->excerpt);
    add_quote(b, r, "| ", f->excerpt, disguised || !is_readable(f->excerpt) ? DISGUISE_MAX : SIZE_MAX);
    if (disguised) add_quote(b, r, "> ", f->decoded, SIZE_MAX);
    add_quote(b, r, "= ", bzr__str_z(f->why), SIZE_MAX);
    add_others(b, r, from, to, lead);
}

void render_text(bzr__buf *b, const rendering *r) {
    size_t n = bzr_verdict_count(r->verdict);
    for (size_t i = 0, lead, next; i < n; i = next) {
        next = group_end(r->verdict, i, &lead);
        add_group(b, r, i, next, lead);
    }
    if (bzr_verdict_total(r->verdict) > n) {
        cli_add_safe(b, r->name);
        bzr__buf_add_z(b, ": ");
        bzr__buf_add_u64(b, bzr_verdict_total(r->verdict) - n);
        bzr__buf_add_z(b, " further findings are only counted\n");
    }
    if (bzr_verdict_completeness(r->verdict) == BZR_FULL) return;
    cli_add_safe(b, r->name);
    bzr__buf_add_z(b, ": ");
    paint(b, r, "\x1b[33m", BZR__S("incomplete scan"));
    bzr__buf_add_z(b, ": ");
    bzr__buf_add_z(b, bzr_completeness_name(bzr_verdict_completeness(r->verdict)));
    bzr__buf_add_c(b, '\n');
}
