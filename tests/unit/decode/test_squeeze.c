/* Text that repeats itself, cut: nothing is lost, nothing is made up, and what is left is in proportion to what is new.
 */

#include "lib/base/str.h"
#include "lib/decode/emit.h"
#include "tests/unit/decode/decoding.h"

#define PIECE 1024u /* bytes that stand together before must stand together after */

static char text[1 << 16];

static void pieces_of(toad_str all, toad_str in, size_t step) {
    for (size_t at = 0; at + PIECE <= all.n; at += step)
        assert_true(toad__str_find(in, toad__str_part(all, at, at + PIECE), 0) < in.n);
}

static size_t squeezed(toad_str in) {
    toad__buf out;
    toad__buf_init(&out, in.n);
    toad__squeeze(in, &out);
    assert_int_equal(out.status, TOAD_OK);
    pieces_of(in, toad__buf_str(&out), 67);
    pieces_of(toad__buf_str(&out), in, 67);
    size_t n = out.n;
    toad__buf_free(&out);
    return n;
}

static unsigned next(unsigned *state) { return (*state = *state * 1103515245u + 12345u) >> 16; }

void test_squeeze(void **state) {
    (void)state;
    unsigned random = 7;
    for (size_t period = 1; period <= 5000; period = period * 3 + 1) {
        size_t n = sizeof text - period % 100;
        for (size_t i = 0; i < n; i++) text[i] = i < period ? (char)('a' + next(&random) % 26) : text[i - period];
        assert_true(squeezed(toad__str(text, n)) <= 2 * period + 2 * PIECE + 64);
        memcpy(text + n / 2, "here it stops to be a copy", 26);
        size_t both = squeezed(toad__str(text, n));
        assert_true(both > 2 * PIECE && both <= 4 * period + 4 * PIECE + 128);
    }
    for (size_t i = 0; i < sizeof text; i++) text[i] = (char)('a' + next(&random) % 26);
    assert_int_equal(squeezed(toad__str(text, sizeof text)), sizeof text);
    assert_int_equal(squeezed(toad__str(text, 0)), 0);
    assert_int_equal(squeezed(toad__str(text, 15)), 15);
}
