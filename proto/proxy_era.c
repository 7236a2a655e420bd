/* proxy_era.c - finding out what the server speaks, and standing in for what only one of the eras has.
 *
 * The first request decides: an initialize or server/discover of the client goes to the server as it is, and its answer
 * says what the server speaks; before anything else of 2026-07-28 we send a server/discover of our own. What fails in
 * one era is tried in the other, and only when both fail does the client get the first error. Until then its messages
 * wait. `hello_for` is the client's exchange that is held while we ask. */
#include "proto/proxy_internal.h"

#include "bezoar/bezoar.h"

#include <stdlib.h>

/* ---- asking ---- */

static void add_discover(bzr__proxy *p, bzr__buf *b, uint64_t id, bzr_str meta) {
    bzr__buf_add_z(b, "{\"jsonrpc\":\"2.0\",\"id\":");
    bzr__buf_add_u64(b, id);
    bzr__buf_add_z(b, ",\"method\":\"server/discover\",\"params\":");
    if (meta.n) {
        bzr__buf_add_z(b, "{\"_meta\":");
        bzr__buf_add_str(b, meta);
        bzr__buf_add_c(b, '}');
    } else {
        proxy_add_params(p, b, NULL, true, MCP_LOG_NOTHING, bzr__str(NULL, 0), bzr__str(NULL, 0));
    }
    bzr__buf_add_c(b, '}');
}

/* Nobody can be asked: whoever waits is told. */
static void nothing_works(bzr__proxy *p, const char *why) {
    p->server = PX_UNKNOWN;
    while (p->waiting) {
        px_waiting *w = p->waiting;
        bzr__arena arena;
        bzr__rpc rpc;
        bzr__arena_init(&arena, BZR__RPC_ARENA_MAX);
        if (!bzr__rpc_read(bzr__str(w->bytes, w->n), &arena, &rpc) && rpc.kind == BZR__RPC_REQUEST)
            proxy_error(p, w->stream, rpc.id, BZR__PROXY_SERVER_GONE, why, true);
        bzr__arena_free(&arena);
        p->waiting = w->next;
        p->held -= w->n;
        free(w);
    }
    p->waiting_end = &p->waiting;
}

/* `meta`: what the client's request had, or empty: that of a client with sessions. */
static void send_discover(bzr__proxy *p, bzr_str meta) {
    px_exchange *ex = proxy_exchange(p, PX_DISCOVER);
    p->server = PX_PROBING;
    if (ex) {
        ex->method = BZR__S("server/discover");
        ex->request = bzr__arena_dup(&ex->own, meta.p ? meta : bzr__str("", 0));
        p->held += ex->request.n;
        bzr__buf_clear(&p->out);
        add_discover(p, &p->out, ex->id, meta);
        proxy_to_server(p, ex->id, BZR__MCP_REQUEST, true, ex->method, bzr__str(NULL, 0));
    } else {
        nothing_works(p, "out of memory");
    }
}

void proxy_probe(bzr__proxy *p, const bzr__rpc *model) {
    const bzr__json *meta = bzr__json_get(model->params, "_meta");
    bzr__buf b;
    bzr__buf_init(&b, BZR__RPC_MESSAGE_MAX);
    for (const bzr__json *m = meta && meta->type == BZR__JSON_OBJECT ? meta->child : NULL; m; m = m->next) {
        if (bzr__str_eq(m->key, BZR__S("progressToken"))) continue;
        bzr__buf_add_c(&b, b.n ? ',' : '{');
        bzr__json_add_utf8(&b, m->key);
        bzr__buf_add_c(&b, ':');
        bzr__buf_add_str(&b, m->raw);
    }
    bzr__buf_add_z(&b, b.n ? "}" : "{}");
    send_discover(p, b.status ? BZR__S("{}") : bzr__buf_str(&b));
    bzr__buf_free(&b);
}

