/* html.h - a page as a person sees it, and what it keeps from them. */
#ifndef BEZOAR_HTML_H
#define BEZOAR_HTML_H

#include "types.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum bzr_format { BZR_FORMAT_AUTO = 0, BZR_FORMAT_HTML, BZR_FORMAT_MARKDOWN } bzr_format;

/* In which form the visible text is also wanted, beside that of bzr_extracted_visible, which has the page's own white
 * space: as a screen shows it, or as Markdown in which text of the page can make no markup. */
typedef enum bzr_render { BZR_RENDER_NONE = 0, BZR_RENDER_TEXT, BZR_RENDER_MARKDOWN } bzr_render;

typedef struct bzr_extract_options {
    size_t size;        /* sizeof(bzr_extract_options) */
    bzr_format format;  /* AUTO: HTML where tags stand, Markdown else */
    bzr_render render;  /* of HTML only */
} bzr_extract_options;
#define BZR_EXTRACT_OPTIONS_INIT { sizeof(bzr_extract_options), BZR_FORMAT_AUTO, BZR_RENDER_NONE }

typedef struct bzr_extracted bzr_extracted;

/* A text that a person does not see. */
typedef struct bzr_hidden {
    bzr_str text;       /* character references decoded */
    const char *reason; /* "html:hidden(display:none)", ...; static storage */
    bzr_span span;      /* in the input */
} bzr_hidden;

typedef struct bzr_link {
    bzr_str url;
    bzr_span span;
    bool auto_fetch;    /* a reader fetches it without being asked: images, frames, style sheets */
} bzr_link;

/* Take a page apart. `options` NULL means the defaults. The result is the caller's: bzr_extracted_free.
 * Linear in the input. Errors: BZR_E_NOMEM, BZR_E_LIMIT (over 1 GiB of text), BZR_E_ARG. Thread rule: any thread. */
BZR_API bzr_status bzr_extract(bzr_str in, const bzr_extract_options *options, bzr_extracted **ret);
BZR_API void bzr_extracted_free(bzr_extracted *e); /* NULL is a no-op */
/* The visible text; valid until bzr_extracted_free, as are all slices below. */
BZR_API bzr_str bzr_extracted_visible(const bzr_extracted *e);
/* The visible text in the form that options.render asked for; empty if none, or if the page is no HTML. Images are left
 * out; links keep targets that are http, https, mailto or relative. */
BZR_API bzr_str bzr_extracted_rendered(const bzr_extracted *e);
/* What stands in the page's <title>, as it stands: it is content, too. Empty where there is none. */
BZR_API bzr_str bzr_extracted_title(const bzr_extracted *e);
/* Where a span of the visible text stands in the input. */
BZR_API bzr_span bzr_extracted_origin(const bzr_extracted *e, bzr_span visible);
BZR_API size_t bzr_extracted_hidden_count(const bzr_extracted *e);
BZR_API bzr_hidden bzr_extracted_hidden(const bzr_extracted *e, size_t i); /* i < count */
BZR_API size_t bzr_extracted_link_count(const bzr_extracted *e);
BZR_API bzr_link bzr_extracted_link(const bzr_extracted *e, size_t i);
/* False when a limit cut the work short (nesting, number of links). */
BZR_API bool bzr_extracted_complete(const bzr_extracted *e);

#ifdef __cplusplus
}
#endif
#endif
