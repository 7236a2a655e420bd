/* rulefile.h - rule files: YAML to rule definitions.
 *
 * The one reader of docs/rules.md's format. tools/rulec reads the catalogue with it, the program a user's own rules, so
 * the two cannot drift. Files are read one after the other into one collection; word lists of a file named words.yaml
 * serve all that follow, other word lists their own file. Thread rule: one thread at a time. */
#ifndef TOAD_APP_RULEFILE_H
#define TOAD_APP_RULEFILE_H

#include "lib/rules/ruleset.h"
#include "toadstone/rules.h"

#define TOAD__RULEFILE_SIZE (4u << 20) /* bytes of one file */

typedef struct toad__rulefile toad__rulefile;

/* Where a rule stands, and the examples that prove it. */
typedef struct toad__rule_source {
    const char *file;
    int line;
    const char *const *match, *const *pass;
    size_t n_match, n_pass;
} toad__rule_source;

/* NULL: out of memory. */
toad__rulefile *toad__rulefile_new(void);
void toad__rulefile_free(toad__rulefile *f);
/* Read the bytes of the file `name` (a path; its last part without .yaml is the family). On TOAD_E_RULE the message
 * names file, line and field, what is wrong and what would be right; the collection is then as it was. Errors:
 * TOAD_E_RULE, TOAD_E_LIMIT, TOAD_E_NOMEM. */
toad_status toad__rulefile_add(toad__rulefile *f, const char *name, toad_str yaml, char *message, size_t message_n);
size_t toad__rulefile_count(const toad__rulefile *f);
/* Rule `i`; valid until the next add. */
const toad__rule_def *toad__rulefile_defs(const toad__rulefile *f);
const toad__rule_source *toad__rulefile_source(const toad__rulefile *f, size_t i);
/* "file:line: rule id: pattern 1: ..." for an error of the compiler. */
void toad__rulefile_explain(const toad__rulefile *f, const toad__rule_error *err, char *message, size_t message_n);
/* Compile all rules to a public handle. Errors and message as toad__rulefile_add. */
toad_status toad__rulefile_compile(const toad__rulefile *f, toad_rules **ret, char *message, size_t message_n);

#endif
