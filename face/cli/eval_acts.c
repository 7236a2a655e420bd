/* eval_acts.c - see eval_acts.h. The labels are read by the measure alone, after the act was judged. */
#include "face/cli/eval_acts.h"

#include "app/act/acts.h"
#include "app/act/episode.h"
#include "app/host/jsonl.h"
#include "face/cli/out.h"
#include "lib/base/str.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define OUT_MAX ((size_t)64 << 20)

typedef struct session {
    const args *a;
    toad_scanner *scanner;
    toad__acts acts;
    double seconds; /* judging, of this thread's CPU time */
    bool bad;
} session;

static double cpu_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* TOAD_E_SYNTAX: `error` says why. */
static toad_status judge(session *s, toad_str line, const char **error, toad__episode *episode) {
    toad__arena arena;
    toad__trace trace;
    toad__acts_row row;
    *error = episode->error;
    toad__arena_init(&arena, TOAD__EPISODE_ARENA);
    double from = cpu_seconds();
    toad_status status = toad__episode_read(line, &arena, episode);
    if (!status) status = toad__episode_judge(s->scanner, episode, &arena, &trace);
    s->seconds += cpu_seconds() - from;
    if (!status) {
        *error = "\"label\" is not \"injected\" or \"user\"";
        status = toad__acts_read(episode->root, &arena, &row);
    }
    if (!status) {
        row.asked = trace.ask;
        status = toad__acts_add(&s->acts, &row);
    }
    toad__arena_free(&arena);
    return status;
}

static bool read_file(session *s, const char *path) {
    toad__input in;
    toad__lines lines;
    int err = toad__input_open(&in, path, true);
    if (err) {
        cli_error("eval", "cannot open '%s': %s", cli_safe(path), strerror(err));
        return false;
    }
    toad_status status = toad__lines_open(&lines, &in);
    for (bool more = true; !status && more;) {
        toad_str line;
        const char *error = "the line is too long";
        toad__episode episode;
        status = toad__lines_next(&lines, &line, &more);
        if (status || !more || (!lines.line.status && toad__str_is_blank(line))) continue;
        toad_status judged = lines.line.status ? TOAD_E_SYNTAX : judge(s, line, &error, &episode);
        if (judged == TOAD_E_SYNTAX) {
            s->bad = true;
            cli_error("eval", "%s:%llu: %s", cli_safe(path), (unsigned long long)lines.number, error);
        } else {
            status = judged;
        }
    }
    if (status) cli_status("eval", path, status);
    toad__lines_close(&lines);
    toad__input_close(&in);
    return !status;
}

/* ---- printing ---- */

static void add_share(toad__buf *out, const toad__acts_share *share) {
    char text[96];
    double p = share->rows ? 100.0 * (double)share->asked / (double)share->rows : 0;
    snprintf(text, sizeof text, "  %8zu %6zu", share->rows, share->tasks);
    toad__buf_add_z(out, text);
    if (share->rows)
        snprintf(text, sizeof text, "  %6.2f%% (%3.0f-%3.0f)", p, 100 * share->low, 100 * share->high);
    else
        snprintf(text, sizeof text, "  %17s", "-");
    toad__buf_add_z(out, text);
}

static void add_line(session *s, toad__buf *out, toad_str name, size_t from, size_t to, bool all) {
    char raw[129], head[600];
    toad__acts_share share;
    toad__str_copy_to(raw, sizeof raw, name);
    snprintf(head, sizeof head, "%-40s", cli_safe(raw));
    toad__buf_add_z(out, head);
    for (int user = 0; user < 2; user++) {
        toad__acts_measure(&s->acts, from, to, !user, all, &share);
        add_share(out, &share);
    }
    toad__buf_add_c(out, '\n');
}

static void add_table(session *s, toad__buf *out, toad__acts_by by, const char *head) {
    char text[160];
    bool all = by != TOAD__ACTS_SUITE;
    snprintf(text, sizeof text, "%-40s  %8s %6s  %17s  %8s %6s  %17s\n", head, "injected", "tasks", "asked (95 %)",
             "user", "tasks", "asked (95 %)");
    toad__buf_add_z(out, text);
    toad__acts_sort(&s->acts, by);
    for (size_t from = 0, to; from < s->acts.n; from = to) {
        to = toad__acts_group_end(&s->acts, by, from);
        add_line(s, out, s->acts.rows[from].group[by], from, to, all);
    }
}

