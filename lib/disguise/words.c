/* words.c - words cut out of text by the masks of its letters, some blocks at a time, without a branch a byte. */
#include "lib/disguise/words.h"

#define IS_VOWEL(c) ((c) == 'a' || (c) == 'e' || (c) == 'i' || (c) == 'o' || (c) == 'u')

const toad__set toad__word_sets[2] = { TOAD__SET(TOAD__IS_LOWER), TOAD__SET(IS_VOWEL) };

/* Where the words of the block begin; `inside`: 1 if one goes on from the block before. */
static void begin(toad__words *w, uint64_t inside) {
    const toad__letters *now = &w->in[w->block], *next = now + 1;
    w->begins = now->lower & ~(now->lower << 1 | inside);
    if (w->all) return;
    uint64_t letters = now->lower, spoken = now->vowel & now->lower, five = 0;
    for (unsigned i = 1; i < 5; i++) {
        five = letters &= toad__bits_from(now->lower, next->lower, i);
        if (i < 4) spoken |= letters & toad__bits_from(now->vowel, next->vowel, i);
    }
    w->begins &= five | ~spoken;
}

/* The blocks from w->at on; what stands behind the last is in hand as well. */
static bool take(toad__words *w, uint64_t inside) {
    size_t n = toad__masks_at(w->s, w->at, toad__word_sets, 2, TOAD__WORD_BLOCKS + 1, &w->in[0].lower);
    w->block = 0;
    w->n = (unsigned)(n < TOAD__WORD_BLOCKS ? n : TOAD__WORD_BLOCKS);
    if (n <= TOAD__WORD_BLOCKS) w->in[n] = (toad__letters){ 0, 0 };
    w->begins = 0;
    if (n) begin(w, inside);
    return n != 0;
}

toad__words toad__words_of(toad_str s, bool all) {
    toad__words w;
    w.s = s;
    w.at = 0;
    w.all = all;
    take(&w, 0);
    return w;
}

bool toad__words_go_on(toad__words *w) {
    if (!w->n) return false;
    uint64_t inside = w->in[w->block].lower >> 63;
    w->at += 64;
    if (++w->block == w->n) return w->at < w->s.n && take(w, inside);
    begin(w, inside);
    return true;
}
