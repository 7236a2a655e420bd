/* test_proxy.c - the proxy's state machine between scripted peers: what goes out, byte for byte, in which order. */
#include "lib/base/str.h"
#include "tests/check.h"
#include "tests/mcp/proxy_stub.h"

#include <stdio.h>
#include <stdlib.h>

#define META(can)                                                                                      \
    "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\",\"io.modelcontextprotocol/" \
    "clientCapabilities\":" can "}"
#define ELICITS               "{\"elicitation\":{}}"
#define R(id, method, params) "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"" method "\",\"params\":{" params "}}"
#define N(method, params)     "{\"jsonrpc\":\"2.0\",\"method\":\"" method "\",\"params\":{" params "}}"
#define A(id, result)         "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"result\":" result "}"
#define E(id, code, message) \
    "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"error\":{\"code\":" code ",\"message\":\"" message "\"}}"
#define HELLO                                                                                                         \
    "{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{\"tools\":{}},\"serverInfo\":{\"name\":\"s\",\"version\":" \
    "\"1\"}}"
#define INITIALIZE(id)                                               \
    R(id, "initialize",                                              \
      "\"protocolVersion\":\"2025-06-18\",\"capabilities\":" ELICITS \
      ",\"clientInfo\":{\"name\":\"t\",\"version\":\"1\"}")
#define DISCOVERED \
    "{\"resultType\":\"complete\",\"supportedVersions\":[\"2026-07-28\"],\"capabilities\":{\"tools\":{}}}"

static void expect(stub *s, const char *want) {
    const char *got = stub_take(s);
    if (strcmp(got, want) != 0) fprintf(stderr, "got:\n%s\nwanted:\n%s\n", got, want);
    assert_string_equal(got, want);
}

static void expect_with(stub *s, const char *part) {
    const char *got = stub_take(s);
    if (!strstr(got, part)) fprintf(stderr, "got:\n%s\nwanted in it:\n%s\n", got, part);
    assert_non_null(strstr(got, part));
}

/* Client and server both with sessions. */
static void open_legacy(stub *s) {
    *s = (stub){ .now = 0 };
    assert_int_equal(stub_open(s, NULL), TOAD_OK);
    stub_client(s, INITIALIZE("\"a\""));
    expect(s, "s " INITIALIZE("1") "\n");
    stub_server(s, A("1", HELLO));
    expect(s, "c " A("\"a\"", HELLO) "\n");
    stub_client(s, N("notifications/initialized", ""));
    expect(s, "s " N("notifications/initialized", "") "\n");
}

/* A client of 2026-07-28 at a server with sessions. */
static void open_cross(stub *s) {
    *s = (stub){ .now = 0 };
    assert_int_equal(stub_open(s, NULL), TOAD_OK);
    stub_client(s, R("1", "tools/list", META(ELICITS)));
    expect_with(s, "\"method\":\"server/discover\"");
    stub_client(s, R("2", "tools/call", "\"name\":\"a\"," META(ELICITS)));
    expect(s, "");
    stub_server(s, E("1", "-32601", "no"));
    expect_with(s,
                "\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"2025-11-25\",\"capabilities\":" ELICITS);
    stub_server(s, A("2", HELLO));
    expect(s, "s {\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}\n"
              "s " R("3", "tools/list", "") "\ns " R("4", "tools/call", "\"name\":\"a\"") "\n");
}

static void bytes_pass(void **state) {
    stub s;
    (void)state;
    open_legacy(&s);
    stub_client(&s, " { \"method\" : \"tools/call\",\"id\":\"\\u0041\" , \"x\":1, "
                    "\"jsonrpc\":\"2.0\",\"params\":{\"name\":\"a\", \"n\":1.50}} ");
    expect(&s, "s { \"method\" : \"tools/call\",\"id\":2 , \"x\":1, \"jsonrpc\":\"2.0\",\"params\":{\"name\":\"a\", "
               "\"n\":1.50}}\n");
    stub_server(
        &s,
        "{\"result\": {\"content\":[ ],\"\\u0041\":\"\xc3\xa9\\u00e9\", \"k\":1e2},\n \"jsonrpc\":\"2.0\", \"id\":2}");
    expect(&s, "c {\"result\": {\"content\":[ ],\"\\u0041\":\"\xc3\xa9\\u00e9\", \"k\":1e2},  \"jsonrpc\":\"2.0\", "
               "\"id\":\"\\u0041\"}\n");
    stub_server(&s, A("2", "{}")); /* answered already */
    expect(&s, "");
    stub_client(&s, R("7", "tools/list", ""));
    expect(&s, "s " R("3", "tools/list", "") "\n");
    stub_server(&s, "{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{\"a\":1},\"more\":\"EVIL\"}"); /* nobody looked at it */
    expect(&s, "c " A("7", "{\"a\":1}") "\n");
    stub_client(&s, R("8", "tools/list", ""));
    expect(&s, "s " R("4", "tools/list", "") "\n");
    stub_server(
        &s, "{\"jsonrpc\":\"2.0\",\"id\":4,\"result\":{\"a\":1},\"params\":{\"b\":\"EVIL\"}}"); /* an answer has none */
    expect(&s, "c " A("8", "{\"a\":1}") "\n");
    stub_close(&s);
}

