/* fold_avx2.c - blocks looked at by 32 bytes, and letters above 7F taken eight at a time, see fold_blocks.h. */
#include "lib/text/fold_blocks.h"

#if HAVE_AVX2

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

AVX2 void toad__fold_avx2(toad__folding *f) { fold_blocks(f, look_avx2, many_avx2); }

#endif
