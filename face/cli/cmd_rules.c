/* cmd_rules.c - `toadstone rules`: what can be found, and whether rule files are right. */
#include "app/scan/rulebook.h"
#include "app/scan/rules.h"
#include "face/cli/args.h"
#include "face/cli/out.h"
#include "face/cli/rulefiles.h"
#include "lib/base/json.h"
#include "lib/base/str.h"

#include <stdio.h>

static const char *or_dash(const char *s) { return *s ? s : "-"; }

static void add_member(toad__buf *b, const char *name, const char *value) {
    toad__buf_add_z(b, name);
    toad__json_add_utf8(b, toad__str_z(value));
}

static void add_row(toad__buf *b, const toad__rule_row *row) {
    const toad__rule *r = &row->rule;
    add_member(b, "{\"id\":", r->id);
    add_member(b, ",\"title\":", r->title);
    add_member(b, ",\"family\":", r->family);
    add_member(b, ",\"severity\":", toad_severity_name(r->severity));
    add_member(b, ",\"scope\":", toad_scope_name(r->scope));
    add_member(b, ",\"lang\":", r->lang);
    add_member(b, ",\"mapping\":", r->mapping);
    add_member(b, ",\"why\":", r->why);
    add_member(b, ",\"origin\":", row->origin);
    toad__buf_add_c(b, '}');
}

static int list(const args *a, const toad__rule_list *rules) {
    toad__buf b;
    toad__buf_init(&b, CLI_WHOLE_MAX);
    for (size_t i = 0; i < rules->n; i++) {
        const toad__rule *r = &rules->rows[i].rule;
        toad__buf_add_z(&b, !a->json ? "" : i ? ",\n" : "[\n");
        if (a->json)
            add_row(&b, &rules->rows[i]);
        else
            printf("%-7s %-8s %-20s %s\n", toad_severity_name(r->severity), toad_scope_name(r->scope), r->family,
                   r->id);
    }
    toad__buf_add_z(&b, a->json ? "\n]\n" : "");
    cli_print(toad__buf_str(&b));
    toad__buf_free(&b);
    return EXIT_OK;
}

static int show(const args *a, const toad__rule_list *rules) {
    const char *id = a->operands_n > 1 ? a->operands[1] : "";
    size_t i = toad__rule_list_find(rules, id);
    if (i == SIZE_MAX) {
        cli_error("rules", "no rule '%s'", cli_safe(id));
        cli_hint("'toadstone rules list' lists them");
        return EXIT_ERROR;
    }
    const toad__rule *r = &rules->rows[i].rule;
    if (a->json) {
        toad__buf b;
        toad__buf_init(&b, CLI_WHOLE_MAX);
        add_row(&b, &rules->rows[i]);
        cli_print(toad__buf_str(&b));
        cli_print_z("\n");
        toad__buf_free(&b);
        return EXIT_OK;
    }
    printf("%s\n  %s\n\n  severity   %s\n  hidden     %s\n  scope      %s\n  family     %s\n  languages  %s\n  mapping "
           "   %s\n  origin     %s\n\n  %s\n",
           r->id, r->title, toad_severity_name(r->severity),
           r->hidden_severity ? toad_severity_name(r->hidden_severity) : "one step above", toad_scope_name(r->scope),
           r->family, or_dash(r->lang), or_dash(r->mapping), rules->rows[i].origin, r->why);
    return EXIT_OK;
}

static int check(const args *a) {
    const char *const *files = (const char *const *)(a->operands + 1);
    size_t n = a->operands_n - 1, bad = 0, total = n ? 0 : toad_rules_count(NULL);
    for (size_t i = 0; i < n; i++) {
        toad_rules *rules = NULL;
        if (cli_load_rules("rules", &files[i], 1, &rules)) {
            if (!a->json) printf("%s: %zu rules\n", cli_safe(files[i]), toad_rules_count(rules));
            total += toad_rules_count(rules);
            toad_rules_free(rules);
        } else {
            bad++;
        }
    }
    if (a->json)
        printf("{\"success\":%s,\"files\":%zu,\"bad\":%zu,\"rules\":%zu}\n", bad ? "false" : "true", n, bad, total);
    else if (!n)
        printf("built-in, version %s: %zu rules\n", toad_catalogue_version(), total);
    return bad ? EXIT_ERROR : EXIT_OK;
}

static void print_miss(void *ctx, const toad__rule_source *source, const char *rule, const char *example, bool wanted) {
    (void)ctx;
    printf("%s:%d: %s: %s: %s\n", cli_safe(source->file), source->line, cli_safe(rule),
           wanted ? "does not match its example" : "matches its pass example", cli_safe(example));
}

static void pass_over(void *ctx, const toad__rule_source *source, const char *rule, const char *example, bool wanted) {
    (void)ctx, (void)source, (void)rule, (void)example, (void)wanted; /* JSON has their number */
}

static int test(const args *a) {
    const char *const *files = (const char *const *)(a->operands + 1);
    toad__proof proof = { 0, 0, a->json ? pass_over : print_miss, NULL };
    toad__rulefile *book;
    toad_rules *rules = NULL;
    if (a->operands_n < 2) {
        cli_error("rules", "test which file?");
        return EXIT_ERROR;
    }
    if (!cli_load_book("rules", files, a->operands_n - 1, &book, &rules)) return EXIT_ERROR;
    toad_status status = toad__rulebook_prove(book, rules, &proof);
    if (!status)
        printf(a->json ? "{\"rules\":%zu,\"examples\":%zu,\"failed\":%zu}\n" : "%zu rules, %zu examples, %zu failed\n",
               toad__rulefile_count(book), proof.examples, proof.failed);
    toad__rulefile_free(book);
    toad_rules_free(rules);
    if (status) return cli_status("rules", "test", status);
    return proof.failed ? EXIT_FINDING : EXIT_OK;
}

static int with_list(const args *a, int (*run)(const args *, const toad__rule_list *)) {
    toad_rules *user = NULL;
    toad__rule_list *rules;
    if (!cli_load_rules("rules", a->rules, a->rules_n, &user)) return EXIT_ERROR;
    toad_status status = toad__rule_list_new(user, &rules);
    toad_rules_free(user);
    if (status) return cli_status("rules", "list", status);
    int code = run(a, rules);
    toad__rule_list_free(rules);
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
    cli_guess(what, a->command->operands);
    cli_hint("try 'toadstone help rules'");
    return EXIT_ERROR;
}
