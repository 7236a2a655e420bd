/* tracked.h - what git tracks, out of its index (gitformat-index(5), versions 2 to 4, SHA-1 and SHA-256).
 *
 * An ignore file leaves out only what is not tracked: a hostile tree whose .gitignore names its own files must not hide
 * them from a scan. An index that cannot be read whole is refused, as are split and sparse ones. Thread rule:
 * immutable, any thread. */
#ifndef TOAD_APP_TRACKED_H
#define TOAD_APP_TRACKED_H

#include "toadstone/types.h"

#define TOAD__INDEX_MAX ((size_t)256 << 20) /* bytes of an index, and of the paths in it */

typedef struct toad__tracked toad__tracked;

/* Read the bytes of an index. Errors: TOAD_E_SYNTAX (not one, or damaged), TOAD_E_LIMIT, TOAD_E_NOMEM. */
toad_status toad__tracked_new(toad_str index, toad__tracked **ret);
void toad__tracked_free(toad__tracked *t); /* NULL is a no-op */
size_t toad__tracked_count(const toad__tracked *t);
/* Is `path` (from the root of the repository, '/' between names) a tracked file, or a directory with one in it? NULL
 * tracks nothing. */
bool toad__tracked_has(const toad__tracked *t, toad_str path, bool is_dir);

#endif
