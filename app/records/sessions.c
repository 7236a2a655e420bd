/* sessions.c - see sessions.h. References are gathered first: callbacks of the store must not call it. */
#include "app/records/sessions.h"

#include "app/records/fetched.h"
#include "lib/base/str.h"

#include <stdlib.h>

typedef struct refs {
    bzr__arena *arena;
    bzr__session_ref *items;
    size_t n, cap;
    bool full;
} refs;

static bool keep_ref(void *ctx, const bzr__session_ref *r) {
    refs *list = ctx;
    if (list->n == list->cap) {
        size_t cap = list->cap ? 2 * list->cap : 64;
        bzr__session_ref *longer = realloc(list->items, cap * sizeof *longer);
        list->full = !longer;
        if (!longer) return false;
        list->items = longer;
        list->cap = cap;
    }
    bzr__session_ref *copy = &list->items[list->n++];
    *copy = *r;
    bzr_str *const texts[] = { &copy->session_id, &copy->content_id, &copy->url, &copy->scan_result };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        *texts[i] = bzr__arena_dup(list->arena, *texts[i]);
        list->full |= !texts[i]->p;
    }
    return !list->full;
}

static bzr_status gather(bzr__host *host, bzr_str id, refs *list) {
    *list = (refs){ .arena = &host->arena };
    bzr_status status = bzr__host_store_failed(host, bzr__store_session_refs(host->store, id, keep_ref, list));
    return !status && list->full ? bzr__host_fail(host, BZR_E_NOMEM, "%s", bzr_status_message(BZR_E_NOMEM)) : status;
}

/* ---- list ---- */

static void add_members(const bzr__session *s, bzr__buf *answer) {
    bzr__answer_str(answer, "id", s->id);
    bzr__answer_str(answer, "agent", s->agent.n ? s->agent : bzr__str(NULL, 0));
    bzr__answer_time(answer, "started_at", s->started_at);
    bzr__answer_time(answer, "last_at", s->last_at);
}

static bool list_one(void *ctx, const bzr__session *s) {
    bzr__buf *answer = ctx;
    bzr__json_add_key(answer, NULL);
    bzr__buf_add_c(answer, '{');
    add_members(s, answer);
    bzr__buf_add_c(answer, '}');
    return !answer->status;
}

bzr_status bzr__sessions_list(bzr__host *host, uint64_t limit, bzr__buf *answer) {
    bzr__buf_add_z(answer, "{\"sessions\":[");
    bzr_status status = bzr__host_store_failed(host, bzr__store_sessions(host->store, limit, list_one, answer));
    bzr__buf_add_z(answer, "]}");
    return status;
}

/* ---- one session ---- */

/* What is left of a content. `*gone`: it has expired or was deleted. */
static bzr_status look(bzr__host *host, bzr_str id, bzr__content *ret, bool *gone) {
    bzr_status status = bzr__store_content_get(host->store, id, false, &host->arena, ret);
    *gone = status == BZR_E_NOT_FOUND;
    return *gone ? BZR_OK : bzr__host_store_failed(host, status);
}

static void add_ref(const bzr__session_ref *r, bool hide, bzr__buf *answer) {
    bzr__json_add_key(answer, NULL);
    bzr__buf_add_c(answer, '{');
    bzr__answer_str(answer, "content_id", hide ? bzr__str(NULL, 0) : r->content_id);
    bzr__answer_str(answer, "url", r->url);
    bzr__answer_bool(answer, "was_acted_on", r->was_acted_on);
    if (r->user_confirmed == BZR__UNANSWERED)
        bzr__answer_z(answer, "user_confirmed", NULL);
    else
        bzr__answer_bool(answer, "user_confirmed", r->user_confirmed == BZR__YES);
    bzr__answer_str(answer, "scan_result", r->scan_result);
    bzr__answer_time(answer, "accessed_at", r->accessed_at);
    bzr__buf_add_c(answer, '}');
}

