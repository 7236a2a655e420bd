/* memory_read.c - reading memory: get_memories, one entry, search with seed 004's security context.
 *
 * Rows are copied out of the store first and judged afterwards. What a user may inspect a model may not read: see
 * show_content. */
#include "app/memory/memory.h"
#include "app/memory/memory_gate.h"
#include "app/scan/rules.h"
#include "lib/base/str.h"

#include <stdio.h>

#define DAY         INT64_C(86400000000)
#define NAMES_MAX   20
#define LEARNED_MAX 10

/* ---- rows ---- */

typedef struct collect {
    const bzr__memory_wanted *wanted;
    bzr__arena *arena;
    bzr__memory *rows;
    size_t n, room;
    bool full;
} collect;

static bool copy_row(bzr__arena *arena, const bzr__memory *from, bzr__memory *to) {
    *to = *from;
    bzr_str *const texts[] = { &to->id,         &to->content, &to->category, &to->source,
                               &to->session_id, &to->parents, &to->sha256 };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        *texts[i] = texts[i]->n ? bzr__arena_dup(arena, *texts[i]) : BZR__S("");
        if (!texts[i]->p) return false;
    }
    return true;
}

static bool is_wanted(const bzr__memory_wanted *w, const bzr__memory *row) {
    return !w || !w->has_provenance || bzr__gate_provenance(row) == w->provenance;
}

/* Twice as many, copied: an arena gives nothing back, which at most doubles what it holds. */
static bool grow(collect *c) {
    size_t room = c->room ? 2 * c->room : 64;
    bzr__memory *more = bzr__arena_alloc(c->arena, room * sizeof *more);
    if (!more) return false;
    if (c->n) memcpy(more, c->rows, c->n * sizeof *more);
    c->rows = more;
    c->room = room;
    return true;
}

static bool collect_row(void *ctx, const bzr__memory *row) {
    collect *c = ctx;
    if (!is_wanted(c->wanted, row)) return true;
    c->full = (c->n == c->room && !grow(c)) || !copy_row(c->arena, row, &c->rows[c->n]);
    if (c->full) return false;
    c->n++;
    return !c->wanted || !c->wanted->limit || c->n < c->wanted->limit;
}

static bzr_status collected(bzr__host *host, bzr_status status, const collect *c) {
    if (status) return bzr__host_store_failed(host, status);
    return c->full ? bzr__host_fail(host, BZR_E_LIMIT,
                                    "there are too many memories to hold at once; ask for fewer with a limit")
                   : BZR_OK;
}

bzr_status bzr__memory_collect(bzr__host *host, const bzr__memory_wanted *wanted, bzr__arena *arena, bzr__memory **ret,
                               size_t *ret_n) {
    collect c = { .wanted = wanted, .arena = arena };
    bzr__memory_filter filter = { .category = wanted->category, .at_most = BZR_USER };
    bzr_status status = collected(host, bzr__store_memories(host->store, &filter, collect_row, &c), &c);
    if (status) return status;
    *ret = c.rows;
    *ret_n = c.n;
    return BZR_OK;
}

typedef struct seek {
    bzr__host *host;
    bzr__arena *arena;
    bzr_str handle;
    bzr__memory *ret;
    bool found, full;
    bzr_status status;
} seek;

static bool seek_row(void *ctx, const bzr__memory *row) {
    seek *s = ctx;
    char handle[BZR__HANDLE_MAX];
    s->status = bzr__gate_handle(s->host, row->id, handle);
    if (s->status || !bzr__str_eq(bzr__str_z(handle), s->handle)) return !s->status;
    s->found = true;
    s->full = !copy_row(s->arena, row, s->ret);
    return false;
}

static bzr_status find_handle(bzr__host *host, bzr_str handle, bzr__arena *arena, bzr__memory *ret) {
    seek s = { .host = host, .arena = arena, .handle = handle, .ret = ret };
    bzr__memory_filter filter = { .at_most = BZR_USER };
    bzr_status status = bzr__host_store_failed(host, bzr__store_memories(host->store, &filter, seek_row, &s));
    if (!status) status = s.status;
    if (!status && s.full) status = bzr__host_fail(host, BZR_E_NOMEM, "%s", bzr_status_message(BZR_E_NOMEM));
    return status ? status : s.found ? BZR_OK : BZR_E_NOT_FOUND;
}

bzr_status bzr__memory_find(bzr__host *host, bzr_str id, bzr__arena *arena, bzr__memory *ret) {
    char handle[BZR__HANDLE_MAX];
    if (!id.n) return bzr__host_fail(host, BZR_E_ARG, "memory ID cannot be empty");
    bzr_status status = bzr__str_starts(id, BZR__S(BZR__ROW_PREFIX))
                            ? find_handle(host, id, arena, ret)
                            : bzr__store_memory_get(host->store, id, arena, ret);
    if (status != BZR_E_NOT_FOUND)
        return bzr__str_starts(id, BZR__S(BZR__ROW_PREFIX)) ? status : bzr__host_store_failed(host, status);
    status = bzr__gate_handle(host, id, handle);
    return status ? status : bzr__host_fail(host, BZR_E_NOT_FOUND, "memory not found: %s", handle);
}

