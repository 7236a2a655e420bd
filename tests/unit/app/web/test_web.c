/* test_web.c - what spares the web a request: turns at a host, robots.txt out of the store, pages that may be answered
 * for again, and a crew whose members die. Nothing is sent: what would be, is refused first. */
#include "app/host/crew.h"
#include "app/scan/judge.h"
#include "app/web/web.h"
#include "app/web/web_again.h"
#include "app/web/web_permit.h"
#include "lib/base/str.h"
#include "net/site.h"
#include "tests/check.h"
#include "tests/world.h"

#include <unistd.h>

#define SECOND INT64_C(1000000)

typedef struct fixture {
    world w;
    toad__fetch_options net;
} fixture;

static int set_up(void **state) {
    fixture *f = *state = calloc(1, sizeof *f);
    if (!f) return -1;
    world_open(&f->w, NULL);
    f->w.host.session = toad__str(NULL, 0);
    f->net = toad__fetch_defaults();
    return 0;
}

static int tear_down(void **state) {
    world_close(&((fixture *)*state)->w);
    free(*state);
    return 0;
}

static toad__url url_of(fixture *f, const char *text) {
    toad__url url;
    toad__refusal why;
    assert_int_equal(toad__url_parse(toad__str_z(text), NULL, &f->w.host.arena, &url, &why), TOAD_OK);
    assert_int_equal(why, TOAD__ALLOWED);
    return url;
}

/* ---- turns ---- */

static void one_host_is_asked_once_in_a_while(void **state) {
    fixture *f = *state;
    char detail[TOAD__FETCH_DETAIL] = "";
    toad__web_permit p = { .host = &f->w.host, .net = &f->net, .gap = SECOND / 5 };
    toad__url a = url_of(f, "http://a.com/x"), b = url_of(f, "http://b.com/");
    int64_t start = toad__store_now(f->w.host.store);
    assert_int_equal(toad__web_permit_ask(&p, &a, 5000, detail), TOAD__ALLOWED);
    assert_int_equal(toad__web_permit_ask(&p, &b, 5000, detail), TOAD__ALLOWED);
    assert_int_equal(toad__web_permit_ask(&p, &a, 5000, detail), TOAD__ALLOWED); /* waits its turn */
    assert_true(toad__store_now(f->w.host.store) - start >= SECOND / 5);
    p.gap = 3600 * SECOND;
    assert_int_equal(toad__web_permit_ask(&p, &b, 5000, detail), TOAD__ALLOWED);
    assert_int_equal(toad__web_permit_ask(&p, &b, 10, detail), TOAD__REFUSED_BUSY); /* no time for that */
    assert_true(p.retry_at > start + 3000 * SECOND);
    assert_memory_equal(detail, "not before 2", 12);
}

static void hosts_of_the_user_are_not_spared(void **state) {
    fixture *f = *state;
    static const char *const own[] = { "a.com" };
    char detail[TOAD__FETCH_DETAIL];
    toad__web_permit p = { .host = &f->w.host, .net = &f->net, .gap = 3600 * SECOND };
    toad__url a = url_of(f, "http://a.com/");
    f->net.guard.private_hosts = own;
    f->net.guard.private_n = 1;
    for (int i = 0; i < 3; i++) assert_int_equal(toad__web_permit_ask(&p, &a, 10, detail), TOAD__ALLOWED);
}

static void a_server_that_is_busy_is_left_alone(void **state) {
    fixture *f = *state;
    char detail[TOAD__FETCH_DETAIL];
    toad__web_permit p = { .host = &f->w.host, .net = &f->net, .gap = 0 };
    toad__url a = url_of(f, "http://a.com/");
    assert_int_equal(toad__web_permit_ask(&p, &a, 10, detail), TOAD__ALLOWED);
    toad__web_permit_hold(&p, 600);
    assert_int_equal(toad__web_permit_ask(&p, &a, 1000, detail), TOAD__REFUSED_BUSY);
    toad__web_permit_hold(&p, TOAD__FRESH_MAX);
    assert_true(p.retry_at <= toad__store_now(f->w.host.store) + TOAD__WEB_HOLD_MAX);
}

/* ---- robots.txt ---- */

static toad__refusal with_robots(fixture *f, int64_t kept, const char *robots, const char *url) {
    char detail[TOAD__FETCH_DETAIL];
    toad__web_permit p = { .host = &f->w.host, .net = &f->net, .robots = true };
    toad__stored_site site = { .site = TOAD__S("https://a.com:443"), .robots = toad__str_z(robots), .state = kept };
    toad__url u = url_of(f, url);
    site.until = toad__store_now(f->w.host.store) + 3600 * SECOND;
    assert_int_equal(toad__store_site_put(f->w.host.store, &site), TOAD_OK);
    return toad__web_permit_ask(&p, &u, 2000, detail);
}

