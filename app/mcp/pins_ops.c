/* pins_ops.c - the operations on pins: look, compare, approve, forget. */
#include "app/host/authority.h"
#include "app/mcp/pins_internal.h"

/* ---- look ---- */

typedef struct summary {
    bzr__buf *answer;
    bzr__arena *arena;
    bzr_str server;
    int64_t tools, held, first, changed;
    bool full;
} summary;

static void end_server(summary *s) {
    if (!s->tools) return;
    bzr__json_add_key(s->answer, NULL);
    bzr__buf_add_c(s->answer, '{');
    bzr__answer_str(s->answer, "server", s->server);
    bzr__answer_int(s->answer, "tools", s->tools);
    bzr__answer_int(s->answer, "held", s->held);
    bzr__answer_time(s->answer, "first_seen", s->first);
    bzr__answer_time(s->answer, "changed_at", s->changed);
    bzr__buf_add_c(s->answer, '}');
}

static bool is_held(const bzr__tool *t) { return !bzr__str_eq(t->state, BZR__S("trusted")); }

static bool count(void *ctx, const bzr__tool *t) {
    summary *s = ctx;
    if (!s->tools || !bzr__str_eq(s->server, t->server)) {
        end_server(s);
        s->server = bzr__arena_dup(s->arena, t->server);
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

bzr_status bzr__pins_status(bzr__host *host, bzr__buf *answer) {
    summary s = { .answer = answer, .arena = &host->arena };
    bzr__buf_add_z(answer, "{\"servers\":[");
    bzr_status status = bzr__host_store_failed(host, bzr__store_tools(host->store, BZR__S(""), 0, count, &s));
    end_server(&s);
    bzr__buf_add_z(answer, "]}");
    return s.full ? bzr__host_fail(host, BZR_E_NOMEM, "out of memory") : status;
}

static const char *state_of(const bzr__tool *t) { return is_held(t) ? "held" : t->by_user ? "approved" : "trusted"; }

static void add_members(const bzr__tool *t, bzr__buf *answer) {
    bzr__answer_str(answer, "server", t->server);
    bzr__answer_str(answer, "tool", t->name);
    bzr__answer_z(answer, "state", state_of(t));
    bzr__answer_str(answer, "why", t->why.n ? t->why : bzr__str(NULL, 0));
    bzr__answer_str(answer, "digest", t->digest);
    bzr__answer_str(answer, "approved", t->approved.n ? t->approved : bzr__str(NULL, 0));
    bzr__answer_bool(answer, "by_user", t->by_user);
    bzr__answer_time(answer, "first_seen", t->first_seen);
    bzr__answer_time(answer, "changed_at", t->last_seen);
}

typedef struct listing {
    bzr__buf *answer;
    bool held_only;
} listing;

static bool list_one(void *ctx, const bzr__tool *t) {
    const listing *l = ctx;
    if (l->held_only && !is_held(t)) return true;
    bzr__json_add_key(l->answer, NULL);
    bzr__buf_add_c(l->answer, '{');
    add_members(t, l->answer);
    bzr__buf_add_c(l->answer, '}');
    return !l->answer->status;
}

bzr_status bzr__pins_list(bzr__host *host, bzr_str server, bool held_only, bzr__buf *answer) {
    listing l = { answer, held_only };
    bzr__buf_add_z(answer, "{\"tools\":[");
    bzr_status status = bzr__host_store_failed(host, bzr__store_tools(host->store, server, 0, list_one, &l));
    bzr__buf_add_z(answer, "]}");
    return status;
}

/* ---- compare ---- */

static void add_text(const bzr__tool *t, bzr_str diff, bzr__buf *out) {
    bool same = bzr__str_eq(t->digest, t->approved);
    bzr__buf_add_z(out, "server   ");
    bzr__json_add_str(out, t->server);
    bzr__buf_add_z(out, "\ntool     ");
    bzr__json_add_str(out, t->name);
    bzr__buf_add_z(out, "\nstate    ");
    bzr__buf_add_z(out, state_of(t));
    if (t->why.n) {
        bzr__buf_add_z(out, "\nwhy      ");
        bzr__json_add_str(out, t->why);
    }
    bzr__buf_add_z(out, "\napproved ");
    bzr__buf_add_str(out, t->approved.n ? t->approved : BZR__S("never"));
    bzr__buf_add_z(out, "\ndigest   ");
    bzr__buf_add_str(out, t->digest);
    bzr__buf_add_z(out, same ? "\n\nunchanged since it was trusted:\n" : t->approved.n ? "\n\n" : "\n\nnew:\n");
    bzr__buf_add_str(out, diff);
}

static bzr_status add_diff(bzr__host *host, const bzr__tool *t, bzr__buf *answer) {
    bzr__buf diff, text;
    bool same = bzr__str_eq(t->digest, t->approved);
    bzr__buf_init(&diff, BZR__HOST_ANSWER_MAX / 4);
    bzr__buf_init(&text, BZR__HOST_ANSWER_MAX / 2);
    bzr_status status = bzr__pin_diff(same ? BZR__S("") : t->approved_definition, t->definition, &host->arena, &diff);
    add_text(t, diff.n ? bzr__buf_str(&diff) : BZR__S(""), &text);
    if (!status) status = text.status;
    if (!status) bzr__answer_str(answer, "text", bzr__buf_str(&text));
    bzr__buf_free(&diff);
    bzr__buf_free(&text);
    return status;
}

bzr_status bzr__pins_diff(bzr__host *host, bzr_str server, bzr_str tool, bzr__buf *answer) {
    bzr__tool t;
    if (bzr__refused_to_model(host, "look at the definition of a held tool", answer)) return BZR_OK;
    bzr_status status = bzr__host_store_failed(host, bzr__store_tool_get(host->store, server, tool, &host->arena, &t));
    if (status) return status;
    bzr__buf_add_c(answer, '{');
    add_members(&t, answer);
    bzr__answer_str(answer, "old", t.approved_definition.n ? t.approved_definition : bzr__str(NULL, 0));
    bzr__answer_str(answer, "new", t.definition);
    status = add_diff(host, &t, answer);
    bzr__buf_add_c(answer, '}');
    return status
               ? bzr__host_fail(host, status, "the definitions could not be compared: %s", bzr_status_message(status))
               : BZR_OK;
}

/* ---- decide ---- */

bzr_status bzr__pins_approve(bzr__host *host, bzr_str server, bzr_str tool, bzr_str digest, bzr__buf *answer) {
    if (bzr__refused_to_model(host, "approve a tool", answer)) return BZR_OK;
    if (digest.n != 64)
        return bzr__host_fail(host, BZR_E_ARG,
                              "an approval is bound to what you saw: give the digest that 'proxy diff' prints");
    bzr_status status = bzr__host_store_failed(host, bzr__store_tool_approve(host->store, server, tool, digest));
    if (status) return status;
    bzr__buf_add_c(answer, '{');
    bzr__answer_bool(answer, "success", true);
    bzr__answer_str(answer, "server", server);
    bzr__answer_str(answer, "tool", tool);
    bzr__answer_str(answer, "digest", digest);
    bzr__buf_add_c(answer, '}');
    return BZR_OK;
}

bzr_status bzr__pins_forget(bzr__host *host, bzr_str server, bzr_str tool, bzr__buf *answer) {
    uint64_t removed;
    if (bzr__refused_to_model(host, "forget a tool", answer)) return BZR_OK;
    bzr_status status = bzr__host_store_failed(host, bzr__store_tools_forget(host->store, server, tool, &removed));
    if (status) return status;
    bzr__buf_add_c(answer, '{');
    bzr__answer_bool(answer, "success", true);
    bzr__answer_int(answer, "removed", (int64_t)removed);
    bzr__buf_add_c(answer, '}');
    return BZR_OK;
}
