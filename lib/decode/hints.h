/* hints.h - the portable half of bzr__hints_take, for the tests that compare both. */
#ifndef BZR_DECODE_HINTS_H
#define BZR_DECODE_HINTS_H

#include "lib/decode/decode.h"

/* Add the counts of `in` to `*ret`, byte by byte. */
void bzr__hints_portable(bzr_str in, bzr__hints *ret);

#endif
