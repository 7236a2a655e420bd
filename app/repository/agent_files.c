/* agent_files.c - see agent_files.h. */
#include "app/repository/agent_files.h"
#include "lib/base/str.h"
#include "sys/clock.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

enum { NAMES = 128 };
#define FILE_MAX ((uint64_t)1 << 20) /* bytes of one file where time is short; a longer one is incomplete */

typedef struct looking {
    size_t below; /* bytes of a path that are not told */
    int64_t until;
    toad__agent_files *ret;
} looking;

/* A name that a stranger chose, for a sentence of ours. */
static void print_name(const char *path, char *out, size_t room) {
    size_t n = 0;
    for (; *path && n + 1 < room; path++) {
        bool plain = toad__is_alnum((unsigned char)*path) || strchr("._-/+@", *path);
        out[n++] = plain ? *path : '?';
    }
    out[n] = 0;
}

static void keep_worst(void *ctx, toad__scanned *file, const toad__report *report) {
    (void)ctx;
    const toad__reported *worst = NULL;
    for (size_t i = 0; i < report->n; i++)
        if (!worst || report->rows[i].severity > worst->severity) worst = &report->rows[i];
    if (worst) toad__buf_add_z(&file->out, worst->finding->rule);
}

static void take(void *ctx, const toad__scanned *file) {
    looking *l = ctx;
    toad__agent_files *ret = l->ret;
    ret->files++;
    ret->incomplete += file->status || file->completeness != TOAD_FULL;
    ret->closed += file->binaries;
    ret->flagged += !file->status && file->severity >= TOAD_MEDIUM;
    if (file->status || file->severity < TOAD_MEDIUM || file->severity <= ret->severity) return;
    ret->severity = file->severity;
    size_t n = strlen(file->path);
    print_name(file->path + (l->below < n ? l->below : n), ret->worst, sizeof ret->worst);
    snprintf(ret->rule, sizeof ret->rule, "%.*s", (int)file->out.n, file->out.n ? file->out.p : "");
}

static void skip(void *ctx, const char *path, toad__walk_skip why, int err) {
    (void)ctx, (void)path, (void)why, (void)err;
}
static bool enter(void *ctx, const toad__tree *tree) { return (void)ctx, (void)tree, false; }
static bool is_record(void *ctx, const char *path) { return (void)ctx, (void)path, false; }
static void tick(void *ctx, const toad__scan_totals *sum) { (void)ctx, (void)sum; }

/* Asked of the file itself: not every file system says in its entries what they are. */
static bool is_wanted(const char *path, toad_str name) {
    struct stat st;
    if (lstat(path, &st)) return false;
    if (S_ISDIR(st.st_mode))
        return toad__artifact_is_agents_directory(name) || toad__str_eq(name, TOAD__S(".github")) ||
               toad__str_eq(name, TOAD__S(".vscode"));
    return S_ISREG(st.st_mode) && toad__artifact_is_agents(toad__artifact_of(name));
}

static int by_name(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

static toad_status list(const char *directory, char *names[NAMES], size_t *n) {
    DIR *dir = opendir(directory);
    toad_status status = TOAD_OK;
    for (const struct dirent *entry; dir && !status && *n < NAMES && (entry = readdir(dir));) {
        size_t room = strlen(directory) + strlen(entry->d_name) + 2;
        char *path = malloc(room);
        if (path) snprintf(path, room, "%s/%s", directory, entry->d_name);
        if (path && !is_wanted(path, toad__str_z(entry->d_name))) {
            free(path);
            continue;
        }
        status = path ? TOAD_OK : TOAD_E_NOMEM;
        if (path) names[(*n)++] = path;
    }
    if (dir) closedir(dir);
    qsort(names, *n, sizeof *names, by_name);
    return status;
}

static bool is_late(void *ctx) {
    const looking *l = ctx;
    return l->until && toad__now_ms() >= l->until;
}

toad_status toad__agent_files_look(const toad__agent_look *look, toad__agent_files *ret, bool *ret_stopped) {
    toad_scan_options scan = TOAD_SCAN_OPTIONS_INIT;
    const toad__scan_tree_calls calls = { .render = keep_worst,
                                          .done = take,
                                          .skip = skip,
                                          .enter = enter,
                                          .is_record = is_record,
                                          .stop = is_late,
                                          .tick = tick };
    toad__scan_totals sum;
    toad__agent_files found = { .severity = TOAD_NONE };
    looking l = { look->below, look->until, &found };
    toad__rule_list *rules = NULL;
    toad_status status = toad__rule_list_new(NULL, &rules);
    if (look->until) scan.max_bytes = FILE_MAX;
    const toad__scan_tree_options options = { .engine = look->engine,
                                              .scan = scan,
                                              .recursive = true,
                                              .no_ignore = true,
                                              .threads = 1,
                                              .fail_on = TOAD_HIGH,
                                              .within = look->within,
                                              .report = { .repository = true, .rules = rules },
                                              .names = look->names,
                                              .names_n = look->names_n };
    if (!status) status = toad__scan_tree(&options, &calls, &l, &sum);
    toad__rule_list_free(rules);
    if (status) return status;
    found.closed += sum.binary + sum.links + sum.special + sum.errors;
    *ret_stopped = sum.stopped;
    *ret = found;
    return TOAD_OK;
}

toad_status toad__agent_files_scan(const toad_engine *engine, const char *directory, toad__agent_files *ret) {
    char *names[NAMES];
    size_t n = 0;
    bool stopped;
    toad_status status = list(directory, names, &n);
    const toad__agent_look look = {
        .engine = engine, .names = (const char *const *)names, .names_n = n, .below = strlen(directory) + 1
    };
    if (!status && n)
        status = toad__agent_files_look(&look, ret, &stopped);
    else if (!status)
        *ret = (toad__agent_files){ .severity = TOAD_NONE };
    while (n) free(names[--n]);
    return status;
}
