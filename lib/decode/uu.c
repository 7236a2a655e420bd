/* uu.c - uuencoded files: "begin 644 name", lines of a length and 45 bytes, "end" (POSIX uuencode). A missing end is
 * forgiven. A file in rot13 or written backwards is sent as it was, to be read as any other. */
#include "lib/decode/emit.h"
#include "lib/decode/runs.h"
#include "lib/decode/table.h"

enum { LONGEST = 100 }; /* bytes of a line of data, and to spare */

static const toad__step step = { "uuencode", 0 };

/* The line behind the header that `at` begins, or `at`. */
static size_t header(toad_str in, size_t at) {
    toad__cur c = toad__cur_from(in, at);
    if ((at && toad__is_alnum((unsigned char)in.p[at - 1])) || !toad__cur_eat(&c, TOAD__S("begin "))) return at;
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

/* Do a blank, a mode of three or four digits, and a blank stand there? */
static bool has_mode(toad_str s) {
    size_t n = 1;
    if (!s.n || s.p[0] != ' ') return false;
    while (n < s.n && s.p[n] >= '0' && s.p[n] <= '7') n++;
    return n >= 4 && n < s.n && s.p[n] == ' ';
}
/* Short lines from the one at `at` on, or before it, but not before `floor`. */
static size_t lines_after(toad_str in, size_t at) {
    for (size_t end = at; at < in.n; at = end + 1) {
        end = toad__str_find(toad__str_part(in, 0, at + LONGEST), TOAD__S("\n"), at);
        if (end - at >= LONGEST) break;
        if (end >= in.n) return in.n;
    }
    return at;
}
static size_t lines_before(toad_str in, size_t at, size_t floor) {
    for (size_t n = 0, i = at; i > floor && n <= LONGEST; n++)
        if (in.p[--i] == '\n' || i == floor) n = 0, at = i;
    return at;
}

#define IS_BLANK(c) ((c) == ' ')
#define IS_V(c)     ((c) == 'v')
#define IS_B(c)     ((c) == 'b')

/* False: the decoder has to stop. */
static bool send(const char *transform, toad_str in, size_t from, size_t to, toad__sink *sink) {
    toad__transform(transform, in, (toad_span){ from, to }, sink);
    return sink->status != TOAD_E_NOMEM;
}

/* "ortva" and "nigeb" are looked for by two letters that stand so in few words. */
static bool in_rot13(toad_str in, toad__sink *sink) {
    static const toad__set v = TOAD__SET(IS_V);
    for (size_t at = 0, end; (at = toad__pair_find(in, 't', &v, 1, at)) < in.n; at = end) {
        size_t word = at < 2 ? 0 : at - 2;
        end = at + 1;
        if (!toad__str_eq(toad__str_part(in, word, at + 3), TOAD__S("ortva"))) continue;
        if (!has_mode(toad__str_part(in, at + 3, at + 9))) continue;
        end = lines_after(in, at);
        if (!send("caesar+13", in, word, end, sink)) return false;
    }
    return true;
}

static bool backwards(toad_str in, toad__sink *sink) {
    static const toad__set b = TOAD__SET(IS_B);
    for (size_t at = 0, done = 0; (at = toad__pair_find(in, 'g', &b, 2, at)) < in.n; at++) {
        size_t end = at + 3, word = at < 2 ? 0 : at - 2;
        if (!toad__str_eq(toad__str_part(in, word, end), TOAD__S("nigeb"))) continue;
        if (!has_mode(toad__str_part(in, word < 5 ? 0 : word - 5, word)) &&
            !has_mode(toad__str_part(in, word < 6 ? 0 : word - 6, word)))
            continue;
        if (!send("reversed", in, lines_before(in, word, done), end, sink)) return false;
        done = end;
    }
    return true;
}

static void run(toad_str in, toad__sink *sink) {
    static const toad__set blank = TOAD__SET(IS_BLANK);
    if (!in_rot13(in, sink) || !backwards(in, sink)) return;
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
