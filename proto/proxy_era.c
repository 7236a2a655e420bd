/* proxy_era.c - finding out what the server speaks, and standing in for what only one of the eras has.
 *
 * The first request decides: an initialize or server/discover of the client goes to the server as it is, and its answer
 * says what the server speaks; before anything else of 2026-07-28 we send a server/discover of our own. What fails in
 * one era is tried in the other, and only when both fail does the client get the first error. Until then its messages
 * wait. `hello_for` is the client's exchange that is held while we ask. */
#include "proto/proxy_internal.h"

#include "toadstone/toadstone.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- asking ---- */

static void add_discover(toad__proxy *p, toad__buf *b, uint64_t id, toad_str meta) {
    toad__buf_add_z(b, "{\"jsonrpc\":\"2.0\",\"id\":");
    toad__buf_add_u64(b, id);
    toad__buf_add_z(b, ",\"method\":\"server/discover\",\"params\":");
    if (meta.n) {
        toad__buf_add_z(b, "{\"_meta\":");
        toad__buf_add_str(b, meta);
        toad__buf_add_c(b, '}');
    } else {
        proxy_add_params(p, b, NULL, true, MCP_LOG_NOTHING, toad__str(NULL, 0), toad__str(NULL, 0));
    }
    toad__buf_add_c(b, '}');
}

/* Nobody can be asked: whoever waits is told. */
static void nothing_works(toad__proxy *p, const char *why) {
    p->server = PX_UNKNOWN;
    while (p->waiting) {
        px_waiting *w = p->waiting;
        toad__arena arena;
        toad__rpc rpc;
        toad__arena_init(&arena, TOAD__RPC_ARENA_MAX);
        if (!toad__rpc_read(toad__str(w->bytes, w->n), &arena, &rpc) && rpc.kind == TOAD__RPC_REQUEST)
            proxy_error(p, w->stream, rpc.id, TOAD__PROXY_SERVER_GONE, why, true);
        toad__arena_free(&arena);
        p->waiting = w->next;
        p->held -= w->n;
        free(w);
    }
    p->waiting_end = &p->waiting;
}

/* `meta`: what the client's request had, or empty: that of a client with sessions. */
static void send_discover(toad__proxy *p, toad_str meta) {
    px_exchange *ex = proxy_exchange(p, PX_DISCOVER);
    p->server = PX_PROBING;
    if (ex) {
        ex->method = TOAD__S("server/discover");
        ex->request = toad__arena_dup(&ex->own, meta.p ? meta : toad__str("", 0));
        p->held += ex->request.n;
        toad__buf_clear(&p->out);
        add_discover(p, &p->out, ex->id, meta);
        proxy_to_server(p, ex->id, TOAD__MCP_REQUEST, true, ex->method, toad__str(NULL, 0));
    } else {
        nothing_works(p, "out of memory");
    }
}

void proxy_probe(toad__proxy *p, const toad__rpc *model) {
    const toad__json *meta = toad__json_get(model->params, "_meta");
    toad__buf b;
    toad__buf_init(&b, TOAD__RPC_MESSAGE_MAX);
    for (const toad__json *m = meta && meta->type == TOAD__JSON_OBJECT ? meta->child : NULL; m; m = m->next) {
        if (toad__str_eq(m->key, TOAD__S("progressToken"))) continue;
        toad__buf_add_c(&b, b.n ? ',' : '{');
        toad__json_add_utf8(&b, m->key);
        toad__buf_add_c(&b, ':');
        toad__buf_add_str(&b, m->raw);
    }
    toad__buf_add_z(&b, b.n ? "}" : "{}");
    send_discover(p, b.status ? TOAD__S("{}") : toad__buf_str(&b));
    toad__buf_free(&b);
}

