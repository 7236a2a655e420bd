/* feed_page.h - a feed as a reader shows it: its title, and for each entry a heading with its link, its date and its
 * text, as pieces of HTML that are pages of their own, so that no entry can hide the next.
 *
 * RSS 0.9x, 1.0 and 2.0, Atom (RFC 4287), JSON Feed 1. What an entry calls HTML is HTML; the rest is escaped. A
 * document type that declares entities makes it no feed. Cost: linear. */
#ifndef TOAD_APP_FEED_PAGE_H
#define TOAD_APP_FEED_PAGE_H

#include "lib/base/buf.h"

/* One entry, or first the feed itself. Return an error to stop. */
typedef toad_status (*toad__entry_fn)(void *ctx, toad_str html);

/* `*ret`: was it a feed? If not, `fn` was not called. Errors: TOAD_E_NOMEM, TOAD_E_LIMIT, those of `fn`. */
toad_status toad__feed_each(toad_str text, toad__entry_fn fn, void *ctx, bool *ret);

#endif
