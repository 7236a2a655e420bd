/* pool.h - tools for a server with several threads: one set each, made when its thread first needs it, since a scanner
 * and a store belong to one thread. They share what must be known once: which request states were used. */
#ifndef TOAD_FACE_MCP_POOL_H
#define TOAD_FACE_MCP_POOL_H

#include "face/mcp/server.h"

typedef struct mcp_pool mcp_pool;

/* What the settings point to is borrowed. Errors: TOAD_E_NOMEM, TOAD_E_RANDOM. */
toad_status mcp_pool_new(const mcp_settings *settings, unsigned workers, mcp_pool **ret);
/* The server as the protocol wants it, without a ctx. */
toad__mcp_server mcp_pool_server(mcp_pool *pool);
/* The tools of a worker, for its own thread, working for the agent's session; NULL: out of memory. */
void *mcp_pool_enter(void *pool, unsigned worker, toad_str agent);
void mcp_pool_free(mcp_pool *pool); /* NULL is a no-op */

#endif
