/* transfer.c - the options of libcurl, each with its reason, and the callbacks that hold the limits.
 *
 * The pin is kept twice: libcurl is told the addresses of the name (CURLOPT_RESOLVE), and the socket callback opens a
 * socket for those addresses and port only, so that nothing (an environment variable, a header, a later version of
 * libcurl) can lead it elsewhere. A callback that refuses says why in `why`, which counts for more than libcurl's own
 * code. */
#include "net/transfer.h"

#include "lib/base/str.h"
#include "net/fetch.h"
#include "net/libcurl.h"

#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#define MAX_BYTES        ((size_t)10 << 20)
#define MAX_HEADER_BYTES ((size_t)64 << 10)

enum { PIN_MAX = 4096 };

void toad__transfer_init(toad__transfer *t, const char *user_agent, const char *ca_file) {
    *t = (toad__transfer){
        .user_agent = user_agent, .ca_file = ca_file, .max_bytes = MAX_BYTES, .max_header_bytes = MAX_HEADER_BYTES
    };
}

void toad__transfer_free(toad__transfer *t) {
    toad__buf_free(&t->body);
    for (int i = 0; i < TOAD__FIELD_COUNT; i++) toad__buf_free(&t->fields[i]);
}

toad_str toad__transfer_field(const toad__transfer *t, toad__field field) { return toad__buf_str(&t->fields[field]); }

/* ---- callbacks ---- */

static toad__address address_of(const struct sockaddr *from, unsigned *port) {
    toad__address a = { .v6 = from->sa_family == AF_INET6 };
    if (a.v6) {
        const struct sockaddr_in6 *in = (const void *)from;
        memcpy(a.bytes, &in->sin6_addr, 16);
        *port = ntohs(in->sin6_port);
    } else {
        const struct sockaddr_in *in = (const void *)from;
        memcpy(a.bytes, &in->sin_addr, 4);
        *port = ntohs(in->sin_port);
    }
    return a;
}

static curl_socket_t on_socket(void *ctx, curlsocktype purpose, struct curl_sockaddr *to) {
    toad__transfer *t = ctx;
    unsigned port = 0;
    if (purpose != CURLSOCKTYPE_IPCXN || (to->family != AF_INET && to->family != AF_INET6)) return CURL_SOCKET_BAD;
    toad__address a = address_of(&to->addr, &port);
    for (size_t i = 0; i < t->allowed->n; i++) {
        const toad__address *b = &t->allowed->list[i];
        if (a.v6 != b->v6 || memcmp(a.bytes, b->bytes, a.v6 ? 16 : 4) != 0 || port != t->port) continue;
        t->peer = a;
        return socket(to->family, to->socktype | SOCK_CLOEXEC, to->protocol);
    }
    return CURL_SOCKET_BAD;
}

static bool header_value(toad_str line, const char *name, toad_str *ret) {
    toad_str n = toad__str_z(name);
    if (line.n <= n.n || line.p[n.n] != ':' || !toad__str_ieq(toad__str_part(line, 0, n.n), n)) return false;
    toad_str v = toad__str_part(line, n.n + 1, line.n);
    while (v.n && toad__is_space((unsigned char)v.p[0])) v = toad__str_part(v, 1, v.n);
    while (v.n && toad__is_space((unsigned char)v.p[v.n - 1])) v.n--;
    *ret = v;
    return true;
}

/* Empty: it has not come yet. */
static void keep_field(toad__transfer *t, toad__field field, toad_str value, bool joined) {
    toad__buf *kept = &t->fields[field];
    if (kept->n && !joined) {
        t->conflict[field] |= !toad__str_eq(toad__buf_str(kept), value);
        return;
    }
    if (kept->n) toad__buf_add_z(kept, ", "); /* of two codings comes one that nobody knows */
    toad__buf_add_str(kept, value);
}

static void clear_fields(toad__transfer *t) {
    for (int i = 0; i < TOAD__FIELD_COUNT; i++) {
        toad__buf_clear(&t->fields[i]);
        t->conflict[i] = false;
    }
}

