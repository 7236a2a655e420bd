/* cmd_extract.c - `bezoar extract`: the page as a person sees it; with --json what it hides, why and where. */
#include "bezoar/html.h"
#include "face/cli/args.h"
#include "face/cli/out.h"
#include "lib/base/json.h"
#include "lib/base/str.h"

static void add_span(bzr__buf *b, bzr_span span) {
    bzr__buf_add_z(b, ",\"start\":");
    bzr__buf_add_u64(b, span.start);
    bzr__buf_add_z(b, ",\"end\":");
    bzr__buf_add_u64(b, span.end);
}

static void add_hidden(bzr__buf *b, const bzr_extracted *e) {
    bzr__buf_add_z(b, ",\"hidden\":[");
    for (size_t i = 0; i < bzr_extracted_hidden_count(e); i++) {
        bzr_hidden h = bzr_extracted_hidden(e, i);
        bzr__buf_add_z(b, i ? ",{\"reason\":" : "{\"reason\":");
        bzr__json_add_str(b, bzr__str_z(h.reason));
        add_span(b, h.span);
        bzr__buf_add_z(b, ",\"text\":");
        bzr__json_add_utf8(b, h.text);
        bzr__buf_add_c(b, '}');
    }
}

static void add_links(bzr__buf *b, const bzr_extracted *e) {
    bzr__buf_add_z(b, "],\"links\":[");
    for (size_t i = 0; i < bzr_extracted_link_count(e); i++) {
        bzr_link l = bzr_extracted_link(e, i);
        bzr__buf_add_z(b, i ? ",{\"url\":" : "{\"url\":");
        bzr__json_add_utf8(b, l.url);
        add_span(b, l.span);
        bzr__buf_add_z(b, l.auto_fetch ? ",\"auto_fetch\":true}" : ",\"auto_fetch\":false}");
    }
}

static bzr_status print_json(const bzr_extracted *e, bzr_render render) {
    bzr__buf b;
    bzr__buf_init(&b, 8 * CLI_WHOLE_MAX);
    bzr__buf_add_z(&b, "{\"visible\":");
    bzr__json_add_utf8(&b, bzr_extracted_visible(e));
    if (render != BZR_RENDER_NONE) {
        bzr__buf_add_z(&b, render == BZR_RENDER_TEXT ? ",\"text\":" : ",\"markdown\":");
        bzr__json_add_utf8(&b, bzr_extracted_rendered(e));
    }
    bzr__buf_add_z(&b, ",\"title\":");
    if (bzr_extracted_title(e).n)
        bzr__json_add_utf8(&b, bzr_extracted_title(e));
    else
        bzr__buf_add_z(&b, "null");
    add_hidden(&b, e);
    add_links(&b, e);
    bzr__buf_add_z(&b, bzr_extracted_complete(e) ? "],\"complete\":true}\n" : "],\"complete\":false}\n");
    bzr_status status = b.status;
    if (!status) cli_print(bzr__buf_str(&b));
    bzr__buf_free(&b);
    return status;
}

/* Markdown is not rendered: what is read of it stands as it is. */
static void print_text(const bzr_extracted *e) {
    bzr_str rendered = bzr_extracted_rendered(e);
    cli_print(rendered.n ? rendered : bzr_extracted_visible(e));
}

int cmd_extract(args *a) {
    bzr_extract_options options = BZR_EXTRACT_OPTIONS_INIT;
    bzr_extracted *e = NULL;
    bzr__buf in;
    int code = EXIT_ERROR;
    bzr__buf_init(&in, CLI_WHOLE_MAX);
    options.format = a->source_format;
    options.render = a->has_render || a->json ? a->render : BZR_RENDER_TEXT;
    if (cli_read_operand("extract", a->operands, a->operands_n, &in)) {
        bzr_status status = bzr_extract(in.n ? bzr__buf_str(&in) : BZR__S(""), &options, &e);
        if (!status && a->json)
            status = print_json(e, options.render);
        else if (!status)
            print_text(e);
        code = status ? cli_status("extract", "input", status) : bzr_extracted_complete(e) ? EXIT_OK : EXIT_INCOMPLETE;
        bzr_extracted_free(e);
    }
    bzr__buf_free(&in);
    return code;
}
