/* upkeep.c - see upkeep.h. An export holds one record in memory at a time. */
#include "app/records/upkeep.h"

#include "app/host/authority.h"
#include "app/host/jsonl.h"
#include "app/records/audit.h"
#include "lib/base/str.h"
#include "lib/base/utf8.h"

toad_status toad__upkeep_stats(toad__host *host, toad__answer *answer) {
    toad__store_stats s;
    toad_status status = toad__host_store_failed(host, toad__store_stats_get(host->store, &s));
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
        { "applied_confirmations", s.applied },
        { "skipped_confirmations", s.skipped },
        { "version", s.version },
    };
    toad__answer_z(answer, "backend", toad__store_backend(host->store));
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        toad__answer_int(answer, numbers[i].key, (int64_t)numbers[i].value);
    return TOAD_OK;
}

toad_status toad__upkeep_purge(toad__host *host, const char *until, toad__answer *answer) {
    int64_t before = 0;
    uint64_t contents, events = 0;
    if (toad__refused_to_model(host, "purge the store", answer)) return TOAD_OK;
    if (until && !toad__time_read(until, toad__store_now(host->store), &before))
        return toad__host_fail(host, TOAD_E_ARG, "--until: that is no time: write 2026-01-31 or 90d for so long ago");
    if (until && toad__refused(host, "purge the audit log", TOAD__S(""), answer)) return TOAD_OK;
    toad_status status = toad__store_contents_purge(host->store, &contents);
    if (!status && until) status = toad__store_audit_purge(host->store, before, &events);
    if (status) return toad__host_store_failed(host, status);
    toad__answer_bool(answer, "success", true);
    toad__answer_int(answer, "contents_removed", (int64_t)contents);
    toad__answer_int(answer, "events_removed", (int64_t)events);
    return TOAD_OK;
}

toad_status toad__upkeep_backup(toad__host *host, const char *path, toad__answer *answer) {
    if (toad__refused_to_model(host, "back up the store", answer)) return TOAD_OK;
    toad_status status = toad__host_store_failed(host, toad__store_backup(host->store, path));
    if (status) return status;
    toad__answer_bool(answer, "success", true);
    toad__answer_z(answer, "backup", path);
    return TOAD_OK;
}

toad_status toad__upkeep_verify(toad__host *host, toad__answer *answer) {
    toad__audit_report report;
    toad_status status = toad__store_check(host->store);
    if (status == TOAD_E_IO) {
        toad__refuse(answer, toad__store_message());
        return TOAD_OK;
    }
    if (!status) status = toad__store_audit_verify(host->store, NULL, &report);
    if (status) return toad__host_store_failed(host, status);
    toad__answer_bool(answer, "success", report.ok);
    if (!report.ok) toad__answer_z(answer, "error", "the audit log is broken; see 'audit verify'");
    toad__answer_z(answer, "store", "ok");
    toad__answer_object(answer, "audit");
    toad__audit_report_answer(&report, answer);
    toad__answer_end(answer);
    return TOAD_OK;
}

/* ---- export ---- */

typedef struct exporter {
    toad__upkeep_sink sink;
    void *ctx;
    toad__answer record;
    toad__buf line;
    bool stop;
    toad__arena arena;
    char (*ids)[24]; /* of contents, which are read one by one */
    size_t n, cap;
    bool full;
} exporter;

static toad__answer *begin(exporter *x, const char *record) {
    toad__answer_clear(&x->record);
    toad__answer_z(&x->record, "record", record);
    return &x->record;
}

static bool give(exporter *x) {
    x->stop = x->line.status || !x->sink(x->ctx, toad__buf_str(&x->line));
    return !x->stop;
}

static bool end(exporter *x) {
    toad__buf_clear(&x->line);
    toad__answer_write(&x->record, &x->line);
    toad__buf_add_c(&x->line, '\n');
    return give(x);
}

static bool give_memory(void *ctx, const toad__memory *m) {
    toad__answer *b = begin(ctx, "memory");
    toad__answer_str(b, "id", m->id);
    toad__answer_str(b, "content", m->content);
    toad__answer_str(b, "category", m->category);
    toad__answer_z(b, "provenance", toad_provenance_name(m->provenance));
    toad__answer_str(b, "source", m->source);
    toad__answer_str(b, "session_id", m->session_id);
    toad__answer_str(b, "parents", m->parents);
    toad__answer_time(b, "created_at", m->created_at);
    toad__answer_time(b, "updated_at", m->updated_at);
    toad__answer_int(b, "revision", m->revision);
    toad__answer_str(b, "sha256", m->sha256);
    return end(ctx);
}

