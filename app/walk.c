/* walk.c - a depth-first walk with an explicit stack.
 *
 * `shown` is the path as the user gave it plus what was walked; `rel` is the same place seen from the top of the
 * repository, which is what ignore files are asked with. A level remembers where its own part of both begins, and the
 * ignore file that stands in it; a path is asked of the deepest file first, and the first that is not silent decides.
 *
 * Invariant: level i's directory is shown[0..levels[i].shown_n). Cost: one lstat a name, one sort a directory. */
#define _XOPEN_SOURCE 700 /* realpath */

#include "app/walk.h"
#include "app/ignore.h"
#include "app/input.h"
#include "lib/base/str.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

#define IGNORE_FILE_MAX (1u << 20)
#define PATHS_MAX       (1u << 20)

typedef struct level {
    char **names; /* sorted */
    size_t n, at;
    size_t shown_n, rel_n; /* lengths of the two paths of this directory */
    bzr__ignore *ignore;
} level;

typedef struct walker {
    level *levels;
    size_t n, cap, base; /* levels below `base` are the directories above the root: only their ignore files count */
    bzr__buf shown, rel;
    bool no_ignore;
    const bzr__walk_calls *calls;
    void *ctx;
} walker;

static const char *z(bzr__buf *b) {
    bzr__buf_add(b, "", 1);
    if (!b->status) b->n--;
    return b->status ? "" : b->p;
}

static void add_name(bzr__buf *b, const char *name) {
    if (b->n && b->p[b->n - 1] != '/') bzr__buf_add_c(b, '/');
    bzr__buf_add_z(b, name);
}

static level *push(walker *w) {
    if (w->n == w->cap) {
        size_t cap = w->cap ? 2 * w->cap : 16;
        level *levels = realloc(w->levels, cap * sizeof *levels);
        if (!levels) return NULL;
        w->levels = levels;
        w->cap = cap;
    }
    level *l = &w->levels[w->n++];
    *l = (level){ .shown_n = w->shown.n, .rel_n = w->rel.n };
    return l;
}

static void pop(walker *w) {
    level *l = &w->levels[--w->n];
    for (size_t i = 0; i < l->n; i++) free(l->names[i]);
    free(l->names);
    bzr__ignore_free(l->ignore);
}

