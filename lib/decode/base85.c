/* base85.c - Adobe's ASCII85 in <~ ~>, bare ASCII85, and the alphabet of RFC 1924 (git, Python's b85).
 *
 * Without delimiters a token of 20 or more visible characters is a candidate, also one between tags, and one in rot13
 * or written backwards; 12 decoded bytes decide whether it is read on. */
#include "lib/decode/emit.h"
#include "lib/decode/survey.h"
#include "lib/decode/table.h"

enum { LEAST = 20, HEAD = 100 };

typedef struct alphabet {
    toad__step step;
    bool adobe; /* in which 'z' is four zero bytes, 'y' four blanks */
} alphabet;

static inline int adobe_value(int c) { return c >= '!' && c <= 'u' ? c - '!' : -1; }

static inline int git_value(int c) {
    static const int8_t values[256] = {
#define G(c, v) [(unsigned char)(c)] = (v) + 1
        G('0', 0),  G('1', 1),  G('2', 2),  G('3', 3),  G('4', 4),  G('5', 5),  G('6', 6),  G('7', 7),  G('8', 8),
        G('9', 9),  G('A', 10), G('B', 11), G('C', 12), G('D', 13), G('E', 14), G('F', 15), G('G', 16), G('H', 17),
        G('I', 18), G('J', 19), G('K', 20), G('L', 21), G('M', 22), G('N', 23), G('O', 24), G('P', 25), G('Q', 26),
        G('R', 27), G('S', 28), G('T', 29), G('U', 30), G('V', 31), G('W', 32), G('X', 33), G('Y', 34), G('Z', 35),
        G('a', 36), G('b', 37), G('c', 38), G('d', 39), G('e', 40), G('f', 41), G('g', 42), G('h', 43), G('i', 44),
        G('j', 45), G('k', 46), G('l', 47), G('m', 48), G('n', 49), G('o', 50), G('p', 51), G('q', 52), G('r', 53),
        G('s', 54), G('t', 55), G('u', 56), G('v', 57), G('w', 58), G('x', 59), G('y', 60), G('z', 61), G('!', 62),
        G('#', 63), G('$', 64), G('%', 65), G('&', 66), G('(', 67), G(')', 68), G('*', 69), G('+', 70), G('-', 71),
        G(';', 72), G('<', 73), G('=', 74), G('>', 75), G('?', 76), G('@', 77), G('^', 78), G('_', 79), G('`', 80),
        G('{', 81), G('|', 82), G('}', 83), G('~', 84),
#undef G
    };
    return values[c & 0xFF] - 1;
}

/* -1: it is no digit. */
static inline int value_of(const alphabet *a, int c) { return a->adobe ? adobe_value(c) : git_value(c); }

static const alphabet alphabets[] = {
    { { "base85:adobe", TOAD__DOUBTFUL }, true },
    { { "base85", TOAD__DOUBTFUL }, false },
};

static void put_group(toad__emit *e, uint64_t v, unsigned n, size_t to) {
    char out[4] = { (char)(v >> 24), (char)(v >> 16), (char)(v >> 8), (char)v };
    toad__emit_put(e, out, n, to);
}

/* False: a character that the alphabet lacks, or a group above 2^32. White space is skipped. */
static bool decode(toad_str in, toad_span at, const alphabet *a, size_t most, toad__emit *e) {
    uint64_t v = 0;
    unsigned k = 0;
    for (size_t i = (size_t)at.start; i < at.end && e->text.n < most && !e->text.status; i++) {
        int c = (unsigned char)in.p[i];
        if (toad__is_space(c)) continue;
        if (a->adobe && !k && (c == 'z' || c == 'y')) {
            put_group(e, c == 'z' ? 0 : 0x20202020, 4, i + 1);
            continue;
        }
        int digit = value_of(a, c);
        if (digit < 0) return false;
        v = v * 85 + (unsigned)digit;
        if (++k < 5) continue;
        if (v > UINT32_MAX) return false;
        put_group(e, v, 4, i + 1);
        v = 0, k = 0;
    }
    if (e->text.n >= most || k < 2) return k != 1 || e->text.n >= most;
    for (unsigned i = k; i < 5; i++) v = v * 85 + 84;
    put_group(e, v, k - 1, (size_t)at.end);
    return true;
}

