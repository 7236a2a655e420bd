/* cmd_memory.c - `toadstone memory`: what an agent remembers, guarded on the way in and on the way out. */
#include "app/host/input.h"
#include "app/memory/memory_file.h"
#include "face/cli/act.h"
#include "face/cli/out.h"
#include "face/cli/rulefiles.h"
#include "lib/base/str.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BATCH_BYTES ((size_t)256 << 20)
#define TEXT_BYTES  ((size_t)4 << 20)

/* ---- arguments ---- */

static toad_str given(const char *z) { return z ? toad__str_z(*z ? z : "") : toad__str(NULL, 0); }

static toad_status slurp(toad__host *host, const char *path, toad__buf *out) {
    int err = toad__input_slurp(path, out);
    return err ? toad__host_fail(host, TOAD_E_IO, "%.500s: %s", cli_safe(path), strerror(err)) : TOAD_OK;
}

/* The operand is the text itself; "-" or none is standard input. */
static toad_status read_text(toad__host *host, const args *a, size_t at, toad__buf *in, toad_str *ret) {
    const char *text = at < a->operands_n ? a->operands[at] : "-";
    *ret = given(text);
    if (strcmp(text, "-")) return TOAD_OK;
    toad_status status = slurp(host, "-", in);
    *ret = in->n ? toad__buf_str(in) : TOAD__S("");
    return status;
}

static void read_draft(const args *a, toad_str *parents, toad__memory_draft *ret) {
    for (size_t i = 0; i < a->parents_n; i++) parents[i] = given(a->parents[i]);
    *ret = (toad__memory_draft){ .id = given(a->id),
                                 .category = given(a->category),
                                 .source = given(a->source),
                                 .has_provenance = a->has_provenance,
                                 .provenance = a->provenance,
                                 .parents = parents,
                                 .parents_n = a->parents_n };
}

static toad__memory_wanted wanted_of(const args *a) {
    return (toad__memory_wanted){ .category = given(a->category),
                                  .has_provenance = a->has_provenance,
                                  .provenance = a->provenance,
                                  .limit = a->limit };
}

/* ---- acts ---- */

static toad_status run_lines(toad__host *host, const args *a, toad__answer *answer) {
    toad__buf in;
    toad__buf_init(&in, BATCH_BYTES);
    toad_status status = slurp(host, a->operands_n > 1 ? a->operands[1] : "-", &in);
    if (!status) status = toad__memory_add_lines(host, in.n ? toad__buf_str(&in) : TOAD__S(""), answer);
    toad__buf_free(&in);
    return status;
}

static toad_status run_add(toad__host *host, const args *a, toad__answer *answer) {
    toad__memory_draft draft;
    toad__buf in;
    if (a->jsonl) return run_lines(host, a, answer);
    toad_str *parents = malloc((a->parents_n + 1) * sizeof *parents);
    if (!parents) return TOAD_E_NOMEM;
    toad__buf_init(&in, TEXT_BYTES);
    read_draft(a, parents, &draft);
    toad_status status = read_text(host, a, 1, &in, &draft.content);
    if (!status) status = toad__memory_add(host, &draft, answer);
    toad__buf_free(&in);
    free(parents);
    return status;
}

static toad_status run_update(toad__host *host, const args *a, toad__answer *answer) {
    toad__buf in;
    toad__memory_draft draft = { .id = given(a->operands[1]),
                                 .category = given(a->category),
                                 .source = given(a->source),
                                 .has_provenance = a->has_provenance,
                                 .provenance = a->provenance };
    toad__buf_init(&in, TEXT_BYTES);
    toad_status status = read_text(host, a, 2, &in, &draft.content);
    if (!status) status = toad__memory_update(host, &draft, answer);
    toad__buf_free(&in);
    return status;
}

static toad_status run_delete(toad__host *host, const args *a, toad__answer *answer) {
    size_t n = a->operands_n - 1;
    toad_str *ids = malloc(n * sizeof *ids);
    if (!ids) return TOAD_E_NOMEM;
    for (size_t i = 0; i < n; i++) ids[i] = given(a->operands[i + 1]);
    toad_status status = toad__memory_delete(host, ids, n, answer);
    free(ids);
    return status;
}

static toad_status run_list(toad__host *host, const args *a, toad__answer *answer) {
    toad__memory_wanted wanted = wanted_of(a);
    return toad__memory_list(host, &wanted, answer);
}

static toad_status run_show(toad__host *host, const args *a, toad__answer *answer) {
    return toad__memory_show(host, given(a->operands[1]), answer);
}

