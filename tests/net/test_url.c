/* test_url.c - URLs as the WHATWG standard reads them, and what the guard says to them. */
#include "lib/base/str.h"
#include "net/guard.h"
#include "tests/check.h"
#include "tests/support/exact.h"

#include <stdio.h>

/* The URL in its one spelling, or "!code". */
static const char *read_url(const char *text, size_t n, const char *base_text, toad__arena *arena) {
    toad__url base, url;
    toad__refusal why = TOAD__ALLOWED;
    char *exact = exact_dup(text, n);
    if (base_text) assert_int_equal(toad__url_parse(toad__str_z(base_text), NULL, arena, &base, &why), TOAD_OK);
    assert_int_equal(why, TOAD__ALLOWED);
    assert_int_equal(toad__url_parse(toad__str(exact, n), base_text ? &base : NULL, arena, &url, &why), TOAD_OK);
    free(exact);
    if (!why) return url.text.p;
    char *code = toad__arena_alloc(arena, 64);
    snprintf(code, 64, "!%s", toad__refusal_code(why));
    return code;
}

typedef struct row {
    const char *text, *want, *base;
} row;

static void check(const row *rows, size_t n) {
    for (size_t i = 0; i < n; i++) {
        toad__arena arena;
        toad__arena_init(&arena, 1u << 22);
        const char *got = read_url(rows[i].text, strlen(rows[i].text), rows[i].base, &arena);
        if (strcmp(got, rows[i].want) != 0) print_error("row %zu: %s\n", i, rows[i].text);
        assert_string_equal(got, rows[i].want);
        toad__arena_free(&arena);
    }
}
#define CHECK(rows) check(rows, sizeof(rows) / sizeof *(rows))

static void test_shape(void **state) {
    (void)state;
    static const row rows[] = {
        { "http://a.com", "http://a.com/", NULL },
        { "HTTPS://A.Com:443/x?y#z", "https://a.com/x?y", NULL },
        { "http://a.com:80/", "http://a.com/", NULL },
        { "http://a.com:8080?", "http://a.com:8080/?", NULL },
        { "http://a.com:/", "http://a.com/", NULL },
        { " \t http://a.com/ \n", "http://a.com/", NULL },
        { "ht\ntp://a\t.com/b\rc", "http://a.com/bc", NULL },
        { "http:a.com", "http://a.com/", NULL },
        { "http:/a.com", "http://a.com/", NULL },
        { "http:\\\\a.com\\b?c\\d", "http://a.com/b?c\\d", NULL },
        { "http://///a.com/", "http://a.com/", NULL },
        { "http://a.com/./b/../c/%2E%2e/d/.", "http://a.com/d/", NULL },
        { "http://a.com/../../..", "http://a.com/", NULL },
        { "http://a.com/a/b/..", "http://a.com/a/", NULL },
        { "http://a.com//b//", "http://a.com//b//", NULL },
        { "http://a.com/...", "http://a.com/...", NULL },
        { "http://a.com/\xe4\xbe\x8b \"<>`{}'", "http://a.com/%E4%BE%8B%20%22%3C%3E%60%7B%7D'", NULL },
        { "http://a.com/?q=\xc3\xa9 '`{\"", "http://a.com/?q=%C3%A9%20%27`{%22", NULL },
        { "http://a.com/%zz%00%", "http://a.com/%zz%00%", NULL },
        { "http://a.com/@b:c", "http://a.com/@b:c", NULL },
        { "http://a.com?@b", "http://a.com/?@b", NULL },
        { "http://a.com#@b", "http://a.com/", NULL },
        { "", "!syntax", NULL },
        { "a.com", "!syntax", NULL },
        { "//a.com", "!syntax", NULL },
        { "/x", "!syntax", NULL },
        { ":http://a.com", "!syntax", NULL },
        { "1http://a.com", "!syntax", NULL },
        { "http", "!syntax", NULL },
        { "http:", "!host", NULL },
        { "http://", "!host", NULL },
        { "http:///", "!host", NULL },
        { "http://?x", "!host", NULL },
        { "http://:80/", "!host", NULL },
        { "ftp://a.com/", "!scheme", NULL },
        { "java\nscript:alert(1)", "!scheme", NULL },
        { "httpss://a.com", "!scheme", NULL },
        { "file:///x", "!scheme", NULL },
        { "http://a@b.com/", "!credentials", NULL },
        { "http://@b.com/", "!credentials", NULL },
        { "http://a.com:80@b.com/", "!credentials", NULL },
        { "http://a.com\\@b.com/", "http://a.com/@b.com/", NULL },
        { "http://a.com:080/", "!port_spelling", NULL },
        { "http://a.com:65536/", "!port_spelling", NULL },
        { "http://a.com:8a/", "!port_spelling", NULL },
        { "http://a.com:80:80/", "!port_spelling", NULL },
        { "http://a.com:99999999999999999999/", "!port_spelling", NULL },
        { "http://a.com:-1/", "!port_spelling", NULL },
    };
    CHECK(rows);
}

