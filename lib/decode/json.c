/* json.c - the texts of JSON in one piece: a phrase cut over two fields is a phrase again.
 *
 * All string values in order become two children: with a blank between ("json") and with nothing between
 * ("json:joined", for markers and blobs that were cut; there only the ends of long values are kept, as their inside is
 * in the first). Keys become a third. The walk is lenient: it knows strings, brackets and colons, so broken, cut and
 * streamed JSON is read as well as any. It begins at a bracket that is followed by a quote (or a bracket) and ends
 * where the brackets balance. A text that is one string and no more is read, too. Linear, no nesting limit, as nothing
 * is kept per level. */
#include "lib/base/utf8.h"
#include "lib/decode/emit.h"
#include "lib/decode/runs.h"
#include "lib/decode/table.h"

enum { EDGE = 512 }; /* bytes kept of each end of a value in json:joined */

typedef enum want { BLANKS, JOINED, KEYS } want;

static const toad__step steps[] = { { "json", TOAD__PLAIN },
                                    { "json:joined", TOAD__PLAIN },
                                    { "json:keys", TOAD__PLAIN } };

static uint32_t four_digits(toad_str s, size_t at) {
    uint32_t v = 0;
    for (size_t k = 0; k < 4; k++) {
        int d = at + k < s.n ? toad__hex_value((unsigned char)s.p[at + k]) : -1;
        if (d < 0) return TOAD__BAD;
        v = v << 4 | (uint32_t)d;
    }
    return v;
}

/* The escape at `at` (a backslash): what it means, and its length. */
static uint32_t escape(toad_str s, size_t at, size_t *len) {
    int c = at + 1 < s.n ? (unsigned char)s.p[at + 1] : -1;
    *len = c < 0 ? 1 : 2;
    if (c == 'n' || c == 'r' || c == 'f') return '\n';
    if (c == 't') return '\t';
    uint32_t v = c == 'u' ? four_digits(s, at + 2) : TOAD__BAD;
    if (v == TOAD__BAD) return c < 0 || c >= 0x80 ? '\\' : (uint32_t)c;
    *len = 6;
    bool pair = v >= 0xD800 && v <= 0xDBFF && at + 7 < s.n && s.p[at + 6] == '\\' && s.p[at + 7] == 'u';
    uint32_t low = pair ? four_digits(s, at + 8) : 0;
    if (low < 0xDC00 || low > 0xDFFF) return v;
    *len = 12;
    return 0x10000 + ((v - 0xD800) << 10) + (low - 0xDC00);
}

/* The offset of the closing quote of the string whose inside begins at `at`, or the end. */
static size_t string_end(toad_str s, size_t at) {
    for (toad__cur c = toad__cur_from(s, at); toad__cur_find(&c, '"'); c.at++) {
        size_t slashes = c.at;
        while (slashes > at && s.p[slashes - 1] == '\\') slashes--;
        if ((c.at - slashes) % 2 == 0) return c.at;
    }
    return s.n;
}

static void copy_unescaped(toad__emit *e, size_t end) {
    while (e->at < end && !e->text.status) {
        toad__cur c = { toad__str_part(e->in, 0, end), e->at };
        toad__cur_find(&c, '\\');
        toad__emit_copy(e, c.at);
        if (c.at >= end) return;
        size_t len;
        uint32_t v = escape(c.s, c.at, &len);
        toad__emit_cp(e, v, c.at + len);
    }
}

/* One string of the kind wanted: append it. */
static void add_string(toad__emit *e, size_t start, size_t end, want what) {
    if (what != JOINED && e->text.n) toad__emit_put(e, what == KEYS ? "\n" : " ", 1, start);
    toad__emit_skip(e, start);
    if (what != JOINED || end - start <= 2 * EDGE + 64) {
        copy_unescaped(e, end);
        return;
    }
    copy_unescaped(e, toad__utf8_floor(e->in, start + EDGE));
    toad__emit_put(e, "\n\n", 2, toad__utf8_floor(e->in, end - EDGE));
    copy_unescaped(e, end);
}

