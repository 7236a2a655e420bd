/* upstream.h - what the exact functions share: a fold with a map, and white space as JavaScript has it. */
#ifndef TOAD_COMPAT_UPSTREAM_H
#define TOAD_COMPAT_UPSTREAM_H

#include "lib/base/buf.h"
#include "lib/base/offmap.h"
#include "lib/base/str.h"
#include "lib/wrap/envelope.h"
#include "toadstone/compat.h"

/* A text folded by one of upstream's tables. */
typedef struct toad__upfold {
    toad__buf text;
    toad__offmap map;
} toad__upfold;
/* `fold` gives the code point's fold, itself, or 0 to drop it. Errors: TOAD_E_NOMEM. Release with toad__upfold_free,
 * also on error. */
toad_status toad__upfold_read(toad__upfold *f, toad_str in, uint32_t (*fold)(uint32_t));
void toad__upfold_free(toad__upfold *f);

/* Offset behind the JavaScript \s at `at`. */
size_t toad__jsspace(toad_str s, size_t at);
/* Offset behind `word` (lower case) at `at`, ASCII case ignored, or 0. */
size_t toad__ieat(toad_str s, size_t at, const char *word);
/* toad_wrap with a family and a source, and the content not sanitized. */
toad_status toad__compat_wrap(toad_envelope envelope, toad_str content, toad_str source, bool preamble,
                              toad_text **ret);

#endif
