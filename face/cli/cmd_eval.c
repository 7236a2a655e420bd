/* cmd_eval.c - `toadstone eval`: scan labelled rows and print how well that went.
 *
 * Rows are scanned by several threads and measured in the order they came, so two runs print the same. A line that is
 * no row is an error with its number, the rest goes on. Text of rows is printed escaped only. Memory: the lines under
 * way (HELD_MAX), and of each row what it is called and the rules it matched, of a mistake also its excerpt. */
#include "app/host/jsonl.h"
#include "app/host/pool.h"
#include "app/scan/eval.h"
#include "face/cli/args.h"
#include "face/cli/eval_acts.h"
#include "face/cli/eval_out.h"
#include "face/cli/out.h"
#include "face/cli/rulefiles.h"
#include "lib/base/str.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define HELD_MAX    ((size_t)32 << 20)
#define OUT_MAX     ((size_t)64 << 20)
#define EXCERPT_MAX 160u
#define NAME_MOST   256u

typedef struct job {
    toad__buf line;
    uint64_t number;
    toad__arena arena;
    toad__eval_input in;
    toad__eval_row row;
    toad__buf group, rules, excerpt;
    double seconds; /* of the scan, this thread's CPU time */
    toad_status status;
} job;

typedef struct session {
    const args *a;
    toad_engine *engine;
    toad_scanner *scanners[TOAD__POOL_THREADS];
    toad__pool *pool;
    unsigned threads;
    size_t held; /* bytes of the lines under way */
    eval_run run;
    const char *path;
    bool bad, progress;
    toad_status status;
} session;

/* ---- scanning ---- */

static int by_name(const void *a, const void *b) { return strcmp(*(const char *const *)a, *(const char *const *)b); }

/* The ids of the rules that matched, sorted, each once. */
static void add_rules(const toad_verdict *v, toad__buf *out) {
    const char *ids[1024];
    size_t n = 0;
    for (size_t i = 0; i < toad_verdict_count(v) && n < sizeof ids / sizeof *ids; i++)
        ids[n++] = toad_verdict_finding(v, i)->rule;
    qsort(ids, n, sizeof *ids, by_name);
    for (size_t i = 0; i < n; i++) {
        if (i && !strcmp(ids[i], ids[i - 1])) continue;
        if (out->n) toad__buf_add_c(out, ' ');
        toad__buf_add_z(out, ids[i]);
    }
}

/* What to show of a row: its gravest finding, else how it begins. */
static void add_excerpt(const toad_verdict *v, toad_str text, toad__buf *out) {
    for (size_t i = 0; i < toad_verdict_count(v); i++) {
        const toad_finding *f = toad_verdict_finding(v, i);
        if (f->severity != toad_verdict_severity(v)) continue;
        toad__buf_add_str(out, toad__str_part(f->decoded.n ? f->decoded : f->excerpt, 0, EXCERPT_MAX));
        return;
    }
    for (size_t n = EXCERPT_MAX - 2; !out->status && (!out->n || out->n > EXCERPT_MAX);
         n -= n / 4) { /* escapes take room */
        toad__buf_clear(out);
        toad__json_add_str(out, toad__str_part(text, 0, n));
    }
}

/* The name of the group that the row counts in; a subset belongs to its dataset. */
static void add_group(const args *a, const toad__eval_input *in, toad__buf *out) {
    const char *by = a->by ? a->by : "dataset";
    bool kind = !strcmp(by, "kind"), subset = !strcmp(by, "subset");
    toad__buf_add_str(out, toad__str_part(kind ? in->kind_name : in->dataset, 0, NAME_MOST));
    if (!subset || toad__str_eq(in->subset, TOAD__S("-"))) return;
    toad__buf_add_c(out, '/');
    toad__buf_add_str(out, toad__str_part(in->subset, 0, NAME_MOST));
}

