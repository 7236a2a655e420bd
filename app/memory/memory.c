/* memory.c - writing memory: add, update, delete.
 *
 * Every text of a draft passes the gate before the store is touched, for a batch all texts of all drafts; the store
 * then does all or nothing. What an entry may be called and how far it is trusted the store settles in its transaction;
 * from here it learns what it cannot know: which texts are clean, and which parents and old rows the gate distrusts. */
#include "app/memory/memory.h"

#include "app/host/authority.h"
#include "app/host/origin.h"
#include "app/memory/memory_gate.h"
#include "app/records/learnings.h"
#include "lib/base/str.h"
#include "lib/base/utf8.h"
#include "lib/text/sanitize.h"

#include <stdio.h>

#define CATEGORY_MAX 64
#define SOURCE_MAX   2048
#define DELETE_MAX   1000

void toad__memory_add_printable(toad__buf *b, toad_str s) {
    size_t from = b->n;
    toad__json_add_str(b, s);
    if (b->status || b->n < from + 2) return;
    memmove(b->p + from, b->p + from + 1, b->n - from - 2); /* without its quotation marks */
    b->n -= 2;
}

/* "memory not found: ID", the id in the form that may be shown. */
static toad_status not_found(toad__host *host, toad_str id) {
    char handle[TOAD__HANDLE_MAX];
    toad_status status = toad__gate_handle(host, id, handle);
    return status ? status : toad__host_fail(host, TOAD_E_NOT_FOUND, "memory not found: %s", handle);
}

/* The store names in its message the id it missed: that is not repeated. */
static toad_status store_failed(toad__host *host, toad_status status) {
    if (status == TOAD_E_NOT_FOUND)
        return toad__host_fail(host, status, "memory not found: an entry was deleted meanwhile");
    return toad__host_store_failed(host, status);
}

/* A draft on its way into the store. */
typedef struct pass {
    toad__host *host;
    toad__arena *arena;
    toad__refusal refused;
    toad__census removed; /* from the content */
} pass;

/* ---- refusing ---- */

/* A source as the log can hold it. */
static toad_status origin_of(toad__host *host, toad_str source, toad__arena *arena, toad__origin *ret) {
    *ret = (toad__origin){ .url = TOAD__S("") };
    if (!source.n || source.n > SOURCE_MAX || toad__utf8_valid_upto(source) < source.n) return TOAD_OK;
    toad_status status = toad__origin_of(source, arena, ret);
    return toad__host_failed(host, status);
}

/* What was refused is an event, and where it is grave a learning. */
static toad_status log_refusal(pass *p, const char *operation, toad_str source) {
    char details[64];
    toad__origin origin;
    toad__host *host = p->host;
    toad_status status = origin_of(host, source, p->arena, &origin);
    if (status) return status;
    snprintf(details, sizeof details, "{\"operation\":\"%s\"}", operation);
    toad__event event = { .type = TOAD__S("security_scan"),
                          .direction = TOAD__S("inbound"),
                          .channel = host->by == TOAD__READER_MODEL ? TOAD__S("agent") : TOAD__S("user"),
                          .content = TOAD__S("injection_detected"),
                          .url = origin.url,
                          .pattern_matched = toad__str_z(p->refused.rule),
                          .confidence = toad__str_z(toad_severity_name(p->refused.severity)),
                          .action = TOAD__S("block"),
                          .session_id = host->session,
                          .details = toad__str_z(details) };
    if (toad__utf8_valid_upto(event.session_id) < event.session_id.n) event.session_id = TOAD__S("");
    status = toad__host_store_failed(host, toad__store_events_append(host->store, &event, 1));
    if (status || p->refused.severity < TOAD_HIGH) return status;
    toad_finding finding = { .rule = p->refused.rule, .family = p->refused.family, .severity = p->refused.severity };
    toad__learning learning;
    char id[24];
    status = toad__learning_from_finding(p->arena, &finding, origin.domain, TOAD__S(""), &learning);
    return status ? toad__host_failed(host, status)
                  : toad__host_store_failed(host, toad__store_learning_note(host->store, &learning, id));
}

static void add_refusal(const toad__refusal *refused, toad__answer *answer) {
    char message[TOAD__REFUSAL_MAX];
    toad__refusal_message(refused, message);
    toad__refuse(answer, message);
    toad__refusal_members(refused, answer);
}

