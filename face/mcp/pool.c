/* pool.c - a set of tools for each worker, at the place of its number: no two threads touch the same. */
#include "face/mcp/pool.h"

#include <stdlib.h>

struct mcp_pool {
    mcp_settings settings;
    unsigned workers;
    mcp_tools *tools[];
};

toad_status mcp_pool_new(const mcp_settings *settings, unsigned workers, mcp_pool **ret) {
    mcp_pool *pool = calloc(1, sizeof *pool + workers * sizeof *pool->tools);
    if (!pool) return TOAD_E_NOMEM;
    pool->settings = *settings;
    pool->workers = workers;
    toad_status status = mcp_spent_new(&pool->settings.spent);
    if (!status) status = mcp_tools_new(&pool->settings, &pool->tools[0]);
    if (status)
        mcp_pool_free(pool);
    else
        *ret = pool;
    return status;
}

toad__mcp_server mcp_pool_server(mcp_pool *pool) {
    toad__mcp_server server = mcp_tools_server(pool->tools[0]);
    server.ctx = NULL;
    return server;
}

void *mcp_pool_enter(void *ctx, unsigned worker, toad_str agent) {
    mcp_pool *pool = ctx;
    if (!pool->tools[worker] && mcp_tools_new(&pool->settings, &pool->tools[worker])) return NULL;
    mcp_tools_bind(pool->tools[worker], agent);
    return pool->tools[worker];
}

void mcp_pool_free(mcp_pool *pool) {
    if (!pool) return;
    for (unsigned i = 0; i < pool->workers; i++) mcp_tools_free(pool->tools[i]);
    mcp_spent_free(pool->settings.spent);
    free(pool);
}
