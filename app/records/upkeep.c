/* upkeep.c - see upkeep.h. An export holds one record in memory at a time. */
#include "app/records/upkeep.h"

#include "app/records/audit.h"
#include "app/host/authority.h"
#include "app/host/jsonl.h"
#include "lib/base/str.h"
#include "lib/base/utf8.h"

#include <stdlib.h>

bzr_status bzr__upkeep_stats(bzr__host *host, bzr__buf *answer) {
    bzr__store_stats s;
    bzr_status status = bzr__host_store_failed(host, bzr__store_stats_get(host->store, &s));
    if (status) return status;
    const struct {
        const char *key;
        uint64_t value;
    } numbers[] = {
        { "total_contents", s.total_contents },
        { "total_urls", s.total_urls },
        { "accessed", s.accessed },
        { "blocked", s.blocked },
        { "warned", s.warned },
        { "expired", s.expired },
        { "body_bytes", s.body_bytes },
        { "packed_bytes", s.packed_bytes },
        { "memories", s.memories },
        { "sources", s.sources },
        { "settings", s.settings },
        { "sessions", s.sessions },
        { "events", s.events },
        { "learnings", s.learnings },
        { "confirmations", s.confirmations },
        { "pending_confirmations", s.pending },
        { "version", s.version },
    };
    bzr__buf_add_c(answer, '{');
    bzr__answer_z(answer, "backend", bzr__store_backend(host->store));
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        bzr__answer_int(answer, numbers[i].key, (int64_t)numbers[i].value);
    bzr__buf_add_c(answer, '}');
    return BZR_OK;
}

bzr_status bzr__upkeep_purge(bzr__host *host, const char *until, bzr__buf *answer) {
    int64_t before = 0;
    uint64_t contents, events = 0;
    if (bzr__refused_to_model(host, "purge the store", answer)) return BZR_OK;
    if (until && !bzr__time_read(until, bzr__store_now(host->store), &before))
        return bzr__host_fail(host, BZR_E_ARG, "--until: that is no time: write 2026-01-31 or 90d for so long ago");
    bzr_status status = bzr__store_contents_purge(host->store, &contents);
    if (!status && until) status = bzr__store_audit_purge(host->store, before, &events);
    if (status) return bzr__host_store_failed(host, status);
    bzr__buf_add_c(answer, '{');
    bzr__answer_bool(answer, "success", true);
    bzr__answer_int(answer, "contents_removed", (int64_t)contents);
    bzr__answer_int(answer, "events_removed", (int64_t)events);
    bzr__buf_add_c(answer, '}');
    return BZR_OK;
}

bzr_status bzr__upkeep_backup(bzr__host *host, const char *path, bzr__buf *answer) {
    if (bzr__refused_to_model(host, "back up the store", answer)) return BZR_OK;
    bzr_status status = bzr__host_store_failed(host, bzr__store_backup(host->store, path));
    if (status) return status;
    bzr__buf_add_c(answer, '{');
    bzr__answer_bool(answer, "success", true);
    bzr__answer_z(answer, "backup", path);
    bzr__buf_add_c(answer, '}');
    return BZR_OK;
}

bzr_status bzr__upkeep_verify(bzr__host *host, bzr__buf *answer) {
    bzr__buf audit;
    bzr_status files = bzr__store_check(host->store);
    if (files && files != BZR_E_IO) return bzr__host_store_failed(host, files);
    if (files) {
        bzr__refuse(answer, bzr__store_message());
        return BZR_OK;
    }
    bzr__buf_init(&audit, 1u << 16);
    bzr_status status = bzr__audit_verify(host, NULL, &audit);
    if (!status && audit.status) status = bzr__host_fail(host, audit.status, "%s", bzr_status_message(audit.status));
    bool ok = !status && bzr__str_starts(bzr__buf_str(&audit), BZR__S("{\"success\":true"));
    bzr__buf_add_c(answer, '{');
    bzr__answer_bool(answer, "success", ok);
    if (!ok) bzr__answer_z(answer, "error", "the audit log is broken; see 'audit verify'");
    bzr__answer_z(answer, "store", "ok");
    bzr__answer_json(answer, "audit", bzr__buf_str(&audit));
    bzr__buf_add_c(answer, '}');
    bzr__buf_free(&audit);
    return status;
}

/* ---- export ---- */

typedef struct exporter {
    bzr__upkeep_sink sink;
    void *ctx;
    bzr__buf line;
    bool stop;
    char (*ids)[24]; /* of contents, which are read one by one */
    size_t n, cap;
    bool full;
} exporter;

static bzr__buf *begin(exporter *x, const char *record) {
    bzr__buf_clear(&x->line);
    bzr__buf_add_c(&x->line, '{');
    bzr__answer_z(&x->line, "record", record);
    return &x->line;
}

static bool end(exporter *x) {
    bzr__buf_add_z(&x->line, "}\n");
    x->stop = x->line.status || !x->sink(x->ctx, bzr__buf_str(&x->line));
    return !x->stop;
}

