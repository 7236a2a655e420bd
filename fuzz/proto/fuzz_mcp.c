/* A hostile peer to the MCP engine: each line of the input is one message (a line "!" ends a stream, "?" does one
 * request). Whatever it sends, every message back is one line of JSON with the members JSON-RPC wants, every request is
 * answered at most once, and all memory is given back. */
#include "fuzz/fuzz.h"
#include "lib/base/str.h"
#include "tests/mcp/fixture.h"
#include "tests/support/exact.h"

typedef struct seen {
    size_t pushed, answers;
} seen;

static void look(void *ctx, const toad__mcp_out *out) {
    seen *s = ctx;
    toad__arena arena;
    toad__rpc rpc;
    if (out->kind == TOAD__MCP_PAUSE) return;
    toad__arena_init(&arena, TOAD__MCP_OUT_MAX);
    MUST(!memchr(out->message.p, '\n', out->message.n));
    MUST(!toad__rpc_read(out->message, &arena, &rpc));
    if (rpc.kind == TOAD__RPC_RESULT || rpc.kind == TOAD__RPC_ERROR)
        s->answers++;
    else if (rpc.kind == TOAD__RPC_BATCH)
        for (const toad__json *item = rpc.root->child; item; item = item->next, s->answers++)
            MUST(toad__json_get(item, "id"));
    MUST((out->kind == TOAD__MCP_REQUEST) == (rpc.kind == TOAD__RPC_REQUEST));
    MUST((out->kind == TOAD__MCP_NOTIFICATION) == (rpc.kind == TOAD__RPC_NOTIFICATION));
    toad__arena_free(&arena);
}

/* Items a line can be answered with: its objects, and one for itself. */
static size_t items(toad_str line) {
    size_t n = 1;
    for (size_t i = 0; i < line.n; i++) n += line.p[i] == ',' || line.p[i] == '[';
    return n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    seen s = { 0 };
    toad__mcp_server server = fixture_server();
    toad__mcp *mcp;
    toad_str in = toad__str(data, size);
    server.wire = &s;
    server.emit = look;
    server.page = size % 5;
    server.key = TOAD__S("0123456789abcdef0123456789abcdef");
    MUST(!toad__mcp_new(&server, &mcp));
    for (size_t at = 0, end; at < in.n; at = end + 1) {
        end = toad__str_find(in, TOAD__S("\n"), at);
        toad_str line = toad__str_part(in, at, end);
        if (toad__str_eq(line, TOAD__S("!"))) {
            toad__mcp_cancel_stream(mcp, 1);
        } else if (toad__str_eq(line, TOAD__S("?"))) {
            toad__mcp_step(mcp);
        } else {
            char *copy = exact_dup(line.p, line.n);
            s.pushed += items(line);
            toad__mcp_push(mcp, 1 + s.pushed % 2, toad__str(NULL, 0), toad__str(copy, line.n));
            free(copy);
        }
        MUST(s.answers <= s.pushed);
    }
    while (toad__mcp_step(mcp)) continue;
    toad__mcp_free(mcp);
    MUST(s.answers <= s.pushed);
    return 0;
}
