/* screen_call.c - may the agent call this tool? What check_action and the pins say, as an answer for an MCP client. */
#include "app/mcp/screen_internal.h"

#include <stdio.h>

typedef struct asking {
    bzr__screen *s;
    const bzr__screen_call_in *in;
    bzr__screen_call_result *ret;
    bzr__arena *arena;
} asking;

static void refuse(asking *a, bzr__screen_permit permit, const char *why) {
    if (a->ret->permit == BZR__CALL_ALLOWED) a->ret->permit = permit;
    snprintf(a->ret->why, sizeof a->ret->why, "%s", why);
}

/* The name under which the deed is judged and asked about: as agents' hooks know it. */
static bzr_status full_name(const asking *a, bzr_str *ret) {
    bzr__buf b;
    bzr__buf_init(&b, 1u << 16);
    bzr__buf_add_z(&b, "mcp__");
    bzr__buf_add_str(&b, a->in->server);
    bzr__buf_add_z(&b, "__");
    bzr__buf_add_str(&b, a->in->tool);
    *ret = b.status ? bzr__str(NULL, 0) : bzr__arena_dup(a->arena, bzr__buf_str(&b));
    bzr_status status = b.status ? b.status : ret->p ? BZR_OK : BZR_E_NOMEM;
    bzr__buf_free(&b);
    return status;
}

static bzr_status check_pin(asking *a) {
    bzr__pin_ruling ruling;
    if (!a->s->pins) return BZR_OK;
    bzr_status status = bzr__pins_call(a->s->pins, a->in->server, a->in->tool, &ruling);
    if (status) return status;
    char why[250];
    snprintf(why, sizeof why, "the tool is held until the user approves it: %.190s", ruling.why);
    if (ruling.held) refuse(a, BZR__CALL_BLOCKED, why);
    return BZR_OK;
}

/* What the user says of the source holds for calls, too. */
static bzr_status check_setting(asking *a) {
    bzr__buf b;
    bzr_str setting = { NULL, 0 };
    if (!a->s->host->store || a->ret->permit) return BZR_OK;
    bzr__buf_init(&b, 1u << 16);
    bzr__buf_add_z(&b, "mcp:");
    bzr__buf_add_str(&b, a->in->server);
    bzr__buf_add_c(&b, '/');
    bzr__buf_add_str(&b, a->in->tool);
    bzr_status status = b.status;
    bzr_str url = bzr__buf_str(&b), server = bzr__str_part(url, 0, sizeof "mcp:" - 1 + a->in->server.n);
    if (!status) status = bzr__store_setting_for(a->s->host->store, url, server, a->arena, &setting);
    bzr__buf_free(&b);
    if (status) return bzr__host_store_failed(a->s->host, status);
    if (bzr__str_eq(setting, BZR__S("blocked"))) refuse(a, BZR__CALL_BLOCKED, "the user has blocked this source");
    return BZR_OK;
}

static void take_answer(asking *a, const bzr__json *answer) {
    bzr_str decision = bzr__json_get_text(answer, "decision"), error = bzr__json_get_text(answer, "error");
    bzr_str id = bzr__json_get_text(bzr__json_get(answer, "confirmation"), "id");
    char why[256];
    if (bzr__str_eq(decision, BZR__S("allow"))) return;
    snprintf(why, sizeof why, "%.*s", (int)(error.n < 250 ? error.n : 250), error.n ? error.p : "");
    refuse(a, bzr__str_eq(decision, BZR__S("ask")) ? BZR__CALL_ASK : BZR__CALL_BLOCKED, why);
    if (id.n < sizeof a->ret->confirmation)
        snprintf(a->ret->confirmation, sizeof a->ret->confirmation, "%.*s", (int)id.n, id.n ? id.p : "");
}

/* Without a store nothing is known of the session but what passed here. */
static bzr_status check_blind(asking *a) {
    const bzr__json *arguments = NULL;
    size_t at;
    const char *expected;
    bzr_str json = a->in->arguments.n ? a->in->arguments : BZR__S("{}");
    bzr_status status = bzr__json_parse(json, a->arena, &arguments, &at, &expected);
    if (status) return status;
    if (a->s->tainted && bzr__deed_of(a->in->tool, arguments) != BZR__DEED_READING)
        refuse(a, BZR__CALL_BLOCKED,
               "something in this session tries to steer the agent, and the store that could ask the user failed");
    return BZR_OK;
}

static bzr_status check_action(asking *a) {
    bzr__screen *s = a->s;
    bzr__buf answer;
    bzr_str name;
    const bzr__json *root;
    size_t at;
    const char *expected;
    if (a->ret->permit) return BZR_OK;
    if (!s->host->store) return check_blind(a);
    bzr_status status = full_name(a, &name);
    if (status) return status;
    bzr__buf_init(&answer, BZR__SCREEN_OUT);
    status = bzr__action_check(s->host, name, a->in->arguments, &s->options.policy, &answer);
    if (!status) status = bzr__json_parse(bzr__buf_str(&answer), a->arena, &root, &at, &expected);
    if (!status) take_answer(a, root);
    bzr__buf_free(&answer);
    return status;
}

static bzr_status answer(const asking *a, bzr__buf *out) {
    char text[640];
    bzr__screen_reply as;
    if (a->ret->permit == BZR__CALL_ALLOWED) return BZR_OK;
    snprintf(text, sizeof text, "[bezoar] This call was not made: %s.", a->ret->why);
    bzr__reply reply = { .what = BZR__SCREEN_TOOL_RESULT, .modern = a->in->modern, .text = text };
    bzr__screen_reply_for(&reply, out, &as);
    return out->status;
}

bzr_status bzr__screen_call(bzr__screen *s, const bzr__screen_call_in *in, bzr__buf *out,
                            bzr__screen_call_result *ret) {
    bzr__arena arena;
    bzr__screen_call_result result = { .permit = BZR__CALL_ALLOWED };
    asking a = { s, in, &result, &arena };
    bzr__arena_init(&arena, BZR__SCREEN_ARENA);
    bzr_status status = check_pin(&a);
    if (!status) status = check_setting(&a);
    if (!status) status = check_action(&a);
    if (status && status != BZR_E_NOMEM) {
        refuse(&a, BZR__CALL_BLOCKED,
               status == BZR_E_SYNTAX ? "its arguments are not JSON"
                                      : "it could not be checked, see the log of the proxy");
        status = BZR_OK;
    }
    if (!status) status = answer(&a, out);
    bzr__arena_free(&arena);
    if (!status) *ret = result;
    return status;
}

void bzr__screen_refusal(bzr__screen_what what, bzr_str name, bool modern, const char *why, bzr__buf *out,
                         bzr__screen_reply *ret) {
    char text[512];
    snprintf(text, sizeof text, "[bezoar] Withheld: %.400s.", why);
    bzr__reply reply = { .what = what, .name = name, .modern = modern, .text = text };
    bzr__screen_reply_for(&reply, out, ret);
}
