/* mcp_http.h - what streamable HTTP says about MCP besides the messages: headers that mirror the body, and which era a
 * request belongs to. No input or output: a face, and the client side of a proxy, hand in what they got.
 *
 * Source: modelcontextprotocol.io, transports, 2025-03-26 to 2026-07-28; header mirroring is SEP-2243. */
#ifndef BZR_PROTO_MCP_HTTP_H
#define BZR_PROTO_MCP_HTTP_H

#include "proto/mcp.h"

#define BZR__MCP_PARAMS_MAX 64 /* arguments of one tool that are mirrored */

/* Append `value` as a header takes it: as it is, or as =?base64?...?= where it is not visible ASCII or has blanks at an
 * end. */
void bzr__mcp_header_encode(bzr__buf *out, bzr_str value);
/* Append what a header's value means; false where its base64 is broken. */
bool bzr__mcp_header_decode(bzr__buf *out, bzr_str value);

/* What Mcp-Name must say: the tool, prompt, URI or task of the request; p NULL where its method has no name. */
bzr_str bzr__mcp_name_of(const bzr__rpc *rpc);

/* Call `each` with the name behind "Mcp-Param-" and the value for each argument that the schema wants mirrored; the
 * value is NULL where there is none. False from it stops. True: it never did, and the schema's wishes are valid ones
 * (else the tool must be dropped). */
bool bzr__mcp_each_param(const bzr__json *schema, const bzr__json *arguments,
                         bool (*each)(void *ctx, bzr_str name, const bzr__json *value), void *ctx);

/* The headers of a request; p NULL: not sent. `param` looks up one by its full name. */
typedef struct bzr__mcp_headers {
    bzr_str version, method, name, session, accept, content_type;
    bzr_str (*param)(void *ctx, const char *name);
    void *ctx;
} bzr__mcp_headers;

typedef enum bzr__mcp_era { BZR__MCP_MODERN, BZR__MCP_HELLO, BZR__MCP_SESSION } bzr__mcp_era;

/* Why a request is refused before an engine sees it. */
typedef struct bzr__mcp_refusal {
    int http; /* 0: it is not */
    int code; /* of the JSON-RPC error, or 0: a plain answer */
    const char *why;
} bzr__mcp_refusal;

/* Can this client read what a POST (a GET, `events` only) is answered with, and does it send JSON? */
bool bzr__mcp_media_fit(const bzr__mcp_headers *h, bool events, bzr__mcp_refusal *ret);
/* The era that a message belongs to: a session's first one, one of a session, or one by itself. */
bzr__mcp_era bzr__mcp_era_of(const bzr__rpc *rpc, const bzr__mcp_headers *h);
/* Do the headers of a request or notification by itself say what its body says? */
bool bzr__mcp_mirrors(const bzr__mcp_server *server, const bzr__rpc *rpc, const bzr__mcp_headers *h,
                      bzr__mcp_refusal *ret);

#endif