/* The four bytes of the group at `p`. False: a digit that is none, or a group above 2^32. */
static bool group_of(const char *p, const alphabet *a, char out[4]) {
    uint64_t v = 0;
    for (unsigned i = 0; i < 5; i++) {
        int digit = value_of(a, (unsigned char)p[i]);
        if (digit < 0) return false;
        v = v * 85 + (unsigned)digit;
    }
    for (unsigned i = 0; i < 4; i++) out[i] = (char)(v >> (24 - 8 * i));
    return v <= UINT32_MAX;
}

/* Could a text begin with these bytes? Of most tokens the first group says no. */
static bool may_begin(const char *p) {
    unsigned char a = (unsigned char)p[0], b = (unsigned char)p[1];
    if (a >= 0x80) return a >= 0xFE ? (a ^ b) == 1 : a >= 0xC2 && a <= 0xF4 && (b & 0xC0) == 0x80;
    return a < 0x20 ? !a || toad__is_space(a) : b >= 0x20 || !b || toad__is_space(b);
}

/* The first three groups of a token of 20 and more: could they be text? */
static bool starts_like_text(const char *p, const alphabet *a) {
    char out[12];
    int first = value_of(a, (unsigned char)*p); /* 42 to 61: within a character */
    if (first < 0 || (first > 41 && first < 62)) return false;
    for (unsigned group = 0; group < 3; group++, p += 5) {
        if (a->adobe && (*p == 'z' || *p == 'y')) return true; /* rare enough to be looked at in full */
        if (!group_of(p, a, out + 4 * group) || !may_begin(out)) return false;
    }
    return toad__begins_text(toad__str(out, sizeof out), 85);
}

/* The first digits of groups of ASCII text are those from 10 to 41. */
static bool is_first(char c) { return TOAD__IN(c, '+', 'Z') || TOAD__IN(c, 'a', 'f'); }

static bool begins(const char *p) {
    bool good = true;
    for (unsigned i = 0; i < LEAST; i += 5) good &= is_first(p[i]);
    return good && (starts_like_text(p, &alphabets[0]) || starts_like_text(p, &alphabets[1]));
}

static toad__outcome try_alphabet(toad_str in, toad_span at, const alphabet *a, toad__sink *sink) {
    for (size_t most = 12;; most = SIZE_MAX) {
        toad__emit e;
        toad__emit_open(&e, sink, in, (size_t)at.start);
        bool good = decode(in, at, a, most, &e);
        if (good && most == SIZE_MAX) return toad__emit_judge(&e, at, &a->step);
        good = good && toad__begins_text(toad__buf_str(&e.text), 85);
        toad__emit_drop(&e);
        if (sink->status == TOAD_E_NOMEM) return TOAD__STOP;
        if (!good) return TOAD__NOTHING;
    }
}

static bool opens(char c) { return c == '"' || c == '\'' || c == '`' || c == '(' || c == '['; }
static bool closes(char c) { return c == '"' || c == '\'' || c == '`' || c == ')' || c == ']' || c == '.' || c == ','; }

static toad__outcome token(toad_str in, toad_span at, toad__sink *sink) {
    if (at.end - at.start < LEAST) return TOAD__NOTHING;
    for (unsigned trim = 0; trim < 2; trim++) {
        for (size_t i = 0; i < sizeof alphabets / sizeof *alphabets; i++) {
            if (!starts_like_text(in.p + at.start, &alphabets[i])) continue;
            toad__outcome got = try_alphabet(in, at, &alphabets[i], sink);
            if (got != TOAD__NOTHING) return got;
        }
        toad_span all = at;
        while (at.start < at.end && opens(in.p[at.start])) at.start++;
        while (at.start < at.end && closes(in.p[at.end - 1])) at.end--;
        if (all.end - all.start == at.end - at.start || at.end - at.start < LEAST) break;
    }
    return TOAD__NOTHING;
}

/* A visible run may hold markup: a token may begin behind any ">", and goes on to an end tag. Its own signs may look
 * like one, so the first and the last are tried. Linear: what was tried is not tried again. */
static toad__outcome in_markup(toad_str in, toad_span run, toad__sink *sink) {
    toad_str s = toad__str_part(in, 0, (size_t)run.end);
    for (toad__cur c = toad__cur_from(s, (size_t)run.start); toad__cur_find(&c, '>');) {
        if (s.n - ++c.at < LEAST) break;
        if (!begins(s.p + c.at)) continue;
        size_t first = toad__str_find(s, TOAD__S("</"), c.at), last = s.n;
        if (first < s.n)
            for (last -= 2; memcmp(s.p + last, "</", 2) != 0;) last--;
        toad__outcome got = token(in, (toad_span){ c.at, first }, sink);
        if (got == TOAD__NOTHING && last > first) got = token(in, (toad_span){ c.at, last }, sink);
        if (got == TOAD__STOP) return got;
        c.at = first;
    }
    return TOAD__NOTHING;
}