static void blocked(void **state) {
    stub s;
    (void)state;
    open_legacy(&s);
    stub_client(&s, R("1", "tools/call", "\"name\":\"a\""));
    stub_client(&s, R("2", "prompts/get", "\"name\":\"a\""));
    stub_client(&s, R("3", "tools/call", "\"name\":\"forbidden\""));
    expect(&s, "s " R("2", "tools/call", "\"name\":\"a\"") "\ns " R("3", "prompts/get", "\"name\":\"a\"") "\nc " A(
                   "3", "{\"content\":[],\"isError\":true}") "\n");
    stub_server(&s, A("2", "{\"content\":\"EVIL\"}"));
    expect(&s, "c " A("1", "{\"content\":[{\"type\":\"text\",\"text\":\"blocked\"}],\"isError\":true}") "\n");
    stub_server(&s, E("3", "-32000", "EVIL"));
    expect(&s, "c " E("2", "-32011", "blocked") "\n");
    stub_server(&s, N("notifications/message", "\"data\":\"EVIL\""));
    expect(&s, "c "
               "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/"
               "message\",\"params\":{\"level\":\"info\",\"data\":\"blocked\"}}\n");
    stub_server(&s, N("EVIL words", ""));
    expect(&s, "");
    stub_server(&s, R("\"x\"", "sampling/createMessage", "\"messages\":\"EVIL\""));
    expect(&s, "s " E("\"x\"", "-32011", "blocked") "\n");
    stub_client(&s, R("4", "tools/call", "\"name\":\"a\""));
    stub_take(&s);
    stub_server(&s, A("5", "{\"content\":\"BROKEN\"}"));
    expect(&s, "c " A("4", "{\"isError\":true,\"content\":[],\"why\":\"it could not be screened\"}") "\n");
    stub_close(&s);
}

/* A server written by hand acts on the method alone, and what has no id can be neither held nor answered. */
static void a_request_without_an_id_goes_nowhere(void **state) {
    static const char *const sent[] = {
        N("tools/call", "\"name\":\"a\""),
        N("tools/call", "\"name\":\"forbidden\""),
        N("Notifications/tools/call", "\"name\":\"forbidden\""),
        N("notifications", ""),
        N("prompts/get", "\"name\":\"a\""),
    };
    stub s;
    (void)state;
    open_legacy(&s);
    for (size_t i = 0; i < sizeof sent / sizeof *sent; i++) {
        stub_client(&s, sent[i]);
        expect(&s, "");
    }
    stub_client(&s, N("notifications/roots/list_changed", ""));
    expect(&s, "s " N("notifications/roots/list_changed", "") "\n");
    stub_close(&s);
}

static void requests_of_the_server(void **state) {
    stub s;
    (void)state;
    open_legacy(&s);
    stub_server(&s, R("\"q\"", "elicitation/create", "\"message\":\"hi\""));
    expect(&s, "c " R("1", "elicitation/create", "\"message\":\"hi\"") "\n");
    stub_client(&s, A("1", "{\"action\":\"decline\"}"));
    expect(&s, "s " A("\"q\"", "{\"action\":\"decline\"}") "\n");
    stub_client(&s, A("1", "{\"action\":\"accept\"}")); /* said already */
    expect(&s, "");
    stub_server(&s, R("5", "roots/list", ""));
    stub_server(&s, N("notifications/cancelled", "\"requestId\":5"));
    expect(&s, "c " R("2", "roots/list", "") "\nc " N("notifications/cancelled", "\"requestId\":2") "\n");
    stub_close(&s);
}

static void cancelled(void **state) {
    stub s;
    (void)state;
    open_legacy(&s);
    stub_client(&s, R("\"k\"", "tools/call", "\"name\":\"a\""));
    stub_client(&s, N("notifications/cancelled", "\"requestId\":\"k\",\"reason\":\"r\""));
    expect(&s, "s " R("2", "tools/call", "\"name\":\"a\"") "\ns " N("notifications/cancelled",
                                                                    "\"requestId\":2,\"reason\":\"r\"") "\n");
    stub_server(&s, A("2", "{}"));
    expect(&s, "");
    stub_client(&s, N("notifications/cancelled", "\"requestId\":\"k\""));
    expect(&s, "");
    stub_close(&s);
}

