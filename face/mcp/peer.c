/* peer.c - the actor and its streams.
 *
 * Two locks are never held together but in this order: the peer's, then the HTTP server's (inside its functions). The
 * engine runs without a lock; what it emits takes the peer's lock for as long as the bytes are queued. The HTTP server
 * tells of a reader that left without holding a lock. */
#include "face/mcp/peer.h"

#include "lib/base/hex.h"
#include "lib/base/random.h"
#include "lib/base/str.h"
#include "sys/clock.h"

#include <assert.h>
#include <stdlib.h>

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

struct peer {
    struct peer_links links;
    toad__mcp_server server;
    peer_host host;
    toad__mcp *mcp;
    pthread_mutex_t lock;
    size_t holders;
    bool running, ended, left;
    char principal[HTTP_PRINCIPAL_MAX + 1], agent[64];
    item *first, **last;
    size_t items_n, items_bytes;
    mcp_streams streams;
    int64_t used;
};

struct peer_links *peer_links(peer *p) {
    return &p->links;
}
static bool is_session(const peer *p) { return *p->streams.session; }
bool peer_is_session(const peer *p) { return is_session(p); }
bool peer_answers_to(const peer *p, toad_str session, toad_str principal) {
    return mcp_streams_are_of(&p->streams, session) && toad__str_eq(toad__str_z(p->principal), principal);
}

static void lock(peer *p) { pthread_mutex_lock(&p->lock); }
static void unlock(peer *p) { pthread_mutex_unlock(&p->lock); }

static void emit(void *wire, const toad__mcp_out *out) {
    peer *p = wire;
    lock(p);
    p->streams.primed = is_session(p) && toad__mcp_agreed(p->mcp) >= TOAD__MCP_2025_11_25;
    (void)mcp_streams_emit(&p->streams, out->stream, out->kind, out->http, out->message);
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
    mcp_streams_refuse(&p->streams, 503, p->ended ? NULL : "out of memory");
    unlock(p);
}

/* End the engine: what listens is answered, what else is open is closed. */
static void finish(peer *p) {
    toad__mcp_free(p->mcp);
    p->mcp = NULL;
    lock(p);
    mcp_streams_refuse(&p->streams, 404, "the session has ended");
    unlock(p);
}

/* Is there nothing more to do? Then another thread may find the peer idle. With the inbox empty and the engine at rest,
 * what has no answer never gets one: it was cancelled, or memory was short. */
static bool rest(peer *p) {
    lock(p);
    bool ended = p->ended, idle = ended || !p->first;
    if (idle && !ended && !toad__mcp_busy(p->mcp)) mcp_streams_end_unanswered(&p->streams);
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
    item *left = early && !is_session(p) ? new_item(r->stream, toad__str(NULL, 0), toad__str(NULL, 0)) : NULL;
    bool idle = false;
    lock(p);
    mcp_streams_reader_over(&p->streams, r->stream, r->attached, early);
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
static bool attach(peer *p, mcp_stream *s, http_request *r) {
    reader *watcher = malloc(sizeof *watcher);
    if (!watcher) return false;
    uint64_t number = mcp_streams_next_reader(&p->streams);
    *watcher = (reader){ p, mcp_stream_id(s), number };
    if (!http_on_over(r, reader_over, watcher)) return free(watcher), false; /* who listened before still does */
    p->holders++;
    mcp_stream_attach(s, number);
    return true;
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
    mcp_stream *s = i && has_room(p, body.n) ? mcp_streams_add(&p->streams, 1) : NULL;
    bool idle = s && !p->running, watched;
    if (s) p->running = true; /* before the reader can leave: its thread must find the peer at work */
    watched = s && attach(p, s, r);
    if (watched) {
        mcp_stream_answers(s, r);
        i->stream = mcp_stream_id(s);
        post(p, i);
        p->used = toad__now_ms();
    } else if (s) {
        mcp_streams_drop(&p->streams, s);
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

void peer_listen(peer *p, http_request *r, toad_str last) {
    uint64_t from = 0;
    lock(p);
    bool ended = p->ended;
    mcp_stream *s = ended ? NULL : mcp_streams_for_get(&p->streams, last, &from);
    bool ok = s && attach(p, s, r);
    if (ok) mcp_stream_listen(&p->streams, s, r, from);
    if (ok) p->used = toad__now_ms();
    unlock(p);
    if (ok) return;
    if (ended)
        http_reply_problem(r, 404, NULL);
    else
        http_reply_problem(r, last.n ? 400 : 503, last.n ? "nothing is kept for this Last-Event-ID" : NULL);
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
    unsigned char random[6];
    if (!mcp_streams_name(&p->streams) || !toad__random(random, sizeof random)) return false;
    if (p->agent[0]) return true;
    memcpy(p->agent, "mcp_", 4);
    toad__hex(p->agent + 4, random, sizeof random);
    return true;
}

toad_status peer_new(const toad__mcp_server *server, const peer_host *host, bool session, toad_str principal,
                     toad_str agent, peer **ret) {
    peer *p = calloc(1, sizeof *p);
    if (!p) return TOAD_E_NOMEM;
    p->server = *server;
    p->host = *host;
    p->holders = 1;
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
    assert(p->holders);
    bool last = !--p->holders;
    unlock(p);
    if (!last) return;
    toad__mcp_free(p->mcp);
    while (p->first) {
        item *i = p->first;
        p->first = i->next;
        free(i);
    }
    mcp_streams_free(&p->streams);
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
    bool over = !is_session(p) && !p->running && (!p->streams.n || p->left);
    unlock(p);
    return over;
}

int64_t peer_used(peer *p) {
    lock(p);
    bool busy = (p->running && !p->ended) || mcp_streams_used(&p->streams);
    int64_t used = busy ? INT64_MAX : p->used;
    unlock(p);
    return used;
}
