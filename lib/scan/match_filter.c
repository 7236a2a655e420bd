/* match_filter.c - most bytes are looked at once, by the cheapest test there is.
 *
 * Three filters go over the text together, by the length of the literals (table.h). Of a literal of six bytes or more, one of two neighboring 5-grams
 * stands at an even offset of the text, so every second 5-gram is hashed into a bit table that fits the first-level cache. Of one of four or five bytes the same is true of
 * 3-grams; the low five bits of three bytes, in which letters keep apart, are an index into 4 KiB. The few of three bytes are
 * looked for everywhere, by byte shuffles where the machine has AVX2. A bit that is set leads to the literals with that gram, and one masked 8-byte compare tells.
 *
 * What stands in the text is reported in the order of its grams, on which the guards (match.c) rely: of two literals that do not overlap, the earlier is reported
 * first. All is exact: a literal that stands in the text is reported once. */
#include "lib/base/simd.h"
#include "lib/scan/match_filter.h"
#include "lib/rules/pattern.h"

#include <string.h>

#define BLOCK 32 /* bytes that one mask stands for */

typedef struct grams {
    const uint32_t *bits, *buckets;
    const bzr__table_entry *entries;
    unsigned n, bits_shift, buckets_shift;
} grams;

typedef struct filter {
    bzr__matcher *m;
    const uint8_t *p;
    size_t n;
    grams kinds[BZR__FILTER_KINDS];
    const uint32_t *triples;
    const uint8_t *shuffles;
} filter;

static grams grams_of(const bzr__ruleset *set, const bzr__table_filter *f) {
    return (grams){ bzr__table_at(set, f->bits), bzr__table_at(set, f->buckets), bzr__table_at(set, f->entries), f->n, 64 - f->bits_log2, 64 - f->buckets_log2 };
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

ALWAYS_INLINE uint32_t is_set(const grams *g, uint64_t hash) {
    uint32_t word = g->bits[hash >> g->bits_shift >> 5];
    return word >> (hash >> g->bits_shift & 31) & word >> (hash >> (g->bits_shift - 5) & 31) & 1;
}

/* Does a literal of the medium filter begin at `at` or up to two bytes before? Its grams are common, its first bytes are not. */
ALWAYS_INLINE bool has_head(const filter *f, size_t at) {
    const grams *g = &f->kinds[BZR__FILTER_MEDIUM];
    if (at < 2) return true;
    return is_set(g, bzr__gram_hash(load(f->p + at), BZR__MEDIUM_HEAD)) | is_set(g, bzr__gram_hash(load(f->p + at - 1), BZR__MEDIUM_HEAD)) |
           is_set(g, bzr__gram_hash(load(f->p + at - 2), BZR__MEDIUM_HEAD));
}

/* The gram at `at` may be an entry's: report the literals that really stand there. `inside`: eight bytes may be read from `at`. */
ALWAYS_INLINE bool compare(const filter *f, unsigned kind, size_t at, bool inside) {
    const grams *g = &f->kinds[kind];
    uint64_t text = inside ? load(f->p + at) : load_safe(f, at);
    uint64_t hash = bzr__gram_hash(text, bzr__filter_kind_of(kind).gram), k = hash >> g->buckets_shift;
    bool asked = inside && kind == BZR__FILTER_LONG; /* by the long mask */
    if (kind == BZR__FILTER_MEDIUM ? inside && !has_head(f, at) : !asked && !is_set(g, hash)) return true;
    for (uint32_t i = g->buckets[k], end = g->buckets[k + 1]; i < end; i++) {
        const bzr__table_entry *e = &g->entries[i];
        if (e->at > at) continue;
        uint64_t differs = (inside ? load(f->p + at - e->at) : load_safe(f, at - e->at)) ^ e->value;
        if (differs << (64 - 8 * e->n)) continue;
        if (!bzr__match_literal(f->m, e->literal, (uint32_t)(at - e->at))) return false;
    }
    return true;
}

/* Bit 2i: a gram of the long filter may stand at p + 2i. Reads eight bytes from each. */
ALWAYS_INLINE uint32_t long_mask(const filter *f, const uint8_t *p) {
    const grams g = f->kinds[BZR__FILTER_LONG];
    uint32_t mask = 0;
#if defined(__GNUC__)
#pragma GCC unroll 16
#endif
    for (unsigned i = 0; i < BLOCK; i += 2) mask |= is_set(&g, bzr__gram_hash(load(p + i), 5)) << i;
    return mask;
}

/* Bit 2i: a gram of the medium filter may stand at p + 2i. */
ALWAYS_INLINE uint32_t medium_mask(const filter *f, const uint8_t *p) {
    uint32_t mask = 0, triple = p[0] & 31u;
#if defined(__GNUC__)
#pragma GCC unroll 16
#endif
    for (unsigned i = 0; i < BLOCK; i += 2) {
        triple = (triple << 10 | (p[i + 1] & 31u) << 5 | (p[i + 2] & 31u)) & 0x7fff;
        mask |= (f->triples[triple >> 5] >> (triple & 31) & 1) << i;
    }
    return mask;
}

/* Bit i: a gram of the short filter may stand at p + i. */
ALWAYS_INLINE uint32_t short_mask(const filter *f, const uint8_t *p) {
    const uint8_t *s = f->shuffles;
    uint32_t mask = 0;
    for (unsigned i = 0; i < BLOCK; i++) {
        unsigned a = p[i], b = p[i + 1], c = p[i + 2];
        unsigned buckets = s[a & 15] & s[16 + (a >> 4)] & s[32 + (b & 15)] & s[48 + (b >> 4)] & s[64 + (c & 15)] & s[80 + (c >> 4)];
        mask |= (uint32_t)(buckets != 0) << i;
    }
    return mask;
}

#if HAVE_AVX2
/* The buckets that each byte at p may belong to, by the halves at s. */
__attribute__((target("avx2"))) static inline __m256i buckets_of(const uint8_t *p, const uint8_t *s) {
    __m256i x = _mm256_loadu_si256((const __m256i *)(const void *)p), nibble = _mm256_set1_epi8(15);
    __m256i low = _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)(const void *)s));
    __m256i high = _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)(const void *)(s + 16)));
    return _mm256_and_si256(_mm256_shuffle_epi8(low, _mm256_and_si256(x, nibble)),
                            _mm256_shuffle_epi8(high, _mm256_and_si256(_mm256_srli_epi16(x, 4), nibble)));
}

