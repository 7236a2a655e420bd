/* Buffers and arenas: ceilings at limit-1, limit, limit+1; errors are sticky and tear nothing. */
#include "lib/base/arena.h"
#include "lib/base/buf.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

static void ceiling_holds(void **state) {
    (void)state;
    for (size_t max = 99; max <= 101; max++) {
        bzr__buf b;
        bzr__buf_init(&b, max);
        for (int i = 0; i < 100; i++) bzr__buf_add_c(&b, 'x');
        assert_int_equal(b.n, max < 100 ? 99 : 100);
        assert_int_equal(b.status, max < 100 ? BZR_E_LIMIT : BZR_OK);
        bzr__buf_free(&b);
    }
}

static void errors_are_sticky(void **state) {
    (void)state;
    bzr__buf b;
    bzr__buf_init(&b, 8);
    bzr__buf_add_z(&b, "12345678");
    bzr__buf_add_z(&b, "9");
    bzr_text *text = (bzr_text *)(void *)&b;
    assert_int_equal(bzr__buf_to_text(&b, &text), BZR_E_LIMIT);
    assert_ptr_equal(text, &b);
    bzr__buf_clear(&b);
    bzr__buf_add_u64(&b, 18446744u);
    assert_memory_equal(b.p, "18446744", 8);
    bzr__buf_free(&b);
}

static void arena_counts_and_zeroes(void **state) {
    (void)state;
    bzr__arena a;
    bzr__arena_init(&a, 1 << 20);
    for (size_t n = 1; n < 40000; n *= 3) {
        unsigned char *p = bzr__arena_alloc(&a, n);
        assert_non_null(p);
        assert_int_equal((uintptr_t)p % 16, 0);
        for (size_t i = 0; i < n; i++) assert_int_equal(p[i], 0);
        memset(p, 0xAA, n);
    }
    assert_null(bzr__arena_alloc(&a, 1 << 20));
    assert_null(bzr__arena_alloc(&a, SIZE_MAX));
    assert_int_equal(bzr__arena_dup(&a, (bzr_str){ "abc", 3 }).p[3], 0);
    bzr__arena_free(&a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ceiling_holds),
        cmocka_unit_test(errors_are_sticky),
        cmocka_unit_test(arena_counts_and_zeroes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