/* Open a session. `meta`: _meta of a request of 2026-07-28. */
static void send_initialize(toad__proxy *p, const toad__json *meta) {
    const toad__json *can = toad__json_get(meta, MCP_META_CAPABILITIES), *info = toad__json_get(meta, META_CLIENT);
    px_exchange *ex = proxy_exchange(p, PX_HELLO);
    toad__buf *b = &p->out;
    if (!ex) {
        nothing_works(p, "out of memory");
        return;
    }
    ex->method = TOAD__S("initialize");
    toad__buf_clear(b);
    toad__buf_add_z(b, "{\"jsonrpc\":\"2.0\",\"id\":");
    toad__buf_add_u64(b, ex->id);
    toad__buf_add_z(b, ",\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"" LEGACY_VERSION
                       "\",\"capabilities\":");
    toad__buf_add_str(b, can && can->type == TOAD__JSON_OBJECT ? can->raw : TOAD__S("{}"));
    toad__buf_add_z(b, ",\"clientInfo\":");
    if (info && info->type == TOAD__JSON_OBJECT) {
        toad__buf_add_str(b, info->raw);
    } else {
        toad__buf_add_z(b, "{\"name\":\"toadstone\",\"version\":");
        toad__json_add_str(b, toad__str_z(toad_version()));
        toad__buf_add_c(b, '}');
    }
    toad__buf_add_z(b, "}}");
    proxy_to_server(p, ex->id, TOAD__MCP_REQUEST, false, ex->method, toad__str(NULL, 0));
}

/* ---- what is said in the words of the other era ---- */

static void add_if(toad__buf *b, const char *key, const toad__json *value) {
    if (!value) return;
    toad__json_add_key(b, key);
    toad__buf_add_str(b, value->raw);
}

/* The DiscoverResult of a server with sessions. */
static void answer_discover(toad__proxy *p, px_exchange *ex) {
    const toad__json *hello = proxy_parse(p, p->hello);
    toad__buf *b = &p->changed;
    toad__buf_clear(b);
    toad__buf_add_z(b, "{\"resultType\":\"complete\",\"supportedVersions\":[\"" MODERN_VERSION "\"]");
    add_if(b, "capabilities", toad__json_get(hello, "capabilities"));
    add_if(b, "instructions", toad__json_get(hello, "instructions"));
    toad__buf_add_z(b, ",\"ttlMs\":0,\"cacheScope\":\"private\",\"_meta\":{");
    add_if(b, META_SERVER, toad__json_get(hello, "serverInfo"));
    toad__buf_add_z(b, "}}");
    if (!hello || b->status)
        proxy_answer_error(p, ex, TOAD__RPC_INTERNAL, "out of memory");
    else
        proxy_answer(p, ex, toad__buf_str(b), false, 200);
    proxy_drop(p, ex);
}

/* The InitializeResult of a server of 2026-07-28. */
static void answer_initialize(toad__proxy *p, px_exchange *ex, const toad__json *discovered) {
    const toad__json *info = toad__json_get(toad__json_get(discovered, "_meta"), META_SERVER);
    toad__mcp_version wanted = toad__mcp_version_of(p->client_version);
    toad__buf *b = &p->scratch;
    bool known = wanted && wanted < TOAD__MCP_2026_07_28;
    toad__buf_clear(b);
    toad__buf_add_z(b, "{\"protocolVersion\":\"");
    toad__buf_add_z(b, known ? toad__mcp_version_name(wanted) : LEGACY_VERSION);
    toad__buf_add_c(b, '"');
    add_if(b, "capabilities", toad__json_get(discovered, "capabilities"));
    if (info) {
        add_if(b, "serverInfo", info);
    } else {
        toad__buf_add_z(b, ",\"serverInfo\":{\"name\":");
        toad__json_add_str(b, p->o.name);
        toad__buf_add_z(b, ",\"version\":\"0\"}");
    }
    add_if(b, "instructions", toad__json_get(discovered, "instructions"));
    toad__buf_add_c(b, '}');
    if (b->status)
        proxy_answer_error(p, ex, TOAD__RPC_INTERNAL, "out of memory");
    else
        proxy_answer(p, ex, toad__buf_str(b), false, 200);
    proxy_drop(p, ex);
}

