/* mcp_call.c - what a handler adds to its answer, says on the way, and asks.
 *
 * Content blocks are written as they are added; what a revision does not know is left out when the result is put
 * together. A handler cannot answer twice: it fills the call, and the method that ran it writes the one result or
 * error. */
#include "proto/mcp_internal.h"

/* ---- writing ---- */

void mcp_member_str(bzr__buf *b, const char *key, bzr_str value) {
    bzr__json_add_key(b, key);
    bzr__json_add_utf8(b, value);
}

/* Nothing where there is no value. */
void mcp_member(bzr__buf *b, const char *key, const char *value) {
    if (value) mcp_member_str(b, key, bzr__str_z(value));
}

void mcp_add_server_info(bzr__buf *b, const bzr__mcp_server *server, bzr__mcp_version version) {
    bzr__buf_add_c(b, '{');
    mcp_member(b, "name", server->name);
    if (version >= BZR__MCP_2025_06_18) mcp_member(b, "title", server->title);
    mcp_member(b, "version", server->version);
    bzr__buf_add_c(b, '}');
}

static bzr__buf *open_result(bzr__mcp *mcp, const mcp_entry *entry, const char *type) {
    bzr__buf *b = &mcp->out;
    bzr__buf_clear(b);
    bzr__rpc_begin_result(b, entry->rpc.id);
    bzr__buf_add_c(b, '{');
    if (!mcp_is_modern(entry->version)) return b;
    mcp_member(b, "resultType", type);
    bzr__buf_add_z(b, ",\"_meta\":{\"io.modelcontextprotocol/serverInfo\":");
    mcp_add_server_info(b, mcp->server, entry->version);
    if (bzr__str_eq(entry->rpc.method, BZR__S("subscriptions/listen"))) {
        bzr__json_add_key(b, MCP_SUBSCRIPTION);
        bzr__rpc_add_id(b, entry->rpc.id);
    }
    bzr__buf_add_c(b, '}');
    return b;
}

bzr__buf *mcp_open_result(bzr__mcp *mcp, const mcp_entry *entry) { return open_result(mcp, entry, "complete"); }

void mcp_close_result(bzr__mcp *mcp) { bzr__buf_add_z(&mcp->out, "}}"); }

/* Lists depend on who asks: they are private. */
void mcp_add_caching(bzr__mcp *mcp, const mcp_entry *entry) {
    if (!mcp_is_modern(entry->version)) return;
    bzr__json_add_key(&mcp->out, "ttlMs");
    bzr__rpc_add_int(&mcp->out, mcp->server->ttl_ms);
    mcp_member(&mcp->out, "cacheScope", "private");
}

/* ---- the call ---- */

void mcp_call_begin(bzr__mcp *mcp, mcp_entry *entry, bzr__mcp_call *call) {
    *call = (bzr__mcp_call){ .ctx = mcp->server->ctx,
                             .version = entry->version,
                             .params = entry->rpc.params,
                             .mcp = mcp,
                             .entry = entry,
                             .state = entry->kept };
    bzr__buf_init(&call->content, BZR__MCP_OUT_MAX / 4);
    bzr__buf_init(&call->structured, BZR__MCP_OUT_MAX / 4);
    bzr__buf_init(&call->data, 1u << 16);
}

void mcp_call_end(bzr__mcp_call *call) {
    bzr__buf_free(&call->content);
    bzr__buf_free(&call->structured);
    bzr__buf_free(&call->data);
}

void bzr__mcp_add_json(bzr__mcp_call *call, bzr_str json) {
    bzr__json_add_key(&call->content, NULL);
    bzr__buf_add_str(&call->content, json);
}

static void add_text_block(bzr__buf *b, bzr_str text) {
    bzr__buf_add_z(b, "{\"type\":\"text\",\"text\":");
    bzr__json_add_utf8(b, text);
    bzr__buf_add_c(b, '}');
}

void bzr__mcp_add_text(bzr__mcp_call *call, bzr_str text) {
    bzr__json_add_key(&call->content, NULL);
    add_text_block(&call->content, text);
}

void bzr__mcp_add_message(bzr__mcp_call *call, const char *role, bzr_str text) {
    bzr__json_add_key(&call->content, NULL);
    bzr__buf_add_c(&call->content, '{');
    mcp_member(&call->content, "role", role);
    bzr__json_add_key(&call->content, "content");
    add_text_block(&call->content, text);
    bzr__buf_add_c(&call->content, '}');
}

void bzr__mcp_add_resource(bzr__mcp_call *call, const bzr__mcp_resource *resource) {
    bzr__buf *b = &call->content;
    bzr__json_add_key(b, NULL);
    bzr__buf_add_c(b, '{');
    mcp_member_str(b, "uri", resource->uri);
    mcp_member_str(b, "name", resource->name);
    if (resource->title.n && call->version >= BZR__MCP_2025_06_18) mcp_member_str(b, "title", resource->title);
    if (resource->description.n) mcp_member_str(b, "description", resource->description);
    if (resource->mime_type.n) mcp_member_str(b, "mimeType", resource->mime_type);
    bzr__buf_add_c(b, '}');
}

