/* sessions.c - see sessions.h. References are gathered first: callbacks of the store must not call it. */
#include "app/records/sessions.h"

#include "app/host/authority.h"
#include "app/host/lifted.h"
#include "app/records/fetched.h"
#include "lib/base/str.h"

typedef struct refs {
    toad__arena *arena;
    toad__session_ref *items;
    size_t n, cap;
    bool full;
} refs;

static bool keep_ref(void *ctx, const toad__session_ref *r) {
    refs *list = ctx;
    toad__session_ref *items = toad__arena_room(list->arena, list->items, list->n, &list->cap, sizeof *items);
    list->full = !items;
    if (!items) return false;
    list->items = items;
    toad__session_ref *copy = &items[list->n++];
    *copy = *r;
    toad_str *const texts[] = { &copy->session_id, &copy->content_id, &copy->url, &copy->scan_result };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        *texts[i] = toad__arena_dup(list->arena, *texts[i]);
        list->full |= !texts[i]->p;
    }
    return !list->full;
}

/* ---- list ---- */

static void add_members(const toad__session *s, toad__answer *answer) {
    toad__answer_str(answer, "id", s->id);
    toad__answer_some(answer, "agent", s->agent);
    toad__answer_time(answer, "started_at", s->started_at);
    toad__answer_time(answer, "last_at", s->last_at);
}

static bool list_one(void *ctx, const toad__session *s) {
    toad__answer *answer = ctx;
    if (toad__str_starts(s->id, TOAD__S("file:"))) return true; /* what a file came from: app/act/spread.h */
    toad__answer_object(answer, NULL);
    add_members(s, answer);
    toad__answer_end(answer);
    return !answer->status;
}

toad_status toad__sessions_list(toad__host *host, uint64_t limit, toad__answer *answer) {
    toad__answer_array(answer, "sessions");
    toad_status status = toad__host_store_failed(host, toad__store_sessions(host->store, limit, list_one, answer));
    toad__answer_end(answer);
    return status;
}

/* ---- one session ---- */

/* What is left of a content. `*gone`: it has expired or was deleted. */
static toad_status look(toad__host *host, toad_str id, toad__content *ret, bool *gone) {
    toad_status status = toad__store_content_get(host->store, id, false, &host->arena, ret);
    *gone = status == TOAD_E_NOT_FOUND;
    return *gone ? TOAD_OK : toad__host_store_failed(host, status);
}

