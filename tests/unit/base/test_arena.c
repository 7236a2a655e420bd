/* Arenas: the ceiling, zeroed and aligned memory, copies, and an arena that is used again. */
#include "lib/base/arena.h"
#include "tests/check.h"
#include "tests/support/exact.h"

static void arena_counts_and_zeroes(void **state) {
    (void)state;
    toad__arena a;
    toad__arena_init(&a, 1 << 20);
    for (size_t n = 1; n < 40000; n *= 3) {
        unsigned char *p = toad__arena_alloc(&a, n);
        assert_non_null(p);
        assert_int_equal((uintptr_t)p % 16, 0);
        for (size_t i = 0; i < n; i++) assert_int_equal(p[i], 0);
        memset(p, 0xAA, n);
    }
    assert_null(toad__arena_alloc(&a, 1 << 20));
    assert_null(toad__arena_alloc(&a, SIZE_MAX));
    assert_int_equal(toad__arena_dup(&a, (toad_str){ "abc", 3 }).p[3], 0);
    toad__arena_free(&a);
}

static void the_ceiling_holds(void **state) {
    (void)state;
    toad__arena a;
    toad__arena_init(&a, 4096);
    size_t n = 0;
    while (toad__arena_alloc(&a, 16)) n++;
    assert_true(n > 0 && n <= 4096 / 16);
    assert_true(a.used <= 4096);
    assert_null(toad__arena_alloc(&a, 1));
    assert_null(toad__arena_dup(&a, (toad_str){ "x", 1 }).p);
    toad__arena_free(&a);
    assert_non_null(toad__arena_alloc(&a, 16)); /* freed, it begins anew under the same ceiling */
    assert_null(toad__arena_alloc(&a, 4096));
    toad__arena_free(&a);
}

static void copies_are_exact(void **state) {
    (void)state;
    toad__arena a;
    toad__arena_init(&a, 1 << 20);
    char *from = exact_dup("a\0b", 3);
    toad_str copy = toad__arena_dup(&a, (toad_str){ from, 3 });
    free(from);
    assert_int_equal(copy.n, 3);
    assert_memory_equal(copy.p, "a\0b", 4);
    toad_str none = toad__arena_dup(&a, (toad_str){ NULL, 0 });
    assert_non_null(none.p);
    assert_int_equal(none.n, 0);
    toad__arena_free(&a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arena_counts_and_zeroes),
        cmocka_unit_test(the_ceiling_holds),
        cmocka_unit_test(copies_are_exact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
