/* skeleton.h - the skeleton of a text: its letters alone.
 *
 * The skeleton of a folded text keeps letters and digits only and writes every member of a leet class as one letter
 * ({a4@} {b8} {e3} {g69} {il1!|} {o0} {s5$} {t7+} {z2}); the rule compiler writes the core rules in the same skeleton.
 */
#ifndef TOAD_DISGUISE_SKELETON_H
#define TOAD_DISGUISE_SKELETON_H

#include "lib/base/buf.h"
#include "lib/base/offmap.h"

/* The skeleton letter of an ASCII byte of folded text, or 0 when the skeleton drops it. */
extern const uint8_t toad__skeleton_of[128];

/* The skeleton letter of the sign at `at`, which takes *len bytes; 0: the skeleton drops it. */
char toad__skeleton_letter(toad_str folded, size_t at, bool symbols, size_t *len);

/* Write the skeleton of `folded` (letters only, leet classes) to `out` with its map. `symbols`: read ! | $ + @ as
 * letters, else as separators. */
toad_status toad__skeleton(toad_str folded, bool symbols, toad__buf *out, toad__offmap *map);

#endif
