/* utf8.h - one code point at a time, strictly as Unicode chapter 3 (table 3-7) and WHATWG Encoding have it.
 *
 * Ill-formed bytes give BZR__BAD for each maximal subpart, with its length, so that a reader always advances and never
 * reads past the end. There is a lenient twin for detection views: attackers hide words in overlong forms. */
#ifndef BZR_BASE_UTF8_H
#define BZR_BASE_UTF8_H

#include "bezoar/types.h"

#define BZR__BAD 0xFFFFFFFFu
#define BZR__REPLACEMENT 0xFFFDu

/* Decode the code point at s.p + at (at < s.n). `*len` is set to the bytes it takes (1..4). Strict: surrogates, overlong
 * forms and values above 10FFFF are BZR__BAD. */
uint32_t bzr__utf8_decode(bzr_str s, size_t at, unsigned *len);
/* The same, but overlong forms (2 to 6 bytes), CESU-8 surrogate pairs and C0 80 are decoded to what they mean to say. */
uint32_t bzr__utf8_decode_lenient(bzr_str s, size_t at, unsigned *len);
/* Write `c` to `out` (room for 4 bytes) and return its length; a value that is no scalar is written as U+FFFD. */
unsigned bzr__utf8_encode(uint32_t c, char out[4]);
/* Offset of the first ill-formed byte, or s.n when all of it is well formed. */
size_t bzr__utf8_valid_upto(bzr_str s);
/* Largest offset <= at that does not stand inside a code point. */
size_t bzr__utf8_floor(bzr_str s, size_t at);
/* Number of leading bytes below 0x80. SIMD. */
size_t bzr__ascii_prefix(bzr_str s);

#endif
