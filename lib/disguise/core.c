/* disguise.c - where in a text does a word stand, disguised, that the skeleton rules need?
 *
 * Asked where the text has the shape of it, which prose has seldom, and code, markup and tables often: the letters of a
 * stretch are put together, all else left out, and the core words are looked for among them. One counts that is not
 * spelled plainly where it stands; of words run together, as in one identifier, it takes two, since names are made of
 * such words too.
 *
 * Each word is known by its rarest four letters: of a table by place and letter it takes the bits of the sets of words
 * that these letters may belong to, and few texts pass all four (core_words.def, as in Hyperscan's Teddy). With AVX2 it
 * is 32 letters at a time.
 *
 * Every pattern with the view `skeleton` must need one of these words: tests/unit/disguise/test_skeleton.c holds that.
 * Cost: about an instruction a byte. */
#include "lib/disguise/core.h"
#include "lib/base/cursor.h"
#include "lib/base/simd.h"
#include "lib/base/str.h"
#include "lib/disguise/shape.h"
#include "lib/disguise/skeleton.h"
#include "lib/disguise/tables/core_words.gen.h"

#define BLOCK  64u
#define BLOCKS (TOAD__STEPS * TOAD__STEP / BLOCK + 4) /* with what stands around the first and the last step */
#define APART  4u                                     /* steps that are looked at together */
#define AHEAD  40u                                    /* zeros behind the letters, so that loads may end there */

/* The letters of a stretch of text that begins at `start`. */
typedef struct stretch {
    toad_str s;
    size_t start, end;
    unsigned blocks, n;
    uint64_t name[BLOCKS];       /* which bytes are letters or digits */
    uint16_t before[BLOCKS + 1]; /* how many letters stand before the block */
    char at[BLOCKS * BLOCK + AHEAD];
} stretch;

/* ---- the letters ---- */

static void put_portable(stretch *t, const char *p) {
    uint64_t name = 0;
    for (unsigned i = 0; i < BLOCK; i++) {
        bool is_name = toad__is_alnum((unsigned char)p[i]);
        name |= (uint64_t)is_name << i;
        t->at[t->n] = (char)toad__skeleton_of[p[i] & 0x7F];
        t->n += is_name;
    }
    t->name[t->blocks] = name;
}

#if HAVE_AVX2
__attribute__((target("avx2"))) static inline __m256i within(__m256i v, char first, char last) {
    return _mm256_and_si256(_mm256_cmpgt_epi8(v, _mm256_set1_epi8((char)(first - 1))),
                            _mm256_cmpgt_epi8(_mm256_set1_epi8((char)(last + 1)), v));
}

__attribute__((target("avx2"))) static inline __m256i twice(const void *p) {
    return _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)p));
}

/* Half a block; returns which bytes are letters or digits. The letters go to t->at, eight bytes at a time. */
__attribute__((target("avx2,popcnt"))) static inline uint32_t put_half(stretch *t, __m256i v) {
    static const char digits[16] = { 'o', 'i', 'z', 'e', 'a', 's', 'g', 't', 'b', 'g', 0, 0, 0, 0, 0, 0 };
    __m256i lower = _mm256_or_si256(v, _mm256_set1_epi8(0x20)), digit = within(v, '0', '9');
    __m256i letters = _mm256_blendv_epi8(lower, _mm256_set1_epi8('i'), _mm256_cmpeq_epi8(lower, _mm256_set1_epi8('l')));
    letters = _mm256_blendv_epi8(letters, _mm256_shuffle_epi8(twice(digits), v), digit);
    uint32_t names = (uint32_t)_mm256_movemask_epi8(_mm256_or_si256(within(lower, 'a', 'z'), digit));
    uint64_t eight[4];
    _mm256_storeu_si256((__m256i *)(void *)eight, letters);
    for (unsigned i = 0; i < 4; i++) {
        uint32_t mask = names >> 8 * i & 0xFF;
        __m128i order = _mm_cvtsi64_si128((long long)toad__core_squeeze[mask]);
        _mm_storel_epi64((__m128i *)(void *)(t->at + t->n),
                         _mm_shuffle_epi8(_mm_cvtsi64_si128((long long)eight[i]), order));
        t->n += (unsigned)_mm_popcnt_u32(mask);
    }
    return names;
}

__attribute__((target("avx2,popcnt"))) static inline void put_avx2(stretch *t, const char *p) {
    __m256i a = _mm256_loadu_si256((const __m256i *)(const void *)p),
            b = _mm256_loadu_si256((const __m256i *)(const void *)(p + 32));
    uint64_t low = put_half(t, a), high = put_half(t, b);
    t->name[t->blocks] = low | high << 32;
}
#endif

typedef void put_fn(stretch *t, const char *p);

