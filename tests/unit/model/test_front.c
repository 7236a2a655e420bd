/* test_front.c - the front: which words it takes, and that every way to read a block gives the same sums. */
#include "lib/base/str.h"
#include "lib/model/front.h"
#include "tests/check.h"
#include "tests/support/exact.h"

#include <stdlib.h>

enum { TABLE = 1 << TOAD__FRONT_BITS };

static int8_t weights[TABLE];

static int set_up(void **state) {
    (void)state;
    uint32_t x = 11;
    for (size_t i = 0; i < TABLE; i++) {
        x = x * 1664525u + 1013904223u;
        weights[i] = (int8_t)(x >> 24);
    }
    return 0;
}

/* Reads the text both ways, in batches of `most` blocks; returns the features. */
static size_t read_all(const char *p, size_t n, size_t most, uint32_t *ids, size_t room) {
    char *text = exact_dup(p, n);
    toad__front fast = { .text = toad__str(text, n) }, slow = fast;
    toad__front_sum sums[7];
    size_t count = 0, blocks = 0;
    for (size_t got; (got = toad__front_read(&fast, weights, sums, most));) {
        assert_true(got <= most);
        for (size_t i = 0; i < got; i++, blocks++) {
            uint32_t own[TOAD__FRONT_IDS];
            size_t k = toad__front_ids(&slow, own);
            int32_t sum = 0;
            assert_true(k <= TOAD__FRONT_IDS && k == sums[i].n);
            for (size_t j = 0; j < k; j++) {
                assert_true(own[j] < TABLE);
                sum += weights[own[j]];
                if (count < room) ids[count] = own[j];
                count++;
            }
            assert_int_equal(sum, sums[i].sum);
        }
    }
    assert_int_equal(blocks, (n + TOAD__FRONT_BLOCK - 1) / TOAD__FRONT_BLOCK);
    free(text);
    return count;
}

static size_t words_of(const char *z) {
    uint32_t ids[64];
    return read_all(z, strlen(z), 7, ids, 64) / 2;
}

static void test_words(void **state) {
    (void)state;
    assert_int_equal(words_of(""), 0);
    assert_int_equal(words_of(" .,12 \n"), 0);
    assert_int_equal(words_of("one two, three4five"), 4);
    assert_int_equal(words_of("\xd0\xbe\xd0\xb4\xd0\xb8\xd0\xbd \xd0\xb4\xd0\xb2\xd0\xb0"), 2); /* Cyrillic */
    assert_int_equal(words_of("\xe4\xb8\x80\xe4\xb8\x80\xe4\xb8\x80 ab\xe4\xb8\x80"
                              "cd"),
                     6); /* ideographs, and the words between */
    assert_int_equal(words_of("a word that begins before the end of a block of fiftysixbytes and goes on"),
                     15); /* the word is taken once */
}

/* Words of eight bytes and more are known by their first eight, and shorter ones by all, wherever they stand. */
static void test_place(void **state) {
    (void)state;
    uint32_t a[64], b[64];
    char text[160];
    for (size_t shift = 0; shift < 80; shift++) {
        memset(text, ' ', sizeof text);
        memcpy(text + shift, "do instructions", 15);
        assert_int_equal(read_all(text, sizeof text, 1, a, 64), 4);
        memcpy(text + shift, "do instructing ", 15);
        assert_int_equal(read_all(text, shift + 15, 7, b, 64), 4);
        assert_memory_equal(a, b, 4 * sizeof *a);
        memcpy(text + shift, "do instruct ing", 15);
        assert_int_equal(read_all(text, sizeof text, 7, b, 64), 6);
        assert_memory_equal(a, b, 4 * sizeof *a);
    }
}

static void test_any_bytes(void **state) {
    (void)state;
    static const char *const some[] = { "ab yz .,\xe4\xb8\xad\xd0\xb0", "abc \xe3\xe9\x80\xbf\xc3", "abcdefgh " };
    for (unsigned seed = 1; seed < 900; seed++) {
        char b[700];
        uint32_t x = seed * 2654435761u;
        size_t n = seed % sizeof b;
        for (size_t i = 0; i < n; i++) {
            x = x * 1664525u + 1013904223u;
            const char *from = some[seed % 3];
            b[i] = seed % 4 ? from[(x >> 24) % strlen(from)] : (char)(x >> 24);
        }
        uint32_t ids[1];
        read_all(b, n, 1 + seed % 7, ids, 1);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_words), cmocka_unit_test(test_place),
                                        cmocka_unit_test(test_any_bytes) };
    return cmocka_run_group_tests(tests, set_up, NULL);
}
