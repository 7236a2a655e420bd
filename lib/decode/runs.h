/* runs.h - where blocks of an alphabet stand: runs, folded lines, and groups with blanks between. */
#ifndef TOAD_DECODE_RUNS_H
#define TOAD_DECODE_RUNS_H

#include "lib/base/cursor.h"

/* A set of bytes as bit maps by nibble: row[c & 15] and, from 0x80 on, high[c & 15] have bit (c >> 4 & 7) set where c
 * is in. */
typedef struct toad__set {
    uint8_t row[16], high[16];
} toad__set;

static inline bool toad__set_has(const toad__set *set, char c) {
    unsigned byte = (unsigned char)c;
    return (byte & 0x80 ? set->high : set->row)[byte & 15] >> (byte >> 4 & 7) & 1;
}

/* X(name, its bytes as a string). The tables are written out in runs.c; tests/unit/decode/test_decode.c proves them. */
#define TOAD__SETS(X)                                                                                                  \
    X(alnum, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")                                         \
    X(letters, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")                                                 \
    X(base64, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz+/-_")                                    \
    X(low64, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdef")                                                                       \
    X(visible, "!\"#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnopqrstuvwxyz{|}~")     \
    X(hex_next, "0123456789abcdefABCDEFuU")                                                                            \
    X(quoted_next, "0123456789abcdefABCDEF \t\r\n")                                                                    \
    X(entity_next, "#ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")                                            \
    X(number_next, "0123456789 \t\n\v\f\r")                                                                            \
    X(joint_next, "\"'`\\= \t\n\v\f\r")                                                                                \
    X(written, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz \t\n\v\f\r")                            \
    X(json, "\"[]{}")                                                                                                  \
    X(quotes, "\"'`")                                                                                                  \
    X(pictures, "\xe2\xf0")                                                                                            \
    X(marks, "*`")                                                                                                     \
    X(cuttable, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"                                                 \
                "\x80\x81\x82\x83\x84\x85\x86\x87\x88\x89\x8a\x8b\x8c\x8d\x8e\x8f\x90\x91\x92\x93\x94\x95\x96\x97\x98" \
                "\x99\x9a\x9b\x9c\x9d\x9e\x9f"                                                                         \
                "\xa0\xa1\xa2\xa3\xa4\xa5\xa6\xa7\xa8\xa9\xaa\xab\xac\xad\xae\xaf\xb0\xb1\xb2\xb3\xb4\xb5\xb6\xb7\xb8" \
                "\xb9\xba\xbb\xbc\xbd\xbe\xbf"                                                                         \
                "\xc0\xc1\xc2\xc3\xc4\xc5\xc6\xc7\xc8\xc9\xca\xcb\xcc\xcd\xce\xcf\xd0\xd1\xd2\xd3\xd4\xd5\xd6\xd7\xd8" \
                "\xd9\xda\xdb\xdc\xdd\xde\xdf"                                                                         \
                "\xe0\xe1\xe2\xe3\xe4\xe5\xe6\xe7\xe8\xe9\xea\xeb\xec\xed\xee\xef\xf0\xf1\xf2\xf3\xf4\xf5\xf6\xf7\xf8" \
                "\xf9\xfa\xfb\xfc\xfd\xfe\xff")                                                                        \
    X(inside, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"                                         \
              "\x80\x81\x82\x83\x84\x85\x86\x87\x88\x89\x8a\x8b\x8c\x8d\x8e\x8f\x90\x91\x92\x93\x94\x95\x96\x97\x98"   \
              "\x99\x9a\x9b\x9c\x9d\x9e\x9f"                                                                           \
              "\xa0\xa1\xa2\xa3\xa4\xa5\xa6\xa7\xa8\xa9\xaa\xab\xac\xad\xae\xaf\xb0\xb1\xb2\xb3\xb4\xb5\xb6\xb7\xb8"   \
              "\xb9\xba\xbb\xbc\xbd\xbe\xbf"                                                                           \
              "\xc0\xc1\xc2\xc3\xc4\xc5\xc6\xc7\xc8\xc9\xca\xcb\xcc\xcd\xce\xcf\xd0\xd1\xd2\xd3\xd4\xd5\xd6\xd7\xd8"   \
              "\xd9\xda\xdb\xdc\xdd\xde\xdf"                                                                           \
              "\xe0\xe1\xe2\xe3\xe4\xe5\xe6\xe7\xe8\xe9\xea\xeb\xec\xed\xee\xef\xf0\xf1\xf2\xf3\xf4\xf5\xf6\xf7\xf8"   \
              "\xf9\xfa\xfb\xfc\xfd\xfe\xff")                                                                          \
    X(hex, "0123456789abcdefABCDEFhH \t\r\n:,-xX._;|$#&\\")                                                            \
    X(bits, "01bB \t\r\n,_|-")                                                                                         \
    X(numbers, "0123456789 \t\r\n,;-/|.:")                                                                             \
    X(bacon, "ABab \n\r/")                                                                                             \
    X(tap, ". /\n\r")                                                                                                  \
    X(signs, ".-_/|01 ")                                                                                               \
    X(morse, ".-_/| \t\r\n\xe2\x80\xa2\xa4\x8b\x85\x99\x88\x92\x93\x94\x95\x90\x91\xc2\xb7\xe3\x83\xbb")               \
    X(terse, "0123456789abcdefABCDEFhHxX \t\r\n,;:/|._-$#&\\" /* of hex to morse, all */                               \
             "\xe2\x80\xa2\xa4\x8b\x85\x99\x88\x92\x93\x94\x95\x90\x91\xc2\xb7\xe3\x83\xbb")                           \
    X(upper, "ABCDEFGHIJKLMNOPQRSTUVWXYZ")                                                                             \
    X(lower, "abcdefghijklmnopqrstuvwxyz")                                                                             \
    X(small, "abcdefghijklmnopqrstuvwxyz0123456789")                                                                   \
    X(blanks, " \t\n\r")                                                                                               \
    X(wide, " /|\r\n"                                                                                                  \
            "\x80\x81\x82\x83\x84\x85\x86\x87\x88\x89\x8a\x8b\x8c\x8d\x8e\x8f\x90\x91\x92\x93\x94\x95\x96\x97\x98\x99" \
            "\x9a\x9b\x9c\x9d\x9e\x9f"                                                                                 \
            "\xa0\xa1\xa2\xa3\xa4\xa5\xa6\xa7\xa8\xa9\xaa\xab\xac\xad\xae\xaf\xb0\xb1\xb2\xb3\xb4\xb5\xb6\xb7\xb8\xb9" \
            "\xba\xbb\xbc\xbd\xbe\xbf"                                                                                 \
            "\xc0\xc1\xc2\xc3\xc4\xc5\xc6\xc7\xc8\xc9\xca\xcb\xcc\xcd\xce\xcf\xd0\xd1\xd2\xd3\xd4\xd5\xd6\xd7\xd8\xd9" \
            "\xda\xdb\xdc\xdd\xde\xdf"                                                                                 \
            "\xe0\xe1\xe2\xe3\xe4\xe5\xe6\xe7\xe8\xe9\xea\xeb\xec\xed\xee\xef\xf0\xf1\xf2\xf3\xf4\xf5\xf6\xf7\xf8\xf9" \
            "\xfa\xfb\xfc\xfd\xfe\xff")
