/* test_oom.c - the parsers of net/ under an allocation that fails: the first, the second, ... until none does. Each
 * must say TOAD_E_NOMEM, leave its outputs untouched and leak nothing (LeakSanitizer watches in the sanitizer build).
 */
#include "lib/base/str.h"
#include "net/feed.h"
#include "net/fetch.h"
#include "net/search.h"
#include "net/unpack.h"
#include "tests/support/fail_alloc.h"

#include <stdio.h>
#include <stdlib.h>

static toad_status parse(const char *text, const toad__url *base, toad__arena *arena, toad__url *ret) {
    toad__refusal why = TOAD__ALLOWED;
    toad__url before = *ret;
    toad_status status = toad__url_parse(toad__str_z(text), base, arena, ret, &why);
    if (status && memcmp(&before, ret, sizeof before) != 0) abort();
    if (!status && why) abort();
    return status;
}

static toad_status try_url(void) {
    toad__arena arena;
    toad__url base, url;
    memset(&base, 0, sizeof base);
    memset(&url, 0, sizeof url);
    toad__arena_init(&arena, 1u << 20);
    toad_status status = parse("https://b\xc3\xbc"
                               "cher.com:8443/a/../b?c d#e",
                               NULL, &arena, &base);
    if (!status) status = parse("../x/./y?\xe9", &base, &arena, &url);
    if (!status) status = parse("//[2606:4700::1]/", &base, &arena, &url);
    toad__arena_free(&arena);
    return status;
}

static toad_status try_charset(void) {
    toad__buf out;
    const char *charset = NULL;
    uint64_t replaced;
    toad__buf_init(&out, 1u << 20);
    toad_status status =
        toad__page_utf8(TOAD__S("\x93\xfa\x96{"), TOAD__S("text/html; charset=shift_jis"), &out, &charset, &replaced);
    toad__buf_free(&out);
    return status;
}

static toad_status try_unpack(void) {
    static const char stream[] = "\x1f\x8b\x08\0\0\0\0\0\0\3\x4b\x4c\x4a\6\0\xc2\x41\x24\x35\3\0\0\0"; /* "abc" */
    toad__buf out;
    toad__refusal why = TOAD__ALLOWED;
    toad__buf_init(&out, 1u << 20);
    toad_status status = toad__unpack(toad__str(stream, sizeof stream - 1), TOAD__S("gzip"), 100, &out, &why);
    if (!status && (why || !toad__str_eq(toad__buf_str(&out), TOAD__S("abc")))) abort();
    toad__buf_free(&out);
    return status;
}

static toad_status try_search(void) {
    static const char *const answers[] = {
        "<div class=result><a class=result__a href='//duckduckgo.com/l/?uddg=https%3A%2F%2Fa.example%2F'>a "
        "<b>b</b></a><a class=result__snippet>c</a></div>",
        "{\"results\":[{\"url\":\"https://a.example/\",\"title\":\"a\\n\",\"content\":\"b\"}]}",
        "{\"type\":\"search\",\"web\":{\"results\":[{\"url\":\"https://a.example/\",\"title\":\"a "
        "&amp;\",\"description\":\"b\"}]}}",
        "{\"results\":[{\"url\":\"https://a.example/\",\"title\":\"a\",\"content\":\"b\"}]}",
    };
    toad_status status = TOAD_OK;
    for (size_t i = 0; i < 4 && !status; i++) {
        toad__arena arena;
        toad__search_hit hits[2];
        toad__search_answer answer;
        toad__search_query q = {
            .text = TOAD__S("a b"), .count = 2, .endpoint = TOAD__S("http://a.example/"), .key = TOAD__S("key")
        };
        toad__http_request request;
        toad_str url;
        size_t n = 7;
        const toad__search_provider *p = toad__search_provider_at(i);
        toad__arena_init(&arena, 1u << 20);
        status = toad__search_ask(p, &q, &arena, &url, &request);
        if (!status) status = toad__search_read(p, toad__str_z(answers[i]), &arena, hits, 2, &n, &answer);
        if (status ? n != 7 : n != 1) abort();
        toad__arena_free(&arena);
    }
    return status;
}

static toad_status try_feed(void) {
    static const char *const feeds[] = {
        "<rss><channel><item><title>a &amp;lt; <![CDATA[<b>]]></title><link>x</link></item></channel></rss>",
        "{\"version\":\"https://jsonfeed.org/version/1\",\"items\":[{\"content_html\":\"<p>a\\n</p>\"}]}",
    };
    toad_status status = TOAD_OK;
    for (size_t i = 0; i < 2 && !status; i++) {
        toad__arena arena;
        toad__headline list[2];
        toad__feed_format format;
        size_t n = 7;
        toad__arena_init(&arena, 1u << 20);
        status = toad__feed_read(toad__str_z(feeds[i]), &arena, list, 2, &n, &format);
        if (status ? n != 7 : n != 1) abort();
        toad__arena_free(&arena);
    }
    return status;
}

static int run(const char *name, toad_status (*one)(void)) {
    for (long n = 0;; n++) {
        unsigned long before = failures;
        countdown = n;
        toad_status status = one();
        countdown = -1;
        if (failures == before) {
            printf("%s: %ld allocations\n", name, n);
            return status != TOAD_OK;
        }
        if (status == TOAD_E_NOMEM) continue;
        printf("%s: allocation %ld failed and the status is %d\n", name, n, (int)status);
        return 1;
    }
}

int main(void) {
    return run("url", try_url) | run("charset", try_charset) | run("unpack", try_unpack) | run("search", try_search) |
           run("feed", try_feed);
}
