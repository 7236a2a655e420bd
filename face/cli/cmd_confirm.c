/* cmd_confirm.c - `toadstone confirm`: does this act need the user, and what does the user say?
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

static toad_status check(toad__host *host, const args *a, toad__answer *answer) {
    toad__action_policy policy = cli_action_policy(host->config);
    toad__buf arguments;
    const char *text = operand(a, 2);
    if (!a->session) return toad__host_fail(host, TOAD_E_ARG, "which session? name it with --session");
    toad__buf_init(&arguments, 2 * TOAD__ACTION_ARGUMENTS);
    int err = text && !strcmp(text, "-") ? toad__input_slurp("-", &arguments) : 0;
    if (text && strcmp(text, "-") != 0) toad__buf_add_z(&arguments, text);
    toad_status status =
        err ? toad__host_fail(host, TOAD_E_IO, "cannot read the arguments: %s", strerror(err))
            : toad__action_check(host, toad__str_z(a->operands[1]), toad__buf_str(&arguments), &policy, answer);
    toad__buf_free(&arguments);
    return status;
}

static toad_status list(toad__host *host, const args *a, toad__answer *answer) {
    static const char *const states[] = { "pending", "approved", "denied", "used", "all" };
    const char *state = operand(a, 1) ? operand(a, 1) : "pending";
    for (size_t i = 0; i < sizeof states / sizeof *states; i++)
        if (!strcmp(state, states[i]))
            return toad__confirmations_list(host, i == 4 ? toad__str(NULL, 0) : toad__str_z(state), a->limit, answer);
    return toad__host_fail(host, TOAD_E_ARG, "'%s' is none of: pending approved denied used all", cli_safe(state));
}

static toad_status show(toad__host *host, const args *a, toad__answer *answer) {
    return toad__confirmation_show(host, toad__str_z(a->operands[1]), answer);
}

/* ---- answer ---- */

static bool read_reply(const char *word, toad__reply *ret) {
    static const char *const words[] = { "apply", "skip", "always" };
    for (size_t i = 0; word && i < 3; i++) {
        if (strcmp(word, words[i])) continue;
        *ret = (toad__reply)i;
        return true;
    }
    return false;
}

/* Show the question and let the person type the answer. `binding` gets that of what was shown. */
static toad_status ask_person(toad__host *host, const char *id, toad__reply *reply, char binding[65]) {
    toad__answer shown;
    char line[32] = "";
    toad__answer_init(&shown, TOAD__HOST_ANSWER_MAX);
    toad_status status = toad__confirmation_show(host, toad__str_z(id), &shown);
    if (!status) {
        cli_print(toad__json_get_text(&shown.root, "text"));
        toad_str hash = toad__json_get_text(&shown.root, "binding");
        snprintf(binding, 65, "%.*s", (int)hash.n, hash.p ? hash.p : "");
        cli_print_z("\napply, skip or always? ");
        cli_flush();
        if (fgets(line, sizeof line, stdin)) line[strcspn(line, "\n")] = 0;
        if (!read_reply(line, reply)) status = toad__host_fail(host, TOAD_E_ARG, "no answer; the question stays open");
    }
    toad__answer_free(&shown);
    return status;
}

static toad_status answer(toad__host *host, const args *a, toad__answer *out) {
    toad__reply reply = TOAD__REPLY_SKIP;
    char binding[65] = "";
    const char *id = a->operands[1], *word = operand(a, 2);
    bool said = read_reply(word, &reply), person = isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
    if (word && !said) return toad__host_fail(host, TOAD_E_ARG, "'%s' is none of: apply skip always", cli_safe(word));
    if (a->binding) snprintf(binding, sizeof binding, "%s", a->binding);
    if (!said && !person) return toad__host_fail(host, TOAD_E_ARG, "what is the answer? apply, skip or always");
    bool shown = !a->as_model && !a->binding && person && (!said || reply != TOAD__REPLY_SKIP);
    toad_status status = shown ? ask_person(host, id, &reply, binding) : TOAD_OK;
    return status ? status : toad__confirmation_reply(host, toad__str_z(id), toad__str_z(binding), reply, out);
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
