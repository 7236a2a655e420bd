/* walk.c - a depth-first walk with an explicit stack.
 *
 * `shown` is the path as the user gave it plus what was walked; `rel` is the same place seen from the top of the
 * repository, which is what ignore files are asked with. A level remembers where its own part of both begins, and the
 * ignore file that stands in it; a path is asked of the deepest file first, and the first that is not silent decides.
 *
 * Invariant: level i's directory is shown[0..levels[i].shown_n). Cost: one lstat a name, one sort a directory. */
#include "app/repository/walk.h"
#include "app/host/input.h"
#include "app/repository/artifact.h"
#include "app/repository/ignore.h"
#include "app/repository/tracked.h"
#include "lib/base/str.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

#define IGNORE_FILE_MAX (1u << 20)

typedef enum choice { TAKE, TAKE_ALL, LEAVE_OUT, ONLY_TRACKED } choice;

typedef struct level {
    char **names; /* sorted */
    size_t n, at;
    size_t shown_n, rel_n; /* lengths of the two paths of this directory */
    toad__ignore *ignore;
    bool only_tracked; /* an ignored directory with tracked files in it, or an agent's: nothing else is taken of it */
    bool all;          /* in a submodule, whose index is another: nothing is left out of it */
} level;

typedef struct walker {
    level *levels;
    size_t n, cap, base; /* levels below `base` are the directories above the root: only their ignore files count */
    toad__buf shown, rel;
    bool no_ignore;
    toad__tracked *tracked; /* NULL: nothing */
    const toad__walk_calls *calls;
    void *ctx;
} walker;

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
    toad__ignore_free(l->ignore);
}

