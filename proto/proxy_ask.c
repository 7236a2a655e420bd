/* proxy_ask.c - questions to the client: those of a server with sessions, the input that a server of 2026-07-28 wants,
 * and our own about what should not pass unseen.
 *
 * A client with sessions is sent a request. One of 2026-07-28 gets input_required as the answer to its call, which is
 * parked meanwhile, and comes back with the answers. The request state names the parked call and fits once: a round has
 * a nonce of its own. */
#include "lib/base/random.h"
#include "proto/proxy_internal.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#define ROUNDS 16

/* ---- the list ---- */

px_ask *proxy_ask(toad__proxy *p, px_exchange *of, px_ask_kind kind, toad_str method, toad_str params) {
    px_ask *a = p->asks_n < TOAD__PROXY_IN_FLIGHT ? calloc(1, sizeof *a) : NULL;
    if (!a) return NULL;
    toad__arena_init(&a->own, TOAD__RPC_ARENA_MAX);
    a->of = of;
    a->kind = kind;
    a->number = ++p->last_number;
    a->since = proxy_now(p);
    a->method = toad__arena_dup(&a->own, method);
    a->params = toad__arena_dup(&a->own, params);
    *p->asks_end = a;
    p->asks_end = &a->next;
    p->asks_n++;
    if (a->method.p && a->params.p) return a;
    proxy_drop_ask(p, a);
    return NULL;
}

px_ask *proxy_find_ask(toad__proxy *p, uint64_t number) {
    px_ask *a = p->asks;
    while (a && (a->number != number || !a->sent)) a = a->next;
    return number ? a : NULL;
}

void proxy_drop_ask(toad__proxy *p, px_ask *ask) {
    px_ask **at = &p->asks;
    while (*at && *at != ask) at = &(*at)->next;
    assert(*at && p->asks_n);
    *at = ask->next;
    if (!ask->next) p->asks_end = at;
    p->asks_n--;
    toad__arena_free(&ask->own);
    free(ask);
}

void proxy_drop_asks_of(toad__proxy *p, const px_exchange *ex) {
    for (px_ask *a = p->asks, *next; a; a = next) {
        next = a->next;
        if (a->of == ex) proxy_drop_ask(p, a);
    }
}

static px_ask *next_of(px_ask *a, const px_exchange *ex) {
    while (a && a->of != ex) a = a->next;
    return a;
}

/* ---- asking ---- */

bool proxy_can_ask(const px_exchange *ex, toad_str method, const toad__json *params) {
    toad__mcp_ask_kind kind;
    if (toad__str_eq(method, TOAD__S("elicitation/create")))
        kind =
            toad__str_eq(toad__json_get_text(params, "mode"), TOAD__S("url")) ? TOAD__MCP_ASK_URL : TOAD__MCP_ASK_FORM;
    else if (toad__str_eq(method, TOAD__S("sampling/createMessage")))
        kind = TOAD__MCP_ASK_SAMPLING;
    else if (toad__str_eq(method, TOAD__S("roots/list")))
        kind = TOAD__MCP_ASK_ROOTS;
    else
        return false;
    return ex->can_ask >> kind & 1;
}

static void send_asks(toad__proxy *p, const px_exchange *ex) {
    for (px_ask *a = next_of(p->asks, ex); a; a = next_of(a->next, ex)) {
        if (a->sent) continue;
        a->sent = true;
        toad__buf_clear(&p->out);
        toad__buf_add_z(&p->out, "{\"jsonrpc\":\"2.0\",\"id\":");
        toad__buf_add_u64(&p->out, a->number);
        toad__buf_add_z(&p->out, ",\"method\":");
        toad__json_add_str(&p->out, a->method);
        toad__buf_add_z(&p->out, ",\"params\":");
        toad__buf_add_str(&p->out, a->params);
        toad__buf_add_c(&p->out, '}');
        proxy_to_client(p, ex->stream, TOAD__MCP_REQUEST, 0, false);
    }
}

static void name_ask(const px_ask *a, char out[40]) {
    snprintf(out, 40, a->kind == PX_OURS ? "toad_confirm" : "toad_%llu", (unsigned long long)a->number);
}

/* Answer the call with what is to be asked, and park it. */
/* The request state of a round that we ask for ourselves names the exchange that is parked by a random nonce, which is
 * taken away with its first use. The prefix tells ours from a server's, which is handed on as it came. */
