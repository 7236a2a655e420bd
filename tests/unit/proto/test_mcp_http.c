/* Header values, what is mirrored, eras, and media types. */
#include "lib/base/str.h"
#include "proto/mcp_http.h"
#include "tests/check.h"

#include <stdio.h>

/* ---- values ---- */

static void encodes(toad_str value, const char *want) {
    toad__buf b, back;
    toad__buf_init(&b, 4096);
    toad__buf_init(&back, 4096);
    toad__mcp_header_encode(&b, value);
    assert_true(toad__str_eq(toad__buf_str(&b), toad__str_z(want)));
    assert_true(toad__mcp_header_decode(&back, toad__buf_str(&b)));
    assert_true(toad__str_eq(toad__buf_str(&back), value));
    toad__buf_free(&b);
    toad__buf_free(&back);
}

static void values_go_round(void **state) {
    (void)state;
    encodes(TOAD__S("plain value"), "plain value");
    encodes(TOAD__S(""), "");
    encodes(TOAD__S(" a"), "=?base64?IGE=?=");
    encodes(TOAD__S("a "), "=?base64?YSA=?=");
    encodes(TOAD__S("a\nb"), "=?base64?YQpi?=");
    encodes(TOAD__S("Ky\xc5\x8dto"), "=?base64?S3nFjXRv?=");
    encodes(TOAD__S("=?base64?YQ==?="), "=?base64?PT9iYXNlNjQ/WVE9PT89?=");
    encodes(TOAD__S("=?base64?YQ=="), "=?base64?YQ==");
    encodes(toad__str("\0", 1), "=?base64?AA==?=");
}

static bool decodes(const char *value) {
    toad__buf b;
    toad__buf_init(&b, 4096);
    bool ok = toad__mcp_header_decode(&b, toad__str_z(value));
    toad__buf_free(&b);
    return ok;
}

static void broken_base64_is_refused(void **state) {
    (void)state;
    assert_true(decodes("=?base64?"
                        "?="));
    assert_true(decodes("=?base64?SGVsbG8=?="));
    assert_false(decodes("=?base64?SGVsbG8?="));
    assert_false(decodes("=?base64?SGVs!!!bG8=?="));
    assert_false(decodes("=?base64?SGVsbG9=?=")); /* bits that are left over */
    assert_false(decodes("=?base64?====?="));
    assert_false(decodes("=?base64?YQ==YQ==?="));
    assert_false(decodes("=?base64?Y===?="));
}

/* ---- arguments ---- */

typedef struct said {
    char text[1024];
} said;

static bool note(void *ctx, toad_str name, const toad__json *value) {
    said *s = ctx;
    size_t at = strlen(s->text);
    snprintf(s->text + at, sizeof s->text - at, "%.*s=%.*s;", (int)name.n, name.p, value ? (int)value->raw.n : 1,
             value ? value->raw.p : "-");
    return true;
}

static bool mirrored(const char *schema, const char *arguments, const char *want) {
    toad__arena arena;
    const toad__json *s, *a;
    const char *expected;
    size_t at;
    said got = { "" };
    toad__arena_init(&arena, 1u << 20);
    assert_int_equal(toad__json_parse(toad__str_z(schema), &arena, &s, &at, &expected), TOAD_OK);
    assert_int_equal(toad__json_parse(toad__str_z(arguments), &arena, &a, &at, &expected), TOAD_OK);
    bool ok = toad__mcp_each_param(s, a, note, &got);
    if (ok) assert_string_equal(got.text, want);
    toad__arena_free(&arena);
    return ok;
}

#define SCHEMA(properties) "{\"type\":\"object\",\"properties\":{" properties "}}"
static void arguments_are_found_at_any_depth(void **state) {
    (void)state;
    assert_true(mirrored(
        SCHEMA("\"r\":{\"type\":\"string\",\"x-mcp-header\":\"Region\"},\"o\":{\"type\":\"object\",\"properties\":{"
               "\"n\":{\"type\":\"integer\",\"x-mcp-header\":\"N\"}}},\"p\":{\"type\":\"string\"}"),
        "{\"o\":{\"n\":5},\"p\":\"x\",\"r\":\"eu\"}", "Region=\"eu\";N=5;"));
    assert_true(
        mirrored(SCHEMA("\"r\":{\"type\":\"string\",\"x-mcp-header\":\"Region\"}"), "{\"r\":null}", "Region=-;"));
    assert_true(mirrored(SCHEMA("\"o\":{\"properties\":{\"n\":{\"type\":\"integer\",\"x-mcp-header\":\"N\"}}}"),
                         "{\"o\":7}", "N=-;"));
    assert_true(mirrored("{}", "{}", ""));
}

