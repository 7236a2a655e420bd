/* typo.c - near misses of trigger words, found by hash and proved by comparison.
 *
 * A model reads "Ignroe all previuos instructons" without effort. Words are cut out of the text by bit masks, 64 bytes
 * at a time, and nearly all of them are turned away by a few bits that every misspelling shares with its right word:
 * how it begins or ends, its shape, where its vowels are. What is left is looked up under the keys that its misspelling
 * would share with the right word (tools/gen_triggers.py): one edit, shuffled middle, doubled letters, dropped or
 * changed vowels. A hit counts only after the two words have been compared. A word that is spelled right (a trigger,
 * its plural, a known neighbor) is never mended. Cost: some forty instructions for a word of five letters and more, a
 * few lookups in a table of 10 kB for one in ten of them, none of them depending on how many trigger words there are.
 */
#include "lib/disguise/typo.h"
#include "lib/base/simd.h"
#include "lib/base/str.h"
#include "lib/disguise/skeleton.h"
#include "lib/disguise/tables/triggers.gen.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#define BLOCK           64u
#define WORD_MAX        40u /* longer runs of letters are no words */
#define WORD_LEAST      2u
#define LONG_LEAST      5u /* triggers that count have so many letters */
#define EDIT_LEAST      6u /* letters of a trigger that may differ by one edit */
#define MIXED_LEAST     4u
#define VOWELS_LEAST    6u /* shorter words differ in vowels by nature */
#define BESIDE          2u /* words apart at which a misspelled trigger and one spelled right belong together */
#define PREFIXES_NEEDED 2u /* words with the same letter put before them, before short ones are believed */

enum { EDIT, MIXED, SINGLE, BARE, VOWELS };

/* Known of words of the text only: the eight letters at either end (as many as there are; what else stands there is cut
 * off by who asks), the first one lowest; bit i: letter i is a vowel, or the same as the one after it. */
typedef struct word {
    const char *p;
    size_t n;
    uint64_t front, back, vowels, doubled;
} word;

static word plain_word(const char *p, size_t n) { return (word){ p, n, 0, 0, 0, 0 }; }

static uint32_t hash_more(uint32_t h, char c) { return h * TOAD__TRIGGER_BASE + (unsigned char)c; }

static uint32_t hash(word w) {
    uint32_t h = 0;
    for (size_t i = 0; i < w.n; i++) h = hash_more(h, w.p[i]);
    return h;
}

static bool same(word w, const toad__trigger *t) { return w.n == t->n && !memcmp(w.p, t->word, w.n); }

/* ---- spellings that several words share ---- */

static bool is_vowel(char c) { return c == 'a' || c == 'e' || c == 'i' || c == 'o' || c == 'u'; }

static size_t once(word w, char *out) {
    size_t n = 0;
    for (size_t i = 0; i < w.n; i++)
        if (!i || w.p[i] != w.p[i - 1]) out[n++] = w.p[i];
    return n;
}

static size_t bare(word w, char *out) {
    size_t n = 0;
    for (size_t i = 0; i < w.n; i++)
        if (!is_vowel(w.p[i])) out[n++] = w.p[i];
    return n;
}

static size_t starred(word w, char *out) {
    for (size_t i = 0; i < w.n; i++) out[i] = is_vowel(w.p[i]) ? '*' : w.p[i];
    return w.n;
}

static uint32_t mixed_hash(word w) {
    uint32_t middle = 0;
    for (size_t i = 1; i + 1 < w.n; i++)
        middle += (unsigned char)w.p[i] * TOAD__TRIGGER_MIX ^ (uint32_t)(unsigned char)w.p[i] << 13;
    const char ends[3] = { w.p[0], w.p[w.n - 1], (char)w.n };
    return hash(plain_word(ends, 3)) ^ middle;
}

/* ---- proofs ---- */

static bool same_letters(word w, const toad__trigger *t) {
    int seen[26] = { 0 };
    for (size_t i = 0; i < w.n; i++) {
        seen[w.p[i] - 'a']++;
        seen[t->word[i] - 'a']--;
    }
    for (int i = 0; i < 26; i++)
        if (seen[i]) return false;
    return true;
}

