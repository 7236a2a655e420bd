/* proxy_server.c - what the server sends, on its way to the client: nothing passes without having been screened.
 *
 * A message that screening changed, or that has members nobody looked at, is built anew and read again, so that what
 * follows works on whole messages only; the usual one is untouched and its bytes are spliced. A method is a word, not a
 * sentence: anything else in a server's method is not forwarded. */
#include "proto/proxy_internal.h"

#include <stdlib.h>

/* ---- screening ---- */

static const char *value_name(const toad__rpc *rpc) {
    return rpc->kind == TOAD__RPC_RESULT ? "result" : rpc->kind == TOAD__RPC_ERROR ? "error" : "params";
}

/* Has the message a member that is neither screened nor written by us? An answer has no params. */
static bool has_more(const toad__rpc *rpc) {
    const char *const known[] = { "jsonrpc", "id", rpc->method.n ? "method" : "id", value_name(rpc) };
    for (const toad__json *m = rpc->root->child; m; m = m->next) {
        size_t i = 0;
        while (i < sizeof known / sizeof *known && !toad__str_eq(m->key, toad__str_z(known[i]))) i++;
        if (i == sizeof known / sizeof *known) return true;
    }
    return false;
}

static bool is_word(toad_str method) {
    for (size_t i = 0; i < method.n; i++)
        if (!toad__is_alnum((unsigned char)method.p[i]) && !strchr("/_.$-", method.p[i])) return false;
    return true;
}

/* Build the message anew around `value` (p NULL: none) as member `name`, and read it. */
static bool rebuild(toad__proxy *p, px_message *m, const char *name, toad_str value) {
    toad__buf *b = &p->changed;
    toad__buf_clear(b);
    toad__buf_add_z(b, "{\"jsonrpc\":\"2.0\"");
    if (m->rpc.id) {
        toad__buf_add_z(b, ",\"id\":");
        toad__buf_add_str(b, m->rpc.id->raw);
    } else if (m->rpc.kind == TOAD__RPC_ERROR) {
        toad__buf_add_z(b, ",\"id\":null");
    }
    if (m->rpc.method.n) {
        toad__buf_add_z(b, ",\"method\":");
        toad__json_add_str(b, m->rpc.method);
    }
    if (value.p) {
        toad__buf_add_z(b, ",\"");
        toad__buf_add_z(b, name);
        toad__buf_add_z(b, "\":");
        toad__buf_add_str(b, value);
    }
    toad__buf_add_c(b, '}');
    toad_str bytes = b->status ? toad__str(NULL, 0) : toad__arena_dup(&p->arena, toad__buf_str(b));
    if (!bytes.p || toad__rpc_read(bytes, &p->arena, &m->rpc)) return false;
    m->bytes = bytes;
    m->http = 0;
    return true;
}

/* Screen the value of the message; afterwards it holds what may be forwarded, unless the fate is one of the BACK kinds:
 * then p->value is for the server. With `ask` of the verdict set the message is not changed yet. False: no memory. */
static bool screen(toad__proxy *p, const toad__proxy_value *in, toad__proxy_verdict *verdict) {
    *verdict = (toad__proxy_verdict){ .fate = TOAD__FATE_PASS };
    toad__buf_clear(&p->value);
    toad__buf_clear(&p->question);
    if (in->value &&
        (!p->o.screen(p->o.ctx, in, &p->value, &p->question, verdict) || p->value.status || p->question.status)) {
        toad__buf_clear(&p->value);
        *verdict = (toad__proxy_verdict){ .fate = p->o.refuse(p->o.ctx, in, "it could not be screened", &p->value) };
        if (p->value.status) return false;
    }
    return true;
}

/* Make the message what the verdict says. */
static bool apply(toad__proxy *p, px_message *m, const toad__proxy_verdict *verdict) {
    toad_str value = toad__buf_str(&p->value);
    const toad__json *own = m->rpc.result ? m->rpc.result : m->rpc.params;
    switch (verdict->fate) {
    case TOAD__FATE_REPLACE: return rebuild(p, m, value_name(&m->rpc), value);
    case TOAD__FATE_AS_ERROR: return rebuild(p, m, "error", value);
    default: return !has_more(&m->rpc) || rebuild(p, m, value_name(&m->rpc), own ? own->raw : toad__str(NULL, 0));
    }
}

/* ---- answers ---- */

static bool crosses_to_modern_client(const toad__proxy *p, const px_exchange *ex) {
    return !p->o.same_era && ex->modern && p->server == PX_LEGACY;
}

