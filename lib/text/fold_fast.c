/* fold_fast.c - the loops that carry the load of folding: whole blocks of 64 bytes, whatever script they are in.
 *
 * A block is looked at once (which bytes are special, blank, line break, letter, hyphen, above 7F: one bit each) and
 * written in lower case. Where nothing of it changes length, that is all. Else it is walked from one event to the next:
 * blanks behind a blank become one, code points above 7F go by table, and what lies between is copied. Anything else
 * ends the loop, and fold.c takes one careful step. The body is one inline function, compiled once for each vector
 * unit; SSE2 and NEON are part of the base of their architectures, AVX2 is compiled in beside SSE2 and asked for per
 * call. Signed byte comparisons do most of the work: bytes above 7F are negative, so "below 20" finds them together
 * with the control characters. The map run of a code point is always written and kept only if the ratio of lengths
 * changed, as scripts that fold to one byte here and two there would otherwise miss a branch at every letter.
 */
#include "lib/base/simd.h"
#include "lib/base/str.h"
#include "lib/text/fold_work.h"

#if !HAVE_AVX2 && defined(__ARM_NEON) && defined(__aarch64__)
#include <arm_neon.h>
#endif

enum {
    BLOCK = 64,
    REACH = 32,     /* bytes behind a block that may be looked at */
    SHORT_TEXT = 4, /* longest replacement text copied here */
};

/* What 64 bytes hold; bit i stands for byte i. `special`: control characters but white space, DEL. */
typedef struct block {
    uint64_t special, high, space, breaks, letters, hyphens;
} block;

/* ---- looking at 64 bytes: written to `out` with A-Z as a-z and TAB, LF, VT, FF, CR as blanks (special and high bytes:
 * as anything), or as they are where `keep` ---- */

ALWAYS_INLINE block look_portable(const unsigned char *in, unsigned char *out, bool keep) {
    block b = { .special = 0 };
    for (unsigned i = 0; i < 64; i++) {
        int c = in[i];
        uint64_t bit = (uint64_t)1 << i;
        bool space = toad__is_space(c);
        if (space)
            b.space |= bit;
        else if (c >= 0x80)
            b.high |= bit;
        else if (c < 0x20 || c == 0x7F)
            b.special |= bit;
        if (c >= '\n' && c <= '\r') b.breaks |= bit;
        if (toad__is_alpha(c)) b.letters |= bit;
        if (c == '-') b.hyphens |= bit;
        out[i] = (unsigned char)(keep ? c : space ? ' ' : toad__lower(c));
    }
    return b;
}

#if HAVE_AVX2

ALWAYS_INLINE block look_sse2(const unsigned char *in, unsigned char *out, bool keep) {
    const __m128i blanks = _mm_set1_epi8(' '), after_cr = _mm_set1_epi8('\r' + 1);
    block b = { .special = 0 };
    for (unsigned i = 0; i < 64; i += 16) {
        __m128i x = _mm_loadu_si128((const __m128i *)(const void *)(in + i)), cased = _mm_or_si128(x, blanks);
        __m128i low = _mm_cmplt_epi8(x, after_cr),
                breaks = _mm_and_si128(_mm_cmpgt_epi8(x, _mm_set1_epi8('\n' - 1)), low);
        __m128i layout = _mm_and_si128(_mm_cmpgt_epi8(x, _mm_set1_epi8('\t' - 1)), low);
        __m128i special =
            _mm_or_si128(_mm_andnot_si128(layout, _mm_cmplt_epi8(x, blanks)), _mm_cmpeq_epi8(x, _mm_set1_epi8(0x7F)));
        __m128i letters =
            _mm_and_si128(_mm_cmpgt_epi8(cased, _mm_set1_epi8('a' - 1)), _mm_cmplt_epi8(cased, _mm_set1_epi8('z' + 1)));
        __m128i y = _mm_or_si128(x, _mm_and_si128(letters, blanks));
        y = _mm_or_si128(_mm_andnot_si128(layout, y), _mm_and_si128(layout, blanks));
        _mm_storeu_si128((__m128i *)(void *)(out + i), keep ? x : y);
        b.high |= (uint64_t)(unsigned)_mm_movemask_epi8(x) << i;
        b.special |= (uint64_t)(unsigned)_mm_movemask_epi8(special) << i;
        b.space |= (uint64_t)(unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(y, blanks)) << i;
        b.breaks |= (uint64_t)(unsigned)_mm_movemask_epi8(breaks) << i;
        b.letters |= (uint64_t)(unsigned)_mm_movemask_epi8(letters) << i;
        b.hyphens |= (uint64_t)(unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(x, _mm_set1_epi8('-'))) << i;
    }
    b.special &= ~b.high;
    return b;
}

