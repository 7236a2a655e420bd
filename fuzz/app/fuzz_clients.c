/* fuzz_clients.c - any bytes as a client's configuration, the first byte saying whose.
 *
 * Holds: what is refused changes nothing; what is wrapped is a configuration with the same servers; wrapping again
 * changes nothing; undoing with the original as backup gives every byte of it back; undoing without it leaves nothing
 * wrapped that was wrapped here. */
#include "app/mcp/clients.h"
#include "lib/base/str.h"

#include <stdint.h>

#define CHECK(x)                    \
    do {                            \
        if (!(x)) __builtin_trap(); \
    } while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bzr_status rewrite(bzr_str text, const bzr__client *client, bool undo, bool look, bzr_str backup,
                          bzr__arena *arena, bzr__buf *out, bzr__client_server **servers) {
    static const char *const options[] = { "--pin", "strict" };
    const char *why = NULL;
    size_t at = 0;
    bzr__client_change change = { .client = client,
                                  .undo = undo,
                                  .look = look,
                                  .program = "bezoar",
                                  .options = options,
                                  .options_n = 2,
                                  .backup = backup };
    bzr__buf_init(out, 1u << 24);
    bzr_status status = bzr__client_rewrite(text, &change, arena, out, servers, &why, &at);
    CHECK(status != BZR_E_NOMEM);
    CHECK(status != BZR_E_SYNTAX || (why && at <= text.n));
    return status;
}

static bool any(const bzr__client_server *s, bool changed) {
    for (; s; s = s->next)
        if (changed ? s->changed : s->state == BZR__SERVER_WRAPPED) return true;
    return false;
}

static void check(bzr_str text, const bzr__client *client, bzr__arena *arena) {
    bzr__buf same, wrapped, again, undone, bare;
    bzr__client_server *servers = NULL;
    bzr_status status = rewrite(text, client, false, true, BZR__S(""), arena, &same, &servers);
    bool before = !status && any(servers, false);
    if (!status) CHECK(bzr__str_eq(bzr__buf_str(&same), text));
    bzr__buf_free(&same);
    if (status) return;
    status = rewrite(text, client, false, false, BZR__S(""), arena, &wrapped, &servers);
    if (!status && !before) {
        CHECK(!rewrite(bzr__buf_str(&wrapped), client, false, false, BZR__S(""), arena, &again, &servers));
        CHECK(!any(servers, true) && bzr__str_eq(bzr__buf_str(&wrapped), bzr__buf_str(&again)));
        CHECK(!rewrite(bzr__buf_str(&wrapped), client, true, false, text, arena, &undone, &servers));
        CHECK(bzr__str_eq(bzr__buf_str(&undone), text));
        CHECK(!rewrite(bzr__buf_str(&wrapped), client, true, false, BZR__S(""), arena, &bare, &servers));
        CHECK(!any(servers, false));
        bzr__buf_free(&again);
        bzr__buf_free(&undone);
        bzr__buf_free(&bare);
    }
    bzr__buf_free(&wrapped);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const char *const names[] = { "codex",  "claude",   "opencode", "gemini",
                                         "vscode", "windsurf", "copilot",  "cursor" };
    bzr__arena arena;
    if (!size) return 0;
    bzr__arena_init(&arena, 1u << 29);
    check(bzr__str(data + 1, size - 1 < 16384 ? size - 1 : 16384), bzr__client_find(names[*data % 8]), &arena);
    bzr__arena_free(&arena);
    return 0;
}
