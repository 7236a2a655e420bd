/* test_pages.c - what spares the web a request: pages under the URLs that were asked for, what sites ask of robots,
 * turns at a host. */
#include "tests/store/fixture.h"

static toad__stored_page stored(const char *url) {
    return (toad__stored_page){ .url = S(url),
                                .final_url = S("https://example.com/final"),
                                .etag = S("\"v1\""),
                                .modified = S("Sun, 06 Nov 1994 08:49:37 GMT"),
                                .judge = S("judge"),
                                .facts = S("{\"type\":\"html\"}"),
                                .lifetime = 60 * SECOND };
}

static toad__content content(const char *body, const toad__stored_page *page) {
    return (toad__content){ .url = S("https://example.com/final"),
                            .domain = S("example.com"),
                            .kind = S("web"),
                            .body = S(body),
                            .action = S("allow"),
                            .severity = S("none"),
                            .completeness = S("full"),
                            .confidence = S("low"),
                            .findings = S("[]"),
                            .page = page };
}

static void put(fixture *f, const char *url, const char *body, char id[24]) {
    toad__stored_page page = stored(url);
    page.fresh_until = f->clock + 60 * SECOND;
    toad__content c = content(body, &page);
    assert_ok(toad__store_contents_put(f->store, &c, 1, (char(*)[24])id));
}

static void pages_come_back(void **state) {
    fixture *f = *state;
    char id[24];
    toad__stored_page got;
    assert_int_equal(toad__store_page_get(f->store, S("https://a.com/"), &f->arena, &got), TOAD_E_NOT_FOUND);
    put(f, "https://a.com/", "one", id);
    assert_ok(toad__store_page_get(f->store, S("https://a.com/"), &f->arena, &got));
    assert_string_equal(got.content_id, id);
    assert_str(got.final_url, "https://example.com/final");
    assert_str(got.etag, "\"v1\"");
    assert_str(got.modified, "Sun, 06 Nov 1994 08:49:37 GMT");
    assert_str(got.judge, "judge");
    assert_str(got.facts, "{\"type\":\"html\"}");
    assert_true(!got.named && got.lifetime == 60 * SECOND && got.fetched_at == f->clock);
    assert_int_equal(got.fresh_until, f->clock + 60 * SECOND);
    put(f, "https://a.com/", "two", id);
    assert_ok(toad__store_page_get(f->store, S("https://a.com/"), &f->arena, &got));
    assert_string_equal(got.content_id, id);
    assert_ok(toad__store_page_drop(f->store, S("https://a.com/")));
    assert_int_equal(toad__store_page_get(f->store, S("https://a.com/"), &f->arena, &got), TOAD_E_NOT_FOUND);
    assert_chain(f);
}

/* A page lives as long as its content, and a renewed one as long as a new content. */
static void pages_perish_with_their_content(void **state) {
    fixture *f = *state;
    char id[24];
    uint64_t removed;
    toad__stored_page page;
    toad__content c;
    put(f, "https://a.com/", "one", id);
    f->clock += 23 * HOUR;
    assert_ok(toad__store_page_get(f->store, S("https://a.com/"), &f->arena, &page));
    assert_ok(toad__store_content_get(f->store, S(id), false, &f->arena, &c));
    page.etag = S("\"v2\"");
    page.fresh_until = f->clock + HOUR;
    assert_ok(toad__store_page_again(f->store, &page, true, &c, S("s1")));
    f->clock += 23 * HOUR;
    assert_ok(toad__store_page_get(f->store, S("https://a.com/"), &f->arena, &page));
    assert_str(page.etag, "\"v2\"");
    assert_ok(toad__store_page_again(f->store, &page, false, &c, S("")));
    f->clock += 2 * HOUR;
    assert_int_equal(toad__store_page_get(f->store, S("https://a.com/"), &f->arena, &page), TOAD_E_NOT_FOUND);
    assert_ok(toad__store_contents_purge(f->store, &removed));
    assert_int_equal(removed, 1);
    assert_string_equal(place_ask(&f->place, "SELECT count(*) FROM pages"), "0");
    assert_string_equal(place_ask(&f->place, "SELECT count(*) FROM session_contents WHERE session_id = 's1'"), "1");
    assert_string_equal(place_ask(&f->place, "SELECT count(*) FROM events WHERE type = 'fetch_cached'"), "2");
    assert_chain(f);
}

