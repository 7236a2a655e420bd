/* The fixture server for public test clients: on standard input and output, or, with "http", behind tests/mcp/http.mjs.
 *
 * There each line in is `STREAM VERSION MESSAGE` (VERSION: the header's, or -) or `STREAM !` (the stream is gone), each
 * line out `STREAM KIND HTTP MESSAGE`: what an HTTP face hands to the engine and gets from it. "shared": many clients
 * on one engine. */
#include "face/mcp/stdio.h"
#include "lib/base/str.h"
#include "tests/mcp/fixture.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

static void print_line(void *wire, const bzr__mcp_out *out) {
    FILE *f = wire;
    fprintf(f, "%llu %c %d %.*s\n", (unsigned long long)out->stream, "ANR"[out->kind], out -> http,
            (int)out -> message.n, out->message.p);
    fflush(f);
}

static void push_line(bzr__mcp *mcp, char *line, size_t n) {
    char *end;
    uint64_t stream = strtoull(line, &end, 10);
    char *version = end + 1;
    size_t version_n = strcspn(version, " \n");
    if (*version == '!') {
        bzr__mcp_cancel_stream(mcp, stream);
        return;
    }
    char *message = version + version_n + 1;
    bzr__mcp_push(mcp, stream, *version == '-' ? bzr__str(NULL, 0) : bzr__str(version, version_n),
                  bzr__str(message, n - (size_t)(message - line)));
    while (bzr__mcp_step(mcp)) continue;
}

static int serve_http(bzr__mcp_server *server) {
    bzr__mcp *mcp;
    char *line = NULL;
    size_t size = 0;
    server->wire = stdout;
    server->emit = print_line;
    if (bzr__mcp_new(server, &mcp)) return 1;
    for (ssize_t n; (n = getline(&line, &size, stdin)) > 0;) push_line(mcp, line, (size_t)n);
    bzr__mcp_free(mcp);
    free(line);
    return 0;
}

int main(int argc, char **argv) {
    bzr__mcp_server server = fixture_server();
    signal(SIGPIPE, SIG_IGN);
    server.shared = argc > 2 && !strcmp(argv[2], "shared");
    if (argc > 1 && !strcmp(argv[1], "http")) return serve_http(&server);
    return mcp_serve_stdio(&server, 0, 1) != BZR_OK;
}
