/* markdown.c - what Markdown hides, and the text without the marks.
 *
 * Not a CommonMark parser: one pass over the lines that finds what a reader of the rendered page does not see (comments in
 * link-reference form, titles, alt texts, fence info strings, front matter) or cannot tell (where links and images lead), and writes the visible text without
 * emphasis marks, so that a word in pieces is one word again. Brackets are matched by a bounded look-ahead, so hostile runs stay linear. */
#include "lib/base/cursor.h"
#include "lib/base/limits.h"
#include "lib/html/html.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#define LABEL_MAX 1000u /* CommonMark allows 999 characters in a link label */
#define URL_MAX_BYTES 4096u
#define DEPTH_MAX 8u

typedef struct md {
    bzr_str in;
    size_t at;
    bzr__html_out *o;
    size_t skip_at, skip_to; /* where the label of the open link ends, and its destination */
    bool only_changed, changed; /* keep only paragraphs from which a mark was taken; this one is such */
    size_t mark_n;              /* the output at the start of the paragraph ... */
    bzr__offmap mark;           /* ... and its map (lengths only) */
    size_t shown, shown_to;     /* seen, and not yet written: most paragraphs never are */
    size_t blank_line;          /* the next one, if it lies ahead */
    struct { size_t closer; bool open; } marks[3]; /* * _ ~: the next run that can close one; has one been opened in this paragraph? */
} md;

static void write_shown(md *d) {
    if (d->shown_to > d->shown) bzr__html_put(&d->o->visible, &d->o->visible_map, bzr__str_part(d->in, d->shown, d->shown_to), d->shown, d->shown_to);
    d->shown = d->shown_to;
}

/* A paragraph ends: forget it if it reads as the raw text does, and remember where the next begins. */
static void end_paragraph(md *d) {
    bzr__offmap *m = &d->o->visible_map;
    if (d->only_changed && !d->changed) {
        d->o->visible.n = d->mark_n;
        m->n = d->mark.n;
        m->out_len = d->mark.out_len;
        m->in_len = d->mark.in_len;
        m->ratio = d->mark.ratio;
        d->shown = d->shown_to;
    }
    write_shown(d);
    d->mark_n = d->o->visible.n;
    d->mark = *m;
    d->changed = false;
    for (unsigned i = 0; i < 3; i++) d->marks[i].open = false;
}

static void show(md *d, size_t from, size_t to) {
    if (from != d->shown_to) {
        write_shown(d);
        d->shown = from;
    }
    d->shown_to = to;
}

static void hide(md *d, bzr__hidden_reason reason, size_t from, size_t to) {
    bzr__html_piece *p = to > from ? bzr__html_piece_begin(d->o, reason, from) : NULL;
    if (!p) return;
    bzr__html_put(&d->o->hidden, &d->o->hidden_map, bzr__str_part(d->in, from, to), from, to);
    p->end = (uint32_t)d->o->hidden.n;
}

static void link_to(md *d, size_t from, size_t to, bool auto_fetch) {
    bzr__html_out *o = d->o;
    bzr__html_link *link = to > from ? bzr__html_link_room(o) : NULL;
    if (!link) return;
    size_t start = o->urls.n;
    bzr__buf_add_str(&o->urls, bzr__str_part(d->in, from, to));
    *link = (bzr__html_link){ (uint32_t)start, (uint32_t)o->urls.n, (uint32_t)from, (uint32_t)to, auto_fetch };
}

static int at(const md *d, size_t i) { return i < d->in.n ? (unsigned char)d->in.p[i] : -1; }

static size_t line_end(const md *d, size_t from) {
    const char *nl = from < d->in.n ? memchr(d->in.p + from, '\n', d->in.n - from) : NULL;
    return nl ? (size_t)(nl - d->in.p) : d->in.n;
}

/* The closing bracket of the label that opens at `open`, within LABEL_MAX bytes and not over a blank line; 0 if there is none. */
static size_t label_end(const md *d, size_t open) {
    size_t stop = open + LABEL_MAX < d->in.n ? open + LABEL_MAX : d->in.n;
    unsigned depth = 0;
    for (size_t i = open; i < stop; i++) {
        char c = d->in.p[i];
        if (c == '\\') i++;
        else if (c == '[') {
            if (++depth > 8) return 0;
        } else if (c == ']' && !--depth) return i;
        else if (c == '\n' && at(d, i + 1) == '\n') return 0;
    }
    return 0;
}