/* What a result of 2026-07-28 has and one of a session, or one of ours, lacks. */
static void add_result_type(toad__proxy *p, const px_exchange *ex, const toad__json *result) {
    const px_method *method = proxy_method(ex->method);
    toad__buf_clear(&p->scratch);
    if (result->type != TOAD__JSON_OBJECT || toad__json_get(result, "resultType")) return;
    toad__buf_add_z(&p->scratch, "\"resultType\":\"complete\"");
    if (method && method->cached && !toad__json_get(result, "ttlMs"))
        toad__buf_add_z(&p->scratch, ",\"ttlMs\":0,\"cacheScope\":\"private\"");
    if (result->child) toad__buf_add_c(&p->scratch, ',');
}

static void remember_hello(toad__proxy *p, const toad__json *result) {
    p->server_logs = toad__json_get(toad__json_get(result, "capabilities"), "logging") != NULL;
    p->server_version = toad__mcp_version_of(toad__json_get_text(result, "protocolVersion"));
    if (!p->hello.p) p->hello = toad__arena_dup(&p->kept, result->raw);
}

/* Send the answer on, under the client's id. */
static void answer(toad__proxy *p, px_exchange *ex, const px_message *m, bool changed) {
    const toad__json *value = m->rpc.result, *code = toad__json_get(value, "code");
    bool is_error = m->rpc.kind == TOAD__RPC_ERROR, cross = crosses_to_modern_client(p, ex);
    int64_t number =
        code && code->type == TOAD__JSON_NUMBER ? strtoll(code->raw.p, NULL, 10) : 0; /* ends at a comma or brace */
    int http = m->http && !changed && !cross ? m->http : is_error ? mcp_http_of((int)number, ex->modern) : 200;
    px_cut cuts[4];
    size_t n = 0;
    if (!m->rpc.id || !ex->client_id.p) { /* the latter: its stream is gone */
        proxy_answer(p, ex, value->raw, is_error, http);
        return;
    }
    cuts[n++] = (px_cut){ m->rpc.id->raw, ex->client_id };
    if (is_error && cross && number == TOAD__MCP_NOT_FOUND_LEGACY) cuts[n++] = (px_cut){ code->raw, TOAD__S("-32602") };
    if (!is_error && ex->modern && (changed || cross)) {
        add_result_type(p, ex, value);
        cuts[n++] = (px_cut){ toad__str(value->raw.p + 1, 0), toad__buf_str(&p->scratch) };
    }
    const toad__json *subscription = toad__json_get(toad__json_get(value, "_meta"), MCP_SUBSCRIPTION);
    if (!is_error && proxy_number(subscription) == ex->id) cuts[n++] = (px_cut){ subscription->raw, ex->client_id };
    proxy_splice(p, m->bytes, cuts, n);
    ex->client_id = toad__str(NULL, 0);
    proxy_to_client(p, ex->stream, TOAD__MCP_ANSWER, http, ex->modern);
}

static bool wants_input(const toad__proxy *p, const px_exchange *ex, const toad__rpc *rpc) {
    return !p->o.same_era && p->server == PX_MODERN && !ex->modern && rpc->kind == TOAD__RPC_RESULT &&
           toad__str_eq(toad__json_get_text(rpc->result, "resultType"), TOAD__S("input_required"));
}