/* ---- what is shown ---- */

bzr_status bzr__memory_placeholder_of(bzr__host *host, bzr_str id, const bzr__threats *threats, bzr__buf *text) {
    char handle[BZR__HANDLE_MAX];
    bzr_str ids[BZR__THREATS_MAX];
    bzr_text *placeholder;
    bzr_status status = bzr__gate_handle(host, id, handle);
    if (status) return status;
    for (size_t i = 0; i < threats->n; i++) ids[i] = bzr__str_z(threats->ids[i]);
    status = bzr_memory_placeholder(ids, threats->n, bzr__str_z(handle), &placeholder);
    if (status) return bzr__host_fail(host, status, "%s", bzr_status_message(status));
    bzr__buf_add_str(text, bzr_text_str(placeholder));
    bzr_text_free(placeholder);
    return BZR_OK;
}

/* A user inspects what stands there; a model reads what the gate lets through, in the shape it has in a prompt. */
static bzr_status show_content(bzr__host *host, const bzr__memory *row, const bzr__threats *threats, bzr__buf *text) {
    if (host->by == BZR__READER_USER) {
        bzr__buf_add_str(text, row->content);
        return text->status;
    }
    if (threats->n) return bzr__memory_placeholder_of(host, row->id, threats, text);
    bzr_wrap_options options = BZR_WRAP_OPTIONS_INIT;
    bzr_text *safe;
    options.envelope = BZR_ENVELOPE_EXTERNAL_CONTENT;
    bool external = bzr__gate_provenance(row) == BZR_EXTERNAL;
    bzr_status status = external ? bzr_wrap(row->content, &options, &safe) : bzr_neutralize(row->content, true, &safe);
    if (status) return bzr__host_fail(host, status, "%s", bzr_status_message(status));
    bzr__buf_add_str(text, bzr_text_str(safe));
    bzr_text_free(safe);
    return BZR_OK;
}

static bzr_status add_parents(bzr__host *host, bzr_str parents, bzr__buf *answer) {
    char handle[BZR__HANDLE_MAX];
    bzr__json_add_key(answer, "parents");
    bzr__buf_add_c(answer, '[');
    for (size_t at = 0; at < parents.n;) {
        size_t comma = bzr__str_find(parents, BZR__S(","), at);
        bzr_status status = bzr__gate_handle(host, bzr__str_part(parents, at, comma), handle);
        if (status) return status;
        bzr__answer_z(answer, NULL, handle);
        at = comma + 1;
    }
    bzr__buf_add_c(answer, ']');
    return BZR_OK;
}

/* The fields beside the content: of a bad row only a user sees them. */
static void add_field(const bzr__host *host, const char *key, bzr_str value, const bzr__threats *threats,
                      bzr__buf *answer) {
    bool hidden = threats->n && host->by == BZR__READER_MODEL;
    bzr__answer_str(answer, key, value.n && !hidden ? value : bzr__str(NULL, 0));
}

static void add_reasons(const bzr__threats *threats, bzr__buf *answer) {
    bzr__answer_bool(answer, "blocked", true);
    bzr__json_add_key(answer, "block_reason");
    bzr__buf_add_c(answer, '[');
    for (size_t i = 0; i < threats->n; i++) bzr__answer_z(answer, NULL, threats->ids[i]);
    bzr__buf_add_c(answer, ']');
}

static bzr_status add_row(bzr__host *host, const bzr__memory *row, const bzr__threats *threats, bool scored,
                          bzr__buf *answer) {
    char handle[BZR__HANDLE_MAX];
    bzr__buf text;
    bzr_status status = bzr__gate_handle(host, row->id, handle);
    if (status) return status;
    bzr__buf_init(&text, BZR__HOST_ANSWER_MAX);
    status = show_content(host, row, threats, &text);
    bzr__json_add_key(answer, NULL);
    bzr__buf_add_c(answer, '{');
    bzr__answer_z(answer, "id", handle);
    bzr__answer_str(answer, "content", text.n ? bzr__buf_str(&text) : BZR__S(""));
    bzr__buf_free(&text);
    if (status) return status;
    add_field(host, "category", row->category, threats, answer);
    bzr__answer_z(answer, "provenance", bzr_provenance_name(bzr__gate_provenance(row)));
    add_field(host, "source", row->source, threats, answer);
    add_field(host, "session", row->session_id, threats, answer);
    status = add_parents(host, row->parents, answer);
    bzr__answer_time(answer, "created_at", row->created_at);
    bzr__answer_time(answer, "updated_at", row->updated_at);
    bzr__answer_int(answer, "revision", row->revision);
    bzr__answer_str(answer, "sha256", row->intact ? row->sha256 : bzr__str(NULL, 0));
    bzr__answer_bool(answer, "intact", row->intact);
    if (scored) bzr__answer_real(answer, "score", row->score);
    if (threats->n) add_reasons(threats, answer);
    bzr__buf_add_c(answer, '}');
    return status;
}

