/* tracked.h - what git tracks, out of its index (gitformat-index(5), versions 2 to 4, SHA-1 and SHA-256).
 *
 * An ignore file leaves out only what is not tracked: a hostile tree whose .gitignore names its own files must not hide
 * them from a scan. An index that cannot be read whole is refused, as are split and sparse ones. Thread rule: immutable, any thread. */
#ifndef BZR_APP_TRACKED_H
#define BZR_APP_TRACKED_H

#include "bezoar/types.h"

#define BZR__INDEX_MAX ((size_t)256 << 20) /* bytes of an index, and of the paths in it */

typedef struct bzr__tracked bzr__tracked;

/* Read the bytes of an index. Errors: BZR_E_SYNTAX (not one, or damaged), BZR_E_LIMIT, BZR_E_NOMEM. */
bzr_status bzr__tracked_new(bzr_str index, bzr__tracked **ret);
void bzr__tracked_free(bzr__tracked *t); /* NULL is a no-op */
size_t bzr__tracked_count(const bzr__tracked *t);
/* Is `path` (from the root of the repository, '/' between names) a tracked file, or a directory with one in it? NULL
 * tracks nothing. */
bool bzr__tracked_has(const bzr__tracked *t, bzr_str path, bool is_dir);

#endif
