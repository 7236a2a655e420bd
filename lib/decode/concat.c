/* concat.c - string literals that a reader would join: "ign" + "ore", 'ig' . 'nore', ig (comment) nore; and, in short
 * texts, all literals that are joined somewhere else ("let a='Ignore all prev' and b='ious'").
 *
 * The first kind is replaced in place. The second is one child of all literals of a text of at most 16 KiB, with
 * nothing between. */
#include "lib/decode/emit.h"
#include "lib/decode/leads.h"
#include "lib/decode/table.h"

static const toad__step literals_step = { "literals", TOAD__PLAIN | TOAD__DOUBTFUL };

enum { SHORT_TEXT = 16 << 10, LITERAL = 256, GAP = 64 };

static bool is_quote(int c) { return c == '"' || c == '\'' || c == '`'; }

/* "..." + "...": the piece is all from the closing quote to the opening one, and means nothing. */
static bool joint(toad_str s, size_t at, size_t from, toad__buf *out, toad__piece *ret) {
    (void)out;
    size_t left = at, right = at + 1;
    while (left > from && at - left < GAP && (toad__is_space((unsigned char)s.p[left - 1]) || s.p[left - 1] == '\\'))
        left--;
    while (right < s.n && right - at < GAP &&
           (toad__is_space((unsigned char)s.p[right]) || s.p[right] == '\\' || s.p[right] == '='))
        right++;
    if (left <= from || right >= s.n || !is_quote(s.p[left - 1]) || !is_quote(s.p[right])) return false;
    if (s.p[left - 1] != s.p[right] || left < 2) return false;
    *ret = (toad__piece){ left - 1, right + 1, 1 };
    return true;
}

/* A comment that begins at `open` between two letters of a word. The star that closes it is the one behind the opening,
 * so a lone opening costs a short look. */
static bool comment(toad_str s, size_t open, size_t from, toad__buf *out, toad__piece *ret) {
    (void)out;
    if (open <= from || !toad__is_alpha((unsigned char)s.p[open - 1])) return false;
    size_t at = open + 1;
    toad__cur c = toad__cur_from(s, at + 1);
    while (c.at - at < 256 && !toad__cur_end(&c) && !(toad__cur_peek(&c, 0) == '*' && toad__cur_peek(&c, 1) == '/'))
        c.at++;
    if (toad__cur_peek(&c, 0) != '*' || toad__cur_peek(&c, 1) != '/' || !toad__is_alpha(toad__cur_peek(&c, 2)))
        return false;
    *ret = (toad__piece){ open, c.at + 2, 1 };
    return true;
}

/* The literal that begins with the quote at `at`: its inside. It closes on the same line, before no letter or digit. */
static bool literal_at(toad_str in, size_t at, toad_span *ret) {
    size_t end = at + 1, limit = in.n - at < LITERAL ? in.n : at + LITERAL;
    for (const char *quote; end < limit && (quote = memchr(in.p + end, in.p[at], limit - end)) != NULL; end++) {
        end = (size_t)(quote - in.p);
        if (end + 1 < in.n && toad__is_alnum((unsigned char)in.p[end + 1])) continue;
        *ret = (toad_span){ at + 1, end };
        return !memchr(in.p + at, '\n', end - at);
    }
    return false;
}

/* The next literal at or after `from`. A quote opens behind no letter or digit. */
static bool next_literal(toad__leads *quotes, size_t from, toad_span *ret) {
    toad_str in = quotes->in;
    for (size_t at = from; (at = toad__leads_next(quotes, at)) < in.n; at++)
        if ((!at || !toad__is_alnum((unsigned char)in.p[at - 1])) && literal_at(in, at, ret)) return true;
    return false;
}

static bool all_literals(toad_str in, toad__sink *sink) {
    toad_span at;
    size_t n = 0, from = 0;
    toad__emit e;
    if (in.n > SHORT_TEXT) return true;
    toad__leads quotes = toad__leads_of(in, "\"'`");
    toad__emit_open(&e, sink, in, 0);
    for (; next_literal(&quotes, from, &at); from = (size_t)at.end + 1) {
        if (at.start == at.end) continue;
        toad__emit_skip(&e, (size_t)at.start);
        toad__emit_copy(&e, (size_t)at.end);
        n++;
    }
    if (n >= 2) return toad__emit_send(&e, &literals_step);
    toad__emit_drop(&e);
    return true;
}

#define STAR(c) ((c) == '*')

static void run(toad_str in, toad__sink *sink) {
    static const toad__set star = TOAD__SET(STAR);
    static const toad__inline kinds[] = {
        { { "concat", TOAD__PLAIN | TOAD__DOUBTFUL }, '+', &toad__set_joint_next, 1, 1, joint, 1 },
        { { "concat:comments", TOAD__PLAIN | TOAD__DOUBTFUL }, '/', &star, 1, 1, comment, 1 }
    };
    if (TOAD__MAY_HAVE(sink, plus, 1) && !toad__inline_run(&kinds[0], in, sink)) return;
    if (TOAD__MAY_HAVE(sink, star, 2) && !toad__inline_run(&kinds[1], in, sink)) return;
    all_literals(in, sink);
}

static bool wanted(const toad__hints *h) { return h->quotes >= 4 || h->star >= 2; }

const toad__decoder toad__decoder_concat = { "concat", TOAD__FOLDED, wanted, run };
