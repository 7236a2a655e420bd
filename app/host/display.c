/* display.c - see display.h. One pass over head and tail; what a token is made of is looked up once, at its start. */
#include "app/host/display.h"

#include "app/host/origin.h"
#include "lib/base/str.h"
#include "lib/base/utf8.h"
#include "lib/text/fold.h"
#include "lib/text/tables/class_tables.gen.h"

#include <assert.h>
#include <stdio.h>

enum {
    SHOWN = 2000,      /* bytes of head, and of tail, of a long text */
    LINES = 30,        /* lines of either at most */
    BLANKS_SHOWN = 24, /* white space in one place that is shown as it is ... */
    BREAKS_SHOWN = 2,  /* ... and line breaks in it */
    SAME_SHOWN = 64,   /* equal characters in a row */
    MARKS_SHOWN = 2,   /* combining marks on one letter */
    HOST_MAX = 1024,
};

typedef struct display {
    toad__buf *text, *notes;
    const toad__display_how *how;
    toad_str s;  /* the part being shown ... */
    size_t base; /* ... and where it begins */
    size_t edge; /* edges of marks that are passed: an odd number is inside of one */
    toad__view fold;
    toad__arena arena;
    bool latin; /* the whole text is mostly of ASCII letters: a word that only looks so is none of another language */
    size_t token_end; /* what follows holds up to here */
    bool token_mixed; /* its look-alikes are to be escaped */
    toad_span host;   /* to be shown in punycode; empty: none */
    unsigned marks;
    toad_status status;
} display;

static void add_escape(toad__buf *b, uint32_t c) {
    char out[16];
    snprintf(out, sizeof out, "\\u{%x}", (unsigned)c);
    toad__buf_add_z(b, out);
}

/* Is it a character that a person can't see, or can't tell from others? */
static bool is_unseen(uint32_t c, unsigned marks_before) {
    if (c < 0x20 || c == 0x7F) return true;
    if (c < 0x7F) return false;
    const toad__class *k = toad__class_of(c);
    if (k->flags & TOAD__IS_BLANK) return true;
    if (k->kind == TOAD__CP_MARK || k->kind == TOAD__CP_STACK) return marks_before >= MARKS_SHOWN;
    return k->kind != TOAD__CP_NONE;
}

static bool is_mark(uint32_t c) {
    if (c < 0x300 || c == TOAD__BAD) return false;
    unsigned kind = toad__class_of(c)->kind;
    return kind == TOAD__CP_MARK || kind == TOAD__CP_STACK;
}

/* Does one character that is not ASCII read like an ASCII letter or digit? */
static bool is_lookalike(display *d, size_t at, unsigned len) {
    toad_status status = toad__fold(&d->fold, toad__str(d->s.p + at, len), TOAD__FOLD_KEEP_CASE);
    if (status) d->status = status;
    return !status && d->fold.text.n == 1 && toad__is_alnum((unsigned char)d->fold.text.p[0]);
}

static bool ends_token(unsigned char c) { return c <= ' ' || strchr("\"'<>()[]{},;|&`", c); }

/* The host in the token [from, to): what stands between "://" or "@" and the next of /?#: */
static toad_span find_host(toad_str s, size_t from, size_t to) {
    toad_str token = toad__str_part(s, from, to);
    size_t at = toad__str_find(token, TOAD__S("://"), 0);
    size_t start = at < token.n ? at + 3 : 0, end = start;
    while (end < token.n && !strchr("/?#:", token.p[end])) {
        if (token.p[end++] != '@') continue;
        start = end;
        at = 0;
    }
    if (at >= token.n || end - start > HOST_MAX) return (toad_span){ 0, 0 };
    bool ascii = toad__ascii_prefix(toad__str_part(token, start, end)) == end - start;
    return ascii ? (toad_span){ 0, 0 } : (toad_span){ from + start, from + end };
}

static void look_at_token(display *d, size_t at) {
    size_t end = at;
    bool ascii = false, other = false;
    unsigned len;
    for (; end < d->s.n && !ends_token((unsigned char)d->s.p[end]); end++) {
        ascii |= toad__is_alpha((unsigned char)d->s.p[end]);
        other |= (unsigned char)d->s.p[end] >= 0x80;
    }
    d->token_end = end;
    d->token_mixed = false;
    d->host = (toad_span){ 0, 0 };
    if (!other) return;
    d->host = find_host(d->s, at, end);
    bool all = d->latin;
    for (size_t i = at; i < end && all && !ascii; i += len) {
        uint32_t c = toad__utf8_decode(d->s, i, &len);
        if (c != TOAD__BAD && (toad__class_of(c)->flags & TOAD__IS_LETTER) && !is_lookalike(d, i, len)) all = false;
    }
    d->token_mixed = ascii || all;
}