/* One insertion, deletion, substitution or swap of neighbors apart (optimal string alignment). An ending put on or left
 * off is grammar, not an error. */
static bool one_edit(word a, const toad__trigger *t) {
    word b = plain_word(t->word, t->n);
    size_t start = 0, end = 0, shorter = a.n < b.n ? a.n : b.n;
    while (start < shorter && a.p[start] == b.p[start]) start++;
    while (end < shorter - start && a.p[a.n - 1 - end] == b.p[b.n - 1 - end]) end++;
    size_t x = a.n - start - end, y = b.n - start - end;
    if (x + y == 1) return end > 0;
    if (x == 1 && y == 1) return true;
    return x == 2 && y == 2 && a.p[start] == b.p[start + 1] && a.p[start + 1] == b.p[start];
}

typedef size_t (*spelling)(word w, char *out);

static bool same_spelling(word w, const toad__trigger *t, spelling spell) {
    char a[WORD_MAX], b[WORD_MAX];
    size_t n = spell(w, a), m = spell(plain_word(t->word, t->n), b);
    return n == m && !memcmp(a, b, n);
}

static bool proved(word w, const toad__trigger *t, int kind) {
    switch (kind) {
    case EDIT: return t->n >= EDIT_LEAST && one_edit(w, t);
    case MIXED: return w.n == t->n && w.p[0] == t->word[0] && w.p[w.n - 1] == t->word[t->n - 1] && same_letters(w, t);
    case SINGLE: return same_spelling(w, t, once);
    case BARE: return same_spelling(w, t, bare);
    default: return (t->n >= VOWELS_LEAST || t->is_short) && same_spelling(w, t, starred);
    }
}

/* ---- lookup ---- */

static uint32_t key_of(uint32_t value, int kind) {
    uint32_t key = (value + (uint32_t)kind) * TOAD__TRIGGER_MIX;
    return key ? key : 1;
}

static const toad__trigger *look_up(word w, int kind, uint32_t value) {
    const uint32_t key = key_of(value, kind), mask = (1u << TOAD__TRIGGER_BITS) - 1;
    for (uint32_t at = key >> (32 - TOAD__TRIGGER_BITS); toad__trigger_keys[at]; at = (at + 1) & mask) {
        if (toad__trigger_keys[at] != key) continue;
        const toad__trigger *t = &toad__triggers[toad__trigger_words[at]];
        if (proved(w, t, kind)) return t;
    }
    return NULL;
}

static const toad__trigger *by_spelling(word w, int kind, spelling spell) {
    char out[WORD_MAX];
    size_t n = spell(w, out);
    return look_up(w, kind, hash(plain_word(out, n)));
}

/* "akk" for "all": every wrong letter lies beside the right one on the keyboard. Three letters are too few for the
 * other keys. */
static const toad__trigger *by_keyboard(word w) {
    static const toad__trigger all = { "all", 3, true };
    if (w.n != 3 || w.p[0] != 'a') return NULL;
    for (unsigned i = 1; i < 3; i++)
        if (!strchr("lkop", w.p[i])) return NULL;
    return &all;
}

static bool is_real(word w) {
    size_t lo = 0, hi = TOAD__TRIGGERS_REAL;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        int order = strncmp(toad__triggers_real[mid], w.p, w.n);
        if (!order && !toad__triggers_real[mid][w.n]) return true;
        if (order < 0)
            lo = mid + 1;
        else
            hi = mid;
    }
    return false;
}

/* ---- what misspellings share with the right word, as bits ---- */

static inline unsigned bit(const uint64_t *bits, unsigned i) { return bits[i / 64] >> (i & 63) & 1; }

/* Letters of one end of a word, and what else belongs to them. */
static inline uint64_t end_key(uint64_t letters, size_t n, unsigned side) {
    return (letters ^ (uint64_t)(2 * n + side) << 56) * TOAD__TRIGGER_WIDE_MIX;
}

