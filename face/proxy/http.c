/* http.c - see http.h.
 *
 * A handler puts its request into a queue and wakes the loop; everything else happens there, so nothing but the queue
 * has a lock. An exchange that an HTTP request waits for is a stream: it becomes events as soon as something comes
 * before its answer. A peer that leaves is told through the same queue. */
#include "face/proxy/http.h"

#include "face/mcp/headers.h"
#include "face/proxy/signals.h"
#include "lib/base/hex.h"
#include "lib/base/random.h"
#include "lib/base/str.h"
#include "proto/sse.h"
#include "sys/clock.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define PATH      "/mcp"
#define SESSIONS  256
#define IDLE_S    1800
#define SHARED    32                /* servers for clients of 2026-07-28, of each target */
#define KEPT_MAX  ((size_t)1 << 20) /* bytes of events that wait for a client that does not listen yet */
#define ID_DIGITS 32
#define END_MS    6000 /* for the servers to end */

typedef struct face face;

/* From the threads of the HTTP server to the loop. */
typedef struct job {
    struct job *next;
    http_request *request; /* NULL: the peer of `stream` has left */
    uint64_t stream;
} job;

typedef struct stream {
    struct stream *next;
    uint64_t number;
    http_request *request; /* not answered yet */
    http_stream *events;   /* being answered with events */
    size_t answers;        /* that are to come */
    bool general, hello;
} stream;

typedef struct seat {
    struct seat *next;
    face *face;
    proxy_session *session;
    const proxy_target *target;
    char id[ID_DIGITS + 1]; /* "" of a shared one */
    char principal[HTTP_PRINCIPAL_MAX + 1];
    char *capabilities; /* of the clients that share it, as JSON */
    stream *streams;
    toad__buf kept;
    bool greeted; /* its initialize was answered */
    bool ending;  /* nobody's any more; its server is being ended */
    int64_t used;
    size_t fds_n;
} seat;

struct face {
    const proxy_http_settings *o;
    const proxy_session_settings *session;
    http_server *server;
    seat *seats;
    size_t seats_n;
    uint64_t streams;
    pthread_mutex_t lock;
    job *jobs, **jobs_end;
    bool closed; /* no more jobs */
    struct pollfd *fds;
    size_t fds_cap;
    toad__buf event;
};

/* ---- from the threads ---- */

static void add_job(face *f, http_request *request, uint64_t number) {
    job *j = calloc(1, sizeof *j);
    bool taken = false, first = false;
    pthread_mutex_lock(&f->lock);
    if (j && !f->closed) {
        *j = (job){ NULL, request, number };
        first = !f->jobs;
        *f->jobs_end = j;
        f->jobs_end = &j->next;
        taken = true;
    }
    pthread_mutex_unlock(&f->lock);
    if (first) proxy_wake();
    if (taken) return;
    free(j);
    if (request) http_reply_problem(request, 503, NULL);
}

static void handle(void *ctx, http_request *request) { add_job(ctx, request, 0); }

typedef struct leaving {
    face *face;
    uint64_t number;
} leaving;

static void left(void *ctx, bool early) {
    leaving *l = ctx;
    if (early) add_job(l->face, NULL, l->number);
    free(l);
}

/* ---- streams ---- */

static stream *find_stream(seat *s, uint64_t number) {
    stream *st = s->streams;
    while (st && st->number != number) st = st->next;
    return st;
}

static stream *find_general(seat *s) {
    stream *st = s->streams;
    while (st && !st->general) st = st->next;
    return st;
}

static void drop_stream(seat *s, stream *st) {
    stream **at = &s->streams;
    while (*at != st) at = &(*at)->next;
    *at = st->next;
    if (st->events) http_stream_end(st->events);
    if (st->request) http_reply_problem(st->request, 503, "the server has ended");
    free(st);
}

