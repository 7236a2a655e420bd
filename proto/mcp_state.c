/* mcp_state.c - what a handler carries over a round of 2026-07-28: see seal.h.
 *
 * The body is expiry (8 bytes), a random mark (16) and the state. That it is used once is the server's matter (spend):
 * only something that outlives the process can know. */
#include "lib/base/random.h"
#include "proto/mcp_internal.h"
#include "proto/seal.h"

#define HEAD 24
#define LIFE 900 /* seconds */

_Static_assert(HEAD + TOAD__MCP_STATE_MAX <= TOAD__SEAL_MOST, "a state fits into a seal");

static int64_t now(const toad__mcp *mcp) { return mcp->server->now ? mcp->server->now(mcp->server->ctx) : 0; }

static toad__seal seal_of(const toad__mcp *mcp, const mcp_entry *entry) {
    return (toad__seal){
        .key = mcp->key, .method = entry->rpc.method, .principal = mcp->server->principal, .params = entry->rpc.params
    };
}

bool mcp_seal(toad__mcp *mcp, const mcp_entry *entry, toad_str state, toad__buf *out) {
    unsigned char body[HEAD + TOAD__MCP_STATE_MAX];
    uint64_t end = (uint64_t)(now(mcp) + LIFE);
    toad__seal seal = seal_of(mcp, entry);
    if (state.n > TOAD__MCP_STATE_MAX || !toad__random(body + 8, 16)) return false;
    for (int i = 0; i < 8; i++) body[i] = (unsigned char)(end >> (56 - 8 * i));
    if (state.n) memcpy(body + HEAD, state.p, state.n);
    return toad__seal_close(&seal, toad__str(body, HEAD + state.n), out);
}

/* It is used up by answers, not by asking what was asked. */
static bool is_answered(const mcp_entry *entry) {
    const toad__json *answers = toad__json_get(entry->rpc.params, "inputResponses");
    return answers && answers->child;
}

bool mcp_unseal(toad__mcp *mcp, mcp_entry *entry, toad_str sealed, toad_str *ret) {
    unsigned char body[HEAD + TOAD__MCP_STATE_MAX];
    toad__seal seal = seal_of(mcp, entry);
    uint64_t end = 0;
    size_t n;
    if (!toad__seal_open(&seal, sealed, sizeof body, body, &n) || n < HEAD) return false;
    for (int i = 0; i < 8; i++) end = end << 8 | body[i];
    if (mcp->server->now && (uint64_t)now(mcp) > end) return false;
    if (is_answered(entry) && mcp->server->spend && !mcp->server->spend(mcp->server->ctx, toad__str(body + 8, 16)))
        return false;
    *ret = toad__arena_dup(&entry->own, toad__str(body + HEAD, n - HEAD));
    return ret->p != NULL;
}
