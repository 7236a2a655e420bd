/* dialect.c - see dialect.h. A blank of ours is a blank or a line feed of theirs, \w \d \s are ASCII, literals are folded. */
#include "tests/oracle/dialect.h"
#include "lib/base/cursor.h"
#include "lib/base/utf8.h"

#include <stdio.h>

static void add_byte(bzr__buf *to, unsigned char c) {
    char hex[8];
    if (c == ' ') bzr__buf_add_z(to, "[ \\n]");
    else bzr__buf_add(to, hex, (size_t)snprintf(hex, sizeof hex, "\\x%02x", c));
}

static void add_folded(bzr__buf *to, bzr_str c) {
    bzr__view v;
    bzr__view_init(&v, 256);
    if (c.n == 1 && bzr__is_space((unsigned char)c.p[0])) add_byte(to, ' ');
    else if (!bzr__fold(&v, c, BZR__FOLD_DROP)) {
        bzr__buf_add_z(to, "(?:");
        for (size_t i = 0; i < v.text.n; i++) add_byte(to, (unsigned char)v.text.p[i]);
        bzr__buf_add_z(to, ")");
    }
    bzr__view_free(&v);
}

static bzr_str code_point(bzr__cur *in) {
    unsigned n = 1;
    size_t at = in->at;
    bzr__utf8_decode(in->s, at, &n);
    bzr__cur_skip(in, n);
    return bzr__str_part(in->s, at, in->at);
}

static void add_class(bzr__cur *in, bzr__buf *to) {
    bzr__buf ascii, others;
    bzr__buf_init(&ascii, 65536);
    bzr__buf_init(&others, 65536);
    bzr__cur_skip(in, 1);
    bool negated = bzr__cur_eat(in, BZR__S("^"));
    while (bzr__cur_peek(in, 0) != ']') {
        int c = bzr__cur_peek(in, 0);
        if (c == '\\') {
            c = bzr__cur_peek(in, 1);
            bzr__cur_skip(in, 2);
            if (c == 'w') bzr__buf_add_z(&ascii, "a-z0-9_");
            else if (c == 'd') bzr__buf_add_z(&ascii, "0-9");
            else if (c == 's') bzr__buf_add_z(&ascii, " \\n");
            else if (bzr__is_alpha(c)) bzr__buf_add_z(&ascii, c == 'W' ? "\\x00-\\x2f\\x3a-\\x5e\\x60\\x7b-\\xff" : c == 'D' ? "\\x00-\\x2f\\x3a-\\xff" : "\\x00-\\x09\\x0b-\\x1f\\x21-\\xff");
            else {
                bzr__buf_add_c(&ascii, '\\');
                bzr__buf_add_c(&ascii, (char)c);
            }
        } else if (c >= 0x80) {
            bzr__buf_add_c(&others, '|');
            add_folded(&others, code_point(in));
        } else {
            bzr__cur_skip(in, 1);
            if (c == ' ') bzr__buf_add_z(&ascii, " \\n");
            else if (c == '[') bzr__buf_add_z(&ascii, "\\[");
            else bzr__buf_add_c(&ascii, (char)bzr__lower(c));
        }
    }
    bzr__cur_skip(in, 1);
    bzr__buf_add_z(to, others.n ? "(?:[" : negated ? "[^" : "[");
    bzr__buf_add_str(to, bzr__buf_str(&ascii));
    bzr__buf_add_z(to, "]");
    if (others.n && !ascii.n) to->n -= 2, bzr__buf_add_z(to, "(?!)"); /* no ASCII member at all */
    bzr__buf_add_str(to, bzr__buf_str(&others));
    if (others.n) bzr__buf_add_z(to, ")");
    bzr__buf_free(&ascii);
    bzr__buf_free(&others);
}

static void add_escape(bzr__cur *in, bzr__buf *to) {
    int c = bzr__cur_peek(in, 1);
    static const struct { int c; const char *as; } named[] = {
        { 'w', "[a-z0-9_]" }, { 'W', "[^a-z0-9_]" }, { 'd', "[0-9]" }, { 'D', "[^0-9]" }, { 's', "[ \\n]" }, { 'S', "[^ \\n]" }, { 'b', "\\b" },
    };
    bzr__cur_skip(in, 2);
    for (size_t i = 0; i < sizeof named / sizeof *named; i++)
        if (named[i].c == c) {
            bzr__buf_add_z(to, named[i].as);
            return;
        }
    add_byte(to, (unsigned char)c);
}

void oracle_regex(const char *pattern, bzr__buf *to) {
    bzr__cur in = bzr__cur_of(bzr__str_z(pattern));
    while (!bzr__cur_end(&in)) {
        int c = bzr__cur_peek(&in, 0);
        if (c == '[') add_class(&in, to);
        else if (c == '\\') add_escape(&in, to);
        else if (strchr("(|)?^$.", c)) {
            if (!bzr__cur_eat(&in, BZR__S("(?:"))) bzr__buf_add_c(to, (char)c), bzr__cur_skip(&in, 1);
            else bzr__buf_add_z(to, "(?:");
        } else if (c == '{') {
            while (bzr__cur_peek(&in, 0) != '}') bzr__buf_add_c(to, (char)bzr__cur_next(&in));
            bzr__buf_add_c(to, (char)bzr__cur_next(&in));
        } else add_folded(to, code_point(&in));
    }
}

void oracle_text(bzr_str text, const uint8_t *lines, bzr__buf *to) {
    for (size_t i = 0; i < text.n; i++) {
        bool breaks = text.p[i] == ' ' && (i + 1 == text.n || (lines && lines[(i + 1) >> 3] >> ((i + 1) & 7) & 1));
        bzr__buf_add_c(to, breaks ? '\n' : text.p[i]);
    }
}
