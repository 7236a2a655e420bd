/* proxy_client.c - what the client sends, on its way to the server.
 *
 * A request gets an exchange and a number of ours; tools/call is first put to `permit`. While it is not known what the
 * server speaks, everything but answers waits, in order. */
#include "proto/proxy_internal.h"

#include <stdlib.h>

/* ---- the queue ---- */

static void enqueue(toad__proxy *p, const px_message *m, bool modern_header) {
    px_waiting *w = p->held < TOAD__PROXY_HELD ? malloc(sizeof *w + m->bytes.n) : NULL;
    if (!w) {
        if (m->rpc.kind == TOAD__RPC_REQUEST)
            proxy_error(p, m->stream, m->rpc.id, TOAD__RPC_INTERNAL, "too many requests wait for the server", false);
        return;
    }
    *w = (px_waiting){ .stream = m->stream, .modern_header = modern_header, .n = m->bytes.n };
    memcpy(w->bytes, m->bytes.p, m->bytes.n);
    p->held += w->n;
    if (p->draining) { /* it was the first, and stays it */
        w->next = p->waiting;
        p->waiting = w;
        if (!w->next) p->waiting_end = &w->next;
    } else {
        *p->waiting_end = w;
        p->waiting_end = &w->next;
    }
}

void proxy_drain(toad__proxy *p) {
    if (p->draining) return;
    p->draining = true;
    for (px_waiting *w; p->server != PX_PROBING && (w = p->waiting);) {
        px_message m = { .stream = w->stream, .bytes = toad__str(w->bytes, w->n) };
        p->waiting = w->next;
        if (!p->waiting) p->waiting_end = &p->waiting;
        p->held -= w->n;
        if (!toad__rpc_read(m.bytes, &p->arena, &m.rpc)) /* it could be read before */
            proxy_take_client(p, &m, w->modern_header);
        else
            proxy_error(p, m.stream, m.rpc.id, m.rpc.code, m.rpc.why, false);
        toad__arena_free(&p->arena);
        free(w);
    }
    p->draining = false;
}

/* ---- parameters for the other era ---- */

static void add_member(toad__buf *b, toad_str key, toad_str value) {
    if (proxy_last(b) != '{') toad__buf_add_c(b, ',');
    toad__json_add_utf8(b, key);
    toad__buf_add_c(b, ':');
    toad__buf_add_str(b, value);
}

static bool is_one_of(toad_str key, const char *const *names) {
    while (*names && !toad__str_eq(key, toad__str_z(*names))) names++;
    return *names != NULL;
}

/* What 2026-07-28 wants of each request, said for a client that said it once. */
static void add_modern_meta(toad__proxy *p, toad__buf *b, int log_level) {
    static const char *const levels[] = { "\"debug\"", "\"info\"",     "\"notice\"", "\"warning\"",
                                          "\"error\"", "\"critical\"", "\"alert\"",  "\"emergency\"" };
    add_member(b, TOAD__S(MCP_META_VERSION), TOAD__S("\"" MODERN_VERSION "\""));
    add_member(b, TOAD__S(MCP_META_CAPABILITIES), p->client_capabilities.n ? p->client_capabilities : TOAD__S("{}"));
    if (p->client_info.n) add_member(b, TOAD__S(META_CLIENT), p->client_info);
    if (log_level < MCP_LOG_NOTHING) add_member(b, TOAD__S(MCP_META_LOG_LEVEL), toad__str_z(levels[log_level]));
}

