/* escape.c - escapes of programming languages, style sheets and Unicode notation.
 *
 *     \u0049  \u{49}  \U00000049  \x49  \x{49}  \111  \000049 (CSS)  \N{LATIN SMALL LETTER I}  U+0049  and \\u0049
 *     String.fromCharCode(73, 0x67)  chr(73)+chr(103)
 *
 * \n, \t, \" and the like are undone only beside one of these or between two letters: source code is full of them. A
 * backslash before a backslash is doubled escaping when an escape follows; runs of backslashes are stepped over in one
 * go. */
#include "lib/decode/emit.h"
#include "lib/decode/runs.h"
#include "lib/decode/table.h"

/* `least`..`most` hex digits at `at`: the value, and how many in `*n` (0: fewer than `least`). */
static uint32_t hex_number(bzr_str s, size_t at, unsigned least, unsigned most, unsigned *n) {
    bzr__cur c = bzr__cur_from(s, at);
    uint32_t v = 0;
    unsigned k = 0;
    for (int d; k < most && (d = bzr__hex_value(bzr__cur_peek(&c, k))) >= 0; k++) v = v << 4 | (uint32_t)d;
    *n = k >= least ? k : 0;
    return v;
}

/* Digits at `at`, or in braces there. Returns the bytes taken, 0 if it is neither. */
static size_t number_or_braces(bzr_str s, size_t at, unsigned digits, uint32_t *v) {
    unsigned n;
    bzr__cur c = bzr__cur_from(s, at);
    if (bzr__cur_peek(&c, 0) != '{') {
        *v = hex_number(s, at, digits, digits, &n);
        return n;
    }
    *v = hex_number(s, at + 1, 1, 6, &n);
    return n && bzr__cur_peek(&c, n + 1) == '}' ? n + 2 : 0;
}

/* \N{LATIN SMALL LETTER X}: letters only; that is all a phrase needs. */
static size_t named(bzr_str s, size_t at, uint32_t *v) {
    bzr__cur c = bzr__cur_from(s, at);
    bool small = bzr__cur_eat(&c, BZR__S("{LATIN SMALL LETTER "));
    if (!small && !bzr__cur_eat(&c, BZR__S("{LATIN CAPITAL LETTER "))) {
        *v = ' ';
        return bzr__cur_eat(&c, BZR__S("{SPACE}")) ? c.at - at : 0;
    }
    int letter = bzr__cur_next(&c);
    if (!bzr__is_alpha(letter) || bzr__cur_next(&c) != '}') return 0;
    *v = (uint32_t)(small ? bzr__lower(letter) : letter);
    return c.at - at;
}

/* One to three octal digits or, when they are six hex digits or end before one blank, an escape of CSS. */
static size_t digits_form(bzr_str s, size_t at, uint32_t *v) {
    unsigned n;
    uint32_t css = hex_number(s, at, 2, 6, &n);
    bzr__cur c = bzr__cur_from(s, at);
    bool octal = n == 3 && s.p[at] <= '3' && s.p[at + 1] <= '7' && s.p[at + 2] <= '7' && bzr__is_digit(s.p[at + 1]) &&
                 bzr__is_digit(s.p[at + 2]);
    if (!octal && n >= 2 && (n >= 4 || bzr__cur_peek(&c, n) == ' ')) {
        *v = css;
        return n + (bzr__cur_peek(&c, n) == ' ');
    }
    unsigned k = 0;
    for (*v = 0; k < 3 && bzr__cur_peek(&c, k) >= '0' && bzr__cur_peek(&c, k) <= '7'; k++)
        *v = *v << 3 | (uint32_t)(s.p[at + k] - '0');
    return k >= 2 && *v < 256 ? k : 0;
}

/* An escape of CSS that begins with a letter: two or more digits and the blank that ends it. */
static size_t style_form(bzr_str s, size_t at, uint32_t *v) {
    unsigned n;
    *v = hex_number(s, at, 2, 6, &n);
    return n && at + n < s.n && s.p[at + n] == ' ' ? n + 1 : 0;
}

/* The escape whose letter stands at `at` (the backslash is behind us). Returns the bytes taken from `at`, 0 for none.
 */
static size_t code_point(bzr_str s, size_t at, uint32_t *v) {
    bzr__cur c = bzr__cur_from(s, at);
    int letter = bzr__cur_peek(&c, 0);
    size_t n = 0;
    if (letter == 'u')
        n = number_or_braces(s, at + 1, 4, v);
    else if (letter == 'U')
        n = number_or_braces(s, at + 1, 8, v);
    else if (letter == 'x')
        n = number_or_braces(s, at + 1, 2, v);
    else if (letter == 'N')
        n = named(s, at + 1, v);
    else if (bzr__is_digit(letter))
        return digits_form(s, at, v);
    else
        return letter >= 'a' && letter <= 'f' ? style_form(s, at, v) : 0;
    return n ? n + 1 : 0;
}

