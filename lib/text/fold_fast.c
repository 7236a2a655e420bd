/* fold_fast.c - the loops that carry the load of folding: ASCII by vectors, other scripts by table without a branch per
 * length change.
 *
 * ASCII: 64 bytes are looked at together (which are special, blank, line break, letter, hyphen: one bit each) and
 * written in lower case; blanks behind blanks are squeezed out. The body is one inline function, compiled once for each
 * vector unit; SSE2 and NEON are part of the base of their architectures, AVX2 is compiled in beside SSE2 and asked for
 * per call. Signed byte comparisons do most of the work: bytes above 7F are negative, so "below 20" finds them together
 * with the control characters. Letters: the map run of a code point is always written and kept only if the ratio of
 * lengths changed, as scripts that fold to one byte here and two there would otherwise miss a branch at every letter.
 */
#include "lib/base/str.h"
#include "lib/text/fold_work.h"

#if defined(__SSE2__)
#include <immintrin.h>
#elif defined(__ARM_NEON) && defined(__aarch64__)
#include <arm_neon.h>
#endif

#define ALWAYS_INLINE inline __attribute__((always_inline))
#define SHORT_TEXT    4 /* longest replacement text copied here */

/* What 64 bytes hold; bit i stands for byte i. `special`: control characters but white space, DEL, bytes above 7F. */
typedef struct block {
    uint64_t special, space, breaks, letters, hyphens;
} block;

/* ---- looking at 64 bytes: written to `lower` with A-Z as a-z and TAB, LF, VT, FF, CR as blanks (special bytes: as
 * anything) ---- */

static ALWAYS_INLINE block look_portable(const char *in, char *lower) {
    block b = { .special = 0 };
    for (unsigned i = 0; i < 64; i++) {
        int c = (unsigned char)in[i];
        uint64_t bit = (uint64_t)1 << i;
        bool space = bzr__is_space(c);
        if (space)
            b.space |= bit;
        else if (c < 0x20 || c >= 0x7F)
            b.special |= bit;
        if (c >= '\n' && c <= '\r') b.breaks |= bit;
        if (bzr__is_alpha(c)) b.letters |= bit;
        if (c == '-') b.hyphens |= bit;
        lower[i] = space ? ' ' : (char)bzr__lower(c);
    }
    return b;
}

#if defined(__SSE2__)

static ALWAYS_INLINE block look_sse2(const char *in, char *lower) {
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
        _mm_storeu_si128((__m128i *)(void *)(lower + i), y);
        b.special |= (uint64_t)(unsigned)_mm_movemask_epi8(special) << i;
        b.space |= (uint64_t)(unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(y, blanks)) << i;
        b.breaks |= (uint64_t)(unsigned)_mm_movemask_epi8(breaks) << i;
        b.letters |= (uint64_t)(unsigned)_mm_movemask_epi8(letters) << i;
        b.hyphens |= (uint64_t)(unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(x, _mm_set1_epi8('-'))) << i;
    }
    return b;
}

#define AVX2 __attribute__((target("avx2,bmi,bmi2,lzcnt,popcnt")))

/* Half a block: its masks in the low bits of `ret`. */
AVX2 static ALWAYS_INLINE block half_avx2(const char *in, char *lower) {
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
    _mm256_storeu_si256((__m256i *)(void *)lower, y);
    return (block){
        .special = (uint32_t)_mm256_movemask_epi8(special),
        .space = (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(y, blanks)),
        .breaks = (uint32_t)_mm256_movemask_epi8(breaks),
        .letters = (uint32_t)_mm256_movemask_epi8(letters),
        .hyphens = (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(x, _mm256_set1_epi8('-'))),
    };
}

AVX2 static ALWAYS_INLINE block look_avx2(const char *in, char *lower) {
    block a = half_avx2(in, lower), b = half_avx2(in + 32, lower + 32);
    return (block){ a.special | b.special << 32, a.space | b.space << 32, a.breaks | b.breaks << 32,
                    a.letters | b.letters << 32, a.hyphens | b.hyphens << 32 };
}