void proxy_add_params(toad__proxy *p, toad__buf *b, const toad__json *params, bool to_modern, int log_level,
                      toad_str inputs, toad_str token) {
    static const char *const own[] = { MCP_META_VERSION, MCP_META_CAPABILITIES, META_CLIENT, MCP_META_LOG_LEVEL, NULL };
    static const char *const rounds[] = { "_meta", "inputResponses", "requestState", NULL };
    const toad__json *meta = toad__json_get(params, "_meta");
    toad__buf_add_c(b, '{');
    for (const toad__json *m = params ? params->child : NULL; m; m = m->next)
        if (!is_one_of(m->key, rounds)) add_member(b, m->key, m->raw);
    if (inputs.n) {
        if (proxy_last(b) != '{') toad__buf_add_c(b, ',');
        toad__buf_add_str(b, inputs);
    }
    size_t before = b->n;
    if (proxy_last(b) != '{') toad__buf_add_c(b, ',');
    toad__buf_add_z(b, "\"_meta\":{");
    size_t empty = b->n;
    if (to_modern) add_modern_meta(p, b, log_level);
    for (const toad__json *m = meta && meta->type == TOAD__JSON_OBJECT ? meta->child : NULL; m; m = m->next)
        if (!is_one_of(m->key, own))
            add_member(b, m->key, token.n && toad__str_eq(m->key, TOAD__S("progressToken")) ? token : m->raw);
    if (b->status) return;
    if (b->n == empty)
        b->n = before;
    else
        toad__buf_add_c(b, '}');
    toad__buf_add_c(b, '}');
}

/* ---- requests ---- */

/* A server with sessions is told once how much to log. */
static void set_log_level(toad__proxy *p, int level) {
    static const char *const names[] = {
        "debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"
    };
    px_exchange *ex = level < p->server_log_level ? proxy_exchange(p, PX_QUIET) : NULL;
    if (!ex) return;
    p->server_log_level = level;
    toad__buf_clear(&p->out);
    toad__buf_add_z(&p->out, "{\"jsonrpc\":\"2.0\",\"id\":");
    toad__buf_add_u64(&p->out, ex->id);
    toad__buf_add_z(&p->out, ",\"method\":\"logging/setLevel\",\"params\":{\"level\":\"");
    toad__buf_add_z(&p->out, names[level]);
    toad__buf_add_z(&p->out, "\"}}");
    proxy_to_server(p, ex->id, TOAD__MCP_REQUEST, false, TOAD__S("logging/setLevel"), toad__str(NULL, 0));
}

/* Where in the message parameters are to stand. */
static toad_str params_place(const toad__rpc *rpc) {
    return rpc->params ? rpc->params->raw : toad__str(rpc->root->raw.p + rpc->root->raw.n - 1, 0);
}

void proxy_forward(toad__proxy *p, px_exchange *ex, const px_message *m, toad_str inputs) {
    char digits[24];
    px_cut cuts[2] = { { m->rpc.id->raw, proxy_digits(ex->id, digits) } };
    size_t n = 1;
    bool to_modern = !p->o.same_era && p->server == PX_MODERN && !ex->modern,
         to_legacy = !p->o.same_era && p->server == PX_LEGACY && ex->modern;
    toad_str token = p->o.shared && ex->token.n ? cuts[0].new : toad__str(NULL, 0);
    if (to_modern || to_legacy) {
        if (to_legacy && ex->log_level < MCP_LOG_NOTHING) set_log_level(p, ex->log_level);
        toad__buf_clear(&p->changed);
        if (!m->rpc.params) toad__buf_add_z(&p->changed, ",\"params\":");
        proxy_add_params(p, &p->changed, m->rpc.params, to_modern, p->client_log_level, inputs, token);
        cuts[n++] = (px_cut){ params_place(&m->rpc), toad__buf_str(&p->changed) };
    } else if (token.n) {
        cuts[n++] = (px_cut){ toad__json_get(toad__json_get(m->rpc.params, "_meta"), "progressToken")->raw, token };
    }
    ex->state = PX_SENT;
    ex->since = proxy_now(p);
    if (p->changed.status) {
        proxy_refuse(p, ex, "out of memory");
        proxy_drop(p, ex);
        return;
    }
    proxy_splice(p, m->bytes, cuts, n);
    proxy_to_server(p, ex->id, TOAD__MCP_REQUEST,
                    p->o.same_era ? ex->modern : p->server == PX_MODERN || (ex->modern && p->server != PX_LEGACY),
                    ex->method, ex->name);
}

