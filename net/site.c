/* site.c - see site.h. */
#include "net/site.h"

#include "lib/base/str.h"
#include "net/robots.h"

enum { REDIRECTS = 5, MEMORY = 8 << 20 };

bool toad__site_of(const toad__url *url, toad__arena *arena, toad_str *ret) {
    bool v6 = url->is_address && url->address.v6;
    toad__buf text;
    toad__buf_init(&text, TOAD__URL_MAX);
    toad__buf_add_z(&text, url->https ? "https://" : "http://");
    toad__buf_add_z(&text, v6 ? "[" : "");
    toad__buf_add_str(&text, url->host);
    toad__buf_add_z(&text, v6 ? "]:" : ":");
    toad__buf_add_u64(&text, url->port);
    *ret = text.status ? toad__str(NULL, 0) : toad__arena_dup(arena, toad__buf_str(&text));
    toad__buf_free(&text);
    return ret->p != NULL;
}

/* A site without the file allows all, one that cannot say allows nothing. */
static toad__robots_state state_of(toad__refusal why, unsigned status) {
    if (!why) return TOAD__ROBOTS_RULES;
    bool answered = why == TOAD__REFUSED_STATUS || why == TOAD__REFUSED_BUSY;
    bool kept = status == 401 || status == 403 || status == 429;
    return answered && status >= 400 && status < 500 && !kept ? TOAD__ROBOTS_NONE : TOAD__ROBOTS_CLOSED;
}

static int64_t fresh_of(const toad__page *page, toad__refusal why, toad__robots_state state) {
    int64_t said = page->caching.fresh_s;
    if (why == TOAD__REFUSED_TIMEOUT || why == TOAD__REFUSED_BROKEN) return 0; /* the haste may have been ours */
    if (why) return state == TOAD__ROBOTS_NONE ? TOAD__ROBOTS_FRESH_S : TOAD__ROBOTS_AGAIN_S;
    if (page->caching.no_store || (said >= 0 && said < TOAD__ROBOTS_AGAIN_S)) return TOAD__ROBOTS_AGAIN_S;
    return said >= 0 && said < TOAD__ROBOTS_FRESH_S ? said : TOAD__ROBOTS_FRESH_S;
}

static toad_status fetch_file(const toad__fetch_options *o, const toad__url *url, toad__arena *arena,
                              toad__robots_file *ret) {
    char detail[TOAD__FETCH_DETAIL];
    toad__page page;
    toad__refusal why = TOAD__ALLOWED;
    toad_str site, file;
    if (!toad__site_of(url, arena, &site)) return TOAD_E_NOMEM;
    char *p = toad__arena_alloc(arena, site.n + 12);
    if (!p) return TOAD_E_NOMEM;
    memcpy(p, site.p, site.n);
    memcpy(p + site.n, "/robots.txt", 12);
    file = toad__str(p, site.n + 11);
    toad_status status = toad__fetch_isolated(o, file, arena, &page, &why, detail);
    if (status) return status;
    ret->state = state_of(why, page.status);
    ret->fresh_s = fresh_of(&page, why, ret->state);
    if (why)
        toad__buf_init(&ret->text, 0);
    else
        ret->text = page.text;
    return TOAD_OK;
}

toad_status toad__robots_fetch(const toad__fetch_options *o, const toad__url *url, int timeout_ms,
                               toad__robots_file *ret) {
    toad__fetch_options asking = *o;
    toad__arena arena;
    asking.permit = NULL;
    asking.known = NULL;
    asking.robots_txt = true;
    asking.redirects = REDIRECTS;
    asking.timeout_ms = timeout_ms;
    toad__arena_init(&arena, MEMORY);
    toad_status status = fetch_file(&asking, url, &arena, ret);
    toad__arena_free(&arena);
    return status;
}

bool toad__robots_permit(toad__robots_state state, toad_str text, const toad__url *url) {
    if (state != TOAD__ROBOTS_RULES) return state == TOAD__ROBOTS_NONE;
    return toad__robots_allow(text, TOAD__S(TOAD__ROBOT), url->target);
}