static bool give_memory(void *ctx, const bzr__memory *m) {
    bzr__buf *b = begin(ctx, "memory");
    bzr__answer_str(b, "id", m->id);
    bzr__answer_str(b, "content", m->content);
    bzr__answer_str(b, "category", m->category);
    bzr__answer_z(b, "provenance", bzr_provenance_name(m->provenance));
    bzr__answer_str(b, "source", m->source);
    bzr__answer_str(b, "session_id", m->session_id);
    bzr__answer_str(b, "parents", m->parents);
    bzr__answer_time(b, "created_at", m->created_at);
    bzr__answer_time(b, "updated_at", m->updated_at);
    bzr__answer_int(b, "revision", m->revision);
    bzr__answer_str(b, "sha256", m->sha256);
    return end(ctx);
}

static bool give_source(void *ctx, const bzr__source *s) {
    bzr__buf *b = begin(ctx, "source");
    bzr__answer_str(b, "kind", s->kind);
    bzr__answer_str(b, "name", s->name);
    bzr__answer_str(b, "domain", s->domain);
    bzr__answer_int(b, "scan_count", s->scan_count);
    bzr__answer_int(b, "blocked_count", s->blocked_count);
    bzr__answer_int(b, "warned_count", s->warned_count);
    bzr__answer_time(b, "first_seen", s->first_seen);
    bzr__answer_time(b, "last_scanned", s->last_scanned);
    bzr__answer_time(b, "last_accessed", s->last_accessed);
    return end(ctx);
}

static bool give_setting(void *ctx, const bzr__setting *s) {
    bzr__buf *b = begin(ctx, "setting");
    bzr__answer_str(b, "kind", s->kind);
    bzr__answer_str(b, "pattern", s->pattern);
    bzr__answer_str(b, "setting", s->setting);
    bzr__answer_str(b, "note", s->note);
    bzr__answer_time(b, "set_at", s->set_at);
    return end(ctx);
}

static bool give_learning(void *ctx, const bzr__learning *l) {
    bzr__buf *b = begin(ctx, "learning");
    bzr__answer_str(b, "id", l->id);
    bzr__answer_str(b, "category", l->category);
    bzr__answer_str(b, "content", l->content);
    bzr__answer_str(b, "pattern_type", l->pattern_type);
    bzr__answer_str(b, "domain", l->domain);
    bzr__answer_str(b, "url", l->url);
    bzr__answer_time(b, "first_at", l->first_at);
    bzr__answer_time(b, "last_at", l->last_at);
    bzr__answer_int(b, "reappeared_count", l->reappeared_count);
    return end(ctx);
}

static bool give_confirmation(void *ctx, const bzr__confirmation *c) {
    bzr__buf *b = begin(ctx, "confirmation");
    bzr__answer_z(b, "id", c->id);
    bzr__answer_str(b, "session_id", c->session_id);
    bzr__answer_str(b, "tool", c->tool);
    bzr__answer_str(b, "arguments", c->arguments);
    bzr__answer_str(b, "content_ids", c->content_ids);
    bzr__answer_str(b, "state", c->state);
    bzr__answer_time(b, "created_at", c->created_at);
    bzr__answer_time(b, "expires_at", c->expires_at);
    bzr__answer_time(b, "answered_at", c->answered_at);
    return end(ctx);
}

static bool give_session(void *ctx, const bzr__session *s) {
    bzr__buf *b = begin(ctx, "session");
    bzr__answer_str(b, "id", s->id);
    bzr__answer_str(b, "agent", s->agent);
    bzr__answer_str(b, "details", s->details);
    bzr__answer_time(b, "started_at", s->started_at);
    bzr__answer_time(b, "last_at", s->last_at);
    return end(ctx);
}

static bool give_tool(void *ctx, const bzr__tool *t) {
    bzr__buf *b = begin(ctx, "tool");
    bzr__answer_str(b, "server", t->server);
    bzr__answer_str(b, "name", t->name);
    bzr__answer_str(b, "state", t->state);
    bzr__answer_str(b, "why", t->why);
    bzr__answer_str(b, "digest", t->digest);
    bzr__answer_str(b, "definition", t->definition);
    bzr__answer_str(b, "approved", t->approved);
    bzr__answer_str(b, "approved_definition", t->approved_definition);
    bzr__answer_bool(b, "by_user", t->by_user);
    bzr__answer_time(b, "first_seen", t->first_seen);
    bzr__answer_time(b, "changed_at", t->last_seen);
    return end(ctx);
}

static bool give_event(void *ctx, bzr_str line) {
    exporter *x = ctx;
    bzr__buf_clear(&x->line);
    bzr__buf_add_z(&x->line, "{\"record\":\"event\",");
    bzr__buf_add(&x->line, line.p + 1, line.n - 1);
    x->stop = x->line.status || !x->sink(x->ctx, bzr__buf_str(&x->line));
    return !x->stop;
}

