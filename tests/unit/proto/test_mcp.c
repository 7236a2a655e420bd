/* The MCP engine as a peer sees it: messages in, messages out, in each revision. The server is the conformance suite's
 * fixture. */
#include "lib/base/str.h"
#include "tests/check.h"
#include "tests/mcp/fixture.h"
#include "tests/support/exact.h"

#include <stdio.h>

typedef struct peer {
    toad__mcp_server server;
    toad__mcp *mcp;
    toad__buf out; /* every message that came, one a line */
    int http;      /* of the last answer */
    uint64_t stream;
    const char *during; /* pushed once when a handler reports progress */
    unsigned spent;
} peer;

#define MODERN_META                                                                                    \
    "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\",\"io.modelcontextprotocol/" \
    "clientCapabilities\":{\"elicitation\":{},\"sampling\":{},\"roots\":{}}}"
#define M(id, method, members) \
    "{\"jsonrpc\":\"2.0\",\"id\":" #id ",\"method\":\"" method "\",\"params\":{" members MODERN_META "}}"
#define L(id, method, params) "{\"jsonrpc\":\"2.0\",\"id\":" #id ",\"method\":\"" method "\",\"params\":" params "}"

static void take(void *ctx, const toad__mcp_out *out) {
    peer *p = ctx;
    assert_null(memchr(out->message.p, '\n', out->message.n));
    if (out->kind == TOAD__MCP_ANSWER) p->http = out->http;
    p->stream = out->stream;
    toad__buf_add_str(&p->out, out->message);
    toad__buf_add_c(&p->out, '\n');
}

static void push_line(peer *p, const char *line, const char *header) {
    size_t n = strlen(line);
    char *copy = exact_dup(line, n);
    toad__mcp_push(p->mcp, 7, toad__str_z(header), toad__str(copy, n));
    free(copy);
}

static void poll_peer(void *ctx) {
    peer *p = ctx;
    const char *line = p->during;
    p->during = NULL;
    if (line) push_line(p, line, "");
}

static bool spend_once(void *ctx, toad_str mark) {
    assert_int_equal(mark.n, 16);
    return !((peer *)ctx)->spent++;
}

static peer *meet(void) {
    peer *p = calloc(1, sizeof *p);
    assert_non_null(p);
    p->server = fixture_server();
    p->server.ctx = p;
    p->server.wire = p;
    p->server.emit = take;
    p->server.poll = poll_peer;
    toad__buf_init(&p->out, 64u << 20);
    assert_int_equal(toad__mcp_new(&p->server, &p->mcp), TOAD_OK);
    return p;
}

static void part(peer *p) {
    toad__mcp_free(p->mcp);
    toad__buf_free(&p->out);
    free(p);
}

/* Send one message over HTTP with this version header, do all there is to do; the answer is NUL-terminated. */
static const char *say_with(peer *p, const char *line, const char *header) {
    toad__buf_clear(&p->out);
    push_line(p, line, header);
    while (toad__mcp_step(p->mcp)) continue;
    toad__buf_add_c(&p->out, 0);
    return p->out.p;
}

static const char *say(peer *p, const char *line) { return say_with(p, line, ""); }

static void has_text(const char *text, const char *part_of_it) {
    if (!strstr(text, part_of_it)) print_error("no %s in %s\n", part_of_it, text);
    assert_non_null(strstr(text, part_of_it));
}

static void lacks_text(const char *text, const char *part_of_it) {
    if (strstr(text, part_of_it)) print_error("%s in %s\n", part_of_it, text);
    assert_null(strstr(text, part_of_it));
}

static void says(peer *p, const char *line, const char *want) { has_text(say(p, line), want); }
static void is_silent(peer *p, const char *line) { assert_string_equal(say(p, line), ""); }

static void greet(peer *p, const char *version) {
    char line[512];
    snprintf(line, sizeof line,
             "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"%s\","
             "\"capabilities\":"
             "{\"elicitation\":{},\"sampling\":{},\"roots\":{}},\"clientInfo\":{\"name\":\"t\",\"version\":\"1\"}}}",
             version);
    has_text(say(p, line), "\"result\":{\"protocolVersion\":\"");
    is_silent(p, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}");
}

/* ---- sessions ---- */