#elif defined(__ARM_NEON) && defined(__aarch64__)

static ALWAYS_INLINE uint64_t mask_of(uint8x16_t m) {
    static const uint8_t bits[16] = { 1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128 };
    uint8x16_t x = vandq_u8(m, vld1q_u8(bits));
    return (uint64_t)vaddv_u8(vget_low_u8(x)) | (uint64_t)vaddv_u8(vget_high_u8(x)) << 8;
}

static ALWAYS_INLINE block look_neon(const char *in, char *lower) {
    const uint8x16_t blanks = vdupq_n_u8(' ');
    block b = { .special = 0 };
    for (unsigned i = 0; i < 64; i += 16) {
        uint8x16_t x = vld1q_u8((const uint8_t *)in + i), cased = vorrq_u8(x, blanks);
        uint8x16_t low = vcleq_u8(x, vdupq_n_u8('\r')), breaks = vandq_u8(vcgeq_u8(x, vdupq_n_u8('\n')), low);
        uint8x16_t layout = vandq_u8(vcgeq_u8(x, vdupq_n_u8('\t')), low);
        uint8x16_t special = vorrq_u8(vbicq_u8(vcltq_u8(x, blanks), layout), vcgeq_u8(x, vdupq_n_u8(0x7F)));
        uint8x16_t letters = vandq_u8(vcgeq_u8(cased, vdupq_n_u8('a')), vcleq_u8(cased, vdupq_n_u8('z')));
        letters = vbicq_u8(letters, vcgeq_u8(x, vdupq_n_u8(0x80)));
        uint8x16_t y = vbslq_u8(layout, blanks, vorrq_u8(x, vandq_u8(letters, blanks)));
        vst1q_u8((uint8_t *)lower + i, y);
        b.special |= mask_of(special) << i;
        b.space |= mask_of(vceqq_u8(y, blanks)) << i;
        b.breaks |= mask_of(breaks) << i;
        b.letters |= mask_of(letters) << i;
        b.hyphens |= mask_of(vceqq_u8(x, vdupq_n_u8('-'))) << i;
    }
    return b;
}

#endif

/* ---- ASCII ---- */

static ALWAYS_INLINE bool has_room(bzr__folding *f) {
    const bzr__view *v = f->v;
    return (v->text.cap - v->text.n >= BZR__FOLD_ROOM && v->map.cap - v->map.n >= BZR__FOLD_RUNS) || bzr__fold_room(f);
}

static ALWAYS_INLINE uint64_t low_bits(unsigned n) { return n >= 64 ? ~(uint64_t)0 : ((uint64_t)1 << n) - 1; }

static ALWAYS_INLINE unsigned count_bits(uint64_t x) {
    x -= x >> 1 & 0x5555555555555555u;
    x = (x & 0x3333333333333333u) + (x >> 2 & 0x3333333333333333u);
    return (unsigned)(((x + (x >> 4)) & 0x0F0F0F0F0F0F0F0Fu) * 0x0101010101010101u >> 56);
}

/* Line starts behind the line breaks of a stretch that is written from text offset `base` on. */
static ALWAYS_INLINE void copy_lines(bzr__view *v, uint64_t breaks, size_t base) {
    if (!breaks) return;
    uint8_t *to = v->lines + ((base + 1) >> 3);
    unsigned shift = (base + 1) & 7;
    uint64_t low = breaks << shift;
    for (unsigned k = 0; k < 8; k++) to[k] |= (uint8_t)(low >> (8 * k));
    to[8] |= (uint8_t)(breaks >> 8 >> (56 - shift));
}

static ALWAYS_INLINE void start_run(bzr__offmap *m, uint32_t ratio) {
    if (m->n && m->ratio == ratio) return;
    m->runs[m->n++] = (bzr__run){ m->out_len, m->in_len };
    m->ratio = ratio;
}

