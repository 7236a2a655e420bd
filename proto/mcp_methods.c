/* mcp_methods.c - the methods of the protocol, as one table: name, eras, what the server must offer for it, and what it
 * does.
 *
 * A list is written in the order of the server's table, a page at a time; a cursor is the decimal index of the next
 * item. What a revision does not know (titles, output schemas, annotations) is left out for it. */
#include "proto/mcp_internal.h"

#include <stdlib.h>

#define NO_DATA toad__str(NULL, 0)
#define PAGE    100

static void fail_params(toad__mcp *mcp, mcp_entry *entry, const char *why) {
    mcp_answer_error(mcp, entry, TOAD__RPC_PARAMS, why, NO_DATA);
}

/* ---- lists ---- */

/* A cursor is what nextCursor said; the empty one and none are the start. */
static bool read_cursor(const toad__json *params, uint64_t *ret) {
    const toad__json *cursor = toad__json_get(params, "cursor");
    *ret = 0;
    if (!cursor) return true;
    if (cursor->type != TOAD__JSON_STRING || cursor->text.n > 15) return false;
    for (size_t i = 0; i < cursor->text.n; i++) {
        if (!toad__is_digit((unsigned char)cursor->text.p[i])) return false;
        *ret = *ret * 10 + (uint64_t)(cursor->text.p[i] - '0');
    }
    return true;
}

static size_t page_of(const toad__mcp *mcp) { return mcp->server->page ? mcp->server->page : PAGE; }

static void add_next(toad__buf *b, uint64_t next) {
    toad__json_add_key(b, "nextCursor");
    toad__buf_add_c(b, '"');
    toad__buf_add_u64(b, next);
    toad__buf_add_c(b, '"');
}

/* Write items [from, from + page) of a table of `n`. */
static void list_table(toad__mcp *mcp, mcp_entry *entry, const char *name, size_t n,
                       void (*add)(toad__mcp *, const mcp_entry *, size_t)) {
    uint64_t from;
    if (!read_cursor(entry->rpc.params, &from) || (from && from >= n)) {
        fail_params(mcp, entry, "the cursor is none of ours");
        return;
    }
    size_t end = n - from > page_of(mcp) ? (size_t)from + page_of(mcp) : n;
    toad__buf *b = mcp_open_result(mcp, entry);
    toad__json_add_key(b, name);
    toad__buf_add_c(b, '[');
    for (size_t i = (size_t)from; i < end; i++) {
        toad__json_add_key(b, NULL);
        add(mcp, entry, i);
    }
    toad__buf_add_c(b, ']');
    if (end < n) add_next(b, end);
    mcp_add_caching(mcp, entry);
    mcp_close_result(mcp);
    mcp_answer(mcp, entry);
}

static void add_member_json(toad__buf *b, const char *key, const char *json) {
    if (!json) return;
    toad__json_add_key(b, key);
    toad__buf_add_z(b, json);
}

static void add_tool(toad__mcp *mcp, const mcp_entry *entry, size_t i) {
    const toad__mcp_tool *tool = &mcp->server->tools[i];
    toad__buf *b = &mcp->out;
    toad__buf_add_c(b, '{');
    mcp_member(b, "name", tool->name);
    if (entry->version >= TOAD__MCP_2025_06_18) mcp_member(b, "title", tool->title);
    mcp_member(b, "description", tool->description);
    add_member_json(b, "inputSchema", tool->input_schema);
    if (entry->version >= TOAD__MCP_2025_06_18) add_member_json(b, "outputSchema", tool->output_schema);
    if (entry->version >= TOAD__MCP_2025_03_26) add_member_json(b, "annotations", tool->annotations);
    toad__buf_add_c(b, '}');
}

static void tools_list(toad__mcp *mcp, mcp_entry *entry) {
    list_table(mcp, entry, "tools", mcp->server->tools_n, add_tool);
}

