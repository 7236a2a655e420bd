/* scan_tree.c - see scan_tree.h. Names to files, files to jobs of the pool, jobs to totals.
 *
 * A worker owns its scanner and the file it was given; everything else belongs to the caller's thread. A single file is
 * shared by all threads. */
#include "app/repository/scan_tree.h"
#include "app/host/pool.h"
#include "app/repository/opened.h"
#include "lib/base/str.h"

#include <assert.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define RENDERED_MAX ((size_t)64 << 20)
enum { CURRENT_MAX = 1024 };

typedef struct scan_tree {
    const toad__scan_tree_options *options;
    const toad__scan_tree_calls *calls;
    void *ctx;
    toad__pool *pool;
    toad_scanner *scanners[TOAD__POOL_THREADS]; /* of each worker, made when it is first needed */
    toad__scan_totals sum;
    unsigned threads_each;  /* that share one file */
    const toad__tree *tree; /* that is walked */
    size_t root_n;          /* bytes of its name in its paths */
    bool suppressible;      /* the record of suppressions counts in it */
    char current[CURRENT_MAX];
} scan_tree;

static void free_file(toad__scanned *f) {
    toad__buf_free(&f->out);
    toad__buf_free(&f->marks);
    toad__buf_free(&f->entries);
    toad__buf_free(&f->names);
    free(f);
}

toad_scan_options toad__scan_options_for(const toad__scan_tree_options *o, toad__artifact artifact) {
    toad_scan_options options = o->scan;
    if (!o->report.repository) return options;
    if (!o->has_kind) options.kind = toad__artifact_kind(artifact);
    if (!o->has_scope && toad__artifact_is_agents(artifact)) options.scope = TOAD_STRICT;
    return options;
}

static void take_report(scan_tree *t, toad__scanned *f, const toad__report *report) {
    f->severity = report->severity;
    f->action = report->action;
    f->completeness = toad_verdict_completeness(report->verdict);
    f->bytes = toad_verdict_bytes(report->verdict);
    f->known = report->known;
    f->suppressed = report->suppressed;
    f->unlisted = report->more_known ? 0 : report->unlisted;
    f->minified = report->minified;
    memcpy(f->places, report->places, sizeof f->places);
    f->binaries = report->binary;
    if (t->calls->render) t->calls->render(t->ctx, f, report);
    f->status = f->out.status ? f->out.status : f->marks.status ? f->marks.status : f->entries.status;
}

static toad_status take_container(scan_tree *t, toad_scanner *scanner, const toad__report_options *weighing,
                                  toad__scanned *f, toad__input *in) {
    toad__opened opened;
    toad_status status = toad__opened_make(scanner, t->options, weighing, f, in, &opened, &f->err);
    f->status = status;
    if (!status) take_report(t, f, &opened.report);
    toad__opened_free(&opened);
    return f->status;
}

/* On a worker's thread. */
static void work(void *ctx, unsigned worker, void *object) {
    scan_tree *t = ctx;
    toad__scanned *f = object;
    const toad__scan_tree_options *o = t->options;
    toad_scan_options options = toad__scan_options_for(o, f->artifact);
    toad__report_options weighing = o->report;
    toad__report report = { .rows = NULL };
    toad__scan_outcome got;
    toad__input in;

    assert(worker < TOAD__POOL_THREADS);
    if (!t->scanners[worker]) f->status = toad_scanner_new(o->engine, &t->scanners[worker]);
    if (f->status) return;
    f->err = toad__input_open(&in, f->path, !f->walked);
    if (f->err) {
        f->status = TOAD_E_IO;
        return;
    }
    unsigned look = TOAD__LOOK_CONTAINER;
    if (o->report.repository && !toad__artifact_is_text(f->artifact) && strcmp(f->path, "-")) look |= TOAD__LOOK_BINARY;
    if (!f->suppressible) weighing.suppressions = NULL;
    f->status = toad__scan_input(t->scanners[worker], &in, &options, look, t->threads_each, &got);
    f->err = got.err;
    f->binary = got.binary;
    if (!f->status && got.container) f->status = take_container(t, t->scanners[worker], &weighing, f, &in);
    if (f->status || !got.verdict) goto out;
    f->status = toad__report_make(&weighing, got.verdict, &in, f->root, f->key, &report);
    if (!f->status && o->entries) toad__report_baseline(&report, &f->entries);
    if (!f->status) take_report(t, f, &report);
out:
    toad__report_free(&report);
    toad__input_close(&in);
}

