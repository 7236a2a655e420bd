/* proxy_stub.h - a proxy between two scripted peers: what goes out is kept, what says EVIL is blocked, what says ASK is
 * asked about, a tool named "forbidden" may not be called and one named "doubtful" is asked about. */
#ifndef TOAD_TESTS_MCP_PROXY_STUB_H
#define TOAD_TESTS_MCP_PROXY_STUB_H

#include "proto/proxy.h"

typedef struct stub {
    toad__proxy *proxy;
    int64_t now;
    void (*look)(struct stub *s, const toad__proxy_out *out); /* may be NULL */
    void *ctx;
    char *log; /* of all that went out: "c" or "s", a blank, the message, a line feed */
    size_t log_n;
    bool quiet; /* keep no log */
} stub;

toad_status stub_open(stub *s,
                      const toad__proxy_options *more); /* more: NULL, or options whose callbacks are set here */
void stub_close(stub *s);
void stub_client(stub *s, const char *message);
void stub_server(stub *s, const char *message);
/* What went out since the last call; valid until the next. */
const char *stub_take(stub *s);

#endif