/* Open a session. `meta`: _meta of a request of 2026-07-28. */
static void send_initialize(bzr__proxy *p, const bzr__json *meta) {
    const bzr__json *can = bzr__json_get(meta, MCP_META_CAPABILITIES), *info = bzr__json_get(meta, META_CLIENT);
    px_exchange *ex = proxy_exchange(p, PX_HELLO);
    bzr__buf *b = &p->out;
    if (!ex) {
        nothing_works(p, "out of memory");
        return;
    }
    ex->method = BZR__S("initialize");
    bzr__buf_clear(b);
    bzr__buf_add_z(b, "{\"jsonrpc\":\"2.0\",\"id\":");
    bzr__buf_add_u64(b, ex->id);
    bzr__buf_add_z(b, ",\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"" LEGACY_VERSION
                      "\",\"capabilities\":");
    bzr__buf_add_str(b, can && can->type == BZR__JSON_OBJECT ? can->raw : BZR__S("{}"));
    bzr__buf_add_z(b, ",\"clientInfo\":");
    if (info && info->type == BZR__JSON_OBJECT) {
        bzr__buf_add_str(b, info->raw);
    } else {
        bzr__buf_add_z(b, "{\"name\":\"bezoar\",\"version\":");
        bzr__json_add_str(b, bzr__str_z(bzr_version()));
        bzr__buf_add_c(b, '}');
    }
    bzr__buf_add_z(b, "}}");
    proxy_to_server(p, ex->id, BZR__MCP_REQUEST, false, ex->method, bzr__str(NULL, 0));
}

/* ---- what is said in the words of the other era ---- */

static void add_if(bzr__buf *b, const char *key, const bzr__json *value) {
    if (!value) return;
    bzr__json_add_key(b, key);
    bzr__buf_add_str(b, value->raw);
}

/* The DiscoverResult of a server with sessions. */
static void answer_discover(bzr__proxy *p, px_exchange *ex) {
    const bzr__json *hello = proxy_parse(p, p->hello);
    bzr__buf *b = &p->changed;
    bzr__buf_clear(b);
    bzr__buf_add_z(b, "{\"resultType\":\"complete\",\"supportedVersions\":[\"" MODERN_VERSION "\"]");
    add_if(b, "capabilities", bzr__json_get(hello, "capabilities"));
    add_if(b, "instructions", bzr__json_get(hello, "instructions"));
    bzr__buf_add_z(b, ",\"ttlMs\":0,\"cacheScope\":\"private\",\"_meta\":{");
    add_if(b, META_SERVER, bzr__json_get(hello, "serverInfo"));
    bzr__buf_add_z(b, "}}");
    if (!hello || b->status)
        proxy_answer_error(p, ex, BZR__RPC_INTERNAL, "out of memory");
    else
        proxy_answer(p, ex, bzr__buf_str(b), false, 200);
    proxy_drop(p, ex);
}

/* The InitializeResult of a server of 2026-07-28. */
static void answer_initialize(bzr__proxy *p, px_exchange *ex, const bzr__json *discovered) {
    const bzr__json *info = bzr__json_get(bzr__json_get(discovered, "_meta"), META_SERVER);
    bzr__mcp_version wanted = bzr__mcp_version_of(p->client_version);
    bzr__buf *b = &p->scratch;
    bool known = wanted && wanted < BZR__MCP_2026_07_28;
    bzr__buf_clear(b);
    bzr__buf_add_z(b, "{\"protocolVersion\":\"");
    bzr__buf_add_z(b, known ? bzr__mcp_version_name(wanted) : LEGACY_VERSION);
    bzr__buf_add_c(b, '"');
    add_if(b, "capabilities", bzr__json_get(discovered, "capabilities"));
    if (info) {
        add_if(b, "serverInfo", info);
    } else {
        bzr__buf_add_z(b, ",\"serverInfo\":{\"name\":");
        bzr__json_add_str(b, p->o.name);
        bzr__buf_add_z(b, ",\"version\":\"0\"}");
    }
    add_if(b, "instructions", bzr__json_get(discovered, "instructions"));
    bzr__buf_add_c(b, '}');
    if (b->status)
        proxy_answer_error(p, ex, BZR__RPC_INTERNAL, "out of memory");
    else
        proxy_answer(p, ex, bzr__buf_str(b), false, 200);
    proxy_drop(p, ex);
}

