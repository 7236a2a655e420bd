/* pages.c - HTML and Markdown: what a page shows and what it hides are two texts of their own. */
#include "lib/base/str.h"
#include "lib/scan/scanner.h"

#include <assert.h>
#include <string.h>

/* The shown text, then the hidden one. */
static const toad__step html[] = { { "html", TOAD__PAGE }, { "html:hidden", TOAD__PAGE } },
                        markdown[] = { { "markdown", TOAD__SAME }, { "markdown:hidden", 0 } };

static void derive_page(toad_scanner *s, const toad__node *node, const toad__step steps[2]) {
    toad__html_out *page = &s->page;
    if (page->status == TOAD_E_NOMEM) s->status = page->status;
    if (page->status == TOAD_E_LIMIT) toad__incomplete(s, TOAD_DECODE_LIMIT);
    if (page->depth_limit) toad__incomplete(s, TOAD_DEPTH_LIMIT);
    if (s->status) return;
    toad__scan_links(s, node, page);
    toad__node seen = toad__child_of(node, &steps[0], toad__buf_str(&page->visible), &page->visible_map);
    toad__node unseen = toad__child_of(node, &steps[1], toad__buf_str(&page->hidden), &page->hidden_map);
    seen.flags |= TOAD__NODE_DERIVED;
    unseen.flags |= TOAD__NODE_DERIVED | TOAD__NODE_HIDDEN;
    if (page->visible.n && page->tags && !toad__is_known(s, &seen)) toad__derive(s, &seen);
    if (!page->pieces_n || toad__is_known(s, &unseen)) return;
    toad__html_piece *pieces = toad__arena_alloc(&s->nodes, page->pieces_n * sizeof *pieces);
    if (!pieces) {
        toad__incomplete(s, TOAD_DECODE_LIMIT);
        return;
    }
    memcpy(pieces, page->pieces, page->pieces_n * sizeof *pieces);
    unseen.pieces = pieces;
    unseen.pieces_n = page->pieces_n;
    toad__derive(s, &unseen);
}

/* Markup is dense enough that Markdown reading of the same bytes would only repeat the work. */
static bool is_page(const toad__html_out *page, size_t n) { return page->tags * 128 > n; }

/* What a caller calls a page is one; else the text says how it is to be read. */
static void begin_page(const toad_scanner *s, toad__html *h, toad_str text) {
    if (s->options.kind != TOAD_KIND_WEB && toad__html_is_markdown(text)) toad__html_markdown(h);
}

/* Up to `take` the piece is read once for itself and for the next. */
size_t toad__page_take(toad_stream *t, toad_scanner *s, size_t take, bool last) {
    toad_str text = s->piece;
    assert(take <= text.n);
    s->page_open = t->html_open;
    s->page_read = t->html_open || (text.n && memchr(text.p, '<', text.n) && toad__html_has_markup(text));
    if (!s->page_read) return take;
    toad__html_out_clear(&s->page);
    if (!t->html_open) begin_page(s, t->html, text);
    if (take < text.n) toad__html_feed_sure(t->html, toad__str_part(text, 0, take), &s->page);
    toad__html_copy(s->html_ahead, t->html);
    toad__html_feed(s->html_ahead, text, true, &s->page);
    if (s->page.tags) t->html_open = true;
    if (!t->html_open) toad__html_reset(t->html);
    if (last || !t->html_open) return take;
    toad__html_out_clear(&t->passed);
    size_t taken = toad__html_feed(t->html, toad__str_part(text, 0, take), false, &t->passed);
    return taken ? taken : take;
}

/* Read the text as a page, whole, into s->page. The piece itself was, when it was taken. */
static bool read_page(toad_scanner *s, const toad__node *node, const toad__hints *hints) {
    if (!node->parent) return s->page_read;
    if (!hints->less || !toad__html_has_markup(node->text)) return false;
    toad__html_out_clear(&s->page);
    toad__html_reset(s->html_ahead);
    begin_page(s, s->html_ahead, node->text);
    toad__html_feed(s->html_ahead, node->text, true, &s->page);
    return true;
}

bool toad__extract(toad_scanner *s, const toad__node *node, const toad__hints *hints) {
    bool open = !node->parent && s->page_open, page = false;
    if (read_page(s, node, hints)) {
        page = is_page(&s->page, node->text.n);
        if (s->page.tags || s->page.pieces_n || open) derive_page(s, node, html);
    }
    if (page || s->status || !node->text.n || !toad__markdown_wanted(node->text)) return page;
    toad__html_out_clear(&s->page);
    toad__markdown_extract(node->text, true, &s->page);
    s->page.tags = 1;
    derive_page(s, node, markdown);
    return false;
}
