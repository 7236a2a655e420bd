/* eval_pairs.h - rows in matched pairs: an attack and its harmless twin, judged side by side, in all and by goal,
 * carrier and language. Thread rule: one thread at a time. */
#ifndef TOAD_APP_EVAL_PAIRS_H
#define TOAD_APP_EVAL_PAIRS_H

#include "app/scan/eval.h"

/* Pairs by which of their sides were flagged. */
typedef struct toad__eval_cell {
    const char *facet; /* "all", or the field that `name` is a value of; static */
    toad_str name;
    uint64_t both, attack_only, twin_only, neither;
    uint64_t attacks_blocked, twins_blocked;
} toad__eval_cell;

/* The share of attacks that were flagged less that of twins, and its 95 % interval: Newcombe's method 10 for paired
 * proportions (Statistics in Medicine 17, 1998, p. 2635). -1 to 1 where there is no pair. */
double toad__eval_difference(const toad__eval_cell *c, double *low, double *high);

/* One cell for all pairs, then for each field its values, those with most missed attacks first. `*ret` is malloced and
 * borrows from the rows; none where no row has a pair. `*alone`: rows whose pair is not one attack and one benign row.
 * Errors: TOAD_E_NOMEM. */
toad_status toad__eval_pair_up(const toad__eval *e, toad__eval_cell **ret, size_t *ret_n, uint64_t *alone);

#endif
