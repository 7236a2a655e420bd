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

enum { CHECK_MEMORY = 1 << 20, FACTS_MAX = 1 << 20, PORTS_MAX = 256, CLOSED_TOLD = 100 };

size_t toad__web_ports(const toad__config *config, uint16_t *ports, size_t n, size_t max) {
    const char *const *configured = NULL;
    size_t more = config ? toad__config_list(config, TOAD__CONFIG_FETCH_PORTS, &configured) : 0;
    for (size_t i = 0; i < more && n < max; i++) ports[n++] = (uint16_t)strtoul(configured[i], NULL, 10);
    return n;
}

toad_status toad__web_check(const toad__fetch_options *options, toad_str url, bool resolve, bool *ret_allowed,
                            toad__refusal *ret_why) {
    toad__arena arena;
    toad__url read;
    toad__addresses addresses;
    toad__refusal why = TOAD__ALLOWED;
    toad__arena_init(&arena, CHECK_MEMORY);
    toad_status status = toad__fetch_judge(options, url, NULL, resolve, &arena, &read, &addresses, &why);
    toad__arena_free(&arena);
    if (status) return status;
    *ret_allowed = !why || (!resolve && why == TOAD__REFUSED_DOCUMENTATION);
    *ret_why = why;
    return TOAD_OK;
}

/* ---- fetch ---- */

toad_status toad__web_refused(toad__host *host, toad_str direction, toad_str url, const char *code) {
    toad__event event = { .type = TOAD__S("fetch_refused"),
                          .direction = direction,
                          .channel = TOAD__S("web"),
                          .content = toad__str_z(code),
                          .action = TOAD__S("block"),
                          .url = url,
                          .session_id = host->session };
    toad_status status = TOAD_E_IO; /* host->message says why there is no store */
    if (host->store) status = toad__host_store_failed(host, toad__store_events_append(host->store, &event, 1));
    return toad__host_on_store_error(host, status, false, &event);
}

/* The refusal is an answer and an event. `detail` may hold what strangers wrote; `retry_at` is when to come again, or
 * 0.
 */
static toad_status refuse(toad__host *host, toad_str url, toad__refusal why, const char *detail, int64_t retry_at,
                          toad__answer *answer) {
    char error[2 * TOAD__FETCH_DETAIL];
    snprintf(error, sizeof error, *detail ? "not fetched: %s (%s)" : "not fetched: %s", toad__refusal_text(why),
             detail);
    toad__answer_bool(answer, "success", false);
    toad__answer_z(answer, "error", error);
    toad__answer_z(answer, "reason", toad__refusal_code(why));
    toad__answer_str(answer, "url", url);
    if (retry_at) toad__answer_time(answer, "retry_at", retry_at);
    return toad__web_refused(host, TOAD__S("outbound"), url, toad__refusal_code(why));
}

/* What came cannot be read: `why` is ours. */
static toad_status unreadable(toad__host *host, const toad__page *page, const char *why, toad__answer *answer) {
    toad__answer_bool(answer, "success", false);
    toad__answer_z(answer, "error", why);
    toad__answer_z(answer, "reason", "unreadable");
    toad__answer_str(answer, "url", page->url.text);
    toad__answer_z(answer, "type", toad__page_type_name(page->type));
    return toad__web_refused(host, TOAD__S("inbound"), page->url.text, "unreadable");
}

/* What of a file was not opened, and why. */
static void add_closed(const toad__sight *sight, toad__answer *facts) {
    size_t told = 0;
    toad__answer_array(facts, "closed");
    for (size_t i = 0; i < sight->parts.n && told < CLOSED_TOLD; i++) {
        const toad__part *part = &sight->parts.rows[i];
        if (!part->closed) continue;
        told++;
        toad__answer_object(facts, NULL);
        toad__answer_str(facts, "part", part->name);
        toad__answer_z(facts, "why", part->closed);
        toad__answer_end(facts);
    }
    toad__answer_end(facts);
}

/* What is told of the page beside its content. */
static void add_facts(const toad__page *page, const toad__sight *sight, toad__answer *facts) {
    toad__answer_int(facts, "status", page->status);
    toad__answer_int(facts, "redirects", page->redirects);
    toad__answer_z(facts, "type", toad__page_type_name(page->type));
    toad__answer_z(facts, "charset", page->charset);
    toad__answer_bool(facts, "sandboxed", page->sandboxed);
    toad__answer_array(facts, "hidden");
    for (size_t i = 0; i < sight->reasons_n; i++) toad__answer_z(facts, NULL, sight->reasons[i]);
    toad__answer_end(facts);
    if (page->type == TOAD__PAGE_FILES) add_closed(sight, facts);
}

/* One verdict for all that is in a file, and for the names in it. */
static toad_status judge_files(toad__host *host, const toad__page *page, const toad__sight *sight, toad__merged *ret) {
    const toad__part names = { .at = { 0, page->text.n }, .text = sight->came };
    const toad_verdict *v;
    ret->verdict.bytes = page->text.n;
    for (size_t i = 0; i <= sight->parts.n; i++) {
        const toad__part *part = i ? &sight->parts.rows[i - 1] : &names;
        if (part->closed) toad__merged_worsen(ret, part->completeness);
        if (part->opened || part->binary || !part->text.n) continue;
        toad_status status = toad__host_scan(host, part->text, part->kind ? part->kind : TOAD_KIND_WEB, &v);
        if (!status) status = toad__host_failed(host, toad__merged_add(ret, part, v));
        if (status) return status;
        toad__merged_worsen(ret, toad_verdict_completeness(v));
    }
    return TOAD_OK;
}

