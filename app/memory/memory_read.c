/* memory_read.c - reading memory: get_memories, one entry, search with what was blocked beside the hits.
 *
 * Rows are copied out of the store first and judged afterwards. What a user may inspect a model may not read: see
 * show_content. */
#include "app/memory/memory.h"
#include "app/memory/memory_gate.h"
#include "app/scan/rules.h"
#include "lib/base/str.h"

#include <stdio.h>
#include <stdlib.h>

#define DAY         INT64_C(86400000000)
#define NAMES_MAX   20
#define LEARNED_MAX 10

/* ---- rows ---- */

typedef struct collect {
    const toad__memory_wanted *wanted;
    toad__arena *arena;
    toad__memory *rows;
    size_t n, room;
    bool full;
} collect;

static bool copy_row(toad__arena *arena, const toad__memory *from, toad__memory *to) {
    *to = *from;
    toad_str *const texts[] = { &to->id,         &to->content, &to->category, &to->source,
                                &to->session_id, &to->parents, &to->sha256 };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        *texts[i] = texts[i]->n ? toad__arena_dup(arena, *texts[i]) : TOAD__S("");
        if (!texts[i]->p) return false;
    }
    return true;
}

static bool is_wanted(const toad__memory_wanted *w, const toad__memory *row) {
    return !w || !w->has_provenance || toad__gate_provenance(row) == w->provenance;
}

/* Twice as many, copied: an arena gives nothing back, which at most doubles what it holds. */
static bool grow(collect *c) {
    size_t room = c->room ? 2 * c->room : 64;
    toad__memory *more = toad__arena_alloc(c->arena, room * sizeof *more);
    if (!more) return false;
    if (c->n) memcpy(more, c->rows, c->n * sizeof *more);
    c->rows = more;
    c->room = room;
    return true;
}

static bool collect_row(void *ctx, const toad__memory *row) {
    collect *c = ctx;
    if (!is_wanted(c->wanted, row)) return true;
    c->full = (c->n == c->room && !grow(c)) || !copy_row(c->arena, row, &c->rows[c->n]);
    if (c->full) return false;
    c->n++;
    return !c->wanted || !c->wanted->limit || c->n < c->wanted->limit;
}

static toad_status collected(toad__host *host, toad_status status, const collect *c) {
    if (status) return toad__host_store_failed(host, status);
    return c->full ? toad__host_fail(host, TOAD_E_LIMIT,
                                     "there are too many memories to hold at once; ask for fewer with a limit")
                   : TOAD_OK;
}

toad_status toad__memory_collect(toad__host *host, const toad__memory_wanted *wanted, toad__arena *arena,
                                 toad__memory **ret, size_t *ret_n) {
    collect c = { .wanted = wanted, .arena = arena };
    toad__memory_filter filter = { .category = wanted->category, .at_most = TOAD_USER };
    toad_status status = collected(host, toad__store_memories(host->store, &filter, collect_row, &c), &c);
    if (status) return status;
    *ret = c.rows;
    *ret_n = c.n;
    return TOAD_OK;
}

typedef struct seek {
    toad__host *host;
    toad__arena *arena;
    toad_str handle;
    toad__memory *ret;
    bool found, full;
    toad_status status;
} seek;

static bool seek_row(void *ctx, const toad__memory *row) {
    seek *s = ctx;
    char handle[TOAD__HANDLE_MAX];
    s->status = toad__gate_handle(s->host, row->id, handle);
    if (s->status || !toad__str_eq(toad__str_z(handle), s->handle)) return !s->status;
    s->found = true;
    s->full = !copy_row(s->arena, row, s->ret);
    return false;
}

static toad_status find_handle(toad__host *host, toad_str handle, toad__arena *arena, toad__memory *ret) {
    seek s = { .host = host, .arena = arena, .handle = handle, .ret = ret };
    toad__memory_filter filter = { .at_most = TOAD_USER };
    toad_status status = toad__host_store_failed(host, toad__store_memories(host->store, &filter, seek_row, &s));
    if (!status) status = s.status;
    if (!status && s.full) status = toad__host_failed(host, TOAD_E_NOMEM);
    return status ? status : s.found ? TOAD_OK : TOAD_E_NOT_FOUND;
}

