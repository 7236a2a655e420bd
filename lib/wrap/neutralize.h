/* neutralize.h - text in which no marker and no template token is left, whatever was in it.
 *
 * What the matcher (marker.h) finds is replaced in one pass by fixed text that holds no delimiter a marker could be
 * built from; only the matched bytes change. Then the result is matched again. If it still matches, everything a
 * delimiter could be made of is written as something else, and if even that matches, the content is withheld: it fails
 * closed. Text without a marker comes out byte for byte. Any length, in pieces; linear. */
#ifndef BZR_WRAP_NEUTRALIZE_H
#define BZR_WRAP_NEUTRALIZE_H

#include "lib/wrap/marker.h"

#define BZR__WITHHELD "(content withheld: its markers could not be neutralized)"

typedef struct bzr__neutralizer {
    bzr__marker marker;
    bzr__buf out; /* the result of the last call */
    bzr__buf spare;
    bool ptc; /* write upstream's "(escaped)" for the exact ptc closing tag */
} bzr__neutralizer;

void bzr__neutralizer_init(bzr__neutralizer *z);
void bzr__neutralizer_free(bzr__neutralizer *z);
/* Neutralize `in` (not in z's own buffers) into z->out. Errors: BZR_E_NOMEM, BZR_E_LIMIT. */
bzr_status bzr__neutralize(bzr__neutralizer *z, bzr_str in);
/* Offset of the first marker or token in `in`, or in.n; our own replacements are none. Errors as above, in *status. */
size_t bzr__marker_first(bzr__neutralizer *z, bzr_str in, bzr_status *status);

/* The largest offset <= at where `s` (a neutralized text) may be cut: not inside a code point, a cluster of marks or
 * emoji, or one of our replacements. */
size_t bzr__cut_floor(bzr_str s, size_t at);

#endif
