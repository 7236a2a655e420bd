/* sight.c - see sight.h. */
#include "app/web/sight.h"

#include "app/web/feed_page.h"
#include "app/web/pdf.h"
#include "bezoar/html.h"
#include "lib/base/str.h"

enum { OUT_MAX = 256 << 20, TITLE_MAX = 4096, IMAGE_MAX = 2048 };

static void add_reason(bzr__sight *s, const char *reason) {
    for (size_t i = 0; i < s->reasons_n; i++)
        if (!strcmp(s->reasons[i], reason)) return;
    if (s->reasons_n < BZR__REASONS_SHOWN) s->reasons[s->reasons_n++] = reason;
}

/* ---- HTML ---- */

/* Append what is seen of `html` to `shown`. */
static bzr_status see_html(bzr__sight *s, bzr_str html) {
    bzr_extract_options how = BZR_EXTRACT_OPTIONS_INIT;
    bzr_extracted *e;
    how.format = BZR_FORMAT_HTML;
    how.render = BZR_RENDER_MARKDOWN;
    bzr_status status = bzr_extract(html, &how, &e);
    if (status) return status;
    if (!s->name.n) bzr__buf_add_str(&s->name, bzr__str_part(bzr_extracted_title(e), 0, TITLE_MAX));
    for (size_t i = 0; i < bzr_extracted_hidden_count(e); i++) {
        bzr_hidden h = bzr_extracted_hidden(e, i);
        if (h.text.p != bzr_extracted_title(e).p) add_reason(s, h.reason); /* a window shows its title */
    }
    s->complete = s->complete && bzr_extracted_complete(e);
    bzr__buf_add_str(&s->shown, bzr_extracted_rendered(e));
    bzr_extracted_free(e);
    return s->shown.status;
}

/* ---- feeds ---- */

static bzr_status see_entry(void *ctx, bzr_str html) {
    bzr__sight *s = ctx;
    if (s->shown.n) bzr__buf_add_c(&s->shown, '\n');
    return see_html(s, html);
}

/* ---- Markdown ---- */

/* Does a line of a fence of code begin here, after at most three blanks? */
static bool is_fence(bzr_str line) {
    size_t at = 0;
    while (at < line.n && at < 3 && line.p[at] == ' ') at++;
    bzr_str mark = bzr__str_part(line, at, at + 3);
    return bzr__str_eq(mark, BZR__S("```")) || bzr__str_eq(mark, BZR__S("~~~"));
}

/* A definition, [label]: target 'title': where its target begins, or 0. Footnotes are seen. */
static size_t definition_target(bzr_str line) {
    size_t at = 0;
    while (at < line.n && at < 3 && line.p[at] == ' ') at++;
    if (at + 1 >= line.n || line.p[at] != '[' || line.p[at + 1] == '^') return 0;
    size_t end = bzr__str_find(line, BZR__S("]:"), at);
    if (end == line.n) return 0;
    for (at = end + 2; at < line.n && (line.p[at] == ' ' || line.p[at] == '\t'); at++) continue;
    return at;
}

/* A definition is kept without its title, and not at all where it leads nowhere. True if something was left out. */
static bool add_definition(bzr_str line, size_t target, bzr__buf *out) {
    size_t end = target;
    while (end < line.n && !bzr__is_space((unsigned char)line.p[end])) end++;
    bzr_str url = bzr__str_part(line, target, end), rest = bzr__str_part(line, end, line.n);
    bool nowhere = !url.n || bzr__str_eq(url, BZR__S("#")) || bzr__str_eq(url, BZR__S("<>"));
    bool title = false;
    for (size_t i = 0; i < rest.n; i++) title |= !bzr__is_space((unsigned char)rest.p[i]);
    if (!nowhere) bzr__buf_add(out, line.p, end);
    if (!nowhere) bzr__buf_add_c(out, '\n');
    return nowhere || title;
}

/* The bytes of an image, ![alt](target) or ![alt][label], at `at`; 0: none. */
static size_t image_length(bzr_str s, size_t at) {
    bzr_str part = bzr__str_part(s, 0, at + IMAGE_MAX);
    if (at + 1 >= s.n || s.p[at] != '!' || s.p[at + 1] != '[' || (at && s.p[at - 1] == '\\')) return 0;
    size_t close = bzr__str_find(part, BZR__S("]"), at);
    if (close + 1 >= part.n || (s.p[close + 1] != '(' && s.p[close + 1] != '[')) return 0;
    size_t end = bzr__str_find(part, s.p[close + 1] == '(' ? BZR__S(")") : BZR__S("]"), close + 2);
    return end < part.n ? end + 1 - at : 0;
}