toad_status toad__memory_find(toad__host *host, toad_str id, toad__arena *arena, toad__memory *ret) {
    char handle[TOAD__HANDLE_MAX];
    if (!id.n) return toad__host_fail(host, TOAD_E_ARG, "memory ID cannot be empty");
    toad_status status = toad__str_starts(id, TOAD__S(TOAD__ROW_PREFIX))
                             ? find_handle(host, id, arena, ret)
                             : toad__store_memory_get(host->store, id, arena, ret);
    if (status != TOAD_E_NOT_FOUND)
        return toad__str_starts(id, TOAD__S(TOAD__ROW_PREFIX)) ? status : toad__host_store_failed(host, status);
    status = toad__gate_handle(host, id, handle);
    return status ? status : toad__host_fail(host, TOAD_E_NOT_FOUND, "memory not found: %s", handle);
}

/* ---- what a session has read ---- */

/* References to external rows, sorted by id; those that the session has are marked. */
typedef struct sight {
    toad__session_ref *refs;
    bool *known;
    size_t n;
} sight;

static int by_ref(const void *a, const void *b) {
    const toad_str x = ((const toad__session_ref *)a)->content_id, y = ((const toad__session_ref *)b)->content_id;
    int c = memcmp(x.p, y.p, x.n < y.n ? x.n : y.n);
    return c ? c : x.n < y.n ? -1 : x.n > y.n;
}

static bool mark_known(void *ctx, const toad__session_ref *ref) {
    sight *s = ctx;
    const toad__session_ref *found = bsearch(ref, s->refs, s->n, sizeof *s->refs, by_ref);
    if (found && ref->content_id.n) s->known[found - s->refs] = true;
    return true;
}

static toad_status add_ref(toad__host *host, const toad__memory *row, toad__arena *arena, sight *s) {
    char handle[TOAD__HANDLE_MAX], id[sizeof TOAD__MEMORY_REF + TOAD__HANDLE_MAX];
    toad_status status = toad__gate_handle(host, row->id, handle);
    if (status) return status;
    int n = snprintf(id, sizeof id, TOAD__MEMORY_REF "%s", handle);
    toad_str copy = toad__arena_dup(arena, toad__str(id, (size_t)n));
    s->refs[s->n++] = (toad__session_ref){ .content_id = copy,
                                           .url = row->source.n ? row->source : copy,
                                           .scan_result = TOAD__S("allow") };
    return copy.p ? TOAD_OK : toad__host_failed(host, TOAD_E_NOMEM);
}

toad_status toad__memory_seen(toad__host *host, const toad__memory *rows, size_t n, toad__arena *arena) {
    if (!host->session.n || !n) return TOAD_OK;
    sight s = { .refs = toad__arena_alloc(arena, n * sizeof *s.refs), .known = toad__arena_alloc(arena, n) };
    if (!s.refs || !s.known) return toad__host_failed(host, TOAD_E_NOMEM);
    memset(s.known, 0, n);
    toad_status status = TOAD_OK;
    for (size_t i = 0; i < n && !status; i++) {
        toad__threats threats;
        if (toad__gate_provenance(&rows[i]) != TOAD_EXTERNAL) continue;
        status = toad__gate_row(host, &rows[i], &threats);
        if (!status && !threats.n) status = add_ref(host, &rows[i], arena, &s);
    }
    if (status || !s.n) return status;
    qsort(s.refs, s.n, sizeof *s.refs, by_ref);
    status = toad__host_store_failed(host, toad__store_session_refs(host->store, host->session, mark_known, &s));
    size_t fresh = 0;
    for (size_t i = 0; i < s.n; i++)
        if (!s.known[i]) s.refs[fresh++] = s.refs[i];
    if (status || !fresh) return status;
    return toad__host_store_failed(host, toad__store_session_saw(host->store, host->session, s.refs, fresh));
}

/* What a user looks at an agent's session has not read. */
static toad_status seen_by_model(toad__host *host, const toad__memory *rows, size_t n, toad__arena *arena) {
    return host->by == TOAD__READER_MODEL ? toad__memory_seen(host, rows, n, arena) : TOAD_OK;
}

/* ---- what is shown ---- */

