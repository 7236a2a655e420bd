/* extract.c - tokens to text: what a person sees, what they do not, and where the links lead.
 *
 * The tokenizer follows the WHATWG states whose differences an attacker can use: comments that end early, bogus comments, duplicate
 * attributes, raw text up to its own end tag, self-closing in foreign content. There is no tree: a stack of open elements carries the reason why text is not
 * seen, so a page costs O(1) a byte whatever it nests. Elements deeper than BZR__LIMIT_HTML_DEPTH share the state of the deepest (depth_limit is set). */
#include "lib/html/elements.h"
#include "lib/html/style.h"
#include "lib/base/cursor.h"
#include "lib/base/limits.h"
#include "lib/text/entity.h"

#include <stdlib.h>

#define NAME_BYTES 24
#define TEXTUAL_LETTERS 12
#define ATTRS_KEPT 16
#define STEPS_BASE 65536u /* steps of matching style rules that a page may take, and more for each byte of it */
#define STEPS_A_BYTE 32u

typedef struct frame {
    uint64_t tag;          /* hash of the name */
    uint32_t color, ground;
    unsigned char reason, group, flags; /* reason: why its text is not seen */
    unsigned char role;    /* as marked when it was opened */
} frame;

enum { IN_DATA, IN_COMMENT, IN_BOGUS, IN_RAW };

struct bzr__html {
    unsigned depth, beyond;    /* open elements kept; further ones only counted */
    unsigned mode;
    char raw_name[NAME_BYTES]; /* IN_RAW: the element whose end tag is waited for */
    size_t raw_n;
    unsigned char raw_reason, raw_flags;
    bool raw_inert;            /* of a <style>: it styles nothing here */
    unsigned char script;      /* in a script: 1 behind <!--, 2 also behind <script (its end tag then ends only that) */
    bool sheets_known, late;   /* the sheets were read before; one came behind text */
    bool foreign;
    uint64_t base, steps;      /* bytes read before this piece; steps of matching rules */
    uint16_t open[256];        /* open elements by tag hash, so that a stray end tag costs nothing */
    bzr__sheet sheet;
    frame stack[BZR__LIMIT_HTML_DEPTH + 1]; /* the last is of an element that is not kept */
    bzr__keys keys[BZR__LIMIT_HTML_DEPTH]; /* of the same elements: empty where no sheet asks */
};

typedef struct job {
    bzr__html *h;
    bzr__html_out *o;
    bzr_str in;
    size_t at;
    bool last, glue; /* glue: the next hidden text continues the last piece */
    uint32_t href;   /* 1 + link of the tag being read */
    bool styled;     /* the tag being read has declarations in `cascade` */
    bzr__cascade cascade;
    bzr__keys keys; /* of the tag being read */
    bzr__attr attrs[ATTRS_KEPT];
    size_t attrs_n;
} job;

bzr__html *bzr__html_new(void) {
    bzr__html *h = calloc(1, sizeof *h);
    if (h) bzr__html_reset(h);
    return h;
}

void bzr__html_free(bzr__html *h) { free(h); }

/* All but the sheet. */
static void restart(bzr__html *h) {
    h->depth = h->beyond = h->mode = 0;
    h->foreign = h->sheets_known = h->late = false;
    h->script = 0;
    h->base = h->steps = 0;
    memset(h->open, 0, sizeof h->open);
}

void bzr__html_reset(bzr__html *h) {
    bzr__sheet_reset(&h->sheet);
    restart(h);
}

bool bzr__html_again(bzr__html *h) {
    bool late = h->late;
    if (late) restart(h);
    h->sheets_known = late;
    return late;
}

void bzr__html_copy(bzr__html *to, const bzr__html *from) {
    if (to->sheet.n || from->sheet.n || from->sheet.muted || to->sheet.muted) bzr__sheet_copy(&to->sheet, &from->sheet);
    to->depth = from->depth;
    to->beyond = from->beyond;
    to->mode = from->mode;
    memcpy(to->raw_name, from->raw_name, sizeof to->raw_name);
    to->raw_n = from->raw_n;
    to->raw_reason = from->raw_reason;
    to->raw_flags = from->raw_flags;
    to->raw_inert = from->raw_inert;
    to->script = from->script;
    to->sheets_known = from->sheets_known;
    to->late = from->late;
    to->foreign = from->foreign;
    to->base = from->base;
    to->steps = from->steps;
    memcpy(to->open, from->open, sizeof to->open);
    memcpy(to->stack, from->stack, from->depth * sizeof *to->stack);
    memcpy(to->keys, from->keys, from->depth * sizeof *to->keys);
}