/* One edit leaves half of the letters alone, at the one end or the other, and changes the length by one at most; but
 * for a swap in the middle, which the shape finds. */
/* Bits of eight letters that are none of those, by length. */
static const uint8_t others_of[TOAD__TRIGGER_LONGEST + 2] = {
    40, 40, 40, 40, 40, 40, 40, 40, 32, 32, 24, 24, 16, 16, 8
};

static inline uint64_t front_key(uint64_t front, size_t n) {
    return end_key(front << others_of[n] >> others_of[n], n, 0);
}
static inline uint64_t back_key(uint64_t back, size_t n) { return end_key(back >> others_of[n], n, 1); }

/* Is the word itself in the table, under that key? */
static bool is_under(uint32_t value, int kind, word w) {
    const uint32_t key = key_of(value, kind), mask = (1u << TOAD__TRIGGER_BITS) - 1;
    for (uint32_t at = key >> (32 - TOAD__TRIGGER_BITS); toad__trigger_keys[at]; at = (at + 1) & mask)
        if (toad__trigger_keys[at] == key && same(w, &toad__triggers[toad__trigger_words[at]])) return true;
    return false;
}

static inline unsigned end_fits(uint64_t key) {
    return bit(toad__trigger_ends, (unsigned)(key >> (64 - TOAD__TRIGGER_END_BITS)));
}

/* Wrong vowels leave the length alone, their places and what stands at the ends. */
static inline unsigned sounds_fit(const word *w) {
    uint32_t first = w->vowels & 1 ? 0 : w->front & 31, last = w->vowels >> (w->n - 1) & 1 ? 0 : w->back >> 56 & 31;
    uint32_t key = ((uint32_t)w->vowels | 1u << w->n) ^ first << 16 ^ last << 24;
    return bit(toad__trigger_sounds, key * TOAD__TRIGGER_MIX >> (32 - TOAD__TRIGGER_SOUND_BITS));
}

/* The shape with all vowels taken for one: what it turns away fits neither as a shape nor by its sounds. */
static inline unsigned outline_fits(uint64_t front, uint64_t back, size_t n) {
    static const uint8_t sound[32] = {
        [2] = 1, 2, 3, [6] = 5, 6, 7, [10] = 9, 10, 11, 12, 13, [16] = 15, 16, 17, 18, 19, [22] = 21, 22, 23, 24, 25
    };
    return bit(toad__trigger_outlines,
               (unsigned)sound[front & 31] << 9 | (unsigned)sound[back >> 56 & 31] << 4 | (unsigned)n);
}

static inline unsigned shape_is(uint64_t first, uint64_t last, size_t n) {
    return bit(toad__trigger_shapes, (unsigned)(first << 9 | last << 4 | n));
}
static inline unsigned shape_fits(const word *w) { return shape_is(w->front & 31, w->back >> 56 & 31, w->n); }

/* Is the word less its first letter a trigger, or may it be? */
static inline bool may_be_prefixed(const word *w) {
    return w->n > 1 && w->n <= TOAD__TRIGGER_LONGEST + 1 && shape_is(w->front >> 8 & 31, w->back >> 56 & 31, w->n - 1);
}

static const toad__trigger *by_end(const word *w, uint64_t key) {
    return end_fits(key) ? look_up(*w, EDIT, (uint32_t)(key >> 32)) : NULL;
}

static const toad__trigger *by_edit(const word *w) {
    const toad__trigger *t = by_end(w, front_key(w->front, w->n));
    return t ? t : by_end(w, back_key(w->back, w->n));
}

static inline bool is_short_enough(const word *w) { return w->n <= TOAD__TRIGGER_LONGEST + 1; }

/* Letters are repeated at two places or more, and without that the shape is one of a trigger written so. */
static inline bool is_doubled(const word *w) {
    size_t twice = 0;
    if (!(w->doubled & (w->doubled - 1))) return false;
    for (uint64_t left = w->doubled; left; left &= left - 1) twice++;
    return w->n - twice <= TOAD__TRIGGER_LONGEST && shape_is(w->front & 31, w->back >> 56 & 31, w->n - twice);
}

