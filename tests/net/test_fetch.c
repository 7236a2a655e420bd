/* test_fetch.c - the fetch against servers that misbehave (server.py), on loopback and with a resolver of our own:
 * nothing leaves the machine.
 *
 * Names stand for hosts that the user named, or they would lead nowhere: the server is on loopback, which is what the
 * guard refuses. */
#include "lib/base/str.h"
#include "net/site.h"
#include "tests/check.h"

#include "tests/net/serving.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#ifdef __linux__
#include <sys/syscall.h>
#endif
#include <sys/wait.h>
#include <unistd.h>

enum { SLOW_MS = 700 };

static serving server;

static int start_server(void **state) {
    (void)state;
    return serving_start(&server, (const char *const[]){ "127.0.0.1", "127.0.0.2", NULL });
}

static int stop_server(void **state) {
    (void)state;
    return serving_stop(&server);
}

/* ---- one fetch ---- */

typedef struct outcome {
    toad__arena arena;
    toad__page page;
    toad__refusal why;
    char detail[TOAD__FETCH_DETAIL];
} outcome;

static const char *const loopback[] = { "127.0.0.1", "site.com" };

static toad__fetch_options options(void) {
    toad__fetch_options o = toad__fetch_defaults();
    o.guard.private_hosts = loopback;
    o.guard.private_n = 2;
    o.timeout_ms = 20000;
    return o;
}

static void fetch(const toad__fetch_options *o, const char *url, outcome *r) {
    toad__arena_init(&r->arena, 1u << 20);
    r->page = (toad__page){ 0 };
    assert_int_equal(toad__fetch(o, toad__str_z(url), &r->arena, &r->page, &r->why, r->detail), TOAD_OK);
}

static void done(outcome *r) {
    if (!r->why) toad__page_free(&r->page);
    toad__arena_free(&r->arena);
}

/* The code of what became of http://127.0.0.1:PORT<path>. */
static const char *result(const toad__fetch_options *o, const char *path) {
    char url[4096];
    outcome r;
    snprintf(url, sizeof url, "http://127.0.0.1:%u%s", server.port, path);
    fetch(o, url, &r);
    done(&r);
    return toad__refusal_code(r.why);
}

static void expect_text(const toad__fetch_options *o, const char *path, const char *want) {
    char url[4096];
    outcome r;
    snprintf(url, sizeof url, "http://127.0.0.1:%u%s", server.port, path);
    fetch(o, url, &r);
    if (r.why) print_error("%s: %s (%s)\n", path, toad__refusal_code(r.why), r.detail);
    assert_int_equal(r.why, TOAD__ALLOWED);
    if (!toad__str_eq(toad__buf_str(&r.page.text), toad__str_z(want)))
        print_error("%s: %.*s\n", path, (int)r.page.text.n, r.page.text.p);
    assert_true(toad__str_eq(toad__buf_str(&r.page.text), toad__str_z(want)));
    done(&r);
}

#define PAGE "<!doctype html><title>Hello</title><p>Hello, reader.</p>"

/* ---- tests ---- */

static void test_good_pages(void **state) {
    (void)state;
    toad__fetch_options o = options();
    expect_text(&o, "/ok", PAGE);
    expect_text(&o, "/gzip", PAGE);
    expect_text(&o, "/gzip-members", PAGE PAGE);
    expect_text(&o, "/deflate", PAGE);
    expect_text(&o, "/raw-deflate", PAGE);
    expect_text(&o, "/coding?name=identity", PAGE);
    expect_text(&o, "/empty", "");
    expect_text(&o, "/long", PAGE);    /* what comes after the declared length is not the page */
    expect_text(&o, "/refresh", PAGE); /* not followed */
    expect_text(&o, "/chain/5", PAGE);
    expect_text(&o, "/redirect?to=/ok", PAGE);
    expect_text(&o, "/redirect?to=/ok&to=/ok&status=307%20Again", PAGE);
    expect_text(&o, "/ok#fragment", PAGE);
}

