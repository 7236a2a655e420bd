/* cmd_scan.c - `bezoar scan`: inputs to jobs, jobs to renderings, renderings to standard output in the order of the
 * inputs.
 *
 * Workers scan and render into the buffer of their job; only the main thread prints, so the output is the same whatever
 * the number of threads. Exit status: an error outweighs a finding, a finding an incomplete scan. */
#include "app/pool.h"
#include "app/walk.h"
#include "face/cli/args.h"
#include "face/cli/jsonl.h"
#include "face/cli/out.h"
#include "face/cli/render.h"
#include "face/cli/rulefiles.h"
#include "lib/base/str.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define RENDERED_MAX ((size_t)64 << 20)

typedef struct job {
    char *path;
    bool walked; /* found in a directory: no links, no binaries */
    bzr__buf out;
    bzr_status status;
    int err;
    bool binary;
    bzr_severity worst;
    bzr_action action;
    bzr_completeness completeness;
    uint64_t bytes, total, by_severity[4];
} job;

typedef struct totals {
    uint64_t files, bytes, findings, by_severity[4], with_findings, incomplete;
    bzr_action action;                                      /* the gravest */
    uint64_t binary, ignored, links, special, errors, over; /* over: inputs at or above --fail-on */
} totals;

typedef struct session {
    const args *a;
    bzr_engine *engine;
    bzr_scanner *scanners[BZR__POOL_THREADS];
    bzr_scan_options options;
    bzr__rule_list *rules;
    bzr__pool *pool;
    bool color, many, progress, shown;
    struct timespec last;
    size_t printed; /* results or objects printed, for the commas between them */
    totals sum;
} session;

static void render(const session *s, job *j, bzr__input *in, const bzr_verdict *v) {
    size_t n = s->a->format == FORMAT_TEXT || s->a->format == FORMAT_SARIF ? bzr_verdict_count(v) : 0;
    uint64_t *offsets = malloc((2 * n + 1) * sizeof *offsets);
    bzr__place *places = malloc((2 * n + 1) * sizeof *places);
    if (offsets && places) {
        for (size_t i = 0; i < n; i++) {
            offsets[2 * i] = bzr_verdict_finding(v, i)->span.start;
            offsets[2 * i + 1] = bzr_verdict_finding(v, i)->span.end;
        }
        j->status = bzr__locate(in, offsets, 2 * n, places);
    } else {
        j->status = BZR_E_NOMEM;
    }
    rendering r = { j->path, v, places, s->color, s->rules };
    if (!j->status && s->a->format == FORMAT_TEXT)
        render_text(&j->out, &r);
    else if (!j->status && s->a->format == FORMAT_SARIF)
        render_sarif(&j->out, &r);
    else if (!j->status)
        render_json(&j->out, &r);
    if (!j->status) j->status = j->out.status;
    free(offsets);
    free(places);
}

static void work(void *ctx, unsigned worker, void *object) {
    session *s = ctx;
    job *j = object;
    bzr__input in;
    bzr__scan_outcome got;
    if (!s->scanners[worker]) j->status = bzr_scanner_new(s->engine, &s->scanners[worker]);
    if (j->status) return;
    j->err = bzr__input_open(&in, j->path, !j->walked);
    if (j->err) {
        j->status = BZR_E_IO;
        return;
    }
    j->status = bzr__scan_input(s->scanners[worker], &in, &s->options, j->walked, &got);
    j->err = got.err;
    j->binary = got.binary;
    if (!j->status && got.verdict) {
        const bzr_verdict *v = got.verdict;
        j->worst = bzr_verdict_severity(v);
        j->action = bzr_verdict_action(v);
        j->completeness = bzr_verdict_completeness(v);
        j->bytes = bzr_verdict_bytes(v);
        j->total = bzr_verdict_total(v);
        for (size_t i = 0; i < bzr_verdict_count(v); i++) j->by_severity[bzr_verdict_finding(v, i)->severity & 3]++;
        if (!s->a->quiet) render(s, j, &in, v);
    }
    bzr__input_close(&in);
}

static void hide_progress(session *s) {
    if (s->shown) fputs("\r\x1b[2K", stderr);
    s->shown = false;
}

static void add_size(char out[32], uint64_t n) {
    static const char units[] = "BKMGT";
    double v = (double)n;
    size_t u = 0;
    for (; v >= 1024 && units[u + 1]; u++) v /= 1024;
    snprintf(out, 32, u ? "%.1f %ciB" : "%.0f bytes", v, units[u]);
}

static void tick(void *ctx) {
    session *s = ctx;
    struct timespec now;
    char size[32];
    if (!s->progress || clock_gettime(CLOCK_MONOTONIC, &now)) return;
    if ((now.tv_sec - s->last.tv_sec) * 1000 + (now.tv_nsec - s->last.tv_nsec) / 1000000 < 100) return;
    s->last = now;
    s->shown = true;
    add_size(size, s->sum.bytes);
    fprintf(stderr, "\r\x1b[2Kscanned %llu files, %s, %llu findings", (unsigned long long)s->sum.files, size,
            (unsigned long long)s->sum.findings);
    fflush(stderr);
}

