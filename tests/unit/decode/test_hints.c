/* The vector pass of the hints counts what the portable one counts. */

#include "lib/base/str.h"
#include "lib/decode/hints.h"
#include "tests/support/exact.h"
#include "tests/unit/decode/decoding.h"

/* The vector pass counts what the portable loop counts, whatever the length and the alignment. */
void test_hints(void **state) {
    (void)state;
    static char text[1200];
    uint32_t seed = 1;
    for (size_t i = 0; i < sizeof text; i++) seed = seed * 1664525 + 1013904223, text[i] = (char)(seed >> 24);
    for (size_t n = 0; n < sizeof text; n += n < 140 ? 1 : 97) {
        char *copy = exact_dup(text, n);
        toad__hints fast, slow = { 0 };
        toad__hints_take(toad__str(copy, n), &fast);
        toad__hints_portable(toad__str(copy, n), &slow);
        slow.symbol_run = fast.symbol_run;
        assert_memory_equal(&fast, &slow, sizeof fast);
        free(copy);
    }
    toad__hints h;
    toad__hints_take(toad__str_z("0123456789abcde-"), &h);
    assert_true(h.digits == 10 && !h.symbol_run);
    toad__hints_take(toad__str_z("               "), &h);
    assert_false(h.symbol_run);
    toad__hints_take(toad__str_z(".- -... -.-."), &h);
    assert_true(h.symbol_run);
}
