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

void bzr__transfer_init(bzr__transfer *t, const char *user_agent, const char *ca_file) {
    *t = (bzr__transfer){
        .user_agent = user_agent, .ca_file = ca_file, .max_bytes = MAX_BYTES, .max_header_bytes = MAX_HEADER_BYTES
    };
}

void bzr__transfer_free(bzr__transfer *t) {
    bzr__buf_free(&t->body);
    bzr__buf_free(&t->content_type);
    bzr__buf_free(&t->location);
    bzr__buf_free(&t->coding);
    bzr__buf_free(&t->length);
}

/* ---- callbacks ---- */

static bzr__address address_of(const struct sockaddr *from, unsigned *port) {
    bzr__address a = { .v6 = from->sa_family == AF_INET6 };
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
    bzr__transfer *t = ctx;
    unsigned port = 0;
    if (purpose != CURLSOCKTYPE_IPCXN || (to->family != AF_INET && to->family != AF_INET6)) return CURL_SOCKET_BAD;
    bzr__address a = address_of(&to->addr, &port);
    for (size_t i = 0; i < t->allowed->n; i++) {
        const bzr__address *b = &t->allowed->list[i];
        if (a.v6 != b->v6 || memcmp(a.bytes, b->bytes, a.v6 ? 16 : 4) != 0 || port != t->port) continue;
        t->peer = a;
        return socket(to->family, to->socktype | SOCK_CLOEXEC, to->protocol);
    }
    return CURL_SOCKET_BAD;
}

static bool header_value(bzr_str line, const char *name, bzr_str *ret) {
    bzr_str n = bzr__str_z(name);
    if (line.n <= n.n || line.p[n.n] != ':' || !bzr__str_ieq(bzr__str_part(line, 0, n.n), n)) return false;
    bzr_str v = bzr__str_part(line, n.n + 1, line.n);
    while (v.n && bzr__is_space((unsigned char)v.p[0])) v = bzr__str_part(v, 1, v.n);
    while (v.n && bzr__is_space((unsigned char)v.p[v.n - 1])) v.n--;
    *ret = v;
    return true;
}

/* The first counts; another one that says something else is remembered. */
static void keep_header(bzr__buf *kept, bzr_str value, bool *conflict) {
    if (kept->n && !bzr__str_eq(bzr__buf_str(kept), value) && conflict) *conflict = true;
    if (!kept->n) bzr__buf_add_str(kept, value);
}

static size_t on_header(char *p, size_t size, size_t n, void *ctx) {
    bzr__transfer *t = ctx;
    bzr_str line = bzr__str(p, size * n), value;
    t->header_bytes += line.n;
    if (t->header_bytes > t->max_header_bytes) {
        t->why = BZR__REFUSED_HEADERS;
        return 0;
    }
    if (bzr__str_starts(line, BZR__S("HTTP/"))) { /* a new block, after one of status 1xx */
        bzr__buf_clear(&t->location);
        bzr__buf_clear(&t->coding);
        bzr__buf_clear(&t->length);
        bzr__buf_clear(&t->content_type);
    }
    if (header_value(line, "Location", &value)) keep_header(&t->location, value, &t->two_locations);
    if (header_value(line, "Content-Length", &value)) keep_header(&t->length, value, &t->two_lengths);
    if (header_value(line, "Content-Type", &value)) keep_header(&t->content_type, value, NULL);
    if (header_value(line, "Content-Encoding", &value))
        bzr__buf_add_str(&t->coding, value); /* of two headers comes a coding that nobody knows */
    if (t->two_lengths) t->why = BZR__REFUSED_BAD_ANSWER;
    return t->two_lengths ? 0 : line.n;
}

static size_t on_body(char *p, size_t size, size_t n, void *ctx) {
    bzr__transfer *t = ctx;
    bzr__buf_add(&t->body, p, size * n);
    if (t->body.status == BZR_E_LIMIT) t->why = BZR__REFUSED_TOO_LARGE;
    return t->body.status ? 0 : size * n;
}