/* `n` bytes stand at the end of the text already, one for one. */
static ALWAYS_INLINE void advance(bzr__view *v, unsigned n) {
    start_run(&v->map, 1);
    v->text.n += n;
    v->map.out_len += n;
    v->map.in_len += n;
}

/* A blank that stands for `in` bytes of input. */
static ALWAYS_INLINE void put_blank(bzr__view *v, unsigned in, bool line) {
    start_run(&v->map, in);
    v->text.p[v->text.n++] = ' ';
    v->map.out_len++;
    v->map.in_len += in;
    if (line) v->lines[v->text.n >> 3] |= (uint8_t)(1u << (v->text.n & 7));
}

/* The last byte of the text is a blank and `in` more bytes belong to it: it gets a run of its own. False if its place
 * in the map is not plain. */
static bool widen_blank(bzr__view *v, unsigned in, bool line) {
    bzr__offmap *m = &v->map;
    uint32_t ratio = m->ratio;
    if (ratio == 0 || ratio == BZR__FOLD_NO_RATIO) return false;
    v->text.n--;
    m->out_len--;
    m->in_len -= ratio;
    if (m->runs[m->n - 1].out == m->out_len) {
        m->n--;
        m->ratio = BZR__FOLD_NO_RATIO;
    }
    put_blank(v, ratio + in, line);
    return true;
}

/* Write bytes [at, n) of a block in which the blanks marked in `again` follow another blank. They stand in lower case
 * at the end of the text. */
static ALWAYS_INLINE void squeeze(bzr__view *v, const char *from, unsigned at, unsigned n, uint64_t again,
                                  uint64_t breaks) {
    char lower[128];
    memcpy(lower, from, 64);
    breaks &= low_bits(n) & ~low_bits(at);
    while (at < n) {
        unsigned first = again ? (unsigned)__builtin_ctzll(again) - 1 : n;
        if (first > at) {
            copy_lines(v, (breaks & low_bits(first)) >> at, v->text.n);
            memcpy(v->text.p + v->text.n, lower + at, 64);
            advance(v, first - at);
        }
        if (!again) return;
        uint64_t rest = ~again & ~low_bits(first + 1);
        unsigned end = rest ? (unsigned)__builtin_ctzll(rest) : 64;
        put_blank(v, end - first, (breaks & low_bits(end) & ~low_bits(first)) != 0);
        at = end;
        again &= ~low_bits(end);
        breaks &= ~low_bits(end);
    }
}

static ALWAYS_INLINE void copy_kept(bzr__folding *f, const char *in, const block *b, unsigned n) {
    if (b->special & low_bits(n)) n = (unsigned)__builtin_ctzll(b->special);
    if (!n) return;
    memcpy(f->v->text.p + f->v->text.n, in, 64);
    f->v->letters += count_bits(b->letters & low_bits(n));
    copy_lines(f->v, b->breaks & low_bits(n), f->v->text.n);
    advance(f->v, n);
    f->at += n;
}

/* The bytes of a block that may be written: not what is special, not the line break behind a hyphen, nor the blanks
 * before either, which may go on behind it. */
static ALWAYS_INLINE unsigned block_length(const bzr__folding *f, const block *b, unsigned n) {
    uint64_t stop = (b->special | (b->breaks & (b->hyphens << 1 | (bzr__fold_last(f) == '-')))) & low_bits(n);
    if (!stop) return n;
    uint64_t solid = ~b->space & low_bits((unsigned)__builtin_ctzll(stop));
    return solid ? 64 - (unsigned)__builtin_clzll(solid) : 0;
}

