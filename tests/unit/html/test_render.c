/* What a person sees, as text and as Markdown: the words are those of the page, and no word of a page makes markup. */
#include "lib/base/buf.h"
#include "lib/base/str.h"
#include "tests/check.h"
#include "tests/support/exact.h"
#include "toadstone/html.h"

#include <stdlib.h>

static toad_extracted *take(const char *page, toad_format format, toad_render render) {
    toad_extract_options options = TOAD_EXTRACT_OPTIONS_INIT;
    char *exact = exact_dup(page, strlen(page));
    toad_extracted *e = NULL;
    options.format = format;
    options.render = render;
    assert_int_equal(toad_extract((toad_str){ exact, strlen(page) }, &options, &e), TOAD_OK);
    free(exact);
    return e;
}

static void reads(const char *page, toad_render render, const char *want) {
    toad_extracted *e = take(page, TOAD_FORMAT_HTML, render);
    toad_str got = toad_extracted_rendered(e);
    char *z = calloc(1, got.n + 1);
    if (got.n) memcpy(z, got.p, got.n);
    assert_string_equal(z, want);
    free(z);
    toad_extracted_free(e);
}

static void markdown(const char *page, const char *want) { reads(page, TOAD_RENDER_MARKDOWN, want); }

static void blocks(void **state) {
    (void)state;
    markdown("", "");
    markdown("<p>one<p>two  words\n here", "one\n\ntwo words here\n");
    markdown("<h2>A <i>b</i></h2>text<h1></h1><div>c</div><div>d</div>", "## A *b*\n\ntext\n\nc\nd\n");
    markdown("<h3><div>a</div><p>b</p></h3>", "### a b\n");
    markdown("a<br>b<br><br>c<hr>d", "a\nb\n\nc\n\n* * *\n\nd\n");
    markdown("<blockquote><p>a</p><p>b</p></blockquote>c", "> a\n\n> b\n\nc\n");
    markdown("<pre>\n a\n\n  b\n</pre>c", "```\n a\n\n  b\n```\n\nc\n");
    markdown("<pre>```\n~~~</pre>", "````\n```\n~~~\n````\n");
}

static void lists(void **state) {
    (void)state;
    markdown("<ul><li>a<li><p>b</p><p>c</p><li></ul>d", "- a\n- b\n  c\n\nd\n");
    markdown("<ol><li>a<ul><li>x<li>y</ul><li>b</ol>", "1. a\n   - x\n   - y\n2. b\n");
    markdown("<li>stray", "- stray\n");
    markdown("<ul><li><pre>x\ny</pre>", "- ```\n  x\n  y\n  ```\n");
}

static void inlines(void **state) {
    (void)state;
    markdown("a<b> b </b>c <em><strong>d</strong></em><i></i>", "a **b** c ***d***\n");
    markdown("<b><p>a</p><p>b</p></b>", "**a**\n\n**b**\n");
    markdown("<code>a</code> <code>`b</code> <code> </code><tt>*c*</tt>", "`a` `` `b `` `*c*`\n");
    markdown("<del>a</del><b><b>c</b></b>", "~~a~~**c**\n");
}

static void links(void **state) {
    (void)state;
    markdown("<a href='https://h/a b?(c)'>t [x] u</a>", "[t \\[x\\] u](https://h/a%20b?%28c%29)\n");
    markdown("<a href=' HTTP://h/\xc3\xa4 '>t</a>", "[t](HTTP://h/%C3%A4)\n");
    markdown("<a href='javascript:x()'>t</a> <a href='java\nscript:x'>u</a> <a href='data:text/html,x'>v</a>",
             "t u v\n");
    markdown("<a href='#top'>t</a><a>u</a><a href=''>v</a>", "tuv\n");
    markdown("<a href=/x><h3>Card</h3><p>more</p></a>", "### [Card](/x)\n\nmore\n");
    markdown("<a href=x><img src=y alt=z></a>!<a href=/p.png>b</a>", "&#33;[b](/p.png)\n");
    markdown("<img src=http://e/x.png alt='see'>a", "a\n");
}

static void tables(void **state) {
    (void)state;
    markdown("<table><tr><th>A<th>B<tr><td>1|2<td><p>x</p><p>y</p><tr><td>z</table>",
             "| A | B |\n| --- | --- |\n| 1\\|2 | x y |\n| z |  |\n");
    markdown("<table><tr><td>a<td>b</table>c", "a b\n\nc\n");
    markdown("<table><tr><td><table><tr><td>a<td>b<tr><td>c<td>d</table><td>e<tr><td>f</table>",
             "| a | b |\n| --- | --- |\n| c | d |\n\ne\nf\n");
    reads("<table><tr><th>A<th>B<tr><td>1<td>2</table>", TOAD_RENDER_TEXT, "A B\n1 2\n");
}

