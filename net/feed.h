/* feed.h - the headlines of a feed: RSS 0.9x, 1.0 and 2.0, Atom (RFC 4287), JSON Feed 1.
 *
 * Only titles and links are taken. What is no feed, and an XML document whose type declares entities, is told from an
 * empty feed. Pure; see markup.h for what the XML reader does not do. Cost: linear in the text. */
#ifndef BZR_NET_FEED_H
#define BZR_NET_FEED_H

#include "lib/base/arena.h"

typedef enum bzr__feed_format {
    BZR__FEED_NONE, /* this is no feed */
    BZR__FEED_DECLARES,
    BZR__FEED_RSS,
    BZR__FEED_RDF, /* RSS 0.90 and 1.0 */
    BZR__FEED_ATOM,
    BZR__FEED_JSON
} bzr__feed_format;

/* "rss", "rdf", "atom", "json"; NULL for the first two. */
const char *bzr__feed_format_name(bzr__feed_format f);

typedef struct bzr__headline {
    bzr_str text; /* UTF-8, markup read: the title, or of an entry without one its text; may be empty */
    bzr_str url;  /* as it stands there; may be empty, relative or no URL */
    bzr_str raw;  /* the title as it came, references of XML read */
} bzr__headline;

/* The first `max` headlines. Slices live as long as `text` and `arena`. Errors: BZR_E_NOMEM. */
bzr_status bzr__feed_read(bzr_str text, bzr__arena *arena, bzr__headline *list, size_t max, size_t *ret_n,
                          bzr__feed_format *ret_format);

#endif
