/* site.c - see site.h. */
#include "net/site.h"

#include "lib/base/str.h"
#include "net/robots.h"

enum { REDIRECTS = 5, MEMORY = 8 << 20 };

bool bzr__site_of(const bzr__url *url, bzr__arena *arena, bzr_str *ret) {
    bool v6 = url->is_address && url->address.v6;
    bzr__buf text;
    bzr__buf_init(&text, BZR__URL_MAX);
    bzr__buf_add_z(&text, url->https ? "https://" : "http://");
    bzr__buf_add_z(&text, v6 ? "[" : "");
    bzr__buf_add_str(&text, url->host);
    bzr__buf_add_z(&text, v6 ? "]:" : ":");
    bzr__buf_add_u64(&text, url->port);
    *ret = text.status ? bzr__str(NULL, 0) : bzr__arena_dup(arena, bzr__buf_str(&text));
    bzr__buf_free(&text);
    return ret->p != NULL;
}

/* A site without the file allows all, one that cannot say allows nothing. */
static bzr__robots_state state_of(bzr__refusal why, unsigned status) {
    if (!why) return BZR__ROBOTS_RULES;
    bool answered = why == BZR__REFUSED_STATUS || why == BZR__REFUSED_BUSY;
    bool kept = status == 401 || status == 403 || status == 429;
    return answered && status >= 400 && status < 500 && !kept ? BZR__ROBOTS_NONE : BZR__ROBOTS_CLOSED;
}

static int64_t fresh_of(const bzr__page *page, bzr__refusal why, bzr__robots_state state) {
    int64_t said = page->caching.fresh_s;
    if (why == BZR__REFUSED_TIMEOUT || why == BZR__REFUSED_BROKEN) return 0; /* the haste may have been ours */
    if (why) return state == BZR__ROBOTS_NONE ? BZR__ROBOTS_FRESH_S : BZR__ROBOTS_AGAIN_S;
    if (page->caching.no_store || (said >= 0 && said < BZR__ROBOTS_AGAIN_S)) return BZR__ROBOTS_AGAIN_S;
    return said >= 0 && said < BZR__ROBOTS_FRESH_S ? said : BZR__ROBOTS_FRESH_S;
}

static bzr_status fetch_file(const bzr__fetch_options *o, const bzr__url *url, bzr__arena *arena,
                             bzr__robots_file *ret) {
    char detail[BZR__FETCH_DETAIL];
    bzr__page page;
    bzr__refusal why = BZR__ALLOWED;
    bzr_str site, file;
    if (!bzr__site_of(url, arena, &site)) return BZR_E_NOMEM;
    char *p = bzr__arena_alloc(arena, site.n + 12);
    if (!p) return BZR_E_NOMEM;
    memcpy(p, site.p, site.n);
    memcpy(p + site.n, "/robots.txt", 12);
    file = bzr__str(p, site.n + 11);
    bzr_status status = bzr__fetch_isolated(o, file, arena, &page, &why, detail);
    if (status) return status;
    ret->state = state_of(why, page.status);
    ret->fresh_s = fresh_of(&page, why, ret->state);
    if (why)
        bzr__buf_init(&ret->text, 0);
    else
        ret->text = page.text;
    return BZR_OK;
}

bzr_status bzr__robots_fetch(const bzr__fetch_options *o, const bzr__url *url, int timeout_ms, bzr__robots_file *ret) {
    bzr__fetch_options asking = *o;
    bzr__arena arena;
    asking.permit = NULL;
    asking.known = NULL;
    asking.robots_txt = true;
    asking.redirects = REDIRECTS;
    asking.timeout_ms = timeout_ms;
    bzr__arena_init(&arena, MEMORY);
    bzr_status status = fetch_file(&asking, url, &arena, ret);
    bzr__arena_free(&arena);
    return status;
}

bool bzr__robots_permit(bzr__robots_state state, bzr_str text, const bzr__url *url) {
    if (state != BZR__ROBOTS_RULES) return state == BZR__ROBOTS_NONE;
    return bzr__robots_allow(text, BZR__S(BZR__ROBOT), url->target);
}
