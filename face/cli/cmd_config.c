/* cmd_config.c - `bezoar config` and `bezoar policy`: what holds, where it comes from, and what is wrong with it. No
 * store is opened. */
#include "app/config/policy.h"
#include "bezoar/scan.h"
#include "face/cli/args.h"
#include "face/cli/out.h"
#include "face/cli/settings.h"
#include "face/cli/table.h"
#include "lib/base/str.h"

#include <stdio.h>

static int no_act(const args *a) {
    const char *name = a->operands_n ? a->operands[0] : NULL;
    if (name)
        cli_error(a->command->name, "unknown: '%s'", cli_safe(name));
    else
        cli_error(a->command->name, "what is to be done?");
    cli_hint("one of: %s; see 'bezoar help %s'", a->command->operands, a->command->name);
    return EXIT_ERROR;
}

static bool is_act(const args *a, const char *name) { return a->operands_n && !strcmp(a->operands[0], name); }

static bool no_more(const args *a, size_t most) {
    if (a->operands_n <= most) return true;
    cli_error(a->command->name, "%s: too many operands: '%s'", a->operands[0], cli_safe(a->operands[most]));
    return false;
}

static int print_all(const args *a, bzr__buf *b) {
    bzr_status status = b->status;
    if (!status) cli_print(bzr__buf_str(b));
    bzr__buf_free(b);
    return status ? cli_status(a->command->name, a->operands[0], status) : EXIT_OK;
}

/* ---- config ---- */

static bool add_flags(const args *a, bzr__config *c) {
    bzr_status status = BZR_OK;
    if (a->store) status = bzr__config_add_flag(c, "--store", "store.where", a->store);
    if (!status && a->has_scope) status = bzr__config_add_flag(c, "--scope", "scan.scope", bzr_scope_name(a->scope));
    return !status;
}

static int show(const args *a) {
    bzr__config *c;
    bzr__buf b;
    if (!no_more(a, 1) || !cli_load_config(a->command->name, &c)) return EXIT_ERROR;
    bool ok = add_flags(a, c);
    bzr__buf_init(&b, CLI_WHOLE_MAX);
    if (!ok) b.status = BZR_E_NOMEM;
    if (a->json)
        bzr__config_json(c, &b);
    else
        bzr__config_yaml(c, a->origin, &b);
    if (a->json) bzr__buf_add_c(&b, '\n');
    bzr__config_free(c);
    return print_all(a, &b);
}

static void add_mistakes(const bzr__config *c, bzr__buf *b) {
    bzr__buf_add_z(b, "{\"mistakes\":[");
    for (size_t i = 0; i < bzr__config_mistakes(c); i++) {
        const bzr__mistake *m = bzr__config_mistake(c, i);
        char line[32];
        bzr__buf_add_z(b, i ? ",\n{\"file\":" : "\n{\"file\":");
        bzr__json_add_str(b, bzr__str_z(m->file));
        snprintf(line, sizeof line, ",\"line\":%zu", m->line);
        bzr__buf_add_z(b, m->line ? line : ",\"line\":null");
        bzr__buf_add_z(b, ",\"key\":\"");
        bzr__buf_add_z(b, m->key); /* escaped already */
        bzr__buf_add_z(b, "\",\"message\":");
        bzr__json_add_str(b, bzr__str_z(m->message));
        bzr__buf_add_c(b, '}');
    }
    bzr__buf_add_z(b, "\n]}\n");
}

static bool is_project_file(const char *path) {
    const char *slash = strrchr(path, '/');
    return !strcmp(slash ? slash + 1 : path, ".bezoar.yaml");
}

static bzr_status read_named(const args *a, bzr__config *c) {
    bzr_status status = BZR_OK;
    for (size_t i = 1; i < a->operands_n && !status; i++)
        status = bzr__config_add_file(c, is_project_file(a->operands[i]) ? BZR__LAYER_PROJECT : BZR__LAYER_USER,
                                      a->operands[i], false);
    return status;
}

