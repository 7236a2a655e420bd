/* shape.c - the shapes that disguised words have: letters apart, words run together, words cut up, leet.
 *
 * A window of 64 bytes becomes a few bit masks, one bit a byte, and each shape is some shifts of them. It tells nothing
 * about what the letters say (disguise.c). With AVX2, windows that have no shape are passed over by masks of whole
 * blocks: the same tests with wider classes of bytes. Prose has few others. */
#include "lib/disguise/shape.h"
#include "lib/base/simd.h"
#include "lib/base/str.h"
#include "lib/disguise/core.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#define ROW            64u /* bytes looked at together */
#define SINGLES        5u  /* single letters at the same distance */
#define LEET_PLACES    2u  /* places with a sign between letters */
#define JOINTS         2u  /* places where two letters are joined by signs without a blank */
#define LETTERS_JOINED 16u /* letters in a window for a run of word signs to be words */

/* Bit i: byte i is one. `leet`: digits and ! $ + @ |. `word`: letters and - _ / and the full stop. `sign`:
 * visible ASCII but letters and digits. `stroke`: | \ /. */
typedef struct masks {
    uint64_t letter, leet, word, sign, stroke;
} masks;

#if defined(__SSE2__)
static inline __m128i eq(__m128i v, char c) { return _mm_cmpeq_epi8(v, _mm_set1_epi8(c)); }
static inline __m128i within(__m128i v, char first, char last) {
    return _mm_and_si128(_mm_cmpgt_epi8(v, _mm_set1_epi8((char)(first - 1))),
                         _mm_cmplt_epi8(v, _mm_set1_epi8((char)(last + 1))));
}
static inline uint64_t bits(__m128i v) { return (uint64_t)(unsigned)_mm_movemask_epi8(v); }

static inline masks masks_of_16(const char *p) {
    __m128i v = _mm_loadu_si128((const __m128i *)(const void *)p);
    __m128i letter = within(_mm_or_si128(v, _mm_set1_epi8(0x20)), 'a', 'z'), digit = within(v, '0', '9');
    __m128i slash = eq(v, '/'), bar = eq(v, '|');
    __m128i leet = _mm_or_si128(_mm_or_si128(digit, bar), _mm_or_si128(_mm_or_si128(eq(v, '!'), eq(v, '$')),
                                                                       _mm_or_si128(eq(v, '+'), eq(v, '@'))));
    __m128i word = _mm_or_si128(_mm_or_si128(letter, slash), _mm_or_si128(within(v, '-', '.'), eq(v, '_')));
    __m128i tag = _mm_or_si128(
        eq(v, '<'), _mm_or_si128(eq(v, '='), eq(v, '>'))); /* what tags cut up is read without them elsewhere */
    __m128i sign =
        _mm_andnot_si128(_mm_or_si128(_mm_or_si128(letter, digit), tag), _mm_cmpgt_epi8(v, _mm_set1_epi8(0x20)));
    return (masks){ bits(letter), bits(leet), bits(word), bits(sign),
                    bits(_mm_or_si128(_mm_or_si128(bar, slash), eq(v, '\\'))) };
}
#else
static masks masks_of_16(const char *p) {
    masks m = { 0, 0, 0, 0, 0 };
    for (unsigned i = 0; i < 16; i++) {
        int c = (unsigned char)p[i];
        uint64_t bit = UINT64_C(1) << i;
        bool letter = toad__is_alpha(c), digit = toad__is_digit(c);
        if (letter) m.letter |= bit;
        if (digit || c == '!' || c == '$' || c == '+' || c == '@' || c == '|') m.leet |= bit;
        if (letter || c == '-' || c == '.' || c == '/' || c == '_') m.word |= bit;
        if (c > 0x20 && c < 0x80 && !letter && !digit && c != '<' && c != '=' && c != '>') m.sign |= bit;
        if (c == '|' || c == '/' || c == '\\') m.stroke |= bit;
    }
    return m;
}
#endif