static int compare_names(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

static bzr_status add_entry(level *l, size_t *cap, const char *name) {
    if (l->n == *cap) {
        size_t more = *cap ? 2 * *cap : 32;
        char **names = realloc(l->names, more * sizeof *names);
        if (!names) return BZR_E_NOMEM;
        l->names = names;
        *cap = more;
    }
    size_t size = strlen(name) + 1;
    char *copy = malloc(size);
    if (!copy) return BZR_E_NOMEM;
    l->names[l->n++] = memcpy(copy, name, size);
    return BZR_OK;
}

static bzr_status list_directory(level *l, const char *path, int *ret_err) {
    bzr_status status = BZR_OK;
    size_t cap = 0;
    DIR *dir = opendir(path);
    if (!dir) {
        *ret_err = errno;
        return BZR_OK;
    }
    errno = 0;
    for (struct dirent *e; !status && (e = readdir(dir));)
        if (strcmp(e->d_name, ".") && strcmp(e->d_name, "..") && strcmp(e->d_name, ".git"))
            status = add_entry(l, &cap, e->d_name);
    *ret_err = status ? 0 : errno;
    closedir(dir);
    if (l->n) qsort(l->names, l->n, sizeof *l->names, compare_names);
    return status;
}

/* An ignore file that is missing, too large or a link says nothing. */
static bzr_status load_ignore(level *l, const char *path) {
    bzr__buf lines;
    struct stat st;
    if (lstat(path, &st) || !S_ISREG(st.st_mode)) return BZR_OK;
    bzr__buf_init(&lines, IGNORE_FILE_MAX);
    bzr_status status = bzr__input_slurp(path, &lines) ? BZR_OK : bzr__ignore_new(bzr__buf_str(&lines), &l->ignore);
    bzr__buf_free(&lines);
    return status;
}

static bzr_status enter(walker *w) {
    int err = 0;
    level *l = push(w);
    if (!l) return BZR_E_NOMEM;
    bzr_status status = list_directory(l, z(&w->shown), &err);
    if (err) w->calls->skip(w->ctx, z(&w->shown), BZR__WALK_FAILED, err);
    if (status || w->no_ignore) return status;
    add_name(&w->shown, ".gitignore");
    status = load_ignore(l, z(&w->shown));
    w->shown.n = l->shown_n;
    return status;
}

static bool is_ignored(const walker *w, bool is_dir) {
    for (size_t i = w->n; i-- > 0;) {
        const level *l = &w->levels[i];
        if (!l->ignore) continue;
        size_t from = l->rel_n + (l->rel_n > 0);
        bzr__ignore_answer answer =
            bzr__ignore_ask(l->ignore, bzr__str_part(bzr__buf_str(&w->rel), from, w->rel.n), is_dir);
        if (answer != BZR__IGNORE_SILENT) return answer == BZR__IGNORE_LEAVE_OUT;
    }
    return false;
}

/* The entry that `shown` and `rel` now name. *more false: the callback ended the walk. */
static bzr_status visit(walker *w, bool *more) {
    struct stat st;
    const char *path = z(&w->shown);
    if (w->shown.status || w->rel.status) return BZR_E_NOMEM;
    if (lstat(path, &st))
        w->calls->skip(w->ctx, path, BZR__WALK_FAILED, errno);
    else if (is_ignored(w, S_ISDIR(st.st_mode)))
        w->calls->skip(w->ctx, path, BZR__WALK_IGNORED, 0);
    else if (S_ISDIR(st.st_mode))
        return enter(w);
    else if (S_ISREG(st.st_mode))
        *more = w->calls->file(w->ctx, path);
    else
        w->calls->skip(w->ctx, path, S_ISLNK(st.st_mode) ? BZR__WALK_LINK : BZR__WALK_SPECIAL, 0);
    return BZR_OK;
}

static bzr_status run(walker *w) {
    bool more = true;
    w->base = w->n;
    bzr_status status = enter(w);
    while (!status && more && w->n > w->base) {
        level *l = &w->levels[w->n - 1];
        if (l->at == l->n) {
            pop(w);
            continue;
        }
        const char *name = l->names[l->at++];
        w->shown.n = l->shown_n;
        w->rel.n = l->rel_n;
        add_name(&w->shown, name);
        add_name(&w->rel, name);
        status = visit(w, &more);
    }
    return status;
}

/* Length of the repository's root in `path` (which has a .git), or SIZE_MAX when it is in none. */
static size_t find_repository(const char *path) {
    bzr__buf probe;
    size_t n = strlen(path), found = SIZE_MAX;
    struct stat st;
    bzr__buf_init(&probe, PATHS_MAX);
    while (n && found == SIZE_MAX) {
        bzr__buf_clear(&probe);
        bzr__buf_add(&probe, path, n);
        add_name(&probe, ".git");
        if (!lstat(z(&probe), &st) && !probe.status) found = n;
        while (n && path[n - 1] != '/') n--;
        if (n) n--;
    }
    bzr__buf_free(&probe);
    return found;
}

/* Levels for the directories above the root of the walk; `rel` becomes the root seen from the repository. */
static bzr_status load_ancestors(walker *w, const char *root) {
    char *path = realpath(root, NULL);
    if (!path) return errno == ENOMEM ? BZR_E_NOMEM : BZR_OK; /* the walk itself will say what is wrong */
    size_t n = strlen(path), at = find_repository(path);
    bzr_status status = BZR_OK;
    bzr__buf file;
    bzr__buf_init(&file, PATHS_MAX);
    while (at < n && !status) {
        level *l = push(w);
        if (!l) status = BZR_E_NOMEM;
        bzr__buf_clear(&file);
        bzr__buf_add(&file, path, at);
        add_name(&file, ".gitignore");
        if (!status) status = load_ignore(l, z(&file));
        size_t from = ++at;
        while (at < n && path[at] != '/') at++;
        if (w->rel.n) bzr__buf_add_c(&w->rel, '/');
        bzr__buf_add(&w->rel, path + from, at - from);
    }
    bzr__buf_free(&file);
    free(path);
    return status;
}

bzr_status bzr__walk(const char *root, bool no_ignore, const bzr__walk_calls *calls, void *ctx) {
    walker w = { .no_ignore = no_ignore, .calls = calls, .ctx = ctx };
    bzr__buf_init(&w.shown, PATHS_MAX);
    bzr__buf_init(&w.rel, PATHS_MAX);
    bzr_status status = no_ignore ? BZR_OK : load_ancestors(&w, root);
    bzr__buf_add_z(&w.shown, root);
    if (!status) status = run(&w);
    if (!status && w.shown.status) status = w.shown.status;
    while (w.n) pop(&w);
    free(w.levels);
    bzr__buf_free(&w.shown);
    bzr__buf_free(&w.rel);
    return status;
}
