/* Random bytes: all of them are written, none beside them, and two draws differ. */
#include "lib/base/random.h"
#include "tests/check.h"
#include "tests/support/exact.h"

static void fills_exactly(void **state) {
    (void)state;
    static const unsigned char mark[256] = { 0 };
    for (size_t n = 1; n <= 256; n += n < 8 ? 1 : 31) {
        bool written[256] = { false };
        for (unsigned round = 0; round < 40; round++) {
            unsigned char *p = (unsigned char *)exact_dup(mark, n); /* ASan sees a byte too many */
            assert_true(toad__random(p, n));
            for (size_t i = 0; i < n; i++) written[i] = written[i] || p[i];
            free(p);
        }
        for (size_t i = 0; i < n; i++) assert_true(written[i]); /* 40 zeros in turn: 2^-320 */
    }
}

static void two_draws_differ(void **state) {
    (void)state;
    unsigned char a[32], b[32];
    assert_true(toad__random(a, sizeof a) && toad__random(b, sizeof b));
    assert_memory_not_equal(a, b, sizeof a);
}

int main(void) {
    const struct CMUnitTest tests[] = { cmocka_unit_test(fills_exactly), cmocka_unit_test(two_draws_differ) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
