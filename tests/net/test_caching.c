/* test_caching.c - dates, Cache-Control, Retry-After: the examples of the standards, and what servers send instead. */
#include "net/caching.h"
#include "tests/check.h"

#include "lib/base/str.h"
#include "tests/support/exact.h"

#define NOW  INT64_C(784111777) /* 1994-11-06 08:49:37 */
#define DATE "Sun, 06 Nov 1994 08:49:37 GMT"

static bool date(const char *text, int64_t *ret) {
    size_t n = strlen(text);
    char *exact = exact_dup(text, n);
    bool ok = toad__http_date(toad__str(exact, n), ret);
    free(exact);
    return ok;
}

static void dates(void **state) {
    (void)state;
    static const struct {
        const char *text;
        int64_t at;
    } good[] = {
        { DATE, NOW },
        { "Sunday, 06-Nov-94 08:49:37 GMT", NOW },
        { "Sun Nov  6 08:49:37 1994", NOW },
        { "Thu, 01 Jan 1970 00:00:00 GMT", 0 },
        { " Thu, 29 Feb 2024 23:59:60 GMT ", 1709251200 },
        { "Wed Nov 16 08:49:37 1994", NOW + 10 * 86400 },
        { "Friday, 01-Jan-27 00:00:00 GMT", 1798761600 },
    };
    static const char *const bad[] = { "",
                                       "0",
                                       "-1",
                                       "now",
                                       "Sun, 06 Nov 1994 08:49:37",
                                       "Sun, 06 Nov 1994 08:49:37 UTC",
                                       "Sun, 31 Feb 1994 08:49:37 GMT",
                                       "Sun, 29 Feb 2023 08:49:37 GMT",
                                       "Sun, 06 Nov 1994 24:49:37 GMT",
                                       "Sun, 06 Nov 1994 08:60:37 GMT",
                                       "Sun, 06 nov 1994 08:49:37 GMT",
                                       "Sun, 6 Nov 1994 08:49:37 GMT",
                                       "Sun, 06 Nov 1994 08:49:37 GMT+1",
                                       "Sun Nov  6 08:49:37 1994 x",
                                       "1994-11-06T08:49:37Z",
                                       "Sun, 06 Nov 1994 -8:49:37 GMT",
                                       "S, 06 Nov 1994 08:49:37 GMT" };
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        int64_t at = -1;
        if (!date(good[i].text, &at) || at != good[i].at) fail_msg("%s: %lld", good[i].text, (long long)at);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        int64_t at;
        if (date(bad[i], &at)) fail_msg("%s", bad[i]);
    }
}

static void retry_after(void **state) {
    (void)state;
    int64_t s;
    assert_true(toad__retry_after(TOAD__S(" 120 "), NOW, &s) && s == 120);
    assert_true(toad__retry_after(TOAD__S("0"), NOW, &s) && s == 0);
    assert_true(toad__retry_after(TOAD__S("99999999999999999999999"), NOW, &s) && s == TOAD__FRESH_MAX);
    assert_true(toad__retry_after(TOAD__S(DATE), NOW - 30, &s) && s == 30);
    assert_true(toad__retry_after(TOAD__S(DATE), NOW + 30, &s) && s == 0);
    assert_false(toad__retry_after(TOAD__S("-1"), NOW, &s));
    assert_false(toad__retry_after(TOAD__S("soon"), NOW, &s));
    assert_false(toad__retry_after(TOAD__S(""), NOW, &s));
}

