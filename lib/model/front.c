/* front.c - words out of bit maps, and their weights, see front.h.
 *
 * Blocks are 56 bytes of a map of 64, so that the eight bytes of every word that begins in a block lie in the map, and
 * its end too if they are fewer. What is beyond the text is blank. */
#include "lib/model/front.h"
#include "lib/base/simd.h"

#include <string.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

enum { MAP = 64, WORD = 8, IDEOGRAPHS = 6 };
#define OWN (UINT64_MAX >> (MAP - TOAD__FRONT_BLOCK))

/* What 64 bytes are, a bit each. */
typedef struct maps {
    uint64_t letters;    /* a to z, and whatever is not ASCII */
    uint64_t ideographs; /* their first bytes */
    uint64_t tails;      /* of anything that is not ASCII; needed only beside ideographs */
} maps;

static inline maps maps_base(const char *p) {
    maps m = { 0, 0, 0 };
    for (unsigned i = 0; i < MAP; i++) {
        unsigned char c = (unsigned char)p[i];
        m.letters |= (uint64_t)((c >= 'a' && c <= 'z') || c >= 0x80) << i;
        m.ideographs |= (uint64_t)(c >= 0xe3 && c <= 0xe9) << i;
        m.tails |= (uint64_t)(c >= 0x80 && c <= 0xbf) << i;
    }
    return m;
}

#if defined(__SSE2__)
ALWAYS_INLINE __m128i between(__m128i v, unsigned low, unsigned high) {
    __m128i above = _mm_sub_epi8(v, _mm_set1_epi8((char)low));
    return _mm_cmpeq_epi8(_mm_min_epu8(above, _mm_set1_epi8((char)(high - low))), above);
}

ALWAYS_INLINE uint64_t bits_of(__m128i v, unsigned at) { return (uint64_t)(unsigned)_mm_movemask_epi8(v) << at; }

static inline maps maps_sse2(const char *p) {
    maps m = { 0, 0, 0 };
    for (unsigned i = 0; i < MAP; i += 16) {
        __m128i v = _mm_loadu_si128((const __m128i *)(const void *)(p + i));
        m.letters |= bits_of(_mm_or_si128(between(v, 'a', 'z'), v), i);
        if (!_mm_movemask_epi8(v)) continue;
        m.ideographs |= bits_of(between(v, 0xe3, 0xe9), i);
        m.tails |= bits_of(between(v, 0x80, 0xbf), i);
    }
    return m;
}
#endif

#if HAVE_AVX2
#define AVX2 __attribute__((target("avx2,bmi,bmi2")))

AVX2 static inline __m256i between_avx2(__m256i v, unsigned low, unsigned high) {
    __m256i above = _mm256_sub_epi8(v, _mm256_set1_epi8((char)low));
    return _mm256_cmpeq_epi8(_mm256_min_epu8(above, _mm256_set1_epi8((char)(high - low))), above);
}

AVX2 static inline uint64_t bits_avx2(__m256i a, __m256i b) {
    return (uint64_t)(uint32_t)_mm256_movemask_epi8(a) | (uint64_t)(uint32_t)_mm256_movemask_epi8(b) << 32;
}

AVX2 static inline maps maps_avx2(const char *p) {
    __m256i a = _mm256_loadu_si256((const __m256i *)(const void *)p),
            b = _mm256_loadu_si256((const __m256i *)(const void *)(p + 32));
    maps m = { bits_avx2(_mm256_or_si256(between_avx2(a, 'a', 'z'), a), _mm256_or_si256(between_avx2(b, 'a', 'z'), b)),
               0, 0 };
    if (_mm256_movemask_epi8(_mm256_or_si256(a, b))) {
        m.ideographs = bits_avx2(between_avx2(a, 0xe3, 0xe9), between_avx2(b, 0xe3, 0xe9));
        m.tails = bits_avx2(between_avx2(a, 0x80, 0xbf), between_avx2(b, 0x80, 0xbf));
    }
    return m;
}
#endif

/* Eight bytes, the first one lowest. */
ALWAYS_INLINE uint64_t load_8(const char *p) {
    uint64_t v;
    memcpy(&v, p, sizeof v);
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    v = __builtin_bswap64(v);
#endif
    return v;
}

ALWAYS_INLINE uint32_t index_of(uint32_t hash) { return hash >> (32 - TOAD__FRONT_BITS); }

