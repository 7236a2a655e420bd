/* mcp_call.c - what a handler adds to its answer, says on the way, and asks.
 *
 * Content blocks are written as they are added; what a revision does not know is left out when the result is put
 * together. A handler cannot answer twice: it fills the call, and the method that ran it writes the one result or
 * error. */
#include "proto/mcp_internal.h"

/* ---- writing ---- */

void mcp_member_str(toad__buf *b, const char *key, toad_str value) {
    toad__json_add_key(b, key);
    toad__json_add_utf8(b, value);
}

/* Nothing where there is no value. */
void mcp_member(toad__buf *b, const char *key, const char *value) {
    if (value) mcp_member_str(b, key, toad__str_z(value));
}

void mcp_add_server_info(toad__buf *b, const toad__mcp_server *server, toad__mcp_version version) {
    toad__buf_add_c(b, '{');
    mcp_member(b, "name", server->name);
    if (version >= TOAD__MCP_2025_06_18) mcp_member(b, "title", server->title);
    mcp_member(b, "version", server->version);
    toad__buf_add_c(b, '}');
}

static toad__buf *open_result(toad__mcp *mcp, const mcp_entry *entry, const char *type) {
    toad__buf *b = &mcp->out;
    toad__buf_clear(b);
    toad__rpc_begin_result(b, entry->rpc.id);
    toad__buf_add_c(b, '{');
    if (!mcp_is_modern(entry->version)) return b;
    mcp_member(b, "resultType", type);
    toad__buf_add_z(b, ",\"_meta\":{\"io.modelcontextprotocol/serverInfo\":");
    mcp_add_server_info(b, mcp->server, entry->version);
    if (toad__str_eq(entry->rpc.method, TOAD__S("subscriptions/listen"))) {
        toad__json_add_key(b, MCP_SUBSCRIPTION);
        toad__rpc_add_id(b, entry->rpc.id);
    }
    toad__buf_add_c(b, '}');
    return b;
}

toad__buf *mcp_open_result(toad__mcp *mcp, const mcp_entry *entry) { return open_result(mcp, entry, "complete"); }

void mcp_close_result(toad__mcp *mcp) { toad__buf_add_z(&mcp->out, "}}"); }

/* Lists depend on who asks: they are private. */
void mcp_add_caching(toad__mcp *mcp, const mcp_entry *entry) {
    if (!mcp_is_modern(entry->version)) return;
    toad__json_add_key(&mcp->out, "ttlMs");
    toad__rpc_add_int(&mcp->out, mcp->server->ttl_ms);
    mcp_member(&mcp->out, "cacheScope", "private");
}

/* ---- the call ---- */

void mcp_call_begin(toad__mcp *mcp, mcp_entry *entry, toad__mcp_call *call) {
    *call = (toad__mcp_call){ .ctx = mcp->server->ctx,
                              .version = entry->version,
                              .params = entry->rpc.params,
                              .mcp = mcp,
                              .entry = entry,
                              .state = entry->kept };
    toad__buf_init(&call->content, TOAD__MCP_OUT_MAX / 4);
    toad__buf_init(&call->structured, TOAD__MCP_OUT_MAX / 4);
    toad__buf_init(&call->data, 1u << 16);
}

void mcp_call_end(toad__mcp_call *call) {
    toad__buf_free(&call->content);
    toad__buf_free(&call->structured);
    toad__buf_free(&call->data);
}

void toad__mcp_add_json(toad__mcp_call *call, toad_str json) {
    toad__json_add_key(&call->content, NULL);
    toad__buf_add_str(&call->content, json);
}

static void add_text_block(toad__buf *b, toad_str text) {
    toad__buf_add_z(b, "{\"type\":\"text\",\"text\":");
    toad__json_add_utf8(b, text);
    toad__buf_add_c(b, '}');
}

void toad__mcp_add_text(toad__mcp_call *call, toad_str text) {
    toad__json_add_key(&call->content, NULL);
    add_text_block(&call->content, text);
}

void toad__mcp_add_message(toad__mcp_call *call, const char *role, toad_str text) {
    toad__json_add_key(&call->content, NULL);
    toad__buf_add_c(&call->content, '{');
    mcp_member(&call->content, "role", role);
    toad__json_add_key(&call->content, "content");
    add_text_block(&call->content, text);
    toad__buf_add_c(&call->content, '}');
}

void toad__mcp_add_resource(toad__mcp_call *call, const toad__mcp_resource *resource) {
    toad__buf *b = &call->content;
    toad__json_add_key(b, NULL);
    toad__buf_add_c(b, '{');
    mcp_member_str(b, "uri", resource->uri);
    mcp_member_str(b, "name", resource->name);
    if (resource->title.n && call->version >= TOAD__MCP_2025_06_18) mcp_member_str(b, "title", resource->title);
    if (resource->description.n) mcp_member_str(b, "description", resource->description);
    if (resource->mime_type.n) mcp_member_str(b, "mimeType", resource->mime_type);
    toad__buf_add_c(b, '}');
}

