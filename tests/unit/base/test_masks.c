/* test_masks.c - every path of masks.c gives what a look at each byte gives, in exact-size buffers. */
#include "lib/base/masks.h"
#include "tests/check.h"

#include <stdlib.h>

#define IS_SOME(c)  (TOAD__IS_SPACE(c) || TOAD__IN(c, 0x9F, 0xC1) || (c) == 'k' || (c) == 0xFF || (c) == 0)
#define IS_NEVER(c) ((c) < 0)

static const toad__set sets[] = {
    TOAD__SET(TOAD__IS_ALPHA), TOAD__SET(TOAD__IS_DIGIT), TOAD__SET(TOAD__IS_HIGH),
    TOAD__SET(IS_SOME),        TOAD__SET(IS_NEVER),
};
enum { SETS = sizeof sets / sizeof *sets, N = 300 };

static bool in_set(unsigned k, int c) {
    const bool in[SETS] = { TOAD__IS_ALPHA(c), TOAD__IS_DIGIT(c), TOAD__IS_HIGH(c), IS_SOME(c), false };
    return in[k];
}

static uint64_t slow_mask(toad_str in, size_t at, unsigned k) {
    uint64_t bits = 0;
    for (unsigned i = 0; i < 64 && at + i < in.n; i++) bits |= (uint64_t)in_set(k, (unsigned char)in.p[at + i]) << i;
    return bits;
}

/* The tables say what the macros say. */
static void test_sets(void **state) {
    (void)state;
    for (unsigned k = 0; k < SETS; k++)
        for (int c = 0; c < 256; c++) assert_int_equal(toad__set_has(&sets[k], (char)c), in_set(k, c));
    const toad__set some = toad__set_of("\xe2 z");
    for (int c = 0; c < 256; c++) assert_int_equal(toad__set_has(&some, (char)c), c == 0xE2 || c == ' ' || c == 'z');
}

static char *random_text(uint32_t *seed, size_t n, bool ascii) {
    char *text = malloc(n + !n);
    for (size_t i = 0; i < n; i++) {
        *seed = *seed * 1664525 + 1013904223;
        text[i] = (char)(*seed >> 16 & (ascii ? 0x7F : 0xFF));
    }
    return text;
}

static size_t slow_pair(toad_str in, char first, unsigned k, unsigned apart, size_t from) {
    for (; from + apart < in.n; from++)
        if (in.p[from] == first && in_set(k, (unsigned char)in.p[from + apart])) return from;
    return in.n;
}

/* The bytes of the mask, in their order; `to` has room for all of a block and no more. */
static void check_pick(const toad__masks_path *path, const char *p, uint64_t mask) {
    char *to = malloc(64);
    assert_non_null(to);
    unsigned n = path->pick(p, mask, to), k = 0;
    for (unsigned i = 0; i < 64; i++)
        if (mask >> i & 1) assert_true(k < n && to[k++] == p[i]);
    assert_int_equal(n, k);
    free(to);
}

static void check_path(const toad__masks_path *path, toad_str in) {
    static uint64_t rows[N / 64 * SETS];
    size_t blocks = in.n / 64;
    path->masks(in.p, blocks, sets, SETS, rows);
    for (unsigned k = 0; k < SETS; k++) {
        for (size_t b = 0; b < blocks; b++) {
            assert_true(rows[b * SETS + k] == slow_mask(in, b * 64, k));
            assert_true(path->mask(in.p + b * 64, &sets[k]) == rows[b * SETS + k]);
            check_pick(path, in.p + b * 64, rows[b * SETS + k]);
        }
        for (size_t at = 0; at <= in.n; at += 1 + at % 13) {
            assert_true(path->at(in, at, &sets[k]) == slow_mask(in, at, k));
            size_t found = at;
            while (found < in.n && !in_set(k, (unsigned char)in.p[found])) found++;
            assert_int_equal(path->find(in, &sets[k], at), found);
            char first = in.n ? in.p[at / 2] : 'a';
            assert_int_equal(path->pair(in, first, &sets[k], 1 + k, at), slow_pair(in, first, k, 1 + k, at));
        }
    }
}

/* Every path that this machine can run, on texts of every length. */
static void test_paths(void **state) {
    (void)state;
    uint32_t seed = 5;
    unsigned ran = 0;
    for (unsigned i = 0; i < TOAD__MASKS_PATHS; i++) {
        const toad__masks_path *path = toad__masks_path_of(i);
        if (!path) continue;
        ran++;
        char block[64];
        for (unsigned c = 0; c < 64; c++) block[c] = (char)c;
        for (uint64_t bits = 0; bits < 256; bits++) check_pick(path, block, bits | bits << 56);
        check_pick(path, block, UINT64_MAX);
        for (size_t n = 0; n < N; n++) {
            char *text = random_text(&seed, n, n & 1);
            check_path(path, (toad_str){ text, n });
            free(text);
        }
    }
    assert_true(ran >= 1 && toad__masks_path_of(TOAD__MASKS_PORTABLE) && !toad__masks_path_of(TOAD__MASKS_PATHS));
}

/* Whole texts in windows: as many blocks as there are, and nothing beyond the end. */
static void test_windows(void **state) {
    (void)state;
    uint32_t seed = 9;
    uint64_t rows[3 * SETS];
    for (size_t n = 0; n < N; n++) {
        char *text = random_text(&seed, n, false);
        toad_str in = { text, n };
        size_t at = 0, blocks;
        for (; (blocks = toad__masks_at(in, at < n ? at : n, sets, SETS, 3, rows)) > 0; at += blocks * 64)
            for (size_t b = 0; b < blocks; b++)
                for (unsigned k = 0; k < SETS; k++) assert_true(rows[b * SETS + k] == slow_mask(in, at + b * 64, k));
        assert_true(at >= n && at < n + 64);
        assert_true(toad__mask_at(in, n / 2, &sets[3]) == slow_mask(in, n / 2, 3));
        if (n >= 64) assert_true(toad__mask(text, &sets[0]) == slow_mask(in, 0, 0));
        free(text);
    }
}

static void test_bits(void **state) {
    (void)state;
    assert_true(toad__bits_low(0) == 0 && toad__bits_low(3) == 7 && toad__bits_low(64) == UINT64_MAX);
    assert_true(toad__bits_moved(5, UINT64_C(1) << 63, 1) == 11);
    assert_true(toad__bits_at_least(7, 3) && !toad__bits_at_least(7, 4) && !toad__bits_at_least(0, 1));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sets),
        cmocka_unit_test(test_paths),
        cmocka_unit_test(test_windows),
        cmocka_unit_test(test_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
