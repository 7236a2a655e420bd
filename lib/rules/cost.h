/* cost.h - a model of ordinary text, to choose rare literals by. */
#ifndef BZR_RULES_COST_H
#define BZR_RULES_COST_H

#include "bezoar/types.h"

/* For grams of three, four and five bytes, by their hash, a number of four bits (tools/gen_cost.py): 0, it begins at less than one of 2^20
 * bytes of ordinary text; k, at about 2^k times that. */
extern const uint64_t bzr__gram_levels[3][4096];

/* How often `s` is expected to begin at a byte of ordinary folded text: 1e-6 is once in a megabyte. */
double bzr__cost_rate(bzr_str s);

#endif