static void add_prompt(toad__mcp *mcp, const mcp_entry *entry, size_t i) {
    const toad__mcp_prompt *prompt = &mcp->server->prompts[i];
    toad__buf *b = &mcp->out;
    toad__buf_add_c(b, '{');
    mcp_member(b, "name", prompt->name);
    if (entry->version >= TOAD__MCP_2025_06_18) mcp_member(b, "title", prompt->title);
    mcp_member(b, "description", prompt->description);
    toad__json_add_key(b, "arguments");
    toad__buf_add_c(b, '[');
    for (size_t k = 0; k < prompt->arguments_n; k++) {
        toad__json_add_key(b, NULL);
        toad__buf_add_c(b, '{');
        mcp_member(b, "name", prompt->arguments[k].name);
        mcp_member(b, "description", prompt->arguments[k].description);
        add_member_json(b, "required", prompt->arguments[k].required ? "true" : "false");
        toad__buf_add_c(b, '}');
    }
    toad__buf_add_z(b, "]}");
}

static void prompts_list(toad__mcp *mcp, mcp_entry *entry) {
    list_table(mcp, entry, "prompts", mcp->server->prompts_n, add_prompt);
}

static void resources_list(toad__mcp *mcp, mcp_entry *entry) {
    toad__mcp_call call;
    uint64_t from;
    if (!read_cursor(entry->rpc.params, &from)) {
        fail_params(mcp, entry, "the cursor is none of ours");
        return;
    }
    mcp_call_begin(mcp, entry, &call);
    call.from = from;
    call.most = page_of(mcp);
    if (!mcp_call_settled(&call, mcp->server->resources(&call))) {
        toad__buf *b = mcp_open_result(mcp, entry);
        toad__json_add_key(b, "resources");
        toad__buf_add_c(b, '[');
        toad__buf_add_str(b, toad__buf_str(&call.content));
        toad__buf_add_c(b, ']');
        if (call.more) add_next(b, from + call.most);
        mcp_add_caching(mcp, entry);
        mcp_close_result(mcp);
        mcp_answer(mcp, entry);
    }
    mcp_call_end(&call);
}

static void templates_list(toad__mcp *mcp, mcp_entry *entry) {
    uint64_t from;
    if (!read_cursor(entry->rpc.params, &from) || from) {
        fail_params(mcp, entry, "the cursor is none of ours");
        return;
    }
    toad__buf *b = mcp_open_result(mcp, entry);
    add_member_json(b, "resourceTemplates", mcp->server->templates ? mcp->server->templates : "[]");
    mcp_add_caching(mcp, entry);
    mcp_close_result(mcp);
    mcp_answer(mcp, entry);
}

/* ---- calls ---- */

/* Set up a call that may ask; the request state of the round before must be one of ours. False: answered. */
static bool begin_call(toad__mcp *mcp, mcp_entry *entry, toad__mcp_call *call, const char *name_member) {
    const toad__json *name = toad__json_get(entry->rpc.params, name_member),
                     *arguments = toad__json_get(entry->rpc.params, "arguments");
    const toad__json *state = mcp_is_modern(entry->version) ? toad__json_get(entry->rpc.params, "requestState") : NULL;
    if (!name || name->type != TOAD__JSON_STRING) {
        fail_params(mcp, entry,
                    strcmp(name_member, "uri") ? "params.name must be a string" : "params.uri must be a string");
        return false;
    }
    if (arguments && arguments->type != TOAD__JSON_OBJECT) {
        fail_params(mcp, entry, "params.arguments must be an object");
        return false;
    }
    if (state && (state->type != TOAD__JSON_STRING || !mcp_unseal(mcp, entry, state->text, &entry->kept))) {
        fail_params(mcp, entry, "the requestState is not valid for this call");
        return false;
    }
    mcp_call_begin(mcp, entry, call);
    call->name = name->text;
    call->arguments = arguments;
    return true;
}

static void write_tool_result(toad__mcp *mcp, mcp_entry *entry, const toad__mcp_call *call) {
    toad__buf *b = mcp_open_result(mcp, entry);
    toad__json_add_key(b, "content");
    toad__buf_add_c(b, '[');
    toad__buf_add_str(b, toad__buf_str(&call->content));
    toad__buf_add_c(b, ']');
    if (call->structured.n && entry->version >= TOAD__MCP_2025_06_18) {
        toad__json_add_key(b, "structuredContent");
        toad__buf_add_str(b, toad__buf_str(&call->structured));
    }
    add_member_json(b, "isError", call->is_error ? "true" : "false");
    mcp_close_result(mcp);
    mcp_answer(mcp, entry);
}

