/* typo.c - near misses of trigger words, found by hash and proved by comparison.
 *
 * A model reads "Ignroe all previuos instructons" without effort. Every word of the text is looked up under the keys
 * that its misspelling would share with the right word (tools/gen_triggers.py): one edit, shuffled middle, doubled
 * letters, dropped or changed vowels. A hit counts only after the two words have been compared. A word that is spelled
 * right (a trigger, its plural, a known neighbor) is never mended. Cost: a dozen lookups in a table of 20 kB for a long
 * word, none of them depending on how many trigger words there are. */
#include "lib/text/typo.h"
#include "lib/base/str.h"
#include "lib/text/skeleton.h"
#include "lib/text/triggers.gen.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#define WORD_MAX        40u /* longer runs of letters are no words */
#define WORD_LEAST      2u
#define LONG_LEAST      5u /* triggers that count have so many letters */
#define EDIT_LEAST      6u /* letters of a trigger that may differ by one edit */
#define MIXED_LEAST     4u
#define VOWELS_LEAST    6u /* shorter words differ in vowels by nature */
#define BESIDE          2u /* words apart at which a misspelled trigger and one spelled right belong together */
#define PREFIXES_NEEDED 2u /* words with the same letter put before them, before short ones are believed */

enum { EDIT, MIXED, SINGLE, BARE, VOWELS };

typedef struct word {
    const char *p;
    size_t n;
    unsigned vowels, doubled; /* how many letters are vowels, or repeat their neighbor (from 2 on not exact); known for
                                 words of the text */
} word;

static uint32_t hash_more(uint32_t h, char c) { return h * BZR__TRIGGER_BASE + (unsigned char)c; }

static uint32_t hash(word w) {
    uint32_t h = 0;
    for (size_t i = 0; i < w.n; i++) h = hash_more(h, w.p[i]);
    return h;
}

static bool same(word w, const bzr__trigger *t) { return w.n == t->n && !memcmp(w.p, t->word, w.n); }

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
        middle += (unsigned char)w.p[i] * BZR__TRIGGER_MIX ^ (uint32_t)(unsigned char)w.p[i] << 13;
    const char ends[3] = { w.p[0], w.p[w.n - 1], (char)w.n };
    return hash((word){ ends, 3, 0, 0 }) ^ middle;
}

/* ---- proofs ---- */

