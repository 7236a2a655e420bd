/* neutralize.h - text in which no marker and no template token is left, whatever was in it.
 *
 * What the matcher (marker.h) finds is replaced in one pass by fixed text that holds no delimiter a marker could be
 * built from; only the matched bytes change. Then the result is matched again. If it still matches, everything a
 * delimiter could be made of is written as something else, and if even that matches, the content is withheld: it fails
 * closed. Text without a marker comes out byte for byte. Any length, in pieces; linear. */
#ifndef TOAD_WRAP_NEUTRALIZE_H
#define TOAD_WRAP_NEUTRALIZE_H

#include "lib/wrap/marker.h"

#define TOAD__WITHHELD "(content withheld: its markers could not be neutralized)"

typedef struct toad__neutralizer {
    toad__marker marker;
    toad__buf out; /* the result of the last call */
    toad__buf spare;
    bool ptc; /* write upstream's "(escaped)" for the exact ptc closing tag */
} toad__neutralizer;

void toad__neutralizer_init(toad__neutralizer *z);
void toad__neutralizer_free(toad__neutralizer *z);
/* Neutralize `in` (not in z's own buffers) into z->out. Errors: TOAD_E_NOMEM, TOAD_E_LIMIT. */
toad_status toad__neutralize(toad__neutralizer *z, toad_str in);
/* Offset of the first marker or token in `in`, or in.n; our own replacements are none. Errors as above, in *status. */
size_t toad__marker_first(toad__neutralizer *z, toad_str in, toad_status *status);

/* The largest offset <= at where `s` (a neutralized text) may be cut: not inside a code point, a cluster of marks or
 * emoji, or one of our replacements. */
size_t toad__cut_floor(toad_str s, size_t at);

#endif