/* ---- answers that say what the server speaks ---- */

/* Screen a result of ours; *m then holds what may be used. */
static bool screened(bzr__proxy *p, px_message *m) {
    const bzr__proxy_value in = { .what = BZR__PROXY_SERVER, .name = BZR__S("initialize"), .value = m->rpc.result };
    bzr__proxy_verdict verdict = { .fate = BZR__PROXY_PASS };
    bzr__buf_clear(&p->value);
    bzr__buf_clear(&p->question);
    if (!p->o.screen(p->o.ctx, &in, &p->value, &p->question, &verdict) || p->value.status) return false;
    if (verdict.fate == BZR__PROXY_PASS) return true;
    if (verdict.fate != BZR__PROXY_REPLACE) return false;
    m->rpc.result = proxy_parse(p, bzr__arena_dup(&p->arena, bzr__buf_str(&p->value)));
    return m->rpc.result != NULL;
}

static px_exchange *held_hello(bzr__proxy *p) {
    px_exchange *ex = proxy_find(p, p->hello_for);
    p->hello_for = 0;
    return ex;
}

/* Both eras failed: the client gets the first error. */
static void give_first_error(bzr__proxy *p, px_exchange *ex) {
    px_message m = { .bytes = ex->answer, .http = ex->http };
    ex->hello = false;
    if (ex->answer.p && !bzr__rpc_read(m.bytes, &p->arena, &m.rpc)) {
        ex->answer = bzr__str(NULL, 0);
        proxy_deliver(p, ex, &m, NULL);
    } else {
        proxy_answer_error(p, ex, BZR__PROXY_SERVER_GONE, "the server answers neither server/discover nor initialize");
        proxy_drop(p, ex);
    }
}

static void neither(bzr__proxy *p) {
    px_exchange *ex = held_hello(p);
    p->server = PX_UNKNOWN;
    if (ex)
        give_first_error(p, ex);
    else
        nothing_works(p, "the server answers neither server/discover nor initialize");
}

static bool is_modern_error(const bzr__rpc *rpc) {
    const bzr__json *code = bzr__json_get(rpc->result, "code");
    return rpc->kind == BZR__RPC_ERROR && code &&
           (bzr__str_eq(code->raw, BZR__S("-32020")) || bzr__str_eq(code->raw, BZR__S("-32021")) ||
            bzr__str_eq(code->raw, BZR__S("-32022")));
}

static void is_modern_server(bzr__proxy *p) {
    p->server = PX_MODERN;
    p->server_version = BZR__MCP_2026_07_28;
}

static void took_discover(bzr__proxy *p, px_exchange *ex, px_message *m) {
    px_exchange *held = proxy_find(p, p->hello_for);
    bool good = m && (m->rpc.kind == BZR__RPC_RESULT || (is_modern_error(&m->rpc) && !held));
    const bzr__json *meta = proxy_parse(p, ex->request.n ? bzr__arena_dup(&p->arena, ex->request) : bzr__str(NULL, 0));
    proxy_drop(p, ex);
    if (good) {
        is_modern_server(p);
        p->hello_for = 0;
        if (held && screened(p, m)) {
            answer_initialize(p, held, m->rpc.result);
        } else if (held) {
            proxy_refuse(p, held, "what the server says of itself could not be screened");
            proxy_drop(p, held);
        }
    } else if (held) {
        neither(p);
    } else {
        send_initialize(p, meta);
    }
}

static void took_session(bzr__proxy *p, px_exchange *ex, px_message *m) {
    proxy_drop(p, ex);
    bool good = m && m->rpc.kind == BZR__RPC_RESULT && screened(p, m);
    if (good) p->hello = bzr__arena_dup(&p->kept, m->rpc.result->raw);
    if (!good || !p->hello.p) {
        neither(p);
        return;
    }
    p->server = PX_LEGACY;
    p->own_session = true;
    p->server_version = bzr__mcp_version_of(bzr__json_get_text(m->rpc.result, "protocolVersion"));
    bzr__buf_clear(&p->out);
    bzr__buf_add_z(&p->out, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}");
    proxy_to_server(p, 0, BZR__MCP_NOTIFICATION, false, BZR__S("notifications/initialized"), bzr__str(NULL, 0));
    px_exchange *held = held_hello(p);
    if (held) answer_discover(p, held);
}

