/* tree.h - the repository that a file or directory stands in, and what its paths are called there.
 *
 * A finding has one name whether the scan was started at the root, below it, or with an absolute path: its key, the
 * path seen from the root of the repository. What is in no repository is named from the directory that was given.
 * Thread rule: one thread at a time. */
#ifndef TOAD_APP_TREE_H
#define TOAD_APP_TREE_H

#include "lib/base/buf.h"

#define TOAD__PATHS_MAX ((size_t)1 << 20) /* bytes of a path */

typedef struct toad__tree {
    toad__buf root;  /* real path of the repository, or of the directory itself */
    toad__buf below; /* the directory seen from there: "" or "a/b" */
    bool repository; /* there is a .git */
} toad__tree;

/* Close it either way. A directory that cannot be resolved is its own root. Errors: TOAD_E_NOMEM. */
toad_status toad__tree_open(const char *directory, toad__tree *ret);
void toad__tree_close(toad__tree *t);
/* Append the key of `rest`, a path below the directory. */
void toad__tree_key(const toad__tree *t, toad_str rest, toad__buf *key);
/* Does this file stand in the tree? False for one that does not exist. */
bool toad__tree_holds(const toad__tree *t, const char *file);
/* `name` added to a path, with a '/' where one is due. */
void toad__path_add(toad__buf *path, const char *name);
/* The path as a string; "" after an error of the buffer. */
const char *toad__path_z(toad__buf *path);

#endif
