/* Saved feeds of each format (tests/net/feed), and what is none. */
#include "lib/base/buf.h"
#include "lib/base/str.h"
#include "net/feed.h"
#include "tests/check.h"
#include "tests/support/exact.h"

#include <stdio.h>

enum { MOST = 16 };

typedef struct reading {
    toad__arena arena;
    toad__headline list[MOST];
    size_t n;
    toad__feed_format format;
    char *text;
} reading;

static reading read_text(const char *text, size_t size) {
    reading r = { .text = exact_dup(text, size) };
    toad__arena_init(&r.arena, (size_t)256 << 20);
    assert_int_equal(toad__feed_read(toad__str(r.text, size), &r.arena, r.list, MOST, &r.n, &r.format), TOAD_OK);
    return r;
}

static reading read_file(const char *name) {
    static char page[1 << 16];
    char path[512];
    snprintf(path, sizeof path, "%s/tests/net/feed/%s", TOAD_ROOT, name);
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    size_t n = fread(page, 1, sizeof page, f);
    fclose(f);
    return read_text(page, n);
}

static void done(reading *r) {
    toad__arena_free(&r->arena);
    free(r->text);
}

static void is(toad_str got, const char *want) {
    char copy[1024] = "";
    assert_true(got.n < sizeof copy);
    if (got.n) memcpy(copy, got.p, got.n);
    assert_string_equal(copy, want);
}

/* The headlines with '|' between, and the URLs. */
static void gives(reading r, toad__feed_format format, const char *texts, const char *urls) {
    toad__buf a, b;
    toad__buf_init(&a, 1u << 16);
    toad__buf_init(&b, 1u << 16);
    for (size_t i = 0; i < r.n; i++) {
        if (i) toad__buf_add_c(&a, '|');
        if (i) toad__buf_add_c(&b, '|');
        toad__buf_add_str(&a, r.list[i].text);
        toad__buf_add_str(&b, r.list[i].url);
    }
    is(toad__buf_str(&a), texts);
    is(toad__buf_str(&b), urls);
    assert_int_equal(r.format, format);
    toad__buf_free(&a);
    toad__buf_free(&b);
    done(&r);
}

static void saved_feeds(void **state) {
    (void)state;
    gives(read_file("rss2.xml"), TOAD__FEED_RSS, "First headline of the day|Tea & coffee|AT&T, 5 < 6 <ok>|Only a text",
          "https://news.example/1|https://news.example/2||https://news.example/4");
    gives(read_file("rss091.xml"), TOAD__FEED_RSS, "A headline\xc2\xa0of old|",
          "http://old.example/1|http://old.example/2");
    gives(read_file("rss1.rdf"), TOAD__FEED_RDF, "A headline of RDF", "http://rdf.example/1");
    gives(read_file("atom.xml"), TOAD__FEED_ATOM, "Plain <b> & text|HTML bold & more|XHTML title <3|Only a summary",
          "https://atom.example/1?a=1&b=2|https://atom.example/2|https://atom.example/3|");
    gives(read_file("feed.json"), TOAD__FEED_JSON, "A headline of JSON|Only a text|Only HTML",
          "https://json.example/1|https://else.example/2|");
    gives(read_file("entities.xml"), TOAD__FEED_DECLARES, "", "");
}

static void from(const char *text, toad__feed_format format, const char *texts) {
    reading r = read_text(text, strlen(text));
    for (size_t i = 0; i < r.n; i++) r.list[i].url = toad__str(NULL, 0);
    char bars[MOST] = "";
    for (size_t i = 1; i < r.n; i++) bars[i - 1] = '|';
    gives(r, format, texts, bars);
}

static void what_is_no_feed(void **state) {
    (void)state;
    from("", TOAD__FEED_NONE, "");
    from("<!doctype html><html><title>x</title></html>", TOAD__FEED_NONE, "");
    from("{\"version\":\"1\",\"items\":[{\"title\":\"x\"}]}", TOAD__FEED_NONE, "");
    from("{\"version\":\"https://jsonfeed.org/version/1\",\"items\":7}", TOAD__FEED_JSON, "");
    from("no feed", TOAD__FEED_NONE, "");
    from("<opml><item><title>x</title></item></opml>", TOAD__FEED_NONE, "");
}

static void odd_feeds(void **state) {
    (void)state;
    from("\xef\xbb\xbf \n<rss><channel><item><title>a</title></item></channel></rss>", TOAD__FEED_RSS, "a");
    from("<rss><channel><item><title>a<!-- x -->b</title><title>c</title></item></channel></rss>", TOAD__FEED_RSS,
         "ab");
    from("<rss><channel><item><title>a<b>c</b> &lt;i>d</title></item></channel></rss>", TOAD__FEED_RSS, "ac d");
    from("<rss><channel><item><title>a</title><item><title>b</title></channel>", TOAD__FEED_RSS, "a|b");
    from("<rss><channel><item><title>never</rss>", TOAD__FEED_RSS, "never");
    from("<rss><channel><item><x:title>no</x:title></item></channel></rss>", TOAD__FEED_RSS, "");
    from("<a:feed><a:entry><title>no</title><a:title>yes</a:title></a:entry></a:feed>", TOAD__FEED_ATOM, "yes");
    from("<feed><entry><title type='html'>a&lt;span style=\"display:none\">hidden&lt;/span></title></entry></feed>",
         TOAD__FEED_ATOM, "a");
    from("<rss><channel><item/><item></item></channel></rss>", TOAD__FEED_RSS, "");
    from("<rss><channel><item><title>&undefined; &#x41;</title></item></channel></rss>", TOAD__FEED_RSS,
         "&undefined; A");
}

static void hostile_feeds_end(void **state) {
    (void)state;
    const char *const pieces[] = { "<item>",    "<title>", "<item><title>", "<rss>", "<item><x>",
                                   "<![CDATA[", "&#",      "<item><link/>" };
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
        toad__buf feed;
        toad__buf_init(&feed, 16u << 20);
        toad__buf_add_z(&feed, "<rss><channel>");
        while (feed.n < 1u << 20) toad__buf_add_z(&feed, pieces[i]);
        reading r = read_text(feed.p, feed.n);
        assert_true(r.n <= MOST);
        done(&r);
        toad__buf_free(&feed);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = { cmocka_unit_test(saved_feeds), cmocka_unit_test(what_is_no_feed),
                                        cmocka_unit_test(odd_feeds), cmocka_unit_test(hostile_feeds_end) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
