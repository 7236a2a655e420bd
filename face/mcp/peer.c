/* peer.c - the actor and its streams.
 *
 * Two locks are never held together but in this order: the peer's, then the HTTP server's (inside its functions). The
 * engine runs without a lock; what it emits takes the peer's lock for as long as the bytes are queued. The HTTP server
 * tells of a reader that left without holding a lock. */
#include "face/mcp/peer.h"

#include "lib/base/hex.h"
#include "lib/base/random.h"
#include "lib/base/str.h"
#include "proto/sse.h"
#include "sys/clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define RETRY_MS 500

/* Something for the engine. */
typedef struct item {
    struct item *next;
    enum { ITEM_MESSAGE, ITEM_LEFT, ITEM_CHANGE } kind;
    toad__mcp_change change;
    uint64_t stream;
    char version[16];
    size_t version_n, n;
    char bytes[];
} item;

/* An event that was sent, kept for who comes back. */
typedef struct event {
    struct event *next;
    uint64_t number;
    size_t n;
    char bytes[];
} event;

/* The answer to one message, or what belongs to none. */
typedef struct stream {
    struct stream *next;
    uint64_t id, number;   /* number: of its last event */
    http_request *request; /* nothing was sent yet */
    http_stream *http;     /* events are being sent */
    uint64_t attached;     /* which of the GETs, and the POST, it is sent to */
    bool was_stream, done, general;
    event *first, **last;
    uint64_t lost; /* events up to here are not kept any more */
} stream;

struct peer {
    struct peer_links links;
    toad__mcp_server server;
    peer_host host;
    toad__mcp *mcp;
    pthread_mutex_t lock;
    size_t holders;
    bool is_session, running, ended, left;
    char session[PEER_SESSION + 1], principal[HTTP_PRINCIPAL_MAX + 1], agent[64];
    item *first, **last;
    size_t items_n, items_bytes;
    stream *streams;
    size_t streams_n, kept;
    uint64_t streams_made, attachments;
    int64_t used;
};

struct peer_links *peer_links(peer *p) {
    return &p->links;
}
const char *peer_session(const peer *p) { return p->session; }
toad_str peer_principal(const peer *p) { return toad__str_z(p->principal); }

static void lock(peer *p) { pthread_mutex_lock(&p->lock); }
static void unlock(peer *p) { pthread_mutex_unlock(&p->lock); }

/* ---- streams, with the lock held ---- */

static stream *find_stream(peer *p, uint64_t id) {
    stream *s = p->streams;
    while (s && s->id != id) s = s->next;
    return s;
}

static stream *general_stream(peer *p) {
    stream *s = p->streams;
    while (s && !s->general) s = s->next;
    return s;
}

static stream *new_stream(peer *p) {
    stream *s = p->streams_n < PEER_STREAMS ? calloc(1, sizeof *s) : NULL, **at = &p->streams;
    if (!s) return NULL;
    s->id = ++p->streams_made;
    s->last = &s->first;
    while (*at) at = &(*at)->next;
    *at = s;
    p->streams_n++;
    return s;
}

static void forget_event(peer *p, stream *s) {
    event *e = s->first;
    s->first = e->next;
    if (!s->first) s->last = &s->first;
    s->lost = e->number;
    p->kept -= e->n;
    free(e);
}

static void drop_stream(peer *p, stream *s) {
    stream **at = &p->streams;
    while (*at != s) at = &(*at)->next;
    *at = s->next;
    p->streams_n--;
    while (s->first) forget_event(p, s);
    free(s);
}

/* The oldest go first; a stream that is done and of which nothing is left goes, too. */
static void trim(peer *p) {
    for (stream *s = p->streams, *next; s; s = next) {
        next = s->next;
        while (p->kept > PEER_KEPT && s->first) forget_event(p, s);
        bool many = p->streams_n > PEER_STREAMS / 2;
        if (s->done && !s->http && (!s->first || many)) drop_stream(p, s);
    }
}

