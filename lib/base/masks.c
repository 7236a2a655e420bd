/* masks.c - see masks.h. A byte is in a set where the table of its lower nibble has the bit of its upper nibble: two
 * byte shuffles, of which the second is the same for all sets.
 *
 * There is one word() for each vector unit, and one body of everything else, compiled with each of them inlined. AVX2
 * and SSSE3 are asked for at run time, NEON and simd128 belong to their architectures. */
#include "lib/base/masks.h"
#include "lib/base/simd.h"

#include <assert.h>
#include <string.h>

#if defined(__ARM_NEON) && defined(__aarch64__)
#include <arm_neon.h>
#define HAVE_NEON 1
#elif defined(__wasm_simd128__)
#include <wasm_simd128.h>
#define HAVE_WASM 1
#endif

enum { BLOCK = 64 };

/* By upper nibble, the bit in a set's tables. */
#define BITS 1, 2, 4, 8, 16, 32, 64, (char)128, 1, 2, 4, 8, 16, 32, 64, (char)128

/* ---- the masks of `n` sets of the 64 bytes at p ---- */

ALWAYS_INLINE uint64_t same_portable(const char *p, char c) {
    uint64_t bits = 0;
    for (unsigned i = 0; i < BLOCK; i++) bits |= (uint64_t)(p[i] == c) << i;
    return bits;
}

ALWAYS_INLINE void block_portable(const char *p, const toad__set *sets, unsigned n, uint64_t *ret) {
    for (unsigned k = 0; k < n; k++) {
        ret[k] = 0;
        for (unsigned i = 0; i < BLOCK; i++) ret[k] |= (uint64_t)toad__set_has(&sets[k], p[i]) << i;
    }
}

ALWAYS_INLINE unsigned collect_portable(const char *p, uint64_t mask, char *to) {
    unsigned n = 0;
    for (unsigned i = 0; i < BLOCK && mask >> i; i++) {
        to[n] = p[i];
        n += mask >> i & 1;
    }
    return n;
}

#if HAVE_AVX2
#define AVX2  __attribute__((target("avx2,bmi")))
#define SSSE3 __attribute__((target("ssse3")))

AVX2 ALWAYS_INLINE __m256i twice(__m128i v) { return _mm256_broadcastsi128_si256(v); }

AVX2 ALWAYS_INLINE __m256i table_avx2(const uint8_t *p) {
    return twice(_mm_loadu_si128((const __m128i *)(const void *)p));
}

AVX2 ALWAYS_INLINE __m256i bit_avx2(__m256i x) {
    return _mm256_shuffle_epi8(twice(_mm_setr_epi8(BITS)),
                               _mm256_and_si256(_mm256_srli_epi16(x, 4), _mm256_set1_epi8(15)));
}

AVX2 ALWAYS_INLINE uint64_t same_avx2(const char *p, char c) {
    __m256i a = _mm256_loadu_si256((const __m256i *)(const void *)p),
            b = _mm256_loadu_si256((const __m256i *)(const void *)(p + 32)), all = _mm256_set1_epi8(c);
    return (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(a, all)) |
           (uint64_t)(uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(b, all)) << 32;
}

AVX2 ALWAYS_INLINE uint64_t has_avx2(__m256i found, __m256i bit) {
    return (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(_mm256_and_si256(found, bit), bit));
}

/* A byte from 0x80 on shuffles to 0, so ASCII, which is most of all text, takes one table. */
AVX2 ALWAYS_INLINE void block_avx2(const char *p, const toad__set *sets, unsigned n, uint64_t *ret) {
    __m256i a = _mm256_loadu_si256((const __m256i *)(const void *)p),
            b = _mm256_loadu_si256((const __m256i *)(const void *)(p + 32)), bit_a = bit_avx2(a), bit_b = bit_avx2(b);
    if (!_mm256_movemask_epi8(_mm256_or_si256(a, b))) {
        for (unsigned k = 0; k < n; k++) {
            __m256i row = table_avx2(sets[k].row);
            ret[k] = has_avx2(_mm256_shuffle_epi8(row, a), bit_a) | has_avx2(_mm256_shuffle_epi8(row, b), bit_b) << 32;
        }
        return;
    }
    __m256i top = _mm256_set1_epi8((char)0x80), c = _mm256_xor_si256(a, top), d = _mm256_xor_si256(b, top);
    for (unsigned k = 0; k < n; k++) {
        __m256i row = table_avx2(sets[k].row), high = table_avx2(sets[k].high);
        ret[k] = has_avx2(_mm256_or_si256(_mm256_shuffle_epi8(row, a), _mm256_shuffle_epi8(high, c)), bit_a) |
                 has_avx2(_mm256_or_si256(_mm256_shuffle_epi8(row, b), _mm256_shuffle_epi8(high, d)), bit_b) << 32;
    }
}

