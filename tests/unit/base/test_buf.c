/* Buffers: ceilings at limit-1, limit, limit+1; errors are sticky and tear nothing. */
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ceiling_holds),
        cmocka_unit_test(errors_are_sticky),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