static void tools_call(toad__mcp *mcp, mcp_entry *entry) {
    const toad__mcp_server *server = mcp->server;
    toad__mcp_call call;
    size_t i = 0;
    if (!begin_call(mcp, entry, &call, "name")) return;
    while (i < server->tools_n && !toad__str_eq(call.name, toad__str_z(server->tools[i].name))) i++;
    if (i == server->tools_n)
        fail_params(mcp, entry, "unknown tool");
    else if (!mcp_call_settled(&call, server->tools[i].run(&call)))
        write_tool_result(mcp, entry, &call);
    mcp_call_end(&call);
}

/* Does the prompt get all it needs, as strings? */
static bool fits(const toad__mcp_prompt *prompt, const toad__json *arguments) {
    for (size_t i = 0; i < prompt->arguments_n; i++) {
        const toad__json *value = toad__json_get(arguments, prompt->arguments[i].name);
        if (value ? value->type != TOAD__JSON_STRING : prompt->arguments[i].required) return false;
    }
    return true;
}

static void write_prompt(toad__mcp *mcp, mcp_entry *entry, const toad__mcp_call *call, const toad__mcp_prompt *prompt) {
    toad__buf *b = mcp_open_result(mcp, entry);
    mcp_member(b, "description", prompt->description);
    toad__json_add_key(b, "messages");
    toad__buf_add_c(b, '[');
    toad__buf_add_str(b, toad__buf_str(&call->content));
    toad__buf_add_c(b, ']');
    mcp_close_result(mcp);
    mcp_answer(mcp, entry);
}

static void prompts_get(toad__mcp *mcp, mcp_entry *entry) {
    const toad__mcp_server *server = mcp->server;
    toad__mcp_call call;
    size_t i = 0;
    if (!begin_call(mcp, entry, &call, "name")) return;
    while (i < server->prompts_n && !toad__str_eq(call.name, toad__str_z(server->prompts[i].name))) i++;
    if (i == server->prompts_n)
        fail_params(mcp, entry, "unknown prompt");
    else if (!fits(&server->prompts[i], call.arguments))
        fail_params(mcp, entry, "an argument of the prompt is missing or no string");
    else if (!mcp_call_settled(&call, server->prompts[i].run(&call)))
        write_prompt(mcp, entry, &call, &server->prompts[i]);
    mcp_call_end(&call);
}

static void fail_not_found(toad__mcp *mcp, mcp_entry *entry, toad_str uri) {
    toad__buf data;
    toad__buf_init(&data, TOAD__MCP_OUT_MAX);
    toad__buf_add_c(&data, '{');
    mcp_member_str(&data, "uri", uri);
    toad__buf_add_c(&data, '}');
    mcp_answer_error(mcp, entry, mcp_is_modern(entry->version) ? TOAD__RPC_PARAMS : TOAD__MCP_NOT_FOUND_LEGACY,
                     "resource not found", data.status ? NO_DATA : toad__buf_str(&data));
    toad__buf_free(&data);
}

static void resources_read(toad__mcp *mcp, mcp_entry *entry) {
    toad__mcp_call call;
    if (!begin_call(mcp, entry, &call, "uri")) return;
    toad_status status = mcp->server->read(&call);
    if (status == TOAD_E_NOT_FOUND) {
        fail_not_found(mcp, entry, call.name);
    } else if (!mcp_call_settled(&call, status)) {
        toad__buf *b = mcp_open_result(mcp, entry);
        toad__json_add_key(b, "contents");
        toad__buf_add_c(b, '[');
        toad__buf_add_str(b, toad__buf_str(&call.content));
        toad__buf_add_c(b, ']');
        mcp_add_caching(mcp, entry);
        mcp_close_result(mcp);
        mcp_answer(mcp, entry);
    }
    mcp_call_end(&call);
}

static void complete(toad__mcp *mcp, mcp_entry *entry) {
    const toad__json *ref = toad__json_get(entry->rpc.params, "ref"),
                     *argument = toad__json_get(entry->rpc.params, "argument");
    toad__mcp_call call;
    if (!toad__json_get_text(ref, "type").p || !toad__json_get_text(argument, "name").p ||
        !toad__json_get_text(argument, "value").p) {
        fail_params(mcp, entry, "params must hold ref.type, argument.name and argument.value");
        return;
    }
    mcp_call_begin(mcp, entry, &call);
    call.arguments = argument;
    if (!mcp_call_settled(&call, mcp->server->complete(&call))) {
        toad__buf *b = mcp_open_result(mcp, entry);
        toad__json_add_key(b, "completion");
        toad__buf_add_z(b, "{\"values\":[");
        toad__buf_add_str(b, toad__buf_str(&call.content));
        toad__buf_add_z(b, call.more ? "],\"hasMore\":true}" : "],\"hasMore\":false}");
        mcp_close_result(mcp);
        mcp_answer(mcp, entry);
    }
    mcp_call_end(&call);
}

