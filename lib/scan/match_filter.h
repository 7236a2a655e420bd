/* match_filter.h - which literals stand where? */
#ifndef TOAD_SCAN_MATCH_FILTER_H
#define TOAD_SCAN_MATCH_FILTER_H

#include "lib/rules/table.h"
#include "lib/scan/match.h"

#define TOAD__MATCH_STOP UINT32_MAX

/* Call toad__match_literal for every literal of `tables` in the text, as long as it wants more. */
void toad__match_filter(toad__matcher *m, const toad__ruleset *set, const toad__table_set *tables, toad_str text);
/* `literal` stands at `at` (match.c). Returns an even offset before which nothing need be looked for any more, or
 * TOAD__MATCH_STOP. */
uint32_t toad__match_literal(toad__matcher *m, uint32_t literal, uint32_t at);

#endif
