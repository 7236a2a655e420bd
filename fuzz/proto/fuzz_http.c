/* The HTTP face as a pure function: a request as text (request line, headers, empty line, body) is judged by all the
 * rules that stand before an engine. Nothing is admitted that has a host, an origin or a token of a stranger; what is
 * refused has a status of its own; headers that are accepted say what the body says. */
#include "face/http/head.h"
#include "fuzz/fuzz.h"
#include "lib/base/str.h"
#include "proto/mcp_http.h"
#include "tests/mcp/fixture.h"
#include "tests/support/exact.h"

static void no_handler(void *ctx, http_request *request) {
    (void)ctx;
    (void)request;
}

static const http_route routes[] = { { "POST", "/mcp", 1 << 20, 0, no_handler },
                                     { "GET", "/mcp", 0, 0, no_handler },
                                     { "GET", "/open/*", 0, HTTP_OPEN, no_handler } };

static toad_str line_of(toad_str in, size_t *at) {
    size_t end = toad__str_find(in, TOAD__S("\n"), *at);
    toad_str line = toad__str_part(in, *at, end);
    *at = end + 1;
    return line;
}

static toad_str find(void *ctx, const char *name) { return http_head_get(ctx, name); }

static void check_round(toad_str text) {
    toad__buf coded, plain;
    toad__buf_init(&coded, 1u << 24);
    toad__buf_init(&plain, 1u << 24);
    toad__mcp_header_encode(&coded, text);
    for (size_t i = 0; i < coded.n; i++) MUST(coded.p[i] >= ' ' && coded.p[i] <= '~');
    MUST(!coded.n || (coded.p[0] != ' ' && coded.p[coded.n - 1] != ' '));
    MUST(toad__mcp_header_decode(&plain, toad__buf_str(&coded)));
    MUST(toad__str_eq(toad__buf_str(&plain), text));
    toad__buf_free(&coded);
    toad__buf_free(&plain);
}

static void check_body(http_head *head, toad_str body) {
    toad__mcp_server server = fixture_server();
    toad__mcp_headers h = { .version = find(head, "mcp-protocol-version"),
                            .method = find(head, "mcp-method"),
                            .name = find(head, "mcp-name"),
                            .session = find(head, "mcp-session-id"),
                            .accept = find(head, "accept"),
                            .content_type = find(head, "content-type"),
                            .param = find,
                            .ctx = head };
    toad__mcp_refusal refusal = { 0, 0, NULL };
    toad__arena arena;
    toad__rpc rpc;
    MUST(toad__mcp_media_fit(&h, false, &refusal) == !refusal.http);
    toad__arena_init(&arena, TOAD__RPC_ARENA_MAX);
    if (!toad__rpc_read(body, &arena, &rpc)) {
        refusal = (toad__mcp_refusal){ 0, 0, NULL };
        (void)toad__mcp_era_of(&rpc, &h);
        bool mirrored = toad__mcp_mirrors(&server, &rpc, &h, &refusal);
        MUST(mirrored == !refusal.http && (mirrored || refusal.why));
        check_round(rpc.method);
        check_round(toad__mcp_name_of(&rpc));
    }
    toad__arena_free(&arena);
}

static void check_head(http_head *head, toad_str body) {
    http_guard guard = { .hosts = { "toadstone.example" }, .hosts_n = 1 };
    http_settings settings = { .guard = &guard, .routes = routes, .routes_n = 3 };
    http_refusal refusal;
    char principal[HTTP_PRINCIPAL_MAX + 1];
    char *room = exact_dup(head->query.p, head->query.n);
    toad_str value = http_head_query(head, TOAD__S("q"), room);
    MUST(value.n <= head->query.n);
    free(room);
    const http_route *route = http_admit(&settings, head, principal, &refusal);
    MUST(!route == !!refusal.status);
    if (route) {
        MUST(http_host_allowed(&guard, http_head_get(head, "host")));
        MUST(http_origin_allowed(&guard, http_head_get(head, "origin")));
        MUST(!strcmp(principal, "local"));
    }
    MUST(http_guard_add_token(&guard, TOAD__S("a-token-0123456789")));
    const http_route *known = http_admit(&settings, head, principal, &refusal);
    MUST(!known || route);
    if (known && !(known->flags & HTTP_OPEN))
        MUST(toad__str_find(http_head_get(head, "authorization"), TOAD__S("a-token-0123456789"), 0) <
             http_head_get(head, "authorization").n);
    check_body(head, body);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *copy = exact_dup(data, size);
    toad_str in = toad__str(copy, size), first;
    http_header_line lines[HTTP_HEADERS_MAX + 1];
    http_head head;
    size_t at = 0, n = 0;
    first = line_of(in, &at);
    for (toad_str line; at < in.n && n <= HTTP_HEADERS_MAX && (line = line_of(in, &at)).n; n++) {
        size_t colon = toad__str_find(line, TOAD__S(":"), 0);
        lines[n] = (http_header_line){ toad__str_part(line, 0, colon), toad__str_part(line, colon + 1, line.n) };
    }
    size_t blank = toad__str_find(first, TOAD__S(" "), 0);
    if (!http_head_new(toad__str_part(first, 0, blank), toad__str_part(first, blank + 1, first.n), lines, n, &head)) {
        MUST(head.path.n && !memchr(head.path.p, 0, head.path.n));
        check_head(&head, toad__str_part(in, at, in.n));
        http_head_free(&head);
    }
    free(copy);
    return 0;
}