#define AVX2 __attribute__((target("avx2,bmi,bmi2,popcnt")))

/* Half a block: its masks in the low bits of `ret`. */
AVX2 ALWAYS_INLINE block half_avx2(const unsigned char *in, unsigned char *out, bool keep) {
    const __m256i blanks = _mm256_set1_epi8(' '), x = _mm256_loadu_si256((const __m256i *)(const void *)in),
                  cased = _mm256_or_si256(x, blanks);
    __m256i low = _mm256_cmpgt_epi8(_mm256_set1_epi8('\r' + 1), x),
            breaks = _mm256_and_si256(_mm256_cmpgt_epi8(x, _mm256_set1_epi8('\n' - 1)), low);
    __m256i layout = _mm256_and_si256(_mm256_cmpgt_epi8(x, _mm256_set1_epi8('\t' - 1)), low);
    __m256i special = _mm256_or_si256(_mm256_andnot_si256(layout, _mm256_cmpgt_epi8(blanks, x)),
                                      _mm256_cmpeq_epi8(x, _mm256_set1_epi8(0x7F)));
    __m256i letters = _mm256_and_si256(_mm256_cmpgt_epi8(cased, _mm256_set1_epi8('a' - 1)),
                                       _mm256_cmpgt_epi8(_mm256_set1_epi8('z' + 1), cased));
    __m256i y = _mm256_blendv_epi8(_mm256_or_si256(x, _mm256_and_si256(letters, blanks)), blanks, layout);
    _mm256_storeu_si256((__m256i *)(void *)out, keep ? x : y);
    return (block){
        .special = (uint32_t)_mm256_movemask_epi8(special),
        .high = (uint32_t)_mm256_movemask_epi8(x),
        .space = (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(y, blanks)),
        .breaks = (uint32_t)_mm256_movemask_epi8(breaks),
        .letters = (uint32_t)_mm256_movemask_epi8(letters),
        .hyphens = (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(x, _mm256_set1_epi8('-'))),
    };
}

AVX2 ALWAYS_INLINE block look_avx2(const unsigned char *in, unsigned char *out, bool keep) {
    block a = half_avx2(in, out, keep), b = half_avx2(in + 32, out + 32, keep);
    uint64_t high = a.high | b.high << 32;
    return (block){ (a.special | b.special << 32) & ~high,
                    high,
                    a.space | b.space << 32,
                    a.breaks | b.breaks << 32,
                    a.letters | b.letters << 32,
                    a.hyphens | b.hyphens << 32 };
}

#elif defined(__ARM_NEON) && defined(__aarch64__)

ALWAYS_INLINE uint64_t mask_of(uint8x16_t m) {
    static const uint8_t bits[16] = { 1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128 };
    uint8x16_t x = vandq_u8(m, vld1q_u8(bits));
    return (uint64_t)vaddv_u8(vget_low_u8(x)) | (uint64_t)vaddv_u8(vget_high_u8(x)) << 8;
}

ALWAYS_INLINE block look_neon(const unsigned char *in, unsigned char *out, bool keep) {
    const uint8x16_t blanks = vdupq_n_u8(' ');
    block b = { .special = 0 };
    for (unsigned i = 0; i < 64; i += 16) {
        uint8x16_t x = vld1q_u8(in + i), cased = vorrq_u8(x, blanks);
        uint8x16_t low = vcleq_u8(x, vdupq_n_u8('\r')), breaks = vandq_u8(vcgeq_u8(x, vdupq_n_u8('\n')), low);
        uint8x16_t layout = vandq_u8(vcgeq_u8(x, vdupq_n_u8('\t')), low);
        uint8x16_t special = vorrq_u8(vbicq_u8(vcltq_u8(x, blanks), layout), vceqq_u8(x, vdupq_n_u8(0x7F)));
        uint8x16_t high = vcgeq_u8(x, vdupq_n_u8(0x80));
        uint8x16_t letters = vandq_u8(vcgeq_u8(cased, vdupq_n_u8('a')), vcleq_u8(cased, vdupq_n_u8('z')));
        letters = vbicq_u8(letters, high);
        uint8x16_t y = vbslq_u8(layout, blanks, vorrq_u8(x, vandq_u8(letters, blanks)));
        vst1q_u8(out + i, keep ? x : y);
        b.high |= mask_of(high) << i;
        b.special |= mask_of(special) << i;
        b.space |= mask_of(vceqq_u8(y, blanks)) << i;
        b.breaks |= mask_of(breaks) << i;
        b.letters |= mask_of(letters) << i;
        b.hyphens |= mask_of(vceqq_u8(x, vdupq_n_u8('-'))) << i;
    }
    return b;
}

#endif

/* ---- writing ---- */