/* ---- output ---- */

static void failed(job *j, bzr_status status) {
    if (!j->o->status) j->o->status = status;
}

static void put(bzr__buf *b, bzr__offmap *m, bzr_str text, size_t from, size_t to) {
    if (m) bzr__html_put(b, m, text, from, to);
    else bzr__buf_add_str(b, text);
}

/* `m` may be NULL. */
static void put_decoded(job *j, bzr__buf *b, bzr__offmap *m, size_t from, size_t to, bool references, bool attribute) {
    while (from < to) {
        bzr_str rest = bzr__str_part(j->in, 0, to);
        const char *amp = references ? memchr(j->in.p + from, '&', to - from) : NULL;
        size_t stop = amp ? (size_t)(amp - j->in.p) : to;
        if (stop > from) put(b, m, bzr__str_part(j->in, from, stop), from, stop);
        from = stop;
        if (!amp) break;
        char out[8];
        unsigned out_n = 0, used = bzr__entity_at(rest, from, attribute, out, &out_n);
        if (used) put(b, m, bzr__str(out, out_n), from, from + used);
        else put(b, m, BZR__S("&"), from, from + 1);
        from += used ? used : 1;
    }
    if (b->status) failed(j, b->status);
    if (m && m->status) failed(j, m->status);
}

static void break_line(job *j, char c) {
    bzr__buf *v = &j->o->visible;
    if (!v->n || v->p[v->n - 1] == '\n' || (c == ' ' && v->p[v->n - 1] == ' ')) return;
    bzr__html_put(v, &j->o->visible_map, bzr__str(&c, 1), j->at, j->at);
}

static bzr__html_piece *piece_for(job *j, bzr__hidden_reason reason) {
    bzr__html_out *o = j->o;
    if (j->glue && o->pieces_n && o->pieces[o->pieces_n - 1].reason == reason) return &o->pieces[o->pieces_n - 1];
    return bzr__html_piece_begin(o, reason, j->at);
}

static void hidden(job *j, bzr__hidden_reason reason, size_t from, size_t to, bool references, bool attribute) {
    while (from < to && bzr__is_space((unsigned char)j->in.p[from])) from++;
    if (from >= to) return;
    bzr__html_piece *p = piece_for(j, reason);
    if (!p) return;
    put_decoded(j, &j->o->hidden, &j->o->hidden_map, from, to, references, attribute);
    p->end = (uint32_t)j->o->hidden.n;
}

static frame *top(bzr__html *h) { return h->depth ? &h->stack[h->depth - 1] : NULL; }
static bzr__hidden_reason reason_of(bzr__html *h) { return h->depth ? (bzr__hidden_reason)top(h)->reason : BZR__HIDDEN_NOT; }

static void text(job *j, size_t from, size_t to, bool references) {
    bzr__hidden_reason reason = reason_of(j->h);
    if (from >= to) return;
    if (reason == BZR__HIDDEN_NOT) {
        put_decoded(j, &j->o->visible, &j->o->visible_map, from, to, references, false);
        return;
    }
    hidden(j, reason, from, to, references, false);
    j->glue = true;
}

static void link_to(job *j, size_t from, size_t to, bool auto_fetch) {
    bzr__html_out *o = j->o;
    size_t start = o->urls.n;
    bzr__html_link *link = bzr__html_link_room(o);
    if (!link) return;
    put_decoded(j, &o->urls, NULL, from, to, true, true);
    *link = (bzr__html_link){ (uint32_t)start, (uint32_t)o->urls.n, (uint32_t)from, (uint32_t)to, auto_fetch };
}

/* ---- attributes ---- */

typedef struct tag {
    char name[NAME_BYTES];
    size_t name_n;
    const bzr__element *element;
    bool closing, self_closing;
    bool hidden_attr, open_attr, is_json_ld, http_refresh;
    bool other_medium; /* its media attribute names no screen */
    unsigned seen; /* bits of the attributes that count once: style, id, class */
} tag;

enum { ATTR_LINK = 1, ATTR_FETCH = 2, ATTR_TEXT = 4, ATTR_SKIP = 8, ATTR_SRCDOC = 16 };

typedef struct known_attribute {
    const char *name;
    unsigned char flags, reason;
} known_attribute;

