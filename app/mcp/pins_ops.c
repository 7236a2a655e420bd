/* pins_ops.c - the operations on pins: look, compare, approve, forget. */
#include "app/host/authority.h"
#include "app/mcp/pins_internal.h"

/* ---- look ---- */

typedef struct summary {
    toad__answer *answer;
    toad__arena *arena;
    toad_str server;
    int64_t tools, held, first, changed;
    bool full;
} summary;

static void end_server(summary *s) {
    if (!s->tools) return;
    toad__answer_object(s->answer, NULL);
    toad__answer_str(s->answer, "server", s->server);
    toad__answer_int(s->answer, "tools", s->tools);
    toad__answer_int(s->answer, "held", s->held);
    toad__answer_time(s->answer, "first_seen", s->first);
    toad__answer_time(s->answer, "changed_at", s->changed);
    toad__answer_end(s->answer);
}

static bool is_held(const toad__tool *t) { return !toad__str_eq(t->state, TOAD__S("trusted")); }

static bool count(void *ctx, const toad__tool *t) {
    summary *s = ctx;
    if (!s->tools || !toad__str_eq(s->server, t->server)) {
        end_server(s);
        s->server = toad__arena_dup(s->arena, t->server);
        s->full = !s->server.p;
        s->tools = s->held = s->changed = 0;
        s->first = t->first_seen;
    }
    s->tools++;
    s->held += is_held(t);
    if (t->first_seen < s->first) s->first = t->first_seen;
    if (t->last_seen > s->changed) s->changed = t->last_seen;
    return !s->full && !s->answer->status;
}

toad_status toad__pins_status(toad__host *host, toad__answer *answer) {
    summary s = { .answer = answer, .arena = &host->arena };
    toad__answer_array(answer, "servers");
    toad_status status = toad__host_store_failed(host, toad__store_tools(host->store, TOAD__S(""), 0, count, &s));
    end_server(&s);
    toad__answer_end(answer);
    return s.full ? toad__host_fail(host, TOAD_E_NOMEM, "out of memory") : status;
}

static const char *state_of(const toad__tool *t) { return is_held(t) ? "held" : t->by_user ? "approved" : "trusted"; }

static void add_members(const toad__tool *t, toad__answer *answer) {
    toad__answer_str(answer, "server", t->server);
    toad__answer_str(answer, "tool", t->name);
    toad__answer_z(answer, "state", state_of(t));
    toad__answer_some(answer, "why", t->why);
    toad__answer_str(answer, "digest", t->digest);
    toad__answer_some(answer, "approved", t->approved);
    toad__answer_bool(answer, "by_user", t->by_user);
    toad__answer_time(answer, "first_seen", t->first_seen);
    toad__answer_time(answer, "changed_at", t->last_seen);
}

typedef struct listing {
    toad__answer *answer;
    bool held_only;
} listing;

static bool list_one(void *ctx, const toad__tool *t) {
    const listing *l = ctx;
    if (l->held_only && !is_held(t)) return true;
    toad__answer_object(l->answer, NULL);
    add_members(t, l->answer);
    toad__answer_end(l->answer);
    return !l->answer->status;
}

toad_status toad__pins_list(toad__host *host, toad_str server, bool held_only, toad__answer *answer) {
    listing l = { answer, held_only };
    toad__answer_array(answer, "tools");
    toad_status status = toad__host_store_failed(host, toad__store_tools(host->store, server, 0, list_one, &l));
    toad__answer_end(answer);
    return status;
}

/* ---- compare ---- */

static void add_text(const toad__tool *t, toad_str diff, toad__buf *out) {
    bool same = toad__str_eq(t->digest, t->approved);
    toad__buf_add_z(out, "server   ");
    toad__json_add_str(out, t->server);
    toad__buf_add_z(out, "\ntool     ");
    toad__json_add_str(out, t->name);
    toad__buf_add_z(out, "\nstate    ");
    toad__buf_add_z(out, state_of(t));
    if (t->why.n) {
        toad__buf_add_z(out, "\nwhy      ");
        toad__json_add_str(out, t->why);
    }
    toad__buf_add_z(out, "\napproved ");
    toad__buf_add_str(out, t->approved.n ? t->approved : TOAD__S("never"));
    toad__buf_add_z(out, "\ndigest   ");
    toad__buf_add_str(out, t->digest);
    toad__buf_add_z(out, same ? "\n\nunchanged since it was trusted:\n" : t->approved.n ? "\n\n" : "\n\nnew:\n");
    toad__buf_add_str(out, diff);
}