static bool is_high(uint32_t v) { return v >= 0xD800 && v <= 0xDBFF; }

/* The low half of a surrogate pair written as another \uXXXX. */
static size_t low_half(bzr_str s, size_t at, uint32_t *v) {
    bzr__cur c = bzr__cur_from(s, at);
    while (bzr__cur_peek(&c, 0) == '\\' && c.at - at < 8) c.at++;
    uint32_t low = 0;
    size_t n = c.at > at ? code_point(s, c.at, &low) : 0;
    if (!n || low < 0xDC00 || low > 0xDFFF) return 0;
    *v = 0x10000 + ((*v - 0xD800) << 10) + (low - 0xDC00);
    return c.at + n - at;
}

/* \n and its kin: what they mean, or -1. */
static int simple(int letter) {
    switch (letter) {
    case 'n':
    case 'r':
    case 'f':
    case 'v': return '\n';
    case 't': return '\t';
    case '"':
    case '\'':
    case '/': return letter;
    default: return -1;
    }
}

static bool simple_piece(bzr_str s, size_t at, size_t letter_at, bzr__buf *out, bzr__piece *ret) {
    bzr__cur c = bzr__cur_from(s, letter_at);
    int means = simple(bzr__cur_peek(&c, 0));
    if (means < 0) return false;
    bzr__buf_add_c(out, (char)means);
    bzr__cur first = bzr__cur_of(s);
    bzr__cur_skip_space(&first);
    bool json = bzr__cur_peek(&first, 0) == '{' || bzr__cur_peek(&first, 0) == '['; /* json.c undoes these */
    bool inside = !json && bzr__is_space(means) && at && bzr__is_alpha((unsigned char)s.p[at - 1]) &&
                  bzr__is_alpha(bzr__cur_peek(&c, 1));
    *ret = (bzr__piece){ at, letter_at + 1, inside };
    return true;
}

/* \xNN and \NNN, which are bytes. */
static int byte_at(bzr_str s, size_t at, size_t *len) {
    size_t letter = at;
    while (letter < s.n && s.p[letter] == '\\') letter++;
    uint32_t v = 0;
    size_t n = letter > at && letter < s.n ? code_point(s, letter, &v) : 0;
    bool byte = n == 3 && v < 0x100 &&
                (s.p[letter] == 'x' || (s.p[letter] >= '0' && s.p[letter] <= '3' && s.p[letter + 2] != ' '));
    *len = letter + n - at;
    return byte ? (int)v : -1;
}

static bool backslash_piece(bzr_str s, size_t at, size_t from, bzr__buf *out, bzr__piece *ret) {
    (void)from;
    size_t letter = at;
    while (letter < s.n && s.p[letter] == '\\') letter++;
    uint32_t v = 0;
    size_t n = letter < s.n ? code_point(s, letter, &v) : 0;
    if (!n && letter - at > 2) { /* a long run of backslashes: nothing, but step over all of it at once */
        bzr__buf_add_c(out, '\\');
        *ret = (bzr__piece){ at, letter, 0 };
        return true;
    }
    if (!n) return simple_piece(s, at, letter, out, ret);
    if (is_high(v)) n += low_half(s, letter + n, &v);
    if (v < 0x20 && v != '\t' && v != '\n' && v != '\r') return false;
    size_t len, end = letter + n;
    if (byte_at(s, at, &len) >= 0x80)
        end = bzr__add_char(s, at, byte_at, out);
    else
        bzr__buf_add_cp(out, v);
    *ret = (bzr__piece){ at, end, 1 };
    return true;
}

/* U+0049, with the blank or comma after it if another one follows. */
static bool notation_piece(bzr_str s, size_t at, size_t from, bzr__buf *out, bzr__piece *ret) {
    unsigned n;
    if (!at || at - 1 < from || (s.p[at - 1] | 0x20) != 'u') return false;
    uint32_t v = hex_number(s, at + 1, 4, 6, &n);
    bzr__cur c = bzr__cur_from(s, at + 1 + n);
    if (!n || v < 0x20 || bzr__is_alnum(bzr__cur_peek(&c, 0))) return false;
    *ret = (bzr__piece){ at - 1, c.at, 1 };
    while (bzr__cur_peek(&c, 0) == ',' || bzr__is_space(bzr__cur_peek(&c, 0))) {
        if (c.at - ret->end >= 4) break;
        c.at++;
    }
    if ((bzr__cur_peek(&c, 0) | 0x20) == 'u' && bzr__cur_peek(&c, 1) == '+') ret->end = c.at;
    bzr__buf_add_cp(out, v);
    return true;
}

