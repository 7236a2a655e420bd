/* cmd_scan.c - `toadstone scan`: inputs to jobs, jobs to renderings, renderings to standard output in the order of the
 * inputs.
 *
 * Workers scan and render into the buffer of their job; only the main thread prints, so the output is the same whatever
 * the number of threads. Exit status: an error outweighs a finding, a finding an incomplete scan. */
#include "app/host/pool.h"
#include "app/repository/report.h"
#include "app/repository/walk.h"
#include "face/cli/args.h"
#include "face/cli/jsonl.h"
#include "face/cli/out.h"
#include "face/cli/render.h"
#include "face/cli/rulefiles.h"
#include "face/cli/sarif_pile.h"
#include "face/cli/scan_records.h"
#include "face/cli/settings.h"
#include "lib/base/str.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define RENDERED_MAX ((size_t)64 << 20)

typedef struct job {
    char *path, *key, *root; /* as given; from the root of its tree; that root */
    bool walked;             /* found in a directory: no links */
    bool in_repository;
    bool suppressible; /* the record of suppressions counts for its tree */
    toad__artifact artifact;
    toad__buf out, severities, entries; /* rendered; of SARIF results; for a baseline */
    toad_status status;
    int err;
    bool binary;
    toad_severity worst;
    toad_action action;
    toad_completeness completeness;
    uint64_t bytes, total, known, suppressed, by_severity[4];
} job;

typedef struct totals {
    uint64_t files, bytes, findings, by_severity[4], with_findings, incomplete;
    toad_action action;                                          /* the gravest */
    uint64_t binary, ignored, links, special, git, errors, over; /* over: inputs at or above --fail-on */
    uint64_t agents, known, suppressed, records, left_out; /* agents: files that agents obey; left_out: SARIF results */
} totals;

typedef struct session {
    const args *a;
    toad_engine *engine;
    toad_scanner *scanners[TOAD__POOL_THREADS];
    toad_scan_options options;
    toad__rule_list *rules;
    toad__pool *pool;
    scan_records records;
    bool color, many, progress, shown;
    bool repository, judged; /* files are weighed by what they are; or there are records */
    struct timespec last;
    size_t printed; /* results or objects printed, for the commas between them */
    toad__buf entries, notes;
    sarif_pile *pile;
    const toad__tree *tree; /* of the operand that is walked */
    size_t root_n;          /* bytes of that operand in its paths */
    bool suppressible;
    totals sum;
} session;

/* Code scanning wants the path from the root of the repository, from wherever the scan was started. */
static const char *uri_of(const job *j) { return j->in_repository ? j->key : j->path; }

static void render(const session *s, job *j, const toad__report *report) {
    rendering r = { .name = j->path,
                    .uri = uri_of(j),
                    .report = report,
                    .color = s->color,
                    .judged = s->judged,
                    .baseline = s->records.baseline != NULL,
                    .rules = s->rules };
    if (s->a->format == FORMAT_TEXT)
        render_text(&j->out, &r);
    else if (s->a->format == FORMAT_SARIF)
        render_sarif(&j->out, &j->severities, &r);
    else
        render_json(&j->out, &r);
    j->status = j->out.status;
}

static void take_report(const session *s, job *j, const toad__report *report) {
    j->worst = report->severity;
    j->action = report->action;
    j->completeness = toad_verdict_completeness(report->verdict);
    j->bytes = toad_verdict_bytes(report->verdict);
    j->known = report->known;
    j->suppressed = report->suppressed;
    j->total = report->fresh + (report->more_known ? 0 : report->unlisted);
    for (size_t i = 0; i < report->n; i++)
        if (toad__is_fresh(&report->rows[i])) j->by_severity[report->rows[i].severity & 3]++;
    if (s->a->write_baseline) toad__report_baseline(report, &j->entries);
    if (!s->a->quiet) render(s, j, report);
    if (!j->status) j->status = j->entries.status;
}

static void judge(const session *s, job *j, toad__input *in, const toad_verdict *v) {
    toad__report report;
    toad__report_options options = { s->repository, s->rules, s->records.baseline,
                                     j->suppressible ? s->records.suppressions : NULL };
    j->status = toad__report_make(&options, v, in, j->root, j->key, &report);
    if (!j->status) take_report(s, j, &report);
    toad__report_free(&report);
}

