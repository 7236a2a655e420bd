/* confirm.c - check_action: may this be done, with the user asked where the client can (elicitation).
 *
 * The question is the store's confirmation, shown whole; which one was shown goes over the round as the state, signed
 * by the engine. Only a form that was accepted and says so approves. The model sees neither question nor binding. */
#include "app/act/confirm.h"
#include "face/mcp/tools.h"

const mcp_param mcp_action_params[MCP_ACTION_PARAMS] = {
    { "tool", MCP_TEXT, true, NULL, "The name of the tool you are about to call." },
    { "arguments", MCP_OBJECT, false, NULL, "The arguments you are about to call it with, exactly." },
};
static bzr_status check(bzr__host *host, const bzr__mcp_call *call, bzr__buf *answer) {
    const mcp_tools *t = call->ctx;
    return bzr__action_check(host, mcp_text(call, "tool"), mcp_object(call, "arguments"), &t->settings.policy, answer);
}

#define FORM_SCHEMA                                                                                          \
    ",\"requestedSchema\":{\"type\":\"object\",\"properties\":{\"decision\":{\"type\":\"string\",\"title\":" \
    "\"Decision\","                                                                                          \
    "\"enum\":[\"skip\",\"apply\"],\"enumNames\":[\"Skip it\",\"Do it, once\"]}},\"required\":[\"decision\"]}}"

/* Put the question that the answer names to the user. False: there is none, or the client cannot ask. */
static bool ask_user(bzr__mcp_call *call, bzr_str answer) {
    mcp_tools *t = call->ctx;
    bzr__arena arena;
    bzr__buf b;
    const bzr__json *root;
    const char *expected;
    size_t at;
    bzr_str text, binding, id = { NULL, 0 };
    if (!bzr__mcp_can_ask(call, BZR__MCP_ASK_FORM)) return false;
    bzr__arena_init(&arena, BZR__HOST_ANSWER_MAX);
    bzr__buf_init(&b, BZR__RPC_MESSAGE_MAX);
    if (!bzr__json_parse(answer, &arena, &root, &at, &expected))
        id = bzr__json_get_text(bzr__json_get(root, "confirmation"), "id");
    bool asked = id.n && bzr__confirmation_dialog(&t->host, id, &arena, &text, &binding);
    if (asked) {
        bzr__buf_add_str(&b, id);
        bzr__buf_add_c(&b, ' ');
        bzr__buf_add(&b, binding.p, BZR__CONFIRMATION_SEEN);
        bzr__mcp_keep(call, bzr__buf_str(&b));
        bzr__buf_clear(&b);
        bzr__buf_add_z(&b, "{\"message\":");
        bzr__json_add_str(&b, text);
        bzr__buf_add_z(&b, FORM_SCHEMA);
        asked = !b.status;
        if (asked) bzr__mcp_ask(call, "bzr_confirm", BZR__MCP_ASK_FORM, bzr__buf_str(&b));
    }
    bzr__buf_free(&b);
    bzr__arena_free(&arena);
    return asked;
}

/* Only an accepted form that says apply approves; a form that says skip, and a refused one, denies; anything else
 * leaves the question open. */
static bool read_reply(const bzr__json *answer, bzr__reply *ret) {
    bzr_str action = bzr__json_get_text(answer, "action");
    bzr_str decision = bzr__json_get_text(bzr__json_get(answer, "content"), "decision");
    bool accepted = bzr__str_eq(action, BZR__S("accept"));
    *ret = accepted && bzr__str_eq(decision, BZR__S("apply")) ? BZR__REPLY_APPLY : BZR__REPLY_SKIP;
    return (accepted && decision.n) || bzr__str_eq(action, BZR__S("decline"));
}

/* Hand the user's reply on, if the question is still the one that was shown. The check that follows says what came of
 * it. */
static void take_reply(bzr__mcp_call *call) {
    mcp_tools *t = call->ctx;
    bzr__arena arena;
    bzr__buf said;
    bzr__reply reply;
    bzr_str text, binding, id = bzr__str_part(call->state, 0, bzr__str_find(call->state, BZR__S(" "), 0));
    if (!read_reply(bzr__mcp_answer(call, "bzr_confirm"), &reply) || mcp_open_store(t, false)) return;
    bzr__arena_init(&arena, BZR__HOST_ANSWER_MAX);
    bzr__buf_init(&said, BZR__HOST_ANSWER_MAX);
    bool same = bzr__confirmation_dialog(&t->host, id, &arena, &text, &binding) &&
                bzr__str_eq(bzr__str_part(call->state, id.n + 1, call->state.n), bzr__str_part(binding, 0, BZR__CONFIRMATION_SEEN));
    t->host.by = BZR__READER_USER;
    if (same) (void)bzr__confirmation_reply(&t->host, id, binding, reply, &said);
    t->host.by = BZR__READER_MODEL;
    bzr__buf_free(&said);
    bzr__arena_free(&arena);
}

bzr_status mcp_check_action(bzr__mcp_call *call) {
    bzr__buf answer;
    bool answered = call->state.n && bzr__mcp_answer(call, "bzr_confirm");
    if (answered) take_reply(call);
    bzr_status status = mcp_run_act(call, check, false, &answer);
    if (!status && !answered && ask_user(call, bzr__buf_str(&answer))) {
        bzr__buf_free(&answer);
        return BZR_OK;
    }
    return mcp_finish_act(call, status, &answer);
}
