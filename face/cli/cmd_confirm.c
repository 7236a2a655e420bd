/* cmd_confirm.c - `toadstone confirm`: does this act need the user, and what does the user say?
 *
 * An answer needs the binding of the question that was seen: on the command line with --binding, or by typing the
 * answer below the question, which needs a terminal. */
#include "app/act/action.h"
#include "app/act/confirm.h"
#include "app/host/input.h"
#include "face/cli/act.h"
#include "face/cli/jsonl.h"
#include "face/cli/out.h"
#include "face/cli/pager.h"
#include "face/cli/rulefiles.h"
#include "face/cli/settings.h"
#include "face/cli/table.h"
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
    if (!strcmp(state, "always")) return toad__confirmations_always(host, answer);
    return toad__host_fail(host, TOAD_E_ARG, "'%s' is none of: pending approved denied used always all",
                           cli_safe(state));
}

static toad_status show(toad__host *host, const args *a, toad__answer *answer) {
    return toad__confirmation_show(host, toad__str_z(a->operands[1]), answer);
}

/* ---- answer ---- */

enum { SHOW = TOAD__REPLY_ALWAYS + 1 }; /* no answer yet: first the contents */

/* What was typed, or -1. */
static int read_reply(const char *word) {
    static const char *const words[] = { "apply", "skip", "always", "show" };
    for (int i = 0; word && i <= SHOW; i++)
        if (!strcmp(word, words[i])) return i;
    return -1;
}

static toad_status show_contents(toad__host *host, const char *id, toad__answer *out) {
    toad_status status = toad__confirmation_contents(host, toad__str_z(id), out);
    if (!status && !toad__answer_refused(out)) cli_page(toad__json_get_text(&out->root, "text"));
    return status;
}

/* "apply, show, skip or always? ", of what can be answered. */
static void prompt(const toad__json *answers) {
    cli_print_z("\n");
    for (const toad__json *a = answers ? answers->child : NULL; a; a = a->next) {
        cli_print(a->text);
        cli_print_z(!a->next ? "? " : !a->next->next ? " or " : ", ");
    }
    cli_flush();
}

/* Show the question and let the person type the answer. `binding` gets that of what was shown. */
static toad_status ask_person(toad__host *host, const char *id, int *reply, char binding[65]) {
    toad__answer shown;
    char line[32];
    toad__answer_init(&shown, TOAD__HOST_ANSWER_MAX);
    toad_status status = toad__confirmation_show(host, toad__str_z(id), &shown);
    toad_str text = toad__json_get_text(&shown.root, "text"), hash = toad__json_get_text(&shown.root, "binding");
    toad__str_copy_to(binding, 65, hash);
    if (!status) cli_print(text);
    for (*reply = SHOW; !status && *reply == SHOW;) {
        toad__answer said;
        prompt(toad__json_get(&shown.root, "answers"));
        *reply = fgets(line, sizeof line, stdin) ? read_reply((line[strcspn(line, "\r\n")] = 0, line)) : -1;
        if (*reply < 0) status = toad__host_fail(host, TOAD_E_ARG, "no answer; the question stays open");
        toad__answer_init(&said, CLI_WHOLE_MAX);
        if (*reply == SHOW) status = show_contents(host, id, &said);
        toad__answer_free(&said);
    }
    toad__answer_free(&shown);
    return status;
}

static toad_status answer(toad__host *host, const args *a, toad__answer *out) {
    char binding[65] = "";
    const char *id = a->operands[1], *word = operand(a, 2);
    int reply = read_reply(word);
    bool person = !a->as_model && isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
    if (word && reply < 0)
        return toad__host_fail(host, TOAD_E_ARG, "'%s' is none of: apply show skip always", cli_safe(word));
    if (!word && !person) return toad__host_fail(host, TOAD_E_ARG, "what is the answer? apply, show, skip or always");
    if (reply == SHOW) {
        toad_status status = toad__confirmation_contents(host, toad__str_z(id), out);
        if (status || !person || a->json) return status;
        cli_page(toad__json_get_text(&out->root, "text"));
        cli_print_z("\n");
        toad__answer_clear(out);
    }
    if (a->binding) snprintf(binding, sizeof binding, "%s", a->binding);
    bool shown = person && !a->binding && reply != TOAD__REPLY_SKIP;
    toad_status status = shown ? ask_person(host, id, &reply, binding) : TOAD_OK;
    return status ? status
                  : toad__confirmation_reply(host, toad__str_z(id), toad__str_z(binding), (toad__reply)reply, out);
}

static toad_status take_back(toad__host *host, const args *a, toad__answer *out) {
    return toad__confirmation_revoke(host, toad__str_z(a->operands[1]), out);
}

static const cli_column listed[] = { { "id", "id" },     { "state", "state" },         { "session_id", "session" },
                                     { "tool", "tool" }, { "arguments", "arguments" }, { "expires_at", "expires" } };

static const cli_column standing[] = { { "source", "source" }, { "covers", "always" } };

static void print_list(const toad__json *answer) {
    const toad__json *always = toad__json_get(answer, "always");
    if (always)
        cli_table(always, standing, sizeof standing / sizeof *standing, "none");
    else
        cli_table(toad__json_get(answer, "confirmations"), listed, sizeof listed / sizeof *listed, "none");
}

static const cli_act acts[] = {
    { .name = "check", .operands = "TOOL [ARGUMENTS-JSON|-]", .least = 1, .most = 2, .run = check },
    { .name = "list",
      .operands = "[pending|approved|denied|used|always|all]",
      .most = 1,
      .run = list,
      .print = print_list },
    { .name = "show", .operands = "ID", .least = 1, .most = 1, .run = show },
    { .name = "answer", .operands = "ID [apply|show|skip|always]", .least = 1, .most = 2, .run = answer },
    { .name = "revoke", .operands = "ID|ALWAYS", .least = 1, .most = 1, .run = take_back },
    { 0 },
};

/* No store and no session: each line says itself what was said and read. */
static int check_lines(args *a) {
    toad__config *config = NULL;
    toad_rules *rules = NULL;
    toad_engine *engine = NULL;
    bool ready =
        cli_load_config("confirm", &config) && cli_apply_config(a, config) && cli_new_engine(a, &rules, &engine);
    int code = ready ? jsonl_acts(a, engine) : EXIT_ERROR;
    toad_engine_free(engine);
    toad_rules_free(rules);
    toad__config_free(config);
    return code;
}

int cmd_confirm(args *a) {
    bool lines = a->jsonl && a->operands_n && !strcmp(a->operands[0], "check");
    return lines ? check_lines(a) : cli_run_act(a, acts);
}
