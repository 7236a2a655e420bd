/* render_text.c - verdicts for people, in the manner of compilers: place, severity, rule, the words, why.
 *
 * Of a place the gravest finding is shown, the other rules are named below it; further places of the same rule in the
 * file are counted, with their lines. Names and excerpts are a stranger's: names are escaped here, excerpts were
 * escaped by the library. */
#include "face/cli/out.h"
#include "face/cli/render.h"
#include "lib/base/str.h"

static const char *const severity_colors[] = { "", "\x1b[36m", "\x1b[33m", "\x1b[1;31m" };

static void paint(toad__buf *b, const rendering *r, const char *color, toad_str text) {
    if (r->color) toad__buf_add_z(b, color);
    toad__buf_add_str(b, text);
    if (r->color) toad__buf_add_z(b, "\x1b[0m");
}

/* "FILE!/inner/name". */
static void add_part(toad__buf *b, const char *part) {
    toad__buf_add_z(b, "!/");
    cli_add_safe(b, part);
}

static void add_place(toad__buf *b, const rendering *r, const toad__reported *row) {
    if (r->color) toad__buf_add_z(b, "\x1b[1m");
    cli_add_safe(b, r->name);
    if (row->part) add_part(b, row->part);
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
    bool other = row->artifact == TOAD__ARTIFACT_OTHER;
    if (!r->judged || (other && !*in)) return;
    toad__buf_add_z(b, " (");
    toad__buf_add_z(b, in);
    if (*in && !other) toad__buf_add_z(b, ", ");
    if (!other) toad__buf_add_z(b, toad__artifact_title(row->artifact));
    toad__buf_add_c(b, ')');
}

static void add_quote(toad__buf *b, const rendering *r, const char *mark, toad_str text, size_t most) {
    if (!text.n) return;
    toad__buf_add_z(b, "    ");
    paint(b, r, "\x1b[2m", toad__str_z(mark));
    toad__buf_add_str(b, toad__str_part(text, 0, most));
    toad__buf_add_z(b, text.n > most ? "...\n" : "\n");
}

/* The other rules of a place, each once; more than a few are counted. */
#define OTHERS_MAX 6

