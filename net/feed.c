/* feed.c - see feed.h.
 *
 * A feed is flat: root, perhaps a channel, entries, their elements. So there is no stack: what is not looked for is
 * passed over whole, and an element that never ends takes the rest of the feed with it, nothing else. Names count with
 * the prefix of their entry, so that media:title is no title. */
#include "net/feed.h"

#include "lib/base/json.h"
#include "lib/html/markup.h"
#include "net/visible.h"

const char *toad__feed_format_name(toad__feed_format f) {
    static const char *const names[] = {
        [TOAD__FEED_RSS] = "rss", [TOAD__FEED_RDF] = "rdf", [TOAD__FEED_ATOM] = "atom", [TOAD__FEED_JSON] = "json"
    };
    return names[f];
}

/* ---- texts ---- */

/* How an element's content is written: as text, as HTML in escapes, as elements of XHTML. */
typedef enum content { PLAIN, ESCAPED, ELEMENTS } content;

static void add_as_html(toad__buf *out, toad_str s) {
    for (size_t i = 0; i < s.n; i++) {
        if (s.p[i] == '<' || s.p[i] == '&')
            toad__buf_add_z(out, s.p[i] == '<' ? "&lt;" : "&amp;");
        else
            toad__buf_add_c(out, s.p[i]);
    }
}

static void add_piece(const toad__markup *m, const toad__mark *mark, content how, toad__buf *out) {
    if (mark->type != TOAD__MARK_TEXT) {
        if (how != PLAIN) toad__buf_add_str(out, toad__str_part(m->in, mark->start, mark->end));
    } else if (how == ELEMENTS) {
        if (mark->literal)
            add_as_html(out, mark->text);
        else
            toad__buf_add_str(out, mark->text);
    } else if (mark->literal) {
        toad__buf_add_str(out, mark->text);
    } else {
        toad__markup_decode(m, mark->text, false, out);
    }
}

/* The content of an element: `*ret_raw` as it came, `*ret_text` as it is seen. */
static toad_status read_text(toad_str inner, content how, toad__arena *arena, toad_str *ret_raw, toad_str *ret_text) {
    toad__markup m;
    toad__mark mark;
    toad__buf out;
    toad__markup_init(&m, inner, true);
    toad__buf_init(&out, TOAD__VISIBLE_MAX);
    while (toad__markup_next(&m, &mark)) add_piece(&m, &mark, how, &out);
    toad_status status = toad__arena_keep(arena, &out, ret_raw);
    toad__buf_free(&out);
    if (status) return status;
    *ret_text = *ret_raw;
    return how == PLAIN ? TOAD_OK : toad__visible(*ret_raw, arena, ret_text);
}

/* ---- XML ---- */

typedef struct reader {
    toad__markup m;
    toad__arena *arena;
    toad__feed_format format;
    toad_str prefix, entry; /* of the entry's elements; its own name */
    bool in_entry, has_link;
    toad__headline now, instead; /* instead: what stands in for a missing title */
    toad__headline *list;
    size_t max, n;
    toad_status status;
} reader;

static toad_str prefix_of(toad_str name) {
    const char *colon = name.n ? memchr(name.p, ':', name.n) : NULL;
    return toad__str(name.p, colon ? (size_t)(colon - name.p) + 1 : 0);
}

static toad_str local_of(toad_str name) { return toad__str_part(name, prefix_of(name).n, name.n); }

static bool is_local(toad_str name, const char *local) { return toad__str_eq(local_of(name), toad__str_z(local)); }

static content content_of(const reader *r, const toad__mark *mark) {
    toad_str type;
    if (r->format != TOAD__FEED_ATOM) return ESCAPED;
    if (!toad__mark_attribute(&r->m, mark, "type", &type)) return PLAIN;
    return toad__str_eq(type, TOAD__S("xhtml")) ? ELEMENTS : toad__str_eq(type, TOAD__S("html")) ? ESCAPED : PLAIN;
}

static void take_text(reader *r, const toad__mark *mark, toad__headline *to) {
    content how = content_of(r, mark);
    toad_str inner = toad__markup_inner(&r->m, mark);
    if (to->text.n) return;
    r->status = read_text(inner, how, r->arena, &to->raw, &to->text);
}

/* Of Atom's links the one to the page itself. */
static void take_link(reader *r, const toad__mark *mark) {
    toad_str rel, href, raw;
    bool atom = toad__mark_attribute(&r->m, mark, "href", &href);
    bool page = !toad__mark_attribute(&r->m, mark, "rel", &rel) || toad__str_eq(rel, TOAD__S("alternate"));
    toad_str inner = toad__markup_inner(&r->m, mark);
    if (r->has_link || (atom && !page)) return;
    r->has_link = true;
    r->status = read_text(atom ? href : inner, PLAIN, r->arena, &raw, &r->now.url);
}