static void test_request(void **state) {
    (void)state;
    toad__fetch_options o = options();
    char url[128], want[512];
    outcome r;
    setenv("http_proxy", "http://127.0.0.1:1/", 1);
    setenv("all_proxy", "http://127.0.0.1:1/", 1);
    snprintf(url, sizeof url, "http://127.0.0.1:%u/cookie", server.port);
    fetch(&o, url, &r);
    unsetenv("http_proxy");
    unsetenv("all_proxy");
    assert_int_equal(r.why, TOAD__ALLOWED);
    toad_str text = toad__buf_str(&r.page.text);
    snprintf(want, sizeof want, "GET /echo HTTP/1.1\r\nHost: 127.0.0.1:%u\r\nUser-Agent: toadstone/", server.port);
    assert_true(toad__str_starts(text, toad__str_z(want)));
    assert_true(toad__str_find(text, TOAD__S("Accept: text/markdown, text/html;q=0.9"), 0) < text.n);
    assert_int_equal(toad__str_find(text, TOAD__S("Cookie"), 0), text.n);
    assert_int_equal(toad__str_find(text, TOAD__S("Referer"), 0), text.n);
    assert_int_equal(toad__str_find(text, TOAD__S("Authorization"), 0), text.n);
    assert_int_equal(r.page.redirects, 1);
    assert_int_equal(r.page.status, 200);
    assert_int_equal(r.page.address.bytes[0], 127);
    assert_true(r.page.wire_bytes == text.n);
    done(&r);
}

static void test_redirects(void **state) {
    (void)state;
    static const char *const rows[][2] = {
        { "/chain/6", "redirects" },
        { "/loop", "redirect_loop" },
        { "/redirect?to=", "redirect_target" },
        { "/redirect", "redirect_target" },
        { "/redirect?to=/ok&to=/echo", "redirect_target" },
        { "/redirect?to=http://127.0.0.2/ok", "loopback" },
        { "/redirect?to=//127.0.0.2/", "loopback" },
        { "/redirect?to=http://169.254.169.254/", "metadata" },
        { "/redirect?to=http://2852039166/", "metadata" },
        { "/redirect?to=http://[::1]/", "loopback" },
        { "/redirect?to=http://[::ffff:10.0.0.1]/", "private" },
        { "/redirect?to=http:%5C%5C10.0.0.1%5C", "private" },
        { "/redirect?to=http://localhost/", "internal_name" },
        { "/redirect?to=http://u:p@127.0.0.1/", "credentials" },
        { "/redirect?to=file:///etc/passwd", "scheme" },
        { "/redirect?to=javascript:alert(1)", "scheme" },
        { "/redirect?to=gopher://127.0.0.1/", "scheme" },
        { "/redirect?to=http://a.com:22/", "unresolved" },
        { "/redirect?to=http://", "host" },
        { "/status/404", "status" },
        { "/status/500", "status" },
        { "/status/304", "status" },
        { "/status/206", "status" },
        { "/status/300", "status" },
    };
    toad__fetch_options o = options();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (strstr(rows[i][0], "a.com:22")) continue; /* no name server is asked here */
        if (strcmp(result(&o, rows[i][0]), rows[i][1]) != 0) print_error("%s\n", rows[i][0]);
        assert_string_equal(result(&o, rows[i][0]), rows[i][1]);
    }
    o.redirects = 0;
    assert_string_equal(result(&o, "/chain/1"), "redirects");
}

static void test_slow(void **state) {
    (void)state;
    toad__fetch_options o = options();
    o.timeout_ms = SLOW_MS;
    assert_string_equal(result(&o, "/slow-headers"), "timeout");
    assert_string_equal(result(&o, "/slow-header-lines"), "timeout");
    assert_string_equal(result(&o, "/slow-body"), "timeout");
}

static void test_large(void **state) {
    (void)state;
    static const char *const rows[][2] = {
        { "/endless", "too_large" },
        { "/endless-chunks", "too_large" },
        { "/declared-large", "too_large" },
        { "/bomb-deflate", "ratio" },
        { "/bomb", "ratio" },
        { "/bomb-in-limit", "ratio" },
        { "/large-header", "headers" },
        { "/many-headers", "headers" },
        { "/endless-1xx", "headers" },
    };
    toad__fetch_options o = options();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (strcmp(result(&o, rows[i][0]), rows[i][1]) != 0) print_error("%s\n", rows[i][0]);
        assert_string_equal(result(&o, rows[i][0]), rows[i][1]);
    }
    o.max_bytes = sizeof PAGE - 1;
    assert_string_equal(result(&o, "/ok"), "ok");
    o.max_bytes--;
    assert_string_equal(result(&o, "/ok"), "too_large");
}

