/* web_permit.h - may this request be sent now? What a site asks of robots, and whose turn it is at a host.
 *
 * Both are kept in the store, so that all processes that share one behave as one visitor; without a store robots.txt is
 * fetched each time and nobody waits. Hosts that the user named are the user's own and are not spared. */
#ifndef BZR_APP_WEB_PERMIT_H
#define BZR_APP_WEB_PERMIT_H

#include "app/host/host.h"
#include "net/fetch.h"

#define BZR__WEB_HOLD_MAX ((int64_t)24 * 3600 * 1000000) /* microseconds that a server can keep us away */

typedef struct bzr__web_permit {
    bzr__host *host;
    const bzr__fetch_options *net;
    bool robots;      /* ask robots.txt */
    int64_t gap;      /* microseconds between two requests to one host */
    char last[254];   /* out: the host that was asked last; empty for one that is not counted */
    int64_t retry_at; /* out: when it may be asked again, of BZR__REFUSED_BUSY; 0: not known */
} bzr__web_permit;

/* A bzr__permit_fn; `ctx` is a bzr__web_permit. */
bzr__refusal bzr__web_permit_ask(void *ctx, const bzr__url *url, int left_ms, char detail[BZR__FETCH_DETAIL]);
/* The host that was asked last wants to be left alone for so many seconds. */
void bzr__web_permit_hold(bzr__web_permit *p, int64_t seconds);

#endif
