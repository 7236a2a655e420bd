/* render.c - see render.h.
 *
 * A pen writes the text from mark to mark. Blanks, line ends, bullets and opening markers are owed until the next word,
 * so nothing is written for what turns out to be empty. Blocks end emphasis and begin it again; a link ends with its
 * first block. Deep nesting is flattened. */
#include "lib/html/render.h"
#include "lib/base/hex.h"
#include "lib/base/str.h"

enum { NESTING = 24, INLINES = 16, TARGET_MAX = 1024, FENCE_LEAST = 3, COLUMNS_MOST = 32, REFERENCE_MAX = 32 };

typedef struct container {
    toad__role role;
    unsigned count, width; /* of a list: items so far; of an item: its indentation; of a table: columns, 0 no data */
    bool due;              /* an item whose bullet is not written */
} container;

typedef struct inline_mark {
    toad__role role;
    bool written;
    unsigned ticks; /* of code: length of its fences */
    uint32_t link;
} inline_mark;

typedef struct pen {
    toad__html_out *o;
    toad__buf *out;
    toad_str text;
    bool markdown;
    bool blank;        /* a blank is owed */
    unsigned breaks;   /* line ends are owed */
    bool fresh;        /* nothing but prefixes on this line */
    bool tight;        /* nothing yet in this cell */
    unsigned one_line; /* inside a heading or a cell: line ends are blanks */
    unsigned heading;  /* its level, until it is written */
    unsigned cells;    /* written in this row */
    bool in_cell;
    size_t pre_end;  /* inside <pre> up to this mark, 0: not */
    bool pre_begins; /* the line end right behind <pre> is none */
    unsigned fence;
    container stack[NESTING];
    unsigned depth, beyond;
    inline_mark inlines[INLINES];
    unsigned inlines_n, inlines_beyond;
} pen;

static void repeat(toad__buf *b, char c, unsigned n) {
    while (n--) toad__buf_add_c(b, c);
}

static container *innermost(pen *p, toad__role role) {
    for (unsigned i = p->depth; i > 0; i--)
        if (p->stack[i - 1].role == role) return &p->stack[i - 1];
    return NULL;
}

/* ---- lines ---- */

static void write_bullet(pen *p, container *item, const container *list) {
    size_t from = p->out->n;
    if (list && list->role == TOAD__ROLE_NUMBERED) {
        toad__buf_add_u64(p->out, list->count);
        toad__buf_add_z(p->out, ". ");
    } else {
        toad__buf_add_z(p->out, "- ");
    }
    item->width = (unsigned)(p->out->n - from);
    item->due = false;
}

/* What stands before each line: the marks of quotes, the indentation of items. */
static void write_prefix(pen *p) {
    const container *list = NULL;
    if (!p->markdown) return;
    for (unsigned i = 0; i < p->depth; i++) {
        container *c = &p->stack[i];
        if (c->role == TOAD__ROLE_QUOTE) toad__buf_add_z(p->out, "> ");
        if (c->role == TOAD__ROLE_LIST || c->role == TOAD__ROLE_NUMBERED) list = c;
        if (c->role != TOAD__ROLE_ITEM) continue;
        if (c->due)
            write_bullet(p, c, list);
        else
            repeat(p->out, ' ', c->width);
    }
}

static void new_line(pen *p, unsigned n) {
    repeat(p->out, '\n', n);
    write_prefix(p);
    p->fresh = true;
}

/* Pay what is owed before something is written on the line. */
static void settle(pen *p) {
    if (p->breaks || !p->out->n) {
        new_line(p, p->out->n ? p->breaks : 0);
        if (p->heading && p->markdown) {
            repeat(p->out, '#', p->heading);
            toad__buf_add_c(p->out, ' ');
        }
    } else if (p->blank && !p->fresh && !p->tight) {
        toad__buf_add_c(p->out, ' ');
    }
    p->heading = p->breaks = 0;
    p->blank = p->tight = false;
}

/* ---- emphasis, code and links ---- */

static bool is_link_byte(unsigned char c) { return c > ' ' && c < 0x7f && !strchr("<>()[]\\\"'`{}|^", c); }

