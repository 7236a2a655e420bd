/* proxy.c - the life of a proxy, its lists, and everything that leaves it.
 *
 * Nothing is sent but through proxy_to_client and proxy_to_server, which take line feeds out: within JSON they are only
 * white space. A message that is passed on is a splice of the one that came: the pieces between the cuts are its bytes.
 * Lists are walked; TOAD__PROXY_IN_FLIGHT bounds them. */
#include "lib/base/hex.h"
#include "lib/base/random.h"
#include "proto/proxy_internal.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- life ---- */

static bool make_secrets(toad__proxy *p) {
    unsigned char instance[4];
    if (!toad__random(p->key, sizeof p->key) || !toad__random(instance, sizeof instance)) return false;
    memcpy(p->prefix, "toad-", 5);
    toad__hex(p->prefix + 5, instance, sizeof instance);
    memcpy(p->prefix + 13, "-", 2);
    return true;
}

toad_status toad__proxy_new(const toad__proxy_options *options, toad__proxy **ret) {
    toad__proxy *p = calloc(1, sizeof *p);
    if (!p) return TOAD_E_NOMEM;
    p->o = *options;
    if (!p->o.probe_time) p->o.probe_time = 5000;
    p->exchanges_end = &p->exchanges;
    p->asks_end = &p->asks;
    p->waiting_end = &p->waiting;
    p->client_log_level = p->server_log_level = MCP_LOG_NOTHING;
    toad__arena_init(&p->kept, TOAD__RPC_ARENA_MAX);
    toad__arena_init(&p->arena, 2 * TOAD__RPC_ARENA_MAX);
    toad__buf_init(&p->out, TOAD__PROXY_OUT_MAX);
    toad__buf_init(&p->value, TOAD__PROXY_OUT_MAX);
    toad__buf_init(&p->question, TOAD__RPC_MESSAGE_MAX);
    toad__buf_init(&p->changed, TOAD__PROXY_OUT_MAX);
    toad__buf_init(&p->scratch, TOAD__PROXY_OUT_MAX);
    if (!make_secrets(p)) {
        free(p);
        return TOAD_E_RANDOM;
    }
    *ret = p;
    return TOAD_OK;
}

void toad__proxy_free(toad__proxy *p) {
    if (!p) return;
    while (p->exchanges) proxy_drop(p, p->exchanges);
    while (p->asks) proxy_drop_ask(p, p->asks);
    for (px_waiting *w = p->waiting, *next; w; w = next) {
        next = w->next;
        free(w);
    }
    for (size_t i = 0; i < p->watched_n; i++) free((char *)(uintptr_t)p->watched[i].p);
    toad__arena_free(&p->kept);
    toad__arena_free(&p->arena);
    toad__buf *const bufs[] = { &p->out, &p->value, &p->question, &p->changed, &p->scratch };
    for (size_t i = 0; i < sizeof bufs / sizeof *bufs; i++) toad__buf_free(bufs[i]);
    free(p);
}

int64_t proxy_now(const toad__proxy *p) { return p->o.now(p->o.ctx); }

void proxy_note(const toad__proxy *p, const char *text) {
    if (p->o.note) p->o.note(p->o.ctx, text);
}

/* Is it one that stays open as long as the client wants? */
static bool is_listening(const px_exchange *ex) { return toad__str_eq(ex->method, TOAD__S("subscriptions/listen")); }

size_t toad__proxy_in_flight(const toad__proxy *p) {
    size_t n = p->waiting != NULL;
    for (const px_exchange *ex = p->exchanges; ex; ex = ex->next) n += ex->client_id.p && !is_listening(ex);
    return n;
}

bool toad__proxy_waits(const toad__proxy *p, uint64_t exchange) {
    const px_exchange *ex = p->exchanges;
    while (ex && ex->id != exchange) ex = ex->next;
    return ex && (ex->state == PX_SENT || ex->state == PX_LISTENING);
}

toad__mcp_version toad__proxy_server_version(const toad__proxy *p) { return p->server_version; }

/* ---- methods ---- */

