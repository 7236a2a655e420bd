/* words.h - the words of a folded text: what acts and readings are compared by.
 *
 * A word is a run of letters and digits of any script; in scripts without blanks it is one character, and weighs half.
 * An escaped line break (\n, as stands in quoted JSON) is a blank. Linear; nothing allocates. */
#ifndef TOAD_APP_WORDS_H
#define TOAD_APP_WORDS_H

#include "toadstone/types.h"

typedef struct toad__word {
    uint64_t hash;
    toad_span at;
    unsigned weight; /* 2; 1 for a character of a script without blanks */
} toad__word;

/* The next word at or after *at, which moves behind it; false at the end. */
bool toad__word_next(toad_str s, size_t *at, toad__word *ret);
bool toad__is_word_byte(int c);
uint64_t toad__word_hash(toad_str s, uint64_t seed);
/* The hash of what is hashed as `h`, followed by `next`. */
uint64_t toad__word_join(uint64_t h, uint64_t next);
/* What no token holds, and what it does not end with: blanks, quotes, brackets; and ".:!?-_/\=&#". */
bool toad__ends_token(int c);
bool toad__is_edge(int c);

#endif
