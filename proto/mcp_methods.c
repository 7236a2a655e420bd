/* mcp_methods.c - the methods of the protocol, as one table: name, eras, what the server must offer for it, and what it
 * does.
 *
 * A list is written in the order of the server's table, a page at a time; a cursor is the decimal index of the next
 * item. What a revision does not know (titles, output schemas, annotations) is left out for it. */
#include "proto/mcp_internal.h"

#include <stdlib.h>

#define NO_DATA bzr__str(NULL, 0)
#define PAGE    100

static void fail_params(bzr__mcp *mcp, mcp_entry *entry, const char *why) {
    mcp_answer_error(mcp, entry, BZR__RPC_PARAMS, why, NO_DATA);
}

/* ---- lists ---- */

/* A cursor is what nextCursor said; the empty one and none are the start. */
static bool read_cursor(const bzr__json *params, uint64_t *ret) {
    const bzr__json *cursor = bzr__json_get(params, "cursor");
    *ret = 0;
    if (!cursor) return true;
    if (cursor->type != BZR__JSON_STRING || cursor->text.n > 15) return false;
    for (size_t i = 0; i < cursor->text.n; i++) {
        if (!bzr__is_digit((unsigned char)cursor->text.p[i])) return false;
        *ret = *ret * 10 + (uint64_t)(cursor->text.p[i] - '0');
    }
    return true;
}

static size_t page_of(const bzr__mcp *mcp) { return mcp->server->page ? mcp->server->page : PAGE; }

static void add_next(bzr__buf *b, uint64_t next) {
    bzr__json_add_key(b, "nextCursor");
    bzr__buf_add_c(b, '"');
    bzr__buf_add_u64(b, next);
    bzr__buf_add_c(b, '"');
}

/* Write items [from, from + page) of a table of `n`. */
static void list_table(bzr__mcp *mcp, mcp_entry *entry, const char *name, size_t n,
                       void (*add)(bzr__mcp *, const mcp_entry *, size_t)) {
    uint64_t from;
    if (!read_cursor(entry->rpc.params, &from) || (from && from >= n)) {
        fail_params(mcp, entry, "the cursor is none of ours");
        return;
    }
    size_t end = n - from > page_of(mcp) ? (size_t)from + page_of(mcp) : n;
    bzr__buf *b = mcp_open_result(mcp, entry);
    bzr__json_add_key(b, name);
    bzr__buf_add_c(b, '[');
    for (size_t i = (size_t)from; i < end; i++) {
        bzr__json_add_key(b, NULL);
        add(mcp, entry, i);
    }
    bzr__buf_add_c(b, ']');
    if (end < n) add_next(b, end);
    mcp_add_caching(mcp, entry);
    mcp_close_result(mcp);
    mcp_answer(mcp, entry);
}

static void add_member_json(bzr__buf *b, const char *key, const char *json) {
    if (!json) return;
    bzr__json_add_key(b, key);
    bzr__buf_add_z(b, json);
}

static void add_tool(bzr__mcp *mcp, const mcp_entry *entry, size_t i) {
    const bzr__mcp_tool *tool = &mcp->server->tools[i];
    bzr__buf *b = &mcp->out;
    bzr__buf_add_c(b, '{');
    mcp_member(b, "name", tool->name);
    if (entry->version >= BZR__MCP_2025_06_18) mcp_member(b, "title", tool->title);
    mcp_member(b, "description", tool->description);
    add_member_json(b, "inputSchema", tool->input_schema);
    if (entry->version >= BZR__MCP_2025_06_18) add_member_json(b, "outputSchema", tool->output_schema);
    if (entry->version >= BZR__MCP_2025_03_26) add_member_json(b, "annotations", tool->annotations);
    bzr__buf_add_c(b, '}');
}

static void tools_list(bzr__mcp *mcp, mcp_entry *entry) {
    list_table(mcp, entry, "tools", mcp->server->tools_n, add_tool);
}