static void keep_event(peer *p, stream *s, toad_str bytes) {
    event *e = malloc(sizeof *e + bytes.n);
    if (!e) {
        s->lost = s->number;
        return;
    }
    e->next = NULL;
    e->number = s->number;
    e->n = bytes.n;
    memcpy(e->bytes, bytes.p, bytes.n);
    *s->last = e;
    s->last = &e->next;
    p->kept += bytes.n;
}

static bool numbers_events(const peer *p) { return p->is_session; }

/* The first event of a stream has no data, only its id; before 2025-11-25 clients take that for a message. */
static bool is_primed(const peer *p) { return p->is_session && toad__mcp_agreed(p->mcp) >= TOAD__MCP_2025_11_25; }

static void add_event(const peer *p, const stream *s, toad__buf *b, toad_str data) {
    char id[48];
    int n = snprintf(id, sizeof id, "%llu-%llu", (unsigned long long)s->id, (unsigned long long)s->number);
    toad__sse_add(b, numbers_events(p) ? toad__str(id, (size_t)n) : toad__str(NULL, 0), toad__str(NULL, 0), data);
}

static const http_field no_store = { "Cache-Control", { "no-store", 8 } };
static const http_field unbuffered = { "X-Accel-Buffering", { "no", 2 } };

static http_stream *open_events(const peer *p, stream *s, http_request *r) {
    toad__buf first;
    toad__buf_init(&first, 4096);
    if (is_primed(p)) {
        toad__sse_add_retry(&first, RETRY_MS);
        add_event(p, s, &first, toad__str(NULL, 0));
    } else {
        toad__buf_add_z(&first, ":\n\n");
    }
    http_field fields[] = { no_store, unbuffered, { "Mcp-Session-Id", toad__str_z(p->session) } };
    http_answer answer = { 200, "text/event-stream", toad__buf_str(&first), fields, p->is_session ? 3 : 2 };
    http_stream *http = http_stream_open(r, &answer);
    toad__buf_free(&first);
    return http;
}

static void begin_events(const peer *p, stream *s) {
    if (!s->request) return;
    s->http = open_events(p, s, s->request);
    s->request = NULL;
    s->was_stream = true;
}

static void end_events(stream *s) {
    if (s->http) http_stream_end(s->http);
    s->http = NULL;
}

static void send_event(peer *p, stream *s, toad_str message) {
    toad__buf b;
    toad__buf_init(&b, TOAD__MCP_OUT_MAX + 4096);
    s->number++;
    add_event(p, s, &b, message);
    if (s->http && !b.status) (void)http_stream_write(s->http, toad__buf_str(&b));
    if (p->is_session && s->was_stream && !b.status) keep_event(p, s, toad__buf_str(&b));
    toad__buf_free(&b);
}

static void reply_json(const peer *p, http_request *r, int status, toad_str message) {
    http_field fields[] = { no_store, { "Mcp-Session-Id", toad__str_z(p->session) } };
    http_answer answer = { status, "application/json", message, fields, p->is_session ? 2 : 1 };
    http_reply(r, &answer);
}

static void take_answer(peer *p, stream *s, const toad__mcp_out *out) {
    s->done = true;
    if (s->request) {
        reply_json(p, s->request, out->http, out->message);
        s->request = NULL;
    } else {
        send_event(p, s, out->message);
        end_events(s);
    }
    trim(p);
}

static void emit(void *wire, const toad__mcp_out *out) {
    peer *p = wire;
    lock(p);
    stream *s = out->stream ? find_stream(p, out->stream) : general_stream(p);
    if (s && out->kind == TOAD__MCP_ANSWER) {
        take_answer(p, s, out);
    } else if (s && out->kind == TOAD__MCP_PAUSE) {
        if (is_primed(p)) {
            begin_events(p, s);
            end_events(s);
        }
    } else if (s) {
        begin_events(p, s);
        send_event(p, s, out->message);
        trim(p);
    }
    unlock(p);
}

/* ---- the actor ---- */

static void post(peer *p, item *i) {
    *p->last = i;
    p->last = &i->next;
    p->items_n++;
    p->items_bytes += i->n;
}

