/* url.c - the basic URL parser of the WHATWG standard, cut down to http and https and written without its state
 * machine: the text is cleaned once, then split at positions found from left to right. Output is built in one buffer;
 * going up a directory takes bytes back that were written before, so the work stays linear. */
#include "net/url.h"

#include "lib/base/buf.h"
#include "lib/base/cursor.h"
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

const char *bzr__refusal_code(bzr__refusal r) { return refusals[r].code; }
const char *bzr__refusal_text(bzr__refusal r) { return refusals[r].text; }

bzr__refusal bzr__refusal_of(const char *code) {
    for (size_t i = 1; i < sizeof refusals / sizeof *refusals; i++)
        if (!strcmp(refusals[i].code, code)) return (bzr__refusal)i;
    return BZR__REFUSED_RESERVED;
}

void bzr__address_text(const bzr__address *a, char out[46]) {
    out[0] = 0;
    inet_ntop(a->v6 ? AF_INET6 : AF_INET, a->bytes, out, 46);
}

/* ---- taking apart ---- */

typedef struct parts {
    bool https, relative, from_root; /* relative: no authority of its own */
    bzr_str authority, path, query;  /* query with its '?', or empty */
} parts;

static bool is_slash(int c) { return c == '/' || c == '\\'; }

/* Blanks and controls around a URL, and tabs and line ends within, are not part of it. */
static void clean(bzr_str s, bzr__buf *out) {
    while (s.n && (unsigned char)s.p[0] <= ' ') s = bzr__str_part(s, 1, s.n);
    while (s.n && (unsigned char)s.p[s.n - 1] <= ' ') s.n--;
    for (size_t i = 0; i < s.n; i++)
        if (s.p[i] != '\t' && s.p[i] != '\r' && s.p[i] != '\n') bzr__buf_add_c(out, s.p[i]);
}

/* The length of the scheme before ':', or 0. */
static size_t scheme_of(bzr_str s) {
    size_t n = 0;
    if (!s.n || !bzr__is_alpha((unsigned char)s.p[0])) return 0;
    while (n < s.n && (bzr__is_alnum((unsigned char)s.p[n]) || s.p[n] == '+' || s.p[n] == '-' || s.p[n] == '.')) n++;
    return n < s.n && s.p[n] == ':' ? n : 0;
}

static bzr__refusal take_scheme(bzr__cur *c, const bzr__url *base, parts *p) {
    size_t n = scheme_of(c->s);
    bzr_str scheme = bzr__str_part(c->s, 0, n);
    p->https = base && base->https;
    p->relative = !n;
    if (!n) return base ? BZR__ALLOWED : BZR__REFUSED_SYNTAX;
    p->https = bzr__str_ieq(scheme, BZR__S("https"));
    if (!p->https && !bzr__str_ieq(scheme, BZR__S("http"))) return BZR__REFUSED_SCHEME;
    bzr__cur_skip(c, n + 1);
    p->relative = base && base->https == p->https; /* "http:x", "http:/x" in an http page */
    return BZR__ALLOWED;
}

static void take_authority(bzr__cur *c, parts *p) {
    while (is_slash(bzr__cur_peek(c, 0))) c->at++;
    size_t from = c->at;
    for (int b; (b = bzr__cur_peek(c, 0)) >= 0 && !is_slash(b) && b != '?' && b != '#';) c->at++;
    p->authority = bzr__str_part(c->s, from, c->at);
}

static bzr__refusal split(bzr_str s, const bzr__url *base, parts *p) {
    bzr__cur c = bzr__cur_of(s);
    *p = (parts){ 0 };
    bzr__refusal why = take_scheme(&c, base, p);
    if (why) return why;
    if (p->relative && is_slash(bzr__cur_peek(&c, 0)) && is_slash(bzr__cur_peek(&c, 1))) p->relative = false;
    if (!p->relative) take_authority(&c, p);
    p->from_root = !p->relative || is_slash(bzr__cur_peek(&c, 0));
    size_t end = bzr__str_find(s, BZR__S("#"), c.at), mark = bzr__str_find(bzr__str_part(s, 0, end), BZR__S("?"), c.at);
    p->path = bzr__str_part(s, c.at, mark);
    p->query = bzr__str_part(s, mark, end);
    return BZR__ALLOWED;
}