static void add_prompt(bzr__mcp *mcp, const mcp_entry *entry, size_t i) {
    const bzr__mcp_prompt *prompt = &mcp->server->prompts[i];
    bzr__buf *b = &mcp->out;
    bzr__buf_add_c(b, '{');
    mcp_member(b, "name", prompt->name);
    if (entry->version >= BZR__MCP_2025_06_18) mcp_member(b, "title", prompt->title);
    mcp_member(b, "description", prompt->description);
    bzr__json_add_key(b, "arguments");
    bzr__buf_add_c(b, '[');
    for (size_t k = 0; k < prompt->arguments_n; k++) {
        bzr__json_add_key(b, NULL);
        bzr__buf_add_c(b, '{');
        mcp_member(b, "name", prompt->arguments[k].name);
        mcp_member(b, "description", prompt->arguments[k].description);
        add_member_json(b, "required", prompt->arguments[k].required ? "true" : "false");
        bzr__buf_add_c(b, '}');
    }
    bzr__buf_add_z(b, "]}");
}

static void prompts_list(bzr__mcp *mcp, mcp_entry *entry) {
    list_table(mcp, entry, "prompts", mcp->server->prompts_n, add_prompt);
}

static void resources_list(bzr__mcp *mcp, mcp_entry *entry) {
    bzr__mcp_call call;
    uint64_t from;
    if (!read_cursor(entry->rpc.params, &from)) {
        fail_params(mcp, entry, "the cursor is none of ours");
        return;
    }
    mcp_call_begin(mcp, entry, &call);
    call.from = from;
    call.most = page_of(mcp);
    if (!mcp_call_settled(&call, mcp->server->resources(&call))) {
        bzr__buf *b = mcp_open_result(mcp, entry);
        bzr__json_add_key(b, "resources");
        bzr__buf_add_c(b, '[');
        bzr__buf_add_str(b, bzr__buf_str(&call.content));
        bzr__buf_add_c(b, ']');
        if (call.more) add_next(b, from + call.most);
        mcp_add_caching(mcp, entry);
        mcp_close_result(mcp);
        mcp_answer(mcp, entry);
    }
    mcp_call_end(&call);
}

static void templates_list(bzr__mcp *mcp, mcp_entry *entry) {
    uint64_t from;
    if (!read_cursor(entry->rpc.params, &from) || from) {
        fail_params(mcp, entry, "the cursor is none of ours");
        return;
    }
    bzr__buf *b = mcp_open_result(mcp, entry);
    add_member_json(b, "resourceTemplates", mcp->server->templates ? mcp->server->templates : "[]");
    mcp_add_caching(mcp, entry);
    mcp_close_result(mcp);
    mcp_answer(mcp, entry);
}

/* ---- calls ---- */

/* Set up a call that may ask; the request state of the round before must be one of ours. False: answered. */
static bool begin_call(bzr__mcp *mcp, mcp_entry *entry, bzr__mcp_call *call, const char *name_member) {
    const bzr__json *name = bzr__json_get(entry->rpc.params, name_member),
                    *arguments = bzr__json_get(entry->rpc.params, "arguments");
    const bzr__json *state = mcp_is_modern(entry->version) ? bzr__json_get(entry->rpc.params, "requestState") : NULL;
    if (!name || name->type != BZR__JSON_STRING) {
        fail_params(mcp, entry,
                    strcmp(name_member, "uri") ? "params.name must be a string" : "params.uri must be a string");
        return false;
    }
    if (arguments && arguments->type != BZR__JSON_OBJECT) {
        fail_params(mcp, entry, "params.arguments must be an object");
        return false;
    }
    if (state && (state->type != BZR__JSON_STRING || !mcp_unseal(mcp, entry, state->text, &entry->kept))) {
        fail_params(mcp, entry, "the requestState is not valid for this call");
        return false;
    }
    mcp_call_begin(mcp, entry, call);
    call->name = name->text;
    call->arguments = arguments;
    return true;
}

static void write_tool_result(bzr__mcp *mcp, mcp_entry *entry, const bzr__mcp_call *call) {
    bzr__buf *b = mcp_open_result(mcp, entry);
    bzr__json_add_key(b, "content");
    bzr__buf_add_c(b, '[');
    bzr__buf_add_str(b, bzr__buf_str(&call->content));
    bzr__buf_add_c(b, ']');
    if (call->structured.n && entry->version >= BZR__MCP_2025_06_18) {
        bzr__json_add_key(b, "structuredContent");
        bzr__buf_add_str(b, bzr__buf_str(&call->structured));
    }
    add_member_json(b, "isError", call->is_error ? "true" : "false");
    mcp_close_result(mcp);
    mcp_answer(mcp, entry);
}