/* Of 32 bytes, in the lower half. */
static inline masks masks_of_step(const char *p) {
    masks a = masks_of_16(p), b = masks_of_16(p + 16);
    return (masks){ a.letter | b.letter << 16, a.leet | b.leet << 16, a.word | b.word << 16, a.sign | b.sign << 16,
                    a.stroke | b.stroke << 16 };
}

/* Are `n` bits or more set? (Few machines that the baseline is built for have an instruction to count them.) */
static inline bool at_least(uint64_t m, unsigned n) {
    while (--n && m) m &= m - 1;
    return m != 0;
}
/* Bit i stays where bits i to i + 15 are set. */
static inline uint64_t runs_of_16(uint64_t m) {
    m &= m >> 1;
    m &= m >> 2;
    m &= m >> 4;
    return m & m >> 8;
}

/* i g n o r e: single letters two to five bytes apart (the separators may be more than one byte). */
static inline bool is_separated(const masks *m) {
    uint64_t single = m->letter & ~(m->letter << 1) & ~(m->letter >> 1) & UINT64_C(0x7FFFFFFFFFFFFFFE), any = 0;
    if (!at_least(single, SINGLES)) return false;
    for (unsigned d = 2; d <= 5; d++) any |= single & single >> d & single >> 2 * d & single >> 3 * d & single >> 4 * d;
    return any != 0;
}

/* pr3v10us; also |\ and the like, of which letters are built. */
static inline bool is_leet(const masks *m) {
    if (!(m->leet | m->stroke)) return false;
    uint64_t between = m->letter & m->leet >> 1, one = between & m->letter >> 2,
             two = between & m->leet >> 2 & m->letter >> 3;
    uint64_t strokes = m->stroke & m->stroke >> 1;
    return at_least(one | two, LEET_PLACES) || at_least(strokes, 2 * LEET_PLACES);
}

/* ignoreallprevious, ignore-all-previous: 18 letters, or 20 word signs that are mostly letters. */
static inline bool is_joined(const masks *m) {
    uint64_t run = runs_of_16(m->word);
    if (!run) return false;
    uint64_t letters = runs_of_16(m->letter);
    return (letters & letters >> 2) || ((run & run >> 4) && at_least(m->letter, LETTERS_JOINED));
}

/* (ign)(ore), ig/\**\/nore, "ign" + "ore": letters joined by two or four signs, or by quotes around a plus. */
static inline bool is_cut_up(const masks *m) {
    uint64_t pair = m->sign & m->sign >> 1, joint = m->letter & pair >> 1;
    uint64_t two = joint & m->letter >> 3, four = joint & pair >> 3 & m->letter >> 5;
    uint64_t blank = ~(m->letter | m->leet | m->sign);
    uint64_t quotes = m->letter & m->sign >> 1 & blank >> 2 & m->sign >> 3 & blank >> 4 & m->sign >> 5 & m->letter >> 6;
    return at_least(two | four | quotes, JOINTS);
}

/* The step at `at`, as many bytes of it as the text has. */
static masks step_at(toad_str folded, size_t at) {
    char tail[TOAD__STEP] = { 0 };
    if (folded.n - at >= TOAD__STEP) return masks_of_step(folded.p + at);
    memcpy(tail, folded.p + at, folded.n - at);
    return masks_of_step(tail);
}

/* The window that ends with the step `now`; `before` is the step before it. */
static masks window_of(const masks *before, const masks *now) {
    return (masks){ before->letter | now->letter << 32, before->leet | now->leet << 32, before->word | now->word << 32,
                    before->sign | now->sign << 32, before->stroke | now->stroke << 32 };
}

/* ---- which windows have a shape ---- */

static unsigned shapes_of(const masks *m) {
    return (is_separated(m) || is_cut_up(m) ? TOAD__SHAPE_SEPARATED : 0u) | (is_leet(m) ? TOAD__SHAPE_LEET : 0u) |
           (is_joined(m) ? TOAD__SHAPE_JOINED : 0u);
}

unsigned toad__shapes_at(toad_str folded, size_t floor, size_t at) {
    masks before = { 0, 0, 0, 0, 0 }, now = step_at(folded, at);
    if (at >= floor + TOAD__STEP) before = step_at(folded, at - TOAD__STEP);
    masks m = window_of(&before, &now);
    return shapes_of(&m);
}