static void test_hosts(void **state) {
    (void)state;
    static const row rows[] = {
        { "http://127.1/", "http://127.0.0.1/", NULL },
        { "http://0x7f.1/", "http://127.0.0.1/", NULL },
        { "http://017700000001/", "http://127.0.0.1/", NULL },
        { "http://2130706433/", "http://127.0.0.1/", NULL },
        { "http://0X7F000001/", "http://127.0.0.1/", NULL },
        { "http://1.2.3.4./", "http://1.2.3.4/", NULL },
        { "http://00000177.0.0.01/", "http://127.0.0.1/", NULL },
        { "http://0x/", "http://0.0.0.0/", NULL },
        { "http://0/", "http://0.0.0.0/", NULL },
        { "http://1.2.3.4.5/", "!host", NULL },
        { "http://256.1.1.1/", "!host", NULL },
        { "http://4294967296/", "!host", NULL },
        { "http://1.2.3.08/", "!host", NULL },
        { "http://a.1/", "!host", NULL },
        { "http://a.0x1f/", "!host", NULL },
        { "http://a.0xg/", "http://a.0xg/", NULL },
        { "http://1.2.3.4.com/", "http://1.2.3.4.com/", NULL },
        { "http://[::1]/", "http://[::1]/", NULL },
        { "http://[0:0::0:1]:81/", "http://[::1]:81/", NULL },
        { "http://[2001:DB8::a]/", "http://[2001:db8::a]/", NULL },
        { "http://[::ffff:127.0.0.1]/", "http://[::ffff:127.0.0.1]/", NULL },
        { "http://[1:2:3:4:5:6:7:8]/", "http://[1:2:3:4:5:6:7:8]/", NULL },
        { "http://[1:2:3:4:5:6:7:8:]/", "!host", NULL },
        { "http://[1:2:3]/", "!host", NULL },
        { "http://[1:2:3:4::5:6:7]/", "http://[1:2:3:4:0:5:6:7]/", NULL },
        { "http://[1:2:3:4::5:6:7:8]/", "!host", NULL },
        { "http://[::1.2.3.4]/", "http://[::1.2.3.4]/", NULL },
        { "http://[::1.2.3]/", "!host", NULL },
        { "http://[::1.2.3.4.5]/", "!host", NULL },
        { "http://[::01.2.3.4]/", "!host", NULL },
        { "http://[::1.2.3.256]/", "!host", NULL },
        { "http://[::1.2.3.]/", "!host", NULL },
        { "http://[::0x1.2.3.4]/", "!host", NULL },
        { "http://[::1%25eth0]/", "!host", NULL },
        { "http://[::1%eth0]/", "!host", NULL },
        { "http://[::1", "!host", NULL },
        { "http://[]/", "!host", NULL },
        { "http://[::1]x/", "!host", NULL },
        { "http://::1/", "!host", NULL },
        { "http://[v1.x]/", "!host", NULL },
        { "http://a.com./", "http://a.com/", NULL },
        { "http://a..com/", "!host", NULL },
        { "http://.a.com/", "!host", NULL },
        { "http://a.com../", "!host", NULL },
        { "http://./", "!host", NULL },
        { "http://a b.com/", "!host", NULL },
        { "http://a<b.com/", "!host", NULL },
        { "http://a|b.com/", "!host", NULL },
        { "http://a_b.com/", "http://a_b.com/", NULL },
        { "http://a\x01.com/", "!host", NULL },
        { "http://a\x7f.com/", "!host", NULL },
        { "http://\xff.com/", "!host", NULL },
        { "http://%61.com/", "!host_escaped", NULL },
        { "http://a.com%00/", "!host_escaped", NULL },
        { "http://a.com%2f/", "!host_escaped", NULL },
        { "http://a.com%/", "!host_escaped", NULL },
    };
    CHECK(rows);
}