toad_status toad__memory_placeholder_of(toad__host *host, toad_str id, const toad__threats *threats, toad__buf *text) {
    char handle[TOAD__HANDLE_MAX];
    toad_str ids[TOAD__THREATS_MAX];
    toad_text *placeholder;
    toad_status status = toad__gate_handle(host, id, handle);
    if (status) return status;
    for (size_t i = 0; i < threats->n; i++) ids[i] = toad__str_z(threats->ids[i]);
    status = toad_memory_placeholder(ids, threats->n, toad__str_z(handle), &placeholder);
    if (status) return toad__host_failed(host, status);
    toad__buf_add_str(text, toad_text_str(placeholder));
    toad_text_free(placeholder);
    return TOAD_OK;
}

/* A user inspects what stands there; a model reads what the gate lets through, in the shape it has in a prompt. */
static toad_status add_content(toad__host *host, const toad__memory *row, const toad__threats *threats,
                               toad__answer *answer) {
    toad_wrap_options options = TOAD_WRAP_OPTIONS_INIT;
    toad_text *safe;
    toad__buf placeholder;
    toad_status status;
    if (host->by == TOAD__READER_USER) {
        toad__answer_str(answer, "content", row->content.n ? row->content : TOAD__S(""));
        return TOAD_OK;
    }
    if (threats->n) {
        toad__buf_init(&placeholder, 1u << 16);
        status = toad__memory_placeholder_of(host, row->id, threats, &placeholder);
        if (!status) toad__answer_str(answer, "content", toad__buf_str(&placeholder));
        if (!status) status = toad__host_failed(host, placeholder.status);
        toad__buf_free(&placeholder);
        return status;
    }
    options.envelope = TOAD_ENVELOPE_EXTERNAL_CONTENT;
    bool external = toad__gate_provenance(row) == TOAD_EXTERNAL;
    status = external ? toad_wrap(row->content, &options, &safe) : toad_neutralize(row->content, true, &safe);
    if (status) return toad__host_failed(host, status);
    toad_str text = toad_text_str(safe);
    toad__answer_str(answer, "content", text.n ? text : TOAD__S(""));
    toad_text_free(safe);
    return TOAD_OK;
}

static toad_status add_parents(toad__host *host, toad_str parents, toad__answer *answer) {
    char handle[TOAD__HANDLE_MAX];
    toad__answer_array(answer, "parents");
    for (size_t at = 0; at < parents.n;) {
        size_t comma = toad__str_find(parents, TOAD__S(","), at);
        toad_status status = toad__gate_handle(host, toad__str_part(parents, at, comma), handle);
        if (status) return status;
        toad__answer_z(answer, NULL, handle);
        at = comma + 1;
    }
    toad__answer_end(answer);
    return TOAD_OK;
}

/* The fields beside the content: of a bad row only a user sees them. */
static void add_field(const toad__host *host, const char *key, toad_str value, const toad__threats *threats,
                      toad__answer *answer) {
    bool hidden = threats->n && host->by == TOAD__READER_MODEL;
    toad__answer_str(answer, key, value.n && !hidden ? value : toad__str(NULL, 0));
}

static void add_reasons(const toad__threats *threats, toad__answer *answer) {
    toad__answer_bool(answer, "blocked", true);
    toad__answer_array(answer, "block_reason");
    for (size_t i = 0; i < threats->n; i++) toad__answer_z(answer, NULL, threats->ids[i]);
    toad__answer_end(answer);
}

static toad_status add_row(toad__host *host, const toad__memory *row, const toad__threats *threats, bool scored,
                           toad__answer *answer) {
    char handle[TOAD__HANDLE_MAX];
    toad_status status = toad__gate_handle(host, row->id, handle);
    if (status) return status;
    toad__answer_z(answer, "id", handle);
    status = add_content(host, row, threats, answer);
    if (status) return status;
    add_field(host, "category", row->category, threats, answer);
    toad__answer_z(answer, "provenance", toad_provenance_name(toad__gate_provenance(row)));
    add_field(host, "source", row->source, threats, answer);
    add_field(host, "session", row->session_id, threats, answer);
    status = add_parents(host, row->parents, answer);
    toad__answer_time(answer, "created_at", row->created_at);
    toad__answer_time(answer, "updated_at", row->updated_at);
    toad__answer_int(answer, "revision", row->revision);
    toad__answer_str(answer, "sha256", row->intact ? row->sha256 : toad__str(NULL, 0));
    toad__answer_bool(answer, "intact", row->intact);
    if (scored) toad__answer_real(answer, "score", row->score);
    if (threats->n) add_reasons(threats, answer);
    return status;
}

