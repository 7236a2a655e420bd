/* resolve.h - the addresses of a name, within a time.
 *
 * getaddrinfo(3) knows no deadline, so it runs in a thread of its own that is left behind when time is up; it frees
 * what it shares with us when it ends. */
#ifndef TOAD_NET_RESOLVE_H
#define TOAD_NET_RESOLVE_H

#include "net/url.h"

#define TOAD__ADDRESSES_MAX 32

typedef struct toad__addresses {
    toad__address list[TOAD__ADDRESSES_MAX];
    size_t n;
} toad__addresses;

/* Fill `ret` with all addresses of `host`, of both families, in the order to try them. Returns TOAD__ALLOWED,
 * TOAD__REFUSED_UNRESOLVED or TOAD__REFUSED_RESOLVE_TIMEOUT. */
typedef toad__refusal (*toad__resolve_fn)(void *ctx, const char *host, int timeout_ms, toad__addresses *ret);

/* The system's resolver. `ctx` is unused. Thread rule: any thread. */
toad__refusal toad__resolve(void *ctx, const char *host, int timeout_ms, toad__addresses *ret);

#endif
