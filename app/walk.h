/* walk.h - the regular files under a directory, in path order, without what .gitignore files leave out.
 *
 * Names are sorted by bytes, so two runs give one order. Symbolic links and .git are not entered. The ignore files of
 * the directories above count too, up to the root of the repository. Depth costs heap, not stack. */
#ifndef BZR_APP_WALK_H
#define BZR_APP_WALK_H

#include "bezoar/types.h"

typedef enum bzr__walk_skip { BZR__WALK_IGNORED, BZR__WALK_LINK, BZR__WALK_SPECIAL, BZR__WALK_FAILED } bzr__walk_skip;

typedef struct bzr__walk_calls {
    /* A regular file. False ends the walk. */
    bool (*file)(void *ctx, const char *path);
    /* Something that is not entered, and why; `err` is the errno of BZR__WALK_FAILED. */
    void (*skip)(void *ctx, const char *path, bzr__walk_skip why, int err);
} bzr__walk_calls;

/* Walk `root`, a directory. `no_ignore` takes ignored files too. Errors: BZR_E_NOMEM; what cannot be read is given to
 * `skip`. */
bzr_status bzr__walk(const char *root, bool no_ignore, const bzr__walk_calls *calls, void *ctx);

#endif
