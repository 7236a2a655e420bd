/* common_words.gen.h - written by tools/gen_common_words.py from lib/disguise/tables/common_words.txt; do not edit. */
#ifndef TOAD_DISGUISE_COMMON_WORDS_GEN_H
#define TOAD_DISGUISE_COMMON_WORDS_GEN_H

#include <stdint.h>

#define TOAD__COMMON_BITS 13u
#define TOAD__COMMON_MIX 0x9e3779b1u
#define TOAD__COMMON_FACTOR 0x85ebca6bu
#define TOAD__COMMON_LEAST 4u
#define TOAD__COMMON_LONGEST 14u

typedef struct toad__common_word {
    char word[15];
    uint8_t n;
} toad__common_word;

extern const toad__common_word toad__common_words[5171];
/* By hash: 1 and the index of a word in 13 bits, three more bits of the hash above them; or 0. */
extern const uint16_t toad__common_slots[1u << TOAD__COMMON_BITS];
/* By a letter: the letters that are met often behind it. */
extern const uint32_t toad__common_pairs[26];

#endif
