/* http.c - see http.h.
 *
 * A handler puts its request into a queue and wakes the loop; everything else happens there, so nothing but the queue
 * has a lock. A peer that leaves is told through the same queue: who left a request of 2026-07-28 has cancelled it; in
 * a session it is worked on, and its events wait for who comes back (face/mcp_http/streams.h). */
#include "face/proxy/http.h"

#include "face/mcp_http/door.h"
#include "face/mcp_http/streams.h"
#include "face/proxy/signals.h"
#include "lib/base/str.h"
#include "sys/clock.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define PATH     "/mcp"
#define SESSIONS 256
#define IDLE_S   1800
#define SHARED   32   /* servers for clients of 2026-07-28, of each target */
#define END_MS   6000 /* for the servers to end */

typedef struct face face;

/* Who a stream of a seat is sent to. */
typedef struct reader {
    face *face;
    uint64_t seat, stream, attached;
} reader;

/* From the threads of the HTTP server to the loop. */
typedef struct job {
    struct job *next;
    http_request *request; /* NULL: `left` has */
    reader left;
} job;

typedef struct seat {
    struct seat *next;
    face *face;
    proxy_session *session;
    const proxy_target *target;
    uint64_t number;
    mcp_streams streams; /* without a session's id: shared */
    char principal[HTTP_PRINCIPAL_MAX + 1];
    char *capabilities; /* of the clients that share it, as JSON */
    uint64_t hello;     /* the stream of its initialize */
    bool greeted;       /* which was answered */
    bool ending;        /* nobody's any more; its server is being ended */
    int64_t used;
    size_t fds_n;
} seat;

struct face {
    const proxy_http_settings *o;
    const proxy_session_settings *session;
    http_server *server;
    seat *seats;
    size_t seats_n;
    uint64_t seats_made;
    pthread_mutex_t lock;
    job *jobs, **jobs_end;
    bool closed; /* no more jobs */
    struct pollfd *fds;
    size_t fds_cap;
};

/* Where a request is for. */
typedef struct place {
    face *face;
    const proxy_target *target;
} place;

/* ---- from the threads ---- */

