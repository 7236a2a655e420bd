#include "lib/html/signs.h"
#include "lib/base/simd.h"

#include <string.h>

uint64_t toad__signs_portable(const char *p, const toad__signs *set) {
    uint64_t bits = 0;
    for (unsigned i = 0; i < 64; i++) {
        unsigned c = (unsigned char)p[i];
        bool in = c < 0x80 && set->row[c & 15] >> (c >> 4) & 1, pair = set->pairs && c == '\n' && p[i + 1] == '\n';
        bits |= (uint64_t)(in || pair) << i;
    }
    return bits;
}

#if HAVE_AVX2
__attribute__((target("avx2"))) static inline uint32_t half_avx2(const char *p, __m256i row, __m256i pairs) {
    const __m256i bit = _mm256_setr_epi8(1, 2, 4, 8, 16, 32, 64, -128, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 4, 8, 16, 32, 64,
                                         -128, 0, 0, 0, 0, 0, 0, 0, 0);
    const __m256i line_feed = _mm256_set1_epi8('\n');
    __m256i c = _mm256_loadu_si256((const __m256i *)(const void *)p),
            next = _mm256_loadu_si256((const __m256i *)(const void *)(p + 1));
    __m256i high = _mm256_and_si256(_mm256_srli_epi16(c, 4), _mm256_set1_epi8(15));
    __m256i in = _mm256_and_si256(_mm256_shuffle_epi8(row, c),
                                  _mm256_shuffle_epi8(bit, high)); /* a byte of 0x80 and more shuffles to 0 */
    __m256i pair =
        _mm256_and_si256(pairs, _mm256_and_si256(_mm256_cmpeq_epi8(c, line_feed), _mm256_cmpeq_epi8(next, line_feed)));
    return ~(uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(_mm256_or_si256(in, pair), _mm256_setzero_si256()));
}

__attribute__((target("avx2"))) static uint64_t signs_avx2(const char *p, const toad__signs *set) {
    __m256i row = _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)(const void *)set->row)),
            pairs = _mm256_set1_epi8(set->pairs ? -1 : 0);
    return half_avx2(p, row, pairs) | (uint64_t)half_avx2(p + 32, row, pairs) << 32;
}
#endif

toad__signs_fn *toad__signs_best(void) {
#if HAVE_AVX2
    if (__builtin_cpu_supports("avx2")) return signs_avx2;
#endif
    return toad__signs_portable;
}

uint64_t toad__signs_at(toad_str in, size_t at, const toad__signs *set, toad__signs_fn *fn) {
    if (in.n - at > 64) return fn(in.p + at, set);
    char tail[65];
    memset(tail, 0x80, sizeof tail); /* in no set */
    memcpy(tail, in.p + at, in.n - at);
    return fn(tail, set);
}