/* ---- a session, and what each request brings along ---- */

static bool has_tools(const toad__mcp_server *s) { return s->tools_n > 0; }
static bool has_prompts(const toad__mcp_server *s) { return s->prompts_n > 0; }
static bool has_resources(const toad__mcp_server *s) { return s->resources && s->read; }
static bool has_watching(const toad__mcp_server *s) { return has_resources(s) && s->changes; }
static bool has_completion(const toad__mcp_server *s) { return s->complete != NULL; }
static bool has_logging(const toad__mcp_server *s) { return s->logging; }
static bool has_changes(const toad__mcp_server *s) { return s->changes; }

static void add_capabilities(toad__buf *b, const toad__mcp_server *s, toad__mcp_version version) {
    const char *changes = s->changes ? "{\"listChanged\":true}" : "{}";
    toad__json_add_key(b, "capabilities");
    toad__buf_add_c(b, '{');
    if (has_tools(s)) add_member_json(b, "tools", changes);
    if (has_prompts(s)) add_member_json(b, "prompts", changes);
    if (has_resources(s))
        add_member_json(b, "resources", s->changes ? "{\"subscribe\":true,\"listChanged\":true}" : "{}");
    if (s->logging) add_member_json(b, "logging", "{}");
    if (s->complete && version >= TOAD__MCP_2025_03_26) add_member_json(b, "completions", "{}");
    toad__buf_add_c(b, '}');
}

/* The version asked for where we speak it with sessions, else the newest such one. */
static toad__mcp_version agree(toad_str asked) {
    toad__mcp_version version = toad__mcp_version_of(asked);
    return version == TOAD__MCP_NO_VERSION || mcp_is_modern(version) ? TOAD__MCP_2025_11_25 : version;
}

static void initialize(toad__mcp *mcp, mcp_entry *entry) {
    const toad__json *version = toad__json_get(entry->rpc.params, "protocolVersion"),
                     *can = toad__json_get(entry->rpc.params, "capabilities");
    const toad__json *info = toad__json_get(entry->rpc.params, "clientInfo");
    if (!version || version->type != TOAD__JSON_STRING || !can || can->type != TOAD__JSON_OBJECT ||
        (info && info->type != TOAD__JSON_OBJECT)) {
        fail_params(mcp, entry, "params must hold protocolVersion, capabilities and clientInfo");
        return;
    }
    entry->version = mcp->version = agree(version->text);
    mcp->can_ask = mcp_can_ask_of(can);
    toad__buf *b = mcp_open_result(mcp, entry);
    mcp_member(b, "protocolVersion", toad__mcp_version_name(entry->version));
    add_capabilities(b, mcp->server, entry->version);
    toad__json_add_key(b, "serverInfo");
    mcp_add_server_info(b, mcp->server, entry->version);
    mcp_member(b, "instructions", mcp->server->instructions);
    mcp_close_result(mcp);
    mcp_answer(mcp, entry);
}

static void discover(toad__mcp *mcp, mcp_entry *entry) {
    toad__buf *b = mcp_open_result(mcp, entry);
    add_member_json(b, "supportedVersions", "[\"2026-07-28\"]");
    add_capabilities(b, mcp->server, entry->version);
    mcp_member(b, "instructions", mcp->server->instructions);
    mcp_add_caching(mcp, entry);
    mcp_close_result(mcp);
    mcp_answer(mcp, entry);
}

static void answer_empty(toad__mcp *mcp, mcp_entry *entry) {
    (void)mcp_open_result(mcp, entry);
    mcp_close_result(mcp);
    mcp_answer(mcp, entry);
}

static void set_level(toad__mcp *mcp, mcp_entry *entry) {
    int level = mcp_log_level(toad__json_get_text(entry->rpc.params, "level"));
    if (level < 0) {
        fail_params(mcp, entry,
                    "params.level must be one of debug, info, notice, warning, error, critical, alert, emergency");
        return;
    }
    mcp->log_level = level;
    answer_empty(mcp, entry);
}

