/* stdio.h - an MCP server on two file descriptors: one message a line each way. */
#ifndef TOAD_FACE_MCP_STDIO_H
#define TOAD_FACE_MCP_STDIO_H

#include "proto/mcp.h"

/* Serve until the input ends or nobody reads the output; both are TOAD_OK. `server` gets its wire here. SIGPIPE must be
 * ignored. Errors: TOAD_E_NOMEM, TOAD_E_RANDOM, TOAD_E_IO (with errno). */
toad_status mcp_serve_stdio(toad__mcp_server *server, int in, int out);

#endif
