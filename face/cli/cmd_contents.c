/* cmd_contents.c - `toadstone contents`: untrusted bodies under ids. */
#include "app/records/contents.h"
#include "face/cli/act.h"
#include "face/cli/out.h"
#include "face/cli/settings.h"
#include "lib/base/str.h"

#include <stdio.h>

static toad_str operand(const args *a, size_t i) {
    return a->operands_n > i ? toad__str_z(a->operands[i]) : toad__str(NULL, 0);
}

static toad_status store(toad__host *host, const args *a, toad__answer *answer) {
    toad__buf body;
    if (!a->source || !*a->source)
        return toad__host_fail(host, TOAD_E_ARG, "where did it come from? give --source URL");
    toad__buf_init(&body, CLI_WHOLE_MAX);
    bool ok = cli_read_operand(a->command->name, a->operands + 1, a->operands_n - 1, &body);
    toad__content_in in = { .source = toad__str_z(a->source),
                            .body = body.n ? toad__buf_str(&body) : TOAD__S(""),
                            .kind = a->kind == TOAD_KIND_ANY ? TOAD_KIND_WEB : a->kind,
                            .style = (toad__fetched_style)a->style };
    toad_status status =
        ok ? toad__contents_store(host, &in, answer) : toad__host_fail(host, TOAD_E_IO, "nothing was stored");
    toad__buf_free(&body);
    return status;
}

static toad_status list(toad__host *host, const args *a, toad__answer *answer) {
    return toad__contents_list(host, operand(a, 1), a->limit, answer);
}

static toad_status show(toad__host *host, const args *a, toad__answer *answer) {
    return toad__contents_show(host, operand(a, 1), answer);
}

static toad_status read_text(toad__host *host, const args *a, toad__answer *answer) {
    return toad__contents_read_part(host, operand(a, 1), (toad__fetched_style)a->style, cli_envelope(a, host->config),
                                    (size_t)a->start, (size_t)a->max, answer);
}

static toad_status release(toad__host *host, const args *a, toad__answer *answer) {
    return toad__contents_release(host, operand(a, 1), toad__str_z(a->digest), answer);
}

static toad_status delete (toad__host *host, const args *a, toad__answer *answer) {
    return toad__contents_delete(host, operand(a, 1), answer);
}

static toad_status purge(toad__host *host, const args *a, toad__answer *answer) {
    (void)a;
    return toad__contents_purge(host, answer);
}

/* ---- for people ---- */

static const cli_column list_columns[] = {
    { "id", "id" },         { "scan", "scan" },   { "pattern_matched", "rule" },
    { "kind", "kind" },     { "bytes", "bytes" }, { "scanned_at", "scanned" },
    { "accessed", "read" }, { "url", "url" },     { "title", "title" },
};

static const cli_column show_columns[] = {
    { "id", "id" },
    { "url", "url" },
    { "domain", "domain" },
    { "title", "title" },
    { "kind", "kind" },
    { "scan", "scan" },
    { "severity", "severity" },
    { "completeness", "completeness" },
    { "pattern_matched", "rule" },
    { "bytes", "bytes" },
    { "truncated", "truncated" },
    { "session_id", "session" },
    { "scanned_at", "scanned" },
    { "expires_at", "expires" },
    { "accessed_at", "read" },
    { "released_at", "released" },
    { "intact", "intact" },
    { "digest", "digest" },
};

static const cli_column finding_columns[] = {
    { "rule", "rule" }, { "severity", "severity" }, { "start", "start" }, { "end", "end" }, { "excerpt", "excerpt" },
};

static const cli_column removed_columns[] = { { "removed", "removed" } };

static void print_stored(const toad__json *answer) {
    toad_str id = toad__json_get_text(answer, "id");
    cli_print(toad__json_get_text(answer, "text"));
    cli_print_z("\n");
    if (id.n && toad__str_eq(toad__json_get_text(answer, "scan"), TOAD__S("block"))) {
        fflush(stdout);
        cli_hint("kept for you as %.*s: look at it with 'toadstone contents show %.*s'", (int)id.n, id.p, (int)id.n,
                 id.p);
    }
}

static void print_text(const toad__json *answer) {
    cli_print(toad__json_get_text(answer, "text"));
    cli_print_z("\n");
}