void bzr__mcp_add_contents(bzr__mcp_call *call, const char *mime_type, bzr_str text) {
    bzr__buf *b = &call->content;
    bzr__json_add_key(b, NULL);
    bzr__buf_add_c(b, '{');
    mcp_member_str(b, "uri", call->name);
    mcp_member(b, "mimeType", mime_type);
    mcp_member_str(b, "text", text);
    bzr__buf_add_c(b, '}');
}

void bzr__mcp_set_structured(bzr__mcp_call *call, bzr_str json) {
    bzr__buf_clear(&call->structured);
    bzr__buf_add_str(&call->structured, json);
    bzr__mcp_add_text(call, json);
}

bzr_status bzr__mcp_tool_error(bzr__mcp_call *call, bzr_str text) {
    bzr__buf_clear(&call->content);
    bzr__buf_clear(&call->structured);
    call->is_error = true;
    bzr__mcp_add_text(call, text);
    return BZR_OK;
}

bzr_status bzr__mcp_fail(bzr__mcp_call *call, int code, const char *message) {
    call->code = code;
    call->message = message;
    return BZR_E_ARG;
}

/* ---- on the way ---- */

bool bzr__mcp_progress(bzr__mcp_call *call, uint64_t done, uint64_t total, const char *message) {
    mcp_entry *entry = call->entry;
    bzr__buf *b = &call->mcp->out;
    if (entry->token && done + 1 > entry->progressed) {
        entry->progressed = done + 1;
        bzr__buf_clear(b);
        bzr__rpc_begin_notification(b, "notifications/progress");
        bzr__buf_add_z(b, "{\"progressToken\":");
        bzr__rpc_add_id(b, entry->token);
        bzr__buf_add_z(b, ",\"progress\":");
        bzr__buf_add_u64(b, done);
        bzr__buf_add_z(b, ",\"total\":");
        bzr__buf_add_u64(b, total);
        if (call->version >= BZR__MCP_2025_03_26) mcp_member(b, "message", message);
        bzr__buf_add_z(b, "}}");
        mcp_emit(call->mcp, entry->packet->stream, BZR__MCP_NOTIFICATION, 200);
    }
    if (call->mcp->server->poll) call->mcp->server->poll(call->mcp->server->wire);
    return !entry->cancelled;
}

void bzr__mcp_log(bzr__mcp_call *call, const char *level, const char *logger, bzr_str data) {
    bzr__buf *b = &call->mcp->out;
    if (mcp_log_level(bzr__str_z(level)) < call->entry->log_level) return;
    bzr__buf_clear(b);
    bzr__rpc_begin_notification(b, "notifications/message");
    bzr__buf_add_c(b, '{');
    mcp_member(b, "level", level);
    mcp_member(b, "logger", logger);
    bzr__json_add_key(b, "data");
    bzr__buf_add_str(b, data);
    bzr__buf_add_z(b, "}}");
    mcp_emit(call->mcp, call->entry->packet->stream, BZR__MCP_NOTIFICATION, 200);
}

void bzr__mcp_pause(bzr__mcp_call *call) {
    bzr__buf_clear(&call->mcp->out);
    mcp_emit(call->mcp, call->entry->packet->stream, BZR__MCP_PAUSE, 200);
}

/* ---- questions to the client ---- */

static const struct {
    const char *method, *capability, *required;
} ask_kinds[] = {
    [BZR__MCP_ASK_FORM] = { "elicitation/create", "elicitation",
                            "{\"requiredCapabilities\":{\"elicitation\":{\"form\":{}}}}" },
    [BZR__MCP_ASK_URL] = { "elicitation/create", "elicitation",
                           "{\"requiredCapabilities\":{\"elicitation\":{\"url\":{}}}}" },
    [BZR__MCP_ASK_SAMPLING] = { "sampling/createMessage", "sampling", "{\"requiredCapabilities\":{\"sampling\":{}}}" },
    [BZR__MCP_ASK_ROOTS] = { "roots/list", "roots", "{\"requiredCapabilities\":{\"roots\":{}}}" },
};

bool bzr__mcp_can_ask(const bzr__mcp_call *call, bzr__mcp_ask_kind kind) { return call->entry->can_ask >> kind & 1; }

const bzr__json *bzr__mcp_answer(const bzr__mcp_call *call, const char *key) {
    for (size_t i = 0; i < call->entry->answers_n; i++)
        if (!strcmp(call->entry->answers[i].key, key)) return call->entry->answers[i].answer;
    const bzr__json *all = mcp_is_modern(call->version) ? bzr__json_get(call->params, "inputResponses") : NULL;
    return bzr__json_get(all, key);
}

