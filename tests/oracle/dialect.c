/* dialect.c - see dialect.h. A blank of ours is a blank or a line feed of theirs, \w \d \s are ASCII, literals are
 * folded. */
#include "tests/oracle/dialect.h"
#include "lib/base/cursor.h"
#include "lib/base/utf8.h"

#include <stdio.h>

static void add_byte(toad__buf *to, unsigned char c) {
    char hex[8];
    if (c == ' ')
        toad__buf_add_z(to, "[ \\n]");
    else
        toad__buf_add(to, hex, (size_t)snprintf(hex, sizeof hex, "\\x%02x", c));
}

static void add_folded(toad__buf *to, toad_str c) {
    toad__view v;
    toad__view_init(&v, 256);
    if (c.n == 1 && toad__is_space((unsigned char)c.p[0]))
        add_byte(to, ' ');
    else if (!toad__fold(&v, c, TOAD__FOLD_DROP)) {
        toad__buf_add_z(to, "(?:");
        for (size_t i = 0; i < v.text.n; i++) add_byte(to, (unsigned char)v.text.p[i]);
        toad__buf_add_z(to, ")");
    }
    toad__view_free(&v);
}

static toad_str code_point(toad__cur *in) {
    unsigned n = 1;
    size_t at = in->at;
    toad__utf8_decode(in->s, at, &n);
    toad__cur_skip(in, n);
    return toad__str_part(in->s, at, in->at);
}

static void add_class(toad__cur *in, toad__buf *to) {
    toad__buf ascii, others;
    toad__buf_init(&ascii, 65536);
    toad__buf_init(&others, 65536);
    toad__cur_skip(in, 1);
    bool negated = toad__cur_eat(in, TOAD__S("^"));
    while (toad__cur_peek(in, 0) != ']') {
        int c = toad__cur_peek(in, 0);
        if (c == '\\') {
            c = toad__cur_peek(in, 1);
            toad__cur_skip(in, 2);
            if (c == 'w')
                toad__buf_add_z(&ascii, "a-z0-9_");
            else if (c == 'd')
                toad__buf_add_z(&ascii, "0-9");
            else if (c == 's')
                toad__buf_add_z(&ascii, " \\n");
            else if (toad__is_alpha(c))
                toad__buf_add_z(&ascii, c == 'W'   ? "\\x00-\\x2f\\x3a-\\x5e\\x60\\x7b-\\xff"
                                        : c == 'D' ? "\\x00-\\x2f\\x3a-\\xff"
                                                   : "\\x00-\\x09\\x0b-\\x1f\\x21-\\xff");
            else {
                toad__buf_add_c(&ascii, '\\');
                toad__buf_add_c(&ascii, (char)c);
            }
        } else if (c >= 0x80) {
            toad__buf_add_c(&others, '|');
            add_folded(&others, code_point(in));
        } else {
            toad__cur_skip(in, 1);
            if (c == ' ')
                toad__buf_add_z(&ascii, " \\n");
            else if (c == '[')
                toad__buf_add_z(&ascii, "\\[");
            else
                toad__buf_add_c(&ascii, (char)toad__lower(c));
        }
    }
    toad__cur_skip(in, 1);
    toad__buf_add_z(to, others.n ? "(?:[" : negated ? "[^" : "[");
    toad__buf_add_str(to, toad__buf_str(&ascii));
    toad__buf_add_z(to, "]");
    if (others.n && !ascii.n) to->n -= 2, toad__buf_add_z(to, "(?!)"); /* no ASCII member at all */
    toad__buf_add_str(to, toad__buf_str(&others));
    if (others.n) toad__buf_add_z(to, ")");
    toad__buf_free(&ascii);
    toad__buf_free(&others);
}

static void add_escape(toad__cur *in, toad__buf *to) {
    int c = toad__cur_peek(in, 1);
    static const struct {
        int c;
        const char *as;
    } named[] = {
        { 'w', "[a-z0-9_]" }, { 'W', "[^a-z0-9_]" }, { 'd', "[0-9]" }, { 'D', "[^0-9]" },
        { 's', "[ \\n]" },    { 'S', "[^ \\n]" },    { 'b', "\\b" },
    };
    toad__cur_skip(in, 2);
    for (size_t i = 0; i < sizeof named / sizeof *named; i++)
        if (named[i].c == c) {
            toad__buf_add_z(to, named[i].as);
            return;
        }
    add_byte(to, (unsigned char)c);
}

void oracle_regex(const char *pattern, toad__buf *to) {
    toad__cur in = toad__cur_of(toad__str_z(pattern));
    while (!toad__cur_end(&in)) {
        int c = toad__cur_peek(&in, 0);
        if (c == '[')
            add_class(&in, to);
        else if (c == '\\')
            add_escape(&in, to);
        else if (strchr("(|)?^$.", c)) {
            if (!toad__cur_eat(&in, TOAD__S("(?:")))
                toad__buf_add_c(to, (char)c), toad__cur_skip(&in, 1);
            else
                toad__buf_add_z(to, "(?:");
        } else if (c == '{') {
            while (toad__cur_peek(&in, 0) != '}') toad__buf_add_c(to, (char)toad__cur_next(&in));
            toad__buf_add_c(to, (char)toad__cur_next(&in));
        } else
            add_folded(to, code_point(&in));
    }
}

void oracle_text(toad_str text, const uint8_t *lines, toad__buf *to) {
    for (size_t i = 0; i < text.n; i++) {
        bool breaks = text.p[i] == ' ' && (i + 1 == text.n || (lines && lines[(i + 1) >> 3] >> ((i + 1) & 7) & 1));
        toad__buf_add_c(to, breaks ? '\n' : text.p[i]);
    }
}
