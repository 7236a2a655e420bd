/* cmd_eval.c - `bezoar eval`: scan labelled rows and print how well that went.
 *
 * Rows are scanned by several threads and measured in the order they came, so two runs print the same. A line that is no row is an
 * error with its number, the rest goes on. Text of rows is printed escaped only. */
#include "app/eval.h"
#include "app/jsonl.h"
#include "app/pool.h"
#include "face/cli/args.h"
#include "face/cli/out.h"
#include "face/cli/rulefiles.h"
#include "lib/base/json.h"
#include "lib/base/str.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define ARENA_MAX ((size_t)1 << 30)
#define WORST_MAX 1000u
#define RULES_MAX 4096u

typedef struct job {
    bzr__buf line;
    uint64_t number;
    bzr__arena arena;
    bzr__eval_input in;
    bzr__eval_row row;
    bzr__buf rules, excerpt;
    bzr_status status;
} job;

typedef struct session {
    const args *a;
    bzr_engine *engine;
    bzr_scanner *scanners[BZR__POOL_THREADS];
    bzr__pool *pool;
    bzr__eval eval;
    const char *path;
    bool bad, progress;
    uint64_t bytes;
    bzr_status status;
} session;

/* ---- scanning ---- */

static int by_name(const void *a, const void *b) { return strcmp(*(const char *const *)a, *(const char *const *)b); }

/* The ids of the rules that matched, sorted, each once. */
static void add_rules(const bzr_verdict *v, bzr__buf *out) {
    const char *ids[1024];
    size_t n = 0;
    for (size_t i = 0; i < bzr_verdict_count(v) && n < sizeof ids / sizeof *ids; i++) ids[n++] = bzr_verdict_finding(v, i)->rule;
    qsort(ids, n, sizeof *ids, by_name);
    for (size_t i = 0; i < n; i++) {
        if (i && !strcmp(ids[i], ids[i - 1])) continue;
        if (out->n) bzr__buf_add_c(out, ' ');
        bzr__buf_add_z(out, ids[i]);
    }
}

/* What to show of a row: its gravest finding, else how it begins. */
static void add_excerpt(const bzr_verdict *v, bzr_str text, bzr__buf *out) {
    for (size_t i = 0; i < bzr_verdict_count(v); i++) {
        const bzr_finding *f = bzr_verdict_finding(v, i);
        if (f->severity != bzr_verdict_severity(v)) continue;
        bzr__buf_add_str(out, f->decoded.n ? f->decoded : f->excerpt);
        return;
    }
    bzr__json_add_str(out, bzr__str_part(text, 0, text.n < 120 ? text.n : 120));
}

static bzr_str group_of(const args *a, const bzr__eval_input *in) {
    const char *by = a->by ? a->by : "dataset";
    return !strcmp(by, "subset") ? in->subset : !strcmp(by, "kind") ? in->kind_name : in->dataset;
}

static void work(void *ctx, unsigned worker, void *object) {
    session *s = ctx;
    job *j = object;
    const bzr_verdict *v;
    j->status = bzr__eval_read(bzr__buf_str(&j->line), &j->arena, &j->in);
    if (!j->status && s->a->kind != BZR_KIND_ANY) j->in.kind = s->a->kind;
    if (!j->status && !s->scanners[worker]) j->status = bzr_scanner_new(s->engine, &s->scanners[worker]);
    bzr_scan_options options = BZR_SCAN_OPTIONS_INIT;
    options.kind = j->in.kind;
    options.scope = s->a->scope;
    if (!j->status) j->status = bzr_scan(s->scanners[worker], j->in.bytes, &options, &v);
    if (j->status) return;
    add_rules(v, &j->rules);
    add_excerpt(v, j->in.bytes, &j->excerpt);
    j->row = (bzr__eval_row){ .id = j->in.id, .group = group_of(s->a, &j->in), .rules = bzr__buf_str(&j->rules), .excerpt = bzr__buf_str(&j->excerpt),
                              .attack = j->in.attack, .incomplete = bzr_verdict_completeness(v) != BZR_FULL, .severity = bzr_verdict_severity(v),
                              .score = (double)bzr_verdict_severity(v), .bytes = j->in.bytes.n };
    if (j->rules.status || j->excerpt.status) j->status = BZR_E_NOMEM;
}