/* No vowels, and the letters of a trigger without its own. */
static inline bool is_bare(const word *w) {
    return !w->vowels && w->n <= TOAD__TRIGGER_BARE_LONGEST &&
           end_fits(end_key(w->front << (64 - 8 * w->n) >> (64 - 8 * w->n), w->n, 0));
}

static const toad__trigger *find(const word *w) {
    const toad__trigger *t = NULL;
    bool fits = is_short_enough(w);
    if (fits && w->n + 1 >= EDIT_LEAST) t = by_edit(w);
    if (!t && fits && w->n >= MIXED_LEAST && shape_fits(w)) t = look_up(*w, MIXED, mixed_hash(*w));
    if (!t && is_doubled(w)) t = by_spelling(*w, SINGLE, once);
    if (!t && is_bare(w)) t = by_spelling(*w, BARE, bare);
    if (!t && fits && w->vowels && w->n >= 3 && sounds_fit(w)) t = by_spelling(*w, VOWELS, starred);
    return t ? t : by_keyboard(*w);
}

/* Of a word of LONG_LEAST letters to one more than the longest trigger. */
static inline unsigned is_near(uint64_t front, uint64_t back, size_t n) {
    return outline_fits(front, back, n) | end_fits(front_key(front, n)) | end_fits(back_key(back, n));
}

/* One of the tests of find() will pass, or the word is a trigger. Here nearly all words of ordinary text are turned
 * away, with few branches. */
static inline bool may_miss(const word *w) {
    if (is_doubled(w) || is_bare(w)) return true;
    if (w->n < 3 || !is_short_enough(w)) return false;
    if (w->n < LONG_LEAST) return outline_fits(w->front, w->back, w->n) | (w->p[0] == 'a');
    return is_near(w->front, w->back, w->n);
}

/* The word [p, p + n), whose first letters are `front` (half of them at least). */
static bool is_trigger(const char *p, size_t n, uint64_t front) {
    char out[WORD_MAX];
    word w = plain_word(p, n);
    if (n >= EDIT_LEAST) return is_under((uint32_t)(front_key(front, n) >> 32), EDIT, w);
    return is_under(hash(plain_word(out, once(w, out))), SINGLE, w);
}

/* The trigger word that `w` wants to be, or NULL; *right: it is one. */
static const toad__trigger *near_miss(const word *w, bool *right) {
    *right = is_short_enough(w) && shape_fits(w) && is_trigger(w->p, w->n, w->front);
    const toad__trigger *t = *right ? NULL : find(w);
    return t && !is_real(*w) ? t : NULL;
}

/* ---- the text ---- */

static bool has_prefix(word w, const toad__trigger *t) {
    return w.n == (size_t)t->n + 1 && !memcmp(w.p + 1, t->word, t->n);
}

/* Signs of an attack: each mended word that is not a short one, and one more where it stands beside a trigger word
 * spelled right. Only words of five letters and more are counted on the way. */
typedef struct signs {
    uint32_t n, since_mended, since_right; /* words since the last of each */
} signs;

static void weigh(signs *s, bool mended, bool right) {
    if (mended)
        s->n += s->since_right < BESIDE ? 2 : 1;
    else if (right && s->since_mended < BESIDE)
        s->n++;
    s->since_mended = mended ? 0 : s->since_mended + 1;
    s->since_right = right ? 0 : s->since_right + 1;
}

static signs no_signs(void) { return (signs){ 0, BESIDE, BESIDE }; }

/* 64 bytes of text as bit masks: `doubled` is the same letter as the one after it. Words are cut out of them without a
 * branch a byte. */
typedef struct block {
    uint64_t letter, vowel, doubled;
} block;

