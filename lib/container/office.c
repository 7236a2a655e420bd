/* office.c - the text in the XML of office documents (Office Open XML, ECMA-376; OpenDocument, ISO 26300) as HTML.
 *
 * One reader for all their parts: a text is a text wherever it stands, an element that ends a paragraph, a cell or a
 * row ends one here, and what attributes say in words (alternative texts, names of pictures, targets of links) is text
 * that is not seen. A run of a document that is marked as hidden, white or tinier than anybody reads is hidden here as
 * well. Cost: one pass. */
#include "lib/container/unpack.h"
#include "lib/html/markup.h"
#include "lib/text/encoding.h"

/* Names of elements behind their prefix. */
static bool is_one_of(toad_str name, const char *words) {
    size_t colon = toad__str_find(name, TOAD__S(":"), 0);
    if (colon < name.n) name = toad__str_part(name, colon + 1, name.n);
    return toad__str_is_one_of(name, words);
}

static void add_escaped(toad__buf *out, toad_str s) {
    for (size_t i = 0; i < s.n; i++) {
        if (s.p[i] == '<')
            toad__buf_add_z(out, "&lt;");
        else if (s.p[i] == '&')
            toad__buf_add_z(out, "&amp;");
        else
            toad__buf_add_c(out, s.p[i]);
    }
}

static void add_text(toad__markup *m, toad_str raw, bool attribute, toad__buf *out) {
    toad__buf text;
    toad__buf_init(&text, 4 * raw.n + 16);
    toad__markup_decode(m, raw, attribute, &text);
    if (text.n) add_escaped(out, toad__buf_str(&text));
    if (text.status && !out->status) out->status = text.status;
    toad__buf_free(&text);
}

/* The values of all attributes that hold several words, or lead somewhere. */
static void add_attributes(toad__markup *m, const toad__mark *mark, toad__buf *out) {
    toad__cur c = toad__cur_of(mark->attributes);
    while (toad__cur_find(&c, '=')) {
        toad__cur_skip(&c, 1);
        toad__cur_skip_space(&c);
        int quote = toad__cur_next(&c);
        size_t from = c.at;
        if (quote != '"' && quote != '\'') continue;
        toad__cur_find(&c, (char)quote);
        toad_str value = toad__str_part(c.s, from, c.at);
        toad__cur_skip(&c, 1);
        bool words = toad__str_find(toad__str_trim(value), TOAD__S(" "), 0) < toad__str_trim(value).n;
        if (!words && !toad__str_starts(value, TOAD__S("http"))) continue;
        if (toad__str_find(value, TOAD__S("://schemas."), 0) < value.n || toad__str_starts(value, TOAD__S("urn:")))
            continue;
        toad__buf_add_z(out, "<span hidden>");
        add_text(m, value, true, out);
        toad__buf_add_z(out, "</span>\n");
    }
}

/* Does this property of a run keep people from seeing it? */
static bool hides(toad__markup *m, const toad__mark *mark) {
    toad_str value = { NULL, 0 };
    bool has = toad__mark_attribute(m, mark, "w:val", &value);
    if (toad__mark_is(m, mark, "w:vanish") || toad__mark_is(m, mark, "w:webHidden"))
        return !has || !toad__str_is_one_of(value, "0 false off none");
    if (toad__mark_is(m, mark, "w:color")) return has && toad__str_ieq(value, TOAD__S("FFFFFF"));
    if (toad__mark_is(m, mark, "w:sz")) return has && value.n == 1 && value.p[0] >= '0' && value.p[0] <= '8';
    return false;
}

typedef struct writer {
    toad__markup m;
    toad__buf *out;
    bool hidden, shown_hidden; /* the run is; a span for it is open */
} writer;

static void end_hidden(writer *w) {
    if (w->shown_hidden) toad__buf_add_z(w->out, "</span>");
    w->hidden = w->shown_hidden = false;
}

static void add_mark(writer *w, const toad__mark *mark) {
    static const char blocks[] =
        "p h row si tr comment tc c table-row table-cell list-item sst sheet br tab s line-break";
    if (mark->type == TOAD__MARK_TEXT) {
        if (w->hidden && !w->shown_hidden) toad__buf_add_z(w->out, "<span hidden>");
        w->shown_hidden = w->hidden;
        add_text(&w->m, mark->text, false, w->out);
        return;
    }
    bool open = mark->type == TOAD__MARK_OPEN;
    if (is_one_of(mark->name, "r")) end_hidden(w);
    if (open && hides(&w->m, mark)) w->hidden = true;
    if (open) add_attributes(&w->m, mark, w->out);
    if (open && !mark->empty) return;
    if (!is_one_of(mark->name, blocks)) return;
    bool apart = is_one_of(mark->name, "p h row si tr comment table-row list-item");
    toad__buf_add_z(w->out, apart ? "<p>\n" : " ");
}

bool toad__office_text(toad_str xml, toad__buf *out) {
    writer w = { .out = out };
    toad__mark mark;
    toad__buf utf8;
    const char *encoding;
    toad__buf_init(&utf8, 2 * xml.n + 16);
    toad_status status = toad__to_utf8(xml, &utf8, NULL, &encoding);
    toad__markup_init(&w.m, encoding ? toad__buf_str(&utf8) : xml, true);
    toad__buf_add_z(out, "<p>\n");
    while (!out->status && toad__markup_next(&w.m, &mark)) add_mark(&w, &mark);
    end_hidden(&w);
    toad__buf_free(&utf8);
    if (status && !out->status) out->status = status;
    return !w.m.declares;
}