static void test_wrong(void **state) {
    (void)state;
    static const char *const rows[][2] = {
        { "/short", "incomplete" },          { "/cut-chunk", "incomplete" },      { "/nothing", "incomplete" },
        { "/http09", "bad_answer" },         { "/garbage", "bad_answer" },        { "/huge-chunk", "incomplete" },
        { "/negative-chunk", "incomplete" }, { "/bad-gzip", "encoding" },         { "/cut-gzip", "incomplete" },
        { "/codings", "encoding" },          { "/bomb-twice", "encoding" },       { "/two-lengths", "bad_answer" },
        { "/coding?name=br", "encoding" },   { "/bomb-brotli", "encoding" },      { "/bomb-zstd", "encoding" },
        { "/coding?name=zstd", "encoding" }, { "/coding?name=gzip", "encoding" },
    };
    toad__fetch_options o = options();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (strcmp(result(&o, rows[i][0]), rows[i][1]) != 0)
            print_error("%s: %s\n", rows[i][0], result(&o, rows[i][0]));
        assert_string_equal(result(&o, rows[i][0]), rows[i][1]);
    }
}

static void test_types(void **state) {
    (void)state;
    toad__fetch_options o = options();
    assert_string_equal(result(&o, "/bytes?hex=255044462d312e37&type=text/html"),
                        "binary"); /* a PDF that says it is HTML */
    assert_string_equal(result(&o, "/bytes?hex=89504e470d0a1a0a00&type=text/plain"), "binary"); /* a PNG */
    assert_string_equal(result(&o, "/bytes?hex=610062&type=text/plain"), "binary");             /* a NUL */
    expect_text(&o, "/bytes?hex=3c7376673e3c2f7376673e&type=image/png", "<svg></svg>"); /* SVG that says it is a PNG */
    expect_text(&o, "/bytes?hex=e9&type=text/plain;charset=iso-8859-1", "\xc3\xa9");
    expect_text(&o, "/bytes?hex=fffe6800e900&type=text/plain;charset=utf-8", "h\xc3\xa9"); /* the mark wins */
    expect_text(&o, "/bytes?hex=2b4144772d&type=text/html;charset=utf-7", "+ADw-");        /* never read as UTF-7 */
    expect_text(&o, "/bytes?hex=c3a9&type=text/plain;charset=windows-1252", "\xc3\xa9");
    expect_text(&o, "/bytes?hex=c3a961ff&type=text/plain;charset=utf-8",
                "\xc3\xa9"
                "a\xef\xbf\xbd");
}

/* ---- what sites ask of robots ---- */

static toad__robots_state robots_state(const toad__fetch_options *o, const char *set, const char *path, bool *may,
                                       int64_t *fresh_s) {
    char text[1024];
    toad__arena arena;
    toad__url url;
    toad__refusal why;
    toad__robots_file file;
    assert_string_equal(result(o, set), "ok");
    toad__arena_init(&arena, 1u << 20);
    snprintf(text, sizeof text, "http://127.0.0.1:%u%s", server.port, path);
    assert_int_equal(toad__url_parse(toad__str_z(text), NULL, &arena, &url, &why), TOAD_OK);
    assert_int_equal(toad__robots_fetch(o, &url, 5000, &file), TOAD_OK);
    *may = toad__robots_permit(file.state, toad__buf_str(&file.text), &url);
    *fresh_s = file.fresh_s;
    toad__buf_free(&file.text);
    toad__arena_free(&arena);
    return file.state;
}