/* What the user has said of all inputs holds; else what the file is decides. */
static toad_scan_options options_for(const session *s, const job *j) {
    toad_scan_options options = s->options;
    if (!s->repository) return options;
    if (!s->a->has_kind) options.kind = toad__artifact_kind(j->artifact);
    if (!s->a->has_scope && toad__artifact_is_agents(j->artifact)) options.scope = TOAD_STRICT;
    return options;
}

static void work(void *ctx, unsigned worker, void *object) {
    session *s = ctx;
    job *j = object;
    toad__input in;
    toad__scan_outcome got;
    toad_scan_options options = options_for(s, j);
    if (!s->scanners[worker]) j->status = toad_scanner_new(s->engine, &s->scanners[worker]);
    if (j->status) return;
    j->err = toad__input_open(&in, j->path, !j->walked);
    if (j->err) {
        j->status = TOAD_E_IO;
        return;
    }
    bool may_be_binary = s->repository && !toad__artifact_is_text(j->artifact) && strcmp(j->path, "-");
    j->status = toad__scan_input(s->scanners[worker], &in, &options, may_be_binary, &got);
    j->err = got.err;
    j->binary = got.binary;
    if (!j->status && got.verdict) judge(s, j, &in, got.verdict);
    toad__input_close(&in);
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
    sarif_note(&s->notes, "error", "The file could not be scanned.", uri_of(j));
    if (j->status == TOAD_E_IO && j->err == EISDIR) {
        cli_error("scan", "'%s' is a directory", cli_safe(j->path));
        cli_hint("use -r to scan the files in it");
    } else if (j->status == TOAD_E_IO) {
        cli_error("scan", "cannot open '%s': %s", cli_safe(j->path), strerror(j->err ? j->err : EIO));
    } else {
        cli_status("scan", j->path, j->status);
    }
}

/* The separators between jobs, which one job cannot know. SARIF results are kept until all are known. */
static void print_job(session *s, job *j) {
    toad_str out = toad__buf_str(&j->out);
    if (s->a->format == FORMAT_SARIF) {
        if (sarif_pile_add(s->pile, out, toad__buf_str(&j->severities))) report_failure(s, j);
        return;
    }
    if (!out.n) return;
    hide_progress(s);
    if (s->a->format == FORMAT_JSON && s->many) cli_print_z(s->printed ? ",\n" : "");
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
    t->incomplete += j->completeness != TOAD_FULL;
    if (j->action > t->action) t->action = j->action;
    t->over += s->a->fail_on != TOAD_NONE && j->worst >= s->a->fail_on;
    for (int i = 0; i < 4; i++) t->by_severity[i] += j->by_severity[i];
    t->agents += s->repository && toad__artifact_is_agents(j->artifact);
    t->known += j->known;
    t->suppressed += j->suppressed;
    toad__buf_add_str(&s->entries, toad__buf_str(&j->entries));
    if (j->completeness != TOAD_FULL)
        sarif_note(&s->notes, "warning", "The file was not scanned completely.", uri_of(j));
}

static void free_job(job *j) {
    toad__buf_free(&j->out);
    toad__buf_free(&j->severities);
    toad__buf_free(&j->entries);
    free(j->path);
    free(j->key);
    free(j->root);
    free(j);
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
    free_job(j);
    tick(s);
}

/* `rest` is the path below the directory of which `tree` was opened. */
static bool submit(session *s, const char *path, const toad__tree *tree, toad_str rest, bool walked) {
    toad__buf key;
    job *j = calloc(1, sizeof *j);
    toad__buf_init(&key, TOAD__PATHS_MAX);
    if (tree)
        toad__tree_key(tree, rest, &key);
    else
        toad__buf_add_str(&key, rest);
    if (j) {
        j->path = toad__str_copy(toad__str_z(path));
        j->key = toad__str_copy(toad__buf_str(&key));
        j->root = toad__str_copy(tree ? toad__buf_str(&tree->root) : TOAD__S(""));
    }
    bool ok = j && !key.status && j->path && j->key && j->root;
    toad__buf_free(&key);
    if (!ok) {
        if (j) free_job(j);
        cli_status("scan", path, TOAD_E_NOMEM);
        s->sum.errors++;
        return false;
    }
    j->walked = walked;
    j->in_repository = tree && tree->repository;
    j->suppressible = s->suppressible;
    j->artifact = s->repository ? toad__artifact_of(toad__str_z(j->key)) : TOAD__ARTIFACT_OTHER;
    toad__buf_init(&j->out, RENDERED_MAX);
    toad__buf_init(&j->severities, RENDERED_MAX);
    toad__buf_init(&j->entries, RENDERED_MAX);
    toad__pool_submit(s->pool, j);
    return true;
}

