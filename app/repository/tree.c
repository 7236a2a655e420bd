/* tree.c - one realpath, one lstat a directory upwards. */
#define _XOPEN_SOURCE 700 /* realpath */

#include "app/repository/tree.h"
#include "lib/base/str.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

const char *toad__path_z(toad__buf *path) {
    toad__buf_add(path, "", 1);
    if (!path->status) path->n--;
    return path->status ? "" : path->p;
}

void toad__path_add(toad__buf *path, const char *name) {
    if (path->n && path->p[path->n - 1] != '/') toad__buf_add_c(path, '/');
    toad__buf_add_z(path, name);
}

/* *ret_n: length of the repository's root in `path`, which has a .git, or SIZE_MAX when it is in none. */
static toad_status find_repository(const char *path, size_t *ret_n) {
    toad__buf probe;
    size_t n = strlen(path);
    struct stat st;
    toad__buf_init(&probe, TOAD__PATHS_MAX);
    *ret_n = SIZE_MAX;
    while (n && *ret_n == SIZE_MAX && !probe.status) {
        toad__buf_clear(&probe);
        toad__buf_add(&probe, path, n);
        toad__path_add(&probe, ".git");
        const char *git = toad__path_z(&probe);
        if (!probe.status && !lstat(git, &st)) *ret_n = n;
        while (n && path[n - 1] != '/') n--;
        if (n) n--;
    }
    toad_status status = probe.status;
    toad__buf_free(&probe);
    return status;
}

toad_status toad__tree_open(const char *directory, toad__tree *ret) {
    char *real = realpath(directory, NULL);
    toad__buf_init(&ret->root, TOAD__PATHS_MAX);
    toad__buf_init(&ret->below, TOAD__PATHS_MAX);
    ret->repository = false;
    if (!real && errno == ENOMEM) return TOAD_E_NOMEM;
    const char *path = real ? real : directory;
    size_t n = strlen(path), at = SIZE_MAX;
    toad_status status = real ? find_repository(path, &at) : TOAD_OK;
    ret->repository = at != SIZE_MAX;
    toad__buf_add(&ret->root, path, at < n ? at : n);
    if (at < n) toad__buf_add(&ret->below, path + at + (path[at] == '/'), n - at - (path[at] == '/'));
    free(real);
    return status ? status : ret->root.status ? ret->root.status : ret->below.status;
}

void toad__tree_close(toad__tree *t) {
    toad__buf_free(&t->root);
    toad__buf_free(&t->below);
}

void toad__tree_key(const toad__tree *t, toad_str rest, toad__buf *key) {
    toad__buf_add_str(key, toad__buf_str(&t->below));
    if (t->below.n && rest.n) toad__buf_add_c(key, '/');
    toad__buf_add_str(key, rest);
}

bool toad__tree_holds(const toad__tree *t, const char *file) {
    char *real = realpath(file, NULL);
    toad_str root = toad__buf_str(&t->root), path = toad__str_z(real);
    bool inside = real && toad__str_starts(path, root) && (path.p[root.n] == '/' || root.n == 1);
    free(real);
    return inside;
}
