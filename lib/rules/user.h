/* user.h - what the engine needs of a public bzr_rules handle: its own copy of the compiled table. */
#ifndef BZR_RULES_USER_H
#define BZR_RULES_USER_H

#include "bezoar/scan.h"
#include "lib/rules/ruleset.h"

/* Make a handle of a compiled table, which it then owns; on BZR_E_NOMEM the table is freed. */
bzr_status bzr__rules_adopt(bzr__ruleset *set, bzr_rules **ret);
/* The table of the handle; lives as long as it. */
const bzr__ruleset *bzr__rules_set(const bzr_rules *rules);
/* Copy the compiled table, so that the engine outlives the handle. Errors: BZR_E_NOMEM. Release with bzr__rules_copy_free (NULL is a no-op). */
bzr_status bzr__rules_copy(const bzr_rules *rules, const bzr__ruleset **ret);
void bzr__rules_copy_free(const bzr__ruleset *copy);

#endif