void proxy_send(toad__proxy *p, px_exchange *ex, const px_message *m, const toad__json *reply) {
    toad__proxy_value in = { .what = ex->what, .name = ex->name, .modern = ex->modern, .reply = reply, .tag = ex->tag };
    toad__proxy_verdict verdict = { .fate = TOAD__FATE_PASS };
    if (toad__str_eq(ex->method, TOAD__S("tools/call"))) {
        in.value = toad__json_get(m->rpc.params, "arguments");
        toad__buf_clear(&p->value);
        toad__buf_clear(&p->question);
        if (!p->o.permit(p->o.ctx, &in, &p->value, &p->question, &verdict) || p->value.status || p->question.status) {
            proxy_refuse(p, ex, "the call could not be checked");
            proxy_drop(p, ex);
            return;
        }
    }
    if (verdict.fate == TOAD__FATE_PASS) {
        proxy_forward(p, ex, m, toad__str(NULL, 0));
    } else if (!verdict.ask || !proxy_hold(p, ex, PX_HELD, m->bytes, 0, verdict.tag)) {
        proxy_answer(p, ex, toad__buf_str(&p->value), verdict.fate != TOAD__FATE_REPLACE, 200);
        proxy_drop(p, ex);
    }
}

bool proxy_set_client(toad__proxy *p, px_exchange *ex, const px_message *m) {
    const toad__json *meta = toad__json_get(m->rpc.params, "_meta"), *token = toad__json_get(meta, "progressToken"),
                     *level = toad__json_get(meta, MCP_META_LOG_LEVEL);
    int log_level = level ? mcp_log_level(level->text) : -1;
    if (!ex->modern && toad__str_eq(m->rpc.method, TOAD__S("logging/setLevel"))) {
        int wanted = mcp_log_level(toad__json_get_text(m->rpc.params, "level"));
        if (wanted >= 0) p->client_log_level = wanted;
    }
    ex->stream = m->stream;
    ex->client_id_text = m->rpc.id->type == TOAD__JSON_STRING;
    ex->client_id = toad__arena_dup(&ex->own, m->rpc.id->raw);
    ex->client_key = toad__arena_dup(&ex->own, ex->client_id_text ? m->rpc.id->text : m->rpc.id->raw);
    ex->can_ask = ex->modern ? mcp_can_ask_of(toad__json_get(meta, MCP_META_CAPABILITIES)) : p->client_can_ask;
    ex->log_level = log_level < 0 ? MCP_LOG_NOTHING : log_level;
    ex->parked = false;
    ex->since = proxy_now(p);
    bool has_token = token && token->raw.n <= TOAD__RPC_ID_MAX &&
                     (token->type == TOAD__JSON_STRING || token->type == TOAD__JSON_NUMBER);
    if (has_token) ex->token = toad__arena_dup(&ex->own, token->raw);
    return ex->client_id.p && ex->client_key.p && (!has_token || ex->token.p);
}

/* What a client with sessions can do is said once. */
static void learn_client(toad__proxy *p, const toad__json *params) {
    const toad__json *can = toad__json_get(params, "capabilities"), *info = toad__json_get(params, "clientInfo"),
                     *version = toad__json_get(params, "protocolVersion");
    p->client_can_ask = mcp_can_ask_of(can);
    if (p->client_version.p) return;
    if (can && can->type == TOAD__JSON_OBJECT) p->client_capabilities = toad__arena_dup(&p->kept, can->raw);
    if (info && info->type == TOAD__JSON_OBJECT) p->client_info = toad__arena_dup(&p->kept, info->raw);
    if (version && version->type == TOAD__JSON_STRING) p->client_version = toad__arena_dup(&p->kept, version->text);
}