static bool wanted(const bzr__hints *h) { return h->backslash > 0 || h->plus > 3; }

static void run(bzr_str in, bzr__sink *sink) {
    static const bzr__inline backslashes = { "escape", '\\', NULL, 3, 1, backslash_piece, 0, 0 };
    static const bzr__inline notation = { "escape:code-points", '+', &bzr__set_hex_next, 1, 4, notation_piece, 0, 0 };
    if (BZR__MAY_HAVE(sink, backslash, 1) && !bzr__inline_run(&backslashes, in, sink)) return;
    if (BZR__MAY_HAVE(sink, plus, 4)) bzr__inline_run(&notation, in, sink);
}

const bzr__decoder bzr__decoder_escape = { "escape", false, wanted, run };

/* The name that ends before the parenthesis at `at` and makes characters of numbers; its start, or `at`. */
static size_t maker(bzr_str s, size_t at, size_t from) {
    static const char *const names[] = {
        "String.fromCharCode", "String.fromCodePoint", "fromCharCode", "fromCodePoint", "chr", "char", "ChrW", "unichr"
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        size_t n = strlen(names[i]);
        if (at < from + n || !bzr__str_ieq(bzr__str_part(s, at - n, at), bzr__str_z(names[i]))) continue;
        if (at == n || !bzr__is_alnum((unsigned char)s.p[at - n - 1])) return at - n;
    }
    return at;
}

/* The numbers in parentheses at `at`; returns the offset behind the closing one, or `at`. */
static size_t arguments(bzr_str s, size_t at, bzr__buf *out) {
    bzr__cur c = bzr__cur_from(s, at + 1);
    size_t before = out->n;
    for (;;) {
        bzr__cur_skip_space(&c);
        unsigned n = 0, base = bzr__cur_peek(&c, 0) == '0' && (bzr__cur_peek(&c, 1) | 0x20) == 'x' ? 16 : 10;
        uint32_t v = 0;
        c.at += base == 16 ? 2 : 0;
        for (int d; n < 7 && (d = bzr__hex_value(bzr__cur_peek(&c, 0))) >= 0 && (unsigned)d < base; n++, c.at++)
            v = v * base + (uint32_t)d;
        if (!n || v > 0x10FFFF) break;
        bzr__buf_add_cp(out, v);
        bzr__cur_skip_space(&c);
        int next = bzr__cur_next(&c);
        if (next == ')') return c.at;
        if (next != ',') break;
    }
    out->n = before;
    return at;
}

/* Do the two letters before `p` end the name of a maker? Most names fall here. */
static inline bool ends_maker(const char *p) {
    int last = p[-1] | 0x20, before = p[-2] | 0x20;
    return (last == 'e' || last == 't' || last == 'r' || last == 'w') && (before == 'd' || before == 'n' || before == 'h' || before == 'a' || p[-2] == 'r');
}

/* A chain of calls joined by + . & or ||, as in chr(73)+chr(103). */
static bool call_piece(bzr_str s, size_t at, size_t from, bzr__buf *out, bzr__piece *ret) {
    if (at < 3 || !ends_maker(s.p + at)) return false;
    size_t start = maker(s, at, from);
    size_t end = start < at ? arguments(s, at, out) : at;
    if (end == at) return false;
    *ret = (bzr__piece){ start, end, 1 };
    for (;;) {
        bzr__cur c = bzr__cur_from(s, ret->end);
        bzr__cur_skip_space(&c);
        bool joined = false;
        while (bzr__cur_peek(&c, 0) == '+' || bzr__cur_peek(&c, 0) == '.' || bzr__cur_peek(&c, 0) == '&' ||
               bzr__cur_peek(&c, 0) == '|')
            joined = true, c.at++;
        bzr__cur_skip_space(&c);
        size_t name = c.at;
        while (c.at - name < 24 && (bzr__is_alnum(bzr__cur_peek(&c, 0)) || bzr__cur_peek(&c, 0) == '.')) c.at++;
        if (!joined || bzr__cur_peek(&c, 0) != '(' || maker(s, c.at, name) != name) return true;
        end = arguments(s, c.at, out);
        if (end == c.at) return true;
        ret->end = end;
        ret->weight++;
    }
}

static bool calls_wanted(const bzr__hints *h) { return h->digits >= 6; }

static void run_calls(bzr_str in, bzr__sink *sink) {
    static const bzr__inline calls = { "char_code", '(', &bzr__set_number_next, 1, 1, call_piece, 0, 0 };
    bzr__inline_run(&calls, in, sink);
}

const bzr__decoder bzr__decoder_char_code = { "char_code", false, calls_wanted, run_calls };