static item *new_item(uint64_t stream_id, toad_str version, toad_str bytes) {
    item *i = malloc(sizeof *i + bytes.n);
    if (!i) return NULL;
    *i = (item){ .kind = ITEM_MESSAGE, .stream = stream_id, .n = bytes.n };
    i->version_n = version.n < sizeof i->version ? version.n : sizeof i->version;
    if (i->version_n) memcpy(i->version, version.p, i->version_n);
    if (bytes.n) memcpy(i->bytes, bytes.p, bytes.n);
    return i;
}

static bool take_in(peer *p) {
    bool any = false;
    for (;;) {
        lock(p);
        item *i = toad__mcp_full(p->mcp) ? NULL : p->first;
        if (i) {
            p->first = i->next;
            if (!p->first) p->last = &p->first;
            p->items_n--;
            p->items_bytes -= i->n;
        }
        unlock(p);
        if (!i) return any;
        any = true;
        if (i->kind == ITEM_MESSAGE)
            toad__mcp_push(p->mcp, i->stream, toad__str(i->version, i->version_n), toad__str(i->bytes, i->n));
        else if (i->kind == ITEM_LEFT)
            toad__mcp_cancel_stream(p->mcp, i->stream);
        else
            toad__mcp_tell(p->mcp, i->change, toad__str(i->n ? i->bytes : NULL, i->n));
        free(i);
    }
}

static void poll_inbox(void *wire) { (void)take_in(wire); }

static void tell_all(void *wire, toad__mcp_change what, toad_str uri) {
    peer *p = wire;
    p->host.changed(p->host.face, what, uri);
}

/* Nothing can be worked on: refuse what waits. */
static void refuse_all(peer *p) {
    lock(p);
    for (stream *s = p->streams; s; s = s->next) {
        if (s->request) http_reply_problem(s->request, 503, p->ended ? NULL : "out of memory");
        s->request = NULL;
        end_events(s);
    }
    unlock(p);
}

/* End the engine: what listens is answered, what else is open is closed. */
static void finish(peer *p) {
    toad__mcp_free(p->mcp);
    p->mcp = NULL;
    lock(p);
    for (stream *s = p->streams; s; s = s->next) {
        if (s->request) http_reply_problem(s->request, 404, "the session has ended");
        s->request = NULL;
        end_events(s);
    }
    unlock(p);
}

/* With the inbox empty and the engine at rest, what has no answer never gets one: it was cancelled, or memory was
 * short. */
static void end_lost(peer *p) {
    for (stream *t = p->streams; t; t = t->next) {
        if (t->general || t->done) continue;
        if (t->request && !p->is_session)
            http_reply_problem(t->request, 503, "out of memory");
        else
            begin_events(p, t);
        t->request = NULL;
        t->done = true;
        end_events(t);
    }
    trim(p);
}

/* Is there nothing more to do? Then another thread may find the peer idle. */
static bool rest(peer *p) {
    lock(p);
    bool ended = p->ended, idle = ended || !p->first;
    if (idle && !ended && !toad__mcp_busy(p->mcp)) end_lost(p);
    if (idle) p->running = ended;
    unlock(p);
    if (ended) finish(p);
    return idle;
}

static void run(peer *p, unsigned worker) {
    do {
        bool any = take_in(p);
        if (p->host.enter && any) p->server.ctx = p->host.enter(p->host.tools, worker, toad__str_z(p->agent));
        if (p->host.enter && !p->server.ctx) refuse_all(p);
        while ((!p->host.enter || p->server.ctx) && toad__mcp_step(p->mcp)) (void)take_in(p);
    } while (!rest(p));
}

void peer_wake(peer *p, unsigned worker) {
    lock(p);
    bool idle = !p->running;
    p->running = true;
    unlock(p);
    if (idle) run(p, worker);
}

/* On the HTTP server's own thread, which has no tools and must not wait: what is there is no request. */
static void drain(peer *p) {
    do (void)take_in(p);
    while (!rest(p));
}

/* ---- readers that leave ---- */

typedef struct reader {
    peer *peer;
    uint64_t stream, attached;
} reader;

/* The HTTP side is through with a request. Who left a request of the stateless era has cancelled it; in a session it is
 * worked on, and its events wait for who comes back. */
