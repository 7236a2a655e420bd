/* url.c - the basic URL parser of the WHATWG standard, cut down to http and https and written without its state
 * machine: the text is cleaned once, then split at positions found from left to right. Output is built in one buffer;
 * going up a directory takes bytes back that were written before, so the work stays linear. */
#include "net/url.h"

#include "lib/base/buf.h"
#include "lib/base/cursor.h"
#include "lib/base/hex.h"
#include "net/hostname.h"

#include <arpa/inet.h>

enum { ESCAPED = 3 }; /* bytes that one byte of a path becomes at most */

static const struct {
    const char *code, *text;
} refusals[] = {
    { "ok", "nothing speaks against it" },
#define X(name, code, sentence) { code, sentence },
#include "net/refusals.def"
#undef X
};

const char *toad__refusal_code(toad__refusal r) { return refusals[r].code; }
const char *toad__refusal_text(toad__refusal r) { return refusals[r].text; }

toad__refusal toad__refusal_of(const char *code) {
    for (size_t i = 1; i < sizeof refusals / sizeof *refusals; i++)
        if (!strcmp(refusals[i].code, code)) return (toad__refusal)i;
    return TOAD__REFUSED_RESERVED;
}

void toad__address_text(const toad__address *a, char out[46]) {
    out[0] = 0;
    inet_ntop(a->v6 ? AF_INET6 : AF_INET, a->bytes, out, 46);
}

/* ---- taking apart ---- */

typedef struct parts {
    bool https, relative, from_root; /* relative: no authority of its own */
    toad_str authority, path, query; /* query with its '?', or empty */
} parts;

static bool is_slash(int c) { return c == '/' || c == '\\'; }

/* Blanks and controls around a URL, and tabs and line ends within, are not part of it. */
static void clean(toad_str s, toad__buf *out) {
    while (s.n && (unsigned char)s.p[0] <= ' ') s = toad__str_part(s, 1, s.n);
    while (s.n && (unsigned char)s.p[s.n - 1] <= ' ') s.n--;
    for (size_t i = 0; i < s.n; i++)
        if (s.p[i] != '\t' && s.p[i] != '\r' && s.p[i] != '\n') toad__buf_add_c(out, s.p[i]);
}

/* The length of the scheme before ':', or 0. */
static size_t scheme_of(toad_str s) {
    size_t n = 0;
    if (!s.n || !toad__is_alpha((unsigned char)s.p[0])) return 0;
    while (n < s.n && (toad__is_alnum((unsigned char)s.p[n]) || s.p[n] == '+' || s.p[n] == '-' || s.p[n] == '.')) n++;
    return n < s.n && s.p[n] == ':' ? n : 0;
}

static toad__refusal take_scheme(toad__cur *c, const toad__url *base, parts *p) {
    size_t n = scheme_of(c->s);
    toad_str scheme = toad__str_part(c->s, 0, n);
    p->https = base && base->https;
    p->relative = !n;
    if (!n) return base ? TOAD__ALLOWED : TOAD__REFUSED_SYNTAX;
    p->https = toad__str_ieq(scheme, TOAD__S("https"));
    if (!p->https && !toad__str_ieq(scheme, TOAD__S("http"))) return TOAD__REFUSED_SCHEME;
    toad__cur_skip(c, n + 1);
    p->relative = base && base->https == p->https; /* "http:x", "http:/x" in an http page */
    return TOAD__ALLOWED;
}

static void take_authority(toad__cur *c, parts *p) {
    while (is_slash(toad__cur_peek(c, 0))) c->at++;
    size_t from = c->at;
    for (int b; (b = toad__cur_peek(c, 0)) >= 0 && !is_slash(b) && b != '?' && b != '#';) c->at++;
    p->authority = toad__str_part(c->s, from, c->at);
}

