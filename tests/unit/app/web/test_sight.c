/* Pages of every type as a person sees them; what is hidden is named, and what cannot be read is an error. */
#include "app/web/feed_page.h"
#include "app/web/sight.h"
#include "lib/base/str.h"
#include "tests/support/exact.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static void sees(bzr__page_type type, const char *page, const char *visible, const char *title, const char *reasons) {
    bzr__sight s;
    const char *why;
    bzr__buf got;
    size_t n = strlen(page);
    char *exact = exact_dup(page, n);
    bzr__buf_init(&got, 1u << 20);
    assert_int_equal(bzr__sight_of(type, bzr__str(exact, n), &s, &why), BZR_OK);
    assert_null(why);
    assert_true(s.complete);
    bzr__buf_add_str(&got, s.visible);
    bzr__buf_add_c(&got, 0);
    assert_string_equal(got.p, visible);
    bzr__buf_clear(&got);
    bzr__buf_add_str(&got, s.title);
    bzr__buf_add_c(&got, 0);
    assert_string_equal(got.p, title);
    bzr__buf_clear(&got);
    for (size_t i = 0; i < s.reasons_n; i++) {
        bzr__buf_add_z(&got, i ? " " : "");
        bzr__buf_add_z(&got, s.reasons[i]);
    }
    bzr__buf_add_c(&got, 0);
    assert_string_equal(got.p, reasons);
    assert_ptr_equal(s.came.p, exact);
    bzr__buf_free(&got);
    bzr__sight_free(&s);
    free(exact);
}

static void html(void **state) {
    (void)state;
    sees(BZR__PAGE_HTML, "<title>T</title><h1>A</h1><p>b<!-- c --><i hidden>d</i>", "# A\n\nb\n", "T",
         "html:hidden(comment) html:hidden(hidden)");
    sees(BZR__PAGE_HTML, "", "", "", "");
}

static void markdown(void **state) {
    (void)state;
    sees(BZR__PAGE_MARKDOWN, "# A b\ntext\n", "# A b\ntext\n", "A b", "");
    sees(BZR__PAGE_MARKDOWN, "a <!-- b\nc --> d <!-- e", "a  d ", "", "html:hidden(comment)");
    sees(BZR__PAGE_MARKDOWN, "[//]: # (a)\n[x]: <> (b)\n[r]: /u 't'\n [s]: /v\nz", "[r]: /u\n [s]: /v\nz", "",
         "html:hidden(comment)");
    sees(BZR__PAGE_MARKDOWN, "![a](b)![a][c] \\![d](e) ![f] !g", " \\![d](e) ![f] !g", "", "html:hidden(alt)");
    sees(BZR__PAGE_MARKDOWN, "~~~\n<!-- a -->\n[//]: # (b)\n![c](d)\n~~~\n", "~~~\n<!-- a -->\n[//]: # (b)\n![c](d)\n~~~\n", "",
         "");
    sees(BZR__PAGE_MARKDOWN, "![", "![", "", "");
}

static void text(void **state) {
    (void)state;
    sees(BZR__PAGE_TEXT, "<b>a</b>\n # b", "<b>a</b>\n # b", "", "");
    sees(BZR__PAGE_JSON, "{\"version\": 1}", "{\"version\": 1}", "", "");
    sees(BZR__PAGE_JSON, "{\"a\":", "{\"a\":", "", "");
    sees(BZR__PAGE_XML, "<a>b</a>", "<a>b</a>", "", "");
}

static void feeds(void **state) {
    (void)state;
    sees(BZR__PAGE_FEED,
         "<rss><channel><title>F</title><item><title>a &amp;amp; b</title><link>/1</link><pubDate>today</pubDate>"
         "<description>&lt;p&gt;c&lt;b hidden&gt;d</description></item><item><description>e</description></item></channel></rss>",
         "# F\n\n## [a & b](/1)\n\ntoday\n\nc\n\ne\n", "F", "html:hidden(hidden)");
    sees(BZR__PAGE_FEED, "<!DOCTYPE rss [<!ENTITY x 'y'>]><rss><channel><title>&x;</title></channel></rss>",
         "<!DOCTYPE rss [<!ENTITY x 'y'>]><rss><channel><title>&x;</title></channel></rss>", "", "");
    sees(BZR__PAGE_FEED, "<rdf:RDF><channel><title>F</title></channel><item><title>a</title></item></rdf:RDF>", "# F\n\n## a\n", "F",
         "");
    sees(BZR__PAGE_FEED,
         "<feed><title>F</title><entry><title type='text'>a &lt;b></title><link rel='self' href='/s'/><link href='/1'/>"
         "<summary>short</summary><content type='html'>long &lt;i>text&lt;/i></content></entry></feed>",
         "# F\n\n## [a \\<b>](/1)\n\nlong *text*\n", "F", "");
}

/* Bytes that are no PDF are an error whether poppler is here or not, and never an empty page. */
static void pdf(void **state) {
    (void)state;
    bzr__sight s;
    const char *why;
    assert_int_equal(bzr__sight_of(BZR__PAGE_PDF, BZR__S("%PDF-1.7 nothing"), &s, &why), BZR_OK);
    assert_non_null(why);
    bzr__sight_free(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(html), cmocka_unit_test(markdown), cmocka_unit_test(text),
        cmocka_unit_test(feeds), cmocka_unit_test(pdf),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