static void job_free(job *j) {
    bzr__buf_free(&j->line);
    bzr__buf_free(&j->rules);
    bzr__buf_free(&j->excerpt);
    bzr__arena_free(&j->arena);
    free(j);
}

static void done(void *ctx, void *object) {
    session *s = ctx;
    job *j = object;
    if (!j->status) j->status = bzr__eval_add(&s->eval, &j->row);
    if (!j->status) s->bytes += j->row.bytes;
    else if (j->status != BZR_E_SYNTAX) s->status = j->status;
    else {
        s->bad = true;
        cli_error("eval", "%s:%llu: %s", cli_safe(s->path), (unsigned long long)j->number, j->in.error);
    }
    job_free(j);
}

static void tick(void *ctx) {
    session *s = ctx;
    if (!s->progress) return;
    fprintf(stderr, "\r\x1b[2Kscanned %zu rows", s->eval.n);
    fflush(stderr);
}

static bool submit(session *s, bzr_str line, uint64_t number) {
    job *j = calloc(1, sizeof *j);
    if (!j) return false;
    j->number = number;
    bzr__arena_init(&j->arena, ARENA_MAX);
    bzr__buf_init(&j->line, BZR__LINE_MAX);
    bzr__buf_init(&j->rules, 1u << 20);
    bzr__buf_init(&j->excerpt, 1u << 20);
    bzr__buf_add_str(&j->line, line);
    if (j->line.status) {
        job_free(j);
        return false;
    }
    bzr__pool_submit(s->pool, j);
    return true;
}

static bool is_blank(bzr_str line) {
    size_t i = 0;
    while (i < line.n && bzr__is_space((unsigned char)line.p[i])) i++;
    return i == line.n;
}

static bool read_file(session *s, const char *path) {
    bzr__input in;
    bzr__lines lines;
    s->path = path;
    int err = bzr__input_open(&in, path, true);
    if (err) {
        cli_error("eval", "cannot open '%s': %s", cli_safe(path), strerror(err));
        return false;
    }
    bzr_status status = bzr__lines_open(&lines, &in);
    for (bool more = true; !status && more && !s->status;) {
        bzr_str line;
        status = bzr__lines_next(&lines, &line, &more);
        if (status || !more) break;
        if (lines.line.status) {
            s->bad = true;
            cli_error("eval", "%s:%llu: the line is too long", cli_safe(path), (unsigned long long)lines.number);
        } else if (!is_blank(line) && !submit(s, line, lines.number)) {
            status = BZR_E_NOMEM;
        }
    }
    if (status) cli_status("eval", path, status);
    bzr__lines_close(&lines);
    bzr__input_close(&in);
    return !status;
}

static bool read_all(session *s) {
    static const bzr__pool_calls calls = { work, done, tick };
    static char dash[] = "-";
    char *none[] = { dash };
    long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    unsigned threads = s->a->jobs ? s->a->jobs : cpus > 0 && cpus < BZR__POOL_THREADS ? (unsigned)cpus : 1;
    size_t n = s->a->operands_n ? s->a->operands_n : 1;
    bool ok = true;
    for (size_t i = 0; i < n && ok; i++) { /* a pool a file: errors name the file that is being read */
        bzr_status status = bzr__pool_new(threads, &calls, s, &s->pool);
        if (status) return cli_status("eval", "starting", status), false;
        ok = read_file(s, (s->a->operands_n ? s->a->operands : none)[i]);
        bzr__pool_finish(s->pool);
    }
    if (s->progress) fputs("\r\x1b[2K", stderr);
    if (s->status) return cli_status("eval", "scanning", s->status), false;
    return ok;
}

/* ---- the table ---- */

static void share(bzr__buf *b, bzr__eval_share s, bool interval) {
    char cell[64];
    double low, high;
    bzr__eval_interval(s, &low, &high);
    if (!s.of) snprintf(cell, sizeof cell, interval ? "%18s" : "%7s", "-");
    else if (interval) snprintf(cell, sizeof cell, "%6.2f%% (%3.0f-%3.0f)", 100.0 * (double)s.hits / (double)s.of, 100 * low, 100 * high);
    else snprintf(cell, sizeof cell, "%6.2f%%", 100.0 * (double)s.hits / (double)s.of);
    char padded[80];
    snprintf(padded, sizeof padded, interval ? "%18s" : "%8s", cell);
    bzr__buf_add_z(b, padded);
}