static const http_field event_fields[] = { { "Cache-Control", { "no-store", 8 } },
                                           { "X-Accel-Buffering", { "no", 2 } },
                                           { "Mcp-Session-Id", { NULL, 0 } } };

static void open_events(const seat *s, stream *st) {
    http_field fields[3];
    memcpy(fields, event_fields, sizeof fields);
    fields[2].value = toad__str_z(s->id);
    const http_answer answer = { 200, "text/event-stream", { NULL, 0 }, fields, st->hello ? 3 : 2 };
    st->events = http_stream_open(st->request, &answer);
    st->request = NULL;
}

static void send_event(seat *s, stream *st, toad_str message) {
    toad__buf *b = &s->face->event;
    if (!st->events) open_events(s, st);
    toad__buf_clear(b);
    toad__sse_add(b, toad__str(NULL, 0), TOAD__S("message"), message);
    if (!b->status) http_stream_write(st->events, toad__buf_str(b));
}

static void send_whole(const seat *s, stream *st, int status, toad_str message) {
    const http_field fields[] = { { "Cache-Control", TOAD__S("no-store") }, { "Mcp-Session-Id", toad__str_z(s->id) } };
    const http_answer answer = { status, "application/json", message, fields, st->hello ? 2 : 1 };
    http_request *r = st->request;
    st->request = NULL;
    http_reply(r, &answer);
}

/* Nobody listens yet: it waits for the GET. */
static void keep(seat *s, toad_str message) {
    if (!*s->id || s->kept.n > KEPT_MAX) return;
    toad__sse_add(&s->kept, toad__str(NULL, 0), TOAD__S("message"), message);
    if (s->kept.status) toad__buf_clear(&s->kept);
}

static void to_client(void *ctx, const toad__proxy_out *out) {
    seat *s = ctx;
    stream *st = out->stream ? find_stream(s, out->stream) : NULL;
    if (!st && out->kind != TOAD__MCP_ANSWER) st = find_general(s);
    if (!st) {
        if (out->kind != TOAD__MCP_ANSWER) keep(s, out->message);
        return;
    }
    bool last = out->kind == TOAD__MCP_ANSWER && !st->general && !--st->answers;
    if (last && st->request)
        send_whole(s, st, out->http ? out->http : 200, out->message);
    else
        send_event(s, st, out->message);
    if (last && st->hello) s->greeted = true;
    if (last) drop_stream(s, st);
}

/* ---- seats ---- */

static void free_seat(seat *s) {
    while (s->streams) drop_stream(s, s->streams);
    proxy_session_free(s->session);
    toad__buf_free(&s->kept);
    free(s->capabilities);
    free(s);
}

static void drop_seat(face *f, seat *s) {
    seat **at = &f->seats;
    while (*at != s) at = &(*at)->next;
    *at = s->next;
    f->seats_n--;
    free_seat(s);
}

/* Give its server the time to end. */
static void retire_seat(seat *s) {
    while (s->streams) drop_stream(s, s->streams);
    s->ending = true;
    proxy_session_finish(s->session, true);
}

static bool make_id(char out[ID_DIGITS + 1]) {
    unsigned char random[ID_DIGITS / 2];
    if (!toad__random(random, sizeof random)) return false;
    toad__hex_z(out, random, sizeof random);
    return true;
}

/* Make room by ending what nobody uses. False: all are in use. */
static bool make_room(face *f, size_t most) {
    seat *oldest = NULL;
    if (f->seats_n < most) return true;
    for (seat *s = f->seats; s; s = s->next)
        if (!s->streams && !s->ending && (!oldest || s->used < oldest->used)) oldest = s;
    if (!oldest || toad__now_ms() - oldest->used < 60000) return false;
    retire_seat(oldest);
    return f->seats_n < 2 * most;
}