static bool give_source(void *ctx, const toad__source *s) {
    toad__answer *b = begin(ctx, "source");
    toad__answer_str(b, "kind", s->kind);
    toad__answer_str(b, "name", s->name);
    toad__answer_str(b, "domain", s->domain);
    toad__answer_int(b, "scan_count", s->scan_count);
    toad__answer_int(b, "blocked_count", s->blocked_count);
    toad__answer_int(b, "warned_count", s->warned_count);
    toad__answer_time(b, "first_seen", s->first_seen);
    toad__answer_time(b, "last_scanned", s->last_scanned);
    toad__answer_time(b, "last_accessed", s->last_accessed);
    return end(ctx);
}

static bool give_setting(void *ctx, const toad__setting *s) {
    toad__answer *b = begin(ctx, "setting");
    toad__answer_str(b, "kind", s->kind);
    toad__answer_str(b, "pattern", s->pattern);
    toad__answer_str(b, "setting", s->setting);
    toad__answer_str(b, "note", s->note);
    toad__answer_time(b, "set_at", s->set_at);
    return end(ctx);
}

static bool give_learning(void *ctx, const toad__learning *l) {
    toad__answer *b = begin(ctx, "learning");
    toad__answer_str(b, "id", l->id);
    toad__answer_str(b, "category", l->category);
    toad__answer_str(b, "content", l->content);
    toad__answer_str(b, "pattern_type", l->pattern_type);
    toad__answer_str(b, "domain", l->domain);
    toad__answer_str(b, "url", l->url);
    toad__answer_time(b, "first_at", l->first_at);
    toad__answer_time(b, "last_at", l->last_at);
    toad__answer_int(b, "reappeared_count", l->reappeared_count);
    return end(ctx);
}

static bool give_confirmation(void *ctx, const toad__confirmation *c) {
    toad__answer *b = begin(ctx, "confirmation");
    toad__answer_z(b, "id", c->id);
    toad__answer_str(b, "session_id", c->session_id);
    toad__answer_str(b, "tool", c->tool);
    toad__answer_str(b, "arguments", c->arguments);
    toad__answer_str(b, "content_ids", c->content_ids);
    toad__answer_str(b, "state", c->state);
    toad__answer_time(b, "created_at", c->created_at);
    toad__answer_time(b, "expires_at", c->expires_at);
    toad__answer_time(b, "answered_at", c->answered_at);
    return end(ctx);
}

static bool give_session(void *ctx, const toad__session *s) {
    toad__answer *b = begin(ctx, "session");
    toad__answer_str(b, "id", s->id);
    toad__answer_str(b, "agent", s->agent);
    toad__answer_str(b, "details", s->details);
    toad__answer_time(b, "started_at", s->started_at);
    toad__answer_time(b, "last_at", s->last_at);
    return end(ctx);
}

static bool give_tool(void *ctx, const toad__tool *t) {
    toad__answer *b = begin(ctx, "tool");
    toad__answer_str(b, "server", t->server);
    toad__answer_str(b, "name", t->name);
    toad__answer_str(b, "state", t->state);
    toad__answer_str(b, "why", t->why);
    toad__answer_str(b, "digest", t->digest);
    toad__answer_str(b, "definition", t->definition);
    toad__answer_str(b, "approved", t->approved);
    toad__answer_str(b, "approved_definition", t->approved_definition);
    toad__answer_bool(b, "by_user", t->by_user);
    toad__answer_time(b, "first_seen", t->first_seen);
    toad__answer_time(b, "changed_at", t->last_seen);
    return end(ctx);
}

static bool give_event(void *ctx, toad_str line) {
    exporter *x = ctx;
    toad__buf_clear(&x->line);
    toad__buf_add_z(&x->line, "{\"record\":\"event\",");
    toad__buf_add(&x->line, line.p + 1, line.n - 1);
    return give(x);
}

static bool keep_id(void *ctx, const toad__content *c) {
    exporter *x = ctx;
    char(*ids)[24] = toad__arena_room(&x->arena, x->ids, x->n, &x->cap, sizeof *ids);
    x->full = !ids;
    if (!ids) return false;
    x->ids = ids;
    memcpy(x->ids[x->n++], c->id, sizeof *x->ids);
    return true;
}

