/* pages.c - HTML and Markdown: what a page shows and what it hides are two texts of their own. */
#include "lib/base/str.h"
#include "lib/scan/scanner.h"

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

/* Read the text as a page, whole, into s->page. Of the piece itself s->html remembers what the next piece goes on with:
 * up to there it is read once for both. */
static void read_page(toad_scanner *s, const toad__node *node) {
    toad__html_out_clear(&s->page);
    if (node->parent)
        toad__html_reset(s->html_ahead);
    else {
        if (s->take < node->text.n) toad__html_feed_sure(s->html, toad__str_part(node->text, 0, s->take), &s->page);
        toad__html_copy(s->html_ahead, s->html);
    }
    toad__html_feed(s->html_ahead, node->text, true, &s->page);
    if (node->parent) return;
    if (s->page.tags) s->html_open = true;
    if (!s->html_open) toad__html_reset(s->html);
}

bool toad__extract(toad_scanner *s, const toad__node *node, const toad__hints *hints) {
    bool open = !node->parent && s->html_open, page = false;
    if (open || (hints->less && toad__html_has_markup(node->text))) {
        read_page(s, node);
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
