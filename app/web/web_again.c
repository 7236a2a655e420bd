/* web_again.c - see web_again.h. Rows are not believed: what they hold is parsed and judged as if it had just come. */
#include "app/web/web_again.h"

#include "app/scan/judge.h"
#include "lib/base/str.h"

#define SECOND  INT64_C(1000000)
#define LONGEST (24 * 3600 * SECOND)

/* ---- may it be answered for? ---- */

/* Could the caller fetch this URL, as far as its spelling tells? `own`: it must be a host that the caller named. */
static toad_status may_reach(const toad__fetch_options *net, toad_str text, bool own, toad__arena *arena,
                             toad__url *url, bool *ret) {
    toad__refusal why = TOAD__ALLOWED;
    *ret = false;
    toad_status status = toad__url_parse(text, NULL, arena, url, &why);
    if (status || why) return status;
    bool named = toad__guard_is_named(&net->guard, url);
    *ret = !toad__guard_url(&net->guard, url, named) && (named || !own);
    return TOAD_OK;
}

static bool is_plain(toad_str s) {
    for (size_t i = 0; i < s.n; i++)
        if (!toad__is_alnum((unsigned char)s.p[i]) && !strchr(" ():_-.,/*=", s.p[i])) return false;
    return true;
}

/* Numbers, flags and words, and lists of words: nothing that could speak to a reader. */
static bool are_facts(toad_str facts, toad__arena *arena) {
    const toad__json *root;
    size_t at;
    const char *expected;
    if (toad__json_parse(facts, arena, &root, &at, &expected) || root->type != TOAD__JSON_OBJECT) return false;
    for (const toad__json *m = root->child; m; m = m->next) {
        if (m->type == TOAD__JSON_OBJECT || !is_plain(m->text)) return false;
        for (const toad__json *e = m->type == TOAD__JSON_ARRAY ? m->child : NULL; e; e = e->next)
            if (e->type != TOAD__JSON_STRING || !is_plain(e->text)) return false;
    }
    return true;
}

static void copy_z(char *to, size_t room, toad_str s) {
    if (s.n >= room) return;
    if (s.n) memcpy(to, s.p, s.n);
    to[s.n] = 0;
}

static toad__known_page ask_of(const toad__stored_page *p) {
    toad__known_page ask = { .url = p->final_url };
    copy_z(ask.caching.etag, sizeof ask.caching.etag, p->etag);
    copy_z(ask.caching.modified, sizeof ask.caching.modified, p->modified);
    if (!toad__caching_is_valid(&ask.caching)) ask.caching = (toad__caching){ 0 };
    return ask;
}

/* Is the content what was judged, and would it be judged the same? What was withheld is fetched and judged again each
 * time, as it came: the user may have made an exception since. */
static bool still_holds(toad__host *host, toad__web_again *a) {
    toad_str setting, judge = toad__str_z(toad__host_judge(host)), id = toad__str_z(a->page.content_id);
    if (!judge.n || !toad__str_eq(a->page.judge, judge) || !are_facts(a->page.facts, &host->arena)) return false;
    if (toad__store_content_get(host->store, id, true, &host->arena, &a->content) || !a->content.intact) return false;
    if (toad__store_setting_for(host->store, a->content.url, a->content.domain, &host->arena, &setting)) return false;
    bool blocked = toad__str_eq(a->content.action, TOAD__S("block"));
    bool by_setting = toad__str_eq(a->content.pattern_matched, TOAD__S("source_blocked"));
    if (toad__str_eq(setting, TOAD__S("blocked"))) return blocked;
    bool withheld = blocked || toad__str_eq(a->content.action, TOAD__S("redact"));
    return !by_setting && (!withheld || a->content.released_at);
}

toad_status toad__web_again_find(toad__host *host, const toad__fetch_options *net, toad_str requested,
                                 toad__web_again *ret) {
    toad__url url, final;
    bool may;
    toad__web_again a = { .requested = requested };
    *ret = a;
    toad_status status = may_reach(net, requested, false, &host->arena, &url, &may);
    if (status || !may || toad__store_page_get(host->store, url.text, &host->arena, &a.page)) return status;
    status = may_reach(net, requested, a.page.named, &host->arena, &url, &may);
    if (!status && may) status = may_reach(net, a.page.final_url, false, &host->arena, &final, &may);
    if (status || !may || !still_holds(host, &a)) return status;
    a.ask = ask_of(&a.page);
    a.known = true;
    a.fresh = toad__store_now(host->store) < a.page.fresh_until;
    *ret = a;
    return TOAD_OK;
}

/* ---- how long ---- */

static int64_t lifetime_of(const toad__host *host, int64_t said) {
    int64_t usual = host->config ? toad__config_number(host->config, TOAD__CONFIG_FETCH_FRESH) : 300 * SECOND;
    int64_t life = said < 0 ? usual : said;
    return life < LONGEST ? life : LONGEST;
}

static int64_t micros(int64_t seconds) { return seconds < 0 ? -1 : seconds * SECOND; }

bool toad__web_again_keep(toad__host *host, const toad__page *page, toad_str requested, toad_str facts,
                          toad__stored_page *ret) {
    toad__url url;
    toad__refusal why = TOAD__ALLOWED;
    const char *judge = toad__host_judge(host);
    if (!host->store || !judge || toad__url_parse(requested, NULL, &host->arena, &url, &why) || why) return false;
    const toad__caching *c = &page->caching;
    if (c->no_store) {
        (void)toad__store_page_drop(host->store, url.text);
        return false;
    }
    *ret = (toad__stored_page){ .url = url.text,
                                .final_url = page->url.text,
                                .etag = toad__str_z(c->etag),
                                .modified = toad__str_z(c->modified),
                                .judge = toad__str_z(judge),
                                .facts = facts,
                                .named = page->named,
                                .lifetime = micros(c->fresh_s) };
    ret->fresh_until = toad__store_now(host->store) + lifetime_of(host, ret->lifetime);
    return true;
}

/* What a server does not say again still holds (RFC 9111, 3.2). */
static void renew(const toad__host *host, toad__stored_page *p, const toad__caching *c) {
    if (*c->etag) p->etag = toad__str_z(c->etag);
    if (*c->modified) p->modified = toad__str_z(c->modified);
    if (c->fresh_s >= 0) p->lifetime = micros(c->fresh_s);
    p->fetched_at = toad__store_now(host->store);
    p->fresh_until = p->fetched_at + lifetime_of(host, p->lifetime);
}

/* ---- answers ---- */

void toad__web_again_members(const char *cached, const toad__stored_page *page, toad__answer *answer) {
    if (cached)
        toad__answer_z(answer, "cached", cached);
    else
        toad__answer_bool(answer, "cached", false);
    toad__answer_time(answer, "fresh_until", page ? page->fresh_until : 0);
}

toad_status toad__web_again_answer(toad__host *host, toad__web_again *a, const toad__page *page,
                                   toad__fetched_style style, toad__answer *answer) {
    toad__session session = { .id = host->session };
    if (page) renew(host, &a->page, &page->caching);
    toad_status status = host->session.n ? toad__store_session_touch(host->store, &session) : TOAD_OK;
    if (!status) status = toad__store_page_again(host->store, &a->page, page != NULL, &a->content, host->session);
    if (status) return toad__host_store_failed(host, status);
    status = toad__contents_answer(host, toad__str_z(a->page.content_id), style, answer);
    if (status) return status;
    toad__answer_str(answer, "requested", a->requested);
    toad__answer_members(answer, a->page.facts);
    toad__web_again_members(page ? "revalidated" : "fresh", &a->page, answer);
    return TOAD_OK;
}