static int check(const args *a) {
    bzr__config *c;
    bzr__buf b;
    bzr_status status = bzr__config_new(&c);
    if (status) return cli_status(a->command->name, "check", status);
    status = a->operands_n > 1 ? read_named(a, c) : bzr__config_load(c);
    size_t mistakes = bzr__config_mistakes(c);
    bzr__buf_init(&b, CLI_WHOLE_MAX);
    if (a->json)
        add_mistakes(c, &b);
    else
        cli_print_mistakes(a->command->name, c);
    if (!a->json && !mistakes) bzr__buf_add_z(&b, "no mistakes\n");
    bzr__config_free(c);
    if (!status) status = b.status;
    int code = print_all(a, &b);
    return status ? cli_status(a->command->name, "check", status) : code ? code : mistakes ? EXIT_ERROR : EXIT_OK;
}

int cmd_config(args *a) { return is_act(a, "show") ? show(a) : is_act(a, "check") ? check(a) : no_act(a); }

/* ---- policy ---- */

static int show_policy(const args *a) {
    static const cli_column columns[] = { { "source", "source" }, { "none", "none" }, { "low", "low" },
                                          { "medium", "medium" }, { "high", "high" }, { "incomplete", "incomplete" } };
    bzr__config *c;
    bzr__buf b;
    bzr__arena arena;
    const bzr__json *root;
    size_t at;
    const char *expected;
    if (!no_more(a, 1) || !cli_load_config(a->command->name, &c)) return EXIT_ERROR;
    bzr__buf_init(&b, CLI_WHOLE_MAX);
    bzr__policy_json(c, &b);
    bzr__config_free(c);
    if (a->json) {
        bzr__buf_add_c(&b, '\n');
        return print_all(a, &b);
    }
    bzr__arena_init(&arena, CLI_WHOLE_MAX);
    bzr_status status = b.status ? b.status : bzr__json_parse(bzr__buf_str(&b), &arena, &root, &at, &expected);
    if (!status) cli_table(bzr__json_get(root, "policy"), columns, sizeof columns / sizeof *columns, "none");
    bzr__arena_free(&arena);
    bzr__buf_free(&b);
    return status ? cli_status(a->command->name, "show", status) : EXIT_OK;
}

static bool read_case(const args *a, size_t *source, bzr_severity *severity, bzr_completeness *completeness) {
    *completeness = a->completeness;
    if (!a->source || !a->severity) {
        cli_error(a->command->name, "test: of what? give --source KIND and --severity SEVERITY");
        return false;
    }
    if (!bzr__policy_source(a->source, source)) {
        cli_error(a->command->name, "--source: '%s' is none of: %s", cli_safe(a->source), BZR__POLICY_SOURCES);
        return false;
    }
    return bzr_severity_parse(bzr__str_z(a->severity), severity);
}

static int test_policy(const args *a) {
    bzr__config *c;
    size_t source;
    bzr_severity severity;
    bzr_completeness completeness;
    bzr__buf b;
    if (!no_more(a, 1) || !read_case(a, &source, &severity, &completeness) || !cli_load_config(a->command->name, &c))
        return EXIT_ERROR;
    bzr__policy_answer answer = bzr__policy_decide(c, source, severity, completeness);
    bzr__config_free(c);
    bzr__buf_init(&b, 4096);
    bzr__buf_add_z(&b, a->json ? "{\"action\":\"" : "");
    bzr__buf_add_z(&b, answer.action);
    bzr__buf_add_z(&b, a->json ? "\",\"why\":\"" : "  ");
    bzr__buf_add_z(&b, answer.why);
    bzr__buf_add_z(&b, a->json ? "\"}\n" : "\n");
    return print_all(a, &b);
}

int cmd_policy(args *a) { return is_act(a, "show") ? show_policy(a) : is_act(a, "test") ? test_policy(a) : no_act(a); }
