/* odd.c - skipping the text that needs no look: where the machine has AVX2 by 64 bytes of any script, else ASCII by 16
 * bytes and other scripts by one table byte a code point.
 *
 * Quiet ASCII is everything printable, TAB, LF with no blank before it, and CR LF. Combining marks are quiet up to two
 * in a row after a quiet base. The scan starts as if marks stood before it, so that a mark right after a removed
 * character is ruled on. */
#include "lib/base/cursor.h"
#include "lib/base/simd.h"
#include "lib/base/utf8.h"
#include "lib/text/keep_rules.h"
#include "lib/text/tables/class_tables.gen.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#define QUIET_MARKS 2u
#define FEW         8u /* code points */

static bool quiet_ascii(toad_str in, size_t at) {
    unsigned char c = (unsigned char)in.p[at];
    if (c >= 0x20 && c < 0x7F) return true;
    if (c == '\t') return true;
    if (c == '\r' && (at + 1 >= in.n || in.p[at + 1] != '\n')) return false;
    return (c == '\n' || c == '\r') && !(at && toad__is_blank(in.p[at - 1]));
}

#if defined(__SSE2__)
/* Bit i: byte i of the 16 at `at` is not quiet. */
static unsigned odd_bytes(toad_str in, size_t at) {
    __m128i v = _mm_loadu_si128((const __m128i *)(const void *)(in.p + at));
    __m128i low = _mm_cmplt_epi8(v, _mm_set1_epi8(0x20)); /* signed: bytes from 80 on as well */
    unsigned odd = (unsigned)_mm_movemask_epi8(_mm_or_si128(low, _mm_cmpeq_epi8(v, _mm_set1_epi8(0x7F))));
    if (!odd) return 0;
    __m128i tabs = _mm_cmpeq_epi8(v, _mm_set1_epi8('\t'));
    unsigned tab = (unsigned)_mm_movemask_epi8(tabs);
    unsigned blank = (unsigned)_mm_movemask_epi8(_mm_or_si128(tabs, _mm_cmpeq_epi8(v, _mm_set1_epi8(' '))));
    unsigned lf = (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(v, _mm_set1_epi8('\n')));
    unsigned cr = (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(v, _mm_set1_epi8('\r')));
    unsigned after_blank = blank << 1 | (at && toad__is_blank(in.p[at - 1]));
    unsigned before_lf = lf >> 1 | (at + 16 < in.n && in.p[at + 16] == '\n' ? 0x8000u : 0);
    return odd & ~(tab | (lf & ~after_blank) | (cr & before_lf & ~after_blank));
}
#else
static unsigned odd_bytes(toad_str in, size_t at) {
    unsigned odd = 0;
    for (unsigned i = 0; i < 16; i++) odd |= (unsigned)!quiet_ascii(in, at + i) << i;
    return odd;
}
#endif

static size_t skip_ascii(toad_str in, size_t at) {
    for (; at + 16 <= in.n; at += 16) {
        unsigned odd = odd_bytes(in, at);
        if (odd) return at + (size_t)__builtin_ctz(odd);
    }
    while (at < in.n && quiet_ascii(in, at)) at++;
    return at;
}

/* The code point at `at`, which is not ASCII; the common well-formed two- and three-byte forms inline. */
static inline uint32_t decode(toad_str in, size_t at, unsigned *len) {
    const unsigned char *p = (const unsigned char *)in.p + at;
    size_t left = in.n - at;
    if (left >= 2 && p[0] >= 0xC2 && p[0] <= 0xDF && (p[1] & 0xC0) == 0x80) {
        *len = 2;
        return (p[0] & 0x1Fu) << 6 | (p[1] & 0x3Fu);
    }
    if (left >= 3 && p[0] >= 0xE1 && p[0] <= 0xEC && (p[1] & 0xC0) == 0x80 && (p[2] & 0xC0) == 0x80) {
        *len = 3;
        return (p[0] & 0x0Fu) << 12 | (p[1] & 0x3Fu) << 6 | (p[2] & 0x3Fu);
    }
    return toad__utf8_decode(in, at, len);
}

static inline bool is_tail(char c) { return (c & 0xC0) == 0x80; }

/* Bytes of a code point whose block of 64 is quiet as a whole (most letters and ideographs are); 0 for any other, and
 * for what is not well formed. */
static inline unsigned all_quiet(toad_str in, size_t at, unsigned lead) {
    size_t left = in.n - at;
    if (lead < 0xC2 || lead > 0xEF || lead == 0xE0 || left < 2 || !is_tail(in.p[at + 1])) return 0;
    unsigned len = lead < 0xE0 ? 2 : 3,
             block = lead < 0xE0 ? lead & 0x1F : (lead & 0x0F) << 6 | ((unsigned)in.p[at + 1] & 0x3F);
    if (len == 3 && (left < 3 || !is_tail(in.p[at + 2]))) return 0;
    return toad__quiet_blocks[block / 64] >> (block & 63) & 1 ? len : 0;
}