static void a_failed_put_leaves_no_page(void **state) {
    fixture *f = *state;
    char ids[2][24];
    toad__stored_page page = stored("https://a.com/"), got;
    toad__content two[] = { content("one", &page), content("two", NULL) };
    two[1].title = toad__str("\xff", 1);
    assert_int_equal(toad__store_contents_put(f->store, two, 2, ids), TOAD_E_ARG);
    assert_int_equal(toad__store_page_get(f->store, S("https://a.com/"), &f->arena, &got), TOAD_E_NOT_FOUND);
    assert_chain(f);
}

static void sites_are_known_for_a_time(void **state) {
    fixture *f = *state;
    uint64_t removed;
    toad__stored_site got, site = {
        .site = S("https://a.com:443"), .robots = toad__str("a\0\xff", 3), .state = 2, .until = f->clock + HOUR
    };
    assert_int_equal(toad__store_site_get(f->store, site.site, &f->arena, &got), TOAD_E_NOT_FOUND);
    assert_ok(toad__store_site_put(f->store, &site));
    assert_ok(toad__store_site_get(f->store, site.site, &f->arena, &got));
    assert_true(got.state == 2 && got.until == site.until && toad__str_eq(got.robots, site.robots));
    site.robots = S("");
    site.state = 1;
    assert_ok(toad__store_site_put(f->store, &site));
    assert_ok(toad__store_site_get(f->store, site.site, &f->arena, &got));
    assert_true(got.state == 1 && !got.robots.n);
    f->clock += HOUR;
    assert_int_equal(toad__store_site_get(f->store, site.site, &f->arena, &got), TOAD_E_NOT_FOUND);
    assert_ok(toad__store_contents_purge(f->store, &removed));
    assert_string_equal(place_ask(&f->place, "SELECT count(*) FROM sites"), "0");
}

static void turns_are_taken_in_a_queue(void **state) {
    fixture *f = *state;
    int64_t at, start = f->clock;
    uint64_t removed;
    for (int i = 0; i < 3; i++) {
        assert_ok(toad__store_visit(f->store, S("a.com"), SECOND, start + 2 * SECOND, &at));
        assert_int_equal(at, start + i * SECOND);
    }
    assert_ok(toad__store_visit(f->store, S("a.com"), SECOND, start + 2 * SECOND, &at)); /* too late: not taken */
    assert_int_equal(at, start + 3 * SECOND);
    assert_ok(toad__store_visit(f->store, S("a.com"), SECOND, start + 3 * SECOND, &at));
    assert_int_equal(at, start + 3 * SECOND);
    assert_ok(toad__store_visit(f->store, S("b.com"), SECOND, start, &at));
    assert_int_equal(at, start);
    assert_ok(toad__store_visit_hold(f->store, S("b.com"), start + HOUR));
    assert_ok(toad__store_visit_hold(f->store, S("b.com"), start + SECOND)); /* shortens nothing */
    assert_ok(toad__store_visit(f->store, S("b.com"), SECOND, start, &at));
    assert_int_equal(at, start + HOUR);
    f->clock += 2 * HOUR;
    assert_ok(toad__store_visit(f->store, S("b.com"), SECOND, f->clock, &at));
    assert_int_equal(at, f->clock);
    assert_ok(toad__store_contents_purge(f->store, &removed));
    assert_string_equal(place_ask(&f->place, "SELECT count(*) FROM visits"), "1");
}

static const struct CMUnitTest tests[] = {
    T(pages_come_back),
    T(pages_perish_with_their_content),
    T(a_failed_put_leaves_no_page),
    T(sites_are_known_for_a_time),
    T(turns_are_taken_in_a_queue),
};

RUN_ON_BOTH(tests)