/* A block of the match views, `left` bytes of which are input; it stands in lower case at the end of the text. */
static ALWAYS_INLINE void copy_folded(bzr__folding *f, const block *b, unsigned left) {
    bzr__view *v = f->v;
    unsigned n = block_length(f, b, left), lead = 0;
    if (!n) return;
    const char *from = v->text.p + v->text.n;
    if (b->space & 1) {
        if (f->shy == f->at) return;
        if (bzr__fold_last(f) == ' ') {
            uint64_t solid = ~b->space & low_bits(n);
            lead = solid ? (unsigned)__builtin_ctzll(solid) : n;
            if (!widen_blank(v, lead, (b->breaks & low_bits(lead)) != 0)) return;
        }
    }
    uint64_t again = b->space & b->space << 1 & low_bits(n) & ~low_bits(lead);
    v->letters += count_bits(b->letters & low_bits(n));
    if (again | lead) {
        squeeze(v, from, lead, n, again, b->breaks);
    } else {
        copy_lines(v, b->breaks & low_bits(n), v->text.n);
        advance(v, n);
    }
    f->at += n;
}

/* One block; false where nothing could be done. */
static ALWAYS_INLINE bool take_block(bzr__folding *f, const char *in, const block *b, unsigned left) {
    size_t before = f->at;
    if (f->keep)
        copy_kept(f, in, b, left);
    else
        copy_folded(f, b, left);
    return f->at != before;
}

/* The loop itself, once for each way to look. The last bytes are taken from a padded copy. */
#define ASCII_LOOP(f, look)                                                      \
    do {                                                                         \
        while ((f)->in.n - (f)->at >= 64 && has_room(f)) {                       \
            const char *in = (f)->in.p + (f)->at;                                \
            block b = look(in, (f)->v->text.p + (f)->v->text.n);                 \
            if (!take_block(f, in, &b, 64)) return;                              \
        }                                                                        \
        while ((f)->at < (f)->in.n && (f)->in.n - (f)->at < 64 && has_room(f)) { \
            size_t left = (f)->in.n - (f)->at;                                   \
            char tail[64];                                                       \
            memset(tail, 0x7F, sizeof tail);                                     \
            memcpy(tail, (f)->in.p + (f)->at, left);                             \
            block b = look(tail, (f)->v->text.p + (f)->v->text.n);               \
            if (!take_block(f, tail, &b, (unsigned)left)) return;                \
        }                                                                        \
    } while (0)

static void ascii_portable(bzr__folding *f) { ASCII_LOOP(f, look_portable); }

#if defined(__SSE2__)

static void ascii_sse2(bzr__folding *f) { ASCII_LOOP(f, look_sse2); }
AVX2 static void ascii_avx2(bzr__folding *f) { ASCII_LOOP(f, look_avx2); }

static bool has_avx2(void) {
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt");
}

bzr__fold_ascii *bzr__fold_ascii_of(bzr__fold_path path) {
    if (path == BZR__FOLD_AVX2) return has_avx2() ? ascii_avx2 : NULL;
    return path == BZR__FOLD_SSE2 ? ascii_sse2 : path == BZR__FOLD_PORTABLE ? ascii_portable : NULL;
}

bzr__fold_ascii *bzr__fold_ascii_best(void) { return has_avx2() ? ascii_avx2 : ascii_sse2; }

#elif defined(__ARM_NEON) && defined(__aarch64__)

static void ascii_neon(bzr__folding *f) { ASCII_LOOP(f, look_neon); }

bzr__fold_ascii *bzr__fold_ascii_of(bzr__fold_path path) {
    return path == BZR__FOLD_NEON ? ascii_neon : path == BZR__FOLD_PORTABLE ? ascii_portable : NULL;
}

bzr__fold_ascii *bzr__fold_ascii_best(void) { return ascii_neon; }

#else

bzr__fold_ascii *bzr__fold_ascii_of(bzr__fold_path path) { return path == BZR__FOLD_PORTABLE ? ascii_portable : NULL; }

bzr__fold_ascii *bzr__fold_ascii_best(void) { return ascii_portable; }

#endif

/* ---- other scripts ---- */

/* Where a stretch is being written; copied back by leave(). */
typedef struct writer {
    unsigned char *out, *base;
    bzr__run *run;
    uint32_t ratio, out_len, in_len;
    uint64_t counts; /* look-alikes, letters << 10, native letters << 20 */
} writer;

