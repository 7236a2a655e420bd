/* cmd_config.c - `toadstone config` and `toadstone policy`: what holds, where it comes from, and what is wrong with it.
 * No store is opened. */
#include "app/config/policy.h"
#include "app/host/answer.h"
#include "face/cli/args.h"
#include "face/cli/out.h"
#include "face/cli/settings.h"
#include "face/cli/table.h"
#include "lib/base/str.h"
#include "toadstone/scan.h"

#include <stdio.h>

static int no_act(const args *a) {
    const char *name = a->operands_n ? a->operands[0] : NULL;
    if (name)
        cli_error(a->command->name, "unknown: '%s'", cli_safe(name));
    else
        cli_error(a->command->name, "what is to be done?");
    if (name) cli_guess(name, a->command->operands);
    cli_hint("one of: %s; see 'toadstone help %s'", a->command->operands, a->command->name);
    return EXIT_ERROR;
}

static bool is_act(const args *a, const char *name) { return a->operands_n && !strcmp(a->operands[0], name); }

static bool no_more(const args *a, size_t most) {
    if (a->operands_n <= most) return true;
    cli_error(a->command->name, "%s: too many operands: '%s'", a->operands[0], cli_safe(a->operands[most]));
    return false;
}

static int print_all(const args *a, toad__buf *b) {
    toad_status status = b->status;
    if (!status) cli_print(toad__buf_str(b));
    toad__buf_free(b);
    return status ? cli_status(a->command->name, a->operands[0], status) : EXIT_OK;
}

/* ---- config ---- */

static bool add_flags(const args *a, toad__config *c) {
    toad_status status = TOAD_OK;
    if (a->store) status = toad__config_add_flag(c, "--store", "store.where", a->store);
    if (!status && a->has_scope) status = toad__config_add_flag(c, "--scope", "scan.scope", toad_scope_name(a->scope));
    return !status;
}

static int show(const args *a) {
    toad__config *c;
    toad__buf b;
    if (!no_more(a, 1) || !cli_load_config(a->command->name, &c)) return EXIT_ERROR;
    bool ok = add_flags(a, c);
    toad__buf_init(&b, CLI_WHOLE_MAX);
    if (!ok) b.status = TOAD_E_NOMEM;
    if (a->json)
        toad__config_json(c, &b);
    else
        toad__config_yaml(c, a->origin, &b);
    if (a->json) toad__buf_add_c(&b, '\n');
    toad__config_free(c);
    return print_all(a, &b);
}

static void add_mistakes(const toad__config *c, toad__buf *b) {
    toad__buf_add_z(b, "{\"mistakes\":[");
    for (size_t i = 0; i < toad__config_mistakes(c); i++) {
        const toad__mistake *m = toad__config_mistake(c, i);
        char line[32];
        toad__buf_add_z(b, i ? ",\n{\"file\":" : "\n{\"file\":");
        toad__json_add_str(b, toad__str_z(m->file));
        snprintf(line, sizeof line, ",\"line\":%zu", m->line);
        toad__buf_add_z(b, m->line ? line : ",\"line\":null");
        toad__buf_add_z(b, ",\"key\":\"");
        toad__buf_add_z(b, m->key); /* escaped already */
        toad__buf_add_z(b, "\",\"message\":");
        toad__json_add_str(b, toad__str_z(m->message));
        toad__buf_add_c(b, '}');
    }
    toad__buf_add_z(b, "\n]}\n");
}

static bool is_project_file(const char *path) {
    const char *slash = strrchr(path, '/');
    return !strcmp(slash ? slash + 1 : path, ".toadstone.yaml");
}

static toad_status read_named(const args *a, toad__config *c) {
    toad_status status = TOAD_OK;
    for (size_t i = 1; i < a->operands_n && !status; i++)
        status = toad__config_add_file(c, is_project_file(a->operands[i]) ? TOAD__LAYER_PROJECT : TOAD__LAYER_USER,
                                       a->operands[i], false);
    return status;
}

static int check(const args *a) {
    toad__config *c;
    toad__buf b;
    toad_status status = toad__config_new(&c);
    if (status) return cli_status(a->command->name, "check", status);
    status = a->operands_n > 1 ? read_named(a, c) : toad__config_load(c);
    size_t mistakes = toad__config_mistakes(c);
    toad__buf_init(&b, CLI_WHOLE_MAX);
    if (a->json)
        add_mistakes(c, &b);
    else
        cli_print_mistakes(a->command->name, c);
    if (!a->json && !mistakes) toad__buf_add_z(&b, "no mistakes\n");
    toad__config_free(c);
    if (!status) status = b.status;
    int code = print_all(a, &b);
    return status ? cli_status(a->command->name, "check", status) : code ? code : mistakes ? EXIT_ERROR : EXIT_OK;
}

