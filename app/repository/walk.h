/* walk.h - the regular files under a directory, in path order, without what .gitignore files leave out.
 *
 * Names are sorted by bytes, so two runs give one order. Symbolic links are not followed, of .git only the files that
 * hold messages are taken. Ignore files count as they do for git: in a repository those of the directories above too,
 * and never against a file that is tracked; nor, anywhere, against a file that agents load by its name. Depth costs heap, not
 * stack. */
#ifndef BZR_APP_WALK_H
#define BZR_APP_WALK_H

#include "app/repository/tree.h"

typedef enum bzr__walk_skip {
    BZR__WALK_IGNORED,
    BZR__WALK_LINK,
    BZR__WALK_SPECIAL,
    BZR__WALK_GIT,
    BZR__WALK_FAILED
} bzr__walk_skip;

typedef struct bzr__walk_calls {
    /* A regular file. False ends the walk. */
    bool (*file)(void *ctx, const char *path);
    /* Something that is not entered, and why; `err` is the errno of BZR__WALK_FAILED. */
    void (*skip)(void *ctx, const char *path, bzr__walk_skip why, int err);
} bzr__walk_calls;

/* Walk `root`, a directory, of which `tree` was opened. `no_ignore` takes ignored files too. Errors: BZR_E_NOMEM; what
 * cannot be read is given to `skip`. */
bzr_status bzr__walk(const char *root, const bzr__tree *tree, bool no_ignore, const bzr__walk_calls *calls, void *ctx);

#endif
