/* mcp_refuse.c - see mcp_refuse.h. */
#include "face/cli/mcp_refuse.h"

#include "face/cli/args.h"
#include "face/cli/out.h"
#include "face/proxy/lines.h"
#include "lib/base/str.h"

#include <poll.h>
#include <signal.h>
#include <unistd.h>

typedef struct refusal {
    proxy_sink out;
    bool gone; /* nobody reads */
} refusal;

static void refuse(refusal *r, const toad__json *id) {
    toad__buf b;
    toad__buf_init(&b, 1u << 16);
    toad__rpc_add_error(&b, id, TOAD__RPC_INTERNAL, cli_said(), toad__str(NULL, 0));
    if (b.status || !proxy_sink_line(&r->out, toad__buf_str(&b))) r->gone = true;
    toad__buf_free(&b);
}

static void take_line(void *ctx, toad_str line) {
    toad__arena arena;
    toad__rpc rpc;
    toad__arena_init(&arena, TOAD__RPC_ARENA_MAX);
    if (toad__rpc_read(line, &arena, &rpc) ? rpc.id != NULL : rpc.kind == TOAD__RPC_REQUEST) refuse(ctx, rpc.id);
    toad__arena_free(&arena);
}

static void take_too_long(void *ctx, toad_str id) {
    (void)ctx;
    (void)id; /* no client begins with one */
}

int cli_mcp_refuse(void) {
    refusal r = { .gone = false };
    proxy_lines in;
    if (isatty(STDIN_FILENO)) return EXIT_ERROR;
    static const int ends[] = { SIGTERM, SIGINT, SIGHUP }; /* which the proxy may have caught already */
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) signal(ends[i], SIG_DFL);
    signal(SIGPIPE, SIG_IGN);
    proxy_sink_init(&r.out, STDOUT_FILENO);
    proxy_lines_init(&in, TOAD__RPC_MESSAGE_MAX);
    in.ctx = &r;
    in.line = take_line;
    in.too_long = take_too_long;
    struct pollfd input = { .fd = STDIN_FILENO, .events = POLLIN };
    do poll(&input, 1, -1);
    while (proxy_lines_read(&in, STDIN_FILENO) && !r.gone);
    proxy_lines_free(&in);
    proxy_sink_free(&r.out);
    return EXIT_ERROR;
}
