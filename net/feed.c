/* feed.c - see feed.h.
 *
 * A feed is flat: root, perhaps a channel, entries, their elements. So there is no stack: what is not looked for is
 * passed over whole, and an element that never ends takes the rest of the feed with it, nothing else. Names count with
 * the prefix of their entry, so that media:title is no title. */
#include "net/feed.h"

#include "lib/base/json.h"
#include "lib/html/markup.h"
#include "net/visible.h"

const char *bzr__feed_format_name(bzr__feed_format f) {
    static const char *const names[] = {
        [BZR__FEED_RSS] = "rss", [BZR__FEED_RDF] = "rdf", [BZR__FEED_ATOM] = "atom", [BZR__FEED_JSON] = "json"
    };
    return names[f];
}

/* ---- texts ---- */

/* How an element's content is written: as text, as HTML in escapes, as elements of XHTML. */
typedef enum content { PLAIN, ESCAPED, ELEMENTS } content;

static void add_as_html(bzr__buf *out, bzr_str s) {
    for (size_t i = 0; i < s.n; i++) {
        if (s.p[i] == '<' || s.p[i] == '&')
            bzr__buf_add_z(out, s.p[i] == '<' ? "&lt;" : "&amp;");
        else
            bzr__buf_add_c(out, s.p[i]);
    }
}

static void add_piece(const bzr__markup *m, const bzr__mark *mark, content how, bzr__buf *out) {
    if (mark->type != BZR__MARK_TEXT) {
        if (how != PLAIN) bzr__buf_add_str(out, bzr__str_part(m->in, mark->start, mark->end));
    } else if (how == ELEMENTS) {
        if (mark->literal)
            add_as_html(out, mark->text);
        else
            bzr__buf_add_str(out, mark->text);
    } else if (mark->literal) {
        bzr__buf_add_str(out, mark->text);
    } else {
        bzr__markup_decode(m, mark->text, false, out);
    }
}

/* The content of an element: `*ret_raw` as it came, `*ret_text` as it is seen. */
static bzr_status read_text(bzr_str inner, content how, bzr__arena *arena, bzr_str *ret_raw, bzr_str *ret_text) {
    bzr__markup m;
    bzr__mark mark;
    bzr__buf out;
    bzr__markup_init(&m, inner, true);
    bzr__buf_init(&out, BZR__VISIBLE_MAX);
    while (bzr__markup_next(&m, &mark)) add_piece(&m, &mark, how, &out);
    bzr_status status = bzr__arena_keep(arena, &out, ret_raw);
    bzr__buf_free(&out);
    if (status) return status;
    *ret_text = *ret_raw;
    return how == PLAIN ? BZR_OK : bzr__visible(*ret_raw, arena, ret_text);
}

/* ---- XML ---- */

typedef struct reader {
    bzr__markup m;
    bzr__arena *arena;
    bzr__feed_format format;
    bzr_str prefix, entry; /* of the entry's elements; its own name */
    bool in_entry, has_link;
    bzr__headline now, instead; /* instead: what stands in for a missing title */
    bzr__headline *list;
    size_t max, n;
    bzr_status status;
} reader;

static bzr_str prefix_of(bzr_str name) {
    const char *colon = name.n ? memchr(name.p, ':', name.n) : NULL;
    return bzr__str(name.p, colon ? (size_t)(colon - name.p) + 1 : 0);
}

static bzr_str local_of(bzr_str name) { return bzr__str_part(name, prefix_of(name).n, name.n); }

static bool is_local(bzr_str name, const char *local) { return bzr__str_eq(local_of(name), bzr__str_z(local)); }

static content content_of(const reader *r, const bzr__mark *mark) {
    bzr_str type;
    if (r->format != BZR__FEED_ATOM) return ESCAPED;
    if (!bzr__mark_attribute(&r->m, mark, "type", &type)) return PLAIN;
    return bzr__str_eq(type, BZR__S("xhtml")) ? ELEMENTS : bzr__str_eq(type, BZR__S("html")) ? ESCAPED : PLAIN;
}

static void take_text(reader *r, const bzr__mark *mark, bzr__headline *to) {
    content how = content_of(r, mark);
    bzr_str inner = bzr__markup_inner(&r->m, mark);
    if (to->text.n) return;
    r->status = read_text(inner, how, r->arena, &to->raw, &to->text);
}

/* Of Atom's links the one to the page itself. */
static void take_link(reader *r, const bzr__mark *mark) {
    bzr_str rel, href, raw;
    bool atom = bzr__mark_attribute(&r->m, mark, "href", &href);
    bool page = !bzr__mark_attribute(&r->m, mark, "rel", &rel) || bzr__str_eq(rel, BZR__S("alternate"));
    bzr_str inner = bzr__markup_inner(&r->m, mark);
    if (r->has_link || (atom && !page)) return;
    r->has_link = true;
    r->status = read_text(atom ? href : inner, PLAIN, r->arena, &raw, &r->now.url);
}

static void take_element(reader *r, const bzr__mark *mark) {
    bool ours = bzr__str_eq(prefix_of(mark->name), r->prefix);
    if (ours && is_local(mark->name, "title"))
        take_text(r, mark, &r->now);
    else if (ours && is_local(mark->name, "link"))
        take_link(r, mark);
    else if (ours && (is_local(mark->name, "description") || is_local(mark->name, "summary")))
        take_text(r, mark, &r->instead);
    else
        (void)bzr__markup_inner(&r->m, mark);
}