static void count(scan_tree *t, const toad__scanned *f) {
    toad__scan_totals *sum = &t->sum;
    sum->files++;
    sum->bytes += f->bytes;
    uint64_t places = 0;
    for (int i = 0; i < 4; i++) {
        sum->places[i] += f->places[i];
        places += f->places[i];
    }
    sum->unlisted += f->unlisted;
    sum->with_places += places || f->unlisted;
    sum->incomplete += f->completeness != TOAD_FULL;
    sum->minified += f->minified;
    sum->binary += f->binaries;
    if (f->action > sum->action) sum->action = f->action;
    sum->over += t->options->fail_on != TOAD_NONE && f->severity >= t->options->fail_on;
    sum->agents += t->options->report.repository && toad__artifact_is_agents(f->artifact);
    sum->known += f->known;
    sum->suppressed += f->suppressed;
    if (t->options->entries) toad__buf_add_str(t->options->entries, toad__buf_str(&f->entries));
}

static void tick(void *ctx) {
    scan_tree *t = ctx;
    t->calls->tick(t->ctx, &t->sum);
}

static void done(void *ctx, void *object) {
    scan_tree *t = ctx;
    toad__scanned *f = object;
    if (f->status)
        t->sum.errors++;
    else if (f->binary)
        t->sum.binary++;
    else
        count(t, f);
    t->calls->done(t->ctx, f);
    free_file(f);
    tick(t);
}

static void fail(scan_tree *t, const char *path, toad_status status) {
    toad__scanned f = { .path = path, .key = path, .status = status };
    t->sum.errors++;
    t->calls->done(t->ctx, &f);
}

/* `rest` is the path below the directory of which `tree` was opened; without a tree it is the key itself. NULL after it
 * was told. */
static toad__scanned *new_file(scan_tree *t, const char *path, const toad__tree *tree, toad_str rest, bool walked) {
    toad__scanned *f = calloc(1, sizeof *f);
    if (!f) return fail(t, path, TOAD_E_NOMEM), NULL;
    toad__buf_init(&f->names, 4 * TOAD__PATHS_MAX);
    toad__buf_init(&f->out, RENDERED_MAX);
    toad__buf_init(&f->marks, RENDERED_MAX);
    toad__buf_init(&f->entries, RENDERED_MAX);
    toad__buf_add_str(&f->names, toad__str(path, strlen(path) + 1));
    size_t key = f->names.n;
    if (t->options->within) toad__buf_add_z(&f->names, t->options->within);
    if (tree)
        toad__tree_key(tree, rest, &f->names);
    else
        toad__buf_add_str(&f->names, rest);
    toad__buf_add_c(&f->names, 0);
    size_t root = f->names.n;
    if (tree) toad__buf_add_str(&f->names, toad__buf_str(&tree->root));
    toad__buf_add_c(&f->names, 0);
    if (f->names.status) {
        free_file(f);
        return fail(t, path, TOAD_E_NOMEM), NULL;
    }
    f->path = f->names.p;
    f->key = f->names.p + key;
    f->root = f->names.p + root;
    f->walked = walked;
    f->in_repository = tree && tree->repository;
    f->suppressible = t->suppressible;
    f->artifact = t->options->report.repository ? toad__artifact_of(toad__str_z(f->key)) : TOAD__ARTIFACT_OTHER;
    return f;
}

static bool is_stopped(scan_tree *t) {
    if (!t->sum.stopped && t->calls->stop) t->sum.stopped = t->calls->stop(t->ctx);
    return t->sum.stopped;
}

/* Without a name the walk began at ".": its paths need not say so. */
static bool walk_file(void *ctx, const char *path) {
    scan_tree *t = ctx;
    size_t from = t->root_n;
    if (is_stopped(t)) return false;
    toad__str_copy_to(t->current, sizeof t->current, toad__str_z(path));
    if (t->calls->is_record(t->ctx, path)) {
        t->sum.records++;
        return true;
    }
    while (path[from] == '/') from++;
    bool plain = !t->options->names_n && !strncmp(path, "./", 2) && strcmp(path, "./-");
    toad__scanned *f = new_file(t, plain ? path + 2 : path, t->tree, toad__str_z(path + from), true);
    if (f) toad__pool_submit(t->pool, f);
    return f != NULL;
}

static void walk_skip(void *ctx, const char *path, toad__walk_skip why, int err) {
    scan_tree *t = ctx;
    uint64_t *const counts[] = { &t->sum.ignored, &t->sum.links, &t->sum.special, &t->sum.git, &t->sum.errors };
    ++*counts[why];
    t->calls->skip(t->ctx, path, why, err);
}