static void table_row(bzr__buf *b, const char *name, const bzr__eval_measures *m) {
    char cell[160];
    snprintf(cell, sizeof cell, "%-26.26s %7llu ", name, (unsigned long long)m->flagged.of);
    bzr__buf_add_z(b, cell);
    share(b, m->blocked, false);
    share(b, m->flagged, true);
    snprintf(cell, sizeof cell, " %7llu ", (unsigned long long)m->false_flagged.of);
    bzr__buf_add_z(b, cell);
    share(b, m->false_blocked, false);
    share(b, m->false_flagged, true);
    double windows = (double)m->benign_windows, mb = (double)m->benign_bytes / 1e6;
    if (m->benign_windows) snprintf(cell, sizeof cell, " %8.2f %8.2f", 1000 * (double)m->false_flagged.hits / windows, mb > 0 ? (double)m->false_flagged.hits / mb : 0);
    else snprintf(cell, sizeof cell, " %8s %8s", "-", "-");
    bzr__buf_add_z(b, cell);
    if (m->auc < 0) snprintf(cell, sizeof cell, " %6s\n", "-");
    else snprintf(cell, sizeof cell, " %6.3f\n", m->auc);
    bzr__buf_add_z(b, cell);
}

/* A name of the rows as a string of ASCII. */
static const char *shown(bzr_str name, char *to, size_t n) {
    bzr__buf b;
    bzr__buf_init(&b, 4096);
    bzr__json_add_str(&b, bzr__str_part(name, 0, name.n < 64 ? name.n : 64));
    bzr_str s = b.status || b.n < 2 ? BZR__S("?") : bzr__str_part(bzr__buf_str(&b), 1, b.n - 1);
    snprintf(to, n, "%.*s", (int)s.n, s.p);
    bzr__buf_free(&b);
    return to;
}

static bzr_status print_table(session *s, double seconds, bzr__buf *b) {
    bzr__eval_measures m;
    char name[256];
    snprintf(name, sizeof name, "%-26s %7s %8s%18s %7s %8s%18s %8s %8s %6s\n", s->a->by ? s->a->by : "dataset", "attacks", "blocked", "flagged (95 %)", "benign",
             "blocked", "flagged (95 %)", "/1000 w", "/MB", "AUC");
    bzr__buf_add_z(b, name);
    for (size_t from = 0, to; from < s->eval.n; from = to) {
        to = bzr__eval_group_end(&s->eval, from);
        bzr_status status = bzr__eval_measure(&s->eval, from, to, &m);
        if (status) return status;
        table_row(b, shown(s->eval.rows[from].group, name, sizeof name), &m);
    }
    bzr_status status = bzr__eval_measure(&s->eval, 0, s->eval.n, &m);
    if (status) return status;
    table_row(b, "all", &m);
    snprintf(name, sizeof name, "%zu rows, %.1f MB in %.1f s; %llu scanned in part\n", s->eval.n, (double)s->bytes / 1e6, seconds, (unsigned long long)m.incomplete);
    bzr__buf_add_z(b, name);
    return BZR_OK;
}

static void print_worst(session *s, bool attacks, bzr__buf *b) {
    const bzr__eval_row *worst[WORST_MAX];
    size_t n = bzr__eval_worst(&s->eval, attacks, worst, s->a->worst);
    char id[256], group[256];
    if (n) bzr__buf_add_z(b, attacks ? "\nmissed attacks\n" : "\nfalse alarms\n");
    for (size_t i = 0; i < n; i++) {
        const bzr__eval_row *r = worst[i];
        bzr__buf_add_z(b, "  ");
        bzr__buf_add_z(b, shown(r->group, group, sizeof group));
        bzr__buf_add_z(b, " ");
        bzr__buf_add_z(b, shown(r->id, id, sizeof id));
        bzr__buf_add_z(b, " ");
        bzr__buf_add_z(b, bzr_severity_name(r->severity));
        bzr__buf_add_z(b, " [");
        bzr__buf_add_str(b, r->rules);
        bzr__buf_add_z(b, "] ");
        bzr__buf_add_str(b, r->excerpt);
        bzr__buf_add_c(b, '\n');
    }
}

