/* web.c - see web.h. */
#include "app/web/web.h"

#include "app/web/sight.h"
#include "app/web/web_again.h"
#include "app/web/web_permit.h"
#include "lib/base/json.h"
#include "lib/base/str.h"

#include <stdio.h>
#include <stdlib.h>

#define GAP INT64_C(1000000) /* microseconds: fetch.gap as built in */

enum { CHECK_MEMORY = 1 << 20, FACTS_MAX = 1 << 16, PORTS_MAX = 256 };

size_t bzr__web_ports(const bzr__config *config, uint16_t *ports, size_t n, size_t max) {
    const char *const *configured = NULL;
    size_t more = config ? bzr__config_list(config, BZR__CONFIG_FETCH_PORTS, &configured) : 0;
    for (size_t i = 0; i < more && n < max; i++) ports[n++] = (uint16_t)strtoul(configured[i], NULL, 10);
    return n;
}

bzr_status bzr__web_check(const bzr__fetch_options *options, bzr_str url, bool resolve, bool *ret_allowed,
                          bzr__refusal *ret_why) {
    bzr__arena arena;
    bzr__url read;
    bzr__addresses addresses;
    bzr__refusal why = BZR__ALLOWED;
    bzr__arena_init(&arena, CHECK_MEMORY);
    bzr_status status = bzr__fetch_judge(options, url, NULL, resolve, &arena, &read, &addresses, &why);
    bzr__arena_free(&arena);
    if (status) return status;
    *ret_allowed = !why || (!resolve && why == BZR__REFUSED_DOCUMENTATION);
    *ret_why = why;
    return BZR_OK;
}

/* ---- fetch ---- */

bzr_status bzr__web_refused(bzr__host *host, bzr_str direction, bzr_str url, const char *code) {
    bzr__event event = { .type = BZR__S("fetch_refused"),
                         .direction = direction,
                         .channel = BZR__S("web"),
                         .content = bzr__str_z(code),
                         .action = BZR__S("block"),
                         .url = url,
                         .session_id = host->session };
    bzr_status status = BZR_E_IO; /* host->message says why there is no store */
    if (host->store) status = bzr__host_store_failed(host, bzr__store_events_append(host->store, &event, 1));
    return bzr__host_on_store_error(host, status, false, &event);
}

/* The refusal is an answer and an event. `detail` may hold what strangers wrote; `retry_at` is when to come again, or
 * 0.
 */
static bzr_status refuse(bzr__host *host, bzr_str url, bzr__refusal why, const char *detail, int64_t retry_at,
                         bzr__buf *answer) {
    char error[2 * BZR__FETCH_DETAIL];
    snprintf(error, sizeof error, *detail ? "not fetched: %s (%s)" : "not fetched: %s", bzr__refusal_text(why), detail);
    bzr__buf_add_c(answer, '{');
    bzr__answer_bool(answer, "success", false);
    bzr__answer_z(answer, "error", error);
    bzr__answer_z(answer, "reason", bzr__refusal_code(why));
    bzr__answer_str(answer, "url", url);
    if (retry_at) bzr__answer_time(answer, "retry_at", retry_at);
    bzr__buf_add_c(answer, '}');
    return bzr__web_refused(host, BZR__S("outbound"), url, bzr__refusal_code(why));
}

/* What came cannot be read: `why` is ours. */
static bzr_status unreadable(bzr__host *host, const bzr__page *page, const char *why, bzr__buf *answer) {
    bzr__buf_add_c(answer, '{');
    bzr__answer_bool(answer, "success", false);
    bzr__answer_z(answer, "error", why);
    bzr__answer_z(answer, "reason", "unreadable");
    bzr__answer_str(answer, "url", page->url.text);
    bzr__answer_z(answer, "type", bzr__page_type_name(page->type));
    bzr__buf_add_c(answer, '}');
    return bzr__web_refused(host, BZR__S("inbound"), page->url.text, "unreadable");
}

/* What is told of the page beside its content, as a JSON object. */
static void add_facts(const bzr__page *page, const bzr__sight *sight, bzr__buf *facts) {
    bzr__buf_add_c(facts, '{');
    bzr__answer_int(facts, "status", page->status);
    bzr__answer_int(facts, "redirects", page->redirects);
    bzr__answer_z(facts, "type", bzr__page_type_name(page->type));
    bzr__answer_z(facts, "charset", page->charset);
    bzr__answer_bool(facts, "sandboxed", page->sandboxed);
    bzr__json_add_key(facts, "hidden");
    bzr__buf_add_c(facts, '[');
    for (size_t i = 0; i < sight->reasons_n; i++) bzr__answer_z(facts, NULL, sight->reasons[i]);
    bzr__buf_add_z(facts, "]}");
}

