/* outbound.c - see outbound.h: libcurl's multi interface, driven by the sockets it names. Connections are kept and used
 * again. A call is freed where libcurl says it is done or where it is cancelled, never within its own callbacks. */
#include "net/outbound.h"

#include "lib/base/str.h"
#include "net/guard.h"
#include "net/libcurl.h"

#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>

#define HEADERS_MAX ((size_t)64 << 10) /* bytes of an answer's headers */

struct toad__outbound_call {
    struct toad__outbound_call *next;
    toad__outbound_request request;
    CURL *easy;
    struct curl_slist *headers;
    int status;
    size_t header_bytes;
    bool cancelled;
    char said[CURL_ERROR_SIZE];
};

struct toad__outbound {
    CURLM *multi;
    char *url, *user_agent;
    toad__outbound_call *calls;
    struct pollfd fds[TOAD__OUTBOUND_FDS];
    size_t fds_n;
    bool running; /* within ready: calls are not freed by others */
    bool timer_set, kick;
    long timer_ms;
};

/* ---- what libcurl asks ---- */

static int on_wants(CURL *easy, curl_socket_t fd, int what, void *ctx, void *own) {
    toad__outbound *o = ctx;
    size_t i = 0;
    (void)easy;
    (void)own;
    while (i < o->fds_n && o->fds[i].fd != fd) i++;
    if (what == CURL_POLL_REMOVE) {
        if (i < o->fds_n) o->fds[i] = o->fds[--o->fds_n];
        return 0;
    }
    if (i == TOAD__OUTBOUND_FDS) return 0; /* CURLMOPT_MAX_TOTAL_CONNECTIONS keeps it from coming to this */
    if (i == o->fds_n) o->fds_n++;
    o->fds[i] =
        (struct pollfd){ .fd = fd,
                         .events = (short)((what & CURL_POLL_IN ? POLLIN : 0) | (what & CURL_POLL_OUT ? POLLOUT : 0)) };
    return 0;
}

static int on_timer(CURLM *multi, long ms, void *ctx) {
    toad__outbound *o = ctx;
    (void)multi;
    o->timer_set = ms >= 0;
    o->timer_ms = ms;
    return 0;
}

static curl_socket_t on_socket(void *ctx, curlsocktype purpose, struct curl_sockaddr *to) {
    toad__address a = { .v6 = to->family == AF_INET6 };
    (void)ctx;
    if (purpose != CURLSOCKTYPE_IPCXN || (to->family != AF_INET && to->family != AF_INET6)) return CURL_SOCKET_BAD;
    if (a.v6)
        memcpy(a.bytes, &((const struct sockaddr_in6 *)(const void *)&to->addr)->sin6_addr, 16);
    else
        memcpy(a.bytes, &((const struct sockaddr_in *)(const void *)&to->addr)->sin_addr, 4);
    if (toad__guard_address(&a, true)) return CURL_SOCKET_BAD;
    return socket(to->family, to->socktype | SOCK_CLOEXEC, to->protocol);
}

/* ---- the answer ---- */

static size_t on_header(char *p, size_t size, size_t n, void *ctx) {
    toad__outbound_call *c = ctx;
    toad_str line = toad__str(p, size * n);
    c->header_bytes += line.n;
    if (c->cancelled || c->header_bytes > HEADERS_MAX) return 0;
    if (toad__str_starts(line, TOAD__S("HTTP/"))) {
        size_t blank = toad__str_find(line, TOAD__S(" "), 0);
        c->status = 0;
        for (size_t i = blank + 1; i < line.n && i < blank + 4 && toad__is_digit((unsigned char)line.p[i]); i++)
            c->status = c->status * 10 + (line.p[i] - '0');
        return line.n;
    }
    while (line.n && toad__is_space((unsigned char)line.p[line.n - 1])) line.n--;
    size_t colon = toad__str_find(line, TOAD__S(":"), 0);
    if (!line.n && c->status >= 200) {
        c->request.head(c->request.ctx, c->status);
    } else if (colon < line.n && c->status >= 200) {
        toad_str value = toad__str_part(line, colon + 1, line.n);
        while (value.n && toad__is_space((unsigned char)*value.p)) value = toad__str_part(value, 1, value.n);
        c->request.header(c->request.ctx, toad__str_part(line, 0, colon), value);
    }
    return size * n;
}

static size_t on_body(char *p, size_t size, size_t n, void *ctx) {
    toad__outbound_call *c = ctx;
    return !c->cancelled && c->request.data(c->request.ctx, toad__str(p, size * n)) ? size * n : 0;
}

