/* feed_page.c - see feed_page.h. */
#include "app/web/feed_page.h"

#include "lib/base/json.h"
#include "lib/base/str.h"
#include "lib/html/markup.h"

enum { ENTRY_MAX = 4 << 20 };

typedef enum part { TITLE, LINK, DATE, TEXT, PARTS } part;

typedef struct entry {
    bzr__buf parts[PARTS]; /* HTML, but LINK */
    bzr__buf html;
    bzr__entry_fn fn;
    void *ctx;
    bool any;
} entry;

static void add_escaped(bzr__buf *out, bzr_str s) {
    for (size_t i = 0; i < s.n; i++) {
        const char *as = s.p[i] == '&' ? "&amp;" : s.p[i] == '<' ? "&lt;" : s.p[i] == '"' ? "&quot;" : NULL;
        if (as)
            bzr__buf_add_z(out, as);
        else
            bzr__buf_add_c(out, s.p[i]);
    }
}

static void entry_init(entry *e, bzr__entry_fn fn, void *ctx) {
    *e = (entry){ .fn = fn, .ctx = ctx };
    for (int i = 0; i < PARTS; i++) bzr__buf_init(&e->parts[i], ENTRY_MAX);
    bzr__buf_init(&e->html, 6 * (size_t)ENTRY_MAX);
}

static void entry_free(entry *e) {
    for (int i = 0; i < PARTS; i++) bzr__buf_free(&e->parts[i]);
    bzr__buf_free(&e->html);
}

/* Give what was gathered and begin the next. */
static bzr_status give(entry *e, const char *heading) {
    bzr__buf *p = e->parts, *out = &e->html;
    bzr_status status = BZR_OK;
    if (e->any) {
        bzr__buf_clear(out);
        if (!strcmp(heading, "<h1>")) { /* the feed itself */
            bzr__buf_add_z(out, "<title>");
            bzr__buf_add_str(out, bzr__buf_str(&p[TITLE]));
            bzr__buf_add_z(out, "</title>");
        }
        bzr__buf_add_z(out, heading);
        if (p[LINK].n) bzr__buf_add_z(out, "<a href=\"");
        add_escaped(out, bzr__buf_str(&p[LINK]));
        if (p[LINK].n) bzr__buf_add_z(out, "\">");
        bzr__buf_add_str(out, p[TITLE].n ? bzr__buf_str(&p[TITLE]) : bzr__buf_str(&p[LINK]));
        bzr__buf_add_z(out, "</a></h2></h1><p>");
        bzr__buf_add_str(out, bzr__buf_str(&p[DATE]));
        bzr__buf_add_z(out, "</p><div>");
        bzr__buf_add_str(out, bzr__buf_str(&p[TEXT]));
        status = out->status;
        for (int i = 0; i < PARTS && !status; i++) status = p[i].status;
        if (!status) status = e->fn(e->ctx, bzr__buf_str(out));
    }
    for (int i = 0; i < PARTS; i++) bzr__buf_clear(&p[i]);
    e->any = false;
    return status;
}

/* ---- XML ---- */

static bool is_one_of(const bzr__markup *m, const bzr__mark *mark, const char *const *names) {
    for (; *names; names++)
        if (bzr__mark_is(m, mark, *names)) return true;
    return false;
}

static part part_of(const bzr__markup *m, const bzr__mark *mark) {
    static const char *const dates[] = { "pubDate", "published", "updated", "dc:date", NULL };
    static const char *const texts[] = { "description", "summary", "content", "content:encoded", "subtitle", NULL };
    if (bzr__mark_is(m, mark, "title")) return TITLE;
    if (bzr__mark_is(m, mark, "link")) return LINK;
    if (is_one_of(m, mark, dates)) return DATE;
    return is_one_of(m, mark, texts) ? TEXT : PARTS;
}

/* The texts of an element, references read. */
static void add_texts(bzr_str inner, bzr__buf *out) {
    bzr__markup m;
    bzr__mark mark;
    bzr__markup_init(&m, inner, true);
    while (bzr__markup_next(&m, &mark)) {
        if (mark.type != BZR__MARK_TEXT) continue;
        if (mark.literal)
            bzr__buf_add_str(out, mark.text);
        else
            bzr__markup_decode(&m, mark.text, false, out);
    }
}

static bool has_type(const bzr__markup *m, const bzr__mark *mark, const char *type) {
    bzr_str value;
    return bzr__mark_attribute(m, mark, "type", &value) && bzr__str_ieq(value, bzr__str_z(type));
}

static void add_link(entry *e, bzr__markup *m, const bzr__mark *mark) {
    bzr_str href, rel;
    if (e->parts[LINK].n) return;
    if (!bzr__mark_attribute(m, mark, "href", &href)) {
        add_texts(bzr__markup_inner(m, mark), &e->parts[LINK]);
        return;
    }
    if (bzr__mark_attribute(m, mark, "rel", &rel) && !bzr__str_ieq(rel, BZR__S("alternate"))) return;
    bzr__markup_decode(m, href, true, &e->parts[LINK]);
}