static seat *add_seat(face *f, const proxy_target *target, toad_str principal, toad_str capabilities, bool shared,
                      char why[256]) {
    seat *s = make_room(f, f->o->sessions ? f->o->sessions : SESSIONS) ? calloc(1, sizeof *s) : NULL;
    snprintf(why, 256, "too many sessions");
    if (!s) return NULL;
    s->face = f;
    s->target = target;
    s->used = toad__now_ms();
    s->capabilities = toad__str_copy(capabilities);
    toad__buf_init(&s->kept, 2 * KEPT_MAX);
    snprintf(s->principal, sizeof s->principal, "%.*s", (int)principal.n, principal.p ? principal.p : "");
    proxy_session_settings settings = *f->session;
    char own[sizeof "http_" + ID_DIGITS] = "http_";
    bool ok = s->capabilities && (shared || make_id(s->id));
    if (!settings.session.n) { /* the agent's session: one for each client's, or for all of a principal */
        snprintf(own + 5, sizeof own - 5, "%s", shared ? s->principal : s->id);
        settings.session = toad__str_z(own);
    }
    settings.target = target;
    settings.client = s;
    settings.to_client = to_client;
    settings.shared = shared;
    settings.principal = toad__str_z(s->principal);
    if (!ok || !proxy_session_new(&settings, &s->session, why)) {
        free_seat(s);
        return NULL;
    }
    s->next = f->seats;
    f->seats = s;
    f->seats_n++;
    return s;
}

/* In constant time for ids of the right length: a session id is a secret. */
static bool is_session(const seat *s, toad_str id) {
    unsigned differ = 0;
    if (id.n != ID_DIGITS || !*s->id) return false;
    for (size_t i = 0; i < ID_DIGITS; i++) differ |= (unsigned)(s->id[i] ^ id.p[i]);
    return !differ;
}

static seat *find_session(face *f, const proxy_target *target, toad_str id, toad_str principal) {
    for (seat *s = f->seats; s; s = s->next)
        if (is_session(s, id) && !s->ending && s->target == target &&
            toad__str_eq(toad__str_z(s->principal), principal))
            return s;
    return NULL;
}

static seat *find_shared(face *f, const proxy_target *target, toad_str principal, toad_str capabilities,
                         char why[256]) {
    size_t n = 0;
    seat *idle = NULL;
    for (seat *s = f->seats; s; s = s->next) {
        if (*s->id || s->ending || s->target != target) continue;
        n++;
        if (!s->streams) idle = s;
        if (toad__str_eq(toad__str_z(s->principal), principal) &&
            toad__str_eq(toad__str_z(s->capabilities), capabilities))
            return s;
    }
    if (n >= SHARED && idle) retire_seat(idle);
    return add_seat(f, target, principal, capabilities, true, why);
}

/* ---- requests ---- */

static const proxy_target *target_of(const face *f, toad_str path) {
    toad_str prefix = TOAD__S(PATH "/");
    if (f->o->targets_n == 1 && !f->o->named && toad__str_eq(path, TOAD__S(PATH))) return f->o->targets;
    if (!toad__str_starts(path, prefix)) return NULL;
    for (size_t i = 0; i < f->o->targets_n; i++)
        if (toad__str_eq(toad__str_part(path, prefix.n, path.n), toad__str_z(f->o->targets[i].name)))
            return &f->o->targets[i];
    return NULL;
}

static void refuse(http_request *r, const toad__rpc *rpc, const toad__mcp_refusal *refusal) {
    toad__buf b;
    if (!refusal->code) {
        http_reply_problem(r, refusal->http, refusal->why);
        return;
    }
    toad__buf_init(&b, 65536);
    toad__rpc_add_error(&b, rpc->id, refusal->code, refusal->why, toad__str(NULL, 0));
    const http_answer answer = { refusal->http, "application/json", toad__buf_str(&b), NULL, 0 };
    http_reply(r, &answer);
    toad__buf_free(&b);
}

