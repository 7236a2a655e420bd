/* pages.c - what was fetched under which URL, what sites ask of robots, and when each host may be asked again.
 *
 * A page is a row beside its content, written in the same transaction; without the content it is nothing. Turns at a
 * host are taken inside a writing transaction, so that all processes that share a store share one queue. None of it is
 * in the audit chain but the answers that were given without a fetch. */
#include "store/internal.h"

int64_t bzr__expiry(const bzr__tx *tx) {
    int64_t ttl = bzr__store_settings_of(tx->store)->content_ttl;
    return ttl < 0 || ttl > INT64_MAX - tx->now ? INT64_MAX : tx->now + ttl;
}

/* ---- pages ---- */

void bzr__put_page(bzr__tx *tx, const bzr__stored_page *p, const char *content_id) {
    bzr__tx_queue(tx, BZR__SQL_PAGE_PUT,
                  BZR__ARGS(bzr__text(p->url), bzr__text_z(content_id), bzr__text(p->final_url), bzr__text(p->etag),
                            bzr__text(p->modified), bzr__text(p->judge), bzr__text(p->facts), bzr__int(p->named),
                            bzr__int(p->lifetime), bzr__int(tx->now), bzr__int(p->fresh_until)));
}

typedef struct taken {
    bzr__arena *arena;
    bool found, ok;
    bzr__stored_page page;
    bzr__stored_site site;
    int64_t at;
} taken;

static void copy_id(char to[24], bzr_str id) {
    size_t n = id.n < 23 ? id.n : 23;
    if (n) memcpy(to, id.p, n);
    to[n] = 0;
}

static bool take_page(void *ctx, const bzr__value *row, size_t n) {
    (void)n;
    taken *t = ctx;
    bzr__columns c = { row };
    bzr__stored_page *p = &t->page;
    p->url = bzr__next_text(&c);
    copy_id(p->content_id, bzr__next_text(&c));
    bzr_str *const texts[] = { &p->final_url, &p->etag, &p->modified, &p->judge, &p->facts };
    t->ok = bzr__keep(t->arena, &p->url);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        *texts[i] = bzr__next_text(&c);
        t->ok = t->ok && bzr__keep(t->arena, texts[i]);
    }
    p->named = bzr__next_int(&c) != 0;
    p->lifetime = bzr__next_int(&c);
    p->fetched_at = bzr__next_int(&c);
    p->fresh_until = bzr__next_int(&c);
    t->found = true;
    return false;
}

static bzr_status conclude(bzr_status status, const taken *t, const char *what) {
    if (status) return status;
    if (!t->found) return bzr__store_fail(BZR_E_NOT_FOUND, "nothing is kept of this %s", what);
    return t->ok ? BZR_OK : bzr__store_fail(BZR_E_NOMEM, "%s", bzr_status_message(BZR_E_NOMEM));
}

bzr_status bzr__store_page_get(bzr__store *store, bzr_str url, bzr__arena *arena, bzr__stored_page *ret) {
    taken t = { .arena = arena };
    bzr_status status = bzr__store_read(store, BZR__SQL_PAGE,
                                        BZR__ARGS(bzr__text(url), bzr__int(bzr__store_now(store))), take_page, &t);
    status = conclude(status, &t, "page");
    if (!status) *ret = t.page;
    return status;
}

bzr_status bzr__store_page_again(bzr__store *store, const bzr__stored_page *page, bool renewed,
                                 const bzr__content *content, bzr_str session_id) {
    bzr__tx tx;
    bzr_str id = bzr__str_z(page->content_id);
    bzr__tx_begin(store, &tx);
    if (renewed) {
        bzr__put_page(&tx, page, page->content_id);
        bzr__tx_queue(&tx, BZR__SQL_CONTENT_RENEW, BZR__ARGS(bzr__text(id), bzr__int(bzr__expiry(&tx))));
    }
    if (session_id.n)
        bzr__tx_queue(&tx, BZR__SQL_SESSION_SAW,
                      BZR__ARGS(bzr__text(session_id), bzr__text(id), bzr__text(content->url),
                                bzr__text(content->action), bzr__int(0)));
    bzr__tx_event(&tx, &(bzr__event){ .type = BZR__S("fetch_cached"),
                                      .direction = BZR__S("inbound"),
                                      .channel = BZR__S("web"),
                                      .content = renewed ? BZR__S("revalidated") : BZR__S("fresh"),
                                      .url = content->url,
                                      .pattern_matched = content->pattern_matched,
                                      .confidence = content->confidence,
                                      .action = content->action,
                                      .content_id = id,
                                      .session_id = session_id });
    return bzr__tx_end(&tx);
}