/* ---- answers that say what the server speaks ---- */

/* Screen a result of ours; *m then holds what may be used. */
static bool screened(toad__proxy *p, px_message *m) {
    const toad__proxy_value in = { .what = TOAD__MCP_VALUE_SERVER,
                                   .name = TOAD__S("initialize"),
                                   .value = m->rpc.result };
    toad__proxy_verdict verdict = { .fate = TOAD__FATE_PASS };
    toad__buf_clear(&p->value);
    toad__buf_clear(&p->question);
    if (!p->o.screen(p->o.ctx, &in, &p->value, &p->question, &verdict) || p->value.status) return false;
    if (verdict.fate == TOAD__FATE_PASS) return true;
    if (verdict.fate != TOAD__FATE_REPLACE) return false;
    m->rpc.result = proxy_parse(p, toad__arena_dup(&p->arena, toad__buf_str(&p->value)));
    return m->rpc.result != NULL;
}

static px_exchange *held_hello(toad__proxy *p) {
    px_exchange *ex = proxy_find(p, p->hello_for);
    p->hello_for = 0;
    return ex;
}

static void answer_hello(toad__proxy *p, px_exchange *ex, const char *what) {
    char text[400];
    snprintf(text, sizeof text, "%s%s%s", what, *p->hello_why ? ": " : "", p->hello_why);
    proxy_answer_error(p, ex, TOAD__PROXY_SERVER_GONE, text);
    proxy_drop(p, ex);
}

/* Both eras failed: the client gets the first error. */
static void give_first_error(toad__proxy *p, px_exchange *ex) {
    px_message m = { .bytes = ex->answer, .http = ex->http };
    ex->hello = false;
    if (ex->answer.p && !toad__rpc_read(m.bytes, &p->arena, &m.rpc)) {
        ex->answer = toad__str(NULL, 0);
        proxy_deliver(p, ex, &m, NULL);
    } else {
        answer_hello(p, ex, "the server answers neither server/discover nor initialize");
    }
}

static void neither(toad__proxy *p) {
    px_exchange *ex = held_hello(p);
    p->server = PX_UNKNOWN;
    if (ex)
        give_first_error(p, ex);
    else
        nothing_works(p, "the server answers neither server/discover nor initialize");
}

static bool is_modern_error(const toad__rpc *rpc) {
    const toad__json *code = toad__json_get(rpc->result, "code");
    return rpc->kind == TOAD__RPC_ERROR && code &&
           (toad__str_eq(code->raw, TOAD__S("-32020")) || toad__str_eq(code->raw, TOAD__S("-32021")) ||
            toad__str_eq(code->raw, TOAD__S("-32022")));
}

static void is_modern_server(toad__proxy *p) {
    p->server = PX_MODERN;
    p->server_version = TOAD__MCP_2026_07_28;
}

