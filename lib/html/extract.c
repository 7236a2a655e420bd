/* extract.c - tokens to text: what a person sees, what they do not, and where the links lead.
 *
 * The tokenizer (token.c) follows the WHATWG states whose differences an attacker can use: comments that end early,
 * bogus comments, duplicate attributes, raw text up to its own end tag, self-closing in foreign content. There is no
 * tree: a stack of open elements carries the reason why text is not seen, so a page costs O(1) a byte whatever it
 * nests. Elements deeper than TOAD__LIMIT_HTML_DEPTH share the state of the deepest (depth_limit is set). */
#include "lib/base/cursor.h"
#include "lib/html/attributes.h"
#include "lib/html/code.h"
#include "lib/html/seek.h"
#include "lib/html/state.h"
#include "lib/html/token.h"
#include "lib/text/entity.h"

#include <assert.h>

#define TEXTUAL_LETTERS 12
#define ATTRS_KEPT      16
#define ATTRS_AHEAD     16u
#define STEPS_BASE      65536u /* steps of matching style rules that a page may take, and more for each byte of it */
#define STEPS_A_BYTE    32u

/* Names as toad__name_eq takes them: with zeros to the end. */
static const char link_name[16] = "link", font_name[16] = "font";

typedef struct job {
    toad__html *h;
    toad__html_out *o;
    toad_str in;
    size_t at;
    bool last, sure; /* nothing follows; only tokens that end in this piece are read */
    bool glue;       /* the next hidden text continues the last piece */
    uint32_t href;   /* 1 + link of the tag being read */
    bool styled;     /* the tag being read has declarations in `cascade` */
    toad__cascade cascade;
    toad__keys keys; /* of the tag being read */
    toad__attr attrs[ATTRS_KEPT];
    size_t attrs_n;
    toad__open_ends ends; /* elements of Markdown whose end tag does not follow */
    size_t lt;            /* of Markdown: the next '<', if it lies ahead */
} job;

/* ---- output ---- */

static void failed(job *j, toad_status status) {
    if (!j->o->status) j->o->status = status;
}

static void put(toad__buf *b, toad__offmap *m, toad_str text, size_t from, size_t to) {
    if (m)
        toad__html_put(b, m, text, from, to);
    else
        toad__buf_add_str(b, text);
}

/* `m` may be NULL. */
static void put_decoded(job *j, toad__buf *b, toad__offmap *m, size_t from, size_t to, bool references,
                        bool attribute) {
    while (from < to) {
        toad_str rest = toad__str_part(j->in, 0, to);
        const char *amp = references ? memchr(j->in.p + from, '&', to - from) : NULL;
        size_t stop = amp ? (size_t)(amp - j->in.p) : to;
        if (stop > from) put(b, m, toad__str_part(j->in, from, stop), from, stop);
        from = stop;
        if (!amp) break;
        char out[8];
        unsigned out_n = 0, used = toad__entity_at(rest, from, attribute, out, &out_n);
        if (used)
            put(b, m, toad__str(out, out_n), from, from + used);
        else
            put(b, m, TOAD__S("&"), from, from + 1);
        from += used ? used : 1;
    }
    if (b->status) failed(j, b->status);
    if (m && m->status) failed(j, m->status);
}

static void break_line(job *j, char c) {
    toad__buf *v = &j->o->visible;
    if (!v->n || v->p[v->n - 1] == '\n' || (c == ' ' && v->p[v->n - 1] == ' ')) return;
    toad__html_put(v, &j->o->visible_map, toad__str(&c, 1), j->at, j->at);
}

static toad__html_piece *piece_for(job *j, toad__hidden_reason reason) {
    toad__html_out *o = j->o;
    if (j->glue && o->pieces_n && o->pieces[o->pieces_n - 1].reason == reason) return &o->pieces[o->pieces_n - 1];
    return toad__html_piece_begin(o, reason, j->at);
}

static void hidden(job *j, toad__hidden_reason reason, size_t from, size_t to, bool references, bool attribute) {
    while (from < to && toad__is_space((unsigned char)j->in.p[from])) from++;
    if (from >= to) return;
    toad__html_piece *p = piece_for(j, reason);
    if (!p) return;
    put_decoded(j, &j->o->hidden, &j->o->hidden_map, from, to, references, attribute);
    p->end = (uint32_t)j->o->hidden.n;
}

