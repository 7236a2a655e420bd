/* net.h - a small convolutional net over the words of one window: it reads once more, in their order, what the third
 * head found most suspicious.
 *
 * A word comes in as a vector, or its stem as one where it has none, those of its glosses added, so that what is
 * learned of English words holds for what other languages call the same. Three layers of convolutions over three words
 * each (1, 2 and 4 words apart; Kim 2014, Yu and Koltun 2016) see some fifteen words at once. Of each of their outputs
 * the highest anywhere in the window, and the means by four attentions (Bahdanau et al. 2015), go through one hidden
 * layer to one logit. Integers only: the same answer on every machine. Cost: TOAD__NET_TOKENS times some 75,000
 * multiplications, a constant; no allocation. Thread rule: pure functions, a scratch belongs to one thread. */
#ifndef TOAD_MODEL_NET_H
#define TOAD_MODEL_NET_H

#include "lib/model/gloss.h"

enum {
    TOAD__NET_TOKENS = 128, /* of a longer window the last */
    TOAD__NET_DEPTH = 64,   /* numbers a word */
    TOAD__NET_WIDTH = 96,   /* numbers a word between the layers */
    TOAD__NET_LAYERS = 3,
    TOAD__NET_TAPS = 3, /* words that a layer sees at once */
    TOAD__NET_ATTENTIONS = 4,
    TOAD__NET_POOLED = (1 + TOAD__NET_ATTENTIONS) * TOAD__NET_WIDTH,
    TOAD__NET_HIDDEN = 32,
    TOAD__NET_VECTOR = TOAD__NET_DEPTH / 2, /* bytes: numbers of four bits, signed, the lower half of a byte first */
    TOAD__NET_SLOT = 2 + TOAD__NET_VECTOR,  /* bytes: a mark, little endian (0: free), and the vector */
    TOAD__NET_WORDS = 11100,                /* slots */
    TOAD__NET_SLOTS = TOAD__NET_SLOT * TOAD__NET_WORDS,
    TOAD__NET_KEYS = TOAD__GLOSS_KEYS * TOAD__NET_VECTOR,
    TOAD__NET_FIRST = TOAD__NET_WIDTH * TOAD__NET_TAPS * TOAD__NET_DEPTH,
    TOAD__NET_LATER = TOAD__NET_WIDTH * TOAD__NET_TAPS * TOAD__NET_WIDTH,
    TOAD__NET_CONVOLUTIONS = TOAD__NET_FIRST + (TOAD__NET_LAYERS - 1) * TOAD__NET_LATER,
    TOAD__NET_ATTENTION = TOAD__NET_ATTENTIONS * TOAD__NET_WIDTH,
    TOAD__NET_MATRIX = TOAD__NET_HIDDEN * TOAD__NET_POOLED,
    TOAD__NET_BIASES = TOAD__NET_LAYERS * TOAD__NET_WIDTH + TOAD__NET_HIDDEN + 1,
    TOAD__NET_STEPS = TOAD__NET_LAYERS + 3,
};

/* Words by hash, open addressing; a mark is 14 bits of the hash and one that is set. Weights of a layer are
 * [output][tap][input]. Outputs of layers are in 1/256, at most 16; biases are in that unit, the last and the answer in
 * 1/65536. An attention's is the logarithm to the base 2 of what a word counts, in 1/256. */
typedef struct toad__net {
    const uint8_t *words;           /* slots */
    const uint8_t *keys;            /* [gloss key], vectors */
    const int8_t *layers;           /* of the convolutions, one after the other */
    const int8_t *attentions;       /* [attention][input] */
    const int8_t *hidden;           /* [output][input]: the means by attention, one after the other, then the highest */
    const int8_t *out;              /* [input] */
    int32_t bias[TOAD__NET_BIASES]; /* of the layers, the hidden layer, the answer */
    int32_t step[TOAD__NET_STEPS];  /* what one int8 weight counts, in 1/65536: of the layers, attentions, hidden layer,
                                       output */
} toad__net;

typedef struct toad__net_scratch {
    int16_t rows[2][TOAD__NET_TOKENS][TOAD__NET_WIDTH];
} toad__net_scratch;

/* The logit, in 1/65536, of the units of `text` from `from`, where one begins, to `to`, where one ends. */
int32_t toad__net_logit(const toad__net *net, const toad__glossary *g, toad__net_scratch *s, toad_str text, size_t from,
                        size_t to);

#endif