static void took_discover(toad__proxy *p, px_exchange *ex, px_message *m) {
    px_exchange *held = proxy_find(p, p->hello_for);
    bool good = m && (m->rpc.kind == TOAD__RPC_RESULT || (is_modern_error(&m->rpc) && !held));
    const toad__json *meta =
        proxy_parse(p, ex->request.n ? toad__arena_dup(&p->arena, ex->request) : toad__str(NULL, 0));
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

static void took_session(toad__proxy *p, px_exchange *ex, px_message *m) {
    proxy_drop(p, ex);
    bool good = m && m->rpc.kind == TOAD__RPC_RESULT && screened(p, m);
    if (good) p->hello = toad__arena_dup(&p->kept, m->rpc.result->raw);
    if (!good || !p->hello.p) {
        neither(p);
        return;
    }
    p->server = PX_LEGACY;
    p->own_session = true;
    p->server_version = toad__mcp_version_of(toad__json_get_text(m->rpc.result, "protocolVersion"));
    toad__buf_clear(&p->out);
    toad__buf_add_z(&p->out, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}");
    proxy_to_server(p, 0, TOAD__MCP_NOTIFICATION, false, TOAD__S("notifications/initialized"), toad__str(NULL, 0));
    px_exchange *held = held_hello(p);
    if (held) answer_discover(p, held);
}

/* An error to the client's initialize that a server without sessions may give. */
static bool may_be_modern(const toad__rpc *rpc) {
    const toad__json *code = toad__json_get(rpc->result, "code");
    return is_modern_error(rpc) ||
           (code && (toad__str_eq(code->raw, TOAD__S("-32601")) || toad__str_eq(code->raw, TOAD__S("-32600")) ||
                     toad__str_eq(code->raw, TOAD__S("-32602"))));
}

/* The `_meta` of the client's own server/discover, in p->arena. */
static const toad__json *meta_of(toad__proxy *p, const px_exchange *ex) {
    return toad__json_get(toad__json_get(proxy_parse(p, ex->request), "params"), "_meta");
}

/* The client's own hello failed: try the other era, while it waits. */
static void try_other(toad__proxy *p, px_exchange *ex, const px_message *m) {
    p->hello_for = ex->id;
    if (m) {
        ex->answer = toad__arena_dup(&ex->own, m->bytes);
        ex->http = m->http;
    }
    ex->since = proxy_now(p);
    if (ex->modern)
        send_initialize(p, meta_of(p, ex));
    else
        send_discover(p, toad__str(NULL, 0));
}

static bool took_client_hello(toad__proxy *p, px_exchange *ex, px_message *m) {
    if (p->hello_for == ex->id) return true; /* it was given up already */
    if (m->rpc.kind == TOAD__RPC_ERROR && (ex->modern ? !is_modern_error(&m->rpc) : may_be_modern(&m->rpc))) {
        try_other(p, ex, m);
        return true;
    }
    ex->hello = false;
    if (ex->modern)
        is_modern_server(p);
    else
        p->server = m->rpc.kind == TOAD__RPC_RESULT ? PX_LEGACY : PX_UNKNOWN;
    return false;
}

bool proxy_took_hello(toad__proxy *p, px_exchange *ex, px_message *m) {
    switch (ex->purpose) {
    case PX_QUIET: proxy_drop(p, ex); return true;
    case PX_DISCOVER: took_discover(p, ex, m); return true;
    case PX_HELLO: took_session(p, ex, m); return true;
    default: return took_client_hello(p, ex, m);
    }
}

void proxy_hello_failed(toad__proxy *p, px_exchange *ex, const char *why) {
    snprintf(p->hello_why, sizeof p->hello_why, "%s", why);
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
            answer_hello(p, ex, "the server did not answer initialize");
        }
    }
}

/* ---- a client of 2026-07-28 at a server with sessions ---- */

static void ask_quietly(toad__proxy *p, const char *method, toad_str uri) {
    px_exchange *ex = proxy_exchange(p, PX_QUIET);
    if (!ex) return;
    toad__buf_clear(&p->out);
    toad__buf_add_z(&p->out, "{\"jsonrpc\":\"2.0\",\"id\":");
    toad__buf_add_u64(&p->out, ex->id);
    toad__buf_add_z(&p->out, ",\"method\":");
    toad__json_add_str(&p->out, toad__str_z(method));
    toad__buf_add_z(&p->out, ",\"params\":{\"uri\":");
    toad__json_add_utf8(&p->out, uri);
    toad__buf_add_z(&p->out, "}}");
    proxy_to_server(p, ex->id, TOAD__MCP_REQUEST, false, toad__str_z(method), toad__str(NULL, 0));
}