/* By the length of their names. */
#define A(name, flags, reason) { name, flags, BZR__HIDDEN_##reason }
static const known_attribute of_1[] = { A("d", ATTR_SKIP, NOT) }, of_3[] = { A("src", ATTR_LINK | ATTR_FETCH, NOT), A("rel", ATTR_SKIP, NOT), A("alt", ATTR_TEXT, ALT) };
static const known_attribute of_4[] = { A("href", ATTR_LINK, NOT), A("type", ATTR_SKIP, NOT), A("data", ATTR_LINK | ATTR_FETCH, NOT), A("ping", ATTR_LINK | ATTR_FETCH, NOT),
    A("cite", ATTR_LINK, NOT) };
static const known_attribute of_5[] = { A("title", ATTR_TEXT, TITLE), A("value", ATTR_TEXT, FORM), A("media", ATTR_SKIP, NOT), A("sizes", ATTR_SKIP, NOT), A("label", ATTR_TEXT, FORM) };
static const known_attribute of_6[] = { A("srcset", ATTR_LINK | ATTR_FETCH, NOT), A("action", ATTR_LINK, NOT), A("poster", ATTR_LINK | ATTR_FETCH, NOT), A("srcdoc", ATTR_SRCDOC, IFRAME),
    A("points", ATTR_SKIP, NOT) };
static const known_attribute of_7[] = { A("content", ATTR_TEXT, META), A("viewbox", ATTR_SKIP, NOT) };
static const known_attribute of_8[] = { A("longdesc", ATTR_LINK, NOT), A("manifest", ATTR_LINK | ATTR_FETCH, NOT) };
static const known_attribute of_9[] = { A("transform", ATTR_SKIP, NOT), A("integrity", ATTR_SKIP, NOT) };
static const known_attribute of_10[] = { A("xlink:href", ATTR_LINK | ATTR_FETCH, NOT), A("formaction", ATTR_LINK, NOT), A("background", ATTR_LINK | ATTR_FETCH, NOT) };
static const known_attribute of_11[] = { A("placeholder", ATTR_TEXT, PLACEHOLDER) };
#undef A

static const struct { const known_attribute *list; size_t n; } attributes[] = {
#define L(list) { list, sizeof list / sizeof *list }
    { NULL, 0 }, L(of_1), { NULL, 0 }, L(of_3), L(of_4), L(of_5), L(of_6), L(of_7), L(of_8), L(of_9), L(of_10), L(of_11),
#undef L
};

/* Byte by byte: the key was just written byte by byte, and a wider load would wait for it. */
static bool is(bzr_str key, bzr_str name) {
    size_t i = 0;
    while (i < key.n && i < name.n && key.p[i] == name.p[i]) i++;
    return i == key.n && i == name.n;
}

static const known_attribute *attribute_find(bzr_str key) {
    if (key.n >= sizeof attributes / sizeof *attributes) return NULL;
    for (size_t i = 0; i < attributes[key.n].n; i++) {
        const known_attribute *a = &attributes[key.n].list[i];
        if (is(key, bzr__str(a->name, key.n))) return a;
    }
    return NULL;
}

static bool textual(bzr_str value) {
    size_t letters = 0;
    for (size_t i = 0; i < value.n && i < 4096; i++) {
        if (value.p[i] == ' ' || value.p[i] == '%' || (unsigned char)value.p[i] >= 0x80 || value.p[i] == '&') return true;
        letters += bzr__is_alpha((unsigned char)value.p[i]);
    }
    return letters >= TEXTUAL_LETTERS;
}

static void style_attribute(job *j, bzr_str css) {
    if (!j->styled) bzr__cascade_begin(&j->cascade);
    j->styled = true;
    bzr__cascade_inline(&j->cascade, css);
}

/* A sheet may still come while the outermost elements are open. */
static bool wants_keys(const bzr__html *h) { return h->sheet.n || h->depth < 4; }

/* Remember what selectors ask for; of style, class and id the first counts. */
static void note_attribute(job *j, bzr_str key, bzr_str value) {
    bzr__keys_add(&j->keys, key, value);
    if (j->attrs_n < ATTRS_KEPT) j->attrs[j->attrs_n++] = (bzr__attr){ key, value };
}

/* A srcdoc is a page of its own that is seen or not; its text without the tags is what counts here. */
static void srcdoc(job *j, size_t from, size_t to) {
    size_t start = from;
    for (size_t i = from; i <= to; i++) {
        bool open = i < to && (j->in.p[i] == '<' || (j->in.p[i] == '&' && bzr__str_ieq(bzr__str_part(j->in, i, i + 4), BZR__S("&lt;"))));
        if (!open && i < to) continue;
        hidden(j, BZR__HIDDEN_IFRAME, start, i, true, true);
        j->glue = true;
        while (i < to && j->in.p[i] != '>' && !bzr__str_ieq(bzr__str_part(j->in, i, i + 4), BZR__S("&gt;"))) i++;
        if (i < to && j->in.p[i] == '&') i += 3;
        start = i + 1;
    }
    j->glue = false;
}

