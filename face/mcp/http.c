/* http.c - the path /mcp: the peer that answers what comes through the door (face/mcp_http/door.h).
 *
 * A request of the stateless era gets a peer of its own for as long as it lasts; a session keeps one. Both are in one
 * list, so that changes reach all that listen and the end reaches everybody. A session that belongs to another
 * principal does not exist. Lock order: the face's, then a peer's. */
#include "face/mcp/http.h"

#include "face/mcp/peer.h"
#include "face/mcp_http/door.h"
#include "lib/base/hex.h"
#include "lib/base/random.h"
#include "lib/base/str.h"
#include "sys/clock.h"
#include "sys/digest.h"

#include <stdio.h>
#include <stdlib.h>

#define PATH     "/mcp"
#define METADATA "/.well-known/oauth-protected-resource"
#define REQUESTS 1024  /* of the stateless era, at once: most of them listen */
#define YOUNG_MS 60000 /* a session younger than this is not ended to make room */

struct mcp_http {
    mcp_http_settings settings;
    peer_host host;
    http_server *server;
    pthread_mutex_t lock;
    peer *peers, *ready;
    size_t sessions_n, requests_n;
    unsigned char key[32];
};

static void lock(mcp_http *f) { pthread_mutex_lock(&f->lock); }
static void unlock(mcp_http *f) { pthread_mutex_unlock(&f->lock); }

/* ---- the list of peers ---- */

/* With the lock held; the list holds it. */
static void list_peer(mcp_http *f, peer *p) {
    struct peer_links *links = peer_links(p);
    peer_hold(p);
    links->next = f->peers;
    if (f->peers) peer_links(f->peers)->prev = p;
    f->peers = p;
    links->listed = true;
    *(peer_is_session(p) ? &f->sessions_n : &f->requests_n) += 1;
}

static bool unlist_peer(mcp_http *f, peer *p) {
    struct peer_links *links = peer_links(p);
    lock(f);
    bool listed = links->listed;
    if (listed) {
        if (links->prev)
            peer_links(links->prev)->next = links->next;
        else
            f->peers = links->next;
        if (links->next) peer_links(links->next)->prev = links->prev;
        links->listed = false;
        *(peer_is_session(p) ? &f->sessions_n : &f->requests_n) -= 1;
    }
    unlock(f);
    if (listed) peer_release(p);
    return listed;
}

/* Held for the caller, or NULL. */
static void *find_session(void *ctx, toad_str id, toad_str principal) {
    mcp_http *f = ctx;
    lock(f);
    peer *p = f->peers;
    while (p && !peer_answers_to(p, id, principal)) p = peer_links(p)->next;
    if (p) peer_hold(p);
    unlock(f);
    return p;
}

/* The peer that was used least recently, of those not used since `before`; held, or NULL. */
static peer *find_idle(mcp_http *f, int64_t before) {
    peer *found = NULL;
    int64_t least = before;
    lock(f);
    for (peer *p = f->peers; p; p = peer_links(p)->next) {
        int64_t used = peer_is_session(p) ? peer_used(p) : peer_is_over(p) ? 0 : INT64_MAX;
        if (used >= least) continue;
        least = used;
        found = p;
    }
    if (found) peer_hold(found);
    unlock(f);
    return found;
}

static bool end_idle(mcp_http *f, int64_t before) {
    peer *p = find_idle(f, before);
    if (!p) return false;
    unlist_peer(f, p);
    peer_end(p);
    peer_release(p);
    return true;
}

void mcp_http_tick(mcp_http *f) {
    while (end_idle(f, toad__now_ms() - (int64_t)f->settings.idle_s * 1000)) continue;
}

size_t mcp_http_sessions(mcp_http *f) {
    lock(f);
    size_t n = f->sessions_n;
    unlock(f);
    return n;
}

/* ---- changes ---- */