static void text(job *j, size_t from, size_t to, bool references) {
    toad__hidden_reason reason = toad__html_reason(j->h);
    if (from >= to) return;
    if (reason == TOAD__HIDDEN_NOT) {
        put_decoded(j, &j->o->visible, &j->o->visible_map, from, to, references, false);
        return;
    }
    hidden(j, reason, from, to, references, false);
    j->glue = true;
}

static void link_to(job *j, size_t from, size_t to, bool auto_fetch) {
    toad__html_out *o = j->o;
    size_t start = o->urls.n;
    toad__html_link *link = toad__html_link_room(o);
    if (!link) return;
    put_decoded(j, &o->urls, NULL, from, to, true, true);
    *link = (toad__html_link){ (uint32_t)start, (uint32_t)o->urls.n, (uint32_t)from, (uint32_t)to, auto_fetch };
}

/* ---- attributes ---- */

typedef struct tag {
    size_t at; /* of its '<' */
    toad__name name;
    const toad__element *element;
    bool closing, self_closing;
    bool cut; /* the piece ends inside it, and nothing was done */
    bool hidden_attr, open_attr, is_json_ld, http_refresh;
    bool other_medium; /* its media attribute names no screen */
    unsigned seen;     /* flags of the attributes that count once: style, id, class */
} tag;

static bool textual(toad_str value) {
    size_t letters = 0;
    for (size_t i = 0; i < value.n && i < 4096; i++) {
        if (value.p[i] == ' ' || value.p[i] == '%' || (unsigned char)value.p[i] >= 0x80 || value.p[i] == '&')
            return true;
        letters += toad__is_alpha((unsigned char)value.p[i]);
    }
    return letters >= TEXTUAL_LETTERS;
}

static void style_attribute(job *j, toad_str css) {
    if (!j->styled) toad__cascade_begin(&j->cascade);
    j->styled = true;
    toad__cascade_inline(&j->cascade, css);
}

/* <body text= bgcolor=>, <td bgcolor=>, <font color=>, and a picture as the ground of a table. */
static void paint(job *j, const tag *t, const toad__attribute *known, toad_str value) {
    static const char grounds[][16] = { "body", "table", "tr", "td", "th", "thead", "tbody", "tfoot" };
    bool ground = known->flags & TOAD__ATTR_GROUND, takes = false;
    for (size_t i = 0; ground && !takes && i < sizeof grounds / sizeof *grounds; i++)
        takes = toad__name_eq(&t->name, grounds[i]);
    if (!ground) takes = toad__name_eq(&t->name, known->name[0] == 't' ? grounds[0] : font_name);
    if (!takes) return;
    if (!j->styled) toad__cascade_begin(&j->cascade);
    j->styled = true;
    toad__cascade_attribute(&j->cascade, ground ? TOAD__SLOT_BACKGROUND : TOAD__SLOT_COLOR,
                            known->flags & TOAD__ATTR_LINK ? TOAD__S("#7f7f7f") : value);
}

/* A sheet may still come while the outermost elements are open. */
static bool wants_keys(const toad__html *h) { return h->sheet.n || h->now.depth < 4; }

/* Remember what selectors ask for; of style, class and id the first counts. */
static void note_attribute(job *j, toad_str key, toad_str value) {
    toad__keys_add(&j->keys, key, value);
    if (j->attrs_n < ATTRS_KEPT) j->attrs[j->attrs_n++] = (toad__attr){ key, value };
}

/* A srcdoc is a page of its own that is seen or not; its text without the tags is what counts here. */
static void srcdoc(job *j, size_t from, size_t to) {
    size_t start = from;
    for (size_t i = from; i <= to; i++) {
        bool open = i < to && (j->in.p[i] == '<' ||
                               (j->in.p[i] == '&' && toad__str_ieq(toad__str_part(j->in, i, i + 4), TOAD__S("&lt;"))));
        if (!open && i < to) continue;
        hidden(j, TOAD__HIDDEN_IFRAME, start, i, true, true);
        j->glue = true;
        while (i < to && j->in.p[i] != '>' && !toad__str_ieq(toad__str_part(j->in, i, i + 4), TOAD__S("&gt;"))) i++;
        if (i < to && j->in.p[i] == '&') i += 3;
        start = i + 1;
    }
    j->glue = false;
}

static void link_attribute(job *j, const tag *t, unsigned flags, toad_str value, const toad__attr_span *at) {
    size_t links = j->o->links_n;
    link_to(j, at->from, at->to, flags & TOAD__ATTR_FETCH || toad__name_eq(&t->name, link_name));
    if (flags & TOAD__ATTR_HREF && j->o->links_n > links) j->href = (uint32_t)j->o->links_n;
    if (memchr(value.p, ' ', value.n) || memchr(value.p, '%', value.n))
        hidden(j, TOAD__HIDDEN_LINK, at->from, at->to, true, true);
}