/* ---- options ---- */

/* "host:port:address,address" */
static bool pin(const bzr__url *url, const bzr__addresses *addresses, char out[PIN_MAX]) {
    int n = snprintf(out, PIN_MAX, "%s:%u:", url->host.p, (unsigned)url->port);
    for (size_t i = 0; i < addresses->n && n > 0 && n < PIN_MAX - 64; i++) {
        char text[46];
        bzr__address_text(&addresses->list[i], text);
        n += snprintf(out + n, (size_t)(PIN_MAX - n), addresses->list[i].v6 ? "%s[%s]" : "%s%s", i ? "," : "", text);
    }
    return n > 0 && n < PIN_MAX;
}

static CURLcode set_limits(CURL *c, const bzr__transfer *t, long timeout_ms) {
    CURLcode bad = CURLE_OK;
    bad |= curl_easy_setopt(c, CURLOPT_TIMEOUT_MS, timeout_ms);
    bad |= curl_easy_setopt(c, CURLOPT_CONNECTTIMEOUT_MS, timeout_ms);
    bad |=
        curl_easy_setopt(c, CURLOPT_MAXFILESIZE_LARGE, (curl_off_t)t->max_bytes); /* where the server says so at once */
    bad |= curl_easy_setopt(c, CURLOPT_NOSIGNAL, 1L);
    return bad;
}

static CURLcode set_reach(CURL *c, bzr__transfer *t, struct curl_slist *pins) {
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
    if (t->ca_file) bad |= curl_easy_setopt(c, CURLOPT_CAINFO, t->ca_file);
    return bad;
}

static CURLcode set_request(CURL *c, bzr__transfer *t, const bzr__url *url, struct curl_slist *headers) {
    CURLcode bad = CURLE_OK;
    bad |= curl_easy_setopt(c, CURLOPT_URL, url->text.p);
    bad |= curl_easy_setopt(c, CURLOPT_PATH_AS_IS, 1L); /* it is in its one spelling already */
    bad |= curl_easy_setopt(c, CURLOPT_HTTP_VERSION,
                            (long)CURL_HTTP_VERSION_1_1); /* one request a connection: nothing to gain from more */
    bad |= curl_easy_setopt(c, CURLOPT_HTTP09_ALLOWED, 0L);
    bad |= curl_easy_setopt(c, CURLOPT_USERAGENT, t->user_agent);
    bad |= curl_easy_setopt(c, CURLOPT_HTTPHEADER, headers);
    bad |= curl_easy_setopt(c, CURLOPT_HTTP_CONTENT_DECODING, 0L); /* unpack.c does it */
    bad |= curl_easy_setopt(c, CURLOPT_HEADERFUNCTION, on_header);
    bad |= curl_easy_setopt(c, CURLOPT_HEADERDATA, t);
    bad |= curl_easy_setopt(c, CURLOPT_WRITEFUNCTION, on_body);
    bad |= curl_easy_setopt(c, CURLOPT_WRITEDATA, t);
    return bad;
}

/* ---- the run ---- */

static void clear(bzr__transfer *t) {
    bzr__transfer_free(t);
    bzr__buf_init(&t->body, t->max_bytes);
    bzr__buf_init(&t->content_type, t->max_header_bytes);
    bzr__buf_init(&t->coding, t->max_header_bytes);
    bzr__buf_init(&t->length, t->max_header_bytes);
    bzr__buf_init(&t->location, BZR__URL_MAX + 1);
    t->status = 0;
    t->header_bytes = 0;
    t->two_locations = t->two_lengths = false;
    t->why = BZR__ALLOWED;
}