static toad__seal seal_of(const toad__proxy *p, toad_str method, const toad__json *params) {
    return (toad__seal){ p->key, toad__str_z(p->prefix), method, p->o.principal, params };
}

static bool seal(toad__proxy *p, px_exchange *ex, const toad__json *params, toad__buf *out) {
    toad__seal s = seal_of(p, ex->method, params);
    return toad__random(ex->nonce, sizeof ex->nonce) &&
           toad__seal_close(&s, toad__str(ex->nonce, sizeof ex->nonce), out);
}

static void answer_input_required(toad__proxy *p, px_exchange *ex) {
    px_message m = { .bytes = ex->request };
    toad__buf b;
    char name[40];
    toad__buf_init(&b, TOAD__PROXY_OUT_MAX);
    toad__buf_add_z(&b, "{\"resultType\":\"input_required\",\"inputRequests\":{");
    for (px_ask *a = next_of(p->asks, ex); a; a = next_of(a->next, ex)) {
        name_ask(a, name);
        toad__json_add_key(&b, name);
        toad__buf_add_z(&b, "{\"method\":");
        toad__json_add_str(&b, a->method);
        toad__buf_add_z(&b, ",\"params\":");
        toad__buf_add_str(&b, a->params);
        toad__buf_add_c(&b, '}');
    }
    toad__buf_add_z(&b, "},\"requestState\":\"");
    if (!toad__rpc_read(m.bytes, &p->arena, &m.rpc) && seal(p, ex, m.rpc.params, &b)) {
        toad__buf_add_z(&b, "\"}");
        if (!b.status) {
            ex->parked = true;
            ex->since = proxy_now(p);
            proxy_answer(p, ex, toad__buf_str(&b), false, 200);
        }
    }
    if (!ex->parked) proxy_answer_error(p, ex, TOAD__RPC_INTERNAL, "out of memory");
    toad__buf_free(&b);
}

void proxy_put_asks(toad__proxy *p, px_exchange *ex) {
    if (ex->modern)
        answer_input_required(p, ex);
    else
        send_asks(p, ex);
}

bool proxy_hold(toad__proxy *p, px_exchange *ex, px_state state, toad_str bytes, int http, const char *tag) {
    const px_method *method = proxy_method(ex->method);
    if (!method || !method->may_ask || !p->question.n || !proxy_can_ask(ex, TOAD__S("elicitation/create"), NULL))
        return false;
    if (state == PX_ANSWERED) {
        ex->answer = toad__arena_dup(&ex->own, bytes);
        ex->http = http;
        if (!ex->answer.p) return false;
    }
    proxy_drop_asks_of(p, ex);
    if (!proxy_ask(p, ex, PX_OURS, TOAD__S("elicitation/create"), toad__buf_str(&p->question))) return false;
    snprintf(ex->tag, sizeof ex->tag, "%s", tag);
    ex->state = state;
    proxy_put_asks(p, ex);
    return true;
}

/* ---- answers ---- */

/* What was held goes on, with what the user said. The exchange may be gone afterwards. */
static void go_on(toad__proxy *p, px_exchange *ex, const toad__json *reply) {
    bool answered = ex->state == PX_ANSWERED;
    px_message m = { .bytes = answered ? ex->answer : ex->request, .http = ex->http };
    proxy_drop_asks_of(p, ex);
    if (toad__rpc_read(m.bytes, &p->arena, &m.rpc)) {
        proxy_answer_error(p, ex, TOAD__RPC_INTERNAL, "out of memory");
        proxy_drop(p, ex);
    } else if (answered) {
        ex->state = PX_SENT;
        proxy_deliver(p, ex, &m, reply);
    } else {
        proxy_send(p, ex, &m, reply);
    }
}

static void tell_server(toad__proxy *p, const px_ask *a, const char *member, toad_str value) {
    toad__buf_clear(&p->out);
    toad__buf_add_z(&p->out, "{\"jsonrpc\":\"2.0\",\"id\":");
    toad__buf_add_str(&p->out, a->server_id);
    toad__buf_add_z(&p->out, member);
    toad__buf_add_str(&p->out, value);
    toad__buf_add_c(&p->out, '}');
    proxy_to_server(p, 0, TOAD__MCP_ANSWER, false, toad__str(NULL, 0), toad__str(NULL, 0));
}