/* --kind-of for the dataset of the row, else --kind, else what the row says. */
static toad_kind kind_of(const args *a, const toad__eval_input *in) {
    for (size_t i = a->kind_of_n; i-- > 0;) {
        const char *equals = strrchr(a->kind_of[i], '=');
        toad_kind kind = TOAD_KIND_ANY;
        if (!toad__str_eq(in->dataset, toad__str(a->kind_of[i], (size_t)(equals - a->kind_of[i])))) continue;
        toad_kind_parse(toad__str_z(equals + 1), &kind);
        return kind;
    }
    return a->kind != TOAD_KIND_ANY ? a->kind : in->kind;
}

static double cpu_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static toad_status scan_row(session *s, toad_scanner **scanner, job *j) {
    toad_scan_options options = TOAD_SCAN_OPTIONS_INIT;
    const toad_verdict *v;
    options.kind = kind_of(s->a, &j->in);
    options.scope = s->a->scope;
    toad_status status = *scanner ? TOAD_OK : toad_scanner_new(s->engine, scanner);
    double from = cpu_seconds();
    if (!status) status = toad_scan(*scanner, j->in.bytes, &options, &v);
    j->seconds = cpu_seconds() - from;
    if (status) return status;
    add_group(s->a, &j->in, &j->group);
    add_rules(v, &j->rules);
    if (j->in.attack != (toad_verdict_severity(v) >= TOAD_MEDIUM)) add_excerpt(v, j->in.bytes, &j->excerpt);
    j->row = (toad__eval_row){
        .id = toad__str_part(j->in.id, 0, NAME_MOST),
        .group = toad__buf_str(&j->group),
        .rules = toad__buf_str(&j->rules),
        .excerpt = toad__buf_str(&j->excerpt),
        .pair = toad__str_part(j->in.pair, 0, NAME_MOST),
        .goal = toad__str_part(j->in.goal, 0, NAME_MOST),
        .carrier = toad__str_part(j->in.carrier, 0, NAME_MOST),
        .lang = toad__str_part(j->in.lang, 0, NAME_MOST),
        .attack = j->in.attack,
        .incomplete = toad_verdict_completeness(v) != TOAD_FULL,
        .severity = toad_verdict_severity(v),
        .score = toad__eval_score(v),
        .bytes = j->in.bytes.n,
    };
    return j->group.status || j->rules.status || j->excerpt.status ? TOAD_E_NOMEM : TOAD_OK;
}

static void work(void *ctx, unsigned worker, void *object) {
    session *s = ctx;
    job *j = object;
    j->status = toad__eval_read(toad__buf_str(&j->line), &j->arena, &j->in);
    if (!j->status) j->status = scan_row(s, &s->scanners[worker], j);
}

static void job_free(job *j) {
    toad__buf_free(&j->line);
    toad__buf_free(&j->group);
    toad__buf_free(&j->rules);
    toad__buf_free(&j->excerpt);
    toad__arena_free(&j->arena);
    free(j);
}

static void done(void *ctx, void *object) {
    session *s = ctx;
    job *j = object;
    s->held -= j->line.n;
    if (!j->status) j->status = toad__eval_add(&s->run.eval, &j->row);
    if (!j->status) {
        s->run.bytes += j->row.bytes;
        s->run.scan_seconds += j->seconds;
    } else if (j->status != TOAD_E_SYNTAX) {
        s->status = j->status;
    } else {
        s->bad = true;
        cli_error("eval", "%s:%llu: %s", cli_safe(s->path), (unsigned long long)j->number, j->in.error);
    }
    job_free(j);
}

static void tick(void *ctx) {
    session *s = ctx;
    if (!s->progress) return;
    fprintf(stderr, "\r\x1b[2Kscanned %zu rows", s->run.eval.n);
    fflush(stderr);
}

/* A pool for the rows to come; the end of the one before waits for what is under way. */
static toad_status new_pool(session *s) {
    static const toad__pool_calls calls = { work, done, tick };
    if (s->pool) toad__pool_finish(s->pool);
    s->pool = NULL;
    return toad__pool_new(s->threads, TOAD__POOL_WINDOW, &calls, s, &s->pool);
}

