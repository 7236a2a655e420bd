/* server.c - the server over libmicrohttpd: its I/O thread, the watcher, the workers.
 *
 * libmicrohttpd parses and writes HTTP in one thread (epoll). It is loaded when first used: linked, it would bring a
 * TLS library into every start of `toadstone scan`. Its time-outs begin anew with each byte and do not hold for
 * suspended connections, so head and body have deadlines of our own, kept by the watcher, which also sees that a reader
 * has left, and sends the comment lines that keep proxies from closing a quiet stream. A connection is cut off by
 * shutdown() on its socket, under the lock that its removal needs, so that the number is never another's. */
#include "face/http/internal.h"
#include "lib/base/str.h"
#include "sys/clock.h"
#include "sys/library.h"

#include <arpa/inet.h>
#include <errno.h>
#include <microhttpd.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

/* ---- libmicrohttpd ---- */

#define SONAME "libmicrohttpd.so.12"
#define LIBRARY(X)                       \
    X(MHD_start_daemon)                  \
    X(MHD_stop_daemon)                   \
    X(MHD_quiesce_daemon)                \
    X(MHD_get_daemon_info)               \
    X(MHD_get_connection_info)           \
    X(MHD_get_connection_values_n)       \
    X(MHD_suspend_connection)            \
    X(MHD_resume_connection)             \
    X(MHD_create_response_from_buffer)   \
    X(MHD_create_response_from_callback) \
    X(MHD_add_response_header)           \
    X(MHD_queue_response)                \
    X(MHD_destroy_response)

static struct {
#define X(name) __typeof__(name) *name;
    LIBRARY(X)
#undef X
} mhd;
static char problem[256]; /* empty: loaded */

