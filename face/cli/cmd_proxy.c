/* cmd_proxy.c - `toadstone proxy`: stand between an agent's MCP client and a server, and what the user decides about
 * the server's tools. */
#include "app/act/action.h"
#include "app/mcp/pins.h"
#include "face/cli/act.h"
#include "face/cli/mcp_http.h"
#include "face/cli/mcp_refuse.h"
#include "face/cli/out.h"
#include "face/cli/rulefiles.h"
#include "face/cli/settings.h"
#include "face/proxy/http.h"
#include "face/proxy/servers.h"
#include "face/proxy/stdio.h"
#include "lib/base/hex.h"
#include "lib/base/random.h"
#include "lib/base/str.h"
#include "sys/path.h"
#include "sys/process.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define TIMEOUT_S 600 /* until a server that gives no sign is given up, unless --timeout says else */

/* ---- the user's decisions ---- */

static toad_str operand(const args *a, size_t i) {
    return i < a->operands_n ? toad__str_z(a->operands[i]) : toad__str("", 0);
}

static toad_status status(toad__host *host, const args *a, toad__answer *answer) {
    (void)a;
    return toad__pins_status(host, answer);
}
static toad_status tools(toad__host *host, const args *a, toad__answer *answer) {
    return toad__pins_list(host, operand(a, 1), a->held, answer);
}
static toad_status diff(toad__host *host, const args *a, toad__answer *answer) {
    return toad__pins_diff(host, operand(a, 1), operand(a, 2), answer);
}
static toad_status approve(toad__host *host, const args *a, toad__answer *answer) {
    if (!a->digest)
        return toad__host_fail(host, TOAD_E_ARG, "which definition? give --digest, as 'proxy diff' prints it");
    return toad__pins_approve(host, operand(a, 1), operand(a, 2), toad__str_z(a->digest), answer);
}
static toad_status forget(toad__host *host, const args *a, toad__answer *answer) {
    return toad__pins_forget(host, operand(a, 1), operand(a, 2), answer);
}

static const cli_column servers[] = {
    { "server", "server" }, { "tools", "tools" }, { "held", "held" }, { "changed_at", "changed" }
};
static const cli_column listed[] = { { "server", "server" }, { "tool", "tool" },     { "state", "state" },
                                     { "why", "why" },       { "digest", "digest" }, { "changed_at", "changed" } };
static const cli_column approved[] = { { "server", "server" }, { "tool", "tool" }, { "digest", "digest" } };
static const cli_column forgotten[] = { { "removed", "removed" } };

#define COLUMNS(table) .columns = table, .columns_n = sizeof table / sizeof *table

static const cli_act acts[] = {
    { .name = "status", .run = status, COLUMNS(servers), .rows = "servers" },
    { .name = "tools", .operands = "[SERVER]", .most = 1, .run = tools, COLUMNS(listed), .rows = "tools" },
    { .name = "diff", .operands = "SERVER TOOL", .least = 2, .most = 2, .run = diff },
    { .name = "approve", .operands = "SERVER TOOL", .least = 2, .most = 2, .run = approve, COLUMNS(approved) },
    { .name = "forget", .operands = "SERVER [TOOL]", .least = 1, .most = 2, .run = forget, COLUMNS(forgotten) },
    { 0 },
};

/* ---- the proxy ---- */

/* A line for people: what the server writes to its standard error, and what happens to it. */
static void note(const char *server, const char *text) {
    toad__buf line;
    toad__buf_init(&line, 65536);
    toad__buf_add_c(&line, '[');
    cli_add_safe(&line, server);
    toad__buf_add_z(&line, "] ");
    cli_add_safe(&line, text);
    toad__buf_add_c(&line, '\n');
    if (!line.status) fwrite(line.p, 1, line.n, stderr);
    toad__buf_free(&line);
}