static size_t on_header(char *p, size_t size, size_t n, void *ctx) {
    static const struct {
        const char *name;
        bool joined;
    } fields[] = {
#define X(name, text, joined) { text, joined },
        TOAD__FIELDS(X)
#undef X
    };
    toad__transfer *t = ctx;
    toad_str line = toad__str(p, size * n), value;
    t->header_bytes += line.n;
    if (t->header_bytes > t->max_header_bytes) {
        t->why = TOAD__REFUSED_HEADERS;
        return 0;
    }
    if (toad__str_starts(line, TOAD__S("HTTP/"))) clear_fields(t); /* a new block, after one of status 1xx */
    for (int i = 0; i < TOAD__FIELD_COUNT; i++)
        if (header_value(line, fields[i].name, &value)) keep_field(t, (toad__field)i, value, fields[i].joined);
    if (t->conflict[TOAD__FIELD_LENGTH]) t->why = TOAD__REFUSED_BAD_ANSWER;
    return t->conflict[TOAD__FIELD_LENGTH] ? 0 : line.n;
}

static size_t on_body(char *p, size_t size, size_t n, void *ctx) {
    toad__transfer *t = ctx;
    size_t room = t->max_bytes - t->body.n;
    if (t->plain && size * n > room) {
        toad__buf_add(&t->body, p, room);
        t->cut = true;
        return 0;
    }
    toad__buf_add(&t->body, p, size * n);
    if (t->body.status == TOAD_E_LIMIT) t->why = TOAD__REFUSED_TOO_LARGE;
    return t->body.status ? 0 : size * n;
}

/* ---- options ---- */

/* "host:port:address,address" */
static bool pin(const toad__url *url, const toad__addresses *addresses, char out[PIN_MAX]) {
    int n = snprintf(out, PIN_MAX, "%s:%u:", url->host.p, (unsigned)url->port);
    for (size_t i = 0; i < addresses->n && n > 0 && n < PIN_MAX - 64; i++) {
        char text[46];
        toad__address_text(&addresses->list[i], text);
        n += snprintf(out + n, (size_t)(PIN_MAX - n), addresses->list[i].v6 ? "%s[%s]" : "%s%s", i ? "," : "", text);
    }
    return n > 0 && n < PIN_MAX;
}

static CURLcode set_limits(CURL *c, const toad__transfer *t, long timeout_ms) {
    CURLcode bad = CURLE_OK;
    bad |= curl_easy_setopt(c, CURLOPT_TIMEOUT_MS, timeout_ms);
    bad |= curl_easy_setopt(c, CURLOPT_CONNECTTIMEOUT_MS, timeout_ms);
    if (!t->plain) /* where the server says so at once */
        bad |= curl_easy_setopt(c, CURLOPT_MAXFILESIZE_LARGE, (curl_off_t)t->max_bytes);
    bad |= curl_easy_setopt(c, CURLOPT_NOSIGNAL, 1L);
    return bad;
}

