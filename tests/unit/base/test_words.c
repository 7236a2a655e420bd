/* The small words on slices and hexadecimal digits that everything shares. */
#include "lib/base/hex.h"
#include "tests/check.h"

static toad_str exact(const char *z) {
    size_t n = strlen(z);
    char *p = malloc(n ? n : 1);
    memcpy(p, z, n);
    return toad__str(p, n);
}

static void digits_and_back(void **state) {
    (void)state;
    unsigned char all[256], back[256];
    char digits[2 * sizeof all];
    for (unsigned i = 0; i < sizeof all; i++) all[i] = (unsigned char)i;
    toad__hex(digits, all, sizeof all);
    assert_memory_equal(digits, "000102", 6);
    assert_memory_equal(digits + 508, "feff", 4);
    assert_true(toad__hex_read(toad__str(digits, sizeof digits), back));
    assert_memory_equal(all, back, sizeof all);
    char z[5];
    toad__hex_z(z, "\xAB\x01", 2);
    assert_string_equal(z, "ab01");
}

static void what_is_no_hex(void **state) {
    (void)state;
    static const char *const bad[] = { "0", "0g", "AB", "aB", "ab0", "a-", "\xff\xff" };
    unsigned char out[2];
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        toad_str s = exact(bad[i]);
        assert_false(toad__hex_read(s, out));
        free((char *)s.p);
    }
    assert_true(toad__hex_read(toad__str(NULL, 0), NULL));
}

static void pairs_stay_inside(void **state) {
    (void)state;
    toad_str s = exact("4aF");
    assert_int_equal(toad__hex_pair(s, 0), 0x4a);
    assert_int_equal(toad__hex_pair(s, 1), 0xaf);
    for (size_t at = 2; at < 6; at++) assert_int_equal(toad__hex_pair(s, at), -1);
    assert_int_equal(toad__hex_pair(s, SIZE_MAX), -1);
    free((char *)s.p);
}

static void percent_is_upper_case(void **state) {
    (void)state;
    toad__buf b;
    toad__buf_init(&b, 16);
    toad__buf_add_percent(&b, 0x7f);
    toad__buf_add_percent(&b, 0xe2);
    assert_memory_equal(b.p, "%7F%E2", 6);
    toad__buf_free(&b);
}

static void ends_are_trimmed(void **state) {
    (void)state;
    static const char *const rows[][2] = { { " \ta b\r\n", "a b" }, { "", "" }, { " \f\v ", "" }, { "x", "x" } };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        toad_str s = exact(rows[i][0]);
        assert_true(toad__str_eq(toad__str_trim(s), toad__str_z(rows[i][1])));
        assert_int_equal(toad__str_is_blank(s), !*rows[i][1]);
        free((char *)s.p);
    }
    assert_true(toad__str_is_blank(toad__str(NULL, 0)));
}

static void words_of_a_list(void **state) {
    (void)state;
    assert_true(toad__str_is_one_of(TOAD__S("b"), "a b cd"));
    assert_true(toad__str_is_one_of(TOAD__S("cd"), "a b cd"));
    assert_false(toad__str_is_one_of(TOAD__S("c"), "a b cd"));
    assert_false(toad__str_is_one_of(TOAD__S("a b"), "a b cd"));
    assert_false(toad__str_is_one_of(TOAD__S("x"), ""));
}

static void copies_are_cut(void **state) {
    (void)state;
    char room[4];
    toad__str_copy_to(room, sizeof room, TOAD__S("abcdef"));
    assert_string_equal(room, "abc");
    toad__str_copy_to(room, sizeof room, toad__str(NULL, 0));
    assert_string_equal(room, "");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(digits_and_back),   cmocka_unit_test(what_is_no_hex),
        cmocka_unit_test(pairs_stay_inside), cmocka_unit_test(percent_is_upper_case),
        cmocka_unit_test(ends_are_trimmed),  cmocka_unit_test(words_of_a_list),
        cmocka_unit_test(copies_are_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
