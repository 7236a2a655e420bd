/* peer.h - one protocol engine behind HTTP: a legacy session, or one request of the stateless era.
 *
 * A peer is an actor: what is for its engine goes into its inbox, and the thread that finds it idle works it off, so
 * that an engine is used by one thread at a time and a slow call holds up its own session only. What the engine emits
 * goes to the HTTP answer of the message it belongs to: whole, where the answer is all there is, else as a stream of
 * events. See streams.h. */
#ifndef TOAD_FACE_MCP_PEER_H
#define TOAD_FACE_MCP_PEER_H

#include "face/http/server.h"
#include "face/mcp_http/streams.h"
#include "proto/mcp.h"

#include <pthread.h>

#define PEER_INBOX 64                 /* messages */
#define PEER_HELD  ((size_t)32 << 20) /* bytes of them */

typedef struct peer peer;

/* What a peer needs of the face it belongs to. */
typedef struct peer_host {
    void *(*enter)(void *tools, unsigned worker, toad_str agent);
    void *tools;
    void (*changed)(void *face, toad__mcp_change what, toad_str uri);
    void *face;
} peer_host;

/* A peer with one hold on it. `session` 0: a request of the stateless era. Errors: TOAD_E_NOMEM, TOAD_E_RANDOM. */
toad_status peer_new(const toad__mcp_server *server, const peer_host *host, bool session, toad_str principal,
                     toad_str agent, peer **ret);
void peer_hold(peer *p);
void peer_release(peer *p);

/* Take a request and answer it through `r`; work off the inbox, unless another thread does. `worker` is this thread's.
 * A peer that takes no more answers with 503. */
void peer_request(peer *p, http_request *r, toad_str version, unsigned worker);
/* Take what gets no answer of its own: 202, then work. */
void peer_message(peer *p, http_request *r, toad_str version, unsigned worker);
/* Attach a GET's stream: to the stream that `last` (Last-Event-ID) names, or, empty, to what belongs to no request. */
void peer_listen(peer *p, http_request *r, toad_str last);
/* Put a notice of a change into the inbox; true: nobody works it off, so somebody has to call peer_wake. */
bool peer_tell(peer *p, toad__mcp_change what, toad_str uri);
/* Work off the inbox, unless another thread does. */
void peer_wake(peer *p, unsigned worker);
/* No more; open streams end, with their answers where what listens gets one. */
void peer_end(peer *p);

/* ---- what the face keeps it under ---- */
bool peer_is_session(const peer *p);
bool peer_answers_to(const peer *p, toad_str session, toad_str principal);
bool peer_opened(peer *p);  /* a session that agreed on a revision */
bool peer_is_over(peer *p); /* a request that was answered, or left */
/* When it was used last (milliseconds, monotonic); INT64_MAX while somebody waits or listens. */
int64_t peer_used(peer *p);

struct peer_links { /* the face's */
    peer *next, *prev;
    bool listed, ready;
    peer *next_ready;
};
struct peer_links *peer_links(peer *p);

#endif
