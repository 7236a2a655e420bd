/* unveil.c - see unveil.h.
 *
 * A byte loop with three doors: '&', '%' and '\' try an escape, bytes from 0x80 on are looked up as code points, ESC is
 * dropped. All else is copied in runs. An escape that does not parse is copied as it stands, so the view never loses a
 * letter. Decoding cannot hide a raw name: every escape that is decoded holds a digit or a semicolon, and no name of
 * ours does. Cost: each byte is looked at a bounded number of times; chains and zero padding are eaten once and not
 * looked at again. */
#include "lib/wrap/unveil.h"
#include "lib/base/cursor.h"
#include "lib/base/utf8.h"
#include "lib/text/entity.h"

static const struct delimiter {
    uint32_t c;
    char ascii[4];
} delimiters[] = {
#define X(c, ascii) { c, ascii },
#include "lib/wrap/delimiters.def"
#undef X
};

const char *toad__delimiter_ascii(uint32_t c) {
    size_t lo = 0, hi = sizeof delimiters / sizeof *delimiters;
    while (lo < hi) {
        size_t mid = (lo + hi) / 2;
        if (delimiters[mid].c < c)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < sizeof delimiters / sizeof *delimiters && delimiters[lo].c == c ? delimiters[lo].ascii : NULL;
}

typedef struct writer {
    toad__buf *out;
    toad__offmap *map;
    size_t flushed; /* input up to here is written */
    toad_str in;
    bool decoded;
} writer;

/* Copy the input up to `upto` as it is. */
static void flush(writer *w, size_t upto) {
    size_t n = upto - w->flushed;
    if (!n) return;
    toad__buf_add(w->out, w->in.p + w->flushed, n);
    toad__offmap_add(w->map, n, n);
    w->flushed = upto;
}

/* Write code point `c` for the input bytes [at, end). */
static void put(writer *w, size_t at, size_t end, uint32_t c) {
    char utf8[4];
    const char *ascii = c < 0x80 ? NULL : toad__delimiter_ascii(c);
    toad_str s = ascii ? toad__str_z(ascii) : toad__str(utf8, toad__utf8_encode(c < 0x20 || c == 0x7F ? ' ' : c, utf8));
    flush(w, at);
    toad__buf_add_str(w->out, s);
    toad__offmap_add(w->map, s.n, end - at);
    w->flushed = end;
}

/* Digits of `base` from *at on, at most what makes a code point; false if there is none or the value is no scalar. */
static bool number(toad_str in, size_t *at, unsigned base, size_t most, uint32_t *ret) {
    uint32_t v = 0;
    size_t n = 0;
    for (; *at < in.n && n < most; n++, (*at)++) {
        int d = toad__hex_value((unsigned char)in.p[*at]);
        if (d < 0 || (unsigned)d >= base) break;
        if (v <= 0x10FFFF) v = v * base + (unsigned)d;
    }
    *ret = v;
    return n && v <= 0x10FFFF && (v < 0xD800 || v > 0xDFFF);
}

static bool ieats(toad_str in, size_t *at, const char *word) {
    toad_str want = toad__str_z(word);
    if (!toad__str_ieq(toad__str_part(in, *at, *at + want.n), want)) return false;
    *at += want.n;
    return true;
}

/* A character reference at `at` (which holds '&'): offset behind it, or 0. A chain &amp;amp;amp; becomes one '&', which
 * the next layer reads. */
static size_t entity(toad_str in, size_t at, uint32_t *ret) {
    char out[8];
    unsigned out_len, len;
    size_t i = at + 1;
    *ret = '&';
    while (ieats(in, &i, "amp;") || ieats(in, &i, "#38;") || ieats(in, &i, "#x26;")) {}
    if (i > at + 1) return i;
    unsigned n = toad__entity_at(in, at, false, out, &out_len);
    if (n) *ret = toad__utf8_decode(toad__str(out, out_len), 0, &len);
    return n ? at + n : 0;
}

/* One percent-encoded byte at *at, chains of %25 eaten. */
static bool percent_byte(toad_str in, size_t *at, uint32_t *ret) {
    size_t i = *at;
    if (i >= in.n || in.p[i++] != '%') return false;
    while (i + 1 < in.n && in.p[i] == '2' && in.p[i + 1] == '5') i += 2;
    size_t from = i;
    if (!number(in, &i, 16, 2, ret) || i - from != 2) return false;
    *at = i;
    return true;
}

static size_t percent(toad_str in, size_t at, uint32_t *ret) {
    char bytes[4];
    size_t n = 0, i = at;
    uint32_t b;
    if (!percent_byte(in, &i, &b)) return 0;
    if (b < 0x80) {
        *ret = b;
        return i;
    }
    size_t want = b >= 0xF0 ? 4 : b >= 0xE0 ? 3 : 2;
    for (bytes[n++] = (char)b; n < want && percent_byte(in, &i, &b);) bytes[n++] = (char)b;
    unsigned len;
    *ret = toad__utf8_decode(toad__str(bytes, n), 0, &len);
    return *ret != TOAD__BAD && len == n ? i : 0;
}

/* \uXXXX (with a low surrogate behind a high one), \u{X}, \UXXXXXXXX, \xXX, octal; the letter stands at `i`. */
static size_t numeric_escape(toad_str in, size_t i, uint32_t *ret) {
    char kind = in.p[i];
    size_t from = i + 1, at = from;
    if (kind == 'u' && from < in.n && in.p[from] == '{') {
        at++;
        return number(in, &at, 16, 8, ret) && at < in.n && in.p[at] == '}' ? at + 1 : 0;
    }
    if (kind >= '0' && kind <= '7') {
        at = i;
        return number(in, &at, 8, 3, ret) && at - i >= 2 && *ret < 0x80 ? at : 0;
    }
    size_t want = kind == 'x' ? 2 : kind == 'u' ? 4 : 8;
    bool scalar = number(in, &at, 16, want, ret);
    if (at - from != want) return 0;
    if (scalar) return at;
    uint32_t low;
    size_t next = at;
    if (kind != 'u' || *ret < 0xD800 || *ret > 0xDBFF) return 0;
    while (next < in.n && in.p[next] == '\\') next++;
    if (next == at || next >= in.n || in.p[next++] != 'u') return 0;
    number(in, &next, 16, 4, &low);
    if (low < 0xDC00 || low > 0xDFFF) return 0;
    *ret = 0x10000 + ((*ret - 0xD800) << 10) + (low - 0xDC00);
    return next;
}

static size_t backslash(toad_str in, size_t at, char before, uint32_t *ret) {
    size_t i = at;
    while (i < in.n && in.p[i] == '\\') i++;
    if (i >= in.n) return 0;
    char c = in.p[i];
    if (c == '/' || c == '"' || c == '\'') {
        *ret = (unsigned char)c;
        return i + 1;
    }
    if (c == 'n' || c == 'r' || c == 't') {
        *ret = ' ';
        return before == '<' || before == '/' || before == '[' ? 0 : i + 1;
    }
    return c == 'u' || c == 'U' || c == 'x' || (c >= '0' && c <= '7') ? numeric_escape(in, i, ret) : 0;
}

enum { TAG_RUN = 8 }; /* so many tag characters in a row are a hidden text, fewer are only in the way */

/* A run of tag characters at `at`: written as the ASCII they stand for, or left to the folder, which drops them. */
static size_t tag_run(writer *w, size_t at) {
    size_t end = at;
    while (end + 4 <= w->in.n && !memcmp(w->in.p + end, "\xF3\xA0", 2) &&
           ((unsigned char)w->in.p[end + 2] & 0xFE) == 0x80)
        end += 4;
    if (end - at < 4u * TAG_RUN) return end > at ? end : at + 1;
    for (size_t i = at; i < end; i += 4)
        put(w, i, i + 4, ((unsigned char)w->in.p[i + 2] & 1u) << 6 | ((unsigned char)w->in.p[i + 3] & 0x3Fu));
    w->decoded = true;
    return end;
}

/* A code point from 0x80 on at `at`: offset behind it. */
static size_t wide(writer *w, size_t at) {
    unsigned len;
    uint32_t c = toad__utf8_decode_lenient(w->in, at, &len);
    if (c >= 0xE0000 && c <= 0xE007F && len == 4) return tag_run(w, at);
    if (c >= 0x80 && c <= 0x9F) {
        flush(w, at);
        toad__offmap_add(w->map, 0, len);
        w->flushed = at + len;
    } else if (c != TOAD__BAD && toad__delimiter_ascii(c)) {
        put(w, at, at + len, c);
    }
    return at + len;
}

static size_t escaped(writer *w, size_t at) {
    uint32_t c = 0;
    char first = w->in.p[at];
    size_t end = first == '&'   ? entity(w->in, at, &c)
                 : first == '%' ? percent(w->in, at, &c)
                                : backslash(w->in, at, at ? w->in.p[at - 1] : 0, &c);
    if (!end) {
        /* a long run of backslashes that escapes nothing is stepped over once */
        for (end = at + 1; first == '\\' && end < w->in.n && w->in.p[end] == '\\';) end++;
        return end;
    }
    put(w, at, end, c);
    w->decoded = true;
    return end;
}

bool toad__unveil(toad_str in, toad__buf *out, toad__offmap *map) {
    writer w = { .out = out, .map = map, .in = in };
    for (size_t i = 0; i < in.n;) {
        unsigned char b = (unsigned char)in.p[i];
        if (b >= 0x80) {
            i = wide(&w, i);
        } else if (b == '&' || b == '%' || b == '\\') {
            i = escaped(&w, i);
        } else if (b == 0x1B) {
            flush(&w, i);
            toad__offmap_add(map, 0, 1);
            w.flushed = ++i;
        } else {
            i++;
        }
    }
    flush(&w, in.n);
    return w.decoded;
}