static void load(void) {
    void *library = toad__library(SONAME, "libmicrohttpd12", "HTTP needs libmicrohttpd", problem, sizeof problem);
    if (!library) return;
#define X(name)                                   \
    if (!toad__symbol(library, #name, &mhd.name)) \
        snprintf(problem, sizeof problem, "HTTP needs libmicrohttpd 0.9.75 or later (no %s)", #name);
    LIBRARY(X)
#undef X
}

static void lock(http_server *s) { pthread_mutex_lock(&s->lock); }
static void unlock(http_server *s) { pthread_mutex_unlock(&s->lock); }

/* ---- a request's life ---- */

static http_request *new_request(http_server *s, const char *target) {
    http_request *r = calloc(1, sizeof *r);
    if (!r) return NULL;
    *r = (http_request){ .server = s, .holders = 1, .target = strdup(target) };
    r->stream.request = r;
    toad__buf_init(&r->body, SIZE_MAX);
    toad__buf_init(&r->out, SIZE_MAX);
    return r;
}

/* Give up one hold; with the last everything goes. */
static void release(http_request *r) {
    http_server *s = r->server;
    lock(s);
    bool last = !--r->holders;
    if (last) {
        s->bodies -= r->body.n;
        if (r->seen) s->requests_n--;
        pthread_cond_broadcast(&s->idle);
    }
    unlock(s);
    if (!last) return;
    http_head_free(&r->head);
    toad__buf_free(&r->body);
    toad__buf_free(&r->out);
    free(r->target);
    for (http_param *p = r->params, *next; p; p = next) {
        next = p->next;
        free(p);
    }
    free(r->fields);
    free(r);
}

/* With the lock held: let the I/O thread look at it again. */
static void wake(http_request *r) {
    if (!r->asleep) return;
    r->asleep = false;
    mhd.MHD_resume_connection(r->mhd);
}

/* With the lock held, in the I/O thread. */
static void sleep_until_woken(http_request *r) {
    if (r->server->stopping) r->gone = true;
    if (r->gone) return;
    r->asleep = true;
    mhd.MHD_suspend_connection(r->mhd);
}

/* ---- answers, in the I/O thread ---- */

static struct MHD_Response *with_fields(const http_request *r, struct MHD_Response *response) {
    const char *at = r->fields;
    for (size_t i = 0; response && i < r->fields_n; i++) {
        const char *value = at + strlen(at) + 1;
        mhd.MHD_add_response_header(response, at, value);
        at = value + strlen(value) + 1;
    }
    return response;
}

static enum MHD_Result send_response(http_request *r, struct MHD_Response *response) {
    if (!response) return MHD_NO;
    enum MHD_Result queued = mhd.MHD_queue_response(r->mhd, (unsigned)r->status, response);
    mhd.MHD_destroy_response(response);
    return queued;
}

static enum MHD_Result send_answer(http_request *r) {
    return send_response(r, with_fields(r, mhd.MHD_create_response_from_buffer(
                                               r->out.n, r->out.n ? r->out.p : r->target, MHD_RESPMEM_PERSISTENT)));
}

/* Take from the stream's queue; where it is empty, sleep until there is something. */
static ssize_t read_stream(void *ctx, uint64_t at, char *to, size_t max) {
    http_request *r = ctx;
    ssize_t n = 0;
    (void)at;
    lock(r->server);
    if (r->out_at < r->out.n && !r->gone) {
        n = (ssize_t)(r->out.n - r->out_at < max ? r->out.n - r->out_at : max);
        memcpy(to, r->out.p + r->out_at, (size_t)n);
        r->out_at += (size_t)n;
        if (r->out_at == r->out.n) {
            toad__buf_free(&r->out);
            r->out_at = 0;
        }
    } else if (r->ended) {
        n = MHD_CONTENT_READER_END_OF_STREAM;
    } else {
        sleep_until_woken(r);
        if (r->gone) n = MHD_CONTENT_READER_END_WITH_ERROR;
    }
    unlock(r->server);
    return n;
}

static enum MHD_Result send_stream(http_request *r) {
    return send_response(
        r, with_fields(r, mhd.MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, 16384, read_stream, r, NULL)));
}

/* ---- building answers ---- */

static bool is_field(const http_field *f) {
    for (size_t i = 0; i < f->value.n; i++) {
        unsigned char c = (unsigned char)f->value.p[i];
        if ((c < 0x20 && c != '\t') || c == 0x7f) return false;
    }
    return true;
}

static void add_field(toad__buf *b, size_t *n, const char *name, toad_str value) {
    toad__buf_add(b, name, strlen(name) + 1);
    toad__buf_add_str(b, value);
    toad__buf_add_c(b, 0);
    (*n)++;
}

/* A page that is listed may read the answer, and what of its headers a client of it needs. */
static void add_cors(const http_request *r, toad__buf *fields, size_t *n) {
    toad_str origin = http_head_get(&r->head, "origin");
    if (!http_origin_listed(r->server->settings.guard, origin)) return;
    add_field(fields, n, "Access-Control-Allow-Origin", origin);
    add_field(fields, n, "Access-Control-Expose-Headers", TOAD__S("Mcp-Session-Id, WWW-Authenticate"));
    add_field(fields, n, "Vary", TOAD__S("Origin"));
}

/* Copy status, fields and body into the request; false where memory is short. */
static bool set_answer(http_request *r, const http_answer *a) {
    toad__buf fields;
    toad__buf_init(&fields, 65536);
    r->fields_n = 0;
    if (a->type) add_field(&fields, &r->fields_n, MHD_HTTP_HEADER_CONTENT_TYPE, toad__str_z(a->type));
    add_field(&fields, &r->fields_n, "X-Content-Type-Options", TOAD__S("nosniff"));
    add_cors(r, &fields, &r->fields_n);
    for (size_t i = 0; i < a->fields_n; i++)
        if (is_field(&a->fields[i])) add_field(&fields, &r->fields_n, a->fields[i].name, a->fields[i].value);
    toad__buf_add_str(&r->out, a->body);
    r->status = a->status;
    free(r->fields);
    r->fields = fields.p;
    bool ok = !fields.status && !r->out.status;
    if (!ok) r->fields_n = 0;
    return ok;
}

static void set_problem(http_request *r, int status, const char *detail, const http_field *field) {
    toad__buf b;
    toad__buf_init(&b, 4096);
    http_add_problem(&b, status, detail);
    http_field fields[] = { { "Cache-Control", TOAD__S("no-store") }, field ? *field : (http_field){ .name = NULL } };
    http_answer a = { status, "application/problem+json", toad__buf_str(&b), fields, field ? 2 : 1 };
    set_answer(r, &a);
    toad__buf_free(&b);
}

/* Where to learn how to get a token (RFC 9728). The host was found to be ours. */
static void challenge(const http_request *r, char *out, size_t size) {
    const char *metadata = r->server->settings.metadata;
    toad_str host = http_head_get(&r->head, "host");
    if (metadata && host.n < 256)
        snprintf(out, size, "Bearer resource_metadata=\"http://%.*s%s\"", (int)host.n, host.p, metadata);
    else
        snprintf(out, size, "Bearer");
}

/* What a browser asks before it lets a page call. */
static void set_preflight(http_request *r) {
    const http_field fields[] = { { "Access-Control-Allow-Methods", TOAD__S("GET, POST, PUT, DELETE") },
                                  { "Access-Control-Allow-Headers",
                                    http_head_get(&r->head, "access-control-request-headers") },
                                  { "Access-Control-Max-Age", TOAD__S("600") } };
    const http_answer a = { 204, NULL, { NULL, 0 }, fields, 3 };
    set_answer(r, &a);
}

static enum MHD_Result refuse(http_request *r, const http_refusal *refusal) {
    char text[512];
    http_field field = { refusal->status == 401 ? "WWW-Authenticate" : "Allow", toad__str_z(refusal->allow) };
    if (refusal->status == 401) {
        challenge(r, text, sizeof text);
        field.value = toad__str_z(text);
    }
    if (refusal->status == 503) field = (http_field){ "Retry-After", TOAD__S("1") };
    if (refusal->status == 204)
        set_preflight(r);
    else
        set_problem(r, refusal->status, refusal->detail, field.value.n ? &field : NULL);
    return send_answer(r);
}

/* ---- what comes in, in the I/O thread ---- */

typedef struct head_lines {
    http_header_line lines[HTTP_HEADERS_MAX];
    size_t n;
} head_lines;

static enum MHD_Result take_line(void *ctx, enum MHD_ValueKind kind, const char *name, size_t name_n, const char *value,
                                 size_t value_n) {
    head_lines *h = ctx;
    (void)kind;
    if (h->n == HTTP_HEADERS_MAX) {
        h->n++;
        return MHD_NO;
    }
    h->lines[h->n++] = (http_header_line){ { name, name_n }, { value, value_n } };
    return MHD_YES;
}

/* The head is whole: admit the request or refuse it at once. */
static enum MHD_Result take_head(http_request *r, const char *method) {
    http_server *s = r->server;
    http_refusal refusal = { .status = 0 };
    head_lines h;
    h.n = 0;
    mhd.MHD_get_connection_values_n(r->mhd, MHD_HEADER_KIND, take_line, &h);
    toad_status status =
        r->target ? http_head_new(toad__str_z(method), toad__str_z(r->target), h.lines, h.n, &r->head) : TOAD_E_NOMEM;
    lock(s);
    s->requests_n++;
    r->seen = true;
    if (r->connection) r->connection->deadline = toad__now_ms() + (int64_t)s->settings.body_s * 1000;
    bool quiet = s->quiet;
    unlock(s);
    if (status == TOAD_E_SYNTAX)
        refusal = (http_refusal){ .status = 400, .detail = "the target or a header is malformed" };
    else if (status == TOAD_E_LIMIT)
        refusal = (http_refusal){ .status = 431, .detail = NULL };
    else if (status || quiet)
        refusal = (http_refusal){ .status = 503, .detail = quiet ? "the server is stopping" : "out of memory" };
    else
        r->route = http_admit(&s->settings, &r->head, r->principal, &refusal);
    return r->route ? MHD_YES : refuse(r, &refusal);
}

/* A body beyond its limit is let go by, so that the refusal can still be read; a long one is cut off. */
static enum MHD_Result take_body(http_request *r, const char *p, size_t n) {
    http_server *s = r->server;
    bool room = r->body.n + n <= r->route->body_max && !r->dropped;
    lock(s);
    if (s->bodies + n > s->settings.bodies_max) room = false;
    if (room) s->bodies += n;
    unlock(s);
    if (room) {
        toad__buf_add(&r->body, p, n);
        if (!r->body.status) return MHD_YES;
        lock(s);
        s->bodies -= n;
        unlock(s);
    }
    r->dropped += n;
    return r->dropped > r->route->body_max + 65536 ? MHD_NO : MHD_YES;
}

/* All is here: to the workers with it. */
static enum MHD_Result hand_over(http_request *r) {
    http_server *s = r->server;
    http_refusal refusal = { .status = 0 };
    lock(s);
    if (r->dropped)
        refusal.status = r->body.n + r->dropped > r->route->body_max ? 413 : 503;
    else if (s->waiting_n >= s->settings.waiting || s->quiet)
        refusal.status = 503;
    else {
        r->state = HTTP_WAITING;
        r->holders++;
        if (r->connection) {
            r->connection->deadline = INT64_MAX;
            if (r->connection->gone) r->gone = true;
        }
        *s->last = r;
        s->last = &r->next;
        s->waiting_n++;
        sleep_until_woken(r);
        pthread_cond_signal(&s->work);
    }
    bool gone = r->gone;
    unlock(s);
    return refusal.status ? refuse(r, &refusal) : gone ? MHD_NO : MHD_YES;
}

static enum MHD_Result handle(void *ctx, struct MHD_Connection *c, const char *url, const char *method,
                              const char *version, const char *upload, size_t *upload_n, void **request) {
    http_request *r = *request;
    (void)ctx, (void)url, (void)version;
    if (!r) return MHD_NO;
    if (!r->seen) {
        const union MHD_ConnectionInfo *info = mhd.MHD_get_connection_info(c, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
        r->mhd = c;
        r->connection = info ? info->socket_context : NULL;
        if (!r->connection) return MHD_NO;
        memcpy(r->peer, r->connection->peer, sizeof r->peer);
        lock(r->server);
        r->connection->request = r;
        unlock(r->server);
        return take_head(r, method);
    }
    if (*upload_n) {
        size_t n = *upload_n;
        *upload_n = 0;
        return take_body(r, upload, n);
    }
    lock(r->server);
    http_state state = r->state;
    bool gone = r->gone;
    if (state == HTTP_WAITING && !gone) sleep_until_woken(r); /* woken for nothing */
    unlock(r->server);
    if (gone) return MHD_NO;
    if (state == HTTP_READING) return hand_over(r);
    if (state == HTTP_WAITING) return MHD_YES;
    return state == HTTP_STREAMING ? send_stream(r) : send_answer(r);
}

static void *take_target(void *ctx, const char *target, struct MHD_Connection *c) {
    (void)c;
    return new_request(ctx, target);
}

/* libmicrohttpd is through with it. */
static void completed(void *ctx, struct MHD_Connection *c, void **request, enum MHD_RequestTerminationCode why) {
    http_request *r = *request;
    http_server *s = ctx;
    (void)c;
    *request = NULL;
    if (!r) return;
    lock(s);
    bool early = why != MHD_REQUEST_TERMINATED_COMPLETED_OK || r->state == HTTP_READING || r->state == HTTP_WAITING ||
                 (r->state == HTTP_STREAMING && !r->ended);
    void (*over)(void *, bool) = r->over;
    r->state = HTTP_DONE;
    r->gone = true;
    r->over = NULL;
    if (r->connection) {
        r->connection->deadline = toad__now_ms() + (int64_t)s->settings.head_s * 1000;
        r->connection->request = NULL;
        r->connection = NULL;
    }
    unlock(s);
    if (over) over(r->over_ctx, early);
    release(r);
}

/* ---- connections, in the I/O thread ---- */

static void name_peer(const struct sockaddr *a, char out[64]) {
    char host[INET6_ADDRSTRLEN] = "";
    if (a && a->sa_family == AF_INET) {
        const struct sockaddr_in *four = (const void *)a;
        inet_ntop(AF_INET, &four->sin_addr, host, sizeof host);
        snprintf(out, 64, "%s:%u", host, (unsigned)ntohs(four->sin_port));
    } else if (a && a->sa_family == AF_INET6) {
        const struct sockaddr_in6 *six = (const void *)a;
        inet_ntop(AF_INET6, &six->sin6_addr, host, sizeof host);
        snprintf(out, 64, "[%s]:%u", host, (unsigned)ntohs(six->sin6_port));
    }
}

static void begin_connection(http_server *s, struct MHD_Connection *mhd_connection, void **context) {
    const union MHD_ConnectionInfo *info =
        mhd.MHD_get_connection_info(mhd_connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    http_connection *c = info ? calloc(1, sizeof *c) : NULL;
    if (!c) return;
    c->server = s;
    c->fd = info->connect_fd;
    c->deadline = toad__now_ms() + (int64_t)s->settings.head_s * 1000;
    info = mhd.MHD_get_connection_info(mhd_connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
    name_peer(info ? info->client_addr : NULL, c->peer);
    lock(s);
    c->id = ++s->connected;
    c->next = s->connections;
    if (c->next) c->next->prev = c;
    s->connections = c;
    s->connections_n++;
    struct epoll_event e = { .events = EPOLLRDHUP | EPOLLONESHOT, .data.u64 = c->id };
    (void)epoll_ctl(s->epoll, EPOLL_CTL_ADD, c->fd, &e);
    unlock(s);
    *context = c;
}

static void end_connection(http_server *s, http_connection *c) {
    if (!c) return;
    lock(s);
    (void)epoll_ctl(s->epoll, EPOLL_CTL_DEL, c->fd, NULL);
    if (c->prev)
        c->prev->next = c->next;
    else
        s->connections = c->next;
    if (c->next) c->next->prev = c->prev;
    if (c->request) c->request->connection = NULL;
    s->connections_n--;
    unlock(s);
    free(c);
}

static void connection_changed(void *ctx, struct MHD_Connection *c, void **context,
                               enum MHD_ConnectionNotificationCode what) {
    if (what == MHD_CONNECTION_NOTIFY_STARTED)
        begin_connection(ctx, c, context);
    else
        end_connection(ctx, *context);
}

/* ---- the watcher ---- */

static http_connection *find_connection(const http_server *s, uint64_t id) {
    http_connection *c = s->connections;
    while (c && c->id != id) c = c->next;
    return c;
}

/* With the lock held: the other side has closed it. */
static void mark_gone(http_connection *c) {
    c->gone = true;
    if (!c->request || c->request->state == HTTP_READING) return;
    c->request->gone = true;
    wake(c->request);
}

static void beat(http_request *r, int64_t now) {
    if (!r || !r->beats || !r->asleep || r->gone || now - r->last < (int64_t)r->server->settings.beat_s * 1000) return;
    toad__buf_add_z(&r->out, ":\n\n");
    r->last = now;
    wake(r);
}

static void look_around(http_server *s, int64_t now) {
    for (http_connection *c = s->connections; c; c = c->next) {
        if (now > c->deadline) {
            (void)shutdown(c->fd, SHUT_RDWR);
            c->deadline = INT64_MAX;
        }
        beat(c->request, now);
    }
}

static void *watch(void *ctx) {
    http_server *s = ctx;
    struct epoll_event events[64];
    int64_t looked = 0;
    for (;;) {
        int n = epoll_wait(s->epoll, events, 64, 500);
        int64_t now = toad__now_ms();
        lock(s);
        bool stop = s->stopping && !s->watched;
        for (int i = 0; i < n; i++) {
            http_connection *c = find_connection(s, events[i].data.u64);
            if (c) mark_gone(c);
        }
        if (now - looked >= 500) {
            look_around(s, now);
            looked = now;
        }
        unlock(s);
        if (stop) return NULL;
    }
}

/* ---- the workers ---- */

static http_request *next_request(http_server *s, bool *ret_stopping) {
    lock(s);
    while (!s->first && !s->stopping) pthread_cond_wait(&s->work, &s->lock);
    http_request *r = s->first;
    if (r) {
        s->first = r->next;
        if (!s->first) s->last = &s->first;
        s->waiting_n--;
    }
    *ret_stopping = s->stopping;
    unlock(s);
    return r;
}

typedef struct worker {
    http_server *server;
    unsigned number;
} worker;

static void *work(void *ctx) {
    worker w = *(worker *)ctx;
    bool stopping;
    free(ctx);
    for (http_request *r; (r = next_request(w.server, &stopping));) {
        r->worker = w.number;
        if (stopping)
            http_reply_problem(r, 503, NULL);
        else
            r->route->run(w.server->settings.ctx, r);
    }
    return NULL;
}

/* ---- life ---- */

#define DEFAULT(member, value) \
    if (!s->settings.member) s->settings.member = value

static void set_defaults(http_server *s) {
    DEFAULT(address, "127.0.0.1");
    DEFAULT(workers, 8);
    DEFAULT(connections, 512);
    DEFAULT(waiting, 1024);
    DEFAULT(head_max, (size_t)32 << 10);
    DEFAULT(bodies_max, (size_t)128 << 20);
    DEFAULT(stream_max, (size_t)64 << 20);
    DEFAULT(head_s, 30);
    DEFAULT(body_s, 60);
    DEFAULT(stall_s, 30);
    DEFAULT(beat_s, 15);
}

typedef union address {
    struct sockaddr any;
    struct sockaddr_in four;
    struct sockaddr_in6 six;
} address;

static bool read_address(const http_settings *s, address *ret, socklen_t *size) {
    *ret = (address){ .six = { .sin6_port = 0 } };
    if (inet_pton(AF_INET, s->address, &ret->four.sin_addr) == 1) {
        ret->four.sin_family = AF_INET;
        ret->four.sin_port = htons(s->port);
        *size = sizeof ret->four;
        return true;
    }
    ret->six.sin6_family = AF_INET6;
    ret->six.sin6_port = htons(s->port);
    *size = sizeof ret->six;
    return inet_pton(AF_INET6, s->address, &ret->six.sin6_addr) == 1;
}

/* Bind and listen ourselves: only so it can be said why it did not work. */
static int listen_at(const http_settings *settings, char why[256]) {
    address a;
    socklen_t size;
    int on = 1, fd = -1;
    if (!read_address(settings, &a, &size)) {
        snprintf(why, 256, "'%.100s' is no IP address", settings->address);
        errno = EINVAL;
        return -1;
    }
    fd = socket(a.any.sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd >= 0) (void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (fd >= 0 && !bind(fd, &a.any, size) && !listen(fd, 1024)) return fd;
    int error = errno;
    snprintf(why, 256, "cannot listen on %.100s, port %u: %s", settings->address, (unsigned)settings->port,
             strerror(error));
    if (fd >= 0) close(fd);
    errno = EIO;
    return -1;
}

static uint16_t port_of(int fd) {
    address a = { .six = { .sin6_port = 0 } };
    socklen_t size = sizeof a;
    if (getsockname(fd, &a.any, &size)) return 0;
    return ntohs(a.any.sa_family == AF_INET ? a.four.sin_port : a.six.sin6_port);
}

static bool start_workers(http_server *s) {
    s->workers = calloc(s->settings.workers, sizeof *s->workers);
    s->watched = s->workers && !pthread_create(&s->watcher, NULL, watch, s);
    while (s->watched && s->workers_n < s->settings.workers) {
        worker *w = malloc(sizeof *w);
        if (!w) return false;
        *w = (worker){ s, s->workers_n };
        if (pthread_create(&s->workers[s->workers_n], NULL, work, w)) {
            free(w);
            return false;
        }
        s->workers_n++;
    }
    return s->watched;
}

static bool start_daemon(http_server *s, int fd) {
    s->daemon = mhd.MHD_start_daemon(
        MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME, 0, NULL, NULL, handle, s, MHD_OPTION_LISTEN_SOCKET,
        fd, MHD_OPTION_URI_LOG_CALLBACK, take_target, s, MHD_OPTION_NOTIFY_COMPLETED, completed, s,
        MHD_OPTION_NOTIFY_CONNECTION, connection_changed, s, MHD_OPTION_CONNECTION_LIMIT,
        (unsigned)s->settings.connections, MHD_OPTION_CONNECTION_TIMEOUT, s->settings.stall_s,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, s->settings.head_max, MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_END);
    return s->daemon != NULL;
}

toad_status http_server_new(const http_settings *settings, http_server **ret, char why[256]) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    http_server *s = calloc(1, sizeof *s);
    if (!s) return TOAD_E_NOMEM;
    s->settings = *settings;
    set_defaults(s);
    s->last = &s->first;
    s->epoll = epoll_create1(EPOLL_CLOEXEC);
    pthread_mutex_init(&s->lock, NULL);
    pthread_cond_init(&s->work, NULL);
    pthread_cond_init(&s->idle, NULL);
    pthread_once(&once, load);
    if (problem[0]) snprintf(why, 256, "%s", problem);
    int fd = problem[0] || s->epoll < 0 ? -1 : listen_at(&s->settings, why);
    toad_status status = fd < 0 ? errno == EINVAL ? TOAD_E_ARG : TOAD_E_IO : TOAD_OK;
    if (!status) {
        s->port = port_of(fd);
        if (!start_workers(s) || !start_daemon(s, fd)) {
            snprintf(why, 256, "the server's threads cannot be started");
            if (!s->daemon) close(fd);
            status = TOAD_E_IO;
        }
    }
    if (status)
        http_server_free(s);
    else
        *ret = s;
    return status;
}

uint16_t http_server_port(const http_server *s) { return s->port; }

void http_server_quiesce(http_server *s) {
    lock(s);
    bool quiet = s->quiet;
    s->quiet = true;
    unlock(s);
    if (quiet || !s->daemon) return;
    int fd = mhd.MHD_quiesce_daemon(s->daemon);
    if (fd >= 0) close(fd);
}

bool http_server_drained(http_server *s, unsigned ms) {
    int64_t until = toad__now_ms() + ms;
    lock(s);
    while (s->requests_n && toad__now_ms() < until) {
        struct timespec step = toad__wall_in(50);
        pthread_cond_timedwait(&s->idle, &s->lock, &step);
    }
    bool drained = !s->requests_n;
    unlock(s);
    return drained;
}

/* Nothing sleeps any more when the daemon ends: that is what it demands. */
static void cut_off(http_server *s) {
    lock(s);
    s->stopping = true;
    for (http_connection *c = s->connections; c; c = c->next) mark_gone(c);
    pthread_cond_broadcast(&s->work);
    unlock(s);
}

void http_server_free(http_server *s) {
    if (!s) return;
    http_server_quiesce(s);
    cut_off(s);
    if (s->daemon) mhd.MHD_stop_daemon(s->daemon);
    for (unsigned i = 0; i < s->workers_n; i++) pthread_join(s->workers[i], NULL);
    lock(s);
    bool watched = s->watched;
    s->watched = false;
    while (s->requests_n) pthread_cond_wait(&s->idle, &s->lock);
    unlock(s);
    if (watched) pthread_join(s->watcher, NULL);
    if (s->epoll >= 0) close(s->epoll);
    pthread_cond_destroy(&s->work);
    pthread_cond_destroy(&s->idle);
    pthread_mutex_destroy(&s->lock);
    free(s->workers);
    free(s);
}

void http_server_counts(http_server *s, size_t *ret_connections, size_t *ret_requests) {
    lock(s);
    *ret_connections = s->connections_n;
    *ret_requests = s->requests_n;
    unlock(s);
}

/* ---- for handlers ---- */

toad_str http_method(const http_request *r) { return r->head.method; }
toad_str http_path(const http_request *r) { return r->head.path; }
toad_str http_body(const http_request *r) { return toad__buf_str(&r->body); }
toad_str http_header(const http_request *r, const char *name) { return http_head_get(&r->head, name); }
toad_str http_principal(const http_request *r) { return toad__str_z(r->principal); }
toad_str http_peer(const http_request *r) { return toad__str_z(r->peer); }
unsigned http_worker(const http_request *r) { return r->worker; }

bool http_header_at(const http_request *r, size_t i, toad_str *ret_name, toad_str *ret_value) {
    if (i >= r->head.headers_n) return false;
    *ret_name = r->head.headers[i].name;
    *ret_value = r->head.headers[i].value;
    return true;
}

/* Each parameter gets a place of its own, so that what was got before stays. */
toad_str http_query(http_request *r, const char *name) {
    http_param *p = malloc(sizeof *p + r->head.query.n + 1);
    if (!p) return toad__str(NULL, 0);
    p->next = r->params;
    r->params = p;
    return http_head_query(&r->head, toad__str_z(name), p->text);
}

bool http_on_over(http_request *r, void (*over)(void *ctx, bool early), void *ctx) {
    lock(r->server);
    bool done = r->state == HTTP_DONE;
    if (!done) {
        r->over = over;
        r->over_ctx = ctx;
    }
    unlock(r->server);
    return !done;
}

/* The answer is set: let the I/O thread have it. */
static void answered(http_request *r, http_state state) {
    lock(r->server);
    if (r->state == HTTP_WAITING) r->state = state;
    r->last = toad__now_ms();
    wake(r);
    unlock(r->server);
}

void http_reply(http_request *r, const http_answer *answer) {
    if (!set_answer(r, answer)) {
        toad__buf_clear(&r->out);
        r->status = 500;
    }
    answered(r, HTTP_ANSWERED);
    release(r);
}

void http_reply_problem(http_request *r, int status, const char *detail) {
    set_problem(r, status, detail, NULL);
    answered(r, HTTP_ANSWERED);
    release(r);
}

http_stream *http_stream_open(http_request *r, const http_answer *answer) {
    bool ok = set_answer(r, answer);
    lock(r->server);
    if (!ok) r->gone = true;
    r->beats = answer->type && !strcmp(answer->type, "text/event-stream");
    unlock(r->server);
    answered(r, HTTP_STREAMING);
    return &r->stream;
}

bool http_stream_write(http_stream *stream, toad_str bytes) {
    http_request *r = stream->request;
    lock(r->server);
    if (!r->gone) {
        bool room = r->out.n - r->out_at + bytes.n <= r->server->settings.stream_max;
        if (room && r->out_at > r->out.n / 2) {
            r->out.n -= r->out_at;
            memmove(r->out.p, r->out.p + r->out_at, r->out.n);
            r->out_at = 0;
        }
        if (room) toad__buf_add_str(&r->out, bytes);
        if (!room || r->out.status) r->gone = true;
        r->last = toad__now_ms();
        wake(r);
    }
    bool open = !r->gone;
    unlock(r->server);
    return open;
}

void http_stream_end(http_stream *stream) {
    http_request *r = stream->request;
    lock(r->server);
    r->ended = true;
    wake(r);
    unlock(r->server);
    release(r);
}
