/* cmd_scan.c - `toadstone scan`: what was asked to the operation, its files to standard output in the order of the
 * names.
 *
 * Workers render into the buffers of their file; only the main thread prints. Exit status: an error outweighs a
 * finding, a finding an incomplete scan. */
#include "app/repository/scan_tree.h"
#include "face/cli/args.h"
#include "face/cli/jsonl.h"
#include "face/cli/out.h"
#include "face/cli/render.h"
#include "face/cli/rulefiles.h"
#include "face/cli/sarif_pile.h"
#include "face/cli/scan_records.h"
#include "face/cli/settings.h"
#include "lib/base/str.h"
#include "lib/base/utf8.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define RENDERED_MAX ((size_t)64 << 20)

typedef struct session {
    const args *a;
    toad__rule_list *rules;
    scan_records records;
    bool color, many, progress, shown, judged; /* judged: files are weighed by what they are; or there are records */
    bool failed;                               /* something could not be kept */
    struct timespec last;
    size_t printed; /* objects printed, for the commas between them */
    size_t partly;  /* files of which nothing is to be said but that they were not scanned completely */
    toad__buf notes;
    sarif_pile *pile;
    uint64_t (*tally)[4]; /* of each rule, the places by severity */
} session;

/* Code scanning wants the path from the root of the repository, from wherever the scan was started. */
static const char *uri_of(const toad__scanned *f) { return f->in_repository ? f->key : f->path; }