static void test_robots(void **state) {
    (void)state;
    enum { DAY = 24 * 3600, AGAIN = 300 };
    static const struct {
        const char *set, *path;
        toad__robots_state state;
        bool may;
        int fresh_s;
    } rows[] = {
        { "/set-robots?status=404", "/ok", TOAD__ROBOTS_NONE, true, DAY },
        { "/set-robots?status=410", "/ok", TOAD__ROBOTS_NONE, true, DAY },
        { "/set-robots?status=401", "/ok", TOAD__ROBOTS_CLOSED, false, AGAIN },
        { "/set-robots?status=403", "/ok", TOAD__ROBOTS_CLOSED, false, AGAIN },
        { "/set-robots?status=429", "/ok", TOAD__ROBOTS_CLOSED, false, AGAIN },
        { "/set-robots?status=500", "/ok", TOAD__ROBOTS_CLOSED, false, AGAIN },
        { "/set-robots?status=503", "/ok", TOAD__ROBOTS_CLOSED, false, AGAIN },
        { "/set-robots?text=User-agent:%20*%0ADisallow:%20/ok%0A", "/ok", TOAD__ROBOTS_RULES, false, DAY },
        { "/set-robots?text=User-agent:%20*%0ADisallow:%20/ok%0A", "/echo", TOAD__ROBOTS_RULES, true, DAY },
        { "/set-robots?text=User-agent:%20toadstone%0AAllow:%20/%0A%0AUser-agent:%20*%0ADisallow:%20/", "/ok",
          TOAD__ROBOTS_RULES, true, DAY },
        { "/set-robots?age=3600&text=%0A", "/ok", TOAD__ROBOTS_RULES, true, 3600 },
        { "/set-robots?age=9&text=%0A", "/ok", TOAD__ROBOTS_RULES, true, AGAIN },
        { "/set-robots?age=9999999&text=%0A", "/ok", TOAD__ROBOTS_RULES, true, DAY },
        { "/set-robots?hops=5&text=User-agent:%20*%0ADisallow:%20/", "/ok", TOAD__ROBOTS_RULES, false, AGAIN },
        { "/set-robots?hops=6&text=%0A", "/ok", TOAD__ROBOTS_CLOSED, false, AGAIN },
        { "/set-robots?pad=511900&text=User-agent:%20*%0ADisallow:%20/ok%0A", "/ok", TOAD__ROBOTS_RULES, false, DAY },
        { "/set-robots?pad=9000000&text=User-agent:%20*%0ADisallow:%20/ok%0A", "/ok", TOAD__ROBOTS_RULES, true, DAY },
        { "/set-robots?status=404", "/ok", TOAD__ROBOTS_NONE, true, DAY },
    };
    toad__fetch_options o = options();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        bool may;
        int64_t fresh_s;
        toad__robots_state got = robots_state(&o, rows[i].set, rows[i].path, &may, &fresh_s);
        if (got != rows[i].state || may != rows[i].may || fresh_s != rows[i].fresh_s)
            fail_msg("%s: state %d, %d, %lld s", rows[i].set, (int)got, (int)may, (long long)fresh_s);
    }
}

/* ---- leave to send ---- */

typedef struct asked {
    char text[512];
    toad__refusal say;
    const char *refuse; /* this path */
} asked;

static toad__refusal note_permit(void *ctx, const toad__url *url, int left_ms, char detail[TOAD__FETCH_DETAIL]) {
    asked *a = ctx;
    assert_true(left_ms > 0);
    snprintf(a->text + strlen(a->text), sizeof a->text - strlen(a->text), "%s ", url->target.p ? url->target.p : "");
    if (!a->refuse || strncmp(url->target.p, a->refuse, strlen(a->refuse)) != 0) return TOAD__ALLOWED;
    snprintf(detail, TOAD__FETCH_DETAIL, "told so");
    return a->say;
}

/* Each request is asked about, and in the process of the caller, also when the fetch is in another one. */
static void test_permit(void **state) {
    (void)state;
    for (int apart = 0; apart < 2; apart++) {
        toad__fetch_options o = options();
        asked all = { .refuse = NULL }, second = { .say = TOAD__REFUSED_ROBOTS, .refuse = "/chain/0" };
        outcome r;
        char url[64];
        o.permit = note_permit;
        o.permit_ctx = &all;
        snprintf(url, sizeof url, "http://127.0.0.1:%u/chain/2", server.port);
        for (int i = 0; i < 2; i++) {
            toad__arena_init(&r.arena, 1u << 20);
            r.page = (toad__page){ 0 };
            assert_int_equal(
                (apart ? toad__fetch_isolated : toad__fetch)(&o, toad__str_z(url), &r.arena, &r.page, &r.why, r.detail),
                TOAD_OK);
            assert_int_equal(r.why, i ? TOAD__REFUSED_ROBOTS : TOAD__ALLOWED);
            assert_string_equal(r.detail, i ? "told so" : "");
            done(&r);
            o.permit_ctx = &second;
        }
        assert_string_equal(all.text, "/chain/2 /chain/1 /chain/0 ");
        assert_string_equal(second.text, "/chain/2 /chain/1 /chain/0 ");
    }
}

/* ---- pages that are known ---- */

static void fetch_known(const char *path, const toad__known_page *known, bool apart, outcome *r) {
    toad__fetch_options o = options();
    char url[512];
    o.known = known;
    snprintf(url, sizeof url, "http://127.0.0.1:%u%s", server.port, path);
    toad__arena_init(&r->arena, 1u << 20);
    r->page = (toad__page){ 0 };
    assert_int_equal(
        (apart ? toad__fetch_isolated : toad__fetch)(&o, toad__str_z(url), &r->arena, &r->page, &r->why, r->detail),
        TOAD_OK);
}

