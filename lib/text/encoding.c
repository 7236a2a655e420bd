/* encoding.c - see encoding.h. Marks as in the Unicode Standard, section 23.8.
 *
 * Without a mark only text that is mostly ASCII or Latin can be told: its NULs stand on one side of every unit. */
#include "lib/text/encoding.h"
#include "lib/base/str.h"
#include "lib/base/utf8.h"

#define SAMPLE      2048u /* bytes looked at for NULs */
#define LEAST_UNITS 4u    /* units without a mark: fewer prove nothing */

typedef struct encoding {
    const char *name;
    const char *mark;
    uint8_t unit; /* bytes of one */
    bool big;
} encoding;

/* UTF-32LE first: its mark begins with that of UTF-16LE. */
static const encoding encodings[] = {
    { "utf-32le", "\xFF\xFE\0\0", 4, false },
    { "utf-32be", "\0\0\xFE\xFF", 4, true },
    { "utf-16le", "\xFF\xFE", 2, false },
    { "utf-16be", "\xFE\xFF", 2, true },
};

/* NULs by their place in a group of four bytes. */
typedef struct nuls {
    size_t at[4], groups;
} nuls;

static nuls count_nuls(toad_str in) {
    nuls n = { { 0 }, 0 };
    size_t end = in.n < SAMPLE ? in.n : SAMPLE;
    for (size_t i = 0; i < end; i++) n.at[i & 3] += !in.p[i];
    n.groups = (end + 3) / 4;
    return n;
}

/* Nearly all units have NULs just where an ASCII character in this encoding has them. */
static bool nuls_fit(const nuls *n, const encoding *e) {
    for (unsigned place = 0; place < 4; place++) {
        unsigned low = e->big ? e->unit - 1u : 0; /* the byte of the unit that holds the character */
        bool zero = place % e->unit != low;
        if (zero ? n->at[place] * 10 < n->groups * 6 : n->at[place] * 20 > n->groups) return false;
    }
    return true;
}

static const encoding *recognize(toad_str in, size_t *mark) {
    for (unsigned i = 0; i < sizeof encodings / sizeof *encodings; i++) {
        *mark = encodings[i].unit;
        if (toad__str_starts(in, toad__str(encodings[i].mark, *mark))) return &encodings[i];
    }
    *mark = 0;
    if (in.n && !memchr(in.p, 0, in.n < SAMPLE ? in.n : SAMPLE)) return NULL;
    nuls n = count_nuls(in);
    for (unsigned i = 0; i < sizeof encodings / sizeof *encodings; i++)
        if (in.n / encodings[i].unit >= LEAST_UNITS && nuls_fit(&n, &encodings[i])) return &encodings[i];
    return NULL;
}

/* The unit at `at`, of which all bytes are there. */
static uint32_t unit_at(toad_str in, size_t at, const encoding *e) {
    uint32_t v = 0;
    for (unsigned k = 0; k < e->unit; k++)
        v |= (uint32_t)(unsigned char)in.p[at + k] << 8 * (e->big ? e->unit - 1u - k : k);
    return v;
}

static bool is_high(uint32_t v) { return v >= 0xD800 && v <= 0xDBFF; }
static bool is_low(uint32_t v) { return v >= 0xDC00 && v <= 0xDFFF; }

/* The code point at `at` and the bytes it takes; TOAD__BAD for what is none. */
static uint32_t code_point(toad_str in, size_t at, const encoding *e, size_t *len) {
    *len = in.n - at < e->unit ? in.n - at : e->unit;
    if (*len < e->unit) return TOAD__BAD;
    uint32_t v = unit_at(in, at, e);
    if (e->unit == 2 && is_high(v) && in.n - at >= 4) {
        uint32_t low = unit_at(in, at + 2, e);
        if (is_low(low)) {
            *len = 4;
            return 0x10000 + ((v - 0xD800) << 10) + (low - 0xDC00);
        }
    }
    return v > 0x10FFFF || is_high(v) || is_low(v) ? TOAD__BAD : v;
}

toad_status toad__to_utf8(toad_str in, toad__buf *out, toad__offmap *map, const char **ret_encoding) {
    size_t at, len;
    const encoding *e = recognize(in, &at);
    *ret_encoding = e ? e->name : NULL;
    if (!e) return TOAD_OK;
    if (map) toad__offmap_add(map, 0, at);
    for (; at < in.n && !out->status; at += len) {
        uint32_t c = code_point(in, at, e, &len);
        char bytes[4];
        unsigned n = toad__utf8_encode(c, bytes);
        toad__buf_add(out, bytes, n);
        if (map) toad__offmap_add(map, n, len);
    }
    return out->status ? out->status : map ? map->status : TOAD_OK;
}