static bzr__refusal read_port(bzr_str digits, bool https, uint16_t *ret) {
    unsigned v = 0;
    for (size_t i = 0; i < digits.n; i++) {
        if (!bzr__is_digit((unsigned char)digits.p[i])) return BZR__REFUSED_PORT_SPELLING;
        if (v < 100000) v = v * 10 + (unsigned)(digits.p[i] - '0');
    }
    if ((digits.n > 1 && digits.p[0] == '0') || v > 65535) return BZR__REFUSED_PORT_SPELLING;
    *ret = digits.n ? (uint16_t)v : https ? 443 : 80;
    return BZR__ALLOWED;
}

/* Userinfo, host and port. */
static bzr_status read_authority(bzr_str a, bool https, bzr__hostname *host, uint16_t *port, bzr__refusal *why) {
    if (a.n && memchr(a.p, '@', a.n)) return *why = BZR__REFUSED_CREDENTIALS, BZR_OK;
    size_t bracket = a.n && a.p[0] == '[' ? bzr__str_find(a, BZR__S("]"), 0) : 0,
           colon = bzr__str_find(a, BZR__S(":"), bracket);
    bzr_status status = bzr__hostname_read(bzr__str_part(a, 0, colon), host, why);
    if (!status && !*why) *why = read_port(bzr__str_part(a, colon + 1, a.n), https, port);
    return status;
}

/* ---- putting together ---- */

/* The percent-encode sets of paths and of queries of special schemes. */
static bool must_escape(unsigned char c, bool query) {
    if (c <= ' ' || c >= 0x7F || c == '"' || c == '<' || c == '>' || c == '#') return true;
    return query ? c == '\'' : c == '`' || c == '{' || c == '}' || c == '^' || c == '?';
}

static void add_escaped(bzr__buf *b, bzr_str s, bool query) {
    static const char hex[] = "0123456789ABCDEF";
    for (size_t i = 0; i < s.n; i++) {
        unsigned char c = (unsigned char)s.p[i];
        if (!must_escape(c, query)) {
            bzr__buf_add_c(b, (char)c);
            continue;
        }
        bzr__buf_add_c(b, '%');
        bzr__buf_add_c(b, hex[c >> 4]);
        bzr__buf_add_c(b, hex[c & 15]);
    }
}

/* How many dots a segment consists of, written plainly or as %2e; 0 if of anything else. */
static unsigned dots(bzr_str s) {
    unsigned n = 0;
    for (size_t i = 0; i < s.n; n++) {
        if (s.p[i] == '.')
            i++;
        else if (bzr__str_ieq(bzr__str_part(s, i, i + 3), BZR__S("%2e")))
            i += 3;
        else
            return 0;
    }
    return n;
}

/* Take the last "/segment" back. */
static void pop(bzr__buf *b, size_t root) {
    while (b->n > root && b->p[--b->n] != '/') {}
}

/* Append "/a/b" with "." and ".." worked in; `root` is where the path begins in `b`, which holds a path without final
 * slash, or nothing. */
static void add_path(bzr__buf *b, size_t root, bzr_str path) {
    size_t at = path.n && is_slash((unsigned char)path.p[0]);
    for (bool last = false; !last && !b->status;) {
        size_t end = at;
        while (end < path.n && !is_slash((unsigned char)path.p[end])) end++;
        bzr_str segment = bzr__str_part(path, at, end);
        unsigned n = dots(segment);
        last = end >= path.n;
        if (n == 2) pop(b, root);
        if (n != 1 && n != 2) {
            bzr__buf_add_c(b, '/');
            add_escaped(b, segment, false);
        } else if (last) {
            bzr__buf_add_c(b, '/');
        }
        at = end + 1;
    }
}

