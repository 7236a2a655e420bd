/* memory.c - writing memory: add, update, delete.
 *
 * Every text of a draft passes the gate before the store is touched, for a batch all texts of all drafts; the store
 * then does all or nothing. What a row's own columns say is not believed: parents and old rows count as external where
 * their digest does not fit or the gate finds something. */
#include "app/memory/memory.h"

#include "app/host/origin.h"
#include "app/memory/memory_gate.h"
#include "app/records/learnings.h"
#include "app/scan/content.h"
#include "lib/base/str.h"
#include "lib/base/utf8.h"

#include <stdio.h>

#define CATEGORY_MAX 64
#define SOURCE_MAX   2048
#define SESSION_MAX  128
#define DELETE_MAX   1000

void toad__memory_add_printable(toad__buf *b, toad_str s) {
    size_t from = b->n;
    toad__json_add_str(b, s);
    if (b->status || b->n < from + 2) return;
    memmove(b->p + from, b->p + from + 1, b->n - from - 2); /* without its quotation marks */
    b->n -= 2;
}

static toad_status out_of_memory(toad__host *host) {
    return toad__host_fail(host, TOAD_E_NOMEM, "%s", toad_status_message(TOAD_E_NOMEM));
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
    return status ? toad__host_fail(host, status, "%s", toad_status_message(status)) : TOAD_OK;
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
    return status ? toad__host_fail(host, status, "%s", toad_status_message(status))
                  : toad__host_store_failed(host, toad__store_learning_note(host->store, &learning, id));
}

static toad_status add_text(toad__host *host, toad__buf *b, toad_status status, toad_text *const *text) {
    if (status) return toad__host_fail(host, status, "%s", toad_status_message(status));
    toad__buf_add_str(b, toad_text_str(*text));
    toad_text_free(*text);
    return TOAD_OK;
}

#define NOT_SCANNED "Content could not be scanned to its end. Shorten the entry."

/* The answer that agents know from hermes' memory tool, byte for byte. */
static toad_status refuse(toad__host *host, const char *rule, toad__buf *answer) {
    toad_text *text = NULL;
    if (!strcmp(rule, TOAD__THREAT_INCOMPLETE)) {
        toad__buf_add_z(answer, "{\"success\":false,\"error\":\"" NOT_SCANNED "\"}");
        return TOAD_OK;
    }
    return add_text(host, answer, toad_memory_refusal(toad__str_z(rule), &text), &text);
}

static void refuse_in_batch(const toad__memory_draft *draft, size_t index, const char *rule, toad__buf *answer) {
    char message[256];
    int n = snprintf(message, sizeof message, "%s %zu: ", draft->line ? "Line" : "Operation",
                     draft->line ? draft->line : index + 1);
    if (!strcmp(rule, TOAD__THREAT_INCOMPLETE))
        snprintf(message + n, sizeof message - (size_t)n, "%s", NOT_SCANNED);
    else
        snprintf(message + n, sizeof message - (size_t)n,
                 "Content blocked: matched prompt-injection pattern '%.100s'. Rephrase the entry.", rule);
    toad__buf_add_z(answer, "{");
    toad__answer_bool(answer, "success", false);
    strncat(message, " Nothing was written.", sizeof message - strlen(message) - 1);
    toad__answer_z(answer, "error", message);
    toad__answer_int(answer, "operation", (int64_t)index + 1);
    toad__buf_add_c(answer, '}');
}

/* ---- what may be written ---- */

