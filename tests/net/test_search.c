/* Saved answers of each service (tests/net/search), and answers that no service gives. */
#include "lib/base/str.h"
#include "net/search.h"
#include "tests/check.h"
#include "tests/support/exact.h"

#include <stdio.h>

typedef struct reading {
    toad__arena arena;
    toad__search_hit hits[TOAD__SEARCH_COUNT_MAX];
    size_t n;
    toad__search_answer answer;
    char *text;
} reading;

static reading read_text(const char *provider, const char *text, size_t size) {
    reading r = { .text = exact_dup(text, size) };
    toad__arena_init(&r.arena, (size_t)256 << 20);
    const toad__search_provider *p = toad__search_provider_find(toad__str_z(provider));
    assert_non_null(p);
    assert_int_equal(
        toad__search_read(p, toad__str(r.text, size), &r.arena, r.hits, TOAD__SEARCH_COUNT_MAX, &r.n, &r.answer),
        TOAD_OK);
    return r;
}

static reading read_file(const char *provider, const char *name) {
    static char page[1 << 16];
    char path[512];
    snprintf(path, sizeof path, "%s/tests/net/search/%s", TOAD_ROOT, name);
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    size_t n = fread(page, 1, sizeof page, f);
    fclose(f);
    return read_text(provider, page, n);
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

static void is_hit(const reading *r, size_t i, const char *title, const char *url, const char *snippet) {
    assert_true(i < r->n);
    is(r->hits[i].title, title);
    is(r->hits[i].url, url);
    is(r->hits[i].snippet, snippet);
}

static void saved_answers(void **state) {
    (void)state;
    reading r = read_file("duckduckgo", "duckduckgo.html");
    assert_int_equal(r.n, 3);
    is_hit(&r, 0, "How to descale a kettle & a coffee machine", "https://tea.example.com/descaling?page=1&full=yes",
           "Fill the kettle with equal parts of vinegar and water, boil, and wait for an hour. It's that simple.");
    is_hit(&r, 2, "Without a snippet", "https://bare.example.com/", "");
    assert_true(toad__str_find(r.hits[0].raw, TOAD__S("<b>kettle</b>"), 0) < r.hits[0].raw.n);
    done(&r);
    r = read_file("searxng", "searxng.json");
    assert_int_equal(r.n, 2);
    is_hit(&r, 0, "How to descale a kettle", "https://tea.example.com/descaling", "Vinegar & water, 1 < 2 hours.");
    done(&r);
    r = read_file("brave", "brave.json");
    assert_int_equal(r.n, 2);
    is_hit(&r, 0, "How to descale a kettle & more", "https://tea.example.com/descaling",
           "Fill the kettle with vinegar <5%>.");
    done(&r);
    r = read_file("tavily", "tavily.json");
    assert_int_equal(r.n, 2);
    is_hit(&r, 0, "How to descale a kettle", "https://tea.example.com/descaling", "Fill the kettle.\nBoil it.");
    done(&r);
}

static void means(const char *provider, const char *text, toad__search_answer want, size_t n) {
    reading r = read_text(provider, text, strlen(text));
    assert_int_equal(r.answer, want);
    assert_int_equal(r.n, n);
    done(&r);
}

static void no_answer_is_no_empty_list(void **state) {
    (void)state;
    const struct {
        const char *provider, *file;
        toad__search_answer want;
    } files[] = {
        { "duckduckgo", "duckduckgo-none.html", TOAD__SEARCH_HITS },
        { "duckduckgo", "duckduckgo-challenge.html", TOAD__SEARCH_LIMITED },
        { "duckduckgo", "tavily.json", TOAD__SEARCH_LIMITED },
        { "searxng", "searxng-none.json", TOAD__SEARCH_HITS },
        { "searxng", "searxng-silent.json", TOAD__SEARCH_LIMITED },
        { "searxng", "duckduckgo.html", TOAD__SEARCH_STRANGE },
        { "brave", "brave-none.json", TOAD__SEARCH_HITS },
        { "brave", "tavily.json", TOAD__SEARCH_STRANGE },
        { "tavily", "brave.json", TOAD__SEARCH_STRANGE },
    };
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        reading r = read_file(files[i].provider, files[i].file);
        assert_int_equal(r.answer, files[i].want);
        assert_int_equal(r.n, 0);
        done(&r);
    }
    means("duckduckgo", "", TOAD__SEARCH_LIMITED, 0);
    means("searxng", "", TOAD__SEARCH_STRANGE, 0);
    means("searxng", "[]", TOAD__SEARCH_STRANGE, 0);
    means("searxng", "{\"results\":{}}", TOAD__SEARCH_STRANGE, 0);
    means("searxng", "{\"results\":[1,null,{},{\"url\":7},{\"url\":\"\"},{\"url\":\"u\",\"title\":null}]}",
          TOAD__SEARCH_HITS, 1);
    means("searxng", "{\"results\":[],\"results\":[]}", TOAD__SEARCH_STRANGE, 0);
    means("tavily", "{\"results\":[{\"url\":\"u\",\"title\":\"\\ud800\"}]}", TOAD__SEARCH_STRANGE, 0);
    means("brave", "{\"type\":\"search\",\"web\":7}", TOAD__SEARCH_HITS, 0);
}