/* Walk the document at `at` and write the strings of the kind wanted, *n in all; returns where it ends. */
static size_t walk(toad_str in, size_t at, toad__emit *e, want what, size_t *n) {
    size_t depth = 0, i = at;
    do {
        int c = (unsigned char)in.p[i];
        depth += c == '{' || c == '[';
        depth -= (c == '}' || c == ']') && depth;
        if (c != '"') {
            i = toad__set_find(in, &toad__set_json, i + 1);
            continue;
        }
        size_t start = i + 1, end = string_end(in, start);
        toad__cur after = toad__cur_from(in, end < in.n ? end + 1 : in.n);
        i = after.at;
        toad__cur_skip_space(&after);
        bool key = toad__cur_peek(&after, 0) == ':';
        if (end == start || key != (what == KEYS) || e->text.status) continue;
        add_string(e, start, end, what);
        ++*n;
    } while (i < in.n && depth);
    return i;
}

/* The next bracket with a quote or another bracket behind it; false at the end. */
static bool next_document(toad_str in, size_t from, char open, size_t *ret) {
    for (toad__cur c = toad__cur_from(in, from); toad__cur_find(&c, open); c.at++) {
        toad__cur inside = toad__cur_from(in, c.at + 1);
        toad__cur_skip_space(&inside);
        int next = toad__cur_peek(&inside, 0);
        *ret = c.at;
        if (next == '"' || (open == '[' && next == '{')) return true;
        c.at = inside.at - 1;
    }
    return false;
}

/* Is all of the text one string, with escapes? */
static bool is_string(toad_str in, toad_span *ret) {
    toad__cur c = toad__cur_of(in);
    toad__cur_skip_space(&c);
    if (toad__cur_next(&c) != '"') return false;
    *ret = (toad_span){ c.at, string_end(in, c.at) };
    c.at = (size_t)ret->end;
    if (toad__cur_next(&c) != '"') return false;
    toad__cur_skip_space(&c);
    return c.at == in.n && memchr(in.p + ret->start, '\\', (size_t)(ret->end - ret->start));
}

/* All documents of the text, one child: a page full of small ones must not use up the children of the caller. */
static bool send(toad_str in, want what, toad__sink *sink) {
    size_t brace = 0, bracket = 0, end = 0, n = 0;
    bool has_brace = next_document(in, 0, '{', &brace), has_bracket = next_document(in, 0, '[', &bracket);
    toad__emit e;
    toad__emit_open(&e, sink, in, 0);
    while ((has_brace || has_bracket) && !e.text.status) {
        end = walk(in, has_brace && (!has_bracket || brace < bracket) ? brace : bracket, &e, what, &n);
        has_brace = has_brace && (brace >= end || next_document(in, end, '{', &brace));
        has_bracket = has_bracket && (bracket >= end || next_document(in, end, '[', &bracket));
    }
    if (what != JOINED || n > 1) return toad__emit_send(&e, &steps[what]) && end;
    toad__emit_drop(&e); /* one value is the same joined */
    return sink->status != TOAD_E_NOMEM;
}

static void run(toad_str in, toad__sink *sink) {
    toad_span string;
    if (is_string(in, &string)) {
        toad__emit e;
        toad__emit_open(&e, sink, in, (size_t)string.start);
        copy_unescaped(&e, (size_t)string.end);
        toad__emit_send(&e, &steps[BLANKS]);
        return;
    }
    if (send(in, BLANKS, sink) && send(in, JOINED, sink)) send(in, KEYS, sink);
}

static bool wanted(const toad__hints *h) {
    return (h->brace_open || h->bracket_open || h->backslash) && h->quotes >= 2;
}

const toad__decoder toad__decoder_json = { "json", TOAD__FOLDED, wanted, run };