ALWAYS_INLINE void put_letters(stretch *t, put_fn *put) {
    char tail[BLOCK];
    for (size_t at = t->start; at < t->end; at += BLOCK) {
        const char *p = t->s.p + at;
        if (t->s.n - at < BLOCK) {
            memset(tail, ' ', sizeof tail);
            p = memcpy(tail, p, t->s.n - at);
        }
        t->before[t->blocks] = (uint16_t)t->n;
        put(t, p);
        t->blocks++;
    }
    t->before[t->blocks] = (uint16_t)t->n;
    memset(t->at + t->n, 0, AHEAD);
}

/* Where letter k, one of block b or near it, stands in the text. */
static size_t place_of(const stretch *t, unsigned k, unsigned *b) {
    while (t->before[*b + 1] <= k) ++*b;
    while (t->before[*b] > k) --*b;
    uint64_t names = t->name[*b];
    for (unsigned i = t->before[*b]; i < k; i++) names &= names - 1;
    return t->start + (size_t)*b * BLOCK + (unsigned)__builtin_ctzll(names);
}

/* ---- the words ---- */

/* A word found: letters [k, k + n). */
typedef struct found {
    const toad__core_word *word;
    unsigned k, n;
    bool phrase;
} found;

/* Bit i: the four letters at `p` + i may be those of a word. */
static uint32_t anchors_portable(const char *p) {
    uint32_t mask = 0;
    for (unsigned i = 0; i < 32; i++) {
        unsigned sets = toad__core_buckets[0][p[i] & 31] & toad__core_buckets[1][p[i + 1] & 31] &
                        toad__core_buckets[2][p[i + 2] & 31] & toad__core_buckets[3][p[i + 3] & 31];
        mask |= (uint32_t)(sets != 0) << i;
    }
    return mask;
}

#if HAVE_AVX2
__attribute__((target("avx2"))) static inline __m256i sets_of(const char *p, const uint8_t by_letter[32]) {
    __m256i v = _mm256_loadu_si256((const __m256i *)(const void *)p);
    return _mm256_blendv_epi8(_mm256_shuffle_epi8(twice(by_letter), v), _mm256_shuffle_epi8(twice(by_letter + 16), v),
                              _mm256_slli_epi16(v, 3));
}

__attribute__((target("avx2"))) static inline uint32_t anchors_avx2(const char *p) {
    __m256i sets = _mm256_and_si256(
        _mm256_and_si256(sets_of(p, toad__core_buckets[0]), sets_of(p + 1, toad__core_buckets[1])),
        _mm256_and_si256(sets_of(p + 2, toad__core_buckets[2]), sets_of(p + 3, toad__core_buckets[3])));
    return ~(uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(sets, _mm256_setzero_si256()));
}
#endif

/* The word whose four letters stand at `at` of n letters; false if there is none. */
static bool word_at(const char *letters, unsigned n, unsigned at, found *ret) {
    uint32_t code = 0;
    for (unsigned i = 0; i < 4; i++) code |= (uint32_t)(letters[at + i] & 31) << 5 * i;
    const toad__core_word *w = &toad__core_words[toad__core_slots[code * TOAD__CORE_FACTOR >> (32 - TOAD__CORE_BITS)]];
    if (at < w->anchor) return false;
    unsigned k = at - w->anchor;
    if (n - k < w->head || memcmp(letters + k, w->skeleton, w->head)) return false;
    bool phrase =
        w->n > w->head && n - k >= w->n && !memcmp(letters + k + w->head, w->skeleton + w->head, w->n - w->head);
    *ret = (found){ w, k, phrase ? w->n : w->head, phrase };
    return phrase || w->alone;
}

static bool is_glue(char c) { return toad__is_alnum((unsigned char)c) || c == '_' || c == '-' || c == '.' || c == '/'; }

/* Nothing but letters and what joins them. */
static bool is_one_run(toad_str s, size_t from, size_t to) {
    while (from < to && is_glue(s.p[from])) from++;
    return from == to;
}

/* The steps around which all of [start, end) stands. */
static uint64_t steps_around(size_t from, size_t start, size_t end) {
    size_t last = start + TOAD__REACH,
           first = end > TOAD__REACH + from ? (end - TOAD__REACH - from + TOAD__STEP - 1) / TOAD__STEP : 0;
    if (last < from || (last -= from) / TOAD__STEP < first || first >= TOAD__STEPS) return 0;
    last /= TOAD__STEP;
    return UINT64_MAX << first & (last < 63 ? (UINT64_C(2) << last) - 1 : UINT64_MAX);
}

/* The plain word that was found last. */
typedef struct plain {
    size_t start, end;
} plain;

/* Look at the word that is there: the steps that it counts for. */
static uint64_t judge(const stretch *t, const found *f, size_t from, unsigned *block, plain *last) {
    size_t start = place_of(t, f->k, block), end = place_of(t, f->k + f->word->head - 1, block) + 1;
    unsigned n = f->word->head;
    if (f->phrase) {
        size_t both = place_of(t, f->k + f->n - 1, block) + 1;
        if (both - end <= TOAD__REACH)
            n = f->n, end = both;
        else if (!f->word->alone)
            return 0;
    }
    bool is_plain = end - start == n && !memcmp(t->s.p + start, f->word->plain, n);
    if (!is_plain || n > f->word->head) return end - start <= 2 * TOAD__REACH ? steps_around(from, start, end) : 0;
    bool joined =
        last->end && last->end <= start && start - last->end <= 2 * TOAD__REACH && is_one_run(t->s, last->end, start);
    size_t run = joined ? last->start : start;
    *last = (plain){ start, end };
    return joined ? steps_around(from, run, end) : 0;
}

