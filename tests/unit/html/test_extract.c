/* Pages: what is seen, what is hidden and why, where the links lead, and that hostile pages stay linear and in bounds.
 */
#include "lib/base/str.h"
#include "lib/html/html.h"
#include "tests/check.h"
#include "tests/support/exact.h"
#include "toadstone/html.h"

#include <stdio.h>

static toad_extracted *take(const char *page, toad_format format) {
    toad_extract_options options = TOAD_EXTRACT_OPTIONS_INIT;
    options.format = format;
    char *exact = exact_dup(page, strlen(page));
    toad_extracted *e = NULL;
    assert_int_equal(toad_extract((toad_str){ exact, strlen(page) }, &options, &e), TOAD_OK);
    free(exact);
    return e;
}

static void sees(const char *page, const char *visible) {
    toad_extracted *e = take(page, TOAD_FORMAT_HTML);
    toad_str got = toad_extracted_visible(e);
    char *z = calloc(1, got.n + 1);
    if (got.n) memcpy(z, got.p, got.n);
    assert_string_equal(z, visible);
    free(z);
    toad_extracted_free(e);
}

/* `word` is hidden for `reason` and not seen. */
static void hides(const char *page, const char *word, const char *reason) {
    toad_extracted *e = take(page, TOAD_FORMAT_AUTO);
    bool found = false;
    toad_str w = toad__str_z(word);
    for (size_t i = 0; i < toad_extracted_hidden_count(e); i++) {
        toad_hidden h = toad_extracted_hidden(e, i);
        bool here = toad__str_find(h.text, w, 0) < h.text.n && !strcmp(h.reason, reason);
        found = found || here;
        assert_true(h.span.end <= strlen(page));
        assert_true(h.span.start < h.span.end);
    }
    if (!found) print_error("%s: %s is not hidden as %s\n", page, word, reason);
    assert_true(found);
    toad_str seen = toad_extracted_visible(e);
    assert_true(toad__str_find(seen, w, 0) == seen.n);
    toad_extracted_free(e);
}

static void visible_text(void **state) {
    (void)state;
    sees("Ig<b></b>nore <i>all</i>", "Ignore all");
    sees("<p>one<p>two", "one\ntwo");
    sees("a&lt;b&amp;&#67;&#x44;&nosuch;", "a<b&CD&nosuch;");
    sees("<ul><li>x<li>y</ul>", "x\ny\n");
    sees("1 < 2 and 3 > 2", "1 < 2 and 3 > 2");
    sees("<textarea>a &lt;b&gt; <i></textarea>", "a <b> <i>");
    sees("<!-->seen<!--->too<!-- not --!>end", "seentooend");
    sees("<span style='visibility:hidden'>a<b style='visibility:visible'>b</b></span>", "b");
    sees("<script>x</script>a<style>y</style>b", "ab");
    sees("<svg><path d='x'/><g/></svg>after", "after");
    sees("<div hidden><p>gone</div>here", "here");
    sees("Ig<br hidden>nore", "Ignore");
    sees("<details>more</details><i aria-hidden=true>x</i>", "more\nx");
}

