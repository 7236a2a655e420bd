/* cmd_rules.c - `bezoar rules`: what can be found, and whether rule files are right. */
#include "app/scan/rulebook.h"
#include "app/scan/rules.h"
#include "face/cli/args.h"
#include "face/cli/out.h"
#include "face/cli/rulefiles.h"
#include "lib/base/json.h"
#include "lib/base/str.h"

#include <stdio.h>

static const char *or_dash(const char *s) { return *s ? s : "-"; }

static void add_member(bzr__buf *b, const char *name, const char *value) {
    bzr__buf_add_z(b, name);
    bzr__json_add_utf8(b, bzr__str_z(value));
}

static void add_row(bzr__buf *b, const bzr__rule_row *row) {
    const bzr__rule *r = &row->rule;
    add_member(b, "{\"id\":", r->id);
    add_member(b, ",\"title\":", r->title);
    add_member(b, ",\"family\":", r->family);
    add_member(b, ",\"severity\":", bzr_severity_name(r->severity));
    add_member(b, ",\"scope\":", bzr_scope_name(r->scope));
    add_member(b, ",\"lang\":", r->lang);
    add_member(b, ",\"mapping\":", r->mapping);
    add_member(b, ",\"why\":", r->why);
    add_member(b, ",\"origin\":", row->origin);
    bzr__buf_add_c(b, '}');
}

static int list(const args *a, const bzr__rule_list *rules) {
    bzr__buf b;
    bzr__buf_init(&b, CLI_WHOLE_MAX);
    for (size_t i = 0; i < rules->n; i++) {
        const bzr__rule *r = &rules->rows[i].rule;
        bzr__buf_add_z(&b, !a->json ? "" : i ? ",\n" : "[\n");
        if (a->json)
            add_row(&b, &rules->rows[i]);
        else
            printf("%-7s %-8s %-20s %s\n", bzr_severity_name(r->severity), bzr_scope_name(r->scope), r->family, r->id);
    }
    bzr__buf_add_z(&b, a->json ? "\n]\n" : "");
    cli_print(bzr__buf_str(&b));
    bzr__buf_free(&b);
    return EXIT_OK;
}

static int show(const args *a, const bzr__rule_list *rules) {
    const char *id = a->operands_n > 1 ? a->operands[1] : "";
    size_t i = bzr__rule_list_find(rules, id);
    if (i == SIZE_MAX) {
        cli_error("rules", "no rule '%s'", cli_safe(id));
        cli_hint("'bezoar rules list' lists them");
        return EXIT_ERROR;
    }
    const bzr__rule *r = &rules->rows[i].rule;
    if (a->json) {
        bzr__buf b;
        bzr__buf_init(&b, CLI_WHOLE_MAX);
        add_row(&b, &rules->rows[i]);
        cli_print(bzr__buf_str(&b));
        cli_print_z("\n");
        bzr__buf_free(&b);
        return EXIT_OK;
    }
    printf("%s\n  %s\n\n  severity   %s\n  hidden     %s\n  scope      %s\n  family     %s\n  languages  %s\n  mapping "
           "   %s\n  origin     %s\n\n  %s\n",
           r->id, r->title, bzr_severity_name(r->severity),
           r->hidden_severity ? bzr_severity_name(r->hidden_severity) : "one step above", bzr_scope_name(r->scope),
           r->family, or_dash(r->lang), or_dash(r->mapping), rules->rows[i].origin, r->why);
    return EXIT_OK;
}

static int check(const args *a) {
    const char *const *files = (const char *const *)(a->operands + 1);
    size_t n = a->operands_n - 1, bad = 0;
    for (size_t i = 0; i < n; i++) {
        bzr_rules *rules = NULL;
        if (cli_load_rules("rules", &files[i], 1, &rules)) {
            printf("%s: %zu rules\n", cli_safe(files[i]), bzr_rules_count(rules));
            bzr_rules_free(rules);
        } else {
            bad++;
        }
    }
    if (!n) printf("catalogue %s: %zu rules\n", bzr_catalogue_version(), bzr_rules_count(NULL));
    return bad ? EXIT_ERROR : EXIT_OK;
}

static void print_miss(void *ctx, const bzr__rule_source *source, const char *rule, const char *example, bool wanted) {
    (void)ctx;
    printf("%s:%d: %s: %s: %s\n", cli_safe(source->file), source->line, cli_safe(rule),
           wanted ? "does not match its example" : "matches its pass example", cli_safe(example));
}

static int test(const args *a) {
    const char *const *files = (const char *const *)(a->operands + 1);
    bzr__proof proof = { 0, 0, print_miss, NULL };
    bzr__rulefile *book;
    bzr_rules *rules = NULL;
    if (a->operands_n < 2) {
        cli_error("rules", "test which file?");
        return EXIT_ERROR;
    }
    if (!cli_load_book("rules", files, a->operands_n - 1, &book, &rules)) return EXIT_ERROR;
    bzr_status status = bzr__rulebook_prove(book, rules, &proof);
    if (!status)
        printf("%zu rules, %zu examples, %zu failed\n", bzr__rulefile_count(book), proof.examples, proof.failed);
    bzr__rulefile_free(book);
    bzr_rules_free(rules);
    if (status) return cli_status("rules", "test", status);
    return proof.failed ? EXIT_FINDING : EXIT_OK;
}

static int with_list(const args *a, int (*run)(const args *, const bzr__rule_list *)) {
    bzr_rules *user = NULL;
    bzr__rule_list *rules;
    if (!cli_load_rules("rules", a->rules, a->rules_n, &user)) return EXIT_ERROR;
    bzr_status status = bzr__rule_list_new(user, &rules);
    bzr_rules_free(user);
    if (status) return cli_status("rules", "list", status);
    int code = run(a, rules);
    bzr__rule_list_free(rules);
    return code;
}

int cmd_rules(args *a) {
    const char *what = a->operands_n ? a->operands[0] : "";
    if (!strcmp(what, "list")) return with_list(a, list);
    if (!strcmp(what, "show")) return with_list(a, show);
    if (!strcmp(what, "check")) return check(a);
    if (!strcmp(what, "test")) return test(a);
    if (*what)
        cli_error("rules", "unknown: '%s'", cli_safe(what));
    else
        cli_error("rules", "what? list, show, test or check");
    cli_hint("try 'bezoar help rules'");
    return EXIT_ERROR;
}