static bool same_letters(word w, const bzr__trigger *t) {
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
static bool one_edit(word a, const bzr__trigger *t) {
    word b = { t->word, t->n, 0, 0 };
    size_t start = 0, end = 0, shorter = a.n < b.n ? a.n : b.n;
    while (start < shorter && a.p[start] == b.p[start]) start++;
    while (end < shorter - start && a.p[a.n - 1 - end] == b.p[b.n - 1 - end]) end++;
    size_t x = a.n - start - end, y = b.n - start - end;
    if (x + y == 1) return end > 0;
    if (x == 1 && y == 1) return true;
    return x == 2 && y == 2 && a.p[start] == b.p[start + 1] && a.p[start + 1] == b.p[start];
}

typedef size_t (*spelling)(word w, char *out);

static bool same_spelling(word w, const bzr__trigger *t, spelling spell) {
    char a[WORD_MAX], b[WORD_MAX];
    size_t n = spell(w, a), m = spell((word){ t->word, t->n, 0, 0 }, b);
    return n == m && !memcmp(a, b, n);
}

static bool proved(word w, const bzr__trigger *t, int kind) {
    switch (kind) {
    case EDIT: return t->n >= EDIT_LEAST && one_edit(w, t);
    case MIXED: return w.n == t->n && w.p[0] == t->word[0] && w.p[w.n - 1] == t->word[t->n - 1] && same_letters(w, t);
    case SINGLE: return same_spelling(w, t, once);
    case BARE: return same_spelling(w, t, bare);
    default: return (t->n >= VOWELS_LEAST || t->is_short) && same_spelling(w, t, starred);
    }
}

/* ---- lookup ---- */

static const bzr__trigger *look_up(word w, int kind, uint32_t value) {
    uint32_t key = (value + (uint32_t)kind) * BZR__TRIGGER_MIX;
    if (!key) key = 1;
    const uint32_t mask = (1u << BZR__TRIGGER_BITS) - 1;
    for (uint32_t at = key >> (32 - BZR__TRIGGER_BITS); bzr__trigger_keys[at]; at = (at + 1) & mask) {
        if (bzr__trigger_keys[at] != key) continue;
        const bzr__trigger *t = &bzr__triggers[bzr__trigger_words[at]];
        if (proved(w, t, kind)) return t;
    }
    return NULL;
}

/* The word as it is, and less each of its letters: hash(less letter k) = hash - (prefix[k+1] - prefix[k]) *
 * base^(n-1-k). */
static const bzr__trigger *by_edit(word w) {
    uint32_t prefix[WORD_MAX + 1] = { 0 };
    for (size_t i = 0; i < w.n; i++) prefix[i + 1] = hash_more(prefix[i], w.p[i]);
    const bzr__trigger *t = look_up(w, EDIT, prefix[w.n]);
    uint32_t power = 1;
    for (size_t k = w.n; !t && k-- > 0; power *= BZR__TRIGGER_BASE)
        t = look_up(w, EDIT, prefix[w.n] - (prefix[k + 1] - prefix[k]) * power);
    return t;
}

static const bzr__trigger *by_spelling(word w, int kind, spelling spell) {
    char out[WORD_MAX];
    size_t n = spell(w, out);
    return look_up(w, kind, hash((word){ out, n, 0, 0 }));
}

/* "akk" for "all": every wrong letter lies beside the right one on the keyboard. Three letters are too few for the
 * other keys. */
static const bzr__trigger *by_keyboard(word w) {
    static const bzr__trigger all = { "all", 3, true };
    if (w.n != 3 || w.p[0] != 'a') return NULL;
    for (unsigned i = 1; i < 3; i++)
        if (!strchr("lkop", w.p[i])) return NULL;
    return &all;
}

static bool is_real(word w) {
    size_t lo = 0, hi = BZR__TRIGGERS_REAL;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        int order = strncmp(bzr__triggers_real[mid], w.p, w.n);
        if (!order && !bzr__triggers_real[mid][w.n]) return true;
        if (order < 0)
            lo = mid + 1;
        else
            hi = mid;
    }
    return false;
}

static bool is_trigger(word w) {
    if (w.n > BZR__TRIGGER_LONGEST) return false;
    char out[WORD_MAX];
    size_t n = once(w, out);
    uint32_t key = (hash((word){ out, n, 0, 0 }) + SINGLE) * BZR__TRIGGER_MIX;
    const uint32_t mask = (1u << BZR__TRIGGER_BITS) - 1;
    for (uint32_t at = key >> (32 - BZR__TRIGGER_BITS); bzr__trigger_keys[at]; at = (at + 1) & mask)
        if (bzr__trigger_keys[at] == key && same(w, &bzr__triggers[bzr__trigger_words[at]])) return true;
    return false;
}

static inline unsigned bit(const uint64_t *bits, unsigned i) { return bits[i / 64] >> (i & 63) & 1; }

static inline uint32_t mixed(uint32_t value, unsigned bits) { return value * BZR__TRIGGER_MIX >> (32 - bits); }

/* Letters of one end of a word as a number, and what else belongs to it. */
static inline unsigned end_is_known(uint64_t letters, size_t n, unsigned side) {
    uint64_t key = letters ^ (uint64_t)(2 * n + side) << 56;
    return bit(bzr__trigger_ends, (unsigned)(key * BZR__TRIGGER_WIDE_MIX >> (64 - BZR__TRIGGER_END_BITS)));
}

/* Eight letters, the first one lowest. */
static inline uint64_t eight_at(const char *p) {
    uint64_t letters;
    memcpy(&letters, p, sizeof letters);
    return letters;
}

