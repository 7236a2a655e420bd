/* runs.c - finding blocks 64 bytes at a time.
 *
 * A word of 64 bits says which of 64 bytes are in the set; runs and evenly spaced blanks are then a few shifts. The
 * word is made by two byte shuffles where the machine has AVX2, else byte by byte. Linear whatever the text. */
#include "lib/base/simd.h"
#include "lib/decode/survey.h"

/* ---- the sets ---- */

const toad__set toad__set_alnum = {
    { 0xa8, 0xf8, 0xf8, 0xf8, 0xf8, 0xf8, 0xf8, 0xf8, 0xf8, 0xf8, 0xf0, 0x50, 0x50, 0x50, 0x50, 0x50 },
    { 0 },
};
const toad__set toad__set_letters = {
    { 0xa0, 0xf0, 0xf0, 0xf0, 0xf0, 0xf0, 0xf0, 0xf0, 0xf0, 0xf0, 0xf0, 0x50, 0x50, 0x50, 0x50, 0x50 },
    { 0 },
};
const toad__set toad__set_base64 = {
    { 0xa8, 0xf8, 0xf8, 0xf8, 0xf8, 0xf8, 0xf8, 0xf8, 0xf8, 0xf8, 0xf0, 0x54, 0x50, 0x54, 0x50, 0x74 },
    { 0 },
};
const toad__set toad__set_low64 = {
    { 0x20, 0x70, 0x70, 0x70, 0x70, 0x70, 0x70, 0x30, 0x30, 0x30, 0x30, 0x10, 0x10, 0x10, 0x10, 0x10 },
    { 0 },
};
const toad__set toad__set_visible = {
    { 0xf8, 0xfc, 0xfc, 0xfc, 0xfc, 0xfc, 0xfc, 0xfc, 0xfc, 0xfc, 0xfc, 0xfc, 0xfc, 0xfc, 0xfc, 0x7c },
    { 0 },
};
const toad__set toad__set_hex_next = {
    { 0x08, 0x58, 0x58, 0x58, 0x58, 0xf8, 0x58, 0x08, 0x08, 0x08, 0, 0, 0, 0, 0, 0 },
    { 0 },
};
const toad__set toad__set_quoted_next = {
    { 0x0c, 0x58, 0x58, 0x58, 0x58, 0x58, 0x58, 0x08, 0x08, 0x09, 0x01, 0, 0, 0x01, 0, 0 },
    { 0 },
};
const toad__set toad__set_entity_next = {
    { 0xa0, 0xf0, 0xf0, 0xf4, 0xf0, 0xf0, 0xf0, 0xf0, 0xf0, 0xf0, 0xf0, 0x50, 0x50, 0x50, 0x50, 0x50 },
    { 0 },
};
const toad__set toad__set_number_next = {
    { 0x0c, 0x08, 0x08, 0x08, 0x08, 0x08, 0x08, 0x08, 0x08, 0x09, 0x01, 0x01, 0x01, 0x01, 0, 0 },
    { 0 },
};
const toad__set toad__set_joint_next = {
    { 0x44, 0, 0x04, 0, 0, 0, 0, 0x04, 0, 0x01, 0x01, 0x01, 0x21, 0x09, 0, 0 },
    { 0 },
};
const toad__set toad__set_written = {
    { 0xac, 0xf8, 0xf8, 0xf8, 0xf8, 0xf8, 0xf8, 0xf8, 0xf8, 0xf9, 0xf1, 0x51, 0x51, 0x51, 0x50, 0x50 },
    { 0 },
};
const toad__set toad__set_json = {
    { 0, 0, 0x04, 0, 0, 0, 0, 0, 0, 0, 0, 0xa0, 0, 0xa0, 0, 0 },
    { 0 },
};
const toad__set toad__set_quotes = {
    { 0x40, 0, 0x04, 0, 0, 0, 0, 0x04, 0, 0, 0, 0, 0, 0, 0, 0 },
    { 0 },
};
const toad__set toad__set_pictures = {
    { 0 },
    { 0x80, 0, 0x40, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 },
};
const toad__set toad__set_marks = {
    { 0x40, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x04, 0, 0, 0, 0, 0 },
    { 0 },
};
const toad__set toad__set_cuttable = {
    { 0xa0, 0xf0, 0xf0, 0xf0, 0xf0, 0xf0, 0xf0, 0xf0, 0xf0, 0xf0, 0xf0, 0x50, 0x50, 0x50, 0x50, 0x50 },
    { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff },
};
const toad__set toad__set_inside = {
    { 0xa8, 0xf8, 0xf8, 0xf8, 0xf8, 0xf8, 0xf8, 0xf8, 0xf8, 0xf8, 0xf0, 0x50, 0x50, 0x50, 0x50, 0x50 },
    { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff },
};
const toad__set toad__set_hex = {
    { 0x0c, 0x58, 0x58, 0x5c, 0x5c, 0x58, 0x5c, 0x08, 0xf8, 0x09, 0x09, 0x08, 0xa4, 0x05, 0x04, 0x20 },
    { 0 },
};
const toad__set toad__set_bits = {
    { 0x0c, 0x08, 0x50, 0, 0, 0, 0, 0, 0, 0x01, 0x01, 0, 0x84, 0x05, 0, 0x20 },
    { 0 },
};
const toad__set toad__set_numbers = {
    { 0x0c, 0x08, 0x08, 0x08, 0x08, 0x08, 0x08, 0x08, 0x08, 0x09, 0x09, 0x08, 0x84, 0x05, 0x04, 0x04 },
    { 0 },
};
const toad__set toad__set_bacon = {
    { 0x04, 0x50, 0x50, 0, 0, 0, 0, 0, 0, 0, 0x01, 0, 0, 0x01, 0, 0x04 },
    { 0 },
};
const toad__set toad__set_tap = {
    { 0x04, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x01, 0, 0, 0x01, 0x04, 0x04 },
    { 0 },
};
const toad__set toad__set_signs = {
    { 0x0c, 0x08, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80, 0x04, 0x04, 0x24 },
    { 0 },
};
const toad__set toad__set_morse = {
    { 0x04, 0, 0, 0, 0, 0, 0, 0, 0, 0x01, 0x01, 0, 0x80, 0x05, 0x04, 0x24 },
    { 0x03, 0x02, 0x56, 0x43, 0x06, 0x03, 0, 0x08, 0x01, 0x02, 0, 0x09, 0, 0, 0, 0 },
};
const toad__set toad__set_terse = {
    { 0x0c, 0x58, 0x58, 0x5c, 0x5c, 0x58, 0x5c, 0x08, 0xf8, 0x09, 0x09, 0x08, 0xa4, 0x05, 0x04, 0x24 },
    { 0x03, 0x02, 0x56, 0x43, 0x06, 0x03, 0, 0x08, 0x01, 0x02, 0, 0x09, 0, 0, 0, 0 },
};
const toad__set toad__set_upper = {
    { 0x20, 0x30, 0x30, 0x30, 0x30, 0x30, 0x30, 0x30, 0x30, 0x30, 0x30, 0x10, 0x10, 0x10, 0x10, 0x10 },
    { 0 },
};
const toad__set toad__set_lower = {
    { 0x80, 0xc0, 0xc0, 0xc0, 0xc0, 0xc0, 0xc0, 0xc0, 0xc0, 0xc0, 0xc0, 0x40, 0x40, 0x40, 0x40, 0x40 },
    { 0 },
};
const toad__set toad__set_small = {
    { 0x88, 0xc8, 0xc8, 0xc8, 0xc8, 0xc8, 0xc8, 0xc8, 0xc8, 0xc8, 0xc0, 0x40, 0x40, 0x40, 0x40, 0x40 },
    { 0 },
};
const toad__set toad__set_blanks = {
    { 0x04, 0, 0, 0, 0, 0, 0, 0, 0, 0x01, 0x01, 0, 0, 0x01, 0, 0 },
    { 0 },
};
const toad__set toad__set_wide = {
    { 0x04, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x01, 0, 0x80, 0x01, 0, 0x04 },
    { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff },
};

