#include "lib/base/options.h"
#include "lib/base/str.h"
#include "lib/html/html.h"
#include "lib/html/render.h"
#include "toadstone/html.h"

#include <assert.h>
#include <stdlib.h>

struct toad_extracted {
    toad__html_out out;
    toad__buf rendered;
};

static toad_status read_html(toad_str in, toad__html_out *out) {
    toad__html *h = toad__html_new();
    if (!h) return TOAD_E_NOMEM;
    toad__html_feed(h, in, true, out);
    if (!out->status && toad__html_again(h)) {
        toad__html_out_clear(out);
        toad__html_feed(h, in, true, out);
    }
    toad__html_free(h);
    return out->status;
}

TOAD__SIZED(toad_extract_options, render);

toad_status toad_extract(toad_str in, const toad_extract_options *options, toad_extracted **ret) {
    toad_extract_options o = TOAD_EXTRACT_OPTIONS_INIT;
    if (!ret || (!in.p && in.n) || !toad__options_take(&o, sizeof o, options)) return TOAD_E_ARG;
    if ((unsigned)o.format > TOAD_FORMAT_MARKDOWN || (unsigned)o.render > TOAD_RENDER_MARKDOWN) return TOAD_E_ARG;
    if (in.n > 1u << 30) return TOAD_E_LIMIT;
    toad_extracted *e = calloc(1, sizeof *e);
    if (!e) return TOAD_E_NOMEM;
    toad__html_out_init(&e->out, 1u << 30);
    toad__buf_init(&e->rendered, 1u << 30);
    e->out.want_marks = o.render != TOAD_RENDER_NONE;
    toad_status status = TOAD_OK;
    if (o.format != TOAD_FORMAT_MARKDOWN) status = read_html(in, &e->out);
    if (!status && o.format != TOAD_FORMAT_HTML && !e->out.tags) {
        toad__html_out_clear(&e->out);
        toad__markdown_extract(in, false, &e->out);
        status = e->out.status;
    } else if (!status && e->out.want_marks) {
        status = toad__html_render(&e->out, o.render == TOAD_RENDER_MARKDOWN, &e->rendered);
    }
    if (status) {
        toad_extracted_free(e);
        return status;
    }
    *ret = e;
    return TOAD_OK;
}

void toad_extracted_free(toad_extracted *e) {
    if (!e) return;
    toad__html_out_free(&e->out);
    toad__buf_free(&e->rendered);
    free(e);
}

toad_str toad_extracted_visible(const toad_extracted *e) { return toad__buf_str(&e->out.visible); }
toad_str toad_extracted_rendered(const toad_extracted *e) { return toad__buf_str(&e->rendered); }

toad_str toad_extracted_title(const toad_extracted *e) {
    if (!e->out.title) return toad__str(NULL, 0);
    toad__html_piece p = e->out.pieces[e->out.title - 1];
    return toad__str_part(toad__buf_str(&e->out.hidden), p.start, p.end);
}

toad_span toad_extracted_origin(const toad_extracted *e, toad_span visible) {
    return toad__offmap_back(&e->out.visible_map, visible);
}
size_t toad_extracted_hidden_count(const toad_extracted *e) { return e->out.pieces_n; }

toad_hidden toad_extracted_hidden(const toad_extracted *e, size_t i) {
    assert(i < e->out.pieces_n);
    toad__html_piece p = e->out.pieces[i];
    return (toad_hidden){ toad__str_part(toad__buf_str(&e->out.hidden), p.start, p.end), toad__hidden_name(p.reason),
                          toad__offmap_back(&e->out.hidden_map, (toad_span){ p.start, p.end }) };
}

size_t toad_extracted_link_count(const toad_extracted *e) { return e->out.links_n; }

toad_link toad_extracted_link(const toad_extracted *e, size_t i) {
    assert(i < e->out.links_n);
    toad__html_link l = e->out.links[i];
    return (toad_link){ toad__str_part(toad__buf_str(&e->out.urls), l.start, l.end),
                        { l.in_start, l.in_end },
                        l.auto_fetch };
}

bool toad_extracted_complete(const toad_extracted *e) { return !e->out.depth_limit && !e->out.links_limit; }