static void agrees_on_a_version(void **state) {
    static const char *const rows[][2] = {
        { "2024-11-05", "2024-11-05" }, { "2025-03-26", "2025-03-26" }, { "2025-06-18", "2025-06-18" },
        { "2025-11-25", "2025-11-25" }, { "2026-07-28", "2025-11-25" }, { "1999-01-01", "2025-11-25" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char line[512], want[64];
        peer *p = meet();
        snprintf(line, sizeof line,
                 L(0, "initialize", "{\"protocolVersion\":\"%s\",\"capabilities\":{},\"clientInfo\":{}}"), rows[i][0]);
        snprintf(want, sizeof want, "\"result\":{\"protocolVersion\":\"%s\"", rows[i][1]);
        has_text(say(p, line), want);
        assert_int_equal(strstr(p->out.p, "completions") != NULL, i > 0);
        assert_int_equal(strstr(p->out.p, "\"title\"") != NULL, i > 1);
        says(p, line, "initialize comes once");
        part(p);
    }
}

static void wants_a_greeting_first(void **state) {
    (void)state;
    peer *p = meet();
    says(p, L(1, "tools/list", "{}"), "\"id\":1,\"error\":{\"code\":-32600");
    says(p, L(2, "ping", "{}"), "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}}");
    says(p, L(3, "initialize", "{\"capabilities\":{}}"), "\"code\":-32602");
    says(p, L(4, "initialize", "{\"protocolVersion\":5,\"capabilities\":{}}"), "\"code\":-32602");
    greet(p, "2025-06-18");
    says(p, L(5, "nothing/here", "{}"), "\"code\":-32601");
    says(p, L(6, "server/discover", "{}"), "\"code\":-32602");
    is_silent(p, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/unheard/of\",\"params\":{}}");
    is_silent(p, "{\"jsonrpc\":\"2.0\",\"id\":\"toadstone-1\",\"result\":{}}");
    says(p, "{", "\"id\":null,\"error\":{\"code\":-32700");
    assert_int_equal(p->http, 400);
    assert_int_equal(p->stream, 7);
    part(p);
}

static void shows_each_revision_what_it_knows(void **state) {
    (void)state;
    peer *old = meet(), *middle = meet(), *young = meet();
    greet(old, "2024-11-05");
    greet(middle, "2025-03-26");
    greet(young, "2025-06-18");
    lacks_text(say(old, L(1, "tools/list", "{}")), "annotations");
    lacks_text(old->out.p, "outputSchema");
    lacks_text(old->out.p, "ttlMs");
    says(middle, L(1, "tools/list", "{}"), "\"annotations\":{\"readOnlyHint\":true}");
    lacks_text(middle->out.p, "outputSchema");
    says(young, L(1, "tools/list", "{}"), "\"outputSchema\":{");
    has_text(young->out.p, "\"title\":\"Structured\"");
    lacks_text(say(old, L(2, "tools/call", "{\"name\":\"test_structured\"}")), "structuredContent");
    says(young, L(2, "tools/call", "{\"name\":\"test_structured\"}"),
         "\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"{\\\"n\\\":1}\"}],\"structuredContent\":{\"n\":1},"
         "\"isError\":false}");
    part(old);
    part(middle);
    part(young);
}

static void calls_tools(void **state) {
    (void)state;
    peer *p = meet();
    greet(p, "2025-11-25");
    says(p, L(1, "tools/call", "{\"name\":\"test_simple_text\",\"arguments\":{}}"),
         "\"id\":1,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"This is");
    says(p, L(2, "tools/call", "{\"name\":\"test_error_handling\"}"), "\"isError\":true");
    says(p, L(3, "tools/call", "{\"name\":\"no such \\u202e\"}"),
         "\"error\":{\"code\":-32602,\"message\":\"unknown tool\"}");
    says(p, L(4, "tools/call", "{}"), "\"code\":-32602");
    says(p, L(5, "tools/call", "{\"name\":\"test_simple_text\",\"arguments\":[]}"), "\"code\":-32602");
    says(p, "{\"jsonrpc\":\"2.0\",\"id\":6,\"method\":\"tools/call\"}", "\"code\":-32602");
    says(p, "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tools/list\"}", "\"tools\":[");
    part(p);
}

static void turns_pages(void **state) {
    (void)state;
    peer *p = meet();
    p->server.page = 2;
    greet(p, "2025-11-25");
    has_text(say(p, L(1, "resources/list", "{}")), "\"nextCursor\":\"2\"");
    lacks_text(say(p, L(1, "resources/list", "{\"cursor\":\"2\"}")), "nextCursor");
    has_text(p->out.p, "watched-resource");
    lacks_text(p->out.p, "static");
    says(p, L(2, "prompts/list", "{\"cursor\":\"\"}"), "test_simple_prompt");
    says(p, L(3, "prompts/list", "{\"cursor\":\"4\"}"), "test_input_required_result_prompt");
    lacks_text(p->out.p, "nextCursor");
    says(p, L(4, "prompts/list", "{\"cursor\":\"5\"}"), "\"code\":-32602");
    says(p, L(5, "tools/list", "{\"cursor\":\"x\"}"), "\"code\":-32602");
    says(p, L(6, "tools/list", "{\"cursor\":7}"), "\"code\":-32602");
    says(p, L(7, "tools/list", "{\"cursor\":\"99999999999999999999\"}"), "\"code\":-32602");
    says(p, L(8, "resources/templates/list", "{\"cursor\":\"1\"}"), "\"code\":-32602");
    part(p);
}

static void gives_prompts_and_resources(void **state) {
    (void)state;
    peer *p = meet();
    greet(p, "2025-11-25");
    says(p,
         L(1, "prompts/get",
           "{\"name\":\"test_prompt_with_arguments\",\"arguments\":{\"arg1\":\"a\",\"arg2\":\"\\u202e\"}}"),
         "arg1='a', arg2='\\u202e'");
    says(p, L(2, "prompts/get", "{\"name\":\"test_prompt_with_arguments\",\"arguments\":{\"arg1\":\"a\"}}"),
         "\"code\":-32602");
    says(p, L(3, "prompts/get", "{\"name\":\"test_prompt_with_arguments\",\"arguments\":{\"arg1\":\"a\",\"arg2\":2}}"),
         "\"code\":-32602");
    says(p, L(4, "prompts/get", "{\"name\":\"none\"}"), "unknown prompt");
    says(p, L(5, "resources/read", "{\"uri\":\"test://template/12/data\"}"),
         "{\\\"templateTest\\\":true,\\\"id\\\":\\\"12\\\"}");
    says(p, L(6, "resources/read", "{\"uri\":\"test://\\u202e\"}"),
         "\"error\":{\"code\":-32002,\"message\":\"resource not found\",\"data\":{\"uri\":\"test://\\u202e\"}}");
    says(p, L(7, "resources/read", "{}"), "params.uri");
    says(p,
         L(8, "completion/complete",
           "{\"ref\":{\"type\":\"ref/prompt\",\"name\":\"x\"},\"argument\":{\"name\":\"a\",\"value\":\"par\"}}"),
         "\"completion\":{\"values\":[\"paris\"],\"hasMore\":false}");
    says(p, L(9, "completion/complete", "{\"ref\":{},\"argument\":{}}"), "\"code\":-32602");
    part(p);
}

static void reports_progress_and_logs(void **state) {
    (void)state;
    peer *p = meet();
    greet(p, "2025-11-25");
    says(p, L(1, "tools/call", "{\"name\":\"test_tool_with_progress\",\"_meta\":{\"progressToken\":\"t\\n\"}}"),
         "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/"
         "progress\",\"params\":{\"progressToken\":\"t\\n\",\"progress\":0,\"total\":100,\"message\":\"working\"}}\n");
    has_text(p->out.p, "\"progress\":100");
    lacks_text(say(p, L(2, "tools/call", "{\"name\":\"test_tool_with_progress\"}")), "progress\"");
    says(p, L(3, "tools/call", "{\"name\":\"test_tool_with_logging\"}"), "notifications/message");
    says(p, L(4, "logging/setLevel", "{\"level\":\"warning\"}"), "\"result\":{}");
    lacks_text(say(p, L(5, "tools/call", "{\"name\":\"test_tool_with_logging\"}")), "notifications/message");
    says(p, L(6, "logging/setLevel", "{\"level\":\"loud\"}"), "\"code\":-32602");
    part(p);
}

static void heeds_cancellation(void **state) {
    (void)state;
    peer *p = meet();
    greet(p, "2025-11-25");
    toad__buf_clear(&p->out);
    push_line(p, L(1, "tools/call", "{\"name\":\"test_simple_text\"}"), "");
    push_line(p, L("a", "tools/call", "{\"name\":\"test_simple_text\"}"), "");
    lacks_text(say(p, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":\"a\"}}"),
               "\"id\":\"a\"");
    has_text(p->out.p, "\"id\":1,\"result\"");
    push_line(p, L(1, "tools/call", "{\"name\":\"test_simple_text\"}"), "");
    toad__buf_clear(&p->out);
    is_silent(
        p,
        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":1,\"reason\":\"x\"}}");
    p->during = "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":9}}";
    lacks_text(say(p, L(9, "tools/call", "{\"name\":\"test_tool_with_progress\"}")), "result");
    assert_null(p->during);
    push_line(p, L(2, "tools/call", "{\"name\":\"test_simple_text\"}"), "");
    toad__mcp_cancel_stream(p->mcp, 7);
    is_silent(p, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}");
    part(p);
}

static void subscribes(void **state) {
    (void)state;
    peer *p = meet();
    greet(p, "2025-11-25");
    lacks_text(say(p, L(1, "tools/call", "{\"name\":\"test_trigger_prompt_change\"}")), "resources/updated");
    has_text(p->out.p, "notifications/prompts/list_changed");
    says(p, L(2, "resources/subscribe", "{\"uri\":\"test://watched-resource\"}"), "\"result\":{}");
    says(p, L(3, "resources/subscribe", "{\"uri\":\"test://watched-resource\"}"), "\"result\":{}");
    says(p, L(4, "tools/call", "{\"name\":\"test_trigger_prompt_change\"}"),
         "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/resources/updated\",\"params\":{\"uri\":\"test://"
         "watched-resource\"}}\n");
    says(p, L(5, "resources/unsubscribe", "{\"uri\":\"test://watched-resource\"}"), "\"result\":{}");
    lacks_text(say(p, L(6, "tools/call", "{\"name\":\"test_trigger_prompt_change\"}")), "resources/updated");
    says(p, L(7, "resources/subscribe", "{\"uri\":7}"), "\"code\":-32602");
    says(p, L(8, "subscriptions/listen", "{}"), "\"code\":-32602");
    for (int i = 0; i <= TOAD__MCP_WATCHED; i++) {
        char line[160];
        snprintf(line, sizeof line,
                 "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"resources/subscribe\",\"params\":{\"uri\":\"a://%d\"}}",
                 i);
        says(p, line, i < TOAD__MCP_WATCHED ? "\"result\":{}" : "too many");
    }
    part(p);
}

static void takes_batches_in_one_revision(void **state) {
    (void)state;
    peer *p = meet(), *q = meet();
    says(p, "[" L(1, "ping", "{}") "]", "this revision has no batches");
    greet(p, "2025-03-26");
    assert_string_equal(
        say(p, "[" L(1, "ping", "{}") ",{\"jsonrpc\":\"2.0\",\"method\":\"notifications/x\"}," L(
                   2, "tools/call", "{\"name\":\"none\"}") ",5]"),
        "[{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}},"
        "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32600,\"message\":\"a message must be an object\"}},"
        "{\"jsonrpc\":\"2.0\",\"id\":2,\"error\":{\"code\":-32602,\"message\":\"unknown tool\"}}]\n");
    is_silent(p, "[{\"jsonrpc\":\"2.0\",\"method\":\"notifications/x\"}]");
    says(p, "[]", "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32600,\"message\":\"the batch is empty\"}}");
    push_line(p, "[" L(1, "tools/list", "{}") "," L(2, "tools/list", "{}") "]", "");
    lacks_text(say(p, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":1}}"),
               "\"id\":1");
    has_text(p->out.p, "[{\"jsonrpc\":\"2.0\",\"id\":2");
    greet(q, "2025-06-18");
    says(q, "[" L(1, "ping", "{}") "]", "this revision has no batches");
    part(p);
    part(q);
}

static void asks_in_a_session(void **state) {
    (void)state;
    peer *p = meet();
    greet(p, "2025-11-25");
    says(p, L(1, "tools/call", "{\"name\":\"test_input_required_result_multiple_inputs\"}"),
         "{\"jsonrpc\":\"2.0\",\"id\":\"toadstone-1\",\"method\":\"elicitation/create\",\"params\":{\"message\":\"What "
         "is "
         "your name?\"");
    has_text(p->out.p, "\"id\":\"toadstone-3\",\"method\":\"roots/list\"");
    is_silent(p, "{\"jsonrpc\":\"2.0\",\"id\":\"toadstone-2\",\"result\":{}}");
    is_silent(p, "{\"jsonrpc\":\"2.0\",\"id\":\"toadstone-2\",\"result\":{}}");
    is_silent(p, "{\"jsonrpc\":\"2.0\",\"id\":\"toadstone-1\",\"error\":{\"code\":-1,\"message\":\"no\"}}");
    says(p, L(2, "ping", "{}"), "\"id\":2,\"result\":{}");
    says(p, "{\"jsonrpc\":\"2.0\",\"id\":\"toadstone-3\",\"result\":{\"roots\":[]}}",
         "\"id\":1,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"all three\"}]");
    says(p, L(3, "tools/call", "{\"name\":\"test_input_required_result_multi_round\"}"), "\"id\":\"toadstone-4\"");
    says(p, "{\"jsonrpc\":\"2.0\",\"id\":\"toadstone-4\",\"result\":{\"action\":\"accept\"}}", "Step 2");
    says(p, "{\"jsonrpc\":\"2.0\",\"id\":\"toadstone-5\",\"result\":{\"action\":\"accept\"}}", "both steps done");
    says(p, L(4, "tools/call", "{\"name\":\"test_elicitation\"}"), "\"id\":\"toadstone-6\"");
    says(p, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":4}}",
         "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":\"toadstone-6\"}}");
    is_silent(p, "{\"jsonrpc\":\"2.0\",\"id\":\"toadstone-6\",\"result\":{\"action\":\"accept\"}}");
    part(p);
    p = meet();
    says(p, L(0, "initialize", "{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{}}"), "result");
    says(p, L(1, "tools/call", "{\"name\":\"test_elicitation\"}"),
         "\"error\":{\"code\":-32600,\"message\":\"the client does not declare");
    part(p);
}

static void bounds_questions(void **state) {
    (void)state;
    peer *p = meet();
    greet(p, "2025-11-25");
    for (int i = 0; i < TOAD__MCP_LISTENERS; i++)
        says(p, L(5, "tools/call", "{\"name\":\"test_elicitation\"}"), "elicitation/create");
    says(p, L(6, "tools/call", "{\"name\":\"test_elicitation\"}"), "too many questions are open");
    part(p);
    p = meet();
    greet(p, "2025-11-25");
    say(p, L(5, "tools/call", "{\"name\":\"test_elicitation\"}"));
    for (int i = 1; i <= TOAD__MCP_ROUNDS; i++) {
        char line[100];
        snprintf(line, sizeof line, "{\"jsonrpc\":\"2.0\",\"id\":\"toadstone-%d\",\"result\":5}", i);
        says(p, line, i < TOAD__MCP_ROUNDS ? "elicitation/create" : "too many questions are open");
    }
    part(p);
}

static void bounds_the_queue(void **state) {
    (void)state;
    peer *p = meet();
    greet(p, "2025-11-25");
    for (int i = 0; i < TOAD__MCP_QUEUE; i++) {
        assert_false(toad__mcp_full(p->mcp));
        push_line(p, L(1, "tools/list", "{}"), "");
    }
    assert_true(toad__mcp_full(p->mcp));
    toad__buf_clear(&p->out);
    push_line(p, L(2, "tools/list", "{}"), "");
    toad__buf_add_c(&p->out, 0);
    has_text(p->out.p, "\"id\":2,\"error\":{\"code\":-32603,\"message\":\"too many requests in flight\"}");
    says(p, L(3, "ping", "{}"), "\"id\":3,\"result\":{}");
    assert_false(toad__mcp_full(p->mcp));
    toad__buf_clear(&p->out);
    toad__mcp_oversize(p->mcp, 1, TOAD__S("4"));
    toad__buf_add_c(&p->out, 0);
    has_text(p->out.p, "\"id\":4,\"error\":{\"code\":-32600,\"message\":\"the message is too large\"}");
    assert_int_equal(p->http, 413);
    part(p);
}

/* ---- 2026-07-28 ---- */

static void is_stateless(void **state) {
    (void)state;
    peer *p = meet();
    says(p, M(1, "server/discover", ""),
         "\"result\":{\"resultType\":\"complete\",\"_meta\":{\"io.modelcontextprotocol/"
         "serverInfo\":{\"name\":\"toadstone-fixture\"");
    has_text(p->out.p, "\"supportedVersions\":[\"2026-07-28\"]");
    has_text(p->out.p, "\"ttlMs\":1000,\"cacheScope\":\"private\"");
    says(p, M(2, "tools/list", ""), "\"cacheScope\":\"private\"");
    says(p, M(3, "tools/call", "\"name\":\"test_structured\","), "\"structuredContent\":{\"n\":1}");
    assert_int_equal(p->http, 200);
    says(p, M(4, "resources/read", "\"uri\":\"test://none\","),
         "\"error\":{\"code\":-32602,\"message\":\"resource not found\",\"data\":{\"uri\":\"test://none\"}}");
    says(p, M(5, "prompts/get", "\"name\":\"test_simple_prompt\","), "\"role\":\"user\"");
    lacks_text(say(p, M(6, "tools/call", "\"name\":\"test_tool_with_logging\",")), "notifications/message");
    says(p,
         "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tools/"
         "call\",\"params\":{\"name\":\"test_tool_with_logging\",\"_meta\":{"
         "\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\",\"io.modelcontextprotocol/"
         "clientCapabilities\":{},\"io.modelcontextprotocol/logLevel\":\"info\"}}}",
         "notifications/message");
    part(p);
}

static void checks_what_each_request_brings(void **state) {
    static const struct {
        const char *line, *want;
        int http;
    } rows[] = {
        { L(1, "server/discover", "{}"), "\"code\":-32602", 400 },
        { L(1, "tools/list", "{\"_meta\":{\"io.modelcontextprotocol/clientCapabilities\":{}}}"), "\"code\":-32602",
          400 },
        { L(1, "tools/list", "{\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\"}}"),
          "\"code\":-32602", 400 },
        { L(1, "tools/list",
            "{\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":20260728,\"io.modelcontextprotocol/"
            "clientCapabilities\":{}}}"),
          "\"code\":-32602", 400 },
        { L(1, "tools/list",
            "{\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\",\"io.modelcontextprotocol/"
            "clientCapabilities\":[]}}"),
          "\"code\":-32602", 400 },
        { L(1, "tools/list",
            "{\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\",\"io.modelcontextprotocol/"
            "clientCapabilities\":{},\"io.modelcontextprotocol/clientInfo\":1}}"),
          "\"code\":-32602", 400 },
        { L(1, "tools/list",
            "{\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\",\"io.modelcontextprotocol/"
            "clientCapabilities\":{},\"io.modelcontextprotocol/logLevel\":\"x\"}}"),
          "\"code\":-32602", 400 },
        { L(1, "tools/list",
            "{\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2099-\\u202e\",\"io.modelcontextprotocol/"
            "clientCapabilities\":{}}}"),
          "\"error\":{\"code\":-32022,\"message\":\"unsupported protocol "
          "version\",\"data\":{\"supported\":[\"2026-07-28\"],\"requested\":\"2099-\\u202e\"}}",
          400 },
        { M(1, "initialize", ""), "\"code\":-32601", 404 },
        { M(1, "ping", ""), "\"code\":-32601", 404 },
        { M(1, "logging/setLevel", ""), "\"code\":-32601", 404 },
        { M(1, "resources/subscribe", ""), "\"code\":-32601", 404 },
        { M(1, "unheard/of", ""), "\"code\":-32601", 404 },
    };
    (void)state;
    peer *p = meet();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        says(p, rows[i].line, rows[i].want);
        has_text(p->out.p, "\"id\":1,");
        assert_int_equal(p->http, rows[i].http);
    }
    greet(p, "2025-11-25"); /* both eras at once */
    says(p, M(2, "tools/list", ""), "\"resultType\":\"complete\"");
    lacks_text(say(p, L(3, "tools/list", "{}")), "resultType");
    part(p);
}

