/* percent.c - %XX, %uXXXX and plus signs for blanks.
 *
 * Up to five layers (%2549) are undone in one go. Plus signs are blanks only in text that is otherwise without blanks,
 * as in a query: "a+b" in prose stays. Bytes are taken as they are: %EF%BC%A9 becomes UTF-8. */
#include "lib/base/hex.h"
#include "lib/decode/emit.h"
#include "lib/decode/runs.h"
#include "lib/decode/table.h"

#define LAYERS 5
#define MANY   512 /* letters side by side that are one piece */

/* %uXXXX (IIS, JavaScript's escape); a surrogate pair is one code point. 0: none stands here. */
static unsigned wide_form(toad_str s, size_t at, uint32_t *c) {
    toad__cur cur = toad__cur_from(s, at);
    int high = toad__hex_pair(s, at + 2), low = toad__hex_pair(s, at + 4);
    if (at + 6 > s.n || (toad__cur_peek(&cur, 1) | 0x20) != 'u' || high < 0 || low < 0) return 0;
    *c = (uint32_t)(high << 8 | low);
    return 6;
}

static int byte_at(toad_str s, size_t at, size_t *len) {
    *len = 3;
    return at < s.n && s.p[at] == '%' ? toad__hex_pair(s, at + 1) : -1;
}

static bool piece(toad_str s, size_t at, size_t from, toad__buf *out, toad__piece *ret) {
    (void)from;
    uint32_t c = 0, d = 0;
    size_t len;
    *ret = (toad__piece){ at, at, 1 };
    int byte = byte_at(s, at, &len);
    if (byte >= 0x80) ret->end = toad__add_char(s, at, byte_at, out);
    char letters[MANY];
    size_t many = 0, most = out->max < MANY ? out->max : MANY;
    for (; byte >= 0 && byte < 0x80 && (many < most || !many); byte = byte_at(s, ret->end, &len)) {
        letters[many++] = (char)byte;
        ret->end += 3;
    }
    toad__buf_add(out, letters, many);
    if (ret->end > at) return true;
    unsigned n = wide_form(s, at, &c);
    if (!n) return false;
    if (c >= 0xD800 && c <= 0xDBFF && wide_form(s, at + 6, &d) && d >= 0xDC00 && d <= 0xDFFF) {
        c = 0x10000 + ((c - 0xD800) << 10) + (d - 0xDC00);
        n = 12;
    }
    toad__buf_add_cp(out, c);
    ret->end = at + n;
    return true;
}

/* What a query that has plus signs for blanks does not hold as it is: blanks, and the marks that make "a"+b+(c) a sum.
 */
static bool parts(char c) { return toad__is_space((unsigned char)c) || (c && strchr("\"'`;(){}[]<>|\\", c)); }

/* A plus between words of letters: "Ignore+all+previous+instructions" needs two of them in one token to count. */
static bool plus_piece(toad_str s, size_t at, size_t from, toad__buf *out, toad__piece *ret) {
    (void)from;
    if (!at || at + 1 >= s.n) return false;
    char before = s.p[at - 1], after = s.p[at + 1];
    if (parts(before) || parts(after) ||
        !(toad__is_alnum((unsigned char)before) || toad__is_alnum((unsigned char)after)))
        return false;
    size_t start = at, end = at + 1;
    unsigned pluses = 1, letters = 0;
    while (start > 0 && at - start < 32 && !parts(s.p[start - 1])) start--, pluses += s.p[start] == '+';
    while (end < s.n && end - at < 32 && !parts(s.p[end])) pluses += s.p[end] == '+', end++;
    for (size_t i = start; i < end; i++) letters += toad__is_alpha((unsigned char)s.p[i]);
    if (pluses < 2 || letters < 2 * pluses) return false;
    toad__buf_add_c(out, ' ');
    *ret = (toad__piece){ at, at + 1, 1 };
    return true;
}

static bool wanted(const toad__hints *h) { return h->percent || h->plus >= 2; }

static void run(toad_str in, toad__sink *sink) {
    static const toad__inline percents = { { "percent", TOAD__PLAIN }, '%', &toad__set_hex_next, LAYERS, 1, piece, 1 };
    static const toad__inline pluses = { { "percent:plus", TOAD__PLAIN }, '+', NULL, 1, 2, plus_piece, 1 };
    if (TOAD__MAY_HAVE(sink, percent, 1) && !toad__inline_run(&percents, in, sink)) return;
    if (TOAD__MAY_HAVE(sink, plus, 2)) toad__inline_run(&pluses, in, sink);
}

const toad__decoder toad__decoder_percent = { "percent", TOAD__FOLDED, wanted, run };