/* With no operand the walk began at ".": its paths need not say so. */
static bool walk_file(void *ctx, const char *path) {
    session *s = ctx;
    size_t from = s->root_n;
    if (scan_records_are(&s->records, path)) {
        s->sum.records++;
        return true;
    }
    while (path[from] == '/') from++;
    bool plain = !s->a->operands_n && !strncmp(path, "./", 2) && strcmp(path, "./-");
    return submit(s, plain ? path + 2 : path, s->tree, toad__str_z(path + from), true);
}

static void walk_skip(void *ctx, const char *path, toad__walk_skip why, int err) {
    session *s = ctx;
    static const char *const reasons[] = { "ignored", "symbolic link", "no regular file", "git's own", "" };
    if (why == TOAD__WALK_FAILED) {
        s->sum.errors++;
        hide_progress(s);
        cli_error("scan", "cannot open '%s': %s", cli_safe(path), strerror(err));
        return;
    }
    uint64_t *const counts[] = { &s->sum.ignored, &s->sum.links, &s->sum.special, &s->sum.git };
    ++*counts[why];
    if (!s->a->verbose) return;
    hide_progress(s);
    fprintf(stderr, "skipped, %s: %s\n", reasons[why], cli_safe(path));
}

static bool is_directory(const char *path) {
    struct stat st;
    return strcmp(path, "-") && !stat(path, &st) && S_ISDIR(st.st_mode);
}

static void walk_directory(session *s, const char *path) {
    static const toad__walk_calls calls = { walk_file, walk_skip };
    toad__tree tree;
    toad_status status = toad__tree_open(path, &tree);
    s->tree = &tree;
    s->root_n = strlen(path);
    s->suppressible = scan_records_for(s->a, &s->records, &tree);
    if (!status) status = toad__walk(path, &tree, s->a->no_ignore, &calls, s);
    toad__tree_close(&tree);
    if (!status) return;
    s->sum.errors++;
    cli_status("scan", path, status);
}

/* A file that is named: in a repository it has the name it has there, elsewhere the one that was given. */
static void scan_file(session *s, const char *path) {
    const char *slash = strrchr(path, '/');
    toad_str name = toad__str_z(path),
             directory = !slash ? TOAD__S(".") : toad__str_part(name, 0, slash == path ? 1 : (size_t)(slash - path));
    char *parent = toad__str_copy(directory);
    toad__tree tree;
    toad_status status = parent ? toad__tree_open(parent, &tree) : TOAD_E_NOMEM;
    s->suppressible = !status && (!s->repository || scan_records_for(s->a, &s->records, &tree));
    while (toad__str_starts(name, TOAD__S("./"))) name = toad__str_part(name, 2, name.n);
    bool known = !status && tree.repository && strcmp(path, "-");
    if (status)
        cli_status("scan", path, status), s->sum.errors++;
    else
        submit(s, path, known ? &tree : NULL, known ? toad__str_z(slash ? slash + 1 : path) : name, false);
    if (parent) toad__tree_close(&tree);
    free(parent);
}

