/* resolve.h - the addresses of a name, within a time.
 *
 * getaddrinfo(3) knows no deadline, so it runs in a thread of its own that is left behind when time is up; it frees
 * what it shares with us when it ends. */
#ifndef BZR_NET_RESOLVE_H
#define BZR_NET_RESOLVE_H

#include "net/url.h"

#define BZR__ADDRESSES_MAX 32

typedef struct bzr__addresses {
    bzr__address list[BZR__ADDRESSES_MAX];
    size_t n;
} bzr__addresses;

/* Fill `ret` with all addresses of `host`, of both families, in the order to try them. Returns BZR__ALLOWED,
 * BZR__REFUSED_UNRESOLVED or BZR__REFUSED_RESOLVE_TIMEOUT. */
typedef bzr__refusal (*bzr__resolve_fn)(void *ctx, const char *host, int timeout_ms, bzr__addresses *ret);

/* The system's resolver. `ctx` is unused. Thread rule: any thread. */
bzr__refusal bzr__resolve(void *ctx, const char *host, int timeout_ms, bzr__addresses *ret);

#endif