static toad_status run_search(toad__host *host, const args *a, toad__answer *answer) {
    toad__buf words;
    toad__buf_init(&words, 65536);
    for (size_t i = 1; i < a->operands_n; i++) {
        if (words.n) toad__buf_add_c(&words, ' ');
        toad__buf_add_z(&words, a->operands[i]);
    }
    toad__memory_query query = { .all_words = a->all_words,
                                 .limit = a->limit,
                                 .include_security = a->include_security };
    query.text = words.n ? toad__buf_str(&words) : TOAD__S("");
    toad_status status = words.status ? toad__host_fail(host, words.status, "the query is too long")
                                      : toad__memory_search(host, &query, answer);
    toad__buf_free(&words);
    return status;
}

static toad_status run_render(toad__host *host, const args *a, toad__answer *answer) {
    toad__memory_wanted wanted = wanted_of(a);
    return toad__memory_render(host, &wanted, a->has_envelope ? a->envelope : TOAD_ENVELOPE_EXTERNAL_CONTENT, answer);
}

static toad_status run_import(toad__host *host, const args *a, toad__answer *answer) {
    toad__memory_wanted wanted = wanted_of(a);
    return toad__memory_import(host, a->operands[1], &wanted, a->all_or_nothing, answer);
}

static toad_status run_export(toad__host *host, const args *a, toad__answer *answer) {
    toad__memory_wanted wanted = wanted_of(a);
    bool to_stdout = a->operands_n < 2 || !strcmp(a->operands[1], "-");
    return to_stdout ? toad__memory_export_text(host, &wanted, answer)
                     : toad__memory_export(host, a->operands[1], &wanted, answer);
}

/* ---- how a person reads it ---- */

static const cli_column row_columns[] = { { "id", "id" },
                                          { "provenance", "provenance" },
                                          { "category", "category" },
                                          { "blocked", "blocked" },
                                          { "content", "content" } };
/* Best first; the score itself says nothing to a person. */
static const cli_column hit_columns[] = {
    { "id", "id" }, { "provenance", "provenance" }, { "blocked", "blocked" }, { "content", "content" }
};
static const cli_column entry_columns[] = { { "id", "id" },
                                            { "content", "content" },
                                            { "category", "category" },
                                            { "provenance", "provenance" },
                                            { "source", "source" },
                                            { "session", "session" },
                                            { "parents", "parents" },
                                            { "created_at", "created" },
                                            { "updated_at", "updated" },
                                            { "revision", "revision" },
                                            { "sha256", "sha256" },
                                            { "intact", "intact" },
                                            { "blocked", "blocked" },
                                            { "block_reason", "blocked by" } };
static const cli_column security_columns[] = { { "recent_blocks", "blocks in 24 hours" },
                                               { "trusted_sources", "trusted sources" },
                                               { "suspicious_domains", "suspicious domains" },
                                               { "security_learnings", "learnings" } };
static const cli_column import_columns[] = { { "added", "added" },
                                             { "duplicates", "there already" },
                                             { "other_lines", "lines that are no entries" },
                                             { "refused_total", "refused" } };
static const cli_column export_columns[] = {
    { "file", "file" }, { "entries", "entries" }, { "blocked", "blocked, left out" }, { "written", "written" }
};
#define COLUMNS(table) (table), sizeof(table) / sizeof *(table)

static void print_written(const toad__json *answer) {
    const toad__json *added = toad__json_get(answer, "added");
    if (added) cli_print(added->raw);
    cli_print(added ? TOAD__S(" added") : toad__json_get_text(answer, "message"));
    cli_print_z("\n");
}

static void print_hits(const toad__json *answer) {
    const toad__json *security = toad__json_get(answer, "security");
    cli_table(toad__json_get(answer, "memories"), COLUMNS(hit_columns), "none");
    if (!security) return;
    cli_print_z("\n");
    cli_record(security, COLUMNS(security_columns));
}

static void print_refused(const toad__json *one) {
    toad_str words = toad__json_get_text(one, "words"), hint = toad__json_get_text(one, "hint");
    cli_print_z("line ");
    cli_print(toad__json_get(one, "line")->raw);
    cli_print_z(": ");
    cli_print(toad__json_get_text(one, "error"));
    cli_print_z("\n");
    if (words.n) printf("    | %.*s\n", (int)words.n, words.p);
    if (hint.n) printf("    = %.*s\n", (int)hint.n, hint.p);
}

static void print_import(const toad__json *answer) {
    const toad__json *refused = toad__json_get(answer, "refused");
    cli_record(answer, COLUMNS(import_columns));
    for (const toad__json *one = refused ? refused->child : NULL; one; one = one->next) print_refused(one);
}

static void print_export(const toad__json *answer) {
    if (toad__json_get(answer, "text"))
        cli_print(toad__json_get_text(answer, "text"));
    else
        cli_record(answer, COLUMNS(export_columns));
}

