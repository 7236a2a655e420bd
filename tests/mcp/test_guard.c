/* Names, origins, tokens, targets and headers of a request, before any face sees it. */
#include "face/http/head.h"
#include "lib/base/str.h"
#include "tests/check.h"
#include "tests/support/exact.h"

static void hosts(void **state) {
    static const char *const ours[] = { "localhost", "LocalHost:80", "127.0.0.1",     "127.0.0.1:65535",
                                        "[::1]",     "[::1]:1",      "toadstone.lan", "TOADSTONE.LAN:8731" };
    static const char *const others[] = { "",
                                          "evil.example",
                                          "localhost.evil.example",
                                          "127.0.0.2",
                                          "127.0.0.1.",
                                          "localhost:",
                                          "localhost:x",
                                          "[::1",
                                          "[::1]x",
                                          "::1",
                                          ":80",
                                          "localhost:1:2",
                                          "user@localhost",
                                          "localhost/",
                                          "xtoadstone.lan" };
    http_guard g = { .hosts = { "toadstone.lan" }, .hosts_n = 1 };
    (void)state;
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++) assert_true(http_host_allowed(&g, toad__str_z(ours[i])));
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        assert_false(http_host_allowed(&g, toad__str_z(others[i])));
    g.hosts[0] = "*";
    assert_true(http_host_allowed(&g, TOAD__S("evil.example")));
    assert_false(http_host_allowed(&g, TOAD__S("a:b")));
    assert_false(http_host_allowed(&g, toad__str(NULL, 0)));
}

static void origins(void **state) {
    static const char *const others[] = { "",
                                          "null",
                                          "http://",
                                          "http://evil.example",
                                          "http://localhost.evil.example",
                                          "ftp://localhost",
                                          "localhost",
                                          "http://user@localhost",
                                          "https://app.example.com:1",
                                          "http://toadstone.lan" };
    http_guard g = {
        .hosts = { "toadstone.lan" }, .hosts_n = 1, .origins = { "https://app.example.com" }, .origins_n = 1
    };
    (void)state;
    assert_true(http_origin_allowed(&g, toad__str(NULL, 0)));
    assert_true(http_origin_allowed(&g, TOAD__S("http://localhost:3000")));
    assert_true(http_origin_allowed(&g, TOAD__S("https://[::1]")));
    assert_true(http_origin_allowed(&g, TOAD__S("https://app.example.com")));
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        assert_false(http_origin_allowed(&g, toad__str_z(others[i])));
}

static void tokens(void **state) {
    http_guard g = { .tokens_n = 0 };
    char one[HTTP_PRINCIPAL_MAX + 1], two[HTTP_PRINCIPAL_MAX + 1];
    size_t line;
    (void)state;
    assert_true(http_token_allowed(&g, toad__str(NULL, 0), one));
    assert_string_equal(one, "local");
    assert_true(http_guard_add_tokens(&g, TOAD__S("# first\r\n\r\n  first-token-012345 \nsecond-token-01234"), &line));
    assert_int_equal(g.tokens_n, 2);
    assert_true(http_token_allowed(&g, TOAD__S("Bearer first-token-012345"), one));
    assert_true(http_token_allowed(&g, TOAD__S("BEARER  second-token-01234 "), two));
    assert_string_not_equal(one, two);
    for (const char *const *bad =
             (const char *const[]){ "", "Bearer ", "Bearer first-token-01234", "Bearer first-token-0123456",
                                    "first-token-012345", "Basic first-token-012345", "Bearer FIRST-TOKEN-012345",
                                    NULL };
         *bad; bad++)
        assert_false(http_token_allowed(&g, toad__str_z(*bad), one));
    assert_false(http_token_allowed(&g, toad__str(NULL, 0), one));
    assert_false(http_guard_add_tokens(&g, TOAD__S("\n\nhas a blank in it\n"), &line));
    assert_int_equal(line, 3);
    assert_false(http_guard_add_tokens(&g, TOAD__S("#\n"), &line));
    assert_int_equal(line, 0);
    assert_false(http_guard_add_token(&g, TOAD__S("fifteen-letters")));
    while (g.tokens_n < HTTP_TOKENS_MAX) assert_true(http_guard_add_token(&g, TOAD__S("another-token-0123")));
    assert_false(http_guard_add_token(&g, TOAD__S("another-token-0123")));
}

