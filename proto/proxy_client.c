/* proxy_client.c - what the client sends, on its way to the server.
 *
 * A request gets an exchange and a number of ours; tools/call is first put to `permit`. While it is not known what the
 * server speaks, everything but answers waits, in order. */
#include "proto/proxy_internal.h"

#include <stdlib.h>

/* ---- the queue ---- */

static void enqueue(bzr__proxy *p, const px_message *m, bool modern_header) {
    px_waiting *w = p->held < BZR__PROXY_HELD ? malloc(sizeof *w + m->bytes.n) : NULL;
    if (!w) {
        if (m->rpc.kind == BZR__RPC_REQUEST)
            proxy_error(p, m->stream, m->rpc.id, BZR__RPC_INTERNAL, "too many requests wait for the server", false);
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

void proxy_drain(bzr__proxy *p) {
    if (p->draining) return;
    p->draining = true;
    for (px_waiting *w; p->server != PX_PROBING && (w = p->waiting);) {
        px_message m = { .stream = w->stream, .bytes = bzr__str(w->bytes, w->n) };
        p->waiting = w->next;
        if (!p->waiting) p->waiting_end = &p->waiting;
        p->held -= w->n;
        if (!bzr__rpc_read(m.bytes, &p->arena, &m.rpc)) /* it could be read before */
            proxy_take_client(p, &m, w->modern_header);
        else
            proxy_error(p, m.stream, m.rpc.id, m.rpc.code, m.rpc.why, false);
        bzr__arena_free(&p->arena);
        free(w);
    }
    p->draining = false;
}

/* ---- parameters for the other era ---- */

static void add_member(bzr__buf *b, bzr_str key, bzr_str value) {
    if (proxy_last(b) != '{') bzr__buf_add_c(b, ',');
    bzr__json_add_utf8(b, key);
    bzr__buf_add_c(b, ':');
    bzr__buf_add_str(b, value);
}

static bool is_one_of(bzr_str key, const char *const *names) {
    while (*names && !bzr__str_eq(key, bzr__str_z(*names))) names++;
    return *names != NULL;
}

/* What 2026-07-28 wants of each request, said for a client that said it once. */
static void add_modern_meta(bzr__proxy *p, bzr__buf *b, int log_level) {
    static const char *const levels[] = { "\"debug\"", "\"info\"",     "\"notice\"", "\"warning\"",
                                          "\"error\"", "\"critical\"", "\"alert\"",  "\"emergency\"" };
    add_member(b, BZR__S(MCP_META_VERSION), BZR__S("\"" MODERN_VERSION "\""));
    add_member(b, BZR__S(MCP_META_CAPABILITIES), p->client_capabilities.n ? p->client_capabilities : BZR__S("{}"));
    if (p->client_info.n) add_member(b, BZR__S(META_CLIENT), p->client_info);
    if (log_level < MCP_LOG_NOTHING) add_member(b, BZR__S(MCP_META_LOG_LEVEL), bzr__str_z(levels[log_level]));
}

void proxy_add_params(bzr__proxy *p, bzr__buf *b, const bzr__json *params, bool to_modern, int log_level,
                      bzr_str inputs, bzr_str token) {
    static const char *const own[] = { MCP_META_VERSION, MCP_META_CAPABILITIES, META_CLIENT, MCP_META_LOG_LEVEL, NULL };
    static const char *const rounds[] = { "_meta", "inputResponses", "requestState", NULL };
    const bzr__json *meta = bzr__json_get(params, "_meta");
    bzr__buf_add_c(b, '{');
    for (const bzr__json *m = params ? params->child : NULL; m; m = m->next)
        if (!is_one_of(m->key, rounds)) add_member(b, m->key, m->raw);
    if (inputs.n) {
        if (proxy_last(b) != '{') bzr__buf_add_c(b, ',');
        bzr__buf_add_str(b, inputs);
    }
    size_t before = b->n;
    if (proxy_last(b) != '{') bzr__buf_add_c(b, ',');
    bzr__buf_add_z(b, "\"_meta\":{");
    size_t empty = b->n;
    if (to_modern) add_modern_meta(p, b, log_level);
    for (const bzr__json *m = meta && meta->type == BZR__JSON_OBJECT ? meta->child : NULL; m; m = m->next)
        if (!is_one_of(m->key, own))
            add_member(b, m->key, token.n && bzr__str_eq(m->key, BZR__S("progressToken")) ? token : m->raw);
    if (b->status) return;
    if (b->n == empty)
        b->n = before;
    else
        bzr__buf_add_c(b, '}');
    bzr__buf_add_c(b, '}');
}

/* ---- requests ---- */

/* A server with sessions is told once how much to log. */
static void set_log_level(bzr__proxy *p, int level) {
    static const char *const names[] = {
        "debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"
    };
    px_exchange *ex = level < p->server_log_level ? proxy_exchange(p, PX_QUIET) : NULL;
    if (!ex) return;
    p->server_log_level = level;
    bzr__buf_clear(&p->out);
    bzr__buf_add_z(&p->out, "{\"jsonrpc\":\"2.0\",\"id\":");
    bzr__buf_add_u64(&p->out, ex->id);
    bzr__buf_add_z(&p->out, ",\"method\":\"logging/setLevel\",\"params\":{\"level\":\"");
    bzr__buf_add_z(&p->out, names[level]);
    bzr__buf_add_z(&p->out, "\"}}");
    proxy_to_server(p, ex->id, BZR__MCP_REQUEST, false, BZR__S("logging/setLevel"), bzr__str(NULL, 0));
}

/* Where in the message parameters are to stand. */
static bzr_str params_place(const bzr__rpc *rpc) {
    return rpc->params ? rpc->params->raw : bzr__str(rpc->root->raw.p + rpc->root->raw.n - 1, 0);
}

void proxy_forward(bzr__proxy *p, px_exchange *ex, const px_message *m, bzr_str inputs) {
    char digits[24];
    px_cut cuts[2] = { { m->rpc.id->raw, proxy_digits(ex->id, digits) } };
    size_t n = 1;
    bool to_modern = !p->o.same_era && p->server == PX_MODERN && !ex->modern,
         to_legacy = !p->o.same_era && p->server == PX_LEGACY && ex->modern;
    bzr_str token = p->o.shared && ex->token.n ? cuts[0].new : bzr__str(NULL, 0);
    if (to_modern || to_legacy) {
        if (to_legacy && ex->log_level < MCP_LOG_NOTHING) set_log_level(p, ex->log_level);
        bzr__buf_clear(&p->changed);
        if (!m->rpc.params) bzr__buf_add_z(&p->changed, ",\"params\":");
        proxy_add_params(p, &p->changed, m->rpc.params, to_modern, p->client_log_level, inputs, token);
        cuts[n++] = (px_cut){ params_place(&m->rpc), bzr__buf_str(&p->changed) };
    } else if (token.n) {
        cuts[n++] = (px_cut){ bzr__json_get(bzr__json_get(m->rpc.params, "_meta"), "progressToken")->raw, token };
    }
    ex->state = PX_SENT;
    ex->since = proxy_now(p);
    if (p->changed.status) {
        proxy_refuse(p, ex, "out of memory");
        proxy_drop(p, ex);
        return;
    }
    proxy_splice(p, m->bytes, cuts, n);
    proxy_to_server(p, ex->id, BZR__MCP_REQUEST,
                    p->o.same_era ? ex->modern : p->server == PX_MODERN || (ex->modern && p->server != PX_LEGACY),
                    ex->method, ex->name);
}

void proxy_send(bzr__proxy *p, px_exchange *ex, const px_message *m, const bzr__json *reply) {
    bzr__proxy_value in = { .what = ex->what, .name = ex->name, .modern = ex->modern, .reply = reply, .tag = ex->tag };
    bzr__proxy_verdict verdict = { .fate = BZR__PROXY_PASS };
    if (bzr__str_eq(ex->method, BZR__S("tools/call"))) {
        in.value = bzr__json_get(m->rpc.params, "arguments");
        bzr__buf_clear(&p->value);
        bzr__buf_clear(&p->question);
        if (!p->o.permit(p->o.ctx, &in, &p->value, &p->question, &verdict) || p->value.status || p->question.status) {
            proxy_refuse(p, ex, "the call could not be checked");
            proxy_drop(p, ex);
            return;
        }
    }
    if (verdict.fate == BZR__PROXY_PASS) {
        proxy_forward(p, ex, m, bzr__str(NULL, 0));
    } else if (!verdict.ask || reply || !proxy_hold(p, ex, PX_HELD, m->bytes, 0, verdict.tag)) {
        proxy_answer(p, ex, bzr__buf_str(&p->value), verdict.fate != BZR__PROXY_REPLACE, 200);
        proxy_drop(p, ex);
    }
}

bool proxy_set_client(bzr__proxy *p, px_exchange *ex, const px_message *m) {
    const bzr__json *meta = bzr__json_get(m->rpc.params, "_meta"), *token = bzr__json_get(meta, "progressToken"),
                    *level = bzr__json_get(meta, MCP_META_LOG_LEVEL);
    int log_level = level ? mcp_log_level(level->text) : -1;
    ex->stream = m->stream;
    ex->client_id_text = m->rpc.id->type == BZR__JSON_STRING;
    ex->client_id = bzr__arena_dup(&ex->own, m->rpc.id->raw);
    ex->client_key = bzr__arena_dup(&ex->own, ex->client_id_text ? m->rpc.id->text : m->rpc.id->raw);
    ex->can_ask = ex->modern ? mcp_can_ask_of(bzr__json_get(meta, MCP_META_CAPABILITIES)) : p->client_can_ask;
    ex->log_level = log_level < 0 ? MCP_LOG_NOTHING : log_level;
    ex->parked = false;
    ex->since = proxy_now(p);
    bool has_token = token && token->raw.n <= BZR__RPC_ID_MAX &&
                     (token->type == BZR__JSON_STRING || token->type == BZR__JSON_NUMBER);
    if (has_token) ex->token = bzr__arena_dup(&ex->own, token->raw);
    return ex->client_id.p && ex->client_key.p && (!has_token || ex->token.p);
}

/* What a client with sessions can do is said once. */
static void learn_client(bzr__proxy *p, const bzr__json *params) {
    const bzr__json *can = bzr__json_get(params, "capabilities"), *info = bzr__json_get(params, "clientInfo"),
                    *version = bzr__json_get(params, "protocolVersion");
    p->client_can_ask = mcp_can_ask_of(can);
    if (p->client_version.p) return;
    if (can && can->type == BZR__JSON_OBJECT) p->client_capabilities = bzr__arena_dup(&p->kept, can->raw);
    if (info && info->type == BZR__JSON_OBJECT) p->client_info = bzr__arena_dup(&p->kept, info->raw);
    if (version && version->type == BZR__JSON_STRING) p->client_version = bzr__arena_dup(&p->kept, version->text);
}

px_exchange *proxy_admit(bzr__proxy *p, const px_message *m, bool modern) {
    const px_method *method = proxy_method(m->rpc.method);
    px_exchange *ex = p->held < BZR__PROXY_HELD ? proxy_exchange(p, PX_CLIENT) : NULL;
    bool initialize = bzr__str_eq(m->rpc.method, BZR__S("initialize")),
         discover = bzr__str_eq(m->rpc.method, BZR__S("server/discover"));
    if (!ex) {
        proxy_error(p, m->stream, m->rpc.id, BZR__RPC_INTERNAL, "too many requests in flight", modern);
        return NULL;
    }
    if (initialize) learn_client(p, m->rpc.params);
    ex->modern = modern;
    ex->what = method ? method->what : BZR__PROXY_OTHER;
    ex->hello = !p->o.same_era && (initialize || discover) && p->server == PX_UNKNOWN;
    ex->method = bzr__arena_dup(&ex->own, m->rpc.method);
    bzr_str name = method && method->named_by ? bzr__json_get_text(m->rpc.params, method->named_by) : bzr__str("", 0);
    ex->name = bzr__arena_dup(&ex->own, name);
    if (initialize || discover || (method && method->may_ask)) {
        ex->request = bzr__arena_dup(&ex->own, m->bytes);
        p->held += ex->request.n;
    } else {
        ex->request = bzr__str("", 0);
    }
    if (proxy_set_client(p, ex, m) && ex->method.p && ex->name.p && ex->request.p) return ex;
    proxy_error(p, m->stream, m->rpc.id, BZR__RPC_INTERNAL, "out of memory", modern);
    proxy_drop(p, ex);
    return NULL;
}

static void take_request(bzr__proxy *p, const px_message *m, bool modern) {
    px_exchange *ex = proxy_admit(p, m, modern);
    if (!ex) return;
    if (ex->hello) p->server = PX_PROBING;
    proxy_send(p, ex, m, NULL);
}

/* ---- notifications ---- */

static px_exchange *find_of_client(bzr__proxy *p, const bzr__json *id, uint64_t stream) {
    if (!id) return NULL;
    bool text = id->type == BZR__JSON_STRING;
    for (px_exchange *ex = p->exchanges; ex; ex = ex->next)
        if (ex->client_id.p && ex->client_id_text == text && bzr__str_eq(ex->client_key, text ? id->text : id->raw) &&
            (!p->o.shared || ex->stream == stream))
            return ex;
    return NULL;
}

/* The server knows the request by our number. One that it does not have needs no word to it. */
static void cancel(bzr__proxy *p, const px_message *m) {
    const bzr__json *id = bzr__json_get(m->rpc.params, "requestId");
    px_exchange *ex = find_of_client(p, id, m->stream);
    char digits[24];
    if (!ex || ex->hello) return;
    if (ex->state == PX_SENT || ex->state == PX_INPUT) {
        px_cut cut = { id->raw, proxy_digits(ex->id, digits) };
        proxy_splice(p, m->bytes, &cut, 1);
        proxy_to_server(p, ex->id, BZR__MCP_NOTIFICATION, p->server == PX_MODERN, m->rpc.method, bzr__str(NULL, 0));
    }
    proxy_drop(p, ex);
}

static void take_notification(bzr__proxy *p, const px_message *m, bool modern) {
    if (bzr__str_eq(m->rpc.method, BZR__S("notifications/cancelled"))) {
        cancel(p, m);
    } else if (p->o.same_era || !proxy_swallows(p, &m->rpc, modern)) {
        proxy_splice(p, m->bytes, NULL, 0);
        proxy_to_server(p, 0, BZR__MCP_NOTIFICATION, modern || p->server == PX_MODERN, m->rpc.method,
                        bzr__str(NULL, 0));
    }
}

/* ---- all of it ---- */

static bool is_modern(const bzr__proxy *p, const bzr__rpc *rpc, bool modern_header) {
    const bzr__json *meta = bzr__json_get(rpc->params, "_meta");
    return modern_header || p->o.shared || bzr__json_get(meta, MCP_META_VERSION) ||
           bzr__json_get(meta, MCP_META_CAPABILITIES) || bzr__str_eq(rpc->method, BZR__S("server/discover")) ||
           bzr__str_eq(rpc->method, BZR__S("subscriptions/listen"));
}

static void refuse_version(bzr__proxy *p, const px_message *m, bzr_str requested) {
    bzr__buf_clear(&p->scratch);
    bzr__buf_add_z(&p->scratch, "{\"supported\":[\"" MODERN_VERSION "\"],\"requested\":");
    bzr__json_add_str(&p->scratch, bzr__str_part(requested, 0, 64));
    bzr__buf_add_c(&p->scratch, '}');
    bzr__buf_clear(&p->out);
    bzr__rpc_add_error(&p->out, m->rpc.id, BZR__MCP_VERSION_UNKNOWN, "unsupported protocol version",
                       bzr__buf_str(&p->scratch));
    proxy_to_client(p, m->stream, BZR__MCP_ANSWER, 400, true);
}

/* What 2026-07-28 wants of each request: without it, nothing can be said for the client in the other era. */
static bool admits_modern(bzr__proxy *p, const px_message *m) {
    const bzr__json *meta = bzr__json_get(m->rpc.params, "_meta"), *version = bzr__json_get(meta, MCP_META_VERSION),
                    *can = bzr__json_get(meta, MCP_META_CAPABILITIES);
    const char *why = NULL;
    if (!version || version->type != BZR__JSON_STRING) why = "params._meta must hold " MCP_META_VERSION;
    if (!why && p->header.n && !bzr__str_eq(p->header, version->text)) {
        bzr__buf_clear(&p->out);
        bzr__rpc_add_error(&p->out, m->rpc.id, BZR__MCP_HEADER_MISMATCH,
                           "the MCP-Protocol-Version header must be the version in params._meta", bzr__str(NULL, 0));
        proxy_to_client(p, m->stream, BZR__MCP_ANSWER, 400, true);
        return false;
    }
    if (!why && !bzr__str_eq(version->text, BZR__S(MODERN_VERSION))) {
        refuse_version(p, m, version->text);
        return false;
    }
    if (!why && (!can || can->type != BZR__JSON_OBJECT)) why = "params._meta must hold " MCP_META_CAPABILITIES;
    if (!why) return true;
    bzr__buf_clear(&p->out);
    bzr__rpc_add_error(&p->out, m->rpc.id, BZR__RPC_PARAMS, why, bzr__str(NULL, 0));
    proxy_to_client(p, m->stream, BZR__MCP_ANSWER, 400, true);
    return false;
}

void proxy_take_client(bzr__proxy *p, px_message *m, bool modern_header) {
    bool request = m->rpc.kind == BZR__RPC_REQUEST;
    if (m->rpc.kind == BZR__RPC_RESULT || m->rpc.kind == BZR__RPC_ERROR) {
        px_ask *ask = proxy_find_ask(p, proxy_number(m->rpc.id));
        if (ask) proxy_take_reply(p, ask, m);
        return;
    }
    if (!request && m->rpc.kind != BZR__RPC_NOTIFICATION) {
        proxy_error(p, m->stream, NULL, BZR__RPC_REQUEST_INVALID, "a batch within a batch", false);
        return;
    }
    bool modern = is_modern(p, &m->rpc, modern_header);
    if (p->gone) {
        if (request) proxy_error(p, m->stream, m->rpc.id, BZR__PROXY_SERVER_GONE, p->gone_why, modern);
    } else if (request && modern && !p->o.same_era && !admits_modern(p, m)) {
        return;
    } else if (request && modern && proxy_resume(p, m)) {
        return;
    } else if (p->server == PX_PROBING) {
        enqueue(p, m, modern_header);
    } else if (!request) {
        take_notification(p, m, modern);
    } else if (!p->o.same_era && p->server == PX_UNKNOWN && modern &&
               !bzr__str_eq(m->rpc.method, BZR__S("server/discover"))) {
        enqueue(p, m, modern_header);
        proxy_probe(p, &m->rpc);
    } else if (p->o.same_era || !proxy_stands_in(p, m, modern)) {
        take_request(p, m, modern);
    }
}