#define X(name, bytes) extern const toad__set toad__set_##name;
TOAD__SETS(X)
#undef X

typedef struct toad__sites toad__sites; /* survey.h */

/* Bit i: the byte at `at` + i is in the set; bytes beyond the end are not. `at` <= in.n. SIMD. */
uint64_t toad__set_word(toad_str in, size_t at, const toad__set *set);
/* The first byte of the set at or after `from`, or in.n. SIMD. */
size_t toad__set_find(toad_str in, const toad__set *set, size_t from);
/* Where, at or after `from`, byte `a` stands with byte `b` so many bytes (1..16) behind it; in.n if nowhere. SIMD. */
size_t toad__pair_find(toad_str in, size_t from, char a, char b, unsigned apart);
/* Where, at or after `from`, `lead` stands with a byte of `next` behind it (NULL: with anything); in.n if nowhere.
 * SIMD. */
size_t toad__lead_find(toad_str in, size_t from, char lead, const toad__set *next);
/* The next maximal run of at least `least` (1..64) bytes of the set at or after `from`; false at the end. SIMD. */
bool toad__run_next(toad_str in, const toad__set *set, size_t least, size_t from, toad_span *ret);
/* The same for runs in which a capital stands behind a small letter or a digit, as in base64; `where`: the sites of
 * such capitals. */
bool toad__mixed_run_next(toad_str in, const toad__sites *where, const toad__set *set, size_t least, size_t from,
                          toad_span *ret);
/* The end of the block that starts with `run`: further lines of the set, as a mailer folds and quotes them ("> "), up
 * to the first that is shorter than the one before. run.end if there is none. */
size_t toad__run_lines(toad_str in, const toad__set *set, toad_span run);
/* The next block of at least `least` (24 or more) bytes of the set in groups of one width (2..8 or 10; the last may be
 * shorter) with one white space between, in text of mixed case; false at the end. `where` as before. SIMD. */
bool toad__groups_next(toad_str in, const toad__sites *where, const toad__set *set, size_t least, size_t from,
                       toad_span *ret);

#endif