/* Step over a few quiet code points, up to an odd one (*odd): around those it is quicker than blocks are. */
static size_t skip_few(toad_str in, size_t at, unsigned *marks, bool *odd) {
    unsigned quiet = 0;
    while (at < in.n && quiet++ < FEW) {
        unsigned char c = (unsigned char)in.p[at];
        if (c < 0x80) {
            if (c < 0x20 || c == 0x7F) return at;
            *marks = 0;
            at++;
            continue;
        }
        unsigned len = all_quiet(in, at, c);
        if (len) {
            *marks = 0;
            at += len;
            continue;
        }
        uint32_t cp = decode(in, at, &len);
        unsigned number = cp == TOAD__BAD ? 0xFF : toad__class_number(cp);
        if (number >= TOAD__CLASS_QUIET && (number >= TOAD__CLASS_MARKS || ++*marks > QUIET_MARKS)) {
            *odd = true;
            return at;
        }
        if (number < TOAD__CLASS_QUIET) *marks = 0;
        at += len;
    }
    return at;
}

#if HAVE_AVX2

#define AVX2 __attribute__((target("avx2,bmi")))

/* What 64 bytes hold; bit i stands for byte i. `odd`: ASCII that is not quiet. `leads`: bytes from C0 on, `threes` and
 * `fours` those of at least so many bytes; `loud`: leads that may begin what is not quiet or not well formed. */
typedef struct block {
    uint64_t odd, tails, leads, threes, fours, loud;
} block;

AVX2 ALWAYS_INLINE uint64_t bits_avx2(__m256i low, __m256i high) {
    return (uint32_t)_mm256_movemask_epi8(low) | (uint64_t)(uint32_t)_mm256_movemask_epi8(high) << 32;
}

/* Bit i of row[x & 15] is set where the lead byte x, C0 + 16 i + ..., begins quiet code points only: those whose blocks
 * are all in toad__quiet_blocks. */
AVX2 ALWAYS_INLINE __m256i calm_avx2(__m256i x) {
    const __m256i row = _mm256_broadcastsi128_si256(_mm_setr_epi8(2, 2, 0, 3, 7, 7, 5, 5, 5, 5, 3, 5, 4, 0, 1, 1));
    const __m256i bit = _mm256_broadcastsi128_si256(_mm_setr_epi8(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 4, 8));
    __m256i nibble = _mm256_set1_epi8(15),
            bits = _mm256_shuffle_epi8(bit, _mm256_and_si256(_mm256_srli_epi16(x, 4), nibble));
    __m256i found = _mm256_and_si256(_mm256_shuffle_epi8(row, _mm256_and_si256(x, nibble)), bits);
    return _mm256_cmpgt_epi8(found, _mm256_setzero_si256());
}

/* Where E3 81 or E3 83 stands: most of the kana, whose blocks are quiet. */
AVX2 ALWAYS_INLINE uint64_t kana_avx2(__m256i a, __m256i b) {
    const __m256i lead = _mm256_set1_epi8((char)0xE3), last = _mm256_set1_epi8((char)0x83), other = _mm256_set1_epi8(2);
    uint64_t leads = bits_avx2(_mm256_cmpeq_epi8(a, lead), _mm256_cmpeq_epi8(b, lead));
    return leads & bits_avx2(_mm256_cmpeq_epi8(_mm256_or_si256(a, other), last),
                             _mm256_cmpeq_epi8(_mm256_or_si256(b, other), last)) >>
                       1;
}

AVX2 ALWAYS_INLINE uint64_t odd_avx2(toad_str in, size_t at, __m256i a, __m256i b, uint64_t controls) {
    const __m256i tab = _mm256_set1_epi8('\t'), blank = _mm256_set1_epi8(' '), lf = _mm256_set1_epi8('\n'),
                  cr = _mm256_set1_epi8('\r');
    uint64_t tabs = bits_avx2(_mm256_cmpeq_epi8(a, tab), _mm256_cmpeq_epi8(b, tab));
    uint64_t blanks = tabs | bits_avx2(_mm256_cmpeq_epi8(a, blank), _mm256_cmpeq_epi8(b, blank));
    uint64_t lfs = bits_avx2(_mm256_cmpeq_epi8(a, lf), _mm256_cmpeq_epi8(b, lf));
    uint64_t crs = bits_avx2(_mm256_cmpeq_epi8(a, cr), _mm256_cmpeq_epi8(b, cr));
    uint64_t after_blank = blanks << 1 | (at && toad__is_blank(in.p[at - 1]));
    uint64_t before_lf = lfs >> 1 | (uint64_t)(at + 64 < in.n && in.p[at + 64] == '\n') << 63;
    return controls & ~(tabs | (lfs & ~after_blank) | (crs & before_lf & ~after_blank));
}

