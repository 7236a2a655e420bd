/* core_words.gen.h - written by tools/gen_core_words.py from lib/text/core_words.def; do not edit. */
#ifndef BZR_TEXT_CORE_WORDS_GEN_H
#define BZR_TEXT_CORE_WORDS_GEN_H

#include <stdint.h>

#define BZR__CORE_WORDS 30u
#define BZR__CORE_LONGEST 13u
#define BZR__CORE_FACTOR 0x9e3824b5u
#define BZR__CORE_BITS 6u

typedef struct bzr__core_word {
    char plain[14], skeleton[14]; /* with the next word, if it is a phrase */
    uint8_t n, head;                  /* letters in all; of the first word */
    uint8_t alone;                    /* the first word says something without the next */
    uint8_t anchor;                   /* where its rarest four letters stand in the skeleton */
} bzr__core_word;

extern const bzr__core_word bzr__core_words[BZR__CORE_WORDS];
/* By the letter (its low five bits) at each of the four places: the buckets that it may belong to. */
extern const uint8_t bzr__core_buckets[4][32];
/* By the hash of the four letters (five bits each, the first one lowest): the only word that they can belong to. */
extern const uint8_t bzr__core_slots[1u << BZR__CORE_BITS];
/* The shuffle that moves the bytes whose bits are set to the front, eight places in a word. */
extern const uint64_t bzr__core_squeeze[256];

#endif