/* ---- what may be written ---- */

static toad_status clean(pass *p, toad_str text, toad__census *removed, toad_str *ret) {
    toad__buf out;
    toad__buf_init(&out, text.n * 3 + 64);
    toad_status status = toad__gate_write(p->host, text, &out, removed, &p->refused);
    if (!status) *ret = toad__arena_dup(p->arena, out.n ? toad__buf_str(&out) : TOAD__S(""));
    toad__buf_free(&out);
    return status ? status : ret->p ? TOAD_OK : toad__host_failed(p->host, TOAD_E_NOMEM);
}

/* A field beside the content: one line. NULL stays NULL. */
static toad_status clean_field(pass *p, const char *what, toad_str text, size_t most, toad_str *ret) {
    *ret = toad__str(NULL, 0);
    if (!text.p || p->refused.rule) return TOAD_OK;
    toad_status status = clean(p, text, NULL, ret);
    if (status || p->refused.rule) return status;
    if (ret->n > most || memchr(ret->p, '\n', ret->n) || memchr(ret->p, '\r', ret->n))
        return toad__host_fail(p->host, TOAD_E_ARG, "the %s is one line of at most %zu bytes", what, most);
    return TOAD_OK;
}

/* An id that the caller chose: what is left to ask here is whether it can be shown. */
static toad_status check_id(pass *p, toad_str id) {
    toad_str unused;
    if (!id.p || p->refused.rule) return TOAD_OK;
    if (!id.n) return toad__host_fail(p->host, TOAD_E_ARG, "memory ID cannot be empty");
    if (toad__str_starts(id, TOAD__S(TOAD__ROW_PREFIX)))
        return toad__host_fail(p->host, TOAD_E_ARG, "a memory ID does not begin with " TOAD__ROW_PREFIX);
    return clean(p, id, NULL, &unused);
}

static toad_status clean_draft(pass *p, const toad__memory_draft *draft, toad__memory_op *op) {
    toad_status status = clean(p, draft->content, &p->removed, &op->content);
    if (!status && !p->refused.rule && !op->content.n)
        status = toad__host_fail(p->host, TOAD_E_ARG, "Content cannot be empty.");
    if (!status) status = clean_field(p, "category", draft->category, CATEGORY_MAX, &op->category);
    if (!status) status = clean_field(p, "source", draft->source, SOURCE_MAX, &op->source);
    if (!status) status = clean_field(p, "session", p->host->session, TOAD__MEMORY_SESSION_MAX, &op->session_id);
    return status;
}

/* What an entry is where nobody says: its writer's; external where it came from a URL. A model cannot say otherwise,
 * nor can who has an agent above him. */
static toad_provenance least_of(const toad__host *host, const toad__memory_draft *draft) {
    if (toad__str_find(draft->source, TOAD__S("://"), 0) < draft->source.n) return TOAD_EXTERNAL;
    return toad__is_model(host) ? TOAD_AGENT : TOAD_USER;
}

/* "user", "agent" and "external" are what other tools write into a source: there they say the provenance. */
static toad__memory_draft said_by_source(const toad__memory_draft *draft) {
    toad__memory_draft said = *draft;
    if (draft->has_provenance || !toad_provenance_parse(draft->source, &said.provenance)) return said;
    said.has_provenance = true;
    said.source = toad__str(NULL, 0);
    return said;
}

static toad_status prepare_add(pass *p, const toad__memory_draft *given, toad__memory_op *op) {
    toad__host *host = p->host;
    const toad__memory_draft said = said_by_source(given), *draft = &said;
    *op = (toad__memory_op){ .act = TOAD__MEMORY_ADD,
                             .by = host->by,
                             .id = draft->id,
                             .at = draft->at,
                             .parents = draft->parents,
                             .parent_count = draft->parents_n };
    op->provenance = draft->has_provenance ? draft->provenance : least_of(host, draft);
    if (toad__is_model(host)) op->provenance = toad_provenance_join(op->provenance, least_of(host, draft));
    toad_status status = clean_draft(p, draft, op);
    if (!status) status = check_id(p, draft->id);
    for (size_t i = 0; !status && !p->refused.rule && i < draft->parents_n; i++) {
        toad__memory parent;
        toad__threats threats;
        if (!toad__gate_is_id(draft->parents[i])) return not_found(host, draft->parents[i]);
        status = toad__memory_find(host, draft->parents[i], p->arena, &parent);
        if (!status) status = toad__gate_row(host, &parent, &threats);
        if (!status && threats.n) op->provenance = TOAD_EXTERNAL;
    }
    return status;
}

