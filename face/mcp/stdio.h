/* stdio.h - an MCP server on two file descriptors: one message a line each way. */
#ifndef BZR_FACE_MCP_STDIO_H
#define BZR_FACE_MCP_STDIO_H

#include "proto/mcp.h"

/* Serve until the input ends or nobody reads the output; both are BZR_OK. `server` gets its wire here. SIGPIPE must be
 * ignored. Errors: BZR_E_NOMEM, BZR_E_RANDOM, BZR_E_IO (with errno). */
bzr_status mcp_serve_stdio(bzr__mcp_server *server, int in, int out);

#endif
