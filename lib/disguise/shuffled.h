/* shuffled.h - words whose inner letters were shuffled: "Tehy can rveeiw vieerifd bgoipahrcail rcroeds". */
#ifndef TOAD_DISGUISE_SHUFFLED_H
#define TOAD_DISGUISE_SHUFFLED_H

#include "lib/base/buf.h"
#include "lib/base/offmap.h"

#define TOAD__WORD_LONGEST 14u /* letters of a common word; four at least */

/* The same first and last letter, and the same between them in any order? */
bool toad__same_letters(const char *a, const char *b, size_t n);
/* Is [p, p + n), small ASCII letters, a common English word? */
bool toad__is_common_word(const char *p, size_t n);
/* Find the next part of folded text at or after *from in which many words are shuffled common words, and move *from
 * behind it; false at the end. Looked for by samples, so a few lines of it in a long text can be missed; `closely`:
 * nearly every word is one. Linear. */
bool toad__shuffled_next(toad_str folded, bool closely, size_t *from, toad_span *ret);
/* Append `folded` to `out` with its map, shuffled common words set right. */
void toad__unshuffle(toad_str folded, toad__buf *out, toad__offmap *map);

#endif