static void render(void *ctx, toad__scanned *f, const toad__report *report) {
    const session *s = ctx;
    rendering r = { .name = f->path,
                    .uri = uri_of(f),
                    .report = report,
                    .color = s->color,
                    .judged = s->judged,
                    .baseline = s->records.baseline != NULL,
                    .show = s->a->show ? (toad_severity)s->a->show : TOAD_LOW,
                    .whole = !s->a->show,
                    .rules = s->rules };
    if (s->a->format == FORMAT_TEXT)
        render_text(&f->out, &f->marks, &r);
    else if (s->a->format == FORMAT_SARIF)
        render_sarif(&f->out, &f->marks, &r);
    else
        render_json(&f->out, &r);
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

static void tick(void *ctx, const toad__scan_totals *sum) {
    session *s = ctx;
    struct timespec now;
    char size[32], line[512];
    if (!s->progress || clock_gettime(CLOCK_MONOTONIC, &now)) return;
    if ((now.tv_sec - s->last.tv_sec) * 1000 + (now.tv_nsec - s->last.tv_nsec) / 1000000 < 100) return;
    s->last = now;
    s->shown = true;
    add_size(size, sum->bytes);
    int n = snprintf(line, sizeof line, "%llu of %llu files, %s, %llu places: %s",
                     (unsigned long long)(sum->files + sum->binary + sum->errors), (unsigned long long)sum->total, size,
                     (unsigned long long)(sum->places[TOAD_HIGH] + sum->places[TOAD_MEDIUM]), cli_safe(sum->current));
    size_t width = cli_error_width(), all = n < (int)sizeof line ? (size_t)n : sizeof line - 1;
    if (all >= width)
        all = toad__utf8_valid_upto(toad__str(line, width - 1)); /* one line, or it could not be taken back */
    fprintf(stderr, "\r\x1b[2K%.*s", (int)all, line);
    fflush(stderr);
}

static void tell_failure(session *s, const toad__scanned *f) {
    hide_progress(s);
    sarif_note(&s->notes, "error", "The file could not be scanned.", uri_of(f));
    if (f->status == TOAD_E_IO && f->err == EISDIR) {
        cli_error("scan", "'%s' is a directory", cli_safe(f->path));
        cli_hint("use -r to scan the files in it");
    } else if (f->status == TOAD_E_IO) {
        cli_error("scan", "cannot open '%s': %s", cli_safe(f->path), strerror(f->err ? f->err : EIO));
    } else {
        cli_status("scan", f->path, f->status);
    }
}

static void add_tally(session *s, toad_str marks) {
    tally_mark mark;
    for (; marks.n >= sizeof mark; marks = toad__str_part(marks, sizeof mark, marks.n)) {
        memcpy(&mark, marks.p, sizeof mark);
        if (mark.rule < s->rules->n) s->tally[mark.rule][mark.severity & 3]++;
    }
}

/* Files of which only this is said: that they were not scanned completely. More are counted, unless they are asked for.
 */
enum { PARTLY_SHOWN = 10 };

static bool is_one_too_many(session *s, const toad__scanned *f) {
    toad_str out = toad__buf_str(&f->out);
    bool one_line = toad__str_find(out, TOAD__S("\n"), 0) + 1 == out.n;
    if (s->a->format != FORMAT_TEXT || f->completeness == TOAD_FULL || !one_line) return false;
    return ++s->partly > PARTLY_SHOWN && !s->a->verbose;
}

/* The separators between files, which one file cannot know. SARIF results are kept until all are known. */
static void print_file(session *s, const toad__scanned *f) {
    toad_str out = toad__buf_str(&f->out);
    if (s->a->format == FORMAT_TEXT) add_tally(s, toad__buf_str(&f->marks));
    if (s->a->format == FORMAT_SARIF) {
        s->failed |= sarif_pile_add(s->pile, out, toad__buf_str(&f->marks)) != TOAD_OK;
        return;
    }
    if (!out.n || is_one_too_many(s, f)) return;
    hide_progress(s);
    if (s->a->format == FORMAT_JSON && s->many) cli_print_z(s->printed ? ",\n" : "");
    s->printed++;
    cli_print(out);
    if (s->a->format == FORMAT_JSONL || (s->a->format == FORMAT_JSON && !s->many)) cli_print_z("\n");
}

static void done(void *ctx, const toad__scanned *f) {
    session *s = ctx;
    if (f->status) {
        tell_failure(s, f);
    } else if (!f->binary) {
        if (f->completeness != TOAD_FULL)
            sarif_note(&s->notes, "warning", "The file was not scanned completely.", uri_of(f));
        print_file(s, f);
    } else if (s->a->verbose) {
        hide_progress(s);
        fprintf(stderr, "skipped, binary: %s\n", cli_safe(f->path));
    }
}

static void skip(void *ctx, const char *path, toad__walk_skip why, int err) {
    session *s = ctx;
    static const char *const reasons[] = { "ignored", "symbolic link", "no regular file", "git's own" };
    if (why != TOAD__WALK_FAILED && !s->a->verbose) return;
    hide_progress(s);
    if (why == TOAD__WALK_FAILED)
        cli_error("scan", "cannot open '%s': %s", cli_safe(path), strerror(err));
    else
        fprintf(stderr, "skipped, %s: %s\n", reasons[why], cli_safe(path));
}

static bool enter(void *ctx, const toad__tree *tree) {
    session *s = ctx;
    return scan_records_for(s->a, &s->records, tree);
}

/* The first Ctrl-C ends the scan with what there is; the second ends the program. */
static volatile sig_atomic_t interrupted;

static void on_interrupt(int signal) {
    (void)signal;
    interrupted = 1;
}

static bool is_interrupted(void *ctx) {
    (void)ctx;
    return interrupted;
}

static void catch_interrupt(void) {
    struct sigaction sa = { .sa_handler = on_interrupt, .sa_flags = (int)SA_RESETHAND };
    struct sigaction old;
    if (!sigaction(SIGINT, NULL, &old) && old.sa_handler != SIG_IGN) sigaction(SIGINT, &sa, NULL);
}

static bool is_record(void *ctx, const char *path) { return scan_records_are(&((session *)ctx)->records, path); }

static const char *const action_colors[] = { [TOAD_ALLOW] = "\x1b[32m",
                                             [TOAD_WARN] = "\x1b[33m",
                                             [TOAD_REDACT] = "\x1b[33m",
                                             [TOAD_ASK] = "\x1b[33m",
                                             [TOAD_BLOCK] = "\x1b[1;31m" };

static void print_count(uint64_t n, const char *one, const char *many) {
    printf("%llu %s", (unsigned long long)n, n == 1 ? one : many);
}

static void print_skipped(const session *s, const toad__scan_totals *t) {
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
                 { t->unlisted, "finding more is only counted", "findings more are only counted" },
                 { t->incomplete - t->minified, "scan incomplete", "scans incomplete" },
                 { s->partly > PARTLY_SHOWN && !s->a->verbose ? s->partly - PARTLY_SHOWN : 0,
                   "of them not named: --verbose", "of them not named: --verbose" },
                 { t->minified, "file not wholly decoded (minified code)", "files not wholly decoded (minified code)" },
                 { t->errors, "error", "errors" } };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (!rows[i].n) continue;
        fputs("; ", stdout);
        print_count(rows[i].n, rows[i].one, rows[i].many);
    }
    putchar('\n');
}

/* What is shown, by rule, where it is too much to be seen at once. */
enum { SUM_FROM = 10, SUM_MOST = 12 };

typedef struct sum_row {
    const char *rule;
    int severity;
    uint64_t n;
} sum_row;

static int compare_rows(const void *a, const void *b) {
    const sum_row *x = a, *y = b;
    if (x->severity != y->severity) return y->severity - x->severity;
    if (x->n != y->n) return x->n < y->n ? 1 : -1;
    return strcmp(x->rule, y->rule);
}

