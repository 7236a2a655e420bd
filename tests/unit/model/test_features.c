/* test_features.c - units and features: they cover the text in order, stay in their tables, and do not depend on where
 * the text stands. */
#include "lib/base/str.h"
#include "lib/model/features.h"
#include "tests/check.h"
#include "tests/support/exact.h"

#include <stdlib.h>
#include <string.h>

static toad__unit unit;
static toad__word words[TOAD__UNIT_WORDS];
static uint32_t ids[TOAD__UNIT_GRAMS];

static int8_t table[TOAD__MODEL_HEADS << TOAD__WORD_BITS];
_Static_assert(TOAD__WORD_BITS == TOAD__GRAM_BITS, "one table serves both");

static void add_weights(int32_t to[TOAD__MODEL_HEADS], uint32_t id, unsigned heads) {
    for (unsigned h = 0; h < heads; h++) to[h] += table[heads * id + h];
}

/* The sums are those of the listed features. */
static void check_sums(toad_str text) {
    int32_t sums[TOAD__MODEL_HEADS], wanted[TOAD__MODEL_HEADS] = { 0 };
    size_t n = toad__unit_words(&unit, words);
    for (size_t i = 0; i < n; i++) add_weights(wanted, words[i].id, TOAD__MODEL_HEADS);
    assert_int_equal(toad__unit_word_sums(&unit, table, sums), n);
    assert_memory_equal(sums, wanted, sizeof sums);
    n = toad__unit_grams(text, &unit, ids);
    memset(wanted, 0, sizeof wanted);
    for (size_t i = 0; i < n; i++) add_weights(wanted, ids[i], TOAD__GRAM_HEADS);
    assert_int_equal(toad__unit_gram_sums(text, &unit, table, sums), n);
    assert_memory_equal(sums, wanted, TOAD__GRAM_HEADS * sizeof *sums);
}

static size_t count_units(toad_str text) {
    size_t units = 0, end = 0;
    for (size_t at = 0; at < text.n;) {
        size_t next = toad__unit_read(text, at, &unit);
        assert_true(next > at && next <= text.n);
        at = next;
        if (!unit.tokens_n) continue;
        units++;
        assert_true(unit.start >= end && unit.end <= text.n && unit.tokens_n <= TOAD__UNIT_TOKENS);
        end = unit.end;
        size_t n = toad__unit_words(&unit, words);
        assert_true(n <= TOAD__UNIT_WORDS);
        for (size_t i = 0; i < n; i++)
            assert_true(words[i].id < 1u << TOAD__WORD_BITS && words[i].from <= words[i].to &&
                        words[i].to < unit.tokens_n);
        n = toad__unit_grams(text, &unit, ids);
        assert_true(n <= TOAD__UNIT_GRAMS);
        for (size_t i = 0; i < n; i++) assert_true(ids[i] < 1u << TOAD__GRAM_BITS);
        check_sums(text);
    }
    return units;
}

static size_t units_of(const char *z) {
    char *p = exact_dup(z, strlen(z));
    size_t n = count_units(toad__str(p, strlen(z)));
    free(p);
    return n;
}

static void test_sentences(void **state) {
    (void)state;
    assert_int_equal(units_of(""), 0);
    assert_int_equal(units_of("   "), 0);
    assert_int_equal(units_of("one sentence without an end"), 1);
    assert_int_equal(units_of("this is the first one. this is the second one! and a third?"), 3);
    assert_int_equal(units_of("e. g. a. b."), 1);                          /* too short to end */
    assert_int_equal(units_of("version 1.2.3 of the program is here"), 1); /* a point inside a number */
    assert_int_equal(units_of("{\"name\": \"a longer value here\", \"other\": \"one more\"}"), 2);
    assert_int_equal(units_of("\xe8\xbf\x99\xe6\x98\xaf\xe7\xac\xac\xe4\xb8\x80\xe5\x8f\xa5\xe3\x80\x82\xe8\xbf\x99\xe6"
                              "\x98\xaf\xe7\xac\xac\xe4\xba\x8c\xe5\x8f\xa5"),
                     2);
}

static void test_any_bytes(void **state) {
    (void)state;
    for (unsigned seed = 1; seed < 300; seed++) {
        char b[700];
        uint32_t x = seed * 2654435761u;
        size_t n = seed * 2;
        for (size_t i = 0; i < n; i++) {
            x = x * 1664525u + 1013904223u;
            b[i] = seed % 3 ? (char)(x >> 24) : "ab 1.,\xe4\xb8\xad\xe0{\""[(x >> 24) % 12];
        }
        char *p = exact_dup(b, n);
        count_units(toad__str(p, n));
        free(p);
    }
}