/* Where the loop stands; copied back by leave(). */
typedef struct writer {
    unsigned char *text;
    toad__run *run;
    size_t out, in;
    uint32_t ratio;
    uint64_t counts; /* of one block: look-alikes, letters << 10, native letters << 20, dropped << 30 */
} writer;

enum { COUNT_BITS = 10 };

ALWAYS_INLINE writer enter(const toad__folding *f) {
    const toad__offmap *m = &f->v->map;
    return (writer){ .text = (unsigned char *)f->v->text.p,
                     .run = m->runs + m->n,
                     .out = m->out_len,
                     .in = m->in_len,
                     .ratio = m->n ? m->ratio : TOAD__FOLD_NO_RATIO - 1 };
}

ALWAYS_INLINE void leave(toad__folding *f, const writer *w) {
    toad__offmap *m = &f->v->map;
    m->n = (size_t)(w->run - m->runs);
    if (m->n) m->ratio = w->ratio;
    m->out_len = (uint32_t)w->out;
    m->in_len = (uint32_t)w->in;
    f->v->text.n = w->out;
    f->at = w->in;
}

ALWAYS_INLINE void flush_counts(toad__folding *f, writer *w) {
    const unsigned field = (1u << COUNT_BITS) - 1;
    f->v->ascii = false;
    f->looks += w->counts & field;
    f->v->letters += w->counts >> COUNT_BITS & field;
    f->natives += w->counts >> 2 * COUNT_BITS & field;
    f->v->dropped += w->counts >> 3 * COUNT_BITS & field;
    w->counts = 0;
}

/* Account for `n` bytes just written for `in` bytes read: a run starts where the ratio changes, without a branch. */
ALWAYS_INLINE void account(writer *w, unsigned n, unsigned in, uint32_t ratio) {
    *w->run = (toad__run){ (uint32_t)w->out, (uint32_t)w->in };
    w->run += (ratio != w->ratio) | (ratio == TOAD__FOLD_NO_RATIO);
    w->ratio = ratio;
    w->out += n;
    w->in += in;
}

ALWAYS_INLINE unsigned last(const writer *w) { return w->out ? w->text[w->out - 1] : 0; }

ALWAYS_INLINE uint64_t low_bits(unsigned n) { return n >= 64 ? ~(uint64_t)0 : ((uint64_t)1 << n) - 1; }

/* Line starts behind the line breaks of a stretch that is written from text offset `at` on. */
ALWAYS_INLINE void mark_lines(uint8_t *lines, uint64_t breaks, size_t at) {
    for (; breaks; breaks &= breaks - 1) {
        size_t line = at + 1 + (unsigned)__builtin_ctzll(breaks);
        lines[line >> 3] |= (uint8_t)(1u << (line & 7));
    }
}

/* A blank that stands for `in` bytes of input. */
ALWAYS_INLINE void put_blank(const toad__folding *f, writer *w, unsigned in, bool line) {
    w->text[w->out] = ' ';
    account(w, 1, in, in);
    f->v->lines[w->out >> 3] |= (uint8_t)(line << (w->out & 7));
}

/* The last byte of the text is a blank and `in` more bytes belong to it: it gets a run of its own. False if its place
 * in the map is not plain. */
static bool widen_blank(const toad__folding *f, writer *w, unsigned in, bool line) {
    uint32_t ratio = w->ratio;
    if (ratio == 0 || ratio == TOAD__FOLD_NO_RATIO) return false;
    w->out--;
    w->in -= ratio;
    if (w->run[-1].out == w->out) w->run--;
    w->ratio = TOAD__FOLD_NO_RATIO;
    put_blank(f, w, ratio + in, line);
    return true;
}

/* ---- code points above 7F ---- */

/* Well-formed UTF-8 of two to four bytes at p; its length, or 0. */
ALWAYS_INLINE unsigned decode(const unsigned char *p, uint32_t *c) {
    if (p[0] < 0xE0) {
        *c = (uint32_t)(p[0] & 31) << 6 | (p[1] & 63);
        return p[0] >= 0xC2 && (p[1] & 0xC0) == 0x80 ? 2 : 0;
    }
    if ((unsigned)((p[1] ^ 0x80) | (p[2] ^ 0x80)) >= 0x40) return 0;
    if (p[0] < 0xF0) {
        *c = (uint32_t)(p[0] & 15) << 12 | (uint32_t)(p[1] & 63) << 6 | (p[2] & 63);
        return *c >= 0x800 && (*c & 0xF800) != 0xD800 ? 3 : 0;
    }
    *c = (uint32_t)(p[0] & 7) << 18 | (uint32_t)(p[1] & 63) << 12 | (uint32_t)(p[2] & 63) << 6 | (p[3] & 63);
    return p[0] < 0xF5 && (p[3] & 0xC0) == 0x80 && *c >= 0x10000 && *c < 0x110000 ? 4 : 0;
}