static void report_failure(session *s, const job *j) {
    s->sum.errors++;
    hide_progress(s);
    if (j->status == BZR_E_IO && j->err == EISDIR) {
        cli_error("scan", "'%s' is a directory", cli_safe(j->path));
        cli_hint("use -r to scan the files in it");
    } else if (j->status == BZR_E_IO) {
        cli_error("scan", "cannot open '%s': %s", cli_safe(j->path), strerror(j->err ? j->err : EIO));
    } else {
        cli_status("scan", j->path, j->status);
    }
}

/* The separators between jobs, which one job cannot know. */
static void print_job(session *s, job *j) {
    bzr_str out = bzr__buf_str(&j->out);
    if (!out.n) return;
    hide_progress(s);
    if (s->a->format == FORMAT_SARIF) {
        if (s->printed) cli_print_z(",\n");
        out.n -= 2;
    } else if (s->a->format == FORMAT_JSON && s->many) {
        cli_print_z(s->printed ? ",\n" : "");
    }
    s->printed++;
    cli_print(out);
    if (s->a->format == FORMAT_JSONL || (s->a->format == FORMAT_JSON && !s->many)) cli_print_z("\n");
}

static void count_job(session *s, const job *j) {
    totals *t = &s->sum;
    t->files++;
    t->bytes += j->bytes;
    t->findings += j->total;
    t->with_findings += j->total > 0;
    t->incomplete += j->completeness != BZR_FULL;
    if (j->action > t->action) t->action = j->action;
    t->over += s->a->fail_on != BZR_NONE && j->worst >= s->a->fail_on;
    for (int i = 0; i < 4; i++) t->by_severity[i] += j->by_severity[i];
}

static void done(void *ctx, void *object) {
    session *s = ctx;
    job *j = object;
    if (j->status) {
        report_failure(s, j);
    } else if (j->binary) {
        s->sum.binary++;
        if (s->a->verbose) {
            hide_progress(s);
            fprintf(stderr, "skipped, binary: %s\n", cli_safe(j->path));
        }
    } else {
        count_job(s, j);
        print_job(s, j);
    }
    bzr__buf_free(&j->out);
    free(j->path);
    free(j);
    tick(s);
}

static bool submit(session *s, const char *path, bool walked) {
    job *j = calloc(1, sizeof *j);
    size_t n = strlen(path) + 1;
    if (j) j->path = malloc(n);
    if (!j || !j->path) {
        free(j);
        cli_status("scan", path, BZR_E_NOMEM);
        s->sum.errors++;
        return false;
    }
    memcpy(j->path, path, n);
    j->walked = walked;
    bzr__buf_init(&j->out, RENDERED_MAX);
    bzr__pool_submit(s->pool, j);
    return true;
}

/* With no operand the walk began at ".": its paths need not say so. */
static bool walk_file(void *ctx, const char *path) {
    const session *s = ctx;
    bool plain = !s->a->operands_n && !strncmp(path, "./", 2) && strcmp(path, "./-");
    return submit(ctx, plain ? path + 2 : path, true);
}

static void walk_skip(void *ctx, const char *path, bzr__walk_skip why, int err) {
    session *s = ctx;
    static const char *const reasons[] = { "ignored", "symbolic link", "no regular file", "" };
    if (why == BZR__WALK_FAILED) {
        s->sum.errors++;
        hide_progress(s);
        cli_error("scan", "cannot open '%s': %s", cli_safe(path), strerror(err));
        return;
    }
    *(why == BZR__WALK_IGNORED ? &s->sum.ignored : why == BZR__WALK_LINK ? &s->sum.links : &s->sum.special) += 1;
    if (!s->a->verbose) return;
    hide_progress(s);
    fprintf(stderr, "skipped, %s: %s\n", reasons[why], cli_safe(path));
}

static bool is_directory(const char *path) {
    struct stat st;
    return strcmp(path, "-") && !stat(path, &st) && S_ISDIR(st.st_mode);
}

static void scan_operands(session *s) {
    static const bzr__walk_calls calls = { walk_file, walk_skip };
    static char here[] = ".", dash[] = "-";
    char *none[] = { s->a->recursive ? here : dash };
    char **operands = s->a->operands_n ? s->a->operands : none;
    size_t n = s->a->operands_n ? s->a->operands_n : 1;
    for (size_t i = 0; i < n; i++) {
        if (!s->a->recursive || !is_directory(operands[i])) {
            submit(s, operands[i], false);
            continue;
        }
        bzr_status status = bzr__walk(operands[i], s->a->no_ignore, &calls, s);
        if (!status) continue;
        s->sum.errors++;
        cli_status("scan", operands[i], status);
    }
}

static const char *const action_colors[] = { "\x1b[32m", "\x1b[33m", "\x1b[1;31m" };

static void print_count(uint64_t n, const char *one, const char *many) {
    printf("%llu %s", (unsigned long long)n, n == 1 ? one : many);
}

