/* headers.h - what the MCP engine is to know of an HTTP request: read alike by the server and the proxy. */
#ifndef TOAD_FACE_MCP_HEADERS_H
#define TOAD_FACE_MCP_HEADERS_H

#include "face/http/server.h"
#include "proto/mcp_http.h"

/* Slices of the request, as long as it lives. */
toad__mcp_headers mcp_headers_of(http_request *r);

#endif