/* A model may keep to itself that something was withheld: the client can show its user. */
static void tell(toad__proxy *p, const px_exchange *ex, const char *text) {
    int level = ex->modern ? ex->log_level : p->client_log_level;
    bool wanted = level <= MCP_LOG_WARNING || (!ex->modern && level == MCP_LOG_NOTHING && p->server_logs);
    if (!*text || !wanted || toad__str_eq(ex->method, TOAD__S("initialize"))) return;
    toad__buf_clear(&p->out);
    toad__buf_add_z(&p->out,
                    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{\"level\":\"warning\","
                    "\"logger\":\"toadstone\",\"data\":");
    toad__json_add_str(&p->out, toad__str_z(text));
    toad__buf_add_z(&p->out, "}}");
    proxy_to_client(p, ex->stream, TOAD__MCP_NOTIFICATION, 0, ex->modern);
}

void proxy_deliver(toad__proxy *p, px_exchange *ex, px_message *m, const toad__json *reply) {
    bool is_error = m->rpc.kind == TOAD__RPC_ERROR;
    toad__proxy_value in = { .what = is_error ? TOAD__MCP_VALUE_ERROR : ex->what,
                             .name = ex->name.n ? ex->name : ex->method,
                             .value = m->rpc.result,
                             .modern = ex->modern,
                             .reply = reply,
                             .tag = ex->tag };
    toad__proxy_verdict verdict;
    if (ex->parked) { /* taken when the client comes back */
        ex->http = m->http;
        ex->answer = toad__arena_dup(&ex->own, m->bytes);
        return;
    }
    if (!screen(p, &in, &verdict)) {
        proxy_answer_error(p, ex, TOAD__RPC_INTERNAL, "out of memory");
    } else if (verdict.ask && !reply && !is_error && proxy_hold(p, ex, PX_ANSWERED, m->bytes, m->http, verdict.tag)) {
        return;
    } else if (!apply(p, m, &verdict)) {
        proxy_answer_error(p, ex, TOAD__RPC_INTERNAL, "out of memory");
    } else if (wants_input(p, ex, &m->rpc)) {
        if (proxy_take_input(p, ex, m->rpc.result)) return;
        proxy_refuse(p, ex, "the server asks for something that this client cannot give");
    } else {
        if (m->rpc.kind == TOAD__RPC_RESULT && toad__str_eq(ex->method, TOAD__S("initialize")))
            remember_hello(p, m->rpc.result);
        tell(p, ex, verdict.tell);
        answer(p, ex, m, verdict.fate != TOAD__FATE_PASS);
    }
    proxy_drop(p, ex);
}

/* ---- requests ---- */

/* The request of the client that a message of the server belongs to, as far as can be told. `can`: what is asked, and
 * of whom it can be. */
static px_exchange *belongs_to(toad__proxy *p, uint64_t exchange, const toad__rpc *request) {
    px_exchange *best = proxy_find(p, exchange);
    if (best && best->client_id.p) return best;
    best = NULL;
    if (!request && p->o.shared && toad__proxy_in_flight(p) != 1) return NULL; /* it may be another client's */
    for (px_exchange *ex = p->exchanges; ex; ex = ex->next) {
        const px_method *method = proxy_method(ex->method);
        if (ex->purpose != PX_CLIENT || ex->state != PX_SENT || !method || !method->may_ask) continue;
        if (request && ex->modern && !proxy_can_ask(ex, request->method, request->params)) continue;
        if (!best || ex->client_id.p) best = ex;
    }
    return best;
}

static void reply_to_server(toad__proxy *p, const toad__json *id, const char *member, toad_str value) {
    toad__buf_clear(&p->out);
    toad__buf_add_z(&p->out, "{\"jsonrpc\":\"2.0\",\"id\":");
    toad__buf_add_str(&p->out, id->raw);
    toad__buf_add_z(&p->out, member);
    toad__buf_add_str(&p->out, value);
    toad__buf_add_c(&p->out, '}');
    proxy_to_server(p, 0, TOAD__MCP_ANSWER, false, toad__str(NULL, 0), toad__str(NULL, 0));
}

#define CANNOT TOAD__S("{\"code\":-32601,\"message\":\"the client does not answer this\"}")

static void take_request(toad__proxy *p, px_message *m) {
    bool modern_only = !p->o.same_era && p->server == PX_LEGACY && !p->client_version.p;
    px_exchange *ex = belongs_to(p, m->stream, &m->rpc);
    toad__proxy_value in = { .what = TOAD__MCP_VALUE_REQUEST, .name = m->rpc.method, .value = m->rpc.params };
    toad__proxy_verdict verdict;
    px_ask *ask;
    char digits[24];
    if (modern_only && toad__str_eq(m->rpc.method, TOAD__S("ping"))) {
        reply_to_server(p, m->rpc.id, ",\"result\":", TOAD__S("{}"));
        return;
    }
    if (!is_word(m->rpc.method) || (modern_only && (!ex || !proxy_can_ask(ex, m->rpc.method, m->rpc.params)))) {
        reply_to_server(p, m->rpc.id, ",\"error\":", CANNOT);
        return;
    }
    const toad__json *id = m->rpc.id;
    if (!screen(p, &in, &verdict) || verdict.fate == TOAD__FATE_AS_ERROR) {
        reply_to_server(p, id, ",\"error\":", CANNOT);
    } else if (verdict.fate == TOAD__FATE_BACK_RESULT || verdict.fate == TOAD__FATE_BACK_ERROR) {
        reply_to_server(
            p, id, verdict.fate == TOAD__FATE_BACK_RESULT ? ",\"result\":" : ",\"error\":", toad__buf_str(&p->value));
    } else if (!apply(p, m, &verdict) ||
               !(ask = proxy_ask(p, ex && ex->modern && !p->o.same_era ? ex : NULL, PX_OF_SERVER, m->rpc.method,
                                 m->rpc.params ? m->rpc.params->raw : TOAD__S("{}")))) {
        reply_to_server(p, id, ",\"error\":", CANNOT);
    } else {
        ask->server_id = toad__arena_dup(&ask->own, id->raw);
        if (!ask->server_id.p) {
            proxy_drop_ask(p, ask);
            reply_to_server(p, id, ",\"error\":", CANNOT);
        } else if (ex && ex->modern && !p->o.same_era) {
            if (ex->client_id.p) proxy_put_asks(p, ex);
        } else {
            px_cut cut = { m->rpc.id->raw, proxy_digits(ask->number, digits) };
            ask->sent = true;
            proxy_splice(p, m->bytes, &cut, 1);
            proxy_to_client(p, ex ? ex->stream : 0, TOAD__MCP_REQUEST, 0, false);
        }
    }
}

/* ---- notifications ---- */

static px_ask *find_asked_by(toad__proxy *p, const toad__json *server_id) {
    px_ask *a = server_id ? p->asks : NULL;
    while (a && (a->kind != PX_OF_SERVER || !toad__str_eq(a->server_id, server_id->raw))) a = a->next;
    return a;
}

static px_exchange *find_by_token(toad__proxy *p, const toad__json *token) {
    if (p->o.shared) {
        px_exchange *own = proxy_find(p, proxy_number(token)); /* the token it was given is our number */
        return own && own->token.n ? own : NULL;
    }
    px_exchange *ex = token ? p->exchanges : NULL;
    while (ex && !toad__str_eq(ex->token, token->raw)) ex = ex->next;
    return ex;
}

/* The ids in a notification are those of the other side; find the exchange it is about and what stands there instead.
 */
static size_t rename_ids(toad__proxy *p, const px_message *m, px_cut *cuts, px_exchange **ret, px_ask **ret_ask,
                         char digits[24]) {
    const toad__json *token = toad__json_get(m->rpc.params, "progressToken"),
                     *id = toad__json_get(m->rpc.params, "requestId"),
                     *subscription = toad__json_get(toad__json_get(m->rpc.params, "_meta"), MCP_SUBSCRIPTION);
    px_exchange *ex = NULL;
    size_t n = 0;
    if (toad__str_eq(m->rpc.method, TOAD__S("notifications/cancelled")) && id) {
        *ret_ask = find_asked_by(p, id);
        ex = *ret_ask ? (*ret_ask)->of : proxy_find(p, proxy_number(id));
        if (*ret_ask)
            cuts[n++] = (px_cut){ id->raw, proxy_digits((*ret_ask)->number, digits) };
        else if (ex && ex->client_id.p)
            cuts[n++] = (px_cut){ id->raw, ex->client_id };
    } else if (toad__str_eq(m->rpc.method, TOAD__S("notifications/progress"))) {
        ex = find_by_token(p, token);
        if (ex && p->o.shared) cuts[n++] = (px_cut){ token->raw, ex->token };
    } else if (subscription) {
        ex = proxy_find(p, proxy_number(subscription));
        if (ex && ex->client_id.p) cuts[n++] = (px_cut){ subscription->raw, ex->client_id };
    }
    if (ex) ex->since = proxy_now(p);
    *ret = ex ? ex : belongs_to(p, m->stream, NULL);
    return n;
}

static void take_notification(toad__proxy *p, px_message *m) {
    toad__proxy_value in = { .what = TOAD__MCP_VALUE_NOTIFICATION, .name = m->rpc.method, .value = m->rpc.params };
    toad__proxy_verdict verdict;
    px_exchange *ex = proxy_find(p, m->stream);
    px_ask *ask = NULL;
    px_cut cuts[2];
    char digits[24];
    if (ex) ex->since = proxy_now(p);
    if (!is_word(m->rpc.method)) {
        proxy_note(p, "a notification of the server whose method is no name was not forwarded");
        return;
    }
    if (!screen(p, &in, &verdict) || (verdict.fate != TOAD__FATE_PASS && verdict.fate != TOAD__FATE_REPLACE) ||
        !apply(p, m, &verdict))
        return;
    if (!p->o.same_era && proxy_relays(p, m)) return;
    size_t n = rename_ids(p, m, cuts, &ex, &ask, digits);
    bool to_nobody = p->o.shared && !ex;
    bool withdrawn = ask && ask->of;
    if (!to_nobody && !withdrawn) {
        proxy_splice(p, m->bytes, cuts, n);
        proxy_to_client(p, ex ? ex->stream : 0, TOAD__MCP_NOTIFICATION, 0, ex && ex->modern);
    }
    if (ask) proxy_drop_ask(p, ask);
}

/* ---- all of it ---- */

void proxy_take_server(toad__proxy *p, px_message *m) {
    px_exchange *ex;
    switch (m->rpc.kind) {
    case TOAD__RPC_REQUEST: take_request(p, m); break;
    case TOAD__RPC_NOTIFICATION: take_notification(p, m); break;
    case TOAD__RPC_RESULT:
    case TOAD__RPC_ERROR:
        ex = m->rpc.id ? proxy_find(p, proxy_number(m->rpc.id)) : proxy_find(p, m->stream);
        if (!ex || ex->state != PX_SENT)
            proxy_note(p, "an answer of the server to no request was not forwarded");
        else if ((ex->purpose == PX_CLIENT && !ex->hello) || !proxy_took_hello(p, ex, m))
            proxy_deliver(p, ex, m, NULL);
        break;
    default: proxy_note(p, "a batch within a batch was not forwarded");
    }
}