/* A reference without a path keeps that of the base, and without a query that, too. */
static void add_target(bzr__buf *b, const parts *p, const bzr__url *base) {
    size_t root = b->n;
    bzr_str old = p->from_root ? bzr__str(NULL, 0) : base->target;
    size_t mark = bzr__str_find(old, BZR__S("?"), 0);
    if (!p->from_root && !p->path.n) {
        bzr__buf_add(b, old.p, p->query.n ? mark : old.n);
    } else {
        bzr__buf_add(b, old.p, mark);
        pop(b, root);
        add_path(b, root, p->path);
    }
    if (p->query.n) bzr__buf_add_c(b, '?'), add_escaped(b, bzr__str_part(p->query, 1, p->query.n), true);
}

static void add_origin(bzr__buf *b, const bzr__url *u) {
    bool v6 = u->is_address && u->address.v6;
    bzr__buf_add_z(b, u->https ? "https://" : "http://");
    if (v6) bzr__buf_add_c(b, '[');
    bzr__buf_add_str(b, u->host);
    if (v6) bzr__buf_add_c(b, ']');
    if (u->port == (u->https ? 443 : 80)) return;
    bzr__buf_add_c(b, ':');
    bzr__buf_add_u64(b, u->port);
}

static bzr_status build(const parts *p, const bzr__url *base, bzr__buf *b, bzr__arena *arena, bzr__url *u) {
    bzr__buf_clear(b);
    add_origin(b, u);
    size_t origin = b->n;
    add_target(b, p, base);
    u->text = b->status ? bzr__str(NULL, 0) : bzr__arena_dup(arena, bzr__buf_str(b));
    u->target = bzr__str_part(u->text, origin, u->text.n);
    return u->text.p ? BZR_OK : BZR_E_NOMEM;
}

static bzr_status keep_host(const bzr__hostname *h, bzr__arena *arena, bzr__url *u) {
    char text[46];
    bzr__address_text(&h->address, text);
    u->is_address = h->is_address;
    u->address = h->address;
    u->host = bzr__arena_dup(arena, bzr__str_z(h->is_address ? text : h->text));
    return u->host.p ? BZR_OK : BZR_E_NOMEM;
}

static bzr_status parse(bzr_str s, const bzr__url *base, bzr__buf *b, bzr__arena *arena, bzr__url *u,
                        bzr__refusal *why) {
    parts p;
    bzr__hostname host;
    *why = split(s, base, &p);
    if (*why) return BZR_OK;
    *u = p.relative ? *base : (bzr__url){ .https = p.https };
    if (!p.relative) {
        bzr_status status = read_authority(p.authority, p.https, &host, &u->port, why);
        if (!status && !*why) status = keep_host(&host, arena, u);
        if (status || *why) return status;
    }
    return build(&p, base, b, arena, u);
}

bzr_status bzr__url_parse(bzr_str text, const bzr__url *base, bzr__arena *arena, bzr__url *ret, bzr__refusal *ret_why) {
    bzr__buf whole, b;
    bzr__url u = { 0 };
    bzr__refusal why = BZR__REFUSED_TOO_LONG;
    bzr_status status = BZR_OK;
    bzr__buf_init(&whole, BZR__URL_MAX);
    bzr__buf_init(&b, 2 * ESCAPED * BZR__URL_MAX + 1024);
    if (text.n <= BZR__URL_MAX) {
        clean(text, &whole);
        status = whole.status;
        if (!status) status = parse(bzr__buf_str(&whole), base, &b, arena, &u, &why);
    }
    bzr__buf_free(&whole);
    bzr__buf_free(&b);
    if (!status && !why) *ret = u;
    if (!status) *ret_why = why;
    return status;
}
