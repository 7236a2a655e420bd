/* markdown.c - what Markdown hides, and the text without the marks.
 *
 * Not a CommonMark parser: one pass over the lines that finds what a reader of the rendered page does not see (comments
 * in link-reference form, titles, alt texts, fence info strings, front matter) or cannot tell (where links and images
 * lead), and writes the visible text without emphasis marks, so that a word in pieces is one word again. Brackets are
 * matched by a bounded look-ahead, so hostile runs stay linear. */
#include "lib/base/cursor.h"
#include "lib/base/limits.h"
#include "lib/base/masks.h"
#include "lib/html/html.h"
#include "lib/html/seek.h"

#define LABEL_MAX      1000u /* CommonMark allows 999 characters in a link label */
#define URL_MAX_BYTES  4096u
#define DEPTH_MAX      8u
#define EMPHASIS_REACH 120u
#define RUN_MOST       5u  /* bold and italic of a wiki */
#define WORD_MOST      32u /* the longest beginning of a word that marks around it cut off */
#define TAG_MOST       64u
#define FORUM_REACH    1000u

#define MARK(c)      ((c) == '`' || (c) == '%' || (c) == '\'' || (c) == '*' || (c) == '=' || (c) == '~' || (c) == '_')
#define SIGN(c)      (MARK(c) || (c) == '[' || (c) == '\\')
#define HINT(c)      (MARK(c) || (c) == ']')
#define LINE_FEED(c) ((c) == '\n')

/* ---- marks of other dialects ---- */

static bool is_letter(toad_str s, size_t at) {
    return at < s.n && (toad__is_alpha((unsigned char)s.p[at]) || (unsigned char)s.p[at] >= 0x80);
}

/* The end of the run at `at`, or `at` where one so long is no mark: `x`, ``x``, ==x==, ''x'', '''x'''. */
static size_t small_run(toad_str s, size_t at) {
    size_t end = at, most = at + RUN_MOST + 1 < s.n ? at + RUN_MOST + 1 : s.n;
    while (end < most && s.p[end] == s.p[at]) end++;
    size_t n = end - at;
    bool mark = s.p[at] == '`' ? n <= 2 : s.p[at] == '=' ? n == 2 : n > 1 && n != 4 && n <= RUN_MOST;
    return mark ? end : at;
}

/* Do the marks [from, end) stand between two letters? */
static bool cuts_word(toad_str s, size_t from, size_t end) {
    return end > from && from && is_letter(s, from - 1) && is_letter(s, end);
}

/* Do they begin a word that the same marks cut? */
static bool begins_cut_word(toad_str s, size_t from, size_t end) {
    size_t to = end;
    if (end == from || (from && is_letter(s, from - 1))) return false;
    while (to - end < WORD_MOST && is_letter(s, to)) to++;
    return to > end && to < s.n && s.p[to] == s.p[from] && small_run(s, to) - to == end - from &&
           cuts_word(s, to, to + (end - from));
}

/* The end of a tag of a forum such as [b], [/b] or [color=red] at `open`, or `open`. */
static size_t forum_tag(toad_str s, size_t open, bool *closing) {
    static const char *const names[] = { "b",    "i",    "u",     "s",     "em",     "sub",    "sup",    "url",
                                         "font", "size", "color", "quote", "center", "strong", "spoiler" };
    size_t name = open + 1, stop = open + TAG_MOST < s.n ? open + TAG_MOST : s.n;
    *closing = name < s.n && s.p[name] == '/';
    name += *closing;
    size_t to = name;
    while (to < stop && toad__is_alpha((unsigned char)s.p[to])) to++;
    bool known = false;
    for (size_t i = 0; i < sizeof names / sizeof *names && !known; i++)
        known = toad__str_ieq(toad__str_part(s, name, to), toad__str_z(names[i]));
    if (known && !*closing && to < stop && s.p[to] == '=')
        while (to < stop && s.p[to] != ']' && s.p[to] != '\n') to++;
    return known && to < stop && s.p[to] == ']' ? to + 1 : open;
}

/* Is the bracket at `close` the end of [/b] and the like? */
static bool ends_forum_tag(toad_str s, size_t close) {
    size_t open = close;
    bool closing;
    while (open && close - open < 8 && toad__is_alpha((unsigned char)s.p[open - 1])) open--;
    return open > 1 && s.p[open - 1] == '/' && s.p[open - 2] == '[' && forum_tag(s, open - 2, &closing) > open - 2;
}