static bzr__refusal meaning(CURLcode code) {
    switch (code) {
    case CURLE_OK: return BZR__ALLOWED;
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_CONNECT: return BZR__REFUSED_CONNECT;
    case CURLE_OPERATION_TIMEDOUT: return BZR__REFUSED_TIMEOUT;
    case CURLE_PARTIAL_FILE:
    case CURLE_RECV_ERROR:
    case CURLE_SEND_ERROR:
    case CURLE_GOT_NOTHING: return BZR__REFUSED_INCOMPLETE;
    case CURLE_OUT_OF_MEMORY: return BZR__REFUSED_HEADERS; /* what libcurl 7 says of a header line over 100 KB */
    case CURLE_FILESIZE_EXCEEDED: return BZR__REFUSED_TOO_LARGE;
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CERTPROBLEM:
    case CURLE_SSL_CIPHER:
    case CURLE_SSL_ISSUER_ERROR:
    case CURLE_SSL_CACERT_BADFILE: return BZR__REFUSED_TLS;
    default: return BZR__REFUSED_BAD_ANSWER;
    }
}

static bzr_status perform(bzr__transfer *t, const bzr__url *url, struct curl_slist *pins, struct curl_slist *headers,
                          long timeout_ms, bzr__refusal *why, char *detail) {
    char said[CURL_ERROR_SIZE] = "";
    long status = 0;
    curl_off_t sent = 0;
    CURL *c = t->easy;
    CURLcode bad = set_limits(c, t, timeout_ms) | set_reach(c, t, pins) | set_request(c, t, url, headers);
    bad |= curl_easy_setopt(c, CURLOPT_ERRORBUFFER, said);
    if (bad) {
        snprintf(detail, BZR__FETCH_DETAIL, "fetching needs libcurl 7.85 or later");
        return BZR_E_IO;
    }
    CURLcode code = curl_easy_perform(c);
    curl_easy_getinfo(c, CURLINFO_RESPONSE_CODE, &status);
    curl_easy_getinfo(c, CURLINFO_SIZE_DOWNLOAD_T, &sent);
    t->status = (unsigned)status;
    t->wire_bytes = (uint64_t)sent;
    if (t->body.status == BZR_E_NOMEM) return BZR_E_NOMEM;
    *why = t->why ? t->why : meaning(code);
    if (*why && !t->why) snprintf(detail, BZR__FETCH_DETAIL, "%s", *said ? said : curl_easy_strerror(code));
    return BZR_OK;
}

static struct curl_slist *request_headers(bool plain) {
    const char *accept =
        plain ? "Accept: text/plain" : "Accept: text/markdown, text/html;q=0.9, text/plain;q=0.8, */*;q=0.1";
    struct curl_slist *list = curl_slist_append(NULL, accept);
    struct curl_slist *longer =
        list ? curl_slist_append(list, plain ? "Accept-Encoding: identity" : "Accept-Encoding: gzip") : NULL;
    if (!longer) curl_slist_free_all(list);
    return longer;
}

bzr_status bzr__transfer_run(bzr__transfer *t, const bzr__url *url, const bzr__addresses *addresses, long timeout_ms,
                             bzr__refusal *ret_why, char *detail) {
    char pinned[PIN_MAX];
    const char *missing = bzr__curl_load();
    if (missing) {
        snprintf(detail, BZR__FETCH_DETAIL, "%s", missing);
        return BZR_E_IO;
    }
    clear(t);
    t->allowed = addresses;
    t->port = url->port;
    struct curl_slist *pins = pin(url, addresses, pinned) ? curl_slist_append(NULL, pinned) : NULL;
    struct curl_slist *headers = request_headers(t->plain);
    t->easy = curl_easy_init();
    bzr_status status =
        pins && headers && t->easy ? perform(t, url, pins, headers, timeout_ms, ret_why, detail) : BZR_E_NOMEM;
    curl_easy_cleanup(t->easy);
    curl_slist_free_all(headers);
    curl_slist_free_all(pins);
    t->easy = NULL;
    return status;
}