/* The subscriptions are ours to keep: the server's notifications are sorted into them. */
static void listen(toad__proxy *p, const px_message *m) {
    px_exchange *ex = proxy_admit(p, m, true);
    const toad__json *wanted = toad__json_get(m->rpc.params, "notifications");
    if (!ex) return;
    if (!wanted || wanted->type != TOAD__JSON_OBJECT) {
        proxy_answer_error(p, ex, TOAD__RPC_PARAMS, "params.notifications must be an object");
        proxy_drop(p, ex);
        return;
    }
    ex->state = PX_LISTENING;
    ex->answer = toad__arena_dup(&ex->own, wanted->raw);
    toad__buf_clear(&p->out);
    toad__rpc_begin_notification(&p->out, "notifications/subscriptions/acknowledged");
    toad__buf_add_z(&p->out, "{\"notifications\":");
    toad__buf_add_str(&p->out, wanted->raw);
    toad__buf_add_z(&p->out, ",\"_meta\":{\"" MCP_SUBSCRIPTION "\":");
    toad__buf_add_str(&p->out, ex->client_id);
    toad__buf_add_z(&p->out, "}}}");
    proxy_to_client(p, ex->stream, TOAD__MCP_NOTIFICATION, 0, true);
    const toad__json *uris = toad__json_get(wanted, "resourceSubscriptions");
    for (const toad__json *u = uris && uris->type == TOAD__JSON_ARRAY ? uris->child : NULL; u; u = u->next)
        if (u->type == TOAD__JSON_STRING) ask_quietly(p, "resources/subscribe", u->text);
}

static bool wants(const toad__json *filter, const px_message *m) {
    static const char *const lists[][2] = { { "notifications/tools/list_changed", "toolsListChanged" },
                                            { "notifications/prompts/list_changed", "promptsListChanged" },
                                            { "notifications/resources/list_changed", "resourcesListChanged" } };
    const toad__json *uris = toad__json_get(filter, "resourceSubscriptions");
    for (size_t i = 0; i < 3; i++) {
        const toad__json *on = toad__json_get(filter, lists[i][1]);
        if (toad__str_eq(m->rpc.method, toad__str_z(lists[i][0]))) return on && on->type == TOAD__JSON_TRUE;
    }
    for (const toad__json *u = uris ? uris->child : NULL; u; u = u->next)
        if (toad__str_eq(u->text, toad__json_get_text(m->rpc.params, "uri"))) return true;
    return false;
}

static void relay(toad__proxy *p, const px_exchange *ex, const px_message *m) {
    toad__buf_clear(&p->out);
    toad__buf_add_z(&p->out, "{\"jsonrpc\":\"2.0\",\"method\":");
    toad__json_add_str(&p->out, m->rpc.method);
    toad__buf_add_z(&p->out, ",\"params\":{");
    for (const toad__json *v = m->rpc.params ? m->rpc.params->child : NULL; v; v = v->next) {
        if (toad__str_eq(v->key, TOAD__S("_meta"))) continue;
        toad__json_add_utf8(&p->out, v->key);
        toad__buf_add_c(&p->out, ':');
        toad__buf_add_str(&p->out, v->raw);
        toad__buf_add_c(&p->out, ',');
    }
    toad__buf_add_z(&p->out, "\"_meta\":{\"" MCP_SUBSCRIPTION "\":");
    toad__buf_add_str(&p->out, ex->client_id);
    toad__buf_add_z(&p->out, "}}}");
    proxy_to_client(p, ex->stream, TOAD__MCP_NOTIFICATION, 0, true);
}

/* A log message goes to a client of 2026-07-28 only where a request in flight asked for it. */
static bool is_unwanted_log(const toad__proxy *p, const px_message *m) {
    int level = mcp_log_level(toad__json_get_text(m->rpc.params, "level"));
    for (const px_exchange *ex = p->exchanges; ex; ex = ex->next)
        if (ex->purpose == PX_CLIENT && ex->client_id.p && ex->log_level <= level) return false;
    return true;
}