/* As features.c pairs tokens: of four ways that were tried, weights learned for this one lost least. */
ALWAYS_INLINE uint32_t pair_hash(uint32_t a, uint32_t b) { return (a * 0x9e3779b1u ^ b) * 0x85ebca6bu; }

/* A word of these bytes: itself, and with the one before it. To `ids` if there is one, else the weights to `ret`. */
ALWAYS_INLINE void take_word(toad__front *f, uint64_t bytes, const int8_t *weights, toad__front_sum *ret,
                             uint32_t *ids) {
    uint32_t hash = (uint32_t)((bytes * 0x9e3779b97f4a7c15u) >> 32), alone = index_of(hash),
             paired = index_of(pair_hash(f->before, hash));
    f->before = hash;
    if (ids) {
        ids[ret->n] = alone;
        ids[ret->n + 1] = paired;
    } else {
        ret->sum += weights[alone] + weights[paired];
    }
    ret->n += 2;
}

/* The words that begin in the block whose map of 64 bytes is at `p`. A word that goes on from the block before is not
 * read again. */
ALWAYS_INLINE toad__front_sum read_block(toad__front *f, const char *p, maps m, const int8_t *weights, uint32_t *ids) {
    toad__front_sum ret = { 0, 0 };
    uint64_t words = m.letters, firsts = m.ideographs & OWN;
    if (m.ideographs) {
        uint64_t second = m.ideographs << 1 & m.tails;
        words &= ~(m.ideographs | second | (second << 1 & m.tails));
    }
    words &= words + f->inside;
    f->inside = m.letters >> (TOAD__FRONT_BLOCK - 1) & 1;
    f->at += TOAD__FRONT_BLOCK;
    uint64_t starts = words & ~(words << 1) & OWN, ends = words & ~(words >> 1);
    if (firsts) {
        for (starts |= firsts; starts; starts &= starts - 1) {
            unsigned at = (unsigned)__builtin_ctzll(starts);
            bool ideograph = firsts >> at & 1;
            uint64_t rest = ~(words >> at) | (uint64_t)1 << WORD;
            unsigned n = ideograph ? IDEOGRAPHS : (unsigned)__builtin_ctzll(rest);
            take_word(f, (load_8(p + at) & UINT64_MAX >> (64 - 8 * n)) | (uint64_t)ideograph << 63, weights, &ret, ids);
        }
        return ret;
    }
    for (; starts; starts &= starts - 1, ends &= ends - 1) {
        unsigned at = (unsigned)__builtin_ctzll(starts), last = (unsigned)__builtin_ctzll(ends) - at;
        take_word(f, load_8(p + at) & UINT64_MAX >> (56 - 8 * (last < WORD ? last : WORD - 1)), weights, &ret, ids);
    }
    return ret;
}

/* The map at the next block, in `room` where the text ends before it does. */
ALWAYS_INLINE const char *map_at(const toad__front *f, char room[MAP]) {
    size_t n = f->text.n - f->at;
    if (n >= MAP) return f->text.p + f->at;
    memset(room, 0, MAP);
    return memcpy(room, f->text.p + f->at, n);
}

#define READ(MAPS)                                              \
    char room[MAP];                                             \
    size_t n = 0;                                               \
    toad__front front = *f; /* in registers */                  \
    for (; n < most && front.at < front.text.n; n++) {          \
        const char *p = map_at(&front, room);                   \
        ret[n] = read_block(&front, p, MAPS(p), weights, NULL); \
    }                                                           \
    *f = front;                                                 \
    return n;

#if HAVE_AVX2
AVX2 static size_t read_avx2(toad__front *f, const int8_t *weights, toad__front_sum *ret, size_t most) {
    READ(maps_avx2)
}
#endif
#if defined(__SSE2__)
static size_t read_base(toad__front *f, const int8_t *weights, toad__front_sum *ret, size_t most) { READ(maps_sse2) }
#else
static size_t read_base(toad__front *f, const int8_t *weights, toad__front_sum *ret, size_t most){ READ(maps_base) }
#endif

size_t toad__front_read(toad__front *f, const int8_t *weights, toad__front_sum *ret, size_t most) {
#if HAVE_AVX2
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2")) return read_avx2(f, weights, ret, most);
#endif
    return read_base(f, weights, ret, most);
}

size_t toad__front_ids(toad__front *f, uint32_t *ret) {
    char room[MAP];
    const char *p = map_at(f, room);
    return read_block(f, p, maps_base(p), NULL, ret).n;
}
