/* disguise.h - between skeleton.c and disguise.c: is an odd shape worth a closer look? */
#ifndef BZR_TEXT_DISGUISE_H
#define BZR_TEXT_DISGUISE_H

#include "bezoar/types.h"

#include <stdbool.h>

/* Does a core word stand in [at.start, at.end) of folded text, spelled in another way than plainly: cut up, spaced out, in leet, or run together with others? `leet`: signs are read as
 * letters, too. Linear. */
bool bzr__is_disguised(bzr_str folded, bzr_span at, bool leet);

#endif
