/* pages.c - what was fetched under which URL, what sites ask of robots, and when each host may be asked again.
 *
 * A page is a row beside its content, written in the same transaction; without the content it is nothing. Turns at a
 * host are taken inside a writing transaction, so that all processes that share a store share one queue. None of it is
 * in the audit chain but the answers that were given without a fetch. */
#include "store/internal.h"

int64_t toad__expiry(const toad__tx *tx) {
    int64_t ttl = toad__store_settings_of(tx->store)->content_ttl;
    return ttl < 0 || ttl > INT64_MAX - tx->now ? INT64_MAX : tx->now + ttl;
}

/* ---- pages ---- */

void toad__put_page(toad__tx *tx, const toad__stored_page *p, const char *content_id) {
    toad__tx_queue(tx, TOAD__SQL_PAGE_PUT,
                   TOAD__ARGS(toad__text(p->url), toad__text_z(content_id), toad__text(p->final_url),
                              toad__text(p->etag), toad__text(p->modified), toad__text(p->judge), toad__text(p->facts),
                              toad__int(p->named), toad__int(p->lifetime), toad__int(tx->now),
                              toad__int(p->fresh_until)));
}

typedef struct taken {
    toad__arena *arena;
    bool found, ok;
    toad__stored_page page;
    toad__stored_site site;
    int64_t at;
} taken;

static void copy_id(char to[24], toad_str id) {
    size_t n = id.n < 23 ? id.n : 23;
    if (n) memcpy(to, id.p, n);
    to[n] = 0;
}

static bool take_page(void *ctx, const toad__value *row, size_t n) {
    (void)n;
    taken *t = ctx;
    toad__columns c = { row };
    toad__stored_page *p = &t->page;
    p->url = toad__next_text(&c);
    copy_id(p->content_id, toad__next_text(&c));
    toad_str *const texts[] = { &p->final_url, &p->etag, &p->modified, &p->judge, &p->facts };
    t->ok = toad__keep(t->arena, &p->url);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        *texts[i] = toad__next_text(&c);
        t->ok = t->ok && toad__keep(t->arena, texts[i]);
    }
    p->named = toad__next_int(&c) != 0;
    p->lifetime = toad__next_int(&c);
    p->fetched_at = toad__next_int(&c);
    p->fresh_until = toad__next_int(&c);
    t->found = true;
    return false;
}

static toad_status conclude(toad_status status, const taken *t, const char *what) {
    if (status) return status;
    if (!t->found) return toad__store_fail(TOAD_E_NOT_FOUND, "nothing is kept of this %s", what);
    return t->ok ? TOAD_OK : toad__store_fail(TOAD_E_NOMEM, "%s", toad_status_message(TOAD_E_NOMEM));
}

toad_status toad__store_page_get(toad__store *store, toad_str url, toad__arena *arena, toad__stored_page *ret) {
    taken t = { .arena = arena };
    toad_status status = toad__store_read(
        store, TOAD__SQL_PAGE, TOAD__ARGS(toad__text(url), toad__int(toad__store_now(store))), take_page, &t);
    status = conclude(status, &t, "page");
    if (!status) *ret = t.page;
    return status;
}

toad_status toad__store_page_again(toad__store *store, const toad__stored_page *page, bool renewed,
                                   const toad__content *content, toad_str session_id) {
    toad__tx tx;
    toad_str id = toad__str_z(page->content_id);
    toad__tx_begin(store, &tx);
    if (renewed) {
        toad__put_page(&tx, page, page->content_id);
        toad__tx_queue(&tx, TOAD__SQL_CONTENT_RENEW, TOAD__ARGS(toad__text(id), toad__int(toad__expiry(&tx))));
    }
    if (session_id.n)
        toad__tx_queue(&tx, TOAD__SQL_SESSION_SAW,
                       TOAD__ARGS(toad__text(session_id), toad__text(id), toad__text(content->url),
                                  toad__text(content->action), toad__int(0)));
    toad__tx_event(&tx, &(toad__event){ .type = TOAD__S("fetch_cached"),
                                        .direction = TOAD__S("inbound"),
                                        .channel = TOAD__S("web"),
                                        .content = renewed ? TOAD__S("revalidated") : TOAD__S("fresh"),
                                        .url = content->url,
                                        .pattern_matched = content->pattern_matched,
                                        .confidence = content->confidence,
                                        .action = content->action,
                                        .content_id = id,
                                        .session_id = session_id });
    return toad__tx_end(&tx);
}