static void add_note(display *d, const toad__buf *note) {
    if (note->status) d->status = note->status;
    assert(!note->n || !memchr(note->p, '\n', note->n));
    toad__buf_add_str(d->notes, toad__buf_str(note));
    toad__buf_add_c(d->notes, '\n');
}

static void escape_all(toad__buf *b, toad_str s) {
    unsigned len;
    for (size_t i = 0; i < s.n; i += len) {
        uint32_t c = toad__utf8_decode(s, i, &len);
        if (c < 0x7F && c >= 0x20 && c != '\\')
            toad__buf_add_c(b, (char)c);
        else
            add_escape(b, c == TOAD__BAD ? (unsigned char)s.p[i] : c);
    }
}

static bool has_unseen(toad_str s) {
    unsigned len;
    for (size_t i = 0; i < s.n; i += len) {
        uint32_t c = toad__utf8_decode(s, i, &len);
        if (c == TOAD__BAD || is_unseen(c, 0)) return true;
    }
    return false;
}

/* The host as DNS is asked for it; empty when it is no name. */
static toad_str ask_for(display *d, toad_str host) {
    toad__origin origin = { 0 };
    if (has_unseen(host)) return toad__str(NULL, 0);
    d->status = toad__origin_of_host(host, &d->arena, &origin);
    return origin.host;
}

static void add_host(display *d) {
    toad_str host = toad__str_part(d->s, d->host.start, d->host.end), name = ask_for(d, host);
    toad__buf note;
    toad__buf_init(&note, 16 * HOST_MAX);
    toad__buf_add_z(&note, "the host ");
    toad__buf_add_str(&note, name);
    toad__buf_add_str(d->text, name);
    if (name.n)
        toad__buf_add_z(&note, " is written ");
    else
        escape_all(d->text, host);
    escape_all(&note, host);
    toad_status status = toad__fold(&d->fold, host, TOAD__FOLD_DROP);
    if (status) d->status = status;
    if (!toad__str_eq(toad__buf_str(&d->fold.text), host)) {
        toad__buf_add_z(&note, " and reads like ");
        escape_all(&note, toad__buf_str(&d->fold.text));
    }
    add_note(d, &note);
    toad__buf_free(&note);
}

static void add_count(toad__buf *b, size_t n, const char *one, const char *more) {
    toad__buf_add_u64(b, n);
    toad__buf_add_z(b, n == 1 ? one : more);
}

/* White space from `at` on; returns where it ends. */
static size_t add_white(display *d, size_t at) {
    size_t end = at, breaks = 0;
    for (; end < d->s.n && memchr(" \t\r\n", d->s.p[end], 4); end++)
        breaks += d->s.p[end] == '\n' || d->s.p[end] == '\r';
    size_t blanks = end - at - breaks;
    if (breaks <= BREAKS_SHOWN && blanks <= BLANKS_SHOWN) {
        for (size_t i = at; i < end; i++) {
            char c = d->s.p[i];
            const char *end_of_line = d->how->reading ? "\n" : "\\n\n";
            toad__buf_add_z(d->text, c == ' ' ? " " : c == '\t' ? "\\t" : c == '\r' ? "\\r" : end_of_line);
            if (c == '\n') toad__buf_add_z(d->text, d->how->indent);
        }
        return end;
    }
    toad__buf_add_z(d->text, "\\{");
    if (breaks) add_count(d->text, breaks, " line break", " line breaks");
    if (breaks && blanks) toad__buf_add_z(d->text, ", ");
    if (blanks) add_count(d->text, blanks, " blank", " blanks");
    toad__buf_add_z(d->text, breaks ? "}\n" : "}");
    if (breaks) toad__buf_add_z(d->text, d->how->indent);
    return end;
}

static void add_character(display *d, size_t at, unsigned len, uint32_t c) {
    if (c == TOAD__BAD) {
        for (unsigned i = 0; i < len; i++) {
            char out[8];
            snprintf(out, sizeof out, "\\x{%02x}", (unsigned char)d->s.p[at + i]);
            toad__buf_add_z(d->text, out);
        }
    } else if (c == '\\') {
        toad__buf_add_z(d->text, "\\\\");
    } else if (is_unseen(c, d->marks) || (d->how->marks_n && (c == 0xAB || c == 0xBB)) ||
               (c >= 0x80 && d->token_mixed && is_lookalike(d, at, len))) {
        add_escape(d->text, c);
    } else {
        toad__buf_add(d->text, d->s.p + at, len);
    }
}

