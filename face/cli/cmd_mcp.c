/* cmd_mcp.c - `bezoar mcp`: an MCP server on standard input and output, and what a client's configuration says to start
 * it. */
#include "face/cli/args.h"
#include "face/cli/out.h"
#include "face/cli/rulefiles.h"
#include "face/cli/settings.h"
#include "face/mcp/server.h"
#include "face/mcp/stdio.h"
#include "lib/base/json.h"
#include "lib/base/str.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

/* ---- config ---- */

/* Where an entry is kept, and the words around command and arguments. */
typedef struct client {
    const char *name, *file, *before, *arguments, *after;
} client;

#define SERVERS "{\"mcpServers\": {\"bezoar\": {\"command\": "
static const client clients[] = {
    { "claude", ".mcp.json", SERVERS, ", \"args\": [", "]}}}\n" },
    { "cursor", "~/.cursor/mcp.json", SERVERS, ", \"args\": [", "]}}}\n" },
    { "gemini", "~/.gemini/settings.json", SERVERS, ", \"args\": [", "]}}}\n" },
    { "qwen", "~/.qwen/settings.json", SERVERS, ", \"args\": [", "]}}}\n" },
    { "windsurf", "~/.codeium/windsurf/mcp_config.json", SERVERS, ", \"args\": [", "]}}}\n" },
    { "codex", "~/.codex/config.toml", "[mcp_servers.bezoar]\ncommand = ", "\nargs = [", "]\n" },
    { "opencode", "opencode.json", "{\"mcp\": {\"bezoar\": {\"type\": \"local\", \"command\": [", ", ",
      "], \"enabled\": true}}}\n" },
    { "vscode", ".vscode/mcp.json", "{\"servers\": {\"bezoar\": {\"type\": \"stdio\", \"command\": ", ", \"args\": [",
      "]}}}\n" },
    { "copilot", "~/.copilot/mcp-config.json", "{\"mcpServers\": {\"bezoar\": {\"type\": \"local\", \"command\": ",
      ", \"args\": [", "], \"tools\": [\"*\"]}}}\n" },
};

static void add_option(bzr__buf *b, const char *name, const char *value) {
    if (!value) return;
    bzr__buf_add_z(b, ", ");
    bzr__json_add_str(b, bzr__str_z(name));
    bzr__buf_add_z(b, ", ");
    bzr__json_add_str(b, bzr__str_z(value)); /* TOML's basic strings have the same escapes */
}

static int print_config(const args *a) {
    const client *c = clients;
    bzr__buf b;
    if (!a->client) {
        cli_error("mcp", "whose configuration? give --client");
        return EXIT_ERROR;
    }
    while (strcmp(c->name, a->client) != 0) c++; /* --client takes no other name */
    bzr__buf_init(&b, 1u << 20);
    bzr__buf_add_z(&b, c->before);
    bzr__buf_add_z(&b, "\"bezoar\"");
    bzr__buf_add_z(&b, c->arguments);
    bzr__buf_add_z(&b, "\"mcp\"");
    add_option(&b, "--store", a->store);
    add_option(&b, "--session", a->session);
    for (size_t i = 0; i < a->rules_n; i++) add_option(&b, "--rules", a->rules[i]);
    add_option(&b, "--model", a->model);
    bzr__buf_add_z(&b, c->after);
    bzr_status status = b.status;
    if (!status) cli_print(bzr__buf_str(&b));
    if (!status) cli_hint("for %s", c->file);
    bzr__buf_free(&b);
    return status ? cli_status("mcp", "config", status) : EXIT_OK;
}

/* ---- serve ---- */

static int serve(mcp_tools *tools) {
    bzr__mcp_server server = mcp_tools_server(tools);
    signal(SIGPIPE, SIG_IGN); /* a client that went away ends the input, not the process */
    if (isatty(STDIN_FILENO))
        cli_hint("an MCP client is to be started with this command and speaks to it on standard input; 'bezoar help "
                 "mcp' shows how");
    bzr_status status = mcp_serve_stdio(&server, STDIN_FILENO, STDOUT_FILENO);
    if (status == BZR_E_IO)
        cli_error("mcp", "standard input or output: %s", strerror(errno));
    else if (status)
        return cli_status("mcp", "server", status);
    return status ? EXIT_ERROR : EXIT_OK;
}

int cmd_mcp(args *a) {
    bzr_rules *rules = NULL;
    bzr_engine *engine;
    mcp_tools *tools;
    if (a->operands_n == 1 && !strcmp(a->operands[0], "config")) return print_config(a);
    if (a->operands_n) {
        cli_error("mcp", "unexpected: '%s'", cli_safe(a->operands[0]));
        return EXIT_ERROR;
    }
    bzr__config *config;
    if (!cli_load_config("mcp", &config)) return EXIT_ERROR;
    if (!cli_new_engine(a, &rules, &engine)) {
        bzr__config_free(config);
        return EXIT_ERROR;
    }
    mcp_settings settings = { .engine = engine,
                              .config = config,
                              .store = a->store,
                              .session = a->session ? bzr__str_z(a->session) : bzr__str(NULL, 0),
                              .policy = cli_action_policy(config) };
    bzr_status status = mcp_tools_new(&settings, &tools);
    int code = EXIT_ERROR;
    if (status) {
        cli_status("mcp", "server", status);
    } else {
        code = serve(tools);
        mcp_tools_free(tools);
    }
    bzr_engine_free(engine);
    bzr_rules_free(rules);
    bzr__config_free(config);
    return code;
}