static void print_by_rule(const session *s, const toad__scan_totals *t) {
    uint64_t shown = 0;
    size_t n = 0;
    for (int severity = s->a->show; severity <= TOAD_HIGH; severity++) shown += t->places[severity];
    sum_row *rows = s->many && shown >= SUM_FROM ? malloc(3 * s->rules->n * sizeof *rows) : NULL;
    for (size_t i = 0; rows && i < s->rules->n; i++)
        for (int severity = s->a->show ? s->a->show : TOAD_LOW; severity <= TOAD_HIGH; severity++)
            if (s->tally[i][severity])
                rows[n++] = (sum_row){ s->rules->rows[i].rule.id, severity, s->tally[i][severity] };
    if (n) qsort(rows, n, sizeof *rows, compare_rows);
    if (n) putchar('\n');
    for (size_t i = 0; i < n && i < SUM_MOST; i++)
        printf("%8llu  %-6s  %s\n", (unsigned long long)rows[i].n, toad_severity_name((toad_severity)rows[i].severity),
               rows[i].rule);
    if (n > SUM_MOST) printf("          and %zu rules more\n", n - SUM_MOST);
    free(rows);
}

static void print_places(const session *s, const toad__scan_totals *t) {
    const uint64_t *n = t->places;
    uint64_t hidden = 0;
    for (int severity = TOAD_LOW; severity < s->a->show; severity++) hidden += n[severity];
    print_count(n[TOAD_LOW] + n[TOAD_MEDIUM] + n[TOAD_HIGH], "place", "places");
    printf(" (%llu high, %llu medium, %llu low", (unsigned long long)n[TOAD_HIGH], (unsigned long long)n[TOAD_MEDIUM],
           (unsigned long long)n[TOAD_LOW]);
    if (hidden) printf("; %llu not shown: --show low", (unsigned long long)hidden);
    printf(") in %llu of ", (unsigned long long)t->with_places);
}

static void print_summary(const session *s, const toad__scan_totals *t) {
    char size[32];
    if (!t->files && t->errors) return;
    print_by_rule(s, t);
    add_size(size, t->bytes);
    if (t->stopped) fputs("interrupted; so far: ", stdout);
    if (s->color) fputs(action_colors[t->action], stdout);
    fputs(toad_action_name(t->action), stdout);
    fputs(s->color ? "\x1b[0m: " : ": ", stdout);
    if (t->with_places) {
        print_places(s, t);
    } else {
        fputs(t->incomplete ? "no findings, but not everything was scanned: " : "no findings in ", stdout);
    }
    print_count(t->files, "input", "inputs");
    printf(", %s", size);
    if (t->agents) {
        fputs("; ", stdout);
        print_count(t->agents, "file that agents obey", "files that agents obey");
    }
    print_skipped(s, t);
}

