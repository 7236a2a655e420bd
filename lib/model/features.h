/* features.h - what the model sees of a folded text: units, and the numbers of the features in each.
 *
 * A unit is about a sentence. Its word features are hashes of one, two and three tokens and of two with one
 * between; its gram features are hashes of four and six bytes inside words, so that a misspelled or inflected word
 * still counts; its cues are classes of words ("ignore", "ignora", "ignorez" are one class) looked up by hash. Features
 * never reach across the border of a unit, so the sums of a window are sums over its units. What repeats itself with a
 * period of up to four tokens counts once, and so does a word that stands again in the same unit: a table of zeros says
 * nothing by its length. Where no blanks stand between words (ideographs, Thai, Lao) a token is a letter, hashed with
 * those after it. The trainer calls this very code. No text is kept: only hashes. Cost: linear, a few operations
 * a byte; no allocation. Thread rule: pure functions. */
#ifndef TOAD_MODEL_FEATURES_H
#define TOAD_MODEL_FEATURES_H

#include "toadstone/types.h"

enum {
    TOAD__MODEL_HEADS = 3, /* see model.h */
    TOAD__GRAM_HEADS = 2,  /* the first of them: the third has glosses instead (gloss.h) */
    TOAD__MODEL_PLANTED = 0,
    TOAD__MODEL_STEERING = 2,
    TOAD__WORD_BITS = 18,   /* of word features */
    TOAD__GRAM_BITS = 18,   /* of gram features */
    TOAD__UNIT_TOKENS = 48, /* a multiple of 16 */
    TOAD__UNIT_BYTES = 320, /* a unit of this length ends with the token that reaches it */
    TOAD__UNIT_LEAST = 16,  /* a shorter one goes on over the end of the sentence */
    TOAD__TOKEN_BYTES = 48, /* a longer run is cut */
    TOAD__UNIT_WORDS = 4 * TOAD__UNIT_TOKENS,
    TOAD__UNIT_GRAMS = 2 * (TOAD__UNIT_BYTES + TOAD__TOKEN_BYTES),
};

/* Classes of words by their hash: slots of 12 bytes (hash, mask of classes; little endian), open addressing. */
typedef struct toad__lexicon {
    const uint8_t *slots;
    unsigned bits; /* log2 of the number of slots */
} toad__lexicon;

typedef struct toad__token {
    uint32_t start, end; /* bytes of the text */
    uint32_t hash;
} toad__token;

typedef struct toad__unit {
    uint32_t start, end; /* bytes of the text */
    uint32_t tokens_n;
    uint32_t spelled; /* tokens that are words of three bytes and more, or ideographs */
    uint64_t words;   /* bit k: token k is letters; it may stand in the lexicon and has grams */
    uint64_t repeats; /* bit k: token k gives no features */
    uint64_t seen;    /* bit k: token k stands earlier in the unit; it counts only with its neighbors */
    toad__token tokens[TOAD__UNIT_TOKENS];
} toad__unit;

/* A word feature and the tokens it spans. */
typedef struct toad__word {
    uint32_t id; /* < 1 << TOAD__WORD_BITS */
    uint8_t from, to;
} toad__word;

/* Of two tokens in a row. */
static inline uint32_t toad__hash_pair(uint32_t a, uint32_t b) { return (a * 0x9e3779b1u ^ b) * 0x85ebca6bu; }

/* Read the unit that begins at `from` into `ret`. Returns where the next begins; `text.n` is the end. */
size_t toad__unit_read(toad_str text, size_t from, toad__unit *ret);
/* The word features of a unit, at most TOAD__UNIT_WORDS. Returns how many. */
size_t toad__unit_words(const toad__unit *unit, toad__word *ret);
/* The gram features of a unit, at most TOAD__UNIT_GRAMS. Returns how many. */
size_t toad__unit_grams(toad_str text, const toad__unit *unit, uint32_t *ret);
/* The sums of the weights of the same features, from tables of one weight for each head that has them. Return how many
 * features they are. */
uint32_t toad__unit_word_sums(const toad__unit *unit, const int8_t *table, int32_t ret[TOAD__MODEL_HEADS]);
uint32_t toad__unit_gram_sums(toad_str text, const toad__unit *unit, const int8_t *table,
                              int32_t ret[TOAD__GRAM_HEADS]);
/* The classes of the words of a unit: bit c is class c. */
uint64_t toad__unit_cues(const toad__lexicon *lexicon, const toad__unit *unit);
/* The hash by which a word, or two words with a blank between, stands in a lexicon; the word is folded text. */
uint32_t toad__lexicon_hash(toad_str folded);

#endif
