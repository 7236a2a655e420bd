/* test_robots.c - robots.txt by the examples of RFC 9309, and by files that want to cost much. */
#include "lib/base/str.h"
#include "net/robots.h"
#include "tests/check.h"
#include "tests/support/exact.h"

typedef struct row {
    const char *robots, *target;
    bool allowed;
} row;

static bool allowed(const char *robots, size_t n, const char *target) {
    char *exact = exact_dup(robots, n);
    bool ok = toad__robots_allow(toad__str(exact, n), TOAD__S("toadstone"), toad__str_z(target));
    free(exact);
    return ok;
}

static void check(const row *rows, size_t n) {
    for (size_t i = 0; i < n; i++) {
        bool got = allowed(rows[i].robots, strlen(rows[i].robots), rows[i].target);
        if (got != rows[i].allowed) print_error("row %zu: %s %s\n", i, rows[i].robots, rows[i].target);
        assert_int_equal(got, rows[i].allowed);
    }
}
#define CHECK(rows) check(rows, sizeof(rows) / sizeof *(rows))

static void test_groups(void **state) {
    (void)state;
    static const row rows[] = {
        { "", "/x", true },
        { "User-agent: *\nDisallow: /", "/x", false },
        { "User-agent: *\nDisallow:", "/x", true },
        { "Disallow: /", "/x", true }, /* belongs to no group */
        { "user-agent: TOADSTONE/1.0 (x)\ndisallow: /\n\nUser-agent: *\nAllow: /", "/x", false },
        { "User-agent: *\nDisallow: /\n\nUser-agent: toadstone\nDisallow: /y", "/x", true },
        { "User-agent: other\nDisallow: /", "/x", true },
        { "User-agent: toadstonebot\nDisallow: /", "/x", true },
        { "User-agent: other\nUser-agent: toadstone\nDisallow: /", "/x", false },
        { "User-agent: toadstone\nUser-agent: other\nDisallow: /", "/x", false },
        { "User-agent: toadstone\nDisallow: /a\nUser-agent: other\nDisallow: /", "/x", true },
        { "User-agent: toadstone\nDisallow: /a\n\nUser-agent: x\nDisallow: /z\n\nUser-agent: toadstone\nDisallow: /b",
          "/b", false },
        { "User-agent: toadstone\nSitemap: http://x/\nCrawl-delay: 9\nDisallow: /", "/x", false },
        { "\xef\xbb\xbfUser-agent : *  # all\r\nDisallow : /x # this\r\n", "/x", false },
        { "User-agent: *\rDisallow: /x\r", "/x", false },
        { "User-agent: *\nDisallow: /", "/robots.txt", true },
    };
    CHECK(rows);
}

#define ALL "User-agent: *\n"

static void test_rules(void **state) {
    (void)state;
    static const row rows[] = {
        { ALL "Disallow: /a\nAllow: /a/b", "/a/b/c", true },
        { ALL "Allow: /a/b\nDisallow: /a", "/a/c", false },
        { ALL "Disallow: /a\nAllow: /a", "/a", true },
        { ALL "Disallow: *.gif$", "/x/y.gif", false },
        { ALL "Disallow: *.gif$", "/x/y.gif?z", true },
        { ALL "Disallow: /*.php", "/x.php?y", false },
        { ALL "Disallow: /x$", "/x", false },
        { ALL "Disallow: /x$", "/xy", true },
        { ALL "Disallow: /a*b*c", "/a1b2b3c4", false },
        { ALL "Disallow: /a*b*c$", "/a1b2c3b4c", false },
        { ALL "Disallow: /a*b*c$", "/a1b2c3b4", true },
        { ALL "Disallow: /a*c*b", "/a1b2c3", true },
        { ALL "Disallow: /*", "/", false },
        { ALL "Disallow: *", "/x", false },
        { ALL "Disallow: $", "/x", true },
        { ALL "Disallow: /*$", "/x", false },
        { ALL "Disallow: /%7ex/%2F\xe3\x83\x84", "/~x/%2f%E3%83%84", false },
        { ALL "Disallow: /a%2Fb", "/a/b", true },
        { ALL "Disallow: /x?y", "/x?y=1", false },
        { ALL "Disallow: /X", "/x", true },
        { ALL "Disallow: /%4", "/%4", false },
    };
    CHECK(rows);
}

/* A file of rules that nearly match, on a path that nearly matches them: refused when the budget is spent. */
static void test_cost(void **state) {
    (void)state;
    size_t n = TOAD__ROBOTS_MAX;
    char *robots = malloc(n), target[4001];
    assert_non_null(robots);
    memcpy(robots, ALL, sizeof ALL - 1);
    for (size_t at = sizeof ALL - 1; at < n; at++)
        robots[at] = "Disallow: /*a*a*a*a*a*a*a*b\n"[(at - (sizeof ALL - 1)) % 28];
    memset(target, 'a', sizeof target - 1);
    target[0] = '/';
    target[4000] = 0;
    assert_false(allowed(robots, n, target));
    assert_true(allowed(robots, 28 + sizeof ALL - 1, target));
    free(robots);
}

int main(void) {
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_groups), cmocka_unit_test(test_rules),
                                        cmocka_unit_test(test_cost) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
