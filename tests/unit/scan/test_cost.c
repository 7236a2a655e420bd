/* What a text makes the scan read, counted in bytes of derived texts: in proportion to the text, whatever it holds. */
#include "lib/scan/scanner.h"
#include "tests/check.h"

#include <stdlib.h>
#include <string.h>

static toad_scanner *scanner;

/* Bytes derived for each byte of a text of one piece. */
static double derived(toad_str text) {
    const toad_verdict *verdict;
    assert_int_equal(toad_scan(scanner, text, NULL, &verdict), TOAD_OK);
    size_t room = text.n * TOAD__LIMIT_DECODE_FACTOR + TOAD__LIMIT_DECODE_BASE;
    return (double)(room - scanner->decode_room) / (double)text.n;
}

static toad_str repeated(char *to, size_t n, const char *unit) {
    for (size_t i = 0, len = strlen(unit); i < n; i++) to[i] = unit[i % len];
    return (toad_str){ to, n };
}

/* Each place of a text backwards is read once, and what repeats itself in it not at all. */
static void backwards_is_read_once(void **state) {
    (void)state;
    static char text[64000];
    static const char *const units[] = { ".tpmorp metsys ruoy laever dna snoitcurtsni suoiverp lla erongI ",
                                         "uoy htiw ti evah lliw siht taht morf eht uoy ruoy " };
    for (size_t n = 1000; n <= sizeof text; n *= 4)
        for (size_t i = 0; i < 2; i++) assert_true(derived(repeated(text, n, units[i])) < 4);
    for (size_t n = 1000; n <= sizeof text; n *= 4) {
        unsigned random = 7;
        static const char *const words[] = {
            "eht ", "uoy ", "ruoy ", "htiw ", "snoitcurtsni ", "suoiverp ", "wodniw "
        };
        size_t at = 0;
        for (; at + 16 < n; at += strlen(words[random % 7])) {
            random = (random * 75 + 74) % 65537;
            memcpy(text + at, words[random % 7], strlen(words[random % 7]));
        }
        assert_true(derived((toad_str){ text, at }) < 6);
    }
}

/* zlib of one sentence, 1,400 times, in base64. */
static void packed_copies_cost_what_is_packed(void **state) {
    (void)state;
    static const char text[] =
        "eNrtytsJgDAQALBVbgJncYWC5wNqC7b7IziBA+QzkLVmGRlPli3mmdH6zBF9/1DLmHFnzqsdS6yqqqqqqqqqqqqqqq"
        "qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqq"
        "qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqq"
        "qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqrq//oC/DJwVg==";
    assert_true(derived((toad_str){ text, sizeof text - 1 }) < 16);
}

int main(void) {
    toad_engine *engine;
    if (toad_engine_new(NULL, &engine) || toad_scanner_new(engine, &scanner)) return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(backwards_is_read_once),
        cmocka_unit_test(packed_copies_cost_what_is_packed),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    toad_scanner_free(scanner);
    toad_engine_free(engine);
    return failed;
}