ALWAYS_INLINE block block_portable(const char *p) { /* 65 bytes are readable */
    block b = { 0, 0, 0 };
#if defined(__SSE2__)
    static const char vowels[5] = "aeiou";
    for (unsigned i = 0; i < BLOCK; i += 16) {
        __m128i v = _mm_loadu_si128((const __m128i *)(const void *)(p + i)),
                after = _mm_loadu_si128((const __m128i *)(const void *)(p + i + 1));
        __m128i letter =
                    _mm_and_si128(_mm_cmpgt_epi8(v, _mm_set1_epi8('a' - 1)), _mm_cmplt_epi8(v, _mm_set1_epi8('z' + 1))),
                vowel = _mm_setzero_si128();
        for (unsigned k = 0; k < sizeof vowels; k++)
            vowel = _mm_or_si128(vowel, _mm_cmpeq_epi8(v, _mm_set1_epi8(vowels[k])));
        b.letter |= (uint64_t)(unsigned)_mm_movemask_epi8(letter) << i;
        b.vowel |= (uint64_t)(unsigned)_mm_movemask_epi8(vowel) << i;
        b.doubled |= (uint64_t)(unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(v, after)) << i;
    }
#else
    for (unsigned i = 0; i < BLOCK; i++) {
        b.letter |= (uint64_t)toad__is_lower((unsigned char)p[i]) << i;
        b.vowel |= (uint64_t)is_vowel(p[i]) << i;
        b.doubled |= (uint64_t)(p[i] == p[i + 1]) << i;
    }
#endif
    return b;
}

#if HAVE_AVX2
__attribute__((target("avx2"))) static inline block block_avx2(const char *p) {
    const __m256i by_nibble =
        _mm256_broadcastsi128_si256(_mm_setr_epi8(-1, 'a', 0, 0, 0, 'e', 0, 0, 0, 'i', 0, 0, 0, 0, 0, 'o'));
    block b = { 0, 0, 0 };
    for (unsigned i = 0; i < BLOCK; i += 32) {
        __m256i v = _mm256_loadu_si256((const __m256i *)(const void *)(p + i)),
                after = _mm256_loadu_si256((const __m256i *)(const void *)(p + i + 1));
        __m256i letter = _mm256_and_si256(_mm256_cmpgt_epi8(v, _mm256_set1_epi8('a' - 1)),
                                          _mm256_cmpgt_epi8(_mm256_set1_epi8('z' + 1), v));
        __m256i vowel = _mm256_or_si256(_mm256_cmpeq_epi8(_mm256_shuffle_epi8(by_nibble, v), v),
                                        _mm256_cmpeq_epi8(v, _mm256_set1_epi8('u')));
        b.letter |= (uint64_t)(uint32_t)_mm256_movemask_epi8(letter) << i;
        b.vowel |= (uint64_t)(uint32_t)_mm256_movemask_epi8(vowel) << i;
        b.doubled |= (uint64_t)(uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(v, after)) << i;
    }
    return b;
}
#endif

typedef block block_fn(const char *p);

ALWAYS_INLINE block block_at(toad_str s, size_t at, block_fn *block_of) {
    if (at >= s.n) return (block){ 0, 0, 0 };
    if (s.n - at > BLOCK) return block_of(s.p + at);
    char tail[BLOCK + 1] = { 0 };
    memcpy(tail, s.p + at, s.n - at);
    return block_of(tail);
}

/* The text from block to block. */
typedef struct reader {
    toad_str s;
    size_t at; /* of the block `now` */
    block now, next;
    uint64_t inside;  /* 1: a word goes on from the block before */
    uint64_t words;   /* where words begin that are still to be read */
    uint64_t odd;     /* of those, which may be without a vowel, or are so near to the end of the text that eight bytes
                         there may not be read */
    uint64_t twice;   /* where a letter is repeated in a word, but for the first such place of each */
    bool all;         /* read every word, not only what may be a trigger that counts */
    uint32_t skipped; /* words that count as such since the last that was returned */
} reader;

/* 64 bits from bit `i` of two blocks on. */
static inline uint64_t from_bit(uint64_t now, uint64_t next, unsigned i) { return now >> i | next << 1 << (63 - i); }

