/* door.h - what an HTTP request is to MCP, for the server as for the proxy: which era it belongs to, whose session it
 * names, and all that is refused before an engine sees it, by rules without input or output (proto/mcp_http.h). */
#ifndef TOAD_FACE_MCP_HTTP_DOOR_H
#define TOAD_FACE_MCP_HTTP_DOOR_H

#include "face/http/server.h"
#include "proto/mcp_http.h"

/* Whoever is behind the door. Each of these answers the request, at once or later. */
typedef struct mcp_door {
    const toad__mcp_server *mirrored; /* whose tools say which arguments stand in headers, too */
    /* The session of this id and principal, which the call below takes over; NULL: there is none. */
    void *(*find)(void *ctx, toad_str id, toad_str principal);
    void (*post)(void *ctx, void *session, http_request *r, const toad__rpc *rpc, toad_str version);
    void (*get)(void *ctx, void *session, http_request *r, toad_str last_event_id);
    void (*end)(void *ctx, void *session, http_request *r);
    /* A message of no session: the first of one, or one of the stateless era. */
    void (*hello)(void *ctx, http_request *r, const toad__rpc *rpc, toad_str version);
    void (*alone)(void *ctx, http_request *r, const toad__rpc *rpc, toad_str version);
} mcp_door;

/* A POST, GET or DELETE. */
void mcp_door_open(const mcp_door *door, void *ctx, http_request *r);
/* 202: it gets no answer of its own. */
void mcp_door_accepted(http_request *r);

#endif