int cmd_config(args *a) { return is_act(a, "show") ? show(a) : is_act(a, "check") ? check(a) : no_act(a); }

/* ---- policy ---- */

static void add_surface(toad__answer *table, const toad__policy_surface *s) {
    toad__answer_object(table, NULL);
    toad__answer_z(table, "surface", s->name);
    toad__answer_z(table, "redact", toad_action_name(s->redact));
    toad__answer_z(table, "ask", toad_action_name(s->ask));
    toad__answer_z(table, "where", s->where);
    toad__answer_end(table);
}

static int show_policy(const args *a) {
    static const cli_column on[] = {
        { "surface", "surface" }, { "redact", "redact" }, { "ask", "ask" }, { "where", "where" }
    };
    static const cli_column columns[] = { { "source", "source" }, { "none", "none" }, { "low", "low" },
                                          { "medium", "medium" }, { "high", "high" }, { "incomplete", "incomplete" } };
    toad__config *c;
    toad__buf b;
    toad__answer table;
    if (!no_more(a, 1) || !cli_load_config(a->command->name, &c)) return EXIT_ERROR;
    if (a->json) {
        toad__buf_init(&b, CLI_WHOLE_MAX);
        toad__policy_json(c, &b);
        toad__config_free(c);
        toad__buf_add_c(&b, '\n');
        return print_all(a, &b);
    }
    toad__answer_init(&table, CLI_WHOLE_MAX);
    toad__answer_array(&table, "policy");
    for (size_t s = 0; s < TOAD__POLICY_SOURCE_N; s++) {
        size_t n;
        const char *source = toad__word_at(TOAD__POLICY_SOURCES, s, &n);
        toad__answer_object(&table, NULL);
        toad__answer_str(&table, "source", toad__str(source, n));
        for (size_t k = 0; k < TOAD__POLICY_CASE_N; k++)
            toad__answer_z(&table, columns[k + 1].key, toad__policy_cell(c, s, k));
        toad__answer_end(&table);
    }
    toad__answer_end(&table);
    toad__config_free(c);
    toad__answer_array(&table, "surfaces");
    for (toad__surface i = 0; i < TOAD__SURFACE_N; i++) add_surface(&table, toad__policy_surface_at(i));
    toad__answer_end(&table);
    toad_status status = table.status;
    if (!status) {
        cli_table(table.root.child, columns, sizeof columns / sizeof *columns, "none");
        putchar('\n');
        cli_table(table.root.child->next, on, sizeof on / sizeof *on, "none");
    }
    toad__answer_free(&table);
    return status ? cli_status(a->command->name, "show", status) : EXIT_OK;
}

static bool read_case(const args *a, size_t *source, toad_severity *severity, toad_completeness *completeness) {
    *completeness = a->completeness;
    if (!a->source || !a->severity) {
        cli_error(a->command->name, "test: of what? give --source KIND and --severity SEVERITY");
        return false;
    }
    if (!toad__policy_source(a->source, source)) {
        cli_error(a->command->name, "--source: '%s' is none of: %s", cli_safe(a->source), TOAD__POLICY_SOURCES);
        return false;
    }
    return toad_severity_parse(toad__str_z(a->severity), severity);
}

static int test_policy(const args *a) {
    toad__config *c;
    size_t source;
    toad_severity severity;
    toad_completeness completeness;
    toad__buf b;
    if (!no_more(a, 1) || !read_case(a, &source, &severity, &completeness) || !cli_load_config(a->command->name, &c))
        return EXIT_ERROR;
    toad__policy_answer answer = toad__policy_decide(c, source, severity, completeness);
    toad__config_free(c);
    toad__buf_init(&b, 4096);
    toad__buf_add_z(&b, a->json ? "{\"action\":\"" : "");
    toad__buf_add_z(&b, answer.action);
    toad__buf_add_z(&b, a->json ? "\",\"why\":\"" : "  ");
    toad__buf_add_z(&b, answer.why);
    toad__buf_add_z(&b, a->json ? "\"}\n" : "\n");
    return print_all(a, &b);
}

int cmd_policy(args *a) { return is_act(a, "show") ? show_policy(a) : is_act(a, "test") ? test_policy(a) : no_act(a); }