/* Where words begin: all of them, or those of LONG_LEAST letters and more, and of three or four without a vowel. */
ALWAYS_INLINE void find_words(reader *r) {
    uint64_t letter = r->now.letter, next = r->next.letter, begins = letter & ~(letter << 1 | r->inside);
    r->words = begins;
    if (r->all || !begins) return;
    uint64_t three = from_bit(letter, next, 1) & from_bit(letter, next, 2), four = from_bit(letter, next, 3),
             five = from_bit(letter, next, 4);
    uint64_t vowel = r->now.vowel, behind = r->next.vowel;
    uint64_t spoken =
        vowel | from_bit(vowel, behind, 1) | from_bit(vowel, behind, 2) | (four & from_bit(vowel, behind, 3));
    uint64_t twice = r->now.doubled & letter & letter >> 1;
    r->words = begins & three & ((four & five) | ~spoken);
    r->twice = twice & (letter + twice); /* the carry from the first in a word clears the letters behind it, and the
                                            second is put there again */
    r->odd = r->s.n - r->at < BLOCK + 8 ? UINT64_MAX : ~spoken | (r->at ? 0 : 0xFF);
}

ALWAYS_INLINE reader reader_of(toad_str s, bool all, block_fn *block_of) {
    reader r = { s, 0, block_at(s, 0, block_of), block_at(s, BLOCK, block_of), 0, 0, 0, 0, all, 0 };
    find_words(&r);
    return r;
}

ALWAYS_INLINE void go_on(reader *r, block_fn *block_of) {
    r->inside = r->now.letter >> 63;
    r->at += BLOCK;
    r->now = r->next;
    r->next = block_at(r->s, r->at + BLOCK, block_of);
    find_words(r);
}

static inline uint64_t eight_at(const char *p) {
    uint64_t eight;
    memcpy(&eight, p, sizeof eight);
    return eight;
}

/* Eight bytes of the text from `at` on, or up to `end`; zeros where it has none. */
static inline uint64_t eight_from(toad_str s, size_t at) {
    uint64_t eight = 0;
    if (s.n - at >= 8) return eight_at(s.p + at);
    for (size_t i = s.n; i-- > at;) eight = eight << 8 | (unsigned char)s.p[i];
    return eight;
}

static inline uint64_t eight_until(toad_str s, size_t end) {
    return end >= 8 ? eight_from(s, end - 8) : eight_from(s, 0) << (64 - 8 * end);
}

/* The word that begins at bit `start`; of more letters than WORD_MAX only so much is known. */
ALWAYS_INLINE word word_at(const reader *r, unsigned start) {
    uint64_t rest = ~from_bit(r->now.letter, r->next.letter, start);
    unsigned n = rest ? (unsigned)__builtin_ctzll(rest) : 64;
    if (n > WORD_MAX) return plain_word(r->s.p + r->at + start, n);
    uint64_t mask = (UINT64_C(1) << n) - 1;
    size_t at = r->at + start;
    return (word){ r->s.p + at,
                   n,
                   eight_from(r->s, at),
                   eight_until(r->s, at + n),
                   from_bit(r->now.vowel, r->next.vowel, start) & mask,
                   from_bit(r->now.doubled, r->next.doubled, start) & mask >> 1 };
}

/* Is the word at bit `start` one that may_miss() turns away, as nearly all are? It says no of words that are not whole
 * in the block, that are odd, or have letters repeated twice. */
ALWAYS_INLINE bool is_ordinary(const reader *r, unsigned start) {
    uint64_t rest = ~(r->now.letter >> start);
    unsigned n = rest ? (unsigned)__builtin_ctzll(rest) : BLOCK;
    if (start + n >= BLOCK || r->odd >> start & 1 || n > TOAD__TRIGGER_LONGEST + 1 ||
        r->twice >> start & ((UINT64_C(1) << n) - 1))
        return false;
    const char *p = r->s.p + r->at + start;
    return !is_near(eight_at(p), eight_at(p + n - 8), n);
}