void bzr__mcp_keep(bzr__mcp_call *call, bzr_str state) {
    if (state.n <= BZR__MCP_STATE_MAX) call->entry->keep = bzr__arena_dup(&call->entry->own, state);
}

static void fail_capability(bzr__mcp_call *call, bzr__mcp_ask_kind kind) {
    bool modern = mcp_is_modern(call->version);
    call->code = modern ? BZR__MCP_CAPABILITY_MISSING : BZR__RPC_REQUEST_INVALID;
    call->message = "the client does not declare a capability that this needs";
    bzr__buf_clear(&call->data);
    bzr__buf_add_z(&call->data, ask_kinds[kind].required);
}

void bzr__mcp_ask(bzr__mcp_call *call, const char *key, bzr__mcp_ask_kind kind, bzr_str params) {
    mcp_entry *entry = call->entry;
    bzr_str copy = bzr__arena_dup(&entry->own, params);
    if (!bzr__mcp_can_ask(call, kind))
        fail_capability(call, kind);
    else if (!(entry->method->flags & MCP_CAN_ASK) || entry->asks_n == BZR__MCP_ASKS || !copy.p)
        call->code = BZR__RPC_INTERNAL;
    else
        entry->asks[entry->asks_n++] = (mcp_ask){ .key = key, .kind = kind, .params = copy };
}

/* 2026-07-28: the questions are the result, and the client comes again. */
static void answer_input_required(bzr__mcp_call *call) {
    mcp_entry *entry = call->entry;
    bzr__buf *b = open_result(call->mcp, entry, "input_required");
    bzr__json_add_key(b, "inputRequests");
    bzr__buf_add_c(b, '{');
    for (size_t i = 0; i < entry->asks_n; i++) {
        bzr__json_add_key(b, entry->asks[i].key);
        bzr__buf_add_c(b, '{');
        mcp_member(b, "method", ask_kinds[entry->asks[i].kind].method);
        bzr__json_add_key(b, "params");
        bzr__buf_add_str(b, entry->asks[i].params);
        bzr__buf_add_c(b, '}');
    }
    bzr__buf_add_c(b, '}');
    bzr__json_add_key(b, "requestState");
    bzr__buf_add_c(b, '"');
    bool sealed = mcp_seal(call->mcp, entry, entry->keep, b);
    bzr__buf_add_c(b, '"');
    mcp_close_result(call->mcp);
    if (sealed)
        mcp_answer(call->mcp, entry);
    else
        mcp_answer_error(call->mcp, entry, BZR__RPC_INTERNAL, "the state could not be kept", bzr__str(NULL, 0));
}

static size_t waiting(const bzr__mcp *mcp) {
    size_t n = 0;
    for (const mcp_entry *e = mcp->entries; e; e = e->next) n += e->state == MCP_WAITING;
    return n;
}

/* Before: the questions are requests of ours, and the call waits. */
static void send_asks(bzr__mcp_call *call) {
    mcp_entry *entry = call->entry;
    bzr__buf *b = &call->mcp->out;
    entry->state = MCP_WAITING;
    entry->rounds++;
    for (size_t i = 0; i < entry->asks_n; i++) {
        mcp_ask *ask = &entry->asks[i];
        ask->id = ++call->mcp->asked;
        bzr__buf_clear(b);
        bzr__buf_add_z(b, "{\"jsonrpc\":\"2.0\",\"id\":\"bezoar-");
        bzr__buf_add_u64(b, ask->id);
        bzr__buf_add_z(b, "\",");
        bzr__buf_add_z(b, "\"method\":\"");
        bzr__buf_add_z(b, ask_kinds[ask->kind].method);
        bzr__buf_add_z(b, "\",\"params\":");
        bzr__buf_add_str(b, ask->params);
        bzr__buf_add_c(b, '}');
        mcp_emit(call->mcp, entry->packet->stream, BZR__MCP_REQUEST, 200);
    }
}

bool mcp_call_settled(bzr__mcp_call *call, bzr_status status) {
    mcp_entry *entry = call->entry;
    size_t asked = entry->asks_n;
    bool failed = status || call->code,
         full = entry->rounds >= BZR__MCP_ROUNDS || waiting(call->mcp) >= BZR__MCP_LISTENERS;
    if (call->content.status || call->structured.status) failed = true;
    if (!failed && !asked) return false;
    if (entry->cancelled) return true;
    if (failed) {
        entry->asks_n = 0;
        mcp_answer_error(call->mcp, entry, call->code ? call->code : BZR__RPC_INTERNAL,
                         call->message ? call->message : "internal error", bzr__buf_str(&call->data));
    } else if (mcp_is_modern(call->version)) {
        answer_input_required(call);
        entry->asks_n = 0;
    } else if (full) {
        entry->asks_n = 0;
        mcp_answer_error(call->mcp, entry, BZR__RPC_INTERNAL, "too many questions are open", bzr__str(NULL, 0));
    } else {
        send_asks(call);
    }
    return true;
}
