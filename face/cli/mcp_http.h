/* mcp_http.h - `toadstone mcp --http`: the address, the tokens, and the time until a signal ends it. */
#ifndef TOAD_FACE_CLI_MCP_HTTP_H
#define TOAD_FACE_CLI_MCP_HTTP_H

#include "face/cli/args.h"
#include "face/http/guard.h"
#include "face/mcp/server.h"

/* Serve until SIGINT or SIGTERM. The exit status. */
int cli_serve_mcp_http(const args *a, const mcp_settings *settings);

/* Where --http says to listen, and who may speak there. False after a message. */
bool cli_read_http(const args *a, char address[64], uint16_t *port, http_guard *guard);

#endif
