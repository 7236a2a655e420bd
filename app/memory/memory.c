/* memory.c - writing memory: add, update, delete.
 *
 * Every text of a draft passes the gate before the store is touched, for a batch all texts of all drafts; the store
 * then does all or nothing. What a row's own columns say is not believed: parents and old rows count as external where
 * their digest does not fit or the gate finds something. */
#include "app/memory/memory.h"

#include "app/scan/content.h"
#include "app/records/learnings.h"
#include "app/memory/memory_gate.h"
#include "app/records/origin.h"
#include "lib/base/str.h"
#include "lib/base/utf8.h"

#include <stdio.h>

#define CATEGORY_MAX 64
#define SOURCE_MAX   2048
#define SESSION_MAX  128
#define DELETE_MAX   1000

void bzr__memory_add_printable(bzr__buf *b, bzr_str s) {
    size_t from = b->n;
    bzr__json_add_str(b, s);
    if (b->status || b->n < from + 2) return;
    memmove(b->p + from, b->p + from + 1, b->n - from - 2); /* without its quotation marks */
    b->n -= 2;
}

static bzr_status out_of_memory(bzr__host *host) {
    return bzr__host_fail(host, BZR_E_NOMEM, "%s", bzr_status_message(BZR_E_NOMEM));
}

/* "memory not found: ID", the id in the form that may be shown. */
static bzr_status not_found(bzr__host *host, bzr_str id) {
    char handle[BZR__HANDLE_MAX];
    bzr_status status = bzr__gate_handle(host, id, handle);
    return status ? status : bzr__host_fail(host, BZR_E_NOT_FOUND, "memory not found: %s", handle);
}

/* The store names in its message the id it missed: that is not repeated. */
static bzr_status store_failed(bzr__host *host, bzr_status status) {
    if (status == BZR_E_NOT_FOUND)
        return bzr__host_fail(host, status, "memory not found: an entry was deleted meanwhile");
    return bzr__host_store_failed(host, status);
}

/* A draft on its way into the store. */
typedef struct pass {
    bzr__host *host;
    bzr__arena *arena;
    bzr__refusal refused;
    bzr__census removed; /* from the content */
} pass;

/* ---- refusing ---- */

/* A source as the log can hold it. */
static bzr_status origin_of(bzr__host *host, bzr_str source, bzr__arena *arena, bzr__origin *ret) {
    *ret = (bzr__origin){ .url = BZR__S("") };
    if (!source.n || source.n > SOURCE_MAX || bzr__utf8_valid_upto(source) < source.n) return BZR_OK;
    bzr_status status = bzr__origin_of(source, arena, ret);
    return status ? bzr__host_fail(host, status, "%s", bzr_status_message(status)) : BZR_OK;
}

/* What was refused is an event, and where it is grave a learning. */
static bzr_status log_refusal(pass *p, const char *operation, bzr_str source) {
    char details[64];
    bzr__origin origin;
    bzr__host *host = p->host;
    bzr_status status = origin_of(host, source, p->arena, &origin);
    if (status) return status;
    snprintf(details, sizeof details, "{\"operation\":\"%s\"}", operation);
    bzr__event event = { .type = BZR__S("security_scan"),
                         .direction = BZR__S("inbound"),
                         .channel = host->by == BZR__READER_MODEL ? BZR__S("agent") : BZR__S("user"),
                         .content = BZR__S("injection_detected"),
                         .url = origin.url,
                         .pattern_matched = bzr__str_z(p->refused.rule),
                         .confidence = bzr__str_z(bzr_severity_name(p->refused.severity)),
                         .action = BZR__S("block"),
                         .session_id = host->session,
                         .details = bzr__str_z(details) };
    if (bzr__utf8_valid_upto(event.session_id) < event.session_id.n) event.session_id = BZR__S("");
    status = bzr__host_store_failed(host, bzr__store_events_append(host->store, &event, 1));
    if (status || p->refused.severity < BZR_HIGH) return status;
    bzr_finding finding = { .rule = p->refused.rule, .family = p->refused.family, .severity = p->refused.severity };
    bzr__learning learning;
    char id[24];
    status = bzr__learning_from_finding(p->arena, &finding, origin.domain, BZR__S(""), &learning);
    return status ? bzr__host_fail(host, status, "%s", bzr_status_message(status))
                  : bzr__host_store_failed(host, bzr__store_learning_note(host->store, &learning, id));
}