/* "memories", "total" and "blocked". */
static toad_status add_rows(toad__host *host, const toad__memory *rows, size_t n, bool scored, toad__answer *answer) {
    size_t blocked = 0;
    toad__answer_array(answer, "memories");
    for (size_t i = 0; i < n; i++) {
        toad__threats threats;
        toad_status status = toad__gate_row(host, &rows[i], &threats);
        toad__answer_object(answer, NULL);
        if (!status) status = add_row(host, &rows[i], &threats, scored, answer);
        toad__answer_end(answer);
        if (status) return status;
        blocked += threats.n > 0;
    }
    toad__answer_end(answer);
    toad__answer_int(answer, "total", (int64_t)n);
    toad__answer_int(answer, "blocked", (int64_t)blocked);
    return TOAD_OK;
}

toad_status toad__memory_list(toad__host *host, const toad__memory_wanted *wanted, toad__answer *answer) {
    toad__arena arena;
    toad__memory *rows;
    size_t n;
    toad__arena_init(&arena, TOAD__HOST_ANSWER_MAX);
    toad_status status = toad__memory_collect(host, wanted, &arena, &rows, &n);
    if (!status) status = seen_by_model(host, rows, n, &arena);
    if (!status) status = add_rows(host, rows, n, false, answer);
    toad__arena_free(&arena);
    return status;
}

toad_status toad__memory_show(toad__host *host, toad_str id, toad__answer *answer) {
    toad__arena arena;
    toad__memory row;
    toad__threats threats;
    toad__arena_init(&arena, TOAD__HOST_ANSWER_MAX);
    toad_status status = toad__memory_find(host, id, &arena, &row);
    if (!status) status = toad__gate_row(host, &row, &threats);
    if (!status) status = seen_by_model(host, &row, 1, &arena);
    if (!status) status = add_row(host, &row, &threats, false, answer);
    toad__arena_free(&arena);
    return status;
}

/* ---- search ---- */

/* A list of texts that were shown already, as JSON strings: few, so they are compared one by one. */
typedef struct names {
    toad__host *host;
    toad__arena *arena;
    toad_str list[2][NAMES_MAX]; /* trusted, suspicious */
    size_t n[2];
    toad_status status;
} names;

/* Keep a name once, if nothing is wrong with it. */
static bool keep_name(names *k, int which, toad_str name) {
    toad__threats threats = { .n = 0 };
    for (size_t i = 0; i < k->n[which]; i++)
        if (toad__str_eq(k->list[which][i], name)) return true;
    if (k->n[which] == NAMES_MAX || !name.n || name.n > 253) return true;
    k->status = toad__gate_text(k->host, name, &threats);
    if (k->status || threats.n) return !k->status;
    k->list[which][k->n[which]] = toad__arena_dup(k->arena, name);
    if (k->list[which][k->n[which]].p)
        k->n[which]++;
    else
        k->status = TOAD_E_NOMEM;
    return !k->status;
}

static bool keep_source(void *ctx, const toad__source *source) {
    if (!strcmp(source->reputation, "trusted")) return keep_name(ctx, 0, source->name);
    if (!strcmp(source->reputation, "suspicious")) return keep_name(ctx, 1, source->name);
    return true;
}

static bool keep_setting(void *ctx, const toad__setting *setting) {
    if (!toad__str_eq(setting->kind, TOAD__S("domain"))) return true;
    if (toad__str_eq(setting->setting, TOAD__S("trusted"))) return keep_name(ctx, 0, setting->pattern);
    if (toad__str_eq(setting->setting, TOAD__S("blocked"))) return keep_name(ctx, 1, setting->pattern);
    return true;
}

static void add_names(const names *k, int which, const char *key, toad__answer *answer) {
    toad__answer_array(answer, key);
    for (size_t i = 0; i < k->n[which]; i++) toad__answer_str(answer, NULL, k->list[which][i]);
    toad__answer_end(answer);
}

/* A learning in our words, made from what it is about: its own text may have been written behind our back. */
typedef struct learned {
    toad__host *host;
    const toad__rule_list *rules;
    toad__answer *answer;
    toad_status status;
} learned;