typedef uint32_t anchors_fn(const char *p);

ALWAYS_INLINE uint64_t disguised(const stretch *t, size_t from, anchors_fn *anchors) {
    plain last = { 0, 0 };
    uint64_t steps = 0;
    unsigned block = 0;
    found f;
    for (unsigned k = 0; k + 4 <= t->n; k += 32)
        for (uint32_t hits = anchors(t->at + k); hits; hits &= hits - 1)
            if (word_at(t->at, t->n, k + (unsigned)__builtin_ctz(hits), &f)) steps |= judge(t, &f, from, &block, &last);
    return steps;
}

ALWAYS_INLINE uint64_t look(stretch *t, size_t from, put_fn *put, anchors_fn *anchors) {
    put_letters(t, put);
    return disguised(t, from, anchors);
}

#if HAVE_AVX2
__attribute__((target("avx2,popcnt"))) static uint64_t look_avx2(stretch *t, size_t from) {
    return look(t, from, put_avx2, anchors_avx2);
}
#endif

/* Of the steps `first` to `last` and others near them. */
static uint64_t look_around(toad_str folded, size_t from, unsigned first, unsigned last) {
    stretch t;
    size_t start = from + (size_t)first * TOAD__STEP, end = from + (size_t)last * TOAD__STEP + 2 * TOAD__REACH;
    t.s = folded;
    t.start = start > TOAD__REACH ? start - TOAD__REACH : 0;
    t.end = folded.n < end ? folded.n : end;
    t.blocks = t.n = 0;
#if HAVE_AVX2
    if (__builtin_cpu_supports("avx2")) return look_avx2(&t, from);
#endif
    return look(&t, from, put_portable, anchors_portable);
}

uint64_t toad__disguised_steps(toad_str folded, size_t from, uint64_t steps) {
    uint64_t seen = 0;
    for (uint64_t left = steps; left;) {
        unsigned first = (unsigned)__builtin_ctzll(left), last = first;
        for (left &= left - 1; left && (unsigned)__builtin_ctzll(left) <= last + APART; left &= left - 1)
            last = (unsigned)__builtin_ctzll(left);
        seen |= look_around(folded, from, first, last);
    }
    return seen & steps;
}

/* ---- signs as letters ---- */

/* The letters around a step, signs read as letters, and where each begins and ends. */
typedef struct letters {
    unsigned n;
    uint8_t start[2 * TOAD__REACH], end[2 * TOAD__REACH];
    char at[2 * TOAD__REACH + AHEAD];
} letters;

static bool is_stroke(unsigned char c) { return c == '|' || c == '/' || c == '\\'; }

static bool is_sign(char c) { return c == '!' || c == '$' || c == '+' || c == '@' || c == '|' || c == '\\'; }

static bool has_signs(toad_str window) {
    for (size_t i = 0; i < window.n; i++)
        if (is_sign(window.p[i])) return true;
    return false;
}

static letters read_signs(toad_str window) {
    letters l;
    size_t len;
    l.n = 0;
    for (size_t i = 0; i < window.n; i += len) {
        unsigned char c = (unsigned char)window.p[i];
        char letter = c < 0x80 ? (char)toad__skeleton_of[c] : 0;
        len = 1;
        if (is_stroke(c)) letter = toad__skeleton_letter(window, i, true, &len);
        l.at[l.n] = letter;
        l.start[l.n] = (uint8_t)i;
        l.end[l.n] = (uint8_t)(i + len);
        l.n += letter != 0;
    }
    memset(l.at + l.n, 0, AHEAD);
    return l;
}

static uint32_t anchors_of(const char *p) {
#if HAVE_AVX2
    if (__builtin_cpu_supports("avx2")) return anchors_avx2(p);
#endif
    return anchors_portable(p);
}

bool toad__reads_with_signs(toad_str folded, size_t at) {
    toad_str window = toad__str_part(folded, at > TOAD__REACH ? at - TOAD__REACH : 0,
                                     folded.n - at > TOAD__REACH ? at + TOAD__REACH : folded.n);
    if (!has_signs(window)) return false;
    letters l = read_signs(window);
    found f;
    for (unsigned k = 0; k + 4 <= l.n; k += 32) {
        for (uint32_t hits = anchors_of(l.at + k); hits; hits &= hits - 1) {
            if (!word_at(l.at, l.n, k + (unsigned)__builtin_ctz(hits), &f)) continue;
            unsigned start = l.start[f.k], end = l.end[f.k + f.n - 1];
            if (end - start != f.n || memcmp(window.p + start, f.word->plain, f.n)) return true;
        }
    }
    return false;
}