static void attribute(job *j, tag *t, bzr_str name, size_t from, size_t to) {
    bzr_str value = bzr__str_part(j->in, from, to);
    char lower[NAME_BYTES];
    size_t n = name.n < sizeof lower ? name.n : sizeof lower;
    for (size_t i = 0; i < n; i++) lower[i] = (char)bzr__lower((unsigned char)name.p[i]);
    bzr_str key = bzr__str(lower, n);
    if (t->closing) {
        if (textual(value)) hidden(j, BZR__HIDDEN_ATTRIBUTE, from, to, true, true);
        return;
    }
    if (is(key, BZR__S("style"))) {
        if (!(t->seen & 1)) style_attribute(j, value);
        t->seen |= 1;
        return;
    }
    unsigned once = is(key, BZR__S("class")) ? 2u : is(key, BZR__S("id")) ? 4u : 0u;
    bool asked = once || !j->h->sheet.n || j->h->sheet.attributes;
    if (asked && wants_keys(j->h) && !(t->seen & once)) note_attribute(j, bzr__str_part(name, 0, NAME_BYTES), value);
    t->seen |= once;
    if (once) return;
    if (is(key, BZR__S("media"))) t->other_medium = !bzr__media_applies(value);
    if (is(key, BZR__S("hidden")) || is(key, BZR__S("popover"))) t->hidden_attr = true;
    if (is(key, BZR__S("open"))) t->open_attr = true;
    if (is(key, BZR__S("type"))) {
        t->is_json_ld = bzr__str_ieq(value, BZR__S("application/ld+json"));
        if (bzr__str_ieq(value, BZR__S("hidden"))) t->hidden_attr = true;
    }
    unsigned flags = ATTR_TEXT, reason = BZR__HIDDEN_ATTRIBUTE;
    if (n > 5 && is(bzr__str_part(key, 0, 5), BZR__S("data-"))) reason = BZR__HIDDEN_DATA;
    if (n > 5 && is(bzr__str_part(key, 0, 5), BZR__S("aria-"))) reason = BZR__HIDDEN_ARIA;
    if (n > 2 && lower[0] == 'o' && lower[1] == 'n') reason = BZR__HIDDEN_SCRIPT;
    const known_attribute *known = attribute_find(key);
    if (known) flags = known->flags, reason = known->reason;
    if (flags & ATTR_SKIP || !value.n) return;
    if (flags & ATTR_SRCDOC) srcdoc(j, from, to);
    else if (flags & ATTR_LINK) {
        bool fetched = flags & ATTR_FETCH || bzr__str_eq(bzr__str(t->name, t->name_n), BZR__S("link"));
        size_t links = j->o->links_n;
        link_to(j, from, to, fetched);
        if (is(key, BZR__S("href")) && j->o->links_n > links) j->href = (uint32_t)j->o->links_n;
        if (memchr(value.p, ' ', value.n) || memchr(value.p, '%', value.n)) hidden(j, BZR__HIDDEN_LINK, from, to, true, true);
    } else if (textual(value)) hidden(j, (bzr__hidden_reason)reason, from, to, true, true);
}

/* ---- tags ---- */

enum { ENDS_TAG_NAME = 1, ENDS_NAME = 2, ENDS_VALUE = 4 };

/* Where the names of tags and attributes, and values without quotes, end. */
static const unsigned char ends[256] = {
    ['\t'] = 7, ['\n'] = 7, ['\v'] = 7, ['\f'] = 7, ['\r'] = 7, [' '] = 7, ['>'] = 7, ['/'] = ENDS_TAG_NAME | ENDS_NAME, ['='] = ENDS_NAME,
};

static void skip_until(bzr__cur *c, unsigned what) {
    while (c->at < c->s.n && !(ends[(unsigned char)c->s.p[c->at]] & what)) c->at++;
}

