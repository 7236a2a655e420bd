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
static size_t break_before_next(toad_str s, size_t at) {
    toad__cur c = toad__cur_from(s, at);
    bool broken = false;
    while (c.at - at < 8 && toad__is_space(toad__cur_peek(&c, 0))) broken |= toad__cur_next(&c) == '\n';
    return broken && toad__cur_peek(&c, 0) == '&' && toad__cur_peek(&c, 1) == '#' ? c.at : at;
}

static bool piece(toad_str s, size_t at, size_t from, toad__buf *out, toad__piece *ret) {
    (void)from;
    char text[8];
    unsigned n = 1, taken = 5;
    /* ampersands are most of what is met; they are known without a look at the table of 2,231 names */
    if (s.n - at >= 5 && !memcmp(s.p + at, "&amp;", 5))
        text[0] = '&';
    else
        taken = toad__entity_at(s, at, false, text, &n);
    if (!taken) return false;
    toad__buf_add(out, text, n);
    *ret = (toad__piece){ at, at + taken, 1 };
    if (s.p[at + 1] == '#') ret->end = break_before_next(s, ret->end);
    return true;
}

static bool wanted(const toad__hints *h) { return h->ampersand > 0; }

static void run(toad_str in, toad__sink *sink) {
    static const toad__inline kind = { { "entity", TOAD__PLAIN }, '&', &toad__set_entity_next, 5, 1, piece, 1 };
    toad__inline_run(&kind, in, sink);
}

const toad__decoder toad__decoder_entity = { "entity", TOAD__FOLDED, wanted, run };
