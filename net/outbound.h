/* outbound.h - HTTP requests to one endpoint that the user named, many at once in a poll loop; answers come in pieces.
 *
 * For what is spoken to, not read: an MCP server. The host may lead inside, since the user wrote it; no redirect is
 * followed, no proxy, cookie or netrc is used, and what may never be reached (guard.h) is not. Nothing blocks but the
 * first name lookup of libcurls without threads. Thread rule: one thread at a time; callbacks must not free. */
#ifndef BZR_NET_OUTBOUND_H
#define BZR_NET_OUTBOUND_H

#include "bezoar/types.h"

#include <poll.h>

#define BZR__OUTBOUND_FDS 128 /* connections; more requests wait */

typedef struct bzr__outbound bzr__outbound;
typedef struct bzr__outbound_call bzr__outbound_call;

typedef struct bzr__outbound_request {
    const char *method;         /* POST, GET, DELETE */
    const char *const *headers; /* whole lines; copied */
    size_t headers_n;
    bzr_str body; /* copied */
    void *ctx;
    void (*header)(void *ctx, bzr_str name, bzr_str value);
    void (*head)(void *ctx, int status);    /* once, before data */
    bool (*data)(void *ctx, bzr_str bytes); /* false: enough, give up */
    void (*over)(void *ctx,
                 const char *why); /* NULL: all has come; the call is gone. Not called for what is cancelled */
} bzr__outbound_request;

/* `why` (256 bytes) says in one sentence why not. Errors: BZR_E_ARG (no http or https URL, or one that may not be
 * reached), BZR_E_IO (no libcurl), BZR_E_NOMEM. */
bzr_status bzr__outbound_new(const char *url, const char *user_agent, bzr__outbound **ret, char why[256]);
/* Cuts off what is open. NULL is a no-op. */
void bzr__outbound_free(bzr__outbound *o);
/* Begin a request. NULL: no memory. No callback comes from within. */
bzr__outbound_call *bzr__outbound_start(bzr__outbound *o, const bzr__outbound_request *request);
void bzr__outbound_cancel(bzr__outbound *o, bzr__outbound_call *call);
/* What to wait for, at most BZR__OUTBOUND_FDS; *timeout_ms is lowered where time matters. */
size_t bzr__outbound_wait(bzr__outbound *o, struct pollfd *fds, int *timeout_ms);
/* What came of it; callbacks run here. */
void bzr__outbound_ready(bzr__outbound *o, const struct pollfd *fds, size_t n);

#endif