const px_method *proxy_method(toad_str name) {
    static const px_method methods[] = {
        { "tools/call", TOAD__MCP_VALUE_TOOL_RESULT, "name", true, false },
        { "tools/list", TOAD__MCP_VALUE_TOOLS, NULL, false, true },
        { "resources/read", TOAD__MCP_VALUE_RESOURCE, "uri", true, true },
        { "prompts/get", TOAD__MCP_VALUE_PROMPT, "name", true, false },
        { "initialize", TOAD__MCP_VALUE_SERVER, NULL, false, false },
        { "server/discover", TOAD__MCP_VALUE_SERVER, NULL, false, true },
        { "prompts/list", TOAD__MCP_VALUE_PROMPTS, NULL, false, true },
        { "resources/list", TOAD__MCP_VALUE_RESOURCES, NULL, false, true },
        { "resources/templates/list", TOAD__MCP_VALUE_TEMPLATES, NULL, false, true },
        { "completion/complete", TOAD__MCP_VALUE_COMPLETION, NULL, false, false },
        { "tasks/get", TOAD__MCP_VALUE_TASK, "taskId", false, false },
        { "tasks/result", TOAD__MCP_VALUE_TOOL_RESULT, "taskId", false, false },
        { "tasks/update", TOAD__MCP_VALUE_TASK, "taskId", false, false },
        { "tasks/cancel", TOAD__MCP_VALUE_TASK, "taskId", false, false },
    };
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
        if (toad__str_eq(name, toad__str_z(methods[i].name))) return &methods[i];
    return NULL;
}

/* ---- lists ---- */

px_exchange *proxy_exchange(toad__proxy *p, px_purpose purpose) {
    px_exchange *ex = p->exchanges_n < TOAD__PROXY_IN_FLIGHT ? calloc(1, sizeof *ex) : NULL;
    if (!ex) return NULL;
    ex->id = ++p->last_id;
    ex->purpose = purpose;
    ex->what = TOAD__MCP_VALUE_OTHER;
    ex->log_level = MCP_LOG_NOTHING;
    ex->since = proxy_now(p);
    toad__arena_init(&ex->own, 2 * TOAD__RPC_ARENA_MAX);
    *p->exchanges_end = ex;
    p->exchanges_end = &ex->next;
    p->exchanges_n++;
    return ex;
}

px_exchange *proxy_find(toad__proxy *p, uint64_t id) {
    px_exchange *ex = p->exchanges;
    while (ex && ex->id != id) ex = ex->next;
    return id ? ex : NULL;
}

void proxy_drop(toad__proxy *p, px_exchange *ex) {
    px_exchange **at = &p->exchanges;
    while (*at && *at != ex) at = &(*at)->next;
    assert(*at && p->exchanges_n && p->held >= ex->request.n);
    *at = ex->next;
    if (!ex->next) p->exchanges_end = at;
    p->exchanges_n--;
    p->held -= ex->request.n;
    if (p->listen == ex->id) p->listen = 0;
    proxy_drop_asks_of(p, ex);
    toad__arena_free(&ex->own);
    free(ex);
}

uint64_t proxy_number(const toad__json *id) {
    uint64_t n = 0;
    if (!id || id->type != TOAD__JSON_NUMBER || id->raw.n > 18) return 0;
    for (size_t i = 0; i < id->raw.n; i++) {
        if (!toad__is_digit((unsigned char)id->raw.p[i])) return 0;
        n = n * 10 + (uint64_t)(id->raw.p[i] - '0');
    }
    return n;
}

toad_str proxy_digits(uint64_t n, char buf[24]) {
    return toad__str(buf, (size_t)snprintf(buf, 24, "%llu", (unsigned long long)n));
}

const toad__json *proxy_parse(toad__proxy *p, toad_str json) {
    const toad__json *root;
    const char *expected;
    size_t at;
    return json.p && !toad__json_parse(json, &p->arena, &root, &at, &expected) ? root : NULL;
}

/* ---- out ---- */

void proxy_splice(toad__proxy *p, toad_str bytes, px_cut *cuts, size_t n) {
    const char *at = bytes.p, *end = bytes.p + bytes.n;
    for (size_t i = 1; i < n; i++) /* a handful */
        for (size_t j = i; j && cuts[j].old.p < cuts[j - 1].old.p; j--) {
            px_cut swap = cuts[j];
            cuts[j] = cuts[j - 1];
            cuts[j - 1] = swap;
        }
    toad__buf_clear(&p->out);
    for (size_t i = 0; i < n; i++) {
        toad__buf_add(&p->out, at, (size_t)(cuts[i].old.p - at));
        toad__buf_add_str(&p->out, cuts[i].new);
        at = cuts[i].old.p + cuts[i].old.n;
    }
    toad__buf_add(&p->out, at, (size_t)(end - at));
}