static void test_scripts(void **state) {
    (void)state;
    static const row rows[] = {
        { "http://b\xc3\xbc"
          "cher.com/",
          "http://xn--bcher-kva.com/", NULL },
        { "http://B\xc3\x9c"
          "CHER.com/",
          "http://xn--bcher-kva.com/", NULL },
        { "http://xn--bcher-kva.com/", "http://xn--bcher-kva.com/", NULL },
        { "http://caf\xc3\xa9.fr/", "http://xn--caf-dma.fr/", NULL },
        { "http://\xe4\xbe\x8b\xe3\x81\x88.jp/", "http://xn--r8jz45g.jp/", NULL }, /* Han and Hiragana */
        { "http://\xd0\xbf\xd1\x80\xd0\xb8\xd0\xbc\xd0\xb5\xd1\x80.com/", "http://xn--e1afmkfd.com/",
          NULL }, /* a Russian word */
        { "http://\xd1\x80\xd0\xb0\xd1\x81.\xd1\x80\xd1\x84/", "http://xn--80a5ae.xn--p1ai/",
          NULL }, /* all look-alikes, but in a Cyrillic domain */
        { "http://\xef\xbd\x85\xef\xbd\x98.com/", "http://ex.com/", NULL }, /* fullwidth */
        { "http://127\xe3\x80\x82"
          "0\xe3\x80\x82"
          "0\xe3\x80\x82"
          "1/",
          "http://127.0.0.1/", NULL }, /* ideographic full stops */
        { "http://\xe2\x91\xa0\xe2\x91\xa1\xe2\x91\xa6.\xe2\x93\xaa.1/", "http://127.0.0.1/",
          NULL }, /* circled digits */
        { "http://lo\xc2\xad"
          "calhost/",
          "http://localhost/", NULL }, /* soft hyphen */
        { "http://lo\xe2\x80\x8d"
          "calhost/",
          "!host", NULL }, /* joiner */
        { "http://a.com\xef\xbc\x8f"
          "b/",
          "!host", NULL }, /* fullwidth slash */
        { "http://a.com\xe2\x81\x84"
          "b/",
          "!host", NULL }, /* fraction slash */
        { "http://xn--a.com/", "!host", NULL },
        { "http://xn--80ak6aa92e.com/", "!host_mixed", NULL },                         /* "apple" in Cyrillic, whole */
        { "http://\xc4\xb1\xc5\x9f\xc4\xb1k.com/", "http://xn--k-ekaa7p.com/", NULL }, /* Turkish */
        { "http://\xc5\x82\xc3\xb3"
          "d\xc5\xba.com/",
          "http://xn--d-uga0v4h.com/", NULL }, /* Polish */
        { "http://p\xd0\xb0ypal.com/", "!host_mixed", NULL },
        { "http://www.p\xd0\xb0ypal.com/", "!host_mixed", NULL },
        { "http://xn--pypal-4ve.com/", "!host_mixed", NULL },
    };
    CHECK(rows);
}

static void test_references(void **state) {
    (void)state;
    static const char *const base = "https://a.com:444/b/c?d";
    const row rows[] = {
        { "", "https://a.com:444/b/c?d", base },        { "#x", "https://a.com:444/b/c?d", base },
        { "?e", "https://a.com:444/b/c?e", base },      { "e", "https://a.com:444/b/e", base },
        { "./e/", "https://a.com:444/b/e/", base },     { "../e", "https://a.com:444/e", base },
        { "../../../e", "https://a.com:444/e", base },  { "/e?f", "https://a.com:444/e?f", base },
        { "\\e", "https://a.com:444/e", base },         { "//f.com/g", "https://f.com/g", base },
        { "\\\\f.com/g", "https://f.com/g", base },     { "/\\f.com", "https://f.com/", base },
        { "https:e", "https://a.com:444/b/e", base },   { "https:/e", "https://a.com:444/e", base },
        { "http:e.com", "http://e.com/", base },        { "http://f.com/", "http://f.com/", base },
        { "//u@f.com/", "!credentials", base },         { "javascript:x", "!scheme", base },
        { "file:/etc/passwd", "!scheme", base },        { "e:f", "!scheme", base },
        { "e/f:g", "https://a.com:444/b/e/f:g", base }, { ".", "https://a.com:444/b/", base },
        { "..", "https://a.com:444/", base },
    };
    CHECK(rows);
}