/* Send the request again, with what the client answered. */
static void send_inputs(toad__proxy *p, px_exchange *ex) {
    px_message m = { .bytes = ex->request };
    toad__buf b;
    toad__buf_init(&b, TOAD__PROXY_OUT_MAX);
    toad__buf_add_z(&b, "\"inputResponses\":{");
    for (px_ask *a = next_of(p->asks, ex); a; a = next_of(a->next, ex)) {
        if (proxy_last(&b) != '{') toad__buf_add_c(&b, ',');
        toad__json_add_utf8(&b, a->key);
        toad__buf_add_c(&b, ':');
        toad__buf_add_str(&b, a->answer);
    }
    toad__buf_add_c(&b, '}');
    if (ex->request_state.n) {
        toad__buf_add_z(&b, ",\"requestState\":");
        toad__buf_add_str(&b, ex->request_state);
    }
    proxy_drop_asks_of(p, ex);
    ex->id = ++p->last_id;
    if (b.status || toad__rpc_read(m.bytes, &p->arena, &m.rpc)) {
        proxy_answer_error(p, ex, TOAD__RPC_INTERNAL, "out of memory");
        proxy_drop(p, ex);
    } else {
        proxy_forward(p, ex, &m, toad__buf_str(&b));
    }
    toad__buf_free(&b);
}

static bool is_elicitation(const px_ask *a) { return toad__str_eq(a->method, TOAD__S("elicitation/create")); }

static void take_input(toad__proxy *p, px_ask *ask, const px_message *m) {
    px_exchange *ex = ask->of;
    if (m->rpc.kind == TOAD__RPC_ERROR && !is_elicitation(ask)) {
        proxy_refuse(p, ex, "the client did not answer what the server asked");
        proxy_drop(p, ex);
        return;
    }
    ask->answer = m->rpc.kind == TOAD__RPC_ERROR ? TOAD__S("{\"action\":\"cancel\"}")
                                                 : toad__arena_dup(&ask->own, m->rpc.result->raw);
    ask->sent = false; /* a second answer is not one */
    for (px_ask *a = next_of(p->asks, ex); a; a = next_of(a->next, ex))
        if (!a->answer.p) return;
    send_inputs(p, ex);
}

void proxy_take_reply(toad__proxy *p, px_ask *ask, const px_message *m) {
    px_exchange *ex = ask->of;
    static const toad__json nothing = { .type = TOAD__JSON_NULL };
    if (ask->kind == PX_OURS) {
        go_on(p, ex, m->rpc.kind == TOAD__RPC_RESULT ? m->rpc.result : &nothing);
    } else if (ask->kind == PX_INPUT_KEY) {
        take_input(p, ask, m);
    } else {
        px_cut cut = { m->rpc.id->raw, ask->server_id };
        proxy_splice(p, m->bytes, &cut, 1);
        proxy_to_server(p, 0, TOAD__MCP_ANSWER, false, toad__str(NULL, 0), toad__str(NULL, 0));
        proxy_drop_ask(p, ask);
    }
}

/* ---- the rounds of 2026-07-28 ---- */

/* Hand on the answers that the request brings. True: one of them decided what was held. */
static bool take_responses(toad__proxy *p, px_exchange *ex, const toad__json *responses) {
    char name[40];
    for (px_ask *a = next_of(p->asks, ex), *next; a; a = next) {
        next = next_of(a->next, ex);
        name_ask(a, name);
        const toad__json *response = toad__json_get(responses, name);
        if (!response || response->type != TOAD__JSON_OBJECT) continue;
        if (a->kind == PX_OURS) {
            go_on(p, ex, response);
            return true;
        }
        tell_server(p, a, ",\"result\":", response->raw);
        proxy_drop_ask(p, a);
    }
    return false;
}

/* The server's answer came while the client was away. */
static void take_late_answer(toad__proxy *p, px_exchange *ex) {
    px_message m = { .bytes = ex->answer, .http = ex->http };
    ex->answer = toad__str(NULL, 0);
    if (!toad__rpc_read(m.bytes, &p->arena, &m.rpc)) {
        proxy_deliver(p, ex, &m, NULL);
    } else {
        proxy_answer_error(p, ex, TOAD__RPC_INTERNAL, "out of memory");
        proxy_drop(p, ex);
    }
}

