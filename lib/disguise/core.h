/* core.h - between disguise.c, shape.c and core.c: where a closer look is worth it. */
#ifndef TOAD_DISGUISE_CORE_H
#define TOAD_DISGUISE_CORE_H

#include "toadstone/types.h"

#include <stdbool.h>

/* Text is looked at in steps; what belongs to a step are so many bytes to either side of where it begins. */
#define TOAD__STEP  32u
#define TOAD__REACH 48u
#define TOAD__STEPS 64u /* that are looked at together */

/* Around which of these steps (bit i: the one at from + i * TOAD__STEP) does a core word stand, spelled in another way
 * than plainly: cut up, spaced out, in leet, or run together with others? Linear. */
uint64_t toad__disguised_steps(toad_str folded, size_t from, uint64_t steps);
/* Are there signs around `at`, and does a core word stand there if they are read as letters? */
bool toad__reads_with_signs(toad_str folded, size_t at);

#endif