/* ---- who is told of changes ---- */

static size_t find_watched(const toad__mcp *mcp, toad_str uri) {
    size_t i = 0;
    while (i < mcp->watched_n && !toad__str_eq(mcp->watched[i], uri)) i++;
    return i;
}

static void subscribe(toad__mcp *mcp, mcp_entry *entry) {
    toad_str uri = toad__json_get_text(entry->rpc.params, "uri");
    char *copy = uri.n && uri.n <= 4096 ? malloc(uri.n) : NULL;
    bool known = find_watched(mcp, uri) < mcp->watched_n, full = !known && mcp->watched_n == TOAD__MCP_WATCHED;
    if (!copy || full) {
        free(copy);
        fail_params(mcp, entry, full ? "too many subscriptions" : "params.uri must be a string of at most 4096 bytes");
        return;
    }
    memcpy(copy, uri.p, uri.n);
    if (known)
        free(copy);
    else
        mcp->watched[mcp->watched_n++] = toad__str(copy, uri.n);
    answer_empty(mcp, entry);
}

static void unsubscribe(toad__mcp *mcp, mcp_entry *entry) {
    size_t i = find_watched(mcp, toad__json_get_text(entry->rpc.params, "uri"));
    if (i < mcp->watched_n) {
        free((char *)(uintptr_t)mcp->watched[i].p);
        mcp->watched[i] = mcp->watched[--mcp->watched_n];
    }
    answer_empty(mcp, entry);
}

static const toad__json *filter_of(const mcp_entry *entry) {
    return toad__json_get(entry->rpc.params, "notifications");
}

static bool wants(const mcp_entry *entry, const char *what) {
    const toad__json *value = toad__json_get(filter_of(entry), what);
    return value && value->type == TOAD__JSON_TRUE;
}

/* `,"_meta":{".../subscriptionId":ID}` */
static void add_subscription(toad__buf *b, const mcp_entry *entry) {
    toad__json_add_key(b, "_meta");
    toad__buf_add_z(b, "{\"" MCP_SUBSCRIPTION "\":");
    toad__rpc_add_id(b, entry->rpc.id);
    toad__buf_add_c(b, '}');
}

static const char *const change_filters[] = { "toolsListChanged", "promptsListChanged", "resourcesListChanged" };

/* What of the filter is heeded, said back. */
static void acknowledge(toad__mcp *mcp, const mcp_entry *entry) {
    const toad__json *uris = toad__json_get(filter_of(entry), "resourceSubscriptions");
    toad__buf *b = &mcp->out;
    bool offered[] = { has_tools(mcp->server), has_prompts(mcp->server), has_resources(mcp->server) };
    toad__buf_clear(b);
    toad__rpc_begin_notification(b, "notifications/subscriptions/acknowledged");
    toad__buf_add_c(b, '{');
    add_subscription(b, entry);
    toad__json_add_key(b, "notifications");
    toad__buf_add_c(b, '{');
    for (size_t i = 0; i < 3; i++)
        if (offered[i] && wants(entry, change_filters[i])) add_member_json(b, change_filters[i], "true");
    if (uris && offered[2]) {
        toad__json_add_key(b, "resourceSubscriptions");
        toad__buf_add_c(b, '[');
        for (const toad__json *uri = uris->child; uri; uri = uri->next) {
            toad__json_add_key(b, NULL);
            toad__json_add_utf8(b, uri->text);
        }
        toad__buf_add_c(b, ']');
    }
    toad__buf_add_z(b, "}}}");
    mcp_emit(mcp, entry->packet->stream, TOAD__MCP_NOTIFICATION, 200);
}

static void listen(toad__mcp *mcp, mcp_entry *entry) {
    const toad__json *filter = filter_of(entry), *uris = toad__json_get(filter, "resourceSubscriptions");
    size_t n = 0;
    bool strings = !uris || uris->type == TOAD__JSON_ARRAY;
    for (const mcp_entry *e = mcp->entries; e; e = e->next) n += e->state == MCP_LISTENING;
    for (const toad__json *uri = strings && uris ? uris->child : NULL; uri; uri = uri->next)
        strings = strings && uri->type == TOAD__JSON_STRING;
    if (!filter || filter->type != TOAD__JSON_OBJECT || !strings || entry->packet->n > 65536)
        fail_params(mcp, entry, "params.notifications must be a filter of at most 64 KiB");
    else if (n == TOAD__MCP_LISTENERS)
        mcp_answer_error(mcp, entry, TOAD__RPC_INTERNAL, "too many subscriptions", NO_DATA);
    else {
        entry->state = MCP_LISTENING;
        acknowledge(mcp, entry);
    }
}