static toad__refusal split(toad_str s, const toad__url *base, parts *p) {
    toad__cur c = toad__cur_of(s);
    *p = (parts){ 0 };
    toad__refusal why = take_scheme(&c, base, p);
    if (why) return why;
    if (p->relative && is_slash(toad__cur_peek(&c, 0)) && is_slash(toad__cur_peek(&c, 1))) p->relative = false;
    if (!p->relative) take_authority(&c, p);
    p->from_root = !p->relative || is_slash(toad__cur_peek(&c, 0));
    size_t end = toad__str_find(s, TOAD__S("#"), c.at),
           mark = toad__str_find(toad__str_part(s, 0, end), TOAD__S("?"), c.at);
    p->path = toad__str_part(s, c.at, mark);
    p->query = toad__str_part(s, mark, end);
    return TOAD__ALLOWED;
}

static toad__refusal read_port(toad_str digits, bool https, uint16_t *ret) {
    unsigned v = 0;
    for (size_t i = 0; i < digits.n; i++) {
        if (!toad__is_digit((unsigned char)digits.p[i])) return TOAD__REFUSED_PORT_SPELLING;
        if (v < 100000) v = v * 10 + (unsigned)(digits.p[i] - '0');
    }
    if ((digits.n > 1 && digits.p[0] == '0') || v > 65535) return TOAD__REFUSED_PORT_SPELLING;
    *ret = digits.n ? (uint16_t)v : https ? 443 : 80;
    return TOAD__ALLOWED;
}

/* Userinfo, host and port. */
static toad_status read_authority(toad_str a, bool https, toad__hostname *host, uint16_t *port, toad__refusal *why) {
    if (a.n && memchr(a.p, '@', a.n)) return *why = TOAD__REFUSED_CREDENTIALS, TOAD_OK;
    size_t bracket = a.n && a.p[0] == '[' ? toad__str_find(a, TOAD__S("]"), 0) : 0,
           colon = toad__str_find(a, TOAD__S(":"), bracket);
    toad_status status = toad__hostname_read(toad__str_part(a, 0, colon), host, why);
    if (!status && !*why) *why = read_port(toad__str_part(a, colon + 1, a.n), https, port);
    return status;
}

/* ---- putting together ---- */

/* The percent-encode sets of paths and of queries of special schemes. */
static bool must_escape(unsigned char c, bool query) {
    if (c <= ' ' || c >= 0x7F || c == '"' || c == '<' || c == '>' || c == '#') return true;
    return query ? c == '\'' : c == '`' || c == '{' || c == '}' || c == '^' || c == '?';
}

static void add_escaped(toad__buf *b, toad_str s, bool query) {
    for (size_t i = 0; i < s.n; i++) {
        unsigned char c = (unsigned char)s.p[i];
        if (must_escape(c, query))
            toad__buf_add_percent(b, c);
        else
            toad__buf_add_c(b, (char)c);
    }
}

/* How many dots a segment consists of, written plainly or as %2e; 0 if of anything else. */
static unsigned dots(toad_str s) {
    unsigned n = 0;
    for (size_t i = 0; i < s.n; n++) {
        if (s.p[i] == '.')
            i++;
        else if (toad__str_ieq(toad__str_part(s, i, i + 3), TOAD__S("%2e")))
            i += 3;
        else
            return 0;
    }
    return n;
}

/* Take the last "/segment" back. */
static void pop(toad__buf *b, size_t root) {
    while (b->n > root && b->p[--b->n] != '/') {}
}

/* Append "/a/b" with "." and ".." worked in; `root` is where the path begins in `b`, which holds a path without final
 * slash, or nothing. */
static void add_path(toad__buf *b, size_t root, toad_str path) {
    size_t at = path.n && is_slash((unsigned char)path.p[0]);
    for (bool last = false; !last && !b->status;) {
        size_t end = at;
        while (end < path.n && !is_slash((unsigned char)path.p[end])) end++;
        toad_str segment = toad__str_part(path, at, end);
        unsigned n = dots(segment);
        last = end >= path.n;
        if (n == 2) pop(b, root);
        if (n != 1 && n != 2) {
            toad__buf_add_c(b, '/');
            add_escaped(b, segment, false);
        } else if (last) {
            toad__buf_add_c(b, '/');
        }
        at = end + 1;
    }
}

