/* pdf.c - see pdf.h. pdftohtml gives each run of text with its place, size and color, twice: with and without what is
 * drawn invisibly. pdftoppm gives the pages in gray, one pixel a point, so that a run's box can be looked at. */
#include "app/scan/pdf.h"

#include "app/host/tool.h"
#include "lib/base/arena.h"
#include "lib/base/str.h"
#include "lib/html/markup.h"
#include "lib/html/style.h"

#include <stdlib.h>

enum {
    DEADLINE_MS = 15000,
    PAGES_RENDERED = 100,
    XML_MAX = 64 << 20,
    IMAGES_MAX = 160 << 20,
    INFO_MAX = 1 << 20,
    FONTS = 4096,
    SIZE_LEAST = 4,
    INK = 24, /* levels of gray between a letter and its ground */
    DARK = 160
};

typedef struct font {
    double size;
    uint32_t color;
} font;

typedef struct run {
    unsigned page;
    int top, left, width, height;
    font font;
    size_t text, end; /* in `texts` */
    uint64_t key;
    bool unseen;        /* only among the runs that are drawn invisibly */
    const char *hidden; /* the style that hides it, or NULL */
} run;

typedef struct sheet {
    int width, height;
    const unsigned char *gray; /* NULL: not rendered */
    bool has_seen;
} sheet;

typedef struct document {
    toad__buf texts;
    run *runs;
    size_t runs_n, runs_cap;
    sheet *sheets;
    size_t sheets_n, sheets_cap;
    font fonts[FONTS];
    toad_status status;
} document;

static void document_init(document *d) {
    *d = (document){ .status = TOAD_OK };
    toad__buf_init(&d->texts, XML_MAX);
}

static void document_free(document *d) {
    toad__buf_free(&d->texts);
    free(d->runs);
    free(d->sheets);
}

static void *grown(document *d, void *array, size_t n, size_t *cap, size_t size) {
    if (n < *cap) return array;
    size_t wanted = *cap ? *cap * 2 : 64;
    void *more = realloc(array, wanted * size);
    if (more)
        *cap = wanted;
    else
        d->status = TOAD_E_NOMEM;
    return more ? more : array;
}

/* ---- what pdftohtml says ---- */

static double number(const toad__markup *m, const toad__mark *mark, const char *name) {
    toad_str s;
    char digits[32] = "";
    if (!toad__mark_attribute(m, mark, name, &s)) return 0;
    memcpy(digits, s.p, s.n < sizeof digits - 1 ? s.n : sizeof digits - 1);
    double v = strtod(digits, NULL);
    return v > -1e6 && v < 1e6 ? v : 0;
}

static int whole(const toad__markup *m, const toad__mark *mark, const char *name) { return (int)number(m, mark, name); }

static uint32_t color_of(const toad__markup *m, const toad__mark *mark) {
    toad_str s;
    uint32_t v = 0;
    if (!toad__mark_attribute(m, mark, "color", &s) || s.n != 7) return 0xFF000000u;
    for (size_t i = 1; i < 7; i++) v = v << 4 | (uint32_t)(toad__hex_value((unsigned char)s.p[i]) & 15);
    return 0xFF000000u | v;
}

static uint64_t key_of(const run *r, toad_str raw) {
    uint64_t h = 14695981039346656037u;
    const int place[] = { (int)r->page, r->top, r->left };
    for (size_t i = 0; i < sizeof place; i++) h = (h ^ ((const unsigned char *)place)[i]) * 1099511628211u;
    for (size_t i = 0; i < raw.n; i++) h = (h ^ (unsigned char)raw.p[i]) * 1099511628211u;
    return h;
}

/* The words of a run, without the <b>, <i> and <a> around them. */
static void add_words(document *d, toad_str raw) {
    toad__markup m;
    toad__mark mark;
    toad__markup_init(&m, raw, true);
    while (toad__markup_next(&m, &mark))
        if (mark.type == TOAD__MARK_TEXT) toad__markup_decode(&m, mark.text, false, &d->texts);
}

