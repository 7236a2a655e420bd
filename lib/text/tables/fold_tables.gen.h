/* fold_tables.gen.h - made by tools/unicode/gen_fold.py from Unicode 15.0.0, UTS #39 of ICU 72; do not edit.
 *
 * entry = toad__fold_stage2[toad__fold_stage1[keep][c / 64] * 64 + c % 64]; below TOAD__FOLD_FIRST_TEXT it is a class, else the offset of a text in
 * toad__fold_pool: its length, its flags, its bytes. Code points from 20000 on are outside, but for 2F800..2FA3F, which follow them. */
#ifndef TOAD_TEXT_FOLD_TABLES_GEN_H
#define TOAD_TEXT_FOLD_TABLES_GEN_H

#include <stdint.h>

enum {
    TOAD__FOLD_KEEP = 0,
    TOAD__FOLD_LETTER = 1,
    TOAD__FOLD_NATIVE = 2,
    TOAD__FOLD_INVISIBLE = 3,
    TOAD__FOLD_MARK = 4,
    TOAD__FOLD_SPACE = 5,
    TOAD__FOLD_BREAK = 6,
    TOAD__FOLD_GLYPH = 7,
    TOAD__FOLD_JAMO = 8,
    TOAD__FOLD_GREEK = 9,
    TOAD__FOLD_FIRST_TEXT = 16,
    TOAD__FOLD_TABLE_END = 0x20000,
    TOAD__FOLD_COMPAT_FIRST = 0x2F800,
    TOAD__FOLD_COMPAT_END = 0x2FA40,
    TOAD__FOLD_F_LOOK = 1,
    TOAD__FOLD_F_LETTER = 2,
    TOAD__FOLD_F_NATIVE = 4,
    TOAD__FOLD_F_JAMO = 8,
    TOAD__FOLD_GREEK_N = 5,
};

extern const uint16_t toad__fold_stage1[2][2057];
extern const uint16_t toad__fold_stage2[44737];
extern const uint8_t toad__fold_pool[19469];
/* [keep * 800 + c], U+0080..U+07FF: its bytes (at most two), their number << 16, bytes of input per byte << 20, 1 << 31, then as counters to be
 * added up: look-alike << 32, letter << 42, native << 52. 0: look it up in the other table, or no two-byte form at all. */
extern const uint64_t toad__fold_two[4096];
/* Greek capitals with two readings: the capital, what it looks like, what its small letter looks like. */
extern const uint16_t toad__fold_greek[5][3];

#endif
