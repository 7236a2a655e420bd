#include "bezoar/html.h"
#include "lib/base/str.h"
#include "lib/html/html.h"
#include "lib/html/render.h"

#include <stddef.h>
#include <stdlib.h>

struct bzr_extracted {
    bzr__html_out out;
    bzr__buf rendered;
};

static bzr_status read_html(bzr_str in, bzr__html_out *out) {
    bzr__html *h = bzr__html_new();
    if (!h) return BZR_E_NOMEM;
    bzr__html_feed(h, in, true, out);
    if (!out->status && bzr__html_again(h)) {
        bzr__html_out_clear(out);
        bzr__html_feed(h, in, true, out);
    }
    bzr__html_free(h);
    return out->status;
}

bzr_status bzr_extract(bzr_str in, const bzr_extract_options *options, bzr_extracted **ret) {
    static const bzr_extract_options defaults = BZR_EXTRACT_OPTIONS_INIT;
    if (!options) options = &defaults;
    if (!ret || (!in.p && in.n) || options->size < offsetof(bzr_extract_options, render)) return BZR_E_ARG;
    bzr_render render = options->size >= sizeof *options ? options->render : BZR_RENDER_NONE;
    if (in.n > 1u << 30) return BZR_E_LIMIT;
    bzr_extracted *e = calloc(1, sizeof *e);
    if (!e) return BZR_E_NOMEM;
    bzr__html_out_init(&e->out, 1u << 30);
    bzr__buf_init(&e->rendered, 1u << 30);
    e->out.want_marks = render != BZR_RENDER_NONE;
    bzr_status status = BZR_OK;
    if (options->format != BZR_FORMAT_MARKDOWN) status = read_html(in, &e->out);
    if (!status && options->format != BZR_FORMAT_HTML && !e->out.tags) {
        bzr__html_out_clear(&e->out);
        bzr__markdown_extract(in, false, &e->out);
        status = e->out.status;
    } else if (!status && e->out.want_marks) {
        status = bzr__html_render(&e->out, render == BZR_RENDER_MARKDOWN, &e->rendered);
    }
    if (status) {
        bzr_extracted_free(e);
        return status;
    }
    *ret = e;
    return BZR_OK;
}

void bzr_extracted_free(bzr_extracted *e) {
    if (!e) return;
    bzr__html_out_free(&e->out);
    bzr__buf_free(&e->rendered);
    free(e);
}

bzr_str bzr_extracted_visible(const bzr_extracted *e) { return bzr__buf_str(&e->out.visible); }
bzr_str bzr_extracted_rendered(const bzr_extracted *e) { return bzr__buf_str(&e->rendered); }

bzr_str bzr_extracted_title(const bzr_extracted *e) {
    if (!e->out.title) return bzr__str(NULL, 0);
    bzr__html_piece p = e->out.pieces[e->out.title - 1];
    return bzr__str_part(bzr__buf_str(&e->out.hidden), p.start, p.end);
}

bzr_span bzr_extracted_origin(const bzr_extracted *e, bzr_span visible) { return bzr__offmap_back(&e->out.visible_map, visible); }
size_t bzr_extracted_hidden_count(const bzr_extracted *e) { return e->out.pieces_n; }

bzr_hidden bzr_extracted_hidden(const bzr_extracted *e, size_t i) {
    bzr__html_piece p = e->out.pieces[i];
    return (bzr_hidden){ bzr__str_part(bzr__buf_str(&e->out.hidden), p.start, p.end), bzr__hidden_name(p.reason),
        bzr__offmap_back(&e->out.hidden_map, (bzr_span){ p.start, p.end }) };
}

size_t bzr_extracted_link_count(const bzr_extracted *e) { return e->out.links_n; }

bzr_link bzr_extracted_link(const bzr_extracted *e, size_t i) {
    bzr__html_link l = e->out.links[i];
    return (bzr_link){ bzr__str_part(bzr__buf_str(&e->out.urls), l.start, l.end), { l.in_start, l.in_end }, l.auto_fetch };
}

bool bzr_extracted_complete(const bzr_extracted *e) { return !e->out.depth_limit && !e->out.links_limit; }