static void test_known(void **state) {
    (void)state;
    for (int apart = 0; apart < 2; apart++) {
        outcome r, again;
        fetch_known("/validators?etag=one&cc=max-age%3D60", NULL, apart, &r);
        assert_int_equal(r.why, TOAD__ALLOWED);
        assert_string_equal(r.page.caching.etag, "\"one\"");
        assert_string_equal(r.page.caching.modified, "Sun, 06 Nov 1994 08:49:37 GMT");
        assert_true(r.page.caching.fresh_s == 60 && !r.page.caching.no_store && r.page.named && !r.page.unchanged);
        toad__known_page known = { r.page.url.text, r.page.caching };
        fetch_known("/validators?etag=one&cc=max-age%3D60", &known, apart, &again);
        assert_int_equal(again.why, TOAD__ALLOWED);
        assert_true(again.page.unchanged && again.page.status == 304 && !again.page.text.n);
        done(&again);
        fetch_known("/redirect?to=/validators?etag=one%26cc=max-age%253D60", &known, apart, &again);
        assert_int_equal(again.why, TOAD__ALLOWED);
        assert_true(again.page.unchanged && again.page.redirects == 1 && again.page.caching.fresh_s == 0);
        done(&again);
        fetch_known("/validators?etag=two", &known, apart,
                    &again); /* another URL: nothing is sent that belongs to it */
        assert_int_equal(again.why, TOAD__ALLOWED);
        assert_true(!again.page.unchanged && again.page.text.n && again.page.caching.fresh_s == -1);
        done(&again);
        fetch_known("/status/304", &known, apart, &again); /* nobody asked for that */
        assert_int_equal(again.why, TOAD__REFUSED_STATUS);
        done(&again);
        toad__known_page bare = { r.page.url.text, { .fresh_s = 0 } }; /* nothing to ask with */
        fetch_known("/validators?etag=one&cc=max-age%3D60", &bare, apart, &again);
        assert_int_equal(again.why, TOAD__ALLOWED);
        assert_true(!again.page.unchanged);
        done(&again);
        char here[256];
        snprintf(here, sizeof here, "http://127.0.0.1:%u/status/304", server.port);
        bare.url = toad__str_z(here);
        fetch_known("/status/304", &bare, apart, &again);
        assert_int_equal(again.why, TOAD__REFUSED_STATUS);
        done(&again);
        fetch_known("/busy?status=503&after=120", NULL, apart, &again);
        assert_int_equal(again.why, TOAD__REFUSED_BUSY);
        assert_true(again.page.retry_after == 120 && again.page.status == 503);
        done(&again);
        done(&r);
    }
}

/* ---- names ---- */

/* Answers for any name, first `first`, from the second question on `later`. */
typedef struct answers {
    toad__addresses first, later;
    unsigned asked;
} answers;

static toad__refusal answer(void *ctx, const char *host, int timeout_ms, toad__addresses *ret) {
    answers *a = ctx;
    (void)host;
    assert_true(timeout_ms > 0);
    *ret = a->asked++ ? a->later : a->first;
    return ret->n ? TOAD__ALLOWED : TOAD__REFUSED_UNRESOLVED;
}

static toad__addresses v4(unsigned a, unsigned b, unsigned c, unsigned d) {
    toad__addresses r = { .n = 1 };
    r.list[0] = (toad__address){ false, { (uint8_t)a, (uint8_t)b, (uint8_t)c, (uint8_t)d } };
    return r;
}

static const char *named_result(answers *a, const char *host, const char *path, outcome *keep) {
    toad__fetch_options o = options();
    char url[512];
    outcome r;
    o.resolve = answer;
    o.resolve_ctx = a;
    snprintf(url, sizeof url, "http://%s:%u%s", host, server.port, path);
    uint16_t port = (uint16_t)server.port;
    o.guard.ports = &port;
    o.guard.ports_n = 1;
    fetch(&o, url, &r);
    toad__refusal why = r.why;
    if (keep)
        *keep = r;
    else
        done(&r);
    return toad__refusal_code(why);
}

