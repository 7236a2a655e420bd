/* class_tables.gen.h - written by tools/unicode/gen_classes.py from the Unicode Character Database; do not edit. */
#ifndef BZR_TEXT_CLASS_TABLES_GEN_H
#define BZR_TEXT_CLASS_TABLES_GEN_H

#include <stdint.h>

/* Which keep-rule looks at the code point. */
enum {
    BZR__CP_NONE = 0,
    BZR__CP_MARK = 1,
    BZR__CP_STACK = 2,
    BZR__CP_CONTROL = 3,
    BZR__CP_C1 = 4,
    BZR__CP_LINE = 5,
    BZR__CP_SOFT_HYPHEN = 6,
    BZR__CP_CGJ = 7,
    BZR__CP_HANGUL_FILLER = 8,
    BZR__CP_IGNORABLE = 9,
    BZR__CP_FVS = 10,
    BZR__CP_MVS = 11,
    BZR__CP_ZWSP = 12,
    BZR__CP_ZWNJ = 13,
    BZR__CP_ZWJ = 14,
    BZR__CP_BIDI_MARK = 15,
    BZR__CP_BIDI_EMBED = 16,
    BZR__CP_ISOLATE = 17,
    BZR__CP_PDI = 18,
    BZR__CP_JOINER = 19,
    BZR__CP_OPERATOR = 20,
    BZR__CP_SELECTOR = 21,
    BZR__CP_EMOJI_SELECTOR = 22,
    BZR__CP_IDEO_SELECTOR = 23,
    BZR__CP_BOM = 24,
    BZR__CP_ANNOTATION = 25,
    BZR__CP_PRIVATE = 26,
    BZR__CP_NONCHAR = 27,
    BZR__CP_SHORTHAND = 28,
    BZR__CP_MUSIC = 29,
    BZR__CP_HIEROGLYPH = 30,
    BZR__CP_TAG = 31,
    BZR__CP_BLANK_CELL = 32,
};

/* What it is to its neighbors. */
enum {
    BZR__IS_LETTER = 1 << 0,
    BZR__IS_DIGIT = 1 << 1,
    BZR__IS_COMBINES = 1 << 2,
    BZR__IS_VIRAMA = 1 << 3,
    BZR__IS_RTL = 1 << 4,
    BZR__IS_PICTURE = 1 << 5,
    BZR__IS_SKIN = 1 << 6,
    BZR__IS_EMOJI_BASE = 1 << 7,
    BZR__IS_IDEOGRAPH = 1 << 8,
    BZR__IS_STD1 = 1 << 9,
    BZR__IS_STD2 = 1 << 10,
    BZR__IS_STD3 = 1 << 11,
    BZR__IS_JAMO_L = 1 << 12,
    BZR__IS_JAMO_V = 1 << 13,
    BZR__IS_JAMO_T = 1 << 14,
    BZR__IS_MATH = 1 << 15,
    BZR__IS_MUSICAL = 1 << 16,
    BZR__IS_STENO = 1 << 17,
    BZR__IS_GLYPH = 1 << 18,
    BZR__IS_MONGOL = 1 << 19,
    BZR__IS_UNSPACED = 1 << 20,
    BZR__IS_PLAIN_LETTER = 1 << 21,
    BZR__IS_STYLED_LETTER = 1 << 22,
    BZR__IS_DOUBLE = 1 << 23,
    BZR__IS_BLANK = 1 << 24,
    BZR__IS_JOINING = 1 << 25,
};

typedef struct bzr__class {
    uint32_t flags;
    uint8_t kind, script; /* script: not 0 for Indic scripts; the rare ones share a number */
} bzr__class;

/* Class numbers below the first need no look, those below the second are combining marks. */
#define BZR__CLASS_QUIET 100u
#define BZR__CLASS_MARKS 156u

extern const bzr__class bzr__classes[186];
extern const uint16_t bzr__class_block[8704];
extern const uint8_t bzr__class_of_block[][128];
/* Bit i: all code points from 64 * i to 64 * i + 63 need no look (none of them a surrogate). */
extern const uint64_t bzr__quiet_blocks[16];

/* Class number of a code point (at most 10FFFF). */
static inline unsigned bzr__class_number(uint32_t c) { return bzr__class_of_block[bzr__class_block[c >> 7]][c & 127]; }
static inline const bzr__class *bzr__class_of(uint32_t c) { return &bzr__classes[bzr__class_number(c)]; }

#endif