static void print_skipped(const totals *t) {
    const struct {
        uint64_t n;
        const char *one, *many;
    } rows[] = { { t->binary, "binary file skipped", "binary files skipped" },
                 { t->ignored, "ignored path left out", "ignored paths left out" },
                 { t->links, "symbolic link not followed", "symbolic links not followed" },
                 { t->special, "special file left out", "special files left out" },
                 { t->incomplete, "scan incomplete", "scans incomplete" },
                 { t->errors, "error", "errors" } };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (!rows[i].n) continue;
        fputs(i < 4 ? "; " : ", ", stdout);
        print_count(rows[i].n, rows[i].one, rows[i].many);
    }
    putchar('\n');
}

static void print_summary(const session *s) {
    const totals *t = &s->sum;
    char size[32];
    if (!t->files && t->errors) return;
    add_size(size, t->bytes);
    if (s->color) fputs(action_colors[t->action], stdout);
    fputs(bzr_action_name(t->action), stdout);
    fputs(s->color ? "\x1b[0m: " : ": ", stdout);
    if (t->findings) {
        print_count(t->findings, "finding", "findings");
        printf(" (%llu high, %llu medium, %llu low) in %llu of ", (unsigned long long)t->by_severity[BZR_HIGH],
               (unsigned long long)t->by_severity[BZR_MEDIUM], (unsigned long long)t->by_severity[BZR_LOW],
               (unsigned long long)t->with_findings);
    } else {
        fputs(t->incomplete ? "no findings, but not everything was scanned: " : "no findings in ", stdout);
    }
    print_count(t->files, "input", "inputs");
    printf(", %s", size);
    print_skipped(t);
}

static void open_document(session *s) {
    bzr__buf b;
    bzr__buf_init(&b, RENDERED_MAX);
    if (s->a->format == FORMAT_SARIF)
        render_sarif_open(&b, s->rules);
    else if (s->a->format == FORMAT_JSON && s->many)
        bzr__buf_add_z(&b, "[\n");
    cli_print(bzr__buf_str(&b));
    bzr__buf_free(&b);
}

static void close_document(session *s) {
    bzr__buf b;
    bzr__buf_init(&b, RENDERED_MAX);
    hide_progress(s);
    if (s->a->format == FORMAT_SARIF)
        render_sarif_close(&b, !s->sum.errors && !s->sum.incomplete);
    else if (s->a->format == FORMAT_JSON && s->many)
        bzr__buf_add_z(&b, "\n]\n");
    else if (s->a->format == FORMAT_TEXT)
        print_summary(s);
    cli_print(bzr__buf_str(&b));
    bzr__buf_free(&b);
    if (s->a->format != FORMAT_TEXT && s->sum.binary)
        fprintf(stderr, "binary files skipped: %llu\n", (unsigned long long)s->sum.binary);
}

static unsigned thread_count(const args *a) {
    long n = a->jobs ? (long)a->jobs : sysconf(_SC_NPROCESSORS_ONLN);
    if (!a->recursive && a->operands_n < 2) return 1;
    return n < 1 ? 1 : n > BZR__POOL_THREADS ? BZR__POOL_THREADS : (unsigned)n;
}

static int exit_status(const totals *t) {
    if (t->errors) return EXIT_ERROR;
    return t->over ? EXIT_FINDING : t->incomplete ? EXIT_INCOMPLETE : EXIT_OK;
}

static int run_session(session *s) {
    static const bzr__pool_calls calls = { work, done, tick };
    bzr_status status = bzr__pool_new(thread_count(s->a), &calls, s, &s->pool);
    if (status) return cli_status("scan", "starting", status);
    if (!s->a->quiet) open_document(s);
    scan_operands(s);
    bzr__pool_finish(s->pool);
    if (!s->a->quiet) close_document(s);
    for (size_t i = 0; i < BZR__POOL_THREADS; i++) bzr_scanner_free(s->scanners[i]);
    return exit_status(&s->sum);
}

static int scan_with_engine(args *a, const bzr_rules *rules, bzr_engine *engine) {
    session *s = calloc(1, sizeof *s);
    bzr_status status = s ? bzr__rule_list_new(rules, &s->rules) : BZR_E_NOMEM;
    int code = EXIT_ERROR;
    if (status) {
        cli_status("scan", "starting", status);
    } else {
        s->a = a;
        s->engine = engine;
        s->options = (bzr_scan_options){ sizeof s->options, a->scope, a->kind, a->max_bytes };
        s->color = a->format == FORMAT_TEXT && cli_wants_color(a->color);
        s->many = a->recursive || a->operands_n > 1;
        s->progress = s->many && !a->quiet && isatty(STDERR_FILENO);
        code = a->jsonl ? jsonl_scan(a, engine, &s->options) : run_session(s);
        bzr__rule_list_free(s->rules);
    }
    free(s);
    return code;
}

int cmd_scan(args *a) {
    bzr_rules *rules;
    bzr_engine *engine;
    if (!cli_new_engine(a, &rules, &engine)) return EXIT_ERROR;
    int code = scan_with_engine(a, rules, engine);
    bzr_engine_free(engine);
    bzr_rules_free(rules);
    return code;
}