/* `"memories":[...],"total":N,"blocked":N` */
static bzr_status add_rows(bzr__host *host, const bzr__memory *rows, size_t n, bool scored, bzr__buf *answer) {
    size_t blocked = 0;
    bzr__json_add_key(answer, "memories");
    bzr__buf_add_c(answer, '[');
    for (size_t i = 0; i < n; i++) {
        bzr__threats threats;
        bzr_status status = bzr__gate_row(host, &rows[i], &threats);
        if (!status) status = add_row(host, &rows[i], &threats, scored, answer);
        if (status) return status;
        blocked += threats.n > 0;
    }
    bzr__buf_add_c(answer, ']');
    bzr__answer_int(answer, "total", (int64_t)n);
    bzr__answer_int(answer, "blocked", (int64_t)blocked);
    return BZR_OK;
}

bzr_status bzr__memory_list(bzr__host *host, const bzr__memory_wanted *wanted, bzr__buf *answer) {
    bzr__arena arena;
    bzr__memory *rows;
    size_t n;
    bzr__arena_init(&arena, BZR__HOST_ANSWER_MAX);
    bzr_status status = bzr__memory_collect(host, wanted, &arena, &rows, &n);
    if (!status) {
        bzr__buf_add_c(answer, '{');
        status = add_rows(host, rows, n, false, answer);
        bzr__buf_add_c(answer, '}');
    }
    bzr__arena_free(&arena);
    return status;
}

bzr_status bzr__memory_show(bzr__host *host, bzr_str id, bzr__buf *answer) {
    bzr__arena arena;
    bzr__memory row;
    bzr__threats threats;
    bzr__arena_init(&arena, BZR__HOST_ANSWER_MAX);
    bzr_status status = bzr__memory_find(host, id, &arena, &row);
    if (!status) status = bzr__gate_row(host, &row, &threats);
    if (!status) status = add_row(host, &row, &threats, false, answer);
    bzr__arena_free(&arena);
    return status;
}

/* ---- search ---- */

/* A list of texts that were shown already, as JSON strings: few, so they are compared one by one. */
typedef struct names {
    bzr__host *host;
    bzr__arena *arena;
    bzr_str list[2][NAMES_MAX]; /* trusted, suspicious */
    size_t n[2];
    bzr_status status;
} names;

/* Keep a name once, if nothing is wrong with it. */
static bool keep_name(names *k, int which, bzr_str name) {
    bzr__threats threats = { .n = 0 };
    for (size_t i = 0; i < k->n[which]; i++)
        if (bzr__str_eq(k->list[which][i], name)) return true;
    if (k->n[which] == NAMES_MAX || !name.n || name.n > 253) return true;
    k->status = bzr__gate_text(k->host, name, &threats);
    if (k->status || threats.n) return !k->status;
    k->list[which][k->n[which]] = bzr__arena_dup(k->arena, name);
    if (k->list[which][k->n[which]].p)
        k->n[which]++;
    else
        k->status = BZR_E_NOMEM;
    return !k->status;
}

static bool keep_source(void *ctx, const bzr__source *source) {
    if (!strcmp(source->reputation, "trusted")) return keep_name(ctx, 0, source->name);
    if (!strcmp(source->reputation, "suspicious")) return keep_name(ctx, 1, source->name);
    return true;
}

static bool keep_setting(void *ctx, const bzr__setting *setting) {
    if (!bzr__str_eq(setting->kind, BZR__S("domain"))) return true;
    if (bzr__str_eq(setting->setting, BZR__S("trusted"))) return keep_name(ctx, 0, setting->pattern);
    if (bzr__str_eq(setting->setting, BZR__S("blocked"))) return keep_name(ctx, 1, setting->pattern);
    return true;
}

static void add_names(const names *k, int which, const char *key, bzr__buf *answer) {
    bzr__json_add_key(answer, key);
    bzr__buf_add_c(answer, '[');
    for (size_t i = 0; i < k->n[which]; i++) bzr__answer_str(answer, NULL, k->list[which][i]);
    bzr__buf_add_c(answer, ']');
}

/* A learning in our words, made from what it is about: its own text may have been written behind our back. */
typedef struct learned {
    bzr__host *host;
    const bzr__rule_list *rules;
    bzr__buf *answer;
    bzr_status status;
} learned;