void toad__mcp_add_contents(toad__mcp_call *call, const char *mime_type, toad_str text) {
    toad__buf *b = &call->content;
    toad__json_add_key(b, NULL);
    toad__buf_add_c(b, '{');
    mcp_member_str(b, "uri", call->name);
    mcp_member(b, "mimeType", mime_type);
    mcp_member_str(b, "text", text);
    toad__buf_add_c(b, '}');
}

void toad__mcp_set_structured(toad__mcp_call *call, toad_str json) {
    toad__buf_clear(&call->structured);
    toad__buf_add_str(&call->structured, json);
    toad__mcp_add_text(call, json);
}

toad_status toad__mcp_tool_error(toad__mcp_call *call, toad_str text) {
    toad__buf_clear(&call->content);
    toad__buf_clear(&call->structured);
    call->is_error = true;
    toad__mcp_add_text(call, text);
    return TOAD_OK;
}

toad_status toad__mcp_fail(toad__mcp_call *call, int code, const char *message) {
    call->code = code;
    call->message = message;
    return TOAD_E_ARG;
}

/* ---- on the way ---- */

bool toad__mcp_progress(toad__mcp_call *call, uint64_t done, uint64_t total, const char *message) {
    mcp_entry *entry = call->entry;
    toad__buf *b = &call->mcp->out;
    if (entry->token && done + 1 > entry->progressed) {
        entry->progressed = done + 1;
        toad__buf_clear(b);
        toad__rpc_begin_notification(b, "notifications/progress");
        toad__buf_add_z(b, "{\"progressToken\":");
        toad__rpc_add_id(b, entry->token);
        toad__buf_add_z(b, ",\"progress\":");
        toad__buf_add_u64(b, done);
        toad__buf_add_z(b, ",\"total\":");
        toad__buf_add_u64(b, total);
        if (call->version >= TOAD__MCP_2025_03_26) mcp_member(b, "message", message);
        toad__buf_add_z(b, "}}");
        mcp_emit(call->mcp, entry->packet->stream, TOAD__MCP_NOTIFICATION, 200);
    }
    if (call->mcp->server->poll) call->mcp->server->poll(call->mcp->server->wire);
    return !entry->cancelled;
}

void toad__mcp_log(toad__mcp_call *call, const char *level, const char *logger, toad_str data) {
    toad__buf *b = &call->mcp->out;
    if (mcp_log_level(toad__str_z(level)) < call->entry->log_level) return;
    toad__buf_clear(b);
    toad__rpc_begin_notification(b, "notifications/message");
    toad__buf_add_c(b, '{');
    mcp_member(b, "level", level);
    mcp_member(b, "logger", logger);
    toad__json_add_key(b, "data");
    toad__buf_add_str(b, data);
    toad__buf_add_z(b, "}}");
    mcp_emit(call->mcp, call->entry->packet->stream, TOAD__MCP_NOTIFICATION, 200);
}

void toad__mcp_pause(toad__mcp_call *call) {
    toad__buf_clear(&call->mcp->out);
    mcp_emit(call->mcp, call->entry->packet->stream, TOAD__MCP_PAUSE, 200);
}

/* ---- questions to the client ---- */

static const struct {
    const char *method, *capability, *required;
} ask_kinds[] = {
    [TOAD__MCP_ASK_FORM] = { "elicitation/create", "elicitation",
                             "{\"requiredCapabilities\":{\"elicitation\":{\"form\":{}}}}" },
    [TOAD__MCP_ASK_URL] = { "elicitation/create", "elicitation",
                            "{\"requiredCapabilities\":{\"elicitation\":{\"url\":{}}}}" },
    [TOAD__MCP_ASK_SAMPLING] = { "sampling/createMessage", "sampling", "{\"requiredCapabilities\":{\"sampling\":{}}}" },
    [TOAD__MCP_ASK_ROOTS] = { "roots/list", "roots", "{\"requiredCapabilities\":{\"roots\":{}}}" },
};

bool toad__mcp_can_ask(const toad__mcp_call *call, toad__mcp_ask_kind kind) { return call->entry->can_ask >> kind & 1; }

const toad__json *toad__mcp_answer(const toad__mcp_call *call, const char *key) {
    for (size_t i = 0; i < call->entry->answers_n; i++)
        if (!strcmp(call->entry->answers[i].key, key)) return call->entry->answers[i].answer;
    const toad__json *all = mcp_is_modern(call->version) ? toad__json_get(call->params, "inputResponses") : NULL;
    return toad__json_get(all, key);
}