/* ---- is there Markdown? ---- */

/* A pair of marks around something on one line: *x*, _x_, ~~x~~. Pointers, globs and list items are no pairs. */
static bool begins_emphasis(toad_str t, size_t at) {
    char mark = t.p[at];
    if (at + 2 >= t.n) return false;
    unsigned char after = (unsigned char)t.p[at + 1];
    if (!toad__is_alnum(after) && after < 0x80 && t.p[at + 1] != mark) return false;
    if (mark == '_' && at && toad__is_alnum((unsigned char)t.p[at - 1])) return false;
    size_t stop = t.n - at - 1 < EMPHASIS_REACH ? t.n : at + 1 + EMPHASIS_REACH,
           close = toad__seek(toad__str_part(t, 0, stop), at + 2, mark, '\n');
    if (close == stop || t.p[close] == '\n') return false;
    unsigned char before = (unsigned char)t.p[close - 1];
    return toad__is_alnum(before) || before == (unsigned char)mark || before >= 0x80;
}

static bool begins_markdown(toad_str t, size_t at, bool brackets) {
    toad__cur c = { t, at };
    int next = toad__cur_peek(&c, 1);
    switch (t.p[at]) {
    case ']': return brackets && (next == '(' || next == ':' || next == '[' || ends_forum_tag(t, at));
    case '%': return next == '%';
    case '`':
        return (next == '`' && toad__cur_peek(&c, 2) == '`') ||
               (at && is_letter(t, at - 1) && cuts_word(t, at, small_run(t, at)));
    case '=':
    case '\'': return next == t.p[at] && at && is_letter(t, at - 1) && cuts_word(t, at, small_run(t, at));
    default: return begins_emphasis(t, at);
    }
}

bool toad__markdown_wanted(toad_str t) {
    static const toad__set hints = TOAD__SET(HINT);
    bool brackets = t.n && memchr(t.p, '[', t.n);
    if (toad__str_starts(t, TOAD__S("---\n"))) return true;
    for (size_t block = 0; block < t.n; block += 64)
        for (uint64_t bits = toad__mask_at(t, block, &hints); bits; bits &= bits - 1)
            if (begins_markdown(t, block + (size_t)__builtin_ctzll(bits), brackets)) return true;
    return false;
}

/* ---- reading it ---- */

typedef struct md {
    toad_str in;
    size_t at;
    toad__html_out *o;
    size_t skip_at, skip_to;    /* where the label of the open link ends, and its destination */
    bool only_changed, changed; /* keep only paragraphs from which a mark was taken; this one is such */
    size_t mark_n;              /* the output at the start of the paragraph ... */
    toad__offmap mark;          /* ... and its map (lengths only) */
    size_t shown, shown_to;     /* seen, and not yet written: most paragraphs never are */
    size_t blank_line;          /* the next one, if it lies ahead */
    size_t forum_end;           /* the next [/b] or the like, if it lies ahead */
    char fence;                 /* the mark of the open fence, or 0: what stands in it is shown ... */
    size_t fence_n;             /* ... and how many of them close it */
    size_t block;               /* 1 + where the 64 bytes begin of which ... */
    uint64_t bits;              /* ... these are signs, or the first of two line feeds */
    struct {
        size_t closer;
        bool open;
    } marks[3]; /* * _ ~: the next run that can close one; has one been opened in this paragraph? */
} md;

static void write_shown(md *d) {
    if (d->shown_to > d->shown)
        toad__html_put(&d->o->visible, &d->o->visible_map, toad__str_part(d->in, d->shown, d->shown_to), d->shown,
                       d->shown_to);
    d->shown = d->shown_to;
}

