/* uu.c - uuencoded files: "begin 644 name", lines of a length and 45 bytes, "end" (POSIX uuencode). A missing end is
 * forgiven. */
#include "lib/decode/emit.h"
#include "lib/decode/runs.h"
#include "lib/decode/table.h"

/* The line behind the header that `at` begins, or `at`. */
static const toad__step step = { "uuencode", 0 };

static size_t header(toad_str in, size_t at) {
    toad__cur c = toad__cur_from(in, at);
    if ((at && in.p[at - 1] != '\n' && in.p[at - 1] != ' ' && in.p[at - 1] != '>') ||
        !toad__cur_eat(&c, TOAD__S("begin ")))
        return at;
    size_t mode = c.at;
    while (toad__cur_peek(&c, 0) >= '0' && toad__cur_peek(&c, 0) <= '7') c.at++;
    if (c.at - mode < 3 || c.at - mode > 4 || toad__cur_peek(&c, 0) != ' ') return at;
    while (c.at - mode < 300 && toad__cur_peek(&c, 0) >= 0x20) c.at++;
    if (toad__cur_peek(&c, 0) == '\r') c.at++;
    return toad__cur_next(&c) == '\n' ? c.at : at;
}

/* One line at the cursor; false at the end of the data. Blanks cut off at the end of a line count as zeros. */
static bool line(toad__cur *c, toad__emit *e) {
    int length = toad__cur_peek(c, 0);
    if (length < 0x20 || length > 0x60) return false;
    unsigned left = ((unsigned)length - 0x20) & 63;
    c->at++;
    while (left && !e->text.status) {
        unsigned v = 0;
        for (unsigned k = 0; k < 4; k++) {
            int d = toad__cur_peek(c, 0);
            if (d > 0x60) return false;
            v = v << 6 | (d < 0x20 ? 0 : ((unsigned)d - 0x20) & 63);
            if (d >= 0x20) c->at++;
        }
        char out[3] = { (char)(v >> 16), (char)(v >> 8), (char)v };
        unsigned n = left < 3 ? left : 3;
        toad__emit_put(e, out, n, c->at);
        left -= n;
    }
    while (toad__cur_peek(c, 0) >= 0x20) c->at++;
    if (toad__cur_peek(c, 0) == '\r') c->at++;
    return toad__cur_next(c) == '\n' && length != 0x60 && length != 0x20;
}

#define IS_BLANK(c) ((c) == ' ')

static void run(toad_str in, toad__sink *sink) {
    static const toad__set blank = TOAD__SET(IS_BLANK);
    for (size_t at = 0; (at = toad__pair_find(in, 'b', &blank, 5, at)) < in.n;) {
        size_t data = header(in, at);
        if (data == at++) continue;
        toad__emit e;
        toad__emit_open(&e, sink, in, data);
        toad__cur c = toad__cur_from(in, data);
        while (line(&c, &e)) {}
        if (toad__emit_judge(&e, (toad_span){ data, c.at }, &step) == TOAD__STOP) return;
        at = c.at;
    }
}

const toad__decoder toad__decoder_uu = { "uu", TOAD__FOLDED, NULL, run };
