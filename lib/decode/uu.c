/* uu.c - uuencoded files: "begin 644 name", lines of a length and 45 bytes, "end" (POSIX uuencode). A missing end is
 * forgiven. */
#include "lib/decode/emit.h"
#include "lib/decode/runs.h"
#include "lib/decode/table.h"

/* The line behind the header that `at` begins, or `at`. */
static size_t header(bzr_str in, size_t at) {
    bzr__cur c = bzr__cur_from(in, at);
    if ((at && in.p[at - 1] != '\n' && in.p[at - 1] != ' ' && in.p[at - 1] != '>') ||
        !bzr__cur_eat(&c, BZR__S("begin ")))
        return at;
    size_t mode = c.at;
    while (bzr__cur_peek(&c, 0) >= '0' && bzr__cur_peek(&c, 0) <= '7') c.at++;
    if (c.at - mode < 3 || c.at - mode > 4 || bzr__cur_peek(&c, 0) != ' ') return at;
    while (c.at - mode < 300 && bzr__cur_peek(&c, 0) >= 0x20) c.at++;
    if (bzr__cur_peek(&c, 0) == '\r') c.at++;
    return bzr__cur_next(&c) == '\n' ? c.at : at;
}

/* One line at the cursor; false at the end of the data. Blanks cut off at the end of a line count as zeros. */
static bool line(bzr__cur *c, bzr__emit *e) {
    int length = bzr__cur_peek(c, 0);
    if (length < 0x20 || length > 0x60) return false;
    unsigned left = ((unsigned)length - 0x20) & 63;
    c->at++;
    while (left && !e->text.status) {
        unsigned v = 0;
        for (unsigned k = 0; k < 4; k++) {
            int d = bzr__cur_peek(c, 0);
            if (d > 0x60) return false;
            v = v << 6 | (d < 0x20 ? 0 : ((unsigned)d - 0x20) & 63);
            if (d >= 0x20) c->at++;
        }
        char out[3] = { (char)(v >> 16), (char)(v >> 8), (char)v };
        unsigned n = left < 3 ? left : 3;
        bzr__emit_put(e, out, n, c->at);
        left -= n;
    }
    while (bzr__cur_peek(c, 0) >= 0x20) c->at++;
    if (bzr__cur_peek(c, 0) == '\r') c->at++;
    return bzr__cur_next(c) == '\n' && length != 0x60 && length != 0x20;
}

static void run(bzr_str in, bzr__sink *sink) {
    for (size_t at = 0; (at = bzr__pair_find(in, at, 'b', ' ', 5)) < in.n;) {
        size_t data = header(in, at);
        if (data == at++) continue;
        bzr__emit e;
        bzr__emit_open(&e, sink, in, data);
        bzr__cur c = bzr__cur_from(in, data);
        while (line(&c, &e)) {}
        if (bzr__emit_judge(&e, (bzr_span){ data, c.at }, "uuencode") == BZR__STOP) return;
        at = c.at;
    }
}

const bzr__decoder bzr__decoder_uu = { "uu", false, NULL, run };