/* Code points below 800: Latin, Greek, Cyrillic, Hebrew, Arabic. False: not handled here. */
ALWAYS_INLINE bool two_bytes(writer *w, const unsigned char *p, bool keep) {
    if ((p[1] & 0xC0) != 0x80) return false;
    uint64_t e = toad__fold_two[(unsigned)keep << 11 | (unsigned)(p[0] & 31) << 6 | (p[1] & 63)];
    if (!e || p[0] < 0xC0) return false;
    w->text[w->out] = (unsigned char)e;
    w->text[w->out + 1] = (unsigned char)(e >> 8);
    account(w, e >> 16 & 3, 2, e >> 20 & 3);
    w->counts += e >> 32;
    return true;
}

/* One code point by the two-stage table; its length, or 0 for what is not handled here. */
ALWAYS_INLINE unsigned any_letter(writer *w, const unsigned char *p, bool keep) {
#define COUNTS(f) ((f)&1) | (uint64_t)((f) >> 1 & 1) << COUNT_BITS | (uint64_t)((f) >> 2) << 2 * COUNT_BITS
    static const uint64_t counts_of[8] = { COUNTS(0), COUNTS(1), COUNTS(2), COUNTS(3),
                                           COUNTS(4), COUNTS(5), COUNTS(6), COUNTS(7) };
#undef COUNTS
    static const uint32_t none = TOAD__FOLD_NO_RATIO;
    static const uint32_t ratios[5][5] = {
        { 0 }, { 0 }, { 0, 2, 1, none, none }, { 0, 3, none, 1, none }, { 0, 4, 2, none, 1 }
    };
    static const uint8_t class_flags[] = { 0, TOAD__FOLD_F_LETTER, TOAD__FOLD_F_LETTER | TOAD__FOLD_F_NATIVE };
    uint32_t c;
    unsigned in = decode(p, &c), e = in ? toad__fold_entry(c, keep) : TOAD__FOLD_INVISIBLE, n = in, flags;
    if (e <= TOAD__FOLD_NATIVE) {
        flags = class_flags[e];
    } else if (e == TOAD__FOLD_MARK) {
        n = flags = 0;
    } else {
        const uint8_t *text = toad__fold_pool + e;
        if (e < TOAD__FOLD_FIRST_TEXT || text[0] > SHORT_TEXT || text[1] & TOAD__FOLD_F_JAMO) return 0;
        n = text[0];
        flags = text[1];
        p = text + 2;
    }
    memcpy(w->text + w->out, p, 4);
    w->counts += counts_of[flags];
    account(w, n, in, ratios[in][n]);
    return in;
}

/* The code points of three or four bytes from p on that show nothing, and bytes that are part of none, up to `end`:
 * what fold.c does with them. Those of two bytes, and ill-formed ones that may mean something, are left to it. Returns
 * their bytes. */
static unsigned take_hidden(const toad__folding *f, writer *w, const unsigned char *p, const unsigned char *end) {
    const unsigned char *start = p;
    unsigned in = 1;
    uint32_t c = 0;
    while (p < end && *p >= 0x80) {
        if (p - start < 3 || in != 3 || p[0] != p[-3] || p[1] != p[-2] ||
            p[2] != p[-1]) { /* not one more of the same */
            in = decode(p, &c);
            bool stray = p[0] < 0xC0 || p[0] > 0xFD || (p[1] & 0xC0) != 0x80;
            if (in < 3 ? !stray : toad__fold_entry(c, f->keep) != TOAD__FOLD_INVISIBLE) break;
            if (in < 3) in = 1;
        }
        bool tag = in == 4 && c > 0xE0020 && c < 0xE007F, shown = f->blank && (tag || last(w) != ' ');
        w->counts += (uint64_t)1 << 3 * COUNT_BITS;
        w->text[w->out] = (unsigned char)(tag ? toad__lower((int)(c - 0xE0000)) : ' ');
        account(w, shown, in, shown ? in : 0);
        p += in;
    }
    return (unsigned)(p - start);
}

/* Several letters at once, from p on, where 32 bytes may be read and written; their bytes, or 0. */
typedef unsigned many_letters(writer *w, const unsigned char *p, bool keep);

ALWAYS_INLINE unsigned many_portable(writer *w, const unsigned char *p, bool keep) {
    (void)w, (void)p, (void)keep;
    return 0;
}

#if HAVE_AVX2

AVX2 ALWAYS_INLINE unsigned lanes_avx2(__m256i x) { return (unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(x)); }

