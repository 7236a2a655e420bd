/* cmd_mcp.c - `bezoar mcp`: an MCP server on standard input and output. */
#include "face/cli/args.h"
#include "face/cli/out.h"
#include "face/cli/rulefiles.h"
#include "face/cli/settings.h"
#include "face/mcp/server.h"
#include "face/mcp/stdio.h"
#include "lib/base/str.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

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
    if (a->operands_n) {
        cli_error("mcp", "unexpected: '%s'", cli_safe(a->operands[0]));
        return EXIT_ERROR;
    }
    if (!cli_new_engine(a, &rules, &engine)) return EXIT_ERROR;
    mcp_settings settings = { .engine = engine,
                              .store = a->store ? a->store : getenv("BEZOAR_STORE"),
                              .session = a->session ? bzr__str_z(a->session) : bzr__str(NULL, 0),
                              .policy = BZR__ACTION_POLICY_INIT };
    bool ready = cli_action_policy("mcp", &settings.policy);
    bzr_status status = ready ? mcp_tools_new(&settings, &tools) : BZR_OK;
    int code = EXIT_ERROR;
    if (!ready) {
        cli_hint("the configuration must be mended first");
    } else if (status) {
        cli_status("mcp", "server", status);
    } else {
        code = serve(tools);
        mcp_tools_free(tools);
    }
    bzr_engine_free(engine);
    bzr_rules_free(rules);
    return code;
}
