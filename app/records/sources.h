/* sources.h - the operations on sources: what is known of a URL or domain, and what the user says of it.
 *
 * An entity is as nanofolks' design has it: id, type, name, attributes with trust_score 1.0 - 0.5 blocked - 0.1 warned.
 * What the user set wins over what was counted. Names are those of app/host/origin.h, so a look-alike is another
 * source.
 */
#ifndef TOAD_APP_SOURCES_H
#define TOAD_APP_SOURCES_H

#include "app/host/host.h"

/* Most recently scanned first, and all settings. `limit` 0: 1000. Answer: {"sources":[...],"settings":[...]} */
toad_status toad__sources_list(toad__host *host, uint64_t limit, toad__answer *answer);
/* One URL, domain or other name, with the ids of its contents. Errors: TOAD_E_NOT_FOUND. */
toad_status toad__sources_show(toad__host *host, toad_str name, toad__answer *answer);
/* The user's alone: `setting` is trusted, blocked, auto_confirm or default, of a URL, a domain, or a pattern in which
 * `*` is any run of bytes. Trust is only given to a pattern whose host is written out. Errors: TOAD_E_ARG. */
toad_status toad__sources_set(toad__host *host, toad_str pattern, toad_str setting, toad__answer *answer);

#endif
