/* test_proxy_oom.c - the proxy under an allocation that fails: the first, the second, ... until none does.
 *
 * It must not crash or leak (LeakSanitizer watches in the sanitizer build), what it sends must be whole messages, what
 * is blocked must stay so, and nobody must wait once the server is gone. */
#include "lib/base/str.h"
#include "tests/mcp/proxy_stub.h"
#include "tests/support/fail_alloc.h"

#include <stdio.h>
#include <stdlib.h>

#define META                                                                                           \
    "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\",\"io.modelcontextprotocol/" \
    "clientCapabilities\":{\"elicitation\":{}}}"
#define HELLO \
    "{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{},\"serverInfo\":{\"name\":\"s\",\"version\":\"1\"}}"

/* "c": the client says it, "s": the server. */
static const char *const legacy[] = {
    "c{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"2025-11-25\","
    "\"capabilities\":{\"elicitation\":{}},\"clientInfo\":{}}}",
    "s{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":" HELLO "}",
    "c{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}",
    "c{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/"
    "call\",\"params\":{\"name\":\"doubtful\",\"_meta\":{\"progressToken\":1}}}",
    "c{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"action\":\"accept\"}}",
    "s{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{\"progressToken\":1}}",
    "s{\"jsonrpc\":\"2.0\",\"id\":\"q\",\"method\":\"elicitation/create\",\"params\":{\"message\":\"hi\"}}",
    "s{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"content\":\"EVIL\"},\"x\":1}",
    "c{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"action\":\"accept\"}}",
    "c{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/call\",\"params\":{\"name\":\"a\"}}",
    "s{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{\"content\":\"ASK\"}}",
    NULL,
};
static const char *const cross[] = {
    "c{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\",\"params\":{" META "}}",
    "c{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/call\",\"params\":{\"name\":\"a\"," META "}}",
    "s{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32601,\"message\":\"no\"}}",
    "s{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":" HELLO "}",
    "s{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{\"tools\":[]}}",
    "s{\"jsonrpc\":\"2.0\",\"id\":\"q\",\"method\":\"elicitation/create\",\"params\":{\"message\":\"hi\"}}",
    "c{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"subscriptions/"
    "listen\",\"params\":{\"notifications\":{\"toolsListChanged\":true,\"resourceSubscriptions\":[\"a\"]}," META "}}",
    "s{\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}",
    "s{\"jsonrpc\":\"2.0\",\"id\":4,\"result\":{\"content\":\"EVIL\"}}",
    NULL,
};
static const char *const back[] = {
    "c{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"2025-11-25\","
    "\"capabilities\":{\"elicitation\":{}},\"clientInfo\":{}}}",
    "s{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32601,\"message\":\"no\"}}",
    "s{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"resultType\":\"complete\",\"capabilities\":{}}}",
    "c{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}",
    "c{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"resources/subscribe\",\"params\":{\"uri\":\"a\"}}",
    "c{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/call\",\"params\":{\"name\":\"a\"}}",
    "s{\"jsonrpc\":\"2.0\",\"id\":5,\"result\":{\"resultType\":\"input_required\",\"inputRequests\":{\"k\":{\"method\":"
    "\"elicitation/create\",\"params\":{\"mode\":\"form\"}}},\"requestState\":\"q\"}}",
    "c{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"action\":\"decline\"}}",
    "s{\"jsonrpc\":\"2.0\",\"id\":6,\"result\":{\"resultType\":\"complete\",\"content\":\"EVIL\"}}",
    NULL,
};
static const char *const *const scripts[] = { legacy, cross, back };

static void look(stub *s, const toad__proxy_out *out) {
    long saved = countdown;
    toad__arena arena;
    toad__rpc rpc;
    (void)s;
    countdown = -1;
    toad__arena_init(&arena, TOAD__RPC_ARENA_MAX);
    if (toad__rpc_read(out->message, &arena, &rpc)) abort();
    if (!out->to_server && toad__str_find(out->message, TOAD__S("EVIL"), 0) < out->message.n) abort();
    toad__arena_free(&arena);
    countdown = saved;
}

static void run(const char *const *script, long fail_at) {
    stub s = { .look = look, .quiet = true };
    countdown = fail_at;
    if (!stub_open(&s, NULL)) {
        for (size_t i = 0; script[i]; i++) {
            toad_str message = toad__str_z(script[i] + 1);
            if (script[i][0] == 'c')
                toad__proxy_from_client(s.proxy, 1, toad__str(NULL, 0), message);
            else
                toad__proxy_from_server(s.proxy, 0, 0, message);
        }
        s.now = 2 * TOAD__PROXY_ASK_LIFE;
        toad__proxy_tick(s.proxy);
        toad__proxy_server_gone(s.proxy, "gone");
        if (toad__proxy_in_flight(s.proxy)) abort();
    }
    countdown = -1;
    stub_close(&s);
}

int main(void) {
    for (size_t i = 0; i < sizeof scripts / sizeof *scripts; i++) {
        unsigned long before;
        long at = 0;
        do {
            before = failures;
            run(scripts[i], at++);
        } while (failures != before);
        printf("script %zu: %ld allocations\n", i, at - 1);
    }
    return 0;
}
