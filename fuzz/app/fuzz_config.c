/* fuzz_config.c - any bytes as a configuration file, of the user and of a project.
 *
 * Holds: mistakes are counted and safe to print; what was read is printed as YAML that reads back without a mistake and
 * to the same values; a project's file never loosens anything. */
#include "app/config/policy.h"
#include "fuzz/fuzz.h"
#include "lib/base/str.h"

#define CHECK(x)                    \
    do {                            \
        if (!(x)) __builtin_trap(); \
    } while (0)

static void check_mistakes(const toad__config *c) {
    CHECK(toad__config_mistakes(c) <= TOAD__CONFIG_MISTAKES + 1);
    for (size_t i = 0; i < toad__config_mistakes(c); i++) {
        const toad__mistake *m = toad__config_mistake(c, i);
        for (const char *p = m->key; *p; p++) CHECK(*p >= 0x20 && *p < 0x7F);
        for (const char *p = m->message; *p; p++) CHECK(*p >= 0x20 && *p < 0x7F);
    }
}

static void check_round_trip(const toad__config *c) {
    toad__config *again;
    toad__buf one, two;
    toad__buf_init(&one, 1u << 24);
    toad__buf_init(&two, 1u << 24);
    toad__config_yaml(c, true, &one);
    CHECK(!toad__config_new(&again));
    bool secret = strstr(toad__config_text(c, TOAD__CONFIG_STORE), "://") ||
                  strstr(toad__config_text(c, TOAD__CONFIG_STORE), "password=") ||
                  strstr(toad__config_text(c, TOAD__CONFIG_MODEL), "://") ||
                  strstr(toad__config_text(c, TOAD__CONFIG_MODEL), "password=");
    if (!one.status && one.n <= TOAD__CONFIG_FILE && !secret) {
        CHECK(!toad__config_add_yaml(again, TOAD__LAYER_USER, "again", toad__buf_str(&one)));
        CHECK(!toad__config_mistakes(again));
        toad__buf_clear(&one);
        toad__config_yaml(c, false, &one);
        toad__config_yaml(again, false, &two);
        CHECK(toad__str_eq(toad__buf_str(&one), toad__buf_str(&two)));
    }
    toad__config_free(again);
    toad__buf_free(&one);
    toad__buf_free(&two);
}

static void check_tightened(const toad__config *c) {
    toad__config *usual;
    CHECK(!toad__config_new(&usual));
    for (int key = 0; key < TOAD__CONFIG_POLICY + TOAD__POLICY_N; key++) {
        int64_t was = toad__config_number(usual, (toad__config_key)key),
                is = toad__config_number(c, (toad__config_key)key);
        CHECK(key == TOAD__CONFIG_CONFIRM_TTL ? is <= was : is >= was);
    }
    CHECK(!*toad__config_text(c, TOAD__CONFIG_STORE) && !*toad__config_text(c, TOAD__CONFIG_MODEL));
    toad__config_free(usual);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    toad__config *c;
    CHECK(!toad__config_new(&c));
    CHECK(!toad__config_add_yaml(c, TOAD__LAYER_PROJECT, ".toadstone.yaml", toad__str(data, size)));
    check_mistakes(c);
    check_tightened(c);
    toad__config_free(c);
    CHECK(!toad__config_new(&c));
    CHECK(!toad__config_add_yaml(c, TOAD__LAYER_USER, "config.yaml", toad__str(data, size)));
    check_mistakes(c);
    check_round_trip(c);
    toad__config_free(c);
    return 0;
}