static void one_line(toad__buf *b) {
    for (char *at = b->p; at && (at = memchr(at, '\n', b->n - (size_t)(at - b->p)));) *at = ' ';
    for (char *at = b->p; at && (at = memchr(at, '\r', b->n - (size_t)(at - b->p)));) *at = ' ';
}

static void send(toad__proxy *p, toad__proxy_out *out) {
    if (!p->out.status) {
        one_line(&p->out);
        out->message = toad__buf_str(&p->out);
        p->o.emit(p->o.ctx, out);
    }
    toad__buf_clear(&p->out);
}

void proxy_to_client(toad__proxy *p, uint64_t stream, toad__mcp_out_kind kind, int http, bool modern) {
    toad__proxy_out out = { .kind = kind, .stream = stream, .http = http, .modern = modern };
    send(p, &out);
}

void proxy_to_server(toad__proxy *p, uint64_t exchange, toad__mcp_out_kind kind, bool modern, toad_str method,
                     toad_str name) {
    toad__proxy_out out = {
        .to_server = true, .kind = kind, .stream = exchange, .modern = modern, .method = method, .name = name
    };
    if (p->gone)
        toad__buf_clear(&p->out);
    else
        send(p, &out);
}

static void begin_answer(toad__proxy *p, toad_str id, const char *member) {
    toad__buf_clear(&p->out);
    toad__buf_add_z(&p->out, "{\"jsonrpc\":\"2.0\",\"id\":");
    toad__buf_add_str(&p->out, id);
    toad__buf_add_z(&p->out, member);
}

void proxy_answer(toad__proxy *p, px_exchange *ex, toad_str value, bool is_error, int http) {
    if (!ex->client_id.p) return;
    begin_answer(p, ex->client_id, is_error ? ",\"error\":" : ",\"result\":");
    toad__buf_add_str(&p->out, value);
    toad__buf_add_c(&p->out, '}');
    ex->client_id = toad__str(NULL, 0);
    proxy_to_client(p, ex->stream, TOAD__MCP_ANSWER, http, ex->modern);
}

static void add_error(toad__buf *b, int code, const char *message) {
    toad__buf_add_z(b, "{\"code\":");
    toad__rpc_add_int(b, code);
    toad__buf_add_z(b, ",\"message\":");
    toad__json_add_str(b, toad__str_z(message));
    toad__buf_add_c(b, '}');
}

void proxy_answer_error(toad__proxy *p, px_exchange *ex, int code, const char *message) {
    toad__buf_clear(&p->scratch);
    add_error(&p->scratch, code, message);
    proxy_answer(p, ex, toad__buf_str(&p->scratch), true, mcp_http_of(code, ex->modern));
}

void proxy_refuse(toad__proxy *p, px_exchange *ex, const char *why) {
    const toad__proxy_value in = { .what = ex->what, .name = ex->name.n ? ex->name : ex->method, .modern = ex->modern };
    if (!ex->client_id.p) return;
    toad__buf_clear(&p->value);
    bool is_error = p->o.refuse(p->o.ctx, &in, why, &p->value) != TOAD__FATE_REPLACE;
    if (p->value.status)
        proxy_answer_error(p, ex, TOAD__RPC_INTERNAL, "out of memory");
    else
        proxy_answer(p, ex, toad__buf_str(&p->value), is_error, 200);
}

void proxy_error(toad__proxy *p, uint64_t stream, const toad__json *id, int code, const char *message, bool modern) {
    toad__buf_clear(&p->out);
    toad__rpc_add_error(&p->out, id, code, message, toad__str(NULL, 0));
    proxy_to_client(p, stream, TOAD__MCP_ANSWER, mcp_http_of(code, modern), modern);
}

