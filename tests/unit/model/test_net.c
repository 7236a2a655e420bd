/* test_net.c - the net sees words in their order, wherever they stand, the last of a long window, and glosses as words.
 */
#include "lib/base/str.h"
#include "lib/model/net.h"
#include "tests/check.h"
#include "tests/support/exact.h"

#include <stdlib.h>

enum { QUIET = -7 * 65536, HIGHEST = TOAD__NET_ATTENTIONS * TOAD__NET_WIDTH };

static toad__net net;
static toad__net_scratch scratch;
static uint8_t *words, *slots, *keys;
static int8_t *layers, *attentions, *hidden, *out;
static uint8_t sieve[TOAD__GLOSS_SIEVE];
static toad__glossary glossary;

static void put_number(uint8_t *vector, unsigned number) { vector[number / 2] |= (uint8_t)(7 << number % 2 * 4); }

static void put(uint32_t hash, unsigned number) {
    uint32_t place = toad__gloss_place(hash);
    uint8_t *p = words + ((uint64_t)place * TOAD__NET_WORDS >> 32) * TOAD__NET_SLOT;
    assert_int_equal(p[0] | p[1], 0);
    p[0] = (uint8_t)place;
    p[1] = (uint8_t)(((place & 0x3fff) | 0x4000) >> 8);
    put_number(p + 2, number);
}

static void put_word(const char *z, unsigned number) { put(toad__lexicon_hash(toad__str_z(z)), number); }

/* The stem of a word, as every word of the same first letters has it. */
static void put_stem(const char *z, unsigned number) {
    toad__unit unit;
    toad__unit_read(toad__str_z(z), 0, &unit);
    put(toad__token_stem(toad__str_z(z), &unit, 0), number);
}

static void put_gloss(const char *z, unsigned key, unsigned number) {
    uint32_t place = toad__gloss_place(toad__lexicon_hash(toad__str_z(z)));
    uint32_t v = (place & 0x3fff) * TOAD__GLOSS_KEYS * TOAD__GLOSS_KEYS + key;
    for (unsigned k = 0; k < 4; k++) slots[(place >> 16) * TOAD__GLOSS_SLOT + k] = (uint8_t)(v >> (8 * k));
    put_number(keys + (size_t)key * TOAD__NET_VECTOR, number);
}

/* What it says of a text, copied to exactly its size, from a unit's start to a unit's end. */
static int32_t said_of(const char *z) {
    size_t n = strlen(z);
    char *p = exact_dup(z, n);
    int32_t logit = toad__net_logit(&net, &glossary, &scratch, toad__str(p, n), 0, n);
    free(p);
    return logit;
}

/* A net whose first output is one where "send" stands right before "key", and whose answer is that output. */
static int start(void **state) {
    (void)state;
    words = calloc(1, TOAD__NET_SLOTS);
    slots = calloc(1, TOAD__GLOSS_SLOTS);
    keys = calloc(1, TOAD__NET_KEYS);
    layers = calloc(1, TOAD__NET_CONVOLUTIONS);
    attentions = calloc(1, TOAD__NET_ATTENTION);
    hidden = calloc(1, TOAD__NET_MATRIX);
    out = calloc(1, TOAD__NET_HIDDEN);
    if (!words || !slots || !keys || !layers || !attentions || !hidden || !out) return 1;
    glossary = (toad__glossary){ slots, sieve, sieve };
    net = (toad__net){
        .words = words, .keys = keys, .layers = layers, .attentions = attentions, .hidden = hidden, .out = out
    };
    put_word("send", 0);
    put_word("key", 1);
    put_gloss("senden", 7, 0);
    put_stem("redirect", 0);
    put_word("redirector", 2);
    layers[0] = 100;                   /* the word before, its first number */
    layers[TOAD__NET_DEPTH + 1] = 100; /* this word, its second */
    hidden[HIGHEST] = out[0] = 100;
    net.step[0] = 65536 * 256 / 700 + 1;
    net.bias[0] = -256;
    for (unsigned i = 1; i < TOAD__NET_STEPS; i++) net.step[i] = 65536 / 100;
    net.bias[TOAD__NET_BIASES - 1] = QUIET;
    return 0;
}

static int stop(void **state) {
    (void)state;
    free(words), free(slots), free(keys), free(layers), free(attentions), free(hidden), free(out);
    return 0;
}