static void add_run(document *d, toad__markup *m, const toad__mark *mark) {
    d->runs = grown(d, d->runs, d->runs_n, &d->runs_cap, sizeof *d->runs);
    if (d->status || !d->sheets_n) return;
    run r = { .page = (unsigned)d->sheets_n - 1,
              .top = whole(m, mark, "top"),
              .left = whole(m, mark, "left"),
              .width = whole(m, mark, "width"),
              .height = whole(m, mark, "height"),
              .text = d->texts.n };
    int id = whole(m, mark, "font");
    r.font = d->fonts[id >= 0 && id < FONTS ? id : 0];
    toad_str raw = toad__markup_inner(m, mark);
    add_words(d, raw);
    r.end = d->texts.n;
    if (toad__str_is_blank(toad__str_part(toad__buf_str(&d->texts), r.text, r.end)))
        return; /* it leaves no trace anyway */
    r.key = key_of(&r, raw);
    d->runs[d->runs_n++] = r;
}

static void add_sheet(document *d, const toad__markup *m, const toad__mark *mark) {
    d->sheets = grown(d, d->sheets, d->sheets_n, &d->sheets_cap, sizeof *d->sheets);
    sheet s = { whole(m, mark, "width"), whole(m, mark, "height"), NULL, false };
    if (!d->status) d->sheets[d->sheets_n++] = s;
}

static void read_runs(document *d, toad_str xml) {
    toad__markup m;
    toad__mark mark;
    toad__markup_init(&m, xml, true);
    while (!d->status && toad__markup_next(&m, &mark)) {
        if (mark.type != TOAD__MARK_OPEN) continue;
        if (toad__mark_is(&m, &mark, "page")) add_sheet(d, &m, &mark);
        if (toad__mark_is(&m, &mark, "text")) add_run(d, &m, &mark);
        int id = toad__mark_is(&m, &mark, "fontspec") ? whole(&m, &mark, "id") : -1;
        if (id >= 0 && id < FONTS) d->fonts[id] = (font){ number(&m, &mark, "size"), color_of(&m, &mark) };
    }
    if (!d->status) d->status = d->texts.status;
}

static int by_key(const void *a, const void *b) {
    uint64_t x = ((const run *)a)->key, y = ((const run *)b)->key;
    return x < y ? -1 : x > y;
}

/* What is not among the runs that are seen is drawn invisibly. */
static void mark_unseen(document *all, document *seen) {
    if (seen->runs_n) qsort(seen->runs, seen->runs_n, sizeof *seen->runs, by_key);
    for (size_t i = 0; i < all->runs_n; i++) {
        run *r = &all->runs[i];
        r->unseen = !seen->runs_n || !bsearch(r, seen->runs, seen->runs_n, sizeof *r, by_key);
        if (!r->unseen) all->sheets[r->page].has_seen = true;
    }
}

/* ---- what the page looks like ---- */

static size_t decimal(toad_str s, size_t *at) {
    size_t v = 0;
    while (*at < s.n && toad__is_space((unsigned char)s.p[*at])) ++*at;
    for (; *at < s.n && toad__is_digit((unsigned char)s.p[*at]) && v < 1 << 20; ++*at)
        v = v * 10 + (size_t)(s.p[*at] - '0');
    return v;
}

/* One gray map after the other (P5, width, height, 255, pixels). A page of another size than its text is not used. */
static void read_images(document *d, toad_str maps) {
    size_t at = 0;
    for (size_t i = 0; i < d->sheets_n && at + 2 < maps.n && maps.p[at] == 'P' && maps.p[at + 1] == '5'; i++) {
        at += 2;
        size_t width = decimal(maps, &at), height = decimal(maps, &at), most = decimal(maps, &at);
        at++;
        if (most != 255 || !width || !height || at > maps.n || height > (maps.n - at) / width) return;
        sheet *s = &d->sheets[i];
        int dx = (int)width - s->width, dy = (int)height - s->height;
        if (dx >= -1 && dx <= 1 && dy >= -1 && dy <= 1) {
            s->gray = (const unsigned char *)maps.p + at;
            s->width = (int)width;
            s->height = (int)height;
        }
        at += width * height;
    }
}

typedef struct ink {
    int darkest, lightest, ground; /* ground: what most pixels are */
} ink;

static int within(int v, int most) { return v < 0 ? 0 : v > most ? most : v; }

