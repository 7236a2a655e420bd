/* host.h - where a URL's host leads, from its spelling alone: no name is resolved here.
 *
 * IPv4 and IPv6 are read as the WHATWG URL standard reads them (sections 3.5 to 3.7: octal, hex, short and one-number
 * forms), IPv6 with its embedded IPv4 addresses. */
#ifndef TOAD_BASE_HOST_H
#define TOAD_BASE_HOST_H

#include "toadstone/types.h"

/* Read `host` (lower case, no brackets) as an IPv4 address in any spelling. */
bool toad__host_ipv4(toad_str host, uint32_t *ret);
/* Read `host` (no brackets, zone id allowed) as an IPv6 address. */
bool toad__host_ipv6(toad_str host, uint8_t ret[16]);
/* IANA special-purpose: loopback, private, link-local, shared, benchmark, multicast, reserved, unspecified.
 * Documentation ranges are not. */
bool toad__ipv4_is_internal(uint32_t address);
bool toad__ipv6_is_internal(const uint8_t address[16]);
/* Why an address is no address of the public internet: a word such as "loopback" (static), or NULL. Every block of the
 * two IANA special-purpose registries (2025-10), multicast, and what cloud hosts answer on; of IPv6 only the global
 * unicast block (RFC 4291, 2.4) and NAT64 of a public address pass. */
const char *toad__ipv4_purpose(uint32_t address);
const char *toad__ipv6_purpose(const uint8_t address[16]);
/* localhost, metadata and cluster names, wildcard resolvers, single labels. `host` is lower case without a trailing
 * dot. */
bool toad__host_is_internal_name(toad_str host);

#endif
