/* web_permit.c - see web_permit.h. A store that fails here costs manners, not the fetch. */
#include "app/web/web_permit.h"

#include "lib/base/str.h"
#include "net/site.h"
#include "sys/clock.h"

#include <errno.h>
#include <stdio.h>
#include <time.h>

#define SECOND INT64_C(1000000)

enum { MEMORY = 4 << 20 };

/* ---- robots.txt ---- */

static void remember(toad__host *host, toad_str site, const toad__robots_file *file) {
    toad__stored_site row = { .site = site, .robots = toad__buf_str(&file->text), .state = file->state };
    if (!host->store || file->fresh_s <= 0) return;
    row.until = toad__store_now(host->store) + file->fresh_s * SECOND;
    (void)toad__store_site_put(host->store, &row);
}

static bool ask_site(const toad__web_permit *p, toad_str site, const toad__url *url, int left_ms) {
    toad__robots_file file;
    if (toad__robots_fetch(p->net, url, left_ms, &file)) return false;
    remember(p->host, site, &file);
    bool may = toad__robots_permit(file.state, toad__buf_str(&file.text), url);
    toad__buf_free(&file.text);
    return may;
}

static bool robots_permit(const toad__web_permit *p, const toad__url *url, int left_ms) {
    toad__arena arena;
    toad_str site;
    toad__stored_site row;
    toad__arena_init(&arena, MEMORY);
    bool may = toad__site_of(url, &arena, &site);
    bool known = may && p->host->store && !toad__store_site_get(p->host->store, site, &arena, &row);
    if (known)
        may = toad__robots_permit(row.state >= 0 && row.state < TOAD__ROBOTS_CLOSED ? (toad__robots_state)row.state
                                                                                    : TOAD__ROBOTS_CLOSED,
                                  row.robots, url);
    else if (may)
        may = ask_site(p, site, url, left_ms);
    toad__arena_free(&arena);
    return may;
}

/* ---- turns ---- */

static void sleep_until(const toad__store *store, int64_t at) {
    int64_t left = at - toad__store_now(store);
    struct timespec nap = { (time_t)(left / SECOND), (long)(left % SECOND) * 1000 };
    while (left > 0 && nanosleep(&nap, &nap) && errno == EINTR) {}
}

static toad__refusal take_turn(toad__web_permit *p, int left_ms, char *detail) {
    toad__store *store = p->host->store;
    int64_t at, latest = toad__store_now(store) + left_ms * INT64_C(1000);
    if (toad__store_visit(store, toad__str_z(p->last), p->gap, latest, &at)) return TOAD__ALLOWED;
    if (at > latest) {
        char text[28];
        toad__time_text(at, text);
        snprintf(detail, TOAD__FETCH_DETAIL, "not before %s", text);
        p->retry_at = at;
        return TOAD__REFUSED_BUSY;
    }
    sleep_until(store, at);
    return TOAD__ALLOWED;
}

toad__refusal toad__web_permit_ask(void *ctx, const toad__url *url, int left_ms, char detail[TOAD__FETCH_DETAIL]) {
    toad__web_permit *p = ctx;
    *p->last = 0;
    if (p->robots && !robots_permit(p, url, left_ms)) return TOAD__REFUSED_ROBOTS;
    if (!p->host->store || toad__guard_is_named(&p->net->guard, url)) return TOAD__ALLOWED;
    snprintf(p->last, sizeof p->last, "%s", url->host.p);
    return take_turn(p, left_ms, detail);
}

void toad__web_permit_hold(toad__web_permit *p, int64_t seconds) {
    toad__store *store = p->host->store;
    int64_t at = store ? toad__store_now(store) : toad__wall_us();
    int64_t hold = seconds < TOAD__WEB_HOLD_MAX / SECOND ? seconds * SECOND : TOAD__WEB_HOLD_MAX;
    p->retry_at = at + hold;
    if (store && *p->last) (void)toad__store_visit_hold(store, toad__str_z(p->last), p->retry_at);
}
