/* Buffers and arenas: ceilings at limit-1, limit, limit+1; errors are sticky and tear nothing. */
#include "lib/base/arena.h"
#include "lib/base/buf.h"
#include "tests/check.h"

#include <string.h>

static void ceiling_holds(void **state) {
    (void)state;
    for (size_t max = 99; max <= 101; max++) {
        toad__buf b;
        toad__buf_init(&b, max);
        for (int i = 0; i < 100; i++) toad__buf_add_c(&b, 'x');
        assert_int_equal(b.n, max < 100 ? 99 : 100);
        assert_int_equal(b.status, max < 100 ? TOAD_E_LIMIT : TOAD_OK);
        toad__buf_free(&b);
    }
}

static void errors_are_sticky(void **state) {
    (void)state;
    toad__buf b;
    toad__buf_init(&b, 8);
    toad__buf_add_z(&b, "12345678");
    toad__buf_add_z(&b, "9");
    toad_text *text = (toad_text *)(void *)&b;
    assert_int_equal(toad__buf_to_text(&b, &text), TOAD_E_LIMIT);
    assert_ptr_equal(text, &b);
    toad__buf_clear(&b);
    toad__buf_add_u64(&b, 18446744u);
    assert_memory_equal(b.p, "18446744", 8);
    toad__buf_free(&b);
}

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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ceiling_holds),
        cmocka_unit_test(errors_are_sticky),
        cmocka_unit_test(arena_counts_and_zeroes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
