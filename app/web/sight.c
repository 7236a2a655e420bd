/* sight.c - see sight.h. */
#include "app/web/sight.h"

#include "app/scan/pdf.h"
#include "app/scan/scan.h"
#include "app/web/feed_page.h"
#include "lib/base/str.h"
#include "toadstone/html.h"

#include <stdio.h>

enum { OUT_MAX = 256 << 20, TITLE_MAX = 4096, IMAGE_MAX = 2048 };

static void add_reason(toad__sight *s, const char *reason) {
    for (size_t i = 0; i < s->reasons_n; i++)
        if (!strcmp(s->reasons[i], reason)) return;
    if (s->reasons_n < TOAD__REASONS_SHOWN) s->reasons[s->reasons_n++] = reason;
}

/* ---- HTML ---- */

/* Append what is seen of `html` to `shown`. */
static toad_status see_html(toad__sight *s, toad_str html) {
    toad_extract_options how = TOAD_EXTRACT_OPTIONS_INIT;
    toad_extracted *e;
    how.format = TOAD_FORMAT_HTML;
    how.render = TOAD_RENDER_MARKDOWN;
    toad_status status = toad_extract(html, &how, &e);
    if (status) return status;
    if (!s->name.n) toad__buf_add_str(&s->name, toad__str_part(toad_extracted_title(e), 0, TITLE_MAX));
    for (size_t i = 0; i < toad_extracted_hidden_count(e); i++) {
        toad_hidden h = toad_extracted_hidden(e, i);
        if (h.text.p != toad_extracted_title(e).p) add_reason(s, h.reason); /* a window shows its title */
    }
    s->complete = s->complete && toad_extracted_complete(e);
    toad__buf_add_str(&s->shown, toad_extracted_rendered(e));
    toad_extracted_free(e);
    return s->shown.status;
}

/* ---- feeds ---- */

static toad_status see_entry(void *ctx, toad_str html) {
    toad__sight *s = ctx;
    if (s->shown.n) toad__buf_add_c(&s->shown, '\n');
    return see_html(s, html);
}

/* ---- Markdown ---- */

/* Does a line of a fence of code begin here, after at most three blanks? */
static bool is_fence(toad_str line) {
    size_t at = 0;
    while (at < line.n && at < 3 && line.p[at] == ' ') at++;
    toad_str mark = toad__str_part(line, at, at + 3);
    return toad__str_eq(mark, TOAD__S("```")) || toad__str_eq(mark, TOAD__S("~~~"));
}

/* A definition, [label]: target 'title': where its target begins, or 0. Footnotes are seen. */
static size_t definition_target(toad_str line) {
    size_t at = 0;
    while (at < line.n && at < 3 && line.p[at] == ' ') at++;
    if (at + 1 >= line.n || line.p[at] != '[' || line.p[at + 1] == '^') return 0;
    size_t end = toad__str_find(line, TOAD__S("]:"), at);
    if (end == line.n) return 0;
    for (at = end + 2; at < line.n && (line.p[at] == ' ' || line.p[at] == '\t'); at++) continue;
    return at;
}

/* A definition is kept without its title, and not at all where it leads nowhere. True if something was left out. */
static bool add_definition(toad_str line, size_t target, toad__buf *out) {
    size_t end = target;
    while (end < line.n && !toad__is_space((unsigned char)line.p[end])) end++;
    toad_str url = toad__str_part(line, target, end), rest = toad__str_part(line, end, line.n);
    bool nowhere = !url.n || toad__str_eq(url, TOAD__S("#")) || toad__str_eq(url, TOAD__S("<>"));
    bool title = false;
    for (size_t i = 0; i < rest.n; i++) title |= !toad__is_space((unsigned char)rest.p[i]);
    if (!nowhere) toad__buf_add(out, line.p, end);
    if (!nowhere) toad__buf_add_c(out, '\n');
    return nowhere || title;
}

