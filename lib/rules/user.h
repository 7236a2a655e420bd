/* user.h - what the engine needs of a public toad_rules handle: its own copy of the compiled table. */
#ifndef TOAD_RULES_USER_H
#define TOAD_RULES_USER_H

#include "lib/rules/ruleset.h"
#include "toadstone/scan.h"

/* Make a handle of a compiled table, which it then owns; on TOAD_E_NOMEM the table is freed. */
toad_status toad__rules_adopt(toad__ruleset *set, toad_rules **ret);
/* The table of the handle; lives as long as it. */
const toad__ruleset *toad__rules_set(const toad_rules *rules);
/* Copy the compiled table, so that the engine outlives the handle. Errors: TOAD_E_NOMEM. Release with
 * toad__rules_copy_free (NULL is a no-op). */
toad_status toad__rules_copy(const toad_rules *rules, const toad__ruleset **ret);
void toad__rules_copy_free(const toad__ruleset *copy);

#endif