/* Destination and optional title from `from` up to `close` (0: end of line). Reports both. Returns where it ended. */
static size_t destination(md *d, size_t from, char close, bool image) {
    size_t i = from, stop = from + URL_MAX_BYTES < d->in.n ? from + URL_MAX_BYTES : d->in.n;
    while (i < stop && (d->in.p[i] == ' ' || d->in.p[i] == '\t')) i++;
    bool angle = at(d, i) == '<';
    size_t url = angle ? ++i : i;
    unsigned depth = 0;
    for (; i < stop; i++) {
        char c = d->in.p[i];
        if (c == '\n' || (angle && c == '>')) break;
        if (!angle && bzr__is_space((unsigned char)c)) break;
        if (!angle && c == '(' && ++depth > DEPTH_MAX) break;
        if (!angle && c == ')' && close && !depth--) break;
    }
    size_t url_end = i;
    while (url_end > url && bzr__is_space((unsigned char)d->in.p[url_end - 1])) url_end--;
    link_to(d, url, url_end, image);
    if (angle && at(d, i) == '>') i++;
    while (i < stop && bzr__is_space((unsigned char)d->in.p[i]) && d->in.p[i] != '\n') i++;
    int quote = at(d, i);
    if (quote == '"' || quote == '\'' || (quote == '(' && !close)) {
        char end = quote == '(' ? ')' : (char)quote;
        size_t title = ++i;
        while (i < stop && d->in.p[i] != end) i++;
        hide(d, BZR__HIDDEN_TITLE, title, i);
        i = i < stop ? i + 1 : i;
    }
    while (close && i < stop && d->in.p[i] != close && d->in.p[i] != '\n') i++;
    return close && at(d, i) == close ? i + 1 : i;
}

/* [label]: destination "title" - a definition, which is never seen. As a comment its label or destination is void: [//]: # (text), [comment]: <> (text). */
static bool definition(md *d, size_t from) {
    size_t close = label_end(d, from);
    if (!close || at(d, close + 1) != ':') return false;
    size_t end = line_end(d, from), i = close + 2;
    while (i < end && bzr__is_space((unsigned char)d->in.p[i])) i++;
    bool void_target = at(d, i) == '#' || (at(d, i) == '<' && at(d, i + 1) == '>') || at(d, from + 1) == '^';
    if (void_target) hide(d, BZR__HIDDEN_COMMENT, i, end);
    else {
        hide(d, BZR__HIDDEN_LINK, from + 1, close);
        destination(d, i, 0, true);
    }
    d->at = end;
    return true;
}

static void bracket(md *d) {
    bool image = d->at && d->in.p[d->at - 1] == '!';
    size_t open = d->at, close = label_end(d, open);
    d->at++;
    if (!close) {
        show(d, open, d->at);
        return;
    }
    int after = at(d, close + 1);
    if (after != '(' && after != '[') {
        show(d, open, d->at);
        return;
    }
    if (image) {
        hide(d, BZR__HIDDEN_ALT, open + 1, close);
        d->at = after == '(' ? destination(d, close + 2, ')', true) : close + 1;
        return;
    }
    /* the label of a link is seen: go on inside it and report the target now */
    d->changed = true;
    d->skip_at = close;
    d->skip_to = after == '(' ? destination(d, close + 2, ')', false) : close + 1;
}

static size_t run_end(const md *d, size_t from) {
    size_t end = from;
    while (at(d, end) == d->in.p[from]) end++;
    return end;
}

/* Can the run of marks [from, end) be emphasis? Not a * b, snake_case, nor what begins or ends a comment in source code. */
static bool is_emphasis(const md *d, size_t from, size_t end) {
    char c = d->in.p[from];
    int before = from ? at(d, from - 1) : ' ', after = at(d, end);
    bool inside = bzr__is_alnum(before) && bzr__is_alnum(after);
    bool comment = (before == '/' && after <= ' ') || (after == '/' && before <= ' ');
    return end - from <= 3 && (after > ' ' || before > ' ') && !comment && !(c == '_' && inside) && !(c == '~' && end - from == 1);
}

static size_t paragraph_end(md *d, size_t from) {
    if (d->blank_line < from) d->blank_line = bzr__str_find(d->in, BZR__S("\n\n"), from);
    return d->blank_line;
}

/* Is there a run of `c` behind `from` in this paragraph that can close one? *closer is the one found last; each byte is looked at once. */
static bool closes_ahead(md *d, size_t *closer, char c, size_t from) {
    size_t i = *closer;
    if (i < from) {
        const char *hit = NULL;
        for (i = from; i < d->in.n && (hit = memchr(d->in.p + i, c, d->in.n - i)); i = run_end(d, i)) {
            i = (size_t)(hit - d->in.p);
            if (((unsigned char)d->in.p[i - 1] > ' ') && is_emphasis(d, i, run_end(d, i))) break;
        }
        *closer = i = hit ? i : d->in.n;
    }
    return i < paragraph_end(d, from);
}

/* A run of marks: gone where it is emphasis, kept where it is not. Where one pair stands in a paragraph, a single mark is taken for one as well. */
static void emphasis(md *d) {
    char c = d->in.p[d->at];
    size_t from = d->at, end = run_end(d, from), which = c == '*' ? 0 : c == '_' ? 1 : 2;
    d->at = end;
    bool mark = is_emphasis(d, from, end) && (d->marks[which].open || (at(d, end) > ' ' && closes_ahead(d, &d->marks[which].closer, c, end)));
    if (!mark) show(d, from, end);
    else d->changed = d->marks[which].open = true;
}

