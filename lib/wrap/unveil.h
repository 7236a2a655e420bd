/* unveil.h - delimiters and letters that stand in a text by way of an escape or a look-alike, written out.
 *
 * A marker spelled &lt;&lt;&lt;END..., %3C..., \u003c..., in tag characters, or with one of the bracket look-alikes of
 * delimiters.def reads as a marker to a model. This view is only ever matched, never shown. One layer per call, linear:
 * chains of one escape (&amp;amp;lt; %25253C \\\\u003c) count as one layer. Terminal introducers are dropped, so that a
 * marker inside a terminal sequence is seen. */
#ifndef TOAD_WRAP_UNVEIL_H
#define TOAD_WRAP_UNVEIL_H

#include "lib/base/buf.h"
#include "lib/base/offmap.h"

/* Append the unveiled `in` to `out` with its map. Returns true if an escape was decoded, so that another layer may pay.
 */
bool toad__unveil(toad_str in, toad__buf *out, toad__offmap *map);
/* The ASCII a delimiter look-alike stands for, or NULL. */
const char *toad__delimiter_ascii(uint32_t c);

#endif