static void add_others(toad__buf *b, const toad__report *report, size_t lead) {
    const char *before = "    + ";
    size_t n = 0;
    for (size_t i = 0; i < report->n; i++) {
        const char *rule = report->rows[i].finding->rule;
        if (report->rows[i].lead != lead) continue;
        bool repeated = !strcmp(rule, report->rows[lead].finding->rule);
        for (size_t k = 0; k < i && !repeated; k++)
            repeated = report->rows[k].lead == lead && !strcmp(rule, report->rows[k].finding->rule);
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

/* "30 more: lines 12, 40, ...": the places like this one that come behind it. */
#define LINES_MAX 8

static bool is_like(const toad__report *report, size_t i, size_t lead) {
    const toad__reported *a = &report->rows[i], *b = &report->rows[lead];
    return a->lead == i && a->part == b->part && a->severity == b->severity &&
           !strcmp(a->finding->rule, b->finding->rule);
}

static bool is_first(const toad__report *report, size_t lead) {
    for (size_t i = 0; i < lead; i++)
        if (is_like(report, i, lead)) return false;
    return true;
}

static void add_more_places(toad__buf *b, const toad__report *report, size_t lead) {
    uint64_t n = 0;
    for (size_t i = lead + 1; i < report->n; i++) n += is_like(report, i, lead);
    if (!n) return;
    toad__buf_add_z(b, "    \xc3\x97 ");
    toad__buf_add_u64(b, n);
    toad__buf_add_z(b, " more");
    const char *before = n == 1 ? ": line " : ": lines ";
    size_t told = 0;
    for (size_t i = lead + 1; i < report->n && told < LINES_MAX; i++) {
        if (!is_like(report, i, lead) || !report->rows[i].from.line) continue;
        toad__buf_add_z(b, before);
        toad__buf_add_u64(b, report->rows[i].from.line);
        before = ", ";
        told++;
    }
    toad__buf_add_z(b, told && told < n ? ", ...\n" : "\n");
}

/* A spelling that nobody can read is cut short, above all where the words it hid stand below it. */
#define DISGUISE_MAX 60

static bool is_readable(toad_str escaped) {
    size_t escapes = 0;
    for (size_t at = 0; (at = toad__str_find(escaped, TOAD__S("\\u"), at)) < escaped.n; at += 2) escapes++;
    return 12 * escapes <= escaped.n;
}

static void add_finding(toad__buf *b, const rendering *r, size_t lead) {
    const toad__reported *row = &r->report->rows[lead];
    const toad_finding *f = row->finding;
    add_place(b, r, row);
    paint(b, r, severity_colors[row->severity & 3], toad__str_z(toad_severity_name(row->severity)));
    toad__buf_add_c(b, ' ');
    toad__buf_add_z(b, f->rule);
    for (size_t k = 0; k < f->path_n; k++) {
        toad__buf_add_z(b, k ? " > " : " [");
        cli_add_safe(b, f->path[k]);
    }
    if (f->path_n) toad__buf_add_c(b, ']');
    add_standing(b, r, row);
    toad__buf_add_c(b, '\n');
    bool disguised = f->decoded.n && !toad__str_eq(f->decoded, f->excerpt);
    add_quote(b, r, "| ", f->excerpt, disguised || !is_readable(f->excerpt) ? DISGUISE_MAX : SIZE_MAX);
    if (disguised) add_quote(b, r, "> ", f->decoded, SIZE_MAX);
    add_quote(b, r, "= ", toad__str_z(f->why), SIZE_MAX);
    add_others(b, r->report, lead);
}

static void add_mark(toad__buf *marks, const rendering *r, const toad__reported *row) {
    size_t rule = toad__rule_list_find(r->rules, row->finding->rule);
    tally_mark mark = { rule == SIZE_MAX ? UINT32_MAX : (uint32_t)rule, (uint32_t)row->severity };
    toad__buf_add(marks, (const char *)&mark, sizeof mark);
}

/* In the order in which the places begin. */
static void add_findings(toad__buf *b, toad__buf *marks, const rendering *r) {
    const toad__report *report = r->report;
    size_t lead, before = SIZE_MAX;
    for (size_t i = 0; i < report->n; i++, before = lead) {
        lead = report->rows[i].lead;
        if (lead == SIZE_MAX) lead = before; /* it is not fresh */
        if (lead == before) continue;
        add_mark(marks, r, &report->rows[lead]);
        if (report->rows[lead].severity < r->show || !(r->whole || is_first(report, lead))) continue;
        add_finding(b, r, lead);
        if (!r->whole) add_more_places(b, report, lead);
    }
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

/* What stayed closed, each with its reason; more than a few are counted. */
#define CLOSED_SHOWN 8

static void add_closed(toad__buf *b, const rendering *r) {
    for (size_t i = 0; i < r->report->closed_n && i < CLOSED_SHOWN; i++) {
        const toad__closed *closed = &r->report->closed[i];
        toad__buf_add_z(b, "    not opened: ");
        cli_add_safe(b, r->name);
        if (*closed->part) add_part(b, closed->part);
        toad__buf_add_z(b, ": ");
        toad__buf_add_z(b, closed->why);
        toad__buf_add_c(b, '\n');
    }
    if (r->report->closed_n <= CLOSED_SHOWN) return;
    toad__buf_add_z(b, "    and ");
    toad__buf_add_u64(b, r->report->closed_n - CLOSED_SHOWN);
    toad__buf_add_z(b, " more\n");
}

void render_text(toad__buf *b, toad__buf *marks, const rendering *r) {
    const toad_verdict *v = r->report->verdict;
    add_findings(b, marks, r);
    if (r->report->more && !r->report->more_known) add_more(b, r);
    if (toad_verdict_completeness(v) == TOAD_FULL || (r->report->minified && !r->whole)) return;
    cli_add_safe(b, r->name);
    toad__buf_add_z(b, ": ");
    paint(b, r, "\x1b[33m", TOAD__S("incomplete scan"));
    toad__buf_add_z(b, ": ");
    toad__buf_add_z(b, toad_completeness_name(toad_verdict_completeness(v)));
    toad__buf_add_c(b, '\n');
    add_closed(b, r);
}