static void tools_call(bzr__mcp *mcp, mcp_entry *entry) {
    const bzr__mcp_server *server = mcp->server;
    bzr__mcp_call call;
    size_t i = 0;
    if (!begin_call(mcp, entry, &call, "name")) return;
    while (i < server->tools_n && !bzr__str_eq(call.name, bzr__str_z(server->tools[i].name))) i++;
    if (i == server->tools_n)
        fail_params(mcp, entry, "unknown tool");
    else if (!mcp_call_settled(&call, server->tools[i].run(&call)))
        write_tool_result(mcp, entry, &call);
    mcp_call_end(&call);
}

/* Does the prompt get all it needs, as strings? */
static bool fits(const bzr__mcp_prompt *prompt, const bzr__json *arguments) {
    for (size_t i = 0; i < prompt->arguments_n; i++) {
        const bzr__json *value = bzr__json_get(arguments, prompt->arguments[i].name);
        if (value ? value->type != BZR__JSON_STRING : prompt->arguments[i].required) return false;
    }
    return true;
}

static void write_prompt(bzr__mcp *mcp, mcp_entry *entry, const bzr__mcp_call *call, const bzr__mcp_prompt *prompt) {
    bzr__buf *b = mcp_open_result(mcp, entry);
    mcp_member(b, "description", prompt->description);
    bzr__json_add_key(b, "messages");
    bzr__buf_add_c(b, '[');
    bzr__buf_add_str(b, bzr__buf_str(&call->content));
    bzr__buf_add_c(b, ']');
    mcp_close_result(mcp);
    mcp_answer(mcp, entry);
}

static void prompts_get(bzr__mcp *mcp, mcp_entry *entry) {
    const bzr__mcp_server *server = mcp->server;
    bzr__mcp_call call;
    size_t i = 0;
    if (!begin_call(mcp, entry, &call, "name")) return;
    while (i < server->prompts_n && !bzr__str_eq(call.name, bzr__str_z(server->prompts[i].name))) i++;
    if (i == server->prompts_n)
        fail_params(mcp, entry, "unknown prompt");
    else if (!fits(&server->prompts[i], call.arguments))
        fail_params(mcp, entry, "an argument of the prompt is missing or no string");
    else if (!mcp_call_settled(&call, server->prompts[i].run(&call)))
        write_prompt(mcp, entry, &call, &server->prompts[i]);
    mcp_call_end(&call);
}

static void fail_not_found(bzr__mcp *mcp, mcp_entry *entry, bzr_str uri) {
    bzr__buf data;
    bzr__buf_init(&data, BZR__MCP_OUT_MAX);
    bzr__buf_add_c(&data, '{');
    mcp_member_str(&data, "uri", uri);
    bzr__buf_add_c(&data, '}');
    mcp_answer_error(mcp, entry, mcp_is_modern(entry->version) ? BZR__RPC_PARAMS : BZR__MCP_NOT_FOUND_LEGACY,
                     "resource not found", data.status ? NO_DATA : bzr__buf_str(&data));
    bzr__buf_free(&data);
}

static void resources_read(bzr__mcp *mcp, mcp_entry *entry) {
    bzr__mcp_call call;
    if (!begin_call(mcp, entry, &call, "uri")) return;
    bzr_status status = mcp->server->read(&call);
    if (status == BZR_E_NOT_FOUND) {
        fail_not_found(mcp, entry, call.name);
    } else if (!mcp_call_settled(&call, status)) {
        bzr__buf *b = mcp_open_result(mcp, entry);
        bzr__json_add_key(b, "contents");
        bzr__buf_add_c(b, '[');
        bzr__buf_add_str(b, bzr__buf_str(&call.content));
        bzr__buf_add_c(b, ']');
        mcp_add_caching(mcp, entry);
        mcp_close_result(mcp);
        mcp_answer(mcp, entry);
    }
    mcp_call_end(&call);
}

