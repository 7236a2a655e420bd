/* rules.h - every rule a scan can report: the catalogue, the user's rules over it, and the findings that C code makes
 * itself. */
#ifndef TOAD_APP_RULES_H
#define TOAD_APP_RULES_H

#include "lib/rules/ruleset.h"
#include "toadstone/rules.h"

typedef struct toad__rule_row {
    toad__rule rule;
    const char *origin; /* "catalogue", "user" or "code" */
} toad__rule_row;

typedef struct toad__rule_list {
    toad__rule_row *rows; /* sorted by id, each id once: the user's stands in for the catalogue's */
    size_t n;
    const toad__ruleset *user; /* NULL: none */
} toad__rule_list;

/* `rules` may be NULL. Errors: TOAD_E_NOMEM. */
toad_status toad__rule_list_new(const toad_rules *rules, toad__rule_list **ret);
void toad__rule_list_free(toad__rule_list *list);
/* Index of a rule, or SIZE_MAX. */
size_t toad__rule_list_find(const toad__rule_list *list, const char *id);
/* Place of a rule in the catalogue, where the plainest rule of a family comes first; SIZE_MAX for others. */
size_t toad__rule_rank(const char *id);

#endif
