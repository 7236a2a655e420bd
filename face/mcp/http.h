/* http.h - an MCP server over streamable HTTP, both eras on the one path /mcp (docs/mcp.md has the rules and limits).
 */
#ifndef TOAD_FACE_MCP_HTTP_H
#define TOAD_FACE_MCP_HTTP_H

#include "face/http/guard.h"
#include "proto/mcp.h"

typedef struct mcp_http mcp_http;

typedef struct mcp_http_settings {
    toad__mcp_server server; /* wire, emit, poll, tell, key and principal are set here */
    /* What handlers get as call->ctx on this worker's thread, for the agent's session `agent`; NULL: out of memory, the
     * call is refused. `enter` NULL: server.ctx, for all. */
    void *(*enter)(void *ctx, unsigned worker, toad_str agent);
    void *ctx;
    toad_str agent;      /* id of the agent's session for all clients; empty: one for each session, or principal */
    const char *address; /* NULL: 127.0.0.1 */
    uint16_t port;
    http_guard guard;
    unsigned workers;        /* 0: 4 */
    size_t sessions;         /* 0: 256 */
    unsigned idle_s;         /* a session that nobody used for so long ends; 0: 1800 */
    unsigned head_s, body_s; /* as in http_settings */
} mcp_http_settings;

/* Serve. An address that others can reach needs a token (TOAD_E_ARG). `why` (256 bytes) says what failed. Errors: those
 * of http_server_new, TOAD_E_RANDOM. */
toad_status mcp_http_new(const mcp_http_settings *settings, mcp_http **ret, char why[256]);
uint16_t mcp_http_port(const mcp_http *face);
/* End sessions that are idle; to be called now and then. */
void mcp_http_tick(mcp_http *face);
size_t mcp_http_sessions(mcp_http *face);
/* Answer what is being worked on, end what listens, stop. NULL is a no-op. */
void mcp_http_free(mcp_http *face);

#endif