/* What the attribute says of its element. */
static void note_state(tag *t, unsigned flags, toad_str value) {
    if (flags & TOAD__ATTR_MEDIA) t->other_medium = !toad__media_applies(value);
    if (flags & TOAD__ATTR_HIDDEN) t->hidden_attr = true;
    if (flags & TOAD__ATTR_OPEN) t->open_attr = true;
    if (!(flags & TOAD__ATTR_TYPE)) return;
    t->is_json_ld = toad__str_ieq(value, TOAD__S("application/ld+json"));
    if (toad__str_ieq(value, TOAD__S("hidden"))) t->hidden_attr = true;
}

/* style, class, id: of each the first counts, and none is text. */
static void attribute_once(job *j, tag *t, unsigned flags, toad_str name, toad_str value) {
    bool first = !(t->seen & flags);
    t->seen |= flags;
    if (first && flags & TOAD__ATTR_STYLE)
        style_attribute(j, value);
    else if (first && wants_keys(j->h))
        note_attribute(j, name, value);
}

static void attribute(job *j, tag *t, const toad__attr_span *at) {
    toad_str value = { j->in.p + at->from, at->to - at->from };
    if (t->closing) {
        if (textual(value)) hidden(j, TOAD__HIDDEN_ATTRIBUTE, at->from, at->to, true, true);
        return;
    }
    toad__name name = toad__name_at(j->in, at->name, at->name_end);
    toad_str written = { j->in.p + at->name, name.n };
    const toad__attribute *known = toad__attribute_find(&name);
    unsigned flags = known->flags;
    if (flags & (TOAD__ATTR_STYLE | TOAD__ATTR_CLASS | TOAD__ATTR_ID)) {
        attribute_once(j, t, flags, written, value);
        return;
    }
    bool asked =
        j->attrs_n < ATTRS_KEPT && (!j->h->sheet.n || j->h->sheet.attributes); /* behind so many no key has room */
    if (asked && wants_keys(j->h)) note_attribute(j, written, value);
    if (flags & (TOAD__ATTR_MEDIA | TOAD__ATTR_HIDDEN | TOAD__ATTR_OPEN | TOAD__ATTR_TYPE)) note_state(t, flags, value);
    if (flags & TOAD__ATTR_SKIP || !value.n) return;
    if (flags & (TOAD__ATTR_COLOR | TOAD__ATTR_GROUND)) paint(j, t, known, value);
    if (flags & TOAD__ATTR_SRCDOC)
        srcdoc(j, at->from, at->to);
    else if (flags & TOAD__ATTR_LINK)
        link_attribute(j, t, flags, value, at);
    else if (textual(value))
        hidden(j, (toad__hidden_reason)known->reason, at->from, at->to, true, true);
}

/* ---- tags ---- */

static void act(job *j, tag *t, const toad__attr_span *spans, size_t n) {
    for (size_t i = 0; i < n; i++) attribute(j, t, &spans[i]);
}

/* Read the attributes from `at` on, which take effect unless more input may show the end of the tag (t->cut): they are
 * read ahead for that, and behind ATTRS_AHEAD of them the end is looked for first. Returns the end of the tag, or 0
 * when the input ends inside it. */
static size_t read_attributes(job *j, tag *t, size_t at) {
    toad_str s = j->in;
    toad__attr_span spans[ATTRS_AHEAD];
    size_t n = 0;
    bool whole = j->last;
    toad__place_in_tag found;
    while ((found = toad__next_attribute(s, &at, &spans[n], &t->self_closing)) == TOAD__AT_ATTRIBUTE) {
        if (++n < ATTRS_AHEAD) continue;
        t->cut = !whole && !toad__tag_ends(s, at);
        if (t->cut) return 0;
        whole = true;
        act(j, t, spans, n);
        n = 0;
    }
    t->cut = !whole && found != TOAD__AT_END_OF_TAG;
    if (t->cut) return 0;
    act(j, t, spans, n);
    return found == TOAD__AT_END_OF_TAG ? at : 0;
}

/* Read the tag that starts at j->at ('<' and a name). Returns as read_attributes. */
static size_t read_tag(job *j, tag *t) {
    toad_str s = j->in;
    size_t name = j->at + 1;
    t->closing = s.p[name] == '/';
    name += t->closing;
    size_t at = toad__read_name(s, name, &t->name);
    if (!t->closing && wants_keys(j->h)) toad__keys_begin(&j->keys, toad__str_part(s, name, name + t->name.n));
    return at < s.n && s.p[at] == '>' ? at + 1 : read_attributes(j, t, at);
}

