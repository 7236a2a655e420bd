/* SHA-256 and HMAC against the published vectors (FIPS 180-4, RFC 4231), and what the clocks promise. */
#include "lib/base/str.h"
#include "sys/clock.h"
#include "sys/digest.h"
#include "sys/library.h"
#include "tests/check.h"

static void sha256_of_parts(void **state) {
    (void)state;
    static const char abc[] = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    char hex[65];
    toad__sha256_of(TOAD__S("abc"), hex);
    assert_string_equal(hex, abc);
    toad__sha256_hex((const toad_str[]){ TOAD__S("a"), { NULL, 0 }, TOAD__S("bc") }, 3, hex);
    assert_string_equal(hex, abc);
    toad__sha256_of(toad__str(NULL, 0), hex);
    assert_string_equal(hex, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

static void hmac_of_rfc4231(void **state) {
    (void)state;
    static const unsigned char expected[] = { 0x5b, 0xdc, 0xc1, 0x46, 0xbf, 0x60, 0x75, 0x4e, 0x6a, 0x04, 0x24,
                                              0x26, 0x08, 0x95, 0x75, 0xc7, 0x5a, 0x00, 0x3f, 0x08, 0x9d, 0x27,
                                              0x39, 0x83, 0x9d, 0xec, 0x58, 0xb9, 0x64, 0xec, 0x38, 0x43 };
    unsigned char mac[TOAD__DIGEST];
    toad__hmac(TOAD__S("Jefe"), TOAD__S("what do ya want for nothing?"), mac);
    assert_memory_equal(mac, expected, sizeof mac);
    assert_true(toad__same_bytes(mac, expected, sizeof mac));
    mac[31] ^= 1;
    assert_false(toad__same_bytes(mac, expected, sizeof mac));
}

/* Test case 6: a key longer than a block is hashed first. */
static void hmac_of_a_long_key(void **state) {
    (void)state;
    static const unsigned char expected[] = { 0x60, 0xe4, 0x31, 0x59, 0x1e, 0xe0, 0xb6, 0x7f, 0x0d, 0x8a, 0x26,
                                              0xaa, 0xcb, 0xf5, 0xb7, 0x7f, 0x8e, 0x0b, 0xc6, 0x21, 0x37, 0x28,
                                              0xc5, 0x14, 0x05, 0x46, 0x04, 0x0f, 0x0e, 0xe3, 0x7f, 0x54 };
    unsigned char mac[TOAD__DIGEST], key[131];
    memset(key, 0xaa, sizeof key);
    toad__hmac(toad__str(key, sizeof key), TOAD__S("Test Using Larger Than Block-Size Key - Hash Key First"), mac);
    assert_memory_equal(mac, expected, sizeof mac);
}

/* What cannot be had is said, with the package that has it; of what is here, only what it has is found. */
static void libraries(void **state) {
    (void)state;
    char problem[256] = "";
    assert_null(toad__library("libnot_a_toad.so.1", "libnot1", "jumping needs libnot", problem, sizeof problem));
    assert_memory_equal(problem, "jumping needs libnot", 20);
    assert_non_null(strstr(problem, "libnot1"));
    void *libm = toad__library("libm.so.6", "libc6", "arithmetic needs libm", problem, sizeof problem);
    assert_non_null(libm);
    double (*root)(double) = NULL;
    void (*none)(void) = NULL;
    assert_true(toad__symbol(libm, "sqrt", &root));
    assert_true(root(9) == 3);
    assert_false(toad__symbol(libm, "not_a_toad", &none));
    assert_null(none);
}

static void time_goes_forward(void **state) {
    (void)state;
    int64_t before = toad__now_ms(), wall = toad__wall_us();
    struct timespec later = toad__wall_in(999);
    assert_true(toad__now_ms() >= before);
    assert_true(wall > INT64_C(1700000000) * 1000000);
    assert_true(later.tv_nsec >= 0 && later.tv_nsec < 1000000000);
    assert_true((int64_t)later.tv_sec * 1000000 + later.tv_nsec / 1000 >= wall + 999000);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sha256_of_parts), cmocka_unit_test(hmac_of_rfc4231),   cmocka_unit_test(hmac_of_a_long_key),
        cmocka_unit_test(libraries),       cmocka_unit_test(time_goes_forward),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