/* The scheme, if it has one, is harmless. */
static bool is_good_target(toad_str url) {
    size_t colon = 0;
    while (colon < url.n && (toad__is_alnum((unsigned char)url.p[colon]) || strchr("+-.", url.p[colon]))) colon++;
    if (!url.n || url.n > TARGET_MAX || url.p[0] == '#') return false;
    if (colon == url.n || url.p[colon] != ':') return true;
    toad_str scheme = toad__str_part(url, 0, colon);
    return toad__str_ieq(scheme, TOAD__S("http")) || toad__str_ieq(scheme, TOAD__S("https")) ||
           toad__str_ieq(scheme, TOAD__S("mailto"));
}

/* A browser drops blanks at the ends, and controls everywhere. */
static toad_str target_of(const pen *p, uint32_t link) {
    toad__html_link l = p->o->links[link - 1];
    toad_str url = toad__str_part(toad__buf_str(&p->o->urls), l.start, l.end);
    while (url.n && (unsigned char)url.p[0] <= ' ') url = toad__str_part(url, 1, url.n);
    while (url.n && (unsigned char)url.p[url.n - 1] <= ' ') url.n--;
    for (size_t i = 0; i < url.n; i++)
        if ((unsigned char)url.p[i] < ' ') return toad__str_part(url, 0, 0);
    return url;
}

static void write_target(pen *p, uint32_t link) {
    toad_str url = target_of(p, link);
    toad__buf_add_z(p->out, "](");
    for (size_t i = 0; i < url.n; i++) {
        unsigned char c = (unsigned char)url.p[i];
        if (is_link_byte(c))
            toad__buf_add_c(p->out, (char)c);
        else
            toad__buf_add_percent(p->out, c);
    }
    toad__buf_add_c(p->out, ')');
}

static void write_opening(pen *p, inline_mark *m) {
    m->written = true;
    if (m->role == TOAD__ROLE_EM) toad__buf_add_c(p->out, '*');
    if (m->role == TOAD__ROLE_STRONG) toad__buf_add_z(p->out, "**");
    if (m->role == TOAD__ROLE_DELETED) toad__buf_add_z(p->out, "~~");
    if (m->role == TOAD__ROLE_LINK) toad__buf_add_c(p->out, '[');
    if (m->role == TOAD__ROLE_CODE) {
        repeat(p->out, '`', m->ticks);
        if (m->ticks > 1) toad__buf_add_c(p->out, ' ');
    }
    if (m->role != TOAD__ROLE_NONE) p->fresh = false;
}

static void write_closing(pen *p, inline_mark *m) {
    if (!m->written) return;
    m->written = false;
    if (m->role == TOAD__ROLE_EM) toad__buf_add_c(p->out, '*');
    if (m->role == TOAD__ROLE_STRONG) toad__buf_add_z(p->out, "**");
    if (m->role == TOAD__ROLE_DELETED) toad__buf_add_z(p->out, "~~");
    if (m->role == TOAD__ROLE_LINK) write_target(p, m->link);
    if (m->role == TOAD__ROLE_CODE) {
        if (m->ticks > 1) toad__buf_add_c(p->out, ' ');
        repeat(p->out, '`', m->ticks);
    }
}

static const inline_mark *written(const pen *p, toad__role role) {
    for (unsigned i = 0; i < p->inlines_n; i++)
        if (p->inlines[i].role == role && p->inlines[i].written) return &p->inlines[i];
    return NULL;
}

/* Before a word. Code shows its marks: nothing is opened inside it. */
static void open_inlines(pen *p) {
    for (unsigned i = 0; i < p->inlines_n && !written(p, TOAD__ROLE_CODE); i++)
        if (!p->inlines[i].written) write_opening(p, &p->inlines[i]);
}

/* At the end of a block. */
static void close_inlines(pen *p) {
    for (unsigned i = p->inlines_n; i > 0; i--) {
        inline_mark *m = &p->inlines[i - 1];
        bool was = m->written;
        write_closing(p, m);
        if (was && m->role == TOAD__ROLE_LINK) m->role = TOAD__ROLE_NONE;
    }
}