static void redirect(const char *href, const char *want) {
    char page[2048];
    snprintf(page, sizeof page, "<div class='result'><a class='x result__a' href='%s'>t</a>", href);
    reading r = read_text("duckduckgo", page, strlen(page));
    is_hit(&r, 0, "t", want, "");
    done(&r);
}

static void redirects_are_undone(void **state) {
    (void)state;
    redirect("//duckduckgo.com/l/?uddg=https%3A%2F%2Fa.example%2F%3Fb%3D%2520c&amp;rut=1", "https://a.example/?b=%20c");
    redirect("https://html.duckduckgo.com/l/?x=1&uddg=http%3a%2f%2fa%2f", "http://a/");
    redirect("https://evil-duckduckgo.com/l/?uddg=https%3A%2F%2Fa%2F",
             "https://evil-duckduckgo.com/l/?uddg=https%3A%2F%2Fa%2F");
    redirect("//duckduckgo.com/l/?uddg=javascript%3Aalert(1)", "javascript:alert(1)");
    redirect("//duckduckgo.com/l/?uddg=", "");
    redirect("//duckduckgo.com/l/?uddgx=1", "https://duckduckgo.com/l/?uddgx=1");
    redirect("//duckduckgo.com/l/?uddg=%zz%4", "%zz%4");
    redirect("javascript:alert(1)", "javascript:alert(1)");
}

static void asks(const char *provider, const toad__search_query *q, const char *url, const char *body) {
    toad__arena arena;
    toad_str got;
    toad__http_request request;
    toad__arena_init(&arena, 1u << 20);
    assert_int_equal(toad__search_ask(toad__search_provider_find(toad__str_z(provider)), q, &arena, &got, &request),
                     TOAD_OK);
    is(got, url);
    is(request.body, body);
    toad__arena_free(&arena);
}

static void questions(void **state) {
    (void)state;
    toad__search_query q = { .text = TOAD__S("a\xc3\xa4\n&=#%"), .count = 5 };
    asks("duckduckgo", &q, "https://html.duckduckgo.com/html/?q=a%C3%A4%0A%26%3D%23%25", "");
    asks("tavily", &q, "https://api.tavily.com/search", "{\"query\":\"a\xc3\xa4\\n&=#%\",\"max_results\":5}");
    q.endpoint = TOAD__S("http://127.0.0.1:1/search?categories=general");
    asks("searxng", &q, "http://127.0.0.1:1/search?categories=general&q=a%C3%A4%0A%26%3D%23%25&format=json", "");
    assert_true(toad__search_is_region(TOAD__S("us-en")));
    assert_false(toad__search_is_region(TOAD__S("US-en")) || toad__search_is_region(TOAD__S("us-e&")) ||
                 toad__search_is_region(TOAD__S("usaen")) || toad__search_is_region(TOAD__S("us-enx")));
}

static void no_more_than_asked_for(void **state) {
    (void)state;
    toad__buf page;
    toad__buf_init(&page, 64u << 20);
    for (int i = 0; i < 10000; i++)
        toad__buf_add_z(
            &page,
            "<div class=result><a class=result__a href=https://a.example/>t</a><a class=result__snippet>s</a></div>");
    reading r = read_text("duckduckgo", page.p, page.n);
    assert_int_equal(r.n, TOAD__SEARCH_COUNT_MAX);
    done(&r);
    toad__buf_free(&page);
}

int main(void) {
    const struct CMUnitTest tests[] = { cmocka_unit_test(saved_answers), cmocka_unit_test(no_answer_is_no_empty_list),
                                        cmocka_unit_test(redirects_are_undone), cmocka_unit_test(questions),
                                        cmocka_unit_test(no_more_than_asked_for) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
