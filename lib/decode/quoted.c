/* quoted.c - quoted-printable (RFC 2045) and encoded words of mail headers (RFC 2047).
 *
 * Quoted-printable is believed when a few pieces (=XX or soft line breaks) stand in the text that cannot be fields of a
 * URL: "page=20&" is none. White space between two encoded words vanishes, as RFC 2047 section 6.2 wants it. Charsets:
 * Latin-1 and its kin are converted, all others are taken for UTF-8. */
#include "lib/base/hex.h"
#include "lib/base/utf8.h"
#include "lib/decode/emit.h"
#include "lib/decode/runs.h"
#include "lib/decode/table.h"

static void add_byte(toad__buf *out, int byte, bool latin) {
    if (latin)
        toad__buf_add_cp(out, (uint32_t)byte);
    else
        toad__buf_add_c(out, (char)byte);
}

static void word_b(toad_str word, bool latin, toad__buf *out) {
    uint32_t bits = 0;
    unsigned have = 0;
    for (size_t i = 0; i < word.n; i++) {
        int v = toad__base64_value((unsigned char)word.p[i]);
        if (v < 0) continue;
        bits = bits << 6 | (uint32_t)v;
        have += 6;
        if (have < 8) continue;
        have -= 8;
        add_byte(out, (int)(bits >> have & 0xFF), latin);
    }
}

static void word_q(toad_str word, bool latin, toad__buf *out) {
    for (size_t i = 0; i < word.n; i++) {
        int byte = word.p[i] == '=' ? toad__hex_pair(word, i + 1) : -1;
        if (byte >= 0)
            add_byte(out, byte, latin), i += 2;
        else
            toad__buf_add_c(out, word.p[i] == '_' ? ' ' : word.p[i]);
    }
}

/* =?charset?Q?text?= at `at`: appends its text and returns its end, or `at`. Words are short (RFC: 75 bytes; here
 * 1,024). */
static size_t encoded_word(toad_str s, size_t at, toad__buf *out) {
    toad__cur c = toad__cur_from(s, at);
    if (!toad__cur_eat(&c, TOAD__S("=?"))) return at;
    size_t charset = c.at;
    while (c.at - charset < 40 && (toad__is_alnum(toad__cur_peek(&c, 0)) || toad__cur_peek(&c, 0) == '-' ||
                                   toad__cur_peek(&c, 0) == '_' || toad__cur_peek(&c, 0) == '*'))
        c.at++;
    toad_str name = toad__str_part(s, charset, c.at);
    int how = toad__cur_peek(&c, 1) | 0x20;
    if (!name.n || toad__cur_peek(&c, 0) != '?' || (how != 'q' && how != 'b') || toad__cur_peek(&c, 2) != '?')
        return at;
    toad__cur_skip(&c, 3);
    size_t text = c.at;
    while (c.at - text < 1024 && !toad__cur_end(&c) && !(toad__cur_peek(&c, 0) == '?' && toad__cur_peek(&c, 1) == '='))
        c.at++;
    if (toad__cur_peek(&c, 0) != '?' || toad__cur_peek(&c, 1) != '=') return at;
    toad_str word = toad__str_part(s, text, c.at);
    bool latin = name.n >= 9 && (toad__str_ieq(toad__str_part(name, 0, 9), TOAD__S("iso-8859-")) ||
                                 toad__str_ieq(toad__str_part(name, 0, 9), TOAD__S("windows-1")));
    if (how == 'b')
        word_b(word, latin, out);
    else
        word_q(word, latin, out);
    return c.at + 2;
}

/* Encoded words at `at`, as many as follow with nothing but white space between. */
static size_t encoded_words(toad_str s, size_t at, toad__buf *out) {
    size_t end = encoded_word(s, at, out);
    while (end > at) {
        toad__cur c = toad__cur_from(s, end);
        while (c.at - end < 16 && toad__is_space(toad__cur_peek(&c, 0))) c.at++;
        size_t more = encoded_word(s, c.at, out);
        if (more == c.at) break;
        end = more;
    }
    return end;
}