/* ---- per rule ---- */

typedef struct rule_count {
    bzr_str id;
    uint64_t attacks, benign, alarms; /* rows it matched in; benign ones that were flagged */
} rule_count;

static void count_rule(rule_count *counts, size_t *n, bzr_str id, const bzr__eval_row *r) {
    size_t i = 0;
    while (i < *n && !bzr__str_eq(counts[i].id, id)) i++;
    if (i == RULES_MAX) return;
    if (i == *n) counts[(*n)++] = (rule_count){ .id = id };
    *(r->attack ? &counts[i].attacks : &counts[i].benign) += 1;
    counts[i].alarms += !r->attack && r->severity >= BZR_MEDIUM;
}

static int by_alarms(const void *a, const void *b) {
    const rule_count *x = a, *y = b;
    if (x->alarms != y->alarms) return x->alarms < y->alarms ? 1 : -1;
    return x->attacks < y->attacks ? 1 : x->attacks > y->attacks ? -1 : 0;
}

static size_t count_rules(const bzr__eval *e, rule_count *counts) {
    size_t n = 0;
    for (size_t i = 0; i < e->n; i++) {
        bzr_str rest = e->rows[i].rules;
        while (rest.n) {
            size_t end = bzr__str_find(rest, BZR__S(" "), 0);
            count_rule(counts, &n, bzr__str_part(rest, 0, end), &e->rows[i]);
            rest = bzr__str_part(rest, end < rest.n ? end + 1 : rest.n, rest.n);
        }
    }
    if (n) qsort(counts, n, sizeof *counts, by_alarms);
    return n;
}

static bzr_status print_rules(session *s, bzr__buf *b) {
    rule_count *counts = calloc(RULES_MAX, sizeof *counts);
    char line[256];
    if (!counts) return BZR_E_NOMEM;
    size_t n = count_rules(&s->eval, counts);
    snprintf(line, sizeof line, "%-40s %8s %8s %8s\n", "rule", "attacks", "benign", "flagged");
    bzr__buf_add_z(b, line);
    for (size_t i = 0; i < n; i++) {
        snprintf(line, sizeof line, "%-40.*s %8llu %8llu %8llu\n", (int)counts[i].id.n, counts[i].id.p, (unsigned long long)counts[i].attacks,
                 (unsigned long long)counts[i].benign, (unsigned long long)counts[i].alarms);
        bzr__buf_add_z(b, line);
    }
    free(counts);
    return BZR_OK;
}

/* ---- JSON ---- */

static void json_share(bzr__buf *b, const char *name, bzr__eval_share s) {
    char cell[200];
    double low, high;
    bzr__eval_interval(s, &low, &high);
    snprintf(cell, sizeof cell, ",\"%s\":{\"hits\":%llu,\"of\":%llu,\"low\":%.4f,\"high\":%.4f}", name, (unsigned long long)s.hits, (unsigned long long)s.of, low, high);
    bzr__buf_add_z(b, cell);
}

static void json_group(bzr__buf *b, bzr_str name, const bzr__eval_measures *m) {
    char cell[200];
    bzr__buf_add_z(b, "{\"name\":");
    bzr__json_add_str(b, name);
    json_share(b, "blocked", m->blocked);
    json_share(b, "flagged", m->flagged);
    json_share(b, "false_blocked", m->false_blocked);
    json_share(b, "false_flagged", m->false_flagged);
    snprintf(cell, sizeof cell, ",\"benign_bytes\":%llu,\"benign_windows\":%llu,\"incomplete\":%llu,\"auc\":", (unsigned long long)m->benign_bytes,
             (unsigned long long)m->benign_windows, (unsigned long long)m->incomplete);
    bzr__buf_add_z(b, cell);
    snprintf(cell, sizeof cell, "%.4f", m->auc);
    bzr__buf_add_z(b, m->auc < 0 ? "null" : cell);
    bzr__buf_add_c(b, '}');
}

