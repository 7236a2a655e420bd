/* sessions.h - the operations on sessions: which contents a conversation has seen, so that a new process goes on where
 * the old one ended (seed 004). */
#ifndef BZR_APP_SESSIONS_H
#define BZR_APP_SESSIONS_H

#include "app/host/host.h"

/* Last used first. `limit` 0: 1000. Answer: {"sessions":[...]} */
bzr_status bzr__sessions_list(bzr__host *host, uint64_t limit, bzr__buf *answer);
/* One session with metadata.web_content_references, and whether it is tainted: has read external content. A model is
 * shown no id of blocked content. Errors: BZR_E_NOT_FOUND. */
bzr_status bzr__sessions_show(bzr__host *host, bzr_str id, bzr__buf *answer);
/* The same, noting that the session goes on, with `text`: the references to put before the model. */
bzr_status bzr__sessions_rehydrate(bzr__host *host, bzr_str id, bzr__buf *answer);

#endif