static toad_status add_diff(toad__host *host, const toad__tool *t, toad__answer *answer) {
    toad__buf diff, text;
    bool same = toad__str_eq(t->digest, t->approved);
    toad__buf_init(&diff, TOAD__HOST_ANSWER_MAX / 4);
    toad__buf_init(&text, TOAD__HOST_ANSWER_MAX / 2);
    toad_status status =
        toad__pin_diff(same ? TOAD__S("") : t->approved_definition, t->definition, &host->arena, &diff);
    add_text(t, diff.n ? toad__buf_str(&diff) : TOAD__S(""), &text);
    if (!status) status = text.status;
    if (!status) toad__answer_str(answer, "text", toad__buf_str(&text));
    toad__buf_free(&diff);
    toad__buf_free(&text);
    return status;
}

static bool refused_tool(toad__host *host, const char *what, toad_str server, toad_str tool, toad_str digest,
                         toad__answer *answer) {
    toad__buf about;
    toad__buf_init(&about, 1u << 20);
    toad__about(&about, "server", server);
    toad__about(&about, "tool", tool.n ? tool : TOAD__S("all"));
    if (digest.n) toad__about(&about, "sha256", digest);
    bool refused = toad__refused(host, what, toad__buf_str(&about), answer);
    toad__buf_free(&about);
    return refused;
}

toad_status toad__pins_diff(toad__host *host, toad_str server, toad_str tool, toad__answer *answer) {
    toad__tool t;
    if (toad__refused_to_model(host, "look at the definition of a held tool", answer)) return TOAD_OK;
    toad_status status =
        toad__host_store_failed(host, toad__store_tool_get(host->store, server, tool, &host->arena, &t));
    if (status) return status;
    if (is_held(&t) && refused_tool(host, "look at the definition of a held tool", server, tool, t.digest, answer))
        return TOAD_OK;
    add_members(&t, answer);
    toad__answer_some(answer, "old", t.approved_definition);
    toad__answer_str(answer, "new", t.definition);
    status = add_diff(host, &t, answer);
    return status
               ? toad__host_fail(host, status, "the definitions could not be compared: %s", toad_status_message(status))
               : TOAD_OK;
}

/* ---- decide ---- */

toad_status toad__pins_approve(toad__host *host, toad_str server, toad_str tool, toad_str digest,
                               toad__answer *answer) {
    if (toad__refused_to_model(host, "approve a tool", answer)) return TOAD_OK;
    if (digest.n != 64)
        return toad__host_fail(host, TOAD_E_ARG,
                               "an approval is bound to what you saw: give the digest that 'proxy diff' prints");
    if (refused_tool(host, "approve a tool", server, tool, digest, answer)) return TOAD_OK;
    toad_status status = toad__host_store_failed(host, toad__store_tool_approve(host->store, server, tool, digest));
    if (status) return status;
    toad__answer_bool(answer, "success", true);
    toad__answer_str(answer, "server", server);
    toad__answer_str(answer, "tool", tool);
    toad__answer_str(answer, "digest", digest);
    return TOAD_OK;
}

toad_status toad__pins_forget(toad__host *host, toad_str server, toad_str tool, toad__answer *answer) {
    uint64_t removed;
    if (toad__refused_to_model(host, "forget a tool", answer)) return TOAD_OK;
    if (refused_tool(host, "forget a tool", server, tool, TOAD__S(""), answer)) return TOAD_OK;
    toad_status status = toad__host_store_failed(host, toad__store_tools_forget(host->store, server, tool, &removed));
    if (status) return status;
    toad__answer_bool(answer, "success", true);
    toad__answer_int(answer, "removed", (int64_t)removed);
    return TOAD_OK;
}
