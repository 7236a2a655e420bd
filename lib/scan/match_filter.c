/* match_filter.c - most bytes are looked at once, by the cheapest test there is.
 *
 * Three filters go over the text together, by the length of the literals (table.h). Of a literal of six bytes or more,
 * one of two neighboring 5-grams stands at an even offset of the text, so every second 5-gram is hashed into a bit
 * table that fits the first-level cache. Of one of four or five bytes the same is true of 3-grams. The few of three
 * bytes are looked for everywhere, by byte shuffles where the machine has AVX2. What passes leads to a bucket, which
 * asks for one byte more, next to the gram; what then is left, to the literals with that gram, and one masked 8-byte
 * compare tells.
 *
 * What stands in the text is reported in the order of its grams, on which the guards (match.c) rely: of two literals
 * that do not overlap, the earlier is reported first. All is exact: a literal that stands in the text is reported once.
 */
#include "lib/scan/match_filter.h"
#include "lib/base/simd.h"
#include "lib/rules/pattern.h"

#include <string.h>

#define BLOCK 32 /* bytes that one mask stands for */

typedef struct grams {
    const uint32_t *bits;
    const toad__table_bucket *buckets;
    const toad__table_entry *entries;
    unsigned n, bits_shift, buckets_shift;
} grams;

typedef struct filter {
    toad__matcher *m;
    const uint8_t *p;
    size_t n;
    const toad__table_literal *literals;
    grams kinds[TOAD__FILTER_KINDS];
    const uint8_t *shuffles;
} filter;

static grams grams_of(const toad__ruleset *set, const toad__table_filter *f) {
    return (grams){ toad__table_at(set, f->bits),
                    toad__table_at(set, f->buckets),
                    toad__table_at(set, f->entries),
                    f->n,
                    64 - f->bits_log2,
                    64 - f->buckets_log2 };
}

static inline uint64_t load(const uint8_t *p) {
    uint64_t x;
    memcpy(&x, p, sizeof x);
    return x;
}

/* Eight bytes at `at`, with zeros past the end of the text. No literal holds a zero. */
static inline uint64_t load_safe(const filter *f, size_t at) {
    uint64_t x = 0;
    if (at + sizeof x <= f->n) return load(f->p + at);
    memcpy(&x, f->p + at, f->n - at);
    return x;
}

/* Does the literal of the entry really stand around the gram at `at`? `inside`: eight bytes may be read from `at`. */
ALWAYS_INLINE bool stands(const filter *f, const toad__table_entry *e, size_t at, bool inside) {
    if (e->at > at) return false;
    const toad__table_literal *l = &f->literals[e->literal];
    uint64_t text = inside ? load(f->p + at - e->at) : load_safe(f, at - e->at);
    return !((text ^ l->value) << (64 - 8 * l->n));
}

ALWAYS_INLINE const toad__table_bucket *bucket_of(const grams *g, uint64_t text, unsigned gram) {
    return &g->buckets[toad__gram_hash(text, gram) >> g->buckets_shift];
}

/* Of the places p + i of the bits i, those where the byte next to the gram fits too; `lead`: bytes of text before p, 1
 * is enough. */
ALWAYS_INLINE uint32_t with_neighbor(const filter *f, const uint8_t *p, uint32_t mask, unsigned kind, unsigned lead) {
    unsigned gram = toad__filter_kind_of(kind).gram;
    uint32_t to = 0;
    for (; mask; mask &= mask - 1) {
        unsigned i = (unsigned)__builtin_ctz(mask);
        uint64_t text = load(p + i);
        const toad__table_bucket *b = bucket_of(&f->kinds[kind], text, gram);
        unsigned behind = text >> 8 * gram & 15, before = lead | i ? (p + i)[-1] & 15u : 0;
        to |= ((b->behind >> behind | b->before >> before) & 1u) << i;
    }
    return to;
}

/* Report the literals around the gram at `at`, in their order. An entry is in one bucket, so what stands there is
 * reported once. Returns where to go on, `next` at least. */
ALWAYS_INLINE size_t report(const filter *f, unsigned kind, size_t at, bool inside, size_t next) {
    const grams *g = &f->kinds[kind];
    const toad__table_bucket *bucket =
        bucket_of(g, inside ? load(f->p + at) : load_safe(f, at), toad__filter_kind_of(kind).gram);
    for (const toad__table_entry *e = g->entries + bucket[0].first, *end = g->entries + bucket[1].first;
         e < end && next != TOAD__MATCH_STOP; e++) {
        size_t to = stands(f, e, at, inside) ? toad__match_literal(f->m, e->literal, (uint32_t)(at - e->at)) : 0;
        if (to > next) next = to;
    }
    return next;
}