/* Read the tag that starts at j->at ('<' and a name). Returns its end, or 0 when the input ends inside it. With `act`, attributes take effect. */
static size_t read_tag(job *j, tag *t, bool act) {
    bzr__cur c = { j->in, j->at + 1 };
    t->closing = bzr__cur_eat(&c, BZR__S("/"));
    size_t tag_name = c.at;
    skip_until(&c, ENDS_TAG_NAME);
    t->name_n = c.at - tag_name < NAME_BYTES ? c.at - tag_name : NAME_BYTES;
    for (size_t i = 0; i < t->name_n; i++) t->name[i] = (char)bzr__lower((unsigned char)c.s.p[tag_name + i]);
    if (act && wants_keys(j->h)) bzr__keys_begin(&j->keys, bzr__str(t->name, t->name_n));
    while (!bzr__cur_end(&c)) {
        bzr__cur_skip_space(&c);
        int x = bzr__cur_peek(&c, 0);
        if (x == '>') return c.at + 1;
        if (x == '/') {
            bzr__cur_skip(&c, 1);
            t->self_closing = bzr__cur_peek(&c, 0) == '>';
            continue;
        }
        size_t name = c.at;
        if (x >= 0) bzr__cur_skip(&c, 1); /* a leading '=' belongs to the name */
        skip_until(&c, ENDS_NAME);
        size_t name_end = c.at;
        bzr__cur_skip_space(&c);
        size_t from = c.at, to = c.at;
        if (bzr__cur_peek(&c, 0) == '=') {
            bzr__cur_skip(&c, 1);
            bzr__cur_skip_space(&c);
            int quote = bzr__cur_peek(&c, 0);
            from = c.at;
            if (quote == '"' || quote == '\'') {
                bzr__cur_skip(&c, 1);
                from = c.at;
                if (!bzr__cur_find(&c, (char)quote)) return 0;
                to = c.at++;
            } else {
                skip_until(&c, ENDS_VALUE);
                to = c.at;
            }
        }
        if (act && name_end > name) attribute(j, t, bzr__str_part(j->in, name, name_end), from, to);
    }
    return 0;
}

static uint64_t tag_hash(const tag *t) {
    uint64_t h = 14695981039346656037u;
    for (size_t i = 0; i < t->name_n; i++) h = (h ^ (unsigned char)t->name[i]) * 1099511628211u;
    return h ? h : 1;
}

static void pop(job *j) {
    bzr__html *h = j->h;
    frame *f = top(h);
    bzr__html_mark_here(j->o, (bzr__role)f->role, false, 0);
    h->open[f->tag & 255]--;
    h->depth--;
}

static void close_element(job *j, const tag *t) {
    bzr__html *h = j->h;
    uint64_t hash = tag_hash(t);
    if (h->beyond) {
        h->beyond--;
        return;
    }
    if (!h->open[hash & 255]) return;
    unsigned d = h->depth;
    while (d && h->stack[d - 1].tag != hash) d--;
    if (!d) return;
    bool block = false, format = t->element && t->element->flags & BZR__EL_FORMAT;
    for (; h->depth >= d; pop(j)) block |= top(h)->flags & BZR__EL_BLOCK;
    if (block && !format) break_line(j, '\n');
    j->glue = false;
}

/* What the text of this element is: hidden for a reason of its own, or of an ancestor, or seen again. */
static void decide(const tag *t, const bzr__style *style, const frame *parent, frame *f) {
    f->color = style->color != BZR__NO_COLOR ? style->color : parent->color;
    f->ground = style->ground != BZR__NO_COLOR ? style->ground : parent->ground;
    f->reason = parent->reason;
    bool colored = style->color != BZR__NO_COLOR || style->ground != BZR__NO_COLOR;
    bool undone = (f->reason == BZR__HIDDEN_VISIBILITY && style->seen) || (f->reason == BZR__HIDDEN_SIZE && style->sized) ||
                  (f->reason == BZR__HIDDEN_COLOR && colored);
    if (undone) f->reason = BZR__HIDDEN_NOT;
    if (f->reason) return;
    unsigned char own = t->element ? t->element->reason : BZR__HIDDEN_NOT;
    if (own == BZR__HIDDEN_DISPLAY && (t->open_attr || style->shown)) own = BZR__HIDDEN_NOT;
    if (t->hidden_attr && !style->shown) f->reason = BZR__HIDDEN_HIDDEN_ATTR;
    else if (style->reason) f->reason = style->reason;
    else if (own) f->reason = own;
    else if (colored && bzr__style_same_color(f->color, f->ground)) f->reason = BZR__HIDDEN_COLOR;
}

