/* Whole sequences, and which of them do harm. */

#include "lib/base/str.h"
#include "lib/text/sanitize.h"
#include "lib/text/terminal.h"
#include "tests/check.h"
#include "tests/support/exact.h"

static toad__sequence sequence(toad_str s, toad__colors *colors) {
    char *copy = exact_dup(s.p, s.n);
    toad__sequence seq = toad__terminal_sequence(toad__str(copy, s.n), 0, colors);
    seq.payload.p = seq.payload.p ? s.p + (seq.payload.p - copy) : NULL;
    free(copy);
    return seq;
}

/* The sequence covers `n` bytes of the text and is harmless or not. */
static void is(toad_str s, size_t n, bool harmless) {
    toad__sequence seq = sequence(s, NULL);
    if (seq.n != n || seq.harmless != harmless)
        print_error("%.*s: %zu %d\n", (int)s.n - 1, s.p + 1, seq.n, seq.harmless);
    assert_int_equal(seq.n, n);
    assert_int_equal(seq.harmless, harmless);
}

static void harmless(void **state) {
    (void)state;
    is(TOAD__S("\x1b[0mx"), 4, true);
    is(TOAD__S("\x1b[m"), 3, true);
    is(TOAD__S("\x1b[1;38;5;208mx"), 13, true);
    is(TOAD__S("\x1b[38;2;1;2;3m"), 13, true);
    is(TOAD__S("\x1b[Kx"), 3, true);
    is(TOAD__S("\x1b[?25lx"), 6, true);
    is(TOAD__S("\x1b(Bx"), 3, true);
    is(TOAD__S("\x1b]8;;\x07x"), 6, true);
    is(TOAD__S("\xc2\x9b"
               "1mx"),
       4, true);
}

static void harmful(void **state) {
    (void)state;
    is(TOAD__S("\x1b[8mx"), 4, false);
    is(TOAD__S("\x1b[1;8mx"), 6, false);
    is(TOAD__S("\x1b[30;40mx"), 8, false);
    is(TOAD__S("\x1b[38;5;16;48;5;0mx"), 17, false);
    is(TOAD__S("\x1b[1Ax"), 4, false);
    is(TOAD__S("\x1b[2Kx"), 4, false);
    is(TOAD__S("\x1b[2Jx"), 4, false);
    is(TOAD__S("\x1b[6nx"), 4, false);
    is(TOAD__S("\x1b[?1049hx"), 8, false);
    is(TOAD__S("\x1b[200~x"), 6, false);
    is(TOAD__S("\x1b[0 qx"), 5, false);
    is(TOAD__S("\x1b"
               "cx"),
       2, false);
    is(TOAD__S("\x1b(0x"), 3, false);
    is(TOAD__S("\x1b]8;;https://a.example/\x07x"), 24, false);
    is(TOAD__S("\x1b]52;c;QQ==\x1b\\x"), 13, false);
    is(TOAD__S("\xc2\x9d"
               "0;t\xc2\x9cx"),
       7, false);
    is(TOAD__S("\x1bPq\x1b\\x"), 5, false);
    is(TOAD__S("\x1b_a\x1b\\x"), 5, false);
    is(TOAD__S("\x1b^a\x1b\\x"), 5, false);
    is(TOAD__S("\x1bXa\x1b\\x"), 5, false);
}

/* Colors are followed over several sequences. */
static void followed_colors(void **state) {
    (void)state;
    toad__colors colors = { 0, 0 };
    assert_true(sequence(TOAD__S("\x1b[38;2;0;0;0m"), &colors).harmless);
    assert_false(sequence(TOAD__S("\x1b[48;2;5;5;5m"), &colors).harmless);
    assert_true(sequence(TOAD__S("\x1b[39m"), &colors).harmless);
    assert_false(sequence(TOAD__S("\x1b[38:2::0:0:9m"), &colors).harmless);
    assert_true(sequence(TOAD__S("\x1b[0m"), &colors).harmless);
}

static void cut_off(void **state) {
    (void)state;
    is(TOAD__S("\x1b[1;31"), 6, false);
    is(TOAD__S("\x1b["), 2, false);
    is(TOAD__S("\x1b[1\nx"), 3, false);
    is(TOAD__S("\x1b]0;title\nx"), 9, false);
    is(TOAD__S("\x1b]0;a\x1b[m"), 5, false);
    is(TOAD__S("\x1b"), 0, false);
    is(TOAD__S("\x1b\x1b"), 0, false);
    is(TOAD__S("\x1b\n"), 0, false);
    is(TOAD__S("\xc2\x80x"), 0, false);
    is(TOAD__S("plain"), 0, false);
    toad__sequence seq = sequence(TOAD__S("\x1b]0;ab\xe2\x80\xa8"
                                          "c"),
                                  NULL);
    assert_true(toad__str_eq(seq.payload, TOAD__S("0;ab")));
}

/* A string that is never closed takes 4 kB at most, and never half a character. */
static void long_strings(void **state) {
    (void)state;
    for (size_t shift = 0; shift < 4; shift++) {
        size_t n = 3 + shift + 3 * 4000;
        char *text = malloc(n);
        assert_non_null(text);
        memcpy(text, "\x1b]xxxx", 3 + shift);
        for (size_t i = 3 + shift; i < n; i++) text[i] = "\xe2\x82\xac"[(i - 3 - shift) % 3];
        toad__sequence seq = toad__terminal_sequence(toad__str(text, n), 0, NULL);
        assert_true(seq.n <= TOAD__TERMINAL_STRING_MAX + 2 && seq.n > TOAD__TERMINAL_STRING_MAX - 4);
        assert_int_equal((seq.n - 3 - shift) % 3, 0);
        free(text);
    }
}

static void sanitized(toad_str in, toad_str want, bool reported) {
    toad__buf out;
    toad__buf_init(&out, SIZE_MAX);
    toad__census census;
    assert_int_equal(toad__sanitize(in, &out, NULL, &census), TOAD_OK);
    assert_true(toad__str_eq(toad__buf_str(&out), want));
    assert_int_equal(census.reported[TOAD__CENSUS_TERMINAL], reported);
    toad__buf_free(&out);
}

static void in_text(void **state) {
    (void)state;
    sanitized(TOAD__S("\x1b[32mPASS\x1b[0m a.c"), TOAD__S("PASS a.c"), false);
    sanitized(TOAD__S("\x1b]8;;https://a.example/\x07label\x1b]8;;\x07."), TOAD__S("label."), true);
    sanitized(TOAD__S("ok\n\x1b[1;31"), TOAD__S("ok\n"), true);
    sanitized(TOAD__S("a\x1b[31m\x1b[41mb\x1b[mc"), TOAD__S("abc"), true);
    sanitized(TOAD__S("\x1b]0;t\nnext"), TOAD__S("\nnext"), true);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(harmless), cmocka_unit_test(harmful),      cmocka_unit_test(followed_colors),
        cmocka_unit_test(cut_off),  cmocka_unit_test(long_strings), cmocka_unit_test(in_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