static bzr_status add_text(bzr__host *host, bzr__buf *b, bzr_status status, bzr_text *const *text) {
    if (status) return bzr__host_fail(host, status, "%s", bzr_status_message(status));
    bzr__buf_add_str(b, bzr_text_str(*text));
    bzr_text_free(*text);
    return BZR_OK;
}

#define NOT_SCANNED "Content could not be scanned to its end. Shorten the entry."

/* Seed 003's answer, byte for byte. */
static bzr_status refuse(bzr__host *host, const char *rule, bzr__buf *answer) {
    bzr_text *text = NULL;
    if (!strcmp(rule, BZR__THREAT_INCOMPLETE)) {
        bzr__buf_add_z(answer, "{\"success\":false,\"error\":\"" NOT_SCANNED "\"}");
        return BZR_OK;
    }
    return add_text(host, answer, bzr_memory_refusal(bzr__str_z(rule), &text), &text);
}

static void refuse_in_batch(const bzr__memory_draft *draft, size_t index, const char *rule, bzr__buf *answer) {
    char message[256];
    int n = snprintf(message, sizeof message, "%s %zu: ", draft->line ? "Line" : "Operation",
                     draft->line ? draft->line : index + 1);
    if (!strcmp(rule, BZR__THREAT_INCOMPLETE))
        snprintf(message + n, sizeof message - (size_t)n, "%s", NOT_SCANNED);
    else
        snprintf(message + n, sizeof message - (size_t)n,
                 "Content blocked: matched prompt-injection pattern '%.100s'. Rephrase the entry.", rule);
    bzr__buf_add_z(answer, "{");
    bzr__answer_bool(answer, "success", false);
    strncat(message, " Nothing was written.", sizeof message - strlen(message) - 1);
    bzr__answer_z(answer, "error", message);
    bzr__answer_int(answer, "operation", (int64_t)index + 1);
    bzr__buf_add_c(answer, '}');
}

/* ---- what may be written ---- */

static bzr_status clean(pass *p, bzr_str text, bzr__census *removed, bzr_str *ret) {
    bzr__buf out;
    bzr__buf_init(&out, text.n * 3 + 64);
    bzr_status status = bzr__gate_write(p->host, text, &out, removed, &p->refused);
    if (!status) *ret = bzr__arena_dup(p->arena, out.n ? bzr__buf_str(&out) : BZR__S(""));
    bzr__buf_free(&out);
    return status ? status : ret->p ? BZR_OK : out_of_memory(p->host);
}

/* A field beside the content: one line. NULL stays NULL. */
static bzr_status clean_field(pass *p, const char *what, bzr_str text, size_t most, bzr_str *ret) {
    *ret = bzr__str(NULL, 0);
    if (!text.p || p->refused.rule) return BZR_OK;
    bzr_status status = clean(p, text, NULL, ret);
    if (status || p->refused.rule) return status;
    if (ret->n > most || memchr(ret->p, '\n', ret->n) || memchr(ret->p, '\r', ret->n))
        return bzr__host_fail(p->host, BZR_E_ARG, "the %s is one line of at most %zu bytes", what, most);
    return BZR_OK;
}

/* An id that the caller chose. */
static bzr_status check_id(pass *p, bzr_str id) {
    bzr_str unused;
    if (!id.p || p->refused.rule) return BZR_OK;
    if (!id.n) return bzr__host_fail(p->host, BZR_E_ARG, "memory ID cannot be empty");
    if (!bzr__gate_is_id(id))
        return bzr__host_fail(p->host, BZR_E_ARG,
                              "a memory ID is 1 to 64 of A-Z a-z 0-9 . _ : - and does not begin with " BZR__ROW_PREFIX);
    return clean(p, id, NULL, &unused);
}

static bzr_status clean_draft(pass *p, const bzr__memory_draft *draft, bzr__memory_op *op) {
    bzr_status status = clean(p, draft->content, &p->removed, &op->content);
    if (!status && !p->refused.rule && !op->content.n)
        status = bzr__host_fail(p->host, BZR_E_ARG, "Content cannot be empty.");
    if (!status) status = clean_field(p, "category", draft->category, CATEGORY_MAX, &op->category);
    if (!status) status = clean_field(p, "source", draft->source, SOURCE_MAX, &op->source);
    if (!status) status = clean_field(p, "session", p->host->session, SESSION_MAX, &op->session_id);
    return status;
}

/* How far a row can be believed. */
static bzr_status believed(bzr__host *host, const bzr__memory *row, bzr_provenance *ret) {
    bzr__threats threats;
    bzr_status status = bzr__gate_row(host, row, &threats);
    if (!status) *ret = threats.n ? BZR_EXTERNAL : bzr__gate_provenance(row);
    return status;
}

