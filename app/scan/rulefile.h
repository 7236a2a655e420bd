/* rulefile.h - rule files: YAML to rule definitions.
 *
 * The one reader of docs/rules.md's format. tools/rulec reads the catalogue with it, the program a user's own rules, so the two
 * cannot drift. Files are read one after the other into one collection; word lists of a file named words.yaml serve all that follow,
 * other word lists their own file. Thread rule: one thread at a time. */
#ifndef BZR_APP_RULEFILE_H
#define BZR_APP_RULEFILE_H

#include "bezoar/rules.h"
#include "lib/rules/ruleset.h"

#define BZR__RULEFILE_SIZE (4u << 20) /* bytes of one file */

typedef struct bzr__rulefile bzr__rulefile;

/* Where a rule stands, and the examples that prove it. */
typedef struct bzr__rule_source {
    const char *file;
    int line;
    const char *const *match, *const *pass;
    size_t n_match, n_pass;
} bzr__rule_source;

/* NULL: out of memory. */
bzr__rulefile *bzr__rulefile_new(void);
void bzr__rulefile_free(bzr__rulefile *f);
/* Read the bytes of the file `name` (a path; its last part without .yaml is the family). On BZR_E_RULE the message names file, line and
 * field, what is wrong and what would be right; the collection is then as it was. Errors: BZR_E_RULE, BZR_E_LIMIT, BZR_E_NOMEM. */
bzr_status bzr__rulefile_add(bzr__rulefile *f, const char *name, bzr_str yaml, char *message, size_t message_n);
size_t bzr__rulefile_count(const bzr__rulefile *f);
/* Rule `i`; valid until the next add. */
const bzr__rule_def *bzr__rulefile_defs(const bzr__rulefile *f);
const bzr__rule_source *bzr__rulefile_source(const bzr__rulefile *f, size_t i);
/* "file:line: rule id: pattern 1: ..." for an error of the compiler. */
void bzr__rulefile_explain(const bzr__rulefile *f, const bzr__rule_error *err, char *message, size_t message_n);
/* Compile all rules to a public handle. Errors and message as bzr__rulefile_add. */
bzr_status bzr__rulefile_compile(const bzr__rulefile *f, bzr_rules **ret, char *message, size_t message_n);

#endif