/* Each peer gets the notice into its inbox; who is idle is worked off by the thread that is here, when it is done. */
static void changed(void *ctx, toad__mcp_change what, toad_str uri) {
    mcp_http *f = ctx;
    lock(f);
    for (peer *p = f->peers; p; p = peer_links(p)->next) {
        struct peer_links *links = peer_links(p);
        if (!peer_tell(p, what, uri) || links->ready) continue;
        peer_hold(p);
        links->ready = true;
        links->next_ready = f->ready;
        f->ready = p;
    }
    unlock(f);
}

static void run_ready(mcp_http *f, unsigned worker) {
    for (;;) {
        lock(f);
        peer *p = f->ready;
        if (p) {
            f->ready = peer_links(p)->next_ready;
            peer_links(p)->ready = false;
        }
        unlock(f);
        if (!p) return;
        peer_wake(p, worker);
        peer_release(p);
    }
}

/* ---- POST ---- */

/* The agent's session behind a principal's requests of the stateless era: they cannot be told apart, so that what one
 * has read counts for all. */
static void name_agent(const mcp_http *f, toad_str principal, char out[17]) {
    unsigned char mac[TOAD__DIGEST];
    toad__hmac(toad__str(f->key, sizeof f->key), principal, mac);
    memcpy(out, "mcp_", 4);
    toad__hex_z(out + 4, mac, 6);
}

/* Is there room for one more? Then it is made and listed. */
static peer *add_peer(mcp_http *f, http_request *r, bool session) {
    char agent[17] = "";
    peer *p = NULL;
    toad_str principal = http_principal(r);
    while (session && mcp_http_sessions(f) >= f->settings.sessions)
        if (!end_idle(f, toad__now_ms() - YOUNG_MS)) return NULL;
    if (!session) name_agent(f, principal, agent);
    if (peer_new(&f->settings.server, &f->host, session, principal,
                 f->settings.agent.n ? f->settings.agent : toad__str_z(agent), &p))
        return NULL;
    lock(f);
    bool room = session ? f->sessions_n < f->settings.sessions : f->requests_n < REQUESTS;
    if (room) list_peer(f, p);
    unlock(f);
    if (room) return p;
    peer_release(p);
    return NULL;
}

static void answer(mcp_http *f, http_request *r, toad_str version, bool session) {
    unsigned worker = http_worker(r);
    peer *p = add_peer(f, r, session);
    if (!p) {
        http_reply_problem(r, 503, session ? "too many sessions" : "too many requests");
        return;
    }
    peer_request(p, r, version, worker);
    run_ready(f, worker);
    if (session ? !peer_opened(p) : peer_is_over(p)) {
        unlist_peer(f, p);
        if (session) peer_end(p);
    }
    peer_release(p);
}

static void post_alone(void *ctx, http_request *r, const toad__rpc *rpc, toad_str version) {
    if (rpc->kind == TOAD__RPC_REQUEST || rpc->kind == TOAD__RPC_BATCH)
        answer(ctx, r, version, false);
    else
        mcp_door_accepted(r);
}

static void post_hello(void *ctx, http_request *r, const toad__rpc *rpc, toad_str version) {
    (void)rpc;
    answer(ctx, r, version, true);
}

/* Does any message of the batch want an answer? */
static bool wants_answer(const toad__rpc *rpc) {
    if (rpc->kind != TOAD__RPC_BATCH) return rpc->kind == TOAD__RPC_REQUEST;
    for (const toad__json *i = rpc->root->child; i; i = i->next)
        if (toad__json_get(i, "method") && toad__json_get(i, "id")) return true;
    return !rpc->root->child;
}

static void post_in_session(void *ctx, void *session, http_request *r, const toad__rpc *rpc, toad_str version) {
    unsigned worker = http_worker(r);
    (wants_answer(rpc) ? peer_request : peer_message)(session, r, version, worker);
    run_ready(ctx, worker);
    peer_release(session);
}

/* ---- GET and DELETE ---- */

static void get(void *ctx, void *session, http_request *r, toad_str last_event_id) {
    (void)ctx;
    peer_listen(session, r, last_event_id);
    peer_release(session);
}

static void end(void *ctx, void *session, http_request *r) {
    const http_answer done = { .status = 204 };
    bool first = unlist_peer(ctx, session);
    peer_end(session);
    peer_release(session);
    if (first)
        http_reply(r, &done);
    else
        http_reply_problem(r, 404, NULL);
}

