/* cmd_extract.c - `toadstone extract`: the page as a person sees it; with --json what it hides, why and where. */
#include "face/cli/args.h"
#include "face/cli/out.h"
#include "lib/base/json.h"
#include "lib/base/str.h"
#include "toadstone/html.h"

static void add_span(toad__buf *b, toad_span span) {
    toad__buf_add_z(b, ",\"start\":");
    toad__buf_add_u64(b, span.start);
    toad__buf_add_z(b, ",\"end\":");
    toad__buf_add_u64(b, span.end);
}

static void add_hidden(toad__buf *b, const toad_extracted *e) {
    toad__buf_add_z(b, ",\"hidden\":[");
    for (size_t i = 0; i < toad_extracted_hidden_count(e); i++) {
        toad_hidden h = toad_extracted_hidden(e, i);
        toad__buf_add_z(b, i ? ",{\"reason\":" : "{\"reason\":");
        toad__json_add_str(b, toad__str_z(h.reason));
        add_span(b, h.span);
        toad__buf_add_z(b, ",\"text\":");
        toad__json_add_utf8(b, h.text);
        toad__buf_add_c(b, '}');
    }
}

static void add_links(toad__buf *b, const toad_extracted *e) {
    toad__buf_add_z(b, "],\"links\":[");
    for (size_t i = 0; i < toad_extracted_link_count(e); i++) {
        toad_link l = toad_extracted_link(e, i);
        toad__buf_add_z(b, i ? ",{\"url\":" : "{\"url\":");
        toad__json_add_utf8(b, l.url);
        add_span(b, l.span);
        toad__buf_add_z(b, l.auto_fetch ? ",\"auto_fetch\":true}" : ",\"auto_fetch\":false}");
    }
}

static toad_status print_json(const toad_extracted *e, toad_render render) {
    toad__buf b;
    toad__buf_init(&b, 8 * CLI_WHOLE_MAX);
    toad__buf_add_z(&b, "{\"visible\":");
    toad__json_add_utf8(&b, toad_extracted_visible(e));
    if (render != TOAD_RENDER_NONE) {
        toad__buf_add_z(&b, render == TOAD_RENDER_TEXT ? ",\"text\":" : ",\"markdown\":");
        toad__json_add_utf8(&b, toad_extracted_rendered(e));
    }
    toad__buf_add_z(&b, ",\"title\":");
    if (toad_extracted_title(e).n)
        toad__json_add_utf8(&b, toad_extracted_title(e));
    else
        toad__buf_add_z(&b, "null");
    add_hidden(&b, e);
    add_links(&b, e);
    toad__buf_add_z(&b, toad_extracted_complete(e) ? "],\"complete\":true}\n" : "],\"complete\":false}\n");
    toad_status status = b.status;
    if (!status) cli_print(toad__buf_str(&b));
    toad__buf_free(&b);
    return status;
}

/* Markdown is not rendered: what is read of it stands as it is. */
static void print_text(const toad_extracted *e) {
    toad_str rendered = toad_extracted_rendered(e);
    cli_print(rendered.n ? rendered : toad_extracted_visible(e));
}

int cmd_extract(args *a) {
    toad_extract_options options = TOAD_EXTRACT_OPTIONS_INIT;
    toad_extracted *e = NULL;
    toad__buf in;
    int code = EXIT_ERROR;
    toad__buf_init(&in, CLI_WHOLE_MAX);
    options.format = a->source_format;
    options.render = a->has_render || a->json ? a->render : TOAD_RENDER_TEXT;
    if (cli_read_operand("extract", a->operands, a->operands_n, &in)) {
        toad_status status = toad_extract(in.n ? toad__buf_str(&in) : TOAD__S(""), &options, &e);
        if (!status && a->json)
            status = print_json(e, options.render);
        else if (!status)
            print_text(e);
        code = status ? cli_status("extract", "input", status) : toad_extracted_complete(e) ? EXIT_OK : EXIT_INCOMPLETE;
        toad_extracted_free(e);
    }
    toad__buf_free(&in);
    return code;
}