/* A reference without a path keeps that of the base, and without a query that, too. */
static void add_target(toad__buf *b, const parts *p, const toad__url *base) {
    size_t root = b->n;
    toad_str old = p->from_root ? toad__str(NULL, 0) : base->target;
    size_t mark = toad__str_find(old, TOAD__S("?"), 0);
    if (!p->from_root && !p->path.n) {
        toad__buf_add(b, old.p, p->query.n ? mark : old.n);
    } else {
        toad__buf_add(b, old.p, mark);
        pop(b, root);
        add_path(b, root, p->path);
    }
    if (p->query.n) toad__buf_add_c(b, '?'), add_escaped(b, toad__str_part(p->query, 1, p->query.n), true);
}

static void add_origin(toad__buf *b, const toad__url *u) {
    bool v6 = u->is_address && u->address.v6;
    toad__buf_add_z(b, u->https ? "https://" : "http://");
    if (v6) toad__buf_add_c(b, '[');
    toad__buf_add_str(b, u->host);
    if (v6) toad__buf_add_c(b, ']');
    if (u->port == (u->https ? 443 : 80)) return;
    toad__buf_add_c(b, ':');
    toad__buf_add_u64(b, u->port);
}

static toad_status build(const parts *p, const toad__url *base, toad__buf *b, toad__arena *arena, toad__url *u) {
    toad__buf_clear(b);
    add_origin(b, u);
    size_t origin = b->n;
    add_target(b, p, base);
    u->text = b->status ? toad__str(NULL, 0) : toad__arena_dup(arena, toad__buf_str(b));
    u->target = toad__str_part(u->text, origin, u->text.n);
    return u->text.p ? TOAD_OK : TOAD_E_NOMEM;
}

static toad_status keep_host(const toad__hostname *h, toad__arena *arena, toad__url *u) {
    char text[46];
    toad__address_text(&h->address, text);
    u->is_address = h->is_address;
    u->address = h->address;
    u->host = toad__arena_dup(arena, toad__str_z(h->is_address ? text : h->text));
    return u->host.p ? TOAD_OK : TOAD_E_NOMEM;
}

static toad_status parse(toad_str s, const toad__url *base, toad__buf *b, toad__arena *arena, toad__url *u,
                         toad__refusal *why) {
    parts p;
    toad__hostname host;
    *why = split(s, base, &p);
    if (*why) return TOAD_OK;
    *u = p.relative ? *base : (toad__url){ .https = p.https };
    if (!p.relative) {
        toad_status status = read_authority(p.authority, p.https, &host, &u->port, why);
        if (!status && !*why) status = keep_host(&host, arena, u);
        if (status || *why) return status;
    }
    return build(&p, base, b, arena, u);
}

toad_status toad__url_parse(toad_str text, const toad__url *base, toad__arena *arena, toad__url *ret,
                            toad__refusal *ret_why) {
    toad__buf whole, b;
    toad__url u = { 0 };
    toad__refusal why = TOAD__REFUSED_TOO_LONG;
    toad_status status = TOAD_OK;
    toad__buf_init(&whole, TOAD__URL_MAX);
    toad__buf_init(&b, 2 * ESCAPED * TOAD__URL_MAX + 1024);
    if (text.n <= TOAD__URL_MAX) {
        clean(text, &whole);
        status = whole.status;
        if (!status) status = parse(toad__buf_str(&whole), base, &b, arena, &u, &why);
    }
    toad__buf_free(&whole);
    toad__buf_free(&b);
    if (!status && !why) *ret = u;
    if (!status) *ret_why = why;
    return status;
}