static void held_with_sessions(void **state) {
    stub s;
    (void)state;
    open_legacy(&s);
    stub_client(&s, R("1", "tools/call", "\"name\":\"doubtful\""));
    expect(&s,
           "c {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"elicitation/create\",\"params\":{\"message\":\"call?\"}}\n");
    stub_client(&s, A("1", "{\"action\":\"accept\"}"));
    expect(&s, "s " R("2", "tools/call", "\"name\":\"doubtful\"") "\n");
    stub_server(&s, A("2", "{\"content\":\"ASK\"}"));
    expect_with(&s, "\"id\":2,\"method\":\"elicitation/create\",\"params\":{\"message\":\"pass?\"}");
    stub_client(&s, A("2", "{\"action\":\"accept\"}"));
    expect(&s, "c " A("1", "{\"content\":\"ASK\"}") "\n");
    const char *const noes[] = { A("%u", "{\"action\":\"decline\"}"), A("%u", "{\"action\":\"cancel\"}"),
                                 E("%u", "-1", "no"), A("%u", "{}") };
    for (unsigned i = 0; i < 4; i++) {
        char text[128];
        stub_client(&s, R("9", "tools/call", "\"name\":\"doubtful\""));
        stub_take(&s);
        snprintf(text, sizeof text, noes[i], 3 + i);
        stub_client(&s, text);
        expect(&s, "c " A("9", "{\"content\":[],\"isError\":true}") "\n");
    }
    stub_close(&s);
}

static void take_state(stub *s, char out[160]) {
    const char *got = stub_take(s), *at = strstr(got, "\"requestState\":\"");
    assert_non_null(strstr(got, "\"resultType\":\"input_required\""));
    assert_non_null(at);
    snprintf(out, 160, "%.*s", (int)strcspn(at + 16, "\""), at + 16);
}

static void retry(stub *s, const char *id, const char *tool, const char *answers, const char *request_state) {
    char text[1024];
    snprintf(text, sizeof text,
             R("%s", "tools/call", "\"name\":\"%s\",\"inputResponses\":{%s},\"requestState\":\"%s\"," META(ELICITS)),
             id, tool, answers, request_state);
    stub_client(s, text);
}

static void rounds(void **state) {
    stub s;
    open_cross(&s);
    char first[160], second[160], bad[160];
    (void)state;
    stub_server(&s, A("3", "{\"tools\":[]}"));
    expect(&s, "c " A("1", "{\"resultType\":\"complete\",\"ttlMs\":0,\"cacheScope\":\"private\",\"tools\":[]}") "\n");
    stub_server(&s, R("\"e\"", "elicitation/create", "\"message\":\"hi\""));
    take_state(&s, first);
    retry(&s, "3", "a", "", first);
    take_state(&s, second);
    snprintf(bad, sizeof bad, "%s", second);
    bad[strlen(bad) - 1] = bad[strlen(bad) - 1] == '0' ? '1' : '0';
    const char *const wrong[] = { first, bad, "toad-", "mine" };
    for (size_t i = 0; i < 4; i++) {
        retry(&s, "4", "a", "\"toad_1\":{\"action\":\"accept\"}", wrong[i]);
        expect_with(&s, "\"code\":-32602");
    }
    retry(&s, "5", "b", "\"toad_1\":{\"action\":\"accept\"}", second);
    expect_with(&s, "\"code\":-32602");
    retry(&s, "6", "a", "\"toad_1\":{\"action\":\"accept\"},\"other\":1", second);
    expect(&s, "s " A("\"e\"", "{\"action\":\"accept\"}") "\n");
    stub_server(&s, A("4", "{\"content\":[]}"));
    expect(&s, "c " A("6", "{\"resultType\":\"complete\",\"content\":[]}") "\n");
    retry(&s, "7", "a", "\"toad_1\":{\"action\":\"accept\"}", second);
    expect_with(&s, "\"code\":-32602");
    stub_close(&s);
}

static void a_late_answer(void **state) {
    stub s;
    open_cross(&s);
    char request_state[160];
    (void)state;
    stub_server(&s, R("\"e\"", "elicitation/create", "\"message\":\"hi\""));
    take_state(&s, request_state);
    stub_server(&s, A("4", "{\"content\":\"EVIL\"}"));
    expect(&s, "");
    retry(&s, "8", "a", "\"toad_1\":{\"action\":\"accept\"}", request_state);
    expect_with(&s, "c "
                    "{\"jsonrpc\":\"2.0\",\"id\":8,\"result\":{\"resultType\":\"complete\",\"content\":[{\"type\":"
                    "\"text\",\"text\":\"blocked\"}]");
    stub_close(&s);
}

