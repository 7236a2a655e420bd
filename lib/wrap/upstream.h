/* upstream.h - what the exact upstream functions share: a fold with a map, and white space as JavaScript has it. */
#ifndef BZR_WRAP_UPSTREAM_H
#define BZR_WRAP_UPSTREAM_H

#include "bezoar/wrap.h"
#include "lib/base/buf.h"
#include "lib/base/offmap.h"
#include "lib/base/str.h"

/* A text folded by one of upstream's tables. */
typedef struct bzr__upfold {
    bzr__buf text;
    bzr__offmap map;
} bzr__upfold;
/* `fold` gives the code point's fold, itself, or 0 to drop it. Errors: BZR_E_NOMEM. Release with bzr__upfold_free, also
 * on error. */
bzr_status bzr__upfold_read(bzr__upfold *f, bzr_str in, uint32_t (*fold)(uint32_t));
void bzr__upfold_free(bzr__upfold *f);

/* Offset behind the JavaScript \s at `at`. */
size_t bzr__jsspace(bzr_str s, size_t at);
/* Offset behind `word` (lower case) at `at`, ASCII case ignored, or 0. */
size_t bzr__ieat(bzr_str s, size_t at, const char *word);

#endif