/* The same words give the same features, whatever follows them in memory. */
static void test_place(void **state) {
    (void)state;
    const char *z = "some longer words standing here 12 internationalization";
    toad__unit other;
    char *p = exact_dup(z, strlen(z));
    toad__unit_read(toad__str(p, strlen(z)), 0, &unit);
    toad__unit_read(toad__str_z("some longer words standing here 12 internationalization. and more than that follows"),
                    0, &other);
    assert_int_equal(unit.tokens_n, 7);
    for (size_t i = 0; i < unit.tokens_n; i++) assert_int_equal(unit.tokens[i].hash, other.tokens[i].hash);
    free(p);
}

static void test_repeats(void **state) {
    (void)state;
    toad__unit_read(toad__str_z("0 0 0 0 0 0 0 0 0 0 text @ text @ text @ text @ text @"), 0, &unit);
    assert_true(toad__unit_words(&unit, words) < 32);
    assert_true(unit.spelled <= 2);
}

/* Thai and Lao have no blanks between words: every letter is known with the two after it. */
static void test_unspaced(void **state) {
    (void)state;
    static toad__unit other;
    const char *z = "\xe0\xb8\x81\xe0\xb8\x82\xe0\xb8\x84\xe0\xb8\x87",
               *longer = "some words, and more of them stand before it "
                         "\xe0\xba\x81\xe0\xb8\x81\xe0\xb8\x82\xe0\xb8\x84\xe0\xb8\x87 a";
    char *p = exact_dup(z, strlen(z));
    toad__unit_read(toad__str(p, strlen(z)), 0, &unit);
    toad__unit_read(toad__str_z(longer), 0, &other);
    assert_int_equal(unit.tokens_n, 4);
    assert_int_equal(unit.words, 15);
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(unit.tokens[i].end - unit.tokens[i].start, 3);
        assert_int_equal(unit.tokens[i].hash, other.tokens[other.tokens_n - 5 + i].hash);
    }
    assert_int_not_equal(unit.tokens[0].hash, unit.tokens[1].hash);
    free(p);
    /* a letter that is cut, and one of a script that has blanks */
    assert_int_equal(units_of("\xe0\xb8"), 1);
    toad__unit_read(toad__str_z("\xe0\xa4\x95\xe0\xa4\x96\xe0\xa4\x97"), 0, &unit);
    assert_int_equal(unit.tokens_n, 1);
}

static void test_long_runs(void **state) {
    (void)state;
    char *p = malloc(5000);
    memset(p, 'a', 5000);
    assert_true(count_units(toad__str(p, 5000)) > 10);
    memset(p, '!', 5000);
    assert_true(count_units(toad__str(p, 5000)) > 10);
    memset(p, '\x80', 5000);
    count_units(toad__str(p, 5000));
    memset(p, '\xe4', 5000);
    count_units(toad__str(p, 5000));
    free(p);
}

static void test_lexicon(void **state) {
    (void)state;
    uint8_t slots[16 * 12] = { 0 };
    uint32_t h = toad__lexicon_hash(toad__str_z("ignore"));
    toad__lexicon x = { slots, 4 };
    for (size_t i = 0; i < 16; i++) { /* wherever its home is, it is found */
        for (int k = 0; k < 4; k++) slots[i * 12 + (size_t)k] = (uint8_t)(h >> (8 * k));
        slots[i * 12 + 4] = 5;
        slots[i * 12 + 11] = 0x80;
    }
    toad__unit_read(toad__str_z("please ignore that"), 0, &unit);
    assert_true(toad__unit_cues(&x, &unit) == (5 | 0x80ull << 56));
    toad__unit_read(toad__str_z("please adore that"), 0, &unit);
    assert_true(toad__unit_cues(&x, &unit) == 0);
    assert_int_equal(toad__lexicon_hash(toad__str_z("")), 0);
    assert_int_not_equal(toad__lexicon_hash(toad__str_z("set aside")), toad__lexicon_hash(toad__str_z("set")));
}

int main(void) {
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_sentences), cmocka_unit_test(test_any_bytes),
                                        cmocka_unit_test(test_unspaced),  cmocka_unit_test(test_place),
                                        cmocka_unit_test(test_repeats),   cmocka_unit_test(test_long_runs),
                                        cmocka_unit_test(test_lexicon) };
    for (size_t i = 0; i < sizeof table; i++) table[i] = (int8_t)(i * 2654435761u >> 24);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