static void test_lengths(void **state) {
    (void)state;
    toad__arena arena;
    char *long_one = malloc(TOAD__URL_MAX + 2);
    assert_non_null(long_one);
    memset(long_one, ' ', TOAD__URL_MAX + 1);
    memcpy(long_one, "http://a.com/", 13);
    memset(long_one + 13, 'x', TOAD__URL_MAX - 12);
    toad__arena_init(&arena, 1u << 22);
    assert_string_equal(read_url(long_one, TOAD__URL_MAX + 1, NULL, &arena), "!too_long");
    memset(long_one + 13, 0xE9, TOAD__URL_MAX - 13);
    assert_int_equal(strlen(read_url(long_one, TOAD__URL_MAX, NULL, &arena)), 13 + 3 * (TOAD__URL_MAX - 13));
    assert_string_equal(read_url("http://a\0b.com/", 15, NULL, &arena), "!host");
    assert_string_equal(read_url("http://a.com/\0b", 15, NULL, &arena), "http://a.com/%00b");
    memset(long_one + 7, 'a', 64);
    memcpy(long_one + 71, ".com", 4);
    assert_string_equal(read_url(long_one, 75, NULL, &arena), "!host");
    assert_int_equal(strlen(read_url(long_one + 0, 70, NULL, &arena)), 71);
    toad__arena_free(&arena);
    free(long_one);
}

/* ---- the guard ---- */

static const char *judge(const toad__guard *g, const char *text) {
    toad__arena arena;
    toad__url url;
    toad__refusal why;
    toad__arena_init(&arena, 1u << 20);
    assert_int_equal(toad__url_parse(toad__str_z(text), NULL, &arena, &url, &why), TOAD_OK);
    if (!why) why = toad__guard_url(g, &url, toad__guard_is_named(g, &url));
    toad__arena_free(&arena);
    return toad__refusal_code(why);
}

/* First and last address of every block, and the neighbors that are public. */
static const char *const blocks[][2] = {
    { "0.0.0.0", "unspecified" },
    { "0.255.255.255", "unspecified" },
    { "1.0.0.0", "ok" },
    { "9.255.255.255", "ok" },
    { "10.0.0.0", "private" },
    { "10.255.255.255", "private" },
    { "11.0.0.0", "ok" },
    { "100.63.255.255", "ok" },
    { "100.64.0.0", "shared" },
    { "100.127.255.255", "shared" },
    { "100.128.0.0", "ok" },
    { "100.100.100.200", "metadata" },
    { "126.255.255.255", "ok" },
    { "127.0.0.0", "loopback" },
    { "127.255.255.255", "loopback" },
    { "128.0.0.0", "ok" },
    { "168.63.129.16", "metadata" },
    { "169.253.255.255", "ok" },
    { "169.254.0.0", "link_local" },
    { "169.254.169.254", "metadata" },
    { "169.254.170.2", "metadata" },
    { "169.254.255.255", "link_local" },
    { "169.255.0.0", "ok" },
    { "172.15.255.255", "ok" },
    { "172.16.0.0", "private" },
    { "172.31.255.255", "private" },
    { "172.32.0.0", "ok" },
    { "192.0.0.0", "protocol" },
    { "192.0.0.255", "protocol" },
    { "192.0.1.0", "ok" },
    { "192.0.2.1", "documentation" },
    { "192.31.196.1", "protocol" },
    { "192.52.193.1", "protocol" },
    { "192.88.99.1", "relay" },
    { "192.167.255.255", "ok" },
    { "192.168.0.0", "private" },
    { "192.168.255.255", "private" },
    { "192.169.0.0", "ok" },
    { "192.175.48.1", "protocol" },
    { "198.17.255.255", "ok" },
    { "198.18.0.0", "benchmark" },
    { "198.19.255.255", "benchmark" },
    { "198.20.0.0", "ok" },
    { "198.51.100.7", "documentation" },
    { "203.0.113.7", "documentation" },
    { "223.255.255.255", "ok" },
    { "224.0.0.0", "multicast" },
    { "239.255.255.255", "multicast" },
    { "240.0.0.0", "reserved" },
    { "255.255.255.254", "reserved" },
    { "255.255.255.255", "broadcast" },
    { "[::]", "unspecified" },
    { "[::1]", "loopback" },
    { "[::2]", "unspecified" },
    { "[::7f00:1]", "loopback" },
    { "[::ffff:10.0.0.1]", "private" },
    { "[::ffff:8.8.8.8]", "mapped" },
    { "[::8.8.8.8]", "mapped" },
    { "[::ffff:0:10.0.0.1]", "private" },
    { "[::1:0:0:1]", "reserved" },
    { "[64:ff9b::8.8.8.8]", "ok" },
    { "[64:ff9b::10.0.0.1]", "private" },
    { "[64:ff9b::a9fe:a9fe]", "metadata" },
    { "[64:ff9b:1::1]", "translated" },
    { "[64:ff9b:0:0:1::8.8.8.8]", "reserved" },
    { "[100::1]", "discard" },
    { "[1fff::1]", "reserved" },
    { "[2000::1]", "ok" },
    { "[2001::1]", "teredo" },
    { "[2001:0:7f00:1::]", "teredo" },
    { "[2001:1::1]", "protocol" },
    { "[2001:2::1]", "benchmark" },
    { "[2001:3::1]", "protocol" },
    { "[2001:10::1]", "protocol" },
    { "[2001:20::1]", "protocol" },
    { "[2001:1ff::1]", "protocol" },
    { "[2001:200::1]", "ok" },
    { "[2001:db8::1]", "documentation" },
    { "[2001:db9::1]", "ok" },
    { "[2002:7f00:1::]", "relay" },
    { "[2002:808:808::]", "relay" },
    { "[2003::1]", "ok" },
    { "[2606:4700::1111]", "ok" },
    { "[2620:4f:8000::1]", "protocol" },
    { "[2a00:1450::5efe:10.0.0.1]", "translated" },
    { "[2a00:1450::200:5efe:10.0.0.1]", "translated" },
    { "[3fff::1]", "documentation" },
    { "[3fff:1000::1]", "ok" },
    { "[4000::1]", "reserved" },
    { "[5f00::1]", "protocol" },
    { "[fc00::1]", "private" },
    { "[fdff::1]", "private" },
    { "[fd00:ec2::254]", "metadata" },
    { "[fe80::1]", "link_local" },
    { "[febf::1]", "link_local" },
    { "[fec0::1]", "site_local" },
    { "[ff02::1]", "multicast" },
};