static void notify(toad__mcp *mcp, const mcp_entry *listener, const char *method, toad_str uri) {
    toad__buf *b = &mcp->out;
    toad__buf_clear(b);
    toad__rpc_begin_notification(b, method);
    toad__buf_add_c(b, '{');
    if (uri.p) mcp_member_str(b, "uri", uri);
    if (listener) add_subscription(b, listener);
    toad__buf_add_z(b, "}}");
    mcp_emit(mcp, listener ? listener->packet->stream : 0, TOAD__MCP_NOTIFICATION, 200);
}

static void tell_of_list(toad__mcp *mcp, toad__mcp_change what) {
    static const char *const methods_of[] = { "notifications/tools/list_changed", "notifications/prompts/list_changed",
                                              "notifications/resources/list_changed" };
    if (mcp->version) notify(mcp, NULL, methods_of[what], NO_DATA);
    for (const mcp_entry *e = mcp->entries; e; e = e->next)
        if (e->state == MCP_LISTENING && wants(e, change_filters[what])) notify(mcp, e, methods_of[what], NO_DATA);
}

static void tell_of_resource(toad__mcp *mcp, toad_str uri) {
    const char *method = "notifications/resources/updated";
    if (find_watched(mcp, uri) < mcp->watched_n) notify(mcp, NULL, method, uri);
    for (const mcp_entry *e = mcp->entries; e; e = e->next) {
        const toad__json *uris =
            e->state == MCP_LISTENING ? toad__json_get(filter_of(e), "resourceSubscriptions") : NULL;
        const toad__json *item = uris ? uris->child : NULL;
        while (item && !toad__str_eq(item->text, uri)) item = item->next;
        if (item) notify(mcp, e, method, uri);
    }
}

void toad__mcp_tell(toad__mcp *mcp, toad__mcp_change what, toad_str uri) {
    if (what == TOAD__MCP_RESOURCE)
        tell_of_resource(mcp, uri);
    else
        tell_of_list(mcp, what);
}

void toad__mcp_changed(toad__mcp_call *call, toad__mcp_change what, toad_str uri) {
    const toad__mcp_server *server = call->mcp->server;
    if (server->tell)
        server->tell(server->wire, what, uri);
    else
        toad__mcp_tell(call->mcp, what, uri);
}

/* ---- the table ---- */

static const mcp_method methods[] = {
    { "initialize", MCP_LEGACY | MCP_NOW, NULL, initialize },
    { "ping", MCP_LEGACY | MCP_NOW, NULL, answer_empty },
    { "server/discover", MCP_MODERN | MCP_NOW, NULL, discover },
    { "tools/list", MCP_LEGACY | MCP_MODERN, has_tools, tools_list },
    { "tools/call", MCP_LEGACY | MCP_MODERN | MCP_CAN_ASK, has_tools, tools_call },
    { "prompts/list", MCP_LEGACY | MCP_MODERN, has_prompts, prompts_list },
    { "prompts/get", MCP_LEGACY | MCP_MODERN | MCP_CAN_ASK, has_prompts, prompts_get },
    { "resources/list", MCP_LEGACY | MCP_MODERN, has_resources, resources_list },
    { "resources/templates/list", MCP_LEGACY | MCP_MODERN, has_resources, templates_list },
    { "resources/read", MCP_LEGACY | MCP_MODERN | MCP_CAN_ASK, has_resources, resources_read },
    { "resources/subscribe", MCP_LEGACY, has_watching, subscribe },
    { "resources/unsubscribe", MCP_LEGACY, has_watching, unsubscribe },
    { "logging/setLevel", MCP_LEGACY, has_logging, set_level },
    { "completion/complete", MCP_LEGACY | MCP_MODERN, has_completion, complete },
    { "subscriptions/listen", MCP_MODERN, has_changes, listen },
};

const mcp_method *mcp_find_method(toad_str name) {
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
        if (toad__str_eq(name, toad__str_z(methods[i].name))) return &methods[i];
    return NULL;
}
