/* head.c - reads and judges the head of a request. Cost: linear in the head, but for names that may not come twice:
 * headers squared, at most HTTP_HEADERS_MAX. */
#include "face/http/head.h"

#include "lib/base/hex.h"
#include "lib/base/json.h"
#include "lib/base/str.h"

#include <stdlib.h>

/* ---- reading ---- */

static bool is_text(toad_str s) {
    for (size_t i = 0; i < s.n; i++) {
        unsigned char c = (unsigned char)s.p[i];
        if ((c < 0x20 && c != '\t') || c == 0x7f) return false;
    }
    return true;
}

/* A name as RFC 9110, section 5.1, has it: with a blank before its colon it would be another header to other readers.
 */
static bool is_name(toad_str s) {
    for (size_t i = 0; i < s.n; i++)
        if (!toad__is_alnum((unsigned char)s.p[i]) && !memchr("!#$%&'*+-.^_`|~", s.p[i], 15)) return false;
    return s.n > 0;
}

/* Decode %XX into out, and in a query + for a blank; false where it is broken, or holds a NUL or, in a path, another
 * control character. */
static bool decode(toad_str s, bool query, char *out, size_t *ret_n) {
    size_t n = 0;
    for (size_t i = 0; i < s.n; i++) {
        int c = (unsigned char)s.p[i];
        if (c == '%') {
            c = toad__hex_pair(s, i + 1);
            if (c < 0) return false;
            i += 2;
        } else if (c == '+' && query) {
            c = ' ';
        }
        if (!c || (!query && (c < 0x20 || c == 0x7f))) return false;
        out[n++] = (char)c;
    }
    *ret_n = n;
    return true;
}

static toad_str put(char **at, toad_str s) {
    toad_str copy = { *at, s.n };
    if (s.n) memcpy(*at, s.p, s.n);
    *at += s.n;
    return copy;
}

toad_status http_head_new(toad_str method, toad_str target, const http_header_line *headers, size_t n, http_head *ret) {
    http_head head = { .headers_n = n };
    size_t size = n * sizeof *headers + method.n + target.n + 1, query = toad__str_find(target, TOAD__S("?"), 0);
    if (n > HTTP_HEADERS_MAX || target.n > HTTP_TARGET_MAX) return TOAD_E_LIMIT;
    for (size_t i = 0; i < n; i++) {
        if (!is_name(headers[i].name) || !is_text(headers[i].value)) return TOAD_E_SYNTAX;
        size += headers[i].name.n + headers[i].value.n;
    }
    head.memory = malloc(size);
    if (!head.memory) return TOAD_E_NOMEM;
    head.headers = (http_header_line *)(void *)head.memory;
    char *at = head.memory + n * sizeof *headers;
    head.path.p = at;
    if (!target.n || target.p[0] != '/' || !decode(toad__str_part(target, 0, query), false, at, &head.path.n)) {
        free(head.memory);
        return TOAD_E_SYNTAX;
    }
    at += head.path.n;
    head.method = put(&at, method);
    head.query = put(&at, toad__str_part(target, query + 1, target.n));
    for (size_t i = 0; i < n; i++) {
        toad_str name = put(&at, headers[i].name), value = put(&at, toad__str_trim_blanks(headers[i].value));
        head.headers[i] = (http_header_line){ name, value };
    }
    *ret = head;
    return TOAD_OK;
}

void http_head_free(http_head *head) {
    free(head->memory);
    *head = (http_head){ .memory = NULL };
}

toad_str http_head_get(const http_head *head, const char *name) {
    for (size_t i = 0; i < head->headers_n; i++)
        if (toad__str_ieq(head->headers[i].name, toad__str_z(name))) return head->headers[i].value;
    return toad__str(NULL, 0);
}

toad_str http_head_query(const http_head *head, toad_str name, char *out) {
    for (size_t at = 0, end; at < head->query.n; at = end + 1) {
        end = toad__str_find(head->query, TOAD__S("&"), at);
        toad_str pair = toad__str_part(head->query, at, end);
        size_t split = toad__str_find(pair, TOAD__S("="), 0), n;
        if (!toad__str_eq(toad__str_part(pair, 0, split), name)) continue;
        return decode(toad__str_part(pair, split + 1, pair.n), true, out, &n) ? toad__str(out, n) : toad__str(NULL, 0);
    }
    return toad__str(NULL, 0);
}

/* ---- judging ---- */

static bool refuse(http_refusal *refusal, int status, const char *detail) {
    refusal->status = status;
    refusal->detail = detail;
    return false;
}

/* Headers of which a second one would let two readers see two requests. */
static bool comes_once(toad_str name) {
    static const char *const once[] = { "host",         "origin",         "authorization",
                                        "content-type", "content-length", "transfer-encoding",
                                        "last-event-id" };
    for (size_t i = 0; i < sizeof once / sizeof *once; i++)
        if (toad__str_ieq(name, toad__str_z(once[i]))) return true;
    return toad__str_ieq(toad__str_part(name, 0, 4), TOAD__S("mcp-"));
}

static bool has_twins(const http_head *head) {
    for (size_t i = 0; i < head->headers_n; i++) {
        if (!comes_once(head->headers[i].name)) continue;
        for (size_t k = i + 1; k < head->headers_n; k++)
            if (toad__str_ieq(head->headers[i].name, head->headers[k].name)) return true;
    }
    return false;
}

