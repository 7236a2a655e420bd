/* What the unveiled view writes out, and that its map leads back. */
#include "lib/base/str.h"
#include "lib/wrap/unveil.h"
#include "tests/check.h"
#include "tests/support/exact.h"

static void reads(const char *in, const char *out, bool decoded) {
    toad__buf b;
    toad__offmap m;
    size_t n = strlen(in);
    char *copy = exact_dup(in, n);
    toad__buf_init(&b, 1u << 16);
    toad__offmap_init(&m);
    assert_true(toad__unveil(toad__str(copy, n), &b, &m) == decoded);
    assert_int_equal(b.status, TOAD_OK);
    if (!toad__str_eq(toad__buf_str(&b), toad__str_z(out))) print_error("%s -> %.*s\n", in, (int)b.n, b.p);
    assert_true(toad__str_eq(toad__buf_str(&b), toad__str_z(out)));
    toad_span all = toad__offmap_back(&m, (toad_span){ 0, b.n });
    assert_true(all.start <= all.end && all.end <= n);
    toad__buf_free(&b);
    toad__offmap_free(&m);
    free(copy);
}

static void plain_text_is_copied(void **state) {
    (void)state;
    reads("", "", false);
    reads("abc < d > [e] & 5% \\", "abc < d > [e] & 5% \\", false);
    reads("\xd0\x9f\xe4\xb8\xad\xf0\x9f\x98\x80\xff", "\xd0\x9f\xe4\xb8\xad\xf0\x9f\x98\x80\xff", false);
    reads("&; &# &#x; &unknown; %zz %4 \\q \\u12 \\x1", "&; &# &#x; &unknown; %zz %4 \\q \\u12 \\x1", false);
}

static void escapes_are_written_out(void **state) {
    (void)state;
    reads("&lt;&LT;&#60;&#x3c;&#0000060;&lt", "<<<<<<", true);
    reads("&amp;amp;lt;", "&lt;", true);
    reads("%3C%253C%25253c%EF%BC%9C", "<<<<", true);
    reads("\\u003c\\\\u003c\\x3c\\74\\u{3c}\\U0000003c\\/\\\"", "<<<<<</\"", true);
    reads("a\\nb", "a b", true);
    reads("<\\not", "<\\not", false);
    reads("\\ud83d\\ude00", "\xf0\x9f\x98\x80", true);
    reads("\\ud83d", "\\ud83d", false);
}

static void look_alikes_become_ascii(void **state) {
    (void)state;
    reads("\xef\xbc\x9c\xc2\xab\xe2\x8b\x98|\xef\xbd\x9c\xe2\x96\x81", "<<<<<||_", false);
    reads("a\x1b]0;b", "a]0;b", false);
    reads("\xf3\xa0\x81\x81", "\xf3\xa0\x81\x81", false);
    reads("\xf3\xa0\x80\xbc\xf3\xa0\x80\xbc\xf3\xa0\x80\xbc\xf3\xa0\x81\x85\xf3\xa0\x81\x8e\xf3\xa0\x81\x84\xf3\xa0\x81"
          "\x9f\xf3\xa0\x81\x85",
          "<<<END_E", true);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_text_is_copied),
        cmocka_unit_test(escapes_are_written_out),
        cmocka_unit_test(look_alikes_become_ascii),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