AVX2 ALWAYS_INLINE uint32_t sum_avx2(__m256i x) {
    __m128i s = _mm_add_epi32(_mm256_castsi256_si128(x), _mm256_extracti128_si256(x, 1));
    s = _mm_add_epi32(s, _mm_shuffle_epi32(s, 0x4E));
    return (uint32_t)_mm_cvtsi128_si32(_mm_add_epi32(s, _mm_shuffle_epi32(s, 0xB1)));
}

/* Where eight code points of two bytes become one byte (bits of `ones`) or two: a run wherever that changes. */
AVX2 ALWAYS_INLINE void runs_avx2(writer *w, unsigned ones, unsigned k) {
    unsigned change = ((ones ^ (ones << 1 | (w->ratio == 2))) | (w->ratio - 1 > 1)) & ((1u << k) - 1);
    for (; change; change &= change - 1) {
        unsigned at = (unsigned)__builtin_ctz(change), shorter = (unsigned)__builtin_popcount(ones & ((1u << at) - 1));
        *w->run++ = (toad__run){ (uint32_t)w->out + 2 * at - shorter, (uint32_t)w->in + 2 * at };
    }
    w->ratio = 1 + (ones >> (k - 1) & 1);
}

/* Up to eight code points of two bytes, none of which vanishes. */
AVX2 ALWAYS_INLINE unsigned pairs_avx2(writer *w, const unsigned char *p, bool keep) {
    const int *table = (const int *)(const void *)(toad__fold_two + (keep ? 0x800 : 0));
    __m128i raw = _mm_loadu_si128((const __m128i *)(const void *)p);
    __m128i form = _mm_cmpeq_epi16(_mm_and_si128(raw, _mm_set1_epi16((short)0xC0E0)), _mm_set1_epi16((short)0x80C0));
    __m128i code = _mm_maddubs_epi16(_mm_and_si128(raw, _mm_set1_epi16(0x3F1F)), _mm_set1_epi16(0x0140));
    __m256i index = _mm256_cvtepu16_epi32(code), e = _mm256_i32gather_epi32(table, index, 8);
    __m256i n = _mm256_and_si256(e, _mm256_set1_epi32(3 << 16)),
            one = _mm256_cmpeq_epi32(n, _mm256_set1_epi32(1 << 16));
    __m256i shown = _mm256_cmpgt_epi32(n, _mm256_setzero_si256());
    unsigned fit = lanes_avx2(_mm256_and_si256(_mm256_and_si256(e, shown), _mm256_cvtepi16_epi32(form)));
    unsigned k = (unsigned)__builtin_ctz(~fit), ones = lanes_avx2(one);
    if (!k) return 0;
    __m256i lane = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7),
            counted = _mm256_cmpgt_epi32(_mm256_set1_epi32((int)k), lane);
    w->counts += sum_avx2(_mm256_and_si256(_mm256_i32gather_epi32(table + 1, index, 8), counted));
    __m256i bytes = _mm256_or_si256(_mm256_and_si256(e, _mm256_set1_epi32(0xFFFF)), _mm256_slli_epi32(one, 24));
    bytes = _mm256_shuffle_epi8(bytes, _mm256_setr_epi8(0, 1, 4, 5, 8, 9, 12, 13, 3, -1, 7, -1, 11, -1, 15, -1, 0, 1, 4,
                                                        5, 8, 9, 12, 13, 3, -1, 7, -1, 11, -1, 15, -1));
    for (unsigned half = 0, at = 0; half < 2; half++) {
        __m128i part = half ? _mm256_extracti128_si256(bytes, 1) : _mm256_castsi256_si128(bytes);
        uint64_t drop = (uint64_t)_mm_extract_epi64(part, 1) << 8;
        uint64_t put = _pext_u64((uint64_t)_mm_cvtsi128_si64(part), ~drop);
        memcpy(w->text + w->out + at, &put, sizeof put);
        at += 8 - (unsigned)__builtin_popcount(ones & 15);
    }
    ones &= (1u << k) - 1;
    runs_avx2(w, ones, k);
    w->out += 2 * k - (unsigned)__builtin_popcount(ones);
    w->in += 2 * k;
    return 2 * k;
}