/* A line outside of code without its images. */
static void add_line(bzr__sight *s, bzr_str line) {
    for (size_t at = 0; at < line.n;) {
        size_t mark = bzr__str_find(line, BZR__S("!["), at), image = mark < line.n ? image_length(line, mark) : 0;
        size_t end = mark < line.n ? mark + (image ? 0 : 2) : line.n;
        bzr__buf_add(&s->shown, line.p + at, end - at);
        if (image) add_reason(s, "html:hidden(alt)");
        at = end + image;
    }
}

static bzr_status see_markdown(bzr__sight *s, bzr_str all) {
    bool fenced = false, bare = false; /* bare: what follows is not at the start of a line */
    for (size_t at = 0; at < all.n && !s->shown.status;) {
        size_t end = bzr__str_find(all, BZR__S("\n"), at);
        end = end < all.n ? end + 1 : end;
        bzr_str line = bzr__str_part(all, at, end);
        if (!bare && is_fence(line)) fenced = !fenced;
        size_t open = fenced ? line.n : bzr__str_find(line, BZR__S("<!--"), 0);
        size_t target = fenced || bare || open < line.n ? 0 : definition_target(line);
        if (target) {
            if (add_definition(line, target, &s->shown)) add_reason(s, "html:hidden(comment)");
        } else if (fenced) {
            bzr__buf_add_str(&s->shown, line);
        } else {
            add_line(s, bzr__str_part(line, 0, open));
        }
        at += open;
        bare = open < line.n;
        if (!bare) continue;
        size_t close = bzr__str_find(all, BZR__S("-->"), at);
        add_reason(s, "html:hidden(comment)");
        at = close < all.n ? close + 3 : all.n;
    }
    if (bzr__str_starts(bzr__buf_str(&s->shown), BZR__S("# "))) {
        bzr_str shown = bzr__buf_str(&s->shown);
        size_t end = bzr__str_find(shown, BZR__S("\n"), 2);
        bzr__buf_add_str(&s->name, bzr__str_part(shown, 2, end < TITLE_MAX ? end : TITLE_MAX));
    }
    return s->shown.status;
}

/* ---- all types ---- */

static bzr_status see_pdf(bzr__sight *s, bzr_str page, const char **why) {
    bzr_status status = bzr__pdf_page(page, &s->made, why);
    if (status || *why) return status;
    s->came = s->made.n ? bzr__buf_str(&s->made) : BZR__S("");
    return see_html(s, s->came);
}

static bzr_status see(bzr__page_type type, bzr_str page, bzr__sight *s, const char **why) {
    bool feed = false;
    bzr_status status = BZR_OK;
    if (type == BZR__PAGE_HTML) return see_html(s, page);
    if (type == BZR__PAGE_MARKDOWN) return see_markdown(s, page);
    if (type == BZR__PAGE_PDF) return see_pdf(s, page, why);
    bool object = type == BZR__PAGE_TEXT && bzr__str_starts(page, BZR__S("{"));
    if (type == BZR__PAGE_FEED || type == BZR__PAGE_JSON || object) status = bzr__feed_each(page, see_entry, s, &feed);
    if (!status && !feed) s->visible = page;
    return status;
}

bzr_status bzr__sight_of(bzr__page_type type, bzr_str page, bzr__sight *ret, const char **why) {
    *ret = (bzr__sight){ .came = page, .complete = true };
    bzr__buf_init(&ret->made, OUT_MAX);
    bzr__buf_init(&ret->shown, OUT_MAX);
    bzr__buf_init(&ret->name, 2 * TITLE_MAX);
    *why = NULL;
    bzr_status status = see(type, page, ret, why);
    if (!ret->visible.p) ret->visible = ret->shown.n ? bzr__buf_str(&ret->shown) : BZR__S("");
    ret->title = bzr__buf_str(&ret->name);
    return status ? status : ret->name.status;
}

void bzr__sight_free(bzr__sight *s) {
    bzr__buf_free(&s->made);
    bzr__buf_free(&s->shown);
    bzr__buf_free(&s->name);
}