static void reader_over(void *ctx, bool early) {
    reader *r = ctx;
    peer *p = r->peer;
    item *left = early && !p->is_session ? new_item(r->stream, toad__str(NULL, 0), toad__str(NULL, 0)) : NULL;
    bool idle = false;
    lock(p);
    stream *s = find_stream(p, r->stream);
    if (s && s->attached == r->attached) {
        if (s->request && early) http_reply_problem(s->request, 503, NULL);
        if (early) s->request = NULL;
        end_events(s);
    }
    p->used = toad__now_ms();
    if (left) {
        left->kind = ITEM_LEFT;
        p->left = true;
        post(p, left);
        idle = !p->running;
        p->running = true;
    }
    unlock(p);
    if (idle) drain(p);
    peer_release(p);
    free(r);
}

/* Watch the request that `s` is answered through. False: it is gone already. */
static bool attach(peer *p, stream *s, http_request *r) {
    reader *watcher = malloc(sizeof *watcher);
    if (!watcher) return false;
    s->attached = ++p->attachments;
    *watcher = (reader){ p, s->id, s->attached };
    p->holders++;
    if (http_on_over(r, reader_over, watcher)) return true;
    p->holders--;
    free(watcher);
    return false;
}

/* ---- in ---- */

/* With the lock held: may another message come in? */
static bool has_room(const peer *p, size_t n) {
    return !p->ended && p->items_n < PEER_INBOX && p->items_bytes + n <= PEER_HELD + TOAD__RPC_MESSAGE_MAX;
}

void peer_request(peer *p, http_request *r, toad_str version, unsigned worker) {
    toad_str body = http_body(r);
    item *i = new_item(0, version, body);
    lock(p);
    stream *s = i && has_room(p, body.n) ? new_stream(p) : NULL;
    bool idle = s && !p->running, watched;
    if (s) p->running = true; /* before the reader can leave: its thread must find the peer at work */
    watched = s && attach(p, s, r);
    if (watched) {
        s->request = r;
        i->stream = s->id;
        post(p, i);
        p->used = toad__now_ms();
    } else if (s) {
        drop_stream(p, s);
        if (idle) p->running = false;
    }
    bool ended = p->ended;
    unlock(p);
    if (!watched) {
        free(i);
        http_reply_problem(r, ended ? 404 : 503, NULL);
    }
    if (watched && idle) run(p, worker);
}

void peer_message(peer *p, http_request *r, toad_str version, unsigned worker) {
    toad_str body = http_body(r);
    item *i = new_item(0, version, body);
    http_answer accepted = { 202, NULL, { NULL, 0 }, NULL, 0 };
    lock(p);
    bool room = i && has_room(p, body.n), idle = room && !p->running, ended = p->ended;
    if (room) {
        post(p, i);
        p->running = true;
        p->used = toad__now_ms();
    }
    unlock(p);
    if (room) {
        http_reply(r, &accepted);
    } else {
        free(i);
        http_reply_problem(r, ended ? 404 : 503, NULL);
    }
    if (idle) run(p, worker);
}

/* "STREAM-EVENT" */
static bool read_event_id(toad_str text, uint64_t *stream_id, uint64_t *number) {
    uint64_t n[2] = { 0, 0 };
    size_t part = 0, digits = 0;
    for (size_t i = 0; i < text.n; i++) {
        if (text.p[i] == '-' && !part && digits) {
            part = 1;
            digits = 0;
        } else if (!toad__is_digit((unsigned char)text.p[i]) || ++digits > 18) {
            return false;
        } else {
            n[part] = n[part] * 10 + (uint64_t)(text.p[i] - '0');
        }
    }
    *stream_id = n[0];
    *number = n[1];
    return part && digits;
}

