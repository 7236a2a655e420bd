/* cmd_wrap_client.c - `bezoar wrap-client`: the servers of an agent's MCP client made to go through the proxy, and
 * back. */
#include "app/mcp/clients.h"
#include "face/cli/args.h"
#include "face/cli/out.h"
#include "lib/base/json.h"
#include "lib/base/str.h"

#include <stdio.h>

#define ARENA_MAX ((size_t)512 << 20)
enum { OPTIONS = 40 };

static void add(const char **options, size_t *n, const char *name, const char *value) {
    if (!value || *n + 2 > OPTIONS) return;
    options[(*n)++] = name;
    options[(*n)++] = value;
}

/* What `bezoar proxy` is started with, beside the server itself. */
static size_t proxy_options(const args *a, const char **options) {
    size_t n = 0;
    add(options, &n, "--store", a->store);
    add(options, &n, "--session", a->session);
    add(options, &n, "--pin", a->pin == 's' ? "strict" : a->pin == 'o' ? "off" : NULL);
    for (size_t i = 0; i < a->rules_n; i++) add(options, &n, "--rules", a->rules[i]);
    add(options, &n, "--model", a->model);
    if (a->wrap_all && n < OPTIONS) options[n++] = "--wrap-all";
    return n;
}

static int print(const args *a, bzr_str answer, bzr__arena *arena) {
    const bzr__json *root;
    size_t at;
    const char *expected;
    if (a->json) {
        cli_print(answer);
        cli_print_z("\n");
        return EXIT_OK;
    }
    bzr_status status = bzr__json_parse(answer, arena, &root, &at, &expected);
    if (status) return cli_status("wrap-client", "answer", status);
    cli_print(bzr__json_get_text(root, "text"));
    fflush(stdout); /* the hint comes after it */
    if (!a->server && !a->all)
        cli_hint("nothing is changed: say which with --server NAME, or --all");
    else if (bzr__str_eq(bzr__json_get(root, "changed")->raw, BZR__S("0")))
        cli_hint("there was nothing to change");
    else if (!a->dry_run)
        cli_hint("restart the client, or its servers, for this to take effect");
    return EXIT_OK;
}

int cmd_wrap_client(args *a) {
    const char *options[OPTIONS];
    char message[512];
    bzr__arena arena;
    bzr__buf answer;
    if (!a->client) {
        cli_error("wrap-client", "whose configuration? give --client");
        return EXIT_ERROR;
    }
    if (a->operands_n) {
        cli_error("wrap-client", "unexpected: '%s'", cli_safe(a->operands[0]));
        return EXIT_ERROR;
    }
    bzr__client_job job = { .file = a->file, .dry_run = a->dry_run };
    job.change = (bzr__client_change){ .client = bzr__client_find(a->client),
                                       .undo = a->undo,
                                       .look = !a->server && !a->all,
                                       .server = a->server,
                                       .program = "bezoar",
                                       .options = options,
                                       .options_n = proxy_options(a, options) };
    bzr__arena_init(&arena, ARENA_MAX);
    bzr__buf_init(&answer, ARENA_MAX);
    bzr_status status = bzr__clients_apply(&job, &arena, &answer, message);
    int code = EXIT_ERROR;
    if (status)
        cli_error("wrap-client", "%s", message);
    else
        code = print(a, bzr__buf_str(&answer), &arena);
    bzr__buf_free(&answer);
    bzr__arena_free(&arena);
    return code;
}