static size_t answers_to(const toad__rpc *rpc) {
    size_t n = 0;
    if (rpc->kind != TOAD__RPC_BATCH) return rpc->kind == TOAD__RPC_REQUEST;
    for (const toad__json *i = rpc->root->child; i; i = i->next) {
        toad__rpc item;
        if (toad__rpc_classify(i, &item) || item.kind == TOAD__RPC_REQUEST) n++;
    }
    return n;
}

static bool add_stream(face *f, seat *s, http_request *r, size_t answers, bool general, bool hello, uint64_t *ret) {
    stream *st = calloc(1, sizeof *st);
    leaving *l = malloc(sizeof *l);
    if (!st || !l) {
        free(st);
        free(l);
        http_reply_problem(r, 503, "out of memory");
        return false;
    }
    *st = (stream){ s->streams, ++f->streams, r, NULL, answers, general, hello };
    *l = (leaving){ f, st->number };
    s->streams = st;
    *ret = st->number;
    if (http_on_over(r, left, l)) return true;
    free(l); /* it has left already: the answer goes nowhere */
    return true;
}

/* Hand the message over, and let what it waits for be answered later. */
static void deliver(face *f, seat *s, http_request *r, const toad__rpc *rpc, const toad__mcp_headers *h, bool hello) {
    static const http_answer accepted = { 202, NULL, { NULL, 0 }, NULL, 0 };
    size_t answers = answers_to(rpc);
    uint64_t number = 0;
    toad__buf body;
    s->used = toad__now_ms();
    toad__buf_init(&body, 2 * TOAD__RPC_MESSAGE_MAX);
    toad__buf_add_str(&body, http_body(r)); /* the request may be over before the machine is done with it */
    char version[32];
    snprintf(version, sizeof version, "%.*s", (int)h->version.n, h->version.p ? h->version.p : "");
    if (body.status) {
        http_reply_problem(r, 503, "out of memory");
    } else if (!answers) {
        http_reply(r, &accepted);
        toad__proxy_from_client(proxy_session_machine(s->session), 0, toad__str_z(version), toad__buf_str(&body));
    } else if (add_stream(f, s, r, answers, false, hello, &number)) {
        toad__proxy_from_client(proxy_session_machine(s->session), number, toad__str_z(version), toad__buf_str(&body));
    }
    toad__buf_free(&body);
}

static toad_str capabilities_of(const toad__rpc *rpc) {
    const toad__json *c =
        toad__json_get(toad__json_get(rpc->params, "_meta"), "io.modelcontextprotocol/clientCapabilities");
    return c ? c->raw : TOAD__S("{}");
}

/* One that never opens is not kept. */
static void post_hello(face *f, const proxy_target *target, http_request *r, const toad__rpc *rpc,
                       const toad__mcp_headers *h) {
    char why[256];
    seat *s = add_seat(f, target, http_principal(r), toad__str("", 0), false, why);
    if (s)
        deliver(f, s, r, rpc, h, true);
    else
        http_reply_problem(r, 503, why);
}

static void post_modern(face *f, const proxy_target *target, http_request *r, const toad__rpc *rpc,
                        const toad__mcp_headers *h) {
    static const toad__mcp_server none;
    toad__mcp_refusal refusal = { 0, 0, NULL };
    char why[256];
    if (!toad__mcp_mirrors(&none, rpc, h, &refusal)) {
        refuse(r, rpc, &refusal);
        return;
    }
    seat *s = find_shared(f, target, http_principal(r), capabilities_of(rpc), why);
    if (s)
        deliver(f, s, r, rpc, h, false);
    else
        http_reply_problem(r, 503, why);
}

static bool is_known(toad_str version) { return !version.p || toad__mcp_version_of(version) != TOAD__MCP_NO_VERSION; }

/* The session that the request names, or NULL after an answer. */
static seat *session_of(face *f, const proxy_target *target, http_request *r, const toad__mcp_headers *h) {
    seat *s = is_known(h->version) ? find_session(f, target, h->session, http_principal(r)) : NULL;
    if (!s)
        http_reply_problem(r, is_known(h->version) ? 404 : 400,
                           is_known(h->version) ? "no such session" : "MCP-Protocol-Version is none of ours");
    return s;
}

