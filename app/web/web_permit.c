/* web_permit.c - see web_permit.h. A store that fails here costs manners, not the fetch. */
#include "app/web/web_permit.h"

#include "lib/base/str.h"
#include "net/site.h"

#include <errno.h>
#include <stdio.h>
#include <time.h>

#define SECOND INT64_C(1000000)

enum { MEMORY = 4 << 20 };

/* ---- robots.txt ---- */

static void remember(bzr__host *host, bzr_str site, const bzr__robots_file *file) {
    bzr__stored_site row = { .site = site, .robots = bzr__buf_str(&file->text), .state = file->state };
    if (!host->store || file->fresh_s <= 0) return;
    row.until = bzr__store_now(host->store) + file->fresh_s * SECOND;
    (void)bzr__store_site_put(host->store, &row);
}

static bool ask_site(const bzr__web_permit *p, bzr_str site, const bzr__url *url, int left_ms) {
    bzr__robots_file file;
    if (bzr__robots_fetch(p->net, url, left_ms, &file)) return false;
    remember(p->host, site, &file);
    bool may = bzr__robots_permit(file.state, bzr__buf_str(&file.text), url);
    bzr__buf_free(&file.text);
    return may;
}

static bool robots_permit(const bzr__web_permit *p, const bzr__url *url, int left_ms) {
    bzr__arena arena;
    bzr_str site;
    bzr__stored_site row;
    bzr__arena_init(&arena, MEMORY);
    bool may = bzr__site_of(url, &arena, &site);
    bool known = may && p->host->store && !bzr__store_site_get(p->host->store, site, &arena, &row);
    if (known)
        may = bzr__robots_permit(row.state >= 0 && row.state < BZR__ROBOTS_CLOSED ? (bzr__robots_state)row.state
                                                                                  : BZR__ROBOTS_CLOSED,
                                 row.robots, url);
    else if (may)
        may = ask_site(p, site, url, left_ms);
    bzr__arena_free(&arena);
    return may;
}

/* ---- turns ---- */

static void sleep_until(const bzr__store *store, int64_t at) {
    int64_t left = at - bzr__store_now(store);
    struct timespec nap = { (time_t)(left / SECOND), (long)(left % SECOND) * 1000 };
    while (left > 0 && nanosleep(&nap, &nap) && errno == EINTR) {}
}

static bzr__refusal take_turn(bzr__web_permit *p, int left_ms, char *detail) {
    bzr__store *store = p->host->store;
    int64_t at, latest = bzr__store_now(store) + left_ms * INT64_C(1000);
    if (bzr__store_visit(store, bzr__str_z(p->last), p->gap, latest, &at)) return BZR__ALLOWED;
    if (at > latest) {
        char text[28];
        bzr__time_text(at, text);
        snprintf(detail, BZR__FETCH_DETAIL, "not before %s", text);
        p->retry_at = at;
        return BZR__REFUSED_BUSY;
    }
    sleep_until(store, at);
    return BZR__ALLOWED;
}

bzr__refusal bzr__web_permit_ask(void *ctx, const bzr__url *url, int left_ms, char detail[BZR__FETCH_DETAIL]) {
    bzr__web_permit *p = ctx;
    *p->last = 0;
    if (p->robots && !robots_permit(p, url, left_ms)) return BZR__REFUSED_ROBOTS;
    if (!p->host->store || bzr__guard_is_named(&p->net->guard, url)) return BZR__ALLOWED;
    snprintf(p->last, sizeof p->last, "%s", url->host.p);
    return take_turn(p, left_ms, detail);
}

void bzr__web_permit_hold(bzr__web_permit *p, int64_t seconds) {
    bzr__store *store = p->host->store;
    struct timespec now = { 0 };
    clock_gettime(CLOCK_REALTIME, &now);
    int64_t at = store ? bzr__store_now(store) : now.tv_sec * SECOND + now.tv_nsec / 1000;
    int64_t hold = seconds < BZR__WEB_HOLD_MAX / SECOND ? seconds * SECOND : BZR__WEB_HOLD_MAX;
    p->retry_at = at + hold;
    if (store && *p->last) (void)bzr__store_visit_hold(store, bzr__str_z(p->last), p->retry_at);
}
