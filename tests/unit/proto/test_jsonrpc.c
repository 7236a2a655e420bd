/* Classification of JSON-RPC messages, their ids, and the frames of answers. */
#include "lib/base/str.h"
#include "proto/jsonrpc.h"
#include "tests/check.h"
#include "tests/support/exact.h"

#include <stdio.h>

typedef struct read_message {
    char *copy;
    toad__arena arena;
    toad__rpc rpc;
    toad_status status;
} read_message;

static read_message read_bytes(toad_str in) {
    read_message m = { .copy = exact_dup(in.p, in.n) };
    toad__arena_init(&m.arena, TOAD__RPC_ARENA_MAX);
    m.status = toad__rpc_read(toad__str(m.copy, in.n), &m.arena, &m.rpc);
    return m;
}

static void drop(read_message *m) {
    toad__arena_free(&m->arena);
    free(m->copy);
}

static void is_kind(const char *text, toad__rpc_kind kind) {
    read_message m = read_bytes(toad__str_z(text));
    if (m.status) print_error("refused: %s: %s\n", m.rpc.why, text);
    assert_int_equal(m.status, TOAD_OK);
    assert_int_equal(m.rpc.kind, kind);
    drop(&m);
}

/* Refused with this code; `has_id`: the refusal can still be matched. */
static void is_refused(const char *text, int code, bool has_id) {
    read_message m = read_bytes(toad__str_z(text));
    if (!m.status || m.rpc.code != code || (m.rpc.id != NULL) != has_id)
        print_error("status %d code %d: %s\n", m.status, m.rpc.code, text);
    assert_true(m.status);
    assert_int_equal(m.rpc.code, code);
    assert_non_null(m.rpc.why);
    assert_int_equal(m.rpc.id != NULL, has_id);
    drop(&m);
}

static void knows_the_kinds(void **state) {
    (void)state;
    is_kind("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}", TOAD__RPC_REQUEST);
    is_kind("{\"jsonrpc\":\"2.0\",\"id\":\"\",\"method\":\"ping\",\"params\":{}}", TOAD__RPC_REQUEST);
    is_kind("{\"jsonrpc\":\"2.0\",\"id\":-9007199254740993,\"method\":\"x\",\"extra\":[]}", TOAD__RPC_REQUEST);
    is_kind("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}", TOAD__RPC_NOTIFICATION);
    is_kind("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":null}", TOAD__RPC_RESULT);
    is_kind("{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-1,\"message\":\"\"}}", TOAD__RPC_ERROR);
    is_kind("{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{}}", TOAD__RPC_ERROR);
    is_kind("{\"jsonrpc\":\"2.0\",\"error\":{}}", TOAD__RPC_ERROR);
    is_kind("[]", TOAD__RPC_BATCH);
    is_kind(" [{}] ", TOAD__RPC_BATCH);
}

static void refuses_the_rest(void **state) {
    (void)state;
    is_refused("", TOAD__RPC_PARSE, false);
    is_refused("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\"", TOAD__RPC_PARSE, false);
    is_refused("{\"jsonrpc\":\"2.0\",\"id\":1,\"id\":2,\"method\":\"a\"}", TOAD__RPC_PARSE, false);
    is_refused("1", TOAD__RPC_REQUEST_INVALID, false);
    is_refused("{}", TOAD__RPC_REQUEST_INVALID, false);
    is_refused("{\"id\":1,\"method\":\"a\"}", TOAD__RPC_REQUEST_INVALID, true);
    is_refused("{\"jsonrpc\":\"1.0\",\"id\":1,\"method\":\"a\"}", TOAD__RPC_REQUEST_INVALID, true);
    is_refused("{\"jsonrpc\":2.0,\"id\":1,\"method\":\"a\"}", TOAD__RPC_REQUEST_INVALID, true);
    is_refused("{\"jsonrpc\":\"2.0\",\"id\":1}", TOAD__RPC_REQUEST_INVALID, true);
    is_refused("{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"a\"}", TOAD__RPC_REQUEST_INVALID, false);
    is_refused("{\"jsonrpc\":\"2.0\",\"id\":1.5,\"method\":\"a\"}", TOAD__RPC_REQUEST_INVALID, false);
    is_refused("{\"jsonrpc\":\"2.0\",\"id\":1e2,\"method\":\"a\"}", TOAD__RPC_REQUEST_INVALID, false);
    is_refused("{\"jsonrpc\":\"2.0\",\"id\":[1],\"method\":\"a\"}", TOAD__RPC_REQUEST_INVALID, false);
    is_refused("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":7}", TOAD__RPC_REQUEST_INVALID, true);
    is_refused("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\"}", TOAD__RPC_REQUEST_INVALID, true);
    is_refused("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\",\"params\":[1]}", TOAD__RPC_PARAMS, true);
    is_refused("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\",\"result\":1}", TOAD__RPC_REQUEST_INVALID, true);
    is_refused("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":1,\"error\":{}}", TOAD__RPC_REQUEST_INVALID, false);
    is_refused("{\"jsonrpc\":\"2.0\",\"result\":1}", TOAD__RPC_REQUEST_INVALID, false);
    is_refused("{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":\"x\"}", TOAD__RPC_REQUEST_INVALID, false);
}