static bzr_status store_page(bzr__host *host, const bzr__page *page, bzr_str requested, const bzr__sight *sight,
                             bzr_str facts, bzr__fetched_style style, bzr__buf *answer) {
    bzr__stored_page row;
    bool again = bzr__web_again_keep(host, page, requested, facts, &row);
    bzr__content_in in = { .source = page->url.text,
                           .body = sight->visible,
                           .kind = BZR_KIND_WEB,
                           .style = style,
                           .page = again ? &row : NULL,
                           .as_came = sight->came,
                           .title = sight->title };
    bzr_status status = bzr__contents_store(host, &in, answer);
    if (!status) bzr__web_again_members(requested, facts, NULL, again ? &row : NULL, answer);
    return status;
}

static bzr_status keep_page(bzr__host *host, const bzr__page *page, bzr_str requested, bzr__fetched_style style,
                            bzr__buf *answer) {
    bzr__sight sight;
    bzr__buf facts;
    const char *why;
    bzr__buf_init(&facts, FACTS_MAX);
    bzr_status status = bzr__sight_of(page->type, page->text.n ? bzr__buf_str(&page->text) : BZR__S(""), &sight, &why);
    if (!status && !why) add_facts(page, &sight, &facts);
    if (!status) status = facts.status;
    if (status)
        status = bzr__host_fail(host, status, "the page could not be read: %s", bzr_status_message(status));
    else if (why)
        status = unreadable(host, page, why, answer);
    else
        status = store_page(host, page, requested, &sight, bzr__buf_str(&facts), style, answer);
    bzr__sight_free(&sight);
    bzr__buf_free(&facts);
    return status;
}

/* ---- the whole ---- */

bzr__web_options bzr__web_defaults(void) { return (bzr__web_options){ .net = bzr__fetch_defaults() }; }

static bzr_status fetch_page(bzr__host *host, bzr__fetch_options *net, bool robots, bzr_str url, bzr__web_again *again,
                             bzr__fetched_style style, bzr__buf *answer) {
    bzr__page page;
    bzr__refusal why = BZR__ALLOWED;
    char detail[BZR__FETCH_DETAIL];
    bzr__web_permit permit = { .host = host,
                               .net = net,
                               .robots = robots,
                               .gap = host->config ? bzr__config_number(host->config, BZR__CONFIG_FETCH_GAP) : GAP };
    net->permit = bzr__web_permit_ask;
    net->permit_ctx = &permit;
    net->known = again->known ? &again->ask : NULL;
    bzr_status status = bzr__fetch_isolated(net, url, &host->arena, &page, &why, detail);
    if (status) return bzr__host_fail(host, status, "%s", *detail ? detail : bzr_status_message(status));
    if (why == BZR__REFUSED_BUSY && page.retry_after >= 0) bzr__web_permit_hold(&permit, page.retry_after);
    if (why) return refuse(host, url, why, detail, permit.retry_at, answer);
    status = page.unchanged ? bzr__web_again_answer(host, again, &page, style, answer)
                            : keep_page(host, &page, url, style, answer);
    bzr__page_free(&page);
    return status;
}

bzr_status bzr__web_fetch(bzr__host *host, const bzr__web_options *options, bzr_str url, bzr__fetched_style style,
                          bzr__buf *answer) {
    bzr__fetch_options net = options->net;
    bool model = host->by == BZR__READER_MODEL;
    net.pdf = true;
    bzr__web_again again = { .known = false };
    uint16_t ports[PORTS_MAX];
    size_t n = 0;
    if (model) net.guard = (bzr__guard){ 0 };
    for (; n < net.guard.ports_n && n < PORTS_MAX; n++) ports[n] = net.guard.ports[n];
    net.guard.ports_n = bzr__web_ports(host->config, ports, n, PORTS_MAX);
    net.guard.ports = ports;
    bzr_status status = host->store && !options->fresh ? bzr__web_again_find(host, &net, url, &again) : BZR_OK;
    if (status) return bzr__host_fail(host, status, "%s", bzr_status_message(status));
    if (again.known && again.fresh) return bzr__web_again_answer(host, &again, NULL, style, answer);
    return fetch_page(host, &net, options->robots || model, url, &again, style, answer);
}
