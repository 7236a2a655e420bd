/* web_again.c - see web_again.h. Rows are not believed: what they hold is parsed and judged as if it had just come. */
#include "app/web/web_again.h"

#include "app/scan/judge.h"
#include "lib/base/str.h"

#define SECOND  INT64_C(1000000)
#define LONGEST (24 * 3600 * SECOND)

/* ---- may it be answered for? ---- */

/* Could the caller fetch this URL, as far as its spelling tells? `own`: it must be a host that the caller named. */
static bzr_status may_reach(const bzr__fetch_options *net, bzr_str text, bool own, bzr__arena *arena, bzr__url *url,
                            bool *ret) {
    bzr__refusal why = BZR__ALLOWED;
    *ret = false;
    bzr_status status = bzr__url_parse(text, NULL, arena, url, &why);
    if (status || why) return status;
    bool named = bzr__guard_is_named(&net->guard, url);
    *ret = !bzr__guard_url(&net->guard, url, named) && (named || !own);
    return BZR_OK;
}

static bool is_plain(bzr_str s) {
    for (size_t i = 0; i < s.n; i++)
        if (!bzr__is_alnum((unsigned char)s.p[i]) && !strchr(" ():_-.,/*=", s.p[i])) return false;
    return true;
}

/* Numbers, flags and words, and lists of words: nothing that could speak to a reader. */
static bool are_facts(bzr_str facts, bzr__arena *arena) {
    const bzr__json *root;
    size_t at;
    const char *expected;
    if (bzr__json_parse(facts, arena, &root, &at, &expected) || root->type != BZR__JSON_OBJECT) return false;
    for (const bzr__json *m = root->child; m; m = m->next) {
        if (m->type == BZR__JSON_OBJECT || !is_plain(m->text)) return false;
        for (const bzr__json *e = m->type == BZR__JSON_ARRAY ? m->child : NULL; e; e = e->next)
            if (e->type != BZR__JSON_STRING || !is_plain(e->text)) return false;
    }
    return true;
}

static void copy_z(char *to, size_t room, bzr_str s) {
    if (s.n >= room) return;
    if (s.n) memcpy(to, s.p, s.n);
    to[s.n] = 0;
}

static bzr__known_page ask_of(const bzr__stored_page *p) {
    bzr__known_page ask = { .url = p->final_url };
    copy_z(ask.caching.etag, sizeof ask.caching.etag, p->etag);
    copy_z(ask.caching.modified, sizeof ask.caching.modified, p->modified);
    if (!bzr__caching_is_valid(&ask.caching)) ask.caching = (bzr__caching){ 0 };
    return ask;
}

/* Is the content what was judged, and would it be judged the same? */
static bool still_holds(bzr__host *host, bzr__web_again *a) {
    bzr_str setting, judge = bzr__str_z(bzr__host_judge(host)), id = bzr__str_z(a->page.content_id);
    if (!judge.n || !bzr__str_eq(a->page.judge, judge) || !are_facts(a->page.facts, &host->arena)) return false;
    if (bzr__store_content_get(host->store, id, true, &host->arena, &a->content) || !a->content.intact) return false;
    if (bzr__store_setting_for(host->store, a->content.url, a->content.domain, &host->arena, &setting)) return false;
    return !bzr__str_eq(setting, BZR__S("blocked")) || bzr__str_eq(a->content.action, BZR__S("block"));
}

bzr_status bzr__web_again_find(bzr__host *host, const bzr__fetch_options *net, bzr_str requested, bzr__web_again *ret) {
    bzr__url url, final;
    bool may;
    bzr__web_again a = { .requested = requested };
    *ret = a;
    bzr_status status = may_reach(net, requested, false, &host->arena, &url, &may);
    if (status || !may || bzr__store_page_get(host->store, url.text, &host->arena, &a.page)) return status;
    status = may_reach(net, requested, a.page.named, &host->arena, &url, &may);
    if (!status && may) status = may_reach(net, a.page.final_url, false, &host->arena, &final, &may);
    if (status || !may || !still_holds(host, &a)) return status;
    a.ask = ask_of(&a.page);
    a.known = true;
    a.fresh = bzr__store_now(host->store) < a.page.fresh_until;
    *ret = a;
    return BZR_OK;
}