/* Up to eight code points of three bytes that stay as they are. */
AVX2 ALWAYS_INLINE unsigned triples_avx2(writer *w, const unsigned char *p, bool keep) {
    const __m256i spread = _mm256_setr_epi8(0, 1, 2, -1, 3, 4, 5, -1, 6, 7, 8, -1, 9, 10, 11, -1, 0, 1, 2, -1, 3, 4, 5,
                                            -1, 6, 7, 8, -1, 9, 10, 11, -1);
    const __m256i entry = _mm256_set1_epi32(0xFFFF);
    __m256i x = _mm256_castsi128_si256(_mm_loadu_si128((const __m128i *)(const void *)p));
    x = _mm256_inserti128_si256(x, _mm_loadu_si128((const __m128i *)(const void *)(p + 12)), 1);
    x = _mm256_shuffle_epi8(x, spread);
    __m256i form = _mm256_cmpeq_epi32(_mm256_and_si256(x, _mm256_set1_epi32(0xC0C0F0)), _mm256_set1_epi32(0x8080E0));
    __m256i c = _mm256_maddubs_epi16(_mm256_and_si256(x, _mm256_set1_epi32(0x3F3F0F)), _mm256_set1_epi32(0x00010140));
    c = _mm256_madd_epi16(c, _mm256_set1_epi32(0x00010040));
    __m256i row =
        _mm256_i32gather_epi32((const int *)(const void *)toad__fold_stage1[keep], _mm256_srli_epi32(c, 6), 2);
    __m256i at =
        _mm256_or_si256(_mm256_slli_epi32(_mm256_and_si256(row, entry), 6), _mm256_and_si256(c, _mm256_set1_epi32(63)));
    __m256i e = _mm256_and_si256(_mm256_i32gather_epi32((const int *)(const void *)toad__fold_stage2, at, 2), entry);
    __m256i top = _mm256_and_si256(c, _mm256_set1_epi32(0xF800)),
            stays = _mm256_cmpgt_epi32(_mm256_set1_epi32(TOAD__FOLD_INVISIBLE), e);
    __m256i odd = _mm256_or_si256(_mm256_cmpeq_epi32(top, _mm256_setzero_si256()),
                                  _mm256_cmpeq_epi32(top, _mm256_set1_epi32(0xD800)));
    unsigned fit = lanes_avx2(_mm256_andnot_si256(odd, _mm256_and_si256(form, stays))),
             k = (unsigned)__builtin_ctz(~fit);
    if (!k) return 0;
    unsigned taken = (1u << k) - 1, letters = lanes_avx2(_mm256_cmpgt_epi32(e, _mm256_setzero_si256())) & taken,
             natives = lanes_avx2(_mm256_cmpeq_epi32(e, _mm256_set1_epi32(TOAD__FOLD_NATIVE))) & taken;
    w->counts += (uint64_t)__builtin_popcount(letters) << COUNT_BITS | (uint64_t)__builtin_popcount(natives)
                                                                           << 2 * COUNT_BITS;
    memcpy(w->text + w->out, p, 32);
    account(w, 3 * k, 3 * k, 1);
    return 3 * k;
}

/* Worth it only where one of its kind follows, and not among what vanishes. */
AVX2 ALWAYS_INLINE unsigned many_avx2(writer *w, const unsigned char *p, bool keep) {
    if (p[0] < 0xE0) return p[2] >= 0xC0 && w->ratio ? pairs_avx2(w, p, keep) : 0;
    return p[3] >= 0xE0 && w->ratio ? triples_avx2(w, p, keep) : 0;
}

#endif

/* The code points above 7F from p on, up to `end`, and single blanks between them. Returns where it stopped: at a byte
 * above 7F only if that is not handled here. */
ALWAYS_INLINE const unsigned char *wide(const toad__folding *f, writer *w, const unsigned char *p,
                                        const unsigned char *end, bool keep, many_letters *many) {
    while (p < end) {
        unsigned in;
        if (*p < 0x80) {
            if (*p != ' ' || p[1] < 0x80 || p + 1 == end || last(w) == ' ') break;
            w->text[w->out] = ' ';
            account(w, 1, 1, 1);
            in = 1;
        } else {
            in = many(w, p, keep);
            if (!in) in = *p >= 0xE0 ? any_letter(w, p, keep) : two_bytes(w, p, keep) ? 2 : 0;
            if (!in) {
                writer copy = *w; /* so that *w can stay in registers */
                in = take_hidden(f, &copy, p, end);
                *w = copy;
            }
            if (!in) break;
        }
        p += in;
    }
    return p;
}

/* ---- blocks ---- */

/* Whether what stands at p, above 7F, may belong to the white space before it. */
static bool joins_gap(const unsigned char *p) {
    uint32_t c;
    unsigned e = decode(p, &c) ? toad__fold_entry(c, false) : TOAD__FOLD_INVISIBLE;
    return e >= TOAD__FOLD_INVISIBLE && e <= TOAD__FOLD_GLYPH;
}

/* Whether white space that follows now does more than add a blank. */
ALWAYS_INLINE bool may_join(const writer *w) { return last(w) == ' ' || last(w) == '-'; }

