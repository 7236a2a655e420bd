/* fold.h - what the matcher reads: one spelling for everything that reads the same.
 *
 * A view is a derived text with a map back to the bytes it came from. Steps: lenient UTF-8 decode, terminal sequences
 * removed whole, NFKD, default-ignorables, controls, private use and noncharacters dropped (or blanked), look-alikes
 * (hand-written tables, then UTS #39 without ASCII sources and without its conflicts with NFKC) to ASCII, combining
 * marks dropped, full case folding, every run of white space one blank (at the start and at the end of the text too),
 * line breaks remembered in a bitmap. Both cases of a letter fold alike, but for the Greek capitals ETA, MU, NU, SIGMA
 * and UPSILON, which are read by the word they stand in. Jamo are composed to syllables. A backspace takes back the
 * character before it; "-" and a line break between small letters join the word: both in the view that drops only.
 * Output is UTF-8; ASCII text stays ASCII; folding a match view again changes nothing. Linear; memory bounded by `max`.
 * The rule compiler folds the literals of the rules with this same function. Thread rule: a view belongs to one thread.
 */
#ifndef TOAD_TEXT_FOLD_H
#define TOAD_TEXT_FOLD_H

#include "lib/base/buf.h"
#include "lib/base/offmap.h"

enum {
    /* invisibles vanish: finds ig<ZWSP>nore */
    TOAD__FOLD_DROP = 0,
    /* invisibles become one blank, tag characters their ASCII; control strings show what they carry: finds
     * ignore<ZWSP>all */
    TOAD__FOLD_BLANK = 1,
    /* case, marks and white space are kept, look-alikes are folded: the text that the decoders read */
    TOAD__FOLD_KEEP_CASE = 2,
};

typedef struct toad__view {
    toad__buf text;
    toad__offmap map;
    uint8_t *lines;   /* bit i: the byte i of `text` is the first after a line break (bit 0 is always set) */
    size_t lines_cap; /* bytes */
    uint32_t dropped; /* code points and sequences that DROP removed and BLANK would have shown: 0 means both views are
                         the same */
    uint32_t lookalikes; /* letters of another script or style that became one ASCII letter; 0 if the text is really in
                            such a script */
    uint32_t letters;    /* letters seen in all */
    bool ascii;          /* the input was pure ASCII without control characters */
} toad__view;

/* `max`: ceiling of the folded text in bytes. */
void toad__view_init(toad__view *v, size_t max);
void toad__view_free(toad__view *v);
/* Fold `in` into `v`, replacing what it held. Errors: TOAD_E_NOMEM, TOAD_E_LIMIT (the view then holds a whole prefix).
 */
toad_status toad__fold(toad__view *v, toad_str in, unsigned flags);
static inline bool toad__view_line_start(const toad__view *v, size_t at) { return (v->lines[at >> 3] >> (at & 7)) & 1; }

#endif