static unsigned flags_of(const toad__element *e) { return e ? e->flags | TOAD__EL_KNOWN : 0; }

static void pop(job *j) {
    toad__html *h = j->h;
    toad__frame *f = toad__html_top(h);
    assert(f && *toad__html_opened(h, f->tag));
    if (f->role) toad__html_mark_here(j->o, (toad__role)f->role, false, 0);
    --*toad__html_opened(h, f->tag);
    h->now.depth--;
}

/* An end tag of an element with these flags, whether or not one is open. */
static void end_tag(job *j, unsigned flags) {
    if (flags & TOAD__EL_KNOWN) j->o->tags++;
    if (flags & TOAD__EL_BLOCK) break_line(j, '\n');
    if (flags & TOAD__EL_FOREIGN) j->h->now.foreign = false;
}

/* The open element number `d`, which has these flags, ends with all inside it. */
static void end_element(job *j, unsigned d, unsigned flags) {
    bool block = false;
    if (!(flags & TOAD__EL_KNOWN)) j->o->tags += 2; /* opened and closed, it is one, whatever its name */
    for (; j->h->now.depth >= d; pop(j)) block |= toad__html_top(j->h)->flags & TOAD__EL_BLOCK;
    if (block && !(flags & TOAD__EL_FORMAT)) break_line(j, '\n');
    j->glue = false;
}

static void close_element(job *j, const tag *t) {
    toad__html *h = j->h;
    uint64_t id = toad__name_id(&t->name);
    unsigned flags = flags_of(toad__element_find(&t->name)), d = h->now.depth;
    end_tag(j, flags);
    if (h->now.beyond) {
        h->now.beyond--;
        return;
    }
    if (!*toad__html_opened(h, id)) return;
    while (d && h->stack[d - 1].tag != id) d--;
    if (d) end_element(j, d, flags);
}

/* The end tag of the innermost element in small letters with nothing else in it, as most are: told by one number,
 * nothing is looked up. False: it is not that. */
static bool take_own_end(job *j) {
    toad__html *h = j->h;
    const char *p = j->in.p + j->at;
    if (!h->now.depth || h->now.beyond || j->in.n - j->at < 12 || p[1] != '/') return false;
    const toad__frame *f = toad__html_top(h);
    unsigned n = f->name_n, flags = f->flags;
    if (!n || p[2 + n] != '>' || (toad__name_load(p + 2) & ~UINT64_C(0) >> (64 - 8 * n)) + toad__short_id(n) != f->tag)
        return false;
    j->at += n + 3;
    end_tag(j, flags);
    end_element(j, h->now.depth, flags);
    return true;
}

/* What its attribute and the sheets say of the tag being read. */
static toad__style style_of(job *j) {
    toad__html *h = j->h;
    if (!j->styled) toad__cascade_begin(&j->cascade);
    if (h->sheet.n) {
        toad__place at = { &j->keys, j->attrs, j->attrs_n, (const char *)h->keys, h->now.depth, sizeof *h->keys };
        toad__sheet_apply(&h->sheet, &at, &j->cascade, &h->now.steps,
                          (h->now.base + j->at) * STEPS_A_BYTE + STEPS_BASE);
    }
    return toad__cascade_end(&j->cascade);
}

/* What the text of this element is: hidden for a reason of its own, or of an ancestor, or seen again. */
static void decide(job *j, const tag *t, const toad__frame *parent, toad__frame *f) {
    static const toad__style none = TOAD__STYLE_INIT;
    bool styled = j->styled || j->h->sheet.n;
    f->color = parent->color;
    f->ground = parent->ground;
    f->reason = parent->reason;
    if (!styled && !t->hidden_attr && !(t->element && t->element->reason)) return;
    toad__style own_style = styled ? style_of(j) : none, *style = &own_style;
    if (style->color != TOAD__NO_COLOR) f->color = style->color;
    bool same = style->ground == TOAD__TEXT_COLOR;
    if (same)
        f->ground = f->color == TOAD__NO_COLOR ? TOAD__ANY_GROUND : f->color;
    else if (style->ground != TOAD__NO_COLOR)
        f->ground = style->ground;
    bool colored = style->color != TOAD__NO_COLOR || style->ground != TOAD__NO_COLOR;
    bool undone = (f->reason == TOAD__HIDDEN_VISIBILITY && style->seen) ||
                  (f->reason == TOAD__HIDDEN_SIZE && style->sized) || (f->reason == TOAD__HIDDEN_COLOR && colored);
    if (undone) f->reason = TOAD__HIDDEN_NOT;
    if (f->reason) return;
    unsigned char own = t->element ? t->element->reason : TOAD__HIDDEN_NOT;
    if (own == TOAD__HIDDEN_DISPLAY && (t->open_attr || style->shown)) own = TOAD__HIDDEN_NOT;
    if (t->hidden_attr && !style->shown)
        f->reason = TOAD__HIDDEN_HIDDEN_ATTR;
    else if (style->reason)
        f->reason = style->reason;
    else if (own)
        f->reason = own;
    else if (same || (colored && toad__style_same_color(f->color, f->ground)))
        f->reason = TOAD__HIDDEN_COLOR;
}

