/* sessions.h - the operations on sessions: which contents a conversation has seen, so that a new process goes on where
 * the old one ended. */
#ifndef TOAD_APP_SESSIONS_H
#define TOAD_APP_SESSIONS_H

#include "app/host/host.h"

/* Last used first. `limit` 0: 1000. Answer: {"sessions":[...]} */
toad_status toad__sessions_list(toad__host *host, uint64_t limit, toad__answer *answer);
/* One session with metadata.web_content_references, and whether it is tainted: has read external content. A model is
 * shown no id of blocked content. Errors: TOAD_E_NOT_FOUND. */
toad_status toad__sessions_show(toad__host *host, toad_str id, toad__answer *answer);
/* The same, noting that the session goes on, with `text`: the references to put before the model. */
toad_status toad__sessions_rehydrate(toad__host *host, toad_str id, toad__answer *answer);

/* What it has read so far taints it no longer: the user's alone. Answer: "lifted", how many. Errors: TOAD_E_NOT_FOUND.
 */
toad_status toad__sessions_lift(toad__host *host, toad_str id, toad__answer *answer);

#endif
