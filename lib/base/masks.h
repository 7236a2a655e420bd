/* masks.h - which of 64 bytes are what: bytes looked at once, as words of 64 bits, and all further questions are
 * shifts.
 *
 * Bit i of a mask stands for byte i. What a byte may be is a set, which is data: say it as a macro of the byte, and
 * TOAD__SET makes the tables of it at compile time:
 *
 *     #define IS_HEX(c) (TOAD__IS_DIGIT(c) || TOAD__IN(c, 'a', 'f') || TOAD__IN(c, 'A', 'F'))
 *     static const toad__set hex = TOAD__SET(IS_HEX);
 *
 * A reader of several sets has them in one array and takes their masks together, some blocks at a time, as rows of a
 * struct of its own that has a word for each set, in their order:
 *
 *     typedef struct masks { uint64_t letters, digits; } masks;
 *     static const toad__set sets[] = { TOAD__SET(TOAD__IS_ALPHA), TOAD__SET(TOAD__IS_DIGIT) };
 *     masks m[BLOCKS];
 *     size_t n = toad__masks_at(text, at, sets, 2, BLOCKS, &m[0].letters);
 *
 * A set costs some 12 instructions for 64 bytes with AVX2 and 20 with SSSE3, NEON or wasm simd128, whatever is in it
 * (half as many again where not all is ASCII), so what can be told from other masks should be. Beyond the end of the
 * text nothing is in any set. Sets are read from nowhere else: no text, no state. Thread rule: pure functions. */
#ifndef TOAD_BASE_MASKS_H
#define TOAD_BASE_MASKS_H

#include "toadstone/types.h"

#include <assert.h>

/* As bit maps by nibble: row[c & 15] and, from 0x80 on, high[c & 15] have bit (c >> 4 & 7) set where c is in. */
typedef struct toad__set {
    uint8_t row[16], high[16];
} toad__set;

/* Words for sets: `c` is an int from 0 to 255. */
#define TOAD__IN(c, first, last) ((c) >= (first) && (c) <= (last))
#define TOAD__IS_UPPER(c)        TOAD__IN(c, 'A', 'Z')
#define TOAD__IS_LOWER(c)        TOAD__IN(c, 'a', 'z')
#define TOAD__IS_ALPHA(c)        (TOAD__IS_UPPER(c) || TOAD__IS_LOWER(c))
#define TOAD__IS_DIGIT(c)        TOAD__IN(c, '0', '9')
#define TOAD__IS_ALNUM(c)        (TOAD__IS_ALPHA(c) || TOAD__IS_DIGIT(c))
#define TOAD__IS_SPACE(c)        ((c) == ' ' || TOAD__IN(c, '\t', '\r'))
#define TOAD__IS_HIGH(c)         ((c) >= 0x80)

/* A column of eight bytes with the same lower nibble. */
#define TOAD__SET_COLUMN(in, c)                                                                               \
    (uint8_t)((in((c) + 0x00)) << 0 | (in((c) + 0x10)) << 1 | (in((c) + 0x20)) << 2 | (in((c) + 0x30)) << 3 | \
              (in((c) + 0x40)) << 4 | (in((c) + 0x50)) << 5 | (in((c) + 0x60)) << 6 | (in((c) + 0x70)) << 7)
#define TOAD__SET_HALF(in, c)                                                                               \
    {                                                                                                       \
        TOAD__SET_COLUMN(in, (c) + 0), TOAD__SET_COLUMN(in, (c) + 1), TOAD__SET_COLUMN(in, (c) + 2),        \
            TOAD__SET_COLUMN(in, (c) + 3), TOAD__SET_COLUMN(in, (c) + 4), TOAD__SET_COLUMN(in, (c) + 5),    \
            TOAD__SET_COLUMN(in, (c) + 6), TOAD__SET_COLUMN(in, (c) + 7), TOAD__SET_COLUMN(in, (c) + 8),    \
            TOAD__SET_COLUMN(in, (c) + 9), TOAD__SET_COLUMN(in, (c) + 10), TOAD__SET_COLUMN(in, (c) + 11),  \
            TOAD__SET_COLUMN(in, (c) + 12), TOAD__SET_COLUMN(in, (c) + 13), TOAD__SET_COLUMN(in, (c) + 14), \
            TOAD__SET_COLUMN(in, (c) + 15)                                                                  \
    }
/* The set of the bytes of which the macro `in` is true (0 or 1). */
#define TOAD__SET(in) \
    { TOAD__SET_HALF(in, 0), TOAD__SET_HALF(in, 0x80) }

static inline bool toad__set_has(const toad__set *set, char c) {
    unsigned byte = (unsigned char)c;
    return (byte & 0x80 ? set->high : set->row)[byte & 15] >> (byte >> 4 & 7) & 1;
}

