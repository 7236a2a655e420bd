/* cmd_wrap_client.c - `toadstone wrap-client`: the servers of an agent's MCP client made to go through the proxy, and
 * back. */
#include "app/mcp/clients.h"
#include "face/cli/act.h"
#include "face/cli/out.h"
#include "face/cli/program.h"
#include "lib/base/str.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define ARENA_MAX ((size_t)512 << 20)
enum { OPTIONS = 40 };

static void add(const char **options, size_t *n, const char *name, const char *value) {
    if (!value || *n + 2 > OPTIONS) return;
    options[(*n)++] = name;
    options[(*n)++] = value;
}

/* The store that the user's own commands look in, for a client that does not pass its environment on. A URL is left
 * out: arguments can be read by everybody on the machine, and it may hold a password. */
static const char *store_of(const args *a, char out[PATH_MAX]) {
    const char *store = getenv("TOADSTONE_STORE");
    char here[PATH_MAX];
    if (a->store || !store || !*store) return a->store;
    if (strstr(store, "://")) {
        cli_hint("TOADSTONE_STORE is a URL and is not written down: the client must pass it on to its servers");
        return NULL;
    }
    if (*store == '/') return store;
    if (!getcwd(here, sizeof here)) return NULL;
    int n = snprintf(out, PATH_MAX, "%s/%s", here, store);
    return n > 0 && n < PATH_MAX ? out : NULL;
}

/* What `toadstone proxy` is started with, beside the server itself. */
static size_t proxy_options(const args *a, const char *store, const char **options) {
    size_t n = 0;
    add(options, &n, "--store", store);
    add(options, &n, "--session", a->session);
    add(options, &n, "--pin", a->pin == PIN_STRICT ? "strict" : a->pin == PIN_OFF ? "off" : NULL);
    for (size_t i = 0; i < a->rules_n; i++) add(options, &n, "--rules", a->rules[i]);
    add(options, &n, "--model", a->model);
    if (a->wrap_all && n < OPTIONS) options[n++] = "--wrap-all";
    return n;
}

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
    const char *options[OPTIONS];
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
    if (wraps && !cli_program("wrap-client", &program)) return EXIT_ERROR;
    toad__client_job job = { .file = a->file, .dry_run = a->dry_run };
    job.change = (toad__client_change){ .client = toad__client_find(a->client),
                                        .undo = a->undo,
                                        .look = look,
                                        .remote = a->remote,
                                        .server = a->server,
                                        .program = program,
                                        .options = options,
                                        .options_n = proxy_options(a, wraps ? store_of(a, path) : NULL, options) };
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
