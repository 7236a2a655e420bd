/* sight.h - what a person sees of a page of any type, and why they do not see the rest.
 *
 * HTML becomes Markdown (bzr_extract); a PDF the page that shows the same (pdf.h); a feed its entries (feed_page.h).
 * Markdown stays as it is without what no viewer shows: comments, definitions that serve as comments, the titles of
 * others, and images, which a viewer would fetch. JSON and other text stay as they are. */
#ifndef BZR_APP_SIGHT_H
#define BZR_APP_SIGHT_H

#include "lib/base/arena.h"
#include "lib/base/buf.h"
#include "net/sniff.h"

#define BZR__REASONS_SHOWN 32

typedef struct bzr__sight {
    bzr_str came;    /* what is to be scanned: the page, or for a PDF its HTML; it may be that of the caller */
    bzr_str visible; /* what an agent may read, when it is allowed to */
    bzr_str title;   /* of the page, as it stands there; empty: none */
    const char *reasons[BZR__REASONS_SHOWN]; /* why text is hidden, each once, in the order of the page */
    size_t reasons_n;
    bool complete;   /* false: a limit cut the work short */
    bzr__buf made, shown, name; /* private: what the slices lead to */
} bzr__sight;

/* Look at a page. `*why`: NULL, or in a sentence of ours why it could not be read, and nothing of it was. Release with
 * bzr__sight_free, whatever comes back. Errors: BZR_E_NOMEM, BZR_E_LIMIT, BZR_E_IO. */
bzr_status bzr__sight_of(bzr__page_type type, bzr_str page, bzr__sight *ret, const char **why);
void bzr__sight_free(bzr__sight *s);

#endif