static void nobody_comes_back(void **state) {
    stub s;
    open_cross(&s);
    char request_state[160];
    (void)state;
    stub_server(&s, A("3", "{}"));
    stub_server(&s, R("\"e\"", "elicitation/create", "\"message\":\"hi\""));
    take_state(&s, request_state);
    s.now += TOAD__PROXY_ASK_LIFE - 1;
    toad__proxy_tick(s.proxy);
    expect(&s, "");
    s.now += 1;
    toad__proxy_tick(s.proxy);
    expect_with(
        &s,
        "s " A("\"e\"", "{\"action\":\"cancel\"}") "\ns {\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\"");
    retry(&s, "8", "a", "", request_state);
    expect_with(&s, "\"code\":-32602");
    stub_close(&s);
}

static void input_for_a_modern_server(void **state) {
    stub s = { .now = 0 };
    (void)state;
    assert_int_equal(stub_open(&s, NULL), TOAD_OK);
    stub_client(&s, INITIALIZE("0"));
    stub_server(&s, E("1", "-32601", "no"));
    expect_with(&s, "\"method\":\"server/discover\"");
    stub_server(&s, A("2", DISCOVERED));
    expect(&s, "c " A("0", "{\"protocolVersion\":\"2025-06-18\",\"capabilities\":{\"tools\":{}},\"serverInfo\":{"
                           "\"name\":\"stub\",\"version\":\"0\"}}") "\n");
    stub_client(&s, N("notifications/initialized", ""));
    expect_with(&s, "\"method\":\"subscriptions/listen\"");
    stub_client(&s, R("1", "ping", ""));
    expect(&s, "c " A("1", "{}") "\n");
    stub_client(&s, R("2", "tools/call", "\"name\":\"a\",\"arguments\":{\"b\":1},\"_meta\":{\"progressToken\":5}"));
    expect(
        &s,
        "s " R("4", "tools/call",
               "\"name\":\"a\",\"arguments\":{\"b\":1},\"_meta\":{\"io.modelcontextprotocol/"
               "protocolVersion\":\"2026-07-28\",\"io.modelcontextprotocol/clientCapabilities\":" ELICITS
               ",\"io.modelcontextprotocol/clientInfo\":{\"name\":\"t\",\"version\":\"1\"},\"progressToken\":5}") "\n");
    stub_server(&s, A("4", "{\"resultType\":\"input_required\",\"inputRequests\":{\"k\":{\"method\":\"elicitation/"
                           "create\",\"params\":{\"message\":\"hi\"}}},\"requestState\":\"q\\u0041\"}"));
    expect(&s, "c {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"elicitation/create\",\"params\":{\"message\":\"hi\"}}\n");
    stub_client(&s, A("1", "{\"action\":\"cancel\"}"));
    expect_with(&s, "\"arguments\":{\"b\":1},\"inputResponses\":{\"k\":{\"action\":\"cancel\"}},\"requestState\":"
                    "\"q\\u0041\",\"_meta\"");
    stub_server(&s, A("5", "{\"resultType\":\"complete\",\"content\":[]}"));
    expect(&s, "c " A("2", "{\"resultType\":\"complete\",\"content\":[]}") "\n");
    stub_client(&s, R("3", "tools/call", "\"name\":\"a\""));
    stub_take(&s);
    stub_server(
        &s,
        A("6",
          "{\"resultType\":\"input_required\",\"inputRequests\":{\"k\":{\"method\":\"roots/list\"}}}")); /* not declared
                                                                                                          */
    expect_with(&s, "\"isError\":true");
    stub_close(&s);
}