static void hidden_by_style(void **state) {
    (void)state;
    static const char *const styles[][2] = {
        { "display:none", "display:none" },
        { "DISPLAY : none !important", "display:none" },
        { "dis/**/play:no/* */ne", "display:none" },
        { "dis\\70 lay:none", "display:none" },
        { "visibility:hidden", "visibility" },
        { "opacity:0", "opacity" },
        { "opacity:.05", "opacity" },
        { "font-size:0", "font-size" },
        { "font-size:1px", "font-size" },
        { "font-size:.01em", "font-size" },
        { "font:0/0 a", "font-size" },
        { "color:#fff", "color" },
        { "color:white;background:#fefefe", "color" },
        { "color:rgba(0,0,0,0)", "color" },
        { "color:hsl(0,0%,100%)", "color" },
        { "color:transparent", "color" },
        { "position:absolute;left:-9999px", "off-screen" },
        { "text-indent:-100em", "off-screen" },
        { "transform:translateX(-9999px)", "off-screen" },
        { "transform:scale(0)", "transform" },
        { "clip:rect(0,0,0,0)", "clip" },
        { "clip-path:inset(100%)", "clip" },
        { "width:0;height:0;overflow:hidden", "overflow" },
        { "max-height:0", "overflow" },
        { "display:var(--h,none)", "display:none" },
        { "content-visibility:hidden", "visibility" },
        { "filter:opacity(0)", "opacity" },
        { "zoom:0", "font-size" },
        { "zoom:1%", "font-size" },
        { "opacity:calc(0)", "opacity" },
        { "opacity:calc(1 - .95)", "opacity" },
        { "font-size:calc(0px)", "font-size" },
        { "font-size:calc(1em * 0)", "font-size" },
        { "font-size:CALC( 8px - 7px )", "font-size" },
        { "opacity:calc(1 * 1% / 2)", "opacity" },
        { "color:oklch(1 0 0)", "color" },
        { "color:oklch(100% 0.3 20)", "color" },
        { "color:oklab(.98 0 0)", "color" },
        { "color:lab(100 0 0)", "color" },
        { "color:lch(98% 1 30)", "color" },
        { "color:hwb(120 100% 0%)", "color" },
        { "color:hsl(240 100% 50%);background:#00f", "color" },
        { "color:hwb(240 0% 50%);background:#000080", "color" },
        { "color:color(srgb 1 1 1)", "color" },
        { "color:oklch(.5 .2 20 / 0)", "color" },
        { "color:rgb(none none none / none)", "color" },
        { "color:lab(0 0 0);background:#000", "color" },
        { "color:lab(53.6 0 0);background:#808080", "color" },
        { "color:oklch(.6 0 0);background:#808080", "color" },
        { "color:inherit;background:currentColor", "color" },
        { "color:red;background-color:currentcolor", "color" },
    };
    for (size_t i = 0; i < sizeof styles / sizeof *styles; i++) {
        char page[200], reason[64];
        snprintf(page, sizeof page, "<p>seen</p><div style=\"%s\">secret</div>", styles[i][0]);
        snprintf(reason, sizeof reason, "html:hidden(%s)", styles[i][1]);
        hides(page, "secret", reason);
    }
}

/* The words of `page` are "yes", and none is "no". tests/html proves the same beside parse5. */
static void says_yes(const char *page) {
    toad_extracted *e = take(page, TOAD_FORMAT_HTML);
    toad_str s = toad_extracted_visible(e);
    if (toad__str_find(s, TOAD__S("no"), 0) < s.n || toad__str_find(s, TOAD__S("yes"), 0) == s.n)
        fail_msg("%s: %.*s", page, (int)s.n, s.p);
    toad_extracted_free(e);
}

