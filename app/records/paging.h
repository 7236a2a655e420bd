/* paging.h - a long text in parts, each of which reads as it would have read in the whole.
 *
 * A text may be cut only where nothing is torn: not inside a character or a cluster of characters, an escape (&amp;,
 * \u200b, %20), a pair of short brackets on one line (markers, template tokens, links), or one of our own replacements.
 * These places depend on the text alone, so parts never overlap, leave nothing out, and together are the text. Among
 * them a cut prefers the end of a paragraph, then of a line, then of a word. A part holds no more than `max` bytes,
 * unless what may not be torn is longer. Pure functions; each look is bounded, so a part costs its length. */
#ifndef TOAD_APP_PAGING_H
#define TOAD_APP_PAGING_H

#include "toadstone/types.h"

/* The largest offset <= at where `s` may be cut; 0 and s.n always are. */
size_t toad__page_floor(toad_str s, size_t at);
/* Where the part that begins at `start` ends: behind `start` unless that is the end. `max` 0: no limit. `whole` holds
 * no live marker, and neither do the parts. Errors: TOAD_E_NOMEM. */
toad_status toad__page_end(toad_str whole, size_t start, size_t max, size_t *ret);

#endif