static void json_worst(session *s, bool attacks, bzr__buf *b) {
    const bzr__eval_row *worst[WORST_MAX];
    size_t n = bzr__eval_worst(&s->eval, attacks, worst, s->a->worst);
    bzr__buf_add_z(b, attacks ? ",\"missed\":[" : ",\"false_alarms\":[");
    for (size_t i = 0; i < n; i++) {
        bzr__buf_add_z(b, i ? ",{\"id\":" : "{\"id\":");
        bzr__json_add_str(b, worst[i]->id);
        bzr__buf_add_z(b, ",\"group\":");
        bzr__json_add_str(b, worst[i]->group);
        bzr__buf_add_z(b, ",\"severity\":\"");
        bzr__buf_add_z(b, bzr_severity_name(worst[i]->severity));
        bzr__buf_add_z(b, "\",\"rules\":");
        bzr__json_add_str(b, worst[i]->rules);
        bzr__buf_add_z(b, ",\"excerpt\":");
        bzr__json_add_str(b, worst[i]->excerpt);
        bzr__buf_add_c(b, '}');
    }
    bzr__buf_add_c(b, ']');
}

static bzr_status json_rules(session *s, bzr__buf *b) {
    rule_count *counts = calloc(RULES_MAX, sizeof *counts);
    char cell[160];
    if (!counts) return BZR_E_NOMEM;
    size_t n = count_rules(&s->eval, counts);
    bzr__buf_add_z(b, ",\"rules\":[");
    for (size_t i = 0; i < n; i++) {
        snprintf(cell, sizeof cell, "%s{\"id\":\"%.*s\",\"attacks\":%llu,\"benign\":%llu,\"flagged\":%llu}", i ? "," : "", (int)counts[i].id.n, counts[i].id.p,
                 (unsigned long long)counts[i].attacks, (unsigned long long)counts[i].benign, (unsigned long long)counts[i].alarms);
        bzr__buf_add_z(b, cell);
    }
    bzr__buf_add_c(b, ']');
    free(counts);
    return BZR_OK;
}

static bzr_status print_json(session *s, double seconds, bzr__buf *b) {
    bzr__eval_measures m;
    char cell[128];
    bzr_status status = BZR_OK;
    snprintf(cell, sizeof cell, "{\"rows\":%zu,\"bytes\":%llu,\"seconds\":%.3f,\"groups\":[", s->eval.n, (unsigned long long)s->bytes, seconds);
    bzr__buf_add_z(b, cell);
    for (size_t from = 0, to; from < s->eval.n && !status; from = to) {
        to = bzr__eval_group_end(&s->eval, from);
        status = bzr__eval_measure(&s->eval, from, to, &m);
        if (from) bzr__buf_add_c(b, ',');
        if (!status) json_group(b, s->eval.rows[from].group, &m);
    }
    if (!status) status = bzr__eval_measure(&s->eval, 0, s->eval.n, &m);
    if (status) return status;
    bzr__buf_add_z(b, "],\"all\":");
    json_group(b, BZR__S("all"), &m);
    status = json_rules(s, b);
    json_worst(s, true, b);
    json_worst(s, false, b);
    bzr__buf_add_z(b, "}\n");
    return status;
}

/* ---- two runs ---- */

static bool read_share(const bzr__json *group, const char *name, bzr__eval_share *ret) {
    const bzr__json *s = bzr__json_get(group, name), *hits = s ? bzr__json_get(s, "hits") : NULL, *of = s ? bzr__json_get(s, "of") : NULL;
    if (!hits || !of || hits->type != BZR__JSON_NUMBER || of->type != BZR__JSON_NUMBER) return false;
    *ret = (bzr__eval_share){ strtoull(hits->raw.p, NULL, 10), strtoull(of->raw.p, NULL, 10) };
    return true;
}

static void compare_share(bzr__buf *b, const char *what, bzr__eval_share before, bzr__eval_share now) {
    char line[200];
    double a, c, d, e, x = before.of ? 100.0 * (double)before.hits / (double)before.of : 0, y = now.of ? 100.0 * (double)now.hits / (double)now.of : 0;
    if (!before.of || !now.of) return;
    bzr__eval_interval(before, &a, &c);
    bzr__eval_interval(now, &d, &e);
    snprintf(line, sizeof line, "  %-14s %6.2f%% -> %6.2f%%  %+6.2f%s\n", what, x, y, y - x, d > c || e < a ? "  (beyond the 95 % intervals)" : "");
    if (before.hits != now.hits || before.of != now.of) bzr__buf_add_z(b, line);
}