/* `n` bytes in lower case, one for one. */
ALWAYS_INLINE void put_plain(const toad__folding *f, writer *w, const unsigned char *lower, unsigned n,
                             uint64_t breaks) {
    if (!n) return;
    memcpy(w->text + w->out, lower, BLOCK);
    mark_lines(f->v->lines, breaks & low_bits(n), w->out);
    account(w, n, n, 1);
}

/* Bytes [k, n) of a block without code points above 7F; the blanks marked in `again` follow another blank. Its lower
 * case stands at the end of the text. */
ALWAYS_INLINE void squeeze(const toad__folding *f, writer *w, const block *b, unsigned k, unsigned n, uint64_t again) {
    unsigned char lower[2 * BLOCK];
    memcpy(lower, w->text + w->out, BLOCK);
    for (uint64_t firsts = again >> 1 & ~again; firsts; firsts &= firsts - 1) {
        unsigned first = (unsigned)__builtin_ctzll(firsts), end = first + 1;
        uint64_t rest = ~again >> end; /* end < 64: a blank follows */
        end = rest ? end + (unsigned)__builtin_ctzll(rest) : BLOCK;
        put_plain(f, w, lower + k, first - k, b->breaks >> k);
        put_blank(f, w, end - first, (b->breaks & low_bits(end) & ~low_bits(first)) != 0);
        k = end;
    }
    put_plain(f, w, lower + k, n - k, k < n ? b->breaks >> k : 0);
}

/* Bytes [k, n) of a block, from one event to the next; the blanks marked in `again` follow another blank. Its lower
 * case stands at the end of the text. Returns where it stopped, which is n or more unless something stands there that
 * is not handled here, or *left, cut where the rest is best looked at anew. */
ALWAYS_INLINE unsigned walk(const toad__folding *f, writer *w, const unsigned char *p, const block *b, unsigned k,
                            unsigned n, uint64_t again, bool keep, many_letters *many, unsigned *left) {
    unsigned char lower[2 * BLOCK];
    memcpy(lower, w->text + w->out, BLOCK);
    uint64_t events = (b->high | (again >> 1 & ~again)) & low_bits(n);
    while (k < n) {
        uint64_t ahead = events & ~low_bits(k);
        unsigned next = ahead ? (unsigned)__builtin_ctzll(ahead) : n;
        bool high = next < n && b->high >> next & 1;
        bool gap = high && !keep && next > k && b->space >> (next - 1) & 1 && p[next - 1] != ' ' && joins_gap(p + next);
        put_plain(f, w, lower + k, next - k - gap, b->breaks >> k);
        k = next - gap;
        if (gap) return k;
        if (high) {
            k = (unsigned)(wide(f, w, p + k, p + n, keep, many) - p);
            if (k >= n || b->high >> k & 1) return k;
            if (!keep && b->space >> k & 1 && may_join(w)) {
                *left = k;
                return k;
            }
        } else if (k < n) {
            uint64_t rest = ~again & ~low_bits(k + 1);
            unsigned end = rest ? (unsigned)__builtin_ctzll(rest) : BLOCK;
            if (end < n && b->high >> end & 1 && (last(w) == '-' || joins_gap(p + end))) return k;
            put_blank(f, w, end - k, (b->breaks & low_bits(end) & ~low_bits(k)) != 0);
            k = end;
        }
    }
    return k;
}

/* The bytes of a block of the match views that may be written: not what is special, not the line break behind a hyphen,
 * nor the blanks before either, which may go on behind it; nor those at its end, unless it is all blanks: what becomes
 * of them must not depend on where a block ends. */
ALWAYS_INLINE unsigned block_length(const writer *w, const block *b, unsigned *left) {
    uint64_t stop = (b->special | (b->breaks & (b->hyphens << 1 | (last(w) == '-')))) & low_bits(*left);
    if (!stop && !(*left == BLOCK && b->space >> (BLOCK - 1))) return *left;
    uint64_t solid = ~b->space & (stop ? (stop & -stop) - 1 : ~(uint64_t)0);
    unsigned n = solid ? 64 - (unsigned)__builtin_clzll(solid) : 0;
    if (!stop && n) *left = n;
    return stop ? n : *left;
}

/* Blanks at the start of a block that belong to what was written before; their number in *lead. False: not handled
 * here. */
ALWAYS_INLINE bool take_lead(const toad__folding *f, writer *w, const unsigned char *p, const block *b, unsigned n,
                             unsigned *lead) {
    if (!(b->space & 1)) return true;
    if (f->shy == w->in) return false;
    if (last(w) != ' ') return true;
    uint64_t solid = ~b->space & low_bits(n);
    *lead = solid ? (unsigned)__builtin_ctzll(solid) : n;
    if (*lead < n && b->high >> *lead & 1 && joins_gap(p + *lead)) return false;
    writer copy = *w;
    bool taken = widen_blank(f, &copy, *lead, (b->breaks & low_bits(*lead)) != 0);
    *w = copy;
    return taken;
}

