/* disguise.h - between skeleton.c, shape.c and disguise.c: where a closer look is worth it. */
#ifndef BZR_TEXT_DISGUISE_H
#define BZR_TEXT_DISGUISE_H

#include "bezoar/types.h"

#include <stdbool.h>

/* Text is looked at in steps; what belongs to a step are so many bytes to either side of where it begins. */
#define BZR__STEP  32u
#define BZR__REACH 48u
#define BZR__STEPS 64u /* that are looked at together */

/* Bit i: step from + i * BZR__STEP. */
typedef struct bzr__steps {
    uint64_t words; /* a core word stands there, spelled in another way than plainly: cut up, spaced out, in leet, or run together with others */
    uint64_t signs; /* there are signs that may be letters, and the shape of leet */
} bzr__steps;

/* Look at BZR__STEPS steps of folded text from `from` (floor <= from < folded.n, whole steps apart) on; no window reaches back beyond `floor`. Linear. */
bzr__steps bzr__disguised_steps(bzr_str folded, size_t floor, size_t from);
/* Does a core word stand around `at` if signs are read as letters? */
bool bzr__reads_with_signs(bzr_str folded, size_t at);

#endif