static void complete(bzr__mcp *mcp, mcp_entry *entry) {
    const bzr__json *ref = bzr__json_get(entry->rpc.params, "ref"),
                    *argument = bzr__json_get(entry->rpc.params, "argument");
    bzr__mcp_call call;
    if (!bzr__json_get_text(ref, "type").p || !bzr__json_get_text(argument, "name").p ||
        !bzr__json_get_text(argument, "value").p) {
        fail_params(mcp, entry, "params must hold ref.type, argument.name and argument.value");
        return;
    }
    mcp_call_begin(mcp, entry, &call);
    call.arguments = argument;
    if (!mcp_call_settled(&call, mcp->server->complete(&call))) {
        bzr__buf *b = mcp_open_result(mcp, entry);
        bzr__json_add_key(b, "completion");
        bzr__buf_add_z(b, "{\"values\":[");
        bzr__buf_add_str(b, bzr__buf_str(&call.content));
        bzr__buf_add_z(b, call.more ? "],\"hasMore\":true}" : "],\"hasMore\":false}");
        mcp_close_result(mcp);
        mcp_answer(mcp, entry);
    }
    mcp_call_end(&call);
}

/* ---- a session, and what each request brings along ---- */

static bool has_tools(const bzr__mcp_server *s) { return s->tools_n > 0; }
static bool has_prompts(const bzr__mcp_server *s) { return s->prompts_n > 0; }
static bool has_resources(const bzr__mcp_server *s) { return s->resources && s->read; }
static bool has_watching(const bzr__mcp_server *s) { return has_resources(s) && s->changes; }
static bool has_completion(const bzr__mcp_server *s) { return s->complete != NULL; }
static bool has_logging(const bzr__mcp_server *s) { return s->logging; }
static bool has_changes(const bzr__mcp_server *s) { return s->changes; }

static void add_capabilities(bzr__buf *b, const bzr__mcp_server *s, bzr__mcp_version version) {
    const char *changes = s->changes ? "{\"listChanged\":true}" : "{}";
    bzr__json_add_key(b, "capabilities");
    bzr__buf_add_c(b, '{');
    if (has_tools(s)) add_member_json(b, "tools", changes);
    if (has_prompts(s)) add_member_json(b, "prompts", changes);
    if (has_resources(s))
        add_member_json(b, "resources", s->changes ? "{\"subscribe\":true,\"listChanged\":true}" : "{}");
    if (s->logging) add_member_json(b, "logging", "{}");
    if (s->complete && version >= BZR__MCP_2025_03_26) add_member_json(b, "completions", "{}");
    bzr__buf_add_c(b, '}');
}

/* The version asked for where we speak it with sessions, else the newest such one. */
static bzr__mcp_version agree(bzr_str asked) {
    bzr__mcp_version version = bzr__mcp_version_of(asked);
    return version == BZR__MCP_NO_VERSION || mcp_is_modern(version) ? BZR__MCP_2025_11_25 : version;
}

static void initialize(bzr__mcp *mcp, mcp_entry *entry) {
    const bzr__json *version = bzr__json_get(entry->rpc.params, "protocolVersion"),
                    *can = bzr__json_get(entry->rpc.params, "capabilities");
    const bzr__json *info = bzr__json_get(entry->rpc.params, "clientInfo");
    if (!version || version->type != BZR__JSON_STRING || !can || can->type != BZR__JSON_OBJECT ||
        (info && info->type != BZR__JSON_OBJECT)) {
        fail_params(mcp, entry, "params must hold protocolVersion, capabilities and clientInfo");
        return;
    }
    entry->version = mcp->version = agree(version->text);
    mcp->can_ask = mcp_can_ask_of(can);
    bzr__buf *b = mcp_open_result(mcp, entry);
    mcp_member(b, "protocolVersion", bzr__mcp_version_name(entry->version));
    add_capabilities(b, mcp->server, entry->version);
    bzr__json_add_key(b, "serverInfo");
    mcp_add_server_info(b, mcp->server, entry->version);
    mcp_member(b, "instructions", mcp->server->instructions);
    mcp_close_result(mcp);
    mcp_answer(mcp, entry);
}