/* A block, `*left` bytes of which are input; it stands in lower case at the end of the text. Returns the bytes taken,
 * which are fewer than `*left` if something is not handled here. */
ALWAYS_INLINE unsigned take_block(toad__folding *f, writer *w, const unsigned char *p, const block *b, unsigned *left,
                                  bool keep, many_letters *many) {
    unsigned n = *left, lead = 0;
    if (keep)
        n = b->special & low_bits(n) ? (unsigned)__builtin_ctzll(b->special) : n;
    else
        n = block_length(w, b, left);
    if (!n || (!keep && !take_lead(f, w, p, b, n, &lead))) return 0;
    uint64_t again = keep ? 0 : b->space & b->space << 1 & low_bits(n) & ~low_bits(lead);
    uint64_t wide = b->high & low_bits(n);
    if (wide) {
        n = walk(f, w, p, b, lead, n, again, keep, many, left);
        flush_counts(f, w);
    } else if (again | lead) {
        squeeze(f, w, b, lead, n, again);
    } else {
        mark_lines(f->v->lines, b->breaks & low_bits(n), w->out);
        account(w, n, n, 1);
    }
    f->v->letters += (unsigned)__builtin_popcountll(b->letters & low_bits(n));
    return n;
}

ALWAYS_INLINE bool make_room(toad__folding *f, writer *w) {
    leave(f, w);
    bool made = toad__fold_room(f);
    *w = enter(f);
    return made;
}

ALWAYS_INLINE bool has_room(toad__folding *f, writer *w) {
    const toad__view *v = f->v;
    return (v->text.cap - w->out >= TOAD__FOLD_ROOM &&
            v->map.cap - (size_t)(w->run - v->map.runs) >= TOAD__FOLD_RUNS) ||
           make_room(f, w);
}

/* The loop itself, once for each way to look. The last bytes are taken from a padded copy. */
#define BLOCKS(f, keep, look, many)                                           \
    do {                                                                      \
        if (!toad__fold_room(f)) return;                                      \
        writer w = enter(f);                                                  \
        unsigned n = 0, taken = 0;                                            \
        while (taken >= n && w.in < (f)->in.n && has_room(f, &w)) {           \
            const unsigned char *p = (const unsigned char *)(f)->in.p + w.in; \
            size_t left = (f)->in.n - w.in;                                   \
            unsigned char tail[BLOCK + REACH];                                \
            if (left < sizeof tail) {                                         \
                memset(tail, 0x7F, sizeof tail);                              \
                memcpy(tail, p, left);                                        \
                p = tail;                                                     \
            }                                                                 \
            n = left < BLOCK ? (unsigned)left : BLOCK;                        \
            block b = look(p, w.text + w.out, keep);                          \
            taken = take_block(f, &w, p, &b, &n, keep, many);                 \
        }                                                                     \
        leave(f, &w);                                                         \
    } while (0)

#define PATH(look, many)                  \
    {                                     \
        if (f->keep)                      \
            BLOCKS(f, true, look, many);  \
        else                              \
            BLOCKS(f, false, look, many); \
    }

static void fold_portable(toad__folding *f) PATH(look_portable, many_portable)

#if HAVE_AVX2

    static void fold_sse2(toad__folding *f) PATH(look_sse2, many_portable) AVX2 static void fold_avx2(toad__folding *f)
        PATH(look_avx2, many_avx2)

            static bool has_avx2(void) {
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt");
}

toad__fold_blocks *toad__fold_blocks_of(toad__fold_path path) {
    if (path == TOAD__FOLD_AVX2) return has_avx2() ? fold_avx2 : NULL;
    return path == TOAD__FOLD_SSE2 ? fold_sse2 : path == TOAD__FOLD_PORTABLE ? fold_portable : NULL;
}

toad__fold_blocks *toad__fold_blocks_best(void) { return has_avx2() ? fold_avx2 : fold_sse2; }

#elif defined(__ARM_NEON) && defined(__aarch64__)

    static void fold_neon(toad__folding *f) PATH(look_neon, many_portable)

        toad__fold_blocks *toad__fold_blocks_of(toad__fold_path path) {
    return path == TOAD__FOLD_NEON ? fold_neon : path == TOAD__FOLD_PORTABLE ? fold_portable : NULL;
}

toad__fold_blocks *toad__fold_blocks_best(void) { return fold_neon; }

#else

    toad__fold_blocks *toad__fold_blocks_of(toad__fold_path path) {
    return path == TOAD__FOLD_PORTABLE ? fold_portable : NULL;
}

toad__fold_blocks *toad__fold_blocks_best(void) { return fold_portable; }

#endif