/* Bit i, which is even: a gram of the filter may stand at p + i. Reads eight bytes from each. */
ALWAYS_INLINE uint32_t even_mask(const grams *g, const uint8_t *p, unsigned gram) {
    uint32_t mask = 0;
    for (unsigned i = 0; i < BLOCK; i += 2) {
        uint64_t hash = toad__bits_hash(load(p + i), gram);
        uint32_t word = g->bits[hash >> g->bits_shift >> 5];
        mask |= (word >> (hash >> g->bits_shift & 31) & word >> (hash >> (g->bits_shift - 5) & 31) & 1) << i;
    }
    return mask;
}

static uint32_t long_mask(const filter *f, const uint8_t *p) { return even_mask(&f->kinds[TOAD__FILTER_LONG], p, 5); }
static uint32_t medium_mask(const filter *f, const uint8_t *p) {
    return even_mask(&f->kinds[TOAD__FILTER_MEDIUM], p, 3);
}

/* Bit i: a gram of the short filter may stand at p + i. */
ALWAYS_INLINE uint32_t short_mask(const filter *f, const uint8_t *p) {
    const uint8_t *s = f->shuffles;
    uint32_t mask = 0;
    for (unsigned i = 0; i < BLOCK; i++) {
        unsigned a = p[i], b = p[i + 1], c = p[i + 2];
        unsigned buckets =
            s[a & 15] & s[16 + (a >> 4)] & s[32 + (b & 15)] & s[48 + (b >> 4)] & s[64 + (c & 15)] & s[80 + (c >> 4)];
        mask |= (uint32_t)(buckets != 0) << i;
    }
    return mask;
}

#if HAVE_AVX2
/* Sixteen bytes from p on, and sixteen from p + 8 on: what stands at p, p + 2, ..., p + 14. */
__attribute__((target("avx2"))) static inline __m256i eight_places(const uint8_t *p) {
    return _mm256_inserti128_si256(_mm256_castsi128_si256(_mm_loadu_si128((const __m128i *)(const void *)p)),
                                   _mm_loadu_si128((const __m128i *)(const void *)(p + 8)), 1);
}

/* Of each word that `words` tells, the bit that the lowest five bits of `which` tell, as the highest. */
__attribute__((target("avx2"))) static inline __m256i pick_avx2(__m256i words, __m256i which) {
    return _mm256_sllv_epi32(words, _mm256_andnot_si256(which, _mm256_set1_epi32(31)));
}

__attribute__((target("avx2"))) static inline unsigned highest_avx2(__m256i v) {
    return (unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(v));
}

/* Bit k: a gram of x, made ready for it by toad__bits_hash, is in the filter. */
__attribute__((target("avx2"))) static inline unsigned in_bits_avx2(const grams *g, __m256i x) {
    __m256i h = _mm256_mullo_epi32(x, _mm256_set1_epi32((int)0x9E3779B1u));
    __m128i bit = _mm_cvtsi32_si128((int)g->bits_shift - 32), word = _mm_cvtsi32_si128((int)g->bits_shift - 27),
            other = _mm_cvtsi32_si128((int)g->bits_shift - 37);
    __m256i words = _mm256_i32gather_epi32((const int *)(const void *)g->bits, _mm256_srl_epi32(h, word), 4);
    return highest_avx2(
        _mm256_and_si256(pick_avx2(words, _mm256_srl_epi32(h, bit)), pick_avx2(words, _mm256_srl_epi32(h, other))));
}

__attribute__((target("avx2"))) static inline unsigned long_half_avx2(const filter *f, const uint8_t *p) {
    const __m256i fours = _mm256_setr_epi8(0, 1, 2, 3, 2, 3, 4, 5, 4, 5, 6, 7, 6, 7, 8, 9, 0, 1, 2, 3, 2, 3, 4, 5, 4, 5,
                                           6, 7, 6, 7, 8, 9);
    const __m256i fifths = _mm256_setr_epi8(4, -1, -1, -1, 6, -1, -1, -1, 8, -1, -1, -1, 10, -1, -1, -1, 4, -1, -1, -1,
                                            6, -1, -1, -1, 8, -1, -1, -1, 10, -1, -1, -1);
    __m256i v = eight_places(p), fifth = _mm256_shuffle_epi8(v, fifths);
    __m256i x = _mm256_xor_si256(_mm256_shuffle_epi8(v, fours),
                                 _mm256_xor_si256(_mm256_slli_epi32(fifth, 11), _mm256_slli_epi32(fifth, 25)));
    return in_bits_avx2(&f->kinds[TOAD__FILTER_LONG], x);
}

__attribute__((target("avx2"))) static inline unsigned medium_half_avx2(const filter *f, const uint8_t *p) {
    const __m256i threes = _mm256_setr_epi8(0, 1, 2, -1, 2, 3, 4, -1, 4, 5, 6, -1, 6, 7, 8, -1, 0, 1, 2, -1, 2, 3, 4,
                                            -1, 4, 5, 6, -1, 6, 7, 8, -1);
    return in_bits_avx2(&f->kinds[TOAD__FILTER_MEDIUM], _mm256_shuffle_epi8(eight_places(p), threes));
}

