/* test_gloss.c - keys of words: as they stand, two in a row, by their beginnings and behind small words; and the
 * features they give. */
#include "lib/base/str.h"
#include "lib/model/gloss.h"
#include "tests/check.h"
#include "tests/support/exact.h"

#include <stdlib.h>
#include <string.h>

static uint8_t slots[TOAD__GLOSS_SLOTS], stems[TOAD__GLOSS_SIEVE], firsts[TOAD__GLOSS_SIEVE];
static const toad__glossary glossary = { slots, stems, firsts };
static toad__unit unit;
static uint32_t ids[TOAD__UNIT_GLOSSES];
static int8_t weights[1 << TOAD__GLOSS_BITS];

/* As the trainer places it; `second`: another key of the same, or 0. */
static void put(uint32_t hash, uint32_t key, uint32_t second) {
    uint32_t place = toad__gloss_place(hash), slot = place >> 16;
    uint32_t v = ((place & 0x3fff) * TOAD__GLOSS_KEYS + second) * TOAD__GLOSS_KEYS + key;
    while (slots[slot * 4] | slots[slot * 4 + 1] | slots[slot * 4 + 2] | slots[slot * 4 + 3])
        slot = (slot + 1) & 0xffff;
    for (unsigned k = 0; k < 4; k++) slots[slot * 4 + k] = (uint8_t)(v >> (8 * k));
}

static void sift(uint8_t *sieve, uint32_t hash) {
    uint32_t bit = toad__gloss_bit(hash);
    sieve[bit / 8] |= (uint8_t)(1 << bit % 8);
}

static void put_word(const char *z, uint32_t key) {
    put(toad__lexicon_hash(toad__str_z(z)), key, 0);
    toad__unit_read(toad__str_z(z), 0, &unit);
    if (unit.tokens_n > 1) sift(firsts, unit.tokens[0].hash);
}

static void put_stem(const char *z, uint32_t key) {
    put(toad__gloss_stem_hash(toad__str_z(z)), key, 0);
    sift(stems, toad__gloss_stem_hash(toad__str(z, TOAD__GLOSS_STEM_LEAST)));
}

/* Those of a text that is one unit, copied to exactly its size; their weights add up to the sum. */
static size_t features_of(const char *z) {
    size_t len = strlen(z);
    char *p = exact_dup(z, len);
    toad_str text = toad__str(p, len);
    int32_t sum, wanted = 0;
    toad__unit_read(text, 0, &unit);
    size_t n = toad__unit_glosses(&glossary, text, &unit, ids);
    assert_true(n <= TOAD__UNIT_GLOSSES);
    for (size_t i = 0; i < n; i++) {
        assert_true(ids[i] < 1u << TOAD__GLOSS_BITS);
        wanted += weights[ids[i]];
    }
    assert_int_equal(toad__unit_gloss_sum(&glossary, text, &unit, weights, &sum), n);
    assert_int_equal(sum, wanted);
    free(p);
    return n;
}

static uint32_t only_key_of(const char *z) {
    assert_int_equal(features_of(z), 1);
    return ids[0];
}

static int start(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof weights; i++) weights[i] = (int8_t)(i * 31 % 251 - 125);
    put_word("send", 5);
    put_word("the", 6);
    put_word("turn off", 7);
    put(toad__lexicon_hash(toad__str_z("bank")), 8, 9);
    put_stem("versend", 5);
    put_stem("vers", 11);
    put_stem("\xd9\x83\xd8\xaa\xd8\xa8", 12);             /* three letters of Arabic */
    put_word("\xe5\x8f\x91\xe9\x80\x81", 5);              /* two ideographs */
    put_word("\xe8\xbd\xac\xe5\x8f\x91\xe7\xbb\x99", 13); /* three */
    return 0;
}

static void test_words(void **state) {
    (void)state;
    assert_int_equal(only_key_of("send"), 5);
    assert_int_not_equal(only_key_of("sending"), 5);
    assert_int_equal(only_key_of("do turn off"), 7);
    assert_int_equal(features_of("turn it off"), 0);
    assert_int_equal(only_key_of("\xe8\xaf\xb7\xe5\x8f\x91\xe9\x80\x81\xe4\xbb\x96"), 5);
    assert_int_equal(only_key_of("\xe8\xbd\xac\xe5\x8f\x91\xe7\xbb\x99\xe4\xbb\x96"), 13);
    assert_int_equal(features_of(""), 0);
}