/* An error to the client's initialize that a server without sessions may give. */
static bool may_be_modern(const bzr__rpc *rpc) {
    const bzr__json *code = bzr__json_get(rpc->result, "code");
    return is_modern_error(rpc) ||
           (code && (bzr__str_eq(code->raw, BZR__S("-32601")) || bzr__str_eq(code->raw, BZR__S("-32600")) ||
                     bzr__str_eq(code->raw, BZR__S("-32602"))));
}

/* The `_meta` of the client's own server/discover, in p->arena. */
static const bzr__json *meta_of(bzr__proxy *p, const px_exchange *ex) {
    return bzr__json_get(bzr__json_get(proxy_parse(p, ex->request), "params"), "_meta");
}

/* The client's own hello failed: try the other era, while it waits. */
static void try_other(bzr__proxy *p, px_exchange *ex, const px_message *m) {
    p->hello_for = ex->id;
    if (m) {
        ex->answer = bzr__arena_dup(&ex->own, m->bytes);
        ex->http = m->http;
    }
    ex->since = proxy_now(p);
    if (ex->modern)
        send_initialize(p, meta_of(p, ex));
    else
        send_discover(p, bzr__str(NULL, 0));
}

static bool took_client_hello(bzr__proxy *p, px_exchange *ex, px_message *m) {
    if (p->hello_for == ex->id) return true; /* it was given up already */
    if (m->rpc.kind == BZR__RPC_ERROR && (ex->modern ? !is_modern_error(&m->rpc) : may_be_modern(&m->rpc))) {
        try_other(p, ex, m);
        return true;
    }
    ex->hello = false;
    if (ex->modern)
        is_modern_server(p);
    else
        p->server = m->rpc.kind == BZR__RPC_RESULT ? PX_LEGACY : PX_UNKNOWN;
    return false;
}

bool proxy_took_hello(bzr__proxy *p, px_exchange *ex, px_message *m) {
    switch (ex->purpose) {
    case PX_QUIET: proxy_drop(p, ex); return true;
    case PX_DISCOVER: took_discover(p, ex, m); return true;
    case PX_HELLO: took_session(p, ex, m); return true;
    default: return took_client_hello(p, ex, m);
    }
}

void proxy_hello_failed(bzr__proxy *p, px_exchange *ex) {
    switch (ex->purpose) {
    case PX_QUIET: proxy_drop(p, ex); break;
    case PX_DISCOVER: took_discover(p, ex, NULL); break;
    case PX_HELLO: took_session(p, ex, NULL); break;
    default:
        if (p->hello_for == ex->id) break;
        if (ex->modern) {
            try_other(p, ex, NULL);
        } else {
            p->server = PX_UNKNOWN;
            proxy_answer_error(p, ex, BZR__PROXY_SERVER_GONE, "the server did not answer initialize");
            proxy_drop(p, ex);
        }
    }
}

/* ---- a client of 2026-07-28 at a server with sessions ---- */

static void ask_quietly(bzr__proxy *p, const char *method, bzr_str uri) {
    px_exchange *ex = proxy_exchange(p, PX_QUIET);
    if (!ex) return;
    bzr__buf_clear(&p->out);
    bzr__buf_add_z(&p->out, "{\"jsonrpc\":\"2.0\",\"id\":");
    bzr__buf_add_u64(&p->out, ex->id);
    bzr__buf_add_z(&p->out, ",\"method\":");
    bzr__json_add_str(&p->out, bzr__str_z(method));
    bzr__buf_add_z(&p->out, ",\"params\":{\"uri\":");
    bzr__json_add_utf8(&p->out, uri);
    bzr__buf_add_z(&p->out, "}}");
    proxy_to_server(p, ex->id, BZR__MCP_REQUEST, false, bzr__str_z(method), bzr__str(NULL, 0));
}