/* An opening tag ends an open element of its group, unless that stands outside another block: <li> ends <li>, <tr> ends
 * <td> and <tr>. Emphasis that hides goes on in the next block, as browsers have it. */
static void imply_end(job *j, unsigned group) {
    enum { LOOK = 8 };
    toad__html *h = j->h;
    for (unsigned d = h->now.depth, least = d > LOOK ? d - LOOK : 0; d > least; d--) {
        const toad__frame *f = &h->stack[d - 1];
        if (f->group != group) {
            bool cell = group == 4 && f->group == 3,
                 hides = f->flags & TOAD__EL_FORMAT && f->reason && (d < 2 || !h->stack[d - 2].reason);
            if (!cell && (f->flags & (TOAD__EL_BLOCK | TOAD__EL_CELL) || hides)) return;
            continue;
        }
        while (h->now.depth >= d) pop(j);
        return;
    }
}

static void open_element(job *j, const tag *t) {
    static const toad__frame page = { .color = TOAD__NO_COLOR, .ground = TOAD__NO_COLOR };
    toad__html *h = j->h;
    const toad__element *e = t->element;
    unsigned flags = flags_of(e);
    if (flags & TOAD__EL_KNOWN) j->o->tags++;
    if (flags & TOAD__EL_BLOCK && !(flags & TOAD__EL_VOID)) imply_end(j, 1); /* a block ends an open paragraph */
    if (flags & TOAD__EL_BLOCK && h->now.markdown && toad__begins_line(j->in, t->at)) h->now.block = true;
    if (e && e->closes > 1) imply_end(j, e->closes);
    bool gone = flags & TOAD__EL_VOID && t->hidden_attr; /* <br hidden> breaks nothing */
    if (flags & TOAD__EL_BLOCK && !gone)
        break_line(j, '\n');
    else if (flags & TOAD__EL_CELL)
        break_line(j, ' ');
    if (flags & TOAD__EL_BLOCK) j->glue = false;
    bool in_foreign = h->now.foreign || flags & TOAD__EL_FOREIGN;
    j->keys.child = h->now.depth ? ++h->keys[h->now.depth - 1].children : 0;
    if (flags & TOAD__EL_VOID || (t->self_closing && in_foreign)) {
        if (j->o->want_marks && !toad__html_reason(h)) toad__html_mark_here(j->o, toad__element_role(e), true, 0);
        return;
    }
    toad__frame *f = &h->stack[h->now.depth];
    *f = (toad__frame){ .tag = toad__name_id(&t->name),
                        .group = e ? e->closes : 0,
                        .flags = (unsigned char)flags,
                        .name_n = t->name.n < 8 ? (unsigned char)t->name.n : 0 };
    decide(j, t, h->now.depth ? toad__html_top(h) : &page, f);
    if (flags & (TOAD__EL_RAW | TOAD__EL_RCDATA)) {
        h->now.mode = TOAD__IN_RAW;
        h->now.raw = t->name;
        h->now.raw_flags = (unsigned char)flags;
        h->now.raw_reason = t->is_json_ld ? TOAD__HIDDEN_JSON_LD : f->reason;
        h->now.raw_inert = t->other_medium || toad__html_reason(h) == TOAD__HIDDEN_NOSCRIPT ||
                           toad__html_reason(h) == TOAD__HIDDEN_TEMPLATE;
        return;
    }
    if (flags & TOAD__EL_FOREIGN) h->now.foreign = true;
    if (h->now.depth == TOAD__LIMIT_HTML_DEPTH) {
        h->now.beyond++;
        j->o->depth_limit = true;
        return;
    }
    if (j->o->want_marks && !f->reason) f->role = (unsigned char)toad__element_role(e);
    if (f->role) toad__html_mark_here(j->o, (toad__role)f->role, true, j->href);
    ++*toad__html_opened(h, f->tag);
    toad__keys *keys = &h->keys[h->now.depth];
    if (wants_keys(h))
        *keys = j->keys;
    else
        keys->n = keys->child = 0;
    keys->children = 0;
    h->now.depth++;
}

