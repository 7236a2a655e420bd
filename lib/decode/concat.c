/* concat.c - string literals that a reader would join: "ign" + "ore", 'ig' . 'nore', ig (comment) nore; and, in short
 * texts, all literals that are joined somewhere else ("let a='Ignore all prev' and b='ious'").
 *
 * The first kind is replaced in place. The second is one child of all literals of a text of at most 16 KiB, with
 * nothing between. */
#include "lib/decode/emit.h"
#include "lib/decode/leads.h"
#include "lib/decode/table.h"

enum { SHORT_TEXT = 16 << 10, LITERAL = 256, GAP = 64 };

static bool is_quote(int c) { return c == '"' || c == '\'' || c == '`'; }

/* "..." + "...": the piece is all from the closing quote to the opening one, and means nothing. */
static bool joint(bzr_str s, size_t at, size_t from, bzr__buf *out, bzr__piece *ret) {
    (void)out;
    size_t left = at, right = at + 1;
    while (left > from && at - left < GAP && (bzr__is_space((unsigned char)s.p[left - 1]) || s.p[left - 1] == '\\'))
        left--;
    while (right < s.n && right - at < GAP &&
           (bzr__is_space((unsigned char)s.p[right]) || s.p[right] == '\\' || s.p[right] == '='))
        right++;
    if (left <= from || right >= s.n || !is_quote(s.p[left - 1]) || !is_quote(s.p[right])) return false;
    if (s.p[left - 1] != s.p[right] || left < 2) return false;
    *ret = (bzr__piece){ left - 1, right + 1, 1 };
    return true;
}

/* A comment that begins at `open` between two letters of a word. The star that closes it is the one behind the opening, so a lone opening
 * costs a short look. */
static bool comment(bzr_str s, size_t open, size_t from, bzr__buf *out, bzr__piece *ret) {
    (void)out;
    if (open <= from || !bzr__is_alpha((unsigned char)s.p[open - 1])) return false;
    size_t at = open + 1;
    bzr__cur c = bzr__cur_from(s, at + 1);
    while (c.at - at < 256 && !bzr__cur_end(&c) && !(bzr__cur_peek(&c, 0) == '*' && bzr__cur_peek(&c, 1) == '/'))
        c.at++;
    if (bzr__cur_peek(&c, 0) != '*' || bzr__cur_peek(&c, 1) != '/' || !bzr__is_alpha(bzr__cur_peek(&c, 2)))
        return false;
    *ret = (bzr__piece){ open, c.at + 2, 1 };
    return true;
}

/* The literal that begins with the quote at `at`: its inside. It closes on the same line, before no letter or digit. */
static bool literal_at(bzr_str in, size_t at, bzr_span *ret) {
    size_t end = at + 1, limit = in.n - at < LITERAL ? in.n : at + LITERAL;
    for (const char *quote; end < limit && (quote = memchr(in.p + end, in.p[at], limit - end)) != NULL; end++) {
        end = (size_t)(quote - in.p);
        if (end + 1 < in.n && bzr__is_alnum((unsigned char)in.p[end + 1])) continue;
        *ret = (bzr_span){ at + 1, end };
        return !memchr(in.p + at, '\n', end - at);
    }
    return false;
}

/* The next literal at or after `from`. A quote opens behind no letter or digit. */
static bool next_literal(bzr__leads *quotes, size_t from, bzr_span *ret) {
    bzr_str in = quotes->in;
    for (size_t at = from; (at = bzr__leads_next(quotes, at)) < in.n; at++)
        if ((!at || !bzr__is_alnum((unsigned char)in.p[at - 1])) && literal_at(in, at, ret)) return true;
    return false;
}

static bool all_literals(bzr_str in, bzr__sink *sink) {
    bzr_span at;
    size_t n = 0, from = 0;
    bzr__emit e;
    if (in.n > SHORT_TEXT) return true;
    bzr__leads quotes = bzr__leads_of(in, "\"'`");
    bzr__emit_open(&e, sink, in, 0);
    for (; next_literal(&quotes, from, &at); from = (size_t)at.end + 1) {
        if (at.start == at.end) continue;
        bzr__emit_skip(&e, (size_t)at.start);
        bzr__emit_copy(&e, (size_t)at.end);
        n++;
    }
    if (n >= 2) return bzr__emit_send(&e, "literals");
    bzr__emit_drop(&e);
    return true;
}

static void run(bzr_str in, bzr__sink *sink) {
    static const bzr__inline kinds[] = { { "concat", '+', &bzr__set_joint_next, 1, 1, joint, 0, 0 },
                                         { "concat:comments", '/', NULL, 1, 1, comment, '*', 1 } };
    if (BZR__MAY_HAVE(sink, plus, 1) && !bzr__inline_run(&kinds[0], in, sink)) return;
    if (BZR__MAY_HAVE(sink, star, 2) && !bzr__inline_run(&kinds[1], in, sink)) return;
    all_literals(in, sink);
}

static bool wanted(const bzr__hints *h) { return h->quotes >= 4 || h->star >= 2; }

const bzr__decoder bzr__decoder_concat = { "concat", false, wanted, run };