px_exchange *proxy_admit(toad__proxy *p, const px_message *m, bool modern) {
    const px_method *method = proxy_method(m->rpc.method);
    px_exchange *ex = p->held < TOAD__PROXY_HELD ? proxy_exchange(p, PX_CLIENT) : NULL;
    bool initialize = toad__str_eq(m->rpc.method, TOAD__S("initialize")),
         discover = toad__str_eq(m->rpc.method, TOAD__S("server/discover"));
    if (!ex) {
        proxy_error(p, m->stream, m->rpc.id, TOAD__RPC_INTERNAL, "too many requests in flight", modern);
        return NULL;
    }
    if (initialize) learn_client(p, m->rpc.params);
    ex->modern = modern;
    ex->what = method ? method->what : TOAD__MCP_VALUE_OTHER;
    ex->hello = !p->o.same_era && (initialize || discover) && p->server == PX_UNKNOWN;
    ex->method = toad__arena_dup(&ex->own, m->rpc.method);
    toad_str name =
        method && method->named_by ? toad__json_get_text(m->rpc.params, method->named_by) : toad__str("", 0);
    ex->name = toad__arena_dup(&ex->own, name);
    if (initialize || discover || (method && method->may_ask)) {
        ex->request = toad__arena_dup(&ex->own, m->bytes);
        p->held += ex->request.n;
    } else {
        ex->request = toad__str("", 0);
    }
    if (proxy_set_client(p, ex, m) && ex->method.p && ex->name.p && ex->request.p) return ex;
    proxy_error(p, m->stream, m->rpc.id, TOAD__RPC_INTERNAL, "out of memory", modern);
    proxy_drop(p, ex);
    return NULL;
}

static void take_request(toad__proxy *p, const px_message *m, bool modern) {
    px_exchange *ex = proxy_admit(p, m, modern);
    if (!ex) return;
    if (ex->hello) p->server = PX_PROBING;
    proxy_send(p, ex, m, NULL);
}

/* ---- notifications ---- */

static px_exchange *find_of_client(toad__proxy *p, const toad__json *id, uint64_t stream) {
    if (!id) return NULL;
    bool text = id->type == TOAD__JSON_STRING;
    for (px_exchange *ex = p->exchanges; ex; ex = ex->next)
        if (ex->client_id.p && ex->client_id_text == text && toad__str_eq(ex->client_key, text ? id->text : id->raw) &&
            (!p->o.shared || ex->stream == stream))
            return ex;
    return NULL;
}

/* The server knows the request by our number. One that it does not have needs no word to it. */
static void cancel(toad__proxy *p, const px_message *m) {
    const toad__json *id = toad__json_get(m->rpc.params, "requestId");
    px_exchange *ex = find_of_client(p, id, m->stream);
    char digits[24];
    if (!ex || ex->hello) return;
    if (ex->state == PX_SENT || ex->state == PX_INPUT) {
        px_cut cut = { id->raw, proxy_digits(ex->id, digits) };
        proxy_splice(p, m->bytes, &cut, 1);
        proxy_to_server(p, ex->id, TOAD__MCP_NOTIFICATION, p->server == PX_MODERN, m->rpc.method, toad__str(NULL, 0));
    }
    proxy_drop(p, ex);
}

/* A request without an id is nobody's: servers written by hand act on its method alone, and it could be neither held
 * nor answered. So nothing but notifications goes on. */
static void take_notification(toad__proxy *p, const px_message *m, bool modern) {
    if (!toad__str_starts(m->rpc.method, TOAD__S("notifications/"))) return;
    if (toad__str_eq(m->rpc.method, TOAD__S("notifications/cancelled"))) {
        cancel(p, m);
    } else if (p->o.same_era || !proxy_swallows(p, &m->rpc, modern)) {
        proxy_splice(p, m->bytes, NULL, 0);
        proxy_to_server(p, 0, TOAD__MCP_NOTIFICATION, modern || p->server == PX_MODERN, m->rpc.method,
                        toad__str(NULL, 0));
    }
}

/* ---- all of it ---- */

static bool is_modern(const toad__proxy *p, const toad__rpc *rpc, bool modern_header) {
    const toad__json *meta = toad__json_get(rpc->params, "_meta");
    return modern_header || p->o.shared || toad__json_get(meta, MCP_META_VERSION) ||
           toad__json_get(meta, MCP_META_CAPABILITIES) || toad__str_eq(rpc->method, TOAD__S("server/discover")) ||
           toad__str_eq(rpc->method, TOAD__S("subscriptions/listen"));
}