static void test_blocks(void **state) {
    (void)state;
    toad__guard g = { 0 };
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) {
        char url[128];
        snprintf(url, sizeof url, "http://%s/", blocks[i][0]);
        if (strcmp(judge(&g, url), blocks[i][1]) != 0) print_error("%s\n", url);
        assert_string_equal(judge(&g, url), blocks[i][1]);
    }
}

static void test_names_and_ports(void **state) {
    (void)state;
    static const uint16_t ports[] = { 8080 };
    static const char *const named[] = { "127.0.0.1", "[::1]:81", "dev.internal:3000", "fd00::5" };
    static const char *const rows[][2] = {
        { "http://localhost/", "internal_name" },
        { "http://LOCALHOST./", "internal_name" },
        { "http://a.localhost/", "internal_name" },
        { "http://router/", "internal_name" },
        { "http://metadata.google.internal/", "internal_name" },
        { "http://x.svc/", "internal_name" },
        { "http://10.0.0.1.nip.io/", "internal_name" },
        { "http://x.test/", "reserved_name" },
        { "http://x.onion/", "reserved_name" },
        { "http://x.example/", "reserved_name" },
        { "http://example.com/", "ok" },
        { "http://notlocalhost.com/", "ok" },
        { "http://localhost.com/", "ok" },
        { "https://a.com:8443/", "ok" },
        { "http://a.com:8443/", "port" },
        { "http://a.com:22/", "port" },
        { "http://a.com:443/", "ok" },
        { "https://a.com:80/", "ok" },
        { "http://a.com:0/", "port" },
        { "http://a.com:8080/", "ok" },
        { "http://127.0.0.1:5000/", "ok" },
        { "http://127.1/", "ok" },
        { "http://127.0.0.2/", "loopback" },
        { "http://[::1]:81/", "ok" },
        { "http://[::1]/", "loopback" },
        { "http://dev.internal:3000/", "ok" },
        { "http://dev.internal/", "internal_name" },
        { "http://x.dev.internal:3000/", "internal_name" },
        { "http://[fd00::5]:9/", "ok" },
    };
    toad__guard g = { .ports = ports, .ports_n = 1, .private_hosts = named, .private_n = 4 };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (strcmp(judge(&g, rows[i][0]), rows[i][1]) != 0) print_error("%s\n", rows[i][0]);
        assert_string_equal(judge(&g, rows[i][0]), rows[i][1]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shape),           cmocka_unit_test(test_hosts),   cmocka_unit_test(test_scripts),
        cmocka_unit_test(test_references),      cmocka_unit_test(test_lengths), cmocka_unit_test(test_blocks),
        cmocka_unit_test(test_names_and_ports),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
