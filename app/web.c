/* web.c - see web.h. */
#include "app/web.h"

#include "bezoar/html.h"
#include "lib/base/json.h"
#include "lib/base/str.h"

#include <stdio.h>

enum { CHECK_MEMORY = 1 << 20, REASONS_SHOWN = 32 };

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

/* The refusal is an answer and an event. `detail` may hold what strangers wrote. */
static bzr_status refuse(bzr__host *host, bzr_str url, bzr__refusal why, const char *detail, bzr__buf *answer) {
    bzr__event event = { .type = BZR__S("fetch_refused"),
                         .direction = BZR__S("outbound"),
                         .channel = BZR__S("web"),
                         .content = bzr__str_z(bzr__refusal_code(why)),
                         .action = BZR__S("block"),
                         .url = url,
                         .session_id = host->session };
    char error[2 * BZR__FETCH_DETAIL];
    snprintf(error, sizeof error, *detail ? "not fetched: %s (%s)" : "not fetched: %s", bzr__refusal_text(why), detail);
    bzr__buf_add_c(answer, '{');
    bzr__answer_bool(answer, "success", false);
    bzr__answer_z(answer, "error", error);
    bzr__answer_z(answer, "reason", bzr__refusal_code(why));
    bzr__answer_str(answer, "url", url);
    bzr__buf_add_c(answer, '}');
    bzr_status status = BZR_E_IO; /* host->message says why there is no store */
    if (host->store) status = bzr__host_store_failed(host, bzr__store_events_append(host->store, &event, 1));
    return bzr__host_on_store_error(host, status, false, &event);
}

/* Each reason for hiding once, in the order of the page. */
static void add_hidden(const bzr_extracted *e, bool comments, bzr__buf *answer) {
    const char *seen[REASONS_SHOWN];
    size_t n = 0;
    bzr__json_add_key(answer, "hidden");
    bzr__buf_add_c(answer, '[');
    if (comments) bzr__answer_z(answer, NULL, seen[n++] = "html:hidden(comment)");
    for (size_t i = 0; e && i < bzr_extracted_hidden_count(e) && n < REASONS_SHOWN; i++) {
        const char *reason = bzr_extracted_hidden(e, i).reason;
        bool again = false;
        for (size_t k = 0; k < n; k++) again |= !strcmp(seen[k], reason);
        if (again) continue;
        seen[n++] = reason;
        bzr__answer_z(answer, NULL, reason);
    }
    bzr__buf_add_c(answer, ']');
}

/* More members for the object that was just closed. */
static void add_page(const bzr__page *page, const bzr_extracted *e, bool comments, bzr_str requested,
                     bzr__buf *answer) {
    if (!answer->n || answer->status) return;
    answer->n--;
    bzr__answer_str(answer, "requested", requested);
    bzr__answer_int(answer, "status", page->status);
    bzr__answer_int(answer, "redirects", page->redirects);
    bzr__answer_z(answer, "type", bzr__page_type_name(page->type));
    bzr__answer_z(answer, "charset", page->charset);
    bzr__answer_bool(answer, "sandboxed", page->sandboxed);
    add_hidden(e, comments, answer);
    bzr__buf_add_c(answer, '}');
}

/* Does a line of a fence of code begin here, after at most three blanks? */
static bool is_fence(bzr_str s, size_t at) {
    size_t end = at;
    while (end < s.n && end - at < 3 && s.p[end] == ' ') end++;
    bzr_str mark = bzr__str_part(s, end, end + 3);
    return bzr__str_eq(mark, BZR__S("```")) || bzr__str_eq(mark, BZR__S("~~~"));
}

/* Markdown goes to the reader as Markdown, without the HTML comments that no renderer shows; in fences of code
 * everything is shown. A comment without end hides the rest. True if there was one. */
static bool add_without_comments(bzr_str s, bzr__buf *out) {
    bool fenced = false, found = false;
    for (size_t at = 0; at < s.n;) {
        size_t line = bzr__str_find(s, BZR__S("\n"), at), end = line < s.n ? line + 1 : s.n;
        if (is_fence(s, at)) fenced = !fenced;
        bzr_str rest = bzr__str_part(s, at, end);
        size_t open = fenced ? rest.n : bzr__str_find(rest, BZR__S("<!--"), 0);
        bzr__buf_add(out, rest.p, open);
        at += open;
        if (open == rest.n) continue;
        size_t close = bzr__str_find(s, BZR__S("-->"), at);
        found = true;
        at = close < s.n ? close + 3 : s.n;
    }
    return found;
}

/* What a person sees of the page, in `out` or `e`; both are the caller's. */
static bzr_status see(const bzr__page *page, bzr_str all, bzr__buf *out, bzr_extracted **e, bzr_str *ret,
                      bool *comments) {
    bzr_extract_options how = BZR_EXTRACT_OPTIONS_INIT;
    *ret = all;
    *comments = false;
    if (page->type != BZR__PAGE_HTML && page->type != BZR__PAGE_MARKDOWN) return BZR_OK;
    how.format = page->type == BZR__PAGE_HTML ? BZR_FORMAT_HTML : BZR_FORMAT_MARKDOWN;
    bzr_status status = bzr_extract(all, &how, e);
    if (status) return status;
    *ret = bzr_extracted_visible(*e);
    if (page->type == BZR__PAGE_HTML) return BZR_OK;
    *comments = add_without_comments(all, out);
    *ret = bzr__buf_str(out);
    return out->status;
}

static bzr_status keep_page(bzr__host *host, const bzr__page *page, bzr_str requested, bzr__fetched_style style,
                            bzr__buf *answer) {
    bzr_extracted *e = NULL;
    bzr__buf markdown;
    bool comments;
    bzr_str all = page->text.n ? bzr__buf_str(&page->text) : BZR__S(""), visible;
    bzr__buf_init(&markdown, all.n);
    bzr_status status = see(page, all, &markdown, &e, &visible, &comments);
    if (status) {
        status = bzr__host_fail(host, status, "the page could not be read: %s", bzr_status_message(status));
    } else {
        bzr__content_in in = { page->url.text, visible.n ? visible : BZR__S(""), BZR_KIND_WEB, style, all };
        status = bzr__contents_store(host, &in, answer);
        if (!status) add_page(page, e, comments, requested, answer);
    }
    bzr_extracted_free(e);
    bzr__buf_free(&markdown);
    return status;
}

bzr_status bzr__web_fetch(bzr__host *host, const bzr__fetch_options *options, bzr_str url, bzr__fetched_style style,
                          bzr__buf *answer) {
    bzr__page page;
    bzr__refusal why = BZR__ALLOWED;
    char detail[BZR__FETCH_DETAIL];
    bzr_status status = bzr__fetch_isolated(options, url, &host->arena, &page, &why, detail);
    if (status) return bzr__host_fail(host, status, "%s", *detail ? detail : bzr_status_message(status));
    if (why) return refuse(host, url, why, detail, answer);
    status = keep_page(host, &page, url, style, answer);
    bzr__page_free(&page);
    return status;
}
