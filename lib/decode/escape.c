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
static uint32_t hex_number(toad_str s, size_t at, unsigned least, unsigned most, unsigned *n) {
    toad__cur c = toad__cur_from(s, at);
    uint32_t v = 0;
    unsigned k = 0;
    for (int d; k < most && (d = toad__hex_value(toad__cur_peek(&c, k))) >= 0; k++) v = v << 4 | (uint32_t)d;
    *n = k >= least ? k : 0;
    return v;
}

/* Digits at `at`, or in braces there. Returns the bytes taken, 0 if it is neither. */
static size_t number_or_braces(toad_str s, size_t at, unsigned digits, uint32_t *v) {
    unsigned n;
    toad__cur c = toad__cur_from(s, at);
    if (toad__cur_peek(&c, 0) != '{') {
        *v = hex_number(s, at, digits, digits, &n);
        return n;
    }
    *v = hex_number(s, at + 1, 1, 6, &n);
    return n && toad__cur_peek(&c, n + 1) == '}' ? n + 2 : 0;
}

/* \N{LATIN SMALL LETTER X}: letters only; that is all a phrase needs. */
static size_t named(toad_str s, size_t at, uint32_t *v) {
    toad__cur c = toad__cur_from(s, at);
    bool small = toad__cur_eat(&c, TOAD__S("{LATIN SMALL LETTER "));
    if (!small && !toad__cur_eat(&c, TOAD__S("{LATIN CAPITAL LETTER "))) {
        *v = ' ';
        return toad__cur_eat(&c, TOAD__S("{SPACE}")) ? c.at - at : 0;
    }
    int letter = toad__cur_next(&c);
    if (!toad__is_alpha(letter) || toad__cur_next(&c) != '}') return 0;
    *v = (uint32_t)(small ? toad__lower(letter) : letter);
    return c.at - at;
}

/* One to three octal digits or, when they are six hex digits or end before one blank, an escape of CSS. */
static size_t digits_form(toad_str s, size_t at, uint32_t *v) {
    unsigned n;
    uint32_t css = hex_number(s, at, 2, 6, &n);
    toad__cur c = toad__cur_from(s, at);
    bool octal = n == 3 && s.p[at] <= '3' && s.p[at + 1] <= '7' && s.p[at + 2] <= '7' && toad__is_digit(s.p[at + 1]) &&
                 toad__is_digit(s.p[at + 2]);
    if (!octal && n >= 2 && (n >= 4 || toad__cur_peek(&c, n) == ' ')) {
        *v = css;
        return n + (toad__cur_peek(&c, n) == ' ');
    }
    unsigned k = 0;
    for (*v = 0; k < 3 && toad__cur_peek(&c, k) >= '0' && toad__cur_peek(&c, k) <= '7'; k++)
        *v = *v << 3 | (uint32_t)(s.p[at + k] - '0');
    return k >= 2 && *v < 256 ? k : 0;
}

/* An escape of CSS that begins with a letter: two or more digits and the blank that ends it. */
static size_t style_form(toad_str s, size_t at, uint32_t *v) {
    unsigned n;
    *v = hex_number(s, at, 2, 6, &n);
    return n && at + n < s.n && s.p[at + n] == ' ' ? n + 1 : 0;
}

/* The escape whose letter stands at `at` (the backslash is behind us). Returns the bytes taken from `at`, 0 for none.
 */
static size_t code_point(toad_str s, size_t at, uint32_t *v) {
    toad__cur c = toad__cur_from(s, at);
    int letter = toad__cur_peek(&c, 0);
    size_t n = 0;
    if (letter == 'u')
        n = number_or_braces(s, at + 1, 4, v);
    else if (letter == 'U')
        n = number_or_braces(s, at + 1, 8, v);
    else if (letter == 'x')
        n = number_or_braces(s, at + 1, 2, v);
    else if (letter == 'N')
        n = named(s, at + 1, v);
    else if (toad__is_digit(letter))
        return digits_form(s, at, v);
    else
        return letter >= 'a' && letter <= 'f' ? style_form(s, at, v) : 0;
    return n ? n + 1 : 0;
}

static bool is_high(uint32_t v) { return v >= 0xD800 && v <= 0xDBFF; }

