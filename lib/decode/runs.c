/* runs.c - finding blocks 64 bytes at a time.
 *
 * A word of 64 bits says which of 64 bytes are in the set; runs and evenly spaced blanks are then a few shifts. The
 * word is made by two byte shuffles where the machine has AVX2, else byte by byte. Linear whatever the text. */
#include "lib/decode/runs.h"

#if defined(__GNUC__)
#define ALWAYS_INLINE static inline __attribute__((always_inline))
#else
#define ALWAYS_INLINE static inline
#endif

#if defined(__x86_64__)
#include <immintrin.h>

__attribute__((target("avx2"))) static inline uint32_t half_avx2(const char *p, __m256i row, __m256i high) {
    const __m256i bit = _mm256_setr_epi8(1, 2, 4, 8, 16, 32, 64, -128, 1, 2, 4, 8, 16, 32, 64, -128, 1, 2, 4, 8, 16, 32,
                                         64, -128, 1, 2, 4, 8, 16, 32, 64, -128);
    const __m256i low_nibble = _mm256_set1_epi8(15);
    __m256i c = _mm256_loadu_si256((const __m256i *)(const void *)p), low = _mm256_and_si256(c, low_nibble);
    __m256i rows = _mm256_blendv_epi8(_mm256_shuffle_epi8(row, low), _mm256_shuffle_epi8(high, low), c);
    __m256i bits = _mm256_shuffle_epi8(bit, _mm256_and_si256(_mm256_srli_epi16(c, 4), low_nibble));
    return (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(_mm256_and_si256(rows, bits), bits));
}

__attribute__((target("avx2"))) static inline uint64_t word_avx2(const char *p, const bzr__set *set) {
    __m256i row = _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)(const void *)set->row));
    __m256i high = _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)(const void *)set->high));
    return half_avx2(p, row, high) | (uint64_t)half_avx2(p + 32, row, high) << 32;
}
#endif

static uint64_t word_portable(const char *p, const bzr__set *set) {
    uint64_t bits = 0;
    for (unsigned i = 0; i < 64; i++) bits |= (uint64_t)bzr__set_has(set, p[i]) << i;
    return bits;
}

typedef uint64_t word_fn(const char *p, const bzr__set *set);

static word_fn *best_word(void) {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2")) return word_avx2;
#endif
    return word_portable;
}

/* Bit i: byte at + i is in the set; bytes beyond the end are not. */
ALWAYS_INLINE uint64_t word_at(bzr_str in, size_t at, const bzr__set *set, word_fn *word) {
    if (in.n - at >= 64) return word(in.p + at, set);
    uint64_t bits = 0;
    for (size_t i = at; i < in.n; i++) bits |= (uint64_t)bzr__set_has(set, in.p[i]) << (i - at);
    return bits;
}

uint64_t bzr__set_word(bzr_str in, size_t at, const bzr__set *set) { return word_at(in, at, set, best_word()); }

/* Bits at which `n` ones in a row begin. */
static inline uint64_t row_of(uint64_t bits, size_t n) {
    for (size_t have = 1; have < n && bits;) {
        size_t step = have < n - have ? have : n - have;
        bits &= bits >> step;
        have += step;
    }
    return bits;
}

ALWAYS_INLINE bool run_next(bzr_str in, const bzr__set *set, size_t least, size_t from, bzr_span *ret, word_fn *word) {
    size_t before = 0; /* ones at the end of the words before */
    for (size_t at = from; at < in.n; at += 64) {
        uint64_t bits = word_at(in, at, set, word), inside;
        size_t first = ~bits ? (size_t)__builtin_ctzll(~bits) : 64, start = SIZE_MAX;
        if (before + first >= least)
            start = at - before;
        else if ((inside = row_of(bits, least)) != 0)
            start = at + (size_t)__builtin_ctzll(inside);
        if (start != SIZE_MAX) {
            size_t end = start + least;
            while (end < in.n && bzr__set_has(set, in.p[end])) end++;
            *ret = (bzr_span){ start, end };
            return true;
        }
        before = ~bits ? (size_t)__builtin_clzll(~bits) : before + 64;
    }
    return false;
}

/* Every search is one body, made for AVX2, where the tables of the set stay in registers, and for any machine. */
#if defined(__x86_64__)
__attribute__((target("avx2"))) static bool run_next_avx2(bzr_str in, const bzr__set *set, size_t least, size_t from, bzr_span *ret) {
    return run_next(in, set, least, from, ret, word_avx2);
}
#endif

bool bzr__run_next(bzr_str in, const bzr__set *set, size_t least, size_t from, bzr_span *ret) {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2")) return run_next_avx2(in, set, least, from, ret);
#endif
    return run_next(in, set, least, from, ret, word_portable);
}

/* The run around `at`, not beginning before `from`. */
static bzr_span run_around(bzr_str in, const bzr__set *set, size_t at, size_t from) {
    size_t start = at, end = at;
    while (start > from && bzr__set_has(set, in.p[start - 1])) start--;
    while (end < in.n && bzr__set_has(set, in.p[end])) end++;
    return (bzr_span){ start, end };
}