static void looks_at_the_header(void **state) {
    (void)state;
    peer *p = meet();
    has_text(say_with(p, M(1, "tools/list", ""), "2026-07-28"), "\"result\"");
    has_text(say_with(p, M(1, "tools/list", ""), "2025-11-25"), "\"code\":-32020");
    has_text(say_with(p, L(1, "tools/list", "{}"), "2026-07-28"), "\"code\":-32602");
    has_text(say_with(p, L(1, "ping", "{}"), "1999-01-01"), "\"code\":-32022");
    has_text(say_with(p, L(1, "ping", "{}"), "2025-03-26"), "\"result\":{}");
    p->server.shared = true;
    has_text(say_with(p, M(1, "tools/list", ""), ""), "\"code\":-32020");
    has_text(say_with(p, L(1, "initialize", "{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{}}"), ""),
             "\"code\":-32602");
    part(p);
}

/* The requestState of the last answer, cut out of it. */
static void state_of(const peer *p, char out[512]) {
    const char *from = strstr(p->out.p, "\"requestState\":\"");
    assert_non_null(from);
    from += strlen("\"requestState\":\"");
    size_t n = strcspn(from, "\"");
    assert_true(n < 512);
    memcpy(out, from, n);
    out[n] = 0;
}

static const char *retry(peer *p, const char *tool, const char *arguments, const char *answers, const char *token) {
    char line[2048];
    snprintf(line, sizeof line,
             M(2, "tools/call", "\"name\":\"%s\",\"arguments\":%s,\"inputResponses\":%s,\"requestState\":\"%s\","),
             tool, arguments, answers, token);
    return say(p, line);
}