/* An arena of eight times the line holds every row there is, but no line of nothing but brackets. */
static toad_status submit(session *s, toad_str line, uint64_t number) {
    toad_status status = s->held + line.n > HELD_MAX ? new_pool(s) : TOAD_OK;
    if (status) return status;
    job *j = calloc(1, sizeof *j);
    if (!j) return TOAD_E_NOMEM;
    j->number = number;
    toad__arena_init(&j->arena, 8 * line.n + 65536);
    toad__buf_init(&j->line, TOAD__LINE_MAX);
    toad__buf_init(&j->group, 1u << 20);
    toad__buf_init(&j->rules, 1u << 20);
    toad__buf_init(&j->excerpt, 1u << 20);
    toad__buf_add_str(&j->line, line);
    if (j->line.status) {
        job_free(j);
        return TOAD_E_NOMEM;
    }
    s->held += line.n;
    toad__pool_submit(s->pool, j);
    return TOAD_OK;
}

static bool read_file(session *s, const char *path) {
    toad__input in;
    toad__lines lines;
    s->path = path;
    int err = toad__input_open(&in, path, true);
    if (err) {
        cli_error("eval", "cannot open '%s': %s", cli_safe(path), strerror(err));
        return false;
    }
    toad_status status = toad__lines_open(&lines, &in);
    for (bool more = true; !status && more && !s->status;) {
        toad_str line;
        status = toad__lines_next(&lines, &line, &more);
        if (status || !more) break;
        if (lines.line.status) {
            s->bad = true;
            cli_error("eval", "%s:%llu: the line is too long", cli_safe(path), (unsigned long long)lines.number);
        } else if (!toad__str_is_blank(line)) {
            status = submit(s, line, lines.number);
        }
    }
    if (status) cli_status("eval", path, status);
    toad__lines_close(&lines);
    toad__input_close(&in);
    return !status;
}

/* A pool for each file: errors name the file that is being read. */
static bool read_all(session *s) {
    static char dash[] = "-";
    char *none[] = { dash };
    long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    size_t n = s->a->operands_n ? s->a->operands_n : 1;
    bool ok = true;
    s->threads = s->a->jobs ? s->a->jobs : cpus > 0 && cpus < TOAD__POOL_THREADS ? (unsigned)cpus : 1;
    for (size_t i = 0; i < n && ok; i++) {
        s->status = new_pool(s);
        ok = !s->status && read_file(s, (s->a->operands_n ? s->a->operands : none)[i]);
    }
    if (s->pool) toad__pool_finish(s->pool);
    if (s->progress) fputs("\r\x1b[2K", stderr);
    if (s->status) cli_status("eval", "scanning", s->status);
    return ok && !s->status;
}

/* ---- printing ---- */

/* What changed since the run in the file of --compare. */
static bool compare(session *s, toad__buf *out) {
    toad__buf old;
    toad__arena arena;
    const toad__json *root = NULL;
    const char *expected;
    size_t at;
    bool ok = false;
    toad__buf_init(&old, CLI_WHOLE_MAX);
    toad__arena_init(&arena, 8 * OUT_MAX);
    int err = toad__input_slurp(s->a->compare, &old);
    if (err)
        cli_error("eval", "cannot read '%s': %s", cli_safe(s->a->compare), strerror(err));
    else if (toad__json_parse(toad__buf_str(&old), &arena, &root, &at, &expected) || !toad__json_get(root, "groups"))
        cli_error("eval", "'%s' is not what toadstone eval --json printed", cli_safe(s->a->compare));
    else if (eval_add_changes(out, &s->run, root))
        cli_status("eval", "comparing", TOAD_E_NOMEM);
    else
        ok = true;
    toad__arena_free(&arena);
    toad__buf_free(&old);
    return ok;
}

/* The run as JSON into the file of --save. */
static bool save(session *s) {
    toad__buf json;
    toad__buf_init(&json, OUT_MAX);
    toad_status status = eval_add_json(&json, &s->run, s->a->worst);
    if (!status) status = json.status;
    FILE *file = status ? NULL : fopen(s->a->save, "wb");
    bool ok = file && fwrite(json.p, 1, json.n, file) == json.n;
    if (file && fclose(file)) ok = false;
    if (status)
        cli_status("eval", "measuring", status);
    else if (!ok)
        cli_error("eval", "cannot write '%s': %s", cli_safe(s->a->save), strerror(errno));
    toad__buf_free(&json);
    return ok;
}