/* ---- add ---- */

static void add_removed(const toad__census *removed, toad__answer *answer) {
    toad__answer_array(answer, "removed");
    for (int i = 0; i < TOAD__CENSUS_CLASSES; i++) {
        if (!removed->count[i]) continue;
        toad__answer_object(answer, NULL);
        toad__answer_z(answer, "class", toad__census_rule((toad__census_class)i));
        toad__answer_int(answer, "count", removed->count[i]);
        toad__answer_end(answer);
    }
    toad__answer_end(answer);
}

static void answer_written(const char *message, toad_str id, toad_provenance provenance, const toad__census *removed,
                           toad__answer *answer) {
    toad__answer_bool(answer, "success", true);
    toad__answer_z(answer, "message", message);
    toad__answer_str(answer, "id", id);
    toad__answer_z(answer, "provenance", toad_provenance_name(provenance));
    add_removed(removed, answer);
}

toad_status toad__memory_add(toad__host *host, const toad__memory_draft *draft, toad__answer *answer) {
    toad__arena arena;
    toad__memory_op op;
    toad__memory_made made;
    char message[128];
    toad__arena_init(&arena, TOAD__HOST_ANSWER_MAX);
    pass p = { .host = host, .arena = &arena };
    toad_status status = prepare_add(&p, draft, &op);
    if (status) goto out;
    if (p.refused.rule) {
        status = log_refusal(&p, "add_memory", draft->source);
        if (!status) add_refusal(&p.refused, answer);
        goto out;
    }
    status = store_failed(host, toad__store_memories_apply(host->store, &op, 1, &made, NULL));
    if (status) goto out;
    toad_str id = op.id.n ? op.id : toad__str_z(made.id);
    snprintf(message, sizeof message, "Memory added successfully with ID: %.*s", (int)id.n, id.p);
    answer_written(message, id, made.provenance, &p.removed, answer);
out:
    toad__arena_free(&arena);
    return status;
}

/* ---- add many ---- */

/* Put the number of the operation before the message, and what it means for the others behind it. */
static toad_status fail_batch(toad__host *host, toad_status status, const toad__memory_draft *draft, size_t index) {
    char message[TOAD__HOST_MESSAGE];
    snprintf(message, sizeof message, "%.900s", host->message);
    size_t n = strlen(message);
    return toad__host_fail(host, status, "%s %zu: %s%s Nothing was written.", draft->line ? "line" : "operation",
                           draft->line ? draft->line : index + 1, message, n && message[n - 1] == '.' ? "" : ".");
}

static void refuse_batch(const toad__memory_draft *draft, size_t index, const toad__refusal *refused,
                         toad__answer *answer) {
    char message[TOAD__REFUSAL_MAX], whole[TOAD__REFUSAL_MAX + 64];
    toad__refusal_message(refused, message);
    snprintf(whole, sizeof whole, "%s %zu: %s Nothing was written.", draft->line ? "Line" : "Operation",
             draft->line ? draft->line : index + 1, message);
    toad__refuse(answer, whole);
    toad__refusal_members(refused, answer);
    toad__answer_int(answer, "operation", (int64_t)index + 1);
}

/* A batch on its way: the entries that are good, and of those that are bad the first ones, each told and logged. */
typedef struct batch {
    toad__host *host;
    toad__arena arena;
    const toad__memory_draft *drafts;
    toad__memory_op *ops;
    toad__memory_made *made;
    size_t n, refused; /* good and bad ones so far */
    toad__answer *answer;
} batch;

