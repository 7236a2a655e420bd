/* origin.c - see origin.h. One pass over the URL; a host has at most 253 bytes and is looked up twice. */
#include "app/host/origin.h"

#include "lib/base/buf.h"
#include "lib/base/hex.h"
#include "lib/base/host.h"
#include "lib/base/str.h"

#include <idn2.h>
#include <libpsl.h>
#include <stdio.h>

enum { HOST_MAX = 1024, NAME_MAX_BYTES = 253, NO_PORT = 65536 };

static bool is_slash(char c) { return c == '/' || c == '\\'; }

/* ---- hosts ---- */

/* Percent escapes undone, as browsers do before they look a host up. False: it is too long for a host. */
static bool unescape(toad_str raw, char *out, size_t *ret_n) {
    size_t n = 0;
    for (size_t i = 0; i < raw.n; i++) {
        int escaped = raw.p[i] == '%' ? toad__hex_pair(raw, i + 1) : -1;
        if (n == HOST_MAX - 1) return false;
        out[n] = escaped >= 0 ? (char)escaped : raw.p[i];
        if (!out[n++]) return false;
        i += escaped >= 0 ? 2 : 0;
    }
    out[n] = 0;
    *ret_n = n;
    return true;
}

/* What IDNA refuses keeps its bytes, written so that they are inert. */
static void add_inert(toad__buf *b, toad_str name) {
    for (size_t i = 0; i < name.n; i++) {
        unsigned char c = (unsigned char)name.p[i];
        if (toad__is_alnum(c) || c == '.' || c == '-' || c == '_')
            toad__buf_add_c(b, (char)toad__lower(c));
        else
            toad__buf_add_percent(b, c);
    }
}

static void add_ipv4(toad__buf *b, uint32_t v) {
    char text[16];
    snprintf(text, sizeof text, "%u.%u.%u.%u", v >> 24, v >> 16 & 255, v >> 8 & 255, v & 255);
    toad__buf_add_z(b, text);
}

/* RFC 5952 without the shortening of zeros: one spelling is all that is needed. */
static void add_ipv6(toad__buf *b, const uint8_t v[16]) {
    char text[8];
    toad__buf_add_c(b, '[');
    for (int i = 0; i < 8; i++) {
        snprintf(text, sizeof text, i ? ":%x" : "%x", (unsigned)(v[2 * i] << 8 | v[2 * i + 1]));
        toad__buf_add_z(b, text);
    }
    toad__buf_add_c(b, ']');
}

/* What no host may hold, in any spelling. */
static bool is_forbidden(const char *raw, size_t n) {
    for (size_t i = 0; i < n; i++)
        if ((unsigned char)raw[i] <= ' ' || raw[i] == 0x7f || strchr("\"#%/:<>?@[\\]^`{|}", raw[i])) return true;
    return false;
}

/* A name or address in its one spelling, nothing for what is none; true if it is an address. */
static bool add_host(toad__buf *b, const char *raw, size_t n) {
    uint8_t v6[16];
    uint32_t v4;
    char *ascii = NULL;
    if (n > 2 && raw[0] == '[' && raw[n - 1] == ']' && toad__host_ipv6(toad__str(raw + 1, n - 2), v6)) {
        add_ipv6(b, v6);
        return true;
    }
    if (is_forbidden(raw, n)) return false;
    size_t from = b->n;
    bool known = idn2_to_ascii_8z(raw, &ascii, IDN2_NFC_INPUT | IDN2_NONTRANSITIONAL) == IDN2_OK;
    bool splits = known && is_forbidden(ascii, strlen(ascii)); /* U+2100 is "a/c" to DNS */
    if (!splits) add_inert(b, known ? toad__str_z(ascii) : toad__str(raw, n));
    idn2_free(ascii);
    if (splits) return false;
    while (b->n > from && b->p[b->n - 1] == '.') b->n--;
    if (b->status || b->n == from || !toad__host_ipv4(toad__str(b->p + from, b->n - from), &v4)) return false;
    b->n = from;
    add_ipv4(b, v4);
    return true;
}

/* The part of `host` that is registered; itself where nobody can register above it. `host` ends with NUL. */
static toad_str domain_of(toad_str host, bool *suffix) {
    const psl_ctx_t *list = psl_builtin();
    const char *domain = list && host.n <= NAME_MAX_BYTES ? psl_registrable_domain(list, host.p) : NULL;
    *suffix = list && !domain && toad__str_find(host, TOAD__S("."), 0) < host.n && psl_is_public_suffix(list, host.p);
    return domain ? toad__str_z(domain) : host;
}

/* Fill host and domain. `b` is scratch. */
static toad_status read_host(toad_str raw, toad__buf *b, toad__arena *arena, toad__origin *o) {
    char name[HOST_MAX];
    size_t n;
    toad__buf_clear(b);
    if (!raw.n || !unescape(raw, name, &n)) return TOAD_OK;
    bool address = add_host(b, name, n);
    if (b->status) return b->status;
    o->host = toad__arena_dup(arena, toad__buf_str(b));
    if (!o->host.p) return TOAD_E_NOMEM;
    o->domain = address || !o->host.n ? o->host : domain_of(o->host, &o->suffix);
    return TOAD_OK;
}

toad_status toad__origin_of_host(toad_str name, toad__arena *arena, toad__origin *ret) {
    toad__buf b;
    toad__origin o = { 0 };
    toad__buf_init(&b, 1u << 16);
    toad_status status = read_host(name, &b, arena, &o);
    toad__buf_free(&b);
    if (!status) *ret = o;
    return status;
}

/* ---- URLs ---- */

/* A URL taken apart; `rest` begins with the path. */
typedef struct parts {
    toad_str scheme, host, rest;
    unsigned port;
} parts;

