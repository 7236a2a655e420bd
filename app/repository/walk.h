/* walk.h - the regular files under a directory, in path order, without what .gitignore files leave out.
 *
 * Names are sorted by bytes, so two runs give one order. Symbolic links are not followed, of .git only the files that
 * hold messages are taken. Ignore files count as they do for git: in a repository those of the directories above too,
 * and never against a file that is tracked; nor, anywhere, against a file that agents load by its name. Depth costs
 * heap, not stack. */
#ifndef TOAD_APP_WALK_H
#define TOAD_APP_WALK_H

#include "app/repository/tree.h"

typedef enum toad__walk_skip {
    TOAD__WALK_IGNORED,
    TOAD__WALK_LINK,
    TOAD__WALK_SPECIAL,
    TOAD__WALK_GIT,
    TOAD__WALK_FAILED
} toad__walk_skip;

typedef struct toad__walk_calls {
    /* A regular file. False ends the walk. */
    bool (*file)(void *ctx, const char *path);
    /* Something that is not entered, and why; `err` is the errno of TOAD__WALK_FAILED. */
    void (*skip)(void *ctx, const char *path, toad__walk_skip why, int err);
} toad__walk_calls;

/* Walk `root`, a directory, of which `tree` was opened. `no_ignore` takes ignored files too. Errors: TOAD_E_NOMEM; what
 * cannot be read is given to `skip`. */
toad_status toad__walk(const char *root, const toad__tree *tree, bool no_ignore, const toad__walk_calls *calls,
                       void *ctx);

#endif