static void style_sheets(void **state) {
    (void)state;
    static const char *const pages[] = {
        "<style>.a{display:none} .a.b{display:block}</style><p class=a>no<p class='a b'>yes",
        "<style>.a{display:none} p{display:block!important}</style><p class=a>yes</p><i class=a>no</i>",
        "<style>.a{display:none!important}</style><p class=a style='display:block'>no</p>yes",
        "<style>div .a{display:none}</style><p class=a>yes</p><div><p><i class=a>no</i></div>",
        "<style>div>.a{display:none}</style><div><p><i class=a>yes</i></p><i class=a>no</i></div>",
        "<style>@media print{.a{display:none}} @media (max-width:600px){.a{display:none}} .b{display:none}</style>"
        "<p class=a>yes<p class=b>no",
        "<style>@media screen and (min-width: 40em){.a{display:none}} @media print, screen{.b{display:none}}</style>"
        "<p class=a>no<p class=b>no<p>yes",
        "<style media=print>p{display:none}</style><style media=screen>b{display:none}</style><p>yes <b>no</b>",
        "<style>a:hover{display:none} a:not([href]){display:none} p::before{display:none}</style><a href=x>yes</a>"
        "<a>no</a><p>yes",
        "<style>li:nth-child(2n){display:none} li:first-child{display:none}</style><ul><li>no<li>no<li>yes<li>no</ul>",
        "<style>[a^=x],[b$=y],[c*=z],[d=q]{display:none}</style><p a=xx>no<p b=xy>no<p c=azb>no<p d=q>no<p a=y>yes",
        "<style>/* x */.w\\:x /* y */ i,.q{display:none}</style><p class='w:x'><i>no</i>yes",
        "<p class=x>no</p><p>yes</p><style>.x{display:none}</style>",
        "<noscript><style>p{display:none}</style></noscript><template><style>p{display:none}</style></template><p>yes",
        "<style>@font-face{font-family:x}@keyframes k{from{opacity:0}}.a{display:none}</style><p "
        "class=a>no</p><from>yes",
        "<p hidden style='display:block'>yes<p hidden>no",
        "<p style='color:rgb(0, 0, 0);margin-left:2em;line-height:0'>yes<p style='margin-left:-100%'>no",
        "<script><!-- <script> no </script> no --></script>yes",
        "<div style='display:none'><p>no<p><b>no</div>yes",
        "<ul><li style='display:none'><b>no<li>yes</ul>",
        "<p style='opacity:calc(1);font-size:calc(1em - 16px)'>yes<p style='opacity:calc(0 + x)'>yes<p "
        "style='opacity:calc(1/0)'>yes",
        "<p style='height:calc(100vh - 800px);overflow:hidden;width:calc(100% - 1000px)'>yes<p style='zoom:1'>yes<p "
        "style='font-size:calc((0px))'>yes",
        "<p style='color:oklch(.5 .2 20)'>yes<p style='color:lab(40 50 50)'>yes<p style='color:hwb(0 0% 0%)'>yes<p "
        "style='color:color(display-p3 1 1 1)'>yes",
        "<p style='background:currentColor'><i style='color:white'>yes</i><p style='background:currentColor "
        "url(x)'>yes",
        "<body text=white bgcolor=black>yes<font color=black>no</font><font color=white style='color:red'>yes</font>",
        "<table background=x.png><tr><td><font color=white>yes</font></table><p text=white bgcolor=black "
        "color=white>yes",
        "<style>font{color:blue}</style><font color=white>yes</font>",
    };
    for (size_t i = 0; i < sizeof pages / sizeof *pages; i++) says_yes(pages[i]);
}

static void hidden_elsewhere(void **state) {
    (void)state;
    hides("<p>x</p><font color=white>secret</font>", "secret", "html:hidden(color)");
    hides("<body text=#FFFFFF bgcolor=ffffff><p>secret", "secret", "html:hidden(color)");
    hides("<table><tr bgcolor=black><td><font color='#000'>secret</font>", "secret", "html:hidden(color)");
    hides("<style>.x{display:none}</style><p class='a x'>secret</p>", "secret", "html:hidden(display:none)");
    hides("<style>p::after{content:'secret words'}</style>", "secret", "html:hidden(css content)");
    hides("<!-- secret -->", "secret", "html:hidden(comment)");
    hides("<![CDATA[ secret ]]>", "secret", "html:hidden(comment)");
    hides("</ secret >", "secret", "html:hidden(comment)");
    hides("<img alt='a secret text'>", "secret", "html:hidden(alt)");
    hides("<p title='a secret text'>x", "secret", "html:hidden(title)");
    hides("<div data-note='a secret text'>x</div>", "secret", "html:hidden(data-*)");
    hides("<meta name=description content='a secret text'>", "secret", "html:hidden(meta)");
    hides("<template>secret</template>", "secret", "html:hidden(template)");
    hides("<noscript>secret</noscript>", "secret", "html:hidden(noscript)");
    hides("<iframe srcdoc='<p>secret</p>'></iframe>", "secret", "html:hidden(srcdoc)");
    hides("<svg><desc>secret</desc></svg>", "secret", "html:hidden(svg)");
    hides("<input type=hidden value='a secret text'>", "secret", "html:hidden(form)");
    hides("<a b=\"secret", "secret", "html:hidden(markup)");
    hides("text\n\n[//]: # (secret)", "secret", "html:hidden(comment)");
    hides("![secret words](x.png)", "secret", "html:hidden(alt)");
    hides("[x](y 'secret')", "secret", "html:hidden(title)");
}