static inline uint64_t first_three(const char *p) { return (unsigned char)p[0] | (uint32_t)(unsigned char)p[1] << 8 | (uint32_t)(unsigned char)p[2] << 16; }

/* Of a word of five letters and more: one edit leaves half of the letters alone, at the one end or the other, and changes the length by one at
 * most; but for a swap in the middle, which the shape finds. */
static inline unsigned end_fits(const char *p, size_t n) {
    if (n < 8) return end_is_known(first_three(p), n, 0) | end_is_known(first_three(p + n - 3), n, 1);
    if (n > BZR__TRIGGER_LONGEST + 1) return 0;
    unsigned others = 64 - 8 * (unsigned)(n / 2);
    return end_is_known(eight_at(p) << others >> others, n, 0) | end_is_known(eight_at(p + n - 8) >> others, n, 1);
}

static inline uint32_t three_sounds(const char *p) {
    static const uint8_t sound[32] = { [2] = 1, 2, 3, [6] = 5, 6, 7, [10] = 9, 10, 11, 12, 13, [16] = 15, 16, 17, 18, 19, [22] = 21, 22, 23, 24, 25 };
    return sound[p[0] & 31] | (uint32_t)sound[p[1] & 31] << 5 | (uint32_t)sound[p[2] & 31] << 10;
}

/* Wrong vowels leave the consonants and the length alone. */
static inline unsigned sounds_fit(const char *p, size_t n) {
    uint32_t sounds = three_sounds(p) | three_sounds(p + n - 3) << 15;
    return bit(bzr__trigger_sounds, mixed(sounds + (uint32_t)n * BZR__TRIGGER_BASE, BZR__TRIGGER_SOUND_BITS));
}

static inline unsigned shape_fits(const char *p, size_t n) {
    return bit(bzr__trigger_shapes, (unsigned)((p[0] - 'a') * 26 + p[n - 1] - 'a') * 16 + (unsigned)(n < 15 ? n : 15));
}

static const bzr__trigger *find(word w) {
    const bzr__trigger *t = NULL;
    if (w.n + 1 >= EDIT_LEAST && end_fits(w.p, w.n)) t = by_edit(w);
    if (!t && w.n >= MIXED_LEAST && shape_fits(w.p, w.n)) t = look_up(w, MIXED, mixed_hash(w));
    if (!t && w.doubled > 1) t = by_spelling(w, SINGLE, once);
    if (!t && !w.vowels) t = by_spelling(w, BARE, bare);
    if (!t && w.vowels && w.n >= 3 && sounds_fit(w.p, w.n)) t = by_spelling(w, VOWELS, starred);
    return t ? t : by_keyboard(w);
}

/* One of the tests of find() will pass. Here nearly all words of ordinary text are turned away, without a branch for each test. */
static inline bool may_miss(word w) {
    unsigned any = !w.vowels | (w.doubled > 1);
    if (w.n >= LONG_LEAST) return any | shape_fits(w.p, w.n) | end_fits(w.p, w.n) | sounds_fit(w.p, w.n);
    return any || (w.n >= 3 && (shape_fits(w.p, w.n) | sounds_fit(w.p, w.n) | (w.p[0] == 'a')));
}

/* The trigger word that `w` wants to be, or NULL; *right: it is one. */
static const bzr__trigger *near_miss(word w, bool *right) {
    *right = shape_fits(w.p, w.n) && is_trigger(w);
    if (*right || !may_miss(w)) return NULL;
    const bzr__trigger *t = find(w);
    return t && !is_real(w) ? t : NULL;
}

/* ---- the text ---- */