/* Where the agent names no session, this process is one, of the directory it was started in. */
static bool name_session(const args *a, char out[TOAD__ACTION_RUN_SESSION], toad_str *ret) {
    unsigned char random[6];
    char project[PATH_MAX];
    *ret = toad__str_z(a->session);
    if (a->session) return true;
    if (!toad__random(random, sizeof random)) return false;
    if (!getcwd(project, sizeof project) ||
        !toad__path_is_absolute(project)) { /* it is gone, or out of reach: a project of its own */
        toad__hex_z(project, random, sizeof random);
    }
    toad__action_run_session(toad__str_z(project), random, out);
    *ret = toad__str_z(out);
    return true;
}

static void listening(uint16_t port) { fprintf(stderr, "toadstone: proxy: listening on port %u\n", (unsigned)port); }

/* All headers of the command line as "NAME: VALUE", those in variables behind the others. */
static bool read_headers(const args *a, toad__arena *arena, proxy_target *one) {
    const char **all = toad__arena_alloc(arena, (a->headers_n + a->header_env_n + 1) * sizeof *all);
    bool ok = all != NULL;
    for (size_t i = 0; ok && i < a->headers_n; i++) all[i] = a->headers[i];
    for (size_t i = 0; ok && i < a->header_env_n; i++) {
        const char *pair = a->header_env[i], *name = strchr(pair, '=') + 1, *value = getenv(name);
        size_t key = (size_t)(name - 1 - pair), n = key + 2 + (value ? strlen(value) : 0) + 1;
        const char *problem = !value                   ? ", which --header-env names, is not set"
                              : strpbrk(value, "\r\n") ? " has a line break, which no header may have"
                                                       : NULL;
        if (problem) cli_error("proxy", "the variable %s%s", cli_safe(name), problem);
        char *line = problem ? NULL : toad__arena_alloc(arena, n);
        if (line) snprintf(line, n, "%.*s: %s", (int)key, pair, value);
        all[a->headers_n + i] = line;
        ok = line != NULL;
    }
    one->headers = all;
    one->headers_n = a->headers_n + a->header_env_n;
    return ok;
}

/* The servers that the command line, or the file that it names, is about. What they borrow lives in `arena`. */
static bool read_servers(const args *a, toad__arena *arena, proxy_servers *many, proxy_target *one,
                         const proxy_target **ret, size_t *ret_n) {
    toad__buf text;
    char why[256], *path = (char *)(uintptr_t)a->file;
    *one = (proxy_target){
        .name = a->name, .argv = a->url ? NULL : a->operands, .env = a->env, .env_n = a->env_n, .url = a->url
    };
    *many = (proxy_servers){ .n = 0 };
    *ret = one;
    *ret_n = 1;
    if (!read_headers(a, arena, one)) return false;
    if (!a->file) return true;
    toad__buf_init(&text, CLI_WHOLE_MAX);
    bool ok = cli_read_operand("proxy", &path, 1, &text);
    if (ok && !(ok = proxy_servers_read(toad__buf_str(&text), a->env, a->env_n, many, why)))
        cli_error("proxy", "%s: %s", cli_safe(a->file), cli_safe(why));
    toad__buf_free(&text);
    *ret = many->targets;
    *ret_n = many->n;
    return ok;
}

static int serve_http(const args *a, const proxy_target *targets, size_t n, proxy_session_settings *settings,
                      char why[256]) {
    http_guard guard = { .hosts_n = 0 };
    char address[64];
    uint16_t port;
    *why = 0;
    if (!cli_read_http(a, address, &port, &guard)) return EXIT_ERROR;
    if (!http_is_loopback(address) && !guard.tokens_n) {
        cli_error("proxy", "an address that others can reach needs a token: give --token-file");
        return EXIT_ERROR;
    }
    if (!a->session) settings->session = toad__str("", 0); /* each client's own */
    const proxy_http_settings http = { .targets = targets,
                                       .targets_n = n,
                                       .named = a->file != NULL,
                                       .address = address,
                                       .port = port,
                                       .guard = &guard,
                                       .listening = listening };
    return proxy_serve_http(&http, settings, why);
}

/* What started this process may start hooks as well: then its session is the agent's, and its calls are judged here,
 * not there. A store that fails leaves the proxy a session of its own. */
