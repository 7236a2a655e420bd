/* tools.c - the pins of MCP servers' tools. What was approved is never changed by what a server says later: only the
 * user's approval moves it, and only to the definition whose digest the user named. */
#include "lib/base/json.h"
#include "store/internal.h"

static toad__tool tool_of(const toad__value *row) {
    toad__columns c = { row };
    toad__tool t = { 0 };
    t.server = toad__next_text(&c);
    t.name = toad__next_text(&c);
    t.digest = toad__next_text(&c);
    t.body = toad__next_text(&c);
    t.definition = toad__next_text(&c);
    t.approved = toad__next_text(&c);
    t.approved_definition = toad__next_text(&c);
    t.by_user = toad__next_int(&c) != 0;
    t.state = toad__next_text(&c);
    t.why = toad__next_text(&c);
    t.first_seen = toad__next_int(&c);
    t.last_seen = toad__next_int(&c);
    return t;
}

typedef struct hand_out {
    toad__tool_fn fn;
    void *ctx;
} hand_out;

static bool give_tool(void *ctx, const toad__value *row, size_t n) {
    (void)n;
    const hand_out *to = ctx;
    toad__tool t = tool_of(row);
    return to->fn(to->ctx, &t);
}

toad_status toad__store_tools(toad__store *store, toad_str server, uint64_t limit, toad__tool_fn fn, void *ctx) {
    hand_out to = { fn, ctx };
    return toad__store_read(store, TOAD__SQL_TOOLS, TOAD__ARGS(toad__text(server), toad__limit(limit, 100000)),
                            give_tool, &to);
}

typedef struct keep_one {
    toad__arena *arena;
    toad__tool tool;
    bool found, full;
} keep_one;

static bool keep_tool(void *ctx, const toad__value *row, size_t n) {
    (void)n;
    keep_one *k = ctx;
    toad__tool *t = &k->tool;
    *t = tool_of(row);
    toad_str *const texts[] = {
        &t->server, &t->name, &t->digest, &t->body, &t->definition, &t->approved, &t->approved_definition,
        &t->state,  &t->why
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) k->full |= !toad__keep(k->arena, texts[i]);
    k->found = true;
    return false;
}

toad_status toad__store_tool_get(toad__store *store, toad_str server, toad_str name, toad__arena *arena,
                                 toad__tool *ret) {
    keep_one k = { .arena = arena };
    toad_status status =
        toad__store_read(store, TOAD__SQL_TOOL, TOAD__ARGS(toad__text(server), toad__text(name)), keep_tool, &k);
    if (!status && k.full) status = toad__store_fail(TOAD_E_NOMEM, "%s", toad_status_message(TOAD_E_NOMEM));
    if (!status && !k.found) status = toad__store_fail(TOAD_E_NOT_FOUND, "this tool was never seen");
    if (!status) *ret = k.tool;
    return status;
}

/* ---- writing ---- */

static void add_member(toad__buf *b, const char *key, toad_str value) {
    toad__json_add_key(b, key);
    toad__json_add_str(b, value);
}

/* `what`: trusted, held, approved, forgotten. */
static void tool_event(toad__tx *tx, const toad__tool *t, toad_str what, toad_str channel) {
    toad__buf details;
    bool held = toad__str_eq(what, TOAD__S("held"));
    toad__buf_init(&details, 1u << 16);
    toad__buf_add_c(&details, '{');
    add_member(&details, "server", t->server);
    add_member(&details, "tool", t->name);
    add_member(&details, "digest", t->digest);
    add_member(&details, "why", t->why);
    toad__buf_add_c(&details, '}');
    if (details.status) toad__tx_fail(tx, details.status, "the name of a tool is too long");
    toad__tx_event(tx, &(toad__event){ .type = TOAD__S("tool_pin"),
                                       .direction = held ? TOAD__S("inbound") : TOAD__S("internal"),
                                       .channel = channel,
                                       .content = what,
                                       .action = held ? TOAD__S("block") : TOAD__S("allow"),
                                       .details = toad__buf_str(&details) });
    toad__buf_free(&details);
}

static void see(toad__tx *tx, const toad__tool *t) {
    bool trusted = toad__str_eq(t->state, TOAD__S("trusted"));
    toad_str none = TOAD__S("");
    toad__tx_queue(tx, TOAD__SQL_TOOL_SEEN,
                   TOAD__ARGS(toad__text(t->server), toad__text(t->name), toad__text(t->digest), toad__text(t->body),
                              toad__text(t->definition), toad__text(trusted ? t->digest : none),
                              toad__text(trusted ? t->definition : none), toad__text(t->state), toad__text(t->why),
                              toad__int(tx->now)));
    tool_event(tx, t, t->state, TOAD__S("mcp"));
}

toad_status toad__store_tools_seen(toad__store *store, const toad__tool *tools, size_t n) {
    toad__tx tx;
    toad__tx_begin(store, &tx);
    for (size_t i = 0; i < n && !tx.status; i++) see(&tx, &tools[i]);
    return toad__tx_end(&tx);
}

static bool note_row(void *ctx, const toad__value *row, size_t n) {
    (void)row;
    (void)n;
    *(bool *)ctx = true;
    return false;
}

toad_status toad__store_tool_approve(toad__store *store, toad_str server, toad_str name, toad_str digest) {
    toad__tx tx;
    uint64_t changed = 0;
    bool there = false;
    toad__tool t = { .server = server, .name = name, .digest = digest };
    toad__tx_begin(store, &tx);
    toad__tx_run(&tx, TOAD__SQL_TOOL, TOAD__ARGS(toad__text(server), toad__text(name)), note_row, &there, NULL);
    if (!there) toad__tx_fail(&tx, TOAD_E_NOT_FOUND, "this tool was never seen");
    toad__tx_run(&tx, TOAD__SQL_TOOL_APPROVE, TOAD__ARGS(toad__text(server), toad__text(name), toad__text(digest)),
                 NULL, NULL, &changed);
    if (!changed) toad__tx_fail(&tx, TOAD_E_STATE, "the tool is not as you saw it: look at it again");
    tool_event(&tx, &t, TOAD__S("approved"), TOAD__S("user"));
    return toad__tx_end(&tx);
}

toad_status toad__store_tools_forget(toad__store *store, toad_str server, toad_str name, uint64_t *ret_removed) {
    toad__tx tx;
    uint64_t removed = 0;
    toad__tool t = { .server = server, .name = name };
    toad__tx_begin(store, &tx);
    toad__tx_run(&tx, TOAD__SQL_TOOL_FORGET, TOAD__ARGS(toad__text(server), toad__text(name)), NULL, NULL, &removed);
    if (removed) tool_event(&tx, &t, TOAD__S("forgotten"), TOAD__S("user"));
    toad_status status = toad__tx_end(&tx);
    if (!status) *ret_removed = removed;
    return status;
}