static void an_answer_torn_before_its_id(void **state) {
    stub s;
    const char *torn = "{\"jsonrpc\":\"2.0\",\"result\":{\"a\":\"b\"c\"}}";
    (void)state;
    open_legacy(&s);
    stub_client(&s, R("1", "tools/call", "\"name\":\"a\""));
    stub_client(&s, R("2", "tools/call", "\"name\":\"a\""));
    stub_take(&s);
    stub_server(&s, torn); /* of which? */
    assert_int_equal(toad__proxy_in_flight(s.proxy), 2);
    stub_server(&s, A("2", "{\"content\":[]}"));
    stub_take(&s);
    stub_server(&s, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{\"a\":\"b\"c\"}}");
    assert_int_equal(toad__proxy_in_flight(s.proxy), 1);
    stub_server(&s, torn);
    expect(&s, "c " A("2", "{\"isError\":true,\"content\":[],\"why\":\"its answer is not valid JSON-RPC\"}") "\n");
    assert_int_equal(toad__proxy_in_flight(s.proxy), 0);
    stub_close(&s);
}

static void ends(void **state) {
    stub s;
    (void)state;
    open_legacy(&s);
    stub_client(&s, R("1", "tools/call", "\"name\":\"a\""));
    stub_client(&s, R("2", "tools/list", ""));
    stub_take(&s);
    s.now += 5000;
    stub_server(&s, N("notifications/progress", "\"progressToken\":1")); /* no sign of these two */
    s.now += 5000;
    stub_take(&s);
    toad__proxy_tick(s.proxy);
    expect_with(&s, "\"why\":\"the server did not answer in time\"");
    stub_client(&s, R("3", "tools/call", "\"name\":\"a\""));
    stub_client(&s, R("4", "tools/call", "\"name\":\"a\""));
    stub_take(&s);
    toad__proxy_server_oversize(s.proxy, 0, TOAD__S("4"));
    expect(&s, "c " A("3",
                      "{\"isError\":true,\"content\":[],\"why\":\"its answer is larger than what is screened\"}") "\n");
    stub_server(&s, "{\"jsonrpc\":\"2.0\",\"id\":5,\"result\":{\"a\":1,\"a\":2}}");
    expect(&s, "c " A("4", "{\"isError\":true,\"content\":[],\"why\":\"its answer is not valid JSON-RPC\"}") "\n");
    stub_client(&s, R("5", "resources/list", ""));
    stub_take(&s);
    toad__proxy_server_gone(s.proxy, "it has ended");
    expect(&s, "c " E("5", "-32010", "it has ended") "\n");
    stub_client(&s, R("6", "tools/list", ""));
    expect(&s, "c " E("6", "-32010", "it has ended") "\n");
    assert_int_equal(toad__proxy_in_flight(s.proxy), 0);
    stub_close(&s);
}

static void shared(void **state) {
    const toad__proxy_options o = { .shared = true };
    stub s = { .now = 0 };
    (void)state;
    assert_int_equal(stub_open(&s, &o), TOAD_OK);
    stub_client(&s, R("1", "server/discover", META("{}")));
    stub_server(&s, A("1", DISCOVERED));
    stub_take(&s);
    stub_client(&s, R("1", "tools/call",
                      "\"name\":\"a\",\"_meta\":{\"progressToken\":\"t\","
                      "\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\",\"io.modelcontextprotocol/"
                      "clientCapabilities\":{}}"));
    expect_with(&s, "\"progressToken\":2,");
    stub_server(&s, N("notifications/progress", "\"progressToken\":2,\"progress\":1"));
    expect(&s, "c " N("notifications/progress", "\"progressToken\":\"t\",\"progress\":1") "\n");
    stub_client(&s, R("2", "tools/call", "\"name\":\"a\"," META("{}")));
    stub_take(&s);
    stub_server(&s, N("notifications/message", "\"data\":1")); /* whose? */
    expect(&s, "");
    stub_client(&s, R("2", "tools/list", ""));
    expect_with(&s, "\"code\":-32602");
    stub_close(&s);
}

static void same_era(void **state) {
    const toad__proxy_options o = { .same_era = true };
    stub s = { .now = 0 };
    (void)state;
    assert_int_equal(stub_open(&s, &o), TOAD_OK);
    stub_client(&s, R("1", "server/discover", META("{}")));
    stub_server(&s, E("1", "-32601", "no"));
    expect(&s, "s " R("1", "server/discover", META("{}")) "\nc " E("1", "-32601", "no") "\n");
    stub_client(&s, "[" R("1", "ping", "") "," R("2", "tools/list", "") "]");
    expect(&s, "s " R("2", "ping", "") "\ns " R("3", "tools/list", "") "\n");
    stub_close(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_pass),
        cmocka_unit_test(blocked),
        cmocka_unit_test(a_request_without_an_id_goes_nowhere),
        cmocka_unit_test(requests_of_the_server),
        cmocka_unit_test(cancelled),
        cmocka_unit_test(held_with_sessions),
        cmocka_unit_test(rounds),
        cmocka_unit_test(a_late_answer),
        cmocka_unit_test(nobody_comes_back),
        cmocka_unit_test(input_for_a_modern_server),
        cmocka_unit_test(an_answer_torn_before_its_id),
        cmocka_unit_test(ends),
        cmocka_unit_test(shared),
        cmocka_unit_test(same_era),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
