/* deflate.h - raw deflate (RFC 1951) for those who hold a stream and say how much it may become. */
#ifndef TOAD_DECODE_DEFLATE_H
#define TOAD_DECODE_DEFLATE_H

#include "lib/base/buf.h"

/* Append what `in` unpacks to; the ceiling of `out` bounds it, and TOAD_E_LIMIT in its status says that it did. True
 * if the stream ended as a stream ends, or only the room did. *left: bytes behind it. Linear. */
bool toad__inflate(toad_str in, toad__buf *out, size_t *left);
/* Where the deflate data of a gzip member begins; 0: it is none. */
size_t toad__gzip_header(toad_str s);

#endif
