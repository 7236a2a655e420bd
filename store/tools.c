/* tools.c - the pins of MCP servers' tools. What was approved is never changed by what a server says later: only the
 * user's approval moves it, and only to the definition whose digest the user named. */
#include "lib/base/json.h"
#include "store/internal.h"

static bzr__tool tool_of(const bzr__value *row) {
    bzr__columns c = { row };
    bzr__tool t = { 0 };
    t.server = bzr__next_text(&c);
    t.name = bzr__next_text(&c);
    t.digest = bzr__next_text(&c);
    t.body = bzr__next_text(&c);
    t.definition = bzr__next_text(&c);
    t.approved = bzr__next_text(&c);
    t.approved_definition = bzr__next_text(&c);
    t.by_user = bzr__next_int(&c) != 0;
    t.state = bzr__next_text(&c);
    t.why = bzr__next_text(&c);
    t.first_seen = bzr__next_int(&c);
    t.last_seen = bzr__next_int(&c);
    return t;
}

typedef struct hand_out {
    bzr__tool_fn fn;
    void *ctx;
} hand_out;

static bool give_tool(void *ctx, const bzr__value *row, size_t n) {
    (void)n;
    const hand_out *to = ctx;
    bzr__tool t = tool_of(row);
    return to->fn(to->ctx, &t);
}

bzr_status bzr__store_tools(bzr__store *store, bzr_str server, uint64_t limit, bzr__tool_fn fn, void *ctx) {
    hand_out to = { fn, ctx };
    return bzr__store_read(store, BZR__SQL_TOOLS, BZR__ARGS(bzr__text(server), bzr__limit(limit, 100000)), give_tool,
                           &to);
}

typedef struct keep_one {
    bzr__arena *arena;
    bzr__tool tool;
    bool found, full;
} keep_one;

static bool keep_tool(void *ctx, const bzr__value *row, size_t n) {
    (void)n;
    keep_one *k = ctx;
    bzr__tool *t = &k->tool;
    *t = tool_of(row);
    bzr_str *const texts[] = {
        &t->server, &t->name, &t->digest, &t->body, &t->definition, &t->approved, &t->approved_definition,
        &t->state,  &t->why
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) k->full |= !bzr__keep(k->arena, texts[i]);
    k->found = true;
    return false;
}

bzr_status bzr__store_tool_get(bzr__store *store, bzr_str server, bzr_str name, bzr__arena *arena, bzr__tool *ret) {
    keep_one k = { .arena = arena };
    bzr_status status =
        bzr__store_read(store, BZR__SQL_TOOL, BZR__ARGS(bzr__text(server), bzr__text(name)), keep_tool, &k);
    if (!status && k.full) status = bzr__store_fail(BZR_E_NOMEM, "%s", bzr_status_message(BZR_E_NOMEM));
    if (!status && !k.found) status = bzr__store_fail(BZR_E_NOT_FOUND, "this tool was never seen");
    if (!status) *ret = k.tool;
    return status;
}

/* ---- writing ---- */

static void add_member(bzr__buf *b, const char *key, bzr_str value) {
    bzr__json_add_key(b, key);
    bzr__json_add_str(b, value);
}

/* `what`: trusted, held, approved, forgotten. */
static void tool_event(bzr__tx *tx, const bzr__tool *t, bzr_str what, bzr_str channel) {
    bzr__buf details;
    bool held = bzr__str_eq(what, BZR__S("held"));
    bzr__buf_init(&details, 1u << 16);
    bzr__buf_add_c(&details, '{');
    add_member(&details, "server", t->server);
    add_member(&details, "tool", t->name);
    add_member(&details, "digest", t->digest);
    add_member(&details, "why", t->why);
    bzr__buf_add_c(&details, '}');
    if (details.status) bzr__tx_fail(tx, details.status, "the name of a tool is too long");
    bzr__tx_event(tx, &(bzr__event){ .type = BZR__S("tool_pin"),
                                     .direction = held ? BZR__S("inbound") : BZR__S("internal"),
                                     .channel = channel,
                                     .content = what,
                                     .action = held ? BZR__S("block") : BZR__S("allow"),
                                     .details = bzr__buf_str(&details) });
    bzr__buf_free(&details);
}

static void see(bzr__tx *tx, const bzr__tool *t) {
    bool trusted = bzr__str_eq(t->state, BZR__S("trusted"));
    bzr_str none = BZR__S("");
    bzr__tx_queue(tx, BZR__SQL_TOOL_SEEN,
                  BZR__ARGS(bzr__text(t->server), bzr__text(t->name), bzr__text(t->digest), bzr__text(t->body),
                            bzr__text(t->definition), bzr__text(trusted ? t->digest : none),
                            bzr__text(trusted ? t->definition : none), bzr__text(t->state), bzr__text(t->why),
                            bzr__int(tx->now)));
    tool_event(tx, t, t->state, BZR__S("mcp"));
}

bzr_status bzr__store_tools_seen(bzr__store *store, const bzr__tool *tools, size_t n) {
    bzr__tx tx;
    bzr__tx_begin(store, &tx);
    for (size_t i = 0; i < n && !tx.status; i++) see(&tx, &tools[i]);
    return bzr__tx_end(&tx);
}

static bool note_row(void *ctx, const bzr__value *row, size_t n) {
    (void)row;
    (void)n;
    *(bool *)ctx = true;
    return false;
}

bzr_status bzr__store_tool_approve(bzr__store *store, bzr_str server, bzr_str name, bzr_str digest) {
    bzr__tx tx;
    uint64_t changed = 0;
    bool there = false;
    bzr__tool t = { .server = server, .name = name, .digest = digest };
    bzr__tx_begin(store, &tx);
    bzr__tx_run(&tx, BZR__SQL_TOOL, BZR__ARGS(bzr__text(server), bzr__text(name)), note_row, &there, NULL);
    if (!there) bzr__tx_fail(&tx, BZR_E_NOT_FOUND, "this tool was never seen");
    bzr__tx_run(&tx, BZR__SQL_TOOL_APPROVE, BZR__ARGS(bzr__text(server), bzr__text(name), bzr__text(digest)), NULL,
                NULL, &changed);
    if (!changed) bzr__tx_fail(&tx, BZR_E_STATE, "the tool is not as you saw it: look at it again");
    tool_event(&tx, &t, BZR__S("approved"), BZR__S("user"));
    return bzr__tx_end(&tx);
}

bzr_status bzr__store_tools_forget(bzr__store *store, bzr_str server, bzr_str name, uint64_t *ret_removed) {
    bzr__tx tx;
    uint64_t removed = 0;
    bzr__tool t = { .server = server, .name = name };
    bzr__tx_begin(store, &tx);
    bzr__tx_run(&tx, BZR__SQL_TOOL_FORGET, BZR__ARGS(bzr__text(server), bzr__text(name)), NULL, NULL, &removed);
    if (removed) tool_event(&tx, &t, BZR__S("forgotten"), BZR__S("user"));
    bzr_status status = bzr__tx_end(&tx);
    if (!status) *ret_removed = removed;
    return status;
}