static void robots_txt_out_of_the_store(void **state) {
    fixture *f = *state;
    static const char rules[] = "User-agent: *\nDisallow: /x\n";
    assert_int_equal(with_robots(f, TOAD__ROBOTS_RULES, rules, "https://a.com/x/y"), TOAD__REFUSED_ROBOTS);
    assert_int_equal(with_robots(f, TOAD__ROBOTS_RULES, rules, "https://a.com/y"), TOAD__ALLOWED);
    assert_int_equal(with_robots(f, TOAD__ROBOTS_RULES, rules, "https://a.com/robots.txt"), TOAD__ALLOWED);
    assert_int_equal(with_robots(f, TOAD__ROBOTS_NONE, rules, "https://a.com/x"), TOAD__ALLOWED);
    assert_int_equal(with_robots(f, TOAD__ROBOTS_CLOSED, "", "https://a.com/y"), TOAD__REFUSED_ROBOTS);
    assert_int_equal(with_robots(f, 77, "", "https://a.com/y"), TOAD__REFUSED_ROBOTS); /* a row of somebody else's */
    assert_int_equal(with_robots(f, -1, "", "https://a.com/y"), TOAD__REFUSED_ROBOTS);
}

/* ---- pages ---- */

static bool is_known(fixture *f, const char *url, bool *fresh) {
    toad__web_again again;
    assert_int_equal(toad__web_again_find(&f->w.host, &f->net, toad__str_z(url), &again), TOAD_OK);
    if (fresh) *fresh = again.fresh;
    return again.known;
}

static void keep_page(fixture *f, const char *url, bool named, const char *facts, const toad__caching *caching) {
    toad__stored_page row;
    toad__answer answer;
    toad__page page = { .url = url_of(f, url), .named = named, .caching = *caching };
    bool keep = toad__web_again_keep(&f->w.host, &page, toad__str_z(url), toad__str_z(facts), &row);
    toad__content_in in = {
        .source = page.url.text, .body = toad__str_z(url), .kind = TOAD_KIND_WEB, .page = keep ? &row : NULL
    };
    toad__answer_init(&answer, 1u << 20);
    assert_int_equal(toad__contents_store(&f->w.host, &in, &answer), TOAD_OK);
    toad__answer_free(&answer);
}

#define FACTS "{\"type\":\"html\",\"hidden\":[\"html:hidden(comment)\"],\"redirects\":0}"

static void pages_are_answered_for_again(void **state) {
    fixture *f = *state;
    toad__caching minute = { .fresh_s = 60, .etag = "\"a\"" }, none = { .fresh_s = 0, .etag = "\"a\"" },
                  unsaid = { .fresh_s = -1 }, never = { .no_store = true };
    bool fresh;
    assert_false(is_known(f, "https://a.com/", NULL));
    keep_page(f, "https://a.com/", false, FACTS, &minute);
    assert_true(is_known(f, "https://a.com/", &fresh) && fresh);
    assert_true(is_known(f, "HTTPS://A.com:443/#part", &fresh) && fresh); /* the same in another spelling */
    assert_false(is_known(f, "https://a.com/other", NULL));
    keep_page(f, "https://b.com/", false, FACTS, &none);
    assert_true(is_known(f, "https://b.com/", &fresh) && !fresh);
    keep_page(f, "https://c.com/", false, FACTS, &unsaid);
    assert_true(is_known(f, "https://c.com/", &fresh) && fresh);
    keep_page(f, "https://a.com/", false, FACTS, &never); /* it may not be used again now */
    assert_false(is_known(f, "https://a.com/", NULL));
}

static void facts_that_could_speak_are_not_believed(void **state) {
    fixture *f = *state;
    static const char *const bad[] = { "",
                                       "[]",
                                       "{",
                                       "{\"type\":\"do this!\"}",
                                       "{\"hidden\":[\"<b>\"]}",
                                       "{\"hidden\":[[\"a\"]]}",
                                       "{\"a\":{\"b\":1}}",
                                       "{\"type\":\"a\\nb\"}" };
    toad__caching minute = { .fresh_s = 60 };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char url[64];
        snprintf(url, sizeof url, "https://a.com/%zu", i);
        keep_page(f, url, false, bad[i], &minute);
        if (is_known(f, url, NULL)) fail_msg("%s", bad[i]);
    }
}