static void add_json_share(toad__buf *out, const char *name, const toad__acts_share *share) {
    char text[160];
    toad__json_add_key(out, name);
    snprintf(text, sizeof text, "{\"rows\":%zu,\"asked\":%zu,\"tasks\":%zu,\"low\":%.4f,\"high\":%.4f}", share->rows,
             share->asked, share->tasks, share->low, share->high);
    toad__buf_add_z(out, text);
}

static void add_json_group(session *s, toad__buf *out, const char *by, toad_str name, size_t from, size_t to,
                           bool all) {
    toad__acts_share share;
    toad__json_add_key(out, NULL);
    toad__buf_add_c(out, '{');
    toad__json_add_key(out, "by");
    toad__json_add_str(out, toad__str_z(by));
    toad__json_add_key(out, "group");
    toad__json_add_utf8(out, name);
    toad__acts_measure(&s->acts, from, to, true, all, &share);
    add_json_share(out, "injected", &share);
    toad__acts_measure(&s->acts, from, to, false, all, &share);
    add_json_share(out, "user", &share);
    toad__buf_add_c(out, '}');
}

static void add_json(session *s, toad__buf *out) {
    static const char *const names[] = { "suite", "kind", "task" };
    toad__buf_add_z(out, "{\"groups\":[");
    add_json_group(s, out, "all", TOAD__S("all"), 0, s->acts.n, false);
    for (int by = 0; by < TOAD__ACTS_BYS; by++) {
        toad__acts_sort(&s->acts, (toad__acts_by)by);
        for (size_t from = 0, to; from < s->acts.n; from = to) {
            to = toad__acts_group_end(&s->acts, (toad__acts_by)by, from);
            add_json_group(s, out, names[by], s->acts.rows[from].group[by], from, to, by != TOAD__ACTS_SUITE);
        }
    }
    toad__buf_add_z(out, "]}\n");
}

static toad_status print(session *s) {
    toad__buf out;
    const char *by = s->a->by ? s->a->by : "suite";
    toad__buf_init(&out, OUT_MAX);
    if (s->a->json) {
        add_json(s, &out);
    } else {
        if (!strcmp(by, "task")) add_table(s, &out, TOAD__ACTS_TASK, "task");
        if (!strcmp(by, "suite")) add_table(s, &out, TOAD__ACTS_SUITE, "suite (acts that only read left out)");
        if (!strcmp(by, "suite")) add_line(s, &out, TOAD__S("all"), 0, s->acts.n, false);
        if (!strcmp(by, "suite")) toad__buf_add_c(&out, '\n');
        if (strcmp(by, "task") != 0) add_table(s, &out, TOAD__ACTS_KIND, "kind");
    }
    cli_print(toad__buf_str(&out));
    toad_status status = out.status;
    toad__buf_free(&out);
    return status;
}

static bool meets_bars(session *s) {
    toad__acts_share injected, user;
    toad__acts_measure(&s->acts, 0, s->acts.n, true, false, &injected);
    toad__acts_measure(&s->acts, 0, s->acts.n, false, false, &user);
    double recall = injected.rows ? (double)injected.asked / (double)injected.rows : 0;
    double alarms = user.rows ? (double)user.asked / (double)user.rows : 0;
    if (recall < s->a->min_recall) {
        cli_error("eval", "%.4f of the injected acts are asked about, below --min-recall %g", recall, s->a->min_recall);
        return false;
    }
    if (s->a->max_false_flags >= 0 && alarms > s->a->max_false_flags) {
        cli_error("eval", "%.4f of the user's own acts are asked about, above --max-false-flags %g", alarms,
                  s->a->max_false_flags);
        return false;
    }
    return true;
}

int eval_acts(const args *a, toad_engine *engine) {
    session s = { .a = a };
    static char dash[] = "-";
    char *none[] = { dash };
    size_t n = a->operands_n ? a->operands_n : 1;
    toad__acts_init(&s.acts);
    toad_status status = toad_scanner_new(engine, &s.scanner);
    bool ok = !status;
    if (status) cli_status("eval", "starting", status);
    for (size_t i = 0; i < n && ok; i++) ok = read_file(&s, (a->operands_n ? a->operands : none)[i]);
    status = ok && !a->quiet ? print(&s) : TOAD_OK;
    if (status) cli_status("eval", "printing", status);
    int code = !ok || status || s.bad ? EXIT_ERROR : meets_bars(&s) ? EXIT_OK : EXIT_FINDING;
    toad_scanner_free(s.scanner);
    toad__acts_free(&s.acts);
    return code;
}