static void refuse_version(toad__proxy *p, const px_message *m, toad_str requested) {
    toad__buf_clear(&p->scratch);
    toad__buf_add_z(&p->scratch, "{\"supported\":[\"" MODERN_VERSION "\"],\"requested\":");
    toad__json_add_str(&p->scratch, toad__str_part(requested, 0, 64));
    toad__buf_add_c(&p->scratch, '}');
    toad__buf_clear(&p->out);
    toad__rpc_add_error(&p->out, m->rpc.id, TOAD__MCP_VERSION_UNKNOWN, "unsupported protocol version",
                        toad__buf_str(&p->scratch));
    proxy_to_client(p, m->stream, TOAD__MCP_ANSWER, 400, true);
}

/* What 2026-07-28 wants of each request: without it, nothing can be said for the client in the other era. */
static bool admits_modern(toad__proxy *p, const px_message *m) {
    const toad__json *meta = toad__json_get(m->rpc.params, "_meta"), *version = toad__json_get(meta, MCP_META_VERSION),
                     *can = toad__json_get(meta, MCP_META_CAPABILITIES);
    const char *why = NULL;
    if (!version || version->type != TOAD__JSON_STRING) why = "params._meta must hold " MCP_META_VERSION;
    if (!why && p->header.n && !toad__str_eq(p->header, version->text)) {
        toad__buf_clear(&p->out);
        toad__rpc_add_error(&p->out, m->rpc.id, TOAD__MCP_HEADER_MISMATCH,
                            "the MCP-Protocol-Version header must be the version in params._meta", toad__str(NULL, 0));
        proxy_to_client(p, m->stream, TOAD__MCP_ANSWER, 400, true);
        return false;
    }
    if (!why && !toad__str_eq(version->text, TOAD__S(MODERN_VERSION))) {
        refuse_version(p, m, version->text);
        return false;
    }
    if (!why && (!can || can->type != TOAD__JSON_OBJECT)) why = "params._meta must hold " MCP_META_CAPABILITIES;
    if (!why) return true;
    toad__buf_clear(&p->out);
    toad__rpc_add_error(&p->out, m->rpc.id, TOAD__RPC_PARAMS, why, toad__str(NULL, 0));
    proxy_to_client(p, m->stream, TOAD__MCP_ANSWER, 400, true);
    return false;
}

void proxy_take_client(toad__proxy *p, px_message *m, bool modern_header) {
    bool request = m->rpc.kind == TOAD__RPC_REQUEST;
    if (m->rpc.kind == TOAD__RPC_RESULT || m->rpc.kind == TOAD__RPC_ERROR) {
        px_ask *ask = proxy_find_ask(p, proxy_number(m->rpc.id));
        if (ask) proxy_take_reply(p, ask, m);
        return;
    }
    if (!request && m->rpc.kind != TOAD__RPC_NOTIFICATION) {
        proxy_error(p, m->stream, NULL, TOAD__RPC_REQUEST_INVALID, "a batch within a batch", false);
        return;
    }
    bool modern = is_modern(p, &m->rpc, modern_header);
    if (p->gone) {
        if (request) proxy_error(p, m->stream, m->rpc.id, TOAD__PROXY_SERVER_GONE, p->gone_why, modern);
    } else if (request && modern && !p->o.same_era && !admits_modern(p, m)) {
        return;
    } else if (request && modern && proxy_resume(p, m)) {
        return;
    } else if (p->server == PX_PROBING) {
        enqueue(p, m, modern_header);
    } else if (!request) {
        take_notification(p, m, modern);
    } else if (!p->o.same_era && p->server == PX_UNKNOWN && modern &&
               !toad__str_eq(m->rpc.method, TOAD__S("server/discover"))) {
        enqueue(p, m, modern_header);
        proxy_probe(p, &m->rpc);
    } else if (p->o.same_era || !proxy_stands_in(p, m, modern)) {
        take_request(p, m, modern);
    }
}
