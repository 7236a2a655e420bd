/* sources.h - the operations on sources: what is known of a URL or domain, and what the user says of it (seed 004).
 *
 * An entity is as the seed shows it: id, type, name, attributes with trust_score 1.0 - 0.5 blocked - 0.1 warned. What
 * the user set wins over what was counted. Names are those of app/records/origin.h, so a look-alike is another source. */
#ifndef BZR_APP_SOURCES_H
#define BZR_APP_SOURCES_H

#include "app/host/host.h"

/* Most recently scanned first, and all settings. `limit` 0: 1000. Answer: {"sources":[...],"settings":[...]} */
bzr_status bzr__sources_list(bzr__host *host, uint64_t limit, bzr__buf *answer);
/* One URL, domain or other name, with the ids of its contents. Errors: BZR_E_NOT_FOUND. */
bzr_status bzr__sources_show(bzr__host *host, bzr_str name, bzr__buf *answer);
/* The user's alone: `setting` is trusted, blocked, auto_confirm or default, of a URL, a domain, or a pattern in which
 * `*` is any run of bytes. Trust is only given to a pattern whose host is written out. Errors: BZR_E_ARG. */
bzr_status bzr__sources_set(bzr__host *host, bzr_str pattern, bzr_str setting, bzr__buf *answer);

#endif