bool proxy_relays(toad__proxy *p, const px_message *m) {
    bool is_change = toad__str_starts(m->rpc.method, TOAD__S("notifications/")) &&
                     (toad__str_eq(m->rpc.method, TOAD__S("notifications/resources/updated")) ||
                      toad__str_find(m->rpc.method, TOAD__S("/list_changed"), 0) < m->rpc.method.n);
    const toad__json *subscription = toad__json_get(toad__json_get(m->rpc.params, "_meta"), MCP_SUBSCRIPTION);
    if (p->server == PX_MODERN)
        return p->listen && proxy_number(subscription) == p->listen &&
               toad__str_eq(m->rpc.method, TOAD__S("notifications/subscriptions/acknowledged"));
    if (p->server != PX_LEGACY || p->client_version.p) return false;
    if (toad__str_eq(m->rpc.method, TOAD__S("notifications/message"))) return is_unwanted_log(p, m);
    for (px_exchange *ex = is_change ? p->exchanges : NULL; ex; ex = ex->next)
        if (ex->state == PX_LISTENING && wants(proxy_parse(p, ex->answer), m)) relay(p, ex, m);
    return is_change;
}

/* ---- a client with sessions at a server of 2026-07-28 ---- */

/* What the client wants to hear of is one subscription of ours. */
static void start_listening(toad__proxy *p) {
    px_exchange *ex = proxy_find(p, p->listen);
    if (ex) {
        toad__buf_clear(&p->out);
        toad__rpc_begin_notification(&p->out, "notifications/cancelled");
        toad__buf_add_z(&p->out, "{\"requestId\":");
        toad__buf_add_u64(&p->out, ex->id);
        toad__buf_add_z(&p->out, "}}");
        proxy_to_server(p, ex->id, TOAD__MCP_NOTIFICATION, true, TOAD__S("notifications/cancelled"),
                        toad__str(NULL, 0));
        proxy_drop(p, ex);
    }
    ex = proxy_exchange(p, PX_QUIET);
    if (!ex) return;
    ex->method = TOAD__S("subscriptions/listen");
    p->listen = ex->id;
    toad__buf_clear(&p->changed);
    toad__buf_add_z(&p->changed, "\"notifications\":{\"toolsListChanged\":true,\"promptsListChanged\":true,"
                                 "\"resourcesListChanged\":true,\"resourceSubscriptions\":[");
    for (size_t i = 0; i < p->watched_n; i++) {
        if (i) toad__buf_add_c(&p->changed, ',');
        toad__json_add_utf8(&p->changed, p->watched[i]);
    }
    toad__buf_add_z(&p->changed, "]}");
    toad__buf_clear(&p->out);
    toad__buf_add_z(&p->out, "{\"jsonrpc\":\"2.0\",\"id\":");
    toad__buf_add_u64(&p->out, ex->id);
    toad__buf_add_z(&p->out, ",\"method\":\"subscriptions/listen\",\"params\":");
    proxy_add_params(p, &p->out, NULL, true, MCP_LOG_NOTHING, toad__buf_str(&p->changed), toad__str(NULL, 0));
    toad__buf_add_c(&p->out, '}');
    proxy_to_server(p, ex->id, TOAD__MCP_REQUEST, true, ex->method, toad__str(NULL, 0));
}

/* False: no room. */
static bool watch(toad__proxy *p, toad_str uri, bool on) {
    size_t i = 0;
    while (i < p->watched_n && !toad__str_eq(p->watched[i], uri)) i++;
    if (i < p->watched_n && !on) {
        free((char *)(uintptr_t)p->watched[i].p);
        p->watched[i] = p->watched[--p->watched_n];
    } else if (i == p->watched_n && on) {
        char *copy = p->watched_n < TOAD__MCP_WATCHED ? malloc(uri.n ? uri.n : 1) : NULL;
        if (!copy) return false;
        if (uri.n) memcpy(copy, uri.p, uri.n);
        p->watched[p->watched_n++] = toad__str(copy, uri.n);
    }
    return true;
}

