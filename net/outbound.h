/* outbound.h - HTTP requests to one endpoint that the user named, many at once in a poll loop; answers come in pieces.
 *
 * For what is spoken to, not read: an MCP server. The host may lead inside, since the user wrote it; no redirect is
 * followed, no proxy, cookie or netrc is used, and what may never be reached (guard.h) is not. Nothing blocks but the
 * first name lookup of libcurls without threads. Thread rule: one thread at a time; callbacks must not free. */
#ifndef TOAD_NET_OUTBOUND_H
#define TOAD_NET_OUTBOUND_H

#include "toadstone/types.h"

#include <poll.h>

#define TOAD__OUTBOUND_FDS 128 /* connections; more requests wait */

typedef struct toad__outbound toad__outbound;
typedef struct toad__outbound_call toad__outbound_call;

typedef struct toad__outbound_request {
    const char *method;         /* POST, GET, DELETE */
    const char *const *headers; /* whole lines; copied */
    size_t headers_n;
    toad_str body; /* copied */
    void *ctx;
    void (*header)(void *ctx, toad_str name, toad_str value);
    void (*head)(void *ctx, int status);     /* once, before data */
    bool (*data)(void *ctx, toad_str bytes); /* false: enough, give up */
    void (*over)(void *ctx,
                 const char *why); /* NULL: all has come; the call is gone. Not called for what is cancelled */
} toad__outbound_request;

/* `why` (256 bytes) says in one sentence why not. Errors: TOAD_E_ARG (no http or https URL, or one that may not be
 * reached), TOAD_E_IO (no libcurl), TOAD_E_NOMEM. */
toad_status toad__outbound_new(const char *url, const char *user_agent, toad__outbound **ret, char why[256]);
/* Cuts off what is open. NULL is a no-op. */
void toad__outbound_free(toad__outbound *o);
/* Begin a request. NULL: no memory. No callback comes from within. */
toad__outbound_call *toad__outbound_start(toad__outbound *o, const toad__outbound_request *request);
void toad__outbound_cancel(toad__outbound *o, toad__outbound_call *call);
/* What to wait for, at most TOAD__OUTBOUND_FDS; *timeout_ms is lowered where time matters. */
size_t toad__outbound_wait(toad__outbound *o, struct pollfd *fds, int *timeout_ms);
/* What came of it; callbacks run here. */
void toad__outbound_ready(toad__outbound *o, const struct pollfd *fds, size_t n);

#endif