/* --compare first: it may name the file that --save replaces. */
static bool print(session *s) {
    const args *a = s->a;
    const char *by = a->by ? a->by : "dataset";
    toad__buf out;
    toad_status status;
    bool ok = true;
    toad__buf_init(&out, OUT_MAX);
    if (a->json) {
        status = eval_add_json(&out, &s->run, a->worst);
    } else if (!strcmp(by, "rule")) {
        status = eval_add_rules(&out, &s->run);
    } else {
        status = eval_add_table(&out, &s->run, by);
        if (!status) status = eval_add_pairs(&out, &s->run);
        eval_add_worst(&out, &s->run, a->worst);
    }
    if (!status) status = out.status;
    if (status) cli_status("eval", "measuring", status);
    if (!status && a->compare) ok = compare(s, &out);
    if (!status && ok && !a->quiet) cli_print(toad__buf_str(&out));
    toad__buf_free(&out);
    return !status && ok && (!a->save || save(s));
}

/* --min-recall and --max-false-flags, of all rows. Where there is no attack, none was found. */
static bool meets_bars(const session *s) {
    toad__eval_measures m;
    bool good = true;
    if (s->a->min_recall < 0 && s->a->max_false_flags < 0) return true;
    toad_status status = toad__eval_measure(&s->run.eval, 0, s->run.eval.n, &m);
    if (status) return cli_status("eval", "measuring", status), false;
    double recall = m.flagged.of ? (double)m.flagged.hits / (double)m.flagged.of : 0;
    double alarms = m.false_flagged.of ? (double)m.false_flagged.hits / (double)m.false_flagged.of : 0;
    if (recall < s->a->min_recall) {
        cli_error("eval", "%.4f of the attacks are flagged, below --min-recall %g", recall, s->a->min_recall);
        good = false;
    }
    if (s->a->max_false_flags >= 0 && alarms > s->a->max_false_flags) {
        cli_error("eval", "%.4f of the benign rows are flagged, above --max-false-flags %g", alarms,
                  s->a->max_false_flags);
        good = false;
    }
    return good;
}

static bool run_session(session *s) {
    struct timespec from, to;
    clock_gettime(CLOCK_MONOTONIC, &from);
    if (!read_all(s)) return false;
    clock_gettime(CLOCK_MONOTONIC, &to);
    s->run.seconds = (double)(to.tv_sec - from.tv_sec) + (double)(to.tv_nsec - from.tv_nsec) / 1e9;
    toad__eval_sort(&s->run.eval);
    return print(s);
}

int cmd_eval(args *a) {
    session s = { .a = a, .progress = isatty(2) && !a->quiet };
    toad_rules *rules;
    if (a->json && a->compare) {
        cli_error("eval", "--json and --compare do not go together");
        cli_hint("--save writes the JSON of a run beside what is printed");
        return EXIT_ERROR;
    }
    if (a->acts && (a->compare || a->save)) {
        cli_error("eval", "--acts goes with neither --compare nor --save");
        return EXIT_ERROR;
    }
    if (!cli_new_engine(a, &rules, &s.engine)) return EXIT_ERROR;
    if (a->acts) {
        int code = eval_acts(a, s.engine);
        toad_engine_free(s.engine);
        toad_rules_free(rules);
        return code;
    }
    toad__eval_init(&s.run.eval);
    bool ok = run_session(&s), good = !ok || meets_bars(&s);
    toad__eval_free(&s.run.eval);
    for (size_t i = 0; i < TOAD__POOL_THREADS; i++) toad_scanner_free(s.scanners[i]);
    toad_engine_free(s.engine);
    toad_rules_free(rules);
    return !ok || s.bad ? EXIT_ERROR : good ? EXIT_OK : EXIT_FINDING;
}