/* Requests that only sessions have. True: answered. */
static bool answers_session(toad__proxy *p, const px_message *m) {
    bool subscribe = toad__str_eq(m->rpc.method, TOAD__S("resources/subscribe")),
         unsubscribe = toad__str_eq(m->rpc.method, TOAD__S("resources/unsubscribe")),
         level = toad__str_eq(m->rpc.method, TOAD__S("logging/setLevel"));
    if (!subscribe && !unsubscribe && !level && !toad__str_eq(m->rpc.method, TOAD__S("ping"))) return false;
    bool ok = true;
    if (level) {
        int wanted = mcp_log_level(toad__json_get_text(m->rpc.params, "level"));
        ok = wanted >= 0;
        if (ok) p->client_log_level = wanted;
    } else if (subscribe || unsubscribe) {
        ok = watch(p, toad__json_get_text(m->rpc.params, "uri"), subscribe);
    }
    if (!ok) {
        proxy_error(p, m->stream, m->rpc.id, TOAD__RPC_PARAMS, "not possible", false);
        return true;
    }
    toad__buf_clear(&p->out);
    toad__rpc_begin_result(&p->out, m->rpc.id);
    toad__buf_add_z(&p->out, "{}}");
    proxy_to_client(p, m->stream, TOAD__MCP_ANSWER, 200, false);
    if (subscribe || unsubscribe) start_listening(p);
    return true;
}

/* ---- both ---- */

static bool is_of_sessions(toad_str method) {
    static const char *const names[] = { "initialize", "ping", "logging/setLevel", "resources/subscribe",
                                         "resources/unsubscribe" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (toad__str_eq(method, toad__str_z(names[i]))) return true;
    return false;
}

static bool stands_in_modern(toad__proxy *p, const px_message *m) {
    if (toad__str_eq(m->rpc.method, TOAD__S("subscriptions/listen"))) {
        listen(p, m);
    } else if (toad__str_eq(m->rpc.method, TOAD__S("server/discover"))) {
        px_exchange *ex = proxy_admit(p, m, true);
        if (ex) answer_discover(p, ex);
    } else if (is_of_sessions(m->rpc.method)) {
        proxy_error(p, m->stream, m->rpc.id, TOAD__RPC_METHOD_UNKNOWN, "method not found", true);
    } else {
        return false;
    }
    return true;
}

/* An initialize where nothing of the kind is to be sent to the server. */
static bool stands_in_initialize(toad__proxy *p, const px_message *m) {
    px_exchange *ex = proxy_admit(p, m, false);
    if (!ex) return true;
    if (p->server == PX_MODERN) {
        ex->hello = true;
        p->hello_for = ex->id;
        send_discover(p, toad__str(NULL, 0));
    } else {
        proxy_answer(p, ex, p->hello, false, 200);
        proxy_drop(p, ex);
    }
    return true;
}

bool proxy_stands_in(toad__proxy *p, const px_message *m, bool modern) {
    bool initialize = !modern && toad__str_eq(m->rpc.method, TOAD__S("initialize"));
    if (initialize && (p->server == PX_MODERN || (p->server == PX_LEGACY && p->own_session)))
        return stands_in_initialize(p, m);
    if (modern) return p->server == PX_LEGACY && stands_in_modern(p, m);
    return p->server == PX_MODERN && answers_session(p, m);
}

bool proxy_swallows(toad__proxy *p, const toad__rpc *rpc, bool modern) {
    bool initialized = toad__str_eq(rpc->method, TOAD__S("notifications/initialized"));
    if (modern) return false;
    if (initialized && p->server == PX_MODERN) start_listening(p);
    return (initialized && (p->server == PX_MODERN || p->own_session)) ||
           (p->server == PX_MODERN && toad__str_eq(rpc->method, TOAD__S("notifications/roots/list_changed")));
}