static void open_document(const session *s) {
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
static void close_sarif(session *s, const toad__scan_totals *t, toad__buf *b) {
    char text[160] = "";
    uint64_t left_out = sarif_pile_print(s->pile, cli_print), printed = sarif_pile_count(s->pile) - left_out;
    if (left_out)
        snprintf(text, sizeof text, "%llu results are left out: a run may hold %u. The gravest are kept.",
                 (unsigned long long)left_out, SARIF_RESULTS_MAX);
    else if (printed > SARIF_RESULTS_SHOWN)
        snprintf(text, sizeof text, "%llu results; GitHub keeps the gravest %u.", (unsigned long long)printed,
                 SARIF_RESULTS_SHOWN);
    if (*text) {
        sarif_note(&s->notes, "warning", text, NULL);
        fprintf(stderr, "toadstone: scan: %s\n", text);
    }
    sarif_run run = { !t->errors && !t->incomplete && !t->stopped && !s->failed, toad__buf_str(&s->notes) };
    render_sarif_close(b, &run);
}

static void tell(uint64_t n, const char *what) {
    if (n) fprintf(stderr, "%s: %llu\n", what, (unsigned long long)n);
}

static void close_document(session *s, const toad__scan_totals *t) {
    toad__buf b;
    toad__buf_init(&b, RENDERED_MAX);
    hide_progress(s);
    if (s->a->format == FORMAT_SARIF)
        close_sarif(s, t, &b);
    else if (s->a->format == FORMAT_JSON && s->many)
        toad__buf_add_z(&b, "\n]\n");
    else if (s->a->format == FORMAT_TEXT)
        print_summary(s, t);
    cli_print(toad__buf_str(&b));
    toad__buf_free(&b);
    if (s->a->format == FORMAT_TEXT) return;
    fflush(stdout);
    tell(t->binary, "binary files skipped");
    tell(t->ignored, "ignored paths left out");
    tell(t->known, "findings in the baseline");
    tell(t->suppressed, "findings suppressed");
}

/* A baseline of half a scan would let the other half alarm tomorrow. */
static bool write_baseline(const char *path, const toad__buf *entries, const toad__scan_totals *t) {
    if (t->errors || t->stopped) {
        cli_error("scan", "no baseline was written, since not all could be read");
        return false;
    }
    int err = entries->status ? ENOMEM : toad__baseline_write(path, toad__buf_str(entries));
    if (err) cli_error("scan", "cannot write '%s': %s", cli_safe(path), strerror(err));
    return !err;
}

static int exit_status(const session *s, const toad__scan_totals *t, const toad__buf *entries) {
    const char *baseline = s->a->write_baseline;
    if (baseline && !write_baseline(baseline, entries, t)) return EXIT_ERROR;
    if (t->errors || s->failed) return EXIT_ERROR;
    if (t->over) return baseline ? EXIT_OK : EXIT_FINDING; /* in the baseline: now they are known */
    return t->incomplete ? EXIT_INCOMPLETE : EXIT_OK;
}

static toad__scan_tree_options options_of(const session *s, const toad_engine *engine, toad__buf *entries) {
    const args *a = s->a;
    return (toad__scan_tree_options){
        .engine = engine,
        .scan = { sizeof(toad_scan_options), a->scope, a->kind, a->max_bytes },
        .has_kind = a->has_kind,
        .has_scope = a->has_scope,
        .recursive = a->recursive,
        .no_ignore = a->no_ignore,
        .count = s->progress,
        .threads = (unsigned)a->jobs,
        .fail_on = a->fail_on,
        .report = { a->recursive || a->repository, s->rules, s->records.baseline, s->records.suppressions },
        .entries = a->write_baseline ? entries : NULL,
        .names = (const char *const *)a->operands,
        .names_n = a->operands_n,
    };
}

int cmd_scan(args *a) {
    toad__config *config = NULL;
    toad_rules *rules = NULL;
    toad_engine *engine = NULL;
    toad__buf entries;
    toad__scan_totals sum;
    if (!a->operands_n && !a->recursive && !a->jsonl && isatty(STDIN_FILENO)) {
        cli_hint("scanning the files here; 'toadstone scan -' reads what you type");
        a->recursive = true;
    }
    session s = { .a = a, .many = a->recursive || a->operands_n > 1 };
    toad__scan_tree_calls calls = { a->quiet ? NULL : render, done, skip, enter, is_record, is_interrupted, tick };
    int code = EXIT_ERROR;

    toad__buf_init(&s.notes, RENDERED_MAX);
    toad__buf_init(&entries, TOAD__BASELINE_MAX);
    if (a->json) a->format = FORMAT_JSON;
    if (!cli_load_config("scan", &config) || !cli_apply_config(a, config)) goto out;
    if (!cli_new_engine(a, &rules, &engine)) goto out;
    if (a->jsonl) {
        toad_scan_options scan = { sizeof scan, a->scope, a->kind, a->max_bytes };
        code = jsonl_scan(a, engine, &scan);
        goto out;
    }
    if (!scan_records_read(a, &s.records)) goto out;
    s.color = a->format == FORMAT_TEXT && cli_wants_color(a->color);
    s.progress = s.many && !a->quiet && isatty(STDERR_FILENO);
    s.judged = a->recursive || a->repository || s.records.baseline || s.records.suppressions || a->write_baseline;
    s.pile = sarif_pile_new();
    toad_status status = s.pile ? toad__rule_list_new(rules, &s.rules) : TOAD_E_NOMEM;
    if (!status && !(s.tally = calloc(s.rules->n + 1, sizeof *s.tally))) status = TOAD_E_NOMEM;
    toad__scan_tree_options options = options_of(&s, engine, &entries);
    if (!status && !a->quiet) open_document(&s);
    catch_interrupt();
    if (!status) status = toad__scan_tree(&options, &calls, &s, &sum);
    if (!status && !a->quiet) close_document(&s, &sum);
    code = status ? cli_status("scan", "starting", status) : exit_status(&s, &sum, &entries);
    if (!status && sum.stopped) { /* whoever started us is to know why it ended */
        fflush(stdout);
        signal(SIGINT, SIG_DFL);
        raise(SIGINT);
    }
out:
    toad__buf_free(&entries);
    toad__buf_free(&s.notes);
    sarif_pile_free(s.pile);
    scan_records_free(&s.records);
    toad__rule_list_free(s.rules);
    free(s.tally);
    toad_engine_free(engine);
    toad_rules_free(rules);
    toad__config_free(config);
    return code;
}