static void scan_operands(session *s) {
    static char here[] = ".", dash[] = "-";
    char *none[] = { s->a->recursive ? here : dash };
    char **operands = s->a->operands_n ? s->a->operands : none;
    size_t n = s->a->operands_n ? s->a->operands_n : 1;
    for (size_t i = 0; i < n; i++) {
        if (s->a->recursive && is_directory(operands[i]))
            walk_directory(s, operands[i]);
        else
            scan_file(s, operands[i]);
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
                 { t->git, ".git left out but for its messages", ".git left out but for their messages" },
                 { t->records, "record named by a flag not scanned", "records named by flags not scanned" },
                 { t->known, "finding in the baseline", "findings in the baseline" },
                 { t->suppressed, "finding suppressed", "findings suppressed" },
                 { t->incomplete, "scan incomplete", "scans incomplete" },
                 { t->errors, "error", "errors" } };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (!rows[i].n) continue;
        fputs(i < 8 ? "; " : ", ", stdout);
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
    fputs(toad_action_name(t->action), stdout);
    fputs(s->color ? "\x1b[0m: " : ": ", stdout);
    if (t->findings) {
        print_count(t->findings, "finding", "findings");
        printf(" (%llu high, %llu medium, %llu low) in %llu of ", (unsigned long long)t->by_severity[TOAD_HIGH],
               (unsigned long long)t->by_severity[TOAD_MEDIUM], (unsigned long long)t->by_severity[TOAD_LOW],
               (unsigned long long)t->with_findings);
    } else {
        fputs(t->incomplete ? "no findings, but not everything was scanned: " : "no findings in ", stdout);
    }
    print_count(t->files, "input", "inputs");
    printf(", %s", size);
    if (t->agents) {
        fputs("; ", stdout);
        print_count(t->agents, "file that agents obey", "files that agents obey");
    }
    print_skipped(t);
}

static void open_document(session *s) {
    toad__buf b;
    toad__buf_init(&b, RENDERED_MAX);
    if (s->a->format == FORMAT_SARIF)
        render_sarif_open(&b, s->rules);
    else if (s->a->format == FORMAT_JSON && s->many)
        toad__buf_add_z(&b, "[\n");
    cli_print(toad__buf_str(&b));
    toad__buf_free(&b);
}

/* All that was kept, in the order of the files, the gravest first where there are too many. */
static void close_sarif(session *s, toad__buf *b) {
    char text[160];
    s->sum.left_out = sarif_pile_print(s->pile, cli_print);
    uint64_t printed = sarif_pile_count(s->pile) - s->sum.left_out;
    if (s->sum.left_out) {
        snprintf(text, sizeof text, "%llu results are left out: a run may hold %u. The gravest are kept.",
                 (unsigned long long)s->sum.left_out, SARIF_RESULTS_MAX);
        sarif_note(&s->notes, "warning", text, NULL);
        fprintf(stderr, "toadstone: scan: %s\n", text);
    } else if (printed > SARIF_RESULTS_SHOWN) {
        snprintf(text, sizeof text, "%llu results; GitHub keeps the gravest %u.", (unsigned long long)printed,
                 SARIF_RESULTS_SHOWN);
        sarif_note(&s->notes, "warning", text, NULL);
        fprintf(stderr, "toadstone: scan: %s\n", text);
    }
    sarif_run run = { !s->sum.errors && !s->sum.incomplete, toad__buf_str(&s->notes) };
    render_sarif_close(b, &run);
}

static void close_document(session *s) {
    toad__buf b;
    toad__buf_init(&b, RENDERED_MAX);
    hide_progress(s);
    if (s->a->format == FORMAT_SARIF)
        close_sarif(s, &b);
    else if (s->a->format == FORMAT_JSON && s->many)
        toad__buf_add_z(&b, "\n]\n");
    else if (s->a->format == FORMAT_TEXT)
        print_summary(s);
    cli_print(toad__buf_str(&b));
    toad__buf_free(&b);
    if (s->a->format == FORMAT_TEXT) return;
    fflush(stdout);
    if (s->sum.binary) fprintf(stderr, "binary files skipped: %llu\n", (unsigned long long)s->sum.binary);
    if (s->sum.ignored) fprintf(stderr, "ignored paths left out: %llu\n", (unsigned long long)s->sum.ignored);
    if (s->sum.known) fprintf(stderr, "findings in the baseline: %llu\n", (unsigned long long)s->sum.known);
    if (s->sum.suppressed) fprintf(stderr, "findings suppressed: %llu\n", (unsigned long long)s->sum.suppressed);
}

