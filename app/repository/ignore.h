/* ignore.h - does a .gitignore file leave this path out?
 *
 * The rules are those of gitignore(5): later lines win over earlier ones, '!' takes back, a slash in the middle or at
 * the start anchors, a slash at the end means directories only, '**' spans directories. A set holds the lines of one
 * file. */
#ifndef BZR_APP_IGNORE_H
#define BZR_APP_IGNORE_H

#include "bezoar/types.h"

typedef struct bzr__ignore bzr__ignore;

typedef enum bzr__ignore_answer { BZR__IGNORE_SILENT, BZR__IGNORE_LEAVE_OUT, BZR__IGNORE_TAKE_BACK } bzr__ignore_answer;

/* Read the lines of one ignore file. Lines that mean nothing are passed over, as git does. Errors: BZR_E_NOMEM. */
bzr_status bzr__ignore_new(bzr_str lines, bzr__ignore **ret);
void bzr__ignore_free(bzr__ignore *set);
/* What the set says of `path`, relative to the directory the file stands in, with '/' between names and none at the
 * ends. Cost: lines x length of the path x length of the line, at worst. Thread rule: immutable, any thread. */
bzr__ignore_answer bzr__ignore_ask(const bzr__ignore *set, bzr_str path, bool is_dir);

#endif