static bool keep_id(void *ctx, const bzr__content *c) {
    exporter *x = ctx;
    if (x->n == x->cap) {
        size_t cap = x->cap ? 2 * x->cap : 256;
        void *longer = realloc(x->ids, cap * sizeof *x->ids);
        x->full = !longer;
        if (!longer) return false;
        x->ids = longer;
        x->cap = cap;
    }
    memcpy(x->ids[x->n++], c->id, sizeof *x->ids);
    return true;
}

static void add_body(bzr__buf *b, bzr_str body) {
    if (bzr__utf8_valid_upto(body) == body.n) {
        bzr__answer_str(b, "body", body.p ? body : BZR__S(""));
        return;
    }
    bzr__json_add_key(b, "body_b64");
    bzr__buf_add_c(b, '"');
    bzr__base64_add(b, body);
    bzr__buf_add_c(b, '"');
}

static void add_content(bzr__buf *b, const bzr__content *c) {
    bzr__answer_z(b, "id", c->id);
    bzr__answer_str(b, "url", c->url);
    bzr__answer_str(b, "domain", c->domain);
    bzr__answer_str(b, "kind", c->kind);
    bzr__answer_str(b, "title", c->title);
    bzr__answer_str(b, "session_id", c->session_id);
    bzr__answer_str(b, "action", c->action);
    bzr__answer_str(b, "severity", c->severity);
    bzr__answer_str(b, "completeness", c->completeness);
    bzr__answer_str(b, "pattern_matched", c->pattern_matched);
    bzr__answer_str(b, "findings", c->findings);
    bzr__answer_z(b, "digest", c->digest);
    bzr__answer_bool(b, "intact", c->intact);
    bzr__answer_int(b, "bytes", (int64_t)c->size);
    bzr__answer_bool(b, "truncated", c->truncated);
    bzr__answer_time(b, "stored_at", c->stored_at);
    bzr__answer_time(b, "accessed_at", c->accessed_at);
    bzr__answer_time(b, "released_at", c->released_at);
    add_body(b, c->body);
}

/* One body at a time, each in an arena of its own. */
static bzr_status give_contents(bzr__host *host, exporter *x) {
    bzr__content_filter all = { .limit = UINT64_MAX };
    bzr_status status = bzr__host_store_failed(host, bzr__store_contents(host->store, &all, keep_id, x));
    for (size_t i = 0; !status && !x->stop && i < x->n; i++) {
        bzr__arena arena;
        bzr__content c;
        bzr__arena_init(&arena, BZR__HOST_ANSWER_MAX);
        status = bzr__store_content_get(host->store, bzr__str_z(x->ids[i]), true, &arena, &c);
        if (!status) {
            add_content(begin(x, "content"), &c);
            end(x);
        }
        bzr__arena_free(&arena);
        status = status == BZR_E_NOT_FOUND ? BZR_OK : bzr__host_store_failed(host, status); /* expired meanwhile */
    }
    return status;
}

static bzr_status give_all(bzr__host *host, exporter *x) {
    int64_t after = 0;
    bzr__store *s = host->store;
    const bzr__audit_query_in every = { 0 };
    bzr_status status = give_contents(host, x);
    if (!status && !x->stop)
        status = bzr__host_store_failed(
            host, bzr__store_memories(s, &(bzr__memory_filter){ .at_most = BZR_USER }, give_memory, x));
    if (!status && !x->stop)
        status = bzr__host_store_failed(
            host, bzr__store_sources(s, &(bzr__source_filter){ .limit = UINT64_MAX }, give_source, x));
    if (!status && !x->stop) status = bzr__host_store_failed(host, bzr__store_settings(s, give_setting, x));
    if (!status && !x->stop) status = bzr__host_store_failed(host, bzr__store_sessions(s, UINT64_MAX, give_session, x));
    if (!status && !x->stop)
        status = bzr__host_store_failed(host, bzr__store_learnings(s, BZR__S(""), UINT64_MAX, give_learning, x));
    if (!status && !x->stop)
        status =
            bzr__host_store_failed(host, bzr__store_confirmations(s, BZR__S(""), UINT64_MAX, give_confirmation, x));
    if (!status && !x->stop)
        status = bzr__host_store_failed(host, bzr__store_tools(s, BZR__S(""), UINT64_MAX, give_tool, x));
    return status || x->stop ? status : bzr__audit_export(host, &every, BZR__AUDIT_JSONL, give_event, x, &after);
}

bzr_status bzr__upkeep_export(bzr__host *host, bzr__upkeep_sink sink, void *ctx) {
    exporter x = { .sink = sink, .ctx = ctx };
    if (host->by == BZR__READER_MODEL) return bzr__host_fail(host, BZR_E_STATE, "only the user may export the store");
    bzr__buf_init(&x.line, BZR__HOST_ANSWER_MAX);
    bzr_status status = give_all(host, &x);
    if (!status && x.full) status = bzr__host_fail(host, BZR_E_NOMEM, "%s", bzr_status_message(BZR_E_NOMEM));
    if (!status && x.line.status)
        status =
            bzr__host_fail(host, x.line.status, "a record could not be written: %s", bzr_status_message(x.line.status));
    free(x.ids);
    bzr__buf_free(&x.line);
    return status;
}
