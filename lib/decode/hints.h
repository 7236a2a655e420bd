/* hints.h - the portable half of toad__hints_take, for the tests that compare both. */
#ifndef TOAD_DECODE_HINTS_H
#define TOAD_DECODE_HINTS_H

#include "lib/decode/decode.h"

/* Add the counts of `in` to `*ret`, byte by byte. */
void toad__hints_portable(toad_str in, toad__hints *ret);

#endif