SSSE3 ALWAYS_INLINE uint64_t same_ssse3(const char *p, char c) {
    uint64_t bits = 0;
    for (unsigned i = 0; i < BLOCK; i += 16) {
        __m128i x = _mm_loadu_si128((const __m128i *)(const void *)(p + i));
        bits |= (uint64_t)(unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(x, _mm_set1_epi8(c))) << i;
    }
    return bits;
}

SSSE3 ALWAYS_INLINE void block_ssse3(const char *p, const toad__set *sets, unsigned n, uint64_t *ret) {
    for (unsigned k = 0; k < n; k++) ret[k] = 0;
    for (unsigned i = 0; i < BLOCK; i += 16) {
        __m128i x = _mm_loadu_si128((const __m128i *)(const void *)(p + i)),
                other = _mm_xor_si128(x, _mm_set1_epi8((char)0x80));
        __m128i bit = _mm_shuffle_epi8(_mm_setr_epi8(BITS), _mm_and_si128(_mm_srli_epi16(x, 4), _mm_set1_epi8(15)));
        for (unsigned k = 0; k < n; k++) {
            __m128i row = _mm_loadu_si128((const __m128i *)(const void *)sets[k].row),
                    high = _mm_loadu_si128((const __m128i *)(const void *)sets[k].high);
            __m128i found = _mm_or_si128(_mm_shuffle_epi8(row, x), _mm_shuffle_epi8(high, other));
            ret[k] |= (uint64_t)(unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(_mm_and_si128(found, bit), bit)) << i;
        }
    }
}

/* By eight bits, where those that are set stand, a byte each. */
#define PLACE(m, b) ((m) >> (b)&1 ? (uint64_t)(b) << 8 * __builtin_popcount((m) & ((1u << (b)) - 1)) : 0)
#define ORDER(m) \
    (PLACE(m, 0) | PLACE(m, 1) | PLACE(m, 2) | PLACE(m, 3) | PLACE(m, 4) | PLACE(m, 5) | PLACE(m, 6) | PLACE(m, 7))
#define ORDERS_4(m)  ORDER((m) + 0u), ORDER((m) + 1u), ORDER((m) + 2u), ORDER((m) + 3u)
#define ORDERS_16(m) ORDERS_4(m), ORDERS_4((m) + 4u), ORDERS_4((m) + 8u), ORDERS_4((m) + 12u)
#define ORDERS_64(m) ORDERS_16(m), ORDERS_16((m) + 16u), ORDERS_16((m) + 32u), ORDERS_16((m) + 48u)
static const uint64_t orders[256] = { ORDERS_64(0u), ORDERS_64(64u), ORDERS_64(128u), ORDERS_64(192u) };

/* Eight bytes at a time; what is written behind the last that belongs there is written over, or has room. */
SSSE3 ALWAYS_INLINE unsigned collect_ssse3(const char *p, uint64_t mask, char *to) {
    uint64_t sums = toad__bits_sums(mask), before = sums << 8;
    for (unsigned i = 0; i < BLOCK; i += 8) {
        __m128i order = _mm_loadl_epi64((const __m128i *)(const void *)&orders[mask >> i & 0xFF]),
                x = _mm_loadl_epi64((const __m128i *)(const void *)(p + i));
        _mm_storel_epi64((__m128i *)(void *)(to + (before >> i & 0xFF)), _mm_shuffle_epi8(x, order));
    }
    return (unsigned)(sums >> 56);
}
#elif HAVE_NEON
/* Four vectors, in which the bits of bytes found are set and all others are clear, added up by pairs. */
ALWAYS_INLINE uint64_t sum_neon(const uint8x16_t v[4]) {
    uint8x16_t sum = vpaddq_u8(vpaddq_u8(v[0], v[1]), vpaddq_u8(v[2], v[3]));
    return vgetq_lane_u64(vreinterpretq_u64_u8(vpaddq_u8(sum, sum)), 0);
}

static const uint8_t bits_neon[16] = { 1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128 };

ALWAYS_INLINE uint64_t same_neon(const char *at, char c) {
    const uint8_t *p = (const uint8_t *)at;
    uint8x16_t v[4];
    for (unsigned i = 0; i < 4; i++)
        v[i] = vandq_u8(vceqq_u8(vld1q_u8(p + 16 * i), vdupq_n_u8((uint8_t)c)), vld1q_u8(bits_neon));
    return sum_neon(v);
}

