/* heard.h - an act traced in a session whose user was heard: hooks note what the user said, and which call gave what.
 */
#ifndef TOAD_APP_HEARD_H
#define TOAD_APP_HEARD_H

#include "app/act/taint.h"
#include "app/act/trace.h"
#include "app/host/host.h"

/* Note what the user said in host->session. A store that fails is an error. */
toad_status toad__heard_user(toad__host *host, toad_str said);
/* Note what a call of a tool gave: a content, by its id. `arguments`: JSON. */
toad_status toad__heard_read(toad__host *host, toad_str tool, toad_str arguments, toad_str content_id);

/* Trace an act of host->session. *ret_heard false: the user was never heard in it, and nothing can be said. What
 * `taint` says the session has read, and no turn tells of, counts as read first, by its URL. What was read longest ago
 * is left out where there is too much, and so is what has expired. Rows that are traced to get `any`. Errors: those of
 * the store and of toad_scan, TOAD_E_NOMEM. */
toad_status toad__heard_trace(toad__host *host, toad__arena *arena, toad_str tool, const toad__json *arguments,
                              toad__taint *taint, bool *ret_heard, toad__trace *ret);

#endif
