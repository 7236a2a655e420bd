/* gloss.h - what words of many languages mean, as far as a small dictionary knows: each has a key that stands for one
 * everyday notion ("send", "not", "owner"), the same in all of them.
 *
 * What a model has learned of keys in one language holds in the others. The features of a unit are its keys, and each
 * with those shortly before it; of a word without a key its stem. A word is looked up as it stands, then with the word
 * before it, then by its longest beginning in the dictionary; in Arabic and Hebrew script also without its first
 * letters, as the short words are written there. The trainer makes the dictionary from data/model/glosses and calls
 * this very code. Cost: linear, some fifty operations a word and no allocation. Thread rule: pure functions. */
#ifndef TOAD_MODEL_GLOSS_H
#define TOAD_MODEL_GLOSS_H

#include "lib/model/features.h"

enum {
    TOAD__GLOSS_KEYS = 512, /* 0 is none */
    TOAD__GLOSS_BITS = 18,  /* of features: TOAD__GLOSS_KEYS * what stands before + what stands here; stems by hash */
    TOAD__GLOSS_BEFORE = 8, /* a key is paired with so many before it */
    TOAD__GLOSS_SLOT_BITS = 16,
    TOAD__GLOSS_SLOT = 4, /* bytes: 14 bits of the hash above two keys of nine bits, little endian; 0: free */
    TOAD__GLOSS_SIEVE_BITS = 15,
    TOAD__GLOSS_SIEVE = 1 << (TOAD__GLOSS_SIEVE_BITS - 3), /* bytes */
    TOAD__GLOSS_SLOTS = TOAD__GLOSS_SLOT << TOAD__GLOSS_SLOT_BITS,
    TOAD__GLOSS_STEM_LEAST = 4, /* bytes of the beginning of a word */
    TOAD__TOKEN_KEYS = 4,       /* two of it with the token before, two of its own */
    TOAD__UNIT_KEYS = TOAD__TOKEN_KEYS * TOAD__UNIT_TOKENS,
    TOAD__STEM_LETTERS = 5, /* of a word that is not in it, so many are its stem; one that is no longer has none */
    TOAD__UNIT_GLOSSES = (1 + TOAD__GLOSS_BEFORE) * TOAD__UNIT_KEYS + TOAD__UNIT_TOKENS,
};

/* Keys by hash, two at most (the second may be 0), 1 << TOAD__GLOSS_SLOT_BITS slots, open addressing. Most words begin
 * nothing in it: the sieves know, a bit a hash, what may. */
typedef struct toad__glossary {
    const uint8_t *slots;
    const uint8_t *stems;  /* of the first TOAD__GLOSS_STEM_LEAST bytes of beginnings */
    const uint8_t *firsts; /* of the first of two words */
} toad__glossary;

/* The keys of token `k` of a unit. Returns how many. */
size_t toad__token_keys(const toad__glossary *g, toad_str text, const toad__unit *unit, size_t k,
                        uint16_t ret[TOAD__TOKEN_KEYS]);
/* The stem of token `k`: the hash of its first letters, by which its inflections are known to be one; 0: it has none.
 */
uint32_t toad__token_stem(toad_str text, const toad__unit *unit, size_t k);
/* The features of a unit, at most TOAD__UNIT_GLOSSES, each less than 1 << TOAD__GLOSS_BITS. Returns how many. */
size_t toad__unit_glosses(const toad__glossary *g, toad_str text, const toad__unit *unit, uint32_t *ret);
/* The sum of their weights, from a table of one weight for each. Returns how many features they are. */
uint32_t toad__unit_gloss_sum(const toad__glossary *g, toad_str text, const toad__unit *unit, const int8_t *table,
                              int32_t *ret);
/* Where a beginning of words stands in a glossary; the hash of a whole word, or of two, is toad__lexicon_hash().
 * `folded` is folded text. The slot is the upper half of what is returned, the lower 14 bits are kept there. */
uint32_t toad__gloss_place(uint32_t hash);
/* Its bit in a sieve. */
static inline uint32_t toad__gloss_bit(uint32_t hash) {
    return toad__gloss_place(hash) >> (32 - TOAD__GLOSS_SIEVE_BITS);
}
uint32_t toad__gloss_stem_hash(toad_str folded);

#endif