ALWAYS_INLINE bool mixed_run_next(bzr_str in, const bzr__set *set, size_t least, size_t from, bzr_span *ret, word_fn *word) {
    bzr__set upper = { 0 }, other = { 0 };
    bzr__set_add_range(&upper, 'A', 'Z'), bzr__set_add_range(&other, 'a', 'z'), bzr__set_add_range(&other, '0', '9');
    for (size_t at = from; at < in.n; at += 63) { /* the last byte is looked at again, as what stands before the next */
        uint64_t capitals = word_at(in, at, &upper, word);
        if (!capitals) continue;
        for (uint64_t turns = word_at(in, at, &other, word) << 1 & capitals; turns; turns &= turns - 1) {
            size_t turn = at + (size_t)__builtin_ctzll(turns);
            if (turn < from) continue;
            *ret = run_around(in, set, turn, from);
            if (ret->end - ret->start >= least) return true;
            from = (size_t)ret->end;
        }
    }
    return false;
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) static bool mixed_run_next_avx2(bzr_str in, const bzr__set *set, size_t least, size_t from, bzr_span *ret) {
    return mixed_run_next(in, set, least, from, ret, word_avx2);
}
#endif

bool bzr__mixed_run_next(bzr_str in, const bzr__set *set, size_t least, size_t from, bzr_span *ret) {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2")) return mixed_run_next_avx2(in, set, least, from, ret);
#endif
    return mixed_run_next(in, set, least, from, ret, word_portable);
}

size_t bzr__run_lines(bzr_str in, const bzr__set *set, bzr_span run) {
    size_t end = (size_t)run.end, width = (size_t)(run.end - run.start);
    for (bool first = true;; first = false) {
        bzr__cur c = { in, end };
        while (bzr__cur_peek(&c, 0) == ' ' || bzr__cur_peek(&c, 0) == '\r') c.at++;
        if (bzr__cur_next(&c) != '\n') return end;
        while (bzr__cur_peek(&c, 0) == ' ' || bzr__cur_peek(&c, 0) == '>' || bzr__cur_peek(&c, 0) == '\t') c.at++;
        size_t start = c.at;
        while (c.at < in.n && bzr__set_has(set, in.p[c.at])) c.at++;
        size_t n = c.at - start;
        int next = bzr__cur_peek(&c, 0);
        bool whole = next < 0 || next == '=' || bzr__is_space(next);
        if (!n || !whole || (n > width && !first)) return end;
        end = c.at;
        if (n < width || next == '=') return end;
        width = n;
    }
}

/* The length of the token of the set at `at`, at most 16. */
static size_t token(bzr_str in, const bzr__set *set, size_t at) {
    size_t n = 0;
    while (n < 16 && at + n < in.n && bzr__set_has(set, in.p[at + n])) n++;
    return n;
}

static bool blank_at(bzr_str in, size_t at) { return at < in.n && bzr__is_space((unsigned char)in.p[at]); }

/* Tokens of `width` from `start` on: the end of the last one, a shorter last one included. */
static size_t groups_end(bzr_str in, const bzr__set *set, size_t start, size_t width) {
    size_t end = start;
    while (end == start || blank_at(in, end)) {
        size_t at = end == start ? start : end + 1, n = token(in, set, at);
        bool stands_alone = at + n >= in.n || blank_at(in, at + n) || in.p[at + n] == '=';
        if (!n || n > width || !stands_alone) break;
        end = at + n;
        if (n < width) break;
    }
    return end;
}

static size_t groups_start(bzr_str in, const bzr__set *set, size_t start, size_t width, size_t from) {
    while (start >= from + width + 1 && blank_at(in, start - 1)) {
        size_t before = start - 1 - width;
        if (token(in, set, before) != width || (before && bzr__set_has(set, in.p[before - 1]))) break;
        start = before;
    }
    return start;
}

/* The first of four blanks of a 64-bit mask with equal gaps of width + 1 between; 64 if there is none. */
static unsigned even_blanks(uint64_t blanks, size_t *width) {
    static const uint8_t widths[] = { 4, 8, 5, 2, 3, 6, 7, 10 };
    for (size_t i = 0; i < sizeof widths; i++) {
        unsigned step = widths[i] + 1u;
        uint64_t even = blanks & blanks >> step & blanks >> 2 * step & blanks >> 3 * step;
        *width = widths[i];
        if (even) return (unsigned)__builtin_ctzll(even);
    }
    return 64;
}

ALWAYS_INLINE bool groups_next(bzr_str in, const bzr__set *set, size_t least, size_t from, bzr_span *ret, word_fn *word) {
    bzr__set blank = { 0 }, lower = { 0 }, upper = { 0 };
    bzr__set_add_z(&blank, " \t\n\r"), bzr__set_add_range(&lower, 'a', 'z'), bzr__set_add_range(&upper, 'A', 'Z');
    for (size_t at = from, width; at < in.n; at += 40) {
        uint64_t capitals = word_at(in, at, &upper, word);
        if (!(capitals & (capitals - 1)) || !(capitals & word_at(in, at, &lower, word) << 1))
            continue; /* no capital behind a small letter */
        unsigned first = even_blanks(word_at(in, at, &blank, word), &width);
        if (first == 64) continue;
        size_t start = groups_start(in, set, at + first + 1, width, from),
               end = groups_end(in, set, at + first + 1, width);
        if (end > start && (end - start) * width / (width + 1) >= least) {
            *ret = (bzr_span){ start, end };
            return true;
        }
    }
    return false;
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) static bool groups_next_avx2(bzr_str in, const bzr__set *set, size_t least, size_t from, bzr_span *ret) {
    return groups_next(in, set, least, from, ret, word_avx2);
}
#endif

bool bzr__groups_next(bzr_str in, const bzr__set *set, size_t least, size_t from, bzr_span *ret) {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2")) return groups_next_avx2(in, set, least, from, ret);
#endif
    return groups_next(in, set, least, from, ret, word_portable);
}