/* What its attribute and the sheets say of the tag being read. */
static bzr__style style_of(job *j) {
    static const bzr__style none = BZR__STYLE_INIT;
    bzr__html *h = j->h;
    if (!j->styled && !h->sheet.n) return none;
    if (!j->styled) bzr__cascade_begin(&j->cascade);
    if (h->sheet.n) {
        bzr__place at = { &j->keys, j->attrs, j->attrs_n, (const char *)h->keys, h->depth, sizeof *h->keys };
        bzr__sheet_apply(&h->sheet, &at, &j->cascade, &h->steps, (h->base + j->at) * STEPS_A_BYTE + STEPS_BASE);
    }
    return bzr__cascade_end(&j->cascade);
}

/* An opening tag ends an open element of its group, unless that stands outside another block: <li> ends <li>, <tr> ends
 * <td> and <tr>. Emphasis that hides goes on in the next block, as browsers have it. */
static void imply_end(job *j, unsigned group) {
    enum { LOOK = 8 };
    bzr__html *h = j->h;
    for (unsigned d = h->depth, least = d > LOOK ? d - LOOK : 0; d > least; d--) {
        const frame *f = &h->stack[d - 1];
        bool own = f->group == group, cell = group == 4 && f->group == 3;
        bool hides = f->flags & BZR__EL_FORMAT && f->reason && (d < 2 || !h->stack[d - 2].reason);
        if (!own && !cell && (f->flags & (BZR__EL_BLOCK | BZR__EL_CELL) || hides)) return;
        if (!own) continue;
        while (h->depth >= d) pop(j);
        return;
    }
}

static void open_element(job *j, const tag *t) {
    static const frame page = { .color = BZR__NO_COLOR, .ground = BZR__NO_COLOR };
    bzr__html *h = j->h;
    const bzr__element *e = t->element;
    unsigned flags = e ? e->flags : 0;
    if (flags & BZR__EL_BLOCK && !(flags & BZR__EL_VOID)) imply_end(j, 1); /* a block ends an open paragraph */
    if (e && e->closes > 1) imply_end(j, e->closes);
    if (flags & BZR__EL_BLOCK) break_line(j, '\n');
    else if (flags & BZR__EL_CELL) break_line(j, ' ');
    if (flags & BZR__EL_BLOCK) j->glue = false;
    bool in_foreign = h->foreign || flags & BZR__EL_FOREIGN;
    j->keys.child = h->depth ? ++h->keys[h->depth - 1].children : 0;
    if (flags & BZR__EL_VOID || (t->self_closing && in_foreign)) {
        if (j->o->want_marks && !reason_of(h)) bzr__html_mark_here(j->o, bzr__element_role(e), true, 0);
        return;
    }
    frame *f = &h->stack[h->depth];
    *f = (frame){ .tag = tag_hash(t), .group = e ? e->closes : 0, .flags = (unsigned char)flags };
    bzr__style style = style_of(j);
    decide(t, &style, h->depth ? top(h) : &page, f);
    if (flags & (BZR__EL_RAW | BZR__EL_RCDATA)) {
        h->mode = IN_RAW;
        memcpy(h->raw_name, t->name, t->name_n);
        h->raw_n = t->name_n;
        h->raw_flags = (unsigned char)flags;
        h->raw_reason = t->is_json_ld ? BZR__HIDDEN_JSON_LD : f->reason;
        h->raw_inert = t->other_medium || reason_of(h) == BZR__HIDDEN_NOSCRIPT || reason_of(h) == BZR__HIDDEN_TEMPLATE;
        return;
    }
    if (flags & BZR__EL_FOREIGN) h->foreign = true;
    if (h->depth == BZR__LIMIT_HTML_DEPTH) {
        h->beyond++;
        j->o->depth_limit = true;
        return;
    }
    if (j->o->want_marks && !f->reason) f->role = (unsigned char)bzr__element_role(e);
    bzr__html_mark_here(j->o, (bzr__role)f->role, true, j->href);
    h->open[f->tag & 255]++;
    bzr__keys *keys = &h->keys[h->depth];
    if (wants_keys(h)) *keys = j->keys;
    else keys->n = keys->child = 0;
    keys->children = 0;
    h->depth++;
}