#define WITH_STATE "test_input_required_result_request_state"

static void asks_by_way_of_the_result(void **state) {
    char token[512];
    (void)state;
    peer *p = meet();
    says(p, M(1, "tools/call", "\"name\":\"" WITH_STATE "\",\"arguments\":{},"), "\"resultType\":\"input_required\"");
    has_text(p->out.p, "\"inputRequests\":{\"confirm\":{\"method\":\"elicitation/create\",\"params\":{");
    lacks_text(p->out.p, "\"content\"");
    state_of(p, token);
    has_text(retry(p, WITH_STATE, "{}", "{\"confirm\":{\"action\":\"accept\"},\"more\":1}", token), "state-ok");
    has_text(retry(p, WITH_STATE, "{}", "{}", token), "\"resultType\":\"input_required\"");
    has_text(retry(p, WITH_STATE, "{}", "[]", token), "\"resultType\":\"input_required\"");
    has_text(retry(p, WITH_STATE, "{}", "{\"confirm\":null}", token), "\"resultType\":\"input_required\"");
    says(p, M(3, "tools/call", "\"name\":\"test_input_required_result_multi_round\",\"arguments\":{},"), "step1");
    state_of(p, token);
    has_text(retry(p, "test_input_required_result_multi_round", "{}", "{\"step1\":{}}", token), "step2");
    state_of(p, token);
    has_text(retry(p, "test_input_required_result_multi_round", "{}", "{\"step2\":{}}", token), "both steps done");
    says(p, M(4, "prompts/get", "\"name\":\"test_input_required_result_prompt\","), "input_required");
    says(
        p,
        M(5, "prompts/get", "\"name\":\"test_input_required_result_prompt\",\"inputResponses\":{\"user_context\":{}},"),
        "messages");
    part(p);
}