/* The longest run of backticks in the text of the element that begins at mark `i`; `*end` is its closing mark. */
static unsigned longest_ticks(const pen *p, size_t i, size_t *end) {
    const toad__html_mark *marks = p->o->marks;
    unsigned nested = 0, run = 0, longest = 0;
    size_t to = p->text.n, k = i + 1;
    for (; k < p->o->marks_n; k++) {
        if (marks[k].role != marks[i].role) continue;
        if (!marks[k].open && !nested) break;
        nested = marks[k].open ? nested + 1 : nested - 1;
    }
    if (k < p->o->marks_n) to = marks[k].at;
    for (size_t at = marks[i].at; at < to; at++) {
        run = p->text.p[at] == '`' ? run + 1 : 0;
        if (run > longest) longest = run;
    }
    *end = k;
    return longest;
}

static void begin_inline(pen *p, size_t i) {
    const toad__html_mark *m = &p->o->marks[i];
    inline_mark next = { .role = p->markdown ? (toad__role)m->role : TOAD__ROLE_NONE, .link = m->link };
    size_t end;
    if (p->inlines_n == INLINES) {
        p->inlines_beyond++;
        return;
    }
    for (unsigned k = 0; k < p->inlines_n; k++)
        if (p->inlines[k].role == next.role || p->inlines[k].role == TOAD__ROLE_CODE) next.role = TOAD__ROLE_NONE;
    if (next.role == TOAD__ROLE_LINK && (!m->link || !is_good_target(target_of(p, m->link))))
        next.role = TOAD__ROLE_NONE;
    if (next.role == TOAD__ROLE_CODE) next.ticks = longest_ticks(p, i, &end) + 1;
    if (next.ticks >= FENCE_LEAST) next.role = TOAD__ROLE_NONE; /* at the start of a line it would be a block */
    next.written = next.role == TOAD__ROLE_NONE;
    p->inlines[p->inlines_n++] = next;
}

static void end_inline(pen *p) {
    if (p->inlines_beyond)
        p->inlines_beyond--;
    else if (p->inlines_n)
        write_closing(p, &p->inlines[--p->inlines_n]);
}

/* ---- text ---- */

static int byte_at(const pen *p, size_t at) { return at < p->text.n ? (unsigned char)p->text.p[at] : -1; }
static bool is_end(int c) { return c < 0 || toad__is_space(c); }

static bool is_reference(const pen *p, size_t at) {
    size_t end = at + 1;
    if (byte_at(p, end) == '#') end++;
    while (end - at < REFERENCE_MAX && byte_at(p, end) >= 0 && toad__is_alnum(byte_at(p, end))) end++;
    return end > at + 1 && byte_at(p, end) == ';';
}

/* Would this byte begin a block at the start of a line? */
static bool begins_block(const pen *p, size_t at) {
    int c = byte_at(p, at), next = byte_at(p, at + 1);
    if (c == '#' || c == '>' || c == '=' || c == '|') return true;
    if (c == '-' || c == '+') return is_end(next) || next == c || next == '|' || next == ':';
    return c == ':' && (next == ':' || next == '-');
}

static bool is_mark_of_markdown(const pen *p, size_t at, size_t end) {
    int c = byte_at(p, at), next = byte_at(p, at + 1), before = at ? byte_at(p, at - 1) : -1;
    bool in_link = written(p, TOAD__ROLE_LINK) != NULL;
    switch (c) {
    case '\\':
    case '`':
    case '*': return true;
    case '_': return !(before >= 0 && toad__is_alnum(before) && next >= 0 && toad__is_alnum(next));
    case '<': return next >= 0 && (toad__is_alpha(next) || strchr("/!?", next));
    case '!': return next == '[' || (at + 1 == end && !is_end(next));
    case '[': return in_link || next == '^';
    case ']': return in_link || next == '(' || next == ':' || next == '[' || (at + 1 == end && !is_end(next));
    case '&': return is_reference(p, at);
    case '~':
    case '%': return next == c || before == c;
    case '|': return p->in_cell;
    default: return p->fresh && begins_block(p, at);
    }
}

