/* entity.c - character references outside of HTML: in mail, JSON, Markdown, and references of references.
 *
 * Line breaks between references that stand for single letters (one per line) are taken as part of the encoding. Five
 * layers. */
#include "lib/text/entity.h"
#include "lib/decode/emit.h"
#include "lib/decode/runs.h"
#include "lib/decode/table.h"

/* The end of the white space at `at` if another numeric reference follows and there is a line break in it; else `at`.
 */
static size_t break_before_next(bzr_str s, size_t at) {
    bzr__cur c = bzr__cur_from(s, at);
    bool broken = false;
    while (c.at - at < 8 && bzr__is_space(bzr__cur_peek(&c, 0))) broken |= bzr__cur_next(&c) == '\n';
    return broken && bzr__cur_peek(&c, 0) == '&' && bzr__cur_peek(&c, 1) == '#' ? c.at : at;
}

static bool piece(bzr_str s, size_t at, size_t from, bzr__buf *out, bzr__piece *ret) {
    (void)from;
    char text[8];
    unsigned n = 1, taken = 5;
    /* ampersands are most of what is met; they are known without a look at the table of 2,231 names */
    if (s.n - at >= 5 && !memcmp(s.p + at, "&amp;", 5)) text[0] = '&';
    else taken = bzr__entity_at(s, at, false, text, &n);
    if (!taken) return false;
    bzr__buf_add(out, text, n);
    *ret = (bzr__piece){ at, at + taken, 1 };
    if (s.p[at + 1] == '#') ret->end = break_before_next(s, ret->end);
    return true;
}

static bool wanted(const bzr__hints *h) { return h->ampersand > 0; }

static void run(bzr_str in, bzr__sink *sink) {
    static const bzr__inline kind = { "entity", '&', &bzr__set_entity_next, 5, 1, piece, 0, 0 };
    bzr__inline_run(&kind, in, sink);
}

const bzr__decoder bzr__decoder_entity = { "entity", false, wanted, run };
