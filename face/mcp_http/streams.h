/* streams.h - the answers and events of one MCP session over HTTP, or of requests that belong to none: of the server as
 * of the proxy.
 *
 * A stream is the answer to one message (a POST), or what belongs to no message (the general one, for a GET). It is
 * sent whole where the answer is all there is, else as events. In a session events are numbered and kept for a while:
 * who lost a stream gets the rest of that one, and what nobody has listened to yet waits for the first who does.
 *
 * Nothing here locks: all of one mcp_streams is its owner's, who answers for it that one thread is in it at a time.
 * Cost: linear in the streams, which are few, and in the bytes. */
#ifndef TOAD_FACE_MCP_HTTP_STREAMS_H
#define TOAD_FACE_MCP_HTTP_STREAMS_H

#include "face/http/server.h"
#include "proto/mcp.h"

#define MCP_SESSION_ID 32                /* digits */
#define MCP_KEPT       ((size_t)1 << 20) /* bytes of events kept for who comes back */
#define MCP_STREAMS    128               /* of a session */

typedef struct mcp_stream mcp_stream;

typedef struct mcp_streams {
    char session[MCP_SESSION_ID + 1]; /* its id; "": of none, so nothing is numbered or kept */
    bool primed; /* the first event of a stream has no data, only its id; before 2025-11-25 clients take that for a
                    message */
    mcp_stream *first;
    size_t n, kept;
    uint64_t made, attachments;
} mcp_streams;

/* A new session's id, a secret. False: there is no chance to be had. */
bool mcp_streams_name(mcp_streams *all);
/* In constant time for ids of the right length. */
bool mcp_streams_are_of(const mcp_streams *all, toad_str session);
void mcp_streams_free(mcp_streams *all);

/* A stream that `answers` answers are to come on, or the general one. NULL: too many, or no memory. */
mcp_stream *mcp_streams_add(mcp_streams *all, size_t answers);
mcp_stream *mcp_streams_find(mcp_streams *all, uint64_t id);
void mcp_streams_drop(mcp_streams *all, mcp_stream *s);
uint64_t mcp_stream_id(const mcp_stream *s);
/* A number that tells the next reader from those before; it counts as the stream's once attached. */
uint64_t mcp_streams_next_reader(mcp_streams *all);
void mcp_stream_attach(mcp_stream *s, uint64_t reader);
/* What is sent on it from now on answers `r`: a POST. */
void mcp_stream_answers(mcp_stream *s, http_request *r);

/* The stream that a GET is for, and behind which event it goes on: that which `last` (Last-Event-ID) names, or, empty,
 * the general one. NULL: nothing is kept for it, or there is no room. */
mcp_stream *mcp_streams_for_get(mcp_streams *all, toad_str last, uint64_t *ret_from);
/* Send it to `r` from now on, what was kept of it first. */
void mcp_stream_listen(mcp_streams *all, mcp_stream *s, http_request *r, uint64_t from);

/* What the engine, or the proxy's machine, says. True: it was the last answer of its stream. */
bool mcp_streams_emit(mcp_streams *all, uint64_t stream, toad__mcp_out_kind kind, int http, toad_str message);
/* The reader `attached` of a stream is through with it; `early`: it left. */
void mcp_streams_reader_over(mcp_streams *all, uint64_t stream, uint64_t attached, bool early);
/* Whoever waits is refused, whoever listens hears no more. `detail` may be NULL. */
void mcp_streams_refuse(mcp_streams *all, int status, const char *detail);
/* What has no answer yet never gets one. */
void mcp_streams_end_unanswered(mcp_streams *all);
/* Does anybody wait or listen? */
bool mcp_streams_used(const mcp_streams *all);

#endif