static bool word_piece(toad_str s, size_t at, size_t from, toad__buf *out, toad__piece *ret) {
    (void)from;
    *ret = (toad__piece){ at, encoded_words(s, at, out), 1 };
    return ret->end > at;
}

static bool in_word(int c) { return toad__is_alpha(c) || c >= 0x80; }

/* What =XX at `at` says for quoted-printable: little where it may be the value of an attribute or of a field of a URL.
 */
static unsigned hex_weight(toad_str s, size_t at) {
    toad__cur c = toad__cur_from(s, at + 3);
    int next = toad__cur_peek(&c, 0);
    if (next == '=') { /* another piece, or a comparison: a=36==b */
        int after = toad__cur_peek(&c, 1);
        return toad__hex_pair(s, at + 4) >= 0 || toad__is_space(after) ? 2 : 0;
    }
    if (toad__is_lower(s.p[at + 1]) || toad__is_lower(s.p[at + 2]) || toad__is_digit(next)) return 0;
    return next != '&' && next != '"' && next != '\'' && next != '>' && next != ';' && next != ' ' && next != ')' &&
           next != ',';
}

static int byte_at(toad_str s, size_t at, size_t *len) {
    toad__cur c = toad__cur_from(s, at);
    while (toad__cur_eat(&c, TOAD__S("=\r\n")) || toad__cur_eat(&c, TOAD__S("=\n"))) {
    } /* a character over a soft line break */
    *len = c.at + 3 - at;
    return toad__cur_peek(&c, 0) == '=' ? toad__hex_pair(s, c.at + 1) : -1;
}

/* =XX that is text, or a soft line break with the blanks before its line end. */
static bool quoted_piece(toad_str s, size_t at, size_t from, toad__buf *out, toad__piece *ret) {
    (void)from;
    int byte = toad__hex_pair(s, at + 1);
    *ret = (toad__piece){ at, at, byte < 0 ? 0 : hex_weight(s, at) };
    if (!byte) { /* half of a letter in UTF-16: nothing */
        *ret = (toad__piece){ at, at + 3, 0 };
        return true;
    }
    if ((byte >= 0x20 && byte != 0x7F) || byte == '\t' || byte == '\n' || byte == '\r') {
        ret->end = toad__add_char(s, at, byte_at, out);
        return true;
    }
    toad__cur c = toad__cur_from(s, at + 1);
    while (c.at - at < 8 &&
           (toad__cur_peek(&c, 0) == ' ' || toad__cur_peek(&c, 0) == '\t' || toad__cur_peek(&c, 0) == '\r'))
        c.at++;
    if (toad__cur_peek(&c, 0) != '\n') return false;
    ret->end = c.at + 1;
    bool inside = at && in_word((unsigned char)s.p[at - 1]) && in_word(toad__cur_peek(&c, 1));
    ret->weight = inside ? 3 : at && !toad__is_space((unsigned char)s.p[at - 1]);
    return true;
}

static bool wanted(const toad__hints *h) { return h->equals > 0; }

#define QUESTION_MARK(c) ((c) == '?')

static void run(toad_str in, toad__sink *sink) {
    static const toad__set asked = TOAD__SET(QUESTION_MARK);
    static const toad__inline words = { { "rfc2047", TOAD__PLAIN }, '=', &asked, 1, 1, word_piece, 1 };
    static const toad__inline quoted = {
        { "quoted-printable", TOAD__PLAIN }, '=', &toad__set_quoted_next, 2, 3, quoted_piece, 1
    };
    if (TOAD__MAY_HAVE(sink, equals, 2) && !toad__inline_run(&words, in, sink)) return;
    toad__inline_run(&quoted, in, sink);
}

const toad__decoder toad__decoder_quoted = { "quoted", TOAD__FOLDED, wanted, run };
