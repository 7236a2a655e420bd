/* unpack.h - the body of an answer without its Content-Encoding.
 *
 * libcurl would unpack, too, but takes a stream that breaks off for a whole one. We ask for gzip alone, so a second
 * coding or another one is an answer that nobody asked for and is refused. */
#ifndef TOAD_NET_UNPACK_H
#define TOAD_NET_UNPACK_H

#include "lib/base/buf.h"
#include "net/url.h"

#define TOAD__UNPACK_FREE ((uint64_t)1 << 20) /* bytes that any answer may unpack to */

/* Append the unpacked `body` to `out`, whose ceiling is the limit of bytes; `coding` is the header, or empty. More than
 * `max_ratio` times the bytes sent, after the first TOAD__UNPACK_FREE, is refused while it unpacks. Errors:
 * TOAD_E_NOMEM.
 */
toad_status toad__unpack(toad_str body, toad_str coding, unsigned max_ratio, toad__buf *out, toad__refusal *ret_why);

#endif
