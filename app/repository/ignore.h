/* ignore.h - does a .gitignore file leave this path out?
 *
 * The rules are those of gitignore(5): later lines win over earlier ones, '!' takes back, a slash in the middle or at
 * the start anchors, a slash at the end means directories only, '**' spans directories. A set holds the lines of one
 * file. */
#ifndef TOAD_APP_IGNORE_H
#define TOAD_APP_IGNORE_H

#include "toadstone/types.h"

typedef struct toad__ignore toad__ignore;

typedef enum toad__ignore_answer {
    TOAD__IGNORE_SILENT,
    TOAD__IGNORE_LEAVE_OUT,
    TOAD__IGNORE_TAKE_BACK
} toad__ignore_answer;

/* Read the lines of one ignore file. Lines that mean nothing are passed over, as git does. Errors: TOAD_E_NOMEM. */
toad_status toad__ignore_new(toad_str lines, toad__ignore **ret);
void toad__ignore_free(toad__ignore *set);
/* What the set says of `path`, relative to the directory the file stands in, with '/' between names and none at the
 * ends. Cost: lines x length of the path x length of the line, at worst. Thread rule: immutable, any thread. */
toad__ignore_answer toad__ignore_ask(const toad__ignore *set, toad_str path, bool is_dir);

#endif
