/* web.h - the operations on the web: may this be fetched, and seed 004's web_fetch. */
#ifndef BZR_APP_WEB_H
#define BZR_APP_WEB_H

#include "app/contents.h"
#include "net/fetch.h"

/* Judge a URL as a fetch would before it connects. `resolve` false: by its spelling alone; addresses for documentation,
 * which no fetch reaches, then pass with their reason. Errors: BZR_E_NOMEM. */
bzr_status bzr__web_check(const bzr__fetch_options *options, bzr_str url, bool resolve, bool *ret_allowed,
                          bzr__refusal *ret_why);

/* Fetch, extract what a person sees, scan all that came, keep the visible part, and answer with the reference
 * (bzr__contents_store) and with "requested", "status", "redirects", "type", "charset", "hidden" (why text is hidden,
 * each once). What is refused or fails is answered
 * {"success":false,"error","reason"}, with an event. Errors: those of bzr__contents_store, BZR_E_IO (no libcurl). */
bzr_status bzr__web_fetch(bzr__host *host, const bzr__fetch_options *options, bzr_str url, bzr__fetched_style style,
                          bzr__buf *answer);

#endif
