/* base85.c - Adobe's ASCII85 in <~ ~>, bare ASCII85, and the alphabet of RFC 1924 (git, Python's b85).
 *
 * Without delimiters a token of 20 or more visible characters is a candidate; 12 decoded bytes decide whether it is
 * read on. */
#include "lib/decode/emit.h"
#include "lib/decode/survey.h"
#include "lib/decode/table.h"

typedef struct alphabet {
    toad__step step;
    bool shorthand;               /* 'z' is four zero bytes, 'y' four blanks */
    int (*value)(int c);          /* of a digit; -1: it is none */
    bool (*seems)(const char *p); /* the first 20 digits could be ASCII text */
} alphabet;

static int adobe_value(int c) { return c >= '!' && c <= 'u' ? c - '!' : -1; }

static int git_value(int c) {
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

/* ASCII text has first digits from 10 to 41 in every group of five. */
static bool adobe_like(const char *p) {
    bool good = true;
    for (unsigned i = 0; i < 20; i += 5) good &= p[i] >= '+' && p[i] <= 'J';
    return good;
}

static bool git_like(const char *p) {
    bool good = true;
    for (unsigned i = 0; i < 20; i += 5) good &= toad__is_upper((unsigned char)p[i]) || (p[i] >= 'a' && p[i] <= 'f');
    return good;
}

static const alphabet alphabets[] = {
    { { "base85:adobe", TOAD__DOUBTFUL }, true, adobe_value, adobe_like },
    { { "base85", TOAD__DOUBTFUL }, false, git_value, git_like },
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
        if (a->shorthand && !k && (c == 'z' || c == 'y')) {
            put_group(e, c == 'z' ? 0 : 0x20202020, 4, i + 1);
            continue;
        }
        int digit = a->value(c);
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

/* The first three groups of a token of 20 and more: could they be text? Most tokens fall here. */
static bool starts_like_text(const char *p, const alphabet *a) {
    char out[12];
    for (unsigned group = 0; group < 3; group++, p += 5) {
        uint64_t v = 0;
        for (unsigned i = 0; i < 5; i++) {
            if (!i && a->shorthand && (*p == 'z' || *p == 'y')) return true; /* rare enough to be looked at in full */
            int digit = a->value((unsigned char)p[i]);
            if (digit < 0) return false;
            v = v * 85 + (unsigned)digit;
        }
        if (v > UINT32_MAX) return false;
        for (unsigned i = 0; i < 4; i++) out[group * 4 + i] = (char)(v >> (24 - 8 * i));
    }
    return toad__is_printable(toad__str(out, sizeof out), 85);
}

static toad__outcome try_alphabet(toad_str in, toad_span at, const alphabet *a, toad__sink *sink) {
    for (size_t most = 12;; most = SIZE_MAX) {
        toad__emit e;
        toad__emit_open(&e, sink, in, (size_t)at.start);
        bool good = decode(in, at, a, most, &e);
        if (good && most == SIZE_MAX) return toad__emit_judge(&e, at, &a->step);
        good = good && toad__is_printable(toad__buf_str(&e.text), 85);
        toad__emit_drop(&e);
        if (sink->status == TOAD_E_NOMEM) return TOAD__STOP;
        if (!good) return TOAD__NOTHING;
    }
}

static bool opens(char c) { return c == '"' || c == '\'' || c == '`' || c == '(' || c == '['; }
static bool closes(char c) { return c == '"' || c == '\'' || c == '`' || c == ')' || c == ']' || c == '.' || c == ','; }

static toad__outcome token(toad_str in, toad_span at, toad__sink *sink) {
    for (unsigned trim = 0; trim < 2; trim++) {
        for (size_t i = 0; i < sizeof alphabets / sizeof *alphabets; i++) {
            if (at.end - at.start < 20 || !alphabets[i].seems(in.p + at.start)) continue;
            if (!starts_like_text(in.p + at.start, &alphabets[i])) continue;
            toad__outcome got = try_alphabet(in, at, &alphabets[i], sink);
            if (got != TOAD__NOTHING) return got;
        }
        toad_span all = at;
        while (at.start < at.end && opens(in.p[at.start])) at.start++;
        while (at.start < at.end && closes(in.p[at.end - 1])) at.end--;
        if (all.end - all.start == at.end - at.start || at.end - at.start < 20) break;
    }
    return TOAD__NOTHING;
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
    for (size_t from = 0; toad__site_run(in, TOAD__SITES_OF(sink, base85), &toad__set_visible, 20, from, &at);
         from = (size_t)at.end)
        if (token(in, at, sink) == TOAD__STOP) return;
}

const toad__decoder toad__decoder_base85 = { "base85", TOAD__FOLDED, NULL, run };