static void test_names(void **state) {
    (void)state;
    answers private_one = { .first = v4(10, 0, 0, 1) };
    assert_string_equal(named_result(&private_one, "inside.com", "/ok", NULL), "private");
    answers loop = { .first = v4(127, 0, 0, 1) };
    assert_string_equal(named_result(&loop, "inside.com", "/ok", NULL), "loopback");
    answers nothing = { .asked = 0 };
    assert_string_equal(named_result(&nothing, "nowhere.com", "/ok", NULL), "unresolved");
    answers both = { .first = v4(8, 8, 8, 8) }; /* a public A beside a private AAAA */
    both.first.list[both.first.n++] = (toad__address){ true, { 0xFD } };
    assert_string_equal(named_result(&both, "both.com", "/ok", NULL), "private");
    answers mapped = { .asked = 0 };
    mapped.first.list[mapped.first.n++] = (toad__address){ true, { [10] = 0xFF, 0xFF, 127, 0, 0, 1 } };
    assert_string_equal(named_result(&mapped, "mapped.com", "/ok", NULL), "loopback");
}

/* The name is looked up once a hop, and what was judged is what is connected to. */
static void test_changing_answers(void **state) {
    (void)state;
    outcome r;
    answers a = { .first = v4(127, 0, 0, 2), .later = v4(127, 0, 0, 1) };
    assert_string_equal(named_result(&a, "site.com", "/ok", &r), "ok");
    assert_int_equal(a.asked, 1);
    assert_int_equal(r.page.address.bytes[3], 2);
    assert_true(toad__str_eq(r.page.url.host, TOAD__S("site.com")));
    done(&r);
    answers b = { .first = v4(127, 0, 0, 1), .later = v4(127, 0, 0, 2) };
    assert_string_equal(named_result(&b, "site.com", "/redirect?to=/ok", &r), "ok");
    assert_int_equal(b.asked, 2);
    assert_int_equal(r.page.address.bytes[3], 2);
    done(&r);
    toad__fetch_options o = options(); /* public when checked, private when fetched */
    answers c = { .first = v4(8, 8, 8, 8), .later = v4(192, 168, 0, 1) };
    toad__url url;
    toad__addresses found;
    toad__refusal why;
    toad__arena arena;
    toad__arena_init(&arena, 1u << 20);
    o.resolve = answer;
    o.resolve_ctx = &c;
    assert_int_equal(toad__fetch_judge(&o, TOAD__S("http://rebind.com/"), NULL, true, &arena, &url, &found, &why),
                     TOAD_OK);
    assert_int_equal(why, TOAD__ALLOWED);
    toad__arena_free(&arena);
    fetch(&o, "http://rebind.com/", &r);
    assert_int_equal(r.why, TOAD__REFUSED_PRIVATE);
    done(&r);
}

/* What the user named may lead inside, but only while the user's own hosts lead there. */
static void test_no_way_in_through_redirects(void **state) {
    (void)state;
    char path[256];
    answers a = { .first = v4(127, 0, 0, 1), .later = v4(127, 0, 0, 1) };
    snprintf(path, sizeof path, "/redirect?to=http://other.com:%u/ok", server.port);
    assert_string_equal(named_result(&a, "site.com", path, NULL), "loopback");
    snprintf(path, sizeof path, "/redirect?to=http://127.0.0.1:%u/ok", server.port);
    answers b = { .first = v4(127, 0, 0, 1), .later = v4(127, 0, 0, 1) };
    assert_string_equal(named_result(&b, "site.com", path, NULL), "ok");
}

static void test_unreachable(void **state) {
    (void)state;
    static const char *const named[] = { "127.0.0.1" };
    toad__fetch_options o = options();
    outcome r;
    o.guard.private_hosts = named;
    o.guard.private_n = 1;
    fetch(&o, "http://127.0.0.1:1/", &r);
    assert_int_equal(r.why, TOAD__REFUSED_CONNECT);
    done(&r);
    char url[64];
    snprintf(url, sizeof url, "https://127.0.0.1:%u/ok", server.port); /* no TLS there */
    fetch(&o, url, &r);
    assert_int_equal(r.why, TOAD__REFUSED_TLS);
    done(&r);
}

/* ---- in a child ---- */

static void isolated(const toad__fetch_options *o, const char *path, outcome *r) {
    char url[256];
    snprintf(url, sizeof url, "http://127.0.0.1:%u%s", server.port, path);
    toad__arena_init(&r->arena, 64u << 20);
    r->page = (toad__page){ 0 };
    assert_int_equal(toad__fetch_isolated(o, toad__str_z(url), &r->arena, &r->page, &r->why, r->detail), TOAD_OK);
}