/* ---- turned ---- */

/* A token in rot13 or from its end. */
typedef struct reading {
    toad_str token;
    bool backwards, rot13;
} reading;

static char turned_at(const reading *r, size_t i) {
    unsigned char c = (unsigned char)r->token.p[r->backwards ? r->token.n - 1 - i : i];
    if (!r->rot13 || !toad__is_alpha(c)) return (char)c;
    return (char)(toad__lower(c) < 'n' ? c + 13 : c - 13);
}

/* How many bytes of ASCII text the groups of `s` begin with. */
static size_t ascii_of(toad_str s, const alphabet *a) {
    size_t n = 0;
    char out[4];
    for (size_t i = 0; i + 5 <= s.n && group_of(s.p + i, a, out); i += 5)
        for (unsigned k = 0; k < 4; k++, n++) {
            unsigned char c = (unsigned char)out[k];
            if ((c < ' ' && !toad__is_space(c)) || c >= 0x7F) return n;
        }
    return n;
}

/* How many of the token, so read, without what a person puts around one. */
static size_t text_of(const reading *r) {
    char head[HEAD];
    size_t from = 0, n = 0, most = 0;
    while (from < 2 && (opens(turned_at(r, from)) || closes(turned_at(r, from)))) from++;
    if (!from && turned_at(r, 0) == '<' && turned_at(r, 1) == '~') from = 2;
    for (size_t i = 0; i < LEAST; i += 5)
        if (from + i >= r->token.n || !is_first(turned_at(r, from + i))) return 0;
    for (; n < sizeof head && from + n < r->token.n; n++) head[n] = turned_at(r, from + n);
    for (size_t i = 0; i < sizeof alphabets / sizeof *alphabets; i++) {
        size_t got = ascii_of(toad__str(head, n), &alphabets[i]);
        if (got > most) most = got;
    }
    return most;
}

/* What reads as text only when it is turned back is sent so, to be read as any other token. */
static toad__outcome turned(toad_str in, toad_span at, toad__sink *sink) {
    toad_str token = toad__str_part(in, (size_t)at.start, (size_t)at.end);
    size_t rot13 = text_of(&(reading){ token, false, true }), backwards = text_of(&(reading){ token, true, false });
    size_t most = rot13 > backwards ? rot13 : backwards;
    if (most < 12 || text_of(&(reading){ token, false, false }) >= most) return TOAD__NOTHING;
    toad__transform(rot13 == most ? "caesar+13" : "reversed", in, at, sink);
    return sink->status == TOAD_E_NOMEM ? TOAD__STOP : TOAD__NOTHING;
}

/* <~ ... ~> from `from` on; false at the end. */
static bool delimited_next(toad_str in, size_t from, toad_span *ret) {
    for (toad__cur c = toad__cur_from(in, from); toad__cur_find(&c, '~'); c.at++) {
        if (!c.at || in.p[c.at - 1] != '<') continue;
        size_t start = ++c.at;
        if (!toad__cur_find(&c, '~')) return false;
        *ret = (toad_span){ start, c.at };
        if (toad__cur_peek(&c, 1) == '>') return true;
        c.at--;
    }
    return false;
}

static void run(toad_str in, toad__sink *sink) {
    toad_span at;
    for (size_t from = TOAD__MAY_HAVE(sink, less, 1) ? 0 : in.n; delimited_next(in, from, &at); from = (size_t)at.end)
        if (try_alphabet(in, at, &alphabets[0], sink) == TOAD__STOP) return;
    for (size_t from = 0; toad__site_run(in, TOAD__SITES_OF(sink, tokens), &toad__set_visible, LEAST, from, &at);
         from = (size_t)at.end) {
        toad__outcome got = token(in, at, sink);
        if (got == TOAD__NOTHING) got = in_markup(in, at, sink);
        if (got == TOAD__NOTHING) got = turned(in, at, sink);
        if (got == TOAD__STOP) return;
    }
}

const toad__decoder toad__decoder_base85 = { "base85", TOAD__FOLDED, NULL, run };
