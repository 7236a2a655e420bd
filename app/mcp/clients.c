/* clients.c - the table of clients. Paths and shapes: each client's documentation, November 2026 (docs/wrap-client.md).
 */
#include "app/mcp/clients.h"

#include "lib/base/json.h"
#include "lib/base/str.h"

#define HTTP "\"type\": \"http\", \"url\": "

static const bzr__client clients[] = {
    { "claude",
      "Claude Code",
      BZR__CLIENT_JSON,
      "mcpServers",
      { ".claude.json" },
      { ".mcp.json" },
      NULL,
      "stdio",
      "url",
      false,
      "",
      HTTP,
      "${BZR_TOKEN}" },
    { "cursor",
      "Cursor",
      BZR__CLIENT_JSON,
      "mcpServers",
      { ".cursor/mcp.json" },
      { ".cursor/mcp.json" },
      NULL,
      "stdio",
      "url",
      false,
      "",
      "\"url\": ",
      "${env:BZR_TOKEN}" },
    { "vscode",
      "VS Code",
      BZR__CLIENT_JSON,
      "servers",
      { ".config/Code/User/mcp.json" },
      { ".vscode/mcp.json" },
      "XDG_CONFIG_HOME",
      "stdio",
      "url",
      false,
      "",
      HTTP,
      "${env:BZR_TOKEN}" },
    { "codex",
      "Codex CLI",
      BZR__CLIENT_TOML,
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
      BZR__CLIENT_JSON,
      "mcpServers",
      { ".gemini/settings.json" },
      { ".gemini/settings.json" },
      NULL,
      NULL,
      "httpUrl url",
      false,
      "",
      "\"httpUrl\": ",
      "$BZR_TOKEN" },
    { "qwen",
      "Qwen Code",
      BZR__CLIENT_JSON,
      "mcpServers",
      { ".qwen/settings.json" },
      { ".qwen/settings.json" },
      NULL,
      NULL,
      "httpUrl url",
      false,
      "",
      "\"httpUrl\": ",
      "$BZR_TOKEN" },
    { "opencode",
      "OpenCode",
      BZR__CLIENT_JSON,
      "mcp",
      { ".config/opencode/opencode.json", ".config/opencode/opencode.jsonc" },
      { "opencode.json", "opencode.jsonc" },
      "XDG_CONFIG_HOME",
      "local",
      "url",
      true,
      ", \"enabled\": true",
      "\"type\": \"remote\", \"url\": ",
      "{env:BZR_TOKEN}" },
    { "copilot",
      "GitHub Copilot CLI",
      BZR__CLIENT_JSON,
      "mcpServers",
      { ".copilot/mcp-config.json" },
      { NULL },
      NULL,
      "local",
      "url",
      false,
      ", \"tools\": [\"*\"]",
      HTTP,
      "${BZR_TOKEN}" },
    { "windsurf",
      "Windsurf",
      BZR__CLIENT_JSON,
      "mcpServers",
      { ".codeium/windsurf/mcp_config.json" },
      { NULL },
      NULL,
      NULL,
      "serverUrl url",
      false,
      "",
      "\"serverUrl\": ",
      "${env:BZR_TOKEN}" },
};

const bzr__client *bzr__client_find(const char *name) {
    for (size_t i = 0; i < sizeof clients / sizeof *clients; i++)
        if (!strcmp(clients[i].name, name)) return &clients[i];
    return NULL;
}

static void add_items(const char *const *argv, size_t n, bzr__buf *out) {
    for (size_t i = 0; i < n; i++) {
        if (i) bzr__buf_add_z(out, ", ");
        bzr__json_add_str(out, bzr__str_z(argv[i]));
    }
}

static void add_member(bzr__buf *out, const char *name, const char *after) {
    bzr__json_add_str(out, bzr__str_z(name));
    bzr__buf_add_z(out, after);
}

static void print_toml(const bzr__client *c, const char *server, const char *const *argv, size_t n, bzr__buf *out) {
    bzr__buf_add_c(out, '[');
    bzr__buf_add_z(out, c->root);
    bzr__buf_add_c(out, '.');
    bzr__buf_add_z(out, server);
    bzr__buf_add_z(out, "]\ncommand = ");
    add_items(argv, 1, out);
    bzr__buf_add_z(out, "\nargs = [");
    add_items(argv + 1, n - 1, out);
    bzr__buf_add_z(out, "]\n");
}

void bzr__client_print(const bzr__client *c, const char *server, const char *const *argv, size_t n, bzr__buf *out) {
    bool typed = c->stdio_type && (c->argv || *c->more || !strcmp(c->name, "vscode"));
    if (c->format == BZR__CLIENT_TOML) {
        print_toml(c, server, argv, n, out);
        return;
    }
    bzr__buf_add_c(out, '{');
    add_member(out, c->root, ": {");
    add_member(out, server, ": {");
    if (typed) add_member(out, "type", ": ");
    if (typed) add_member(out, c->stdio_type, ", ");
    add_member(out, "command", c->argv ? ": [" : ": ");
    add_items(argv, 1, out);
    bzr__buf_add_z(out, c->argv ? n > 1 ? ", " : "" : ", \"args\": [");
    add_items(argv + 1, n - 1, out);
    bzr__buf_add_c(out, ']');
    bzr__buf_add_z(out, c->more);
    bzr__buf_add_z(out, "}}}\n");
}

void bzr__client_print_remote(const bzr__client *c, const char *server, const char *url, bool token, bzr__buf *out) {
    bool toml = c->format == BZR__CLIENT_TOML;
    bzr__buf_add_c(out, toml ? '[' : '{');
    if (toml)
        bzr__buf_add_z(out, c->root);
    else
        add_member(out, c->root, ": {");
    bzr__buf_add_z(out, toml ? "." : "");
    if (toml)
        bzr__buf_add_z(out, server);
    else
        add_member(out, server, ": {");
    bzr__buf_add_z(out, toml ? "]\n" : "");
    bzr__buf_add_z(out, c->remote);
    bzr__json_add_str(out, bzr__str_z(url));
    if (token && toml) bzr__buf_add_z(out, "\nbearer_token_env_var = \"BZR_TOKEN\"");
    if (token && !toml) {
        bzr__buf_add_z(out, ", \"headers\": {\"Authorization\": \"Bearer ");
        bzr__buf_add_z(out, c->token);
        bzr__buf_add_z(out, "\"}");
    }
    bzr__buf_add_z(out, toml ? "" : c->more);
    bzr__buf_add_z(out, toml ? "\n" : "}}}\n");
}

void bzr__client_place(const bzr__client *c, bzr__buf *out) {
    bool own = c->project[0] && strcmp(c->project[0], c->user[0]) != 0;
    if (!own) bzr__buf_add_z(out, "~/");
    bzr__buf_add_z(out, own ? c->project[0] : c->user[0]);
}
