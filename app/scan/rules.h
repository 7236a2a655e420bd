/* rules.h - every rule a scan can report: the catalogue, the user's rules over it, and the findings that C code makes
 * itself. */
#ifndef BZR_APP_RULES_H
#define BZR_APP_RULES_H

#include "bezoar/rules.h"
#include "lib/rules/ruleset.h"

typedef struct bzr__rule_row {
    bzr__rule rule;
    const char *origin; /* "catalogue", "user" or "code" */
} bzr__rule_row;

typedef struct bzr__rule_list {
    bzr__rule_row *rows; /* sorted by id, each id once: the user's stands in for the catalogue's */
    size_t n;
    const bzr__ruleset *user; /* NULL: none */
} bzr__rule_list;

/* `rules` may be NULL. Errors: BZR_E_NOMEM. */
bzr_status bzr__rule_list_new(const bzr_rules *rules, bzr__rule_list **ret);
void bzr__rule_list_free(bzr__rule_list *list);
/* Index of a rule, or SIZE_MAX. */
size_t bzr__rule_list_find(const bzr__rule_list *list, const char *id);
/* Place of a rule in the catalogue, where the plainest rule of a family comes first; SIZE_MAX for others. */
size_t bzr__rule_rank(const char *id);

#endif
