#include "lib/base/utf8.h"
#include "lib/base/cursor.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#elif defined(__ARM_NEON)
#include <arm_neon.h>
#endif

static bool is_tail(int c) { return c >= 0x80 && c <= 0xBF; }

/* Unicode table 3-7: what the second byte may be after a given first one. */
static bool second_ok(int first, int second) {
    switch (first) {
    case 0xE0: return second >= 0xA0 && second <= 0xBF;
    case 0xED: return second >= 0x80 && second <= 0x9F;
    case 0xF0: return second >= 0x90 && second <= 0xBF;
    case 0xF4: return second >= 0x80 && second <= 0x8F;
    default: return is_tail(second);
    }
}

/* The common case: well-formed UTF-8 of one to three bytes at p, where three may be read. */
static inline bool short_form(const unsigned char *p, uint32_t *c, unsigned *len) {
    if (p[0] < 0xE0) {
        *len = p[0] < 0x80 ? 1 : 2;
        *c = p[0] < 0x80 ? p[0] : (uint32_t)(p[0] & 0x1F) << 6 | (p[1] & 0x3F);
        return p[0] < 0x80 || (p[0] >= 0xC2 && is_tail(p[1]));
    }
    if (p[0] >= 0xF0 || (unsigned)((p[1] ^ 0x80) | (p[2] ^ 0x80)) >= 0x40) return false;
    *len = 3;
    *c = (uint32_t)(p[0] & 0x0F) << 12 | (uint32_t)(p[1] & 0x3F) << 6 | (p[2] & 0x3F);
    return *c >= 0x800 && (*c & 0xF800) != 0xD800;
}

uint32_t toad__utf8_decode(toad_str s, size_t at, unsigned *len) {
    uint32_t c;
    if (at < s.n && s.n - at >= 3 && short_form((const unsigned char *)s.p + at, &c, len)) return c;
    toad__cur cur = { s, at };
    int first = toad__cur_peek(&cur, 0);
    *len = 1;
    if (first < 0x80) return first < 0 ? TOAD__BAD : (uint32_t)first;
    unsigned want = first >= 0xC2 && first <= 0xDF   ? 2
                    : first >= 0xE0 && first <= 0xEF ? 3
                    : first >= 0xF0 && first <= 0xF4 ? 4
                                                     : 0;
    if (!want || !second_ok(first, toad__cur_peek(&cur, 1))) return TOAD__BAD;
    c = (uint32_t)first & (0xFFu >> (want + 1));
    c = c << 6 | ((uint32_t)toad__cur_peek(&cur, 1) & 0x3F);
    for (unsigned k = 2; k < want; k++) {
        int tail = toad__cur_peek(&cur, k);
        if (!is_tail(tail)) {
            *len = k; /* the maximal subpart */
            return TOAD__BAD;
        }
        c = c << 6 | ((uint32_t)tail & 0x3F);
    }
    *len = want;
    return c;
}

/* Any lead byte up to FD with all of its tails, whatever the value: 0 if the form is not complete. */
static unsigned loose_form(const toad__cur *cur, uint32_t *c) {
    int first = toad__cur_peek(cur, 0);
    unsigned want = first >= 0xFC   ? 6
                    : first >= 0xF8 ? 5
                    : first >= 0xF0 ? 4
                    : first >= 0xE0 ? 3
                    : first >= 0xC0 ? 2
                                    : 0;
    if (!want || first > 0xFD) return 0;
    uint32_t v = (uint32_t)first & (0x7Fu >> want);
    for (unsigned k = 1; k < want; k++) {
        int tail = toad__cur_peek(cur, k);
        if (!is_tail(tail)) return 0;
        v = v << 6 | ((uint32_t)tail & 0x3F);
    }
    *c = v;
    return want;
}

uint32_t toad__utf8_decode_lenient(toad_str s, size_t at, unsigned *len) {
    uint32_t c = toad__utf8_decode(s, at, len);
    if (c != TOAD__BAD) return c;
    toad__cur cur = { s, at };
    unsigned n = loose_form(&cur, &c);
    if (!n || c > 0x10FFFF) return TOAD__BAD;
    if (c >= 0xD800 && c <= 0xDBFF) { /* CESU-8: a pair of three-byte surrogates */
        toad__cur low = { s, at + n };
        uint32_t d;
        if (n == 3 && loose_form(&low, &d) == 3 && d >= 0xDC00 && d <= 0xDFFF) {
            *len = 6;
            return 0x10000 + ((c - 0xD800) << 10) + (d - 0xDC00);
        }
        return TOAD__BAD;
    }
    if (c >= 0xDC00 && c <= 0xDFFF) return TOAD__BAD;
    *len = n;
    return c;
}

unsigned toad__utf8_encode(uint32_t c, char out[4]) {
    if (c > 0x10FFFF || (c >= 0xD800 && c <= 0xDFFF)) c = TOAD__REPLACEMENT;
    if (c < 0x80) {
        out[0] = (char)c;
        return 1;
    }
    unsigned n = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    for (unsigned k = n - 1; k; k--, c >>= 6) out[k] = (char)(0x80 | (c & 0x3F));
    out[0] = (char)((0xF00u >> n & 0xFF) | c);
    return n;
}

size_t toad__utf8_valid_upto(toad_str s) {
    size_t at = 0;
    while (at < s.n) {
        at += toad__ascii_prefix(toad__str_part(s, at, s.n));
        if (at >= s.n) break;
        unsigned len;
        if (toad__utf8_decode(s, at, &len) == TOAD__BAD) return at;
        at += len;
    }
    return s.n;
}

size_t toad__utf8_floor(toad_str s, size_t at) {
    if (at >= s.n) return s.n;
    size_t back = at;
    for (unsigned k = 0; k < 3 && back && is_tail((unsigned char)s.p[back]); k++) back--;
    unsigned len;
    return toad__utf8_decode(s, back, &len) != TOAD__BAD && back + len > at ? back : at;
}

size_t toad__ascii_prefix(toad_str s) {
    size_t at = 0;
#if defined(__SSE2__)
    for (; at + 16 <= s.n; at += 16) {
        int high = _mm_movemask_epi8(_mm_loadu_si128((const __m128i *)(const void *)(s.p + at)));
        if (high) return at + (size_t)__builtin_ctz((unsigned)high);
    }
#elif defined(__ARM_NEON)
    for (; at + 16 <= s.n; at += 16)
        if (vmaxvq_u8(vld1q_u8((const uint8_t *)s.p + at)) >= 0x80) break;
#endif
    while (at < s.n && !((unsigned char)s.p[at] & 0x80)) at++;
    return at;
}