ALWAYS_INLINE void block_neon(const char *at, const toad__set *sets, unsigned n, uint64_t *ret) {
    const uint8_t *p = (const uint8_t *)at;
    const uint8x16_t places = vld1q_u8(bits_neon);
    uint8x16_t x[4], bit[4], v[4];
    for (unsigned i = 0; i < 4; i++) {
        uint8x16_t c = vld1q_u8(p + 16 * i);
        x[i] = vandq_u8(c, vdupq_n_u8(0x8F)), bit[i] = vqtbl1q_u8(places, vshrq_n_u8(c, 4));
    }
    for (unsigned k = 0; k < n; k++) {
        uint8x16_t row = vld1q_u8(sets[k].row), high = vld1q_u8(sets[k].high);
        for (unsigned i = 0; i < 4; i++) {
            uint8x16_t found = vorrq_u8(vqtbl1q_u8(row, x[i]), vqtbl1q_u8(high, veorq_u8(x[i], vdupq_n_u8(0x80))));
            v[i] = vandq_u8(vtstq_u8(found, bit[i]), places);
        }
        ret[k] = sum_neon(v);
    }
}
#elif HAVE_WASM
ALWAYS_INLINE uint64_t same_wasm(const char *p, char c) {
    uint64_t bits = 0;
    for (unsigned i = 0; i < BLOCK; i += 16)
        bits |= (uint64_t)wasm_i8x16_bitmask(wasm_i8x16_eq(wasm_v128_load(p + i), wasm_i8x16_splat(c))) << i;
    return bits;
}

ALWAYS_INLINE void block_wasm(const char *p, const toad__set *sets, unsigned n, uint64_t *ret) {
    for (unsigned k = 0; k < n; k++) ret[k] = 0;
    for (unsigned i = 0; i < BLOCK; i += 16) {
        v128_t x = wasm_v128_load(p + i), at = wasm_v128_and(x, wasm_i8x16_splat((char)0x8F)),
               other = wasm_v128_xor(at, wasm_i8x16_splat((char)0x80)),
               bit = wasm_i8x16_swizzle(wasm_i8x16_make(BITS), wasm_u8x16_shr(x, 4));
        for (unsigned k = 0; k < n; k++) {
            v128_t found = wasm_v128_or(wasm_i8x16_swizzle(wasm_v128_load(sets[k].row), at),
                                        wasm_i8x16_swizzle(wasm_v128_load(sets[k].high), other));
            ret[k] |= (uint64_t)wasm_i8x16_bitmask(wasm_i8x16_eq(wasm_v128_and(found, bit), bit)) << i;
        }
    }
}
#endif

/* ---- the rest, once for each ---- */

typedef uint64_t same_fn(const char *p, char c);
typedef void block_fn(const char *p, const toad__set *sets, unsigned n, uint64_t *ret);

ALWAYS_INLINE uint64_t mask(const char *p, const toad__set *set, block_fn *block) {
    uint64_t ret;
    block(p, set, 1, &ret);
    return ret;
}

ALWAYS_INLINE uint64_t mask_at(toad_str in, size_t at, const toad__set *set, block_fn *block) {
    assert(at <= in.n);
    if (in.n - at >= BLOCK) return mask(in.p + at, set, block);
    char room[BLOCK] = { 0 };
    if (at < in.n) memcpy(room, in.p + at, in.n - at);
    return mask(room, set, block) & toad__bits_low((unsigned)(in.n - at));
}

ALWAYS_INLINE void each_block(const char *p, size_t blocks, const toad__set *sets, unsigned n, uint64_t *ret,
                              block_fn *block) {
    for (; blocks; blocks--, p += BLOCK, ret += n) block(p, sets, n, ret);
}

/* The numbers of sets that are asked for most have a loop each, in which the tables stay in registers. */
ALWAYS_INLINE void masks(const char *p, size_t blocks, const toad__set *sets, unsigned n, uint64_t *ret,
                         block_fn *block) {
    switch (n) {
    case 2: each_block(p, blocks, sets, 2, ret, block); return;
    case 4: each_block(p, blocks, sets, 4, ret, block); return;
    case 5: each_block(p, blocks, sets, 5, ret, block); return;
    default: each_block(p, blocks, sets, n, ret, block);
    }
}

ALWAYS_INLINE size_t find(toad_str in, const toad__set *set, size_t from, block_fn *block) {
    for (; from < in.n; from += BLOCK) {
        uint64_t bits = mask_at(in, from, set, block);
        if (bits) return from + (size_t)__builtin_ctzll(bits);
    }
    return in.n;
}