/* ---- how long ---- */

static int64_t lifetime_of(const bzr__host *host, int64_t said) {
    int64_t usual = host->config ? bzr__config_number(host->config, BZR__CONFIG_FETCH_FRESH) : 300 * SECOND;
    int64_t life = said < 0 ? usual : said;
    return life < LONGEST ? life : LONGEST;
}

static int64_t micros(int64_t seconds) { return seconds < 0 ? -1 : seconds * SECOND; }

bool bzr__web_again_keep(bzr__host *host, const bzr__page *page, bzr_str requested, bzr_str facts,
                         bzr__stored_page *ret) {
    bzr__url url;
    bzr__refusal why = BZR__ALLOWED;
    const char *judge = bzr__host_judge(host);
    if (!host->store || !judge || bzr__url_parse(requested, NULL, &host->arena, &url, &why) || why) return false;
    const bzr__caching *c = &page->caching;
    if (c->no_store) {
        (void)bzr__store_page_drop(host->store, url.text);
        return false;
    }
    *ret = (bzr__stored_page){ .url = url.text,
                               .final_url = page->url.text,
                               .etag = bzr__str_z(c->etag),
                               .modified = bzr__str_z(c->modified),
                               .judge = bzr__str_z(judge),
                               .facts = facts,
                               .named = page->named,
                               .lifetime = micros(c->fresh_s) };
    ret->fresh_until = bzr__store_now(host->store) + lifetime_of(host, ret->lifetime);
    return true;
}

/* What a server does not say again still holds (RFC 9111, 3.2). */
static void renew(const bzr__host *host, bzr__stored_page *p, const bzr__caching *c) {
    if (*c->etag) p->etag = bzr__str_z(c->etag);
    if (*c->modified) p->modified = bzr__str_z(c->modified);
    if (c->fresh_s >= 0) p->lifetime = micros(c->fresh_s);
    p->fetched_at = bzr__store_now(host->store);
    p->fresh_until = p->fetched_at + lifetime_of(host, p->lifetime);
}

/* ---- answers ---- */

void bzr__web_again_members(bzr_str requested, bzr_str facts, const char *cached, const bzr__stored_page *page,
                            bzr__buf *answer) {
    if (!answer->n || answer->status || facts.n < 3) return;
    answer->n--;
    bzr__answer_str(answer, "requested", requested);
    bzr__buf_add_c(answer, ',');
    bzr__buf_add_str(answer, bzr__str_part(facts, 1, facts.n - 1));
    if (cached)
        bzr__answer_z(answer, "cached", cached);
    else
        bzr__answer_bool(answer, "cached", false);
    bzr__answer_time(answer, "fresh_until", page ? page->fresh_until : 0);
    bzr__buf_add_c(answer, '}');
}

bzr_status bzr__web_again_answer(bzr__host *host, bzr__web_again *a, const bzr__page *page, bzr__fetched_style style,
                                 bzr__buf *answer) {
    bzr__session session = { .id = host->session };
    if (page) renew(host, &a->page, &page->caching);
    bzr_status status = host->session.n ? bzr__store_session_touch(host->store, &session) : BZR_OK;
    if (!status) status = bzr__store_page_again(host->store, &a->page, page != NULL, &a->content, host->session);
    if (status) return bzr__host_store_failed(host, status);
    status = bzr__contents_answer(host, bzr__str_z(a->page.content_id), style, answer);
    if (!status) bzr__web_again_members(a->requested, a->page.facts, page ? "revalidated" : "fresh", &a->page, answer);
    return status;
}