/* The reference without how to read it, which is said once. */
static bzr_status add_line(const bzr__session_ref *r, const bzr__content *c, bool gone, bool readable, bzr__buf *text) {
    bzr__fetched f = { .id = r->content_id, .url = r->url, .action = readable && !gone ? c->action : BZR__S("block") };
    size_t from = text->n;
    if (readable && bzr__str_eq(f.action, BZR__S("block"))) f.action = BZR__S("warn"); /* released, not harmless */
    if (gone) f.action = BZR__S("expired"), f.id = BZR__S("none");
    bzr_status status = bzr__fetched_reference(&f, BZR__FETCHED_SEED, text);
    for (size_t i = from; !status && i < text->n; i++)
        if (text->p[i] == '\n') text->n = i;
    bzr__buf_add_c(text, '\n');
    return status;
}

static bzr_status add_one(bzr__host *host, const bzr__session_ref *r, bzr__buf *answer, bzr__buf *text) {
    bzr__content c;
    bool gone;
    bzr_status status = look(host, r->content_id, &c, &gone);
    if (status) return status;
    bool blocked = bzr__str_eq(gone ? r->scan_result : c.action, BZR__S("block")), released = !gone && c.released_at;
    add_ref(r, blocked && !released && host->by == BZR__READER_MODEL, answer);
    return text ? add_line(r, &c, gone && !blocked, !blocked || released, text) : BZR_OK;
}

static bzr_status add_session(bzr__host *host, const bzr__session *s, const refs *list, bzr__buf *answer,
                              bzr__buf *text) {
    bzr_status status = BZR_OK;
    bool tainted = false;
    add_members(s, answer);
    for (size_t i = 0; i < list->n; i++) tainted |= list->items[i].accessed_at > 0;
    bzr__answer_bool(answer, "tainted", tainted);
    bzr__json_add_key(answer, "metadata");
    bzr__buf_add_z(answer, "{\"web_content_references\":[");
    for (size_t i = 0; !status && i < list->n; i++) status = add_one(host, &list->items[i], answer, text);
    bzr__buf_add_z(answer, "]}");
    return status;
}

static bzr_status open_session(bzr__host *host, bzr_str id, bzr__session *s, refs *list) {
    bzr_status status = bzr__host_store_failed(host, bzr__store_session_get(host->store, id, &host->arena, s));
    return status ? status : gather(host, id, list);
}

bzr_status bzr__sessions_show(bzr__host *host, bzr_str id, bzr__buf *answer) {
    bzr__session s;
    refs list = { 0 };
    bzr_status status = open_session(host, id, &s, &list);
    bzr__buf_add_c(answer, '{');
    if (!status) status = add_session(host, &s, &list, answer, NULL);
    bzr__buf_add_c(answer, '}');
    free(list.items);
    return status;
}

bzr_status bzr__sessions_rehydrate(bzr__host *host, bzr_str id, bzr__buf *answer) {
    bzr__session s;
    bzr__buf text;
    refs list = { 0 };
    bzr__buf_init(&text, BZR__HOST_ANSWER_MAX / 4);
    bzr_status status = open_session(host, id, &s, &list);
    if (!status)
        status = bzr__host_store_failed(host, bzr__store_session_touch(host->store, &(bzr__session){ .id = id }));
    bzr__buf_add_c(answer, '{');
    if (!status) status = add_session(host, &s, &list, answer, &text);
    if (!status && list.n)
        bzr__buf_add_z(
            &text,
            "\nThis session has seen the content above. To read one, use the read_fetched_content tool with its ID.");
    bzr__answer_str(answer, "text", text.n ? bzr__buf_str(&text) : BZR__S(""));
    bzr__buf_add_c(answer, '}');
    if (!status && text.status) status = bzr__host_fail(host, text.status, "%s", bzr_status_message(text.status));
    bzr__buf_free(&text);
    free(list.items);
    return status;
}
