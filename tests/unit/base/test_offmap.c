/* Offset maps: copies, ratios, deletions, expansions, composition. */
#include "lib/base/offmap.h"
#include "tests/check.h"

static void expect(const toad__offmap *m, uint64_t start, uint64_t end, uint64_t in_start, uint64_t in_end) {
    toad_span got = toad__offmap_back(m, (toad_span){ start, end });
    assert_int_equal(got.start, in_start);
    assert_int_equal(got.end, in_end);
}

static void copies_merge_to_one_run(void **state) {
    (void)state;
    toad__offmap m;
    toad__offmap_init(&m);
    for (int i = 0; i < 1000; i++) toad__offmap_add(&m, 1, 1);
    assert_int_equal(m.n, 1);
    expect(&m, 10, 20, 10, 20);
    expect(&m, 990, 5000, 990, 1000);
    toad__offmap_free(&m);
}

static void deletions_are_inside_the_span(void **state) {
    (void)state;
    toad__offmap m; /* "ig" + 3 bytes dropped + "nore" */
    toad__offmap_init(&m);
    toad__offmap_add(&m, 2, 2);
    toad__offmap_add(&m, 0, 3);
    toad__offmap_add(&m, 4, 4);
    expect(&m, 0, 6, 0, 9);
    expect(&m, 0, 2, 0, 2);
    expect(&m, 2, 3, 5, 6);
    expect(&m, 6, 6, 9, 9);
    toad__offmap_free(&m);
}

static void two_to_one_advances_together(void **state) {
    (void)state;
    toad__offmap m; /* four Cyrillic letters folded to ASCII, then one letter that became three */
    toad__offmap_init(&m);
    for (int i = 0; i < 4; i++) toad__offmap_add(&m, 1, 2);
    toad__offmap_add(&m, 3, 2);
    assert_int_equal(m.n, 2);
    expect(&m, 1, 3, 2, 6);
    expect(&m, 5, 6, 8, 10);
    expect(&m, 3, 5, 6, 10);
    toad__offmap_free(&m);
}

static void composition_leads_through(void **state) {
    (void)state;
    toad__offmap lower, upper, both;
    toad__offmap_init(&lower);
    toad__offmap_init(&upper);
    toad__offmap_init(&both);
    toad__offmap_add(&lower, 4, 4); /* lower: 4 copied, 6 dropped, 4 copied */
    toad__offmap_add(&lower, 0, 6);
    toad__offmap_add(&lower, 4, 4);
    toad__offmap_add(&upper, 0, 2); /* upper: skips 2, copies 5, makes 3 of the last 1 */
    toad__offmap_add(&upper, 5, 5);
    toad__offmap_add(&upper, 3, 1);
    toad__offmap_then(&upper, &lower, &both);
    assert_int_equal(both.status, TOAD_OK);
    assert_int_equal(both.out_len, 8);
    for (uint64_t i = 0; i < 8; i++) {
        toad_span step = toad__offmap_back(&lower, toad__offmap_back(&upper, (toad_span){ i, i + 1 }));
        expect(&both, i, i + 1, step.start, step.end);
    }
    toad__offmap_free(&lower);
    toad__offmap_free(&upper);
    toad__offmap_free(&both);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copies_merge_to_one_run),
        cmocka_unit_test(deletions_are_inside_the_span),
        cmocka_unit_test(two_to_one_advances_together),
        cmocka_unit_test(composition_leads_through),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