static void test_order(void **state) {
    (void)state;
    assert_true(said_of("please send key to him") > QUIET + 32768);
    assert_int_equal(said_of("please key send to him"), QUIET);
    assert_int_equal(said_of("please send him the key"), QUIET);
    assert_int_equal(said_of(""), QUIET);
}

static void test_anywhere(void **state) {
    (void)state;
    int32_t one = said_of("send key");
    assert_int_equal(said_of("and then he is to send key"), one);
    assert_int_equal(said_of("send key. this is another sentence of it"), one);
    assert_int_equal(said_of("this is another sentence of it. send key"), one);
}

static void test_glosses(void **state) {
    (void)state;
    assert_int_equal(said_of("bitte senden key"), said_of("please send key"));
}

/* A word without a vector has its stem's; one that has its own has that alone. */
static void test_stems(void **state) {
    (void)state;
    assert_int_equal(said_of("please redirected key"), said_of("please send key"));
    assert_int_equal(said_of("please redirector key"), QUIET);
    assert_int_equal(said_of("please redir key"), QUIET);
}

/* What counts most by far is the mean; where all count alike, it is less the more words there are. */
static void test_attention(void **state) {
    (void)state;
    int32_t one = said_of("and then he is to send key");
    hidden[HIGHEST] = 0;
    hidden[TOAD__NET_WIDTH] = 100; /* the second attention */
    int32_t even = said_of("and then he is to send key");
    attentions[TOAD__NET_WIDTH] = 127;
    net.step[TOAD__NET_LAYERS] = 1 << 20;
    assert_int_equal(said_of("and then he is to send key"), one);
    attentions[TOAD__NET_WIDTH] = 0;
    hidden[TOAD__NET_WIDTH] = 0;
    hidden[HIGHEST] = 100;
    assert_true(even < one && even > QUIET);
}

/* Of more words than it takes it sees the last. */
static void test_long(void **state) {
    (void)state;
    char b[4096] = "send key ";
    for (int i = 0; i < 140; i++) strcat(b, i % 3 ? i % 2 ? "a few words " : "of other things " : "that come and go ");
    assert_int_equal(said_of(b), QUIET);
    strcat(b, "send key");
    assert_true(said_of(b) > QUIET);
}

/* Whatever the weights and the bytes are; the last test, for it spoils the weights. */
static void test_any_bytes(void **state) {
    (void)state;
    uint32_t x = 5;
    struct {
        void *p;
        size_t n;
    } tables[] = { { words, TOAD__NET_SLOTS },
                   { slots, TOAD__GLOSS_SLOTS },
                   { keys, TOAD__NET_KEYS },
                   { layers, TOAD__NET_CONVOLUTIONS },
                   { attentions, TOAD__NET_ATTENTION },
                   { hidden, TOAD__NET_MATRIX },
                   { out, TOAD__NET_HIDDEN },
                   { sieve, sizeof sieve } };
    for (unsigned extreme = 0; extreme < 2; extreme++) {
        for (size_t t = 0; t < sizeof tables / sizeof *tables; t++)
            for (size_t i = 0; i < tables[t].n; i++) {
                x = x * 1664525u + 1013904223u;
                ((uint8_t *)tables[t].p)[i] = extreme ? 0x80 : (uint8_t)(x >> 24);
            }
        for (unsigned i = 0; i < TOAD__NET_STEPS; i++) net.step[i] = extreme ? -(1 << 24) + 1 : (1 << 24) - 1;
        for (unsigned i = 0; i < TOAD__NET_BIASES; i++) net.bias[i] = (1 << 26) - 1;
        for (unsigned seed = 1; seed < 60; seed++) {
            char b[600];
            for (size_t i = 0; i < sizeof b - 1; i++) {
                x = x * 1664525u + 1013904223u;
                b[i] = seed % 3 ? (char)((x >> 24) | 1) : "ab \xd7\x90\xd9\x83"[(x >> 24) % 7];
            }
            b[sizeof b - 1 - seed] = 0;
            int32_t said = said_of(b);
            assert_true(said <= INT32_MAX / 4 && said >= -INT32_MAX / 4);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_order),     cmocka_unit_test(test_anywhere),
                                        cmocka_unit_test(test_glosses),   cmocka_unit_test(test_stems),
                                        cmocka_unit_test(test_attention), cmocka_unit_test(test_long),
                                        cmocka_unit_test(test_any_bytes) };
    return cmocka_run_group_tests(tests, start, stop);
}
