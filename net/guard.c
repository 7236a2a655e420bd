/* guard.c - see guard.h. The blocks of addresses and the internal names are those that the scanner knows
 * (lib/base/host.c). */
#include "net/guard.h"

#include "lib/base/host.h"
#include "lib/base/str.h"

/* Is `name` the end of `host`, at a dot? */
static bool within(toad_str host, const char *name) {
    toad_str s = toad__str_z(name);
    if (host.n < s.n || memcmp(host.p + host.n - s.n, s.p, s.n) != 0) return false;
    return host.n == s.n || host.p[host.n - s.n - 1] == '.';
}

/* RFC 6761, 6762, 7686, 9476 and ICANN's "internal": none of them is answered by the public DNS, so an answer is a
 * private one. */
static bool is_reserved_name(toad_str host) {
    static const char *const names[] = { "test", "example", "invalid", "onion", "alt", "arpa" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (within(host, names[i])) return true;
    return false;
}

static bool port_allowed(const toad__guard *g, const toad__url *url) {
    if (url->port == 80 || url->port == 443 || (url->port == 8443 && url->https)) return true;
    for (size_t i = 0; i < g->ports_n; i++)
        if (g->ports[i] == url->port) return true;
    return false;
}

/* The port at the end of "host:port" or "[v6]:port", and the host before it without brackets. An IPv6 address without
 * brackets has none. */
static toad_str entry_host(toad_str s, unsigned *ret_port) {
    size_t colon = s.n;
    unsigned port = 0;
    while (colon && toad__is_digit((unsigned char)s.p[colon - 1])) colon--;
    bool has_port =
        colon > 1 && colon < s.n && s.p[colon - 1] == ':' && (s.p[colon - 2] == ']' || !memchr(s.p, ':', colon - 1));
    for (size_t i = colon; has_port && i < s.n && port < 100000; i++) port = port * 10 + (unsigned)(s.p[i] - '0');
    if (has_port) s.n = colon - 1;
    if (s.n >= 2 && s.p[0] == '[' && s.p[s.n - 1] == ']') s = toad__str_part(s, 1, s.n - 1);
    *ret_port = has_port ? port : 0;
    return s;
}

static bool names(const char *entry, const toad__url *url) {
    unsigned port;
    toad_str host = entry_host(toad__str_z(entry), &port);
    return toad__str_ieq(host, url->host) && (!port || port == url->port);
}

bool toad__guard_is_named(const toad__guard *g, const toad__url *url) {
    for (size_t i = 0; i < g->private_n; i++)
        if (names(g->private_hosts[i], url)) return true;
    return false;
}

toad__refusal toad__guard_address(const toad__address *a, bool named) {
    if (named) return TOAD__ALLOWED;
    uint32_t v4 = (uint32_t)a->bytes[0] << 24 | (uint32_t)a->bytes[1] << 16 | (uint32_t)a->bytes[2] << 8 | a->bytes[3];
    const char *purpose = a->v6 ? toad__ipv6_purpose(a->bytes) : toad__ipv4_purpose(v4);
    return purpose ? toad__refusal_of(purpose) : TOAD__ALLOWED;
}

static toad__refusal judge_name(toad_str host) {
    if (is_reserved_name(host)) return TOAD__REFUSED_RESERVED_NAME;
    return toad__host_is_internal_name(host) ? TOAD__REFUSED_INTERNAL_NAME : TOAD__ALLOWED;
}

toad__refusal toad__guard_url(const toad__guard *g, const toad__url *url, bool named) {
    if (named) return TOAD__ALLOWED;
    toad__refusal why = url->is_address ? toad__guard_address(&url->address, false) : judge_name(url->host);
    return !why && !port_allowed(g, url) ? TOAD__REFUSED_PORT : why;
}