ALWAYS_INLINE size_t pair(toad_str in, char first, const toad__set *second, unsigned apart, size_t from, same_fn *same,
                          block_fn *block) {
    size_t end = in.n > apart ? in.n - apart : 0; /* of what can be first */
    for (; from < end && end - from >= BLOCK; from += BLOCK) {
        uint64_t bits = same(in.p + from, first);
        if (bits) bits &= mask(in.p + from + apart, second, block);
        if (bits) return from + (size_t)__builtin_ctzll(bits);
    }
    for (; from < end; from++)
        if (in.p[from] == first && toad__set_has(second, in.p[from + apart])) return from;
    return in.n;
}

#define PATH(name, target, collect)                                                                                   \
    target static uint64_t mask_##name(const char *p, const toad__set *set) { return mask(p, set, block_##name); }    \
    target static uint64_t at_##name(toad_str in, size_t at, const toad__set *set) {                                  \
        return mask_at(in, at, set, block_##name);                                                                    \
    }                                                                                                                 \
    target static void masks_##name(const char *p, size_t blocks, const toad__set *sets, unsigned n, uint64_t *ret) { \
        masks(p, blocks, sets, n, ret, block_##name);                                                                 \
    }                                                                                                                 \
    target static size_t find_##name(toad_str in, const toad__set *set, size_t from) {                                \
        return find(in, set, from, block_##name);                                                                     \
    }                                                                                                                 \
    target static size_t pair_##name(toad_str in, char first, const toad__set *second, unsigned apart, size_t from) { \
        return pair(in, first, second, apart, from, same_##name, block_##name);                                       \
    }                                                                                                                 \
    target static unsigned pick_##name(const char *p, uint64_t mask, char *to) { return collect(p, mask, to); }       \
    static const toad__masks_path name = {                                                                            \
        mask_##name, at_##name, masks_##name, find_##name, pair_##name, pick_##name                                   \
    };

PATH(portable, , collect_portable)
#if HAVE_AVX2
PATH(ssse3, SSSE3, collect_ssse3)
PATH(avx2, AVX2, collect_ssse3)
#elif HAVE_NEON
PATH(neon, , collect_portable)
#elif HAVE_WASM
PATH(wasm, , collect_portable)
#endif

const toad__masks_path *toad__masks_path_of(unsigned path) {
    switch (path) {
    case TOAD__MASKS_PORTABLE: return &portable;
#if HAVE_AVX2
    case TOAD__MASKS_SSSE3: return __builtin_cpu_supports("ssse3") ? &ssse3 : NULL;
    case TOAD__MASKS_AVX2: return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") ? &avx2 : NULL;
#elif HAVE_NEON
    case TOAD__MASKS_NEON: return &neon;
#elif HAVE_WASM
    case TOAD__MASKS_WASM: return &wasm;
#endif
    default: return NULL;
    }
}

static inline const toad__masks_path *best(void) {
#if HAVE_AVX2
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi")) return &avx2;
    if (__builtin_cpu_supports("ssse3")) return &ssse3;
#elif HAVE_NEON
    return &neon;
#elif HAVE_WASM
    return &wasm;
#endif
    return &portable;
}

uint64_t toad__mask(const char *p, const toad__set *set) { return best()->mask(p, set); }

uint64_t toad__mask_at(toad_str in, size_t at, const toad__set *set) { return best()->at(in, at, set); }

size_t toad__masks_at(toad_str in, size_t at, const toad__set *sets, unsigned n, size_t most, uint64_t *ret) {
    assert(at <= in.n);
    size_t whole = (in.n - at) / BLOCK, rest = (in.n - at) % BLOCK;
    if (whole >= most) whole = most, rest = 0;
    const toad__masks_path *path = best();
    if (whole) path->masks(in.p + at, whole, sets, n, ret);
    if (!rest) return whole;
    char room[BLOCK] = { 0 };
    memcpy(room, in.p + at + whole * BLOCK, rest);
    path->masks(room, 1, sets, n, ret + whole * n);
    for (unsigned k = 0; k < n; k++) ret[whole * n + k] &= toad__bits_low((unsigned)rest);
    return whole + 1;
}

size_t toad__set_find(toad_str in, const toad__set *set, size_t from) { return best()->find(in, set, from); }

size_t toad__pair_find(toad_str in, char first, const toad__set *second, unsigned apart, size_t from) {
    assert(apart >= 1 && apart <= 16);
    return best()->pair(in, first, second, apart, from);
}

unsigned toad__pick(const char *p, uint64_t mask, char *to) { return best()->pick(p, mask, to); }