static void take_element(reader *r, const toad__mark *mark) {
    bool ours = toad__str_eq(prefix_of(mark->name), r->prefix);
    if (ours && is_local(mark->name, "title"))
        take_text(r, mark, &r->now);
    else if (ours && is_local(mark->name, "link"))
        take_link(r, mark);
    else if (ours && (is_local(mark->name, "description") || is_local(mark->name, "summary")))
        take_text(r, mark, &r->instead);
    else
        (void)toad__markup_inner(&r->m, mark);
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

static void begin_entry(reader *r, const toad__mark *mark) {
    end_entry(r);
    r->in_entry = !mark->empty;
    r->has_link = false;
    r->entry = mark->name;
    r->prefix = prefix_of(mark->name);
    r->now = r->instead = (toad__headline){ 0 };
}

static toad__feed_format format_of(toad_str name) {
    return is_local(name, "rss")    ? TOAD__FEED_RSS
           : is_local(name, "RDF")  ? TOAD__FEED_RDF
           : is_local(name, "feed") ? TOAD__FEED_ATOM
                                    : TOAD__FEED_NONE;
}

static void read_mark(reader *r, const toad__mark *mark) {
    bool entry = is_local(mark->name, r->format == TOAD__FEED_ATOM ? "entry" : "item");
    if (mark->type == TOAD__MARK_CLOSE) {
        if (r->in_entry && toad__str_eq(mark->name, r->entry)) end_entry(r);
    } else if (mark->type == TOAD__MARK_OPEN && entry) {
        begin_entry(r, mark);
    } else if (mark->type == TOAD__MARK_OPEN && r->in_entry) {
        take_element(r, mark);
    } else if (mark->type == TOAD__MARK_OPEN && !(r->format == TOAD__FEED_RSS && is_local(mark->name, "channel"))) {
        (void)toad__markup_inner(&r->m, mark);
    }
}

static toad_status read_xml(toad_str text, toad__arena *arena, toad__headline *list, size_t max, size_t *ret_n,
                            toad__feed_format *ret_format) {
    reader r = { .arena = arena, .list = list, .max = max };
    toad__mark mark = { 0 };
    toad__markup_init(&r.m, text, true);
    while (toad__markup_next(&r.m, &mark) && mark.type != TOAD__MARK_OPEN) {}
    if (mark.type == TOAD__MARK_OPEN) r.format = format_of(mark.name);
    while (r.format && !r.status && r.n < r.max && toad__markup_next(&r.m, &mark)) read_mark(&r, &mark);
    end_entry(&r);
    if (r.status) return r.status;
    *ret_format = r.m.declares ? TOAD__FEED_DECLARES : r.format;
    *ret_n = r.m.declares ? 0 : r.n;
    return TOAD_OK;
}

/* ---- JSON ---- */

static toad_status take_item(const toad__json *j, toad__arena *arena, toad__headline *ret) {
    static const char *const plain[] = { "title", "summary", "content_text" };
    *ret = (toad__headline){ .url = toad__json_get_text(j, "url") };
    if (!ret->url.n) ret->url = toad__json_get_text(j, "external_url");
    for (size_t i = 0; i < sizeof plain / sizeof *plain && !ret->raw.n; i++)
        ret->raw = toad__json_get_text(j, plain[i]);
    ret->text = ret->raw;
    if (ret->raw.n) return TOAD_OK;
    ret->raw = toad__json_get_text(j, "content_html");
    return ret->raw.n ? toad__visible(ret->raw, arena, &ret->text) : TOAD_OK;
}

static toad_status read_json(toad_str text, toad__arena *arena, toad__headline *list, size_t max, size_t *ret_n,
                             toad__feed_format *ret_format) {
    const toad__json *root;
    const char *expected;
    size_t at, n = 0;
    toad_status status = toad__json_parse(text, arena, &root, &at, &expected);
    if (status == TOAD_E_NOMEM) return status;
    toad_str version = status ? toad__str(NULL, 0) : toad__json_get_text(root, "version");
    if (!toad__str_starts(version, TOAD__S("https://jsonfeed.org/version/"))) return TOAD_OK;
    const toad__json *items = toad__json_get(root, "items");
    for (const toad__json *j = items ? items->child : NULL; j && n < max && !status; j = j->next)
        status = take_item(j, arena, &list[n++]);
    if (status) return status;
    *ret_format = TOAD__FEED_JSON;
    *ret_n = n;
    return TOAD_OK;
}

toad_status toad__feed_read(toad_str text, toad__arena *arena, toad__headline *list, size_t max, size_t *ret_n,
                            toad__feed_format *ret_format) {
    toad__feed_format format = TOAD__FEED_NONE;
    size_t n = 0, at = toad__str_starts(text, TOAD__S("\xef\xbb\xbf")) ? 3 : 0;
    while (at < text.n && toad__is_space((unsigned char)text.p[at])) at++;
    text = toad__str_part(text, at, text.n);
    bool json = text.n && text.p[0] == '{';
    toad_status status = (json ? read_json : read_xml)(text, arena, list, max, &n, &format);
    if (status) return status;
    *ret_n = n;
    *ret_format = format;
    return TOAD_OK;
}