static ink look_at(const sheet *s, const run *r) {
    size_t count[256] = { 0 }, pixels = 0, sum = 0;
    int x0 = within(r->left, s->width), x1 = within(r->left + r->width + 1, s->width);
    int y0 = within(r->top, s->height), y1 = within(r->top + r->height + 1, s->height);
    ink seen = { 255, 0, 255 };
    for (int y = y0; y < y1; y++)
        for (int x = x0; x < x1; x++) {
            count[s->gray[(size_t)y * (size_t)s->width + (size_t)x]]++;
            pixels++;
        }
    for (int v = 0; v < 256; v++) {
        if (!count[v]) continue;
        if (v < seen.darkest) seen.darkest = v;
        if (v > seen.lightest) seen.lightest = v;
        if (sum * 2 <= pixels) seen.ground = v;
        sum += count[v];
    }
    return seen;
}

static bool leaves_trace(const sheet *s, const run *r, bool pale) {
    if (!s->gray) return !pale;
    ink seen = look_at(s, r);
    return seen.lightest - seen.darkest >= INK && (!pale || seen.ground < DARK);
}

static const char *style_of(const sheet *s, const run *r) {
    bool pale = toad__style_same_color(r->font.color, 0xFFFFFFFFu);
    if (r->left + r->width <= 0 || r->top + r->height <= 0 || r->left >= s->width || r->top >= s->height)
        return "position:absolute;left:-9999px";
    if (r->font.size < SIZE_LEAST) return "font-size:1px";
    if (r->unseen && (s->has_seen || !s->gray)) return "visibility:hidden";
    if (leaves_trace(s, r, pale)) return NULL;
    return pale ? "color:#fff" : "visibility:hidden";
}

static void judge_runs(document *d) {
    for (size_t i = 0; i < d->runs_n; i++) d->runs[i].hidden = style_of(&d->sheets[d->runs[i].page], &d->runs[i]);
}

/* ---- the page that shows the same ---- */

static void add_escaped(toad__buf *out, toad_str s) {
    for (size_t i = 0; i < s.n; i++) {
        char c = s.p[i];
        if (c == '&')
            toad__buf_add_z(out, "&amp;");
        else if (c == '<')
            toad__buf_add_z(out, "&lt;");
        else if (c == '"')
            toad__buf_add_z(out, "&quot;");
        else
            toad__buf_add_c(out, c);
    }
}

/* The size that most letters have. */
static double body_size(const document *d) {
    size_t count[64] = { 0 };
    int best = 0;
    for (size_t i = 0; i < d->runs_n; i++) {
        int size = within((int)d->runs[i].font.size, 63);
        if (!d->runs[i].hidden) count[size] += d->runs[i].end - d->runs[i].text;
        if (count[size] > count[best]) best = size;
    }
    return best;
}

static bool same_paragraph(const run *last, const run *r) {
    if (!last || last->page != r->page || (int)last->font.size != (int)r->font.size) return false;
    int down = r->top - last->top, height = last->height > 0 ? last->height : 1;
    return down > -height / 2 && down * 4 <= height * 7;
}

static void add_page(const document *d, toad__buf *out) {
    const run *last = NULL;
    double body = body_size(d);
    bool heading = false;
    for (size_t i = 0; i < d->runs_n; i++) {
        const run *r = &d->runs[i];
        toad_str words = toad__str_part(toad__buf_str(&d->texts), r->text, r->end);
        if (r->hidden) {
            toad__buf_add_z(out, "<span style=\"");
            toad__buf_add_z(out, r->hidden);
            toad__buf_add_z(out, "\">");
            add_escaped(out, words);
            toad__buf_add_z(out, "</span>\n");
            continue;
        }
        if (!same_paragraph(last, r)) {
            if (last) toad__buf_add_z(out, heading ? "</h2>\n" : "</p>\n");
            heading = r->font.size > body * 1.2;
            toad__buf_add_z(out, heading ? "<h2>" : "<p>");
        } else {
            toad__buf_add_c(out, '\n');
        }
        add_escaped(out, words);
        last = r;
    }
    if (last) toad__buf_add_z(out, heading ? "</h2>\n" : "</p>\n");
}

