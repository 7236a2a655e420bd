/* sight.h - what a person sees of a page of any type, and why they do not see the rest.
 *
 * HTML becomes Markdown (toad_extract); a PDF the page that shows the same (pdf.h); a feed its entries (feed_page.h).
 * Markdown stays as it is without what no viewer shows: comments, definitions that serve as comments, the titles of
 * others, and images, which a viewer would fetch. JSON and other text stay as they are. Of files in a file each is seen
 * as the page it would be, under its name. */
#ifndef TOAD_APP_SIGHT_H
#define TOAD_APP_SIGHT_H

#include "app/scan/parts.h"
#include "net/sniff.h"

#define TOAD__REASONS_SHOWN 32

typedef struct toad__sight {
    toad_str came;    /* what is to be scanned: the page, or for a PDF its HTML, the names of files in a file; it may be
                         that of the caller */
    toad_str visible; /* what an agent may read, when it is allowed to */
    toad_str title;   /* of the page, as it stands there; empty: none */
    const char *reasons[TOAD__REASONS_SHOWN]; /* why text is hidden, each once, in the order of the page */
    size_t reasons_n;
    bool complete;               /* false: a limit cut the work short */
    toad__parts parts;           /* of files in a file: what is to be scanned as well */
    toad__buf made, shown, name; /* private: what the slices lead to */
} toad__sight;

/* Look at a page that came from `url`. `*why`: NULL, or in a sentence of ours why it could not be read, and nothing of
 * it was. Release with toad__sight_free, whatever comes back. Errors: TOAD_E_NOMEM, TOAD_E_LIMIT, TOAD_E_IO. */
toad_status toad__sight_of(toad__page_type type, toad_str url, toad_str page, toad__sight *ret, const char **why);
/* The file's name as it is known by: the last of its path. */
toad_str toad__sight_name(toad_str url);
void toad__sight_free(toad__sight *s);

#endif
