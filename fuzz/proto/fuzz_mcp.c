/* A hostile peer to the MCP engine: each line of the input is one message (a line "!" ends a stream, "?" does one
 * request). Whatever it sends, every message back is one line of JSON with the members JSON-RPC wants, every request is
 * answered at most once, and all memory is given back. */
#include "lib/base/str.h"
#include "tests/mcp/fixture.h"
#include "tests/support/exact.h"

#define MUST(x)            \
    do {                   \
        if (!(x)) abort(); \
    } while (0)

typedef struct seen {
    size_t pushed, answers;
} seen;

static void look(void *ctx, const bzr__mcp_out *out) {
    seen *s = ctx;
    bzr__arena arena;
    bzr__rpc rpc;
    if (out->kind == BZR__MCP_PAUSE) return;
    bzr__arena_init(&arena, BZR__MCP_OUT_MAX);
    MUST(!memchr(out->message.p, '\n', out->message.n));
    MUST(!bzr__rpc_read(out->message, &arena, &rpc));
    if (rpc.kind == BZR__RPC_RESULT || rpc.kind == BZR__RPC_ERROR)
        s->answers++;
    else if (rpc.kind == BZR__RPC_BATCH)
        for (const bzr__json *item = rpc.root->child; item; item = item->next, s->answers++)
            MUST(bzr__json_get(item, "id"));
    MUST((out->kind == BZR__MCP_REQUEST) == (rpc.kind == BZR__RPC_REQUEST));
    MUST((out->kind == BZR__MCP_NOTIFICATION) == (rpc.kind == BZR__RPC_NOTIFICATION));
    bzr__arena_free(&arena);
}

/* Items a line can be answered with: its objects, and one for itself. */
static size_t items(bzr_str line) {
    size_t n = 1;
    for (size_t i = 0; i < line.n; i++) n += line.p[i] == ',' || line.p[i] == '[';
    return n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    seen s = { 0 };
    bzr__mcp_server server = fixture_server();
    bzr__mcp *mcp;
    bzr_str in = bzr__str(data, size);
    server.wire = &s;
    server.emit = look;
    server.page = size % 5;
    server.key = BZR__S("0123456789abcdef0123456789abcdef");
    MUST(!bzr__mcp_new(&server, &mcp));
    for (size_t at = 0, end; at < in.n; at = end + 1) {
        end = bzr__str_find(in, BZR__S("\n"), at);
        bzr_str line = bzr__str_part(in, at, end);
        if (bzr__str_eq(line, BZR__S("!"))) {
            bzr__mcp_cancel_stream(mcp, 1);
        } else if (bzr__str_eq(line, BZR__S("?"))) {
            bzr__mcp_step(mcp);
        } else {
            char *copy = exact_dup(line.p, line.n);
            s.pushed += items(line);
            bzr__mcp_push(mcp, 1 + s.pushed % 2, bzr__str(NULL, 0), bzr__str(copy, line.n));
            free(copy);
        }
        MUST(s.answers <= s.pushed);
    }
    while (bzr__mcp_step(mcp)) continue;
    bzr__mcp_free(mcp);
    MUST(s.answers <= s.pushed);
    return 0;
}
