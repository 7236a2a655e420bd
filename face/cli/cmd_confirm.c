/* cmd_confirm.c - `bezoar confirm`: does this act need the user, and what does the user say?
 *
 * An answer needs the binding of the question that was seen: on the command line with --binding, or by typing the
 * answer below the question, which needs a terminal. */
#include "app/act/action.h"
#include "app/act/confirm.h"
#include "app/host/input.h"
#include "face/cli/act.h"
#include "face/cli/out.h"
#include "face/cli/settings.h"
#include "lib/base/str.h"

#include <stdio.h>
#include <unistd.h>

static const char *operand(const args *a, size_t i) { return a->operands_n > i ? a->operands[i] : NULL; }

static bzr_status check(bzr__host *host, const args *a, bzr__buf *answer) {
    bzr__action_policy policy = cli_action_policy(host->config);
    bzr__buf arguments;
    const char *text = operand(a, 2);
    if (!a->session) return bzr__host_fail(host, BZR_E_ARG, "which session? name it with --session");
    bzr__buf_init(&arguments, 2 * BZR__ACTION_ARGUMENTS);
    int err = text && !strcmp(text, "-") ? bzr__input_slurp("-", &arguments) : 0;
    if (text && strcmp(text, "-") != 0) bzr__buf_add_z(&arguments, text);
    bzr_status status =
        err ? bzr__host_fail(host, BZR_E_IO, "cannot read the arguments: %s", strerror(err))
            : bzr__action_check(host, bzr__str_z(a->operands[1]), bzr__buf_str(&arguments), &policy, answer);
    bzr__buf_free(&arguments);
    return status;
}

static bzr_status list(bzr__host *host, const args *a, bzr__buf *answer) {
    static const char *const states[] = { "pending", "approved", "denied", "used", "all" };
    const char *state = operand(a, 1) ? operand(a, 1) : "pending";
    for (size_t i = 0; i < sizeof states / sizeof *states; i++)
        if (!strcmp(state, states[i]))
            return bzr__confirmations_list(host, i == 4 ? bzr__str(NULL, 0) : bzr__str_z(state), a->limit, answer);
    return bzr__host_fail(host, BZR_E_ARG, "'%s' is none of: pending approved denied used all", cli_safe(state));
}

static bzr_status show(bzr__host *host, const args *a, bzr__buf *answer) {
    return bzr__confirmation_show(host, bzr__str_z(a->operands[1]), answer);
}

/* ---- answer ---- */

static bool read_reply(const char *word, bzr__reply *ret) {
    static const char *const words[] = { "apply", "skip", "always" };
    for (size_t i = 0; word && i < 3; i++) {
        if (strcmp(word, words[i])) continue;
        *ret = (bzr__reply)i;
        return true;
    }
    return false;
}

/* Show the question and let the person type the answer. `binding` gets that of what was shown. */
static bzr_status ask_person(bzr__host *host, const char *id, bzr__reply *reply, char binding[65]) {
    bzr__buf shown;
    bzr__arena arena;
    const bzr__json *root;
    size_t at;
    const char *expected;
    char line[32] = "";
    bzr__buf_init(&shown, BZR__HOST_ANSWER_MAX);
    bzr__arena_init(&arena, BZR__HOST_ANSWER_MAX);
    bzr_status status = bzr__confirmation_show(host, bzr__str_z(id), &shown);
    if (!status) status = bzr__json_parse(bzr__buf_str(&shown), &arena, &root, &at, &expected);
    if (!status) {
        cli_print(bzr__json_get_text(root, "text"));
        bzr_str hash = bzr__json_get_text(root, "binding");
        snprintf(binding, 65, "%.*s", (int)hash.n, hash.p ? hash.p : "");
        cli_print_z("\napply, skip or always? ");
        cli_flush();
        if (fgets(line, sizeof line, stdin)) line[strcspn(line, "\n")] = 0;
        if (!read_reply(line, reply)) status = bzr__host_fail(host, BZR_E_ARG, "no answer; the question stays open");
    }
    bzr__arena_free(&arena);
    bzr__buf_free(&shown);
    return status;
}

static bzr_status answer(bzr__host *host, const args *a, bzr__buf *out) {
    bzr__reply reply = BZR__REPLY_SKIP;
    char binding[65] = "";
    const char *id = a->operands[1], *word = operand(a, 2);
    bool said = read_reply(word, &reply), person = isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
    if (word && !said) return bzr__host_fail(host, BZR_E_ARG, "'%s' is none of: apply skip always", cli_safe(word));
    if (a->binding) snprintf(binding, sizeof binding, "%s", a->binding);
    if (!said && !person) return bzr__host_fail(host, BZR_E_ARG, "what is the answer? apply, skip or always");
    bool shown = !a->as_model && !a->binding && person && (!said || reply != BZR__REPLY_SKIP);
    bzr_status status = shown ? ask_person(host, id, &reply, binding) : BZR_OK;
    return status ? status : bzr__confirmation_reply(host, bzr__str_z(id), bzr__str_z(binding), reply, out);
}

static const cli_column listed[] = { { "id", "id" },     { "state", "state" },         { "session_id", "session" },
                                     { "tool", "tool" }, { "arguments", "arguments" }, { "expires_at", "expires" } };

static const cli_act acts[] = {
    { .name = "check", .operands = "TOOL [ARGUMENTS-JSON|-]", .least = 1, .most = 2, .run = check },
    { .name = "list",
      .operands = "[pending|approved|denied|used|all]",
      .most = 1,
      .run = list,
      .columns = listed,
      .columns_n = sizeof listed / sizeof *listed,
      .rows = "confirmations" },
    { .name = "show", .operands = "ID", .least = 1, .most = 1, .run = show },
    { .name = "answer", .operands = "ID [apply|skip|always]", .least = 1, .most = 2, .run = answer },
    { 0 },
};

int cmd_confirm(args *a) { return cli_run_act(a, acts); }