/* The subscriptions are ours to keep: the server's notifications are sorted into them. */
static void listen(bzr__proxy *p, const px_message *m) {
    px_exchange *ex = proxy_admit(p, m, true);
    const bzr__json *wanted = bzr__json_get(m->rpc.params, "notifications");
    if (!ex) return;
    if (!wanted || wanted->type != BZR__JSON_OBJECT) {
        proxy_answer_error(p, ex, BZR__RPC_PARAMS, "params.notifications must be an object");
        proxy_drop(p, ex);
        return;
    }
    ex->state = PX_LISTENING;
    ex->answer = bzr__arena_dup(&ex->own, wanted->raw);
    bzr__buf_clear(&p->out);
    bzr__rpc_begin_notification(&p->out, "notifications/subscriptions/acknowledged");
    bzr__buf_add_z(&p->out, "{\"notifications\":");
    bzr__buf_add_str(&p->out, wanted->raw);
    bzr__buf_add_z(&p->out, ",\"_meta\":{\"" MCP_SUBSCRIPTION "\":");
    bzr__buf_add_str(&p->out, ex->client_id);
    bzr__buf_add_z(&p->out, "}}}");
    proxy_to_client(p, ex->stream, BZR__MCP_NOTIFICATION, 0, true);
    const bzr__json *uris = bzr__json_get(wanted, "resourceSubscriptions");
    for (const bzr__json *u = uris && uris->type == BZR__JSON_ARRAY ? uris->child : NULL; u; u = u->next)
        if (u->type == BZR__JSON_STRING) ask_quietly(p, "resources/subscribe", u->text);
}

static bool wants(const bzr__json *filter, const px_message *m) {
    static const char *const lists[][2] = { { "notifications/tools/list_changed", "toolsListChanged" },
                                            { "notifications/prompts/list_changed", "promptsListChanged" },
                                            { "notifications/resources/list_changed", "resourcesListChanged" } };
    const bzr__json *uris = bzr__json_get(filter, "resourceSubscriptions");
    for (size_t i = 0; i < 3; i++) {
        const bzr__json *on = bzr__json_get(filter, lists[i][1]);
        if (bzr__str_eq(m->rpc.method, bzr__str_z(lists[i][0]))) return on && on->type == BZR__JSON_TRUE;
    }
    for (const bzr__json *u = uris ? uris->child : NULL; u; u = u->next)
        if (bzr__str_eq(u->text, bzr__json_get_text(m->rpc.params, "uri"))) return true;
    return false;
}

static void relay(bzr__proxy *p, const px_exchange *ex, const px_message *m) {
    bzr__buf_clear(&p->out);
    bzr__buf_add_z(&p->out, "{\"jsonrpc\":\"2.0\",\"method\":");
    bzr__json_add_str(&p->out, m->rpc.method);
    bzr__buf_add_z(&p->out, ",\"params\":{");
    for (const bzr__json *v = m->rpc.params ? m->rpc.params->child : NULL; v; v = v->next) {
        if (bzr__str_eq(v->key, BZR__S("_meta"))) continue;
        bzr__json_add_utf8(&p->out, v->key);
        bzr__buf_add_c(&p->out, ':');
        bzr__buf_add_str(&p->out, v->raw);
        bzr__buf_add_c(&p->out, ',');
    }
    bzr__buf_add_z(&p->out, "\"_meta\":{\"" MCP_SUBSCRIPTION "\":");
    bzr__buf_add_str(&p->out, ex->client_id);
    bzr__buf_add_z(&p->out, "}}}");
    proxy_to_client(p, ex->stream, BZR__MCP_NOTIFICATION, 0, true);
}

/* A log message goes to a client of 2026-07-28 only where a request in flight asked for it. */
static bool is_unwanted_log(const bzr__proxy *p, const px_message *m) {
    int level = mcp_log_level(bzr__json_get_text(m->rpc.params, "level"));
    for (const px_exchange *ex = p->exchanges; ex; ex = ex->next)
        if (ex->purpose == PX_CLIENT && ex->client_id.p && ex->log_level <= level) return false;
    return true;
}

