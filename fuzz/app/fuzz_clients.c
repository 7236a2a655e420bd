/* fuzz_clients.c - any bytes as a client's configuration, the first byte saying whose.
 *
 * Holds: what is refused changes nothing; what is wrapped is a configuration with the same servers; wrapping again
 * changes nothing; undoing with the original as backup gives every byte of it back; undoing without it leaves nothing
 * wrapped that was wrapped here. Hooks that are installed are installed once, and undoing gives every byte back. */
#include "app/mcp/clients.h"
#include "fuzz/fuzz.h"
#include "lib/base/str.h"

#define CHECK(x)                    \
    do {                            \
        if (!(x)) __builtin_trap(); \
    } while (0)

static toad_status rewrite(toad_str text, const toad__client *client, bool undo, bool look, toad_str backup,
                           toad__arena *arena, toad__buf *out, toad__client_server **servers) {
    static const char *const options[] = { "--pin", "strict" };
    const char *why = NULL;
    size_t at = 0;
    toad__client_change change = { .client = client,
                                   .remote = true,
                                   .undo = undo,
                                   .look = look,
                                   .program = "toadstone",
                                   .options = options,
                                   .options_n = 2,
                                   .backup = backup };
    toad__buf_init(out, 1u << 24);
    toad_status status = toad__client_rewrite(text, &change, arena, out, servers, &why, &at);
    CHECK(status != TOAD_E_NOMEM);
    CHECK(status != TOAD_E_SYNTAX || (why && at <= text.n));
    return status;
}

static bool any(const toad__client_server *s, bool changed) {
    for (; s; s = s->next)
        if (changed ? s->changed : s->state == TOAD__SERVER_WRAPPED) return true;
    return false;
}

static void check(toad_str text, const toad__client *client, toad__arena *arena) {
    toad__buf same, wrapped, again, undone, bare;
    toad__client_server *servers = NULL;
    toad_status status = rewrite(text, client, false, true, TOAD__S(""), arena, &same, &servers);
    bool before = !status && any(servers, false);
    if (!status) CHECK(toad__str_eq(toad__buf_str(&same), text));
    toad__buf_free(&same);
    if (status) return;
    status = rewrite(text, client, false, false, TOAD__S(""), arena, &wrapped, &servers);
    if (!status && !before) {
        CHECK(!rewrite(toad__buf_str(&wrapped), client, false, false, TOAD__S(""), arena, &again, &servers));
        CHECK(!any(servers, true) && toad__str_eq(toad__buf_str(&wrapped), toad__buf_str(&again)));
        CHECK(!rewrite(toad__buf_str(&wrapped), client, true, false, text, arena, &undone, &servers));
        CHECK(toad__str_eq(toad__buf_str(&undone), text));
        CHECK(!rewrite(toad__buf_str(&wrapped), client, true, false, TOAD__S(""), arena, &bare, &servers));
        CHECK(!any(servers, false));
        toad__buf_free(&again);
        toad__buf_free(&undone);
        toad__buf_free(&bare);
    }
    toad__buf_free(&wrapped);
}

static toad_status hook(toad_str text, const toad__hook_file *hooks, bool undo, bool look, toad__arena *arena,
                        toad__buf *out, toad__client_server **servers) {
    const char *why = NULL;
    size_t at = 0;
    toad__client_change change = { .hooks = hooks, .undo = undo, .look = look, .program = "/a b/toadstone" };
    toad__buf_init(out, 1u << 24);
    toad_status status = toad__hooks_rewrite(text, &change, arena, out, servers, &why, &at);
    CHECK(status != TOAD_E_NOMEM);
    CHECK(status != TOAD_E_SYNTAX || (why && at <= text.n));
    return status;
}

static void check_hooks(toad_str text, const toad__hook_file *hooks, toad__arena *arena) {
    toad__buf same, there, again, undone;
    toad__client_server *events = NULL;
    toad_status status = hook(text, hooks, false, true, arena, &same, &events);
    bool before = !status && any(events, false);
    if (!status) CHECK(toad__str_eq(toad__buf_str(&same), text));
    toad__buf_free(&same);
    if (status || before) return;
    CHECK(!hook(text, hooks, false, false, arena, &there, &events) && any(events, true));
    CHECK(!hook(toad__buf_str(&there), hooks, false, false, arena, &again, &events) && !any(events, true));
    CHECK(toad__str_eq(toad__buf_str(&there), toad__buf_str(&again)));
    CHECK(!hook(toad__buf_str(&there), hooks, true, false, arena, &undone, &events));
    CHECK(toad__str_eq(toad__buf_str(&undone), text));
    toad__buf_free(&there);
    toad__buf_free(&again);
    toad__buf_free(&undone);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const char *const names[] = { "codex",  "claude",   "opencode", "gemini",
                                         "vscode", "windsurf", "copilot",  "cursor" };
    toad__arena arena;
    if (!size) return 0;
    toad__arena_init(&arena, 1u << 29);
    toad_str text = toad__str(data + 1, size - 1 < 16384 ? size - 1 : 16384);
    check(text, toad__client_find(names[*data % 8]), &arena);
    for (size_t i = 0; toad__hook_file_at(i); i++) check_hooks(text, toad__hook_file_at(i), &arena);
    toad__arena_free(&arena);
    return 0;
}
