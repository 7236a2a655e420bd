/* class_tables.gen.h - written by tools/unicode/gen_classes.py from the Unicode Character Database; do not edit. */
#ifndef TOAD_TEXT_CLASS_TABLES_GEN_H
#define TOAD_TEXT_CLASS_TABLES_GEN_H

#include <stdint.h>

/* Which keep-rule looks at the code point. */
enum {
    TOAD__CP_NONE = 0,
    TOAD__CP_MARK = 1,
    TOAD__CP_STACK = 2,
    TOAD__CP_CONTROL = 3,
    TOAD__CP_C1 = 4,
    TOAD__CP_LINE = 5,
    TOAD__CP_SOFT_HYPHEN = 6,
    TOAD__CP_CGJ = 7,
    TOAD__CP_HANGUL_FILLER = 8,
    TOAD__CP_IGNORABLE = 9,
    TOAD__CP_FVS = 10,
    TOAD__CP_MVS = 11,
    TOAD__CP_ZWSP = 12,
    TOAD__CP_ZWNJ = 13,
    TOAD__CP_ZWJ = 14,
    TOAD__CP_BIDI_MARK = 15,
    TOAD__CP_BIDI_EMBED = 16,
    TOAD__CP_ISOLATE = 17,
    TOAD__CP_PDI = 18,
    TOAD__CP_JOINER = 19,
    TOAD__CP_OPERATOR = 20,
    TOAD__CP_SELECTOR = 21,
    TOAD__CP_EMOJI_SELECTOR = 22,
    TOAD__CP_IDEO_SELECTOR = 23,
    TOAD__CP_BOM = 24,
    TOAD__CP_ANNOTATION = 25,
    TOAD__CP_PRIVATE = 26,
    TOAD__CP_NONCHAR = 27,
    TOAD__CP_SHORTHAND = 28,
    TOAD__CP_MUSIC = 29,
    TOAD__CP_HIEROGLYPH = 30,
    TOAD__CP_TAG = 31,
    TOAD__CP_BLANK_CELL = 32,
};

/* What it is to its neighbors. */
enum {
    TOAD__IS_LETTER = 1 << 0,
    TOAD__IS_DIGIT = 1 << 1,
    TOAD__IS_COMBINES = 1 << 2,
    TOAD__IS_VIRAMA = 1 << 3,
    TOAD__IS_RTL = 1 << 4,
    TOAD__IS_PICTURE = 1 << 5,
    TOAD__IS_SKIN = 1 << 6,
    TOAD__IS_EMOJI_BASE = 1 << 7,
    TOAD__IS_IDEOGRAPH = 1 << 8,
    TOAD__IS_STD1 = 1 << 9,
    TOAD__IS_STD2 = 1 << 10,
    TOAD__IS_STD3 = 1 << 11,
    TOAD__IS_JAMO_L = 1 << 12,
    TOAD__IS_JAMO_V = 1 << 13,
    TOAD__IS_JAMO_T = 1 << 14,
    TOAD__IS_MATH = 1 << 15,
    TOAD__IS_MUSICAL = 1 << 16,
    TOAD__IS_STENO = 1 << 17,
    TOAD__IS_GLYPH = 1 << 18,
    TOAD__IS_MONGOL = 1 << 19,
    TOAD__IS_UNSPACED = 1 << 20,
    TOAD__IS_PLAIN_LETTER = 1 << 21,
    TOAD__IS_STYLED_LETTER = 1 << 22,
    TOAD__IS_DOUBLE = 1 << 23,
    TOAD__IS_BLANK = 1 << 24,
    TOAD__IS_JOINING = 1 << 25,
};

typedef struct toad__class {
    uint32_t flags;
    uint8_t kind, script; /* script: not 0 for Indic scripts; the rare ones share a number */
} toad__class;

/* Class numbers below the first need no look, those below the second are combining marks. */
#define TOAD__CLASS_QUIET 100u
#define TOAD__CLASS_MARKS 156u

extern const toad__class toad__classes[186];
extern const uint16_t toad__class_block[8704];
extern const uint8_t toad__class_of_block[][128];
/* Bit i: all code points from 64 * i to 64 * i + 63 need no look (none of them a surrogate). */
extern const uint64_t toad__quiet_blocks[16];

/* Class number of a code point (at most 10FFFF). */
static inline unsigned toad__class_number(uint32_t c) { return toad__class_of_block[toad__class_block[c >> 7]][c & 127]; }
static inline const toad__class *toad__class_of(uint32_t c) { return &toad__classes[toad__class_number(c)]; }

#endif