toad_status toad__store_page_drop(toad__store *store, toad_str url) {
    toad__tx tx;
    toad__tx_begin(store, &tx);
    toad__tx_queue(&tx, TOAD__SQL_PAGE_DROP, TOAD__ARGS(toad__text(url)));
    return toad__tx_end(&tx);
}

/* ---- sites ---- */

static bool take_site(void *ctx, const toad__value *row, size_t n) {
    (void)n;
    taken *t = ctx;
    toad__columns c = { row };
    t->site.site = toad__next_text(&c);
    t->site.state = toad__next_int(&c);
    t->site.until = toad__next_int(&c);
    t->site.robots = toad__next_text(&c);
    t->ok = toad__keep(t->arena, &t->site.site) && toad__keep(t->arena, &t->site.robots);
    t->found = true;
    return false;
}

toad_status toad__store_site_get(toad__store *store, toad_str site, toad__arena *arena, toad__stored_site *ret) {
    taken t = { .arena = arena };
    toad_status status = toad__store_read(
        store, TOAD__SQL_SITE, TOAD__ARGS(toad__text(site), toad__int(toad__store_now(store))), take_site, &t);
    status = conclude(status, &t, "site");
    if (!status) *ret = t.site;
    return status;
}

toad_status toad__store_site_put(toad__store *store, const toad__stored_site *s) {
    toad__tx tx;
    toad__tx_begin(store, &tx);
    toad__tx_queue(&tx, TOAD__SQL_SITE_PUT,
                   TOAD__ARGS(toad__text(s->site), toad__int(s->state), toad__int(s->until), toad__bytes(s->robots)));
    return toad__tx_end(&tx);
}

static bool take_at(void *ctx, const toad__value *row, size_t n) {
    (void)n;
    toad__columns c = { row };
    *(int64_t *)ctx = toad__next_int(&c);
    return false;
}

toad_status toad__store_visit(toad__store *store, toad_str host, int64_t gap, int64_t latest, int64_t *ret_at) {
    toad__tx tx;
    int64_t at = 0;
    toad__tx_begin(store, &tx);
    toad__tx_run(&tx, TOAD__SQL_VISIT, TOAD__ARGS(toad__text(host)), take_at, &at, NULL);
    int64_t now = toad__store_now(store); /* the wait for the others' transactions is over */
    if (at < now) at = now;
    if (at <= latest) toad__tx_queue(&tx, TOAD__SQL_VISIT_SET, TOAD__ARGS(toad__text(host), toad__int(at + gap)));
    toad_status status = toad__tx_end(&tx);
    if (!status) *ret_at = at;
    return status;
}

toad_status toad__store_visit_hold(toad__store *store, toad_str host, int64_t until) {
    toad__tx tx;
    int64_t at = 0;
    toad__tx_begin(store, &tx);
    toad__tx_run(&tx, TOAD__SQL_VISIT, TOAD__ARGS(toad__text(host)), take_at, &at, NULL);
    if (at < until) toad__tx_queue(&tx, TOAD__SQL_VISIT_SET, TOAD__ARGS(toad__text(host), toad__int(until)));
    return toad__tx_end(&tx);
}

void toad__forget_sites(toad__tx *tx) {
    toad__tx_queue(tx, TOAD__SQL_SITES_OVER, TOAD__ARGS(toad__int(tx->now)));
    toad__tx_queue(tx, TOAD__SQL_VISITS_OVER, TOAD__ARGS(toad__int(tx->now)));
}