static void add_job(face *f, http_request *request, const reader *left) {
    job *j = calloc(1, sizeof *j);
    bool taken = false, first = false;
    pthread_mutex_lock(&f->lock);
    if (j && !f->closed) {
        j->request = request;
        if (left) j->left = *left;
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

static void handle(void *ctx, http_request *request) { add_job(ctx, request, NULL); }

static void reader_over(void *ctx, bool early) {
    reader *r = ctx;
    if (early) add_job(r->face, NULL, r);
    free(r);
}

/* Watch the request that a stream is sent to. False: it is gone already. */
static bool attach(seat *s, mcp_stream *st, http_request *r) {
    reader *watcher = malloc(sizeof *watcher);
    if (!watcher) return false;
    uint64_t number = mcp_streams_next_reader(&s->streams);
    *watcher = (reader){ s->face, s->number, mcp_stream_id(st), number };
    if (!http_on_over(r, reader_over, watcher)) return free(watcher), false; /* who listened before still does */
    mcp_stream_attach(st, number);
    return true;
}

static void to_client(void *ctx, const toad__proxy_out *out) {
    seat *s = ctx;
    bool last = mcp_streams_emit(&s->streams, out->stream, out->kind, out->http, out->message);
    if (last && out->stream == s->hello) s->greeted = true;
}

/* ---- seats ---- */

static void end_streams(seat *s) {
    mcp_streams_refuse(&s->streams, 503, "the server has ended");
    mcp_streams_free(&s->streams);
}

static void free_seat(seat *s) {
    end_streams(s);
    proxy_session_free(s->session);
    mcp_streams_free(&s->streams);
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
    end_streams(s);
    s->ending = true;
    proxy_session_finish(s->session, true);
}

/* Make room by ending what nobody uses. False: all are in use. */
static bool make_room(face *f, size_t most) {
    seat *oldest = NULL;
    if (f->seats_n < most) return true;
    for (seat *s = f->seats; s; s = s->next)
        if (!mcp_streams_used(&s->streams) && !s->ending && (!oldest || s->used < oldest->used)) oldest = s;
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
    s->number = ++f->seats_made;
    snprintf(s->principal, sizeof s->principal, "%.*s", (int)principal.n, principal.p ? principal.p : "");
    proxy_session_settings settings = *f->session;
    char own[sizeof "http_" + MCP_SESSION_ID] = "http_";
    bool ok = s->capabilities && (shared || mcp_streams_name(&s->streams));
    if (!settings.session.n) { /* the agent's session: one for each client's, or for all of a principal */
        snprintf(own + 5, sizeof own - 5, "%s", shared ? s->principal : s->streams.session);
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

static void *find_session(void *ctx, toad_str id, toad_str principal) {
    const place *at = ctx;
    for (seat *s = at->face->seats; s; s = s->next)
        if (mcp_streams_are_of(&s->streams, id) && !s->ending && s->target == at->target &&
            toad__str_eq(toad__str_z(s->principal), principal))
            return s;
    return NULL;
}

static seat *find_shared(face *f, const proxy_target *target, toad_str principal, toad_str capabilities,
                         char why[256]) {
    size_t n = 0;
    seat *idle = NULL;
    for (seat *s = f->seats; s; s = s->next) {
        if (*s->streams.session || s->ending || s->target != target) continue;
        n++;
        if (!mcp_streams_used(&s->streams)) idle = s;
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

static size_t answers_to(const toad__rpc *rpc) {
    size_t n = 0;
    if (rpc->kind != TOAD__RPC_BATCH) return rpc->kind == TOAD__RPC_REQUEST;
    for (const toad__json *i = rpc->root->child; i; i = i->next) {
        toad__rpc item;
        if (toad__rpc_classify(i, &item) || item.kind == TOAD__RPC_REQUEST) n++;
    }
    return n;
}

/* Hand the message over, and let what it waits for be answered later. */
static void deliver(seat *s, http_request *r, const toad__rpc *rpc, toad_str header, bool hello) {
    size_t answers = answers_to(rpc);
    mcp_stream *st = answers ? mcp_streams_add(&s->streams, answers) : NULL;
    uint64_t number = st ? mcp_stream_id(st) : 0;
    char version[32];
    toad__buf body; /* the request may be over before the machine is done with it */
    s->used = toad__now_ms();
    toad__buf_init(&body, 2 * TOAD__RPC_MESSAGE_MAX);
    toad__buf_add_str(&body, http_body(r));
    snprintf(version, sizeof version, "%.*s", (int)header.n, header.p ? header.p : "");
    bool ok = !body.status && (!answers || (st && attach(s, st, r)));
    if (ok && st) mcp_stream_answers(st, r);
    if (ok && hello) s->hello = number;
    if (ok && !answers) mcp_door_accepted(r);
    if (ok)
        toad__proxy_from_client(proxy_session_machine(s->session), number, toad__str_z(version), toad__buf_str(&body));
    if (!ok && st) mcp_streams_drop(&s->streams, st);
    if (!ok) http_reply_problem(r, 503, NULL);
    toad__buf_free(&body);
}

static toad_str capabilities_of(const toad__rpc *rpc) {
    const toad__json *c =
        toad__json_get(toad__json_get(rpc->params, "_meta"), "io.modelcontextprotocol/clientCapabilities");
    return c ? c->raw : TOAD__S("{}");
}

/* One that never opens is not kept. */
static void post_hello(void *ctx, http_request *r, const toad__rpc *rpc, toad_str version) {
    const place *at = ctx;
    char why[256];
    seat *s = add_seat(at->face, at->target, http_principal(r), toad__str("", 0), false, why);
    if (s)
        deliver(s, r, rpc, version, true);
    else
        http_reply_problem(r, 503, why);
}

static void post_alone(void *ctx, http_request *r, const toad__rpc *rpc, toad_str version) {
    const place *at = ctx;
    char why[256];
    seat *s = find_shared(at->face, at->target, http_principal(r), capabilities_of(rpc), why);
    if (s)
        deliver(s, r, rpc, version, false);
    else
        http_reply_problem(r, 503, why);
}

static void post_in_session(void *ctx, void *session, http_request *r, const toad__rpc *rpc, toad_str version) {
    (void)ctx;
    deliver(session, r, rpc, version, false);
}

static void get(void *ctx, void *session, http_request *r, toad_str last_event_id) {
    seat *s = session;
    uint64_t from = 0;
    (void)ctx;
    s->used = toad__now_ms();
    mcp_stream *st = mcp_streams_for_get(&s->streams, last_event_id, &from);
    if (st && attach(s, st, r))
        mcp_stream_listen(&s->streams, st, r, from);
    else if (last_event_id.n)
        http_reply_problem(r, 400, "nothing is kept for this Last-Event-ID");
    else
        http_reply_problem(r, 503, NULL);
}

static void end_session(void *ctx, void *session, http_request *r) {
    static const http_answer done = { .status = 204 };
    (void)ctx;
    retire_seat(session);
    http_reply(r, &done);
}

static void answer_request(face *f, http_request *r) {
    static const toad__mcp_server none;
    static const mcp_door door = {
        &none, find_session, post_in_session, get, end_session, post_hello, post_alone,
    };
    place at = { f, target_of(f, http_path(r)) };
    if (at.target)
        mcp_door_open(&door, &at, r);
    else
        http_reply_problem(r, 404, NULL);
}

static void reader_left(const reader *r) {
    seat *s = r->face->seats;
    while (s && s->number != r->seat) s = s->next;
    if (!s) return;
    s->used = toad__now_ms();
    mcp_streams_reader_over(&s->streams, r->stream, r->attached, true);
    if (*s->streams.session) return;
    toad__proxy_cancel_stream(proxy_session_machine(s->session), r->stream);
    mcp_stream *st = mcp_streams_find(&s->streams, r->stream);
    if (st) mcp_streams_drop(&s->streams, st);
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
            reader_left(&j->left);
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
    return !mcp_streams_used(&s->streams) && at - s->used > (int64_t)(f->o->idle_s ? f->o->idle_s : IDLE_S) * 1000;
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
    bool open = proxy_catch_signals() && !http_server_new(&http, &f.server, why);
    if (open && settings->listening) settings->listening(http_server_port(f.server));
    while (open && step(&f)) continue;
    end(&f);
    return open ? 0 : 2;
}