__attribute__((target("avx2,bmi2"))) static inline uint32_t long_mask_avx2(const filter *f, const uint8_t *p) {
    return _pdep_u32(long_half_avx2(f, p) | long_half_avx2(f, p + 16) << 8, 0x55555555);
}

__attribute__((target("avx2,bmi2"))) static inline uint32_t medium_mask_avx2(const filter *f, const uint8_t *p) {
    return _pdep_u32(medium_half_avx2(f, p) | medium_half_avx2(f, p + 16) << 8, 0x55555555);
}

/* The buckets that each byte at p may belong to, by the halves at s. */
__attribute__((target("avx2"))) static inline __m256i buckets_of(const uint8_t *p, const uint8_t *s) {
    __m256i x = _mm256_loadu_si256((const __m256i *)(const void *)p), nibble = _mm256_set1_epi8(15);
    __m256i low = _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)(const void *)s));
    __m256i high = _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)(const void *)(s + 16)));
    return _mm256_and_si256(_mm256_shuffle_epi8(low, _mm256_and_si256(x, nibble)),
                            _mm256_shuffle_epi8(high, _mm256_and_si256(_mm256_srli_epi16(x, 4), nibble)));
}

__attribute__((target("avx2"))) static inline uint32_t short_mask_avx2(const filter *f, const uint8_t *p) {
    __m256i all = _mm256_and_si256(buckets_of(p, f->shuffles), _mm256_and_si256(buckets_of(p + 1, f->shuffles + 32),
                                                                                buckets_of(p + 2, f->shuffles + 64)));
    return ~(uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(all, _mm256_setzero_si256()));
}
#endif

typedef uint32_t mask_fn(const filter *f, const uint8_t *p);

typedef struct masks {
    mask_fn *of[TOAD__FILTER_KINDS];
} masks;

/* The block at `at`, of which the first `n` bytes are text; p holds it and eight more bytes, and what stands before it.
 * `whole`: so does the text. Returns where to go on. */
ALWAYS_INLINE size_t block(const filter *f, const uint8_t *p, size_t at, size_t n, bool whole, const masks *m) {
    uint32_t inside = n < BLOCK ? ((uint32_t)1 << n) - 1 : UINT32_MAX;
    unsigned lead = at != 0;
    size_t next = at + BLOCK;
    uint32_t longs = f->kinds[0].n ? with_neighbor(f, p, m->of[0](f, p) & inside, 0, lead) : 0;
    uint32_t mediums = f->kinds[1].n ? with_neighbor(f, p, m->of[1](f, p) & inside, 1, lead) : 0;
    uint32_t shorts = f->kinds[2].n ? m->of[2](f, p) & inside : 0;
    for (uint32_t all = longs | mediums | shorts; all; all &= all - 1) {
        unsigned i = (unsigned)__builtin_ctz(all);
        bool safe = whole || at + i + 8 <= f->n;
        if (longs >> i & 1) next = report(f, 0, at + i, safe, next);
        if (mediums >> i & 1) next = report(f, 1, at + i, safe, next);
        if (shorts >> i & 1) next = report(f, 2, at + i, safe, next);
    }
    return next;
}

ALWAYS_INLINE void blocks(const filter *f, const masks *m) {
    size_t at = 0;
    while (at + BLOCK + 8 <= f->n)
        at = block(f, f->p + at, at, BLOCK, true, m); /* so that every load of a block ends in the text */
    if (at >= f->n) return;
    uint8_t last[8 + 2 * BLOCK + 8] = { 0 }; /* the rest, before zeros */
    size_t before = at ? 8 : 0;
    memcpy(last + 8 - before, f->p + at - before, before + f->n - at);
    for (size_t from = at; at < f->n;) at = block(f, last + 8 + (at - from), at, f->n - at, false, m);
}

#if HAVE_AVX2
__attribute__((target("avx2,bmi,bmi2"))) static void blocks_avx2(const filter *of) {
    const filter f = *of; /* nobody else's, so it stays in registers */
    blocks(&f, &(const masks){ { long_mask_avx2, medium_mask_avx2, short_mask_avx2 } });
}
#endif
static void blocks_portable(const filter *f) { blocks(f, &(const masks){ { long_mask, medium_mask, short_mask } }); }

void toad__match_filter(toad__matcher *m, const toad__ruleset *set, const toad__table_set *tables, toad_str text) {
    filter f = { .m = m,
                 .p = (const uint8_t *)text.p,
                 .n = text.n,
                 .literals = toad__table_at(set, tables->literals),
                 .shuffles = toad__table_at(set, tables->shuffles) };
    for (unsigned kind = 0; kind < TOAD__FILTER_KINDS; kind++) f.kinds[kind] = grams_of(set, &tables->filters[kind]);
#if HAVE_AVX2
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2")) {
        blocks_avx2(&f);
        return;
    }
#endif
    blocks_portable(&f);
}