static void take_tag(job *j) {
    tag t = { .name_n = 0 };
    bool glue = j->glue;
    j->glue = j->styled = false;
    j->attrs_n = j->href = 0;
    size_t end = read_tag(j, &t, true);
    if (j->o->hidden.n == 0 || glue) j->glue = glue;
    t.element = bzr__element_find(bzr__str(t.name, t.name_n));
    if (t.element) j->o->tags++;
    if (!end) { /* the page ends inside a tag: a browser drops it, a model reads it */
        hidden(j, BZR__HIDDEN_MARKUP, j->at, j->in.n, false, false);
        j->at = j->in.n;
        return;
    }
    j->at = end;
    if (!t.closing) {
        open_element(j, &t);
        return;
    }
    if (t.element && t.element->flags & BZR__EL_BLOCK) break_line(j, '\n');
    if (t.element && t.element->flags & BZR__EL_FOREIGN) j->h->foreign = false;
    close_element(j, &t);
}

/* ---- text that is no markup ---- */

static void on_css_text(void *ctx, bzr_str s) {
    job *j = ctx;
    size_t from = (size_t)(s.p - j->in.p);
    j->glue = false;
    hidden(j, BZR__HIDDEN_CSS_CONTENT, from, from + s.n, false, false);
}

static void raw_text(job *j, size_t from, size_t to) {
    bzr__html *h = j->h;
    bool style = bzr__str_eq(bzr__str(h->raw_name, h->raw_n), BZR__S("style"));
    if (style) {
        unsigned before = h->sheet.n;
        bzr__sheet_read(bzr__str_part(j->in, from, to), h->raw_inert || h->sheets_known, &h->sheet, on_css_text, j);
        h->late |= h->sheet.n > before && j->o->visible.n;
        return;
    }
    bool references = h->raw_flags & BZR__EL_RCDATA;
    if (h->raw_reason == BZR__HIDDEN_NOT) {
        put_decoded(j, &j->o->visible, &j->o->visible_map, from, to, references, false);
        return;
    }
    size_t pieces = j->o->pieces_n;
    hidden(j, (bzr__hidden_reason)h->raw_reason, from, to, references, false);
    if (!j->o->title && j->o->pieces_n > pieces && h->raw_reason == BZR__HIDDEN_TITLE && !h->foreign)
        j->o->title = j->o->pieces_n;
    j->glue = false;
}

/* Does the tag with this name, after `lead` bytes, begin at `lt`? */
static bool tag_at(const job *j, size_t lt, size_t lead, bzr_str name) {
    if (!bzr__str_ieq(bzr__str_part(j->in, lt + lead, lt + lead + name.n), name)) return false;
    int after = lt + lead + name.n < j->in.n ? j->in.p[lt + lead + name.n] : -1;
    return after < 0 || bzr__is_space(after) || after == '/' || after == '>';
}

/* A script in a comment in a script: its end tag does not end the script (the escaped states of the standard). `from`:
 * what has been looked at before. False: the end tag at `lt` is the script's own. */
static bool inside_script(job *j, size_t from, size_t lt) {
    bzr__html *h = j->h;
    bzr_str s = j->in;
    if (h->script && bzr__str_find(bzr__str_part(s, 0, lt), BZR__S("-->"), from) < lt) h->script = 0;
    if (tag_at(j, lt, 2, BZR__S("script")) && s.p[lt + 1] == '/') {
        if (h->script < 2) return false;
        h->script = 1;
    } else if (!h->script && bzr__str_starts(bzr__str_part(s, lt, s.n), BZR__S("<!--"))) {
        h->script = 1;
    } else if (h->script == 1 && tag_at(j, lt, 1, BZR__S("script"))) {
        h->script = 2;
    }
    return true;
}

/* Up to the element's own end tag, whatever stands between. Near the end of a piece a tag may be cut. */
static void take_raw(job *j) {
    bzr__html *h = j->h;
    bzr_str name = bzr__str(h->raw_name, h->raw_n);
    bool script = bzr__str_eq(name, BZR__S("script")), found = false;
    size_t from = j->at, seen = from, limit = j->last ? j->in.n : j->in.n - from > 64 ? j->in.n - 32 : from;
    for (size_t lt = from; lt < limit && !found; lt++) {
        const char *hit = memchr(j->in.p + lt, '<', limit - lt);
        lt = hit ? (size_t)(hit - j->in.p) : limit;
        if (!hit) break;
        if (script)
            found = !inside_script(j, seen, lt);
        else
            found = lt + 1 < j->in.n && j->in.p[lt + 1] == '/' && tag_at(j, lt, 2, name);
        seen = found ? lt : lt + 2;
        if (found) limit = lt;
    }
    if (script && h->script && !found && limit > seen && bzr__str_find(bzr__str_part(j->in, 0, limit), BZR__S("-->"), seen) < limit)
        h->script = 0;
    raw_text(j, from, limit);
    j->at = limit;
    if (!found) return;
    h->mode = IN_DATA;
    h->script = 0;
}

