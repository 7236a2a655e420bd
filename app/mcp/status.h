/* status.h - how things stand: the store, who goes through the proxy, what waits for the user, what happened today.
 *
 * It only reads: nothing is started, nothing is asked of a server, no store is made. */
#ifndef TOAD_APP_STATUS_H
#define TOAD_APP_STATUS_H

#include "app/host/host.h"

/* Where the store is and how it is, without opening it. `where` as in toad__host_open. Adds the member
 * "store":{"where","there","bytes","writable","why"}; `*ret_there`: there is one to be opened. A URL is not shown: it
 * may hold a password. Errors: TOAD_E_NOMEM. */
toad_status toad__status_store(const toad__config *config, const char *where, bool *ret_there, toad__answer *answer);
/* Adds "schema", "questions", "tools", "contents" (those that wait for the user) and "counts" (today's, see log.h). */
toad_status toad__status_waiting(toad__host *host, toad__answer *answer);

#endif