static void fail(toad__proxy *p, px_exchange *ex, const char *why) {
    if (ex->purpose != PX_CLIENT || ex->hello) {
        proxy_hello_failed(p, ex, why);
    } else {
        proxy_refuse(p, ex, why);
        proxy_drop(p, ex);
    }
}

/* ---- in ---- */

/* What a message could not be read for is answered at once. */
static void complain(toad__proxy *p, const px_message *m) {
    proxy_error(p, m->stream, m->rpc.id, m->rpc.code, m->rpc.why, false);
}

static void each_of_client(toad__proxy *p, px_message *m, bool modern_header) {
    for (const toad__json *item = m->rpc.root->child; item; item = item->next) {
        px_message one = { .bytes = item->raw, .stream = m->stream };
        if (toad__rpc_classify(item, &one.rpc))
            complain(p, &one);
        else
            proxy_take_client(p, &one, modern_header);
    }
}

void toad__proxy_from_client(toad__proxy *p, uint64_t stream, toad_str version, toad_str bytes) {
    px_message m = { .stream = stream };
    bool modern = toad__mcp_version_of(version) >= TOAD__MCP_2026_07_28;
    p->header = version;
    if (toad__rpc_read(bytes, &p->arena, &m.rpc)) {
        complain(p, &m);
    } else {
        m.bytes = m.rpc.root->raw;
        (m.rpc.kind == TOAD__RPC_BATCH ? each_of_client : proxy_take_client)(p, &m, modern);
    }
    p->header = toad__str(NULL, 0);
    toad__arena_free(&p->arena);
    proxy_drain(p);
}

/* The one request that a server has to answer; NULL: there is none, or several. */
static px_exchange *only_sent(toad__proxy *p) {
    px_exchange *only = NULL;
    for (px_exchange *ex = p->exchanges; ex; ex = ex->next) {
        if (ex->state == PX_SENT && only) return NULL;
        if (ex->state == PX_SENT) only = ex;
    }
    return only;
}

/* A message of the server that cannot be read: whoever waits for it must not wait on. What names no request in words
 * that can be told, and no method, is the answer to the only one there is. */
static void unreadable(toad__proxy *p, const px_message *m, toad_str bytes) {
    toad__rpc_id_finder finder = { 0 };
    px_exchange *ex = proxy_find(p, m->stream);
    if (!ex) {
        toad__rpc_find_id(&finder, bytes);
        toad__buf_clear(&p->scratch);
        toad__rpc_found_id(&finder, &p->scratch);
        const toad__json *id =
            p->scratch.n ? proxy_parse(p, toad__arena_dup(&p->arena, toad__buf_str(&p->scratch))) : NULL;
        ex = proxy_find(p, proxy_number(id));
        if (!id && toad__str_find(bytes, TOAD__S("\"method\""), 0) == bytes.n) ex = only_sent(p);
    }
    proxy_note(p, "a message of the server is not valid JSON-RPC and was not forwarded");
    if (ex) fail(p, ex, "its answer is not valid JSON-RPC");
}

void toad__proxy_from_server(toad__proxy *p, uint64_t exchange, int http, toad_str bytes) {
    px_message m = { .stream = exchange, .http = http };
    if (toad__rpc_read(bytes, &p->arena, &m.rpc)) {
        unreadable(p, &m, bytes);
    } else if (m.rpc.kind == TOAD__RPC_BATCH) {
        for (const toad__json *item = m.rpc.root->child; item; item = item->next) {
            px_message one = { .bytes = item->raw, .stream = exchange, .http = http };
            if (toad__rpc_classify(item, &one.rpc))
                unreadable(p, &one, item->raw);
            else
                proxy_take_server(p, &one);
        }
    } else {
        m.bytes = m.rpc.root->raw;
        proxy_take_server(p, &m);
    }
    toad__arena_free(&p->arena);
    proxy_drain(p);
}

void toad__proxy_client_oversize(toad__proxy *p, uint64_t stream, toad_str id) {
    proxy_error(p, stream, id.n ? proxy_parse(p, id) : NULL, TOAD__RPC_REQUEST_INVALID, "the message is too large",
                false);
    toad__arena_free(&p->arena);
}