/* The bytes of an image, ![alt](target) or ![alt][label], at `at`; 0: none. */
static size_t image_length(toad_str s, size_t at) {
    toad_str part = toad__str_part(s, 0, at + IMAGE_MAX);
    if (at + 1 >= s.n || s.p[at] != '!' || s.p[at + 1] != '[' || (at && s.p[at - 1] == '\\')) return 0;
    size_t close = toad__str_find(part, TOAD__S("]"), at);
    if (close + 1 >= part.n || (s.p[close + 1] != '(' && s.p[close + 1] != '[')) return 0;
    size_t end = toad__str_find(part, s.p[close + 1] == '(' ? TOAD__S(")") : TOAD__S("]"), close + 2);
    return end < part.n ? end + 1 - at : 0;
}

/* A line outside of code without its images. */
static void add_line(toad__sight *s, toad_str line) {
    for (size_t at = 0; at < line.n;) {
        size_t mark = toad__str_find(line, TOAD__S("!["), at), image = mark < line.n ? image_length(line, mark) : 0;
        size_t end = mark < line.n ? mark + (image ? 0 : 2) : line.n;
        toad__buf_add(&s->shown, line.p + at, end - at);
        if (image) add_reason(s, "html:hidden(alt)");
        at = end + image;
    }
}

static toad_status see_markdown(toad__sight *s, toad_str all) {
    bool fenced = false, bare = false; /* bare: what follows is not at the start of a line */
    for (size_t at = 0; at < all.n && !s->shown.status;) {
        size_t end = toad__str_find(all, TOAD__S("\n"), at);
        end = end < all.n ? end + 1 : end;
        toad_str line = toad__str_part(all, at, end);
        if (!bare && is_fence(line)) fenced = !fenced;
        size_t open = fenced ? line.n : toad__str_find(line, TOAD__S("<!--"), 0);
        size_t target = fenced || bare || open < line.n ? 0 : definition_target(line);
        if (target) {
            if (add_definition(line, target, &s->shown)) add_reason(s, "html:hidden(comment)");
        } else if (fenced) {
            toad__buf_add_str(&s->shown, line);
        } else {
            add_line(s, toad__str_part(line, 0, open));
        }
        at += open;
        bare = open < line.n;
        if (!bare) continue;
        size_t close = toad__str_find(all, TOAD__S("-->"), at);
        add_reason(s, "html:hidden(comment)");
        at = close < all.n ? close + 3 : all.n;
    }
    if (!s->name.n && toad__str_starts(toad__buf_str(&s->shown), TOAD__S("# "))) {
        toad_str shown = toad__buf_str(&s->shown);
        size_t end = toad__str_find(shown, TOAD__S("\n"), 2);
        toad__buf_add_str(&s->name, toad__str_part(shown, 2, end < TITLE_MAX ? end : TITLE_MAX));
    }
    return s->shown.status;
}

static toad_status see_pdf(toad__sight *s, toad_str page, const char **why) {
    toad_status status = toad__pdf_page(page, &s->made, why);
    if (status || *why) return status;
    s->came = s->made.n ? toad__buf_str(&s->made) : TOAD__S("");
    return see_html(s, s->came);
}

/* ---- files in a file ---- */

toad_str toad__sight_name(toad_str url) {
    size_t end = 0, at = 0;
    for (; end < url.n && url.p[end] != '?' && url.p[end] != '#'; end++)
        if (url.p[end] == '/') at = end + 1;
    return toad__str_part(url, at, end);
}

static bool ends(toad_str name, const char *ending) {
    toad_str e = toad__str_z(ending);
    return name.n > e.n && toad__str_ieq(toad__str_part(name, name.n - e.n, name.n), e);
}

static void end_part(toad__sight *s) {
    while (s->shown.n && toad__is_space((unsigned char)s->shown.p[s->shown.n - 1])) s->shown.n--;
    if (s->shown.n) toad__buf_add_z(&s->shown, "\n\n");
}

static void add_heading(toad__sight *s, const toad__part *part) {
    end_part(s);
    if (!part->name.n && !part->closed) return;
    toad__buf_add_c(&s->shown, '[');
    toad__buf_add_str(&s->shown, part->name);
    if (part->closed) toad__buf_add_z(&s->shown, part->name.n ? ", not opened: " : "not opened: ");
    if (part->closed) toad__buf_add_z(&s->shown, part->closed);
    toad__buf_add_z(&s->shown, "]\n\n");
}

