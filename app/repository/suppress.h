/* suppress.h - findings that somebody has answered for: who, when, why, for how long.
 *
 * The record is the user's file, never the tree's: what a tree says about its own findings is content. Each entry names
 * one rule and a path or a fingerprint. Entries of the user's standing file must name the tree they are for. Thread
 * rule: once read, any thread. */
#ifndef BZR_APP_SUPPRESS_H
#define BZR_APP_SUPPRESS_H

#include "lib/base/buf.h"

#define BZR__SUPPRESSIONS_MAX ((size_t)1 << 20) /* bytes of a file */

typedef struct bzr__ignore bzr__ignore;

typedef struct bzr__suppression {
    const char *rule, *path, *fingerprint, *reason, *by, *date, *expires, *tree; /* NULL: not given */
    bzr__ignore *glob;                                                           /* of path, as in .gitignore */
    size_t line;
    bool expired;
} bzr__suppression;

typedef struct bzr__suppressions bzr__suppressions;

/* Read the bytes of a file. `standing`: every entry must name its tree. `today` is YYYY-MM-DD. On BZR_E_SYNTAX nothing
 * is taken and `message` says, with the line, what is wrong, in ASCII. Errors: BZR_E_SYNTAX, BZR_E_NOMEM. */
bzr_status bzr__suppressions_new(bzr_str yaml, bool standing, const char *today, bzr__suppressions **ret, char *message,
                                 size_t message_n);
void bzr__suppressions_free(bzr__suppressions *s); /* NULL is a no-op */
size_t bzr__suppressions_count(const bzr__suppressions *s);
const bzr__suppression *bzr__suppressions_at(const bzr__suppressions *s, size_t i);
/* The first entry that holds for this finding and has not expired, or NULL. */
const bzr__suppression *bzr__suppressions_find(const bzr__suppressions *s, const char *root, const char *key,
                                               const char *rule, const char *fingerprint);

#endif
