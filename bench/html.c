/* html.c - HTML extraction beside libxml2's SAX push parser and memcpy, then pages made to be slow. One core, CPU time,
 * best of several passes.
 *
 * usage: bench_html [CORPUSDIR]   (bench/corpus.py makes the corpus; ./dev bench runs both)
 * libxml2 gets the least work an extractor needs: handlers of tags, comments and text that add up lengths, in chunks of
 * 64 KiB. */
#include "lib/html/html.h"
#include "bench/timing.h"

#include <libxml/HTMLparser.h>

#define PASSES 5
#define PIECE  (144u << 10) /* what the scanner feeds at a time */

static toad__html *parser;
static toad__html_out out;
static volatile size_t sink;

static double ours(toad_str page) {
    double start = cpu_seconds();
    toad__html_reset(parser);
    for (size_t at = 0; at < page.n;) {
        size_t n = page.n - at < PIECE ? page.n - at : PIECE;
        toad__html_out_clear(&out);
        at += toad__html_feed(parser, (toad_str){ page.p + at, n }, at + n == page.n, &out);
        sink += out.visible.n + out.hidden.n;
    }
    return cpu_seconds() - start;
}

static void on_text(void *ctx, const xmlChar *text, int n) {
    (void)ctx, (void)text;
    sink += (size_t)n;
}

static void on_start(void *ctx, const xmlChar *name, const xmlChar **attributes) {
    (void)ctx;
    for (sink += name[0]; attributes && *attributes; attributes++) sink += (*attributes)[0];
}

static void on_name(void *ctx, const xmlChar *name) {
    (void)ctx;
    sink += name[0];
}

static double libxml2(toad_str page) {
    htmlSAXHandler handler = { .startElement = on_start,
                               .endElement = on_name,
                               .comment = on_name,
                               .characters = on_text,
                               .cdataBlock = on_text };
    double start = cpu_seconds();
    htmlParserCtxtPtr ctx = htmlCreatePushParserCtxt(&handler, NULL, NULL, 0, NULL, XML_CHAR_ENCODING_UTF8);
    if (!ctx) exit(2);
    htmlCtxtUseOptions(ctx, HTML_PARSE_RECOVER | HTML_PARSE_NOERROR | HTML_PARSE_NOWARNING | HTML_PARSE_NONET);
    for (size_t at = 0; at < page.n; at += 65536) {
        size_t n = page.n - at < 65536 ? page.n - at : 65536;
        htmlParseChunk(ctx, page.p + at, (int)n, at + n == page.n);
    }
    if (ctx->myDoc) xmlFreeDoc(ctx->myDoc);
    htmlFreeParserCtxt(ctx);
    return cpu_seconds() - start;
}

static double copy(toad_str page) {
    static char to[1u << 20];
    double start = cpu_seconds();
    for (size_t at = 0; at < page.n; at += sizeof to)
        memcpy(to, page.p + at, page.n - at < sizeof to ? page.n - at : sizeof to);
    sink += (size_t)to[page.n % sizeof to];
    return cpu_seconds() - start;
}

static double rate(double (*run)(toad_str), const corpus *c, int passes) {
    double best = 1e9;
    for (int i = 0; i < passes; i++) {
        double all = 0;
        for (size_t k = 0; k < c->n; k++) all += run(c->docs[k]);
        if (all < best) best = all;
    }
    return (double)c->bytes / best / 1e9;
}

/* `head`, then `unit` over and over up to n bytes. */
static toad_str page_of(const char *head, const char *unit, size_t n) {
    char *p = malloc(n);
    size_t head_n = strlen(head), unit_n = strlen(unit);
    if (!p) exit(2);
    for (size_t i = 0; i < n; i++) p[i] = i < head_n ? head[i] : unit[(i - head_n) % unit_n];
    return (toad_str){ p, n };
}

static double best_of(double (*run)(toad_str), toad_str page, int passes) {
    double best = 1e9;
    for (int i = 0; i < passes; i++) {
        double s = run(page);
        if (s < best) best = s;
    }
    return best;
}

static void hostile(const char *name, const char *head, const char *unit) {
    toad_str one = page_of(head, unit, 1u << 20), two = page_of(head, unit, 2u << 20);
    double a = best_of(ours, one, 3), b = best_of(ours, two, 3);
    printf("%-34s %8.1f MB/s   doubled: x%.2f%s\n", name, (double)one.n / a / 1e6, b / a,
           b / a > 2.3 && b > 1e-3 ? "  BELOW" : ""); /* a page passed over in one look is at the mercy of the caches */
    free((char *)one.p);
    free((char *)two.p);
}

int main(int argc, char **argv) {
    const char *dir = argc > 1 ? argv[1] : "build/corpus";
    if (!(parser = toad__html_new())) return 2;
    toad__html_out_init(&out, 16u << 20);
    corpus pages = corpus_read(dir, "html");
    double us = rate(ours, &pages, PASSES), them = rate(libxml2, &pages, 2), all = rate(copy, &pages, PASSES);
    printf("extraction of %zu pages, %.1f MB: %.3f GB/s (bar 0.3%s)   libxml2 SAX %.3f (ours is %.1f times, bar 5%s)   "
           "memcpy %.1f (%.3f of it)\n\n",
           pages.n, (double)pages.bytes / 1e6, us, us < 0.3 ? " BELOW" : "", them, us / them,
           us < 5 * them ? " BELOW" : "", all, us / all);
    printf("hostile pages, 1 MB (doubled at most x2.3)\n");
    hostile("attributes of one tag", "<p ", "a=b ");
    hostile("quoted attributes never closed", "<p ", "a=\"b ");
    hostile("open tags", "", "<div>");
    hostile("close tags", "", "</div>");
    hostile("open tags with styles", "", "<b style='color:red'>");
    hostile("comments", "", "<!--");
    hostile("comments almost closed", "<!--", "--!");
    hostile("less-than signs", "", "<");
    hostile("half of close tags", "", "</");
    hostile("script never closed", "<script>", "</scrip ");
    hostile("style never closed", "<style>", ".a{color:red}");
    hostile("title never closed", "<title>", "</titl>");
    hostile("rules, then elements", "<style>.a{display:none}.b{color:red}.c{opacity:0}</style>",
            "<p class='a b c d'>x</p>");
    hostile("many rules", "<style>", ".x{a:b}#y{display:none}p.z{c:d}");
    hostile("entities", "", "&amp;&#65;&notin;&no");
    hostile("nested tables", "", "<table><tr><td>");
    hostile("cdata", "", "<![CDATA[");
    hostile("doctypes", "", "<!doctype ");
    corpus_free(&pages);
    toad__html_out_free(&out);
    toad__html_free(parser);
    return 0;
}