static void bounds_ids_methods_depth_and_size(void **state) {
    char text[1024], name[300];
    (void)state;
    memset(name, 'a', sizeof name);
    snprintf(text, sizeof text, "{\"jsonrpc\":\"2.0\",\"id\":\"%.254s\",\"method\":\"%.128s\"}", name, name);
    is_kind(text, TOAD__RPC_REQUEST);
    snprintf(text, sizeof text, "{\"jsonrpc\":\"2.0\",\"id\":\"%.255s\",\"method\":\"m\"}", name);
    is_refused(text, TOAD__RPC_REQUEST_INVALID, false);
    snprintf(text, sizeof text, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"%.129s\"}", name);
    is_refused(text, TOAD__RPC_REQUEST_INVALID, true);
    memset(name, '[', 200);
    name[200] = 0;
    is_refused(name, TOAD__RPC_REQUEST_INVALID, false);
    read_message m = read_bytes(toad__str(NULL, 0));
    drop(&m);
    toad__rpc rpc;
    toad__arena arena;
    toad__arena_init(&arena, 1024);
    assert_int_equal(toad__rpc_read(toad__str("", TOAD__RPC_MESSAGE_MAX + 1), &arena, &rpc), TOAD_E_LIMIT);
    assert_int_equal(toad__rpc_read(TOAD__S("[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16]"), &arena, &rpc), TOAD_E_LIMIT);
    toad__arena_free(&arena);
}

static void ids_are_compared_by_meaning(void **state) {
    static const struct {
        const char *a, *b;
        bool same;
    } rows[] = {
        { "1", "1", true },       { "1", "2", false }, { "1", "\"1\"", false }, { "\"a\"", "\"\\u0061\"", true },
        { "\"\"", "\"\"", true },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[128];
        snprintf(text, sizeof text, "[%s,%s]", rows[i].a, rows[i].b);
        read_message m = read_bytes(toad__str_z(text));
        assert_int_equal(toad__rpc_same_id(m.rpc.root->child, m.rpc.root->child->next), rows[i].same);
        assert_false(toad__rpc_same_id(m.rpc.root->child, NULL));
        drop(&m);
    }
}

static void frames_are_escaped(void **state) {
    toad__buf b;
    (void)state;
    read_message m = read_bytes(TOAD__S("{\"jsonrpc\":\"2.0\",\"id\":\"\\u202e\\n\\\"\",\"method\":\"a\"}"));
    toad__buf_init(&b, 4096);
    toad__rpc_add_error(&b, m.rpc.id, -32601, "no \"such\"", TOAD__S("{}"));
    toad__buf_add_c(&b, 0);
    assert_string_equal(b.p, "{\"jsonrpc\":\"2.0\",\"id\":\"\\u202e\\n\\\"\",\"error\":{\"code\":-32601,\"message\":"
                             "\"no \\\"such\\\"\",\"data\":{}}}");
    toad__buf_clear(&b);
    toad__rpc_add_error(&b, NULL, -32700, "x", toad__str(NULL, 0));
    toad__rpc_begin_result(&b, m.rpc.id);
    toad__rpc_begin_notification(&b, "n");
    toad__rpc_add_int(&b, INT64_MIN);
    toad__buf_add_c(&b, 0);
    assert_string_equal(b.p, "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32700,\"message\":\"x\"}}"
                             "{\"jsonrpc\":\"2.0\",\"id\":\"\\u202e\\n\\\"\",\"result\":"
                             "{\"jsonrpc\":\"2.0\",\"method\":\"n\",\"params\":-9223372036854775808");
    toad__buf_free(&b);
    drop(&m);
}

/* Whatever the pieces it is fed in. */
static void finds_the_id_of_what_is_not_kept(void **state) {
    static const char *const rows[][2] = {
        { "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"x\"}", "7" },
        { "{\"method\":\"x\",\"params\":{\"id\":1,\"a\":[{\"id\":2}]},\"id\":\"a\\\"}\\u0041\"}", "\"a\\\"}A\"" },
        { "{\"id\" : -12 , \"x\":\"\\\\\"}", "-12" },
        { "{\"a\":\"id\",\"b\":\":\",\"xid\":3,\"idx\":4,\"id\":5}", "5" },
        { "{\"params\":{\"id\":1}}", "" },
        { "[{\"id\":1}]", "" },
        { "{\"id\":null}", "" },
        { "{\"id\":1.5}", "" },
        { "{\"id\":[1],\"a\":2}", "" },
        { "{\"id\":{},\"a\":2}", "" },
        { "{\"id\":1", "" },
        { "}]:\"id\":1", "" },
        { "", "" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        size_t n = strlen(rows[i][0]);
        for (size_t cut = 0; cut <= n; cut++) {
            toad__rpc_id_finder f = { 0 };
            toad__buf b;
            toad__buf_init(&b, 1024);
            toad__rpc_find_id(&f, toad__str(rows[i][0], cut));
            toad__rpc_find_id(&f, toad__str(rows[i][0] + cut, n - cut));
            toad__rpc_found_id(&f, &b);
            toad__buf_add_c(&b, 0);
            assert_string_equal(b.p, rows[i][1]);
            toad__buf_free(&b);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(knows_the_kinds),
        cmocka_unit_test(refuses_the_rest),
        cmocka_unit_test(bounds_ids_methods_depth_and_size),
        cmocka_unit_test(ids_are_compared_by_meaning),
        cmocka_unit_test(frames_are_escaped),
        cmocka_unit_test(finds_the_id_of_what_is_not_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
