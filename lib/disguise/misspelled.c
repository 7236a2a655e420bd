/* misspelled.c - near misses of trigger words, proposed by three keys and proved by comparison.
 *
 * A model reads "Ignroe all previuos instructons" without effort. What a misspelled word shares with the right one is
 * how it begins, how it ends, or its outline: both ends, vowels taken for one, and the length. Under these three keys
 * the trigger words stand in one table (tools/gen_disguise.py), and a sieve of 2 kB before it turns nearly all words
 * away. A word counts only after it has been compared with the trigger: one edit apart, its letters shuffled or
 * repeated, or its vowels changed or left out. A common word is what it is, and never mended.
 * Cost: some fifty instructions a word of five letters and more, whatever the number of trigger words. */
#include "lib/disguise/misspelled.h"
#include "lib/base/str.h"
#include "lib/disguise/shuffled.h"
#include "lib/disguise/tables/words.gen.h"
#include "lib/disguise/words.h"

enum {
    WORD_LEAST = 2,
    WORD_MAX = 40,   /* longer runs of letters are no words */
    LONG_LEAST = 5,  /* words that are counted have so many letters, or no vowel */
    EDIT_LEAST = 6,  /* letters of a trigger that may differ by one edit, and of one that counts where it is right */
    MIXED_LEAST = 4, /* letters of one that may be shuffled */
    BESIDE = 2,      /* words apart at which a misspelled trigger and one spelled right belong together */
};
enum { FRONT, BACK, OUTLINE, KEYS };

/* ---- keys ---- */

static inline uint64_t key_of(uint64_t letters, size_t n, unsigned kind) {
    return (letters ^ (uint64_t)(4 * n + kind) << 56) * TOAD__WORD_WIDE_MIX;
}

static inline bool is_vowel(char c) { return c == 'a' || c == 'e' || c == 'i' || c == 'o' || c == 'u'; }

static inline uint64_t outline_key(const char *p, size_t n) {
    static const char sound[32] = "\0abcdafghajklmnapqrstavwxyz";
    return key_of((uint64_t)sound[p[0] & 31] | (uint64_t)sound[p[n - 1] & 31] << 8, n, OUTLINE);
}

/* One edit leaves half of the letters alone, at one end or the other: all of eight but so many bits, by length. */
static const uint8_t others_of[TOAD__TRIGGER_LONGEST + 2] = {
    40, 40, 40, 40, 40, 40, 40, 40, 32, 32, 24, 24, 16, 16, 8
};

/* A word of the text, and the eight bytes at either end of it (zeros where the text has none), the first one lowest. */
typedef struct word {
    const char *p;
    size_t n;
    uint64_t front, back;
} word;

static inline word word_of(toad_str s, toad_str w) {
    word ret = { w.p, w.n, 0, 0 };
    size_t before = (size_t)(w.p - s.p), left = s.n - before, end = before + w.n;
    if (left >= 8)
        memcpy(&ret.front, w.p, 8);
    else
        memcpy(&ret.front, w.p, left);
    if (end >= 8)
        memcpy(&ret.back, s.p + end - 8, 8);
    else
        memcpy((char *)&ret.back + 8 - end, s.p, end);
    return ret;
}

static inline void keys_of(const word *w, uint64_t keys[KEYS]) {
    keys[FRONT] = key_of(w->front << others_of[w->n] >> others_of[w->n], w->n, FRONT);
    keys[BACK] = key_of(w->back >> others_of[w->n], w->n, BACK);
    keys[OUTLINE] = outline_key(w->p, w->n);
}

static inline unsigned sieved(uint64_t key) {
    unsigned at = (unsigned)(key >> (64 - TOAD__SIEVE_BITS));
    return toad__trigger_sieve[at / 64] >> (at & 63) & 1;
}

/* The next trigger under the key; NULL after the last. */
static const toad__trigger *candidate(uint64_t key, uint32_t *step) {
    unsigned i =
        toad__slot_next(toad__trigger_slots, TOAD__TRIGGER_BITS, TOAD__TRIGGER_INDEX_BITS, (uint32_t)(key >> 32), step);
    return i ? &toad__triggers[i - 1] : NULL;
}

/* ---- proofs ---- */

/* One insertion, deletion, substitution or swap of neighbors apart. An ending put on or left off is grammar, not an
 * error. */
static bool one_edit(const char *a, size_t an, const char *b, size_t bn) {
    size_t start = 0, end = 0, shorter = an < bn ? an : bn;
    while (start < shorter && a[start] == b[start]) start++;
    while (end < shorter - start && a[an - 1 - end] == b[bn - 1 - end]) end++;
    size_t x = an - start - end, y = bn - start - end;
    if (x + y == 1) return end > 0;
    if (x == 1 && y == 1) return true;
    return x == 2 && y == 2 && a[start] == b[start + 1] && a[start + 1] == b[start];
}

static bool other_vowels(const char *a, const char *b, size_t n) {
    size_t i = 0;
    while (i < n && (a[i] == b[i] || (is_vowel(a[i]) && is_vowel(b[i])))) i++;
    return i == n;
}

/* Is `w` the letters of `of` that `stays` keeps, in their order? */
static bool is_rest(const char *w, size_t n, const char *of, size_t of_n, bool (*stays)(const char *of, size_t i)) {
    size_t k = 0;
    for (size_t i = 0; i < of_n; i++)
        if (stays(of, i) && (k == n || w[k++] != of[i])) return false;
    return k == n;
}

static bool is_consonant(const char *p, size_t i) { return !is_vowel(p[i]); }
static bool is_first(const char *p, size_t i) { return !i || p[i] != p[i - 1]; }

