/* web.h - the operations on the web: may this be fetched, and seed 004's web_fetch. */
#ifndef BZR_APP_WEB_H
#define BZR_APP_WEB_H

#include "app/records/contents.h"
#include "net/fetch.h"

typedef struct bzr__web_options {
    bzr__fetch_options net; /* a model's guard is the built-in one, whatever stands here */
    bool robots;            /* obey robots.txt; a model always does */
    bool fresh;             /* ask the server, whatever is kept of the page */
} bzr__web_options;

bzr__web_options bzr__web_defaults(void);

/* Add the ports of the configuration (NULL: none) to the `n` at `ports`, which has room for `max`; returns how many
 * there are. */
size_t bzr__web_ports(const bzr__config *config, uint16_t *ports, size_t n, size_t max);

/* The event of a fetch that was refused or gave nothing that can be used, for the reason `code` (static or of ours).
 * Errors: those of the store, unless the user chose to go on without (bzr__host_on_store_error). */
bzr_status bzr__web_refused(bzr__host *host, bzr_str direction, bzr_str url, const char *code);

/* Judge a URL as a fetch would before it connects. `resolve` false: by its spelling alone; addresses for documentation,
 * which no fetch reaches, then pass with their reason. Errors: BZR_E_NOMEM. */
bzr_status bzr__web_check(const bzr__fetch_options *options, bzr_str url, bool resolve, bool *ret_allowed,
                          bzr__refusal *ret_why);

/* Fetch, extract what a person sees, scan all that came, keep the visible part, and answer with the reference
 * (bzr__contents_store) and with "requested", "status", "redirects", "type", "charset", "sandboxed", "hidden" (why text
 * is hidden, each once), "cached" (false; "fresh": answered without a request; "revalidated": the server said that it
 * is still the same) and "fresh_until". What is refused or fails is answered {"success":false,"error","reason","url"},
 * with "retry_at" where the server or its turn says when to come again, and with an event. Errors: those of
 * bzr__contents_store, BZR_E_IO (no libcurl). */
bzr_status bzr__web_fetch(bzr__host *host, const bzr__web_options *options, bzr_str url, bzr__fetched_style style,
                          bzr__buf *answer);

#endif