static toad_status leave_out(batch *b, pass *p, const toad__memory_draft *draft, const char *message) {
    char why[TOAD__REFUSAL_MAX];
    toad_status status = TOAD_OK;
    if (b->refused++ >= TOAD__MEMORY_REFUSED_MAX) return TOAD_OK;
    if (p->refused.rule) status = log_refusal(p, "add_memory", draft->source);
    if (p->refused.rule) toad__refusal_message(&p->refused, why);
    toad__answer_object(b->answer, NULL);
    toad__answer_int(b->answer, "line", (int64_t)draft->line);
    toad__answer_z(b->answer, "error", p->refused.rule ? why : message);
    if (p->refused.rule) toad__refusal_members(&p->refused, b->answer);
    toad__answer_end(b->answer);
    return status;
}

/* Everything is judged before anything is written. `*ret_at`: where it went wrong. */
static toad_status judge_all(batch *b, size_t n, bool some, size_t *ret_at) {
    for (size_t *at = ret_at; *at < n; ++*at) {
        const toad__memory_draft *draft = &b->drafts[*at];
        pass p = { .host = b->host, .arena = &b->arena };
        toad_status status = prepare_add(&p, draft, &b->ops[b->n]);
        bool bad = p.refused.rule || status == TOAD_E_ARG;
        if (some && bad)
            status = leave_out(b, &p, draft, b->host->message);
        else if (!status && bad)
            status = log_refusal(&p, "add_memory", draft->source);
        if (status) return status;
        if (bad && !some) {
            refuse_batch(draft, *at, &p.refused, b->answer);
            return TOAD_OK;
        }
        b->n += !bad;
    }
    return TOAD_OK;
}

static toad_status write_all(batch *b, size_t *ret_at) {
    toad_status status = b->n ? toad__store_memories_apply(b->host->store, b->ops, b->n, b->made, ret_at) : TOAD_OK;
    if (status) return store_failed(b->host, status);
    toad__answer_bool(b->answer, "success", true);
    toad__answer_int(b->answer, "added", (int64_t)b->n);
    toad__answer_array(b->answer, "ids");
    for (size_t i = 0; i < b->n; i++)
        toad__answer_str(b->answer, NULL, b->ops[i].id.n ? b->ops[i].id : toad__str_z(b->made[i].id));
    toad__answer_end(b->answer);
    return TOAD_OK;
}

toad_status toad__memory_add_all(toad__host *host, const toad__memory_draft *drafts, size_t n, bool some,
                                 toad__answer *answer) {
    size_t at = 0;
    if (n > TOAD__MEMORY_BATCH_MAX)
        return toad__host_fail(host, TOAD_E_LIMIT, "a batch has at most %d entries. Nothing was written.",
                               TOAD__MEMORY_BATCH_MAX);
    batch b = { .host = host, .drafts = drafts, .answer = answer };
    toad__arena_init(&b.arena, TOAD__HOST_ANSWER_MAX);
    b.ops = toad__arena_alloc(&b.arena, (n + 1) * sizeof *b.ops);
    b.made = toad__arena_alloc(&b.arena, (n + 1) * sizeof *b.made);
    toad_status status = b.ops && b.made ? TOAD_OK : toad__host_failed(host, TOAD_E_NOMEM);
    if (status) goto out;
    if (some) toad__answer_array(answer, "refused");
    status = judge_all(&b, n, some, &at);
    if (some) toad__answer_end(answer);
    if (some) toad__answer_int(answer, "refused_total", (int64_t)b.refused);
    bool judged = !status;
    if (judged && !toad__answer_refused(answer)) status = write_all(&b, &at);
    if (status && !(some && judged)) fail_batch(host, status, &drafts[at < n ? at : 0], at);
out:
    toad__arena_free(&b.arena);
    return status;
}

/* ---- update ---- */

static toad_status prepare_update(pass *p, const toad__memory_draft *given, toad__memory_op *op) {
    const toad__memory_draft said = said_by_source(given), *draft = &said;
    toad__memory row;
    toad__threats threats;
    toad__host *host = p->host;
    toad_status status = toad__memory_find(host, draft->id, p->arena, &row);
    if (!status) status = toad__gate_row(host, &row, &threats);
    if (status) return status;
    *op =
        (toad__memory_op){ .act = TOAD__MEMORY_UPDATE, .by = host->by, .id = row.id, .expect_revision = row.revision };
    toad_provenance old = threats.n ? TOAD_EXTERNAL : toad__gate_provenance(&row);
    op->provenance = draft->has_provenance ? draft->provenance : old;
    if (toad__is_model(host))
        op->provenance = toad_provenance_join(toad_provenance_join(op->provenance, old), least_of(host, draft));
    return clean_draft(p, draft, op);
}

