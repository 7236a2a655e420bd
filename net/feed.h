/* feed.h - the headlines of a feed: RSS 0.9x, 1.0 and 2.0, Atom (RFC 4287), JSON Feed 1.
 *
 * Only titles and links are taken. What is no feed, and an XML document whose type declares entities, is told from an
 * empty feed. Pure; see markup.h for what the XML reader does not do. Cost: linear in the text. */
#ifndef TOAD_NET_FEED_H
#define TOAD_NET_FEED_H

#include "lib/base/arena.h"

typedef enum toad__feed_format {
    TOAD__FEED_NONE, /* this is no feed */
    TOAD__FEED_DECLARES,
    TOAD__FEED_RSS,
    TOAD__FEED_RDF, /* RSS 0.90 and 1.0 */
    TOAD__FEED_ATOM,
    TOAD__FEED_JSON
} toad__feed_format;

/* "rss", "rdf", "atom", "json"; NULL for the first two. */
const char *toad__feed_format_name(toad__feed_format f);

typedef struct toad__headline {
    toad_str text; /* UTF-8, markup read: the title, or of an entry without one its text; may be empty */
    toad_str url;  /* as it stands there; may be empty, relative or no URL */
    toad_str raw;  /* the title as it came, references of XML read */
} toad__headline;

/* The first `max` headlines. Slices live as long as `text` and `arena`. Errors: TOAD_E_NOMEM. */
toad_status toad__feed_read(toad_str text, toad__arena *arena, toad__headline *list, size_t max, size_t *ret_n,
                            toad__feed_format *ret_format);

#endif
