/* fuzz_screen.c - any JSON as a value of an MCP server's message, the first byte saying which.
 *
 * Holds: a value is passed untouched, or what stands in its place is JSON; what was only sanitized passes when it comes
 * again; the same value has the same fate; the difference of two definitions is ASCII without control characters. */
#include "app/mcp/pins_internal.h"
#include "app/mcp/screen.h"

#include <stdint.h>

#define CHECK(x)                    \
    do {                            \
        if (!(x)) __builtin_trap(); \
    } while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bzr__host host;
static bzr__screen *screens[2]; /* without and with pinning */

/* No store, and every failure of it closes: nothing is written, nothing is logged. */
static void make(void) {
    bzr_engine *engine;
    bzr__config *config;
    bzr__screen_options options = BZR__SCREEN_OPTIONS_INIT;
    CHECK(!bzr_engine_new(NULL, &engine) && !bzr__config_new(&config));
    CHECK(!bzr__config_add_flag(config, "fuzz", "on_store_error", "block"));
    CHECK(!bzr__config_add_flag(config, "fuzz", "policy.mcp.medium", "redact"));
    host = (bzr__host){ .engine = engine, .config = config, .by = BZR__READER_MODEL };
    CHECK(!bzr_scanner_new(engine, &host.scanner));
    bzr__arena_init(&host.arena, 1u << 26);
    CHECK(!bzr__screen_new(&host, &options, &screens[1]));
    options.pin_off = true;
    CHECK(!bzr__screen_new(&host, &options, &screens[0]));
}

static bzr__screen_fate once(bzr__screen *s, bzr__screen_what what, const bzr__json *value, bzr__arena *arena,
                             const bzr__json **changed, bzr_severity *severity) {
    bzr__screen_in in = { what, BZR__S("s"), BZR__S("t"), value, BZR__SCREEN_BY_POLICY };
    bzr__screen_result result;
    bzr__buf out;
    size_t at;
    const char *expected;
    bzr__buf_init(&out, 1u << 24);
    CHECK(!bzr__screen_message(s, &in, &out, &result));
    CHECK((result.fate == BZR__SCREEN_PASS) == !out.n);
    if (out.n) {
        bzr_str copy = bzr__arena_dup(arena, bzr__buf_str(&out));
        CHECK(copy.p && !bzr__json_parse(copy, arena, changed, &at, &expected));
    }
    *severity = result.severity;
    bzr__buf_free(&out);
    return result.fate;
}

static void check_value(bzr__screen_what what, const bzr__json *value, bzr__arena *arena) {
    const bzr__json *changed = NULL, *again = NULL;
    bzr_severity severity, second;
    bzr__screen_fate fate = once(screens[0], what, value, arena, &changed, &severity);
    CHECK(fate == once(screens[0], what, value, arena, &again, &second) && severity == second);
    if (fate == BZR__SCREEN_CHANGED && severity == BZR_NONE)
        CHECK(once(screens[0], what, changed, arena, &again, &second) != BZR__SCREEN_BLOCKED || second > BZR_NONE);
    once(screens[1], what, value, arena, &again, &second);
}

static void check_diff(bzr_str a, bzr_str b, bzr__arena *arena) {
    bzr__buf out;
    bzr__buf_init(&out, 1u << 26);
    bzr_status status = bzr__pin_diff(a, b, arena, &out);
    CHECK(!status || status == BZR_E_LIMIT);
    for (size_t i = 0; i < out.n; i++) CHECK(out.p[i] == '\n' || (out.p[i] >= 0x20 && out.p[i] < 0x7F));
    bzr__buf_free(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    bzr__arena arena;
    const bzr__json *value;
    size_t at;
    const char *expected;
    if (!size) return 0;
    if (!host.engine) make();
    bzr_str in = bzr__str(data + 1, size - 1 < 8192 ? size - 1 : 8192);
    bzr__arena_init(&arena, 1u << 28);
    if (!bzr__json_parse(in, &arena, &value, &at, &expected)) {
        check_value((bzr__screen_what)(*data % (BZR__SCREEN_TASK + 1)), value, &arena);
        check_diff(bzr__str_part(in, 0, 0), in, &arena);
    }
    bzr__arena_free(&arena);
    return 0;
}
