/* html.h - a page as a person sees it, and what it keeps from them. */
#ifndef TOADSTONE_HTML_H
#define TOADSTONE_HTML_H

#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum toad_format { TOAD_FORMAT_AUTO = 0, TOAD_FORMAT_HTML = 1, TOAD_FORMAT_MARKDOWN = 2 } toad_format;

/* In which form the visible text is also wanted, beside that of toad_extracted_visible, which has the page's own white
 * space: as a screen shows it, or as Markdown in which text of the page can make no markup. */
typedef enum toad_render { TOAD_RENDER_NONE = 0, TOAD_RENDER_TEXT = 1, TOAD_RENDER_MARKDOWN = 2 } toad_render;

/* SIZED. */
typedef struct toad_extract_options {
    size_t size;        /* sizeof(toad_extract_options) */
    toad_format format; /* AUTO: HTML where tags stand, Markdown else */
    toad_render render; /* of HTML only */
} toad_extract_options;
#define TOAD_EXTRACT_OPTIONS_INIT \
    { sizeof(toad_extract_options), TOAD_FORMAT_AUTO, TOAD_RENDER_NONE }

typedef struct toad_extracted toad_extracted;

/* A text that a person does not see. FROZEN. */
typedef struct toad_hidden {
    toad_str text;      /* character references decoded */
    const char *reason; /* "html:hidden(display:none)", ...; static storage */
    toad_span span;     /* in the input */
} toad_hidden;

/* FROZEN. */
typedef struct toad_link {
    toad_str url;
    toad_span span;
    bool auto_fetch; /* a reader fetches it without being asked: images, frames, style sheets */
} toad_link;

/* Take a page apart: what is seen, what is not and why, where it leads.
 *
 * in       UTF-8, any bytes; ill-formed ones become U+FFFD. HTML is read as browsers read it, with the cascade of its
 *          <style> and style attributes, but without scripts and without anything that would have to be fetched.
 * options  NULL: the defaults.
 * ret      For toad_extracted_free (NULL is a no-op). It does not need `in` any longer.
 *
 * Linear in the input. Errors: TOAD_E_NOMEM, TOAD_E_LIMIT (over 1 GiB of text), TOAD_E_ARG. Thread rule: any thread.
 * Source: WHATWG HTML (tokenization, named references), CSS 2.1 and CSS Color 4 for what is shown; CommonMark. */
TOAD_API toad_status toad_extract(toad_str in, const toad_extract_options *options, toad_extracted **ret);
TOAD_API void toad_extracted_free(toad_extracted *e);

/* What was found; slices live as long as `e`, which must not be NULL.
 *
 * - visible: the visible text, character references decoded, with the page's own white space.
 * - rendered: the visible text in the form that options.render asked for; empty if none, or if the page is no HTML.
 *   Images are left out; links keep targets that are http, https, mailto or relative.
 * - title: what stands in the page's <title>, as it stands: it is content, too. Empty where there is none.
 * - origin: where a span of the visible text stands in the input.
 * - hidden: text `i` that is not seen, i < hidden_count, in the order of the page.
 * - link: target `i`, i < link_count.
 * - complete: false when a limit cut the work short (nesting, number of links).
 *
 * An index that is too large is the caller's error and is not caught. Thread rule: any number of threads may read it.
 */
TOAD_API toad_str toad_extracted_visible(const toad_extracted *e);
TOAD_API toad_str toad_extracted_rendered(const toad_extracted *e);
TOAD_API toad_str toad_extracted_title(const toad_extracted *e);
TOAD_API toad_span toad_extracted_origin(const toad_extracted *e, toad_span visible);
TOAD_API size_t toad_extracted_hidden_count(const toad_extracted *e);
TOAD_API toad_hidden toad_extracted_hidden(const toad_extracted *e, size_t i);
TOAD_API size_t toad_extracted_link_count(const toad_extracted *e);
TOAD_API toad_link toad_extracted_link(const toad_extracted *e, size_t i);
TOAD_API bool toad_extracted_complete(const toad_extracted *e);

#ifdef __cplusplus
}
#endif
#endif