bool proxy_relays(bzr__proxy *p, const px_message *m) {
    bool is_change = bzr__str_starts(m->rpc.method, BZR__S("notifications/")) &&
                     (bzr__str_eq(m->rpc.method, BZR__S("notifications/resources/updated")) ||
                      bzr__str_find(m->rpc.method, BZR__S("/list_changed"), 0) < m->rpc.method.n);
    const bzr__json *subscription = bzr__json_get(bzr__json_get(m->rpc.params, "_meta"), MCP_SUBSCRIPTION);
    if (p->server == PX_MODERN)
        return p->listen && proxy_number(subscription) == p->listen &&
               bzr__str_eq(m->rpc.method, BZR__S("notifications/subscriptions/acknowledged"));
    if (p->server != PX_LEGACY || p->client_version.p) return false;
    if (bzr__str_eq(m->rpc.method, BZR__S("notifications/message"))) return is_unwanted_log(p, m);
    for (px_exchange *ex = is_change ? p->exchanges : NULL; ex; ex = ex->next)
        if (ex->state == PX_LISTENING && wants(proxy_parse(p, ex->answer), m)) relay(p, ex, m);
    return is_change;
}

/* ---- a client with sessions at a server of 2026-07-28 ---- */

/* What the client wants to hear of is one subscription of ours. */
static void start_listening(bzr__proxy *p) {
    px_exchange *ex = proxy_find(p, p->listen);
    if (ex) {
        bzr__buf_clear(&p->out);
        bzr__rpc_begin_notification(&p->out, "notifications/cancelled");
        bzr__buf_add_z(&p->out, "{\"requestId\":");
        bzr__buf_add_u64(&p->out, ex->id);
        bzr__buf_add_z(&p->out, "}}");
        proxy_to_server(p, ex->id, BZR__MCP_NOTIFICATION, true, BZR__S("notifications/cancelled"), bzr__str(NULL, 0));
        proxy_drop(p, ex);
    }
    ex = proxy_exchange(p, PX_QUIET);
    if (!ex) return;
    ex->method = BZR__S("subscriptions/listen");
    p->listen = ex->id;
    bzr__buf_clear(&p->changed);
    bzr__buf_add_z(&p->changed, "\"notifications\":{\"toolsListChanged\":true,\"promptsListChanged\":true,"
                                "\"resourcesListChanged\":true,\"resourceSubscriptions\":[");
    for (size_t i = 0; i < p->watched_n; i++) {
        if (i) bzr__buf_add_c(&p->changed, ',');
        bzr__json_add_utf8(&p->changed, p->watched[i]);
    }
    bzr__buf_add_z(&p->changed, "]}");
    bzr__buf_clear(&p->out);
    bzr__buf_add_z(&p->out, "{\"jsonrpc\":\"2.0\",\"id\":");
    bzr__buf_add_u64(&p->out, ex->id);
    bzr__buf_add_z(&p->out, ",\"method\":\"subscriptions/listen\",\"params\":");
    proxy_add_params(p, &p->out, NULL, true, MCP_LOG_NOTHING, bzr__buf_str(&p->changed), bzr__str(NULL, 0));
    bzr__buf_add_c(&p->out, '}');
    proxy_to_server(p, ex->id, BZR__MCP_REQUEST, true, ex->method, bzr__str(NULL, 0));
}

/* False: no room. */
static bool watch(bzr__proxy *p, bzr_str uri, bool on) {
    size_t i = 0;
    while (i < p->watched_n && !bzr__str_eq(p->watched[i], uri)) i++;
    if (i < p->watched_n && !on) {
        free((char *)(uintptr_t)p->watched[i].p);
        p->watched[i] = p->watched[--p->watched_n];
    } else if (i == p->watched_n && on) {
        char *copy = p->watched_n < BZR__MCP_WATCHED ? malloc(uri.n ? uri.n : 1) : NULL;
        if (!copy) return false;
        if (uri.n) memcpy(copy, uri.p, uri.n);
        p->watched[p->watched_n++] = bzr__str(copy, uri.n);
    }
    return true;
}