/* ---- 64 bytes at a time ---- */

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

__attribute__((target("avx2"))) static inline uint64_t word_avx2(const char *p, const toad__set *set) {
    __m256i row = _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)(const void *)set->row));
    __m256i high = _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)(const void *)set->high));
    return half_avx2(p, row, high) | (uint64_t)half_avx2(p + 32, row, high) << 32;
}
#endif

static uint64_t word_portable(const char *p, const toad__set *set) {
    uint64_t bits = 0;
    for (unsigned i = 0; i < 64; i++) bits |= (uint64_t)toad__set_has(set, p[i]) << i;
    return bits;
}

typedef uint64_t word_fn(const char *p, const toad__set *set);

static word_fn *best_word(void) {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2")) return word_avx2;
#endif
    return word_portable;
}

/* Bit i: byte at + i is in the set; bytes beyond the end are not. */
ALWAYS_INLINE uint64_t word_at(toad_str in, size_t at, const toad__set *set, word_fn *word) {
    if (in.n - at >= 64) return word(in.p + at, set);
    char tail[64] = { 0 };
    memcpy(tail, in.p + at, in.n - at);
    return word(tail, set) & ((UINT64_C(1) << (in.n - at)) - 1);
}

uint64_t toad__set_word(toad_str in, size_t at, const toad__set *set) { return word_at(in, at, set, best_word()); }