static void fence(md *d, size_t from) {
    size_t i = run_end(d, from), end = line_end(d, i);
    while (i < end && bzr__is_space((unsigned char)d->in.p[i])) i++;
    hide(d, BZR__HIDDEN_ATTRIBUTE, i, end);
    d->at = end;
}

/* What only the first bytes of a line decide. True when the line was taken. */
static bool line_start(md *d) {
    size_t i = d->at;
    while (i < d->at + 3 && at(d, i) == ' ') i++;
    int c = at(d, i);
    if (c == '[') return definition(d, i);
    if ((c == '`' || c == '~') && at(d, i + 1) == c && at(d, i + 2) == c) {
        fence(d, i);
        return true;
    }
    if (c == '%' && at(d, i + 1) == '%') {
        size_t end = line_end(d, i);
        hide(d, BZR__HIDDEN_COMMENT, i + 2, end);
        d->at = end;
        return true;
    }
    return false;
}

/* The next sign at or after `from` that may mean something: ] \\ * _ ~ [ and line feed. */
static size_t next_mark(bzr_str s, size_t from) {
    static const bool is_mark[256] = { [']'] = true, ['\\'] = true, ['*'] = true, ['_'] = true, ['~'] = true, ['['] = true, ['\n'] = true };
#if defined(__SSE2__)
    for (; s.n - from >= 16; from += 16) {
        __m128i v = _mm_loadu_si128((const __m128i *)(const void *)(s.p + from));
        __m128i brackets = _mm_or_si128(_mm_cmpeq_epi8(v, _mm_set1_epi8('[')), _mm_or_si128(_mm_cmpeq_epi8(v, _mm_set1_epi8(']')), _mm_cmpeq_epi8(v, _mm_set1_epi8('\\'))));
        __m128i marks = _mm_or_si128(_mm_cmpeq_epi8(v, _mm_set1_epi8('*')), _mm_or_si128(_mm_cmpeq_epi8(v, _mm_set1_epi8('_')), _mm_cmpeq_epi8(v, _mm_set1_epi8('~'))));
        unsigned hits = (unsigned)_mm_movemask_epi8(_mm_or_si128(_mm_or_si128(brackets, marks), _mm_cmpeq_epi8(v, _mm_set1_epi8('\n'))));
        if (hits) return from + (unsigned)__builtin_ctz(hits);
    }
#endif
    while (from < s.n && !is_mark[(unsigned char)s.p[from]]) from++;
    return from;
}

/* A sign that means nothing where it stands: inside snake_case, or the end of a line behind which an ordinary one begins (line_start). */
static bool is_idle(bzr_str s, size_t at) {
    bzr__cur c = { s, at + 1 };
    if (s.p[at] == '_') return at && bzr__is_alnum((unsigned char)s.p[at - 1]) && bzr__is_alnum(bzr__cur_peek(&c, 0));
    if (s.p[at] != '\n') return false;
    unsigned blanks = 0;
    while (blanks < 3 && bzr__cur_peek(&c, blanks) == ' ') blanks++;
    int first = bzr__cur_peek(&c, blanks);
    return first >= 0 && first != '\n' && first != '[' && first != '`' && first != '~' && first != '%';
}

static bool front_matter(md *d) {
    if (!bzr__str_starts(d->in, BZR__S("---\n"))) return false;
    size_t end = bzr__str_find(d->in, BZR__S("\n---"), 3);
    if (end >= d->in.n || end > 16384) return false;
    hide(d, BZR__HIDDEN_META, 4, end);
    d->at = end + 4;
    return true;
}

void bzr__markdown_extract(bzr_str piece, bool only_changed, bzr__html_out *out) {
    md d = { .in = piece, .o = out, .only_changed = only_changed };
    front_matter(&d);
    bool start = true;
    while (d.at < piece.n && !out->status && !out->visible.status) {
        if (start && line_start(&d)) {
            start = false;
            continue;
        }
        start = false;
        if (d.skip_at && d.at >= d.skip_at) {
            d.at = d.skip_to > d.at ? d.skip_to : d.at;
            d.skip_at = 0;
            continue;
        }
        char c = piece.p[d.at];
        if (c == '\\' && d.at + 1 < piece.n && !bzr__is_alnum((unsigned char)piece.p[d.at + 1]) && (unsigned char)piece.p[d.at + 1] > ' ') {
            show(&d, d.at + 1, d.at + 2);
            d.at += 2;
        } else if (c == '*' || c == '_' || c == '~') {
            emphasis(&d);
        } else if (c == '[') {
            bracket(&d);
        } else {
            size_t from = d.at++;
            start = c == '\n';
            if (start && d.at < piece.n && piece.p[d.at] == '\n') end_paragraph(&d);
            if (!start) d.at = next_mark(piece, d.at);
            while (!start && d.at < piece.n && is_idle(piece, d.at)) d.at = next_mark(piece, d.at + 1);
            show(&d, from, d.at);
        }
    }
    end_paragraph(&d);
    if (out->visible.status) out->status = out->visible.status;
    if (out->hidden.status) out->status = out->hidden.status;
}