static void discover(bzr__mcp *mcp, mcp_entry *entry) {
    bzr__buf *b = mcp_open_result(mcp, entry);
    add_member_json(b, "supportedVersions", "[\"2026-07-28\"]");
    add_capabilities(b, mcp->server, entry->version);
    mcp_member(b, "instructions", mcp->server->instructions);
    mcp_add_caching(mcp, entry);
    mcp_close_result(mcp);
    mcp_answer(mcp, entry);
}

static void answer_empty(bzr__mcp *mcp, mcp_entry *entry) {
    (void)mcp_open_result(mcp, entry);
    mcp_close_result(mcp);
    mcp_answer(mcp, entry);
}

static void set_level(bzr__mcp *mcp, mcp_entry *entry) {
    int level = mcp_log_level(bzr__json_get_text(entry->rpc.params, "level"));
    if (level < 0) {
        fail_params(mcp, entry,
                    "params.level must be one of debug, info, notice, warning, error, critical, alert, emergency");
        return;
    }
    mcp->log_level = level;
    answer_empty(mcp, entry);
}

/* ---- who is told of changes ---- */

static size_t find_watched(const bzr__mcp *mcp, bzr_str uri) {
    size_t i = 0;
    while (i < mcp->watched_n && !bzr__str_eq(mcp->watched[i], uri)) i++;
    return i;
}

static void subscribe(bzr__mcp *mcp, mcp_entry *entry) {
    bzr_str uri = bzr__json_get_text(entry->rpc.params, "uri");
    char *copy = uri.n && uri.n <= 4096 ? malloc(uri.n) : NULL;
    bool known = find_watched(mcp, uri) < mcp->watched_n, full = !known && mcp->watched_n == BZR__MCP_WATCHED;
    if (!copy || full) {
        free(copy);
        fail_params(mcp, entry, full ? "too many subscriptions" : "params.uri must be a string of at most 4096 bytes");
        return;
    }
    memcpy(copy, uri.p, uri.n);
    if (known)
        free(copy);
    else
        mcp->watched[mcp->watched_n++] = bzr__str(copy, uri.n);
    answer_empty(mcp, entry);
}

static void unsubscribe(bzr__mcp *mcp, mcp_entry *entry) {
    size_t i = find_watched(mcp, bzr__json_get_text(entry->rpc.params, "uri"));
    if (i < mcp->watched_n) {
        free((char *)(uintptr_t)mcp->watched[i].p);
        mcp->watched[i] = mcp->watched[--mcp->watched_n];
    }
    answer_empty(mcp, entry);
}

static const bzr__json *filter_of(const mcp_entry *entry) { return bzr__json_get(entry->rpc.params, "notifications"); }

static bool wants(const mcp_entry *entry, const char *what) {
    const bzr__json *value = bzr__json_get(filter_of(entry), what);
    return value && value->type == BZR__JSON_TRUE;
}

/* `,"_meta":{".../subscriptionId":ID}` */
static void add_subscription(bzr__buf *b, const mcp_entry *entry) {
    bzr__json_add_key(b, "_meta");
    bzr__buf_add_z(b, "{\"" MCP_SUBSCRIPTION "\":");
    bzr__rpc_add_id(b, entry->rpc.id);
    bzr__buf_add_c(b, '}');
}

static const char *const change_filters[] = { "toolsListChanged", "promptsListChanged", "resourcesListChanged" };

/* What of the filter is heeded, said back. */
static void acknowledge(bzr__mcp *mcp, const mcp_entry *entry) {
    const bzr__json *uris = bzr__json_get(filter_of(entry), "resourceSubscriptions");
    bzr__buf *b = &mcp->out;
    bool offered[] = { has_tools(mcp->server), has_prompts(mcp->server), has_resources(mcp->server) };
    bzr__buf_clear(b);
    bzr__rpc_begin_notification(b, "notifications/subscriptions/acknowledged");
    bzr__buf_add_c(b, '{');
    add_subscription(b, entry);
    bzr__json_add_key(b, "notifications");
    bzr__buf_add_c(b, '{');
    for (size_t i = 0; i < 3; i++)
        if (offered[i] && wants(entry, change_filters[i])) add_member_json(b, change_filters[i], "true");
    if (uris && offered[2]) {
        bzr__json_add_key(b, "resourceSubscriptions");
        bzr__buf_add_c(b, '[');
        for (const bzr__json *uri = uris->child; uri; uri = uri->next) {
            bzr__json_add_key(b, NULL);
            bzr__json_add_utf8(b, uri->text);
        }
        bzr__buf_add_c(b, ']');
    }
    bzr__buf_add_z(b, "}}}");
    mcp_emit(mcp, entry->packet->stream, BZR__MCP_NOTIFICATION, 200);
}