/* The lines of pdfinfo that hold words of the author. */
static void add_metadata(toad_str info, toad__buf *out) {
    static const char *const names[] = { "Title", "Subject", "Keywords", "Author", "Creator" };
    for (size_t at = 0; at < info.n;) {
        size_t end = toad__str_find(info, TOAD__S("\n"), at);
        toad_str line = toad__str_part(info, at, end);
        at = end + 1;
        for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
            toad_str name = toad__str_z(names[i]);
            if (!toad__str_starts(line, name) || line.n <= name.n || line.p[name.n] != ':') continue;
            toad_str value = toad__str_part(line, name.n + 1, line.n);
            while (value.n && value.p[0] == ' ') value = toad__str_part(value, 1, value.n);
            if (!value.n) continue;
            toad__buf_add_z(out, i ? "<meta name=\"" : "<title>");
            if (i) toad__buf_add_z(out, names[i]);
            if (i) toad__buf_add_z(out, "\" content=\"");
            add_escaped(out, value);
            toad__buf_add_z(out, i ? "\">\n" : "</title>\n");
        }
    }
}

/* ---- all of it ---- */

static toad_status run_tool(const char *const *argv, toad_str pdf, toad__buf *out, const char **why) {
    static const char *const reasons[] = {
        [TOAD__TOOL_DONE] = NULL,
        [TOAD__TOOL_MISSING] = "a PDF is read by poppler's programs, which are not here: install poppler-utils",
        [TOAD__TOOL_LATE] = "the PDF takes too long to read",
        [TOAD__TOOL_LARGE] = "the PDF holds too much text",
        [TOAD__TOOL_FAILED] = "the PDF is encrypted or broken",
    };
    toad__tool_end end = TOAD__TOOL_FAILED;
    toad_status status = toad__tool_run(argv, pdf, DEADLINE_MS, out, &end);
    *why = reasons[end];
    return status;
}

static toad_status read_text(document *d, toad_str pdf, bool unseen_too, const char **why) {
    static const char *const with[] = { "pdftohtml", "-xml",  "-stdout", "-i",         "-zoom", "1",
                                        "-enc",      "UTF-8", "-hidden", "/dev/stdin", NULL };
    static const char *const without[] = { "pdftohtml", "-xml", "-stdout", "-i",         "-zoom",
                                           "1",         "-enc", "UTF-8",   "/dev/stdin", NULL };
    toad__buf xml;
    toad__buf_init(&xml, XML_MAX);
    toad_status status = run_tool(unseen_too ? with : without, pdf, &xml, why);
    if (!status && !*why) read_runs(d, toad__buf_str(&xml));
    if (!status && !*why && !d->sheets_n) *why = "the PDF is encrypted or broken";
    toad__buf_free(&xml);
    return status ? status : d->status;
}

/* Without pictures the colors decide; that is no failure. */
static toad_status read_pictures(toad_str pdf, toad__buf *maps) {
    static const char *const argv[] = { "pdftoppm", "-gray", "-r", "72", "-l", "100", "/dev/stdin", NULL };
    const char *why = NULL;
    toad_status status = run_tool(argv, pdf, maps, &why);
    if (why) toad__buf_clear(maps);
    return status == TOAD_E_NOMEM ? status : TOAD_OK;
}

static toad_status add_info(toad_str pdf, toad__buf *out) {
    static const char *const argv[] = { "pdfinfo", "-enc", "UTF-8", "/dev/stdin", NULL };
    toad__buf info;
    const char *why = NULL;
    toad__buf_init(&info, INFO_MAX);
    toad_status status = run_tool(argv, pdf, &info, &why);
    if (!status && !why) add_metadata(toad__buf_str(&info), out);
    toad__buf_free(&info);
    return status;
}

static toad_status show(document *all, toad_str pdf, toad__buf *ret) {
    toad__buf maps;
    toad__buf_init(&maps, IMAGES_MAX);
    toad_status status = read_pictures(pdf, &maps);
    if (!status) {
        read_images(all, toad__buf_str(&maps));
        judge_runs(all);
        status = add_info(pdf, ret);
    }
    if (!status) add_page(all, ret);
    toad__buf_free(&maps);
    return status ? status : ret->status;
}

toad_status toad__pdf_page(toad_str pdf, toad__buf *ret, const char **why) {
    document *d = calloc(2, sizeof *d);
    if (!d) return TOAD_E_NOMEM;
    document *all = &d[0], *seen = &d[1];
    document_init(all);
    document_init(seen);
    *why = NULL;
    toad_status status = read_text(all, pdf, true, why);
    if (!status && !*why) status = read_text(seen, pdf, false, why);
    if (!status && !*why) {
        mark_unseen(all, seen);
        status = show(all, pdf, ret);
    }
    document_free(all);
    document_free(seen);
    free(d);
    return status;
}
