/* confirm.c - check_action: may this be done, with the user asked where the client can (elicitation).
 *
 * The question is the store's confirmation, shown whole; which one was shown goes over the round as the state, signed
 * by the engine. Only a form that was accepted and says so approves. The model sees neither question nor binding. */
#include "app/act/confirm.h"
#include "face/mcp/tools.h"
#include "sys/clock.h"

#include <stdio.h>

const mcp_param mcp_action_params[MCP_ACTION_PARAMS] = {
    { "tool", MCP_TEXT, true, NULL, "The name of the tool you are about to call." },
    { "arguments", MCP_OBJECT, false, NULL, "The arguments you are about to call it with, exactly." },
};
static toad_status check(toad__host *host, const toad__mcp_call *call, toad__answer *answer) {
    const mcp_tools *t = call->ctx;
    return toad__action_check(host, mcp_text(call, "tool"), mcp_object(call, "arguments"), &t->settings.policy, answer);
}

#define FORM_SCHEMA                                                                                          \
    ",\"requestedSchema\":{\"type\":\"object\",\"properties\":{\"decision\":{\"type\":\"string\",\"title\":" \
    "\"Decision\","                                                                                          \
    "\"enum\":[\"skip\",\"apply\"],\"enumNames\":[\"Skip it\",\"Do it, once\"]}},\"required\":[\"decision\"]}}"

/* Put the question that the answer names to the user. False: there is none, or the client cannot ask. */
static bool ask_user(toad__mcp_call *call, const toad__answer *answer) {
    mcp_tools *t = call->ctx;
    toad__arena arena;
    toad__buf b;
    toad_str text, binding, id = toad__json_get_text(toad__json_get(&answer->root, "confirmation"), "id");
    if (!toad__mcp_can_ask(call, TOAD__MCP_ASK_FORM)) return false;
    toad__arena_init(&arena, TOAD__HOST_ANSWER_MAX);
    toad__buf_init(&b, TOAD__RPC_MESSAGE_MAX);
    bool asked = id.n && toad__confirmation_dialog(&t->host, id, &arena, &text, &binding);
    if (asked) {
        toad__buf_add_str(&b, id);
        toad__buf_add_c(&b, ' ');
        toad__buf_add(&b, binding.p, TOAD__CONFIRMATION_SEEN);
        toad__buf_add_c(&b, ' ');
        toad__buf_add_u64(&b, (uint64_t)toad__now_ms());
        toad__mcp_keep(call, toad__buf_str(&b));
        toad__buf_clear(&b);
        toad__buf_add_z(&b, "{\"message\":");
        toad__json_add_str(&b, text);
        toad__buf_add_z(&b, FORM_SCHEMA);
        asked = !b.status;
        if (asked) toad__mcp_ask(call, "toad_confirm", TOAD__MCP_ASK_FORM, toad__buf_str(&b));
    }
    toad__buf_free(&b);
    toad__arena_free(&arena);
    return asked;
}

/* Hand the user's reply on, if the question is still the one that was shown. The check that follows says what came of
 * it. */
static void take_reply(toad__mcp_call *call) {
    mcp_tools *t = call->ctx;
    toad__arena arena;
    toad__answer said;
    toad__reply reply;
    char id[33], seen[33], state[128];
    unsigned long long asked;
    toad_str text, binding;
    snprintf(state, sizeof state, "%.*s", (int)(call->state.n < 100 ? call->state.n : 100), call->state.p);
    if (sscanf(state, "%32s %32s %llu", id, seen, &asked) != 3) return;
    if (!toad__confirmation_read(toad__mcp_answer(call, "toad_confirm"), toad__now_ms() - (int64_t)asked, &reply) ||
        mcp_open_store(t, false))
        return;
    toad__arena_init(&arena, TOAD__HOST_ANSWER_MAX);
    toad__answer_init(&said, TOAD__HOST_ANSWER_MAX);
    bool same = toad__confirmation_dialog(&t->host, toad__str_z(id), &arena, &text, &binding) &&
                toad__str_eq(toad__str_z(seen), toad__str_part(binding, 0, TOAD__CONFIRMATION_SEEN));
    t->host.by = TOAD__READER_USER;
    if (same) (void)toad__confirmation_reply(&t->host, toad__str_z(id), binding, reply, &said);
    t->host.by = TOAD__READER_MODEL;
    toad__answer_free(&said);
    toad__arena_free(&arena);
}

toad_status mcp_check_action(toad__mcp_call *call) {
    toad__answer answer;
    bool answered = call->state.n && toad__mcp_answer(call, "toad_confirm");
    if (answered) take_reply(call);
    toad_status status = mcp_run_act(call, check, false, &answer);
    if (!status && !answered && ask_user(call, &answer)) {
        toad__answer_free(&answer);
        return TOAD_OK;
    }
    return mcp_finish_act(call, status, &answer);
}
