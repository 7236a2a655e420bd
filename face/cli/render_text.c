/* render_text.c - verdicts for people, in the manner of compilers: place, severity, rule, the words, why.
 *
 * Findings that begin in the same words are shown as one, the gravest first, the other rules named below it: several
 * rules often see one attack. Names and excerpts are a stranger's: names are escaped here, excerpts were escaped by the
 * library. */
#include "face/cli/out.h"
#include "face/cli/render.h"
#include "lib/base/str.h"

#include <stdlib.h>

static const char *const severity_colors[] = { "", "\x1b[36m", "\x1b[33m", "\x1b[1;31m" };

static void paint(toad__buf *b, const rendering *r, const char *color, toad_str text) {
    if (r->color) toad__buf_add_z(b, color);
    toad__buf_add_str(b, text);
    if (r->color) toad__buf_add_z(b, "\x1b[0m");
}

static void add_place(toad__buf *b, const rendering *r, const toad__reported *row) {
    if (r->color) toad__buf_add_z(b, "\x1b[1m");
    cli_add_safe(b, r->name);
    if (r->color) toad__buf_add_z(b, "\x1b[0m");
    toad__buf_add_c(b, ':');
    if (row->from.line) {
        toad__buf_add_u64(b, row->from.line);
        toad__buf_add_c(b, ':');
        toad__buf_add_u64(b, row->from.column);
    } else {
        toad__buf_add_z(b, "byte ");
        toad__buf_add_u64(b, row->finding->span.start);
    }
    toad__buf_add_z(b, ": ");
}

/* " (comment, source code)": what the words stand in. */
static void add_standing(toad__buf *b, const rendering *r, const toad__reported *row) {
    const char *in = toad__standing_name(row->standing);
    bool other = r->report->artifact == TOAD__ARTIFACT_OTHER;
    if (!r->judged || (other && !*in)) return;
    toad__buf_add_z(b, " (");
    toad__buf_add_z(b, in);
    if (*in && !other) toad__buf_add_z(b, ", ");
    if (!other) toad__buf_add_z(b, toad__artifact_title(r->report->artifact));
    toad__buf_add_c(b, ')');
}

static void add_quote(toad__buf *b, const rendering *r, const char *mark, toad_str text, size_t most) {
    if (!text.n) return;
    toad__buf_add_z(b, "    ");
    paint(b, r, "\x1b[2m", toad__str_z(mark));
    toad__buf_add_str(b, toad__str_part(text, 0, most));
    toad__buf_add_z(b, text.n > most ? "...\n" : "\n");
}

/* The gravest finding of a group speaks for it; then the one the catalogue lists first. */
static bool speaks_before(const toad__reported *f, const toad__reported *than) {
    if (f->severity != than->severity) return f->severity > than->severity;
    return toad__rule_rank(f->finding->rule) < toad__rule_rank(than->finding->rule);
}

/* Where a group of findings that begin in the same words ends: all begin before the shortest of them is over. */
static size_t group_end(const toad__reported *const *rows, size_t n, size_t from, size_t *ret_lead) {
    uint64_t end = UINT64_MAX;
    size_t i = from;
    *ret_lead = from;
    for (; i < n; i++) {
        const toad_finding *f = rows[i]->finding;
        if (f->span.start >= end) break;
        if (f->span.end < end) end = f->span.end;
        if (speaks_before(rows[i], rows[*ret_lead])) *ret_lead = i;
    }
    return i;
}

/* The other rules of a group, each once; more than a few are counted. */
#define OTHERS_MAX 6