static bool has_prefix(word w, const bzr__trigger *t) {
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

/* 64 bytes of text as bit masks; words are cut out of them without a branch a byte. */
typedef struct block {
    uint64_t letter, vowel, doubled; /* doubled: the same letter as the one after it */
    uint64_t words;                  /* where words begin that are not passed over at once */
} block;

#if defined(__SSE2__)
static inline uint64_t equal(__m128i v, char c) {
    return (uint64_t)(unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(v, _mm_set1_epi8(c)));
}

static inline block block_of(const char *p) { /* 65 bytes are readable */
    block b = { 0, 0, 0, 0 };
    for (unsigned i = 0; i < 64; i += 16) {
        __m128i v = _mm_loadu_si128((const __m128i *)(const void *)(p + i)),
                after = _mm_loadu_si128((const __m128i *)(const void *)(p + i + 1));
        __m128i letter =
            _mm_and_si128(_mm_cmpgt_epi8(v, _mm_set1_epi8('a' - 1)), _mm_cmplt_epi8(v, _mm_set1_epi8('z' + 1)));
        b.letter |= (uint64_t)(unsigned)_mm_movemask_epi8(letter) << i;
        b.vowel |= (equal(v, 'a') | equal(v, 'e') | equal(v, 'i') | equal(v, 'o') | equal(v, 'u')) << i;
        b.doubled |= (uint64_t)(unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(v, after)) << i;
    }
    return b;
}
#else
static block block_of(const char *p) {
    block b = { 0, 0, 0, 0 };
    for (unsigned i = 0; i < 64; i++) {
        b.letter |= (uint64_t)bzr__is_lower((unsigned char)p[i]) << i;
        b.vowel |= (uint64_t)is_vowel(p[i]) << i;
        b.doubled |= (uint64_t)(p[i] == p[i + 1]) << i;
    }
    return b;
}
#endif

/* Words of LONG_LEAST letters and more, of three or four without a vowel, and what touches the end of the block. */
static uint64_t words_of(const block *b) {
    uint64_t begins = b->letter & ~(b->letter << 1), two = b->letter & b->letter >> 1, three = two & b->letter >> 2, four = three & b->letter >> 3;
    uint64_t five = four & b->letter >> 4, spoken = b->vowel | b->vowel >> 1 | b->vowel >> 2 | (four & b->vowel >> 3);
    uint64_t last = b->letter >> 63 && ~b->letter ? UINT64_C(1) << (64 - __builtin_clzll(~b->letter)) : 0;
    return (begins & (five | (three & ~spoken))) | last;
}

static block block_at(bzr_str s, size_t at) {
    char tail[65] = { 0 };
    bool whole = s.n - at >= sizeof tail;
    if (!whole) memcpy(tail, s.p + at, s.n - at);
    block b = block_of(whole ? s.p + at : tail);
    b.words = words_of(&b);
    return b;
}

typedef struct reader {
    bzr_str s;
    size_t at; /* of the block */
    block b;
    uint32_t skipped; /* words of LONG_LEAST letters since the last that was returned */
} reader;

static reader reader_of(bzr_str s) {
    reader r = { s, 0, { 0, 0, 0, 0 }, 0 };
    if (s.n) r.b = block_at(s, 0);
    return r;
}

static void go_to(reader *r, size_t at) {
    r->at = at;
    if (at < r->s.n) r->b = block_at(r->s, at);
}

/* The word that begins at bit `start` of the block; false if it may go on behind the block, which then begins with it. */
static inline bool read_word(reader *r, unsigned start, word *ret) {
    uint64_t rest = ~(r->b.letter >> start);
    unsigned n = rest ? (unsigned)__builtin_ctzll(rest) : 64;
    if (n > 64 - start) n = 64 - start;
    if (start && start + n == 64 && r->s.n - r->at > 64) {
        go_to(r, r->at + start);
        return false;
    }
    uint64_t mask = (n < 64 ? (UINT64_C(1) << n) - 1 : UINT64_MAX) << start, twice = r->b.doubled & mask & mask >> 1;
    *ret = (word){ r->s.p + r->at + start, n, (r->b.vowel & mask) != 0, (twice != 0) + ((twice & (twice - 1)) != 0) };
    return true;
}

/* The next word that may be a trigger that counts, or is one; false at the end. */
static bool next_candidate(reader *r, word *ret) {
    while (r->at < r->s.n) {
        if (!r->b.words) {
            go_to(r, r->at + 64);
            continue;
        }
        if (!read_word(r, (unsigned)__builtin_ctzll(r->b.words), ret)) continue;
        r->b.words &= r->b.words - 1;
        if (ret->n > WORD_MAX) continue;
        if (ret->n < LONG_LEAST ? !ret->vowels && ret->n >= 3 : may_miss(*ret)) return true;
        r->skipped += ret->n >= LONG_LEAST;
    }
    return false;
}

/* The next word of letters; false at the end. */
static bool next_word(reader *r, word *ret) {
    while (r->at < r->s.n) {
        if (!r->b.letter) {
            go_to(r, r->at + 64);
            continue;
        }
        if (!read_word(r, (unsigned)__builtin_ctzll(r->b.letter), ret)) continue;
        size_t end = (size_t)(ret->p - r->s.p) + ret->n;
        if (ret->n == 64) { /* no word, however long it is */
            while (end < r->s.n && bzr__is_lower((unsigned char)r->s.p[end])) end++;
            go_to(r, end);
            continue;
        }
        r->b.letter &= UINT64_MAX << (end - r->at - 1) << 1;
        if (ret->n >= WORD_LEAST && ret->n <= WORD_MAX) return true;
    }
    return false;
}

uint32_t bzr__count_typos(bzr_str folded, uint32_t enough) {
    signs seen = no_signs();
    reader r = reader_of(folded);
    word w;
    while (seen.n < enough && next_candidate(&r, &w)) {
        seen.since_mended += r.skipped;
        seen.since_right += r.skipped;
        r.skipped = 0;
        bool right;
        const bzr__trigger *t = near_miss(w, &right);
        weigh(&seen, t && !t->is_short, right && w.n >= EDIT_LEAST);
    }
    return seen.n;
}

/* How many words of the text are a trigger word with the letter before it: "xignore xall xprevious". */
static void count_prefixes(bzr_str folded, uint32_t prefixes[26]) {
    word w;
    for (reader r = reader_of(folded); next_word(&r, &w);) {
        bool may = w.n > EDIT_LEAST && shape_fits(w.p + 1, w.n - 1) && is_trigger((word){ w.p + 1, w.n - 1, 0, 0 });
        bool right;
        const bzr__trigger *t = may ? near_miss(w, &right) : NULL;
        if (t && has_prefix(w, t)) prefixes[w.p[0] - 'a']++;
    }
}

uint32_t bzr__fix_typos(bzr_str folded, bzr__buf *out, bzr__offmap *map) {
    uint32_t prefixes[26] = { 0 };
    count_prefixes(folded, prefixes);
    signs seen = no_signs();
    size_t copied = 0;
    word w;
    for (reader r = reader_of(folded); next_word(&r, &w);) {
        bool prefixed =
            prefixes[w.p[0] - 'a'] >= PREFIXES_NEEDED && w.n > 3 && is_trigger((word){ w.p + 1, w.n - 1, 0, 0 });
        bool right = prefixed && shape_fits(w.p, w.n) && is_trigger(w);
        const bzr__trigger *t = prefixed ? NULL : near_miss(w, &right);
        if (w.n >= LONG_LEAST || t || prefixed) weigh(&seen, prefixed || (t && !t->is_short), right && w.n >= EDIT_LEAST);
        if (!t && !prefixed) continue;
        size_t start = (size_t)(w.p - folded.p), n = t ? t->n : w.n - 1;
        bzr__buf_add(out, folded.p + copied, start - copied);
        bzr__buf_add(out, t ? t->word : w.p + 1, n);
        if (map) bzr__offmap_add(map, start - copied, start - copied);
        if (map) bzr__offmap_add(map, n, w.n);
        copied = start + w.n;
    }
    bzr__buf_add(out, folded.p + copied, folded.n - copied);
    if (map) bzr__offmap_add(map, folded.n - copied, folded.n - copied);
    return seen.n;
}