static bool is_spelling(const char *p, size_t n, const toad__trigger *t) {
    for (size_t i = 0; n == 3 && i < TOAD__SPELLINGS; i++)
        if (!memcmp(p, toad__spellings[i].spelling, 3)) return t == &toad__triggers[toad__spellings[i].trigger];
    return false;
}

static bool is_near(const char *p, size_t n, const toad__trigger *t) {
    if (t->n >= EDIT_LEAST && one_edit(p, n, t->word, t->n)) return true;
    if (n == t->n && n >= MIXED_LEAST && toad__same_letters(p, t->word, n)) return true;
    if (n == t->n && (t->n >= EDIT_LEAST || t->is_small) && other_vowels(p, t->word, n)) return true;
    return is_rest(p, n, t->word, t->n, is_consonant) || is_spelling(p, n, t);
}

/* ---- a word ---- */

/* The same letter stands twice at several places near the front, or at the very end. */
static inline bool is_doubled(const word *w) {
    uint64_t ones = UINT64_MAX / 0xFF, pairs = w->front ^ w->front >> 8;
    pairs = (pairs - ones) & ~pairs & ones << 7;
    return (pairs & (pairs - 1)) || w->back >> 56 == (w->back >> 48 & 0xFF);
}

static const toad__trigger *by_doubled(const word *w) {
    char once[WORD_MAX];
    size_t n = 0;
    for (size_t i = 0; i < w->n; i++)
        if (is_first(w->p, i)) once[n++] = w->p[i];
    if (n + 2 > w->n || n > TOAD__TRIGGER_LONGEST) return NULL;
    const toad__trigger *t;
    for (uint32_t step = 0; (t = candidate(outline_key(once, n), &step)) != NULL;)
        if (is_rest(once, n, t->word, t->n, is_first)) return t;
    return NULL;
}

/* The trigger word that `w` wants to be, or NULL; *right: it is one. Nearly all words are turned away by the sieve. */
static inline const toad__trigger *near_miss(const word *w, bool *right) {
    const toad__trigger *found = NULL, *t;
    uint64_t keys[KEYS];
    *right = false;
    if (w->n <= TOAD__TRIGGER_LONGEST + 1) {
        keys_of(w, keys);
        unsigned passed = sieved(keys[FRONT]) | sieved(keys[BACK]) | sieved(keys[OUTLINE]);
        for (unsigned k = 0; passed && k < KEYS; k++) {
            for (uint32_t step = 0; (t = candidate(keys[k], &step)) != NULL;) {
                if (t->n == w->n && !memcmp(t->word, w->p, w->n)) return *right = true, NULL;
                if (!found && is_near(w->p, w->n, t)) found = t;
            }
        }
    }
    if (!found && is_doubled(w)) found = by_doubled(w);
    return found && !toad__is_common_word(w->p, w->n) ? found : NULL;
}

/* "xall" where other words had an x put before them. */
static const toad__trigger *without_first(const word *w) {
    const toad__trigger *t;
    if (w->n > TOAD__TRIGGER_LONGEST + 1 || w->n < 2) return NULL;
    for (uint32_t step = 0; (t = candidate(outline_key(w->p + 1, w->n - 1), &step)) != NULL;)
        if (t->n + 1u == w->n && !memcmp(t->word, w->p + 1, t->n)) return t;
    return NULL;
}

/* ---- the text ---- */

/* Signs of an attack: the words counted so far, and the last that was mended and the last that was right. */
typedef struct signs {
    uint32_t n, words, mended, right;
} signs;

static const signs no_signs = { 0, 2 * BESIDE, 0, 0 };

static inline void weigh(signs *s, bool mended, bool right) {
    s->words++;
    if (mended) s->n += s->words - s->right <= BESIDE ? 2 : 1;
    if (right && s->words - s->mended <= BESIDE) s->n++;
    if (mended) s->mended = s->words;
    if (right) s->right = s->words;
}

uint32_t toad__count_misspelled(toad_str folded, uint32_t enough) {
    toad__words words = toad__words_of(folded, false);
    signs seen = no_signs;
    toad_str w;
    bool right;
    while (seen.n < enough && toad__words_next(&words, &w)) {
        if (w.n < WORD_LEAST || w.n > WORD_MAX) continue;
        word at = word_of(folded, w);
        const toad__trigger *t = near_miss(&at, &right);
        if (w.n >= LONG_LEAST || t) weigh(&seen, t && !t->is_small, right && w.n >= EDIT_LEAST);
    }
    return seen.n;
}

uint32_t toad__mend(toad_str folded, toad__buf *out, toad__offmap *map) {
    toad__words words = toad__words_of(folded, true);
    signs seen = no_signs;
    size_t copied = 0;
    toad_str w;
    bool right;
    char before = 0; /* the letter that was put before the last such word */
    while (toad__words_next(&words, &w)) {
        if (w.n < WORD_LEAST || w.n > WORD_MAX) continue;
        word at = word_of(folded, w);
        const toad__trigger *t = near_miss(&at, &right);
        if (!t && before == w.p[0] && !right) t = without_first(&at);
        if (w.n >= LONG_LEAST || t) weigh(&seen, t && !t->is_small, right && w.n >= EDIT_LEAST);
        if (!t) continue;
        if (w.n == t->n + 1u && !memcmp(w.p + 1, t->word, t->n)) before = w.p[0];
        size_t start = (size_t)(w.p - folded.p);
        toad__buf_add(out, folded.p + copied, start - copied);
        toad__buf_add(out, t->word, t->n);
        if (map) toad__offmap_add(map, start - copied, start - copied);
        if (map) toad__offmap_add(map, t->n, w.n);
        copied = start + w.n;
    }
    toad__buf_add(out, folded.p + copied, folded.n - copied);
    if (map) toad__offmap_add(map, folded.n - copied, folded.n - copied);
    return seen.n;
}
