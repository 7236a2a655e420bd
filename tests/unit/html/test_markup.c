/* Tags and texts as they stand: the same pieces that a browser or an XML reader makes of them, whatever was done to
 * mislead. */
#include "lib/html/markup.h"
#include "tests/check.h"
#include "tests/support/exact.h"

#include <stdio.h>

/* "<name>", "</name>", "<name/>" and texts in brackets, references decoded. */
static void describe(toad__markup *m, toad__buf *out) {
    toad__mark mark;
    while (toad__markup_next(m, &mark)) {
        assert_true(mark.start < mark.end && mark.end <= m->in.n && mark.end <= m->at);
        if (mark.type == TOAD__MARK_TEXT) {
            toad__buf_add_c(out, '[');
            if (mark.literal)
                toad__buf_add_str(out, mark.text);
            else
                toad__markup_decode(m, mark.text, false, out);
            toad__buf_add_c(out, ']');
            continue;
        }
        toad__buf_add_z(out, mark.type == TOAD__MARK_CLOSE ? "</" : "<");
        toad__buf_add_str(out, mark.name);
        toad__buf_add_z(out, mark.empty ? "/>" : ">");
    }
}

static void reads(const char *in, bool xml, const char *want) {
    size_t n = strlen(in);
    char *exact = exact_dup(in, n);
    toad__markup m;
    toad__buf out;
    toad__markup_init(&m, toad__str(exact, n), xml);
    toad__buf_init(&out, 1u << 20);
    describe(&m, &out);
    toad__buf_add_c(&out, '\0');
    assert_int_equal(out.status, TOAD_OK);
    assert_string_equal(out.p, want);
    toad__buf_free(&out);
    free(exact);
}

static void html(void **state) {
    (void)state;
    reads("a<b>c</b>d", false, "[a]<b>[c]</b>[d]");
    reads("1 < 2 <3 <", false, "[1 < 2 <3 <]");
    reads("<a href='x>y' b=\"z>\">t</a >", false, "<a>[t]</a>");
    reads("<a b=\"'\" c='\"' d=e\">f", false, "<a>[f]");
    reads("x<!-- <b> -->y<!-->z<!--->w<!-- a --!>v<!-- never", false, "[x][y][z][w][v]");
    reads("x<!doctype html>y<?php ?>z</>w</ 1>v", false, "[x][y][z][w][v]");
    reads("<script>'<b>'</scripty></SCRIPT ><b>", false, "<script>['<b>'</scripty>]</SCRIPT><b>");
    reads("<title>&lt;<b></title>&amp", false, "<title>[<<b>]</title>[&]");
    reads("<style>x", false, "<style>[x]");
    reads("<script></script>y", false, "<script></script>[y]");
    reads("<a", false, "<a>");
    reads("<a b='", false, "<a>");
    reads("a &notin; &#x41; &#0; &zzz; &", false, "[a \xe2\x88\x89 A \xef\xbf\xbd &zzz; &]");
    reads("<![CDATA[x]]>y", false, "[y]");
    reads("", false, "");
}

static void xml(void **state) {
    (void)state;
    reads("<?xml version='1.0'?><a:b c='d'/>x<E/></e>", true, "<a:b/>[x]<E/></e>");
    reads("<a><![CDATA[<b>&amp;]]]]><![CDATA[>]]></a>", true, "<a>[<b>&amp;]]][>]</a>");
    reads("&lt;&gt;&amp;&quot;&apos;&nbsp;&lt", true, "[<>&\"'&nbsp;&lt]");
    reads("&#65;&#x42;&#0;&#xD800;&#x110000;&#99999999999999999999;&#;&#x;&#X41;", true,
          "[AB\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd&#;&#x;&#X41;]");
    reads("<!DOCTYPE rss PUBLIC \"-//[x\" 'y>'><rss>", true, "<rss>");
    reads("<script><b></script>", true, "<script><b></script>");
    reads("<!-- a -- b --><a>1 < 2</a>", true, "<a>[1 < 2]</a>");
    reads("<![CDATA[never", true, "[never]");
}

static void declarations_are_refused(void **state) {
    (void)state;
    const char *const bad[] = { "<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>", "<!doctype a[]><a/>", "<!ENTITY b 'c'><a/>",
                                "<!ELEMENT a ANY><a/>" };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        toad__markup m;
        toad__mark mark;
        toad__markup_init(&m, toad__str_z(bad[i]), true);
        assert_false(toad__markup_next(&m, &mark));
        assert_true(m.declares);
    }
}

static void attributes(void **state) {
    (void)state;
    toad__markup m;
    toad__mark mark;
    toad_str value;
    toad__markup_init(&m, TOAD__S("<A HREF = x/y  b class='one  two' href=\"z\" =c=d e=>"), false);
    assert_true(toad__markup_next(&m, &mark));
    assert_true(toad__mark_is(&m, &mark, "a"));
    assert_true(toad__mark_attribute(&m, &mark, "href", &value) && toad__str_eq(value, TOAD__S("x/y")));
    assert_true(toad__mark_attribute(&m, &mark, "b", &value) && !value.n);
    assert_true(toad__mark_attribute(&m, &mark, "=c", &value) && toad__str_eq(value, TOAD__S("d")));
    assert_true(toad__mark_attribute(&m, &mark, "e", &value) && !value.n);
    assert_false(toad__mark_attribute(&m, &mark, "two", &value));
    assert_true(toad__mark_has_class(&m, &mark, "two") && toad__mark_has_class(&m, &mark, "one"));
    assert_false(toad__mark_has_class(&m, &mark, "on"));
}

static void inner(void **state) {
    (void)state;
    toad__markup m;
    toad__mark mark;
    toad__markup_init(&m, TOAD__S("<d>a<d>b</D>c<!-- </d> --></d>e<d>f"), false);
    assert_true(toad__markup_next(&m, &mark));
    assert_true(toad__str_eq(toad__markup_inner(&m, &mark), TOAD__S("a<d>b</D>c<!-- </d> -->")));
    assert_true(toad__markup_next(&m, &mark) && toad__str_eq(mark.text, TOAD__S("e")));
    assert_true(toad__markup_next(&m, &mark));
    assert_true(toad__str_eq(toad__markup_inner(&m, &mark), TOAD__S("f")));
    assert_false(toad__markup_next(&m, &mark));
}

/* Hostile repetitions end: each byte is looked at a fixed number of times. */
static void repetitions_end(void **state) {
    (void)state;
    const char *const pieces[] = { "<",   "<!--", "<!-", "</",        "<a ", "<a b='",   "&",   "&#",
                                   "&#1", "<!",   "<?",  "<![CDATA[", "--",  "<script>", "<d>", "<!DOCTYPE '" };
    size_t most = 1u << 20;
    char *page = malloc(most);
    assert_non_null(page);
    for (size_t i = 0; i < 2 * sizeof pieces / sizeof *pieces; i++) {
        const char *piece = pieces[i / 2];
        size_t n = strlen(piece);
        for (size_t k = 0; k < most; k++) page[k] = piece[k % n];
        toad__markup m;
        toad__mark mark;
        toad__buf out;
        toad__buf_init(&out, 4 * most);
        toad__markup_init(&m, toad__str(page, most), i % 2);
        while (toad__markup_next(&m, &mark)) toad__markup_decode(&m, mark.text, false, &out);
        assert_int_equal(out.status, TOAD_OK);
        toad__buf_free(&out);
    }
    free(page);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(html),       cmocka_unit_test(xml),   cmocka_unit_test(declarations_are_refused),
        cmocka_unit_test(attributes), cmocka_unit_test(inner), cmocka_unit_test(repetitions_end)
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
