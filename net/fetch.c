/* fetch.c - see fetch.h. A hop is one easy handle with every option set here; nothing is shared between hops but the
 * deadline. */
#include "net/fetch.h"

#include "bezoar/bezoar.h"
#include "lib/base/str.h"
#include "net/robots.h"
#include "net/transfer.h"
#include "net/unpack.h"

#include <stdio.h>
#include <time.h>

#define TEXT_OF(x) #x
#define TEXT(x)    TEXT_OF(x)
#define ROBOT      "bezoar"
#define AGENT      ROBOT "/" TEXT(BZR_VERSION_MAJOR) "." TEXT(BZR_VERSION_MINOR) " (reads pages for an LLM agent)"

enum { TIMEOUT_MS = 30000, REDIRECTS = 5, HOPS_MAX = 32, RATIO = 100 };

bzr__fetch_options bzr__fetch_defaults(void) { return (bzr__fetch_options){ .redirects = REDIRECTS }; }

void bzr__page_free(bzr__page *page) { bzr__buf_free(&page->text); }

static int64_t now_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* ---- judging ---- */

/* One address that may not be reached condemns the name: which of them is used would be a matter of chance, or of who
 * asks again. */
static bzr__refusal judge_all(const bzr__addresses *found, bool named) {
    for (size_t i = 0; i < found->n; i++) {
        bzr__refusal why = bzr__guard_address(&found->list[i], named);
        if (why) return why;
    }
    return BZR__ALLOWED;
}

static bzr__refusal find_addresses(const bzr__fetch_options *o, const bzr__url *url, bool named, int timeout_ms,
                                   bzr__addresses *ret) {
    ret->n = 0;
    if (url->is_address) {
        ret->list[ret->n++] = url->address;
        return BZR__ALLOWED; /* judged with the URL */
    }
    bzr__refusal why = (o->resolve ? o->resolve : bzr__resolve)(o->resolve_ctx, url->host.p, timeout_ms, ret);
    if (!why && !ret->n) why = BZR__REFUSED_UNRESOLVED;
    return why ? why : judge_all(ret, named);
}

/* What every hop goes through. `trusted`: all hops so far are at hosts that the user named. */
static bzr_status judge(const bzr__fetch_options *o, bzr_str text, const bzr__url *base, bool trusted, int timeout_ms,
                        bzr__arena *arena, bzr__url *ret, bzr__addresses *addresses, bool *ret_named,
                        bzr__refusal *why) {
    addresses->n = 0;
    bzr_status status = bzr__url_parse(text, base, arena, ret, why);
    if (status || *why) return status;
    *ret_named = trusted && bzr__guard_is_named(&o->guard, ret);
    *why = bzr__guard_url(&o->guard, ret, *ret_named);
    if (!*why && timeout_ms) *why = find_addresses(o, ret, *ret_named, timeout_ms, addresses);
    return BZR_OK;
}

bzr_status bzr__fetch_judge(const bzr__fetch_options *o, bzr_str text, const bzr__url *base, bool resolve,
                            bzr__arena *arena, bzr__url *ret, bzr__addresses *ret_addresses, bzr__refusal *ret_why) {
    bool named;
    int timeout = !resolve ? 0 : o->timeout_ms ? o->timeout_ms : TIMEOUT_MS;
    return judge(o, text, base, true, timeout, arena, ret, ret_addresses, &named, ret_why);
}

/* ---- hops ---- */

typedef struct journey {
    const bzr__fetch_options *o;
    bzr__arena *arena;
    int64_t deadline;
    bzr__url seen[HOPS_MAX];
    size_t hops;
    bool trusted;
    bzr__transfer transfer;
    char *detail;
} journey;

static bzr__refusal judge_redirect(const journey *j, const bzr__url *to) {
    const bzr__url *from = &j->seen[j->hops - 1];
    if (from->https && !to->https) return BZR__REFUSED_DOWNGRADE;
    for (size_t i = 0; i < j->hops; i++)
        if (bzr__str_eq(j->seen[i].text, to->text)) return BZR__REFUSED_REDIRECT_LOOP;
    return j->hops > j->o->redirects || j->hops == HOPS_MAX ? BZR__REFUSED_REDIRECTS : BZR__ALLOWED;
}

