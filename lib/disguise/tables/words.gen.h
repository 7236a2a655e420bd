/* words.gen.h - written by tools/gen_disguise.py from words.def and common_words.txt; do not edit. */
#ifndef TOAD_DISGUISE_WORDS_GEN_H
#define TOAD_DISGUISE_WORDS_GEN_H

#include <stdint.h>

#define TOAD__WORD_MIX      0x9e3779b1u
#define TOAD__WORD_WIDE_MIX UINT64_C(0x9e3779b97f4a7c15)
#define TOAD__WORD_FACTOR   0x85ebca6bu

typedef struct toad__core_word {
    char plain[14], skeleton[14]; /* with the next word, if it is a phrase */
    uint8_t n, head; /* letters in all; of the first word */
    uint8_t alone;   /* the first word says something without the next */
} toad__core_word;

#define TOAD__CORE_BITS       11u
#define TOAD__CORE_INDEX_BITS 5u
extern const toad__core_word toad__core_words[30];
extern const uint16_t toad__core_slots[1u << TOAD__CORE_BITS];

typedef struct toad__trigger {
    char word[14];
    uint8_t n, is_small; /* small: mended, but no sign of an attack */
} toad__trigger;

typedef struct toad__spelling {
    char spelling[4];
    uint8_t trigger;
} toad__spelling;

#define TOAD__TRIGGER_LONGEST    13u
#define TOAD__TRIGGER_BITS       11u
#define TOAD__TRIGGER_INDEX_BITS 7u
#define TOAD__SIEVE_BITS         14u
#define TOAD__SPELLINGS          15u
extern const toad__trigger toad__triggers[61];
extern const toad__spelling toad__spellings[TOAD__SPELLINGS];
extern const uint16_t toad__trigger_slots[1u << TOAD__TRIGGER_BITS];
extern const uint64_t toad__trigger_sieve[1u << (TOAD__SIEVE_BITS - 6)];

typedef struct toad__common_word {
    char word[15];
    uint8_t n;
} toad__common_word;

#define TOAD__COMMON_LEAST      4u
#define TOAD__COMMON_LONGEST    14u
#define TOAD__COMMON_BITS       13u
#define TOAD__COMMON_INDEX_BITS 13u
extern const toad__common_word toad__common_words[5170];
extern const uint16_t toad__common_slots[1u << TOAD__COMMON_BITS];
/* By a letter: the letters that are met often behind it. */
extern const uint32_t toad__common_pairs[26];

#endif