static CURLcode set_reach(CURL *c, toad__transfer *t, struct curl_slist *pins) {
    CURLcode bad = CURLE_OK;
    bad |= curl_easy_setopt(c, CURLOPT_PROTOCOLS_STR, "http,https");
    bad |= curl_easy_setopt(c, CURLOPT_FOLLOWLOCATION, 0L);
    bad |= curl_easy_setopt(c, CURLOPT_PROXY, ""); /* none, whatever the environment says */
    bad |= curl_easy_setopt(c, CURLOPT_NOPROXY, "*");
    bad |= curl_easy_setopt(c, CURLOPT_NETRC, (long)CURL_NETRC_IGNORED);
    bad |= curl_easy_setopt(c, CURLOPT_RESOLVE, pins);
    bad |= curl_easy_setopt(c, CURLOPT_OPENSOCKETFUNCTION, on_socket);
    bad |= curl_easy_setopt(c, CURLOPT_OPENSOCKETDATA, t);
    bad |= curl_easy_setopt(c, CURLOPT_FRESH_CONNECT, 1L);
    bad |= curl_easy_setopt(c, CURLOPT_FORBID_REUSE, 1L);
    bad |= curl_easy_setopt(c, CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
    if (t->ca_file) bad |= curl_easy_setopt(c, CURLOPT_CAINFO, t->ca_file);
    return bad;
}

static CURLcode set_request(CURL *c, toad__transfer *t, const toad__url *url, struct curl_slist *headers) {
    CURLcode bad = CURLE_OK;
    bad |= curl_easy_setopt(c, CURLOPT_URL, url->text.p);
    bad |= curl_easy_setopt(c, CURLOPT_PATH_AS_IS, 1L); /* it is in its one spelling already */
    bad |= curl_easy_setopt(c, CURLOPT_HTTP_VERSION,
                            (long)CURL_HTTP_VERSION_1_1); /* one request a connection: nothing to gain from more */
    bad |= curl_easy_setopt(c, CURLOPT_HTTP09_ALLOWED, 0L);
    bad |= curl_easy_setopt(c, CURLOPT_USERAGENT, t->user_agent);
    bad |= curl_easy_setopt(c, CURLOPT_HTTPHEADER, headers);
    if (t->request && t->request->body.p) {
        bad |= curl_easy_setopt(c, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)t->request->body.n);
        bad |= curl_easy_setopt(c, CURLOPT_POSTFIELDS, t->request->body.p);
    }
    bad |= curl_easy_setopt(c, CURLOPT_HTTP_CONTENT_DECODING, 0L); /* unpack.c does it */
    bad |= curl_easy_setopt(c, CURLOPT_HEADERFUNCTION, on_header);
    bad |= curl_easy_setopt(c, CURLOPT_HEADERDATA, t);
    bad |= curl_easy_setopt(c, CURLOPT_WRITEFUNCTION, on_body);
    bad |= curl_easy_setopt(c, CURLOPT_WRITEDATA, t);
    return bad;
}

/* ---- the run ---- */

static void clear(toad__transfer *t) {
    toad__transfer_free(t);
    toad__buf_init(&t->body, t->max_bytes);
    for (int i = 0; i < TOAD__FIELD_COUNT; i++)
        toad__buf_init(&t->fields[i], i == TOAD__FIELD_LOCATION ? TOAD__URL_MAX + 1 : t->max_header_bytes);
    t->status = 0;
    t->header_bytes = 0;
    t->cut = false;
    memset(t->conflict, 0, sizeof t->conflict);
    t->why = TOAD__ALLOWED;
}

static toad__refusal meaning(CURLcode code) {
    switch (code) {
    case CURLE_OK: return TOAD__ALLOWED;
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_CONNECT: return TOAD__REFUSED_CONNECT;
    case CURLE_OPERATION_TIMEDOUT: return TOAD__REFUSED_TIMEOUT;
    case CURLE_PARTIAL_FILE:
    case CURLE_RECV_ERROR:
    case CURLE_SEND_ERROR:
    case CURLE_GOT_NOTHING: return TOAD__REFUSED_INCOMPLETE;
    case CURLE_OUT_OF_MEMORY: return TOAD__REFUSED_HEADERS; /* what libcurl 7 says of a header line over 100 KB */
    case CURLE_FILESIZE_EXCEEDED: return TOAD__REFUSED_TOO_LARGE;
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CERTPROBLEM:
    case CURLE_SSL_CIPHER:
    case CURLE_SSL_ISSUER_ERROR:
    case CURLE_SSL_CRL_BADFILE:
    case CURLE_SSL_INVALIDCERTSTATUS:
    case CURLE_SSL_CACERT_BADFILE: return TOAD__REFUSED_TLS;
    default: return TOAD__REFUSED_BAD_ANSWER;
    }
}

