/* sessions.c - see sessions.h. References are gathered first: callbacks of the store must not call it. */
#include "app/records/sessions.h"

#include "app/records/fetched.h"
#include "lib/base/str.h"

#include <stdlib.h>

typedef struct refs {
    toad__arena *arena;
    toad__session_ref *items;
    size_t n, cap;
    bool full;
} refs;

static bool keep_ref(void *ctx, const toad__session_ref *r) {
    refs *list = ctx;
    if (list->n == list->cap) {
        size_t cap = list->cap ? 2 * list->cap : 64;
        toad__session_ref *longer = realloc(list->items, cap * sizeof *longer);
        list->full = !longer;
        if (!longer) return false;
        list->items = longer;
        list->cap = cap;
    }
    toad__session_ref *copy = &list->items[list->n++];
    *copy = *r;
    toad_str *const texts[] = { &copy->session_id, &copy->content_id, &copy->url, &copy->scan_result };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        *texts[i] = toad__arena_dup(list->arena, *texts[i]);
        list->full |= !texts[i]->p;
    }
    return !list->full;
}

static toad_status gather(toad__host *host, toad_str id, refs *list) {
    *list = (refs){ .arena = &host->arena };
    toad_status status = toad__host_store_failed(host, toad__store_session_refs(host->store, id, keep_ref, list));
    return !status && list->full ? toad__host_fail(host, TOAD_E_NOMEM, "%s", toad_status_message(TOAD_E_NOMEM))
                                 : status;
}

/* ---- list ---- */

static void add_members(const toad__session *s, toad__buf *answer) {
    toad__answer_str(answer, "id", s->id);
    toad__answer_str(answer, "agent", s->agent.n ? s->agent : toad__str(NULL, 0));
    toad__answer_time(answer, "started_at", s->started_at);
    toad__answer_time(answer, "last_at", s->last_at);
}

static bool list_one(void *ctx, const toad__session *s) {
    toad__buf *answer = ctx;
    toad__json_add_key(answer, NULL);
    toad__buf_add_c(answer, '{');
    add_members(s, answer);
    toad__buf_add_c(answer, '}');
    return !answer->status;
}

toad_status toad__sessions_list(toad__host *host, uint64_t limit, toad__buf *answer) {
    toad__buf_add_z(answer, "{\"sessions\":[");
    toad_status status = toad__host_store_failed(host, toad__store_sessions(host->store, limit, list_one, answer));
    toad__buf_add_z(answer, "]}");
    return status;
}

/* ---- one session ---- */

/* What is left of a content. `*gone`: it has expired or was deleted. */
static toad_status look(toad__host *host, toad_str id, toad__content *ret, bool *gone) {
    toad_status status = toad__store_content_get(host->store, id, false, &host->arena, ret);
    *gone = status == TOAD_E_NOT_FOUND;
    return *gone ? TOAD_OK : toad__host_store_failed(host, status);
}

static void add_ref(const toad__session_ref *r, bool hide, toad__buf *answer) {
    toad__json_add_key(answer, NULL);
    toad__buf_add_c(answer, '{');
    toad__answer_str(answer, "content_id", hide ? toad__str(NULL, 0) : r->content_id);
    toad__answer_str(answer, "url", r->url);
    toad__answer_bool(answer, "was_acted_on", r->was_acted_on);
    if (r->user_confirmed == TOAD__UNANSWERED)
        toad__answer_z(answer, "user_confirmed", NULL);
    else
        toad__answer_bool(answer, "user_confirmed", r->user_confirmed == TOAD__YES);
    toad__answer_str(answer, "scan_result", r->scan_result);
    toad__answer_time(answer, "accessed_at", r->accessed_at);
    toad__buf_add_c(answer, '}');
}

/* The reference without how to read it, which is said once. */
static toad_status add_line(const toad__session_ref *r, const toad__content *c, bool gone, bool readable,
                            toad__buf *text) {
    toad__fetched f = { .id = r->content_id,
                        .url = r->url,
                        .action = readable && !gone ? c->action : TOAD__S("block") };
    size_t from = text->n;
    if (readable && toad__str_eq(f.action, TOAD__S("block"))) f.action = TOAD__S("warn"); /* released, not harmless */
    if (gone) f.action = TOAD__S("expired"), f.id = TOAD__S("none");
    toad_status status = toad__fetched_reference(&f, TOAD__FETCHED_SEED, text);
    for (size_t i = from; !status && i < text->n; i++)
        if (text->p[i] == '\n') text->n = i;
    toad__buf_add_c(text, '\n');
    return status;
}

static toad_status add_one(toad__host *host, const toad__session_ref *r, toad__buf *answer, toad__buf *text) {
    toad__content c;
    bool gone;
    toad_status status = look(host, r->content_id, &c, &gone);
    if (status) return status;
    bool blocked = toad__str_eq(gone ? r->scan_result : c.action, TOAD__S("block")), released = !gone && c.released_at;
    add_ref(r, blocked && !released && host->by == TOAD__READER_MODEL, answer);
    return text ? add_line(r, &c, gone && !blocked, !blocked || released, text) : TOAD_OK;
}

static toad_status add_session(toad__host *host, const toad__session *s, const refs *list, toad__buf *answer,
                               toad__buf *text) {
    toad_status status = TOAD_OK;
    bool tainted = false;
    add_members(s, answer);
    for (size_t i = 0; i < list->n; i++) tainted |= list->items[i].accessed_at > 0;
    toad__answer_bool(answer, "tainted", tainted);
    toad__json_add_key(answer, "metadata");
    toad__buf_add_z(answer, "{\"web_content_references\":[");
    for (size_t i = 0; !status && i < list->n; i++) status = add_one(host, &list->items[i], answer, text);
    toad__buf_add_z(answer, "]}");
    return status;
}

static toad_status open_session(toad__host *host, toad_str id, toad__session *s, refs *list) {
    toad_status status = toad__host_store_failed(host, toad__store_session_get(host->store, id, &host->arena, s));
    return status ? status : gather(host, id, list);
}

toad_status toad__sessions_show(toad__host *host, toad_str id, toad__buf *answer) {
    toad__session s;
    refs list = { 0 };
    toad_status status = open_session(host, id, &s, &list);
    toad__buf_add_c(answer, '{');
    if (!status) status = add_session(host, &s, &list, answer, NULL);
    toad__buf_add_c(answer, '}');
    free(list.items);
    return status;
}

toad_status toad__sessions_rehydrate(toad__host *host, toad_str id, toad__buf *answer) {
    toad__session s;
    toad__buf text;
    refs list = { 0 };
    toad__buf_init(&text, TOAD__HOST_ANSWER_MAX / 4);
    toad_status status = open_session(host, id, &s, &list);
    if (!status)
        status = toad__host_store_failed(host, toad__store_session_touch(host->store, &(toad__session){ .id = id }));
    toad__buf_add_c(answer, '{');
    if (!status) status = add_session(host, &s, &list, answer, &text);
    if (!status && list.n)
        toad__buf_add_z(
            &text,
            "\nThis session has seen the content above. To read one, use the read_fetched_content tool with its ID.");
    toad__answer_str(answer, "text", text.n ? toad__buf_str(&text) : TOAD__S(""));
    toad__buf_add_c(answer, '}');
    if (!status && text.status) status = toad__host_fail(host, text.status, "%s", toad_status_message(text.status));
    toad__buf_free(&text);
    free(list.items);
    return status;
}
