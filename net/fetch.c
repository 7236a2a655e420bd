/* fetch.c - see fetch.h. A hop is one easy handle with every option set here; nothing is shared between hops but the
 * deadline. */
#include "net/fetch.h"

#include "lib/base/str.h"
#include "net/robots.h"
#include "net/transfer.h"
#include "net/unpack.h"
#include "sys/clock.h"
#include "toadstone/toadstone.h"

#include <stdio.h>
#include <time.h>

#define TEXT_OF(x) #x
#define TEXT(x)    TEXT_OF(x)
#define VERSION    TEXT(TOAD_VERSION_MAJOR) "." TEXT(TOAD_VERSION_MINOR)
#define AGENT      TOAD__ROBOT "/" VERSION " (reads pages for an LLM agent)"

enum { TIMEOUT_MS = 30000, REDIRECTS = 5, HOPS_MAX = 32, RATIO = 100 };

toad__fetch_options toad__fetch_defaults(void) { return (toad__fetch_options){ .redirects = REDIRECTS }; }

void toad__page_free(toad__page *page) { toad__buf_free(&page->text); }

/* ---- judging ---- */

/* One address that may not be reached condemns the name: which of them is used would be a matter of chance, or of who
 * asks again. */
static toad__refusal judge_all(const toad__addresses *found, bool named) {
    for (size_t i = 0; i < found->n; i++) {
        toad__refusal why = toad__guard_address(&found->list[i], named);
        if (why) return why;
    }
    return TOAD__ALLOWED;
}

static toad__refusal find_addresses(const toad__fetch_options *o, const toad__url *url, bool named, int timeout_ms,
                                    toad__addresses *ret) {
    ret->n = 0;
    if (url->is_address) {
        ret->list[ret->n++] = url->address;
        return TOAD__ALLOWED; /* judged with the URL */
    }
    toad__refusal why = (o->resolve ? o->resolve : toad__resolve)(o->resolve_ctx, url->host.p, timeout_ms, ret);
    if (!why && !ret->n) why = TOAD__REFUSED_UNRESOLVED;
    return why ? why : judge_all(ret, named);
}

/* What every hop goes through. `trusted`: all hops so far are at hosts that the user named. */
static toad_status judge(const toad__fetch_options *o, toad_str text, const toad__url *base, bool trusted,
                         int timeout_ms, toad__arena *arena, toad__url *ret, toad__addresses *addresses,
                         bool *ret_named, toad__refusal *why) {
    addresses->n = 0;
    toad_status status = toad__url_parse(text, base, arena, ret, why);
    if (status || *why) return status;
    *ret_named = trusted && toad__guard_is_named(&o->guard, ret);
    *why = toad__guard_url(&o->guard, ret, *ret_named);
    if (!*why && timeout_ms) *why = find_addresses(o, ret, *ret_named, timeout_ms, addresses);
    return TOAD_OK;
}

toad_status toad__fetch_judge(const toad__fetch_options *o, toad_str text, const toad__url *base, bool resolve,
                              toad__arena *arena, toad__url *ret, toad__addresses *ret_addresses,
                              toad__refusal *ret_why) {
    bool named;
    int timeout = !resolve ? 0 : o->timeout_ms ? o->timeout_ms : TIMEOUT_MS;
    return judge(o, text, base, true, timeout, arena, ret, ret_addresses, &named, ret_why);
}

/* ---- hops ---- */

typedef struct journey {
    const toad__fetch_options *o;
    toad__arena *arena;
    int64_t deadline;
    toad__url seen[HOPS_MAX];
    size_t hops;
    bool trusted, named; /* named: the first of them is the user's own */
    toad__caching caching;
    toad__http_request onward; /* what the hosts behind the first are told: only what is wanted */
    toad__transfer transfer;
    char *detail;
} journey;