static void test_isolated(void **state) {
    (void)state;
    toad__fetch_options o = options();
    outcome r;
    isolated(&o, "/redirect?to=/ok%23x", &r);
    assert_int_equal(r.why, TOAD__ALLOWED);
    assert_true(toad__str_eq(toad__buf_str(&r.page.text), TOAD__S(PAGE)));
    assert_true(toad__str_eq(r.page.label, TOAD__S("text/html; charset=utf-8")));
    assert_true(toad__str_eq(r.page.url.target, TOAD__S("/ok")));
    assert_int_equal(r.page.type, TOAD__PAGE_HTML);
    assert_int_equal(r.page.redirects, 1);
    assert_int_equal(r.page.address.bytes[0], 127);
    assert_string_equal(r.page.charset, "UTF-8");
#ifdef __linux__
    assert_true(r.page.sandboxed);
#endif
    done(&r);
    isolated(&o, "/empty", &r);
    assert_int_equal(r.why, TOAD__ALLOWED);
    assert_int_equal(r.page.text.n, 0);
    done(&r);
    isolated(&o, "/status/404", &r);
    assert_int_equal(r.why, TOAD__REFUSED_STATUS);
    assert_string_equal(r.detail, "HTTP 404");
    done(&r);
    isolated(&o, "/large?bytes=9000000", &r);
    assert_int_equal(r.why, TOAD__ALLOWED);
    assert_int_equal(r.page.text.n, 9000000);
    done(&r);
    o.timeout_ms = SLOW_MS;
    isolated(&o, "/slow-body", &r);
    assert_int_equal(r.why, TOAD__REFUSED_TIMEOUT);
    done(&r);
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif
#ifdef SANITIZED
enum { MEMORY_MEASURED = 0 };
#else
enum { MEMORY_MEASURED = 1 };
#endif

static long peak_kb(int who) {
    struct rusage used;
    assert_int_equal(getrusage(who, &used), 0);
    return used.ru_maxrss;
}

/* Whatever comes, neither the child nor its parent takes more than a few times the largest page. */
static void test_memory(void **state) {
    (void)state;
    enum { MOST_KB = 96 << 10 };
    static const char *const paths[] = { "/endless",       "/endless-chunks", "/endless-1xx",  "/bomb",
                                         "/bomb-in-limit", "/bomb-deflate",   "/large-header", "/many-headers",
                                         "/huge-chunk",    "/declared-large" };
    toad__fetch_options o = options();
    long parent = peak_kb(RUSAGE_SELF);
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        outcome r;
        isolated(&o, paths[i], &r);
        if (!r.why) fail_msg("%s", paths[i]);
        done(&r);
    }
    if (!MEMORY_MEASURED) return;
    if (peak_kb(RUSAGE_SELF) - parent > MOST_KB) fail_msg("the parent grew by %ld KiB", peak_kb(RUSAGE_SELF) - parent);
    if (peak_kb(RUSAGE_CHILDREN) - parent > MOST_KB) fail_msg("a child took %ld KiB", peak_kb(RUSAGE_CHILDREN));
}

/* Resolvers run in the child: here they do what an attacker would do there, and each says whether it could. */
static toad__refusal try_to_escape(void *ctx, const char *host, int timeout_ms, toad__addresses *ret) {
    const char *dir = ctx;
    char path[512];
    (void)host;
    (void)timeout_ms;
    snprintf(path, sizeof path, "%s/escaped", dir);
    bool wrote = open(path, O_WRONLY | O_CREAT, 0600) >= 0, made = mkdir(path, 0700) == 0;
    pid_t child = fork();
    if (!child) _exit(0);
    bool ran = execl("/bin/true", "true", (char *)NULL) != -1, killed = kill(getppid(), 0) == 0;
    killed |= sigqueue(getppid(), 0, (union sigval){ 0 }) == 0;
#ifdef SYS_pidfd_getfd
    killed |= syscall(SYS_pidfd_open, getppid(), 0) >= 0;
#endif
    bool listens = listen(socket(AF_INET, SOCK_STREAM, 0), 1) == 0, reads = open("/dev/null", O_RDONLY) >= 0;
    ret->n = 0;
    return wrote || made || child > 0 || ran || killed || listens || !reads ? TOAD__REFUSED_PRIVATE
                                                                            : TOAD__REFUSED_UNRESOLVED;
}

static toad__refusal die(void *ctx, const char *host, int timeout_ms, toad__addresses *ret) {
    (void)ctx;
    (void)host;
    (void)timeout_ms;
    (void)ret;
    _exit(0);
}

static toad__refusal hang(void *ctx, const char *host, int timeout_ms, toad__addresses *ret) {
    (void)ctx;
    (void)host;
    (void)timeout_ms;
    (void)ret;
    while (pause() < 0) {}
    return TOAD__ALLOWED;
}