static bool is_rule(const toad__rule_list *rules, toad_str id) {
    char name[TOAD__HANDLE_MAX] = "";
    if (!id.n || id.n >= sizeof name) return false;
    memcpy(name, id.p, id.n);
    return strlen(name) == id.n && toad__rule_list_find(rules, name) != SIZE_MAX;
}

static bool add_learning(void *ctx, const toad__learning *learning) {
    learned *l = ctx;
    char text[512];
    toad__threats threats = { .n = 0 };
    l->status = toad__gate_text(l->host, learning->domain, &threats);
    bool named = learning->domain.n && learning->domain.n <= 253 && !threats.n,
         known = is_rule(l->rules, learning->pattern_type);
    toad_str domain = named ? learning->domain : TOAD__S("an unnamed source"),
             rule = known ? learning->pattern_type : TOAD__S("of the user's");
    snprintf(text, sizeof text, "Blocked prompt injection from %.*s - rule %.*s", (int)domain.n, domain.p, (int)rule.n,
             rule.p);
    if (!l->status) toad__answer_z(l->answer, NULL, text);
    return !l->status;
}

static toad_status add_learnings(toad__host *host, toad__answer *answer) {
    toad__rule_list *rules;
    toad_status status = toad__rule_list_new(NULL, &rules);
    if (status) return toad__host_failed(host, status);
    learned l = { host, rules, answer, TOAD_OK };
    toad__answer_array(answer, "security_learnings");
    status = toad__host_store_failed(
        host, toad__store_learnings(host->store, toad__str(NULL, 0), LEARNED_MAX, add_learning, &l));
    toad__answer_end(answer);
    toad__rule_list_free(rules);
    return status ? status : l.status;
}

static toad_status count_blocks(toad__host *host, uint64_t *ret) {
    toad__event_filter filter = { .since = toad__store_now(host->store) - DAY,
                                  .type = TOAD__S("security_scan"),
                                  .action = TOAD__S("block") };
    return toad__host_store_failed(host, toad__store_events_count(host->store, &filter, ret));
}

static toad_status add_security(toad__host *host, toad__arena *arena, toad__answer *answer) {
    names k = { .host = host, .arena = arena };
    toad__source_filter filter = { .kind = TOAD__S("domain") };
    uint64_t blocks = 0;
    toad_status status = count_blocks(host, &blocks);
    if (!status) status = toad__host_store_failed(host, toad__store_settings(host->store, keep_setting, &k));
    if (!status && !k.status)
        status = toad__host_store_failed(host, toad__store_sources(host->store, &filter, keep_source, &k));
    if (!status) status = k.status;
    if (status) return status;
    toad__answer_object(answer, "security");
    toad__answer_int(answer, "recent_blocks", (int64_t)blocks);
    add_names(&k, 0, "trusted_sources", answer);
    add_names(&k, 1, "suspicious_domains", answer);
    status = add_learnings(host, answer);
    toad__answer_end(answer);
    return status;
}

static toad_status add_prompt(toad__host *host, const toad__memory *rows, size_t n, toad__answer *answer) {
    toad__buf text;
    toad__memory_shown shown;
    toad__buf_init(&text, TOAD__HOST_ANSWER_MAX);
    toad_status status = toad__memory_prompt_of(host, rows, n, TOAD_ENVELOPE_EXTERNAL_CONTENT, &text, &shown);
    if (!status) toad__answer_str(answer, "memory", text.n ? toad__buf_str(&text) : TOAD__S(""));
    toad__buf_free(&text);
    return status;
}

toad_status toad__memory_search(toad__host *host, const toad__memory_query *query, toad__answer *answer) {
    toad__arena arena;
    toad__arena_init(&arena, TOAD__HOST_ANSWER_MAX);
    collect c = { .arena = &arena };
    toad_status status =
        toad__store_memories_search(host->store, query->text, query->all_words, query->limit, collect_row, &c);
    status = collected(host, status, &c);
    if (!status) status = seen_by_model(host, c.rows, c.n, &arena);
    if (!status) status = add_rows(host, c.rows, c.n, true, answer);
    if (!status && query->include_security) status = add_prompt(host, c.rows, c.n, answer);
    if (!status && query->include_security) status = add_security(host, &arena, answer);
    toad__arena_free(&arena);
    return status;
}