static void add_others(toad__buf *b, const toad__reported *const *rows, size_t from, size_t to, const char *said) {
    const char *before = "    + ";
    size_t n = 0;
    for (size_t i = from; i < to; i++) {
        const char *rule = rows[i]->finding->rule;
        bool repeated = !strcmp(rule, said);
        for (size_t k = from; k < i && !repeated; k++) repeated = !strcmp(rule, rows[k]->finding->rule);
        if (repeated || ++n > OTHERS_MAX) continue;
        toad__buf_add_z(b, before);
        toad__buf_add_z(b, rule);
        before = ", ";
    }
    if (n > OTHERS_MAX) {
        toad__buf_add_z(b, " and ");
        toad__buf_add_u64(b, n - OTHERS_MAX);
        toad__buf_add_z(b, " more");
    }
    if (n) toad__buf_add_c(b, '\n');
}

/* A spelling that nobody can read is cut short, above all where the words it hid stand below it. */
#define DISGUISE_MAX 60

static bool is_readable(toad_str escaped) {
    size_t escapes = 0;
    for (size_t at = 0; (at = toad__str_find(escaped, TOAD__S("\\u"), at)) < escaped.n; at += 2) escapes++;
    return 12 * escapes <= escaped.n;
}

static void add_group(toad__buf *b, const rendering *r, const toad__reported *const *rows, size_t from, size_t to,
                      size_t lead) {
    const toad_finding *f = rows[lead]->finding;
    add_place(b, r, rows[lead]);
    paint(b, r, severity_colors[rows[lead]->severity & 3], toad__str_z(toad_severity_name(rows[lead]->severity)));
    toad__buf_add_c(b, ' ');
    toad__buf_add_z(b, f->rule);
    for (size_t k = 0; k < f->path_n; k++) {
        toad__buf_add_z(b, k ? " > " : " [");
        toad__buf_add_z(b, f->path[k]);
    }
    if (f->path_n) toad__buf_add_c(b, ']');
    add_standing(b, r, rows[lead]);
    toad__buf_add_c(b, '\n');
    bool disguised = f->decoded.n && !toad__str_eq(f->decoded, f->excerpt);
    add_quote(b, r, "| ", f->excerpt, disguised || !is_readable(f->excerpt) ? DISGUISE_MAX : SIZE_MAX);
    if (disguised) add_quote(b, r, "> ", f->decoded, SIZE_MAX);
    add_quote(b, r, "= ", toad__str_z(f->why), SIZE_MAX);
    add_others(b, rows, from, to, f->rule);
}

static void add_groups(toad__buf *b, const rendering *r) {
    const toad__reported **rows = malloc((r->report->n + 1) * sizeof *rows);
    size_t n = 0;
    if (!rows) {
        b->status = TOAD_E_NOMEM;
        return;
    }
    for (size_t i = 0; i < r->report->n; i++)
        if (toad__is_fresh(&r->report->rows[i])) rows[n++] = &r->report->rows[i];
    for (size_t i = 0, lead, next; i < n; i = next) {
        next = group_end(rows, n, i, &lead);
        add_group(b, r, rows, i, next, lead);
    }
    free(rows);
}

static void add_more(toad__buf *b, const rendering *r) {
    bool partly = r->report->known || r->report->suppressed;
    if (!r->report->unlisted && !partly) return;
    cli_add_safe(b, r->name);
    toad__buf_add_z(b, ": ");
    if (r->report->unlisted) {
        toad__buf_add_u64(b, r->report->unlisted);
        toad__buf_add_z(b, " further findings are only counted\n");
    } else {
        toad__buf_add_z(b, "more than can be listed of one rule; the file is not the one that was accepted\n");
    }
}

void render_text(toad__buf *b, const rendering *r) {
    const toad_verdict *v = r->report->verdict;
    add_groups(b, r);
    if (r->report->more && !r->report->more_known) add_more(b, r);
    if (toad_verdict_completeness(v) == TOAD_FULL) return;
    cli_add_safe(b, r->name);
    toad__buf_add_z(b, ": ");
    paint(b, r, "\x1b[33m", TOAD__S("incomplete scan"));
    toad__buf_add_z(b, ": ");
    toad__buf_add_z(b, toad_completeness_name(toad_verdict_completeness(v)));
    toad__buf_add_c(b, '\n');
}
