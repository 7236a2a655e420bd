/* The skeleton of a text, and its map. */
#include "lib/base/str.h"
#include "lib/disguise/skeleton.h"
#include "tests/check.h"
#include "tests/support/exact.h"

static toad__buf skeleton(toad_str in, bool symbols, toad__offmap *map) {
    toad__buf out;
    toad__buf_init(&out, SIZE_MAX);
    char *copy = exact_dup(in.p, in.n);
    assert_int_equal(toad__skeleton(toad__str(copy, in.n), symbols, &out, map), TOAD_OK);
    free(copy);
    return out;
}

static void maps_back(void **state) {
    (void)state;
    toad__offmap map;
    toad__offmap_init(&map);
    toad_str in = TOAD__S("x - i.g.n!");
    toad__buf out = skeleton(in, false, &map);
    assert_true(toad__str_eq(toad__buf_str(&out), TOAD__S("xign")));
    toad_span at = toad__offmap_back(&map, (toad_span){ 1, 4 });
    assert_int_equal(at.start, 4);
    assert_int_equal(at.end, 9);
    toad__buf_free(&out);
    toad__offmap_free(&map);
    out = skeleton(TOAD__S("4|\\|d"), true, NULL);
    assert_true(toad__str_eq(toad__buf_str(&out), TOAD__S("and")));
    toad__buf_free(&out);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(maps_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