/* Requests that only sessions have. True: answered. */
static bool answers_session(bzr__proxy *p, const px_message *m) {
    bool subscribe = bzr__str_eq(m->rpc.method, BZR__S("resources/subscribe")),
         unsubscribe = bzr__str_eq(m->rpc.method, BZR__S("resources/unsubscribe")),
         level = bzr__str_eq(m->rpc.method, BZR__S("logging/setLevel"));
    if (!subscribe && !unsubscribe && !level && !bzr__str_eq(m->rpc.method, BZR__S("ping"))) return false;
    bool ok = true;
    if (level) {
        int wanted = mcp_log_level(bzr__json_get_text(m->rpc.params, "level"));
        ok = wanted >= 0;
        if (ok) p->client_log_level = wanted;
    } else if (subscribe || unsubscribe) {
        ok = watch(p, bzr__json_get_text(m->rpc.params, "uri"), subscribe);
    }
    if (!ok) {
        proxy_error(p, m->stream, m->rpc.id, BZR__RPC_PARAMS, "not possible", false);
        return true;
    }
    bzr__buf_clear(&p->out);
    bzr__rpc_begin_result(&p->out, m->rpc.id);
    bzr__buf_add_z(&p->out, "{}}");
    proxy_to_client(p, m->stream, BZR__MCP_ANSWER, 200, false);
    if (subscribe || unsubscribe) start_listening(p);
    return true;
}

/* ---- both ---- */

static bool is_of_sessions(bzr_str method) {
    static const char *const names[] = { "initialize", "ping", "logging/setLevel", "resources/subscribe",
                                         "resources/unsubscribe" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (bzr__str_eq(method, bzr__str_z(names[i]))) return true;
    return false;
}

static bool stands_in_modern(bzr__proxy *p, const px_message *m) {
    if (bzr__str_eq(m->rpc.method, BZR__S("subscriptions/listen"))) {
        listen(p, m);
    } else if (bzr__str_eq(m->rpc.method, BZR__S("server/discover"))) {
        px_exchange *ex = proxy_admit(p, m, true);
        if (ex) answer_discover(p, ex);
    } else if (is_of_sessions(m->rpc.method)) {
        proxy_error(p, m->stream, m->rpc.id, BZR__RPC_METHOD_UNKNOWN, "method not found", true);
    } else {
        return false;
    }
    return true;
}

/* An initialize where nothing of the kind is to be sent to the server. */
static bool stands_in_initialize(bzr__proxy *p, const px_message *m) {
    px_exchange *ex = proxy_admit(p, m, false);
    if (!ex) return true;
    if (p->server == PX_MODERN) {
        ex->hello = true;
        p->hello_for = ex->id;
        send_discover(p, bzr__str(NULL, 0));
    } else {
        proxy_answer(p, ex, p->hello, false, 200);
        proxy_drop(p, ex);
    }
    return true;
}

bool proxy_stands_in(bzr__proxy *p, const px_message *m, bool modern) {
    bool initialize = !modern && bzr__str_eq(m->rpc.method, BZR__S("initialize"));
    if (initialize && (p->server == PX_MODERN || (p->server == PX_LEGACY && p->own_session)))
        return stands_in_initialize(p, m);
    if (modern) return p->server == PX_LEGACY && stands_in_modern(p, m);
    return p->server == PX_MODERN && answers_session(p, m);
}

bool proxy_swallows(bzr__proxy *p, const bzr__rpc *rpc, bool modern) {
    bool initialized = bzr__str_eq(rpc->method, BZR__S("notifications/initialized"));
    if (modern) return false;
    if (initialized && p->server == PX_MODERN) start_listening(p);
    return (initialized && (p->server == PX_MODERN || p->own_session)) ||
           (p->server == PX_MODERN && bzr__str_eq(rpc->method, BZR__S("notifications/roots/list_changed")));
}
