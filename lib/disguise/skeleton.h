/* skeleton.h - spaced-out, run-together, leet and misspelled words.
 *
 * The skeleton of a folded text keeps letters and digits only and writes every member of a leet class as one letter
 * ({a4@} {b8} {e3} {g69} {il1!|} {o0} {s5$} {t7+} {z2}); the rule compiler writes the core rules in the same skeleton.
 * Regions worth the work are found by a cheap gate. */
#ifndef TOAD_DISGUISE_SKELETON_H
#define TOAD_DISGUISE_SKELETON_H

#include "lib/base/buf.h"
#include "lib/base/offmap.h"

/* The skeleton letter of an ASCII byte of folded text, or 0 when the skeleton drops it. */
extern const uint8_t toad__skeleton_of[128];

/* The skeleton letter of the sign at `at`, which takes *len bytes; 0: the skeleton drops it. */
char toad__skeleton_letter(toad_str folded, size_t at, bool symbols, size_t *len);

typedef enum toad__region_kind {
    TOAD__REGION_SEPARATED, /* single letters with one separator between: i g n o r e, i-g-n-o-r-e */
    TOAD__REGION_JOINED,    /* long words without blanks: ignoreallpreviousinstructions, ignore_all_previous */
    TOAD__REGION_LEET,      /* words in which digits or symbols stand among letters */
    TOAD__REGION_TYPO,      /* words that a fuzzy reading turns into trigger words */
} toad__region_kind;

typedef struct toad__region {
    toad__region_kind kind;
    toad_span at; /* in the folded text */
} toad__region;

/* Find the next region at or after *from and move *from behind it; false at the end. Linear over the whole text. */
bool toad__region_next(toad_str folded, size_t *from, toad__region *ret);
/* True if the text can hold a region at all: one SIMD pass, false for nearly all benign text. */
bool toad__region_gate(toad_str folded);
/* Write the skeleton of `folded` (letters only, leet classes) to `out` with its map. `symbols`: read ! | $ + @ as
 * letters, else as separators. */
toad_status toad__skeleton(toad_str folded, bool symbols, toad__buf *out, toad__offmap *map);
/* Write the folded text with every word that is a near miss of a trigger word (first letter, sorted middle, last
 * letter; Damerau distance 1 from six letters on; doubled letters) replaced by that word. Returns the number of words
 * replaced (short ones such as "all" are not counted), plus one for each that stands beside a trigger word spelled
 * right. Linear. Trigger words are lib/disguise/tables/trigger_words.def. */
uint32_t toad__fix_typos(toad_str folded, toad__buf *out, toad__offmap *map);

#endif
