/* words.c - see words.h. */
#include "app/act/words.h"

#include "lib/base/str.h"
#include "lib/base/utf8.h"

static uint64_t mix(uint64_t h) {
    h ^= h >> 30;
    h *= UINT64_C(0xbf58476d1ce4e5b9);
    h ^= h >> 27;
    h *= UINT64_C(0x94d049bb133111eb);
    return h ^ h >> 31;
}

/* Eight bytes at a time; what follows the last is zero. */
uint64_t toad__word_hash(toad_str s, uint64_t seed) {
    uint64_t h = UINT64_C(0xcbf29ce484222325) ^ seed ^ s.n << 8;
    size_t at = 0;
    for (uint64_t part; at + 8 <= s.n; at += 8) {
        memcpy(&part, s.p + at, 8);
        h = (h ^ part) * UINT64_C(0x9e3779b97f4a7c15);
        h ^= h >> 32;
    }
    uint64_t rest = 0;
    for (size_t i = at; i < s.n; i++) rest = rest << 8 | (unsigned char)s.p[i];
    return mix((h ^ rest) * UINT64_C(0x9e3779b97f4a7c15));
}

uint64_t toad__word_join(uint64_t h, uint64_t next) { return mix(h * 3 + next); }

/* Letters, digits and all that is not ASCII, a bit each. */
static const uint64_t word_bytes[4] = { UINT64_C(0x03FF000000000000), UINT64_C(0x07FFFFFE07FFFFFE), UINT64_MAX,
                                        UINT64_MAX };

static inline bool is_word(unsigned char c) { return word_bytes[c >> 6] >> (c & 63) & 1; }

bool toad__is_word_byte(int c) { return is_word((unsigned char)c); }

bool toad__ends_token(int c) { return c <= ' ' || memchr("\"'<>()[]{}|;,`*", c, 16); }

bool toad__is_edge(int c) { return c && strchr(".:!?-_/\\=&#", c); }

/* From U+0E00 to U+0EFF (Thai, Lao), U+1000 to U+109F (Myanmar), U+1780 to U+17FF (Khmer) and U+2E80 on (CJK) words
 * have no blanks between. */
static bool is_unspaced(uint32_t c) {
    return (c >= 0x0E00 && c <= 0x0EFF) || (c >= 0x1000 && c <= 0x109F) || (c >= 0x1780 && c <= 0x17FF) ||
           (c >= 0x2E80 && c < 0xAC00) || (c >= 0xF900 && c <= 0xFAFF) || (c >= 0x20000 && c <= 0x3FFFF);
}

/* Where the next word begins. The n of an escaped line break is none. */
static size_t skip(toad_str s, size_t at) {
    while (at < s.n && !is_word((unsigned char)s.p[at])) {
        bool escape = s.p[at] == '\\' && at + 1 < s.n && memchr("nrt", s.p[at + 1], 3);
        at += escape ? 2 : 1;
    }
    return at;
}

bool toad__word_next(toad_str s, size_t *at, toad__word *ret) {
    size_t from = skip(s, *at), end;
    unsigned len;
    for (end = from; end < s.n && is_word((unsigned char)s.p[end]); end += len) {
        len = 1;
        if ((unsigned char)s.p[end] < 0x80) continue;
        if (!is_unspaced(toad__utf8_decode(s, end, &len))) continue;
        if (end > from) break;
        *at = from + len;
        *ret = (toad__word){ toad__word_hash(toad__str_part(s, from, *at), 1), { from, *at }, 1 };
        return true;
    }
    *at = end;
    *ret = (toad__word){ toad__word_hash(toad__str_part(s, from, end), 1), { from, end }, 2 };
    return end > from;
}
