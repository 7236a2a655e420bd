/* web_permit.h - may this request be sent now? What a site asks of robots, and whose turn it is at a host.
 *
 * Both are kept in the store, so that all processes that share one behave as one visitor; without a store robots.txt is
 * fetched each time and nobody waits. Hosts that the user named are the user's own and are not spared. */
#ifndef TOAD_APP_WEB_PERMIT_H
#define TOAD_APP_WEB_PERMIT_H

#include "app/host/host.h"
#include "net/fetch.h"

#define TOAD__WEB_HOLD_MAX ((int64_t)24 * 3600 * 1000000) /* microseconds that a server can keep us away */

typedef struct toad__web_permit {
    toad__host *host;
    const toad__fetch_options *net;
    bool robots;      /* ask robots.txt */
    int64_t gap;      /* microseconds between two requests to one host */
    char last[254];   /* out: the host that was asked last; empty for one that is not counted */
    int64_t retry_at; /* out: when it may be asked again, of TOAD__REFUSED_BUSY; 0: not known */
} toad__web_permit;

/* A toad__permit_fn; `ctx` is a toad__web_permit. */
toad__refusal toad__web_permit_ask(void *ctx, const toad__url *url, int left_ms, char detail[TOAD__FETCH_DETAIL]);
/* The host that was asked last wants to be left alone for so many seconds. */
void toad__web_permit_hold(toad__web_permit *p, int64_t seconds);

#endif