/* RSS says HTML and does not say so; Atom says what it has. The longer of several texts is kept, as readers do. */
static bzr_status add_part(entry *e, bzr__markup *m, const bzr__mark *mark, part which, bool atom) {
    bzr__buf words;
    bzr__buf *to = &e->parts[which];
    bzr_str inner = bzr__markup_inner(m, mark);
    bzr__buf_init(&words, ENTRY_MAX);
    if (atom && has_type(m, mark, "xhtml"))
        bzr__buf_add_str(&words, inner);
    else
        add_texts(inner, &words);
    bool html = !atom ? which != DATE : has_type(m, mark, "html") || has_type(m, mark, "xhtml");
    if (words.n > to->n && (which == TEXT || !to->n)) {
        bzr__buf_clear(to);
        if (html)
            bzr__buf_add_str(to, bzr__buf_str(&words));
        else
            add_escaped(to, bzr__buf_str(&words));
    }
    bzr_status status = words.status;
    bzr__buf_free(&words);
    return status;
}

/* Anywhere in the document: nothing is given of one that declares entities. */
static bool declares(bzr_str text) {
    bzr__markup m;
    bzr__mark mark;
    bzr__markup_init(&m, text, true);
    while (bzr__markup_next(&m, &mark)) continue;
    return m.declares;
}

static bzr_status read_xml(bzr_str text, entry *e, bool *ret) {
    bzr__markup m;
    bzr__mark mark;
    bool atom = false, inside = false;
    bzr_status status = BZR_OK;
    bzr__markup_init(&m, text, true);
    *ret = false;
    if (declares(text)) return BZR_OK;
    while (!status && bzr__markup_next(&m, &mark)) {
        bool starts = bzr__mark_is(&m, &mark, "item") || bzr__mark_is(&m, &mark, "entry");
        if (mark.type == BZR__MARK_CLOSE && starts) inside = false;
        if (mark.type != BZR__MARK_OPEN) continue;
        if (bzr__mark_is(&m, &mark, "feed")) atom = *ret = true;
        if (bzr__mark_is(&m, &mark, "rss") || bzr__mark_is(&m, &mark, "rdf:RDF")) *ret = true;
        if (!*ret) return BZR_OK;
        if (starts) {
            status = give(e, inside || e->html.n ? "<h2>" : "<h1>");
            inside = true;
            continue;
        }
        part which = part_of(&m, &mark);
        if (which == PARTS || mark.empty) {
            if (which == LINK && mark.empty) add_link(e, &m, &mark);
            continue;
        }
        e->any = true;
        if (which == LINK)
            add_link(e, &m, &mark);
        else
            status = add_part(e, &m, &mark, which, atom);
    }
    return status || !*ret ? status : give(e, e->html.n ? "<h2>" : "<h1>");
}

/* ---- JSON ---- */

static void take(entry *e, const bzr__json *from, const char *name, part which, bool html) {
    bzr_str s = bzr__json_get_text(from, name);
    if (!s.n || e->parts[which].n) return;
    e->any = true;
    if (html || which == LINK)
        bzr__buf_add_str(&e->parts[which], s);
    else
        add_escaped(&e->parts[which], s);
}

static bzr_status read_json(bzr_str text, entry *e, bool *ret) {
    bzr__arena arena;
    const bzr__json *root = NULL;
    size_t at;
    const char *expected;
    bzr__arena_init(&arena, 64 * text.n + 65536);
    bzr_status status = bzr__json_parse(text, &arena, &root, &at, &expected);
    *ret = !status && bzr__str_find(bzr__json_get_text(root, "version"), BZR__S("//jsonfeed.org/version/1"), 0) <
                          bzr__json_get_text(root, "version").n;
    if (status && status != BZR_E_NOMEM) status = BZR_OK; /* no JSON, or deeper than any feed */
    if (!status && *ret) {
        take(e, root, "title", TITLE, false);
        take(e, root, "home_page_url", LINK, false);
        take(e, root, "description", TEXT, false);
        status = give(e, "<h1>");
        const bzr__json *items = bzr__json_get(root, "items");
        bool list = items && items->type == BZR__JSON_ARRAY;
        for (const bzr__json *i = list ? items->child : NULL; i && !status; i = i->next) {
            take(e, i, "title", TITLE, false);
            take(e, i, "url", LINK, false);
            take(e, i, "date_published", DATE, false);
            take(e, i, "content_html", TEXT, true);
            take(e, i, "content_text", TEXT, false);
            take(e, i, "summary", TEXT, false);
            status = give(e, "<h2>");
        }
    }
    bzr__arena_free(&arena);
    return status;
}

bzr_status bzr__feed_each(bzr_str text, bzr__entry_fn fn, void *ctx, bool *ret) {
    entry e;
    size_t at = 0;
    while (at < text.n && bzr__is_space((unsigned char)text.p[at])) at++;
    entry_init(&e, fn, ctx);
    bzr_status status = at < text.n && text.p[at] == '{' ? read_json(text, &e, ret) : read_xml(text, &e, ret);
    entry_free(&e);
    return status;
}