ALWAYS_INLINE size_t set_find(toad_str in, const toad__set *set, size_t from, word_fn *word) {
    for (; from < in.n; from += 64) {
        uint64_t bits = word_at(in, from, set, word);
        if (bits) return from + (size_t)__builtin_ctzll(bits);
    }
    return in.n;
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) static size_t set_find_avx2(toad_str in, const toad__set *set, size_t from) {
    return set_find(in, set, from, word_avx2);
}
#endif

size_t toad__set_find(toad_str in, const toad__set *set, size_t from) {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2")) return set_find_avx2(in, set, from);
#endif
    return set_find(in, set, from, word_portable);
}

/* ---- two bytes ---- */

#if defined(__x86_64__)
__attribute__((target("avx2"))) static inline uint64_t equal_avx2(const char *p, char c) {
    __m256i same = _mm256_set1_epi8(c), low = _mm256_loadu_si256((const __m256i *)(const void *)p),
            high = _mm256_loadu_si256((const __m256i *)(const void *)(p + 32));
    return (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(low, same)) |
           (uint64_t)(uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(high, same)) << 32;
}

/* What stands behind the last whole word is left to the portable search. */
__attribute__((target("avx2"))) static bool pair_find_avx2(toad_str in, size_t *from, char a, char b, unsigned apart) {
    for (; in.n - *from >= 64 + 16; *from += 64) {
        uint64_t found = equal_avx2(in.p + *from, a) & equal_avx2(in.p + *from + apart, b);
        if (!found) continue;
        *from += (size_t)__builtin_ctzll(found);
        return true;
    }
    return false;
}

__attribute__((target("avx2"))) static bool lead_find_avx2(toad_str in, size_t *from, char lead,
                                                           const toad__set *next) {
    for (; in.n - *from > 64; *from += 64) {
        uint64_t found = equal_avx2(in.p + *from, lead);
        if (found) found &= word_avx2(in.p + *from + 1, next);
        if (!found) continue;
        *from += (size_t)__builtin_ctzll(found);
        return true;
    }
    return false;
}
#endif

static size_t byte_find(toad_str in, size_t from, char c) {
    const char *hit = from < in.n ? memchr(in.p + from, c, in.n - from) : NULL;
    return hit ? (size_t)(hit - in.p) : in.n;
}

size_t toad__pair_find(toad_str in, size_t from, char a, char b, unsigned apart) {
    if (from > in.n) return in.n;
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2") && pair_find_avx2(in, &from, a, b, apart)) return from;
#endif
    for (; (from = byte_find(in, from, a)) + apart < in.n; from++)
        if (in.p[from + apart] == b) return from;
    return in.n;
}