static inline void note(toad__shaped *ret, unsigned i, unsigned shapes) {
    ret->any |= (uint64_t)(shapes != 0) << i;
    ret->leet |= (uint64_t)((shapes & TOAD__SHAPE_LEET) != 0) << i;
}

#if HAVE_AVX2
enum { DIGIT = 2, LEET = 15, LETTER = 48, WORD = 240 };

__attribute__((target("avx2"))) static inline uint64_t mask_of(__m256i v) { return (uint32_t)_mm256_movemask_epi8(v); }
__attribute__((target("avx2"))) static inline __m256i are(__m256i v, char c) {
    return _mm256_cmpeq_epi8(v, _mm256_set1_epi8(c));
}

__attribute__((target("avx2"))) static inline uint64_t none_of(__m256i class, int of) {
    return mask_of(_mm256_cmpeq_epi8(_mm256_and_si256(class, _mm256_set1_epi8((char)of)), _mm256_setzero_si256()));
}

/* A byte is of a class where the tables have a bit in common at its lower half and at its upper half: 1 ! $ +, 2
 * digits, 4 @, 8 |, 16 and 32 letters, 64 and 128 the other word signs. */
__attribute__((target("avx2"))) static inline masks masks_of_row(const char *p) {
    const __m256i low = _mm256_broadcastsi128_si256(
        _mm_setr_epi8(38, 51, 50, 50, 51, 50, 50, 50, 50, 50, 48, 17, 24, 80, 80, (char)208));
    const __m256i high =
        _mm256_broadcastsi128_si256(_mm_setr_epi8(0, 0, 65, 2, 20, (char)160, 16, 40, 0, 0, 0, 0, 0, 0, 0, 0));
    masks m = { 0, 0, 0, 0, 0 };
    for (unsigned i = 0; i < ROW; i += 32) {
        __m256i v = _mm256_loadu_si256((const __m256i *)(const void *)(p + i));
        __m256i upper = _mm256_and_si256(_mm256_srli_epi16(v, 4), _mm256_set1_epi8(15));
        __m256i class = _mm256_and_si256(_mm256_shuffle_epi8(low, v), _mm256_shuffle_epi8(high, upper));
        __m256i seen = _mm256_cmpgt_epi8(v, _mm256_set1_epi8(0x20)),
                tag = _mm256_or_si256(are(v, '<'), _mm256_or_si256(are(v, '='), are(v, '>')));
        __m256i sign = _mm256_cmpeq_epi8(_mm256_and_si256(class, _mm256_set1_epi8(LETTER | DIGIT)),
                                         tag); /* neither, and no tag: nothing equals nothing */
        m.letter |= none_of(class, LETTER) << i;
        m.leet |= none_of(class, LEET) << i;
        m.word |= none_of(class, WORD) << i;
        m.sign |= mask_of(_mm256_and_si256(sign, seen)) << i;
        m.stroke |= mask_of(_mm256_or_si256(are(v, '/'), _mm256_or_si256(are(v, '|'), are(v, '\\')))) << i;
    }
    return (masks){ ~m.letter, ~m.leet, ~m.word, m.sign, m.stroke };
}

/* A row of bytes, or a window, by coarser classes: `other` is all that is visible, but letters and what tags are made
 * of. */
typedef struct outline {
    uint64_t letter, word, other, stroke;
} outline;

/* n bytes from `first` on. */
__attribute__((target("avx2"))) static inline __m256i among(__m256i v, char first, int n) {
    return _mm256_cmpgt_epi8(_mm256_set1_epi8((char)(n - 128)),
                             _mm256_add_epi8(v, _mm256_set1_epi8((char)(-128 - first))));
}