static void asks_only_what_is_declared(void **state) {
    (void)state;
    peer *p = meet();
    says(p,
         "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/"
         "call\",\"params\":{\"name\":\"test_missing_capability\",\"_meta\":{"
         "\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\",\"io.modelcontextprotocol/"
         "clientCapabilities\":{}}}}",
         "\"code\":-32021,\"message\":\"the client does not declare a capability that this "
         "needs\",\"data\":{\"requiredCapabilities\":{\"sampling\":{}}}");
    assert_int_equal(p->http, 400);
    says(p,
         "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/"
         "call\",\"params\":{\"name\":\"test_streaming_elicitation\",\"_meta\":{"
         "\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\",\"io.modelcontextprotocol/"
         "clientCapabilities\":{\"elicitation\":{\"url\":{}}}}}}",
         "\"requiredCapabilities\":{\"elicitation\":{\"form\":{}}}");
    part(p);
}

static void refuses_a_state_that_is_not_its_own(void **state) {
    static const char *const forged[] = { "", "x", "00", "zz" };
    char token[512], changed[512];
    (void)state;
    peer *p = meet(), *other = meet();
    says(p, M(1, "tools/call", "\"name\":\"" WITH_STATE "\",\"arguments\":{\"a\":1},"), "input_required");
    state_of(p, token);
    for (size_t i = 0; i < sizeof forged / sizeof *forged; i++)
        has_text(retry(p, WITH_STATE, "{\"a\":1}", "{\"confirm\":{}}", forged[i]), "\"code\":-32602");
    for (size_t i = 0; token[i]; i++) { /* any digit */
        memcpy(changed, token, sizeof changed);
        changed[i] = changed[i] == '0' ? '1' : '0';
        has_text(retry(p, WITH_STATE, "{\"a\":1}", "{\"confirm\":{}}", changed), "\"code\":-32602");
    }
    for (size_t i = 0; token[i]; i++)
        if (token[i] >= 'a') {
            memcpy(changed, token, sizeof changed);
            changed[i] = (char)(token[i] - 32);
            has_text(retry(p, WITH_STATE, "{\"a\":1}", "{\"confirm\":{}}", changed), "\"code\":-32602");
        }
    has_text(retry(p, WITH_STATE, "{\"a\":2}", "{\"confirm\":{}}", token), "\"code\":-32602");
    has_text(retry(p, "test_input_required_result_tampered_state", "{\"a\":1}", "{\"confirm\":{}}", token),
             "\"code\":-32602");
    has_text(retry(other, WITH_STATE, "{\"a\":1}", "{\"confirm\":{}}", token), "\"code\":-32602");
    p->server.principal = TOAD__S("somebody else");
    has_text(retry(p, WITH_STATE, "{\"a\":1}", "{\"confirm\":{}}", token), "\"code\":-32602");
    p->server.principal = toad__str(NULL, 0);
    p->server.spend = spend_once;
    has_text(retry(p, WITH_STATE, "{\"a\":1}", "{\"confirm\":{}}", token), "state-ok");
    has_text(retry(p, WITH_STATE, "{\"a\":1}", "{\"confirm\":{}}", token), "\"code\":-32602");
    part(p);
    part(other);
}

