/* guard.h - may this be fetched? URLs before they are resolved, addresses before they are connected to.
 *
 * A name is judged by its spelling, which keeps the obvious from being looked up at all; only the judgement of the
 * address counts, and it must be made on the address that is then connected to (net/fetch.c). What a user names with
 * `private_hosts` may lead inside, but no page may send a fetch there. */
#ifndef BZR_NET_GUARD_H
#define BZR_NET_GUARD_H

#include "net/url.h"

typedef struct bzr__guard {
    const uint16_t *ports; /* allowed beside 80, 443 and 8443 with TLS */
    size_t ports_n;
    const char *const *private_hosts; /* HOST or HOST:PORT, as the user wrote them; IPv6 in brackets */
    size_t private_n;
} bzr__guard;

/* Has the user named this host (and port) as one that may lead inside? */
bool bzr__guard_is_named(const bzr__guard *g, const bzr__url *url);
/* Judge scheme, port, name and literal address. `named`: that of bzr__guard_is_named for the URL the user asked for and
 * for this one. */
bzr__refusal bzr__guard_url(const bzr__guard *g, const bzr__url *url, bool named);
/* Judge an address that a name has led to. */
bzr__refusal bzr__guard_address(const bzr__address *address, bool named);

#endif
