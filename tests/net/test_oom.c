/* test_oom.c - the parsers of net/ under an allocation that fails: the first, the second, ... until none does. Each
 * must say BZR_E_NOMEM, leave its outputs untouched and leak nothing (LeakSanitizer watches in the sanitizer build). */
#include "lib/base/str.h"
#include "net/feed.h"
#include "net/fetch.h"
#include "net/search.h"
#include "net/unpack.h"
#include "tests/support/fail_alloc.h"

#include <stdio.h>
#include <stdlib.h>

static bzr_status parse(const char *text, const bzr__url *base, bzr__arena *arena, bzr__url *ret) {
    bzr__refusal why = BZR__ALLOWED;
    bzr__url before = *ret;
    bzr_status status = bzr__url_parse(bzr__str_z(text), base, arena, ret, &why);
    if (status && memcmp(&before, ret, sizeof before) != 0) abort();
    if (!status && why) abort();
    return status;
}

static bzr_status try_url(void) {
    bzr__arena arena;
    bzr__url base, url;
    memset(&base, 0, sizeof base);
    memset(&url, 0, sizeof url);
    bzr__arena_init(&arena, 1u << 20);
    bzr_status status = parse("https://b\xc3\xbc"
                              "cher.com:8443/a/../b?c d#e",
                              NULL, &arena, &base);
    if (!status) status = parse("../x/./y?\xe9", &base, &arena, &url);
    if (!status) status = parse("//[2606:4700::1]/", &base, &arena, &url);
    bzr__arena_free(&arena);
    return status;
}

static bzr_status try_charset(void) {
    bzr__buf out;
    const char *charset = NULL;
    uint64_t replaced;
    bzr__buf_init(&out, 1u << 20);
    bzr_status status =
        bzr__page_utf8(BZR__S("\x93\xfa\x96{"), BZR__S("text/html; charset=shift_jis"), &out, &charset, &replaced);
    bzr__buf_free(&out);
    return status;
}

static bzr_status try_unpack(void) {
    static const char stream[] = "\x1f\x8b\x08\0\0\0\0\0\0\3\x4b\x4c\x4a\6\0\xc2\x41\x24\x35\3\0\0\0"; /* "abc" */
    bzr__buf out;
    bzr__refusal why = BZR__ALLOWED;
    bzr__buf_init(&out, 1u << 20);
    bzr_status status = bzr__unpack(bzr__str(stream, sizeof stream - 1), BZR__S("gzip"), 100, &out, &why);
    if (!status && (why || !bzr__str_eq(bzr__buf_str(&out), BZR__S("abc")))) abort();
    bzr__buf_free(&out);
    return status;
}

static bzr_status try_search(void) {
    static const char *const answers[] = {
        "<div class=result><a class=result__a href='//duckduckgo.com/l/?uddg=https%3A%2F%2Fa.example%2F'>a <b>b</b></a><a class=result__snippet>c</a></div>",
        "{\"results\":[{\"url\":\"https://a.example/\",\"title\":\"a\\n\",\"content\":\"b\"}]}",
        "{\"type\":\"search\",\"web\":{\"results\":[{\"url\":\"https://a.example/\",\"title\":\"a &amp;\",\"description\":\"b\"}]}}",
        "{\"results\":[{\"url\":\"https://a.example/\",\"title\":\"a\",\"content\":\"b\"}]}",
    };
    bzr_status status = BZR_OK;
    for (size_t i = 0; i < 4 && !status; i++) {
        bzr__arena arena;
        bzr__search_hit hits[2];
        bzr__search_answer answer;
        bzr__search_query q = { .text = BZR__S("a b"), .count = 2, .endpoint = BZR__S("http://a.example/"), .key = BZR__S("key") };
        bzr__http_request request;
        bzr_str url;
        size_t n = 7;
        const bzr__search_provider *p = bzr__search_provider_at(i);
        bzr__arena_init(&arena, 1u << 20);
        status = bzr__search_ask(p, &q, &arena, &url, &request);
        if (!status) status = bzr__search_read(p, bzr__str_z(answers[i]), &arena, hits, 2, &n, &answer);
        if (status ? n != 7 : n != 1) abort();
        bzr__arena_free(&arena);
    }
    return status;
}

static bzr_status try_feed(void) {
    static const char *const feeds[] = {
        "<rss><channel><item><title>a &amp;lt; <![CDATA[<b>]]></title><link>x</link></item></channel></rss>",
        "{\"version\":\"https://jsonfeed.org/version/1\",\"items\":[{\"content_html\":\"<p>a\\n</p>\"}]}",
    };
    bzr_status status = BZR_OK;
    for (size_t i = 0; i < 2 && !status; i++) {
        bzr__arena arena;
        bzr__headline list[2];
        bzr__feed_format format;
        size_t n = 7;
        bzr__arena_init(&arena, 1u << 20);
        status = bzr__feed_read(bzr__str_z(feeds[i]), &arena, list, 2, &n, &format);
        if (status ? n != 7 : n != 1) abort();
        bzr__arena_free(&arena);
    }
    return status;
}

static int run(const char *name, bzr_status (*one)(void)) {
    for (long n = 0;; n++) {
        unsigned long before = failures;
        countdown = n;
        bzr_status status = one();
        countdown = -1;
        if (failures == before) {
            printf("%s: %ld allocations\n", name, n);
            return status != BZR_OK;
        }
        if (status == BZR_E_NOMEM) continue;
        printf("%s: allocation %ld failed and the status is %d\n", name, n, (int)status);
        return 1;
    }
}

int main(void) {
    return run("url", try_url) | run("charset", try_charset) | run("unpack", try_unpack) | run("search", try_search) |
           run("feed", try_feed);
}
