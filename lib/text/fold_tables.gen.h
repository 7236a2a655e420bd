/* fold_tables.gen.h - made by tools/unicode/gen_fold.py from Unicode 15.0.0, UTS #39 of ICU 72; do not edit.
 *
 * entry = bzr__fold_stage2[bzr__fold_stage1[keep][c / 64] * 64 + c % 64]; below BZR__FOLD_FIRST_TEXT it is a class, else the offset of a text in
 * bzr__fold_pool: its length, its flags, its bytes. Code points from 20000 on are outside, but for 2F800..2FA3F, which follow them. */
#ifndef BZR_TEXT_FOLD_TABLES_GEN_H
#define BZR_TEXT_FOLD_TABLES_GEN_H

#include <stdint.h>

enum {
    BZR__FOLD_KEEP = 0,
    BZR__FOLD_LETTER = 1,
    BZR__FOLD_NATIVE = 2,
    BZR__FOLD_INVISIBLE = 3,
    BZR__FOLD_MARK = 4,
    BZR__FOLD_SPACE = 5,
    BZR__FOLD_BREAK = 6,
    BZR__FOLD_GLYPH = 7,
    BZR__FOLD_JAMO = 8,
    BZR__FOLD_GREEK = 9,
    BZR__FOLD_FIRST_TEXT = 16,
    BZR__FOLD_TABLE_END = 0x20000,
    BZR__FOLD_COMPAT_FIRST = 0x2F800,
    BZR__FOLD_COMPAT_END = 0x2FA40,
    BZR__FOLD_F_LOOK = 1,
    BZR__FOLD_F_LETTER = 2,
    BZR__FOLD_F_NATIVE = 4,
    BZR__FOLD_F_JAMO = 8,
    BZR__FOLD_GREEK_N = 5,
};

extern const uint16_t bzr__fold_stage1[2][2057];
extern const uint16_t bzr__fold_stage2[44737];
extern const uint8_t bzr__fold_pool[19465];
/* [keep * 800 + c], U+0080..U+07FF: its bytes (at most two), their number << 16, bytes of input per byte << 20, 1 << 31, then as counters to be
 * added up: look-alike << 32, letter << 42, native << 52. 0: look it up in the other table, or no two-byte form at all. */
extern const uint64_t bzr__fold_two[4096];
/* Greek capitals with two readings: the capital, what it looks like, what its small letter looks like. */
extern const uint16_t bzr__fold_greek[5][3];

#endif