static bool take_scheme(toad_str s, parts *p, size_t *at) {
    size_t n = 0;
    while (n < s.n && (toad__is_alnum((unsigned char)s.p[n]) || (n && s.p[n] && strchr("+-.", s.p[n])))) n++;
    if (!n || n + 2 >= s.n || s.p[n] != ':' || !is_slash(s.p[n + 1]) || !is_slash(s.p[n + 2])) return false;
    p->scheme = toad__str(s.p, n);
    *at = n + 3;
    return toad__is_alpha((unsigned char)s.p[0]);
}

/* Digits only, as the standard has it: "" is none, and so is the default port of the scheme. */
static bool read_port(toad_str scheme, toad_str port, unsigned *ret) {
    unsigned v = 0;
    for (size_t i = 0; i < port.n; i++) {
        if (!toad__is_digit((unsigned char)port.p[i])) return false;
        v = v * 10 + (unsigned)(port.p[i] - '0');
        if (v > 65535) return false;
    }
    bool standard =
        (v == 80 && toad__str_ieq(scheme, TOAD__S("http"))) || (v == 443 && toad__str_ieq(scheme, TOAD__S("https")));
    *ret = standard || !port.n ? NO_PORT : v;
    return true;
}

static bool split(toad_str s, parts *p) {
    size_t at;
    if (!take_scheme(s, p, &at)) return false;
    while (at < s.n && is_slash(s.p[at])) at++;
    size_t end = at, user = at;
    for (; end < s.n && !is_slash(s.p[end]) && s.p[end] != '?' && s.p[end] != '#'; end++)
        if (s.p[end] == '@') user = end + 1;
    p->host = toad__str_part(s, user, end);
    size_t bracket = toad__str_find(p->host, TOAD__S("]"), 0);
    size_t colon = toad__str_find(p->host, TOAD__S(":"), bracket < p->host.n ? bracket : 0);
    toad_str port = toad__str_part(p->host, colon + 1, p->host.n);
    p->host.n = colon;
    p->rest = toad__str_part(s, end, toad__str_find(s, TOAD__S("#"), end));
    return p->host.n > 0 && read_port(p->scheme, port, &p->port);
}

/* Path and query. The path of a web address knows no backslash; what a URL may not hold as it stands is
 * percent-encoded, so that two ways to write it are one name and the URL is one word. */
static void add_rest(toad__buf *b, toad_str rest) {
    bool query = false;
    if (!rest.n || rest.p[0] == '?') toad__buf_add_c(b, '/');
    for (size_t i = 0; i < rest.n; i++) {
        unsigned char c = (unsigned char)rest.p[i];
        query |= c == '?';
        if (c == '\\' && !query)
            toad__buf_add_c(b, '/');
        else if (c <= ' ' || c >= 0x7f || strchr("\"<>\\^`{|}", c))
            toad__buf_add_percent(b, c);
        else
            toad__buf_add_c(b, (char)c);
    }
}

static void add_url(toad__buf *b, const parts *p, toad_str host) {
    for (size_t i = 0; i < p->scheme.n; i++) toad__buf_add_c(b, (char)toad__lower((unsigned char)p->scheme.p[i]));
    toad__buf_add_z(b, "://");
    toad__buf_add_str(b, host);
    if (p->port != NO_PORT) {
        toad__buf_add_c(b, ':');
        toad__buf_add_u64(b, p->port);
    }
    add_rest(b, p->rest);
}

/* Tabs and line ends inside a URL, and blanks around it, are not part of it. */
static void add_trimmed(toad__buf *b, toad_str s) {
    while (s.n && (unsigned char)s.p[0] <= ' ') s = toad__str_part(s, 1, s.n);
    while (s.n && (unsigned char)s.p[s.n - 1] <= ' ') s.n--;
    for (size_t i = 0; i < s.n; i++)
        if (!strchr("\t\r\n", s.p[i]) || !s.p[i]) toad__buf_add_c(b, s.p[i]);
}

static toad_status keep_url(toad__arena *arena, toad_str text, toad__origin *o) {
    o->url = toad__arena_dup(arena, text);
    return o->url.p ? TOAD_OK : TOAD_E_NOMEM;
}

static toad_status read_source(toad_str source, toad__buf *whole, toad__buf *b, toad__arena *arena, toad__origin *o) {
    parts p;
    add_trimmed(whole, source);
    if (whole->status) return whole->status;
    if (!split(toad__buf_str(whole), &p)) return keep_url(arena, source, o);
    toad_status status = read_host(p.host, b, arena, o);
    if (status || !o->host.n) return status ? status : keep_url(arena, source, o);
    toad__buf_clear(b);
    add_url(b, &p, o->host);
    return b->status ? b->status : keep_url(arena, toad__buf_str(b), o);
}

/* A server of ours: its name is the user's, and no host. */
static toad_status read_server(toad_str source, toad__arena *arena, toad__origin *o) {
    while (source.n && source.p[source.n - 1] == '/') source.n--;
    toad_status status = keep_url(arena, source, o);
    if (!status) o->domain = toad__str_part(o->url, 0, toad__str_find(o->url, TOAD__S("/"), 0));
    return status;
}

toad_status toad__origin_of(toad_str source, toad__arena *arena, toad__origin *ret) {
    toad__buf whole, b;
    toad__origin o = { 0 };
    toad__buf_init(&whole, source.n + 1);
    toad__buf_init(&b, 4 * source.n + 4096);
    bool server = source.n > 4 && toad__str_starts(source, TOAD__S("mcp:")) && source.p[4] != '/';
    toad_status status = server ? read_server(source, arena, &o) : read_source(source, &whole, &b, arena, &o);
    toad__buf_free(&whole);
    toad__buf_free(&b);
    if (!status) *ret = o;
    return status;
}
