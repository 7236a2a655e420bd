/* act.c - dispatch of acts on the store. */
#include "face/cli/act.h"

#include "face/cli/out.h"
#include "face/cli/rulefiles.h"
#include "face/cli/settings.h"
#include "lib/base/str.h"

#include <stdlib.h>

static const cli_act *find(const args *a, const cli_act *acts) {
    const char *name = a->operands_n ? a->operands[0] : NULL;
    for (const cli_act *act = acts; name && act->name; act++)
        if (!strcmp(act->name, name)) return act;
    if (name)
        cli_error(a->command->name, "unknown: '%s'", cli_safe(name));
    else
        cli_error(a->command->name, "what is to be done?");
    if (name) cli_guess(name, a->command->operands);
    cli_hint("one of: %s; see 'toadstone help %s'", a->command->operands, a->command->name);
    return NULL;
}

static void print_answer(const cli_act *act, const toad__json *answer) {
    const toad__json *rows = act->rows ? toad__json_get(answer, act->rows) : answer;
    if (act->print) {
        act->print(answer);
    } else if (act->columns_n && rows && rows->type == TOAD__JSON_ARRAY) {
        cli_table(rows, act->columns, act->columns_n, "none");
    } else if (act->columns_n) {
        cli_record(answer, act->columns, act->columns_n);
    } else {
        cli_print(toad__json_get_text(answer, "text"));
    }
}

/* Print the answer; returns the exit status. */
static int finish(const args *a, const cli_act *act, toad__buf *answer) {
    toad__arena arena;
    const toad__json *root;
    size_t at;
    const char *expected;
    toad__arena_init(&arena, CLI_WHOLE_MAX);
    toad_status status =
        answer->status ? answer->status : toad__json_parse(toad__buf_str(answer), &arena, &root, &at, &expected);
    if (status) {
        toad__arena_free(&arena);
        return cli_status(a->command->name, act->name, status);
    }
    const toad__json *success = toad__json_get(root, "success");
    bool refused = success && success->type == TOAD__JSON_FALSE;
    if (a->json) {
        cli_print(toad__buf_str(answer));
        cli_print_z("\n");
    } else if (refused) {
        toad_str why = toad__json_get_text(root, "error");
        cli_error(a->command->name, "%.*s", (int)why.n, why.p ? why.p : "");
    } else {
        print_answer(act, root);
    }
    toad__arena_free(&arena);
    return refused ? EXIT_FINDING : EXIT_OK;
}

static int run_on(const args *a, const cli_act *act, toad__host *host) {
    toad__buf answer;
    int code = EXIT_ERROR;
    toad__buf_init(&answer, TOAD__HOST_ANSWER_MAX);
    host->session = a->session ? toad__str_z(a->session) : toad__str(NULL, 0);
    host->by = a->as_model ? TOAD__READER_MODEL : TOAD__READER_USER;
    toad_status status = act->run(host, a, &answer);
    if (status)
        cli_error(a->command->name, "%s", *host->message ? host->message : toad_status_message(status));
    else
        code = act->prints && !answer.n ? EXIT_OK : finish(a, act, &answer);
    toad__buf_free(&answer);
    return code;
}

static int with_config(const args *a, const cli_act *act, const toad__config *config) {
    toad_rules *rules = NULL;
    toad_engine *engine;
    toad__host host;
    if (!cli_new_engine(a, &rules, &engine)) return EXIT_ERROR;
    int code = EXIT_ERROR;
    if ((act->degrades ? toad__host_open_or_degrade : toad__host_open)(engine, config, a->store, &host)) {
        cli_error(a->command->name, "%s", host.message);
    } else {
        code = run_on(a, act, &host);
        toad__host_close(&host);
    }
    toad_engine_free(engine);
    toad_rules_free(rules);
    return code;
}

int cli_run_act(args *a, const cli_act *acts) {
    const cli_act *act = find(a, acts);
    if (!act) return EXIT_ERROR;
    size_t n = a->operands_n - 1;
    if (n < act->least || n > act->most) {
        cli_error(a->command->name, "%s: %s %s", act->name,
                  n < act->least ? "wanted:" : "too many operands; wanted:", act->operands);
        return EXIT_ERROR;
    }
    toad__config *config;
    if (!cli_load_config(a->command->name, &config)) return EXIT_ERROR;
    int code = cli_apply_config(a, config) ? with_config(a, act, config) : EXIT_ERROR;
    toad__config_free(config);
    return code;
}