static bool is_rule(const bzr__rule_list *rules, bzr_str id) {
    char name[BZR__HANDLE_MAX] = "";
    if (!id.n || id.n >= sizeof name) return false;
    memcpy(name, id.p, id.n);
    return strlen(name) == id.n && bzr__rule_list_find(rules, name) != SIZE_MAX;
}

static bool add_learning(void *ctx, const bzr__learning *learning) {
    learned *l = ctx;
    char text[512];
    bzr__threats threats = { .n = 0 };
    l->status = bzr__gate_text(l->host, learning->domain, &threats);
    bool named = learning->domain.n && learning->domain.n <= 253 && !threats.n,
         known = is_rule(l->rules, learning->pattern_type);
    bzr_str domain = named ? learning->domain : BZR__S("an unnamed source"),
            rule = known ? learning->pattern_type : BZR__S("of the user's");
    snprintf(text, sizeof text, "Blocked prompt injection from %.*s - rule %.*s", (int)domain.n, domain.p, (int)rule.n,
             rule.p);
    if (!l->status) bzr__answer_z(l->answer, NULL, text);
    return !l->status;
}

static bzr_status add_learnings(bzr__host *host, bzr__buf *answer) {
    bzr__rule_list *rules;
    bzr_status status = bzr__rule_list_new(NULL, &rules);
    if (status) return bzr__host_fail(host, status, "%s", bzr_status_message(status));
    learned l = { host, rules, answer, BZR_OK };
    bzr__json_add_key(answer, "security_learnings");
    bzr__buf_add_c(answer, '[');
    status = bzr__host_store_failed(
        host, bzr__store_learnings(host->store, bzr__str(NULL, 0), LEARNED_MAX, add_learning, &l));
    bzr__buf_add_c(answer, ']');
    bzr__rule_list_free(rules);
    return status ? status : l.status;
}

static bzr_status count_blocks(bzr__host *host, uint64_t *ret) {
    bzr__event_filter filter = { .since = bzr__store_now(host->store) - DAY,
                                 .type = BZR__S("security_scan"),
                                 .action = BZR__S("block") };
    return bzr__host_store_failed(host, bzr__store_events_count(host->store, &filter, ret));
}

static bzr_status add_security(bzr__host *host, bzr__arena *arena, bzr__buf *answer) {
    names k = { .host = host, .arena = arena };
    bzr__source_filter filter = { .kind = BZR__S("domain") };
    uint64_t blocks = 0;
    bzr_status status = count_blocks(host, &blocks);
    if (!status) status = bzr__host_store_failed(host, bzr__store_settings(host->store, keep_setting, &k));
    if (!status && !k.status)
        status = bzr__host_store_failed(host, bzr__store_sources(host->store, &filter, keep_source, &k));
    if (!status) status = k.status;
    if (status) return status;
    bzr__json_add_key(answer, "security");
    bzr__buf_add_c(answer, '{');
    bzr__answer_int(answer, "recent_blocks", (int64_t)blocks);
    add_names(&k, 0, "trusted_sources", answer);
    add_names(&k, 1, "suspicious_domains", answer);
    status = add_learnings(host, answer);
    bzr__buf_add_c(answer, '}');
    return status;
}

static bzr_status add_prompt(bzr__host *host, const bzr__memory *rows, size_t n, bzr__buf *answer) {
    bzr__buf text;
    bzr__memory_shown shown;
    bzr__buf_init(&text, BZR__HOST_ANSWER_MAX);
    bzr_status status = bzr__memory_prompt_of(host, rows, n, BZR_ENVELOPE_EXTERNAL_CONTENT, &text, &shown);
    if (!status) bzr__answer_str(answer, "memory", text.n ? bzr__buf_str(&text) : BZR__S(""));
    bzr__buf_free(&text);
    return status;
}

static bzr_status answer_search(bzr__host *host, const bzr__memory_query *query, const collect *c, bzr__buf *answer) {
    bzr__buf_add_c(answer, '{');
    bzr_status status = add_rows(host, c->rows, c->n, true, answer);
    if (!status && query->include_security) status = add_prompt(host, c->rows, c->n, answer);
    if (!status && query->include_security) status = add_security(host, c->arena, answer);
    bzr__buf_add_c(answer, '}');
    return status;
}

bzr_status bzr__memory_search(bzr__host *host, const bzr__memory_query *query, bzr__buf *answer) {
    bzr__arena arena;
    bzr__arena_init(&arena, BZR__HOST_ANSWER_MAX);
    collect c = { .arena = &arena };
    bzr_status status =
        bzr__store_memories_search(host->store, query->text, query->all_words, query->limit, collect_row, &c);
    status = collected(host, status, &c);
    if (!status) status = answer_search(host, query, &c, answer);
    bzr__arena_free(&arena);
    return status;
}