static ALWAYS_INLINE writer enter(const bzr__folding *f) {
    bzr__view *v = f->v;
    bzr__offmap *m = &v->map;
    unsigned char *base = (unsigned char *)v->text.p;
    return (writer){ base + v->text.n, base, m->runs + m->n, m->n ? m->ratio : BZR__FOLD_NO_RATIO - 1, m->out_len,
                     m->in_len,        0 };
}

static ALWAYS_INLINE void leave(bzr__folding *f, writer w) {
    bzr__offmap *m = &f->v->map;
    m->n = (size_t)(w.run - m->runs);
    if (m->n) m->ratio = w.ratio;
    m->out_len = w.out_len;
    m->in_len = w.in_len;
    f->v->text.n = w.out_len;
    f->at = w.in_len;
    f->looks += w.counts & 0x3FF;
    f->v->letters += w.counts >> 10 & 0x3FF;
    f->natives += w.counts >> 20 & 0x3FF;
}

/* Account for `n` bytes just written for `in` bytes read: a run starts where the ratio changes, without a branch. */
static ALWAYS_INLINE void account(writer *w, unsigned n, unsigned in, uint32_t ratio) {
    *w->run = (bzr__run){ w->out_len, w->in_len };
    w->run += (ratio != w->ratio) | (ratio == BZR__FOLD_NO_RATIO);
    w->ratio = ratio;
    w->out += n;
    w->out_len += n;
    w->in_len += in;
}

/* Whether eight ASCII bytes stand at p: then the vector loop is quicker. */
static ALWAYS_INLINE bool eight_ascii(const unsigned char *p) {
    uint64_t x;
    memcpy(&x, p, 8);
    return !(x & 0x8080808080808080u);
}

/* A blank that is not alone belongs to the code that makes one of many. */
static ALWAYS_INLINE bool is_lone(const unsigned char *p, const writer *w) {
    return p[1] > ' ' && w->out != w->base && w->out[-1] != ' ';
}

/* Code points below 800 in the match views: Latin, Greek, Cyrillic, Hebrew, Arabic and the ASCII between them. */
static void letters_two(bzr__folding *f, const unsigned char *p, const unsigned char *end) {
    writer w = enter(f);
    for (unsigned round = 0; round < BZR__FOLD_ROUNDS && p < end; round++) {
        unsigned a = p[0], in = 1;
        uint64_t e;
        if (a >= 0x80) {
            unsigned b = p[1];
            if (a - 0xC2u > 0x1Du || (b & 0xC0) != 0x80) break;
            e = bzr__fold_two[(a & 31) << 6 | (b & 63)];
            in = 2;
        } else {
            if ((a == ' ' && !is_lone(p, &w)) || eight_ascii(p)) break;
            e = bzr__fold_two[a];
        }
        if (!e) break;
        w.out[0] = (unsigned char)e;
        w.out[1] = (unsigned char)(e >> 8);
        account(&w, e >> 16 & 3, in, e >> 20 & 3);
        p += in;
        w.counts += e >> 32;
    }
    leave(f, w);
}

