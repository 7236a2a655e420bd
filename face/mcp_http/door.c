/* door.c - see door.h. */
#include "face/mcp_http/door.h"

#include "lib/base/str.h"

static toad_str find_header(void *ctx, const char *name) { return http_header(ctx, name); }

static toad__mcp_headers headers_of(http_request *r) {
    return (toad__mcp_headers){ .version = http_header(r, "mcp-protocol-version"),
                                .method = http_header(r, "mcp-method"),
                                .name = http_header(r, "mcp-name"),
                                .session = http_header(r, "mcp-session-id"),
                                .accept = http_header(r, "accept"),
                                .content_type = http_header(r, "content-type"),
                                .param = find_header,
                                .ctx = r };
}

void mcp_door_accepted(http_request *r) {
    const http_answer accepted = { .status = 202 };
    http_reply(r, &accepted);
}

static void refuse(http_request *r, const toad__rpc *rpc, const toad__mcp_refusal *refusal) {
    const http_field field = { "Cache-Control", TOAD__S("no-store") };
    toad__buf b;
    if (!refusal->code) {
        http_reply_problem(r, refusal->http, refusal->why);
        return;
    }
    toad__buf_init(&b, 65536);
    toad__rpc_add_error(&b, rpc->id, refusal->code, refusal->why, toad__str(NULL, 0));
    const http_answer answer = { refusal->http, "application/json", toad__buf_str(&b), &field, 1 };
    http_reply(r, &answer);
    toad__buf_free(&b);
}

/* The session that a request names, or NULL after an answer. */
static void *session_of(const mcp_door *door, void *ctx, http_request *r, const toad__mcp_headers *h) {
    bool known = !h->version.p || toad__mcp_version_of(h->version) != TOAD__MCP_NO_VERSION;
    void *session = known ? door->find(ctx, h->session, http_principal(r)) : NULL;
    if (!session)
        http_reply_problem(r, known ? 404 : 400, known ? "no such session" : "MCP-Protocol-Version is none of ours");
    return session;
}

/* A message of a session that does not say which. */
static bool is_astray(const toad__rpc *rpc, const toad__mcp_headers *h) {
    return rpc->kind != TOAD__RPC_REQUEST && rpc->kind != TOAD__RPC_BATCH && h->version.p &&
           toad__mcp_version_of(h->version) < TOAD__MCP_2026_07_28;
}

static void post(const mcp_door *door, void *ctx, http_request *r, const toad__rpc *rpc, const toad__mcp_headers *h) {
    toad__mcp_refusal refusal = { 0, 0, NULL };
    toad__mcp_era era = toad__mcp_era_of(rpc, h);
    if (era == TOAD__MCP_SESSION) {
        void *session = session_of(door, ctx, r, h);
        if (session) door->post(ctx, session, r, rpc, h->version);
    } else if (era == TOAD__MCP_MODERN && !toad__mcp_mirrors(door->mirrored, rpc, h, &refusal)) {
        refuse(r, rpc, &refusal);
    } else if (is_astray(rpc, h)) {
        http_reply_problem(r, 400, "Mcp-Session-Id is missing");
    } else {
        (era == TOAD__MCP_HELLO ? door->hello : door->alone)(ctx, r, rpc, h->version);
    }
}

static void read_post(const mcp_door *door, void *ctx, http_request *r, const toad__mcp_headers *h) {
    toad__mcp_refusal refusal = { 0, 0, NULL };
    toad__arena arena;
    toad__rpc rpc;
    if (!toad__mcp_media_fit(h, false, &refusal)) {
        http_reply_problem(r, refusal.http, refusal.why);
        return;
    }
    toad__arena_init(&arena, TOAD__RPC_ARENA_MAX);
    if (toad__rpc_read(http_body(r), &arena, &rpc)) {
        refusal = (toad__mcp_refusal){ 400, rpc.code, rpc.why };
        refuse(r, &rpc, &refusal);
    } else {
        post(door, ctx, r, &rpc, h);
    }
    toad__arena_free(&arena);
}

/* GET and DELETE are of sessions alone. */
void mcp_door_open(const mcp_door *door, void *ctx, http_request *r) {
    static const http_field allow[] = { { "Allow", { "POST", 4 } } };
    static const http_answer only_post = { .status = 405, .fields = allow, .fields_n = 1 };
    toad__mcp_headers h = headers_of(r);
    toad__mcp_refusal refusal = { 0, 0, NULL };
    bool is_get = toad__str_eq(http_method(r), TOAD__S("GET"));
    void *session;
    if (toad__str_eq(http_method(r), TOAD__S("POST")))
        read_post(door, ctx, r, &h);
    else if (!h.session.p || toad__mcp_version_of(h.version) >= TOAD__MCP_2026_07_28)
        http_reply(r, &only_post);
    else if (is_get && !toad__mcp_media_fit(&h, true, &refusal))
        http_reply_problem(r, refusal.http, refusal.why);
    else if (!(session = session_of(door, ctx, r, &h)))
        return;
    else if (is_get)
        door->get(ctx, session, r, http_header(r, "last-event-id"));
    else
        door->end(ctx, session, r);
}
