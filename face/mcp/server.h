/* server.h - Toadstone as an MCP server: its tools and prompts over the operations of app/, for any transport.
 *
 * The caller is always a model (host.by): no tool answers a confirmation, releases content, or changes a setting or a
 * policy. */
#ifndef TOAD_FACE_MCP_SERVER_H
#define TOAD_FACE_MCP_SERVER_H

#include "app/act/action.h"
#include "face/mcp/spent.h"
#include "proto/mcp.h"

typedef struct mcp_tools mcp_tools;

typedef struct mcp_settings {
    const toad_engine *engine;
    const toad__config *config;
    const char *store;          /* NULL: the user's own; opened when first needed */
    toad_str session;           /* id of the agent's session; empty: one of this process */
    toad__action_policy policy; /* of check_action */
    mcp_spent *spent;           /* request states that were used; NULL: those of these tools alone */
} mcp_settings;

/* What the settings point to is borrowed. Errors: TOAD_E_NOMEM, TOAD_E_RANDOM. */
toad_status mcp_tools_new(const mcp_settings *settings, mcp_tools **ret);
/* The server as the protocol wants it; lives as long as the tools. The transport's members are to be filled in. */
toad__mcp_server mcp_tools_server(mcp_tools *tools);
/* Work for this session of an agent from now on; `session` is borrowed. */
void mcp_tools_bind(mcp_tools *tools, toad_str session);
void mcp_tools_free(mcp_tools *tools); /* NULL is a no-op */

#endif
