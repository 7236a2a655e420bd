/* cmd_wrap_client.c - `toadstone wrap-client`: the servers of an agent's MCP client made to go through the proxy, and
 * back. */
#include "app/mcp/clients.h"
#include "face/cli/act.h"
#include "face/cli/client_options.h"
#include "face/cli/out.h"
#include "face/cli/program.h"
#include "face/cli/undo.h"
#include "lib/base/str.h"

#include <limits.h>
#include <stdio.h>

#define ARENA_MAX ((size_t)512 << 20)

static int print(const args *a, const toad__answer *answer) {
    if (a->json) {
        toad_status status = cli_print_answer(answer);
        return status ? cli_status("wrap-client", "answer", status) : EXIT_OK;
    }
    cli_print(toad__json_get_text(&answer->root, "text"));
    fflush(stdout); /* the hint comes after it */
    if (!a->server && !a->all)
        cli_hint("nothing is changed: say which with --server NAME, or --all");
    else if (toad__str_eq(toad__json_get(&answer->root, "changed")->raw, TOAD__S("0")))
        cli_hint("there was nothing to change");
    else if (!a->dry_run)
        cli_hint("restart the client, or its servers, for this to take effect%s",
                 a->remote && !a->undo ? "; a server that then wants a login is unwrapped with --undo" : "");
    return EXIT_OK;
}

int cmd_wrap_client(args *a) {
    const char *options[CLI_CLIENT_OPTIONS];
    char message[512];
    toad__arena arena;
    toad__answer answer;
    if (!a->client) {
        cli_error("wrap-client", "whose configuration? give --client");
        return EXIT_ERROR;
    }
    if (a->operands_n) {
        cli_error("wrap-client", "unexpected: '%s'", cli_safe(a->operands[0]));
        return EXIT_ERROR;
    }
    const char *program = NULL;
    char path[PATH_MAX];
    bool look = !a->server && !a->all, wraps = !look && !a->undo;
    if (a->undo && !look && !a->dry_run && !cli_may_undo(a, CLI_TAKE_AWAY, a->client)) return EXIT_FINDING;
    if (wraps && !cli_program("wrap-client", &program)) return EXIT_ERROR;
    toad__client_job job = { .file = a->file, .dry_run = a->dry_run };
    job.change =
        (toad__client_change){ .client = toad__client_find(a->client),
                               .undo = a->undo,
                               .look = look,
                               .remote = a->remote,
                               .server = a->server,
                               .program = program,
                               .options = options,
                               .options_n = cli_proxy_options(a, wraps ? cli_client_store(a, path) : NULL, options) };
    toad__arena_init(&arena, ARENA_MAX);
    toad__answer_init(&answer, ARENA_MAX);
    toad_status status = toad__clients_apply(&job, &arena, &answer, message);
    int code = EXIT_ERROR;
    if (status)
        cli_error("wrap-client", "%s", message);
    else
        code = print(a, &answer);
    toad__answer_free(&answer);
    toad__arena_free(&arena);
    return code;
}
