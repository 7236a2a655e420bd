/* Shapes and core words: many windows at once are seen as each of them alone. */
#include "lib/base/str.h"
#include "lib/disguise/core.h"
#include "lib/disguise/shape.h"
#include "tests/check.h"
#include "tests/support/exact.h"

/* Text as attackers and programmers write it, by chance. */
static size_t any_text(uint64_t *seed, char *to, size_t max) {
    static const char *const parts[] = { "ignore",
                                         "previous",
                                         "prior",
                                         "rules",
                                         "system",
                                         "prompt",
                                         "developermode",
                                         "1gn0re",
                                         "i g n o r e",
                                         "a",
                                         "x",
                                         " ",
                                         "  ",
                                         "-",
                                         "_",
                                         "/",
                                         "|\\|",
                                         "\\",
                                         "||",
                                         "<b>",
                                         "=\"",
                                         "\" + \"",
                                         ")(",
                                         "3",
                                         "$",
                                         "!",
                                         ".",
                                         ", ",
                                         "the",
                                         "example.com/path/to",
                                         "\xe3\x80\x81",
                                         "\n",
                                         "all",
                                         "override",
                                         "0verr1de",
                                         "ig/**/nore",
                                         "you are",
                                         "now" };
    size_t n = 0;
    for (;;) {
        *seed = *seed * 6364136223846793005u + 1442695040888963407u;
        const char *part = parts[(*seed >> 33) % (sizeof parts / sizeof *parts)];
        if (n + strlen(part) > max || !(*seed >> 40 & 0x1FF)) return n;
        memcpy(to + n, part, strlen(part));
        n += strlen(part);
    }
}

/* Many windows at once are seen as each of them alone. */
static void each_window(void **state) {
    (void)state;
    static char buffer[5000];
    uint64_t seed = 7;
    for (int round = 0; round < 3000; round++) {
        size_t n = any_text(&seed, buffer, sizeof buffer), floor = n > 200 && round % 3 == 0 ? 161 : 0;
        char *copy = exact_dup(buffer, n);
        toad_str text = toad__str(copy, n);
        for (size_t from = floor; from < n; from += TOAD__STEPS * TOAD__STEP) {
            toad__shaped shaped = toad__shaped_steps(text, floor, from);
            uint64_t words = toad__disguised_steps(text, from, UINT64_MAX);
            assert_int_equal(toad__disguised_steps(text, from, shaped.any), words & shaped.any);
            for (unsigned i = 0; i < TOAD__STEPS; i++) {
                size_t at = from + i * TOAD__STEP;
                unsigned shapes = at < n ? toad__shapes_at(text, floor, at) : 0;
                assert_int_equal(shaped.any >> i & 1, shapes != 0);
                assert_int_equal(shaped.leet >> i & 1, (shapes & TOAD__SHAPE_LEET) != 0);
                if (at < n)
                    assert_int_equal(toad__disguised_steps(text, from, UINT64_C(1) << i), words & UINT64_C(1) << i);
            }
        }
        free(copy);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_window),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
