/* Sets of bytes and runs of their members. */

#include "lib/base/str.h"
#include "lib/decode/runs.h"
#include "tests/support/exact.h"
#include "tests/unit/decode/decoding.h"

/* X(name, its bytes). */
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

/* The tables of the sets say what their strings say. */
void test_sets(void **state) {
    (void)state;
    static const struct {
        const toad__set *set;
        const char *bytes;
        size_t n;
    } sets[] = {
#define X(name, bytes) { &toad__set_##name, bytes, sizeof(bytes) - 1 },
        TOAD__SETS(X)
#undef X
    };
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++)
        for (int c = 0; c < 256; c++)
            assert_int_equal(toad__set_has(sets[i].set, (char)c), memchr(sets[i].bytes, c, sets[i].n) != NULL);
}

/* Runs of any length at any place, found as a byte-by-byte search finds them. */
void test_runs(void **state) {
    (void)state;
    enum { N = 300 };
    char text[N];
    for (size_t least = 1; least <= 64; least++) {
        for (size_t start = 0; start < 150; start += 7) {
            for (size_t n = least > 2 ? least - 2 : 0; n < least + 70 && start + n < N; n += 3) {
                memset(text, ' ', N);
                memset(text + start, 'a', n);
                if (start > 40) memset(text, 'b', 14); /* a shorter one before */
                bool short_counts = start > 40 && least <= 14;
                size_t size = start + n + start % 3;
                char *copy = exact_dup(text, size);
                toad_span at;
                bool found = toad__run_next(toad__str(copy, size), &toad__set_letters, least, 0, &at);
                assert_int_equal(found, n >= least || short_counts);
                if (found) assert_int_equal(at.start, short_counts ? 0 : start);
                if (found) assert_int_equal(at.end, short_counts ? 14 : start + n);
                free(copy);
            }
        }
    }
}

/* The set that the survey looks for signs by holds all of the sets of codes, digits and marks. */
void test_terse(void **state) {
    (void)state;
    for (int c = 0; c < 256; c++) {
        const toad__set *const sets[] = { &toad__set_hex,   &toad__set_bits, &toad__set_numbers,
                                          &toad__set_bacon, &toad__set_tap,  &toad__set_morse };
        for (size_t i = 0; i < sizeof sets / sizeof *sets; i++)
            assert_true(!toad__set_has(sets[i], (char)c) || toad__set_has(&toad__set_terse, (char)c));
    }
}
