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
#define AGENT      BZR__ROBOT "/" TEXT(BZR_VERSION_MAJOR) "." TEXT(BZR_VERSION_MINOR) " (reads pages for an LLM agent)"

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
    bool trusted, named; /* named: the first of them is the user's own */
    bzr__caching caching;
    bzr__http_request onward; /* what the hosts behind the first are told: only what is wanted */
    bzr__transfer transfer;
    char *detail;
} journey;

static bool is_redirect(unsigned status) {
    return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

static bzr__refusal judge_redirect(const journey *j, const bzr__url *to) {
    const bzr__url *from = &j->seen[j->hops - 1];
    if (from->https && !to->https) return BZR__REFUSED_DOWNGRADE;
    for (size_t i = 0; i < j->hops; i++)
        if (bzr__str_eq(j->seen[i].text, to->text)) return BZR__REFUSED_REDIRECT_LOOP;
    return j->hops > j->o->redirects || j->hops == HOPS_MAX ? BZR__REFUSED_REDIRECTS : BZR__ALLOWED;
}

/* What all answers of the journey allow: as long as the shortest of them. A redirect that is not for good is asked
 * about each time. */
static void note_caching(journey *j) {
    const bzr__transfer *t = &j->transfer;
    const bzr__caching_fields fields = { .cache_control = bzr__transfer_field(t, BZR__FIELD_CACHE_CONTROL),
                                         .expires = bzr__transfer_field(t, BZR__FIELD_EXPIRES),
                                         .date = bzr__transfer_field(t, BZR__FIELD_DATE),
                                         .age = bzr__transfer_field(t, BZR__FIELD_AGE),
                                         .vary = bzr__transfer_field(t, BZR__FIELD_VARY),
                                         .etag = bzr__transfer_field(t, BZR__FIELD_ETAG),
                                         .modified = bzr__transfer_field(t, BZR__FIELD_LAST_MODIFIED) };
    bzr__caching before = j->caching, now = bzr__caching_of(&fields, time(NULL));
    bool passing = is_redirect(t->status) && t->status != 301 && t->status != 308;
    if (passing || (is_redirect(t->status) && now.no_store)) now.fresh_s = 0;
    if (is_redirect(t->status)) now.no_store = false;
    if (j->hops > 1 && before.fresh_s >= 0 && (now.fresh_s < 0 || before.fresh_s < now.fresh_s))
        now.fresh_s = before.fresh_s;
    j->caching = now;
}

/* What to ask with, if this is the known page and its server gave something. */
static const bzr__caching *condition_for(const bzr__known_page *known, const bzr__url *url) {
    if (!known || !bzr__str_eq(known->url, url->text)) return NULL;
    return *known->caching.etag || *known->caching.modified ? &known->caching : NULL;
}

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
    if (!j->hops) j->named = named;
    j->seen[j->hops++] = url;
    left = j->deadline - now_ms();
    if (left > 0 && j->o->permit) *why = j->o->permit(j->o->permit_ctx, &url, (int)left, j->detail);
    if (*why) return BZR_OK;
    left = j->deadline - now_ms();
    if (left <= 0) return *why = BZR__REFUSED_TIMEOUT, BZR_OK;
    j->transfer.unless = condition_for(j->o->known, &url);
    j->transfer.request = !j->o->request ? NULL : j->hops == 1 ? j->o->request : &j->onward;
    status = bzr__transfer_run(&j->transfer, &url, &addresses, (long)left, why, j->detail);
    if (!status && !*why) note_caching(j);
    return status;
}

/* Where a redirect leads, in the arena. */
static bzr_status redirect_target(journey *j, bzr_str *ret, bzr__refusal *why) {
    const bzr__transfer *t = &j->transfer;
    bzr_str to = bzr__transfer_field(t, BZR__FIELD_LOCATION);
    if (t->conflict[BZR__FIELD_LOCATION] || !to.n || t->fields[BZR__FIELD_LOCATION].status)
        return *why = BZR__REFUSED_REDIRECT_TARGET, BZR_OK;
    *ret = bzr__arena_dup(j->arena, to);
    return ret->p ? BZR_OK : BZR_E_NOMEM;
}

static int64_t retry_after(const bzr__transfer *t) {
    int64_t seconds;
    bzr_str field = bzr__transfer_field(t, BZR__FIELD_RETRY_AFTER);
    return field.n && bzr__retry_after(field, time(NULL), &seconds) ? seconds : -1;
}

