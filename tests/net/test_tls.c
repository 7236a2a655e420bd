/* test_tls.c - the fetch over TLS, with an authority made here (certificates.sh): only a certificate that is valid now,
 * for this name, from an authority that is trusted, gets a page through. */
#include "lib/base/str.h"
#include "net/fetch.h"
#include "tests/check.h"

#include "tests/net/serving.h"

static serving server;
static char dir[] = "/tmp/toadstone-tls-XXXXXX", ca[64];

static int run(const char *const *arguments) {
    int status = 0;
    pid_t child = fork();
    if (!child) {
        if (!freopen("/dev/null", "w", stderr)) _exit(126);
        execvp(arguments[0], (char *const *)(uintptr_t)arguments);
        _exit(127);
    }
    waitpid(child, &status, 0);
    return status;
}

static int start(void **state) {
    (void)state;
    char pems[4][96];
    static const char *const files[] = { "good", "expired", "self", "wildcard" };
    if (!mkdtemp(dir) || run((const char *const[]){ "sh", TOAD_ROOT "/tests/net/certificates.sh", dir, NULL }))
        return -1;
    snprintf(ca, sizeof ca, "%s/ca.pem", dir);
    for (int i = 0; i < 4; i++) snprintf(pems[i], sizeof pems[i], "127.0.0.%d=%s/%s.pem", i + 2, dir, files[i]);
    return serving_start(&server, (const char *const[]){ "127.0.0.1", pems[0], pems[1], pems[2], pems[3], NULL });
}

static int stop(void **state) {
    (void)state;
    return serving_stop(&server) | run((const char *const[]){ "rm", "-rf", "--", dir, NULL });
}

/* Each name is where its certificate is. */
static toad__refusal find(void *ctx, const char *host, int timeout_ms, toad__addresses *ret) {
    static const struct {
        const char *host;
        uint8_t at;
    } hosts[] = { { "plain.com", 1 },   { "good.com", 2 },         { "www.good.com", 2 }, { "other.com", 2 },
                  { "expired.com", 3 }, { "self.com", 4 },         { "a.wild.com", 5 },   { "a.b.wild.com", 5 },
                  { "wild.com", 5 },    { "good.com.evil.com", 2 } };
    (void)ctx;
    (void)timeout_ms;
    ret->n = 0;
    for (size_t i = 0; i < sizeof hosts / sizeof *hosts; i++)
        if (!strcmp(host, hosts[i].host)) ret->list[ret->n++] = (toad__address){ false, { 127, 0, 0, hosts[i].at } };
    return ret->n ? TOAD__ALLOWED : TOAD__REFUSED_UNRESOLVED;
}

static const char *const named[] = { "plain.com", "good.com",   "www.good.com", "other.com", "expired.com",
                                     "self.com",  "a.wild.com", "a.b.wild.com", "wild.com",  "good.com.evil.com" };

static const char *result(const char *ca_file, const char *scheme, const char *host, const char *path) {
    toad__fetch_options o = toad__fetch_defaults();
    toad__arena arena;
    toad__page page;
    toad__refusal why = TOAD__ALLOWED;
    char url[256], detail[TOAD__FETCH_DETAIL];
    o.guard.private_hosts = named;
    o.guard.private_n = sizeof named / sizeof *named;
    o.resolve = find;
    o.ca_file = ca_file;
    o.timeout_ms = 20000;
    snprintf(url, sizeof url, "%s://%s:%u%s", scheme, host, server.port, path);
    toad__arena_init(&arena, 1u << 20);
    assert_int_equal(toad__fetch_isolated(&o, toad__str_z(url), &arena, &page, &why, detail), TOAD_OK);
    if (!why) toad__page_free(&page);
    toad__arena_free(&arena);
    return toad__refusal_code(why);
}

static void certificates(void **state) {
    (void)state;
    static const char *const rows[][2] = {
        { "good.com", "ok" },     { "www.good.com", "ok" }, { "a.wild.com", "ok" },         { "other.com", "tls" },
        { "expired.com", "tls" }, { "self.com", "tls" },    { "good.com.evil.com", "tls" }, { "a.b.wild.com", "tls" },
        { "wild.com", "tls" },    { "plain.com", "tls" }, /* no TLS at all */
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *got = result(ca, "https", rows[i][0], "/ok");
        if (strcmp(got, rows[i][1]) != 0) fail_msg("%s: %s", rows[i][0], got);
    }
    assert_string_equal(result(NULL, "https", "good.com", "/ok"), "tls"); /* the system does not know our authority */
    assert_string_equal(result("/dev/null", "https", "good.com", "/ok"), "tls");
}

/* Up to TLS a redirect may lead, never down. */
static void redirects(void **state) {
    (void)state;
    char path[256];
    snprintf(path, sizeof path, "/redirect?to=http://plain.com:%u/ok", server.port);
    assert_string_equal(result(ca, "https", "good.com", path), "downgrade");
    snprintf(path, sizeof path, "/redirect?to=https://good.com:%u/ok", server.port);
    assert_string_equal(result(ca, "http", "plain.com", path), "ok");
    assert_string_equal(result(ca, "https", "www.good.com", path), "ok");
    snprintf(path, sizeof path, "/redirect?to=https://other.com:%u/ok", server.port);
    assert_string_equal(result(ca, "https", "good.com", path), "tls");
    snprintf(path, sizeof path, "/redirect?to=//good.com:%u/ok", server.port); /* the scheme stays */
    assert_string_equal(result(ca, "https", "good.com", path), "ok");
}

/* A page whose length was told must be there whole. One without length ends with its connection, over TLS as without,
 * as browsers have it: libcurl asks for no farewell of TLS. */
static void cut_connections(void **state) {
    (void)state;
    assert_string_equal(result(ca, "https", "good.com", "/short"), "incomplete");
    assert_string_equal(result(ca, "https", "good.com", "/cut-chunk"), "incomplete");
    assert_string_equal(result(ca, "https", "good.com", "/until-close"), "ok");
}

int main(void) {
    const struct CMUnitTest tests[] = { cmocka_unit_test(certificates), cmocka_unit_test(redirects),
                                        cmocka_unit_test(cut_connections) };
    return cmocka_run_group_tests(tests, start, stop);
}