static toad_status clean(pass *p, toad_str text, toad__census *removed, toad_str *ret) {
    toad__buf out;
    toad__buf_init(&out, text.n * 3 + 64);
    toad_status status = toad__gate_write(p->host, text, &out, removed, &p->refused);
    if (!status) *ret = toad__arena_dup(p->arena, out.n ? toad__buf_str(&out) : TOAD__S(""));
    toad__buf_free(&out);
    return status ? status : ret->p ? TOAD_OK : out_of_memory(p->host);
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

/* An id that the caller chose. */
static toad_status check_id(pass *p, toad_str id) {
    toad_str unused;
    if (!id.p || p->refused.rule) return TOAD_OK;
    if (!id.n) return toad__host_fail(p->host, TOAD_E_ARG, "memory ID cannot be empty");
    if (!toad__gate_is_id(id))
        return toad__host_fail(
            p->host, TOAD_E_ARG,
            "a memory ID is 1 to 64 of A-Z a-z 0-9 . _ : - and does not begin with " TOAD__ROW_PREFIX);
    return clean(p, id, NULL, &unused);
}

static toad_status clean_draft(pass *p, const toad__memory_draft *draft, toad__memory_op *op) {
    toad_status status = clean(p, draft->content, &p->removed, &op->content);
    if (!status && !p->refused.rule && !op->content.n)
        status = toad__host_fail(p->host, TOAD_E_ARG, "Content cannot be empty.");
    if (!status) status = clean_field(p, "category", draft->category, CATEGORY_MAX, &op->category);
    if (!status) status = clean_field(p, "source", draft->source, SOURCE_MAX, &op->source);
    if (!status) status = clean_field(p, "session", p->host->session, SESSION_MAX, &op->session_id);
    return status;
}

/* How far a row can be believed. */
static toad_status believed(toad__host *host, const toad__memory *row, toad_provenance *ret) {
    toad__threats threats;
    toad_status status = toad__gate_row(host, row, &threats);
    if (!status) *ret = threats.n ? TOAD_EXTERNAL : toad__gate_provenance(row);
    return status;
}

static toad_status join_parents(pass *p, const toad__memory_draft *draft, toad_provenance *provenance) {
    for (size_t i = 0; i < draft->parents_n; i++) {
        toad__memory row;
        toad_provenance of_parent;
        if (!toad__gate_is_id(draft->parents[i])) return not_found(p->host, draft->parents[i]);
        toad_status status = toad__memory_find(p->host, draft->parents[i], p->arena, &row);
        if (!status) status = believed(p->host, &row, &of_parent);
        if (status) return status;
        *provenance = toad_provenance_join(*provenance, of_parent);
    }
    return TOAD_OK;
}

/* What a new entry is where nobody says: its writer's; external where it came from a URL. A model cannot say otherwise.
 */
static toad_provenance least_of(const toad__host *host, const toad__memory_draft *draft) {
    if (toad__str_find(draft->source, TOAD__S("://"), 0) < draft->source.n) return TOAD_EXTERNAL;
    return host->by == TOAD__READER_MODEL ? TOAD_AGENT : TOAD_USER;
}

static toad_status prepare_add(pass *p, const toad__memory_draft *draft, toad__memory_op *op) {
    toad__reader by = p->host->by;
    toad_provenance provenance = draft->has_provenance ? draft->provenance : least_of(p->host, draft);
    *op = (toad__memory_op){ .act = TOAD__MEMORY_ADD, .by = by, .id = draft->id, .at = draft->at };
    toad_status status = clean_draft(p, draft, op);
    if (!status) status = check_id(p, draft->id);
    if (!status && !p->refused.rule) status = join_parents(p, draft, &provenance);
    op->parents = draft->parents;
    op->parent_count = draft->parents_n;
    op->provenance = by == TOAD__READER_MODEL ? toad_provenance_join(provenance, least_of(p->host, draft)) : provenance;
    return status;
}

/* ---- add ---- */

static void answer_written(const char *message, const char *id, const toad__memory_op *op, const toad__census *removed,
                           toad__buf *answer) {
    toad__buf_add_z(answer, "{");
    toad__answer_bool(answer, "success", true);
    toad__answer_z(answer, "message", message);
    toad__answer_z(answer, "id", id);
    toad__answer_z(answer, "provenance", toad_provenance_name(op->provenance));
    toad__json_add_key(answer, "removed");
    toad__add_removed(answer, removed);
    toad__buf_add_c(answer, '}');
}

static void answer_added(const toad__memory_op *op, const char *id, const toad__census *removed, toad__buf *answer) {
    char message[128];
    snprintf(message, sizeof message, "Memory added successfully with ID: %s", id);
    answer_written(message, id, op, removed, answer);
}

static void copy_id(toad_str id, char ret[TOAD__HANDLE_MAX]) {
    size_t n = id.n < TOAD__HANDLE_MAX ? id.n : TOAD__HANDLE_MAX - 1;
    memset(ret, 0, TOAD__HANDLE_MAX);
    if (n) memcpy(ret, id.p, n);
}

toad_status toad__memory_add(toad__host *host, const toad__memory_draft *draft, toad__buf *answer) {
    toad__arena arena;
    toad__memory_op op;
    char made[24], id[TOAD__HANDLE_MAX];
    toad__arena_init(&arena, TOAD__HOST_ANSWER_MAX);
    pass p = { .host = host, .arena = &arena };
    toad_status status = prepare_add(&p, draft, &op);
    if (!status && p.refused.rule)
        status = log_refusal(&p, "add_memory", draft->source);
    else if (!status)
        status = store_failed(host, toad__store_memories_apply(host->store, &op, 1, &made, NULL));
    if (!status && p.refused.rule) {
        status = refuse(host, p.refused.rule, answer);
    } else if (!status) {
        copy_id(op.id.n ? op.id : toad__str_z(made), id);
        answer_added(&op, id, &p.removed, answer);
    }
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

static void answer_batch(const toad__memory_op *ops, char (*made)[24], size_t n, toad__buf *answer) {
    char id[TOAD__HANDLE_MAX];
    toad__buf_add_z(answer, "{");
    toad__answer_bool(answer, "success", true);
    toad__answer_int(answer, "added", (int64_t)n);
    toad__json_add_key(answer, "ids");
    toad__buf_add_c(answer, '[');
    for (size_t i = 0; i < n; i++) {
        copy_id(ops[i].id.n ? ops[i].id : toad__str_z(made[i]), id);
        toad__answer_z(answer, NULL, id);
    }
    toad__buf_add_z(answer, "]}");
}

static toad_status apply_batch(toad__host *host, const toad__memory_draft *drafts, const toad__memory_op *ops, size_t n,
                               toad__arena *arena, toad__buf *answer) {
    size_t failed = 0;
    char(*made)[24] = toad__arena_alloc(arena, n * sizeof *made);
    if (!made) return out_of_memory(host);
    toad_status status = store_failed(host, toad__store_memories_apply(host->store, ops, n, made, &failed));
    if (status) return fail_batch(host, status, &drafts[failed], failed);
    answer_batch(ops, made, n, answer);
    return TOAD_OK;
}

/* Everything is judged before anything is written. */
static toad_status run_batch(toad__host *host, const toad__memory_draft *drafts, size_t n, toad__arena *arena,
                             toad__buf *answer) {
    toad__memory_op *ops = toad__arena_alloc(arena, n * sizeof *ops);
    if (!ops) return out_of_memory(host);
    for (size_t i = 0; i < n; i++) {
        pass p = { .host = host, .arena = arena };
        toad_status status = prepare_add(&p, &drafts[i], &ops[i]);
        if (status) return fail_batch(host, status, &drafts[i], i);
        if (!p.refused.rule) continue;
        status = log_refusal(&p, "add_memory", drafts[i].source);
        if (!status) refuse_in_batch(&drafts[i], i, p.refused.rule, answer);
        return status;
    }
    return apply_batch(host, drafts, ops, n, arena, answer);
}

toad_status toad__memory_add_all(toad__host *host, const toad__memory_draft *drafts, size_t n, toad__buf *answer) {
    toad__arena arena;
    if (n > TOAD__MEMORY_BATCH_MAX)
        return toad__host_fail(host, TOAD_E_LIMIT, "a batch has at most %d entries. Nothing was written.",
                               TOAD__MEMORY_BATCH_MAX);
    if (!n) {
        answer_batch(NULL, NULL, 0, answer);
        return TOAD_OK;
    }
    toad__arena_init(&arena, TOAD__HOST_ANSWER_MAX);
    toad_status status = run_batch(host, drafts, n, &arena, answer);
    toad__arena_free(&arena);
    return status;
}

/* ---- update ---- */

static toad_status prepare_update(pass *p, const toad__memory_draft *draft, toad__memory_op *op, toad__memory *row) {
    toad_provenance old;
    toad_status status = toad__memory_find(p->host, draft->id, p->arena, row);
    if (!status) status = believed(p->host, row, &old);
    if (status) return status;
    *op = (toad__memory_op){
        .act = TOAD__MEMORY_UPDATE, .by = p->host->by, .id = row->id, .expect_revision = row->revision
    };
    op->provenance = draft->has_provenance ? draft->provenance : old;
    if (op->by == TOAD__READER_MODEL)
        op->provenance = toad_provenance_join(toad_provenance_join(op->provenance, old), least_of(p->host, draft));
    return clean_draft(p, draft, op);
}

static toad_status answer_updated(toad__host *host, const toad__memory_op *op, const toad__census *removed,
                                  toad__buf *answer) {
    char message[128], id[TOAD__HANDLE_MAX];
    toad_status status = toad__gate_handle(host, op->id, id);
    if (status) return status;
    snprintf(message, sizeof message, "Memory with ID %s updated successfully", id);
    answer_written(message, id, op, removed, answer);
    return TOAD_OK;
}

toad_status toad__memory_update(toad__host *host, const toad__memory_draft *draft, toad__buf *answer) {
    toad__arena arena;
    toad__memory row;
    toad__memory_op op;
    toad__arena_init(&arena, TOAD__HOST_ANSWER_MAX);
    pass p = { .host = host, .arena = &arena };
    toad_status status = prepare_update(&p, draft, &op, &row);
    if (!status && p.refused.rule)
        status = log_refusal(&p, "update_memory", draft->source);
    else if (!status)
        status = store_failed(host, toad__store_memories_apply(host->store, &op, 1, NULL, NULL));
    if (!status)
        status = p.refused.rule ? refuse(host, p.refused.rule, answer) : answer_updated(host, &op, &p.removed, answer);
    toad__arena_free(&arena);
    return status;
}

/* ---- delete ---- */

typedef struct doomed {
    toad__memory_op *ops;
    size_t n;
    toad__buf deleted, unknown; /* JSON strings, separated by commas */
} doomed;

static bool is_listed(const doomed *d, toad_str id) {
    for (size_t i = 0; i < d->n; i++)
        if (toad__str_eq(d->ops[i].id, id)) return true;
    return false;
}

static toad_status doom(toad__host *host, toad_str id, toad__arena *arena, doomed *d) {
    toad__memory row;
    char handle[TOAD__HANDLE_MAX];
    toad_status status = toad__memory_find(host, id, arena, &row);
    if (status && status != TOAD_E_NOT_FOUND) return status;
    bool found = !status;
    if (found && is_listed(d, row.id)) return TOAD_OK;
    status = toad__gate_handle(host, found ? row.id : id, handle);
    if (status) return status;
    toad__buf *list = found ? &d->deleted : &d->unknown;
    if (list->n) toad__buf_add_c(list, ',');
    toad__json_add_utf8(list, toad__str_z(handle));
    if (found)
        d->ops[d->n++] =
            (toad__memory_op){ .act = TOAD__MEMORY_DELETE, .by = host->by, .id = row.id, .session_id = host->session };
    return list->status;
}

static void answer_deleted(const doomed *d, const char *one, toad__buf *answer) {
    char message[128];
    if (!one)
        snprintf(message, sizeof message, "%zu %s deleted", d->n, d->n == 1 ? "memory" : "memories");
    else if (d->n)
        snprintf(message, sizeof message, "Memory with ID %s deleted successfully", one);
    else
        snprintf(message, sizeof message, "There is no memory with ID %s: nothing to delete", one);
    toad__buf_add_z(answer, "{");
    toad__answer_bool(answer, "success", true);
    toad__answer_z(answer, "message", message);
    toad__buf_add_z(answer, ",\"deleted\":[");
    toad__buf_add_str(answer, toad__buf_str(&d->deleted));
    toad__buf_add_z(answer, "],\"unknown\":[");
    toad__buf_add_str(answer, toad__buf_str(&d->unknown));
    toad__buf_add_z(answer, "]}");
}

static toad_status delete_all(toad__host *host, const toad_str *ids, size_t n, toad__arena *arena, doomed *d,
                              toad__buf *answer) {
    char one[TOAD__HANDLE_MAX];
    toad_status status = TOAD_OK;
    d->ops = toad__arena_alloc(arena, n * sizeof *d->ops);
    if (!d->ops) return out_of_memory(host);
    for (size_t i = 0; i < n && !status; i++) status = doom(host, ids[i], arena, d);
    if (!status && d->n) status = store_failed(host, toad__store_memories_apply(host->store, d->ops, d->n, NULL, NULL));
    if (!status && n == 1) status = toad__gate_handle(host, d->n ? d->ops[0].id : ids[0], one);
    if (!status) answer_deleted(d, n == 1 ? one : NULL, answer);
    return status;
}

toad_status toad__memory_delete(toad__host *host, const toad_str *ids, size_t n, toad__buf *answer) {
    toad__arena arena;
    doomed d = { .n = 0 };
    if (!n || n > DELETE_MAX) return toad__host_fail(host, TOAD_E_ARG, "delete 1 to %d memories at once", DELETE_MAX);
    for (size_t i = 0; i < n; i++)
        if (!ids[i].n) return toad__host_fail(host, TOAD_E_ARG, "memory ID cannot be empty");
    toad__arena_init(&arena, TOAD__HOST_ANSWER_MAX);
    toad__buf_init(&d.deleted, TOAD__HOST_ANSWER_MAX);
    toad__buf_init(&d.unknown, TOAD__HOST_ANSWER_MAX);
    toad_status status = delete_all(host, ids, n, &arena, &d, answer);
    toad__buf_free(&d.deleted);
    toad__buf_free(&d.unknown);
    toad__arena_free(&arena);
    return status;
}
