/* clients.c - the table of clients. Paths and shapes: each client's documentation, November 2026 (docs/wrap-client.md).
 */
#include "app/mcp/clients_internal.h"

#include "lib/base/json.h"
#include "lib/base/str.h"

#define HTTP "\"type\": \"http\", \"url\": "

static const toad__client clients[] = {
#define F(...) \
    { __VA_ARGS__ }
#define X(name, title, shape, ...) { name, title, TOAD__CLIENT_##shape, __VA_ARGS__ },
#include "app/mcp/clients.def"
#undef X
#undef F
};

const toad__client_words toad__client_words_of[] = {
    [TOAD__CLIENT_JSON] = { "\"command\": ", ", \"args\": [", ", \"env\": {", "\"http\"", "\"", "\": " },
    [TOAD__CLIENT_ARGV] = { "\"command\": [", ", ", ", \"environment\": {", "\"remote\"", "\"", "\": " },
    [TOAD__CLIENT_TOML] = { "command = ", "\nargs = [", "", "", "", " = " },
};

const toad__client *toad__client_at(size_t i) { return i < sizeof clients / sizeof *clients ? &clients[i] : NULL; }

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

static void open_entry(const toad__client *c, const char *server, toad__buf *out) {
    if (c->shape == TOAD__CLIENT_TOML) {
        toad__buf_add_c(out, '[');
        toad__buf_add_z(out, c->root);
        toad__buf_add_c(out, '.');
        toad__buf_add_z(out, server);
        toad__buf_add_z(out, "]\n");
    } else {
        toad__buf_add_c(out, '{');
        add_member(out, c->root, ": {");
        add_member(out, server, ": {");
    }
}

static void close_entry(const toad__client *c, toad__buf *out) {
    toad__buf_add_z(out, c->more);
    toad__buf_add_z(out, c->shape == TOAD__CLIENT_TOML ? "\n" : "}}}\n");
}

void toad__client_print(const toad__client *c, const char *server, const char *const *argv, size_t n, toad__buf *out) {
    const toad__client_words *words = &toad__client_words_of[c->shape];
    bool list = c->shape == TOAD__CLIENT_ARGV,
         typed = c->stdio_type && (list || *c->more || !strcmp(c->name, "vscode"));
    open_entry(c, server, out);
    if (typed) add_member(out, "type", ": ");
    if (typed) add_member(out, c->stdio_type, ", ");
    toad__buf_add_z(out, words->command);
    add_items(argv, 1, out);
    if (!list || n > 1) toad__buf_add_z(out, words->args);
    add_items(argv + 1, n - 1, out);
    toad__buf_add_c(out, ']');
    close_entry(c, out);
}

void toad__client_print_remote(const toad__client *c, const char *server, const char *url, bool token, toad__buf *out) {
    open_entry(c, server, out);
    toad__buf_add_z(out, c->remote);
    toad__json_add_str(out, toad__str_z(url));
    if (token && c->shape == TOAD__CLIENT_TOML) {
        toad__buf_add_z(out, "\nbearer_token_env_var = \"TOAD_TOKEN\"");
    } else if (token) {
        toad__buf_add_z(out, ", \"headers\": {\"Authorization\": \"Bearer ");
        toad__buf_add_z(out, c->token);
        toad__buf_add_z(out, "\"}");
    }
    close_entry(c, out);
}

void toad__client_place(const toad__client *c, toad__buf *out) {
    bool own = c->project[0] && strcmp(c->project[0], c->user[0]) != 0;
    if (!own) toad__buf_add_z(out, "~/");
    toad__buf_add_z(out, own ? c->project[0] : c->user[0]);
}