static void handle(void *ctx, http_request *r) {
    mcp_http *f = ctx;
    const mcp_door door = {
        &f->settings.server, find_session, post_in_session, get, end, post_hello, post_alone,
    };
    mcp_door_open(&door, f, r);
}

/* RFC 9728: what a client without a token is pointed to. The host is one of ours. */
static void metadata(void *ctx, http_request *r) {
    toad__buf b;
    (void)ctx;
    toad__buf_init(&b, 4096);
    toad__buf_add_z(&b, "{\"resource\":");
    toad__buf url;
    toad__buf_init(&url, 1024);
    toad__buf_add_z(&url, "http://");
    toad__buf_add_str(&url, http_header(r, "host"));
    toad__buf_add_z(&url, PATH);
    toad__json_add_str(&b, toad__buf_str(&url));
    toad__buf_add_z(&b, ",\"resource_name\":\"Toadstone\",\"bearer_methods_supported\":[\"header\"]}");
    http_answer answer = { 200, "application/json", toad__buf_str(&b), NULL, 0 };
    http_reply(r, &answer);
    toad__buf_free(&url);
    toad__buf_free(&b);
}

/* ---- life ---- */

static const http_route routes[] = {
    { "POST", PATH, TOAD__RPC_MESSAGE_MAX, 0, handle },
    { "GET", PATH, 0, 0, handle },
    { "DELETE", PATH, 0, 0, handle },
    { "GET", METADATA, 0, HTTP_OPEN, metadata },
    { "GET", METADATA PATH, 0, HTTP_OPEN, metadata },
};

static toad_status start(mcp_http *f, char why[256]) {
    const mcp_http_settings *s = &f->settings;
    http_settings http = { .address = s->address,
                           .port = s->port,
                           .guard = &s->guard,
                           .routes = routes,
                           .routes_n = sizeof routes / sizeof *routes,
                           .ctx = f,
                           .metadata = METADATA PATH,
                           .workers = s->workers,
                           .connections = 1024,
                           .head_s = s->head_s,
                           .body_s = s->body_s };
    return http_server_new(&http, &f->server, why);
}

toad_status mcp_http_new(const mcp_http_settings *settings, mcp_http **ret, char why[256]) {
    if (settings->address && !http_is_loopback(settings->address) && !settings->guard.tokens_n) {
        snprintf(
            why, 256,
            "others can reach %.100s: give your clients a token (--token-file or TOAD_TOKEN), or serve on 127.0.0.1",
            settings->address);
        return TOAD_E_ARG;
    }
    mcp_http *f = calloc(1, sizeof *f);
    snprintf(why, 256, "out of memory");
    if (!f) return TOAD_E_NOMEM;
    f->settings = *settings;
    if (!f->settings.workers) f->settings.workers = 4;
    if (!f->settings.sessions) f->settings.sessions = 256;
    if (!f->settings.idle_s) f->settings.idle_s = 1800;
    f->host = (peer_host){ settings->enter, settings->ctx, changed, f };
    pthread_mutex_init(&f->lock, NULL);
    toad_status status = toad__random(f->key, sizeof f->key) ? TOAD_OK : TOAD_E_RANDOM;
    f->settings.server.key = toad__str(f->key, sizeof f->key);
    if (!status) status = start(f, why);
    if (status)
        mcp_http_free(f);
    else
        *ret = f;
    return status;
}

uint16_t mcp_http_port(const mcp_http *f) { return http_server_port(f->server); }

void mcp_http_free(mcp_http *f) {
    if (!f) return;
    if (f->server) http_server_quiesce(f->server);
    for (;;) {
        lock(f);
        peer *p = f->peers;
        if (p) peer_hold(p);
        unlock(f);
        if (!p) break;
        unlist_peer(f, p);
        peer_end(p);
        peer_release(p);
    }
    if (f->server) (void)http_server_drained(f->server, 2000);
    http_server_free(f->server);
    run_ready(f, 0);
    pthread_mutex_destroy(&f->lock);
    free(f);
}
