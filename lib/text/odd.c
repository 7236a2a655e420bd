/* odd.c - skipping the text that needs no look: ASCII by 16 bytes, other scripts by one table byte a code point.
 *
 * Quiet ASCII is everything printable, TAB, LF with no blank before it, and CR LF. Combining marks are quiet up to two
 * in a row after a quiet base. The scan starts as if marks stood before it, so that a mark right after a removed
 * character is ruled on. */
#include "lib/base/cursor.h"
#include "lib/base/utf8.h"
#include "lib/text/class_tables.gen.h"
#include "lib/text/keep_rules.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#define QUIET_MARKS 2u

static bool is_blank(int c) { return c == ' ' || c == '\t'; }

static bool quiet_ascii(bzr_str in, size_t at) {
    unsigned char c = (unsigned char)in.p[at];
    if (c >= 0x20 && c < 0x7F) return true;
    if (c == '\t') return true;
    if (c == '\r' && (at + 1 >= in.n || in.p[at + 1] != '\n')) return false;
    return (c == '\n' || c == '\r') && !(at && is_blank(in.p[at - 1]));
}

#if defined(__SSE2__)
/* Bit i: byte i of the 16 at `at` is not quiet. */
static unsigned odd_bytes(bzr_str in, size_t at) {
    __m128i v = _mm_loadu_si128((const __m128i *)(const void *)(in.p + at));
    __m128i low = _mm_cmplt_epi8(v, _mm_set1_epi8(0x20)); /* signed: bytes from 80 on as well */
    unsigned odd = (unsigned)_mm_movemask_epi8(_mm_or_si128(low, _mm_cmpeq_epi8(v, _mm_set1_epi8(0x7F))));
    if (!odd) return 0;
    __m128i tabs = _mm_cmpeq_epi8(v, _mm_set1_epi8('\t'));
    unsigned tab = (unsigned)_mm_movemask_epi8(tabs);
    unsigned blank = (unsigned)_mm_movemask_epi8(_mm_or_si128(tabs, _mm_cmpeq_epi8(v, _mm_set1_epi8(' '))));
    unsigned lf = (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(v, _mm_set1_epi8('\n')));
    unsigned cr = (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(v, _mm_set1_epi8('\r')));
    unsigned after_blank = blank << 1 | (at && is_blank(in.p[at - 1]));
    unsigned before_lf = lf >> 1 | (at + 16 < in.n && in.p[at + 16] == '\n' ? 0x8000u : 0);
    return odd & ~(tab | (lf & ~after_blank) | (cr & before_lf & ~after_blank));
}
#else
static unsigned odd_bytes(bzr_str in, size_t at) {
    unsigned odd = 0;
    for (unsigned i = 0; i < 16; i++) odd |= (unsigned)!quiet_ascii(in, at + i) << i;
    return odd;
}
#endif

static size_t skip_ascii(bzr_str in, size_t at) {
    for (; at + 16 <= in.n; at += 16) {
        unsigned odd = odd_bytes(in, at);
        if (odd) return at + (size_t)__builtin_ctz(odd);
    }
    while (at < in.n && quiet_ascii(in, at)) at++;
    return at;
}

/* The code point at `at`, which is not ASCII; the common well-formed two- and three-byte forms inline. */
static inline uint32_t decode(bzr_str in, size_t at, unsigned *len) {
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
    return bzr__utf8_decode(in, at, len);
}

static inline bool is_tail(char c) { return (c & 0xC0) == 0x80; }

/* Bytes of a code point whose block of 64 is quiet as a whole (most letters and ideographs are); 0 for any other, and
 * for what is not well formed. */
static inline unsigned all_quiet(bzr_str in, size_t at, unsigned lead) {
    size_t left = in.n - at;
    if (lead < 0xC2 || lead > 0xEF || lead == 0xE0 || left < 2 || !is_tail(in.p[at + 1])) return 0;
    unsigned len = lead < 0xE0 ? 2 : 3,
             block = lead < 0xE0 ? lead & 0x1F : (lead & 0x0F) << 6 | ((unsigned)in.p[at + 1] & 0x3F);
    if (len == 3 && (left < 3 || !is_tail(in.p[at + 2]))) return 0;
    return bzr__quiet_blocks[block / 64] >> (block & 63) & 1 ? len : 0;
}

/* Step over quiet code points, and single blanks or letters between them, until a long ASCII stretch or an odd one
 * (*odd). */
static size_t skip_wide(bzr_str in, size_t at, unsigned *marks, bool *odd) {
    unsigned ascii = 0;
    while (at < in.n && ascii < 8) {
        unsigned char c = (unsigned char)in.p[at];
        if (c < 0x80) {
            if (c < 0x20 || c == 0x7F) return at;
            *marks = 0;
            ascii++;
            at++;
            continue;
        }
        unsigned len = all_quiet(in, at, c);
        if (len) {
            *marks = ascii = 0;
            at += len;
            continue;
        }
        uint32_t cp = decode(in, at, &len);
        unsigned number = cp == BZR__BAD ? 0xFF : bzr__class_number(cp);
        if (number >= BZR__CLASS_QUIET && (number >= BZR__CLASS_MARKS || ++*marks > QUIET_MARKS)) {
            *odd = true;
            return at;
        }
        if (number < BZR__CLASS_QUIET) *marks = 0;
        ascii = 0;
        at += len;
    }
    return at;
}

size_t bzr__next_odd(bzr_str in, size_t at) {
    unsigned marks = QUIET_MARKS;
    while (at < in.n) {
        size_t from = at;
        at = skip_ascii(in, at);
        if (at > from) marks = 0;
        if (at >= in.n || !((unsigned char)in.p[at] & 0x80)) return at;
        bool odd = false;
        at = skip_wide(in, at, &marks, &odd);
        if (odd) return at;
    }
    return at;
}