/* "1." at the start of a line is written "1\."; returns how many bytes were. */
static size_t write_number(pen *p, size_t at, size_t end) {
    size_t stop = at;
    while (stop < end && stop - at < 9 && toad__is_digit((unsigned char)p->text.p[stop])) stop++;
    if (stop == at || stop >= end || (p->text.p[stop] != '.' && p->text.p[stop] != ')')) return 0;
    if (!is_end(byte_at(p, stop + 1))) return 0;
    toad__buf_add(p->out, p->text.p + at, stop - at);
    toad__buf_add_c(p->out, '\\');
    toad__buf_add_c(p->out, p->text.p[stop]);
    return stop + 1 - at;
}

/* A run without white space. */
static void write_word(pen *p, size_t at, size_t end) {
    settle(p);
    open_inlines(p);
    bool code = written(p, TOAD__ROLE_CODE) != NULL;
    if (p->markdown && !code && p->fresh) at += write_number(p, at, end);
    for (; at < end; at++) {
        bool mark = p->markdown && (code ? p->in_cell && p->text.p[at] == '|' : is_mark_of_markdown(p, at, end));
        if (mark && p->text.p[at] == '!') {
            toad__buf_add_z(p->out, "&#33;"); /* not every reader knows that \![ begins no image */
        } else {
            if (mark) toad__buf_add_c(p->out, '\\');
            toad__buf_add_c(p->out, p->text.p[at]);
        }
        p->fresh = false;
    }
    p->fresh = false;
}

static void write_collapsed(pen *p, size_t at, size_t end) {
    while (at < end) {
        size_t stop = at;
        while (stop < end && !toad__is_space((unsigned char)p->text.p[stop]) && p->text.p[stop]) stop++;
        if (stop > at)
            write_word(p, at, stop);
        else
            p->blank = ++stop;
        at = stop;
    }
}

/* The text of <pre>, line by line; line ends are owed, so that none is left at its end. */
static void write_pre(pen *p, size_t at, size_t end) {
    if (p->pre_begins && at < end && p->text.p[at] == '\n') at++;
    if (at < end) p->pre_begins = false;
    while (at < end) {
        toad_str rest = toad__str_part(p->text, 0, end);
        size_t stop = toad__str_find(rest, TOAD__S("\n"), at);
        if (stop > at) {
            if (p->breaks) new_line(p, p->breaks);
            p->breaks = 0;
            toad__buf_add(p->out, p->text.p + at, stop - at);
            p->fresh = false;
        }
        if (stop < end) p->breaks++;
        at = stop + 1;
    }
}

static void write_text(pen *p, size_t at, size_t end) {
    if (p->pre_end)
        write_pre(p, at, end);
    else
        write_collapsed(p, at, end);
}

/* ---- blocks ---- */

static void owe(pen *p, unsigned breaks) {
    if (p->one_line) {
        p->blank = true;
        return;
    }
    close_inlines(p);
    const container *item = p->depth ? &p->stack[p->depth - 1] : NULL;
    if (breaks > 1 && innermost(p, TOAD__ROLE_ITEM)) breaks = 1;
    if (item && item->role == TOAD__ROLE_ITEM && item->due && p->breaks) return; /* the bullet's line has begun */
    if (p->breaks < breaks) p->breaks = breaks;
}

static void push(pen *p, toad__role role, unsigned width) {
    if (p->depth == NESTING)
        p->beyond++;
    else
        p->stack[p->depth++] = (container){ role, 0, width, role == TOAD__ROLE_ITEM };
}

static void drop(pen *p) {
    if (p->beyond)
        p->beyond--;
    else if (p->depth)
        p->depth--;
}

static void begin_pre(pen *p, size_t i) {
    owe(p, 2);
    if (p->one_line) return; /* a cell or a heading holds no block */
    unsigned ticks = longest_ticks(p, i, &p->pre_end);
    p->fence = ticks < FENCE_LEAST ? FENCE_LEAST : ticks + 1;
    p->pre_begins = true;
    settle(p);
    if (p->markdown) {
        repeat(p->out, '`', p->fence);
        p->breaks = 1;
    }
}