/* False: the rest must be presented again. */
static bool take_tag(job *j) {
    tag t = { .at = j->at };
    bool glue = j->glue;
    j->glue = j->styled = false;
    j->attrs_n = j->href = 0;
    size_t end = read_tag(j, &t);
    if (j->o->hidden.n == 0 || glue || t.cut) j->glue = glue;
    if (t.cut && (j->at || j->sure)) return false; /* else it is longer than the piece, and no element */
    if (!end) { /* the page ends inside a tag: a browser drops it, a model reads it */
        if (toad__element_find(&t.name)) j->o->tags++;
        hidden(j, TOAD__HIDDEN_MARKUP, j->at, j->in.n, false, false);
    }
    j->at = end ? end : j->in.n;
    if (end && t.closing)
        close_element(j, &t);
    else if (end) {
        t.element = toad__element_find(&t.name);
        open_element(j, &t);
    }
    return true;
}

/* ---- text that is no markup ---- */

static void on_css_text(void *ctx, toad_str s) {
    job *j = ctx;
    size_t from = (size_t)(s.p - j->in.p);
    j->glue = false;
    hidden(j, TOAD__HIDDEN_CSS_CONTENT, from, from + s.n, false, false);
}

static toad_str raw_name(const toad__html *h) { return toad__str(h->now.raw.word, h->now.raw.n); }
static bool is_raw_name(const toad__html *h, toad_str name) { return toad__str_eq(raw_name(h), name); }

static void raw_text(job *j, size_t from, size_t to) {
    toad__html *h = j->h;
    if (is_raw_name(h, TOAD__S("style"))) {
        unsigned before = h->sheet.n;
        toad__sheet_read(toad__str_part(j->in, from, to), h->now.raw_inert || h->now.sheets_known, &h->sheet,
                         on_css_text, j);
        h->now.late |= h->sheet.n > before && j->o->visible.n;
        return;
    }
    bool references = h->now.raw_flags & TOAD__EL_RCDATA;
    if (h->now.raw_reason == TOAD__HIDDEN_NOT) {
        put_decoded(j, &j->o->visible, &j->o->visible_map, from, to, references, false);
        return;
    }
    size_t pieces = j->o->pieces_n;
    hidden(j, (toad__hidden_reason)h->now.raw_reason, from, to, references, false);
    if (!j->o->title && j->o->pieces_n > pieces && h->now.raw_reason == TOAD__HIDDEN_TITLE && !h->now.foreign)
        j->o->title = j->o->pieces_n;
    j->glue = false;
}

/* Does the tag with this name, after `lead` bytes, begin at `lt`? */
static bool tag_at(const job *j, size_t lt, size_t lead, toad_str name) {
    if (!toad__str_ieq(toad__str_part(j->in, lt + lead, lt + lead + name.n), name)) return false;
    int after = lt + lead + name.n < j->in.n ? j->in.p[lt + lead + name.n] : -1;
    return after < 0 || toad__is_space(after) || after == '/' || after == '>';
}

/* A script in a comment in a script: its end tag does not end the script (the escaped states of the standard). `from`:
 * what has been looked at before. False: the end tag at `lt` is the script's own. */
static bool inside_script(job *j, size_t from, size_t lt) {
    toad__html *h = j->h;
    toad_str s = j->in;
    if (h->now.script && toad__str_find(toad__str_part(s, 0, lt), TOAD__S("-->"), from) < lt) h->now.script = 0;
    if (tag_at(j, lt, 2, TOAD__S("script")) && s.p[lt + 1] == '/') {
        if (h->now.script < 2) return false;
        h->now.script = 1;
    } else if (!h->now.script && toad__str_starts(toad__str_part(s, lt, s.n), TOAD__S("<!--"))) {
        h->now.script = 1;
    } else if (h->now.script == 1 && tag_at(j, lt, 1, TOAD__S("script"))) {
        h->now.script = 2;
    }
    return true;
}