static void come_back(toad__proxy *p, px_exchange *ex, const px_message *m) {
    memset(ex->nonce, 0, sizeof ex->nonce);
    if (!proxy_set_client(p, ex, m)) {
        proxy_error(p, m->stream, m->rpc.id, TOAD__RPC_INTERNAL, "out of memory", true);
        proxy_drop(p, ex);
        return;
    }
    if (take_responses(p, ex, toad__json_get(m->rpc.params, "inputResponses"))) return;
    if (ex->state == PX_SENT && ex->answer.p) {
        take_late_answer(p, ex);
    } else if (next_of(p->asks, ex)) {
        if (++ex->rounds <= ROUNDS) {
            proxy_put_asks(p, ex);
        } else {
            proxy_answer_error(p, ex, TOAD__RPC_PARAMS, "too many rounds without an answer");
            proxy_give_up(p, ex);
            proxy_drop(p, ex);
        }
    }
}

bool proxy_resume(toad__proxy *p, const px_message *m) {
    static const unsigned char none[16];
    const toad__json *state = toad__json_get(m->rpc.params, "requestState");
    unsigned char nonce[16];
    size_t n = 0;
    px_exchange *ex = p->exchanges;
    toad__seal s = seal_of(p, m->rpc.method, m->rpc.params);
    bool foreign = !state || state->type != TOAD__JSON_STRING || !toad__str_starts(state->text, toad__str_z(p->prefix));
    if (!state || (foreign && (p->o.same_era || p->server != PX_LEGACY))) return false;
    if (foreign || !toad__seal_open(&s, state->text, sizeof nonce, nonce, &n) || n != sizeof nonce ||
        !memcmp(nonce, none, sizeof none)) {
        proxy_error(p, m->stream, m->rpc.id, TOAD__RPC_PARAMS, "requestState is none of ours, or of another call",
                    true);
        return true;
    }
    while (ex && (!ex->parked || memcmp(ex->nonce, nonce, sizeof nonce) != 0)) ex = ex->next;
    if (ex)
        come_back(p, ex, m);
    else
        proxy_error(p, m->stream, m->rpc.id, TOAD__RPC_PARAMS, "requestState was used already or is too old", true);
    return true;
}

/* ---- input for a server of 2026-07-28 ---- */

/* Sessions name what a URL is asked for. */
static bool add_elicitation_id(px_ask *a, const toad__json *params) {
    toad__buf b;
    if (!toad__str_eq(toad__json_get_text(params, "mode"), TOAD__S("url")) || toad__json_get(params, "elicitationId"))
        return true;
    toad__buf_init(&b, TOAD__RPC_MESSAGE_MAX + 64);
    toad__buf_add(&b, a->params.p, a->params.n - 1);
    toad__buf_add_z(&b, ",\"elicitationId\":\"toadstone-");
    toad__buf_add_u64(&b, a->number);
    toad__buf_add_z(&b, "\"}");
    a->params = b.status ? toad__str(NULL, 0) : toad__arena_dup(&a->own, toad__buf_str(&b));
    toad__buf_free(&b);
    return a->params.p != NULL;
}

bool proxy_take_input(toad__proxy *p, px_exchange *ex, const toad__json *result) {
    const toad__json *requests = toad__json_get(result, "inputRequests"),
                     *state = toad__json_get(result, "requestState");
    if (++ex->rounds > ROUNDS || !ex->request.n) return false;
    ex->request_state = state ? toad__arena_dup(&ex->own, state->raw) : toad__str(NULL, 0);
    for (const toad__json *r = requests && requests->type == TOAD__JSON_OBJECT ? requests->child : NULL; r;
         r = r->next) {
        const toad__json *params = toad__json_get(r, "params");
        toad_str method = toad__json_get_text(r, "method");
        px_ask *a = proxy_can_ask(ex, method, params)
                        ? proxy_ask(p, ex, PX_INPUT_KEY, method, params ? params->raw : TOAD__S("{}"))
                        : NULL;
        if (a) a->key = toad__arena_dup(&a->own, r->key);
        if (!a || !a->key.p || !add_elicitation_id(a, params)) return false;
    }
    ex->state = PX_INPUT;
    if (next_of(p->asks, ex))
        proxy_put_asks(p, ex);
    else
        send_inputs(p, ex);
    return true;
}

void proxy_give_up(toad__proxy *p, px_exchange *ex) {
    for (px_ask *a = next_of(p->asks, ex); a; a = next_of(a->next, ex)) {
        if (a->kind != PX_OF_SERVER) continue;
        if (is_elicitation(a))
            tell_server(p, a, ",\"result\":", TOAD__S("{\"action\":\"cancel\"}"));
        else
            tell_server(p, a, ",\"error\":", TOAD__S("{\"code\":-32000,\"message\":\"the client did not answer\"}"));
    }
}
