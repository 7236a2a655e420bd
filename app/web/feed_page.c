/* feed_page.c - see feed_page.h. */
#include "app/web/feed_page.h"

#include "lib/base/json.h"
#include "lib/base/str.h"
#include "lib/html/markup.h"

enum { ENTRY_MAX = 4 << 20 };

typedef enum part { TITLE, LINK, DATE, TEXT, PARTS } part;

typedef struct entry {
    toad__buf parts[PARTS]; /* HTML, but LINK */
    toad__buf html;
    toad__entry_fn fn;
    void *ctx;
    bool any;
} entry;

static void add_escaped(toad__buf *out, toad_str s) {
    for (size_t i = 0; i < s.n; i++) {
        const char *as = s.p[i] == '&' ? "&amp;" : s.p[i] == '<' ? "&lt;" : s.p[i] == '"' ? "&quot;" : NULL;
        if (as)
            toad__buf_add_z(out, as);
        else
            toad__buf_add_c(out, s.p[i]);
    }
}

static void entry_init(entry *e, toad__entry_fn fn, void *ctx) {
    *e = (entry){ .fn = fn, .ctx = ctx };
    for (int i = 0; i < PARTS; i++) toad__buf_init(&e->parts[i], ENTRY_MAX);
    toad__buf_init(&e->html, 6 * (size_t)ENTRY_MAX);
}

static void entry_free(entry *e) {
    for (int i = 0; i < PARTS; i++) toad__buf_free(&e->parts[i]);
    toad__buf_free(&e->html);
}

/* Give what was gathered and begin the next. */
static toad_status give(entry *e, const char *heading) {
    toad__buf *p = e->parts, *out = &e->html;
    toad_status status = TOAD_OK;
    if (e->any) {
        toad__buf_clear(out);
        if (!strcmp(heading, "<h1>")) { /* the feed itself */
            toad__buf_add_z(out, "<title>");
            toad__buf_add_str(out, toad__buf_str(&p[TITLE]));
            toad__buf_add_z(out, "</title>");
        }
        toad__buf_add_z(out, heading);
        if (p[LINK].n) toad__buf_add_z(out, "<a href=\"");
        add_escaped(out, toad__buf_str(&p[LINK]));
        if (p[LINK].n) toad__buf_add_z(out, "\">");
        toad__buf_add_str(out, p[TITLE].n ? toad__buf_str(&p[TITLE]) : toad__buf_str(&p[LINK]));
        toad__buf_add_z(out, "</a></h2></h1><p>");
        toad__buf_add_str(out, toad__buf_str(&p[DATE]));
        toad__buf_add_z(out, "</p><div>");
        toad__buf_add_str(out, toad__buf_str(&p[TEXT]));
        status = out->status;
        for (int i = 0; i < PARTS && !status; i++) status = p[i].status;
        if (!status) status = e->fn(e->ctx, toad__buf_str(out));
    }
    for (int i = 0; i < PARTS; i++) toad__buf_clear(&p[i]);
    e->any = false;
    return status;
}

/* ---- XML ---- */

static bool is_one_of(const toad__markup *m, const toad__mark *mark, const char *const *names) {
    for (; *names; names++)
        if (toad__mark_is(m, mark, *names)) return true;
    return false;
}

static part part_of(const toad__markup *m, const toad__mark *mark) {
    static const char *const dates[] = { "pubDate", "published", "updated", "dc:date", NULL };
    static const char *const texts[] = { "description", "summary", "content", "content:encoded", "subtitle", NULL };
    if (toad__mark_is(m, mark, "title")) return TITLE;
    if (toad__mark_is(m, mark, "link")) return LINK;
    if (is_one_of(m, mark, dates)) return DATE;
    return is_one_of(m, mark, texts) ? TEXT : PARTS;
}

/* The texts of an element, references read. */
static void add_texts(toad_str inner, toad__buf *out) {
    toad__markup m;
    toad__mark mark;
    toad__markup_init(&m, inner, true);
    while (toad__markup_next(&m, &mark)) {
        if (mark.type != TOAD__MARK_TEXT) continue;
        if (mark.literal)
            toad__buf_add_str(out, mark.text);
        else
            toad__markup_decode(&m, mark.text, false, out);
    }
}

static bool has_type(const toad__markup *m, const toad__mark *mark, const char *type) {
    toad_str value;
    return toad__mark_attribute(m, mark, "type", &value) && toad__str_ieq(value, toad__str_z(type));
}

