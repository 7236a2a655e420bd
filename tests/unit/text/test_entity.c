/* Character references: longest name, numbers of any length, what is none. */

#include "lib/text/entity.h"
#include "tests/check.h"
#include "tests/support/exact.h"

static void check(const char *in, bool attribute, unsigned taken, const char *want) {
    char out[8];
    unsigned len = 0;
    size_t n = strlen(in);
    char *copy = exact_dup(in, n);
    assert_int_equal(toad__entity_at(toad__str(copy, n), 0, attribute, out, &len), taken);
    if (taken) {
        assert_int_equal(len, strlen(want));
        assert_memory_equal(out, want, len);
    }
    free(copy);
}

static void test_numbers(void **state) {
    (void)state;
    check("&#73;", false, 5, "I");
    check("&#73 ", false, 4, "I");
    check("&#x49;", false, 6, "I");
    check("&#X49", false, 5, "I");
    check("&#00000000000000000000073;", false, 26, "I");
    check("&#0;", false, 4, "\xef\xbf\xbd");
    check("&#xD800;", false, 8, "\xef\xbf\xbd");
    check("&#x110000;", false, 10, "\xef\xbf\xbd");
    check("&#99999999999999999999;", false, 23, "\xef\xbf\xbd");
    check("&#128;", false, 6, "\xe2\x82\xac");
    check("&#x81;", false, 6, "\xc2\x81");
    check("&#", false, 0, "");
    check("&#x", false, 0, "");
    check("&#;", false, 0, "");
}

static void test_names(void **state) {
    (void)state;
    check("&lt;", false, 4, "<");
    check("&ltx", false, 3, "<");
    check("&notin;", false, 7, "\xe2\x88\x89");
    check("&notit;", false, 4, "\xc2\xac");
    check("&lbrack;", false, 8, "[");
    check("&Tab;", false, 5, "\t");
    check("&CounterClockwiseContourIntegral;", false, 33, "\xe2\x88\xb3");
    check("&NotEqualTilde;", false, 15, "\xe2\x89\x82\xcc\xb8");
    check("&lbrack", false, 0, "");
    check("&nosuchname;", false, 0, "");
    check("&", false, 0, "");
    check("& ", false, 0, "");
    check("x", false, 0, "");
}

static void test_attributes(void **state) {
    (void)state;
    check("&copy=1", true, 0, "");
    check("&copyx", true, 0, "");
    check("&copy;=1", true, 6, "\xc2\xa9");
    check("&copy ", true, 5, "\xc2\xa9");
    check("&copy=1", false, 5, "\xc2\xa9");
}

/* Every name of the table is found as itself. */
static void test_table(void **state) {
    (void)state;
    assert_int_equal(toad__entities_n, 2231);
    for (unsigned i = 0; i < toad__entities_n; i++) {
        char in[36] = "&", value[9] = "";
        memcpy(in + 1, toad__entities[i].name, toad__entities[i].name_n);
        memcpy(value, toad__entities[i].value, toad__entities[i].value_n);
        check(in, false, toad__entities[i].name_n + 1u, value);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_attributes),
        cmocka_unit_test(test_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
