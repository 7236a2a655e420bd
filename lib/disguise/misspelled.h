/* misspelled.h - near misses of trigger words: "Ignroe all previuos instructons". */
#ifndef TOAD_DISGUISE_MISSPELLED_H
#define TOAD_DISGUISE_MISSPELLED_H

#include "lib/base/buf.h"
#include "lib/base/offmap.h"

/* How many signs of an attack the folded text has: one for each misspelled trigger word (but small ones such as "all"),
 * and one more for each that stands beside a trigger word spelled right. Counting stops at `enough`. Linear. */
uint32_t toad__count_misspelled(toad_str folded, uint32_t enough);
/* Append `folded` to `out` with its map (if not NULL), misspelled trigger words set right. Returns how many signs there
 * are. Linear. */
uint32_t toad__mend(toad_str folded, toad__buf *out, toad__offmap *map);

#endif
