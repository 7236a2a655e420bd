/* What crosses the ABI has a name: statuses, enums and the version. Names are read back, and what is no name is
 * refused. */
#include "lib/base/str.h"
#include "tests/check.h"
#include "toadstone/toadstone.h"

#include <stdio.h>

static void every_status_speaks(void **state) {
    (void)state;
    static const toad_status all[] = {
#define X(name, number, message, help) TOAD_##name,
#include "lib/base/errors.def"
#undef X
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        assert_true(*toad_status_message(all[i]) && *toad_status_help(all[i]));
        for (size_t k = 0; k < i; k++) {
            assert_int_not_equal(all[i], all[k]);
            assert_string_not_equal(toad_status_message(all[i]), toad_status_message(all[k]));
        }
    }
    assert_string_equal(toad_status_message((toad_status)12345), "unknown status");
    assert_string_equal(toad_status_message((toad_status) - (int)(sizeof all / sizeof *all)), "unknown status");
}

static void names_are_read_back(void **state) {
    (void)state;
    for (int v = TOAD_NONE; v <= TOAD_HIGH; v++) {
        toad_severity back = TOAD_NONE;
        assert_true(toad_severity_parse(toad__str_z(toad_severity_name((toad_severity)v)), &back));
        assert_int_equal(back, v);
    }
    for (int v = TOAD_RELAXED; v <= TOAD_STRICT; v++) {
        toad_scope back = TOAD_RELAXED;
        assert_true(toad_scope_parse(toad__str_z(toad_scope_name((toad_scope)v)), &back));
        assert_int_equal(back, v);
    }
    for (int v = TOAD_KIND_ANY; v <= TOAD_KIND_SEARCH; v++) {
        toad_kind back = TOAD_KIND_ANY;
        assert_true(toad_kind_parse(toad__str_z(toad_kind_name((toad_kind)v)), &back));
        assert_int_equal(back, v);
    }
    static const char *const actions[] = { "allow", "warn", "redact", "ask", "block" };
    for (int v = TOAD_ALLOW; v <= TOAD_BLOCK; v++) assert_string_equal(toad_action_name((toad_action)v), actions[v]);
    assert_string_equal(toad_completeness_name(TOAD_FULL), "full");
    assert_string_equal(toad_completeness_name(TOAD_TIME_LIMIT), "time_limit");
}

static void what_is_no_name(void **state) {
    (void)state;
    static const char *const bad[] = { "", "HIGH", "high ", "hig", "highest", "anything" };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        toad_severity severity = TOAD_MEDIUM;
        toad_scope scope = TOAD_STRICT;
        toad_kind kind = TOAD_KIND_CODE;
        assert_false(toad_severity_parse(toad__str_z(bad[i]), &severity));
        assert_false(toad_scope_parse(toad__str_z(bad[i]), &scope));
        assert_false(toad_kind_parse(toad__str_z(bad[i]), &kind));
        assert_true(severity == TOAD_MEDIUM && scope == TOAD_STRICT && kind == TOAD_KIND_CODE); /* untouched */
    }
    assert_string_equal(toad_severity_name((toad_severity)9), "unknown");
    assert_string_equal(toad_kind_name((toad_kind)99), "unknown");
}

static void the_version_is_its_three_numbers(void **state) {
    (void)state;
    char want[40];
    snprintf(want, sizeof want, "%d.%d.%d", TOAD_VERSION_MAJOR, TOAD_VERSION_MINOR, TOAD_VERSION_PATCH);
    assert_string_equal(toad_version(), want);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_status_speaks),
        cmocka_unit_test(names_are_read_back),
        cmocka_unit_test(what_is_no_name),
        cmocka_unit_test(the_version_is_its_three_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