void peer_listen(peer *p, http_request *r, toad_str last) {
    uint64_t id = 0, number = 0;
    bool resumes = last.n > 0, known = !resumes || read_event_id(last, &id, &number);
    lock(p);
    stream *s = !known || p->ended ? NULL : resumes ? find_stream(p, id) : general_stream(p);
    if (!resumes && !s && !p->ended && (s = new_stream(p))) s->general = true;
    if (resumes && s && (!s->was_stream || number < s->lost || number > s->number)) s = NULL;
    bool ok = s && attach(p, s, r);
    if (ok) {
        end_events(s);
        s->was_stream = true;
        if (!resumes) number = s->number;
        s->http = open_events(p, s, r);
        for (const event *e = s->first; e; e = e->next)
            if (e->number > number) (void)http_stream_write(s->http, toad__str(e->bytes, e->n));
        if (s->done) end_events(s);
        p->used = toad__now_ms();
    }
    bool ended = p->ended;
    unlock(p);
    if (!ok)
        http_reply_problem(r,
                           ended     ? 404
                           : resumes ? 400
                                     : 503,
                           resumes ? "nothing is kept for this Last-Event-ID" : NULL);
}

bool peer_tell(peer *p, toad__mcp_change what, toad_str uri) {
    item *i = new_item(0, toad__str(NULL, 0), uri);
    if (!i) return false;
    i->kind = ITEM_CHANGE;
    i->change = what;
    lock(p);
    bool room = has_room(p, 0), idle = room && !p->running;
    if (room) post(p, i);
    unlock(p);
    if (!room) free(i);
    return idle;
}

/* ---- life ---- */

static bool name_session(peer *p) {
    unsigned char random[PEER_SESSION / 2 + 6];
    if (!toad__random(random, sizeof random)) return false;
    toad__hex(p->session, random, PEER_SESSION / 2);
    if (p->agent[0]) return true;
    memcpy(p->agent, "mcp_", 4);
    toad__hex(p->agent + 4, random + PEER_SESSION / 2, 6);
    return true;
}

toad_status peer_new(const toad__mcp_server *server, const peer_host *host, bool session, toad_str principal,
                     toad_str agent, peer **ret) {
    peer *p = calloc(1, sizeof *p);
    if (!p) return TOAD_E_NOMEM;
    p->server = *server;
    p->host = *host;
    p->holders = 1;
    p->is_session = session;
    p->last = &p->first;
    p->used = toad__now_ms();
    memcpy(p->principal, principal.p, principal.n < HTTP_PRINCIPAL_MAX ? principal.n : HTTP_PRINCIPAL_MAX);
    memcpy(p->agent, agent.n ? agent.p : "", agent.n < sizeof p->agent ? agent.n : sizeof p->agent - 1);
    p->server.wire = p;
    p->server.emit = emit;
    p->server.poll = poll_inbox;
    p->server.tell = tell_all;
    p->server.shared = !session;
    p->server.principal = toad__str_z(p->principal);
    pthread_mutex_init(&p->lock, NULL);
    toad_status status = session && !name_session(p) ? TOAD_E_RANDOM : toad__mcp_new(&p->server, &p->mcp);
    if (status)
        peer_release(p);
    else
        *ret = p;
    return status;
}

void peer_hold(peer *p) {
    lock(p);
    p->holders++;
    unlock(p);
}

void peer_release(peer *p) {
    lock(p);
    bool last = !--p->holders;
    unlock(p);
    if (!last) return;
    toad__mcp_free(p->mcp);
    while (p->first) {
        item *i = p->first;
        p->first = i->next;
        free(i);
    }
    while (p->streams) drop_stream(p, p->streams);
    pthread_mutex_destroy(&p->lock);
    free(p);
}

void peer_end(peer *p) {
    lock(p);
    bool idle = !p->running && !p->ended;
    p->ended = true;
    p->running = true;
    unlock(p);
    if (idle) finish(p);
}

bool peer_opened(peer *p) { return p->mcp && toad__mcp_agreed(p->mcp) != TOAD__MCP_NO_VERSION; }

bool peer_is_over(peer *p) {
    lock(p);
    bool over = !p->is_session && !p->running && (!p->streams_n || p->left);
    unlock(p);
    return over;
}

int64_t peer_used(peer *p) {
    lock(p);
    int64_t used = p->running && !p->ended ? INT64_MAX : p->used;
    for (const stream *s = p->streams; s; s = s->next)
        if (s->http || s->request) used = INT64_MAX;
    unlock(p);
    return used;
}