/* The body, each line marked and escaped: nothing in it can pass for the lines above. */
static void print_body(toad_str body) {
    toad__buf line;
    toad__buf_init(&line, CLI_WHOLE_MAX);
    for (size_t at = 0, end; at < body.n; at = end + 1) {
        end = toad__str_find(body, TOAD__S("\n"), at);
        toad__buf_clear(&line);
        toad__json_add_utf8(&line, toad__str_part(body, at, end));
        cli_print_z("| ");
        if (!line.status) cli_print(toad__str(line.p + 1, line.n - 2));
        cli_print_z("\n");
    }
    toad__buf_free(&line);
}

/* The rules that a finding of more than low severity names, each once, as options of `exceptions add`. */
static void add_rules(const toad__json *findings, toad__buf *out) {
    for (const toad__json *f = findings ? findings->child : NULL; f; f = f->next) {
        toad_str rule = toad__json_get_text(f, "rule");
        bool again = toad__str_eq(toad__json_get_text(f, "severity"), TOAD__S("low"));
        for (const toad__json *g = findings->child; g != f; g = g->next)
            again |= toad__str_eq(toad__json_get_text(g, "rule"), rule) &&
                     !toad__str_eq(toad__json_get_text(g, "severity"), TOAD__S("low"));
        for (size_t i = 0; i < rule.n && !again; i++)
            again = !toad__is_lower((unsigned char)rule.p[i]) && !toad__is_digit((unsigned char)rule.p[i]) &&
                    rule.p[i] != '_';
        if (again || out->n > 1024) continue;
        toad__buf_add_z(out, " --rule ");
        toad__buf_add_str(out, rule);
    }
    toad__buf_add_c(out, 0);
}

/* How a false alarm is lifted: once, for these bytes, or for the source. */
static void hint_how(const toad__json *answer) {
    toad_str id = toad__json_get_text(answer, "id"), scan = toad__json_get_text(answer, "scan");
    toad__buf rules;
    if (!toad__str_eq(scan, TOAD__S("block")) && !toad__str_eq(scan, TOAD__S("redact"))) return;
    toad__buf_init(&rules, 1u << 16);
    add_rules(toad__json_get(answer, "findings"), &rules);
    fflush(stdout);
    cli_hint("a false alarm? this once: toadstone contents release %.*s", (int)id.n, id.p);
    cli_hint("  just these bytes, for good: toadstone exceptions add %.*s", (int)id.n, id.p);
    if (!rules.status && *rules.p)
        cli_hint("  whatever comes from there: toadstone exceptions add %.*s%s", (int)id.n, id.p, rules.p);
    toad__buf_free(&rules);
}

static void print_shown(const toad__json *answer) {
    const toad__json *findings = toad__json_get(answer, "findings");
    cli_record(answer, show_columns, sizeof show_columns / sizeof *show_columns);
    if (findings && findings->child) {
        cli_print_z("\n");
        cli_table(findings, finding_columns, sizeof finding_columns / sizeof *finding_columns, "");
    }
    cli_print_z("\n");
    print_body(toad__json_get_text(answer, "body"));
    hint_how(answer);
}

static void print_released(const toad__json *answer) {
    static const cli_column columns[] = { { "released", "released" }, { "url", "from" },
                                          { "rules", "found" },       { "digest", "digest" },
                                          { "readers", "readers" },   { "expires_at", "until" } };
    toad_str id = toad__json_get_text(answer, "released");
    cli_record(answer, columns, sizeof columns / sizeof *columns);
    fflush(stdout);
    cli_hint("for longer, or for what comes from there later: toadstone exceptions add %.*s", (int)id.n, id.p);
}

static void print_nothing(const toad__json *answer) { (void)answer; }

static const cli_act acts[] = {
    { .name = "store", .operands = "[FILE|-]", .most = 1, .run = store, .print = print_stored, .degrades = true },
    { .name = "list",
      .operands = "[URL|DOMAIN]",
      .most = 1,
      .run = list,
      .columns = list_columns,
      .columns_n = sizeof list_columns / sizeof *list_columns,
      .rows = "contents" },
    { .name = "show", .operands = "ID", .least = 1, .most = 1, .run = show, .print = print_shown },
    { .name = "read", .operands = "ID", .least = 1, .most = 1, .run = read_text, .print = print_text, .reads = true },
    { .name = "release", .operands = "ID", .least = 1, .most = 1, .run = release, .print = print_released },
    { .name = "delete", .operands = "ID", .least = 1, .most = 1, .run = delete, .print = print_nothing },
    { .name = "purge", .operands = "", .run = purge, .columns = removed_columns, .columns_n = 1 },
    { 0 },
};

int cmd_contents(args *a) { return cli_run_act(a, acts); }