static bzr_status join_parents(pass *p, const bzr__memory_draft *draft, bzr_provenance *provenance) {
    for (size_t i = 0; i < draft->parents_n; i++) {
        bzr__memory row;
        bzr_provenance of_parent;
        if (!bzr__gate_is_id(draft->parents[i])) return not_found(p->host, draft->parents[i]);
        bzr_status status = bzr__memory_find(p->host, draft->parents[i], p->arena, &row);
        if (!status) status = believed(p->host, &row, &of_parent);
        if (status) return status;
        *provenance = bzr_provenance_join(*provenance, of_parent);
    }
    return BZR_OK;
}

/* What a new entry is where nobody says: its writer's; external where it came from a URL. A model cannot say otherwise.
 */
static bzr_provenance least_of(const bzr__host *host, const bzr__memory_draft *draft) {
    if (bzr__str_find(draft->source, BZR__S("://"), 0) < draft->source.n) return BZR_EXTERNAL;
    return host->by == BZR__READER_MODEL ? BZR_AGENT : BZR_USER;
}

static bzr_status prepare_add(pass *p, const bzr__memory_draft *draft, bzr__memory_op *op) {
    bzr__reader by = p->host->by;
    bzr_provenance provenance = draft->has_provenance ? draft->provenance : least_of(p->host, draft);
    *op = (bzr__memory_op){ .act = BZR__MEMORY_ADD, .by = by, .id = draft->id, .at = draft->at };
    bzr_status status = clean_draft(p, draft, op);
    if (!status) status = check_id(p, draft->id);
    if (!status && !p->refused.rule) status = join_parents(p, draft, &provenance);
    op->parents = draft->parents;
    op->parent_count = draft->parents_n;
    op->provenance = by == BZR__READER_MODEL ? bzr_provenance_join(provenance, least_of(p->host, draft)) : provenance;
    return status;
}

/* ---- add ---- */

static void answer_written(const char *message, const char *id, const bzr__memory_op *op, const bzr__census *removed, bzr__buf *answer) {
    bzr__buf_add_z(answer, "{");
    bzr__answer_bool(answer, "success", true);
    bzr__answer_z(answer, "message", message);
    bzr__answer_z(answer, "id", id);
    bzr__answer_z(answer, "provenance", bzr_provenance_name(op->provenance));
    bzr__json_add_key(answer, "removed");
    bzr__add_removed(answer, removed);
    bzr__buf_add_c(answer, '}');
}

static void answer_added(const bzr__memory_op *op, const char *id, const bzr__census *removed, bzr__buf *answer) {
    char message[128];
    snprintf(message, sizeof message, "Memory added successfully with ID: %s", id);
    answer_written(message, id, op, removed, answer);
}

static void copy_id(bzr_str id, char ret[BZR__HANDLE_MAX]) {
    size_t n = id.n < BZR__HANDLE_MAX ? id.n : BZR__HANDLE_MAX - 1;
    memset(ret, 0, BZR__HANDLE_MAX);
    if (n) memcpy(ret, id.p, n);
}

bzr_status bzr__memory_add(bzr__host *host, const bzr__memory_draft *draft, bzr__buf *answer) {
    bzr__arena arena;
    bzr__memory_op op;
    char made[24], id[BZR__HANDLE_MAX];
    bzr__arena_init(&arena, BZR__HOST_ANSWER_MAX);
    pass p = { .host = host, .arena = &arena };
    bzr_status status = prepare_add(&p, draft, &op);
    if (!status && p.refused.rule)
        status = log_refusal(&p, "add_memory", draft->source);
    else if (!status)
        status = store_failed(host, bzr__store_memories_apply(host->store, &op, 1, &made, NULL));
    if (!status && p.refused.rule) {
        status = refuse(host, p.refused.rule, answer);
    } else if (!status) {
        copy_id(op.id.n ? op.id : bzr__str_z(made), id);
        answer_added(&op, id, &p.removed, answer);
    }
    bzr__arena_free(&arena);
    return status;
}

/* ---- add many ---- */

/* Put the number of the operation before the message, and what it means for the others behind it. */
static bzr_status fail_batch(bzr__host *host, bzr_status status, const bzr__memory_draft *draft, size_t index) {
    char message[BZR__HOST_MESSAGE];
    snprintf(message, sizeof message, "%.900s", host->message);
    size_t n = strlen(message);
    return bzr__host_fail(host, status, "%s %zu: %s%s Nothing was written.", draft->line ? "line" : "operation",
                          draft->line ? draft->line : index + 1, message, n && message[n - 1] == '.' ? "" : ".");
}