static toad__refusal lie(void *ctx, const char *host, int timeout_ms, toad__addresses *ret) {
    (void)ctx;
    (void)host;
    (void)timeout_ms;
    (void)ret;
    static const char noise[4096] = "\1\377\377\377";
    for (int i = 0; i < 64; i++)
        if (write(3, noise, sizeof noise) < 0) break;
    _exit(0);
}

typedef struct question {
    uint64_t length;
    const char *url;
    int times, answered;
} question;

/* A child that was taken over asks: about what is no URL, about nothing at length, and again and again. */
static toad__refusal ask(void *ctx, const char *host, int timeout_ms, toad__addresses *ret) {
    const question *q = ctx;
    (void)host;
    (void)timeout_ms;
    (void)ret;
    char reply[4 + TOAD__FETCH_DETAIL];
    for (int i = 0; i < q->times; i++) {
        const uint32_t kind = 1;
        bool sent = write(3, &kind, sizeof kind) > 0 && write(3, &q->length, sizeof q->length) > 0 &&
                    write(3, q->url, strlen(q->url)) >= 0;
        if (!sent || read(3, reply, sizeof reply) <= 0) break;
    }
    _exit(0);
}

static toad__refusal count_permit(void *ctx, const toad__url *url, int left_ms, char detail[TOAD__FETCH_DETAIL]) {
    (void)url;
    (void)left_ms;
    (void)detail;
    ++*(int *)ctx;
    return TOAD__ALLOWED;
}

static void test_questions(void **state) {
    (void)state;
    question rows[] = { { 5, "http:", 9, 0 },
                        { UINT64_MAX, "x", 1, 0 },
                        { (uint64_t)1 << 40, "x", 1, 0 },
                        { 14, "file:///etc/pw", 1, 0 },
                        { 13, "http://a.com/", 1000, 64 } };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        toad__fetch_options o = options();
        outcome r;
        int answered = 0;
        o.resolve = ask;
        o.resolve_ctx = &rows[i];
        o.permit = count_permit;
        o.permit_ctx = &answered;
        o.timeout_ms = 5000;
        toad__arena_init(&r.arena, 1u << 20);
        assert_int_equal(toad__fetch_isolated(&o, TOAD__S("http://a.com/"), &r.arena, &r.page, &r.why, r.detail),
                         TOAD_OK);
        assert_int_equal(r.why, TOAD__REFUSED_BROKEN);
        assert_int_equal(answered, rows[i].answered);
        done(&r);
    }
}

static toad__refusal isolated_name(toad__resolve_fn resolve, void *ctx) {
    toad__fetch_options o = options();
    outcome r;
    o.resolve = resolve;
    o.resolve_ctx = ctx;
    o.timeout_ms = SLOW_MS;
    toad__arena_init(&r.arena, 1u << 20);
    assert_int_equal(toad__fetch_isolated(&o, TOAD__S("http://a.com/"), &r.arena, &r.page, &r.why, r.detail), TOAD_OK);
    done(&r);
    return r.why;
}

static void test_sandbox(void **state) {
    (void)state;
#ifdef __linux__
    char dir[] = "/tmp/toadstone-net-XXXXXX";
    assert_non_null(mkdtemp(dir));
    assert_int_equal(isolated_name(try_to_escape, dir), TOAD__REFUSED_UNRESOLVED);
    assert_int_equal(rmdir(dir), 0);
#endif
    assert_int_equal(isolated_name(die, NULL), TOAD__REFUSED_BROKEN);
    assert_int_equal(isolated_name(lie, NULL), TOAD__REFUSED_BROKEN);
    assert_int_equal(isolated_name(hang, NULL), TOAD__REFUSED_TIMEOUT);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_good_pages),
        cmocka_unit_test(test_request),
        cmocka_unit_test(test_redirects),
        cmocka_unit_test(test_slow),
        cmocka_unit_test(test_large),
        cmocka_unit_test(test_wrong),
        cmocka_unit_test(test_types),
        cmocka_unit_test(test_robots),
        cmocka_unit_test(test_permit),
        cmocka_unit_test(test_known),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_changing_answers),
        cmocka_unit_test(test_no_way_in_through_redirects),
        cmocka_unit_test(test_unreachable),
        cmocka_unit_test(test_isolated),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_sandbox),
        cmocka_unit_test(test_questions),
    };
    return cmocka_run_group_tests(tests, start_server, stop_server);
}