size_t toad__lead_find(toad_str in, size_t from, char lead, const toad__set *next) {
    if (!next || from > in.n) return byte_find(in, from, lead);
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2") && lead_find_avx2(in, &from, lead, next)) return from;
#endif
    for (; (from = byte_find(in, from, lead)) + 1 < in.n; from++)
        if (toad__set_has(next, in.p[from + 1])) return from;
    return in.n;
}

/* ---- runs ---- */

/* Bits at which `n` (1..64) ones in a row begin. */
static inline uint64_t row_of(uint64_t bits, size_t n) {
    size_t have = 1;
    if (n >= 8) {
        bits &= bits >> 1;
        bits &= bits >> 2;
        bits &= bits >> 4;
        have = 8;
    }
    while (have < n) {
        size_t step = have < n - have ? have : n - have;
        bits &= bits >> step;
        have += step;
    }
    return bits;
}

/* Is one of the eight bytes all ones? Fifteen ones in a row have one, in this word or in the one before. */
static inline bool has_full_byte(uint64_t bits) {
    return (~bits - UINT64_C(0x0101010101010101)) & bits & UINT64_C(0x8080808080808080);
}

/* Do two neighboring groups of four bits of the words `last` and `bits` hold nothing but ones? Eleven ones in a row do.
 */
static inline bool has_full_fours(uint64_t last, uint64_t bits) {
    uint64_t two = bits & bits >> 1, four = two & two >> 2 & UINT64_C(0x1111111111111111);
    return (four & four >> 4) | (last >> 60 == 15 && four & 1);
}

/* The end of the bytes of the set that begin at `at`. */
ALWAYS_INLINE size_t end_of(toad_str in, const toad__set *set, size_t at, word_fn *word) {
    for (; at < in.n; at += 64) {
        uint64_t others = ~word_at(in, at, set, word);
        if (others) return at + (size_t)__builtin_ctzll(others);
    }
    return in.n;
}

ALWAYS_INLINE bool run_next(toad_str in, const toad__set *set, size_t least, size_t from, toad_span *ret,
                            word_fn *word) {
    uint64_t last = 0; /* the word before, */
    size_t run = 0;    /* and the words before it that were all ones, in bits */
    bool full = false, full_before;
    for (size_t at = from; at < in.n; at += 64) {
        uint64_t bits = word_at(in, at, set, word), inside;
        full_before = full;
        full = least < 15 ? least < 11 || has_full_fours(last, bits) : has_full_byte(bits);
        if (full | full_before) {
            size_t before = ~last ? (size_t)__builtin_clzll(~last) : run, start = SIZE_MAX;
            size_t first = ~bits ? (size_t)__builtin_ctzll(~bits) : 64;
            run = ~bits ? 0 : before + 64;
            if (before + first >= least)
                start = at - before;
            else if ((inside = row_of(bits, least)) != 0)
                start = at + (size_t)__builtin_ctzll(inside);
            if (start != SIZE_MAX) {
                *ret = (toad_span){ start, end_of(in, set, start + least, word) };
                return true;
            }
        }
        last = bits;
    }
    return false;
}

/* Every search is one body, made for AVX2, where the tables of the set stay in registers, and for any machine. */
#if defined(__x86_64__)
__attribute__((target("avx2"))) static bool run_next_avx2(toad_str in, const toad__set *set, size_t least, size_t from,
                                                          toad_span *ret) {
    return run_next(in, set, least, from, ret, word_avx2);
}
#endif

bool toad__run_next(toad_str in, const toad__set *set, size_t least, size_t from, toad_span *ret) {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2")) return run_next_avx2(in, set, least, from, ret);
#endif
    return run_next(in, set, least, from, ret, word_portable);
}

/* The run around `at`, not beginning before `from`. */
static toad_span run_around(toad_str in, const toad__set *set, size_t at, size_t from) {
    size_t start = at;
    while (start > from && toad__set_has(set, in.p[start - 1])) start--;
    return (toad_span){ start, end_of(in, set, at, best_word()) };
}

