/* match_filter.h - which literals stand where? */
#ifndef BZR_SCAN_MATCH_FILTER_H
#define BZR_SCAN_MATCH_FILTER_H

#include "lib/rules/table.h"
#include "lib/scan/match.h"

/* Call bzr__match_literal for every literal of `tables` in the text; false if it stopped the search. */
bool bzr__match_filter(bzr__matcher *m, const bzr__ruleset *set, const bzr__table_set *tables, bzr_str text);
/* `literal` stands at `at` (match.c). False: stop. */
bool bzr__match_literal(bzr__matcher *m, uint32_t literal, uint32_t at);

#endif
