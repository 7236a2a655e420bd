/* entity.c - one character reference at a time.
 *
 * Names are found by narrowing a range of the sorted table letter by letter, so the longest match falls out by itself
 * and a hostile run of letters costs no more than the longest name. Numbers saturate instead of overflowing. */
#include "lib/text/entity.h"
#include "lib/base/cursor.h"
#include "lib/base/utf8.h"

/* WHATWG HTML 13.2.5.80: what 80..9F mean in a numeric reference; 0: themselves. */
static const uint16_t windows_1252[32] = {
    0x20AC, 0,      0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160,
    0x2039, 0x0152, 0,      0x017D, 0,      0,      0x2018, 0x2019, 0x201C, 0x201D, 0x2022,
    0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0,      0x017E, 0x0178,
};

static unsigned numeric(toad_str s, size_t at, char out[8], unsigned *out_len) {
    toad__cur c = { s, at + 2 };
    bool hex = (toad__cur_peek(&c, 0) | 0x20) == 'x';
    if (hex) toad__cur_skip(&c, 1);
    size_t first = c.at;
    uint32_t v = 0;
    for (int d; (d = toad__hex_value(toad__cur_peek(&c, 0))) >= 0 && (hex || d < 10); c.at++)
        if (v <= 0x10FFFF) v = v * (hex ? 16 : 10) + (uint32_t)d;
    if (c.at == first) return 0;
    if (toad__cur_peek(&c, 0) == ';') c.at++;
    if (v >= 0x80 && v <= 0x9F && windows_1252[v - 0x80]) v = windows_1252[v - 0x80];
    if (!v) v = TOAD__REPLACEMENT;
    *out_len = toad__utf8_encode(v, out);
    return (unsigned)(c.at - at);
}

/* First entry of [lo, hi) whose letter `k` is not below `c`; all of them share the first k letters. */
static unsigned narrow(unsigned lo, unsigned hi, unsigned k, int c) {
    while (lo < hi) {
        unsigned mid = lo + (hi - lo) / 2;
        if ((unsigned char)toad__entities[mid].name[k] < c)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

static const toad__entity *longest_name(const toad__cur *c) {
    const toad__entity *best = NULL;
    unsigned lo = 0, hi = toad__entities_n;
    for (unsigned k = 0; k < sizeof toad__entities->name - 1; k++) {
        int letter = toad__cur_peek(c, k);
        if (!toad__is_alnum(letter) && letter != ';') break;
        lo = narrow(lo, hi, k, letter);
        hi = narrow(lo, hi, k, letter + 1);
        if (lo == hi) break;
        if (toad__entities[lo].name_n == k + 1) best = &toad__entities[lo];
    }
    return best;
}

unsigned toad__entity_at(toad_str s, size_t at, bool attribute, char out[8], unsigned *out_len) {
    toad__cur c = { s, at };
    if (toad__cur_peek(&c, 0) != '&') return 0;
    if (toad__cur_peek(&c, 1) == '#') return numeric(s, at, out, out_len);
    c.at++;
    const toad__entity *e = toad__is_alpha(toad__cur_peek(&c, 0)) ? longest_name(&c) : NULL;
    if (!e) return 0;
    int next = toad__cur_peek(&c, e->name_n);
    if (attribute && e->name[e->name_n - 1] != ';' && (next == '=' || toad__is_alnum(next))) return 0;
    memcpy(out, e->value, sizeof e->value);
    *out_len = e->value_n;
    return 1u + e->name_n;
}