/* Up to the element's own end tag, whatever stands between. Near the end of a piece a tag may be cut. */
static void take_raw(job *j) {
    toad__html *h = j->h;
    toad_str name = raw_name(h);
    bool script = is_raw_name(h, TOAD__S("script")), found = false;
    unsigned char escaped = h->now.script;
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
    if (j->sure && !found) {
        h->now.script = escaped;
        return;
    }
    if (script && h->now.script && !found && limit > seen &&
        toad__str_find(toad__str_part(j->in, 0, limit), TOAD__S("-->"), seen) < limit)
        h->now.script = 0;
    raw_text(j, from, limit);
    j->at = limit;
    if (!found) return;
    h->now.mode = TOAD__IN_DATA;
    h->now.script = 0;
}

/* <!-- ... --> and --!>; <!--> and <!---> end at once. Bogus comments end at the first '>'. */
static void take_comment(job *j, bool bogus) {
    size_t from = j->at, close = 1,
           end = bogus ? toad__str_find(j->in, TOAD__S(">"), from) : toad__comment_end(j->in, from, &close);
    bool found = end < j->in.n;
    j->h->now.mode = found ? TOAD__IN_DATA : bogus ? TOAD__IN_BOGUS : TOAD__IN_COMMENT;
    if (j->sure && !found) return;
    size_t to = found || j->last ? end : j->in.n - from > 64 ? j->in.n - 8 : from;
    hidden(j, TOAD__HIDDEN_COMMENT, from, to, false, false);
    j->glue = !found;
    j->at = found ? end + close : to;
}

/* Would this tag of Markdown, at '<', hide all that follows? Then it is text. *wait: more input may show its end. */
static bool hides_the_rest(job *j, bool *wait) {
    toad__name name;
    *wait = false;
    if (!j->h->now.markdown || j->at + 1 == j->in.n || !toad__is_alpha((unsigned char)j->in.p[j->at + 1])) return false;
    size_t end = toad__read_name(j->in, j->at + 1, &name);
    const toad__element *e = toad__element_find(&name);
    if (!e || !(e->reason || e->flags & (TOAD__EL_RAW | TOAD__EL_RCDATA))) return false;
    if (toad__ends_ahead(&j->ends, j->in, end, e)) return false;
    *wait = j->sure;
    return true;
}

/* At '<': a comment, a tag, or text. Returns false when the rest must be presented again. */
static bool take_markup(job *j) {
    toad__cur c = { j->in, j->at + 1 };
    int x = toad__cur_peek(&c, 0), y = toad__cur_peek(&c, 1);
    bool cut = !j->last && toad__cur_left(&c) < 9;
    if (cut && (j->at || j->sure)) return false;
    bool wait, is_text = !cut && hides_the_rest(j, &wait);
    if (is_text && wait) return false;
    if (!is_text && toad__is_alpha(x == '/' ? y : x)) return take_tag(j);
    if (x == '!' && toad__cur_looking_at(&c, TOAD__S("!--"))) {
        j->at += 4;
        j->o->tags++;
        size_t early = toad__str_starts(toad__str_part(j->in, j->at, j->in.n), TOAD__S(">"))    ? 1
                       : toad__str_starts(toad__str_part(j->in, j->at, j->in.n), TOAD__S("->")) ? 2
                                                                                                : 0;
        j->at += early;
        if (!early) take_comment(j, false);
        return true;
    }
    if (x == '!' || x == '?' || (x == '/' && y >= 0)) {
        j->at += 2;
        j->o->tags++;
        if (x == '/' && y == '>')
            j->at++;
        else
            take_comment(j, true);
        return true;
    }
    text(j, j->at, j->at + 1, false);
    j->at++;
    return true;
}

/* Where text that no '<' ends can be taken to: not beyond a reference that may be cut by the end of the piece. */
static size_t reference_end(const job *j) {
    size_t n = j->in.n, near = n > 40 && n - 40 > j->at ? n - 40 : j->at;
    if (j->last || n <= 40) return n;
    const char *amp = memchr(j->in.p + near, '&', n - near);
    return amp && amp > j->in.p + j->at ? (size_t)(amp - j->in.p) : n;
}

/* Where the text at j->at ends for now. */
static size_t text_end(const job *j) {
    const char *lt = memchr(j->in.p + j->at, '<', j->in.n - j->at);
    return lt ? (size_t)(lt - j->in.p) : reference_end(j);
}

