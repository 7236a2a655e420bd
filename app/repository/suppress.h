/* suppress.h - findings that somebody has answered for: who, when, why, for how long.
 *
 * The record is the user's file, never the tree's: what a tree says about its own findings is content. Each entry names
 * one rule and a path or a fingerprint. Entries of the user's standing file must name the tree they are for. Thread
 * rule: once read, any thread. */
#ifndef TOAD_APP_SUPPRESS_H
#define TOAD_APP_SUPPRESS_H

#include "lib/base/buf.h"

#define TOAD__SUPPRESSIONS_MAX ((size_t)1 << 20) /* bytes of a file */

typedef struct toad__ignore toad__ignore;

typedef struct toad__suppression {
    const char *rule, *path, *fingerprint, *reason, *by, *date, *expires, *tree; /* NULL: not given */
    toad__ignore *glob;                                                          /* of path, as in .gitignore */
    size_t line;
    bool expired;
} toad__suppression;

typedef struct toad__suppressions toad__suppressions;

/* Read the bytes of a file. `standing`: every entry must name its tree. `today` is YYYY-MM-DD. On TOAD_E_SYNTAX nothing
 * is taken and `message` says, with the line, what is wrong, in ASCII. Errors: TOAD_E_SYNTAX, TOAD_E_NOMEM. */
toad_status toad__suppressions_new(toad_str yaml, bool standing, const char *today, toad__suppressions **ret,
                                   char *message, size_t message_n);
void toad__suppressions_free(toad__suppressions *s); /* NULL is a no-op */
size_t toad__suppressions_count(const toad__suppressions *s);
const toad__suppression *toad__suppressions_at(const toad__suppressions *s, size_t i);
/* The first entry that holds for this finding and has not expired, or NULL. */
const toad__suppression *toad__suppressions_find(const toad__suppressions *s, const char *root, const char *key,
                                                 const char *rule, const char *fingerprint);

#endif