static void loopback(void **state) {
    (void)state;
    assert_true(http_is_loopback("127.0.0.1"));
    assert_true(http_is_loopback("127.8.8.8"));
    assert_true(http_is_loopback("::1"));
    assert_false(http_is_loopback("0.0.0.0"));
    assert_false(http_is_loopback("::"));
    assert_false(http_is_loopback("::ffff:127.0.0.1x"));
    assert_false(http_is_loopback("localhost"));
}

/* ---- heads ---- */

static toad_status read_head(const char *target, http_head *head) {
    const http_header_line lines[] = { { TOAD__S("HOST"), TOAD__S(" localhost ") },
                                       { TOAD__S("X"), TOAD__S("\ty z\t") } };
    char *copy = exact_dup(target, strlen(target));
    toad_status status = http_head_new(TOAD__S("GET"), toad__str(copy, strlen(target)), lines, 2, head);
    free(copy);
    return status;
}

static void targets(void **state) {
    http_head h;
    char room[64];
    (void)state;
    assert_int_equal(read_head("/a%2Fb%20c?q=1%2B1+2&r&q=3", &h), TOAD_OK);
    assert_true(toad__str_eq(h.path, TOAD__S("/a/b c")));
    assert_true(toad__str_eq(http_head_query(&h, TOAD__S("q"), room), TOAD__S("1+1 2")));
    assert_true(http_head_query(&h, TOAD__S("r"), room).p && !http_head_query(&h, TOAD__S("r"), room).n);
    assert_null(http_head_query(&h, TOAD__S("s"), room).p);
    assert_true(toad__str_eq(http_head_get(&h, "host"), TOAD__S("localhost")));
    assert_true(toad__str_eq(http_head_get(&h, "x"), TOAD__S("y z")));
    assert_null(http_head_get(&h, "y").p);
    http_head_free(&h);
    for (const char *const *bad =
             (const char *const[]){ "", "mcp", "http://localhost/mcp", "/%", "/%4", "/%zz", "/%00", "/%0a", NULL };
         *bad; bad++)
        assert_int_equal(read_head(*bad, &h), TOAD_E_SYNTAX);
    assert_int_equal(read_head("/?q=%00", &h), TOAD_OK);
    assert_null(http_head_query(&h, TOAD__S("q"), room).p);
    http_head_free(&h);
}

static void headers_that_others_read_otherwise_are_refused(void **state) {
    static const char *const names[] = { "", "Host ", "\tHost", "Transfer-Encoding ", "Ho:st", "Ho\xc3\xb6st" };
    http_head h;
    http_header_line line = { TOAD__S("X"), TOAD__S("a\rb") };
    (void)state;
    assert_int_equal(http_head_new(TOAD__S("GET"), TOAD__S("/"), &line, 1, &h), TOAD_E_SYNTAX);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        line = (http_header_line){ toad__str_z(names[i]), TOAD__S("localhost") };
        assert_int_equal(http_head_new(TOAD__S("GET"), TOAD__S("/"), &line, 1, &h), TOAD_E_SYNTAX);
    }
    http_header_line many[HTTP_HEADERS_MAX + 1];
    for (size_t i = 0; i <= HTTP_HEADERS_MAX; i++) many[i] = (http_header_line){ TOAD__S("X"), TOAD__S("y") };
    assert_int_equal(http_head_new(TOAD__S("GET"), TOAD__S("/"), many, HTTP_HEADERS_MAX + 1, &h), TOAD_E_LIMIT);
}

static void run_nothing(void *ctx, http_request *r) {
    (void)ctx;
    (void)r;
}

