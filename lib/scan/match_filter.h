/* match_filter.h - which literals stand where? */
#ifndef BZR_SCAN_MATCH_FILTER_H
#define BZR_SCAN_MATCH_FILTER_H

#include "lib/rules/table.h"
#include "lib/scan/match.h"

#define BZR__MATCH_STOP UINT32_MAX

/* Call bzr__match_literal for every literal of `tables` in the text, as long as it wants more. */
void bzr__match_filter(bzr__matcher *m, const bzr__ruleset *set, const bzr__table_set *tables, bzr_str text);
/* `literal` stands at `at` (match.c). Returns an even offset before which nothing need be looked for any more, or BZR__MATCH_STOP. */
uint32_t bzr__match_literal(bzr__matcher *m, uint32_t literal, uint32_t at);

#endif
