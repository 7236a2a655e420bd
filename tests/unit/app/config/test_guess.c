/* Which name was meant: slips of the hand, beginnings, and nothing where nothing is near. */
#include "app/config/guess.h"
#include "lib/base/str.h"
#include "tests/check.h"

static const char *const names[] = { "scan", "sanitize", "wrap", "unwrap", "fetch", "feed", "memory", "sessions" };

static toad_str meant(const char *typed) {
    toad__guess g = toad__guess_of(toad__str_z(typed));
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) toad__guess_try(&g, toad__str_z(names[i]));
    return g.best;
}

static void slips(void **state) {
    (void)state;
    static const char *const rows[][2] = {
        { "scna", "scan" },         { "fecth", "fetch" },   { "memroy", "memory" },  { "warp", "wrap" },
        { "sanitise", "sanitize" }, { "sess", "sessions" }, { "unwrapp", "unwrap" }, { "fetch", "fetch" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_true(toad__str_eq(meant(rows[i][0]), toad__str_z(rows[i][1])));
}

static void nothing_near(void **state) {
    (void)state;
    static char huge[4096];
    memset(huge, 'x', sizeof huge - 1);
    assert_null(meant("").p);
    assert_null(meant("zzzzzz").p);
    assert_null(meant("--").p);
    assert_null(meant(huge).p);
}

int main(void) {
    const struct CMUnitTest tests[] = { cmocka_unit_test(slips), cmocka_unit_test(nothing_near) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
