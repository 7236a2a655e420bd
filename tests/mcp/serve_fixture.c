/* The fixture server for public test clients: on standard input and output, or over HTTP through the program's own
 * face.
 *
 * usage: mcp_fixture [http PORT [TOKEN[,TOKEN] [SECONDS]]]: PORT 0 is any free one; it is printed. SECONDS is how long
 * a head, and a body, may take. Ends when its input does. */
#include "face/mcp/http.h"
#include "face/mcp/spent.h"
#include "face/mcp/stdio.h"
#include "lib/base/str.h"
#include "tests/mcp/fixture.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static mcp_spent *spent;

static int64_t now(void *ctx) {
    (void)ctx;
    return (int64_t)time(NULL);
}

static bool spend(void *ctx, toad_str mark) { return mcp_spend(spent, mark, now(ctx)); }

static bool add_tokens(http_guard *guard, const char *tokens) {
    bool ok = true;
    for (size_t n; ok && *tokens; tokens += n + (tokens[n] == ',')) {
        n = strcspn(tokens, ",");
        ok = http_guard_add_token(guard, toad__str(tokens, n));
    }
    return ok;
}

static int serve_http(const toad__mcp_server *server, int argc, char **argv) {
    unsigned seconds = argc > 4 ? (unsigned)atoi(argv[4]) : 0;
    mcp_http_settings settings = {
        .server = *server, .port = (uint16_t)atoi(argv[2]), .head_s = seconds, .body_s = seconds
    };
    mcp_http *face;
    char why[256], rest[256];
    struct pollfd in = { .fd = 0, .events = POLLIN };
    if (argc > 3 && !add_tokens(&settings.guard, argv[3])) return 2;
    if (mcp_http_new(&settings, &face, why)) {
        fprintf(stderr, "%s\n", why);
        return 1;
    }
    printf("%u\n", (unsigned)mcp_http_port(face));
    fflush(stdout);
    while (poll(&in, 1, 1000) <= 0 || read(0, rest, sizeof rest) > 0) mcp_http_tick(face);
    mcp_http_free(face);
    return 0;
}

int main(int argc, char **argv) {
    toad__mcp_server server = fixture_server();
    signal(SIGPIPE, SIG_IGN);
    if (mcp_spent_new(&spent)) return 1;
    server.now = now;
    server.spend = spend;
    if (argc > 2 && !strcmp(argv[1], "http")) return serve_http(&server, argc, argv);
    return mcp_serve_stdio(&server, 0, 1) != TOAD_OK;
}