/* <!-- ... --> and --!>; <!--> and <!---> end at once. Bogus comments end at the first '>'. */
static void take_comment(job *j, bool bogus) {
    size_t from = j->at, end = from;
    size_t close = 1;
    if (bogus) {
        end = bzr__str_find(j->in, BZR__S(">"), from);
    } else {
        for (end = bzr__str_find(j->in, BZR__S("--"), from); end < j->in.n; end = bzr__str_find(j->in, BZR__S("--"), end + 1)) {
            bzr_str rest = bzr__str_part(j->in, end + 2, end + 4);
            close = bzr__str_starts(rest, BZR__S(">")) ? 3 : bzr__str_starts(rest, BZR__S("!>")) ? 4 : 0;
            if (close) break;
        }
    }
    bool found = end < j->in.n;
    size_t to = found || j->last ? end : j->in.n - from > 64 ? j->in.n - 8 : from;
    hidden(j, BZR__HIDDEN_COMMENT, from, to, false, false);
    j->glue = !found;
    j->at = found ? end + close : to;
    j->h->mode = found ? IN_DATA : bogus ? IN_BOGUS : IN_COMMENT;
}

/* At '<': a comment, a tag, or text. Returns false when the rest must be presented again. */
static bool take_markup(job *j) {
    bzr__cur c = { j->in, j->at + 1 };
    int x = bzr__cur_peek(&c, 0), y = bzr__cur_peek(&c, 1);
    bool cut = !j->last && bzr__cur_left(&c) < 9;
    if (cut && j->at) return false;
    if (x == '!' && bzr__cur_looking_at(&c, BZR__S("!--"))) {
        j->at += 4;
        j->o->tags++;
        size_t early = bzr__str_starts(bzr__str_part(j->in, j->at, j->in.n), BZR__S(">")) ? 1 : bzr__str_starts(bzr__str_part(j->in, j->at, j->in.n), BZR__S("->")) ? 2 : 0;
        j->at += early;
        if (!early) take_comment(j, false);
        return true;
    }
    if (x == '!' || x == '?' || (x == '/' && y >= 0 && !bzr__is_alpha(y))) {
        j->at += 2;
        j->o->tags++;
        if (x == '/' && y == '>') j->at++;
        else take_comment(j, true);
        return true;
    }
    if (!bzr__is_alpha(x == '/' ? y : x)) {
        text(j, j->at, j->at + 1, false);
        j->at++;
        return true;
    }
    tag probe = { .name_n = 0 };
    if (!j->last && !read_tag(j, &probe, false) && j->at) return false;
    take_tag(j);
    return true;
}

static size_t feed(bzr__html *h, bzr_str piece, bool last, bzr__html_out *out) {
    job j;
    j.h = h;
    j.o = out;
    j.in = piece;
    j.at = 0;
    j.last = last;
    j.glue = j.styled = false;
    j.attrs_n = 0;
    while (j.at < piece.n && !out->status) {
        size_t before = j.at;
        unsigned mode = h->mode;
        if (h->mode == IN_RAW) take_raw(&j);
        else if (h->mode == IN_COMMENT) take_comment(&j, false);
        else if (h->mode == IN_BOGUS) take_comment(&j, true);
        else {
            const char *lt = memchr(piece.p + j.at, '<', piece.n - j.at);
            size_t end = lt ? (size_t)(lt - piece.p) : piece.n;
            if (!lt && !last) { /* a reference may be cut at the end */
                const char *amp = piece.n > 40 ? memchr(piece.p + (piece.n - 40 > j.at ? piece.n - 40 : j.at), '&', piece.n - (piece.n - 40 > j.at ? piece.n - 40 : j.at)) : NULL;
                if (amp && amp > piece.p + j.at) end = (size_t)(amp - piece.p);
            }
            text(&j, j.at, end, true);
            j.at = end;
            if (lt && !take_markup(&j)) return j.at;
            if (!lt && end < piece.n) return end;
        }
        if (j.at == before && h->mode == mode && !last) { /* the end of an empty element is progress, too */
            if (before) return before;
            j.last = true; /* a token longer than the piece is taken in parts */
        }
    }
    return out->status && !last ? piece.n : j.at;
}

size_t bzr__html_feed(bzr__html *h, bzr_str piece, bool last, bzr__html_out *out) {
    size_t taken = feed(h, piece, last, out);
    h->base += taken;
    return taken;
}
