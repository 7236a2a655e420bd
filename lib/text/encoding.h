/* encoding.h - UTF-16 and UTF-32, recognized by their mark or by where their NULs stand, and turned into UTF-8.
 *
 * A matcher of bytes sees "I\0g\0n\0" and nothing else; the agent's reader may well decode it. Linear, one pass. */
#ifndef TOAD_TEXT_ENCODING_H
#define TOAD_TEXT_ENCODING_H

#include "lib/base/buf.h"
#include "lib/base/offmap.h"

/* If `in` is UTF-16 or UTF-32, append it as UTF-8 to `out`, its offsets to `map` (may be NULL), and set `*encoding` to
 * its name ("utf-16le", "utf-16be", "utf-32le", "utf-32be"; static). Lone surrogates, values above 10FFFF and a cut
 * last unit become U+FFFD; the mark is dropped. If it is not, `*encoding` becomes NULL and nothing is written. Errors:
 * the sticky status of `out` or `map`. */
toad_status toad__to_utf8(toad_str in, toad__buf *out, toad__offmap *map, const char **encoding);

#endif