static toad_status keep_page(toad__host *host, const toad__page *page, toad_str requested, toad__fetched_style style,
                             toad__answer *answer) {
    toad__sight sight;
    toad__answer facts;
    toad__buf json; /* of the facts, for the row of the page */
    toad__stored_page row;
    toad__merged merged;
    const char *why;
    toad__merged_init(&merged);
    toad__answer_init(&facts, TOAD__HOST_ANSWER_MAX);
    toad__buf_init(&json, FACTS_MAX);
    toad_status status = toad__sight_of(page->type, page->url.text,
                                        page->text.n ? toad__buf_str(&page->text) : TOAD__S(""), &sight, &why);
    if (!status && !why) add_facts(page, &sight, &facts);
    if (!status && !why) toad__answer_write(&facts, &json);
    if (!status) status = json.status;
    if (status) {
        toad__host_fail(host, status, "the page could not be read: %s", toad_status_message(status));
        goto out;
    }
    if (why) {
        status = unreadable(host, page, why, answer);
        goto out;
    }
    bool files = page->type == TOAD__PAGE_FILES;
    if (files) status = judge_files(host, page, &sight, &merged);
    if (status) goto out;
    bool again = toad__web_again_keep(host, page, requested, toad__buf_str(&json), &row);
    toad__content_in in = { .source = page->url.text,
                            .body = sight.visible,
                            .kind = TOAD_KIND_WEB,
                            .style = style,
                            .page = again ? &row : NULL,
                            .as_came = sight.came,
                            .verdict = files ? &merged.verdict : NULL,
                            .title = sight.title };
    status = toad__contents_store(host, &in, answer);
    if (status) goto out;
    toad__answer_str(answer, "requested", requested);
    add_facts(page, &sight, answer);
    toad__web_again_members(NULL, again ? &row : NULL, answer);
out:
    toad__merged_free(&merged);
    toad__sight_free(&sight);
    toad__answer_free(&facts);
    toad__buf_free(&json);
    return status;
}

/* ---- the whole ---- */

toad__web_options toad__web_defaults(void) { return (toad__web_options){ .net = toad__fetch_defaults() }; }

static toad_status fetch_page(toad__host *host, toad__fetch_options *net, bool robots, toad_str url,
                              toad__web_again *again, toad__fetched_style style, toad__answer *answer) {
    toad__page page;
    toad__refusal why = TOAD__ALLOWED;
    char detail[TOAD__FETCH_DETAIL];
    toad__web_permit permit = { .host = host,
                                .net = net,
                                .robots = robots,
                                .gap = host->config ? toad__config_number(host->config, TOAD__CONFIG_FETCH_GAP) : GAP };
    net->permit = toad__web_permit_ask;
    net->permit_ctx = &permit;
    net->known = again->known ? &again->ask : NULL;
    toad_status status = toad__fetch_isolated(net, url, &host->arena, &page, &why, detail);
    if (status) return toad__host_fail(host, status, "%s", *detail ? detail : toad_status_message(status));
    if (why == TOAD__REFUSED_BUSY && page.retry_after >= 0) toad__web_permit_hold(&permit, page.retry_after);
    if (why) return refuse(host, url, why, detail, permit.retry_at, answer);
    status = page.unchanged ? toad__web_again_answer(host, again, &page, style, answer)
                            : keep_page(host, &page, url, style, answer);
    toad__page_free(&page);
    return status;
}

/* security.web_content_isolation is off: what a model may read of the page takes the place of the reference to it. What
 * it may not read it gets no other way. */
static toad_status add_inline(toad__host *host, toad__fetched_style style, toad__answer *answer) {
    toad_envelope envelope = TOAD_ENVELOPE_OPENCLAW;
    toad_str id = toad__json_get_text(&answer->root, "id");
    if (!host->config || toad__config_flag(host->config, TOAD__CONFIG_ISOLATION) || !id.n ||
        toad__str_eq(toad__json_get_text(&answer->root, "scan"), TOAD__S("block")))
        return TOAD_OK;
    toad_envelope_parse(toad__str_z(toad__config_text(host->config, TOAD__CONFIG_ENVELOPE)), &envelope);
    toad__reader by = host->by;
    host->by = TOAD__READER_MODEL;
    toad_status status = toad__contents_read(host, id, style, envelope, answer);
    host->by = by;
    return status;
}

static bool is_file(toad_str url, toad_str body) { return toad__has_parts(toad__sight_name(url), body); }

static toad_status fetch(toad__host *host, const toad__web_options *options, toad_str url, toad__fetched_style style,
                         toad__answer *answer) {
    toad__fetch_options net = options->net;
    bool model = host->by == TOAD__READER_MODEL;
    net.is_file = is_file;
    toad__web_again again = { .known = false };
    uint16_t ports[PORTS_MAX];
    size_t n = 0;
    if (model) net.guard = (toad__guard){ 0 };
    for (; n < net.guard.ports_n && n < PORTS_MAX; n++) ports[n] = net.guard.ports[n];
    net.guard.ports_n = toad__web_ports(host->config, ports, n, PORTS_MAX);
    net.guard.ports = ports;
    toad_status status = host->store && !options->fresh ? toad__web_again_find(host, &net, url, &again) : TOAD_OK;
    if (status) return toad__host_failed(host, status);
    if (again.known && again.fresh) return toad__web_again_answer(host, &again, NULL, style, answer);
    return fetch_page(host, &net, options->robots || model, url, &again, style, answer);
}

toad_status toad__web_fetch(toad__host *host, const toad__web_options *options, toad_str url, toad__fetched_style style,
                            toad__answer *answer) {
    toad_status status = fetch(host, options, url, style, answer);
    return status ? status : add_inline(host, style, answer);
}