/* ---- life ---- */

static CURLcode set_reach(const toad__outbound *o, CURL *e) {
    CURLcode bad = CURLE_OK;
    bad |= curl_easy_setopt(e, CURLOPT_URL, o->url);
    bad |= curl_easy_setopt(e, CURLOPT_PROTOCOLS_STR, "http,https");
    bad |= curl_easy_setopt(e, CURLOPT_FOLLOWLOCATION, 0L);
    bad |= curl_easy_setopt(e, CURLOPT_PROXY, "");
    bad |= curl_easy_setopt(e, CURLOPT_NETRC, (long)CURL_NETRC_IGNORED);
    bad |= curl_easy_setopt(e, CURLOPT_OPENSOCKETFUNCTION, on_socket);
    bad |= curl_easy_setopt(e, CURLOPT_NOSIGNAL, 1L);
    bad |= curl_easy_setopt(e, CURLOPT_CONNECTTIMEOUT_MS, 15000L);
    bad |= curl_easy_setopt(e, CURLOPT_HTTP09_ALLOWED, 0L);
    bad |= curl_easy_setopt(e, CURLOPT_TCP_KEEPALIVE, 1L);
    bad |= curl_easy_setopt(e, CURLOPT_USERAGENT, o->user_agent);
    return bad;
}

static CURLcode set_request(toad__outbound_call *c) {
    CURLcode bad = CURLE_OK;
    CURL *e = c->easy;
    if (!strcmp(c->request.method, "POST")) {
        bad |= curl_easy_setopt(e, CURLOPT_POST, 1L);
        bad |= curl_easy_setopt(e, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)c->request.body.n);
        bad |= curl_easy_setopt(e, CURLOPT_COPYPOSTFIELDS, c->request.body.p);
    } else if (strcmp(c->request.method, "GET") != 0) {
        bad |= curl_easy_setopt(e, CURLOPT_CUSTOMREQUEST, c->request.method);
    }
    bad |= curl_easy_setopt(e, CURLOPT_HTTPHEADER, c->headers);
    bad |= curl_easy_setopt(e, CURLOPT_HEADERFUNCTION, on_header);
    bad |= curl_easy_setopt(e, CURLOPT_HEADERDATA, c);
    bad |= curl_easy_setopt(e, CURLOPT_WRITEFUNCTION, on_body);
    bad |= curl_easy_setopt(e, CURLOPT_WRITEDATA, c);
    bad |= curl_easy_setopt(e, CURLOPT_ERRORBUFFER, c->said);
    bad |= curl_easy_setopt(e, CURLOPT_PRIVATE, c);
    return bad;
}

static void free_call(toad__outbound *o, toad__outbound_call *c) {
    toad__outbound_call **at = &o->calls;
    while (*at && *at != c) at = &(*at)->next;
    if (*at) *at = c->next;
    if (c->easy) {
        curl_multi_remove_handle(o->multi, c->easy);
        curl_easy_cleanup(c->easy);
    }
    curl_slist_free_all(c->headers);
    free(c);
}

/* The user's word counts for where it leads, but not for what may never be reached. */
static toad_status judge(const char *text, char why[256]) {
    toad__arena arena;
    toad__url url;
    toad__refusal refusal = TOAD__ALLOWED;
    toad__arena_init(&arena, (size_t)1 << 20);
    toad_status status = toad__url_parse(toad__str_z(text), NULL, &arena, &url, &refusal);
    if (!status && !refusal && url.is_address) refusal = toad__guard_address(&url.address, true);
    if (refusal) snprintf(why, 256, "%s", toad__refusal_text(refusal));
    if (status) snprintf(why, 256, "%s", toad_status_message(status));
    toad__arena_free(&arena);
    return status ? status : refusal ? TOAD_E_ARG : TOAD_OK;
}

static char *copy(const char *s) {
    size_t n = strlen(s) + 1;
    char *p = malloc(n);
    if (p) memcpy(p, s, n);
    return p;
}