/* Text that is seen, up to the next '<' that may begin markup. A reference never goes beyond one. */
static void take_seen(job *j) {
    toad__html_out *o = j->o;
    for (;;) {
        size_t from = j->at, stop = toad__seek(j->in, from, '<', '&');
        while (stop + 1 < j->in.n && j->in.p[stop] == '<' &&
               !(toad__ends[(unsigned char)j->in.p[stop + 1]] & TOAD__BEGINS_MARKUP))
            stop = toad__seek(j->in, stop + 1, '<', '&');
        if (stop > from) toad__html_put(&o->visible, &o->visible_map, toad__str_part(j->in, from, stop), from, stop);
        j->at = stop;
        if (stop == j->in.n || j->in.p[stop] == '<') break;
        char out[8];
        unsigned out_n = 0, used = toad__entity_at(j->in, stop, false, out, &out_n);
        toad_str meant = used ? toad__str(out, out_n) : TOAD__S("&");
        j->at += used ? used : 1;
        toad__html_put(&o->visible, &o->visible_map, meant, stop, j->at);
    }
    if (o->visible.status) failed(j, o->visible.status);
    if (o->visible_map.status) failed(j, o->visible_map.status);
}

/* Code of Markdown, or marks that begin none, is text as it stands. */
static bool take_code(job *j) {
    toad__html_state was = j->h->now;
    size_t end = toad__code_end(j->in, j->at, &j->h->now);
    if (j->sure && end == j->in.n) {
        j->h->now = was;
        return false;
    }
    text(j, j->at, end, false);
    j->at = end;
    return true;
}

/* The text of Markdown up to the next '<' or the next code, or that code. False: the rest must be presented again. */
static bool take_markdown(job *j) {
    toad__html_state *now = &j->h->now;
    if (now->fence) return take_code(j);
    if (j->lt <= j->at) j->lt = toad__str_find(j->in, TOAD__S("<"), j->at);
    size_t end = j->lt < j->in.n || j->last ? j->lt : reference_end(j);
    if (j->sure && end == j->in.n) return false;
    if (now->block) {
        size_t blank = toad__str_find(toad__str_part(j->in, 0, end), TOAD__S("\n\n"), j->at);
        now->block = blank == end;
        if (!now->block) end = blank + 2;
    } else
        end = toad__code_begins(j->in, j->at, end);
    if (end == j->at) return take_code(j);
    text(j, j->at, end, true);
    j->at = end;
    return true;
}

/* Text and what follows it. False: the rest must be presented again. */
static bool take_data(job *j) {
    if (j->h->now.markdown && (j->h->now.fence || j->in.p[j->at] != '<')) return take_markdown(j);
    if (j->last && !toad__html_reason(j->h))
        take_seen(j);
    else {
        size_t end = text_end(j);
        if (j->sure && (end == j->in.n || j->in.p[end] != '<')) return false;
        text(j, j->at, end, true);
        j->at = end;
    }
    if (j->at < j->in.n && j->in.p[j->at] == '<') return take_own_end(j) || take_markup(j);
    return j->at == j->in.n;
}

/* Returns where it stopped. */
static size_t feed(toad__html *h, toad_str piece, bool last, bool sure, toad__html_out *out) {
    job j;
    j.h = h;
    j.o = out;
    j.in = piece;
    j.at = h->now.sure;
    j.last = last;
    j.sure = sure;
    j.glue = h->now.sure && h->now.glue;
    j.styled = false;
    j.attrs_n = 0;
    j.ends = (toad__open_ends){ 0 };
    j.lt = 0;
    while (j.at < piece.n && !out->status) {
        size_t before = j.at;
        unsigned mode = h->now.mode;
        if (h->now.mode == TOAD__IN_RAW)
            take_raw(&j);
        else if (h->now.mode == TOAD__IN_DATA) {
            if (!take_data(&j)) break;
        } else
            take_comment(&j, h->now.mode == TOAD__IN_BOGUS);
        if (j.at > before || h->now.mode != mode || last) continue; /* the end of an empty element is progress, too */
        if (before || sure) break;
        j.last = true; /* a token longer than the piece is taken in parts */
    }
    assert(j.at <= piece.n && (!last || out->status || j.at == piece.n));
    h->now.glue = j.glue;
    return j.at;
}

void toad__html_feed_sure(toad__html *h, toad_str piece, toad__html_out *out) {
    h->now.sure = feed(h, piece, false, true, out);
}

size_t toad__html_feed(toad__html *h, toad_str piece, bool last, toad__html_out *out) {
    size_t taken = feed(h, piece, last, false, out);
    if (out->status && !last) taken = piece.n;
    h->now.base += taken;
    h->now.sure = 0;
    return taken;
}