/* The next word, or the next that may be a trigger that counts, or is one; false at the end. */
ALWAYS_INLINE bool next_word(reader *r, word *ret, block_fn *block_of) {
    for (; r->at < r->s.n; go_on(r, block_of)) {
        while (r->words) {
            unsigned start = (unsigned)__builtin_ctzll(r->words);
            r->words &= r->words - 1;
            if (!r->all && is_ordinary(r, start)) {
                r->skipped++;
                continue;
            }
            *ret = word_at(r, start);
            if (ret->n > WORD_MAX || ret->n < WORD_LEAST) continue;
            if (r->all || may_miss(ret)) return true;
            r->skipped++;
        }
    }
    return false;
}

ALWAYS_INLINE uint32_t count(toad_str folded, uint32_t enough, block_fn *block_of) {
    signs seen = no_signs();
    reader r = reader_of(folded, false, block_of);
    word w;
    while (seen.n < enough && next_word(&r, &w, block_of)) {
        seen.since_mended += r.skipped;
        seen.since_right += r.skipped;
        r.skipped = 0;
        bool right;
        const toad__trigger *t = near_miss(&w, &right);
        weigh(&seen, t && !t->is_short, right && w.n >= EDIT_LEAST);
    }
    return seen.n;
}

#if HAVE_AVX2
__attribute__((target("avx2,bmi,bmi2"))) static uint32_t count_avx2(toad_str folded, uint32_t enough) {
    return count(folded, enough, block_avx2);
}
#endif

uint32_t toad__count_typos(toad_str folded, uint32_t enough) {
#if HAVE_AVX2
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2")) return count_avx2(folded, enough);
#endif
    return count(folded, enough, block_portable);
}

/* How many words of the text are a trigger word with the letter before it: "xignore xall xprevious". */
static void count_prefixes(toad_str folded, uint32_t prefixes[26]) {
    word w;
    for (reader r = reader_of(folded, true, block_portable); next_word(&r, &w, block_portable);) {
        bool may = w.n > EDIT_LEAST && may_be_prefixed(&w) && is_trigger(w.p + 1, w.n - 1, w.front >> 8);
        bool right;
        const toad__trigger *t = may ? near_miss(&w, &right) : NULL;
        if (t && has_prefix(w, t)) prefixes[w.p[0] - 'a']++;
    }
}

uint32_t toad__fix_typos(toad_str folded, toad__buf *out, toad__offmap *map) {
    uint32_t prefixes[26] = { 0 };
    count_prefixes(folded, prefixes);
    signs seen = no_signs();
    size_t copied = 0;
    word w;
    for (reader r = reader_of(folded, true, block_portable); next_word(&r, &w, block_portable);) {
        bool prefixed = prefixes[w.p[0] - 'a'] >= PREFIXES_NEEDED && w.n > 3 && may_be_prefixed(&w) &&
                        is_trigger(w.p + 1, w.n - 1, w.front >> 8);
        bool right = prefixed && is_short_enough(&w) && shape_fits(&w) && is_trigger(w.p, w.n, w.front);
        const toad__trigger *t = !prefixed && may_miss(&w) ? near_miss(&w, &right) : NULL;
        if (w.n >= LONG_LEAST || t || prefixed)
            weigh(&seen, prefixed || (t && !t->is_short), right && w.n >= EDIT_LEAST);
        if (!t && !prefixed) continue;
        size_t start = (size_t)(w.p - folded.p), n = t ? t->n : w.n - 1;
        toad__buf_add(out, folded.p + copied, start - copied);
        toad__buf_add(out, t ? t->word : w.p + 1, n);
        if (map) toad__offmap_add(map, start - copied, start - copied);
        if (map) toad__offmap_add(map, n, w.n);
        copied = start + w.n;
    }
    toad__buf_add(out, folded.p + copied, folded.n - copied);
    if (map) toad__offmap_add(map, folded.n - copied, folded.n - copied);
    return seen.n;
}
