/* taint.c - see taint.h. */
#include "app/act/taint.h"

#include "app/host/json_walk.h"
#include "app/host/lifted.h"
#include "lib/base/str.h"

#include <stdlib.h>

#define BUDGET   ((size_t)64 << 20) /* bytes of content, decoded texts included, compared for one act */
#define BODY_MAX ((size_t)128 << 20)

typedef struct collecting {
    toad__lifted lifted;
    toad__arena *arena;
    toad__taint *taint;
    size_t room;
    bool full;
} collecting;

static bool grow(collecting *c) {
    if (c->taint->n < c->room) return true;
    size_t room = c->room ? 2 * c->room : 16;
    toad__tainting *rows = toad__arena_alloc(c->arena, room * sizeof *rows);
    if (!rows) return false;
    if (c->taint->n) memcpy(rows, c->taint->rows, c->taint->n * sizeof *rows);
    c->taint->rows = rows;
    c->room = room;
    return true;
}

static bool collect(void *ctx, const toad__session_ref *ref) {
    collecting *c = ctx;
    if (toad__is_lifted(&c->lifted, ref)) return true;
    c->full = !grow(c);
    if (c->full) return false;
    toad__tainting row = { .accessed_at = ref->accessed_at };
    row.high = toad__str_eq(ref->scan_result, TOAD__S("block")) || toad__str_eq(ref->scan_result, TOAD__S("blocked"));
    row.id = toad__arena_dup(c->arena, ref->content_id);
    row.url = toad__arena_dup(c->arena, ref->url);
    c->full = !row.id.p || !row.url.p;
    c->taint->high |= row.high;
    c->taint->rows[c->taint->n++] = row;
    return !c->full;
}

static int newest_first(const void *left, const void *right) {
    const toad__tainting *a = left, *b = right;
    if (a->accessed_at != b->accessed_at) return a->accessed_at > b->accessed_at ? -1 : 1;
    int order = memcmp(a->id.p, b->id.p, a->id.n < b->id.n ? a->id.n : b->id.n);
    return order ? order : a->id.n < b->id.n ? -1 : a->id.n > b->id.n;
}

toad_status toad__taint_read(toad__host *host, toad__arena *arena, toad__taint *ret) {
    toad__taint taint = { 0 };
    collecting c = { .arena = arena, .taint = &taint };
    toad_status status = toad__lifted_read(host, host->session, arena, &c.lifted);
    if (status) return status;
    status = toad__store_session_refs(host->store, host->session, collect, &c);
    if (status) return toad__host_store_failed(host, status);
    if (c.full) return toad__host_fail(host, TOAD_E_NOMEM, "out of memory");
    if (taint.n) qsort(taint.rows, taint.n, sizeof *taint.rows, newest_first);
    *ret = taint;
    return TOAD_OK;
}

/* ---- comparing ---- */

static toad_status add_arguments(toad__overlap *overlap, const toad__json *arguments, bool command) {
    toad__json_walk walk;
    toad_status status = TOAD_OK;
    toad__json_walk_begin(&walk, arguments);
    for (const toad__json *v; !status && (v = toad__json_walk_next(&walk));) {
        if (v->key.n) status = toad__overlap_add(overlap, v->key, false); /* names can carry something, too */
        if (!status && v->type == TOAD__JSON_STRING)
            status = toad__overlap_add(overlap, v->text, command);
        else if (!status && v->type == TOAD__JSON_NUMBER)
            status = toad__overlap_add(overlap, v->raw, false);
    }
    return status;
}

static bool keep(toad__arena *arena, toad_str *s) {
    if (!s->p) return true;
    *s = toad__arena_dup(arena, *s);
    return s->p != NULL;
}

static bool keep_row(toad__arena *arena, const toad__content *content, toad__tainting *row) {
    bool ok = true;
    row->domain = content->domain;
    ok &= keep(arena, &row->domain);
    for (size_t i = 0; i < TOAD__TAKEN_SORTS; i++) {
        row->any |= row->taken.text[i].p != NULL;
        ok &= keep(arena, &row->taken.text[i]);
    }
    return ok;
}

toad_status toad__taint_load(toad__host *host, toad_str id, int64_t accessed_at, toad__arena *arena,
                             toad__content *ret) {
    toad_str mark = TOAD__S(TOAD__MEMORY_REF);
    toad__memory entry;
    if (!toad__str_starts(id, mark)) return toad__store_content_get(host->store, id, true, arena, ret);
    toad_status status = toad__store_memory_get(host->store, toad__str_part(id, mark.n, id.n), arena, &entry);
    if (status) return status;
    *ret = (toad__content){ .url = TOAD__S(""),
                            .domain = TOAD__S(""),
                            .severity = TOAD__S("none"),
                            .action = TOAD__S("allow"),
                            .completeness = TOAD__S("full"),
                            .body = entry.content,
                            .intact = entry.intact && (!accessed_at || entry.updated_at <= accessed_at) };
    return TOAD_OK;
}

/* Load one content into `scratch` and compare it. */
static toad_status compare(toad__host *host, toad__arena *arena, toad__arena *scratch, toad__overlap *overlap,
                           size_t *budget, toad__tainting *row) {
    toad__content content;
    toad_status status = toad__taint_load(host, row->id, row->accessed_at, scratch, &content);
    if (status == TOAD_E_NOT_FOUND) {
        row->unknown = true;
        return toad__host_store_failed(
            host, toad__store_setting_for(host->store, row->url, row->domain, arena, &row->setting));
    }
    if (status) return toad__host_store_failed(host, status);
    row->high |= toad__str_eq(content.severity, TOAD__S("high")) || toad__str_eq(content.action, TOAD__S("block"));
    row->blocked = toad__str_eq(content.action, TOAD__S("block")) && !content.released_at;
    row->unknown = !content.intact || !*budget;
    status = toad__overlap_look(overlap, content.body, budget, &row->taken);
    row->unknown |= row->taken.cut;
    row->strong = toad__taken_is_strong(&row->taken);
    if (!status && !keep_row(arena, &content, row)) status = TOAD_E_NOMEM;
    if (status)
        return toad__host_fail(host, status, "the act could not be compared with what the session has read: %s",
                               toad_status_message(status));
    return toad__host_store_failed(host,
                                   toad__store_setting_for(host->store, row->url, row->domain, arena, &row->setting));
}

toad_status toad__taint_compare(toad__host *host, toad__arena *arena, const toad__json *arguments, bool command,
                                toad__taint *taint) {
    toad__overlap *overlap;
    size_t budget = BUDGET;
    toad_status status = toad__overlap_new(&overlap);
    if (status) return toad__host_fail(host, status, "out of memory");
    status = add_arguments(overlap, arguments, command);
    if (status) toad__host_fail(host, status, "the arguments could not be read: %s", toad_status_message(status));
    for (size_t i = 0; i < taint->n && !status; i++) {
        toad__arena scratch;
        toad__arena_init(&scratch, BODY_MAX);
        status = compare(host, arena, &scratch, overlap, &budget, &taint->rows[i]);
        taint->high |= taint->rows[i].high;
        taint->overlap |= taint->rows[i].any;
        toad__arena_free(&scratch);
    }
    toad__overlap_free(overlap);
    return status;
}
