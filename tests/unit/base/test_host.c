/* Hosts from their spelling alone: one address in every form, and which of them are no place on the public internet. */
#include "lib/base/host.h"
#include "lib/base/str.h"
#include "tests/check.h"
#include "tests/support/exact.h"

static bool v4(const char *z, uint32_t *ret) {
    char *copy = exact_dup(z, strlen(z));
    bool ok = toad__host_ipv4(toad__str(copy, strlen(z)), ret);
    free(copy);
    return ok;
}

static bool v6(const char *z, uint8_t ret[16]) {
    char *copy = exact_dup(z, strlen(z));
    bool ok = toad__host_ipv6(toad__str(copy, strlen(z)), ret);
    free(copy);
    return ok;
}

static void one_address_in_every_spelling(void **state) {
    (void)state;
    static const char *const loopback[] = { "127.0.0.1",  "127.1",       "127.0.1",    "2130706433",
                                            "0x7f000001", "0x7f.0.0.1",  "0177.0.0.1", "017700000001",
                                            "127.0.0.1.", "0x7F.0x0.01", "127.0.0.0x1" };
    for (size_t i = 0; i < sizeof loopback / sizeof *loopback; i++) {
        uint32_t a = 0;
        if (!v4(loopback[i], &a)) print_error("%s\n", loopback[i]);
        assert_int_equal(a, 0x7F000001);
    }
}

static void what_is_no_ipv4(void **state) {
    (void)state;
    static const char *const bad[] = { "",           "256.0.0.1", "1.2.3.4.5",  "1..2",        "1.2.3.256",
                                       "4294967296", "08.0.0.1",  "0x7g.0.0.1", "example.com", "127.0.0.1..",
                                       "1.2.3.-4",   ".1" };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        uint32_t a = 77;
        if (v4(bad[i], &a)) print_error("%s\n", bad[i]);
        assert_int_equal(a, 77); /* untouched */
    }
}

static void ipv6(void **state) {
    (void)state;
    static const uint8_t one[16] = { [15] = 1 }, mapped[16] = { [10] = 0xFF, 0xFF, 169, 254, 169, 254 };
    uint8_t a[16];
    assert_true(v6("::1", a) && !memcmp(a, one, 16));
    assert_true(v6("0:0:0:0:0:0:0:1", a) && !memcmp(a, one, 16));
    assert_true(v6("::1%eth0", a) && !memcmp(a, one, 16));
    assert_true(v6("::ffff:169.254.169.254", a) && !memcmp(a, mapped, 16));
    assert_true(v6("::FFFF:a9fe:a9fe", a) && !memcmp(a, mapped, 16));
    static const char *const bad[] = {
        "",        ":",   ":::",         "1::2::3", "1:2:3:4:5:6:7",   "1:2:3:4:5:6:7:8:9",
        "12345::", "g::", "::1.2.3.256", "1:",      "1:2:3:4::5:6:7:8"
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        if (v6(bad[i], a)) print_error("%s\n", bad[i]);
        assert_false(v6(bad[i], a));
    }
}

/* The edges of each block: the last address before it, its first, its last, the first behind it. */
static void edges_of_blocks(void **state) {
    (void)state;
    static const struct {
        uint32_t first, last;
        const char *purpose;
    } blocks[] = {
        { 0x0A000000, 0x0AFFFFFF, "private" },  { 0xAC100000, 0xAC1FFFFF, "private" },
        { 0xC0A80000, 0xC0A8FFFF, "private" },  { 0x64400000, 0x647FFFFF, "shared" },
        { 0x7F000000, 0x7FFFFFFF, "loopback" }, { 0xA9FE0000, 0xA9FEFFFF, "link_local" },
    };
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) {
        assert_null(toad__ipv4_purpose(blocks[i].first - 1));
        assert_string_equal(toad__ipv4_purpose(blocks[i].first), blocks[i].purpose);
        assert_string_equal(toad__ipv4_purpose(blocks[i].last), blocks[i].purpose);
        assert_null(toad__ipv4_purpose(blocks[i].last + 1));
        assert_true(toad__ipv4_is_internal(blocks[i].first) && toad__ipv4_is_internal(blocks[i].last));
    }
    assert_string_equal(toad__ipv4_purpose(0xA9FEA9FE), "metadata");
    assert_string_equal(toad__ipv4_purpose(0xC0000201), "documentation");
    assert_false(toad__ipv4_is_internal(0xC0000201)); /* examples in texts are harmless */
    assert_null(toad__ipv4_purpose(0x08080808));
}

static void ipv6_in_disguise(void **state) {
    (void)state;
    static const struct {
        const char *host, *purpose; /* NULL: public */
        bool internal;
    } rows[] = {
        { "::1", "loopback", true },
        { "::", "unspecified", true },
        { "fe80::1", "link_local", true },
        { "fc00::1", "private", true },
        { "ff02::1", "multicast", true },
        { "::ffff:10.0.0.1", "private", true },
        { "::ffff:8.8.8.8", "mapped", false },
        { "64:ff9b::127.0.0.1", "loopback", true },
        { "64:ff9b::8.8.8.8", NULL, false },
        { "2002:7f00:1::", "relay", true },
        { "2001:4860:4860::8888", NULL, false },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint8_t a[16];
        assert_true(v6(rows[i].host, a));
        const char *purpose = toad__ipv6_purpose(a);
        if (!purpose != !rows[i].purpose || (purpose && strcmp(purpose, rows[i].purpose)))
            print_error("%s: %s\n", rows[i].host, purpose ? purpose : "public");
        assert_true(!purpose == !rows[i].purpose && (!purpose || !strcmp(purpose, rows[i].purpose)));
        assert_int_equal(toad__ipv6_is_internal(a), rows[i].internal);
    }
}

static void names(void **state) {
    (void)state;
    static const char *const internal[] = { "localhost", "a.localhost", "router", "db.internal", "10.0.0.1.nip.io" };
    static const char *const public[] = { "", "example.com", "notlocalhost.com", "mylan.example", "localhost.example" };
    for (size_t i = 0; i < 5; i++) {
        assert_true(toad__host_is_internal_name(toad__str_z(internal[i])));
        assert_false(toad__host_is_internal_name(toad__str_z(public[i])));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_address_in_every_spelling),
        cmocka_unit_test(what_is_no_ipv4),
        cmocka_unit_test(ipv6),
        cmocka_unit_test(edges_of_blocks),
        cmocka_unit_test(ipv6_in_disguise),
        cmocka_unit_test(names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
