/* UTF-8: every scalar there and back, every ill-formed shape of Unicode table 3-7, reads that never pass the end. */
#include "lib/base/utf8.h"
#include "tests/check.h"
#include "tests/support/exact.h"

static void every_scalar_round_trips(void **state) {
    (void)state;
    for (uint32_t c = 0; c <= 0x10FFFF; c++) {
        char out[4];
        unsigned n = toad__utf8_encode(c, out), len;
        uint32_t want = c >= 0xD800 && c <= 0xDFFF ? TOAD__REPLACEMENT : c;
        assert_int_equal(toad__utf8_decode((toad_str){ out, n }, 0, &len), want);
        assert_int_equal(len, n);
    }
}

static void expect_bad(const char *bytes, size_t n, unsigned subpart) {
    char *exact = exact_dup(bytes, n);
    unsigned len;
    assert_int_equal(toad__utf8_decode((toad_str){ exact, n }, 0, &len), TOAD__BAD);
    assert_int_equal(len, subpart);
    free(exact);
}

static void ill_formed_gives_maximal_subparts(void **state) {
    (void)state;
    expect_bad("\x80", 1, 1);
    expect_bad("\xC0\x80", 2, 1);
    expect_bad("\xC1\xBF", 2, 1);
    expect_bad("\xE0\x9F\xBF", 3, 1);
    expect_bad("\xED\xA0\x80", 3, 1);
    expect_bad("\xF4\x90\x80\x80", 4, 1);
    expect_bad("\xF5\x80\x80\x80", 4, 1);
    expect_bad("\xE2\x82", 2, 2);
    expect_bad("\xF0\x9F\x98", 3, 3);
    expect_bad("\xE2\x28\xA1", 3, 1);
    expect_bad("\xFF", 1, 1);
}

static void lenient_reads_what_was_meant(void **state) {
    (void)state;
    unsigned len;
    assert_int_equal(toad__utf8_decode_lenient((toad_str){ "\xC0\xBC", 2 }, 0, &len), '<');
    assert_int_equal(len, 2);
    assert_int_equal(toad__utf8_decode_lenient((toad_str){ "\xE0\x81\x89", 3 }, 0, &len), 'I');
    assert_int_equal(toad__utf8_decode_lenient((toad_str){ "\xF0\x80\x81\x89", 4 }, 0, &len), 'I');
    assert_int_equal(toad__utf8_decode_lenient((toad_str){ "\xED\xA0\xBD\xED\xB8\x80", 6 }, 0, &len), 0x1F600);
    assert_int_equal(len, 6);
    assert_int_equal(toad__utf8_decode_lenient((toad_str){ "\xED\xA0\xBD", 3 }, 0, &len), TOAD__BAD);
}

static void prefix_and_validity(void **state) {
    (void)state;
    for (size_t n = 0; n < 70; n++) {
        char *exact = exact_dup("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", n);
        assert_int_equal(toad__ascii_prefix((toad_str){ exact, n }), n);
        assert_int_equal(toad__utf8_valid_upto((toad_str){ exact, n }), n);
        for (size_t k = 0; k < n; k++) {
            exact[k] = (char)0xFF;
            assert_int_equal(toad__ascii_prefix((toad_str){ exact, n }), k);
            assert_int_equal(toad__utf8_valid_upto((toad_str){ exact, n }), k);
            exact[k] = 'a';
        }
        free(exact);
    }
}

static void floor_never_cuts_a_code_point(void **state) {
    (void)state;
    toad_str s = { "a\xE2\x82\xAC"
                   "b\xF0\x9F\x98\x80",
                   9 };
    const size_t want[] = { 0, 1, 1, 1, 4, 5, 5, 5, 5, 9, 9 };
    for (size_t i = 0; i < 11; i++) assert_int_equal(toad__utf8_floor(s, i), want[i]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_scalar_round_trips),      cmocka_unit_test(ill_formed_gives_maximal_subparts),
        cmocka_unit_test(lenient_reads_what_was_meant),  cmocka_unit_test(prefix_and_validity),
        cmocka_unit_test(floor_never_cuts_a_code_point),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