toad_status toad__outbound_new(const char *url, const char *user_agent, toad__outbound **ret, char why[256]) {
    const char *missing = toad__curl_load();
    toad_status status = missing ? TOAD_E_IO : judge(url, why);
    if (missing) snprintf(why, 256, "%s", missing);
    if (status) return status;
    toad__outbound *o = calloc(1, sizeof *o);
    if (o) {
        o->url = copy(url);
        o->user_agent = copy(user_agent);
        o->multi = curl_multi_init();
    }
    if (!o || !o->url || !o->user_agent || !o->multi) {
        toad__outbound_free(o);
        snprintf(why, 256, "out of memory");
        return TOAD_E_NOMEM;
    }
    curl_multi_setopt(o->multi, CURLMOPT_SOCKETFUNCTION, on_wants);
    curl_multi_setopt(o->multi, CURLMOPT_SOCKETDATA, o);
    curl_multi_setopt(o->multi, CURLMOPT_TIMERFUNCTION, on_timer);
    curl_multi_setopt(o->multi, CURLMOPT_TIMERDATA, o);
    curl_multi_setopt(o->multi, CURLMOPT_MAX_TOTAL_CONNECTIONS,
                      (long)(TOAD__OUTBOUND_FDS - 8)); /* the rest: name lookups */
    curl_multi_setopt(o->multi, CURLMOPT_MAXCONNECTS, 32L);
    *ret = o;
    return TOAD_OK;
}

void toad__outbound_free(toad__outbound *o) {
    if (!o) return;
    while (o->calls) free_call(o, o->calls);
    if (o->multi) curl_multi_cleanup(o->multi);
    free(o->url);
    free(o->user_agent);
    free(o);
}

toad__outbound_call *toad__outbound_start(toad__outbound *o, const toad__outbound_request *request) {
    toad__outbound_call *c = calloc(1, sizeof *c);
    if (!c) return NULL;
    c->request = *request;
    c->easy = curl_easy_init();
    bool ok = c->easy != NULL;
    for (size_t i = 0; i < request->headers_n && ok; i++) {
        struct curl_slist *longer = curl_slist_append(c->headers, request->headers[i]);
        ok = longer != NULL;
        if (ok) c->headers = longer;
    }
    ok = ok && !(set_reach(o, c->easy) | set_request(c)) && !curl_multi_add_handle(o->multi, c->easy);
    c->request.body = toad__str(NULL, 0);
    if (!ok) {
        free_call(o, c);
        return NULL;
    }
    c->next = o->calls;
    o->calls = c;
    o->kick = true;
    return c;
}

void toad__outbound_cancel(toad__outbound *o, toad__outbound_call *call) {
    call->cancelled = true;
    if (!o->running) free_call(o, call);
}

/* ---- the loop ---- */

size_t toad__outbound_wait(toad__outbound *o, struct pollfd *fds, int *timeout_ms) {
    long ms = o->kick ? 0 : o->timer_set ? o->timer_ms : -1;
    if (ms >= 0 && (*timeout_ms < 0 || ms < *timeout_ms)) *timeout_ms = (int)ms;
    memcpy(fds, o->fds, o->fds_n * sizeof *fds);
    return o->fds_n;
}

static void finish(toad__outbound *o) {
    CURLMsg *m;
    int left;
    while ((m = curl_multi_info_read(o->multi, &left))) {
        toad__outbound_call *c = NULL;
        if (m->msg != CURLMSG_DONE) continue;
        CURLcode code = m->data.result;
        curl_easy_getinfo(m->easy_handle, CURLINFO_PRIVATE, &c);
        toad__outbound_request request = c->request;
        bool told = !c->cancelled;
        char why[CURL_ERROR_SIZE];
        snprintf(why, sizeof why, "%s", *c->said ? c->said : curl_easy_strerror(code));
        free_call(o, c);
        if (told) request.over(request.ctx, code == CURLE_OK ? NULL : why);
    }
}

void toad__outbound_ready(toad__outbound *o, const struct pollfd *fds, size_t n) {
    int left;
    bool idle = true;
    o->running = true;
    for (size_t i = 0; i < n; i++) {
        int what = (fds[i].revents & (POLLIN | POLLHUP) ? CURL_CSELECT_IN : 0) |
                   (fds[i].revents & POLLOUT ? CURL_CSELECT_OUT : 0) |
                   (fds[i].revents & (POLLERR | POLLNVAL) ? CURL_CSELECT_ERR : 0);
        if (what) curl_multi_socket_action(o->multi, fds[i].fd, what, &left);
        idle = idle && !what;
    }
    if (idle || o->kick || (o->timer_set && !o->timer_ms)) {
        o->kick = false;
        curl_multi_socket_action(o->multi, CURL_SOCKET_TIMEOUT, 0, &left);
    }
    o->running = false;
    finish(o);
    for (toad__outbound_call *c = o->calls, *next; c; c = next) {
        next = c->next;
        if (c->cancelled) free_call(o, c);
    }
}
