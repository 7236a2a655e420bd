/* mcp_http.h - what streamable HTTP says about MCP besides the messages: headers that mirror the body, and which era a
 * request belongs to. No input or output: a face, and the client side of a proxy, hand in what they got.
 *
 * Source: modelcontextprotocol.io, transports, 2025-03-26 to 2026-07-28; header mirroring is SEP-2243. */
#ifndef TOAD_PROTO_MCP_HTTP_H
#define TOAD_PROTO_MCP_HTTP_H

#include "proto/mcp.h"

#define TOAD__MCP_PARAMS_MAX 64 /* arguments of one tool that are mirrored */

/* Append `value` as a header takes it: as it is, or as =?base64?...?= where it is not visible ASCII or has blanks at an
 * end. */
void toad__mcp_header_encode(toad__buf *out, toad_str value);
/* Append what a header's value means; false where its base64 is broken. */
bool toad__mcp_header_decode(toad__buf *out, toad_str value);

/* What Mcp-Name must say: the tool, prompt, URI or task of the request; p NULL where its method has no name. */
toad_str toad__mcp_name_of(const toad__rpc *rpc);

/* Call `each` with the name behind "Mcp-Param-" and the value for each argument that the schema wants mirrored; the
 * value is NULL where there is none. False from it stops. True: it never did, and the schema's wishes are valid ones
 * (else the tool must be dropped). */
bool toad__mcp_each_param(const toad__json *schema, const toad__json *arguments,
                          bool (*each)(void *ctx, toad_str name, const toad__json *value), void *ctx);

/* The headers of a request; p NULL: not sent. `param` looks up one by its full name. */
typedef struct toad__mcp_headers {
    toad_str version, method, name, session, accept, content_type;
    toad_str (*param)(void *ctx, const char *name);
    void *ctx;
} toad__mcp_headers;

typedef enum toad__mcp_era { TOAD__MCP_MODERN, TOAD__MCP_HELLO, TOAD__MCP_SESSION } toad__mcp_era;

/* Why a request is refused before an engine sees it. */
typedef struct toad__mcp_refusal {
    int http; /* 0: it is not */
    int code; /* of the JSON-RPC error, or 0: a plain answer */
    const char *why;
} toad__mcp_refusal;

/* Can this client read what a POST (a GET, `events` only) is answered with, and does it send JSON? */
bool toad__mcp_media_fit(const toad__mcp_headers *h, bool events, toad__mcp_refusal *ret);
/* The era that a message belongs to: a session's first one, one of a session, or one by itself. */
toad__mcp_era toad__mcp_era_of(const toad__rpc *rpc, const toad__mcp_headers *h);
/* Do the headers of a request or notification by itself say what its body says? */
bool toad__mcp_mirrors(const toad__mcp_server *server, const toad__rpc *rpc, const toad__mcp_headers *h,
                       toad__mcp_refusal *ret);

#endif
