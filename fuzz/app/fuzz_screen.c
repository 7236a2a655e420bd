/* fuzz_screen.c - any JSON as a value of an MCP server's message, the first byte saying which.
 *
 * Holds: a value is passed untouched, or what stands in its place is JSON; what was only sanitized passes when it comes
 * again; the same value has the same fate; the difference of two definitions is ASCII without control characters. */
#include "app/mcp/pins_internal.h"
#include "app/mcp/screen.h"
#include "fuzz/fuzz.h"

#define CHECK(x)                    \
    do {                            \
        if (!(x)) __builtin_trap(); \
    } while (0)

static toad__host host;
static toad__screen *screens[2]; /* without and with pinning */

/* No store, and every failure of it closes: nothing is written, nothing is logged. */
static void make(void) {
    toad_engine *engine;
    toad__config *config;
    toad__screen_options options = TOAD__SCREEN_OPTIONS_INIT;
    CHECK(!toad_engine_new(NULL, &engine) && !toad__config_new(&config));
    CHECK(!toad__config_add_flag(config, "fuzz", "on_store_error", "block"));
    CHECK(!toad__config_add_flag(config, "fuzz", "policy.mcp.medium", "redact"));
    host = (toad__host){ .engine = engine, .config = config, .by = TOAD__READER_MODEL };
    CHECK(!toad_scanner_new(engine, &host.scanner));
    toad__arena_init(&host.arena, 1u << 26);
    CHECK(!toad__screen_new(&host, &options, &screens[1]));
    options.pin_off = true;
    CHECK(!toad__screen_new(&host, &options, &screens[0]));
}

static toad__screen_fate once(toad__screen *s, toad__mcp_what what, const toad__json *value, toad__arena *arena,
                              const toad__json **changed, toad_severity *severity) {
    toad__screen_in in = { .what = what, .server = TOAD__S("s"), .name = TOAD__S("t"), .value = value };
    toad__screen_result result;
    toad__buf out;
    size_t at;
    const char *expected;
    toad__buf_init(&out, 1u << 24);
    CHECK(!toad__screen_message(s, &in, &out, &result));
    CHECK((result.fate == TOAD__SCREEN_PASS) == !out.n);
    if (out.n) {
        toad_str copy = toad__arena_dup(arena, toad__buf_str(&out));
        CHECK(copy.p && !toad__json_parse(copy, arena, changed, &at, &expected));
    }
    *severity = result.severity;
    toad__buf_free(&out);
    return result.fate;
}

static void check_value(toad__mcp_what what, const toad__json *value, toad__arena *arena) {
    const toad__json *changed = NULL, *again = NULL;
    toad_severity severity, second;
    toad__screen_fate fate = once(screens[0], what, value, arena, &changed, &severity);
    CHECK(fate == once(screens[0], what, value, arena, &again, &second) && severity == second);
    if (fate == TOAD__SCREEN_CHANGED && severity == TOAD_NONE)
        CHECK(once(screens[0], what, changed, arena, &again, &second) != TOAD__SCREEN_BLOCKED || second > TOAD_NONE);
    once(screens[1], what, value, arena, &again, &second);
}

static void check_diff(toad_str a, toad_str b, toad__arena *arena) {
    toad__buf out;
    toad__buf_init(&out, 1u << 26);
    toad_status status = toad__pin_diff(a, b, arena, &out);
    CHECK(!status || status == TOAD_E_LIMIT);
    for (size_t i = 0; i < out.n; i++) CHECK(out.p[i] == '\n' || (out.p[i] >= 0x20 && out.p[i] < 0x7F));
    toad__buf_free(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    toad__arena arena;
    const toad__json *value;
    size_t at;
    const char *expected;
    if (!size) return 0;
    if (!host.engine) make();
    toad_str in = toad__str(data + 1, size - 1 < 8192 ? size - 1 : 8192);
    toad__arena_init(&arena, 1u << 28);
    if (!toad__json_parse(in, &arena, &value, &at, &expected)) {
        check_value((toad__mcp_what)(*data % (TOAD__MCP_VALUE_TASK + 1)), value, &arena);
        check_diff(toad__str_part(in, 0, 0), in, &arena);
    }
    toad__arena_free(&arena);
    return 0;
}