static void add_body(toad__answer *b, toad_str body) {
    toad__buf text;
    if (toad__utf8_valid_upto(body) == body.n) {
        toad__answer_str(b, "body", body.p ? body : TOAD__S(""));
        return;
    }
    toad__buf_init(&text, TOAD__HOST_ANSWER_MAX);
    toad__base64_add(&text, body);
    toad__answer_str(b, "body_b64", toad__buf_str(&text));
    if (text.status) b->status = text.status;
    toad__buf_free(&text);
}

static void add_content(toad__answer *b, const toad__content *c) {
    toad__answer_z(b, "id", c->id);
    toad__answer_str(b, "url", c->url);
    toad__answer_str(b, "domain", c->domain);
    toad__answer_str(b, "kind", c->kind);
    toad__answer_str(b, "title", c->title);
    toad__answer_str(b, "session_id", c->session_id);
    toad__answer_str(b, "action", c->action);
    toad__answer_str(b, "severity", c->severity);
    toad__answer_str(b, "completeness", c->completeness);
    toad__answer_str(b, "pattern_matched", c->pattern_matched);
    toad__answer_str(b, "findings", c->findings);
    toad__answer_z(b, "digest", c->digest);
    toad__answer_bool(b, "intact", c->intact);
    toad__answer_int(b, "bytes", (int64_t)c->size);
    toad__answer_bool(b, "truncated", c->truncated);
    toad__answer_time(b, "stored_at", c->stored_at);
    toad__answer_time(b, "accessed_at", c->accessed_at);
    toad__answer_time(b, "released_at", c->released_at);
    add_body(b, c->body);
}

/* One body at a time, each in an arena of its own. */
static toad_status give_contents(toad__host *host, exporter *x) {
    toad__content_filter all = { .limit = UINT64_MAX };
    toad_status status = toad__host_store_failed(host, toad__store_contents(host->store, &all, keep_id, x));
    for (size_t i = 0; !status && !x->stop && i < x->n; i++) {
        toad__arena arena;
        toad__content c;
        toad__arena_init(&arena, TOAD__HOST_ANSWER_MAX);
        status = toad__store_content_get(host->store, toad__str_z(x->ids[i]), true, &arena, &c);
        if (!status) {
            add_content(begin(x, "content"), &c);
            end(x);
        }
        toad__arena_free(&arena);
        status = status == TOAD_E_NOT_FOUND ? TOAD_OK : toad__host_store_failed(host, status); /* expired meanwhile */
    }
    return status;
}

static toad_status give_all(toad__host *host, exporter *x) {
    int64_t after = 0;
    toad__store *s = host->store;
    const toad__audit_query_in every = { 0 };
    toad_status status = give_contents(host, x);
    if (status) return status;
    if (!status && !x->stop)
        status = toad__store_memories(s, &(toad__memory_filter){ .at_most = TOAD_USER }, give_memory, x);
    if (!status && !x->stop)
        status = toad__store_sources(s, &(toad__source_filter){ .limit = UINT64_MAX }, give_source, x);
    if (!status && !x->stop) status = toad__store_settings(s, give_setting, x);
    if (!status && !x->stop) status = toad__store_sessions(s, UINT64_MAX, give_session, x);
    if (!status && !x->stop) status = toad__store_learnings(s, TOAD__S(""), UINT64_MAX, give_learning, x);
    if (!status && !x->stop) status = toad__store_confirmations(s, TOAD__S(""), UINT64_MAX, give_confirmation, x);
    if (!status && !x->stop) status = toad__store_tools(s, TOAD__S(""), UINT64_MAX, give_tool, x);
    if (status) return toad__host_store_failed(host, status);
    return x->stop ? TOAD_OK : toad__audit_export(host, &every, TOAD__AUDIT_JSONL, give_event, x, &after);
}

toad_status toad__upkeep_export(toad__host *host, toad__upkeep_sink sink, void *ctx) {
    exporter x = { .sink = sink, .ctx = ctx };
    if (host->by == TOAD__READER_MODEL)
        return toad__host_fail(host, TOAD_E_STATE, "only the user may export the store");
    toad__arena_init(&x.arena, TOAD__HOST_ANSWER_MAX);
    toad__answer_init(&x.record, TOAD__HOST_ANSWER_MAX);
    toad__buf_init(&x.line, TOAD__HOST_ANSWER_MAX);
    toad_status status = give_all(host, &x);
    if (!status && x.full) status = toad__host_failed(host, TOAD_E_NOMEM);
    if (!status && x.line.status)
        status = toad__host_fail(host, x.line.status, "a record could not be written: %s",
                                 toad_status_message(x.line.status));
    toad__arena_free(&x.arena);
    toad__answer_free(&x.record);
    toad__buf_free(&x.line);
    return status;
}