static void lifetimes(void **state) {
    (void)state;
    static const struct {
        const char *control, *expires, *date, *age, *vary;
        int64_t fresh;
        bool no_store;
    } rows[] = {
        { "", "", "", "", "", -1, false },
        { "max-age=60", "", "", "", "", 60, false },
        { "public, MAX-AGE=60 , must-revalidate", "", "", "", "", 60, false },
        { "max-age=60", "", "", "20", "", 40, false },
        { "max-age=60", "", "", "61", "", 0, false },
        { "max-age=60", "", "", "old", "", 0, false },
        { "max-age=\"60\"", "", "", "", "", 60, false },
        { "max-age=60, max-age=10", "", "", "", "", 10, false },
        { "max-age=-1", "", "", "", "", 0, false },
        { "max-age", "", "", "", "", 0, false },
        { "max-age=60s", "", "", "", "", 0, false },
        { "max-age=99999999999999999999", "", "", "", "", TOAD__FRESH_MAX, false },
        { "no-cache, max-age=60", "", "", "", "", 0, false },
        { "no-cache=\"a, max-age=5\"", "", "", "", "", 0, false },
        { "x=\"no-store, max-age=5\"", "", "", "", "", -1, false },
        { "x=\"\\\"no-store", "", "", "", "", -1, false },
        { "no-store", "", "", "", "", -1, true },
        { "max-age=60", "", "", "", "Accept, *", 60, true },
        { "max-age=60", "", "", "", "Accept, Accept-Encoding", 60, false },
        { "s-maxage=60", "", "", "", "", -1, false },
        { "", "Sun, 06 Nov 1994 08:50:37 GMT", DATE, "", "", 60, false },
        { "", "Sun, 06 Nov 1994 08:50:37 GMT", "", "", "", 60, false },
        { "", "Sun, 06 Nov 1994 08:48:37 GMT", DATE, "", "", 0, false },
        { "", "0", DATE, "", "", 0, false },
        { "max-age=5", "Sun, 06 Nov 1994 08:50:37 GMT", DATE, "", "", 5, false },
        { ",,, ;= max-age=5,", "", "", "", "", -1, false },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        toad__caching_fields f = { toad__str_z(rows[i].control),
                                   toad__str_z(rows[i].expires),
                                   toad__str_z(rows[i].date),
                                   toad__str_z(rows[i].age),
                                   toad__str_z(rows[i].vary),
                                   { NULL, 0 },
                                   { NULL, 0 } };
        toad__caching c = toad__caching_of(&f, NOW);
        if (c.fresh_s != rows[i].fresh || c.no_store != rows[i].no_store)
            fail_msg("row %zu: %lld %d", i, (long long)c.fresh_s, (int)c.no_store);
    }
}

/* What is sent back must be what a server can have meant, on one line. */
static void validators(void **state) {
    (void)state;
    static const char *const bad[] = { "abc",     "\"",      "\"a",           "a\"",     "\"a\"b\"",
                                       "w/\"a\"", "\"a b\"", "\"a\r\nX: y\"", "\"\xe9\"" };
    char longest[TOAD__ETAG_MAX + 1];
    toad__caching_fields f = { .etag = TOAD__S(" W/\"a-b\" "), .modified = TOAD__S(DATE) };
    toad__caching c = toad__caching_of(&f, NOW);
    assert_string_equal(c.etag, "W/\"a-b\"");
    assert_string_equal(c.modified, DATE);
    assert_true(toad__caching_is_valid(&c));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        f = (toad__caching_fields){ .etag = toad__str_z(bad[i]), .modified = toad__str_z(bad[i]) };
        c = toad__caching_of(&f, NOW);
        if (*c.etag || *c.modified) fail_msg("%s", bad[i]);
        memcpy(c.etag, bad[i], strlen(bad[i]) + 1);
        assert_false(toad__caching_is_valid(&c));
    }
    memset(longest, 'a', sizeof longest);
    longest[0] = longest[TOAD__ETAG_MAX - 2] = '"';
    f.etag = toad__str(longest, TOAD__ETAG_MAX - 1);
    assert_int_equal(strlen(toad__caching_of(&f, NOW).etag), TOAD__ETAG_MAX - 1);
    longest[TOAD__ETAG_MAX - 2] = 'a';
    longest[TOAD__ETAG_MAX - 1] = '"';
    f.etag = toad__str(longest, TOAD__ETAG_MAX);
    assert_int_equal(strlen(toad__caching_of(&f, NOW).etag), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = { cmocka_unit_test(dates), cmocka_unit_test(retry_after),
                                        cmocka_unit_test(lifetimes), cmocka_unit_test(validators) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
