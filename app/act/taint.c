/* taint.c - see taint.h. */
#include "app/act/taint.h"

#include "app/host/json_walk.h"
#include "lib/base/str.h"

#include <stdlib.h>

#define BUDGET   ((size_t)64 << 20) /* bytes of content, decoded texts included, compared for one act */
#define BODY_MAX ((size_t)128 << 20)

typedef struct collecting {
    bzr__arena *arena;
    bzr__taint *taint;
    size_t room;
    bool full;
} collecting;

static bool grow(collecting *c) {
    if (c->taint->n < c->room) return true;
    size_t room = c->room ? 2 * c->room : 16;
    bzr__tainting *rows = bzr__arena_alloc(c->arena, room * sizeof *rows);
    if (!rows) return false;
    if (c->taint->n) memcpy(rows, c->taint->rows, c->taint->n * sizeof *rows);
    c->taint->rows = rows;
    c->room = room;
    return true;
}

static bool collect(void *ctx, const bzr__session_ref *ref) {
    collecting *c = ctx;
    c->full = !grow(c);
    if (c->full) return false;
    bzr__tainting row = { .accessed_at = ref->accessed_at };
    row.high = bzr__str_eq(ref->scan_result, BZR__S("block")) || bzr__str_eq(ref->scan_result, BZR__S("blocked"));
    row.id = bzr__arena_dup(c->arena, ref->content_id);
    row.url = bzr__arena_dup(c->arena, ref->url);
    c->full = !row.id.p || !row.url.p;
    c->taint->high |= row.high;
    c->taint->rows[c->taint->n++] = row;
    return !c->full;
}

static int newest_first(const void *left, const void *right) {
    const bzr__tainting *a = left, *b = right;
    if (a->accessed_at != b->accessed_at) return a->accessed_at > b->accessed_at ? -1 : 1;
    int order = memcmp(a->id.p, b->id.p, a->id.n < b->id.n ? a->id.n : b->id.n);
    return order ? order : a->id.n < b->id.n ? -1 : a->id.n > b->id.n;
}

bzr_status bzr__taint_read(bzr__host *host, bzr__arena *arena, bzr__taint *ret) {
    bzr__taint taint = { 0 };
    collecting c = { .arena = arena, .taint = &taint };
    bzr_status status = bzr__store_session_refs(host->store, host->session, collect, &c);
    if (status) return bzr__host_store_failed(host, status);
    if (c.full) return bzr__host_fail(host, BZR_E_NOMEM, "out of memory");
    if (taint.n) qsort(taint.rows, taint.n, sizeof *taint.rows, newest_first);
    *ret = taint;
    return BZR_OK;
}

/* ---- comparing ---- */

static bzr_status add_arguments(bzr__overlap *overlap, const bzr__json *arguments, bool command) {
    bzr__json_walk walk;
    bzr_status status = BZR_OK;
    bzr__json_walk_begin(&walk, arguments);
    for (const bzr__json *v; !status && (v = bzr__json_walk_next(&walk));) {
        if (v->key.n) status = bzr__overlap_add(overlap, v->key, false); /* names can carry something, too */
        if (!status && v->type == BZR__JSON_STRING)
            status = bzr__overlap_add(overlap, v->text, command);
        else if (!status && v->type == BZR__JSON_NUMBER)
            status = bzr__overlap_add(overlap, v->raw, false);
    }
    return status;
}

static bool keep(bzr__arena *arena, bzr_str *s) {
    if (!s->p) return true;
    *s = bzr__arena_dup(arena, *s);
    return s->p != NULL;
}

static bool keep_row(bzr__arena *arena, const bzr__content *content, bzr__tainting *row) {
    bool ok = true;
    row->domain = content->domain;
    ok &= keep(arena, &row->domain);
    for (size_t i = 0; i < BZR__TAKEN_SORTS; i++) {
        row->any |= row->taken.text[i].p != NULL;
        ok &= keep(arena, &row->taken.text[i]);
    }
    return ok;
}

/* Load one content into `scratch` and compare it. */
static bzr_status compare(bzr__host *host, bzr__arena *arena, bzr__arena *scratch, bzr__overlap *overlap,
                          size_t *budget, bzr__tainting *row) {
    bzr__content content;
    bzr_status status = bzr__store_content_get(host->store, row->id, true, scratch, &content);
    if (status == BZR_E_NOT_FOUND) {
        row->unknown = true;
        return bzr__host_store_failed(host,
                                      bzr__store_setting_for(host->store, row->url, row->domain, arena, &row->setting));
    }
    if (status) return bzr__host_store_failed(host, status);
    row->high |= bzr__str_eq(content.severity, BZR__S("high")) || bzr__str_eq(content.action, BZR__S("block"));
    row->blocked = bzr__str_eq(content.action, BZR__S("block")) && !content.released_at;
    row->unknown = !content.intact || !*budget;
    status = bzr__overlap_look(overlap, content.body, budget, &row->taken);
    row->unknown |= row->taken.cut;
    row->strong = bzr__taken_is_strong(&row->taken);
    if (!status && !keep_row(arena, &content, row)) status = BZR_E_NOMEM;
    if (status)
        return bzr__host_fail(host, status, "the act could not be compared with what the session has read: %s",
                              bzr_status_message(status));
    return bzr__host_store_failed(host,
                                  bzr__store_setting_for(host->store, row->url, row->domain, arena, &row->setting));
}

bzr_status bzr__taint_compare(bzr__host *host, bzr__arena *arena, const bzr__json *arguments, bool command,
                              bzr__taint *taint) {
    bzr__overlap *overlap;
    size_t budget = BUDGET;
    bzr_status status = bzr__overlap_new(&overlap);
    if (status) return bzr__host_fail(host, status, "out of memory");
    status = add_arguments(overlap, arguments, command);
    if (status) bzr__host_fail(host, status, "the arguments could not be read: %s", bzr_status_message(status));
    for (size_t i = 0; i < taint->n && !status; i++) {
        bzr__arena scratch;
        bzr__arena_init(&scratch, BODY_MAX);
        status = compare(host, arena, &scratch, overlap, &budget, &taint->rows[i]);
        taint->high |= taint->rows[i].high;
        taint->overlap |= taint->rows[i].any;
        bzr__arena_free(&scratch);
    }
    bzr__overlap_free(overlap);
    return status;
}