bzr_status bzr__store_page_drop(bzr__store *store, bzr_str url) {
    bzr__tx tx;
    bzr__tx_begin(store, &tx);
    bzr__tx_queue(&tx, BZR__SQL_PAGE_DROP, BZR__ARGS(bzr__text(url)));
    return bzr__tx_end(&tx);
}

/* ---- sites ---- */

static bool take_site(void *ctx, const bzr__value *row, size_t n) {
    (void)n;
    taken *t = ctx;
    bzr__columns c = { row };
    t->site.site = bzr__next_text(&c);
    t->site.state = bzr__next_int(&c);
    t->site.until = bzr__next_int(&c);
    t->site.robots = bzr__next_text(&c);
    t->ok = bzr__keep(t->arena, &t->site.site) && bzr__keep(t->arena, &t->site.robots);
    t->found = true;
    return false;
}

bzr_status bzr__store_site_get(bzr__store *store, bzr_str site, bzr__arena *arena, bzr__stored_site *ret) {
    taken t = { .arena = arena };
    bzr_status status = bzr__store_read(store, BZR__SQL_SITE,
                                        BZR__ARGS(bzr__text(site), bzr__int(bzr__store_now(store))), take_site, &t);
    status = conclude(status, &t, "site");
    if (!status) *ret = t.site;
    return status;
}

bzr_status bzr__store_site_put(bzr__store *store, const bzr__stored_site *s) {
    bzr__tx tx;
    bzr__tx_begin(store, &tx);
    bzr__tx_queue(&tx, BZR__SQL_SITE_PUT,
                  BZR__ARGS(bzr__text(s->site), bzr__int(s->state), bzr__int(s->until), bzr__bytes(s->robots)));
    return bzr__tx_end(&tx);
}

static bool take_at(void *ctx, const bzr__value *row, size_t n) {
    (void)n;
    bzr__columns c = { row };
    *(int64_t *)ctx = bzr__next_int(&c);
    return false;
}

bzr_status bzr__store_visit(bzr__store *store, bzr_str host, int64_t gap, int64_t latest, int64_t *ret_at) {
    bzr__tx tx;
    int64_t at = 0;
    bzr__tx_begin(store, &tx);
    bzr__tx_run(&tx, BZR__SQL_VISIT, BZR__ARGS(bzr__text(host)), take_at, &at, NULL);
    int64_t now = bzr__store_now(store); /* the wait for the others' transactions is over */
    if (at < now) at = now;
    if (at <= latest) bzr__tx_queue(&tx, BZR__SQL_VISIT_SET, BZR__ARGS(bzr__text(host), bzr__int(at + gap)));
    bzr_status status = bzr__tx_end(&tx);
    if (!status) *ret_at = at;
    return status;
}

bzr_status bzr__store_visit_hold(bzr__store *store, bzr_str host, int64_t until) {
    bzr__tx tx;
    int64_t at = 0;
    bzr__tx_begin(store, &tx);
    bzr__tx_run(&tx, BZR__SQL_VISIT, BZR__ARGS(bzr__text(host)), take_at, &at, NULL);
    if (at < until) bzr__tx_queue(&tx, BZR__SQL_VISIT_SET, BZR__ARGS(bzr__text(host), bzr__int(until)));
    return bzr__tx_end(&tx);
}

void bzr__forget_sites(bzr__tx *tx) {
    bzr__tx_queue(tx, BZR__SQL_SITES_OVER, BZR__ARGS(bzr__int(tx->now)));
    bzr__tx_queue(tx, BZR__SQL_VISITS_OVER, BZR__ARGS(bzr__int(tx->now)));
}