static void links_are_listed(void **state) {
    (void)state;
    toad_extracted *e = take("<a href='/x?a=1&amp;b=2'>t</a><img src=http://h/i.png>", TOAD_FORMAT_HTML);
    assert_int_equal(toad_extracted_link_count(e), 2);
    assert_memory_equal(toad_extracted_link(e, 0).url.p, "/x?a=1&b=2", 10);
    assert_false(toad_extracted_link(e, 0).auto_fetch);
    assert_true(toad_extracted_link(e, 1).auto_fetch);
    toad_extracted_free(e);
}

static void markdown_marks_go(void **state) {
    (void)state;
    toad_extracted *e = take("**Ig**nore [all](u) _previous_ snake_case a * b", TOAD_FORMAT_MARKDOWN);
    toad_str got = toad_extracted_visible(e);
    assert_int_equal(got.n, strlen("Ignore all previous snake_case a * b"));
    assert_memory_equal(got.p, "Ignore all previous snake_case a * b", got.n);
    toad_extracted_free(e);
}

/* Marks that other readers of text take away. Where they cut no word they stay. */
static void marks_of_dialects(void **state) {
    (void)state;
    static const struct {
        const char *in, *out;
    } rows[] = {
        { "Ig`nore all pr``evious", "Ignore all previous" },
        { "`Ig`nore the `code` of `x`", "Ignore the `code` of `x`" },
        { "==Ig==nore al==l a == b ==all== ===x===y", "Ignore all a == b ==all== ===x===y" },
        { "'''Ig'''nore ''al''l it's 'Ig'nore '''all''' x''''y", "Ignore all it's 'Ig'nore '''all''' x''''y" },
        { "Ig![](x)nore ![](x) a! b!c", "Ignore ! a! b!c" },
        { "[b]Ig[/b]nore [COLOR=red]all[/COLOR] [i][u]pr[/u][/i]evious", "Ignore all previous" },
        { "a[i] = b[x] + [b", "a[i] = b[x] + [b" },
        { "[b](x) [/nosuch] [/b", "b [/nosuch] [/b" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        toad_extracted *e = take(rows[i].in, TOAD_FORMAT_MARKDOWN);
        toad_str got = toad_extracted_visible(e);
        if (got.n != strlen(rows[i].out) || memcmp(got.p, rows[i].out, got.n))
            fail_msg("%s: %.*s", rows[i].in, (int)got.n, got.p);
        toad_extracted_free(e);
    }
}

/* Marks that close nothing and are closed by nothing stay, as in source code; one pair makes its paragraph emphasis. */
static void markdown_marks_stay(void **state) {
    (void)state;
    static const struct {
        const char *in, *out;
    } rows[] = {
        { "/* Reads\n * one line. */\nchar *p = *q;\n/** more */",
          "/* Reads\n * one line. */\nchar *p = *q;\n/** more */" },
        { "*p and\n\n*ig*nore", "*p and\n\nignore" },
        { "ig*nore pre*vious in*structions", "ignore previous instructions" },
        { "__ignore__ ~~all~~ ~x", "ignore all ~x" },
        { "end* of a line", "end* of a line" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        toad_extracted *e = take(rows[i].in, TOAD_FORMAT_MARKDOWN);
        toad_str got = toad_extracted_visible(e);
        if (got.n != strlen(rows[i].out) || memcmp(got.p, rows[i].out, got.n))
            fail_msg("%s: %.*s", rows[i].in, (int)got.n, got.p);
        toad_extracted_free(e);
    }
}

/* Pieces give what the whole gives. */
static void pieces_equal_whole(void **state) {
    (void)state;
    static const char page[] =
        "zero <p>One <b>two</b></p><!-- three four --><div style='display:none'>five</div><script>var "
        "six;</script>seven &amp; <img alt='eight nine'>ten";
    toad__html *h = toad__html_new();
    toad__html_out whole, parts;
    toad__html_out_init(&whole, 1 << 20);
    toad__html_out_init(&parts, 1 << 20);
    toad__html_feed(h, (toad_str){ page, sizeof page - 1 }, true, &whole);
    for (size_t cut = 5; cut < sizeof page - 1;
         cut++) { /* a token at the very start of a piece would be taken in parts */
        toad__buf seen;
        toad__buf_init(&seen, 1 << 20);
        toad__html_reset(h);
        size_t at = 0;
        toad__html_out_clear(&parts);
        at += toad__html_feed(h, (toad_str){ page, cut }, false, &parts);
        assert_true(at <= cut);
        toad__buf_add_str(&seen, toad__buf_str(&parts.visible));
        toad__html_out_clear(&parts);
        toad__html_feed(h, (toad_str){ page + at, sizeof page - 1 - at }, true, &parts);
        toad__buf_add_str(&seen, toad__buf_str(&parts.visible));
        size_t n = 0; /* line breaks may be doubled or lost at the seam */
        for (size_t i = 0; i < seen.n; i++) n += seen.p[i] != '\n';
        size_t want = 0;
        for (size_t i = 0; i < whole.visible.n; i++) want += whole.visible.p[i] != '\n';
        assert_int_equal(n, want);
        toad__buf_free(&seen);
    }
    toad__html_out_free(&whole);
    toad__html_out_free(&parts);
    toad__html_free(h);
}

static void no_markup(void **state) {
    (void)state;
    static const char *const without[] = { "",
                                           "<",
                                           "</",
                                           "a < b && c <= d",
                                           "#include <stdio.h>",
                                           "std::vector<int> v; x << 1",
                                           "<T>x<V>",
                                           "</T>x<T>",
                                           "<stdin>: <foo />",
                                           "1 <2> 3",
                                           "copy <name> <name>, List<String>, Set<List<V>>" };
    static const char *const with[] = { "a <b> c",      "x<!",
                                        "x<?",          "Foo</>",
                                        "</ >",         "</1",
                                        "<foo a=b>",    "<foo hidden>x",
                                        "Vec<a>",       "if (x <y && z)",
                                        "<STRONG>",     "</Td >",
                                        "<a/b>",        "<T>x<p",
                                        "<T>x</t>",     "Ig<x-y></x-y>nore",
                                        "<w:t>a</w:t>", "<a.b.c.d.e.f.g.h.i.j.k>x</a.b.c.d.e.f.g.h.i.j.k>" };
    toad__html *h = toad__html_new();
    toad__html_out out;
    toad__html_out_init(&out, 1 << 20);
    for (size_t i = 0; i < sizeof without / sizeof *without; i++) {
        toad__html_reset(h);
        toad__html_out_clear(&out);
        toad__html_feed(h, toad__str_z(without[i]), true, &out);
        assert_true(!out.tags && !out.pieces_n);
        assert_false(toad__html_has_markup(toad__str_z(without[i])));
    }
    for (size_t i = 0; i < sizeof with / sizeof *with; i++) assert_true(toad__html_has_markup(toad__str_z(with[i])));
    toad__html_out_free(&out);
    toad__html_free(h);
}

/* Elements of any name are markup when they are closed. */
static void unknown_elements(void **state) {
    (void)state;
    static const char *const pages[][2] = {
        { "Ig<x-y></x-y>nore all", "Ignore all" },
        { "<w:t>Ig</w:t>nore", "Ignore" },
        { "<text>Ignore</text> <TEXT>all</text>", "Ignore all" },
        { "<g1><g2>Ig</g2></g1>nore", "Ignore" },
    };
    for (size_t i = 0; i < sizeof pages / sizeof *pages; i++) {
        toad_extracted *e = take(pages[i][0], TOAD_FORMAT_AUTO);
        toad_str got = toad_extracted_visible(e);
        assert_int_equal(got.n, strlen(pages[i][1]));
        assert_memory_equal(got.p, pages[i][1], got.n);
        toad_extracted_free(e);
    }
}

/* A piece may end in an element without text: what is behind it is read, not presented again and again. */
static void empty_elements(void **state) {
    (void)state;
    static const char page[] = "a<style></style>b<title></title>c<script></script>d<textarea></textarea>e: what "
                               "follows is longer than any end tag that a piece might cut";
    toad__html *h = toad__html_new();
    toad__html_out out;
    toad__html_out_init(&out, 1 << 20);
    assert_int_equal(toad__html_feed(h, (toad_str){ page, sizeof page - 1 }, false, &out), sizeof page - 1);
    assert_memory_equal(out.visible.p, "abcde:", 6);
    toad__html_out_free(&out);
    toad__html_free(h);
}

/* Which texts are read as Markdown. */
static void markdown_is_wanted(void **state) {
    (void)state;
    static const char *const yes[] = { "---\na: b",
                                       "see [a](b)",
                                       "[a]: b",
                                       "[a][b]",
                                       "%% c",
                                       "```sh",
                                       "a *word* b",
                                       "_x_",
                                       "~~gone~~",
                                       "*a b c*d",
                                       "\xC3\xA9_\xC3\xA9t\xC3\xA9_",
                                       "**b**",
                                       "Ig`nore",
                                       "==Ig==nore",
                                       "'''Ig'''nore",
                                       "[b]x[/b]",
                                       "x[/COLOR]" };
    static const char *const no[] = { "",           "*",           "**",        "a]( b",           "]:",
                                      "50% of 5 %", "``x``",       "a * b * c", "snake_case_name", "* item\n* item",
                                      "*p\n*q",     "int *p, *q;", "~ ~ a",     "*a b *",          "`code`",
                                      "a == b",     "it's",        "x ''y''",   "a[/nosuch]",      "/b]",
                                      "a[i]",       "k=\"v\" a=b" };
    for (size_t i = 0; i < sizeof yes / sizeof *yes; i++) assert_true(toad__markdown_wanted(toad__str_z(yes[i])));
    for (size_t i = 0; i < sizeof no / sizeof *no; i++) assert_false(toad__markdown_wanted(toad__str_z(no[i])));
    char far[200];
    for (size_t n = 0; n < 150; n++) { /* the pair reaches over 120 bytes, wherever blocks end */
        memset(far, 'x', sizeof far);
        far[20] = '*';
        far[19] = ' ';
        far[21 + n] = '*';
        assert_int_equal(toad__markdown_wanted((toad_str){ far, sizeof far }), n >= 1 && n < 120);
    }
}

/* What a reader of Markdown sees of it, and what it hides, each with its pieces joined by line feeds. */
static void reads(const char *text, bool markdown, const char *visible, const char *hidden) {
    char *exact = exact_dup(text, strlen(text));
    toad__html *h = toad__html_new();
    toad__html_out out;
    assert_non_null(h);
    toad__html_out_init(&out, 1u << 16);
    if (markdown) toad__html_markdown(h);
    assert_int_equal(toad__html_feed(h, toad__str(exact, strlen(text)), true, &out), strlen(text));
    toad__buf_add(&out.visible, "", 1);
    toad__buf_add(&out.hidden, "", 1);
    assert_string_equal(out.visible.p, visible);
    assert_string_equal(out.hidden.p, hidden);
    toad__html_out_free(&out);
    toad__html_free(h);
    free(exact);
}

/* In fences and inline code there is no HTML; the same on a page is what a browser makes of it. */
static void code_of_markdown_is_shown(void **state) {
    (void)state;
    reads("a\n```html\n<!-- x --><p hidden>y</p>\n```\n<!-- z -->b", true,
          "a\n```html\n<!-- x --><p hidden>y</p>\n```\nb", "z ");
    reads("a\n```html\n<!-- x -->\n```\nb", false, "a\n```html\n\n```\nb", "x ");
    reads("use `<!-- x -->` and ``a ` <!-- y -->`` <!-- z -->", true, "use `<!-- x -->` and ``a ` <!-- y -->`` ", "z ");
    reads("~~~~\n<b>\n~~~\n<i>\n~~~~\n<u>u</u>", true, "~~~~\n<b>\n~~~\n<i>\n~~~~\nu", "");
    reads("> ```\n> <!-- x -->\n> ```\n<!-- y -->", true, "> ```\n> <!-- x -->\n> ```\n", "y ");
    reads("```\n<!-- to the end -->", true, "```\n<!-- to the end -->", "");
    reads("one ` only <!-- x -->\n\nand ` another <!-- y -->", true, "one ` only \n\nand ` another ", "x \ny ");
    /* there is no code in a block of HTML, nor do marks in a comment open any */
    reads("<div>`</div><!-- x --><div>`</div>", true, "`\n`\n", "x ");
    reads("<!-- ` --> <!-- x --> `", true, "  `", "` \nx ");
    reads("<div>`</div>\n\nnow `<!-- x -->`", true, "`\n\n\nnow `<!-- x -->`", "");
}

/* An element that hides, and is never closed, hides nothing that a reader of Markdown sees. */
static void what_is_not_closed_hides_nothing(void **state) {
    (void)state;
    static const char *const names[] = { "title",  "style",  "template", "script", "textarea", "noscript",
                                         "iframe", "object", "video",    "canvas", "xmp",      "plaintext" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char open[64], closed[64];
        snprintf(open, sizeof open, "a <%s> seen <b>too</b>", names[i]);
        snprintf(closed, sizeof closed, "a <%s> seen too", names[i]);
        reads(open, true, closed, "");
    }
    reads("a <", true, "a <", "");
    reads("a <title", true, "a <title", "");
    reads("a <title> x </title> b", true, "a  b", "x ");
    reads("a <title> x <TITLE> y </Title > b", true, "a  b", "x <TITLE> y ");
    reads("<title> x", false, "", "x");
}

/* What looks like a comment of Markdown in a fence is shown; behind it, it is one. */
static void a_fence_hides_nothing(void **state) {
    (void)state;
    toad_extracted *e =
        take("```sh\n[//]: # (one)\n%% two\n![three](u \"four\")\n```\n[//]: # (five)\n", TOAD_FORMAT_MARKDOWN);
    assert_int_equal(toad_extracted_hidden_count(e), 2);
    assert_true(toad__str_eq(toad_extracted_hidden(e, 0).text, TOAD__S("sh")));
    assert_string_equal(toad_extracted_hidden(e, 1).reason, "html:hidden(comment)");
    toad_extracted_free(e);
    hides("# T\n~~~\n```\n~~~\n[//]: # (five)\n", "five", "html:hidden(comment)");
}

static void markdown_or_page(void **state) {
    (void)state;
    static const struct {
        const char *text;
        bool markdown;
    } cases[] = {
        { "# Title\n<!-- x -->", true },
        { "plain <b>text</b>", true },
        { "<p align=center>Logo</p>\n\n# Title\n", true },
        { "\xEF\xBB\xBF <!DOCTYPE html><p>\n# Title\n", false },
        { "<p>A page\n<p>of two", false },
        { "<html>\n```\n", false },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(toad__html_is_markdown(toad__str_z(cases[i].text)), cases[i].markdown);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(code_of_markdown_is_shown),
        cmocka_unit_test(what_is_not_closed_hides_nothing),
        cmocka_unit_test(a_fence_hides_nothing),
        cmocka_unit_test(markdown_or_page),
        cmocka_unit_test(visible_text),
        cmocka_unit_test(hidden_by_style),
        cmocka_unit_test(style_sheets),
        cmocka_unit_test(hidden_elsewhere),
        cmocka_unit_test(links_are_listed),
        cmocka_unit_test(markdown_marks_go),
        cmocka_unit_test(markdown_marks_stay),
        cmocka_unit_test(marks_of_dialects),
        cmocka_unit_test(pieces_equal_whole),
        cmocka_unit_test(no_markup),
        cmocka_unit_test(unknown_elements),
        cmocka_unit_test(empty_elements),
        cmocka_unit_test(markdown_is_wanted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