__attribute__((target("avx2"))) static inline outline outline_of(const char *p) {
    outline o = { 0, 0, 0, 0 };
    for (unsigned i = 0; i < ROW; i += 32) {
        __m256i v = _mm256_loadu_si256((const __m256i *)(const void *)(p + i)),
                letter = among(_mm256_or_si256(v, _mm256_set1_epi8(0x20)), 'a', 26);
        o.letter |= mask_of(letter) << i;
        o.word |= mask_of(_mm256_or_si256(letter, _mm256_or_si256(among(v, '-', 3), are(v, '_')))) << i;
        o.other |= mask_of(_mm256_andnot_si256(_mm256_or_si256(letter, among(v, '<', 3)),
                                               _mm256_cmpgt_epi8(v, _mm256_set1_epi8(0x20))))
                   << i;
        o.stroke |= mask_of(_mm256_or_si256(are(v, '/'), are(_mm256_or_si256(v, _mm256_set1_epi8(0x20)), '|')))
                    << i; /* | and \ */
    }
    return o;
}

__attribute__((target("avx2"))) static inline outline outline_at(toad_str folded, size_t at) {
    if (folded.n - at >= ROW) return outline_of(folded.p + at);
    char tail[ROW] = { 0 };
    memcpy(tail, folded.p + at, folded.n - at);
    return outline_of(tail);
}

__attribute__((target("avx2,bmi,popcnt"))) static unsigned look_closely(toad_str folded, size_t floor, size_t at) {
    if (at < floor + TOAD__STEP || folded.n - at < TOAD__STEP) return toad__shapes_at(folded, floor, at);
    masks m = masks_of_row(folded.p + at - TOAD__STEP);
    return shapes_of(&m);
}

/* The shapes of the window around `at`, looked at closely only where it has what each of them but the joined one takes:
 * single letters, letters with other signs between or behind them, or strokes in a row. */
__attribute__((target("avx2,bmi,popcnt"))) static inline unsigned shapes_in(const outline *o, toad_str folded,
                                                                            size_t floor, size_t at) {
    uint64_t single = o->letter & ~(o->letter << 1) & ~(o->letter >> 1), strokes = o->stroke & o->stroke >> 1,
             behind = o->letter & o->other >> 1;
    uint64_t gaps = behind & ((o->letter & ~o->word << 1) >> 2 | o->other >> 3 | (o->other >> 2 & o->letter >> 3));
    if ((gaps & (gaps - 1)) | (strokes & (strokes - 1)) || __builtin_popcountll(single) >= (int)SINGLES)
        return look_closely(folded, floor, at);
    masks m = { o->letter, 0, o->word, 0, 0 };
    return is_joined(&m) ? TOAD__SHAPE_JOINED : 0;
}

__attribute__((target("avx2,bmi,popcnt"))) static toad__shaped shaped_avx2(toad_str folded, size_t floor, size_t from) {
    toad__shaped ret = { 0, 0 };
    outline before = { 0, 0, 0, 0 }, now;
    if (from >= floor + ROW) before = outline_of(folded.p + from - ROW);
    for (unsigned i = 0; i < TOAD__STEPS && from + i * TOAD__STEP < folded.n; i += 2, before = now) {
        size_t at = from + i * TOAD__STEP;
        now = outline_at(folded, at);
        outline between = { before.letter >> 32 | now.letter << 32, before.word >> 32 | now.word << 32,
                            before.other >> 32 | now.other << 32, before.stroke >> 32 | now.stroke << 32 };
        unsigned first = shapes_in(&between, folded, floor, at), second = 0;
        if (at + TOAD__STEP < folded.n) second = shapes_in(&now, folded, floor, at + TOAD__STEP);
        if (!(first | second)) continue;
        note(&ret, i, first);
        note(&ret, i + 1, second);
    }
    return ret;
}
#endif

toad__shaped toad__shaped_steps(toad_str folded, size_t floor, size_t from) {
#if HAVE_AVX2
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi")) return shaped_avx2(folded, floor, from);
#endif
    toad__shaped ret = { 0, 0 };
    for (unsigned i = 0; i < TOAD__STEPS && from + i * TOAD__STEP < folded.n; i++)
        note(&ret, i, toad__shapes_at(folded, floor, from + i * TOAD__STEP));
    return ret;
}