static void invalid_wishes_are_refused(void **state) {
    (void)state;
    assert_false(mirrored(SCHEMA("\"r\":{\"type\":\"string\",\"x-mcp-header\":\"\"}"), "{}", ""));
    assert_false(mirrored(SCHEMA("\"r\":{\"type\":\"string\",\"x-mcp-header\":\"a b\"}"), "{}", ""));
    assert_false(mirrored(SCHEMA("\"r\":{\"type\":\"string\",\"x-mcp-header\":\"a\\r\\nb\"}"), "{}", ""));
    assert_false(mirrored(SCHEMA("\"r\":{\"type\":\"object\",\"x-mcp-header\":\"R\"}"), "{}", ""));
    assert_false(mirrored(SCHEMA("\"r\":{\"x-mcp-header\":\"R\"}"), "{}", ""));
    assert_false(mirrored(SCHEMA("\"r\":{\"type\":\"string\",\"x-mcp-header\":1}"), "{}", ""));
    assert_false(mirrored(
        SCHEMA("\"a\":{\"type\":\"string\",\"x-mcp-header\":\"R\"},\"b\":{\"type\":\"string\",\"x-mcp-header\":\"r\"}"),
        "{}", ""));
}

/* ---- requests ---- */

static toad_str no_param(void *ctx, const char *name) {
    (void)ctx;
    (void)name;
    return toad__str(NULL, 0);
}

static toad__mcp_era era_of(const char *message, const char *version, const char *session) {
    toad__arena arena;
    toad__rpc rpc;
    toad__mcp_headers h = { .version = toad__str_z(version), .session = toad__str_z(session), .param = no_param };
    toad__arena_init(&arena, 1u << 20);
    assert_int_equal(toad__rpc_read(toad__str_z(message), &arena, &rpc), TOAD_OK);
    toad__mcp_era era = toad__mcp_era_of(&rpc, &h);
    toad__arena_free(&arena);
    return era;
}

#define META "\"params\":{\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\"}}"
static void the_era_is_the_messages_or_the_headers(void **state) {
    const char *hello = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\"}",
               *list = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}";
    (void)state;
    assert_int_equal(era_of(hello, NULL, NULL), TOAD__MCP_HELLO);
    assert_int_equal(era_of(hello, NULL, "abc"), TOAD__MCP_SESSION);
    assert_int_equal(era_of(hello, "2026-07-28", NULL), TOAD__MCP_MODERN);
    assert_int_equal(era_of(list, "2025-11-25", "abc"), TOAD__MCP_SESSION);
    assert_int_equal(era_of(list, "2026-07-28", "abc"), TOAD__MCP_MODERN);
    assert_int_equal(era_of(list, NULL, NULL), TOAD__MCP_MODERN);
    assert_int_equal(era_of("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"," META "}", NULL, "abc"),
                     TOAD__MCP_MODERN);
    assert_int_equal(era_of("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}", NULL, "abc"),
                     TOAD__MCP_SESSION);
}

static int media(const char *accept, const char *type, bool events) {
    toad__mcp_headers h = { .accept = toad__str_z(accept), .content_type = toad__str_z(type), .param = no_param };
    toad__mcp_refusal refusal = { 0, 0, NULL };
    assert_true(toad__mcp_media_fit(&h, events, &refusal) == !refusal.http);
    return refusal.http;
}

static void media_types(void **state) {
    (void)state;
    assert_int_equal(media("application/json, text/event-stream", "application/json", false), 0);
    assert_int_equal(media("text/event-stream;q=1 ,APPLICATION/JSON", "application/json; charset=utf-8", false), 0);
    assert_int_equal(media("*/*", "Application/Json", false), 0);
    assert_int_equal(media("text/*, application/*", "application/json", false), 0);
    assert_int_equal(media(NULL, "application/json", false), 0);
    assert_int_equal(media("application/json", "application/json", false), 406);
    assert_int_equal(media("text/event-streams, application/json", "application/json", false), 406);
    assert_int_equal(media("*/*", "text/plain", false), 415);
    assert_int_equal(media("*/*", NULL, false), 415);
    assert_int_equal(media("text/event-stream", NULL, true), 0);
    assert_int_equal(media("application/json", NULL, true), 406);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_go_round),
        cmocka_unit_test(broken_base64_is_refused),
        cmocka_unit_test(arguments_are_found_at_any_depth),
        cmocka_unit_test(invalid_wishes_are_refused),
        cmocka_unit_test(the_era_is_the_messages_or_the_headers),
        cmocka_unit_test(media_types),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
