/* Sets of bytes and runs of their members. */

#include "lib/base/str.h"
#include "lib/decode/runs.h"
#include "tests/support/exact.h"
#include "tests/unit/decode/decoding.h"

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