/* Well-formed UTF-8 of three or four bytes at p (of two as well); its length, or 0. */
static ALWAYS_INLINE unsigned decode(const unsigned char *p, uint32_t *c) {
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

/* What the flags of a text, or a class, add to the counts. */
static ALWAYS_INLINE uint64_t counts_of(unsigned flags) {
    return (flags & BZR__FOLD_F_LOOK) | (uint64_t)(flags & BZR__FOLD_F_LETTER) << 9 |
           (uint64_t)(flags & BZR__FOLD_F_NATIVE) << 18;
}

/* Letters of three bytes that stay as they are: most of Chinese, Japanese, Korean and the scripts of India. */
static ALWAYS_INLINE const unsigned char *same_letters(writer *w, const unsigned char *p, const unsigned char *end,
                                                       bool keep, unsigned *round) {
    const unsigned char *start = p;
    for (; *round < BZR__FOLD_ROUNDS && p < end && p[0] - 0xE1u < 0x0Cu &&
           (unsigned)((p[1] ^ 0x80) | (p[2] ^ 0x80)) < 0x40;
         ++*round) {
        unsigned e = BZR__FOLD_LETTER;
        if (p[0] - 0xE5u > 4u)
            e = bzr__fold_stage2[bzr__fold_stage1[keep][(p[0] & 15u) << 6 | (p[1] & 63u)] * 64u + (p[2] & 63u)];
        if (e > BZR__FOLD_NATIVE) break;
        if (w->ratio != 1) account(w, 0, 0, 1);
        memcpy(w->out, p, 4);
        w->out += 3;
        p += 3;
        w->counts += (uint64_t)(e != BZR__FOLD_KEEP) << 10 | (uint64_t)(e == BZR__FOLD_NATIVE) << 20;
    }
    w->out_len += (uint32_t)(p - start);
    w->in_len += (uint32_t)(p - start);
    return p;
}

/* One code point of two to four bytes by the two-stage table; its length, or 0 for what is not handled here. */
static ALWAYS_INLINE unsigned any_letter(writer *w, const unsigned char *p, bool keep) {
    static const uint32_t none = BZR__FOLD_NO_RATIO;
    static const uint32_t ratios[5][5] = {
        { 0 }, { 0 }, { 0, 2, 1, none, none }, { 0, 3, none, 1, none }, { 0, 4, 2, none, 1 }
    };
    static const uint8_t class_flags[] = { 0, BZR__FOLD_F_LETTER, BZR__FOLD_F_LETTER | BZR__FOLD_F_NATIVE };
    uint32_t c;
    unsigned in = decode(p, &c), e = in ? bzr__fold_entry(c, keep) : BZR__FOLD_INVISIBLE, n = in, flags;
    if (e <= BZR__FOLD_NATIVE) {
        flags = class_flags[e];
    } else if (e == BZR__FOLD_MARK) {
        n = flags = 0;
    } else {
        const uint8_t *text = bzr__fold_pool + e;
        if (e < BZR__FOLD_FIRST_TEXT || text[0] > SHORT_TEXT || text[1] & BZR__FOLD_F_JAMO) return 0;
        n = text[0];
        flags = text[1];
        p = text + 2;
    }
    memcpy(w->out, p, 4);
    w->counts += counts_of(flags);
    account(w, n, in, ratios[in][n]);
    return in;
}

/* A stretch that begins with any other code point, and all in the view that keeps case. */
static void letters_any(bzr__folding *f, const unsigned char *p, const unsigned char *end) {
    const bool keep = f->keep;
    writer w = enter(f);
    for (unsigned round = 0; round < BZR__FOLD_ROUNDS; round++) {
        p = same_letters(&w, p, end, keep, &round);
        if (p >= end || round >= BZR__FOLD_ROUNDS) break;
        unsigned a = *p, in = 1;
        if (a >= 0x80) {
            in = any_letter(&w, p, keep);
            if (!in) break;
        } else {
            if (a < ' ' || a == 0x7F || (a == ' ' && !keep && !is_lone(p, &w)) || eight_ascii(p)) break;
            bool upper = a - 'A' < 26u;
            *w.out = (unsigned char)(upper && !keep ? a | 0x20 : a);
            w.counts += (uint64_t)((a | 0x20) - 'a' < 26u) << 10;
            account(&w, 1, 1, 1);
        }
        p += in;
    }
    leave(f, w);
}

void bzr__fold_letters(bzr__folding *f) {
    size_t before = SIZE_MAX;
    while (f->at != before && f->in.n - f->at > 8 && bzr__fold_room(f)) {
        const unsigned char *p = (const unsigned char *)f->in.p + f->at,
                            *end = (const unsigned char *)f->in.p + f->in.n - 8;
        before = f->at;
        f->v->ascii = false;
        if (*p >= 0xE0 || f->keep)
            letters_any(f, p, end);
        else
            letters_two(f, p, end);
    }
}