/* A paragraph ends: forget it if it reads as the raw text does, and remember where the next begins. */
static void end_paragraph(md *d) {
    toad__offmap *m = &d->o->visible_map;
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

static void hide(md *d, toad__hidden_reason reason, size_t from, size_t to) {
    toad__html_piece *p = to > from && !d->fence ? toad__html_piece_begin(d->o, reason, from) : NULL;
    if (!p) return;
    toad__html_put(&d->o->hidden, &d->o->hidden_map, toad__str_part(d->in, from, to), from, to);
    p->end = (uint32_t)d->o->hidden.n;
}

static void link_to(md *d, size_t from, size_t to, bool auto_fetch) {
    toad__html_out *o = d->o;
    toad__html_link *link = to > from ? toad__html_link_room(o) : NULL;
    if (!link) return;
    size_t start = o->urls.n;
    toad__buf_add_str(&o->urls, toad__str_part(d->in, from, to));
    *link = (toad__html_link){ (uint32_t)start, (uint32_t)o->urls.n, (uint32_t)from, (uint32_t)to, auto_fetch };
}

static int at(const md *d, size_t i) { return i < d->in.n ? (unsigned char)d->in.p[i] : -1; }

static size_t line_end(const md *d, size_t from) {
    const char *nl = from < d->in.n ? memchr(d->in.p + from, '\n', d->in.n - from) : NULL;
    return nl ? (size_t)(nl - d->in.p) : d->in.n;
}

/* The closing bracket of the label that opens at `open`, within LABEL_MAX bytes and not over a blank line; 0 if there
 * is none. */
static size_t label_end(const md *d, size_t open) {
    size_t stop = open + LABEL_MAX < d->in.n ? open + LABEL_MAX : d->in.n;
    unsigned depth = 0;
    for (size_t i = open; i < stop; i++) {
        char c = d->in.p[i];
        if (c == '\\')
            i++;
        else if (c == '[') {
            if (++depth > 8) return 0;
        } else if (c == ']' && !--depth)
            return i;
        else if (c == '\n' && at(d, i + 1) == '\n')
            return 0;
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
        if (!angle && toad__is_space((unsigned char)c)) break;
        if (!angle && c == '(' && ++depth > DEPTH_MAX) break;
        if (!angle && c == ')' && close && !depth--) break;
    }
    size_t url_end = i;
    while (url_end > url && toad__is_space((unsigned char)d->in.p[url_end - 1])) url_end--;
    link_to(d, url, url_end, image);
    if (angle && at(d, i) == '>') i++;
    while (i < stop && toad__is_space((unsigned char)d->in.p[i]) && d->in.p[i] != '\n') i++;
    int quote = at(d, i);
    if (quote == '"' || quote == '\'' || (quote == '(' && !close)) {
        char end = quote == '(' ? ')' : (char)quote;
        size_t title = ++i;
        while (i < stop && d->in.p[i] != end) i++;
        hide(d, TOAD__HIDDEN_TITLE, title, i);
        i = i < stop ? i + 1 : i;
    }
    while (close && i < stop && d->in.p[i] != close && d->in.p[i] != '\n') i++;
    return close && at(d, i) == close ? i + 1 : i;
}

/* [label]: destination "title" - a definition, which is never seen. As a comment its label or destination is void:
 * [//]: # (text), [comment]: <> (text). */
static bool definition(md *d, size_t from) {
    size_t close = label_end(d, from);
    if (!close || at(d, close + 1) != ':') return false;
    size_t end = line_end(d, from), i = close + 2;
    while (i < end && toad__is_space((unsigned char)d->in.p[i])) i++;
    bool void_target = at(d, i) == '#' || (at(d, i) == '<' && at(d, i + 1) == '>') || at(d, from + 1) == '^';
    if (void_target)
        hide(d, TOAD__HIDDEN_COMMENT, i, end);
    else {
        hide(d, TOAD__HIDDEN_LINK, from + 1, close);
        destination(d, i, 0, true);
    }
    d->at = end;
    return true;
}

/* Is there an end tag of a forum not far behind `from`? Each byte is looked at once. */
static bool forum_ends_ahead(md *d, size_t from) {
    bool closing = false;
    size_t i = d->forum_end;
    if (i < from) {
        for (i = from; (i = toad__str_find(d->in, TOAD__S("[/"), i)) < d->in.n && forum_tag(d->in, i, &closing) == i;)
            i++;
        d->forum_end = i;
    }
    return i < d->in.n && i - from < FORUM_REACH;
}

/* [b]Ig[/b]nore: the tag at d->at is gone. */
static bool take_forum_tag(md *d) {
    bool closing;
    size_t end = forum_tag(d->in, d->at, &closing);
    if (end == d->at || at(d, end) == '(' || !(closing || forum_ends_ahead(d, end))) return false;
    d->at = end;
    return d->changed = true;
}

/* An image without words inside a word leaves nothing, nor does its '!', which was just shown: Ig![](x)nore. */
static void join_image(md *d, size_t open) {
    if (open < 2 || d->shown_to != open || d->shown == d->shown_to || !is_letter(d->in, open - 2) ||
        !is_letter(d->in, d->at))
        return;
    d->shown_to--;
    d->changed = true;
}

static void bracket(md *d) {
    bool image = d->at && d->in.p[d->at - 1] == '!';
    if (!image && take_forum_tag(d)) return;
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
        hide(d, TOAD__HIDDEN_ALT, open + 1, close);
        d->at = after == '(' ? destination(d, close + 2, ')', true) : close + 1;
        if (close == open + 1) join_image(d, open);
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

/* snake_case */
static bool is_inside_word(const md *d, size_t from, size_t end) {
    static const bool letter[256] = { ['0' ... '9'] = true, ['A' ... 'Z'] = true, ['a' ... 'z'] = true };
    return from && end < d->in.n && letter[(unsigned char)d->in.p[from - 1]] && letter[(unsigned char)d->in.p[end]];
}

/* Can the run of marks [from, end) be emphasis? Not a * b, snake_case, nor what begins or ends a comment in source
 * code. */
static bool is_emphasis(const md *d, size_t from, size_t end) {
    char c = d->in.p[from];
    int before = from ? at(d, from - 1) : ' ', after = at(d, end);
    if (end - from > 3 || (before <= ' ' && after <= ' ') || (c == '~' && end - from == 1)) return false;
    if ((before == '/' && after <= ' ') || (after == '/' && before <= ' ')) return false;
    return !(c == '_' && is_inside_word(d, from, end));
}

static size_t paragraph_end(md *d, size_t from) {
    if (d->blank_line < from) d->blank_line = toad__str_find(d->in, TOAD__S("\n\n"), from);
    return d->blank_line;
}

/* Is there a run of `c` behind `from` in this paragraph that can close one? *closer is the one found last; each byte is
 * looked at once. */
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

/* A run of marks: gone where it is emphasis, kept where it is not. Where one pair stands in a paragraph, a single mark
 * is taken for one as well. */
static void emphasis(md *d) {
    char c = d->in.p[d->at];
    size_t from = d->at, end = run_end(d, from), which = c == '*' ? 0 : c == '_' ? 1 : 2;
    d->at = end;
    bool mark = is_emphasis(d, from, end) &&
                (d->marks[which].open || (at(d, end) > ' ' && closes_ahead(d, &d->marks[which].closer, c, end)));
    if (!mark)
        show(d, from, end);
    else
        d->changed = d->marks[which].open = true;
}

/* Marks that only count where they cut a word: ` == and the quotes of a wiki. */
static void mark_in_word(md *d) {
    size_t from = d->at, end = small_run(d->in, from);
    bool gone = cuts_word(d->in, from, end) || begins_cut_word(d->in, from, end);
    d->at = gone ? end : run_end(d, from);
    if (gone)
        d->changed = true;
    else
        show(d, from, d->at);
}

/* A fence is opened, or the open one closed. */
static void fence(md *d, size_t from) {
    size_t i = run_end(d, from), end = line_end(d, i);
    char open = d->fence ? d->fence : d->in.p[from];
    bool closes = d->fence == d->in.p[from] && i - from >= d->fence_n;
    if (!d->fence) d->fence_n = i - from;
    while (i < end && toad__is_space((unsigned char)d->in.p[i])) i++;
    hide(d, TOAD__HIDDEN_ATTRIBUTE, i, end);
    d->fence = closes ? 0 : open;
    d->at = end;
}

/* What only the first bytes of a line decide. True when the line was taken. */
static bool line_start(md *d) {
    size_t i = d->at;
    while (i < d->at + 3 && at(d, i) == ' ') i++;
    int c = at(d, i);
    if (c == '[') return !d->fence && definition(d, i);
    if ((c == '`' || c == '~') && at(d, i + 1) == c && at(d, i + 2) == c) {
        fence(d, i);
        return true;
    }
    if (c == '%' && at(d, i + 1) == '%' && !d->fence) {
        size_t end = line_end(d, i);
        hide(d, TOAD__HIDDEN_COMMENT, i + 2, end);
        d->at = end;
        return true;
    }
    return false;
}

/* The line feed at or after `from` behind which the line begins whose first sign (line_start) is at `i`; in.n if that
 * is not the first. */
static size_t line_before(const md *d, size_t from, size_t i) {
    size_t line = i;
    while (line > from && i - line < 3 && d->in.p[line - 1] == ' ') line--;
    return line > from && d->in.p[line - 1] == '\n' ? line - 1 : d->in.n;
}

/* Where to go on behind the sign at `i` if it means nothing where it stands; else `i`. */
static size_t skip_idle(const md *d, size_t i) {
    int c = at(d, i), after = at(d, i + 1);
    if (c == '%' || (after != c && (c == '=' || c == '\''))) return i + 1;
    if (c == '`' || c == '=' || c == '\'') {
        size_t end = small_run(d->in, i);
        return cuts_word(d->in, i, end) || begins_cut_word(d->in, i, end) ? i : run_end(d, i);
    }
    if (c == '\\') return i + (after <= ' ' || toad__is_alnum(after));
    if (c == '[' || c == '\n') return i;
    size_t end = run_end(d, i);
    return is_emphasis(d, i, end) ? i : end;
}

/* Of the 64 bytes at `at`, the signs, and the line feeds before another. */
static uint64_t signs_at(toad_str in, size_t at) {
    static const toad__set sets[] = { TOAD__SET(SIGN), TOAD__SET(LINE_FEED) };
    uint64_t masks[2];
    toad__masks_at(in, at, sets, 2, 1, masks);
    uint64_t after = in.n - at > 64 && in.p[at + 64] == '\n';
    return masks[0] | (masks[1] & (masks[1] >> 1 | after << 63));
}

/* The next place at or after `from` where reading does more than to go on: a sign, the line feed before a line that
 * begins with one, and where the label of the open link ends. */
static size_t next_stop(md *d, size_t from) {
    size_t i = from, n = d->skip_at >= from && d->skip_at ? d->skip_at : d->in.n;
    while (i < n) {
        size_t block = i & ~(size_t)63;
        if (d->block != block + 1) {
            d->block = block + 1;
            d->bits = signs_at(d->in, block);
        }
        uint64_t ahead = d->bits >> (i & 63) << (i & 63);
        for (i = block + 64; ahead; ahead &= ahead - 1) {
            size_t sign = block + (size_t)__builtin_ctzll(ahead);
            int c = at(d, sign);
            if (c == '_' && is_inside_word(d, sign, sign + 1)) continue;
            size_t line = c == '[' || c == '`' || c == '~' || c == '%' ? line_before(d, from, sign) : n,
                   next = skip_idle(d, sign);
            if (line < n) return line;
            if (next == sign || sign >= n) return sign < n ? sign : n;
            if (next == sign + 1) continue;
            i = next; /* behind a run */
            break;
        }
    }
    return n;
}

static bool front_matter(md *d) {
    if (!toad__str_starts(d->in, TOAD__S("---\n"))) return false;
    size_t end = toad__str_find(d->in, TOAD__S("\n---"), 3);
    if (end >= d->in.n || end > 16384) return false;
    hide(d, TOAD__HIDDEN_META, 4, end);
    d->at = end + 4;
    return true;
}

void toad__markdown_extract(toad_str piece, bool only_changed, toad__html_out *out) {
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
        if (c == '\\' && d.at + 1 < piece.n && !toad__is_alnum((unsigned char)piece.p[d.at + 1]) &&
            (unsigned char)piece.p[d.at + 1] > ' ') {
            show(&d, d.at + 1, d.at + 2);
            d.at += 2;
        } else if (c == '*' || c == '_' || c == '~') {
            emphasis(&d);
        } else if (c == '`' || c == '=' || c == '\'') {
            mark_in_word(&d);
        } else if (c == '[') {
            bracket(&d);
        } else {
            size_t from = d.at++;
            start = c == '\n';
            if (start && d.at < piece.n && piece.p[d.at] == '\n') end_paragraph(&d);
            if (!start) d.at = next_stop(&d, d.at);
            show(&d, from, d.at);
        }
    }
    end_paragraph(&d);
    if (out->visible.status) out->status = out->visible.status;
    if (out->hidden.status) out->status = out->hidden.status;
}
