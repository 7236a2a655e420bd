/* quoted.c - quoted-printable (RFC 2045) and encoded words of mail headers (RFC 2047).
 *
 * Quoted-printable is believed when a few pieces (=XX or soft line breaks) stand in the text that cannot be fields of a
 * URL: "page=20&" is none. White space between two encoded words vanishes, as RFC 2047 section 6.2 wants it. Charsets:
 * Latin-1 and its kin are converted, all others are taken for UTF-8. */
#include "lib/base/utf8.h"
#include "lib/decode/emit.h"
#include "lib/decode/runs.h"
#include "lib/decode/table.h"

static int hex_pair(bzr_str s, size_t at) {
    bzr__cur c = bzr__cur_from(s, at);
    int high = bzr__hex_value(bzr__cur_peek(&c, 0)), low = bzr__hex_value(bzr__cur_peek(&c, 1));
    return high < 0 || low < 0 ? -1 : high << 4 | low;
}

static int base64_value(int c) {
    if (bzr__is_upper(c)) return c - 'A';
    if (bzr__is_lower(c)) return c - 'a' + 26;
    if (bzr__is_digit(c)) return c - '0' + 52;
    return c == '+' ? 62 : c == '/' ? 63 : -1;
}

static void add_byte(bzr__buf *out, int byte, bool latin) {
    if (latin)
        bzr__buf_add_cp(out, (uint32_t)byte);
    else
        bzr__buf_add_c(out, (char)byte);
}

static void word_b(bzr_str word, bool latin, bzr__buf *out) {
    uint32_t bits = 0;
    unsigned have = 0;
    for (size_t i = 0; i < word.n; i++) {
        int v = base64_value((unsigned char)word.p[i]);
        if (v < 0) continue;
        bits = bits << 6 | (uint32_t)v;
        have += 6;
        if (have < 8) continue;
        have -= 8;
        add_byte(out, (int)(bits >> have & 0xFF), latin);
    }
}

static void word_q(bzr_str word, bool latin, bzr__buf *out) {
    for (size_t i = 0; i < word.n; i++) {
        int byte = word.p[i] == '=' ? hex_pair(word, i + 1) : -1;
        if (byte >= 0)
            add_byte(out, byte, latin), i += 2;
        else
            bzr__buf_add_c(out, word.p[i] == '_' ? ' ' : word.p[i]);
    }
}

/* =?charset?Q?text?= at `at`: appends its text and returns its end, or `at`. Words are short (RFC: 75 bytes; here
 * 1,024). */
static size_t encoded_word(bzr_str s, size_t at, bzr__buf *out) {
    bzr__cur c = bzr__cur_from(s, at);
    if (!bzr__cur_eat(&c, BZR__S("=?"))) return at;
    size_t charset = c.at;
    while (c.at - charset < 40 && (bzr__is_alnum(bzr__cur_peek(&c, 0)) || bzr__cur_peek(&c, 0) == '-' ||
                                   bzr__cur_peek(&c, 0) == '_' || bzr__cur_peek(&c, 0) == '*'))
        c.at++;
    bzr_str name = bzr__str_part(s, charset, c.at);
    int how = bzr__cur_peek(&c, 1) | 0x20;
    if (!name.n || bzr__cur_peek(&c, 0) != '?' || (how != 'q' && how != 'b') || bzr__cur_peek(&c, 2) != '?') return at;
    bzr__cur_skip(&c, 3);
    size_t text = c.at;
    while (c.at - text < 1024 && !bzr__cur_end(&c) && !(bzr__cur_peek(&c, 0) == '?' && bzr__cur_peek(&c, 1) == '='))
        c.at++;
    if (bzr__cur_peek(&c, 0) != '?' || bzr__cur_peek(&c, 1) != '=') return at;
    bzr_str word = bzr__str_part(s, text, c.at);
    bool latin = name.n >= 9 && (bzr__str_ieq(bzr__str_part(name, 0, 9), BZR__S("iso-8859-")) ||
                                 bzr__str_ieq(bzr__str_part(name, 0, 9), BZR__S("windows-1")));
    if (how == 'b')
        word_b(word, latin, out);
    else
        word_q(word, latin, out);
    return c.at + 2;
}