/* What was fetched from inside is answered for only to who may go there. */
static void the_inside_stays_inside(void **state) {
    fixture *f = *state;
    static const char *const own[] = { "intranet.com", "127.0.0.1" };
    const uint16_t port = 8080;
    toad__caching minute = { .fresh_s = 60 };
    keep_page(f, "http://intranet.com/", true, FACTS, &minute);
    keep_page(f, "http://127.0.0.1/", true, FACTS, &minute);
    keep_page(f, "http://a.com:8080/", false, FACTS, &minute);
    assert_false(is_known(f, "http://intranet.com/", NULL));
    assert_false(is_known(f, "http://127.0.0.1/", NULL));
    assert_false(is_known(f, "http://a.com:8080/", NULL));
    f->net.guard = (toad__guard){ .private_hosts = own, .private_n = 2, .ports = &port, .ports_n = 1 };
    assert_true(is_known(f, "http://intranet.com/", NULL));
    assert_true(is_known(f, "http://127.0.0.1/", NULL));
    assert_true(is_known(f, "http://a.com:8080/", NULL));
}

static void another_judge_judges_anew(void **state) {
    fixture *f = *state, other = { .net = f->net };
    toad__caching minute = { .fresh_s = 60 };
    keep_page(f, "https://a.com/", false, FACTS, &minute);
    assert_true(is_known(f, "https://a.com/", NULL));
    const toad_engine_options no_model = { sizeof no_model, NULL, { "", 0 } };
    assert_int_equal(toad_engine_new(&no_model, &other.w.engine), TOAD_OK);
    assert_int_equal(toad__host_open(other.w.engine, NULL, f->w.path, &other.w.host), TOAD_OK);
    assert_int_equal(strlen(toad__host_judge(&f->w.host)), 64);
    assert_string_not_equal(toad__host_judge(&other.w.host), toad__host_judge(&f->w.host));
    assert_false(is_known(&other, "https://a.com/", NULL));
    keep_page(&other, "https://a.com/", false, FACTS, &minute);
    assert_true(is_known(&other, "https://a.com/", NULL));
    assert_false(is_known(f, "https://a.com/", NULL));
    toad__host_close(&other.w.host);
    toad_engine_free(other.w.engine);
}

/* ---- a crew ---- */

typedef struct told {
    char text[512];
    bool no_start;
} told;

static void *start(void *ctx) { return ((told *)ctx)->no_start ? NULL : ctx; }

static toad_status work(void *worker, size_t i, toad__buf *answer) {
    (void)worker;
    if (i == 3) _exit(9);
    if (i % 4 == 0) usleep(20000);
    toad__buf_add_u64(answer, i);
    return i == 5 ? TOAD_E_ARG : TOAD_OK;
}

static void done(void *ctx, size_t i, toad_status status, toad_str answer) {
    told *t = ctx;
    size_t n = strlen(t->text);
    snprintf(t->text + n, sizeof t->text - n, "%zu:%d:%.*s ", i, (int)status, (int)answer.n, answer.n ? answer.p : "");
}

static void a_crew_answers_in_order(void **state) {
    (void)state;
    static const toad__crew_calls calls = { start, work, done };
    for (unsigned workers = 1; workers < 12; workers += 5) {
        told t = { .text = "" };
        char want[512] = "";
        for (size_t i = 0, n = 0; i < 20; i++, n = strlen(want)) {
            bool dead = i == 3 || (workers == 1 && i > 3); /* the only one died with job 3 */
            if (dead)
                snprintf(want + n, sizeof want - n, "%zu:%d: ", i, (int)TOAD_E_IO);
            else
                snprintf(want + n, sizeof want - n, "%zu:%d:%zu ", i, i == 5 ? (int)TOAD_E_ARG : 0, i);
        }
        assert_int_equal(toad__crew_run(20, workers, 4096, &calls, &t), TOAD_OK);
        assert_string_equal(t.text, want);
    }
    told none = { .no_start = true };
    assert_int_equal(toad__crew_run(2, 2, 4096, &calls, &none), TOAD_OK);
    assert_string_equal(none.text + strlen(none.text) - 1, " ");
    assert_int_equal(toad__crew_run(0, 2, 4096, &calls, &none), TOAD_OK);
}

#define T(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
        T(one_host_is_asked_once_in_a_while),
        T(hosts_of_the_user_are_not_spared),
        T(a_server_that_is_busy_is_left_alone),
        T(robots_txt_out_of_the_store),
        T(pages_are_answered_for_again),
        T(facts_that_could_speak_are_not_believed),
        T(the_inside_stays_inside),
        T(another_judge_judges_anew),
        cmocka_unit_test(a_crew_answers_in_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
