/* tree.c - one realpath, one lstat a directory upwards. */
#define _XOPEN_SOURCE 700 /* realpath */

#include "app/repository/tree.h"
#include "lib/base/str.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

const char *bzr__path_z(bzr__buf *path) {
    bzr__buf_add(path, "", 1);
    if (!path->status) path->n--;
    return path->status ? "" : path->p;
}

void bzr__path_add(bzr__buf *path, const char *name) {
    if (path->n && path->p[path->n - 1] != '/') bzr__buf_add_c(path, '/');
    bzr__buf_add_z(path, name);
}

/* *ret_n: length of the repository's root in `path`, which has a .git, or SIZE_MAX when it is in none. */
static bzr_status find_repository(const char *path, size_t *ret_n) {
    bzr__buf probe;
    size_t n = strlen(path);
    struct stat st;
    bzr__buf_init(&probe, BZR__PATHS_MAX);
    *ret_n = SIZE_MAX;
    while (n && *ret_n == SIZE_MAX && !probe.status) {
        bzr__buf_clear(&probe);
        bzr__buf_add(&probe, path, n);
        bzr__path_add(&probe, ".git");
        const char *git = bzr__path_z(&probe);
        if (!probe.status && !lstat(git, &st)) *ret_n = n;
        while (n && path[n - 1] != '/') n--;
        if (n) n--;
    }
    bzr_status status = probe.status;
    bzr__buf_free(&probe);
    return status;
}

bzr_status bzr__tree_open(const char *directory, bzr__tree *ret) {
    char *real = realpath(directory, NULL);
    bzr__buf_init(&ret->root, BZR__PATHS_MAX);
    bzr__buf_init(&ret->below, BZR__PATHS_MAX);
    ret->repository = false;
    if (!real && errno == ENOMEM) return BZR_E_NOMEM;
    const char *path = real ? real : directory;
    size_t n = strlen(path), at = SIZE_MAX;
    bzr_status status = real ? find_repository(path, &at) : BZR_OK;
    ret->repository = at != SIZE_MAX;
    bzr__buf_add(&ret->root, path, at < n ? at : n);
    if (at < n) bzr__buf_add(&ret->below, path + at + (path[at] == '/'), n - at - (path[at] == '/'));
    free(real);
    return status ? status : ret->root.status ? ret->root.status : ret->below.status;
}

void bzr__tree_close(bzr__tree *t) {
    bzr__buf_free(&t->root);
    bzr__buf_free(&t->below);
}

void bzr__tree_key(const bzr__tree *t, bzr_str rest, bzr__buf *key) {
    bzr__buf_add_str(key, bzr__buf_str(&t->below));
    if (t->below.n && rest.n) bzr__buf_add_c(key, '/');
    bzr__buf_add_str(key, rest);
}

bool bzr__tree_holds(const bzr__tree *t, const char *file) {
    char *real = realpath(file, NULL);
    bzr_str root = bzr__buf_str(&t->root), path = bzr__str_z(real);
    bool inside = real && bzr__str_starts(path, root) && (path.p[root.n] == '/' || root.n == 1);
    free(real);
    return inside;
}