toad_status toad__memory_update(toad__host *host, const toad__memory_draft *draft, toad__answer *answer) {
    toad__arena arena;
    toad__memory_op op;
    toad__memory_made made;
    char message[128], id[TOAD__HANDLE_MAX];
    toad__arena_init(&arena, TOAD__HOST_ANSWER_MAX);
    pass p = { .host = host, .arena = &arena };
    toad_status status = prepare_update(&p, draft, &op);
    if (status) goto out;
    if (p.refused.rule) {
        status = log_refusal(&p, "update_memory", draft->source);
        if (!status) add_refusal(&p.refused, answer);
        goto out;
    }
    status = store_failed(host, toad__store_memories_apply(host->store, &op, 1, &made, NULL));
    if (!status) status = toad__gate_handle(host, op.id, id);
    if (status) goto out;
    snprintf(message, sizeof message, "Memory with ID %s updated successfully", id);
    answer_written(message, toad__str_z(id), made.provenance, &p.removed, answer);
out:
    toad__arena_free(&arena);
    return status;
}

/* ---- delete ---- */

static bool is_listed(const toad__memory_op *ops, size_t n, toad_str id) {
    for (size_t i = 0; i < n; i++)
        if (toad__str_eq(ops[i].id, id)) return true;
    return false;
}

static toad_status add_handle(toad__host *host, toad_str id, toad__answer *answer) {
    char handle[TOAD__HANDLE_MAX];
    toad_status status = toad__gate_handle(host, id, handle);
    if (!status) toad__answer_z(answer, NULL, handle);
    return status;
}

toad_status toad__memory_delete(toad__host *host, const toad_str *ids, size_t n, toad__answer *answer) {
    toad__arena arena;
    toad__memory row;
    char message[128], one[TOAD__HANDLE_MAX];
    size_t found = 0, missed = 0;
    toad_status status = TOAD_OK;
    if (!n || n > DELETE_MAX) return toad__host_fail(host, TOAD_E_ARG, "delete 1 to %d memories at once", DELETE_MAX);
    for (size_t i = 0; i < n; i++)
        if (!ids[i].n) return toad__host_fail(host, TOAD_E_ARG, "memory ID cannot be empty");
    toad__arena_init(&arena, TOAD__HOST_ANSWER_MAX);
    toad__memory_op *ops = toad__arena_alloc(&arena, n * sizeof *ops);
    toad_str *unknown = toad__arena_alloc(&arena, n * sizeof *unknown);
    if (!ops || !unknown) status = toad__host_failed(host, TOAD_E_NOMEM);
    for (size_t i = 0; i < n && !status; i++) {
        status = toad__memory_find(host, ids[i], &arena, &row);
        if (status == TOAD_E_NOT_FOUND)
            unknown[missed++] = ids[i];
        else if (!status && !is_listed(ops, found, row.id))
            ops[found++] = (toad__memory_op){
                .act = TOAD__MEMORY_DELETE, .by = host->by, .id = row.id, .session_id = host->session
            };
        if (status == TOAD_E_NOT_FOUND) status = TOAD_OK;
    }
    if (!status && found) status = store_failed(host, toad__store_memories_apply(host->store, ops, found, NULL, NULL));
    if (!status) status = toad__gate_handle(host, found ? ops[0].id : ids[0], one);
    if (status) goto out;
    if (n > 1)
        snprintf(message, sizeof message, "%zu %s deleted", found, found == 1 ? "memory" : "memories");
    else
        snprintf(message, sizeof message,
                 found ? "Memory with ID %s deleted successfully" : "There is no memory with ID %s: nothing to delete",
                 one);
    toad__answer_bool(answer, "success", true);
    toad__answer_z(answer, "message", message);
    toad__answer_array(answer, "deleted");
    for (size_t i = 0; i < found && !status; i++) status = add_handle(host, ops[i].id, answer);
    toad__answer_end(answer);
    toad__answer_array(answer, "unknown");
    for (size_t i = 0; i < missed && !status; i++) status = add_handle(host, unknown[i], answer);
    toad__answer_end(answer);
out:
    toad__arena_free(&arena);
    return status;
}