static void test_two_meanings(void **state) {
    (void)state;
    assert_int_equal(features_of("bank"), 3);
    assert_int_equal(ids[0], 8);
    assert_int_equal(ids[1], 9);
}

static void test_beginnings(void **state) {
    (void)state;
    assert_int_equal(only_key_of("versenden"), 5); /* the longest */
    assert_int_equal(only_key_of("versuch"), 11);
    assert_int_equal(features_of("ver"), 0);
    assert_int_not_equal(only_key_of("unversendet"), 5);
    /* "and to the book": the small words stand in one with it */
    assert_int_equal(only_key_of("\xd9\x88\xd8\xa7\xd9\x84\xd9\x83\xd8\xaa\xd8\xa8"), 12);
    /* the same folded, as texts come: alef is an l there */
    assert_int_equal(only_key_of("\xd9\x88l\xd9\x84\xd9\x83\xd8\xaa\xd8\xa8"), 12);
    assert_int_equal(only_key_of("l\xd9\x84\xd9\x83\xd8\xaa\xd8\xa8"), 12);
    assert_int_not_equal(only_key_of("la\xd9\x84\xd9\x83\xd8\xaa\xd8\xa8"), 12);
    assert_int_not_equal(only_key_of("\xd9\x88\xd8\xa7\xd9\x84\xd9\x85\xd9\x84\xd9\x83\xd8\xaa\xd8\xa8"), 12);
}

/* Each key by itself, and with those before it, in their order. */
static void test_pairs(void **state) {
    (void)state;
    assert_int_equal(features_of("send it to the old bank"), 4 + 6);
    assert_int_equal(ids[0], 5);
    assert_int_equal(ids[1], 6);
    assert_int_equal(ids[2], 5 * TOAD__GLOSS_KEYS + 6);
    char text[200] = "";
    for (unsigned i = 0; i < 20; i++) strcat(text, i % 2 ? "send x " : "the y ");
    assert_true(features_of(text) <= 20 * (1 + TOAD__GLOSS_BEFORE));
}

/* A word without a key is known by its first letters; a shorter one, one that has a key and one said before are not. */
static void test_stems(void **state) {
    (void)state;
    uint32_t forms[3];
    forms[0] = only_key_of("redirect");
    forms[1] = only_key_of("redirected");
    forms[2] = only_key_of("reduce");
    assert_int_equal(forms[0], forms[1]);
    assert_int_not_equal(forms[0], forms[2]);
    assert_int_equal(features_of("redir"), 0);
    assert_int_equal(features_of("123456 ......"), 0);
    assert_int_equal(only_key_of("redirect a redirect"), forms[0]);
    /* letters, not bytes: "kniga", "knigami" */
    assert_int_equal(features_of("\xd0\xba\xd0\xbd\xd0\xb8\xd0\xb3\xd0\xb0"), 0);
    assert_int_equal(features_of("\xd0\xba\xd0\xbd\xd0\xb8\xd0\xb3\xd0\xb0\xd0\xbc\xd0\xb8"), 1);
}

/* Whatever the bytes are and however full the dictionary is; the last test, for it spoils it. */
static void test_any_bytes(void **state) {
    (void)state;
    memset(slots, 0xff, sizeof slots);
    memset(stems, 0xff, sizeof stems);
    memset(firsts, 0xff, sizeof firsts);
    uint32_t x = 9;
    for (unsigned seed = 1; seed < 200; seed++) {
        char b[400];
        for (size_t i = 0; i < sizeof b - 1; i++) {
            x = x * 1664525u + 1013904223u;
            b[i] = seed % 3 ? (char)((x >> 24) | 1) : "ab \xd7\x90\xd9\x83"[(x >> 24) % 7];
        }
        b[sizeof b - 1 - seed] = 0;
        features_of(b);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_words),      cmocka_unit_test(test_two_meanings),
                                        cmocka_unit_test(test_beginnings), cmocka_unit_test(test_pairs),
                                        cmocka_unit_test(test_stems),      cmocka_unit_test(test_any_bytes) };
    return cmocka_run_group_tests(tests, start, NULL);
}