void toad__mcp_keep(toad__mcp_call *call, toad_str state) {
    if (state.n <= TOAD__MCP_STATE_MAX) call->entry->keep = toad__arena_dup(&call->entry->own, state);
}

static void fail_capability(toad__mcp_call *call, toad__mcp_ask_kind kind) {
    bool modern = mcp_is_modern(call->version);
    call->code = modern ? TOAD__MCP_CAPABILITY_MISSING : TOAD__RPC_REQUEST_INVALID;
    call->message = "the client does not declare a capability that this needs";
    toad__buf_clear(&call->data);
    toad__buf_add_z(&call->data, ask_kinds[kind].required);
}

void toad__mcp_ask(toad__mcp_call *call, const char *key, toad__mcp_ask_kind kind, toad_str params) {
    mcp_entry *entry = call->entry;
    toad_str copy = toad__arena_dup(&entry->own, params);
    if (!toad__mcp_can_ask(call, kind))
        fail_capability(call, kind);
    else if (!(entry->method->flags & MCP_CAN_ASK) || entry->asks_n == TOAD__MCP_ASKS || !copy.p)
        call->code = TOAD__RPC_INTERNAL;
    else
        entry->asks[entry->asks_n++] = (mcp_ask){ .key = key, .kind = kind, .params = copy };
}

/* 2026-07-28: the questions are the result, and the client comes again. */
static void answer_input_required(toad__mcp_call *call) {
    mcp_entry *entry = call->entry;
    toad__buf *b = open_result(call->mcp, entry, "input_required");
    toad__json_add_key(b, "inputRequests");
    toad__buf_add_c(b, '{');
    for (size_t i = 0; i < entry->asks_n; i++) {
        toad__json_add_key(b, entry->asks[i].key);
        toad__buf_add_c(b, '{');
        mcp_member(b, "method", ask_kinds[entry->asks[i].kind].method);
        toad__json_add_key(b, "params");
        toad__buf_add_str(b, entry->asks[i].params);
        toad__buf_add_c(b, '}');
    }
    toad__buf_add_c(b, '}');
    toad__json_add_key(b, "requestState");
    toad__buf_add_c(b, '"');
    bool sealed = mcp_seal(call->mcp, entry, entry->keep, b);
    toad__buf_add_c(b, '"');
    mcp_close_result(call->mcp);
    if (sealed)
        mcp_answer(call->mcp, entry);
    else
        mcp_answer_error(call->mcp, entry, TOAD__RPC_INTERNAL, "the state could not be kept", toad__str(NULL, 0));
}

static size_t waiting(const toad__mcp *mcp) {
    size_t n = 0;
    for (const mcp_entry *e = mcp->entries; e; e = e->next) n += e->state == MCP_WAITING;
    return n;
}

/* Before: the questions are requests of ours, and the call waits. */
static void send_asks(toad__mcp_call *call) {
    mcp_entry *entry = call->entry;
    toad__buf *b = &call->mcp->out;
    entry->state = MCP_WAITING;
    entry->rounds++;
    for (size_t i = 0; i < entry->asks_n; i++) {
        mcp_ask *ask = &entry->asks[i];
        ask->id = ++call->mcp->asked;
        toad__buf_clear(b);
        toad__buf_add_z(b, "{\"jsonrpc\":\"2.0\",\"id\":\"toadstone-");
        toad__buf_add_u64(b, ask->id);
        toad__buf_add_z(b, "\",");
        toad__buf_add_z(b, "\"method\":\"");
        toad__buf_add_z(b, ask_kinds[ask->kind].method);
        toad__buf_add_z(b, "\",\"params\":");
        toad__buf_add_str(b, ask->params);
        toad__buf_add_c(b, '}');
        mcp_emit(call->mcp, entry->packet->stream, TOAD__MCP_REQUEST, 200);
    }
}

bool mcp_call_settled(toad__mcp_call *call, toad_status status) {
    mcp_entry *entry = call->entry;
    size_t asked = entry->asks_n;
    bool failed = status || call->code,
         full = entry->rounds >= TOAD__MCP_ROUNDS || waiting(call->mcp) >= TOAD__MCP_LISTENERS;
    if (call->content.status || call->structured.status) failed = true;
    if (!failed && !asked) return false;
    if (entry->cancelled) return true;
    if (failed) {
        entry->asks_n = 0;
        mcp_answer_error(call->mcp, entry, call->code ? call->code : TOAD__RPC_INTERNAL,
                         call->message ? call->message : "internal error", toad__buf_str(&call->data));
    } else if (mcp_is_modern(call->version)) {
        answer_input_required(call);
        entry->asks_n = 0;
    } else if (full) {
        entry->asks_n = 0;
        mcp_answer_error(call->mcp, entry, TOAD__RPC_INTERNAL, "too many questions are open", toad__str(NULL, 0));
    } else {
        send_asks(call);
    }
    return true;
}
