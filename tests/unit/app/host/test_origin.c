/* One name for one place, never the same for two: app/host/origin.c. */
#include "app/host/origin.h"
#include "lib/base/str.h"
#include "tests/check.h"
#include "tests/support/exact.h"

#include <stdlib.h>

static void check(const char *source, const char *url, const char *host, const char *domain) {
    toad__arena arena;
    toad__origin o;
    toad__arena_init(&arena, 1u << 20);
    char *copy = exact_dup(source, strlen(source));
    assert_int_equal(toad__origin_of(toad__str(copy, strlen(source)), &arena, &o), TOAD_OK);
    free(copy);
    assert_string_equal(o.url.p, url);
    assert_string_equal(o.host.n ? o.host.p : "", host);
    assert_int_equal(o.domain.n, strlen(domain));
    assert_true(!o.domain.n || !memcmp(o.domain.p, domain, o.domain.n));
    toad__arena_free(&arena);
}

static void one_spelling(void **state) {
    (void)state;
    const char *want = "https://docs.example.co.uk/a?b=1";
    const char *const spellings[] = {
        "https://docs.example.co.uk/a?b=1",
        "HTTPS://DOCS.Example.CO.UK/a?b=1",
        "https://docs.example.co.uk:443/a?b=1#part",
        "https:\\\\docs.example.co.uk\\a?b=1",
        "https://docs.example.co.uk./a?b=1",
        "https://user:pass@evil.example@docs.example.co.uk/a?b=1",
        " https://docs.ex\tample.co.uk/a?b=1\n",
        "https://docs.%65xample.co.uk/a?b=1",
        "https:///docs.example.co.uk/a?b=1",
        "https://docs.\xef\xbd\x85xample.co.uk/a?b=1",
        ("https://docs.example\xe3\x80\x82" /* two literals: \x82c would be one escape */
         "co.uk/a?b=1"),
    };
    for (size_t i = 0; i < sizeof spellings / sizeof *spellings; i++)
        check(spellings[i], want, "docs.example.co.uk", "example.co.uk");
}

static void domains(void **state) {
    (void)state;
    check("https://example.com", "https://example.com/", "example.com", "example.com");
    check("https://a.b.example.com:8443/x", "https://a.b.example.com:8443/x", "a.b.example.com", "example.com");
    check("https://alice.github.io/x", "https://alice.github.io/x", "alice.github.io", "alice.github.io");
    check("https://github.io/", "https://github.io/", "github.io", "github.io");
    check("http://localhost:8080/", "http://localhost:8080/", "localhost", "localhost");
    check("https://e.com:0443/", "https://e.com/", "e.com", "e.com");
    check("http://0x7f.1/", "http://127.0.0.1/", "127.0.0.1", "127.0.0.1");
    check("http://[::1]:80/", "http://[0:0:0:0:0:0:0:1]/", "[0:0:0:0:0:0:0:1]", "[0:0:0:0:0:0:0:1]");
    check("http://b\xc3\xbc"
          "cher.example/",
          "http://xn--bcher-kva.example/", "xn--bcher-kva.example", "xn--bcher-kva.example");
    check("https://example.com.evil.org/", "https://example.com.evil.org/", "example.com.evil.org", "evil.org");
    check("https://e.com/a b\xc3\xa9|<x>?q=\\ \"#f", "https://e.com/a%20b%C3%A9%7C%3Cx%3E?q=%5C%20%22", "e.com",
          "e.com");
    check("https://example.com@evil.org/", "https://evil.org/", "evil.org", "evil.org");
}

/* Look-alikes inherit nothing: each is a name of its own. */
static void look_alikes(void **state) {
    (void)state;
    check("https://p\xd0\xb0ypal.com/", "https://xn--pypal-4ve.com/", "xn--pypal-4ve.com", "xn--pypal-4ve.com");
    check("https://\xd1\x80\xd0\xb0\xd1\x83\xd1\x80\xd0\xb0l.com/", "https://xn--l-7sba6dbr.com/", "xn--l-7sba6dbr.com",
          "xn--l-7sba6dbr.com");
    check("https://paypa1.com/", "https://paypa1.com/", "paypa1.com", "paypa1.com");
    check("https://paypal.com.co/", "https://paypal.com.co/", "paypal.com.co", "paypal.com.co");
    check("https://i\xe2\x9d\xa4.ws/", "https://i%E2%9D%A4.ws/", "i%E2%9D%A4.ws", "i%E2%9D%A4.ws");
}

static void no_urls(void **state) {
    (void)state;
    check("web_search", "web_search", "", "");
    check("", "", "", "");
    check("notes/a b.txt", "notes/a b.txt", "", "");
    check("https://", "https://", "", "");
    check("https:///", "https:///", "", "");
    check("://x", "://x", "", "");
    check("https://e.com:x/", "https://e.com:x/", "", "");
    check("https://e.com:70000/", "https://e.com:70000/", "", "");
    check("ht://[::1]../", "ht://[::1]../", "", "");
    check("https://evil.c\xe2\x84\x80.example.com/", "https://evil.c\xe2\x84\x80.example.com/", "", "");
    check("http://a%2fb.com/", "http://a%2fb.com/", "", "");
    check("mailto:a@b.example", "mailto:a@b.example", "", "");
}

static void hosts(void **state) {
    (void)state;
    toad__arena arena;
    toad__origin o;
    toad__arena_init(&arena, 1u << 20);
    assert_int_equal(toad__origin_of_host(TOAD__S("CO.uk"), &arena, &o), TOAD_OK);
    assert_true(o.suffix);
    assert_int_equal(toad__origin_of_host(TOAD__S("Docs.Python.ORG"), &arena, &o), TOAD_OK);
    assert_string_equal(o.host.p, "docs.python.org");
    assert_string_equal(o.domain.p, "python.org");
    assert_false(o.suffix);
    assert_int_equal(toad__origin_of_host(TOAD__S("a b"), &arena, &o), TOAD_OK);
    assert_int_equal(o.host.n, 0);
    assert_int_equal(toad__origin_of_host(TOAD__S(""), &arena, &o), TOAD_OK);
    assert_int_equal(o.host.n, 0);
    toad__arena_free(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = { cmocka_unit_test(one_spelling), cmocka_unit_test(domains),
                                        cmocka_unit_test(look_alikes), cmocka_unit_test(no_urls),
                                        cmocka_unit_test(hosts) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