static int admit(const char *method, const char *path, const http_header_line *lines, size_t n, bool token,
                 http_refusal *refusal) {
    static const http_route routes[] = { { "POST", "/mcp", 100, 0, run_nothing },
                                         { "GET", "/mcp", 0, 0, run_nothing },
                                         { "GET", "/open/*", 0, HTTP_OPEN, run_nothing } };
    http_guard g = { .origins = { "https://app.example.com" }, .origins_n = 1 };
    http_settings s = { .guard = &g, .routes = routes, .routes_n = 3 };
    http_head h;
    char principal[HTTP_PRINCIPAL_MAX + 1];
    if (token) assert_true(http_guard_add_token(&g, TOAD__S("first-token-012345")));
    assert_int_equal(http_head_new(toad__str_z(method), toad__str_z(path), lines, n, &h), TOAD_OK);
    const http_route *route = http_admit(&s, &h, principal, refusal);
    assert_true(!route == !!refusal->status);
    http_head_free(&h);
    return refusal->status;
}

static void what_is_admitted(void **state) {
    const http_header_line listed[] = { { TOAD__S("Host"), TOAD__S("localhost") },
                                        { TOAD__S("Origin"), TOAD__S("https://app.example.com") } };
    const http_header_line host[] = { { TOAD__S("Host"), TOAD__S("localhost") },
                                      { TOAD__S("Content-Length"), TOAD__S("101") } };
    const http_header_line odd[] = { { TOAD__S("Host"), TOAD__S("localhost") },
                                     { TOAD__S("Transfer-Encoding"), TOAD__S("identity, chunked") } };
    const http_header_line twins[] = { { TOAD__S("Host"), TOAD__S("localhost") },
                                       { TOAD__S("mcp-method"), TOAD__S("a") },
                                       { TOAD__S("Mcp-Method"), TOAD__S("a") } };
    const http_header_line both[] = { { TOAD__S("Host"), TOAD__S("localhost") },
                                      { TOAD__S("Content-Length"), TOAD__S("1") },
                                      { TOAD__S("Transfer-Encoding"), TOAD__S("chunked") } };
    const http_header_line page[] = { { TOAD__S("Host"), TOAD__S("localhost") },
                                      { TOAD__S("Origin"), TOAD__S("http://evil.example") } };
    http_refusal r;
    (void)state;
    assert_int_equal(admit("POST", "/mcp", host, 1, false, &r), 0);
    assert_int_equal(admit("HEAD", "/mcp", host, 1, false, &r), 0);
    assert_int_equal(admit("POST", "/mcp", host, 2, false, &r), 413);
    assert_int_equal(admit("OPTIONS", "/mcp", listed, 2, true, &r), 204);
    assert_int_equal(admit("GET", "/mcp", listed, 2, true, &r), 401);
    assert_int_equal(admit("OPTIONS", "/mcp", host, 1, false, &r), 405);
    assert_int_equal(admit("GET", "/open/x", host, 1, true, &r), 0);
    assert_int_equal(admit("GET", "/mcp", host, 1, true, &r), 401);
    assert_int_equal(admit("GET", "/none", host, 1, true, &r), 401);
    assert_int_equal(admit("GET", "/none", host, 1, false, &r), 404);
    assert_int_equal(admit("GET", "/mcp/x", host, 1, false, &r), 404);
    assert_int_equal(admit("PUT", "/mcp", host, 1, false, &r), 405);
    assert_string_equal(r.allow, "POST, GET");
    assert_int_equal(admit("POST", "/mcp", twins, 3, false, &r), 400);
    assert_int_equal(admit("POST", "/mcp", odd, 2, false, &r), 400);
    assert_int_equal(admit("POST", "/mcp", both, 3, false, &r), 400);
    assert_int_equal(admit("POST", "/mcp", page, 2, false, &r), 403);
    assert_int_equal(admit("POST", "/mcp", page + 1, 1, false, &r), 403);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hosts),
        cmocka_unit_test(origins),
        cmocka_unit_test(tokens),
        cmocka_unit_test(loopback),
        cmocka_unit_test(targets),
        cmocka_unit_test(headers_that_others_read_otherwise_are_refused),
        cmocka_unit_test(what_is_admitted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