static void answer_batch(const bzr__memory_op *ops, char (*made)[24], size_t n, bzr__buf *answer) {
    char id[BZR__HANDLE_MAX];
    bzr__buf_add_z(answer, "{");
    bzr__answer_bool(answer, "success", true);
    bzr__answer_int(answer, "added", (int64_t)n);
    bzr__json_add_key(answer, "ids");
    bzr__buf_add_c(answer, '[');
    for (size_t i = 0; i < n; i++) {
        copy_id(ops[i].id.n ? ops[i].id : bzr__str_z(made[i]), id);
        bzr__answer_z(answer, NULL, id);
    }
    bzr__buf_add_z(answer, "]}");
}

static bzr_status apply_batch(bzr__host *host, const bzr__memory_draft *drafts, const bzr__memory_op *ops, size_t n,
                              bzr__arena *arena, bzr__buf *answer) {
    size_t failed = 0;
    char(*made)[24] = bzr__arena_alloc(arena, n * sizeof *made);
    if (!made) return out_of_memory(host);
    bzr_status status = store_failed(host, bzr__store_memories_apply(host->store, ops, n, made, &failed));
    if (status) return fail_batch(host, status, &drafts[failed], failed);
    answer_batch(ops, made, n, answer);
    return BZR_OK;
}

/* Everything is judged before anything is written. */
static bzr_status run_batch(bzr__host *host, const bzr__memory_draft *drafts, size_t n, bzr__arena *arena,
                            bzr__buf *answer) {
    bzr__memory_op *ops = bzr__arena_alloc(arena, n * sizeof *ops);
    if (!ops) return out_of_memory(host);
    for (size_t i = 0; i < n; i++) {
        pass p = { .host = host, .arena = arena };
        bzr_status status = prepare_add(&p, &drafts[i], &ops[i]);
        if (status) return fail_batch(host, status, &drafts[i], i);
        if (!p.refused.rule) continue;
        status = log_refusal(&p, "add_memory", drafts[i].source);
        if (!status) refuse_in_batch(&drafts[i], i, p.refused.rule, answer);
        return status;
    }
    return apply_batch(host, drafts, ops, n, arena, answer);
}

bzr_status bzr__memory_add_all(bzr__host *host, const bzr__memory_draft *drafts, size_t n, bzr__buf *answer) {
    bzr__arena arena;
    if (n > BZR__MEMORY_BATCH_MAX)
        return bzr__host_fail(host, BZR_E_LIMIT, "a batch has at most %d entries. Nothing was written.",
                              BZR__MEMORY_BATCH_MAX);
    if (!n) {
        answer_batch(NULL, NULL, 0, answer);
        return BZR_OK;
    }
    bzr__arena_init(&arena, BZR__HOST_ANSWER_MAX);
    bzr_status status = run_batch(host, drafts, n, &arena, answer);
    bzr__arena_free(&arena);
    return status;
}

/* ---- update ---- */

static bzr_status prepare_update(pass *p, const bzr__memory_draft *draft, bzr__memory_op *op, bzr__memory *row) {
    bzr_provenance old;
    bzr_status status = bzr__memory_find(p->host, draft->id, p->arena, row);
    if (!status) status = believed(p->host, row, &old);
    if (status) return status;
    *op = (bzr__memory_op){
        .act = BZR__MEMORY_UPDATE, .by = p->host->by, .id = row->id, .expect_revision = row->revision
    };
    op->provenance = draft->has_provenance ? draft->provenance : old;
    if (op->by == BZR__READER_MODEL)
        op->provenance = bzr_provenance_join(bzr_provenance_join(op->provenance, old), least_of(p->host, draft));
    return clean_draft(p, draft, op);
}

static bzr_status answer_updated(bzr__host *host, const bzr__memory_op *op, const bzr__census *removed,
                                 bzr__buf *answer) {
    char message[128], id[BZR__HANDLE_MAX];
    bzr_status status = bzr__gate_handle(host, op->id, id);
    if (status) return status;
    snprintf(message, sizeof message, "Memory with ID %s updated successfully", id);
    answer_written(message, id, op, removed, answer);
    return BZR_OK;
}