/* Equal characters from `at` on; returns where they end. */
static size_t add_run(display *d, size_t at, unsigned len, uint32_t c) {
    size_t end = at, n = 0;
    while (end + len <= d->s.n && !memcmp(d->s.p + end, d->s.p + at, len)) end += len;
    n = (end - at) / len;
    size_t shown = n > SAME_SHOWN ? 8 : n;
    for (size_t i = 0; i < shown; i++) {
        add_character(d, at, len, c);
        d->marks = is_mark(c) ? d->marks + 1 : 0;
    }
    if (shown == n) return end;
    toad__buf_add_z(d->text, "\\{");
    add_count(d->text, n - shown, " more of it}", " more of it}");
    return end;
}

/* The edges of marks up to `at`. What is counted instead of shown is pointed at as a whole. */
static void pass_edges(display *d, size_t at) {
    for (; d->edge < 2 * d->how->marks_n; d->edge++) {
        const toad_span *mark = &d->how->marks[d->edge / 2];
        if ((d->edge % 2 ? mark->end : mark->start) > at) return;
        toad__buf_add_z(d->text, d->edge % 2 ? "\xC2\xAB" : "\xC2\xBB");
    }
}

static void show(display *d, toad_str s, toad_span part) {
    d->s = toad__str_part(s, part.start, part.end);
    d->base = part.start;
    d->token_end = 0;
    d->marks = 0;
    for (size_t at = 0; at < d->s.n && !d->status && !d->text->status;) {
        unsigned len;
        pass_edges(d, d->base + at);
        if (memchr(" \t\r\n", d->s.p[at], 4)) {
            at = add_white(d, at);
            continue;
        }
        if (at >= d->token_end && !ends_token((unsigned char)d->s.p[at])) look_at_token(d, at);
        if (d->host.end && at == d->host.start) {
            add_host(d);
            at = d->host.end;
            d->host = (toad_span){ 0, 0 };
            continue;
        }
        uint32_t c = toad__utf8_decode(d->s, at, &len);
        at = add_run(d, at, len, c);
    }
    pass_edges(d, part.end);
}

/* The head ends at ret->start and the tail begins at ret->end; both s.n when all is shown. */
static toad_span find_cut(toad_str s) {
    size_t head = 0, tail = s.n;
    for (unsigned lines = 0; head < s.n && head < SHOWN && lines < LINES; head++) lines += s.p[head] == '\n';
    for (unsigned lines = 0; tail > head && s.n - tail < SHOWN; tail--)
        if (s.p[tail - 1] == '\n' && ++lines > LINES) break;
    head = toad__utf8_floor(s, head);
    tail = toad__utf8_floor(s, tail);
    return tail <= head + 64 ? (toad_span){ s.n, s.n } : (toad_span){ head, tail };
}

static bool is_latin(toad_str s) {
    size_t latin = 0, other = 0;
    for (size_t i = 0; i < s.n; i++) {
        latin += toad__is_alpha((unsigned char)s.p[i]);
        other += (unsigned char)s.p[i] >= 0xC0;
    }
    return latin > 4 * other;
}

/* What stands between head and tail. */
static void add_cut(display *d, size_t n, size_t of) {
    toad__buf note;
    toad__buf_init(&note, 256);
    add_count(&note, n, " byte of ", " bytes of ");
    add_count(&note, of, " left out", " left out");
    toad__buf_add_z(d->text, "\\{");
    toad__buf_add_str(d->text, toad__buf_str(&note));
    toad__buf_add_z(d->text, "}");
    toad__buf_add_z(&note, " of the screen; the answer in JSON has all of it");
    add_note(d, &note);
    toad__buf_free(&note);
}

toad_status toad__display_as(toad__buf *text, toad__buf *notes, const toad__display_how *how, toad_str s) {
    display d = { .text = text, .notes = notes, .how = how, .latin = is_latin(s) };
    toad_span cut = how->whole ? (toad_span){ s.n, s.n } : find_cut(s);
    toad__view_init(&d.fold, 8 * HOST_MAX);
    toad__arena_init(&d.arena, (size_t)64 << 20);
    show(&d, s, (toad_span){ 0, cut.start });
    if (cut.end < s.n) {
        add_cut(&d, cut.end - cut.start, s.n);
        show(&d, s, (toad_span){ cut.end, s.n });
    }
    toad__view_free(&d.fold);
    toad__arena_free(&d.arena);
    return d.status ? d.status : text->status ? text->status : notes->status;
}

toad_status toad__display(toad__buf *text, toad__buf *notes, const char *indent, toad_str s) {
    return toad__display_as(text, notes, &(toad__display_how){ .indent = indent }, s);
}

bool toad__is_plain_word(toad_str s) {
    for (size_t i = 0; i < s.n; i++)
        if (!toad__is_alnum((unsigned char)s.p[i]) && !strchr("._-", s.p[i])) return false;
    return s.n && s.n < 80 && *s.p != '-';
}
