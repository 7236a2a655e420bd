/* entity.h - character references of HTML, as the WHATWG tokenizer reads them. */
#ifndef TOAD_TEXT_ENTITY_H
#define TOAD_TEXT_ENTITY_H

#include "lib/base/str.h"

/* One named reference: the name as it stands after the ampersand (with its semicolon, if it has one) and what it means
 * in UTF-8. */
typedef struct toad__entity {
    char name[34], value[8];
    uint8_t name_n, value_n;
} toad__entity;

extern const toad__entity toad__entities[];
extern const unsigned toad__entities_n;

/* Read the reference at s.p + at, which holds '&'. Returns the bytes it takes (0: no reference stands there) and writes
 * its text to `out`, its length to `*out_len` (1..8). Names: the longest match. Numbers: any count of leading zeros,
 * semicolon or not; the Windows-1252 table for 80-9F; U+FFFD for zero, surrogates and what lies above U+10FFFF.
 * `attribute`: a name without semicolon is none before '=' or a letter or digit. Cost: linear in the bytes taken; at
 * most 34 looked at where there is none. */
unsigned toad__entity_at(toad_str s, size_t at, bool attribute, char out[8], unsigned *out_len);

#endif
