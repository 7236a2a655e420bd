/* cost.h - a model of ordinary text, to choose rare literals by. */
#ifndef TOAD_RULES_COST_H
#define TOAD_RULES_COST_H

#include "toadstone/types.h"

/* For grams of three, four and five bytes, at 2^PLACES places by their hash, a number of four bits (tools/gen_cost.py):
 * 0, it begins at less than one of 2^20 bytes of ordinary text; k, at about 2^k times that. */
#define TOAD__GRAM_PLACES_3 14
#define TOAD__GRAM_PLACES_4 16
#define TOAD__GRAM_PLACES_5 17
extern const uint64_t toad__gram_levels_3[1 << (TOAD__GRAM_PLACES_3 - 4)],
    toad__gram_levels_4[1 << (TOAD__GRAM_PLACES_4 - 4)], toad__gram_levels_5[1 << (TOAD__GRAM_PLACES_5 - 4)];

/* How often `s` is expected to begin at a byte of ordinary folded text: 1e-6 is once in a megabyte. */
double toad__cost_rate(toad_str s);

#endif