static toad_status perform(toad__transfer *t, const toad__url *url, struct curl_slist *pins, struct curl_slist *headers,
                           long timeout_ms, toad__refusal *why, char *detail) {
    char said[CURL_ERROR_SIZE] = "";
    long status = 0;
    curl_off_t sent = 0;
    CURL *c = t->easy;
    CURLcode bad = set_limits(c, t, timeout_ms) | set_reach(c, t, pins) | set_request(c, t, url, headers);
    bad |= curl_easy_setopt(c, CURLOPT_ERRORBUFFER, said);
    if (bad) {
        snprintf(detail, TOAD__FETCH_DETAIL, "fetching needs libcurl 7.85 or later");
        return TOAD_E_IO;
    }
    CURLcode code = curl_easy_perform(c);
    curl_easy_getinfo(c, CURLINFO_RESPONSE_CODE, &status);
    curl_easy_getinfo(c, CURLINFO_SIZE_DOWNLOAD_T, &sent);
    t->status = (unsigned)status;
    t->wire_bytes = (uint64_t)sent;
    if (t->body.status == TOAD_E_NOMEM) return TOAD_E_NOMEM;
    *why = t->why ? t->why : t->cut ? TOAD__ALLOWED : meaning(code);
    if (*why && !t->why) snprintf(detail, TOAD__FETCH_DETAIL, "%s", *said ? said : curl_easy_strerror(code));
    return TOAD_OK;
}

/* One more header; the list is gone when there is no memory. */
static struct curl_slist *with(struct curl_slist *list, const char *name, const char *value) {
    char line[TOAD__ETAG_MAX + 64];
    snprintf(line, sizeof line, "%s: %s", name, value);
    struct curl_slist *longer = list ? curl_slist_append(list, line) : NULL;
    if (!longer) curl_slist_free_all(list);
    return longer;
}

/* A header of the caller's own, which may be longer. */
static struct curl_slist *with_line(struct curl_slist *list, const char *line) {
    struct curl_slist *longer = list ? curl_slist_append(list, line) : NULL;
    if (!longer) curl_slist_free_all(list);
    return longer;
}

static struct curl_slist *request_headers(const toad__transfer *t) {
    const toad__http_request none = { 0 }, *request = t->request ? t->request : &none;
    const char *accept = request->accept ? request->accept
                         : t->plain      ? "Accept: text/plain"
                                         : "Accept: text/markdown, text/html;q=0.9, text/plain;q=0.8, */*;q=0.1";
    struct curl_slist *list = with(curl_slist_append(NULL, accept), "Accept-Encoding", t->plain ? "identity" : "gzip");
    if (t->unless && *t->unless->etag) list = with(list, "If-None-Match", t->unless->etag);
    if (t->unless && *t->unless->modified) list = with(list, "If-Modified-Since", t->unless->modified);
    for (size_t i = 0; i < TOAD__REQUEST_HEADERS; i++)
        if (request->headers[i]) list = with_line(list, request->headers[i]);
    return list;
}

toad_status toad__transfer_run(toad__transfer *t, const toad__url *url, const toad__addresses *addresses,
                               long timeout_ms, toad__refusal *ret_why, char *detail) {
    char pinned[PIN_MAX];
    const char *missing = toad__curl_load();
    if (missing) {
        snprintf(detail, TOAD__FETCH_DETAIL, "%s", missing);
        return TOAD_E_IO;
    }
    clear(t);
    t->allowed = addresses;
    t->port = url->port;
    struct curl_slist *pins = pin(url, addresses, pinned) ? curl_slist_append(NULL, pinned) : NULL;
    struct curl_slist *headers = request_headers(t);
    t->easy = curl_easy_init();
    toad_status status =
        pins && headers && t->easy ? perform(t, url, pins, headers, timeout_ms, ret_why, detail) : TOAD_E_NOMEM;
    curl_easy_cleanup(t->easy);
    curl_slist_free_all(headers);
    curl_slist_free_all(pins);
    t->easy = NULL;
    return status;
}
