/* spent.c - a ring of marks, oldest first; looked through from end to end, since users answer rarely. */
#include "face/mcp/spent.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct mcp_spent {
    pthread_mutex_t lock;
    size_t first, n;
    struct {
        unsigned char mark[MCP_SPENT_MARK];
        int64_t at;
    } ring[MCP_SPENT_MAX];
};

toad_status mcp_spent_new(mcp_spent **ret) {
    mcp_spent *s = calloc(1, sizeof *s);
    if (!s) return TOAD_E_NOMEM;
    pthread_mutex_init(&s->lock, NULL);
    *ret = s;
    return TOAD_OK;
}

static bool take(mcp_spent *s, const char *mark, int64_t now_s) {
    while (s->n && s->ring[s->first].at + MCP_SPENT_S < now_s) {
        s->first = (s->first + 1) % MCP_SPENT_MAX;
        s->n--;
    }
    for (size_t i = 0; i < s->n; i++)
        if (!memcmp(s->ring[(s->first + i) % MCP_SPENT_MAX].mark, mark, MCP_SPENT_MARK)) return false;
    if (s->n == MCP_SPENT_MAX) return false;
    size_t at = (s->first + s->n++) % MCP_SPENT_MAX;
    memcpy(s->ring[at].mark, mark, MCP_SPENT_MARK);
    s->ring[at].at = now_s;
    return true;
}

bool mcp_spend(mcp_spent *s, toad_str mark, int64_t now_s) {
    if (mark.n != MCP_SPENT_MARK) return false;
    pthread_mutex_lock(&s->lock);
    bool first = take(s, mark.p, now_s);
    pthread_mutex_unlock(&s->lock);
    return first;
}

void mcp_spent_free(mcp_spent *s) {
    if (!s) return;
    pthread_mutex_destroy(&s->lock);
    free(s);
}