static void scan_directory(scan_tree *t, const char *path) {
    static const toad__walk_calls calls = { walk_file, walk_skip };
    toad__tree tree;
    toad_status status = toad__tree_open(path, &tree);
    t->tree = &tree;
    t->root_n = strlen(path);
    t->suppressible = !status && t->calls->enter(t->ctx, &tree);
    if (!status) status = toad__walk(path, &tree, t->options->no_ignore, &calls, t);
    toad__tree_close(&tree);
    if (status) fail(t, path, status);
}

/* A file that is named: in a repository it has the name it has there, elsewhere the one that was given. */
static void scan_file(scan_tree *t, const char *path) {
    const char *slash = strrchr(path, '/');
    toad_str name = toad__str_z(path),
             directory = !slash ? TOAD__S(".") : toad__str_part(name, 0, slash == path ? 1 : (size_t)(slash - path));
    toad__tree tree;
    char *parent = toad__str_copy(directory);
    toad_status status = parent ? toad__tree_open(parent, &tree) : TOAD_E_NOMEM;
    t->suppressible = !status && (!t->options->report.repository || t->calls->enter(t->ctx, &tree));
    while (toad__str_starts(name, TOAD__S("./"))) name = toad__str_part(name, 2, name.n);
    bool known = !status && tree.repository && strcmp(path, "-");
    if (known) name = toad__str_z(slash ? slash + 1 : path);
    toad__scanned *f = status ? fail(t, path, status), NULL : new_file(t, path, known ? &tree : NULL, name, false);
    if (f) toad__pool_submit(t->pool, f);
    if (parent) toad__tree_close(&tree);
    free(parent);
}

static bool is_directory(const char *path) {
    struct stat st;
    return strcmp(path, "-") && !stat(path, &st) && S_ISDIR(st.st_mode);
}

/* ---- how many there are ---- */

static bool count_file(void *ctx, const char *path) {
    scan_tree *t = ctx;
    (void)path;
    t->sum.total++;
    return !is_stopped(t);
}

static void count_skip(void *ctx, const char *path, toad__walk_skip why, int err) {
    (void)ctx, (void)path, (void)why, (void)err; /* told when it is scanned */
}

static void count_files(scan_tree *t, const char *name) {
    static const toad__walk_calls calls = { count_file, count_skip };
    toad__tree tree;
    if (!t->options->recursive || !is_directory(name)) {
        t->sum.total++;
        return;
    }
    if (!toad__tree_open(name, &tree)) toad__walk(name, &tree, t->options->no_ignore, &calls, t);
    toad__tree_close(&tree);
}

static unsigned thread_count(const toad__scan_tree_options *o) {
    long n = o->threads ? (long)o->threads : sysconf(_SC_NPROCESSORS_ONLN);
    return n < 1 ? 1 : n > TOAD__POOL_THREADS ? TOAD__POOL_THREADS : (unsigned)n;
}

toad_status toad__scan_tree(const toad__scan_tree_options *options, const toad__scan_tree_calls *calls, void *ctx,
                            toad__scan_totals *ret) {
    static const toad__pool_calls jobs = { work, done, tick };
    const char *none = options->recursive ? "." : "-", *const *names = options->names_n ? options->names : &none;
    bool many = options->recursive || options->names_n > 1;
    unsigned threads = many ? thread_count(options) : 1;
    scan_tree *t = calloc(1, sizeof *t);
    toad_status status = t ? toad__pool_new(threads, TOAD__POOL_WINDOW, &jobs, t, &t->pool) : TOAD_E_NOMEM;
    if (status) goto out;
    t->options = options;
    t->calls = calls;
    t->ctx = ctx;
    t->threads_each = many ? 1 : thread_count(options);
    size_t n = options->names_n ? options->names_n : 1;
    t->sum.current = t->current;
    for (size_t i = 0; options->count && i < n; i++) count_files(t, names[i]);
    for (size_t i = 0; i < n && !is_stopped(t); i++)
        (options->recursive && is_directory(names[i]) ? scan_directory : scan_file)(t, names[i]);
    toad__pool_finish(t->pool);
    for (size_t i = 0; i < TOAD__POOL_THREADS; i++) toad_scanner_free(t->scanners[i]);
    *ret = t->sum;
    ret->current = NULL;
out:
    free(t);
    return status;
}
