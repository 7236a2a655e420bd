/* Pages of every type as a person sees them; what is hidden is named, and what cannot be read is an error. */
#include "app/web/feed_page.h"
#include "app/web/sight.h"
#include "lib/base/str.h"
#include "tests/check.h"
#include "tests/support/exact.h"

#include <stdlib.h>

static void sees(toad__page_type type, const char *page, const char *visible, const char *title, const char *reasons) {
    toad__sight s;
    const char *why;
    toad__buf got;
    size_t n = strlen(page);
    char *exact = exact_dup(page, n);
    toad__buf_init(&got, 1u << 20);
    assert_int_equal(toad__sight_of(type, TOAD__S("http://x.example/y"), toad__str(exact, n), &s, &why), TOAD_OK);
    assert_null(why);
    assert_true(s.complete);
    toad__buf_add_str(&got, s.visible);
    toad__buf_add_c(&got, 0);
    assert_string_equal(got.p, visible);
    toad__buf_clear(&got);
    toad__buf_add_str(&got, s.title);
    toad__buf_add_c(&got, 0);
    assert_string_equal(got.p, title);
    toad__buf_clear(&got);
    for (size_t i = 0; i < s.reasons_n; i++) {
        toad__buf_add_z(&got, i ? " " : "");
        toad__buf_add_z(&got, s.reasons[i]);
    }
    toad__buf_add_c(&got, 0);
    assert_string_equal(got.p, reasons);
    assert_ptr_equal(s.came.p, exact);
    toad__buf_free(&got);
    toad__sight_free(&s);
    free(exact);
}

static void html(void **state) {
    (void)state;
    sees(TOAD__PAGE_HTML, "<title>T</title><h1>A</h1><p>b<!-- c --><i hidden>d</i>", "# A\n\nb\n", "T",
         "html:hidden(comment) html:hidden(hidden)");
    sees(TOAD__PAGE_HTML, "", "", "", "");
}

static void markdown(void **state) {
    (void)state;
    sees(TOAD__PAGE_MARKDOWN, "# A b\ntext\n", "# A b\ntext\n", "A b", "");
    sees(TOAD__PAGE_MARKDOWN, "a <!-- b\nc --> d <!-- e", "a  d ", "", "html:hidden(comment)");
    sees(TOAD__PAGE_MARKDOWN, "[//]: # (a)\n[x]: <> (b)\n[r]: /u 't'\n [s]: /v\nz", "[r]: /u\n [s]: /v\nz", "",
         "html:hidden(comment)");
    sees(TOAD__PAGE_MARKDOWN, "![a](b)![a][c] \\![d](e) ![f] !g", " \\![d](e) ![f] !g", "", "html:hidden(alt)");
    sees(TOAD__PAGE_MARKDOWN, "~~~\n<!-- a -->\n[//]: # (b)\n![c](d)\n~~~\n",
         "~~~\n<!-- a -->\n[//]: # (b)\n![c](d)\n~~~\n", "", "");
    sees(TOAD__PAGE_MARKDOWN, "![", "![", "", "");
}

static void text(void **state) {
    (void)state;
    sees(TOAD__PAGE_TEXT, "<b>a</b>\n # b", "<b>a</b>\n # b", "", "");
    sees(TOAD__PAGE_JSON, "{\"version\": 1}", "{\"version\": 1}", "", "");
    sees(TOAD__PAGE_JSON, "{\"a\":", "{\"a\":", "", "");
    sees(TOAD__PAGE_XML, "<a>b</a>", "<a>b</a>", "", "");
}

static void feeds(void **state) {
    (void)state;
    sees(TOAD__PAGE_FEED,
         "<rss><channel><title>F</title><item><title>a &amp;amp; b</title><link>/1</link><pubDate>today</pubDate>"
         "<description>&lt;p&gt;c&lt;b "
         "hidden&gt;d</description></item><item><description>e</description></item></channel></rss>",
         "# F\n\n## [a & b](/1)\n\ntoday\n\nc\n\ne\n", "F", "html:hidden(hidden)");
    sees(TOAD__PAGE_FEED, "<!DOCTYPE rss [<!ENTITY x 'y'>]><rss><channel><title>&x;</title></channel></rss>",
         "<!DOCTYPE rss [<!ENTITY x 'y'>]><rss><channel><title>&x;</title></channel></rss>", "", "");
    sees(TOAD__PAGE_FEED, "<rdf:RDF><channel><title>F</title></channel><item><title>a</title></item></rdf:RDF>",
         "# F\n\n## a\n", "F", "");
    sees(TOAD__PAGE_FEED,
         "<feed><title>F</title><entry><title type='text'>a &lt;b></title><link rel='self' href='/s'/><link href='/1'/>"
         "<summary>short</summary><content type='html'>long &lt;i>text&lt;/i></content></entry></feed>",
         "# F\n\n## [a \\<b>](/1)\n\nlong *text*\n", "F", "");
}

/* Bytes that are no PDF are an error whether poppler is here or not, and never an empty page. */
static void pdf(void **state) {
    (void)state;
    toad__sight s;
    const char *why;
    assert_int_equal(toad__sight_of(TOAD__PAGE_PDF, TOAD__S(""), TOAD__S("%PDF-1.7 nothing"), &s, &why), TOAD_OK);
    assert_non_null(why);
    toad__sight_free(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(html),  cmocka_unit_test(markdown), cmocka_unit_test(text),
        cmocka_unit_test(feeds), cmocka_unit_test(pdf),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
