/* tree.h - the repository that a file or directory stands in, and what its paths are called there.
 *
 * A finding has one name whether the scan was started at the root, below it, or with an absolute path: its key, the
 * path seen from the root of the repository. What is in no repository is named from the directory that was given.
 * Thread rule: one thread at a time. */
#ifndef BZR_APP_TREE_H
#define BZR_APP_TREE_H

#include "lib/base/buf.h"

#define BZR__PATHS_MAX ((size_t)1 << 20) /* bytes of a path */

typedef struct bzr__tree {
    bzr__buf root;   /* real path of the repository, or of the directory itself */
    bzr__buf below;  /* the directory seen from there: "" or "a/b" */
    bool repository; /* there is a .git */
} bzr__tree;

/* Close it either way. A directory that cannot be resolved is its own root. Errors: BZR_E_NOMEM. */
bzr_status bzr__tree_open(const char *directory, bzr__tree *ret);
void bzr__tree_close(bzr__tree *t);
/* Append the key of `rest`, a path below the directory. */
void bzr__tree_key(const bzr__tree *t, bzr_str rest, bzr__buf *key);
/* Does this file stand in the tree? False for one that does not exist. */
bool bzr__tree_holds(const bzr__tree *t, const char *file);
/* `name` added to a path, with a '/' where one is due. */
void bzr__path_add(bzr__buf *path, const char *name);
/* The path as a string; "" after an error of the buffer. */
const char *bzr__path_z(bzr__buf *path);

#endif