static void add_ref(const toad__session_ref *r, bool hide, toad__answer *answer) {
    toad__answer_object(answer, NULL);
    toad__answer_str(answer, "content_id", hide ? toad__str(NULL, 0) : r->content_id);
    toad__answer_str(answer, "url", r->url);
    toad__answer_bool(answer, "was_acted_on", r->was_acted_on);
    if (r->user_confirmed == TOAD__UNANSWERED)
        toad__answer_z(answer, "user_confirmed", NULL);
    else
        toad__answer_bool(answer, "user_confirmed", r->user_confirmed == TOAD__YES);
    toad__answer_str(answer, "scan_result", r->scan_result);
    toad__answer_time(answer, "accessed_at", r->accessed_at);
    toad__answer_end(answer);
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

static toad_status add_one(toad__host *host, const toad__session_ref *r, toad__answer *answer, toad__buf *text) {
    toad__content c;
    bool gone;
    if (toad__str_starts(r->content_id, TOAD__S(TOAD__MEMORY_REF))) { /* what a model reads with its memory tools */
        add_ref(r, false, answer);
        return TOAD_OK;
    }
    toad_status status = look(host, r->content_id, &c, &gone);
    if (status) return status;
    bool blocked = toad__str_eq(gone ? r->scan_result : c.action, TOAD__S("block")), released = !gone && c.released_at;
    add_ref(r, blocked && !released && host->by == TOAD__READER_MODEL, answer);
    return text ? add_line(r, &c, gone && !blocked, !blocked || released, text) : TOAD_OK;
}

/* The session and what it has seen. With `text` it is used again: that gets a line a reference. */
static toad_status answer_session(toad__host *host, toad_str id, toad__answer *answer, toad__buf *text) {
    toad__session s;
    refs list = { .arena = &host->arena };
    bool tainted = false;
    toad__lifted lifted;
    toad_status status = toad__store_session_get(host->store, id, &host->arena, &s);
    if (!status) status = toad__store_session_refs(host->store, id, keep_ref, &list);
    if (!status && list.full) return toad__host_failed(host, TOAD_E_NOMEM);
    if (!status && text) status = toad__store_session_touch(host->store, &(toad__session){ .id = id });
    if (status) return toad__host_store_failed(host, status);
    status = toad__lifted_read(host, id, &host->arena, &lifted);
    if (status) return status;
    for (size_t i = 0; i < list.n; i++)
        tainted |= list.items[i].accessed_at > 0 && !toad__is_lifted(&lifted, &list.items[i]);
    add_members(&s, answer);
    toad__answer_bool(answer, "tainted", tainted);
    toad__answer_time(answer, "lifted_at", lifted.ids ? lifted.at : 0);
    toad__answer_object(answer, "metadata");
    toad__answer_array(answer, "web_content_references");
    for (size_t i = 0; !status && i < list.n; i++) status = add_one(host, &list.items[i], answer, text);
    toad__answer_end(answer);
    toad__answer_end(answer);
    if (!status && text && text->n)
        toad__buf_add_z(
            text,
            "\nThis session has seen the content above. To read one, use the read_fetched_content tool with its ID.");
    return status;
}

toad_status toad__sessions_show(toad__host *host, toad_str id, toad__answer *answer) {
    return answer_session(host, id, answer, NULL);
}

toad_status toad__sessions_rehydrate(toad__host *host, toad_str id, toad__answer *answer) {
    toad__buf text;
    toad__buf_init(&text, TOAD__HOST_ANSWER_MAX / 4);
    toad_status status = answer_session(host, id, answer, &text);
    if (!status) status = toad__host_failed(host, text.status);
    toad__answer_str(answer, "text", text.n ? toad__buf_str(&text) : TOAD__S(""));
    toad__buf_free(&text);
    return status;
}

/* ---- lifting ---- */

static void add_details(const refs *list, int64_t now, toad__buf *out) {
    toad__buf_add_z(out, "{\"lifted_at\":");
    toad__buf_add_u64(out, (uint64_t)now);
    toad__json_add_key(out, "lifted");
    toad__buf_add_c(out, '[');
    for (size_t i = 0; i < list->n; i++) {
        toad__json_add_key(out, NULL);
        toad__json_add_str(out, list->items[i].content_id);
    }
    toad__buf_add_z(out, "]}");
}

toad_status toad__sessions_lift(toad__host *host, toad_str id, toad__answer *answer) {
    refs list = { .arena = &host->arena };
    toad__session s;
    toad__buf about, details;
    toad_status status = toad__store_session_get(host->store, id, &host->arena, &s);
    if (!status) status = toad__store_session_refs(host->store, id, keep_ref, &list);
    if (status) return toad__host_store_failed(host, status);
    if (list.full) return toad__host_failed(host, TOAD_E_NOMEM);
    toad__buf_init(&about, TOAD__HOST_ANSWER_MAX);
    toad__buf_init(&details, TOAD__HOST_ANSWER_MAX);
    toad__about(&about, "session", id);
    for (size_t i = 0; i < list.n; i++) toad__about(&about, "read", list.items[i].url);
    add_details(&list, toad__store_now(host->store), &details);
    status = about.status ? about.status : details.status;
    if (!status && !toad__refused(host, "lift the taint of a session", toad__buf_str(&about), answer)) {
        s = (toad__session){ .id = id, .details = toad__buf_str(&details) };
        status = toad__store_session_touch(host->store, &s);
        toad__answer_bool(answer, "success", !status);
        toad__answer_int(answer, "lifted", (int64_t)list.n);
        toad__answer_z(answer, "text", "what the session has read so far taints it no longer\n");
    }
    toad__buf_free(&about);
    toad__buf_free(&details);
    return toad__host_store_failed(host, status);
}
