/* spent.h - which request states were used: an answer of the user counts once (proto/mcp_state.c).
 *
 * A state is signed with a key of this process and lives 15 minutes, so that it is enough to remember it for as long,
 * in memory. When too many are remembered, none is accepted. Thread rule: any thread. */
#ifndef TOAD_FACE_MCP_SPENT_H
#define TOAD_FACE_MCP_SPENT_H

#include "toadstone/types.h"

#define MCP_SPENT_MAX  4096
#define MCP_SPENT_MARK 16   /* bytes */
#define MCP_SPENT_S    1000 /* seconds; longer than a state lives */

typedef struct mcp_spent mcp_spent;

toad_status mcp_spent_new(mcp_spent **ret); /* Errors: TOAD_E_NOMEM */
/* True the first time for a mark. */
bool mcp_spend(mcp_spent *spent, toad_str mark, int64_t now_s);
void mcp_spent_free(mcp_spent *spent); /* NULL is a no-op */

#endif