/* Encoded words at `at`, as many as follow with nothing but white space between. */
static size_t encoded_words(bzr_str s, size_t at, bzr__buf *out) {
    size_t end = encoded_word(s, at, out);
    while (end > at) {
        bzr__cur c = bzr__cur_from(s, end);
        while (c.at - end < 16 && bzr__is_space(bzr__cur_peek(&c, 0))) c.at++;
        size_t more = encoded_word(s, c.at, out);
        if (more == c.at) break;
        end = more;
    }
    return end;
}

static bool word_piece(bzr_str s, size_t at, size_t from, bzr__buf *out, bzr__piece *ret) {
    (void)from;
    *ret = (bzr__piece){ at, encoded_words(s, at, out), 1 };
    return ret->end > at;
}

static bool in_word(int c) { return bzr__is_alpha(c) || c >= 0x80; }

/* What =XX at `at` says for quoted-printable: little where it may be the value of an attribute or of a field of a URL.
 */
static unsigned hex_weight(bzr_str s, size_t at) {
    bzr__cur c = bzr__cur_from(s, at + 3);
    int next = bzr__cur_peek(&c, 0);
    if (next == '=') return 2;
    if (bzr__is_lower(s.p[at + 1]) || bzr__is_lower(s.p[at + 2]) || bzr__is_digit(next)) return 0;
    return next != '&' && next != '"' && next != '\'' && next != '>' && next != ';' && next != ' ' && next != ')' &&
           next != ',';
}

static int byte_at(bzr_str s, size_t at, size_t *len) {
    bzr__cur c = bzr__cur_from(s, at);
    while (bzr__cur_eat(&c, BZR__S("=\r\n")) || bzr__cur_eat(&c, BZR__S("=\n"))) {
    } /* a character over a soft line break */
    *len = c.at + 3 - at;
    return bzr__cur_peek(&c, 0) == '=' ? hex_pair(s, c.at + 1) : -1;
}

/* =XX that is text, or a soft line break with the blanks before its line end. */
static bool quoted_piece(bzr_str s, size_t at, size_t from, bzr__buf *out, bzr__piece *ret) {
    (void)from;
    int byte = hex_pair(s, at + 1);
    *ret = (bzr__piece){ at, at, byte < 0 ? 0 : hex_weight(s, at) };
    if ((byte >= 0x20 && byte != 0x7F) || byte == '\t' || byte == '\n' || byte == '\r') {
        ret->end = bzr__add_char(s, at, byte_at, out);
        return true;
    }
    bzr__cur c = bzr__cur_from(s, at + 1);
    while (c.at - at < 8 &&
           (bzr__cur_peek(&c, 0) == ' ' || bzr__cur_peek(&c, 0) == '\t' || bzr__cur_peek(&c, 0) == '\r'))
        c.at++;
    if (bzr__cur_peek(&c, 0) != '\n') return false;
    ret->end = c.at + 1;
    bool inside = at && in_word((unsigned char)s.p[at - 1]) && in_word(bzr__cur_peek(&c, 1));
    ret->weight = inside ? 3 : at && !bzr__is_space((unsigned char)s.p[at - 1]);
    return true;
}

static bool wanted(const bzr__hints *h) { return h->equals > 0; }

static void run(bzr_str in, bzr__sink *sink) {
    static const bzr__inline words = { "rfc2047", '=', NULL, 1, 1, word_piece, '?', 1 };
    static const bzr__inline quoted = { "quoted-printable", '=', &bzr__set_quoted_next, 2, 3, quoted_piece, 0, 0 };
    if (BZR__MAY_HAVE(sink, equals, 2) && !bzr__inline_run(&words, in, sink)) return;
    bzr__inline_run(&quoted, in, sink);
}

const bzr__decoder bzr__decoder_quoted = { "quoted", false, wanted, run };
