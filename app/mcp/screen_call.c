/* screen_call.c - may the agent call this tool? What check_action and the pins say, as an answer for an MCP client. */
#include "app/mcp/screen_internal.h"

#include <stdio.h>

typedef struct asking {
    toad__screen *s;
    const toad__screen_call_in *in;
    toad__screen_call_result *ret;
    toad__arena *arena;
} asking;

static void refuse(asking *a, toad__screen_permit permit, const char *why) {
    if (a->ret->permit == TOAD__CALL_ALLOWED) a->ret->permit = permit;
    snprintf(a->ret->why, sizeof a->ret->why, "%s", why);
}

/* The name under which the deed is judged and asked about: as agents' hooks know it. */
static toad_status full_name(const asking *a, toad_str *ret) {
    toad__buf b;
    toad__buf_init(&b, 1u << 16);
    toad__buf_add_z(&b, "mcp__");
    toad__buf_add_str(&b, a->in->server);
    toad__buf_add_z(&b, "__");
    toad__buf_add_str(&b, a->in->tool);
    *ret = b.status ? toad__str(NULL, 0) : toad__arena_dup(a->arena, toad__buf_str(&b));
    toad_status status = b.status ? b.status : ret->p ? TOAD_OK : TOAD_E_NOMEM;
    toad__buf_free(&b);
    return status;
}

static toad_status check_pin(asking *a) {
    toad__pin_ruling ruling;
    if (!a->s->pins) return TOAD_OK;
    toad_status status = toad__pins_call(a->s->pins, a->in->server, a->in->tool, &ruling);
    if (status) return status;
    char why[250];
    snprintf(why, sizeof why, "the tool is held until the user approves it: %.190s", ruling.why);
    if (ruling.held) refuse(a, TOAD__CALL_BLOCKED, why);
    return TOAD_OK;
}

/* What the user says of the source holds for calls, too. */
static toad_status check_setting(asking *a) {
    toad__buf b;
    toad_str setting = { NULL, 0 };
    if (!a->s->host->store || a->ret->permit) return TOAD_OK;
    toad__buf_init(&b, 1u << 16);
    toad__buf_add_z(&b, "mcp:");
    toad__buf_add_str(&b, a->in->server);
    toad__buf_add_c(&b, '/');
    toad__buf_add_str(&b, a->in->tool);
    toad_status status = b.status;
    toad_str url = toad__buf_str(&b), server = toad__str_part(url, 0, sizeof "mcp:" - 1 + a->in->server.n);
    if (!status) status = toad__store_setting_for(a->s->host->store, url, server, a->arena, &setting);
    toad__buf_free(&b);
    if (status) return toad__host_store_failed(a->s->host, status);
    if (toad__str_eq(setting, TOAD__S("blocked"))) refuse(a, TOAD__CALL_BLOCKED, TOAD__SCREEN_SOURCE_BLOCKED);
    return TOAD_OK;
}

static void take_answer(asking *a, const toad__json *answer) {
    toad_str decision = toad__json_get_text(answer, "decision"), error = toad__json_get_text(answer, "error");
    toad_str id = toad__json_get_text(toad__json_get(answer, "confirmation"), "id");
    char why[256];
    if (toad__str_eq(decision, TOAD__S("allow"))) return;
    snprintf(why, sizeof why, "%.*s", (int)(error.n < 250 ? error.n : 250), error.n ? error.p : "");
    refuse(a, toad__str_eq(decision, TOAD__S("ask")) ? TOAD__CALL_ASK : TOAD__CALL_BLOCKED, why);
    if (id.n < sizeof a->ret->confirmation)
        snprintf(a->ret->confirmation, sizeof a->ret->confirmation, "%.*s", (int)id.n, id.n ? id.p : "");
}

/* Without a store nothing is known of the session but what passed here. */
static toad_status check_blind(asking *a) {
    const toad__json *arguments = NULL;
    size_t at;
    const char *expected;
    toad_str json = a->in->arguments.n ? a->in->arguments : TOAD__S("{}");
    toad_status status = toad__json_parse(json, a->arena, &arguments, &at, &expected);
    if (status) return status;
    if (a->s->tainted && toad__deed_of(a->in->tool, arguments) != TOAD__DEED_READING)
        refuse(a, TOAD__CALL_BLOCKED,
               "something in this session tries to steer the agent, and the store that could ask the user failed");
    return TOAD_OK;
}

static toad_status check_action(asking *a) {
    toad__screen *s = a->s;
    toad__answer answer;
    toad_str name;
    if (a->ret->permit) return TOAD_OK;
    if (!s->host->store) return check_blind(a);
    toad_status status = full_name(a, &name);
    if (status) return status;
    toad__answer_init(&answer, TOAD__HOST_ANSWER_MAX);
    status = toad__action_check(s->host, name, a->in->arguments, &s->options.policy, &answer);
    if (!status) take_answer(a, &answer.root);
    toad__answer_free(&answer);
    return status;
}

static toad_status answer(const asking *a, toad__buf *out) {
    char text[640];
    toad__mcp_fate as;
    if (a->ret->permit == TOAD__CALL_ALLOWED) return TOAD_OK;
    snprintf(text, sizeof text, "[toadstone] This call was not made: %s.", a->ret->why);
    toad__reply reply = { .what = TOAD__MCP_VALUE_TOOL_RESULT, .modern = a->in->modern, .text = text };
    toad__screen_reply_for(&reply, out, &as);
    return out->status;
}

toad_status toad__screen_call(toad__screen *s, const toad__screen_call_in *in, toad__buf *out,
                              toad__screen_call_result *ret) {
    toad__arena arena;
    toad__screen_call_result result = { .permit = TOAD__CALL_ALLOWED };
    asking a = { s, in, &result, &arena };
    toad__arena_init(&arena, TOAD__SCREEN_ARENA);
    toad_status status = check_pin(&a);
    if (!status) status = check_setting(&a);
    if (!status) status = check_action(&a);
    if (status && status != TOAD_E_NOMEM) {
        refuse(&a, TOAD__CALL_BLOCKED,
               status == TOAD_E_SYNTAX ? "its arguments are not JSON"
                                       : "it could not be checked, see the log of the proxy");
        status = TOAD_OK;
    }
    if (!status) status = answer(&a, out);
    toad__arena_free(&arena);
    if (!status) *ret = result;
    return status;
}

void toad__screen_refusal(toad__mcp_what what, toad_str name, bool modern, const char *why, toad__buf *out,
                          toad__mcp_fate *ret) {
    char text[512];
    snprintf(text, sizeof text, "[toadstone] Withheld: %.400s.", why);
    toad__reply reply = { .what = what, .name = name, .modern = modern, .text = text };
    toad__screen_reply_for(&reply, out, ret);
}