static bool is_ours(const http_settings *s, const http_head *head, http_refusal *refusal) {
    toad_str host = http_head_get(head, "host");
    if (has_twins(head)) return refuse(refusal, 400, "a header that comes once came twice");
    toad_str encoding = http_head_get(head, "transfer-encoding");
    if (encoding.p && !toad__str_ieq(encoding, TOAD__S("chunked")))
        return refuse(refusal, 400, "the only Transfer-Encoding is chunked");
    if (encoding.p && http_head_get(head, "content-length").p)
        return refuse(refusal, 400, "Transfer-Encoding and Content-Length exclude each other");
    if (!http_host_allowed(s->guard, host)) return refuse(refusal, 403, "the Host header is no name of this server");
    if (!http_origin_allowed(s->guard, http_head_get(head, "origin")))
        return refuse(refusal, 403, "the Origin is not allowed here");
    return true;
}

static bool path_fits(const http_route *route, toad_str path) {
    size_t n = strlen(route->path);
    if (n && route->path[n - 1] == '*') return toad__str_starts(path, toad__str(route->path, n - 1));
    return toad__str_eq(path, toad__str(route->path, n));
}

static bool method_fits(const http_route *route, toad_str method) {
    return !route->method || toad__str_eq(method, toad__str_z(route->method)) ||
           (!strcmp(route->method, "GET") && toad__str_eq(method, TOAD__S("HEAD")));
}

static void add_allowed(http_refusal *refusal, const char *method) {
    size_t n = strlen(refusal->allow), more = strlen(method);
    if (strstr(refusal->allow, method) || n + more + 3 > sizeof refusal->allow) return;
    if (n) memcpy(refusal->allow + n, ", ", 2), n += 2;
    memcpy(refusal->allow + n, method, more + 1);
}

static const http_route *find_route(const http_settings *s, const http_head *head, http_refusal *refusal) {
    bool known = false;
    for (size_t i = 0; i < s->routes_n; i++) {
        const http_route *route = &s->routes[i];
        if (!path_fits(route, head->path)) continue;
        if (method_fits(route, head->method)) return route;
        add_allowed(refusal, route->method);
        known = true;
    }
    refuse(refusal, known ? 405 : 404, NULL);
    return NULL;
}

/* The length that Content-Length says; SIZE_MAX where it is no number. */
static size_t length_of(const http_head *head) {
    toad_str value = http_head_get(head, "content-length");
    size_t n = 0;
    if (value.n > 15 || (value.p && !value.n)) return SIZE_MAX;
    for (size_t i = 0; i < value.n; i++) {
        if (!toad__is_digit((unsigned char)value.p[i])) return SIZE_MAX;
        n = n * 10 + (size_t)(value.p[i] - '0');
    }
    return n;
}

const http_route *http_admit(const http_settings *s, const http_head *head, char principal[HTTP_PRINCIPAL_MAX + 1],
                             http_refusal *refusal) {
    *refusal = (http_refusal){ .status = 0 };
    memcpy(principal, "", 1);
    if (!is_ours(s, head, refusal)) return NULL;
    if (toad__str_eq(head->method, TOAD__S("OPTIONS")) && http_origin_listed(s->guard, http_head_get(head, "origin"))) {
        refuse(refusal, 204, NULL);
        return NULL;
    }
    const http_route *route = find_route(s, head, refusal);
    bool known = http_token_allowed(s->guard, http_head_get(head, "authorization"), principal);
    if (!known && !(route && route->flags & HTTP_OPEN)) { /* which paths there are is not for strangers either */
        refuse(refusal, 401, "a bearer token is needed");
        return NULL;
    }
    if (!route) return NULL;
    if (length_of(head) > route->body_max) {
        refuse(refusal, length_of(head) == SIZE_MAX ? 400 : 413, NULL);
        return NULL;
    }
    return route;
}

/* ---- problems ---- */

const char *http_status_text(int status) {
    switch (status) {
    case 200: return "OK";
    case 202: return "Accepted";
    case 400: return "Bad Request";
    case 401: return "Unauthorized";
    case 403: return "Forbidden";
    case 404: return "Not Found";
    case 405: return "Method Not Allowed";
    case 406: return "Not Acceptable";
    case 409: return "Conflict";
    case 413: return "Content Too Large";
    case 415: return "Unsupported Media Type";
    case 429: return "Too Many Requests";
    case 431: return "Request Header Fields Too Large";
    case 500: return "Internal Server Error";
    case 503: return "Service Unavailable";
    default: return status < 500 ? "Bad Request" : "Server Error";
    }
}

void http_add_problem(toad__buf *b, int status, const char *detail) {
    toad__buf_add_z(b, "{\"type\":\"about:blank\",\"title\":");
    toad__json_add_str(b, toad__str_z(http_status_text(status)));
    toad__buf_add_z(b, ",\"status\":");
    toad__buf_add_u64(b, (uint64_t)status);
    if (detail) {
        toad__buf_add_z(b, ",\"detail\":");
        toad__json_add_str(b, toad__str_z(detail));
    }
    toad__buf_add_c(b, '}');
}