/* Is the answer a page, or still the one that is known? */
static bzr__refusal judge_status(journey *j) {
    unsigned status = j->transfer.status;
    if ((status >= 200 && status <= 299 && status != 206) || (status == 304 && j->transfer.unless)) return BZR__ALLOWED;
    snprintf(j->detail, BZR__FETCH_DETAIL, "HTTP %u", status);
    return status == 429 || (status == 503 && retry_after(&j->transfer) >= 0) ? BZR__REFUSED_BUSY : BZR__REFUSED_STATUS;
}

static bzr_status travel(journey *j, bzr_str url, bzr__refusal *why) {
    bzr_status status = hop(j, url, why);
    while (!status && !*why && is_redirect(j->transfer.status)) {
        status = redirect_target(j, &url, why);
        if (!status && !*why) status = hop(j, url, why);
    }
    if (!status && !*why) *why = judge_status(j);
    return status;
}

/* ---- what came ---- */

static bzr_status read_text(journey *j, bzr_str body, bzr__page *page, bzr__refusal *why) {
    const char *binary = body.n ? bzr__sniff_binary(body) : NULL;
    if (j->o->pdf && binary && !strcmp(binary, "PDF")) {
        page->type = BZR__PAGE_PDF;
        page->charset = "binary";
        bzr__buf_add_str(&page->text, body);
        return page->text.status;
    }
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
    bzr_str body = bzr__buf_str(&t->body), coding = bzr__transfer_field(t, BZR__FIELD_CODING);
    page->label = bzr__arena_dup(j->arena, bzr__transfer_field(t, BZR__FIELD_TYPE));
    page->charset = "UTF-8";
    if (!page->label.p) return BZR_E_NOMEM;
    if (page->unchanged) return BZR_OK;
    if (j->o->robots_txt && coding.n) return *why = BZR__REFUSED_ENCODING, BZR_OK;
    if (j->o->robots_txt) return bzr__page_utf8(body, BZR__S(""), &page->text, &page->charset, &page->replaced);
    if (!coding.n) return read_text(j, body, page, why);
    bzr__buf_init(&unpacked, t->max_bytes);
    bzr_status status = bzr__unpack(body, coding, j->o->max_ratio ? j->o->max_ratio : RATIO, &unpacked, why);
    if (!status && !*why) status = read_text(j, bzr__buf_str(&unpacked), page, why);
    bzr__buf_free(&unpacked);
    return status;
}

/* A page of another status may not be taken for the page later. */
static bzr__caching caching_of(const journey *j) {
    bzr__caching c = j->caching;
    unsigned status = j->transfer.status;
    c.no_store |= status != 200 && status != 203 && status != 304;
    return c;
}

static bzr_status arrive(journey *j, bzr__page *ret, bzr__refusal *why) {
    bzr__page page = { .url = j->seen[j->hops - 1],
                       .address = j->transfer.peer,
                       .status = j->transfer.status,
                       .redirects = (unsigned)j->hops - 1,
                       .wire_bytes = j->transfer.wire_bytes,
                       .named = j->named,
                       .unchanged = j->transfer.status == 304,
                       .caching = caching_of(j),
                       .retry_after = -1 };
    bzr__buf_init(&page.text, 4 * j->transfer.max_bytes + 65536);
    bzr_status status = read_body(j, &page, why);
    if (status || *why)
        bzr__page_free(&page);
    else
        *ret = page;
    return status;
}

static void set_limits(const bzr__fetch_options *o, bzr__transfer *t) {
    if (o->max_bytes) t->max_bytes = o->max_bytes;
    if (o->max_header_bytes) t->max_header_bytes = o->max_header_bytes;
    t->plain = o->robots_txt;
    if (o->robots_txt) t->max_bytes = BZR__ROBOTS_MAX;
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
    if (o->request) j.onward.accept = o->request->accept;
    bzr__transfer_init(&j.transfer, o->user_agent ? o->user_agent : AGENT, o->ca_file);
    set_limits(o, &j.transfer);
    bzr_status status = travel(&j, url, &why);
    if (!status && !why) status = arrive(&j, ret, &why);
    if (!status && why) *ret = (bzr__page){ .status = j.transfer.status, .retry_after = retry_after(&j.transfer) };
    bzr__transfer_free(&j.transfer);
    if (!status) *ret_why = why;
    return status;
}