AVX2 ALWAYS_INLINE block look_avx2(toad_str in, size_t at) {
    const __m256i blank = _mm256_set1_epi8(' '), del = _mm256_set1_epi8(0x7F), first = _mm256_set1_epi8((char)0xC0);
    __m256i a = _mm256_loadu_si256((const __m256i *)(const void *)(in.p + at)),
            b = _mm256_loadu_si256((const __m256i *)(const void *)(in.p + at + 32));
    block r = { .odd = 0 };
    uint64_t high = bits_avx2(a, b);
    uint64_t controls = bits_avx2(_mm256_or_si256(_mm256_cmpgt_epi8(blank, a), _mm256_cmpeq_epi8(a, del)),
                                  _mm256_or_si256(_mm256_cmpgt_epi8(blank, b), _mm256_cmpeq_epi8(b, del))) &
                        ~high;
    if (controls) r.odd = odd_avx2(in, at, a, b, controls);
    if (!high) return r;
    const __m256i three = _mm256_set1_epi8((char)0xDF), four = _mm256_set1_epi8((char)0xEF);
    r.tails = bits_avx2(_mm256_cmpgt_epi8(first, a), _mm256_cmpgt_epi8(first, b));
    r.leads = high & ~r.tails;
    r.threes = high & bits_avx2(_mm256_cmpgt_epi8(a, three), _mm256_cmpgt_epi8(b, three));
    r.fours = high & bits_avx2(_mm256_cmpgt_epi8(a, four), _mm256_cmpgt_epi8(b, four));
    r.loud = r.leads & ~bits_avx2(calm_avx2(a), calm_avx2(b));
    if (r.loud) r.loud &= ~(kana_avx2(a, b) & r.tails >> 1);
    return r;
}

/* Whether the code point at `at`, which is not ASCII, is quiet and no mark. */
static inline bool is_quiet(toad_str in, size_t at) {
    unsigned len;
    uint32_t c = decode(in, at, &len);
    return c != TOAD__BAD && toad__class_number(c) < TOAD__CLASS_QUIET;
}

/* Where the code point begins that lacks a tail at `at`, or has one too many. */
static size_t lead_of(toad_str in, size_t from, size_t at) {
    size_t begin = at;
    while (begin > from && begin + 3 > at && is_tail(in.p[begin - 1])) begin--;
    return begin > from && (unsigned char)in.p[begin - 1] >= 0xC0 ? begin - 1 : at;
}

/* Skip blocks in which all is quiet and nothing is a mark, from the code point at `at` on, up to the first that may not
 * be; the last bytes of the text are left. */
AVX2 static size_t skip_avx2(toad_str in, size_t at) {
    const size_t from = at;
    uint64_t due = 0; /* tails of what began in the block before */
    for (; in.n - at > 64; at += 64) {
        block b = look_avx2(in, at);
        uint64_t wrong = (b.leads << 1 | b.threes << 2 | b.fours << 3 | due) ^ b.tails, stop = b.odd | wrong;
        unsigned end = stop ? (unsigned)__builtin_ctzll(stop) : 64;
        for (uint64_t loud = b.loud; loud; loud &= loud - 1) {
            unsigned i = (unsigned)__builtin_ctzll(loud);
            if (i >= end) break;
            if (!is_quiet(in, at + i)) return at + i;
        }
        if (stop) return wrong >> end & 1 ? lead_of(in, from, at + end) : at + end;
        due = b.leads >> 63 | b.threes >> 62 | b.fours >> 61;
    }
    return due ? lead_of(in, from, at) : at;
}

static size_t skip_best(toad_str in, size_t at) {
    if (in.n - at > 64 && __builtin_cpu_supports("avx2")) at = skip_avx2(in, at);
    return skip_ascii(in, at);
}

#else

static size_t skip_best(toad_str in, size_t at) { return skip_ascii(in, at); }

#endif

/* Whether one of the next eight bytes is not ASCII. */
static bool wide_near(toad_str in, size_t at) {
    uint64_t x = 0;
    memcpy(&x, in.p + at, in.n - at < 8 ? in.n - at : 8);
    return (x & UINT64_C(0x8080808080808080)) != 0;
}

typedef size_t skip_quiet(toad_str in, size_t at);

ALWAYS_INLINE size_t next_odd(toad_str in, size_t at, skip_quiet *skip) {
    unsigned marks = QUIET_MARKS;
    while (at < in.n) {
        bool odd = false;
        if (wide_near(in, at)) at = skip_few(in, at, &marks, &odd);
        if (odd || at >= in.n) return at;
        size_t from = at;
        at = skip(in, at);
        if (at > from) marks = 0;
        if (at >= in.n || !((unsigned char)in.p[at] & 0x80)) return at;
    }
    return at;
}

size_t toad__next_odd(toad_str in, size_t at) { return next_odd(in, at, skip_best); }
size_t toad__next_odd_portable(toad_str in, size_t at) { return next_odd(in, at, skip_ascii); }