static const cli_act acts[] = {
    { .name = "add", .operands = "[TEXT|-]", .most = 1, .run = run_add, .print = print_written },
    { .name = "update", .operands = "ID [TEXT|-]", .least = 1, .most = 2, .run = run_update, .print = print_written },
    { .name = "list",
      .operands = "nothing more",
      .run = run_list,
      .columns = row_columns,
      .columns_n = sizeof row_columns / sizeof *row_columns,
      .rows = "memories" },
    { .name = "show",
      .operands = "ID",
      .least = 1,
      .most = 1,
      .run = run_show,
      .columns = entry_columns,
      .columns_n = sizeof entry_columns / sizeof *entry_columns },
    { .name = "search", .operands = "WORD...", .least = 1, .most = 64, .run = run_search, .print = print_hits },
    { .name = "render", .operands = "nothing more", .run = run_render },
    { .name = "delete", .operands = "ID...", .least = 1, .most = 1000, .run = run_delete, .print = print_written },
    { .name = "import",
      .operands = "FILE",
      .least = 1,
      .most = 1,
      .run = run_import,
      .print = print_import,
      .bad = "refused" },
    { .name = "export", .operands = "[FILE]", .most = 1, .run = run_export, .print = print_export },
    { 0 }
};

/* ---- check, which needs no store ---- */

static void print_finding(const char *file, const toad__json *f) {
    toad_str line = toad__json_get(f, "line")->raw, column = toad__json_get(f, "column")->raw;
    toad_str severity = toad__json_get_text(f, "severity"), rule = toad__json_get_text(f, "rule"),
             why = toad__json_get_text(f, "why");
    toad_str excerpt = toad__json_get(f, "excerpt")->raw;
    printf("%s:%.*s:%.*s: %.*s %.*s\n", file, (int)line.n, line.p, (int)column.n, column.p, (int)severity.n, severity.p,
           (int)rule.n, rule.p);
    printf("    | %.*s\n    = %.*s\n", (int)(excerpt.n - 2), excerpt.p + 1, (int)why.n, why.p);
}

/* A file's name came from the command line or from our table: NUL-terminated in neither case, so it is copied. */
static void print_checked(const toad__json *row) {
    toad__buf name;
    toad__buf_init(&name, 65536);
    toad__buf_add_str(&name, toad__json_get_text(row, "file"));
    toad__buf_add_c(&name, 0);
    const char *file = name.status ? "?" : cli_safe(name.p);
    const toad__json *findings = toad__json_get(row, "findings");
    if (!findings) {
        toad_str why = toad__json_get_text(row, "error");
        cli_error("memory", "%s: %.*s", file, (int)why.n, why.p);
    } else if (!findings->child) {
        printf("%s: nothing found\n", file);
    }
    for (const toad__json *f = findings ? findings->child : NULL; f; f = f->next) print_finding(file, f);
    toad__buf_free(&name);
}

static bool is_none(const toad__json *answer, const char *key) {
    return toad__str_eq(toad__json_get(answer, key)->raw, TOAD__S("0"));
}

static int finish_check(const args *a, const toad__answer *answer) {
    toad_status status = answer->status;
    const toad__json *files = toad__json_get(&answer->root, "files");
    if (!status && a->json)
        status = cli_print_answer(answer);
    else if (!status && files->child)
        for (const toad__json *row = files->child; row; row = row->next) print_checked(row);
    else if (!status)
        cli_print_z("no memory or instruction file found\n");
    if (status) return cli_status("memory", "check", status);
    if (!is_none(&answer->root, "failed")) return EXIT_ERROR;
    return is_none(&answer->root, "bad") ? EXIT_OK : EXIT_FINDING;
}

static int check_with(const args *a, const toad_engine *engine) {
    static const char *const here[] = { "." };
    toad__host host = { .engine = engine };
    toad__answer answer;
    size_t n = a->operands_n - 1;
    toad_status status = toad_scanner_new(engine, &host.scanner);
    if (status) return cli_status("memory", "check", status);
    toad__answer_init(&answer, CLI_WHOLE_MAX);
    status = toad__memory_check(&host, n ? (const char *const *)(a->operands + 1) : here, n ? n : 1, &answer);
    int code = EXIT_ERROR;
    if (status)
        cli_error("memory", "%s", *host.message ? host.message : toad_status_message(status));
    else
        code = finish_check(a, &answer);
    toad__answer_free(&answer);
    toad_scanner_free(host.scanner);
    return code;
}

static int check(args *a) {
    toad_rules *rules = NULL;
    toad_engine *engine;
    if (!cli_new_engine(a, &rules, &engine)) return EXIT_ERROR;
    int code = check_with(a, engine);
    toad_engine_free(engine);
    toad_rules_free(rules);
    return code;
}

int cmd_memory(args *a) { return a->operands_n && !strcmp(a->operands[0], "check") ? check(a) : cli_run_act(a, acts); }