bzr_status bzr__memory_update(bzr__host *host, const bzr__memory_draft *draft, bzr__buf *answer) {
    bzr__arena arena;
    bzr__memory row;
    bzr__memory_op op;
    bzr__arena_init(&arena, BZR__HOST_ANSWER_MAX);
    pass p = { .host = host, .arena = &arena };
    bzr_status status = prepare_update(&p, draft, &op, &row);
    if (!status && p.refused.rule)
        status = log_refusal(&p, "update_memory", draft->source);
    else if (!status)
        status = store_failed(host, bzr__store_memories_apply(host->store, &op, 1, NULL, NULL));
    if (!status)
        status = p.refused.rule ? refuse(host, p.refused.rule, answer) : answer_updated(host, &op, &p.removed, answer);
    bzr__arena_free(&arena);
    return status;
}

/* ---- delete ---- */

typedef struct doomed {
    bzr__memory_op *ops;
    size_t n;
    bzr__buf deleted, unknown; /* JSON strings, separated by commas */
} doomed;

static bool is_listed(const doomed *d, bzr_str id) {
    for (size_t i = 0; i < d->n; i++)
        if (bzr__str_eq(d->ops[i].id, id)) return true;
    return false;
}

static bzr_status doom(bzr__host *host, bzr_str id, bzr__arena *arena, doomed *d) {
    bzr__memory row;
    char handle[BZR__HANDLE_MAX];
    bzr_status status = bzr__memory_find(host, id, arena, &row);
    if (status && status != BZR_E_NOT_FOUND) return status;
    bool found = !status;
    if (found && is_listed(d, row.id)) return BZR_OK;
    status = bzr__gate_handle(host, found ? row.id : id, handle);
    if (status) return status;
    bzr__buf *list = found ? &d->deleted : &d->unknown;
    if (list->n) bzr__buf_add_c(list, ',');
    bzr__json_add_utf8(list, bzr__str_z(handle));
    if (found)
        d->ops[d->n++] =
            (bzr__memory_op){ .act = BZR__MEMORY_DELETE, .by = host->by, .id = row.id, .session_id = host->session };
    return list->status;
}

static void answer_deleted(const doomed *d, const char *one, bzr__buf *answer) {
    char message[128];
    if (!one)
        snprintf(message, sizeof message, "%zu %s deleted", d->n, d->n == 1 ? "memory" : "memories");
    else if (d->n)
        snprintf(message, sizeof message, "Memory with ID %s deleted successfully", one);
    else
        snprintf(message, sizeof message, "There is no memory with ID %s: nothing to delete", one);
    bzr__buf_add_z(answer, "{");
    bzr__answer_bool(answer, "success", true);
    bzr__answer_z(answer, "message", message);
    bzr__buf_add_z(answer, ",\"deleted\":[");
    bzr__buf_add_str(answer, bzr__buf_str(&d->deleted));
    bzr__buf_add_z(answer, "],\"unknown\":[");
    bzr__buf_add_str(answer, bzr__buf_str(&d->unknown));
    bzr__buf_add_z(answer, "]}");
}

static bzr_status delete_all(bzr__host *host, const bzr_str *ids, size_t n, bzr__arena *arena, doomed *d,
                             bzr__buf *answer) {
    char one[BZR__HANDLE_MAX];
    bzr_status status = BZR_OK;
    d->ops = bzr__arena_alloc(arena, n * sizeof *d->ops);
    if (!d->ops) return out_of_memory(host);
    for (size_t i = 0; i < n && !status; i++) status = doom(host, ids[i], arena, d);
    if (!status && d->n) status = store_failed(host, bzr__store_memories_apply(host->store, d->ops, d->n, NULL, NULL));
    if (!status && n == 1) status = bzr__gate_handle(host, d->n ? d->ops[0].id : ids[0], one);
    if (!status) answer_deleted(d, n == 1 ? one : NULL, answer);
    return status;
}

bzr_status bzr__memory_delete(bzr__host *host, const bzr_str *ids, size_t n, bzr__buf *answer) {
    bzr__arena arena;
    doomed d = { .n = 0 };
    if (!n || n > DELETE_MAX) return bzr__host_fail(host, BZR_E_ARG, "delete 1 to %d memories at once", DELETE_MAX);
    for (size_t i = 0; i < n; i++)
        if (!ids[i].n) return bzr__host_fail(host, BZR_E_ARG, "memory ID cannot be empty");
    bzr__arena_init(&arena, BZR__HOST_ANSWER_MAX);
    bzr__buf_init(&d.deleted, BZR__HOST_ANSWER_MAX);
    bzr__buf_init(&d.unknown, BZR__HOST_ANSWER_MAX);
    bzr_status status = delete_all(host, ids, n, &arena, &d, answer);
    bzr__buf_free(&d.deleted);
    bzr__buf_free(&d.unknown);
    bzr__arena_free(&arena);
    return status;
}