static bzr_status ask_robots(journey *j, const bzr__url *url, bzr__refusal *why);

/* Parse, judge and ask for one URL. */
static bzr_status hop(journey *j, bzr_str text, bzr__refusal *why) {
    bzr__url url;
    bzr__addresses addresses;
    bool named = false;
    int64_t left = j->deadline - now_ms();
    if (left <= 0) return *why = BZR__REFUSED_TIMEOUT, BZR_OK;
    bzr_status status = judge(j->o, text, j->hops ? &j->seen[j->hops - 1] : NULL, j->trusted, (int)left, j->arena, &url,
                              &addresses, &named, why);
    if (!status && !*why && j->hops) *why = judge_redirect(j, &url);
    if (status || *why) return status;
    j->trusted = named;
    j->seen[j->hops++] = url;
    if (j->o->robots) status = ask_robots(j, &url, why);
    if (status || *why) return status;
    left = j->deadline - now_ms();
    if (left <= 0) return *why = BZR__REFUSED_TIMEOUT, BZR_OK;
    return bzr__transfer_run(&j->transfer, &url, &addresses, (long)left, why, j->detail);
}

static bool is_redirect(unsigned status) {
    return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

/* Where a redirect leads, in the arena. */
static bzr_status redirect_target(journey *j, bzr_str *ret, bzr__refusal *why) {
    const bzr__transfer *t = &j->transfer;
    if (t->two_locations || !t->location.n || t->location.status) return *why = BZR__REFUSED_REDIRECT_TARGET, BZR_OK;
    *ret = bzr__arena_dup(j->arena, bzr__buf_str(&t->location));
    return ret->p ? BZR_OK : BZR_E_NOMEM;
}

static bzr_status travel(journey *j, bzr_str url, bzr__refusal *why) {
    bzr_status status = hop(j, url, why);
    while (!status && !*why && is_redirect(j->transfer.status)) {
        status = redirect_target(j, &url, why);
        if (!status && !*why) status = hop(j, url, why);
    }
    if (!status && !*why && (j->transfer.status < 200 || j->transfer.status > 299 || j->transfer.status == 206)) {
        *why = BZR__REFUSED_STATUS;
        snprintf(j->detail, BZR__FETCH_DETAIL, "HTTP %u", j->transfer.status);
    }
    return status;
}

/* ---- robots.txt ---- */

/* What the answer means (RFC 9309, 2.3.1): a site without the file allows all, one that cannot say allows nothing. */
static bool robots_allow(const journey *site, bzr__refusal why, bzr_str target) {
    unsigned status = site->transfer.status;
    if (why == BZR__REFUSED_STATUS) return status >= 400 && status < 500;
    if (why && why != BZR__REFUSED_TOO_LARGE) return false;
    return !site->transfer.coding.n && bzr__robots_allow(bzr__buf_str(&site->transfer.body), BZR__S(ROBOT), target);
}

/* A journey of its own, within the same time and as far as this one may go. */
static bzr_status ask_robots(journey *j, const bzr__url *url, bzr__refusal *why) {
    bzr__fetch_options o = *j->o;
    char detail[BZR__FETCH_DETAIL] = "";
    bzr__refusal failed = BZR__ALLOWED;
    bool v6 = url->is_address && url->address.v6;
    bzr__buf text;
    o.robots = false;
    o.redirects = REDIRECTS;
    journey site = { .o = &o, .arena = j->arena, .trusted = j->trusted, .detail = detail, .deadline = j->deadline };
    bzr__transfer_init(&site.transfer, j->transfer.user_agent, j->transfer.ca_file);
    site.transfer.max_bytes = BZR__ROBOTS_MAX;
    site.transfer.plain = true;
    bzr__buf_init(&text, BZR__URL_MAX);
    bzr__buf_add_z(&text, url->https ? "https://" : "http://");
    bzr__buf_add_z(&text, v6 ? "[" : "");
    bzr__buf_add_str(&text, url->host);
    bzr__buf_add_z(&text, v6 ? "]:" : ":");
    bzr__buf_add_u64(&text, url->port);
    bzr__buf_add_z(&text, "/robots.txt");
    bzr_status status = text.status ? text.status : travel(&site, bzr__buf_str(&text), &failed);
    if (!status && !robots_allow(&site, failed, url->target)) *why = BZR__REFUSED_ROBOTS;
    bzr__transfer_free(&site.transfer);
    bzr__buf_free(&text);
    return status;
}

/* ---- what came ---- */

static bzr_status read_text(journey *j, bzr_str body, bzr__page *page, bzr__refusal *why) {
    const char *binary = body.n ? bzr__sniff_binary(body) : NULL;
    bzr_status status =
        binary ? BZR_OK : bzr__page_utf8(body, page->label, &page->text, &page->charset, &page->replaced);
    if (status) return status;
    page->type = binary ? BZR__PAGE_BINARY : bzr__sniff_text(bzr__buf_str(&page->text), page->label);
    if (page->type != BZR__PAGE_BINARY) return BZR_OK;
    *why = BZR__REFUSED_BINARY;
    snprintf(j->detail, BZR__FETCH_DETAIL, "%s", binary ? binary : "control characters");
    return BZR_OK;
}

static bzr_status read_body(journey *j, bzr__page *page, bzr__refusal *why) {
    bzr__transfer *t = &j->transfer;
    bzr__buf unpacked;
    page->label = bzr__arena_dup(j->arena, bzr__buf_str(&t->content_type));
    if (!page->label.p) return BZR_E_NOMEM;
    if (!t->coding.n) return read_text(j, bzr__buf_str(&t->body), page, why);
    bzr__buf_init(&unpacked, t->max_bytes);
    bzr_status status = bzr__unpack(bzr__buf_str(&t->body), bzr__buf_str(&t->coding),
                                    j->o->max_ratio ? j->o->max_ratio : RATIO, &unpacked, why);
    if (!status && !*why) status = read_text(j, bzr__buf_str(&unpacked), page, why);
    bzr__buf_free(&unpacked);
    return status;
}

static bzr_status arrive(journey *j, bzr__page *ret, bzr__refusal *why) {
    bzr__page page = { .url = j->seen[j->hops - 1],
                       .address = j->transfer.peer,
                       .status = j->transfer.status,
                       .redirects = (unsigned)j->hops - 1,
                       .wire_bytes = j->transfer.wire_bytes };
    bzr__buf_init(&page.text, 4 * j->transfer.max_bytes + 65536);
    bzr_status status = read_body(j, &page, why);
    if (status || *why)
        bzr__page_free(&page);
    else
        *ret = page;
    return status;
}

bzr_status bzr__fetch(const bzr__fetch_options *o, bzr_str url, bzr__arena *arena, bzr__page *ret,
                      bzr__refusal *ret_why, char detail[BZR__FETCH_DETAIL]) {
    journey j = { .o = o,
                  .arena = arena,
                  .trusted = true,
                  .detail = detail,
                  .deadline = now_ms() + (o->timeout_ms ? o->timeout_ms : TIMEOUT_MS) };
    bzr__refusal why = BZR__ALLOWED;
    detail[0] = 0;
    bzr__transfer_init(&j.transfer, o->user_agent ? o->user_agent : AGENT, o->ca_file);
    if (o->max_bytes) j.transfer.max_bytes = o->max_bytes;
    if (o->max_header_bytes) j.transfer.max_header_bytes = o->max_header_bytes;
    bzr_status status = travel(&j, url, &why);
    if (!status && !why) status = arrive(&j, ret, &why);
    bzr__transfer_free(&j.transfer);
    if (!status) *ret_why = why;
    return status;
}