/* Nothing that a page says is markup: hidden by it, fetched by it, or the frame of something else. */
static void text_makes_no_markup(void **state) {
    (void)state;
    static const char *const pages[] = {
        "&lt;!-- secret --&gt;",
        "<p>[//]: # (secret)</p>",
        "<p>[comment]: &lt;&gt; (secret)</p>",
        "<p>[r]: http://e/ 'secret'</p>",
        "![secret](http://e/p.png)",
        "!<b></b>[secret](http://e/p.png)",
        "![secret<b></b>](http://e/p.png)",
        "<p>[x](y 'secret')</p>",
        "<p>[x]<i></i>(y 'secret')</p>",
        "<p>```secret</p><p>x</p>",
        "<p>~~~ secret</p>",
        "<p>---</p><p>a: secret</p><p>---</p>",
        "&lt;img src=x onerror=secret&gt;",
        "&lt;<b>div style='display:none'&gt;secret&lt;/div&gt;",
        "&amp;lt;!-- secret --&amp;gt;",
        "<p>%% secret %%</p>",
        "<a href=x>]( 'secret') [</a>",
        "<a href='x) (secret'>y</a>",
        "<a href='x \"secret\"'>y</a>",
        "<code>`` secret ` x</code>",
        "<table><tr><td>a<td>b<tr><td>| secret |<td>`|`</table>",
        "<p>[^1]: secret</p><p>x[^1]</p>",
        "<li>[//]: # (secret)",
        "<blockquote>[//]: # (secret)</blockquote>",
        "x<br>[//]: # (secret)",
        "<h1>[//]: # (secret)</h1>",
    };
    for (size_t i = 0; i < sizeof pages / sizeof *pages; i++) {
        toad_extracted *e = take(pages[i], TOAD_FORMAT_HTML, TOAD_RENDER_MARKDOWN);
        toad_str s = toad_extracted_rendered(e);
        char *z = calloc(1, s.n + 1);
        if (s.n) memcpy(z, s.p, s.n);
        toad_extracted *again = take(z, TOAD_FORMAT_MARKDOWN, TOAD_RENDER_NONE);
        for (size_t k = 0; k < toad_extracted_hidden_count(again); k++)
            if (strcmp(toad_extracted_hidden(again, k).reason, "html:hidden(link)") != 0)
                fail_msg("%s\n%s\nhides as %s", pages[i], z, toad_extracted_hidden(again, k).reason);
        for (size_t k = 0; k < toad_extracted_link_count(again); k++)
            if (toad_extracted_link(again, k).auto_fetch) fail_msg("%s\n%s\nfetches", pages[i], z);
        toad_extracted_free(again);
        free(z);
        toad_extracted_free(e);
    }
}

/* Letters and digits of `s`. */
static char *letters(toad_str s) {
    char *z = calloc(1, s.n + 1);
    size_t n = 0;
    for (size_t i = 0; i < s.n; i++)
        if (toad__is_alnum((unsigned char)s.p[i])) z[n++] = s.p[i];
    return z;
}

/* Whatever the tags, all that is seen is in the text, in order, and nothing else. */
static void words_are_kept(void **state) {
    static const char *const tags[] = {
        "<p>",
        "</p>",
        "<ul>",
        "</ul>",
        "<ol>",
        "<li>",
        "</li>",
        "<b>",
        "</b>",
        "<i>",
        "</i>",
        "<a href=/x>",
        "</a>",
        "<h1>",
        "</h1>",
        "<pre>",
        "</pre>",
        "<code>",
        "</code>",
        "<table>",
        "<tr>",
        "<td>",
        "</td>",
        "</table>",
        "<br>",
        "<hr>",
        "<blockquote>",
        "</blockquote>",
        "<div>",
        "</div>",
        "\n",
        " ",
        "`",
        "*",
        "|",
        "[",
        "](",
        "!",
        "<p hidden>",
    };
    (void)state;
    uint32_t seed = 7;
    for (int round = 0; round < 400; round++) {
        toad__buf page;
        toad__buf_init(&page, 1u << 20);
        for (int i = 0; i < 120; i++) {
            seed = seed * 1103515245u + 12345u;
            toad__buf_add_z(&page, tags[(seed >> 16) % (sizeof tags / sizeof *tags)]);
            toad__buf_add_c(&page, (char)('a' + (seed >> 8) % 26));
        }
        toad__buf_add_c(&page, 0);
        toad_extracted *e = take(page.p, TOAD_FORMAT_HTML, TOAD_RENDER_TEXT);
        char *seen = letters(toad_extracted_visible(e)), *text = letters(toad_extracted_rendered(e));
        assert_string_equal(seen, text);
        free(seen);
        free(text);
        toad_extracted_free(e);
        e = take(page.p, TOAD_FORMAT_HTML, TOAD_RENDER_MARKDOWN);
        toad_extracted_free(e);
        toad__buf_free(&page);
    }
}

static void titles(void **state) {
    (void)state;
    toad_extracted *e = take("<svg><title>no</title></svg><title> A &amp; B </title><title>C</title>", TOAD_FORMAT_HTML,
                             TOAD_RENDER_NONE);
    toad_str t = toad_extracted_title(e);
    assert_int_equal(t.n, strlen("A & B "));
    assert_memory_equal(t.p, "A & B ", t.n);
    assert_int_equal(toad_extracted_rendered(e).n, 0);
    toad_extracted_free(e);
    e = take("<p title=x>y", TOAD_FORMAT_HTML, TOAD_RENDER_NONE);
    assert_int_equal(toad_extracted_title(e).n, 0);
    toad_extracted_free(e);
}

/* A program built before `format` and `render` were there passes a shorter struct. A size that ends inside a member is
 * that of no struct. */
static void older_options(void **state) {
    (void)state;
    toad_extract_options options = { offsetof(toad_extract_options, format), TOAD_FORMAT_HTML, TOAD_RENDER_TEXT };
    toad_extracted *e = NULL;
    assert_int_equal(toad_extract(TOAD__S("<p>x"), &options, &e), TOAD_OK);
    assert_int_equal(toad_extracted_rendered(e).n, 0);
    toad_extracted_free(e);
    for (options.size = 0; options.size < sizeof options; options.size++)
        if (options.size != offsetof(toad_extract_options, format))
            assert_int_equal(toad_extract(TOAD__S("<p>x"), &options, &e), TOAD_E_ARG);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks),         cmocka_unit_test(lists),  cmocka_unit_test(inlines),
        cmocka_unit_test(links),          cmocka_unit_test(tables), cmocka_unit_test(text_makes_no_markup),
        cmocka_unit_test(words_are_kept), cmocka_unit_test(titles), cmocka_unit_test(older_options),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
