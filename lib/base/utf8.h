/* utf8.h - one code point at a time, strictly as Unicode chapter 3 (table 3-7) and WHATWG Encoding have it.
 *
 * Ill-formed bytes give TOAD__BAD for each maximal subpart, with its length, so that a reader always advances and never
 * reads past the end. There is a lenient twin for detection views: attackers hide words in overlong forms. */
#ifndef TOAD_BASE_UTF8_H
#define TOAD_BASE_UTF8_H

#include "toadstone/types.h"

#define TOAD__BAD         0xFFFFFFFFu
#define TOAD__REPLACEMENT 0xFFFDu

/* Decode the code point at s.p + at (at < s.n). `*len` is set to the bytes it takes (1..4). Strict: surrogates,
 * overlong forms and values above 10FFFF are TOAD__BAD. */
uint32_t toad__utf8_decode(toad_str s, size_t at, unsigned *len);
/* The same, but overlong forms (2 to 6 bytes), CESU-8 surrogate pairs and C0 80 are decoded to what they mean to say.
 */
uint32_t toad__utf8_decode_lenient(toad_str s, size_t at, unsigned *len);
/* Write `c` to `out` (room for 4 bytes) and return its length; a value that is no scalar is written as U+FFFD. */
unsigned toad__utf8_encode(uint32_t c, char out[4]);
/* Offset of the first ill-formed byte, or s.n when all of it is well formed. */
size_t toad__utf8_valid_upto(toad_str s);
/* Largest offset <= at that does not stand inside a code point. */
size_t toad__utf8_floor(toad_str s, size_t at);
/* Number of leading bytes below 0x80. SIMD. */
size_t toad__ascii_prefix(toad_str s);

#endif