static void post(face *f, const proxy_target *target, http_request *r, const toad__mcp_headers *h) {
    toad__mcp_refusal refusal = { 0, 0, NULL };
    toad__arena arena;
    toad__rpc rpc;
    seat *s;
    if (!toad__mcp_media_fit(h, false, &refusal)) {
        http_reply_problem(r, refusal.http, refusal.why);
        return;
    }
    toad__arena_init(&arena, TOAD__RPC_ARENA_MAX);
    if (toad__rpc_read(http_body(r), &arena, &rpc)) {
        refusal = (toad__mcp_refusal){ 400, rpc.code, rpc.why };
        refuse(r, &rpc, &refusal);
    } else {
        switch (toad__mcp_era_of(&rpc, h)) {
        case TOAD__MCP_MODERN: post_modern(f, target, r, &rpc, h); break;
        case TOAD__MCP_HELLO: post_hello(f, target, r, &rpc, h); break;
        default:
            if ((s = session_of(f, target, r, h))) deliver(f, s, r, &rpc, h, false);
        }
    }
    toad__arena_free(&arena);
}

static void get(face *f, seat *s, http_request *r, const toad__mcp_headers *h) {
    toad__mcp_refusal refusal = { 0, 0, NULL };
    stream *before = find_general(s);
    uint64_t number;
    if (!toad__mcp_media_fit(h, true, &refusal)) {
        http_reply_problem(r, refusal.http, refusal.why);
        return;
    }
    if (before) drop_stream(s, before); /* the latest counts */
    if (!add_stream(f, s, r, 1, true, false, &number)) return;
    stream *st = find_stream(s, number);
    open_events(s, st);
    http_stream_write(st->events, s->kept.n ? toad__buf_str(&s->kept) : TOAD__S(":\n\n"));
    toad__buf_clear(&s->kept);
}

static void answer_request(face *f, http_request *r) {
    static const http_field allow[] = { { "Allow", { "POST", 4 } } };
    static const http_answer only_post = { 405, NULL, { NULL, 0 }, allow, 1 },
                             done = { 204, NULL, { NULL, 0 }, NULL, 0 };
    const proxy_target *target = target_of(f, http_path(r));
    toad__mcp_headers h = mcp_headers_of(r);
    bool is_get = toad__str_eq(http_method(r), TOAD__S("GET"));
    seat *s;
    if (!target) {
        http_reply_problem(r, 404, NULL);
    } else if (toad__str_eq(http_method(r), TOAD__S("POST"))) {
        post(f, target, r, &h);
    } else if (!h.session.p || toad__mcp_version_of(h.version) >= TOAD__MCP_2026_07_28) {
        http_reply(r, &only_post);
    } else if ((s = session_of(f, target, r, &h))) {
        s->used = toad__now_ms();
        if (is_get) {
            get(f, s, r, &h);
        } else {
            retire_seat(s);
            http_reply(r, &done);
        }
    }
}

static void peer_left(face *f, uint64_t number) {
    for (seat *s = f->seats; s; s = s->next) {
        stream *st = find_stream(s, number);
        if (!st) continue;
        toad__proxy_cancel_stream(proxy_session_machine(s->session), number);
        st = find_stream(s, number);
        if (st) drop_stream(s, st);
        return;
    }
}

static void do_jobs(face *f) {
    pthread_mutex_lock(&f->lock);
    job *j = f->jobs;
    f->jobs = NULL;
    f->jobs_end = &f->jobs;
    pthread_mutex_unlock(&f->lock);
    for (job *next; j; j = next) {
        next = j->next;
        if (j->request)
            answer_request(f, j->request);
        else
            peer_left(f, j->stream);
        free(j);
    }
}