static void add_link(entry *e, toad__markup *m, const toad__mark *mark) {
    toad_str href, rel;
    if (e->parts[LINK].n) return;
    if (!toad__mark_attribute(m, mark, "href", &href)) {
        add_texts(toad__markup_inner(m, mark), &e->parts[LINK]);
        return;
    }
    if (toad__mark_attribute(m, mark, "rel", &rel) && !toad__str_ieq(rel, TOAD__S("alternate"))) return;
    toad__markup_decode(m, href, true, &e->parts[LINK]);
}

/* RSS says HTML and does not say so; Atom says what it has. The longer of several texts is kept, as readers do. */
static toad_status add_part(entry *e, toad__markup *m, const toad__mark *mark, part which, bool atom) {
    toad__buf words;
    toad__buf *to = &e->parts[which];
    toad_str inner = toad__markup_inner(m, mark);
    toad__buf_init(&words, ENTRY_MAX);
    if (atom && has_type(m, mark, "xhtml"))
        toad__buf_add_str(&words, inner);
    else
        add_texts(inner, &words);
    bool html = !atom ? which != DATE : has_type(m, mark, "html") || has_type(m, mark, "xhtml");
    if (words.n > to->n && (which == TEXT || !to->n)) {
        toad__buf_clear(to);
        if (html)
            toad__buf_add_str(to, toad__buf_str(&words));
        else
            add_escaped(to, toad__buf_str(&words));
    }
    toad_status status = words.status;
    toad__buf_free(&words);
    return status;
}

/* Anywhere in the document: nothing is given of one that declares entities. */
static bool declares(toad_str text) {
    toad__markup m;
    toad__mark mark;
    toad__markup_init(&m, text, true);
    while (toad__markup_next(&m, &mark)) continue;
    return m.declares;
}

static toad_status read_xml(toad_str text, entry *e, bool *ret) {
    toad__markup m;
    toad__mark mark;
    bool atom = false, inside = false;
    toad_status status = TOAD_OK;
    toad__markup_init(&m, text, true);
    *ret = false;
    if (declares(text)) return TOAD_OK;
    while (!status && toad__markup_next(&m, &mark)) {
        bool starts = toad__mark_is(&m, &mark, "item") || toad__mark_is(&m, &mark, "entry");
        if (mark.type == TOAD__MARK_CLOSE && starts) inside = false;
        if (mark.type != TOAD__MARK_OPEN) continue;
        if (toad__mark_is(&m, &mark, "feed")) atom = *ret = true;
        if (toad__mark_is(&m, &mark, "rss") || toad__mark_is(&m, &mark, "rdf:RDF")) *ret = true;
        if (!*ret) return TOAD_OK;
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

static void take(entry *e, const toad__json *from, const char *name, part which, bool html) {
    toad_str s = toad__json_get_text(from, name);
    if (!s.n || e->parts[which].n) return;
    e->any = true;
    if (html || which == LINK)
        toad__buf_add_str(&e->parts[which], s);
    else
        add_escaped(&e->parts[which], s);
}

static toad_status read_json(toad_str text, entry *e, bool *ret) {
    toad__arena arena;
    const toad__json *root = NULL;
    size_t at;
    const char *expected;
    toad__arena_init(&arena, 64 * text.n + 65536);
    toad_status status = toad__json_parse(text, &arena, &root, &at, &expected);
    *ret = !status && toad__str_find(toad__json_get_text(root, "version"), TOAD__S("//jsonfeed.org/version/1"), 0) <
                          toad__json_get_text(root, "version").n;
    if (status && status != TOAD_E_NOMEM) status = TOAD_OK; /* no JSON, or deeper than any feed */
    if (!status && *ret) {
        take(e, root, "title", TITLE, false);
        take(e, root, "home_page_url", LINK, false);
        take(e, root, "description", TEXT, false);
        status = give(e, "<h1>");
        const toad__json *items = toad__json_get(root, "items");
        bool list = items && items->type == TOAD__JSON_ARRAY;
        for (const toad__json *i = list ? items->child : NULL; i && !status; i = i->next) {
            take(e, i, "title", TITLE, false);
            take(e, i, "url", LINK, false);
            take(e, i, "date_published", DATE, false);
            take(e, i, "content_html", TEXT, true);
            take(e, i, "content_text", TEXT, false);
            take(e, i, "summary", TEXT, false);
            status = give(e, "<h2>");
        }
    }
    toad__arena_free(&arena);
    return status;
}

toad_status toad__feed_each(toad_str text, toad__entry_fn fn, void *ctx, bool *ret) {
    entry e;
    size_t at = 0;
    while (at < text.n && toad__is_space((unsigned char)text.p[at])) at++;
    entry_init(&e, fn, ctx);
    toad_status status = at < text.n && text.p[at] == '{' ? read_json(text, &e, ret) : read_xml(text, &e, ret);
    entry_free(&e);
    return status;
}
