/* clients.c - the table of clients. Paths and shapes: each client's documentation, November 2026 (docs/wrap-client.md).
 */
#include "app/mcp/clients.h"

#include "lib/base/json.h"
#include "lib/base/str.h"

#define HTTP "\"type\": \"http\", \"url\": "

static const toad__client clients[] = {
    { "claude",
      "Claude Code",
      TOAD__CLIENT_JSON,
      "mcpServers",
      { ".claude.json" },
      { ".mcp.json" },
      NULL,
      "stdio",
      "url",
      false,
      "",
      HTTP,
      "${TOAD_TOKEN}" },
    { "cursor",
      "Cursor",
      TOAD__CLIENT_JSON,
      "mcpServers",
      { ".cursor/mcp.json" },
      { ".cursor/mcp.json" },
      NULL,
      "stdio",
      "url",
      false,
      "",
      "\"url\": ",
      "${env:TOAD_TOKEN}" },
    { "vscode",
      "VS Code",
      TOAD__CLIENT_JSON,
      "servers",
      { ".config/Code/User/mcp.json" },
      { ".vscode/mcp.json" },
      "XDG_CONFIG_HOME",
      "stdio",
      "url",
      false,
      "",
      HTTP,
      "${env:TOAD_TOKEN}" },
    { "codex",
      "Codex CLI",
      TOAD__CLIENT_TOML,
      "mcp_servers",
      { ".codex/config.toml" },
      { ".codex/config.toml" },
      "CODEX_HOME",
      NULL,
      "url",
      false,
      "",
      "url = ",
      NULL },
    { "gemini",
      "Gemini CLI",
      TOAD__CLIENT_JSON,
      "mcpServers",
      { ".gemini/settings.json" },
      { ".gemini/settings.json" },
      NULL,
      NULL,
      "httpUrl url",
      false,
      "",
      "\"httpUrl\": ",
      "$TOAD_TOKEN" },
    { "qwen",
      "Qwen Code",
      TOAD__CLIENT_JSON,
      "mcpServers",
      { ".qwen/settings.json" },
      { ".qwen/settings.json" },
      NULL,
      NULL,
      "httpUrl url",
      false,
      "",
      "\"httpUrl\": ",
      "$TOAD_TOKEN" },
    { "opencode",
      "OpenCode",
      TOAD__CLIENT_JSON,
      "mcp",
      { ".config/opencode/opencode.json", ".config/opencode/opencode.jsonc" },
      { "opencode.json", "opencode.jsonc" },
      "XDG_CONFIG_HOME",
      "local",
      "url",
      true,
      ", \"enabled\": true",
      "\"type\": \"remote\", \"url\": ",
      "{env:TOAD_TOKEN}" },
    { "copilot",
      "GitHub Copilot CLI",
      TOAD__CLIENT_JSON,
      "mcpServers",
      { ".copilot/mcp-config.json" },
      { NULL },
      NULL,
      "local",
      "url",
      false,
      ", \"tools\": [\"*\"]",
      HTTP,
      "${TOAD_TOKEN}" },
    { "windsurf",
      "Windsurf",
      TOAD__CLIENT_JSON,
      "mcpServers",
      { ".codeium/windsurf/mcp_config.json" },
      { NULL },
      NULL,
      NULL,
      "serverUrl url",
      false,
      "",
      "\"serverUrl\": ",
      "${env:TOAD_TOKEN}" },
};

const toad__client *toad__client_find(const char *name) {
    for (size_t i = 0; i < sizeof clients / sizeof *clients; i++)
        if (!strcmp(clients[i].name, name)) return &clients[i];
    return NULL;
}

static void add_items(const char *const *argv, size_t n, toad__buf *out) {
    for (size_t i = 0; i < n; i++) {
        if (i) toad__buf_add_z(out, ", ");
        toad__json_add_str(out, toad__str_z(argv[i]));
    }
}

static void add_member(toad__buf *out, const char *name, const char *after) {
    toad__json_add_str(out, toad__str_z(name));
    toad__buf_add_z(out, after);
}

static void print_toml(const toad__client *c, const char *server, const char *const *argv, size_t n, toad__buf *out) {
    toad__buf_add_c(out, '[');
    toad__buf_add_z(out, c->root);
    toad__buf_add_c(out, '.');
    toad__buf_add_z(out, server);
    toad__buf_add_z(out, "]\ncommand = ");
    add_items(argv, 1, out);
    toad__buf_add_z(out, "\nargs = [");
    add_items(argv + 1, n - 1, out);
    toad__buf_add_z(out, "]\n");
}

void toad__client_print(const toad__client *c, const char *server, const char *const *argv, size_t n, toad__buf *out) {
    bool typed = c->stdio_type && (c->argv || *c->more || !strcmp(c->name, "vscode"));
    if (c->format == TOAD__CLIENT_TOML) {
        print_toml(c, server, argv, n, out);
        return;
    }
    toad__buf_add_c(out, '{');
    add_member(out, c->root, ": {");
    add_member(out, server, ": {");
    if (typed) add_member(out, "type", ": ");
    if (typed) add_member(out, c->stdio_type, ", ");
    add_member(out, "command", c->argv ? ": [" : ": ");
    add_items(argv, 1, out);
    toad__buf_add_z(out, c->argv ? n > 1 ? ", " : "" : ", \"args\": [");
    add_items(argv + 1, n - 1, out);
    toad__buf_add_c(out, ']');
    toad__buf_add_z(out, c->more);
    toad__buf_add_z(out, "}}}\n");
}

void toad__client_print_remote(const toad__client *c, const char *server, const char *url, bool token, toad__buf *out) {
    bool toml = c->format == TOAD__CLIENT_TOML;
    toad__buf_add_c(out, toml ? '[' : '{');
    if (toml)
        toad__buf_add_z(out, c->root);
    else
        add_member(out, c->root, ": {");
    toad__buf_add_z(out, toml ? "." : "");
    if (toml)
        toad__buf_add_z(out, server);
    else
        add_member(out, server, ": {");
    toad__buf_add_z(out, toml ? "]\n" : "");
    toad__buf_add_z(out, c->remote);
    toad__json_add_str(out, toad__str_z(url));
    if (token && toml) toad__buf_add_z(out, "\nbearer_token_env_var = \"TOAD_TOKEN\"");
    if (token && !toml) {
        toad__buf_add_z(out, ", \"headers\": {\"Authorization\": \"Bearer ");
        toad__buf_add_z(out, c->token);
        toad__buf_add_z(out, "\"}");
    }
    toad__buf_add_z(out, toml ? "" : c->more);
    toad__buf_add_z(out, toml ? "\n" : "}}}\n");
}

void toad__client_place(const toad__client *c, toad__buf *out) {
    bool own = c->project[0] && strcmp(c->project[0], c->user[0]) != 0;
    if (!own) toad__buf_add_z(out, "~/");
    toad__buf_add_z(out, own ? c->project[0] : c->user[0]);
}
