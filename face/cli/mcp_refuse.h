/* mcp_refuse.h - an MCP server that cannot do its work says so to its client. */
#ifndef TOAD_FACE_CLI_MCP_REFUSE_H
#define TOAD_FACE_CLI_MCP_REFUSE_H

/* Answer each request on standard input with an error that holds what cli_error and cli_hint have said so far, until
 * the input ends: a client shows that to its user, while standard error goes to a log that nobody opens. Nothing else
 * is served. On a terminal it was said already. Returns the exit status. */
int cli_mcp_refuse(void);

#endif