/* What a person sees of a part, below its name. */
static toad_status see_part(toad__sight *s, toad__part *part) {
    if (!part->label.n) part->label = TOAD__S("text/plain"); /* a page is UTF-8 */
    toad_status status = toad__part_read(part);
    bool page = ends(part->name, ".html"), markdown = ends(part->name, ".md");
    if (status) return status;
    if (!part->opened || part->closed) add_heading(s, part);
    if (part->opened) return s->shown.status;
    toad_str type = page ? TOAD__S("text/html") : markdown ? TOAD__S("text/markdown") : TOAD__S("text/plain");
    toad__page_type is = toad__sniff_text(part->text, type);
    if (is == TOAD__PAGE_HTML) return see_html(s, part->text);
    if (is == TOAD__PAGE_MARKDOWN) return see_markdown(s, part->text);
    if (is != TOAD__PAGE_BINARY) toad__buf_add_str(&s->shown, part->text);
    return s->shown.status;
}

/* Nothing but closed parts: the page was not read. */
static const char *why_unread(toad__sight *s, const char *closed) {
    toad__buf_clear(&s->made);
    toad__buf_add_z(&s->made, "the file was not opened: ");
    toad__buf_add(&s->made, closed, strlen(closed) + 1);
    return s->made.status ? closed : s->made.p;
}

static toad_status see_files(toad__sight *s, toad_str url, const char **why) {
    char count[64];
    const char *closed = NULL;
    size_t texts = 0, binary = 0;
    toad_status status = toad__container_open(toad__sight_name(url), s->came, toad__looks_binary, &s->parts);
    for (size_t i = 0; i < s->parts.n && !status; i++) {
        toad__part *part = &s->parts.rows[i];
        binary += part->binary;
        toad__buf_add_str(&s->made, part->name);
        toad__buf_add_c(&s->made, '\n');
        if (!part->binary) status = see_part(s, part);
        texts += !part->opened && part->text.n > 0;
        if (!closed) closed = part->closed;
    }
    if (status) return status;
    end_part(s);
    snprintf(count, sizeof count, "[%zu %s no text]\n", binary, binary == 1 ? "part is" : "parts are");
    if (binary) toad__buf_add_z(&s->shown, count);
    s->came = toad__buf_str(&s->made);
    if (!texts && closed) *why = why_unread(s, closed);
    return s->made.status ? s->made.status : s->shown.status;
}

/* ---- all types ---- */

static toad_status see(toad__page_type type, toad_str url, toad_str page, toad__sight *s, const char **why) {
    bool feed = false;
    toad_status status = TOAD_OK;
    if (type == TOAD__PAGE_HTML) return see_html(s, page);
    if (type == TOAD__PAGE_MARKDOWN) return see_markdown(s, page);
    if (type == TOAD__PAGE_PDF) return see_pdf(s, page, why);
    if (type == TOAD__PAGE_FILES) return see_files(s, url, why);
    bool object = type == TOAD__PAGE_TEXT && toad__str_starts(page, TOAD__S("{"));
    if (type == TOAD__PAGE_FEED || type == TOAD__PAGE_JSON || object)
        status = toad__feed_each(page, see_entry, s, &feed);
    if (!status && !feed) s->visible = page;
    return status;
}

toad_status toad__sight_of(toad__page_type type, toad_str url, toad_str page, toad__sight *ret, const char **why) {
    *ret = (toad__sight){ .came = page, .complete = true };
    toad__buf_init(&ret->made, OUT_MAX);
    toad__buf_init(&ret->shown, OUT_MAX);
    toad__buf_init(&ret->name, 2 * TITLE_MAX);
    *why = NULL;
    toad_status status = see(type, url, page, ret, why);
    if (!ret->visible.p) ret->visible = ret->shown.n ? toad__buf_str(&ret->shown) : TOAD__S("");
    ret->title = toad__buf_str(&ret->name);
    return status ? status : ret->name.status;
}

void toad__sight_free(toad__sight *s) {
    toad__parts_free(&s->parts);
    toad__buf_free(&s->made);
    toad__buf_free(&s->shown);
    toad__buf_free(&s->name);
}
