/* web.h - the operations on the web: may this be fetched, and web_fetch. */
#ifndef TOAD_APP_WEB_H
#define TOAD_APP_WEB_H

#include "app/records/contents.h"
#include "net/fetch.h"

typedef struct toad__web_options {
    toad__fetch_options net; /* a model's guard is the built-in one, whatever stands here */
    bool robots;             /* obey robots.txt; a model always does */
    bool fresh;              /* ask the server, whatever is kept of the page */
} toad__web_options;

toad__web_options toad__web_defaults(void);

/* Add the ports of the configuration (NULL: none) to the `n` at `ports`, which has room for `max`; returns how many
 * there are. */
size_t toad__web_ports(const toad__config *config, uint16_t *ports, size_t n, size_t max);

/* The event of a fetch that was refused or gave nothing that can be used, for the reason `code` (static or of ours).
 * Errors: those of the store, unless the user chose to go on without (toad__host_on_store_error). */
toad_status toad__web_refused(toad__host *host, toad_str direction, toad_str url, const char *code);

/* Judge a URL as a fetch would before it connects. `resolve` false: by its spelling alone; addresses for documentation,
 * which no fetch reaches, then pass with their reason. Errors: TOAD_E_NOMEM. */
toad_status toad__web_check(const toad__fetch_options *options, toad_str url, bool resolve, bool *ret_allowed,
                            toad__refusal *ret_why);

/* Fetch, extract what a person sees, scan all that came, keep the visible part, and answer with the reference
 * (toad__contents_store) and with "requested", "status", "redirects", "type", "charset", "sandboxed", "hidden" (why
 * text is hidden, each once), "cached" (false; "fresh": answered without a request; "revalidated": the server said that
 * it is still the same) and "fresh_until". What is refused or fails is answered
 * {"success":false,"error","reason","url"}, with "retry_at" where the server or its turn says when to come again, and
 * with an event. Errors: those of toad__contents_store, TOAD_E_IO (no libcurl). */
toad_status toad__web_fetch(toad__host *host, const toad__web_options *options, toad_str url, toad__fetched_style style,
                            toad__answer *answer);

#endif