static int64_t clock_of(void *ctx) { return ((peer *)ctx)->spent; }

static void states_grow_old(void **state) {
    char token[512];
    (void)state;
    peer *p = meet();
    p->server.now = clock_of;
    says(p, M(1, "tools/call", "\"name\":\"" WITH_STATE "\",\"arguments\":{},"), "input_required");
    state_of(p, token);
    p->spent = 900;
    has_text(retry(p, WITH_STATE, "{}", "{\"confirm\":{}}", token), "state-ok");
    p->spent = 901;
    has_text(retry(p, WITH_STATE, "{}", "{\"confirm\":{}}", token), "\"code\":-32602");
    part(p);
}

static void tells_listeners(void **state) {
    (void)state;
    peer *p = meet();
    assert_string_equal(
        say(p, M(1, "subscriptions/listen",
                 "\"notifications\":{\"toolsListChanged\":true,\"promptsListChanged\":false,\"other\":true,"
                 "\"resourceSubscriptions\":[\"test://watched-resource\"]},")),
        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/subscriptions/"
        "acknowledged\",\"params\":{\"_meta\":{\"io.modelcontextprotocol/subscriptionId\":1},"
        "\"notifications\":{\"toolsListChanged\":true,\"resourceSubscriptions\":[\"test://watched-resource\"]}}}\n");
    says(p, M(2, "tools/call", "\"name\":\"test_trigger_tool_change\","),
         "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/"
         "list_changed\",\"params\":{\"_meta\":{\"io.modelcontextprotocol/subscriptionId\":1}}}\n");
    lacks_text(say(p, M(3, "tools/call", "\"name\":\"test_trigger_prompt_change\",")), "prompts/list_changed");
    has_text(
        p->out.p,
        "\"params\":{\"uri\":\"test://watched-resource\",\"_meta\":{\"io.modelcontextprotocol/subscriptionId\":1}}");
    is_silent(p, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":1}}");
    lacks_text(say(p, M(4, "tools/call", "\"name\":\"test_trigger_tool_change\",")), "list_changed");
    says(p, M(5, "subscriptions/listen", "\"notifications\":{\"resourceSubscriptions\":[1]},"), "\"code\":-32602");
    says(p, M(6, "subscriptions/listen", ""), "\"code\":-32602");
    for (int i = 0; i <= TOAD__MCP_LISTENERS; i++)
        says(p, M(7, "subscriptions/listen", "\"notifications\":{},"),
             i < TOAD__MCP_LISTENERS ? "acknowledged" : "too many");
    toad__buf_clear(&p->out);
    toad__mcp_free(p->mcp);
    p->mcp = NULL;
    toad__buf_add_c(&p->out, 0);
    has_text(p->out.p, "\"id\":7,\"result\":{\"resultType\":\"complete\",\"_meta\":{");
    has_text(p->out.p, "\"io.modelcontextprotocol/subscriptionId\":7}}");
    part(p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agrees_on_a_version),
        cmocka_unit_test(wants_a_greeting_first),
        cmocka_unit_test(shows_each_revision_what_it_knows),
        cmocka_unit_test(calls_tools),
        cmocka_unit_test(turns_pages),
        cmocka_unit_test(gives_prompts_and_resources),
        cmocka_unit_test(reports_progress_and_logs),
        cmocka_unit_test(heeds_cancellation),
        cmocka_unit_test(subscribes),
        cmocka_unit_test(takes_batches_in_one_revision),
        cmocka_unit_test(asks_in_a_session),
        cmocka_unit_test(bounds_questions),
        cmocka_unit_test(bounds_the_queue),
        cmocka_unit_test(is_stateless),
        cmocka_unit_test(checks_what_each_request_brings),
        cmocka_unit_test(looks_at_the_header),
        cmocka_unit_test(asks_by_way_of_the_result),
        cmocka_unit_test(asks_only_what_is_declared),
        cmocka_unit_test(refuses_a_state_that_is_not_its_own),
        cmocka_unit_test(states_grow_old),
        cmocka_unit_test(tells_listeners),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
