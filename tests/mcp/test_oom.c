/* test_oom.c - the MCP engine under an allocation that fails: the first, the second, ... until none does.
 *
 * It must not crash or leak (LeakSanitizer watches in the sanitizer build), what it sends must stay whole messages, and
 * with the next message it must work again. malloc, calloc and realloc are wrapped at link time. */
#include "lib/base/str.h"
#include "tests/mcp/fixture.h"
#include "tests/support/fail_alloc.h"

#include <stdio.h>
#include <stdlib.h>

static unsigned long answers;

#define META                                                                                           \
    "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\",\"io.modelcontextprotocol/" \
    "clientCapabilities\":{\"elicitation\":{}}}"
#define R(id, method, params) "{\"jsonrpc\":\"2.0\",\"id\":" #id ",\"method\":\"" method "\",\"params\":{" params "}}"

static const char *const modern[] = {
    R(1, "server/discover", META),
    R(2, "tools/list", META),
    R(3, "tools/call", "\"name\":\"test_structured\"," META),
    R(4, "tools/call", "\"name\":\"test_input_required_result_request_state\"," META),
    R(5, "tools/call", "\"name\":\"test_input_required_result_request_state\",\"requestState\":\"00\"," META),
    R(6, "subscriptions/listen",
      "\"notifications\":{\"toolsListChanged\":true,\"resourceSubscriptions\":[\"a\"]}," META),
    R(7, "tools/call", "\"name\":\"test_trigger_tool_change\"," META),
    R(8, "resources/read", "\"uri\":\"test://no\\u0041\"," META),
    NULL,
};
static const char *const session[] = {
    R(0, "initialize", "\"protocolVersion\":\"2025-11-25\",\"capabilities\":{\"elicitation\":{}}"),
    R(1, "tools/call", "\"name\":\"test_elicitation\""),
    "{\"jsonrpc\":\"2.0\",\"id\":\"toadstone-1\",\"result\":{\"action\":\"accept\"}}",
    R(2, "tools/call", "\"name\":\"test_tool_with_progress\",\"_meta\":{\"progressToken\":\"\\u0041\"}"),
    R(3, "resources/subscribe", "\"uri\":\"test://watched-resource\""),
    R(4, "tools/call", "\"name\":\"test_trigger_prompt_change\""),
    R(5, "prompts/get", "\"name\":\"test_prompt_with_arguments\",\"arguments\":{\"arg1\":\"a\",\"arg2\":\"b\"}"),
    R(6, "completion/complete", "\"ref\":{\"type\":\"ref/prompt\"},\"argument\":{\"name\":\"a\",\"value\":\"\"}"),
    R(7, "tools/call", "\"name\":\"test_elicitation\""),
    NULL,
};
static const char *const batch[] = {
    R(0, "initialize", "\"protocolVersion\":\"2025-03-26\",\"capabilities\":{}"),
    "[" R(1, "ping", "") "," R(2, "tools/list", "") "," R(3, "resources/read",
                                                          "\"uri\":\"test://template/1/data\"") "]",
    NULL,
};
static const char *const *const scripts[] = { modern, session, batch };

static void look(void *wire, const toad__mcp_out *out) {
    long saved = countdown;
    toad__arena arena;
    toad__rpc rpc;
    (void)wire;
    if (out->kind == TOAD__MCP_PAUSE) return;
    countdown = -1;
    toad__arena_init(&arena, TOAD__RPC_ARENA_MAX);
    if (toad__rpc_read(out->message, &arena, &rpc)) abort();
    toad__arena_free(&arena);
    answers += out->kind == TOAD__MCP_ANSWER;
    countdown = saved;
}

static void run(const char *const *lines, long fail_at) {
    toad__mcp_server server = fixture_server();
    toad__mcp *mcp;
    server.emit = look;
    countdown = fail_at;
    if (!toad__mcp_new(&server, &mcp)) {
        for (; *lines; lines++) {
            toad__mcp_push(mcp, 1, toad__str(NULL, 0), toad__str_z(*lines));
            while (toad__mcp_step(mcp)) continue;
        }
        countdown = -1;
        unsigned long before = answers;
        toad__mcp_push(mcp, 1, toad__str(NULL, 0), TOAD__S(R(99, "server/discover", META)));
        if (answers != before + 1) abort();
        toad__mcp_free(mcp);
    }
    countdown = -1;
}

int main(void) {
    for (size_t i = 0; i < sizeof scripts / sizeof *scripts; i++)
        for (long at = 0;; at++) {
            unsigned long before = failures;
            run(scripts[i], at);
            if (failures == before) break;
        }
    printf("%lu allocations failed\n", failures);
    return failures < 100;
}
