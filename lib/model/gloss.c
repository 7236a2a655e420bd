/* gloss.c - keys of a unit's words and their features, see gloss.h.
 *
 * Every index is masked to its table, and of a word at most STEM_MOST bytes are looked at. */
#include "lib/model/gloss.h"
#include "lib/base/simd.h"

#include <stddef.h>

enum {
    PROBES = 128, /* half of the slots are taken, so most find theirs at once */
    MARK = 0x3fff,
    STEM_MOST = 32,
    STRIPPED = 4, /* letters: "and", "to", "the" may stand before a word in one */
    SEED = 0x51ed270b,
};
_Static_assert(TOAD__GLOSS_KEYS *TOAD__GLOSS_KEYS == 1 << TOAD__GLOSS_BITS, "a feature is two keys, or a stem");

uint32_t toad__gloss_place(uint32_t hash) {
    uint32_t h = (hash ^ hash >> 15) * 0x2c1b3c6du;
    return h ^ (h >> 15 & MARK);
}

/* The keys of this hash to `ret`, which has room for two. Returns how many. */
static size_t look_up(const toad__glossary *g, uint32_t hash, uint16_t *ret) {
    uint32_t place = toad__gloss_place(hash), slot = place >> (32 - TOAD__GLOSS_SLOT_BITS);
    for (unsigned k = 0; k < PROBES; k++) {
        const uint8_t *p = g->slots + (slot + k) % (1u << TOAD__GLOSS_SLOT_BITS) * TOAD__GLOSS_SLOT;
        uint32_t v = (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
        if (!v) return 0;
        if (v >> TOAD__GLOSS_BITS != (place & MARK)) continue;
        ret[0] = (uint16_t)(v % TOAD__GLOSS_KEYS);
        ret[1] = (uint16_t)(v / TOAD__GLOSS_KEYS % TOAD__GLOSS_KEYS);
        return 1 + (ret[1] != 0);
    }
    return 0;
}

ALWAYS_INLINE uint32_t add_byte(uint32_t hash, char c) { return (hash ^ (unsigned char)c) * 0x01000193u; }

static bool is_tail(char c) { return ((unsigned char)c & 0xc0) == 0x80; }

uint32_t toad__gloss_stem_hash(toad_str folded) {
    uint32_t h = SEED;
    for (size_t i = 0; i < folded.n; i++) h = add_byte(h, folded.p[i]);
    return h;
}

static bool passes(const uint8_t *sieve, uint32_t hash) {
    uint32_t bit = toad__gloss_bit(hash);
    return sieve[bit / 8] >> bit % 8 & 1;
}

/* By the longest beginning of a word that is in the dictionary. */
static size_t look_up_stem(const toad__glossary *g, toad_str word, uint16_t *ret) {
    uint32_t hashes[STEM_MOST], h = SEED;
    size_t n = 0, most = word.n < STEM_MOST ? word.n : STEM_MOST, found = 0;
    for (size_t i = 0; i < most; i++) {
        h = add_byte(h, word.p[i]);
        if (i + 1 == TOAD__GLOSS_STEM_LEAST && !passes(g->stems, h)) return 0;
        if (i + 1 >= TOAD__GLOSS_STEM_LEAST && (i + 1 == word.n || !is_tail(word.p[i + 1]))) hashes[n++] = h;
    }
    while (n && !found) found = look_up(g, hashes[--n], ret);
    return found;
}

/* Is this the first byte of a letter of Hebrew or Arabic? */
static bool is_of_joined_words(char c) { return (unsigned char)c >= 0xd7 && (unsigned char)c <= 0xdb; }

/* How many bytes the first letter of such a word has; 0: it is no such word. Alef and vav look like an l, and are one
 * in folded text. */
static size_t joined_letter(toad_str word) {
    if (is_of_joined_words(word.p[0])) return 2;
    return word.p[0] == 'l' && word.n > 1 && is_of_joined_words(word.p[1]);
}

static size_t keys_of_word(const toad__glossary *g, toad_str text, const toad__unit *u, size_t k, uint16_t *ret) {
    const toad__token *t = u->tokens + k;
    toad_str word = { text.p + t->start, t->end - t->start };
    size_t n = look_up(g, t->hash, ret);
    if (n || !(u->words >> k & 1)) return n;
    n = look_up_stem(g, word, ret);
    for (unsigned i = 0; !n && i < STRIPPED && word.n > 2 + TOAD__GLOSS_STEM_LEAST; i++) {
        size_t letter = joined_letter(word);
        if (!letter) return 0;
        word = (toad_str){ word.p + letter, word.n - letter };
        n = look_up_stem(g, word, ret);
    }
    return n;
}

size_t toad__token_keys(const toad__glossary *g, toad_str text, const toad__unit *u, size_t k,
                        uint16_t ret[TOAD__TOKEN_KEYS]) {
    size_t n = 0;
    if (k && passes(g->firsts, u->tokens[k - 1].hash))
        n = look_up(g, toad__hash_pair(u->tokens[k - 1].hash, u->tokens[k].hash), ret);
    return n + keys_of_word(g, text, u, k, ret + n);
}

uint32_t toad__token_stem(toad_str text, const toad__unit *u, size_t k) {
    const toad__token *t = u->tokens + k;
    if (!(u->words >> k & 1) || t->end - t->start <= TOAD__STEM_LETTERS) return 0;
    uint32_t h = SEED;
    size_t letters = 0;
    for (size_t i = t->start; i < t->end; i++) {
        if (!is_tail(text.p[i]) && ++letters > TOAD__STEM_LETTERS) return h | 1;
        h = add_byte(h, text.p[i]);
    }
    return 0;
}

/* What a unit is known by. */
typedef struct known {
    uint16_t keys[TOAD__UNIT_KEYS];    /* in the order of its words */
    uint32_t stems[TOAD__UNIT_TOKENS]; /* features, of words that have no key */
    size_t keys_n, stems_n;
} known;

static void read_known(const toad__glossary *g, toad_str text, const toad__unit *u, known *ret) {
    ret->keys_n = ret->stems_n = 0;
    for (size_t k = 0; k < u->tokens_n; k++) {
        if (u->repeats >> k & 1) continue;
        size_t n = toad__token_keys(g, text, u, k, ret->keys + ret->keys_n);
        ret->keys_n += n;
        uint32_t stem = n || u->seen >> k & 1 ? 0 : toad__token_stem(text, u, k);
        if (stem) ret->stems[ret->stems_n++] = toad__gloss_place(stem) >> (32 - TOAD__GLOSS_BITS);
    }
}

/* Calls `take` for each feature of what is known of a unit. */
#define EACH_GLOSS(from, take)                                                       \
    for (size_t i = 0; i < (from)->keys_n; i++) {                                    \
        const uint16_t *key = (from)->keys + i;                                      \
        take((uint32_t)*key);                                                        \
        for (size_t k = i < TOAD__GLOSS_BEFORE ? i : TOAD__GLOSS_BEFORE; k > 0; k--) \
            take((uint32_t)key[-(ptrdiff_t)k] * TOAD__GLOSS_KEYS + *key);            \
    }                                                                                \
    for (size_t i = 0; i < (from)->stems_n; i++) take((from)->stems[i]);

size_t toad__unit_glosses(const toad__glossary *g, toad_str text, const toad__unit *unit, uint32_t *ret) {
    known all;
    size_t features = 0;
    read_known(g, text, unit, &all);
#define LIST(id) ret[features++] = (id)
    EACH_GLOSS(&all, LIST)
    return features;
}

uint32_t toad__unit_gloss_sum(const toad__glossary *g, toad_str text, const toad__unit *unit, const int8_t *table,
                              int32_t *ret) {
    known all;
    uint32_t features = 0;
    int32_t sum = 0;
    read_known(g, text, unit, &all);
#define SUM(id) sum += table[id], features++
    EACH_GLOSS(&all, SUM)
    *ret = sum;
    return features;
}