static void compare_group(bzr__buf *b, const bzr__json *group, bzr_str name, const bzr__eval_measures *m) {
    static const char *const names[] = { "blocked", "flagged", "false_blocked", "false_flagged" };
    const bzr__eval_share now[] = { m->blocked, m->flagged, m->false_blocked, m->false_flagged };
    char shown_name[256];
    bzr__buf_add_z(b, shown(name, shown_name, sizeof shown_name));
    bzr__buf_add_c(b, '\n');
    for (size_t i = 0; i < 4; i++) {
        bzr__eval_share before;
        if (read_share(group, names[i], &before)) compare_share(b, names[i], before, now[i]);
    }
}

/* What changed against a run that --json printed before. */
static bool compare(session *s, bzr__buf *out) {
    bzr__buf old;
    bzr__arena arena;
    const bzr__json *root = NULL, *groups = NULL;
    const char *expected;
    size_t at;
    bzr__buf_init(&old, CLI_WHOLE_MAX);
    bzr__arena_init(&arena, ARENA_MAX);
    int err = bzr__input_slurp(s->a->compare, &old);
    if (err) cli_error("eval", "cannot read '%s': %s", cli_safe(s->a->compare), strerror(err));
    else if (bzr__json_parse(bzr__buf_str(&old), &arena, &root, &at, &expected) || !(groups = bzr__json_get(root, "groups")))
        cli_error("eval", "'%s' is not what bezoar eval --json printed", cli_safe(s->a->compare));
    for (size_t from = 0, to; groups && from < s->eval.n; from = to) {
        bzr__eval_measures m;
        bzr_str name = s->eval.rows[from].group;
        to = bzr__eval_group_end(&s->eval, from);
        if (bzr__eval_measure(&s->eval, from, to, &m)) break;
        for (const bzr__json *g = groups->child; g; g = g->next)
            if (bzr__str_eq(bzr__json_get_text(g, "name"), name)) compare_group(out, g, name, &m);
    }
    bzr__arena_free(&arena);
    bzr__buf_free(&old);
    return groups != NULL;
}

int cmd_eval(args *a) {
    session s = { .a = a, .progress = isatty(2) && !a->quiet };
    struct timespec from, to;
    bzr__buf out;
    bzr__buf_init(&out, (size_t)64 << 20);
    bzr__eval_init(&s.eval);
    bzr_rules *rules = NULL;
    bool ok = cli_load_rules("eval", a->rules, a->rules_n, &rules);
    bzr_status status = ok ? bzr_engine_new(rules, &s.engine) : BZR_OK;
    bzr_rules_free(rules);
    if (status) cli_status("eval", "starting", status);
    if (!ok || status) return EXIT_ERROR;
    clock_gettime(CLOCK_MONOTONIC, &from);
    ok = read_all(&s);
    clock_gettime(CLOCK_MONOTONIC, &to);
    double seconds = (double)(to.tv_sec - from.tv_sec) + (double)(to.tv_nsec - from.tv_nsec) / 1e9;
    bzr__eval_sort(&s.eval);
    if (ok && a->json) status = print_json(&s, seconds, &out);
    else if (ok && a->by && !strcmp(a->by, "rule")) status = print_rules(&s, &out);
    else if (ok) {
        status = print_table(&s, seconds, &out);
        print_worst(&s, true, &out);
        print_worst(&s, false, &out);
    }
    if (!status && out.status) status = out.status;
    if (ok && !status && a->compare) ok = compare(&s, &out);
    if (status) cli_status("eval", "measuring", status);
    cli_print(bzr__buf_str(&out));
    bzr__buf_free(&out);
    bzr__eval_free(&s.eval);
    for (size_t i = 0; i < BZR__POOL_THREADS; i++) bzr_scanner_free(s.scanners[i]);
    bzr_engine_free(s.engine);
    return ok && !status && !s.bad ? EXIT_OK : EXIT_ERROR;
}
