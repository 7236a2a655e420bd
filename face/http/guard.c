/* guard.c - hosts, origins and tokens. Everything here is a comparison with a list; nothing is guessed or resolved. */
#include "face/http/guard.h"

#include "lib/base/hex.h"
#include "lib/base/str.h"
#include "sys/digest.h"

#include <arpa/inet.h>

/* ---- names ---- */

/* `host` or `host:port` without its port; n is 0 where it is neither. */
static toad_str without_port(toad_str host) {
    size_t n = 0, end;
    if (host.n && host.p[0] == '[') {
        n = toad__str_find(host, TOAD__S("]"), 0);
        if (n == host.n) return toad__str(NULL, 0);
        n++;
    } else {
        while (n < host.n && host.p[n] != ':') n++;
    }
    end = n;
    for (size_t i = 0; i < n; i++)
        if (!toad__is_alnum((unsigned char)host.p[i]) && !strchr("-._:[]", host.p[i])) return toad__str(NULL, 0);
    if (n < host.n && host.p[n++] != ':') return toad__str(NULL, 0);
    if (n == host.n && n != end) return toad__str(NULL, 0);
    for (; n < host.n; n++)
        if (!toad__is_digit((unsigned char)host.p[n])) return toad__str(NULL, 0);
    return toad__str_part(host, 0, end);
}

bool http_host_allowed(const http_guard *g, toad_str host) {
    toad_str name = without_port(host);
    if (!name.n) return false;
    if (toad__str_ieq(name, TOAD__S("localhost")) || toad__str_eq(name, TOAD__S("127.0.0.1")) ||
        toad__str_ieq(name, TOAD__S("[::1]")))
        return true;
    for (size_t i = 0; i < g->hosts_n; i++)
        if (!strcmp(g->hosts[i], "*") || toad__str_ieq(name, toad__str_z(g->hosts[i]))) return true;
    return false;
}

bool http_origin_listed(const http_guard *g, toad_str origin) {
    for (size_t i = 0; origin.n && i < g->origins_n; i++)
        if (toad__str_ieq(origin, toad__str_z(g->origins[i]))) return true;
    return false;
}

/* An origin of this machine, on whatever port, is as trusted as the user who runs it. */
bool http_origin_allowed(const http_guard *g, toad_str origin) {
    http_guard none = { .hosts_n = 0 };
    size_t scheme = toad__str_starts(origin, TOAD__S("http://"))    ? 7
                    : toad__str_starts(origin, TOAD__S("https://")) ? 8
                                                                    : 0;
    if (!origin.p) return true;
    if (scheme && http_host_allowed(&none, toad__str_part(origin, scheme, origin.n))) return true;
    return http_origin_listed(g, origin);
}

bool http_is_loopback(const char *address) {
    struct in_addr four;
    struct in6_addr six;
    if (inet_pton(AF_INET, address, &four) == 1) return ntohl(four.s_addr) >> 24 == 127;
    return inet_pton(AF_INET6, address, &six) == 1 && IN6_IS_ADDR_LOOPBACK(&six);
}

/* ---- tokens ---- */

static bool is_token(toad_str token) {
    for (size_t i = 0; i < token.n; i++)
        if (token.p[i] <= ' ' || token.p[i] > '~') return false;
    return token.n >= HTTP_TOKEN_LEAST && token.n <= HTTP_TOKEN_MOST;
}

bool http_guard_add_token(http_guard *g, toad_str token) {
    if (!is_token(token) || g->tokens_n == HTTP_TOKENS_MAX) return false;
    toad__sha256(&token, 1, g->tokens[g->tokens_n++]);
    return true;
}

bool http_guard_add_tokens(http_guard *g, toad_str text, size_t *ret_line) {
    size_t before = g->tokens_n, number = 0;
    for (size_t at = 0, end; at < text.n; at = end + 1) {
        end = toad__str_find(text, TOAD__S("\n"), at);
        toad_str line = toad__str_trim(toad__str_part(text, at, end));
        *ret_line = ++number;
        if (line.n && line.p[0] != '#' && !http_guard_add_token(g, line)) return false;
    }
    *ret_line = 0;
    return g->tokens_n > before;
}

/* All tokens are looked at, all bytes of each: the time says neither which nor how much of one fits. */
static bool is_known(const http_guard *g, const unsigned char hash[32]) {
    bool known = false;
    for (size_t i = 0; i < g->tokens_n; i++) known |= toad__same_bytes(g->tokens[i], hash, TOAD__DIGEST);
    return known;
}

/* A name that tells a token from others and nothing else of it. */
static void name_principal(toad_str token, char principal[HTTP_PRINCIPAL_MAX + 1]) {
    unsigned char hash[TOAD__DIGEST];
    toad__sha256((const toad_str[]){ TOAD__S("toadstone principal\n"), token }, 2, hash);
    memcpy(principal, "token:", 6);
    toad__hex_z(principal + 6, hash, 8);
}

bool http_token_allowed(const http_guard *g, toad_str authorization, char principal[HTTP_PRINCIPAL_MAX + 1]) {
    unsigned char hash[32];
    memcpy(principal, "local", 6);
    if (!g->tokens_n) return true;
    if (!toad__str_ieq(toad__str_part(authorization, 0, 7), TOAD__S("Bearer "))) return false;
    toad_str token = toad__str_trim(toad__str_part(authorization, 7, authorization.n));
    if (token.n > HTTP_TOKEN_MOST) return false;
    toad__sha256(&token, 1, hash);
    if (!is_known(g, hash)) return false;
    name_principal(token, principal);
    return true;
}