static void end_entry(reader *r) {
    if (!r->in_entry || r->status) return;
    r->in_entry = false;
    if (!r->now.text.n) {
        r->now.text = r->instead.text;
        r->now.raw = r->instead.raw;
    }
    if (r->n < r->max) r->list[r->n++] = r->now;
}

static void begin_entry(reader *r, const bzr__mark *mark) {
    end_entry(r);
    r->in_entry = !mark->empty;
    r->has_link = false;
    r->entry = mark->name;
    r->prefix = prefix_of(mark->name);
    r->now = r->instead = (bzr__headline){ 0 };
}

static bzr__feed_format format_of(bzr_str name) {
    return is_local(name, "rss")    ? BZR__FEED_RSS
           : is_local(name, "RDF")  ? BZR__FEED_RDF
           : is_local(name, "feed") ? BZR__FEED_ATOM
                                    : BZR__FEED_NONE;
}

static void read_mark(reader *r, const bzr__mark *mark) {
    bool entry = is_local(mark->name, r->format == BZR__FEED_ATOM ? "entry" : "item");
    if (mark->type == BZR__MARK_CLOSE) {
        if (r->in_entry && bzr__str_eq(mark->name, r->entry)) end_entry(r);
    } else if (mark->type == BZR__MARK_OPEN && entry) {
        begin_entry(r, mark);
    } else if (mark->type == BZR__MARK_OPEN && r->in_entry) {
        take_element(r, mark);
    } else if (mark->type == BZR__MARK_OPEN && !(r->format == BZR__FEED_RSS && is_local(mark->name, "channel"))) {
        (void)bzr__markup_inner(&r->m, mark);
    }
}

static bzr_status read_xml(bzr_str text, bzr__arena *arena, bzr__headline *list, size_t max, size_t *ret_n,
                           bzr__feed_format *ret_format) {
    reader r = { .arena = arena, .list = list, .max = max };
    bzr__mark mark = { 0 };
    bzr__markup_init(&r.m, text, true);
    while (bzr__markup_next(&r.m, &mark) && mark.type != BZR__MARK_OPEN) {}
    if (mark.type == BZR__MARK_OPEN) r.format = format_of(mark.name);
    while (r.format && !r.status && r.n < r.max && bzr__markup_next(&r.m, &mark)) read_mark(&r, &mark);
    end_entry(&r);
    if (r.status) return r.status;
    *ret_format = r.m.declares ? BZR__FEED_DECLARES : r.format;
    *ret_n = r.m.declares ? 0 : r.n;
    return BZR_OK;
}

/* ---- JSON ---- */

static bzr_status take_item(const bzr__json *j, bzr__arena *arena, bzr__headline *ret) {
    static const char *const plain[] = { "title", "summary", "content_text" };
    *ret = (bzr__headline){ .url = bzr__json_get_text(j, "url") };
    if (!ret->url.n) ret->url = bzr__json_get_text(j, "external_url");
    for (size_t i = 0; i < sizeof plain / sizeof *plain && !ret->raw.n; i++) ret->raw = bzr__json_get_text(j, plain[i]);
    ret->text = ret->raw;
    if (ret->raw.n) return BZR_OK;
    ret->raw = bzr__json_get_text(j, "content_html");
    return ret->raw.n ? bzr__visible(ret->raw, arena, &ret->text) : BZR_OK;
}

static bzr_status read_json(bzr_str text, bzr__arena *arena, bzr__headline *list, size_t max, size_t *ret_n,
                            bzr__feed_format *ret_format) {
    const bzr__json *root;
    const char *expected;
    size_t at, n = 0;
    bzr_status status = bzr__json_parse(text, arena, &root, &at, &expected);
    if (status == BZR_E_NOMEM) return status;
    bzr_str version = status ? bzr__str(NULL, 0) : bzr__json_get_text(root, "version");
    if (!bzr__str_starts(version, BZR__S("https://jsonfeed.org/version/"))) return BZR_OK;
    const bzr__json *items = bzr__json_get(root, "items");
    for (const bzr__json *j = items ? items->child : NULL; j && n < max && !status; j = j->next)
        status = take_item(j, arena, &list[n++]);
    if (status) return status;
    *ret_format = BZR__FEED_JSON;
    *ret_n = n;
    return BZR_OK;
}

bzr_status bzr__feed_read(bzr_str text, bzr__arena *arena, bzr__headline *list, size_t max, size_t *ret_n,
                          bzr__feed_format *ret_format) {
    bzr__feed_format format = BZR__FEED_NONE;
    size_t n = 0, at = bzr__str_starts(text, BZR__S("\xef\xbb\xbf")) ? 3 : 0;
    while (at < text.n && bzr__is_space((unsigned char)text.p[at])) at++;
    text = bzr__str_part(text, at, text.n);
    bool json = text.n && text.p[0] == '{';
    bzr_status status = (json ? read_json : read_xml)(text, arena, list, max, &n, &format);
    if (status) return status;
    *ret_n = n;
    *ret_format = format;
    return BZR_OK;
}
