/* guard.h - may this be fetched? URLs before they are resolved, addresses before they are connected to.
 *
 * A name is judged by its spelling, which keeps the obvious from being looked up at all; only the judgement of the
 * address counts, and it must be made on the address that is then connected to (net/fetch.c). What a user names with
 * `private_hosts` may lead inside, but no page may send a fetch there. */
#ifndef TOAD_NET_GUARD_H
#define TOAD_NET_GUARD_H

#include "net/url.h"

typedef struct toad__guard {
    const uint16_t *ports; /* allowed beside 80, 443 and 8443 with TLS */
    size_t ports_n;
    const char *const *private_hosts; /* HOST or HOST:PORT, as the user wrote them; IPv6 in brackets */
    size_t private_n;
} toad__guard;

/* Has the user named this host (and port) as one that may lead inside? */
bool toad__guard_is_named(const toad__guard *g, const toad__url *url);
/* Judge scheme, port, name and literal address. `named`: that of toad__guard_is_named for the URL the user asked for
 * and for this one. */
toad__refusal toad__guard_url(const toad__guard *g, const toad__url *url, bool named);
/* Judge an address that a name has led to. */
toad__refusal toad__guard_address(const toad__address *address, bool named);

#endif
