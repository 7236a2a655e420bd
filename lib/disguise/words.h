/* words.h - between the files of this room: words cut out of text, and the tables in which they are looked up. */
#ifndef TOAD_DISGUISE_WORDS_H
#define TOAD_DISGUISE_WORDS_H

#include "lib/base/masks.h"

#define TOAD__WORD_MAX 63u /* a longer run of letters is given as this much and one letter more */

/* ---- words: runs of small ASCII letters ---- */

typedef struct toad__letters {
    uint64_t lower, vowel;
} toad__letters;

enum { TOAD__WORD_BLOCKS = 8 };

/* The text from word to word. */
typedef struct toad__words {
    toad_str s;
    size_t at;         /* where the block stands */
    unsigned block, n; /* of those in hand */
    uint64_t begins;   /* where words of the block begin that are still to come */
    bool all;          /* also words of less than five letters that have a vowel */
    toad__letters in[TOAD__WORD_BLOCKS + 1];
} toad__words;

extern const toad__set toad__word_sets[2];

/* All words, or those of five letters and more, and shorter ones without a vowel. */
toad__words toad__words_of(toad_str s, bool all);
/* Go on to the next block; false at the end of the text. */
bool toad__words_go_on(toad__words *w);

/* 64 bits from bit `i` of two blocks on. */
static inline uint64_t toad__bits_from(uint64_t now, uint64_t next, unsigned i) {
    return now >> i | next << 1 << (63 - i);
}

/* The next word; false at the end. */
static inline bool toad__words_next(toad__words *w, toad_str *ret) {
    while (!w->begins)
        if (!toad__words_go_on(w)) return false;
    unsigned start = (unsigned)__builtin_ctzll(w->begins);
    const toad__letters *now = &w->in[w->block];
    uint64_t rest = ~toad__bits_from(now->lower, now[1].lower, start);
    unsigned n = rest ? (unsigned)__builtin_ctzll(rest) : 64;
    w->begins &= w->begins - 1;
    *ret = (toad_str){ w->s.p + w->at + start, n };
    return true;
}

/* ---- tables: see tools/gen_disguise.py ---- */

/* The next of the words that `key` may belong to: 1 and its index; 0 after the last. *step is 0 at first. */
static inline unsigned toad__slot_next(const uint16_t *slots, unsigned bits, unsigned index_bits, uint32_t key,
                                       uint32_t *step) {
    uint32_t mask = (1u << bits) - 1, tag = key >> (16 + index_bits - bits) & ((1u << (16 - index_bits)) - 1);
    for (uint32_t slot; (slot = slots[((key >> (32 - bits)) + *step) & mask]) != 0;) {
        ++*step;
        if (slot >> index_bits == tag) return slot & ((1u << index_bits) - 1);
    }
    return 0;
}

#endif