static void end_pre(pen *p) {
    p->pre_end = 0;
    if (p->markdown) {
        new_line(p, 1);
        repeat(p->out, '`', p->fence);
    }
    p->breaks = 0;
    p->fresh = p->blank = false;
    owe(p, 2);
}

static void begin_item(pen *p) {
    container *list = innermost(p, TOAD__ROLE_LIST), *numbered = innermost(p, TOAD__ROLE_NUMBERED);
    if (numbered > list || !list) list = numbered;
    owe(p, 1);
    if (list) list->count++;
    push(p, TOAD__ROLE_ITEM, 2);
}

static unsigned columns(pen *p) {
    const container *table = innermost(p, TOAD__ROLE_TABLE);
    return table ? table->width : 0;
}

static void begin_cell(pen *p) {
    if (!columns(p) || p->in_cell) {
        p->blank = true;
        return;
    }
    if (!p->cells++ && p->markdown) settle(p);
    if (p->markdown) {
        toad__buf_add_z(p->out, "| ");
        p->fresh = p->blank = false;
        p->tight = true;
    }
    p->one_line++;
    p->in_cell = true;
}

static void end_cell(pen *p) {
    if (!p->in_cell) {
        p->blank = true;
        return;
    }
    p->tight = false;
    close_inlines(p);
    p->one_line--;
    p->in_cell = false;
    if (p->markdown) toad__buf_add_c(p->out, ' ');
    p->blank = !p->markdown;
}

static void begin_row(pen *p) {
    const container *table = innermost(p, TOAD__ROLE_TABLE);
    owe(p, p->markdown && columns(p) && !table->count ? 2 : 1);
    p->cells = 0;
}

static void end_row(pen *p) {
    unsigned n = columns(p);
    container *table = innermost(p, TOAD__ROLE_TABLE);
    if (!n || !p->cells || !p->markdown) {
        owe(p, 1);
        return;
    }
    for (; p->cells < n; p->cells++) toad__buf_add_z(p->out, "|  ");
    toad__buf_add_c(p->out, '|');
    if (!table->count++) {
        new_line(p, 1);
        for (unsigned i = 0; i < n; i++) toad__buf_add_z(p->out, "| --- ");
        toad__buf_add_c(p->out, '|');
    }
    p->cells = 0;
    p->fresh = false;
    owe(p, 1);
}

static void rule(pen *p) {
    if (!p->out->n || p->one_line || !p->markdown) {
        owe(p, 2);
        return;
    }
    owe(p, 2);
    settle(p);
    toad__buf_add_z(p->out, "* * *");
    p->fresh = false;
    owe(p, 2);
}

static void line_break(pen *p) {
    if (p->one_line || written(p, TOAD__ROLE_CODE))
        p->blank = true;
    else if (p->breaks < 2)
        p->breaks++;
}

static bool is_inline(unsigned role) { return role >= TOAD__ROLE_CODE && role <= TOAD__ROLE_LINK; }

static void begin(pen *p, size_t i) {
    const toad__html_mark *m = &p->o->marks[i];
    if (is_inline(m->role)) {
        begin_inline(p, i);
        return;
    }
    if (m->role >= TOAD__ROLE_HEADING && m->role < TOAD__ROLE_HEADING + 6) {
        owe(p, 2);
        p->heading = p->one_line++ ? p->heading : m->role - TOAD__ROLE_HEADING + 1u;
        return;
    }
    switch (m->role) {
    case TOAD__ROLE_LIST:
    case TOAD__ROLE_NUMBERED:
    case TOAD__ROLE_QUOTE:
        owe(p, 2);
        push(p, (toad__role)m->role, 0);
        break;
    case TOAD__ROLE_TABLE:
        owe(p, 2);
        push(p, TOAD__ROLE_TABLE, p->one_line ? 0 : m->link);
        break;
    case TOAD__ROLE_ITEM: begin_item(p); break;
    case TOAD__ROLE_PRE: begin_pre(p, i); break;
    case TOAD__ROLE_ROW: begin_row(p); break;
    case TOAD__ROLE_CELL: begin_cell(p); break;
    case TOAD__ROLE_BREAK: line_break(p); break;
    case TOAD__ROLE_RULE: rule(p); break;
    default: owe(p, m->role == TOAD__ROLE_PARAGRAPH ? 2 : 1);
    }
}