/* ---- the loop ---- */

static bool grow(face *f, size_t need) {
    if (need <= f->fds_cap) return true;
    struct pollfd *more = realloc(f->fds, 2 * need * sizeof *more);
    if (!more) return false;
    f->fds = more;
    f->fds_cap = 2 * need;
    return true;
}

/* A session that did not come about, or that nobody uses. */
static bool is_idle(const face *f, const seat *s, int64_t at) {
    if (s->greeted && !toad__proxy_server_version(proxy_session_machine(s->session))) return true;
    return !s->streams && at - s->used > (int64_t)(f->o->idle_s ? f->o->idle_s : IDLE_S) * 1000;
}

/* False: it is to end. */
static bool step(face *f) {
    int timeout = 1000;
    size_t n = 1;
    if (!grow(f, 1 + (f->seats_n + 1) * 4)) return false;
    f->fds[0] = (struct pollfd){ .fd = proxy_wake_fd(), .events = POLLIN };
    for (seat *s = f->seats; s; s = s->next) {
        if (!grow(f, n + PROXY_FDS)) return false;
        s->fds_n = proxy_session_wait(s->session, f->fds + n, false, &timeout);
        n += s->fds_n;
    }
    if (poll(f->fds, (nfds_t)n, timeout) < 0)
        for (size_t i = 0; i < n; i++) f->fds[i].revents = 0;
    bool go_on = !f->fds[0].revents || !proxy_was_told_to_end();
    size_t at = 1;
    int64_t now = toad__now_ms();
    for (seat *s = f->seats, *next; s; s = next) {
        next = s->next;
        size_t own = s->fds_n;
        s->fds_n = 0;
        proxy_session_ready(s->session, f->fds + at, own);
        at += own;
        if (proxy_session_over(s->session))
            drop_seat(f, s);
        else if (!s->ending && is_idle(f, s, now))
            retire_seat(s);
    }
    do_jobs(f);
    return go_on;
}

static void end(face *f) {
    int64_t limit = toad__now_ms() + END_MS;
    if (f->server) http_server_quiesce(f->server);
    for (seat *s = f->seats; s; s = s->next) retire_seat(s);
    while (f->seats && toad__now_ms() < limit) (void)step(f);
    while (f->seats) drop_seat(f, f->seats);
    pthread_mutex_lock(&f->lock);
    f->closed = true;
    job *j = f->jobs;
    f->jobs = NULL;
    pthread_mutex_unlock(&f->lock);
    for (job *next; j; j = next) {
        next = j->next;
        if (j->request) http_reply_problem(j->request, 503, NULL);
        free(j);
    }
    http_server_free(f->server);
    pthread_mutex_destroy(&f->lock);
    toad__buf_free(&f->event);
    free(f->fds);
}

int proxy_serve_http(const proxy_http_settings *settings, const proxy_session_settings *session, char why[256]) {
    static const http_route routes[] = {
        { "POST", PATH "*", TOAD__RPC_MESSAGE_MAX, 0, handle },
        { "GET", PATH "*", 0, 0, handle },
        { "DELETE", PATH "*", 0, 0, handle },
    };
    face f = { .o = settings, .session = session };
    const http_settings http = { .address = settings->address,
                                 .port = settings->port,
                                 .guard = settings->guard,
                                 .routes = routes,
                                 .routes_n = sizeof routes / sizeof *routes,
                                 .ctx = &f,
                                 .workers = 1,
                                 .connections = 1024 };
    *why = 0;
    f.jobs_end = &f.jobs;
    pthread_mutex_init(&f.lock, NULL);
    toad__buf_init(&f.event, TOAD__PROXY_OUT_MAX);
    bool open = proxy_catch_signals() && !http_server_new(&http, &f.server, why);
    if (open && settings->listening) settings->listening(http_server_port(f.server));
    while (open && step(&f)) continue;
    end(&f);
    return open ? 0 : 2;
}