static bool is_redirect(unsigned status) {
    return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

static toad__refusal judge_redirect(const journey *j, const toad__url *to) {
    const toad__url *from = &j->seen[j->hops - 1];
    if (from->https && !to->https) return TOAD__REFUSED_DOWNGRADE;
    for (size_t i = 0; i < j->hops; i++)
        if (toad__str_eq(j->seen[i].text, to->text)) return TOAD__REFUSED_REDIRECT_LOOP;
    return j->hops > j->o->redirects || j->hops == HOPS_MAX ? TOAD__REFUSED_REDIRECTS : TOAD__ALLOWED;
}

/* What all answers of the journey allow: as long as the shortest of them. A redirect that is not for good is asked
 * about each time. */
static void note_caching(journey *j) {
    const toad__transfer *t = &j->transfer;
    const toad__caching_fields fields = { .cache_control = toad__transfer_field(t, TOAD__FIELD_CACHE_CONTROL),
                                          .expires = toad__transfer_field(t, TOAD__FIELD_EXPIRES),
                                          .date = toad__transfer_field(t, TOAD__FIELD_DATE),
                                          .age = toad__transfer_field(t, TOAD__FIELD_AGE),
                                          .vary = toad__transfer_field(t, TOAD__FIELD_VARY),
                                          .etag = toad__transfer_field(t, TOAD__FIELD_ETAG),
                                          .modified = toad__transfer_field(t, TOAD__FIELD_LAST_MODIFIED) };
    toad__caching before = j->caching, now = toad__caching_of(&fields, time(NULL));
    bool passing = is_redirect(t->status) && t->status != 301 && t->status != 308;
    if (passing || (is_redirect(t->status) && now.no_store)) now.fresh_s = 0;
    if (is_redirect(t->status)) now.no_store = false;
    if (j->hops > 1 && before.fresh_s >= 0 && (now.fresh_s < 0 || before.fresh_s < now.fresh_s))
        now.fresh_s = before.fresh_s;
    j->caching = now;
}

/* What to ask with, if this is the known page and its server gave something. */
static const toad__caching *condition_for(const toad__known_page *known, const toad__url *url) {
    if (!known || !toad__str_eq(known->url, url->text)) return NULL;
    return *known->caching.etag || *known->caching.modified ? &known->caching : NULL;
}

/* Parse, judge and ask for one URL. */
static toad_status hop(journey *j, toad_str text, toad__refusal *why) {
    toad__url url;
    toad__addresses addresses;
    bool named = false;
    int64_t left = j->deadline - toad__now_ms();
    if (left <= 0) return *why = TOAD__REFUSED_TIMEOUT, TOAD_OK;
    toad_status status = judge(j->o, text, j->hops ? &j->seen[j->hops - 1] : NULL, j->trusted, (int)left, j->arena,
                               &url, &addresses, &named, why);
    if (!status && !*why && j->hops) *why = judge_redirect(j, &url);
    if (status || *why) return status;
    j->trusted = named;
    if (!j->hops) j->named = named;
    j->seen[j->hops++] = url;
    left = j->deadline - toad__now_ms();
    if (left > 0 && j->o->permit) *why = j->o->permit(j->o->permit_ctx, &url, (int)left, j->detail);
    if (*why) return TOAD_OK;
    left = j->deadline - toad__now_ms();
    if (left <= 0) return *why = TOAD__REFUSED_TIMEOUT, TOAD_OK;
    j->transfer.unless = condition_for(j->o->known, &url);
    j->transfer.request = !j->o->request ? NULL : j->hops == 1 ? j->o->request : &j->onward;
    status = toad__transfer_run(&j->transfer, &url, &addresses, (long)left, why, j->detail);
    if (!status && !*why) note_caching(j);
    return status;
}

/* Where a redirect leads, in the arena. */
static toad_status redirect_target(journey *j, toad_str *ret, toad__refusal *why) {
    const toad__transfer *t = &j->transfer;
    toad_str to = toad__transfer_field(t, TOAD__FIELD_LOCATION);
    if (t->conflict[TOAD__FIELD_LOCATION] || !to.n || t->fields[TOAD__FIELD_LOCATION].status)
        return *why = TOAD__REFUSED_REDIRECT_TARGET, TOAD_OK;
    *ret = toad__arena_dup(j->arena, to);
    return ret->p ? TOAD_OK : TOAD_E_NOMEM;
}

static int64_t retry_after(const toad__transfer *t) {
    int64_t seconds;
    toad_str field = toad__transfer_field(t, TOAD__FIELD_RETRY_AFTER);
    return field.n && toad__retry_after(field, time(NULL), &seconds) ? seconds : -1;
}

/* Is the answer a page, or still the one that is known? */
static toad__refusal judge_status(journey *j) {
    unsigned status = j->transfer.status;
    if ((status >= 200 && status <= 299 && status != 206) || (status == 304 && j->transfer.unless))
        return TOAD__ALLOWED;
    snprintf(j->detail, TOAD__FETCH_DETAIL, "HTTP %u", status);
    return status == 429 || (status == 503 && retry_after(&j->transfer) >= 0) ? TOAD__REFUSED_BUSY
                                                                              : TOAD__REFUSED_STATUS;
}

static toad_status travel(journey *j, toad_str url, toad__refusal *why) {
    toad_status status = hop(j, url, why);
    while (!status && !*why && is_redirect(j->transfer.status)) {
        status = redirect_target(j, &url, why);
        if (!status && !*why) status = hop(j, url, why);
    }
    if (!status && !*why) *why = judge_status(j);
    return status;
}

/* ---- what came ---- */

static toad_status read_text(journey *j, toad_str body, toad__page *page, toad__refusal *why) {
    const char *binary = body.n ? toad__sniff_binary(body) : NULL;
    if (j->o->is_file && body.n && j->o->is_file(page->url.text, body)) {
        page->type = binary && !strcmp(binary, "PDF") ? TOAD__PAGE_PDF : TOAD__PAGE_FILES;
        page->charset = "binary";
        toad__buf_add_str(&page->text, body);
        return page->text.status;
    }
    toad_status status =
        binary ? TOAD_OK : toad__page_utf8(body, page->label, &page->text, &page->charset, &page->replaced);
    if (status) return status;
    page->type = binary ? TOAD__PAGE_BINARY : toad__sniff_text(toad__buf_str(&page->text), page->label);
    if (page->type != TOAD__PAGE_BINARY) return TOAD_OK;
    *why = TOAD__REFUSED_BINARY;
    snprintf(j->detail, TOAD__FETCH_DETAIL, "%s", binary ? binary : "control characters");
    return TOAD_OK;
}

static toad_status read_body(journey *j, toad__page *page, toad__refusal *why) {
    toad__transfer *t = &j->transfer;
    toad__buf unpacked;
    toad_str body = toad__buf_str(&t->body), coding = toad__transfer_field(t, TOAD__FIELD_CODING);
    page->label = toad__arena_dup(j->arena, toad__transfer_field(t, TOAD__FIELD_TYPE));
    page->charset = "UTF-8";
    if (!page->label.p) return TOAD_E_NOMEM;
    if (page->unchanged) return TOAD_OK;
    if (j->o->robots_txt && coding.n) return *why = TOAD__REFUSED_ENCODING, TOAD_OK;
    if (j->o->robots_txt) return toad__page_utf8(body, TOAD__S(""), &page->text, &page->charset, &page->replaced);
    if (!coding.n) return read_text(j, body, page, why);
    toad__buf_init(&unpacked, t->max_bytes);
    toad_status status = toad__unpack(body, coding, j->o->max_ratio ? j->o->max_ratio : RATIO, &unpacked, why);
    if (!status && !*why) status = read_text(j, toad__buf_str(&unpacked), page, why);
    toad__buf_free(&unpacked);
    return status;
}

/* A page of another status may not be taken for the page later. */
static toad__caching caching_of(const journey *j) {
    toad__caching c = j->caching;
    unsigned status = j->transfer.status;
    c.no_store |= status != 200 && status != 203 && status != 304;
    return c;
}

static toad_status arrive(journey *j, toad__page *ret, toad__refusal *why) {
    toad__page page = { .url = j->seen[j->hops - 1],
                        .address = j->transfer.peer,
                        .status = j->transfer.status,
                        .redirects = (unsigned)j->hops - 1,
                        .wire_bytes = j->transfer.wire_bytes,
                        .named = j->named,
                        .unchanged = j->transfer.status == 304,
                        .caching = caching_of(j),
                        .retry_after = -1 };
    toad__buf_init(&page.text, 4 * j->transfer.max_bytes + 65536);
    toad_status status = read_body(j, &page, why);
    if (status || *why)
        toad__page_free(&page);
    else
        *ret = page;
    return status;
}

static void set_limits(const toad__fetch_options *o, toad__transfer *t) {
    if (o->max_bytes) t->max_bytes = o->max_bytes;
    if (o->max_header_bytes) t->max_header_bytes = o->max_header_bytes;
    t->plain = o->robots_txt;
    if (o->robots_txt) t->max_bytes = TOAD__ROBOTS_MAX;
}

toad_status toad__fetch(const toad__fetch_options *o, toad_str url, toad__arena *arena, toad__page *ret,
                        toad__refusal *ret_why, char detail[TOAD__FETCH_DETAIL]) {
    journey j = { .o = o,
                  .arena = arena,
                  .trusted = true,
                  .detail = detail,
                  .deadline = toad__now_ms() + (o->timeout_ms ? o->timeout_ms : TIMEOUT_MS) };
    toad__refusal why = TOAD__ALLOWED;
    detail[0] = 0;
    if (o->request) j.onward.accept = o->request->accept;
    toad__transfer_init(&j.transfer, o->user_agent ? o->user_agent : AGENT, o->ca_file);
    set_limits(o, &j.transfer);
    toad_status status = travel(&j, url, &why);
    if (!status && !why) status = arrive(&j, ret, &why);
    if (!status && why) *ret = (toad__page){ .status = j.transfer.status, .retry_after = retry_after(&j.transfer) };
    toad__transfer_free(&j.transfer);
    if (!status) *ret_why = why;
    return status;
}