static void meet_hooks(const args *a, toad__host *host, char starter[TOAD__STARTER], toad_str *ret) {
    char proxied[TOAD__ACTION_PROXIED];
    if (a->session || a->http || !host->store || !toad__starter(starter)) return;
    toad__action_proxied(starter, toad__str_z(a->name), proxied);
    if (!toad__store_alias_put(host->store, toad__str_z(proxied), TOAD__S("proxy"))) *ret = toad__str_z(starter);
}

static bool serve(const args *a, toad__host *host, const toad__config *config, int *code) {
    const toad__screen_options screening = { .policy = cli_action_policy(config),
                                             .pin_off = a->pin == PIN_OFF,
                                             .pin_strict = a->pin == PIN_STRICT,
                                             .wrap_all = a->wrap_all };
    proxy_session_settings settings = { .host = host,
                                        .same_era = a->same_era,
                                        .note = note,
                                        .timeout_ms = (int64_t)(a->timeout ? a->timeout : TIMEOUT_S) * 1000 };
    char session[TOAD__ACTION_RUN_SESSION], starter[TOAD__STARTER], why[256] = "";
    proxy_servers many;
    proxy_target one;
    const proxy_target *targets;
    size_t n;
    bool served = false;
    if (!name_session(a, session, &settings.session)) return cli_status("proxy", "session", TOAD_E_RANDOM), false;
    meet_hooks(a, host, starter, &settings.starter);
    toad_status failed = toad__screen_new(host, &screening, &settings.screen);
    if (failed) return cli_status("proxy", "screen", failed), false;
    toad__arena arena;
    toad__arena_init(&arena, CLI_WHOLE_MAX);
    if (read_servers(a, &arena, &many, &one, &targets, &n)) {
        settings.target = targets;
        settings.principal = settings.session;
        if (!a->http && isatty(STDIN_FILENO))
            cli_hint("an MCP client is to be started with this command and speaks to it on standard input; 'toadstone "
                     "help proxy' shows how");
        *code = a->http ? serve_http(a, targets, n, &settings, why)
                        : proxy_serve_stdio(&settings, STDIN_FILENO, STDOUT_FILENO, why);
        if (*why) cli_error("proxy", "%s", cli_safe(why));
        served = !*why;
    }
    proxy_servers_free(&many);
    toad__arena_free(&arena);
    toad__screen_free(settings.screen);
    return served;
}

/* False: the client was not served, and the user was told why. */
static bool run(const args *a, int *code) {
    toad__config *config;
    toad_rules *rules = NULL;
    toad_engine *engine;
    toad__host host;
    bool served = false;
    if (!cli_load_config("proxy", &config)) return false;
    if (cli_new_engine(a, &rules, &engine)) {
        toad_status failed = toad__host_open_or_degrade(engine, config, a->store, &host);
        if (failed) {
            cli_error("proxy", "%s", host.message);
        } else {
            if (!host.store) cli_error("proxy", "%s", host.message);
            served = serve(a, &host, config, code);
            toad__host_close(&host);
        }
        toad_engine_free(engine);
        toad_rules_free(rules);
    }
    toad__config_free(config);
    return served;
}

static int complain(const char *what) {
    cli_error("proxy", "%s", what);
    cli_hint("try 'toadstone help proxy'");
    return EXIT_ERROR;
}

int cmd_proxy(args *a) {
    bool command = a->operands_n && a->is_command;
    if (a->operands_n && !command) return cli_run_act(a, acts);
    if (!a->name == !a->file)
        return complain(a->file ? "the servers of a file have names: leave --name out"
                                : "which server is this? give --name");
    if (command + (a->url != NULL) + (a->file != NULL) != 1)
        return complain("where is the server? give one of -- COMMAND, --url and --file");
    if (a->file && !a->http) return complain("many servers are spoken to over HTTP: give --http");
    int code = EXIT_ERROR;
    return run(a, &code) || a->http ? code : cli_mcp_refuse();
}