__attribute__((target("avx2"))) static inline uint32_t short_mask_avx2(const filter *f, const uint8_t *p) {
    __m256i all = _mm256_and_si256(buckets_of(p, f->shuffles), _mm256_and_si256(buckets_of(p + 1, f->shuffles + 32), buckets_of(p + 2, f->shuffles + 64)));
    return ~(uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(all, _mm256_setzero_si256()));
}
#endif

static bool compare_block(const filter *f, size_t at, const uint32_t *masks) {
    for (uint32_t all = masks[0] | masks[1] | masks[2]; all; all &= all - 1) {
        unsigned i = (unsigned)__builtin_ctz(all);
        if (masks[0] >> i & 1 && !compare(f, 0, at + i, true)) return false;
        if (masks[1] >> i & 1 && !compare(f, 1, at + i, true)) return false;
        if (masks[2] >> i & 1 && !compare(f, 2, at + i, true)) return false;
    }
    return true;
}

/* The bytes behind the last block. */
static bool tail(const filter *f, size_t at) {
    for (; at + BZR__LITERAL_MIN <= f->n; at++) {
        for (unsigned kind = 0; kind < BZR__FILTER_KINDS; kind++) {
            bzr__filter_kind k = bzr__filter_kind_of(kind);
            if (f->kinds[kind].n && at + k.gram <= f->n && at % k.places == 0 && !compare(f, kind, at, false)) return false;
        }
    }
    return true;
}

typedef uint32_t mask_fn(const filter *f, const uint8_t *p);

ALWAYS_INLINE bool blocks(const filter *f, mask_fn *short_mask_of) {
    size_t at = 0;
    for (; at + BLOCK + 8 <= f->n; at += BLOCK) { /* so that every load of a block ends in the text */
        const uint8_t *p = f->p + at;
        uint32_t masks[] = { f->kinds[0].n ? long_mask(f, p) : 0, f->kinds[1].n ? medium_mask(f, p) : 0, f->kinds[2].n ? short_mask_of(f, p) : 0 };
        if ((masks[0] | masks[1] | masks[2]) && !compare_block(f, at, masks)) return false;
    }
    return tail(f, at);
}

#if HAVE_AVX2
__attribute__((target("avx2,bmi,bmi2"))) static bool blocks_avx2(const filter *f) { return blocks(f, short_mask_avx2); }
#endif
static bool blocks_portable(const filter *f) { return blocks(f, short_mask); }

bool bzr__match_filter(bzr__matcher *m, const bzr__ruleset *set, const bzr__table_set *tables, bzr_str text) {
    filter f = { .m = m, .p = (const uint8_t *)text.p, .n = text.n, .triples = bzr__table_at(set, tables->triples), .shuffles = bzr__table_at(set, tables->shuffles) };
    for (unsigned kind = 0; kind < BZR__FILTER_KINDS; kind++) f.kinds[kind] = grams_of(set, &tables->filters[kind]);
#if HAVE_AVX2
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2")) return blocks_avx2(&f);
#endif
    return blocks_portable(&f);
}