static void end(pen *p, const toad__html_mark *m) {
    if (is_inline(m->role)) {
        end_inline(p);
        return;
    }
    if (m->role >= TOAD__ROLE_HEADING && m->role < TOAD__ROLE_HEADING + 6) {
        if (p->one_line) p->one_line--;
        p->heading = 0;
        owe(p, 2);
        return;
    }
    switch (m->role) {
    case TOAD__ROLE_LIST:
    case TOAD__ROLE_NUMBERED:
    case TOAD__ROLE_QUOTE:
    case TOAD__ROLE_TABLE:
        drop(p);
        owe(p, 2);
        break;
    case TOAD__ROLE_ITEM:
        drop(p);
        owe(p, 1);
        break;
    case TOAD__ROLE_ROW: end_row(p); break;
    case TOAD__ROLE_CELL: end_cell(p); break;
    case TOAD__ROLE_PRE: break; /* only inside another block that holds none */
    default: owe(p, m->role == TOAD__ROLE_PARAGRAPH ? 2 : 1);
    }
}

/* ---- tables ---- */

/* A table of data has rows of cells without blocks of their own; others only lay out the page. The columns of the first
 * kind are noted in the marks. */
static void find_tables(toad__html_out *o) {
    struct table {
        size_t mark;
        unsigned rows, cells, most;
        bool layout;
    } open[NESTING];
    unsigned n = 0, beyond = 0;
    for (size_t i = 0; i < o->marks_n; i++) {
        toad__html_mark *m = &o->marks[i];
        if (m->role == TOAD__ROLE_TABLE && m->open) {
            m->link = 0;
            if (n) open[n - 1].layout = true;
            if (n == NESTING || beyond)
                beyond++;
            else
                open[n++] = (struct table){ .mark = i };
        } else if (m->role == TOAD__ROLE_TABLE) {
            if (beyond) {
                beyond--;
                continue;
            }
            if (!n--) {
                n = 0;
                continue;
            }
            if (!open[n].layout && open[n].rows > 1 && open[n].most > 1 && open[n].most <= COLUMNS_MOST)
                o->marks[open[n].mark].link = open[n].most;
        } else if (n && !beyond && m->open) {
            open[n - 1].rows += m->role == TOAD__ROLE_ROW;
            if (m->role == TOAD__ROLE_ROW) open[n - 1].cells = 0;
            if (m->role == TOAD__ROLE_CELL && ++open[n - 1].cells > open[n - 1].most)
                open[n - 1].most = open[n - 1].cells;
            if (m->role >= TOAD__ROLE_HEADING && m->role <= TOAD__ROLE_PRE) open[n - 1].layout = true;
        }
    }
}

toad_status toad__html_render(toad__html_out *o, bool markdown, toad__buf *ret) {
    pen p = { .o = o, .out = ret, .text = toad__buf_str(&o->visible), .markdown = markdown, .fresh = true };
    size_t at = 0;
    find_tables(o);
    for (size_t i = 0; i < o->marks_n && !ret->status; i++) {
        size_t to = o->marks[i].at < p.text.n ? o->marks[i].at : p.text.n;
        if (p.pre_end && i == p.pre_end) {
            write_text(&p, at, to);
            end_pre(&p);
        } else {
            write_text(&p, at, to);
            if (p.pre_end) {
                if (o->marks[i].role == TOAD__ROLE_BREAK) p.breaks++;
            } else if (o->marks[i].open) {
                begin(&p, i);
            } else {
                end(&p, &o->marks[i]);
            }
        }
        at = to;
    }
    write_text(&p, at, p.text.n);
    if (p.pre_end) end_pre(&p);
    close_inlines(&p);
    if (ret->n && ret->p[ret->n - 1] != '\n') toad__buf_add_c(ret, '\n');
    return ret->status;
}