void toad__proxy_server_oversize(toad__proxy *p, uint64_t exchange, toad_str id) {
    px_exchange *ex = proxy_find(p, exchange ? exchange : proxy_number(id.n ? proxy_parse(p, id) : NULL));
    toad__arena_free(&p->arena);
    proxy_note(p, "a message of the server is too large and was not forwarded");
    if (ex) toad__proxy_failed(p, ex->id, "its answer is larger than what is screened");
}

/* ---- the end of things ---- */

void toad__proxy_failed(toad__proxy *p, uint64_t exchange, const char *why) {
    px_exchange *ex = proxy_find(p, exchange);
    if (ex) fail(p, ex, why);
    proxy_drain(p);
}

static void cancel_at_server(toad__proxy *p, const px_exchange *ex, const char *why) {
    if (ex->state != PX_SENT && ex->state != PX_INPUT) return;
    toad__buf_clear(&p->out);
    toad__rpc_begin_notification(&p->out, "notifications/cancelled");
    toad__buf_add_z(&p->out, "{\"requestId\":");
    toad__buf_add_u64(&p->out, ex->id);
    toad__buf_add_z(&p->out, ",\"reason\":");
    toad__json_add_str(&p->out, toad__str_z(why));
    toad__buf_add_z(&p->out, "}}");
    proxy_to_server(p, ex->id, TOAD__MCP_NOTIFICATION, p->server == PX_MODERN, TOAD__S("notifications/cancelled"),
                    toad__str(NULL, 0));
}

void toad__proxy_cancel_stream(toad__proxy *p, uint64_t stream) {
    for (px_exchange *ex = p->exchanges, *next; ex; ex = next) {
        next = ex->next;
        if (!ex->modern || ex->stream != stream || ex->purpose != PX_CLIENT || !ex->client_id.p) continue;
        if (ex->hello) {
            ex->client_id = toad__str(NULL, 0);
        } else {
            cancel_at_server(p, ex, "the client is gone");
            proxy_drop(p, ex);
        }
    }
}

/* Is there a question of this exchange that the user still has time for? */
static bool is_asking(const toad__proxy *p, const px_exchange *ex, int64_t now) {
    for (const px_ask *a = p->asks; a; a = a->next)
        if (a->of == ex && now - a->since < TOAD__PROXY_ASK_LIFE) return true;
    return ex->parked && now - ex->since < TOAD__PROXY_ASK_LIFE;
}

static void look_at(toad__proxy *p, px_exchange *ex, int64_t now) {
    int64_t limit = ex->purpose != PX_CLIENT || ex->hello ? p->o.probe_time : p->o.timeout;
    if (ex->hello && !ex->modern) limit = p->o.timeout; /* an initialize of the client may take its time */
    if (ex->purpose == PX_HELLO) limit = p->o.timeout;
    if (is_listening(ex) || is_asking(p, ex, now)) return;
    if (ex->parked || ex->state != PX_SENT) {
        proxy_give_up(p, ex);
        cancel_at_server(p, ex, "nobody answered");
        proxy_refuse(p, ex, "nobody answered the question about it in time");
        proxy_drop(p, ex);
    } else if (limit && now - ex->since >= limit) {
        cancel_at_server(p, ex, "it took too long");
        fail(p, ex, "the server did not answer in time");
    }
}

void toad__proxy_tick(toad__proxy *p) {
    int64_t now = proxy_now(p);
    uint64_t last = p->last_id;
    for (uint64_t at = 0;;) { /* by number, since one failure may end others */
        px_exchange *ex = p->exchanges;
        while (ex && (ex->id <= at || ex->id > last)) ex = ex->next;
        if (!ex) break;
        at = ex->id;
        look_at(p, ex, now);
    }
    proxy_drain(p);
}

void toad__proxy_server_gone(toad__proxy *p, const char *why) {
    if (p->gone) return;
    p->gone = true;
    p->gone_why = why;
    while (p->exchanges) {
        px_exchange *ex = p->exchanges;
        if (ex->purpose == PX_CLIENT && ex->client_id.p) {
            if (ex->what == TOAD__MCP_VALUE_TOOL_RESULT)
                proxy_refuse(p, ex, why);
            else
                proxy_answer_error(p, ex, TOAD__PROXY_SERVER_GONE, why);
        }
        proxy_drop(p, ex);
    }
    p->server = PX_UNKNOWN;
    proxy_drain(p);
}
