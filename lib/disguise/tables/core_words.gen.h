/* core_words.gen.h - written by tools/gen_core_words.py from lib/disguise/tables/core_words.def; do not edit. */
#ifndef TOAD_DISGUISE_CORE_WORDS_GEN_H
#define TOAD_DISGUISE_CORE_WORDS_GEN_H

#include <stdint.h>

#define TOAD__CORE_WORDS 30u
#define TOAD__CORE_LONGEST 13u
#define TOAD__CORE_FACTOR 0x9e3824b5u
#define TOAD__CORE_BITS 6u

typedef struct toad__core_word {
    char plain[14], skeleton[14]; /* with the next word, if it is a phrase */
    uint8_t n, head;                  /* letters in all; of the first word */
    uint8_t alone;                    /* the first word says something without the next */
    uint8_t anchor;                   /* where its rarest four letters stand in the skeleton */
} toad__core_word;

extern const toad__core_word toad__core_words[TOAD__CORE_WORDS];
/* By the letter (its low five bits) at each of the four places: the buckets that it may belong to. */
extern const uint8_t toad__core_buckets[4][32];
/* By the hash of the four letters (five bits each, the first one lowest): the only word that they can belong to. */
extern const uint8_t toad__core_slots[1u << TOAD__CORE_BITS];
/* The shuffle that moves the bytes whose bits are set to the front, eight places in a word. */
extern const uint64_t toad__core_squeeze[256];

#endif
