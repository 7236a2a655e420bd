/* cmd_mcp.c - `toadstone mcp`: an MCP server on standard input and output or over HTTP, and what a client's
 * configuration says to start or reach it. */
#include "app/mcp/clients.h"
#include "face/cli/args.h"
#include "face/cli/mcp_http.h"
#include "face/cli/mcp_refuse.h"
#include "face/cli/out.h"
#include "face/cli/program.h"
#include "face/cli/rulefiles.h"
#include "face/cli/settings.h"
#include "face/mcp/server.h"
#include "face/mcp/stdio.h"
#include "lib/base/str.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

/* ---- config ---- */

enum { OPTIONS = 64 };

static void add_option(const char **argv, size_t *n, const char *name, const char *value) {
    if (!value || *n + 2 > OPTIONS) return;
    argv[(*n)++] = name;
    argv[(*n)++] = value;
}

static void add_local(toad__buf *b, const toad__client *c, const char *program, const args *a) {
    const char *argv[OPTIONS] = { program, "mcp" };
    size_t n = 2;
    add_option(argv, &n, "--store", a->store);
    add_option(argv, &n, "--session", a->session);
    for (size_t i = 0; i < a->rules_n; i++) add_option(argv, &n, "--rules", a->rules[i]);
    add_option(argv, &n, "--model", a->model);
    toad__client_print(c, "toadstone", argv, n, b);
}

/* Never the token itself: the client reads it from its environment. */
static void add_remote(toad__buf *b, const toad__client *c, const args *a) {
    const char *token = getenv("TOAD_TOKEN");
    toad__client_print_remote(c, "toadstone", a->url, a->token_file || (token && *token), b);
}

static int print_config(const args *a) {
    toad__buf b, place;
    const char *program = NULL;
    if (!a->client) {
        cli_error("mcp", "whose configuration? give --client");
        return EXIT_ERROR;
    }
    if (!a->url && !cli_program("mcp", &program)) return EXIT_ERROR;
    const toad__client *c = toad__client_find(a->client); /* --client takes no other name */
    toad__buf_init(&b, 1u << 20);
    toad__buf_init(&place, 4096);
    if (a->url)
        add_remote(&b, c, a);
    else
        add_local(&b, c, program, a);
    toad__client_place(c, &place);
    toad_status status = b.status ? b.status : place.status;
    if (!status) cli_print(toad__buf_str(&b));
    if (!status) cli_hint("for %.*s", (int)place.n, place.p);
    toad__buf_free(&b);
    toad__buf_free(&place);
    return status ? cli_status("mcp", "config", status) : EXIT_OK;
}

/* ---- serve ---- */

static int serve(const mcp_settings *settings) {
    mcp_tools *tools;
    toad_status status = mcp_tools_new(settings, &tools);
    if (status) return cli_status("mcp", "server", status);
    toad__mcp_server server = mcp_tools_server(tools);
    signal(SIGPIPE, SIG_IGN); /* a client that went away ends the input, not the process */
    if (isatty(STDIN_FILENO))
        cli_hint("an MCP client is to be started with this command and speaks to it on standard input; 'toadstone help "
                 "mcp' shows how");
    status = mcp_serve_stdio(&server, STDIN_FILENO, STDOUT_FILENO);
    if (status == TOAD_E_IO) cli_error("mcp", "standard input or output: %s", strerror(errno));
    mcp_tools_free(tools);
    if (status && status != TOAD_E_IO) return cli_status("mcp", "server", status);
    return status ? EXIT_ERROR : EXIT_OK;
}

int cmd_mcp(args *a) {
    toad_rules *rules = NULL;
    toad_engine *engine;
    if (a->operands_n == 1 && !strcmp(a->operands[0], "config")) return print_config(a);
    if (a->operands_n) {
        cli_error("mcp", "unexpected: '%s'", cli_safe(a->operands[0]));
        return EXIT_ERROR;
    }
    toad__config *config;
    if (!cli_load_config("mcp", &config)) return a->http ? EXIT_ERROR : cli_mcp_refuse();
    if (!cli_apply_config(a, config) || !cli_new_engine(a, &rules, &engine)) {
        toad__config_free(config);
        return a->http ? EXIT_ERROR : cli_mcp_refuse();
    }
    mcp_settings settings = { .engine = engine,
                              .config = config,
                              .store = a->store,
                              .session = a->session ? toad__str_z(a->session) : toad__str(NULL, 0),
                              .policy = cli_action_policy(config) };
    int code = a->http ? cli_serve_mcp_http(a, &settings) : serve(&settings);
    toad_engine_free(engine);
    toad_rules_free(rules);
    toad__config_free(config);
    return code;
}