bool toad__mixed_run_next(toad_str in, const toad__sites *where, const toad__set *set, size_t least, size_t from,
                          toad_span *ret) {
    size_t at = from;
    for (toad_span site; toad__site_next(where, in.n, at, &site); at = (size_t)site.end) {
        /* what stands before a capital is looked at with it */
        for (at = (size_t)site.start - (site.start > from); at < site.end; at += 63) {
            uint64_t capitals = toad__set_word(in, at, &toad__set_upper);
            if (!capitals) continue;
            for (uint64_t turns = toad__set_word(in, at, &toad__set_small) << 1 & capitals; turns; turns &= turns - 1) {
                size_t turn = at + (size_t)__builtin_ctzll(turns);
                if (turn < from) continue;
                *ret = run_around(in, set, turn, from);
                if (ret->end - ret->start >= least) return true;
                from = (size_t)ret->end;
            }
        }
    }
    return false;
}

size_t toad__run_lines(toad_str in, const toad__set *set, toad_span run) {
    size_t end = (size_t)run.end, width = (size_t)(run.end - run.start);
    for (bool first = true;; first = false) {
        toad__cur c = { in, end };
        while (toad__cur_peek(&c, 0) == ' ' || toad__cur_peek(&c, 0) == '\r') c.at++;
        if (toad__cur_next(&c) != '\n') return end;
        while (toad__cur_peek(&c, 0) == ' ' || toad__cur_peek(&c, 0) == '>' || toad__cur_peek(&c, 0) == '\t') c.at++;
        size_t start = c.at;
        c.at = end_of(in, set, start, best_word());
        size_t n = c.at - start;
        int next = toad__cur_peek(&c, 0);
        bool whole = next < 0 || next == '=' || toad__is_space(next);
        if (!n || !whole || (n > width && !first)) return end;
        end = c.at;
        if (n < width || next == '=') return end;
        width = n;
    }
}

/* The length of the token of the set at `at`, at most 16. */
static size_t token(toad_str in, const toad__set *set, size_t at) {
    size_t n = 0;
    while (n < 16 && at + n < in.n && toad__set_has(set, in.p[at + n])) n++;
    return n;
}

static bool blank_at(toad_str in, size_t at) { return at < in.n && toad__is_space((unsigned char)in.p[at]); }

/* Tokens of `width` from `start` on: the end of the last one, a shorter last one included. */
static size_t groups_end(toad_str in, const toad__set *set, size_t start, size_t width) {
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

static size_t groups_start(toad_str in, const toad__set *set, size_t start, size_t width, size_t from) {
    while (start >= from + width + 1 && blank_at(in, start - 1)) {
        size_t before = start - 1 - width;
        if (token(in, set, before) != width || (before && toad__set_has(set, in.p[before - 1]))) break;
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

bool toad__groups_next(toad_str in, const toad__sites *where, const toad__set *set, size_t least, size_t from,
                       toad_span *ret) {
    toad_span site = { 0, 0 };
    for (size_t at = from, width; at < in.n; at += 40) {
        if (at >= site.end && !toad__site_next(where, in.n, at, &site)) break;
        if (site.start >= at + 64) at += (site.start - at - 24) / 40 * 40; /* the first word that reaches the site */
        uint64_t capitals = toad__set_word(in, at, &toad__set_upper);
        if (!(capitals & (capitals - 1)) || !(capitals & toad__set_word(in, at, &toad__set_lower) << 1))
            continue; /* no capital behind a small letter */
        unsigned first = even_blanks(toad__set_word(in, at, &toad__set_blanks), &width);
        if (first == 64) continue;
        size_t start = groups_start(in, set, at + first + 1, width, from),
               end = groups_end(in, set, at + first + 1, width);
        if (end > start && (end - start) * width / (width + 1) >= least) {
            *ret = (toad_span){ start, end };
            return true;
        }
    }
    return false;
}