static int compare_names(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

static toad_status add_entry(level *l, size_t *cap, const char *name) {
    if (l->n == *cap) {
        size_t more = *cap ? 2 * *cap : 32;
        char **names = realloc(l->names, more * sizeof *names);
        if (!names) return TOAD_E_NOMEM;
        l->names = names;
        *cap = more;
    }
    size_t size = strlen(name) + 1;
    char *copy = malloc(size);
    if (!copy) return TOAD_E_NOMEM;
    l->names[l->n++] = memcpy(copy, name, size);
    return TOAD_OK;
}

static toad_status list_directory(level *l, const char *path, int *ret_err) {
    toad_status status = TOAD_OK;
    size_t cap = 0;
    DIR *dir = opendir(path);
    if (!dir) {
        *ret_err = errno;
        return TOAD_OK;
    }
    errno = 0;
    for (struct dirent *e; !status && (e = readdir(dir));)
        if (strcmp(e->d_name, ".") && strcmp(e->d_name, "..")) status = add_entry(l, &cap, e->d_name);
    *ret_err = status ? 0 : errno;
    closedir(dir);
    if (l->n) qsort(l->names, l->n, sizeof *l->names, compare_names);
    return status;
}

/* An ignore file that is missing, too large or a link says nothing. */
static toad_status load_ignore(level *l, const char *path) {
    toad__buf lines;
    struct stat st;
    if (lstat(path, &st) || !S_ISREG(st.st_mode)) return TOAD_OK;
    toad__buf_init(&lines, IGNORE_FILE_MAX);
    int err = toad__input_slurp(path, &lines);
    toad_status status = err == ENOMEM ? TOAD_E_NOMEM
                         : err         ? TOAD_OK
                                       : toad__ignore_new(toad__buf_str(&lines), &l->ignore);
    toad__buf_free(&lines);
    return status;
}

static toad_status enter(walker *w, choice chosen) {
    int err = 0;
    bool all = chosen == TAKE_ALL || (w->n && w->levels[w->n - 1].all);
    level *l = push(w);
    if (!l) return TOAD_E_NOMEM;
    l->only_tracked = chosen == ONLY_TRACKED;
    l->all = all;
    toad_status status = list_directory(l, toad__path_z(&w->shown), &err);
    if (err) w->calls->skip(w->ctx, toad__path_z(&w->shown), TOAD__WALK_FAILED, err);
    if (status || w->no_ignore || all) return status;
    toad__path_add(&w->shown, ".gitignore");
    status = load_ignore(l, toad__path_z(&w->shown));
    w->shown.n = l->shown_n;
    return status;
}

/* Do the ignore files leave it out? */
static bool matches_ignore(const walker *w, bool is_dir) {
    toad_str rel = toad__buf_str(&w->rel);
    for (size_t i = w->n; i-- > 0;) {
        const level *l = &w->levels[i];
        if (!l->ignore) continue;
        size_t from = l->rel_n + (l->rel_n > 0);
        toad__ignore_answer answer = toad__ignore_ask(l->ignore, toad__str_part(rel, from, rel.n), is_dir);
        if (answer != TOAD__IGNORE_SILENT) return answer == TOAD__IGNORE_LEAVE_OUT;
    }
    return false;
}

/* What git tracks is never left out, nor is a file that an agent loads by its name or keeps in its directory. A
 * directory that is tracked itself, as if it were a file, is a submodule. */
static choice choose(const walker *w, bool is_dir) {
    toad_str rel = toad__buf_str(&w->rel);
    if (w->levels[w->n - 1].all) return TAKE;
    if (is_dir && toad__tracked_has(w->tracked, rel, false)) return TAKE_ALL;
    if (!w->levels[w->n - 1].only_tracked && !matches_ignore(w, is_dir)) return TAKE;
    if (toad__tracked_has(w->tracked, rel, is_dir) || (is_dir && toad__artifact_is_agents_directory(rel)))
        return ONLY_TRACKED;
    return !is_dir && toad__artifact_is_agents(toad__artifact_of(rel)) ? TAKE : LEAVE_OUT;
}

/* Of a .git directory the messages that people and agents read; the rest is git's own. */
static void visit_git(walker *w, bool *more) {
    static const char *const messages[] = { "COMMIT_EDITMSG", "MERGE_MSG", "SQUASH_MSG", "TAG_EDITMSG" };
    size_t n = w->shown.n;
    struct stat st;
    w->calls->skip(w->ctx, toad__path_z(&w->shown), TOAD__WALK_GIT, 0);
    for (size_t i = 0; i < sizeof messages / sizeof *messages && *more; i++) {
        w->shown.n = n;
        toad__path_add(&w->shown, messages[i]);
        const char *path = toad__path_z(&w->shown);
        if (!lstat(path, &st) && S_ISREG(st.st_mode)) *more = w->calls->file(w->ctx, path);
    }
}

/* The entry `name` that `shown` and `rel` now end with. *more false: the callback ended the walk. */
static toad_status visit(walker *w, const char *name, bool *more) {
    struct stat st;
    choice chosen;
    const char *path = toad__path_z(&w->shown);
    if (w->shown.status || w->rel.status) return TOAD_E_NOMEM;
    if (!strcmp(name, ".git"))
        visit_git(w, more);
    else if (lstat(path, &st))
        w->calls->skip(w->ctx, path, TOAD__WALK_FAILED, errno);
    else if ((chosen = choose(w, S_ISDIR(st.st_mode))) == LEAVE_OUT)
        w->calls->skip(w->ctx, path, TOAD__WALK_IGNORED, 0);
    else if (S_ISDIR(st.st_mode))
        return enter(w, chosen);
    else if (S_ISREG(st.st_mode))
        *more = w->calls->file(w->ctx, path);
    else
        w->calls->skip(w->ctx, path, S_ISLNK(st.st_mode) ? TOAD__WALK_LINK : TOAD__WALK_SPECIAL, 0);
    return TOAD_OK;
}

static toad_status run(walker *w) {
    bool more = true;
    w->base = w->n;
    toad_status status = enter(w, TAKE);
    while (!status && more && w->n > w->base) {
        level *l = &w->levels[w->n - 1];
        if (l->at == l->n) {
            pop(w);
            continue;
        }
        const char *name = l->names[l->at++];
        w->shown.n = l->shown_n;
        w->rel.n = l->rel_n;
        toad__path_add(&w->shown, name);
        toad__path_add(&w->rel, name);
        status = visit(w, name, &more);
    }
    return status;
}

/* Levels for the directories above the root of the walk, which is `tree->below`; it becomes `rel`. */
static toad_status load_ancestors(walker *w, const toad__tree *tree) {
    toad_str below = toad__buf_str(&tree->below);
    toad_status status = TOAD_OK;
    toad__buf file;
    toad__buf_init(&file, TOAD__PATHS_MAX);
    for (size_t at = 0, end; at < below.n && !status; at = end + 1) {
        end = toad__str_find(below, TOAD__S("/"), at);
        level *l = push(w);
        if (!l) {
            status = TOAD_E_NOMEM;
            break;
        }
        toad__buf_clear(&file);
        toad__buf_add_str(&file, toad__buf_str(&tree->root));
        toad__buf_add_c(&file, '/');
        toad__buf_add(&file, below.p, at);
        toad__path_add(&file, ".gitignore");
        status = load_ignore(l, toad__path_z(&file));
        w->rel.n = 0;
        toad__buf_add(&w->rel, below.p, end);
    }
    toad__buf_free(&file);
    return status;
}

/* The directory of git's files: .git, or what a .git file of a worktree names. */
static toad_status git_directory(const toad__tree *tree, toad__buf *ret) {
    toad__buf link;
    toad__buf_init(&link, 8192);
    toad__buf_add_str(ret, toad__buf_str(&tree->root));
    toad__path_add(ret, ".git");
    int err = toad__input_slurp(toad__path_z(ret), &link);
    if (!err && toad__str_starts(toad__buf_str(&link), TOAD__S("gitdir: "))) {
        toad_str to = toad__str_part(toad__buf_str(&link), 8, toad__str_find(toad__buf_str(&link), TOAD__S("\n"), 0));
        ret->n = to.n && to.p[0] == '/' ? 0 : tree->root.n;
        if (ret->n) toad__buf_add_c(ret, '/');
        toad__buf_add_str(ret, to);
    }
    toad__buf_free(&link);
    return err == ENOMEM ? TOAD_E_NOMEM : ret->status;
}

/* An index that is missing tracks nothing. One that cannot be read may track anything: nothing is ignored then. */
static toad_status read_index(walker *w, const char *path) {
    toad__buf index;
    struct stat st;
    if (lstat(path, &st)) return TOAD_OK;
    toad__buf_init(&index, TOAD__INDEX_MAX);
    int err = S_ISREG(st.st_mode) ? toad__input_slurp(path, &index) : EINVAL;
    toad_status status = err == ENOMEM ? TOAD_E_NOMEM
                         : err         ? TOAD_E_IO
                                       : toad__tracked_new(toad__buf_str(&index), &w->tracked);
    toad__buf_free(&index);
    w->no_ignore = status != TOAD_OK;
    return status == TOAD_E_NOMEM ? status : TOAD_OK;
}

static toad_status load_index(walker *w, const toad__tree *tree) {
    toad__buf path;
    toad__buf_init(&path, TOAD__PATHS_MAX);
    toad_status status = git_directory(tree, &path);
    toad__path_add(&path, "index");
    const char *index = toad__path_z(&path);
    if (!status) status = path.status ? path.status : read_index(w, index);
    toad__buf_free(&path);
    return status;
}

toad_status toad__walk(const char *root, const toad__tree *tree, bool no_ignore, const toad__walk_calls *calls,
                       void *ctx) {
    walker w = { .no_ignore = no_ignore, .calls = calls, .ctx = ctx };
    toad__buf_init(&w.shown, TOAD__PATHS_MAX);
    toad__buf_init(&w.rel, TOAD__PATHS_MAX);
    bool asks_git = !no_ignore && tree->repository;
    toad_status status = asks_git ? load_index(&w, tree) : TOAD_OK;
    if (!status && asks_git && !w.no_ignore) status = load_ancestors(&w, tree);
    toad__buf_add_z(&w.shown, root);
    if (!status) status = run(&w);
    if (!status && w.shown.status) status = w.shown.status;
    while (w.n) pop(&w);
    free(w.levels);
    toad__tracked_free(w.tracked);
    toad__buf_free(&w.shown);
    toad__buf_free(&w.rel);
    return status;
}