static void listen(bzr__mcp *mcp, mcp_entry *entry) {
    const bzr__json *filter = filter_of(entry), *uris = bzr__json_get(filter, "resourceSubscriptions");
    size_t n = 0;
    bool strings = !uris || uris->type == BZR__JSON_ARRAY;
    for (const mcp_entry *e = mcp->entries; e; e = e->next) n += e->state == MCP_LISTENING;
    for (const bzr__json *uri = strings && uris ? uris->child : NULL; uri; uri = uri->next)
        strings = strings && uri->type == BZR__JSON_STRING;
    if (!filter || filter->type != BZR__JSON_OBJECT || !strings || entry->packet->n > 65536)
        fail_params(mcp, entry, "params.notifications must be a filter of at most 64 KiB");
    else if (n == BZR__MCP_LISTENERS)
        mcp_answer_error(mcp, entry, BZR__RPC_INTERNAL, "too many subscriptions", NO_DATA);
    else {
        entry->state = MCP_LISTENING;
        acknowledge(mcp, entry);
    }
}

static void notify(bzr__mcp *mcp, const mcp_entry *listener, const char *method, bzr_str uri) {
    bzr__buf *b = &mcp->out;
    bzr__buf_clear(b);
    bzr__rpc_begin_notification(b, method);
    bzr__buf_add_c(b, '{');
    if (uri.p) mcp_member_str(b, "uri", uri);
    if (listener) add_subscription(b, listener);
    bzr__buf_add_z(b, "}}");
    mcp_emit(mcp, listener ? listener->packet->stream : 0, BZR__MCP_NOTIFICATION, 200);
}

static void tell_of_list(bzr__mcp *mcp, bzr__mcp_change what) {
    static const char *const methods_of[] = { "notifications/tools/list_changed", "notifications/prompts/list_changed",
                                              "notifications/resources/list_changed" };
    if (mcp->version) notify(mcp, NULL, methods_of[what], NO_DATA);
    for (const mcp_entry *e = mcp->entries; e; e = e->next)
        if (e->state == MCP_LISTENING && wants(e, change_filters[what])) notify(mcp, e, methods_of[what], NO_DATA);
}

static void tell_of_resource(bzr__mcp *mcp, bzr_str uri) {
    const char *method = "notifications/resources/updated";
    if (find_watched(mcp, uri) < mcp->watched_n) notify(mcp, NULL, method, uri);
    for (const mcp_entry *e = mcp->entries; e; e = e->next) {
        const bzr__json *uris = e->state == MCP_LISTENING ? bzr__json_get(filter_of(e), "resourceSubscriptions") : NULL;
        const bzr__json *item = uris ? uris->child : NULL;
        while (item && !bzr__str_eq(item->text, uri)) item = item->next;
        if (item) notify(mcp, e, method, uri);
    }
}

void bzr__mcp_tell(bzr__mcp *mcp, bzr__mcp_change what, bzr_str uri) {
    if (what == BZR__MCP_RESOURCE)
        tell_of_resource(mcp, uri);
    else
        tell_of_list(mcp, what);
}

void bzr__mcp_changed(bzr__mcp_call *call, bzr__mcp_change what, bzr_str uri) {
    const bzr__mcp_server *server = call->mcp->server;
    if (server->tell)
        server->tell(server->wire, what, uri);
    else
        bzr__mcp_tell(call->mcp, what, uri);
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

const mcp_method *mcp_find_method(bzr_str name) {
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
        if (bzr__str_eq(name, bzr__str_z(methods[i].name))) return &methods[i];
    return NULL;
}
