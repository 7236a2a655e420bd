/* confirm.c - check_action: may this be done, with the user asked where the client can (elicitation).
 *
 * The question is the store's confirmation, shown whole; which one was shown goes over the round as the state, signed
 * by the engine. Only a form that was filled in is an answer. The model sees neither question nor binding. */
#include "app/act/confirm.h"
#include "face/mcp/tools.h"
#include "lib/base/str.h"

const mcp_param mcp_action_params[MCP_ACTION_PARAMS] = {
    { "tool", MCP_TEXT, true, NULL, "The name of the tool you are about to call." },
    { "arguments", MCP_OBJECT, false, NULL, "The arguments you are about to call it with, exactly." },
};
static toad_status check(toad__host *host, const toad__mcp_call *call, toad__answer *answer) {
    const mcp_tools *t = call->ctx;
    return toad__action_check(host, mcp_text(call, "tool"), mcp_object(call, "arguments"), &t->settings.policy, answer);
}

/* Put the question that the answer names to the user. False: there is none, or the client cannot ask. */
static bool ask_user(toad__mcp_call *call, const toad__answer *answer, bool with_contents) {
    mcp_tools *t = call->ctx;
    toad__buf params;
    char tag[TOAD__CONFIRMATION_TAG];
    toad_str id = toad__json_get_text(toad__json_get(&answer->root, "confirmation"), "id");
    if (!id.n || !toad__mcp_can_ask(call, TOAD__MCP_ASK_FORM)) return false;
    toad__buf_init(&params, TOAD__RPC_MESSAGE_MAX);
    bool asked = toad__confirmation_form(&t->host, id, with_contents, &params, tag);
    if (asked) {
        toad__mcp_keep(call, toad__str_z(tag));
        toad__mcp_ask(call, "toad_confirm", TOAD__MCP_ASK_FORM, toad__buf_str(&params));
    }
    toad__buf_free(&params);
    return asked;
}

/* Hand the user's reply on; the check that follows says what came of it. True: ask again, with the contents. */
static bool take_reply(toad__mcp_call *call) {
    mcp_tools *t = call->ctx;
    char tag[TOAD__CONFIRMATION_TAG];
    toad__str_copy_to(tag, sizeof tag, call->state);
    return !mcp_open_store(t, false) && toad__confirmation_hear(&t->host, tag, toad__mcp_answer(call, "toad_confirm"));
}

toad_status mcp_check_action(toad__mcp_call *call) {
    toad__answer answer;
    bool answered = call->state.n && toad__mcp_answer(call, "toad_confirm");
    bool with_contents = answered && take_reply(call);
    toad_status status = mcp_run_act(call, check, false, &answer);
    if (!status && (!answered || with_contents) && ask_user(call, &answer, with_contents)) {
        toad__answer_free(&answer);
        return TOAD_OK;
    }
    return mcp_finish_act(call, status, &answer);
}