/* The low half of a surrogate pair written as another \uXXXX. */
static size_t low_half(toad_str s, size_t at, uint32_t *v) {
    toad__cur c = toad__cur_from(s, at);
    while (toad__cur_peek(&c, 0) == '\\' && c.at - at < 8) c.at++;
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

static bool simple_piece(toad_str s, size_t at, size_t letter_at, toad__buf *out, toad__piece *ret) {
    toad__cur c = toad__cur_from(s, letter_at);
    int means = simple(toad__cur_peek(&c, 0));
    if (means < 0) return false;
    toad__buf_add_c(out, (char)means);
    toad__cur first = toad__cur_of(s);
    toad__cur_skip_space(&first);
    bool json = toad__cur_peek(&first, 0) == '{' || toad__cur_peek(&first, 0) == '['; /* json.c undoes these */
    bool inside = !json && toad__is_space(means) && at && toad__is_alpha((unsigned char)s.p[at - 1]) &&
                  toad__is_alpha(toad__cur_peek(&c, 1));
    *ret = (toad__piece){ at, letter_at + 1, inside };
    return true;
}

/* \xNN and \NNN, which are bytes. */
static int byte_at(toad_str s, size_t at, size_t *len) {
    size_t letter = at;
    while (letter < s.n && s.p[letter] == '\\') letter++;
    uint32_t v = 0;
    size_t n = letter > at && letter < s.n ? code_point(s, letter, &v) : 0;
    bool byte = n == 3 && v < 0x100 &&
                (s.p[letter] == 'x' || (s.p[letter] >= '0' && s.p[letter] <= '3' && s.p[letter + 2] != ' '));
    *len = letter + n - at;
    return byte ? (int)v : -1;
}

static bool backslash_piece(toad_str s, size_t at, size_t from, toad__buf *out, toad__piece *ret) {
    (void)from;
    size_t letter = at;
    while (letter < s.n && s.p[letter] == '\\') letter++;
    uint32_t v = 0;
    size_t n = letter < s.n ? code_point(s, letter, &v) : 0;
    if (!n && letter - at > 2) { /* a long run of backslashes: nothing, but step over all of it at once */
        toad__buf_add_c(out, '\\');
        *ret = (toad__piece){ at, letter, 0 };
        return true;
    }
    if (!n) return simple_piece(s, at, letter, out, ret);
    if (is_high(v)) n += low_half(s, letter + n, &v);
    if (!v) { /* half of a letter in UTF-16: nothing */
        *ret = (toad__piece){ at, letter + n, 0 };
        return true;
    }
    if (v < 0x20 && v != '\t' && v != '\n' && v != '\r') return false;
    size_t len, end = letter + n;
    if (byte_at(s, at, &len) >= 0x80)
        end = toad__add_char(s, at, byte_at, out);
    else
        toad__buf_add_cp(out, v);
    *ret = (toad__piece){ at, end, 1 };
    return true;
}

/* U+0049, with the blank or comma after it if another one follows. */
static bool notation_piece(toad_str s, size_t at, size_t from, toad__buf *out, toad__piece *ret) {
    unsigned n;
    if (!at || at - 1 < from || (s.p[at - 1] | 0x20) != 'u') return false;
    uint32_t v = hex_number(s, at + 1, 4, 6, &n);
    toad__cur c = toad__cur_from(s, at + 1 + n);
    if (!n || v < 0x20 || toad__is_alnum(toad__cur_peek(&c, 0))) return false;
    *ret = (toad__piece){ at - 1, c.at, 1 };
    while (toad__cur_peek(&c, 0) == ',' || toad__is_space(toad__cur_peek(&c, 0))) {
        if (c.at - ret->end >= 4) break;
        c.at++;
    }
    if ((toad__cur_peek(&c, 0) | 0x20) == 'u' && toad__cur_peek(&c, 1) == '+') ret->end = c.at;
    toad__buf_add_cp(out, v);
    return true;
}

static bool wanted(const toad__hints *h) { return h->backslash > 0 || h->plus > 3; }

static void run(toad_str in, toad__sink *sink) {
    static const toad__inline backslashes = { { "escape", TOAD__PLAIN }, '\\', NULL, 3, 1, backslash_piece, 1 };
    static const toad__inline notation = {
        { "escape:code-points", TOAD__PLAIN }, '+', &toad__set_hex_next, 1, 4, notation_piece, 1
    };
    if (TOAD__MAY_HAVE(sink, backslash, 1) && !toad__inline_run(&backslashes, in, sink)) return;
    if (TOAD__MAY_HAVE(sink, plus, 4)) toad__inline_run(&notation, in, sink);
}

const toad__decoder toad__decoder_escape = { "escape", TOAD__FOLDED, wanted, run };

/* The name that ends before the parenthesis at `at` and makes characters of numbers; its start, or `at`. */
static size_t maker(toad_str s, size_t at, size_t from) {
    static const char *const names[] = {
        "String.fromCharCode", "String.fromCodePoint", "fromCharCode", "fromCodePoint", "chr", "char", "ChrW", "unichr"
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        size_t n = strlen(names[i]);
        if (at < from + n || !toad__str_ieq(toad__str_part(s, at - n, at), toad__str_z(names[i]))) continue;
        if (at == n || !toad__is_alnum((unsigned char)s.p[at - n - 1])) return at - n;
    }
    return at;
}

/* The numbers in parentheses at `at`; returns the offset behind the closing one, or `at`. */
static size_t arguments(toad_str s, size_t at, toad__buf *out) {
    toad__cur c = toad__cur_from(s, at + 1);
    size_t before = out->n;
    for (;;) {
        toad__cur_skip_space(&c);
        unsigned n = 0, base = toad__cur_peek(&c, 0) == '0' && (toad__cur_peek(&c, 1) | 0x20) == 'x' ? 16 : 10;
        uint32_t v = 0;
        c.at += base == 16 ? 2 : 0;
        for (int d; n < 7 && (d = toad__hex_value(toad__cur_peek(&c, 0))) >= 0 && (unsigned)d < base; n++, c.at++)
            v = v * base + (uint32_t)d;
        if (!n || v > 0x10FFFF) break;
        toad__buf_add_cp(out, v);
        toad__cur_skip_space(&c);
        int next = toad__cur_next(&c);
        if (next == ')') return c.at;
        if (next != ',') break;
    }
    out->n = before;
    return at;
}

/* Do the two letters before `p` end the name of a maker? Most names fall here. */
static inline bool ends_maker(const char *p) {
    int last = p[-1] | 0x20, before = p[-2] | 0x20;
    return (last == 'e' || last == 't' || last == 'r' || last == 'w') &&
           (before == 'd' || before == 'n' || before == 'h' || before == 'a' || p[-2] == 'r');
}

/* A chain of calls joined by + . & or ||, as in chr(73)+chr(103). */
static bool call_piece(toad_str s, size_t at, size_t from, toad__buf *out, toad__piece *ret) {
    if (at < 3 || !ends_maker(s.p + at)) return false;
    size_t start = maker(s, at, from);
    size_t end = start < at ? arguments(s, at, out) : at;
    if (end == at) return false;
    *ret = (toad__piece){ start, end, 1 };
    for (;;) {
        toad__cur c = toad__cur_from(s, ret->end);
        toad__cur_skip_space(&c);
        bool joined = false;
        while (toad__cur_peek(&c, 0) == '+' || toad__cur_peek(&c, 0) == '.' || toad__cur_peek(&c, 0) == '&' ||
               toad__cur_peek(&c, 0) == '|')
            joined = true, c.at++;
        toad__cur_skip_space(&c);
        size_t name = c.at;
        while (c.at - name < 24 && (toad__is_alnum(toad__cur_peek(&c, 0)) || toad__cur_peek(&c, 0) == '.')) c.at++;
        if (!joined || toad__cur_peek(&c, 0) != '(' || maker(s, c.at, name) != name) return true;
        end = arguments(s, c.at, out);
        if (end == c.at) return true;
        ret->end = end;
        ret->weight++;
    }
}

static bool calls_wanted(const toad__hints *h) { return h->digits >= 6; }

static void run_calls(toad_str in, toad__sink *sink) {
    static const toad__inline calls = {
        { "char_code", TOAD__PLAIN }, '(', &toad__set_number_next, 1, 1, call_piece, 1
    };
    toad__inline_run(&calls, in, sink);
}

const toad__decoder toad__decoder_char_code = { "char_code", TOAD__FOLDED, calls_wanted, run_calls };
