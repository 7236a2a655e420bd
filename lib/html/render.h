/* render.h - what a person sees of a page, as Markdown or as plain text.
 *
 * Drawn from the visible text and its marks (html.h). White space collapses as on a screen. Markdown keeps headings,
 * lists, quotes, code, emphasis, links and tables of data; images, which a person does not read and a viewer would
 * fetch, are left out. Text of the page is escaped: it can make no markup, and so neither hide itself (comments,
 * definitions, info strings, raw HTML) nor make a reader fetch something. A link's target is data of a stranger: only
 * http, https, mailto and relative ones are written, in printable ASCII. Cost: linear. */
#ifndef TOAD_HTML_RENDER_H
#define TOAD_HTML_RENDER_H

#include "lib/html/html.h"

/* Append to `ret`. `o` was made with want_marks; its marks are changed. Errors: TOAD_E_NOMEM, TOAD_E_LIMIT. */
toad_status toad__html_render(toad__html_out *o, bool markdown, toad__buf *ret);

#endif
