/* urls.c - URLs that lead inside or deceive, wherever they stand in a text.
 *
 * Judged by spelling alone, low severity: documentation is full of localhost. Who fetches must judge the resolved
 * address again. A URL is found by its scheme and read with the host rules of the WHATWG URL standard: backslashes are
 * slashes, userinfo ends at the last '@', the host is percent-decoded and folded. Linear: every ':' is looked at once,
 * a host is at most HOST_MAX bytes. */
#include "lib/base/cursor.h"
#include "lib/base/hex.h"
#include "lib/base/host.h"
#include "lib/scan/scanner.h"

#define HOST_MAX   256u
#define SCHEME_MAX 12u

enum { WEB = 1, DANGEROUS = 2, NEEDS_SLASHES = 4 };
static const struct {
    const char *name;
    unsigned char kind;
} schemes[] = {
    { "http", WEB },
    { "https", WEB },
    { "ws", WEB | NEEDS_SLASHES },
    { "wss", WEB | NEEDS_SLASHES },
    { "ftp", WEB | DANGEROUS | NEEDS_SLASHES },
    { "file", DANGEROUS | NEEDS_SLASHES },
    { "gopher", DANGEROUS | NEEDS_SLASHES },
    { "dict", DANGEROUS | NEEDS_SLASHES },
    { "ldap", DANGEROUS | NEEDS_SLASHES },
    { "ldaps", DANGEROUS | NEEDS_SLASHES },
    { "tftp", DANGEROUS | NEEDS_SLASHES },
    { "netdoc", DANGEROUS },
    { "jar", DANGEROUS },
    { "vbscript", DANGEROUS },
    { "javascript", DANGEROUS },
    { "view-source", DANGEROUS },
    { "blob", DANGEROUS },
    { "phar", DANGEROUS | NEEDS_SLASHES },
    { "expect", DANGEROUS | NEEDS_SLASHES },
    { "unix", DANGEROUS },
};

static unsigned scheme_before(toad_str t, size_t colon, size_t *start) {
    size_t from = colon;
    while (from && colon - from < SCHEME_MAX && (toad__is_alpha((unsigned char)t.p[from - 1]) || t.p[from - 1] == '-'))
        from--;
    toad_str name = toad__str_part(t, from, colon);
    *start = from;
    for (size_t i = 0; name.n && i < sizeof schemes / sizeof *schemes; i++)
        if (toad__str_ieq(name, toad__str_z(schemes[i].name))) return schemes[i].kind;
    return 0;
}

static bool ends_authority(int c) { return c <= ' ' || (c != 0 && strchr("/\\?#\"'<>`|", c) != NULL); }
static bool is_slash(int c) { return c == '/' || c == '\\'; }

/* A label in which letters of another script stand among ASCII ones, or which spells a name everybody knows in
 * look-alikes. */
static bool deceives(toad_str raw, toad_str folded) {
    static const char *const known[] = { "paypal",   "apple",  "google",    "github",  "microsoft", "amazon",
                                         "facebook", "openai", "anthropic", "dropbox", "netflix",   "gitlab" };
    bool ascii = false;
    for (size_t i = 0; i < raw.n; i++) ascii |= toad__is_alpha((unsigned char)raw.p[i]);
    size_t dot = toad__str_find(raw, TOAD__S("."), 0);
    toad_str label = toad__str_part(folded, 0, toad__str_find(folded, TOAD__S("."), 0));
    for (size_t i = 0; i < dot; i++)
        if (toad__is_alpha((unsigned char)raw.p[i])) return true; /* mixed within the first label */
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (toad__str_eq(label, toad__str_z(known[i]))) return true;
    return !ascii && toad__str_find(folded, TOAD__S("."), 0) == folded.n;
}

static bool odd_port(toad_str port) {
    unsigned v = 0;
    if (!port.n) return false;
    if (port.p[0] == '0') return true;
    for (size_t i = 0; i < port.n; i++) {
        if (!toad__is_digit((unsigned char)port.p[i])) return false;
        v = v < 100000 ? v * 10 + (unsigned)(port.p[i] - '0') : v;
    }
    return v > 65535 || (v < 1024 && v != 80 && v != 443);
}

/* Percent escapes of the host; their very presence in letters is a disguise. */
static toad_str unescaped(toad_str host, char *out, bool *disguised) {
    size_t n = 0;
    for (size_t i = 0; i < host.n && n < HOST_MAX; i++) {
        int escaped = host.p[i] == '%' ? toad__hex_pair(host, i + 1) : -1;
        out[n++] = escaped >= 0 ? (char)escaped : host.p[i];
        *disguised |= escaped >= 0;
        i += escaped >= 0 ? 2 : 0;
    }
    return toad__str(out, n);
}

