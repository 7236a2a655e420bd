/* act.c - dispatch of acts on the store. */
#include "face/cli/act.h"

#include "face/cli/asker.h"
#include "face/cli/out.h"
#include "face/cli/person.h"
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

toad_status cli_print_answer(const toad__answer *answer) {
    toad__buf json;
    toad__buf_init(&json, CLI_WHOLE_MAX);
    toad__answer_write(answer, &json);
    toad__buf_add_c(&json, '\n');
    toad_status status = json.status;
    if (!status) cli_print(toad__buf_str(&json));
    toad__buf_free(&json);
    return status;
}

static void print_text(const cli_act *act, const toad__json *answer) {
    if (act->print)
        act->print(answer);
    else if (act->rows)
        cli_table(toad__json_get(answer, act->rows), act->columns, act->columns_n, "none");
    else if (act->columns_n)
        cli_record(answer, act->columns, act->columns_n);
    else
        cli_print(toad__json_get_text(answer, "text"));
}

/* Of a refusal: which words, escaped by the operation, and what helps. */
static void say_more(const toad__json *answer) {
    toad_str words = toad__json_get_text(answer, "words"), hint = toad__json_get_text(answer, "hint");
    if (words.n) cli_hint("the words: %.*s", (int)words.n, words.p);
    if (hint.n) cli_hint("%.*s", (int)hint.n, hint.p);
}

/* Print the answer; returns the exit status. */
static int finish(const args *a, const cli_act *act, const toad__answer *answer) {
    bool refused = toad__answer_refused(answer);
    toad_status status = answer->status;
    if (!status && a->json) {
        status = cli_print_answer(answer);
    } else if (!status && refused) {
        toad_str why = toad__json_get_text(&answer->root, "error");
        cli_error(a->command->name, "%.*s", (int)why.n, why.p ? why.p : "");
        say_more(&answer->root);
        if (a->taken_for_model && toad__str_find(why, TOAD__S("only the user"), 0) < why.n)
            cli_hint("this counts as a model's request, because %s; docs/store.md says more", a->taken_for_model);
    } else if (!status) {
        print_text(act, &answer->root);
    }
    if (status) return cli_status(a->command->name, act->name, status);
    const toad__json *bad = act->bad ? toad__json_get(&answer->root, act->bad) : NULL;
    return refused || (bad && bad->child) ? EXIT_FINDING : EXIT_OK;
}

/* An id of another store is not found here: say which was looked at. A URL may hold a password. */
static void say_where(const args *a, const toad__host *host) {
    toad__buf path;
    const char *given = a->store ? a->store : host->config ? toad__config_text(host->config, TOAD__CONFIG_STORE) : "";
    if (a->json || host->by == TOAD__READER_MODEL || !strstr(host->message, "Content not found")) return;
    toad__buf_init(&path, 1u << 16);
    if (*given)
        toad__buf_add_z(&path, strstr(given, "://") ? "the database that is configured" : given);
    else if (toad__store_default_path(&path))
        toad__buf_clear(&path);
    toad__buf_add_c(&path, 0);
    if (!path.status)
        cli_hint("looked in %s; another store is named with --store or TOADSTONE_STORE", cli_safe(path.p));
    toad__buf_free(&path);
}

static int run_on(const args *a, const cli_act *act, toad__host *host) {
    toad__answer answer;
    int code = EXIT_ERROR;
    toad__answer_init(&answer, CLI_WHOLE_MAX);
    host->session = a->session ? toad__str_z(a->session) : toad__str(NULL, 0);
    host->person = cli_person();
    host->by = a->as_model ? TOAD__READER_MODEL : TOAD__READER_USER;
    toad_status status = act->run(host, a, &answer);
    if (status) {
        cli_error(a->command->name, "%s", *host->message ? host->message : toad_status_message(status));
        say_where(a, host);
    } else {
        code = act->prints && !toad__answer_any(&answer) ? EXIT_OK : finish(a, act, &answer);
    }
    toad__answer_free(&answer);
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
    return cli_run_one(a, act);
}

int cli_run_one(args *a, const cli_act *act) {
    cli_decide_asker(a, act->reads);
    toad__config *config;
    if (!cli_load_config(a->command->name, &config)) return EXIT_ERROR;
    int code = cli_apply_config(a, config) ? with_config(a, act, config) : EXIT_ERROR;
    toad__config_free(config);
    return code;
}