/* A baseline of half a scan would let the other half alarm tomorrow. */
static bool write_baseline(session *s) {
    const char *path = s->a->write_baseline;
    if (!path) return true;
    int err = s->entries.status ? ENOMEM : 0;
    if (s->sum.errors) {
        cli_error("scan", "no baseline was written, since not all could be read");
        return false;
    }
    if (!err) err = toad__baseline_write(path, toad__buf_str(&s->entries));
    if (err) cli_error("scan", "cannot write '%s': %s", cli_safe(path), strerror(err));
    return !err;
}

static unsigned thread_count(const args *a) {
    long n = a->jobs ? (long)a->jobs : sysconf(_SC_NPROCESSORS_ONLN);
    if (!a->recursive && a->operands_n < 2) return 1;
    return n < 1 ? 1 : n > TOAD__POOL_THREADS ? TOAD__POOL_THREADS : (unsigned)n;
}

static int exit_status(const totals *t) {
    if (t->errors) return EXIT_ERROR;
    return t->over ? EXIT_FINDING : t->incomplete ? EXIT_INCOMPLETE : EXIT_OK;
}

static int run_session(session *s) {
    static const toad__pool_calls calls = { work, done, tick };
    toad_status status = toad__pool_new(thread_count(s->a), &calls, s, &s->pool);
    if (status) return cli_status("scan", "starting", status);
    if (!s->a->quiet) open_document(s);
    scan_operands(s);
    toad__pool_finish(s->pool);
    if (!s->a->quiet) close_document(s);
    bool written = write_baseline(s);
    for (size_t i = 0; i < TOAD__POOL_THREADS; i++) toad_scanner_free(s->scanners[i]);
    if (s->a->write_baseline && written && exit_status(&s->sum) == EXIT_FINDING)
        return EXIT_OK; /* now they are known */
    return written ? exit_status(&s->sum) : EXIT_ERROR;
}

static int start_session(args *a, session *s) {
    s->a = a;
    if (a->json) a->format = FORMAT_JSON;
    s->options = (toad_scan_options){ sizeof s->options, a->scope, a->kind, a->max_bytes };
    s->color = a->format == FORMAT_TEXT && cli_wants_color(a->color);
    s->many = a->recursive || a->operands_n > 1;
    s->progress = s->many && !a->quiet && isatty(STDERR_FILENO);
    s->repository = a->recursive || a->repository;
    if (a->jsonl) return jsonl_scan(a, s->engine, &s->options);
    if (!scan_records_read(a, &s->records)) return EXIT_ERROR;
    s->judged = s->repository || s->records.baseline || s->records.suppressions || a->write_baseline;
    toad__buf_init(&s->entries, TOAD__BASELINE_MAX);
    toad__buf_init(&s->notes, RENDERED_MAX);
    s->pile = sarif_pile_new();
    int code = s->pile ? run_session(s) : cli_status("scan", "starting", TOAD_E_NOMEM);
    sarif_pile_free(s->pile);
    toad__buf_free(&s->notes);
    toad__buf_free(&s->entries);
    return code;
}

static int scan_with_engine(args *a, const toad_rules *rules, toad_engine *engine) {
    session *s = calloc(1, sizeof *s);
    toad_status status = s ? toad__rule_list_new(rules, &s->rules) : TOAD_E_NOMEM;
    int code = EXIT_ERROR;
    if (status) {
        cli_status("scan", "starting", status);
    } else {
        s->engine = engine;
        code = start_session(a, s);
        scan_records_free(&s->records);
        toad__rule_list_free(s->rules);
    }
    free(s);
    return code;
}

static int scan(args *a) {
    toad_rules *rules = NULL;
    toad_engine *engine;
    if (!cli_new_engine(a, &rules, &engine)) return EXIT_ERROR;
    int code = scan_with_engine(a, rules, engine);
    toad_engine_free(engine);
    toad_rules_free(rules);
    return code;
}

int cmd_scan(args *a) {
    toad__config *config;
    if (!cli_load_config("scan", &config)) return EXIT_ERROR;
    int code = cli_apply_config(a, config) ? scan(a) : EXIT_ERROR;
    toad__config_free(config);
    return code;
}