typedef struct judged {
    bool internal, deceptive;
} judged;

static judged judge_host(toad_scanner *s, toad_str raw) {
    judged j = { false, false };
    char bytes[HOST_MAX];
    bool disguised = false;
    toad_str host = unescaped(raw, bytes, &disguised);
    toad_status status = toad__fold(&s->plain, host, TOAD__FOLD_DROP);
    if (status == TOAD_E_NOMEM) s->status = status;
    toad_str folded = toad__buf_str(&s->plain.text);
    j.deceptive = disguised || (s->plain.lookalikes && deceives(host, folded)) || (!s->plain.ascii && s->plain.dropped);
    while (folded.n && folded.p[folded.n - 1] == '.') folded.n--;
    uint32_t v4;
    uint8_t v6[16];
    if (folded.n > 2 && folded.p[0] == '[')
        j.internal = toad__host_ipv6(toad__str_part(folded, 1, folded.n - 1), v6) && toad__ipv6_is_internal(v6);
    else if (toad__host_ipv4(folded, &v4))
        j.internal = toad__ipv4_is_internal(v4);
    else
        j.internal = toad__host_is_internal_name(folded);
    return j;
}

static void judge_web(toad_scanner *s, const toad__node *node, size_t from, size_t at) {
    toad_str t = node->text;
    size_t start = at, end;
    while (start < t.n && is_slash((unsigned char)t.p[start])) start++;
    for (end = start; end < t.n && end - start < HOST_MAX && !ends_authority((unsigned char)t.p[end]); end++) {}
    toad_str authority = toad__str_part(t, start, end);
    if (!authority.n || (start == at && !toad__is_digit((unsigned char)authority.p[0])))
        return; /* http: without slashes counts before a number only */
    size_t user = authority.n;
    while (user && authority.p[user - 1] != '@') user--;
    bool userinfo = user > 1;
    toad_str host = toad__str_part(authority, user, authority.n);
    size_t bracket = toad__str_find(host, TOAD__S("]"), 0),
           colon = toad__str_find(host, TOAD__S(":"), bracket < host.n ? bracket : 0);
    toad_str port = toad__str_part(host, colon + 1, host.n);
    host = toad__str_part(host, 0, colon);
    while (host.n && strchr(".,;:!)*_", host.p[host.n - 1]) && host.p[host.n - 1]) host.n--;
    if (!host.n || strchr("${%", host.p[0])) return; /* a template, not a URL */
    judged j = judge_host(s, host);
    toad_span span = { from, end };
    bool user_is_host = userinfo && (memchr(authority.p, '.', user - 1) || memchr(authority.p, '%', user - 1));
    if (j.internal || odd_port(port)) toad__report_builtin(s, "internal_address", node, span, TOAD_LOW);
    if (j.deceptive || user_is_host) toad__report_builtin(s, "deceptive_host", node, span, TOAD_LOW);
}

/* \\server\share at the start of a word. */
static void judge_unc(toad_scanner *s, const toad__node *node) {
    toad_str t = node->text;
    if (t.n > 4 && t.p[0] == '\\' && t.p[1] == '\\' && toad__is_alnum((unsigned char)t.p[2]) &&
        memchr(t.p + 2, '\\', t.n - 2))
        toad__report_builtin(s, "internal_address", node, (toad_span){ 0, 2 }, TOAD_LOW);
}

void toad__scan_urls(toad_scanner *s, const toad__node *node) {
    toad_str t = node->text;
    judge_unc(s, node);
    for (size_t at = 0; at < t.n && !s->status; at++) {
        const char *colon = memchr(t.p + at, ':', t.n - at);
        if (!colon) return;
        at = (size_t)(colon - t.p);
        int next = at + 1 < t.n ? (unsigned char)t.p[at + 1] : ' ';
        size_t from;
        unsigned kind = next <= ' ' ? 0 : scheme_before(t, at, &from);
        bool slashes = is_slash(next) && at + 2 < t.n && is_slash((unsigned char)t.p[at + 2]);
        if (!kind || (kind & NEEDS_SLASHES && !slashes)) continue;
        if (kind & WEB) judge_web(s, node, from, at + 1);
        bool script = kind & DANGEROUS && (slashes || toad__is_alnum(next) || is_slash(next));
        if (script) toad__report_builtin(s, "dangerous_scheme", node, (toad_span){ from, at + 1 }, TOAD_LOW);
    }
}