/* The set of the bytes of a string, where it is known only at run time. */
static inline toad__set toad__set_of(const char *bytes) {
    toad__set set = { { 0 }, { 0 } };
    for (; *bytes; bytes++) {
        unsigned c = (unsigned char)*bytes;
        (c & 0x80 ? set.high : set.row)[c & 15] |= (uint8_t)(1u << (c >> 4 & 7));
    }
    return set;
}

/* The 64 bytes at `p`. */
uint64_t toad__mask(const char *p, const toad__set *set);
/* The 64 bytes at `at` <= in.n of the text. */
uint64_t toad__mask_at(toad_str in, size_t at, const toad__set *set);
/* The masks of `n` sets of the blocks of 64 bytes from `at` <= in.n on, `most` of them at most: ret[b * n + k] is of
 * block b and set k. Returns how many blocks begin in the text; 0 at its end. */
size_t toad__masks_at(toad_str in, size_t at, const toad__set *sets, unsigned n, size_t most, uint64_t *ret);
/* The first byte of the set at or after `from`, or in.n. */
size_t toad__set_find(toad_str in, const toad__set *set, size_t from);
/* Where, at or after `from`, the byte `first` stands with one of `second` so many bytes (1..16) behind it; in.n if
 * nowhere. */
size_t toad__pair_find(toad_str in, char first, const toad__set *second, unsigned apart, size_t from);

/* Those of the 64 bytes at `p` that the mask has, put together at `to`, where all 64 find room. Returns how many. */
unsigned toad__pick(const char *p, uint64_t mask, char *to);

/* One implementation of all that; tests hold each against the portable one. */
typedef struct toad__masks_path {
    uint64_t (*mask)(const char *p, const toad__set *set);
    uint64_t (*at)(toad_str in, size_t at, const toad__set *set);
    void (*masks)(const char *p, size_t blocks, const toad__set *sets, unsigned n, uint64_t *ret);
    size_t (*find)(toad_str in, const toad__set *set, size_t from);
    size_t (*pair)(toad_str in, char first, const toad__set *second, unsigned apart, size_t from);
    unsigned (*pick)(const char *p, uint64_t mask, char *to);
} toad__masks_path;

enum {
    TOAD__MASKS_PORTABLE,
    TOAD__MASKS_SSSE3,
    TOAD__MASKS_AVX2,
    TOAD__MASKS_NEON,
    TOAD__MASKS_WASM,
    TOAD__MASKS_PATHS
};
/* The path of that number, NULL where this machine cannot run it. */
const toad__masks_path *toad__masks_path_of(unsigned path);

/* ---- shifts that many readers need ---- */

/* Bits moved up by `n` (1..63), those of the word before behind them. */
static inline uint64_t toad__bits_moved(uint64_t bits, uint64_t before, unsigned n) {
    return bits << n | before >> (64 - n);
}

/* The lowest `n` bits. */
static inline uint64_t toad__bits_low(unsigned n) { return n >= 64 ? UINT64_MAX : (UINT64_C(1) << n) - 1; }

/* Bits at which `n` (9..16) ones in a row end, those of the word before behind them. */
static inline uint64_t toad__bits_row(uint64_t bits, uint64_t before, unsigned n) {
    assert(n >= 9 && n <= 16);
    bits &= toad__bits_moved(bits, before, 1), before &= before << 1;
    bits &= toad__bits_moved(bits, before, 2), before &= before << 2;
    bits &= toad__bits_moved(bits, before, 4), before &= before << 4;
    return bits & toad__bits_moved(bits, before, n - 8);
}

/* Is one of the eight bytes all ones? Fifteen ones in a row have one, in this word or in the one before. */
static inline bool toad__bits_full_byte(uint64_t bits) {
    return (~bits - UINT64_C(0x0101010101010101)) & bits & UINT64_C(0x8080808080808080);
}

/* Byte i: how many bits of the bytes 0 to i are set. */
static inline uint64_t toad__bits_sums(uint64_t bits) {
    bits -= bits >> 1 & UINT64_C(0x5555555555555555);
    bits = (bits & UINT64_C(0x3333333333333333)) + (bits >> 2 & UINT64_C(0x3333333333333333));
    bits = (bits + (bits >> 4)) & UINT64_C(0x0F0F0F0F0F0F0F0F);
    return bits * UINT64_C(0x0101010101010101);
}

static inline unsigned toad__bits_count(uint64_t bits) { return (unsigned)(toad__bits_sums(bits) >> 56); }

/* Are `n` (1 or more) bits set? Few machines that the baseline is built for have an instruction to count them. */
static inline bool toad__bits_at_least(uint64_t bits, unsigned n) {
    while (--n && bits) bits &= bits - 1;
    return bits != 0;
}

#endif
