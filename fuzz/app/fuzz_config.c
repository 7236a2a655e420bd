/* fuzz_config.c - any bytes as a configuration file, of the user and of a project.
 *
 * Holds: mistakes are counted and safe to print; what was read is printed as YAML that reads back without a mistake and
 * to the same values; a project's file never loosens anything. */
#include "app/config/policy.h"
#include "lib/base/str.h"

#include <stdint.h>

#define CHECK(x)                    \
    do {                            \
        if (!(x)) __builtin_trap(); \
    } while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_mistakes(const bzr__config *c) {
    CHECK(bzr__config_mistakes(c) <= BZR__CONFIG_MISTAKES + 1);
    for (size_t i = 0; i < bzr__config_mistakes(c); i++) {
        const bzr__mistake *m = bzr__config_mistake(c, i);
        for (const char *p = m->key; *p; p++) CHECK(*p >= 0x20 && *p < 0x7F);
        for (const char *p = m->message; *p; p++) CHECK(*p >= 0x20 && *p < 0x7F);
    }
}

static void check_round_trip(const bzr__config *c) {
    bzr__config *again;
    bzr__buf one, two;
    bzr__buf_init(&one, 1u << 24);
    bzr__buf_init(&two, 1u << 24);
    bzr__config_yaml(c, true, &one);
    CHECK(!bzr__config_new(&again));
    bool secret = strstr(bzr__config_text(c, BZR__CONFIG_STORE), "://") ||
                  strstr(bzr__config_text(c, BZR__CONFIG_STORE), "password=") ||
                  strstr(bzr__config_text(c, BZR__CONFIG_MODEL), "://") ||
                  strstr(bzr__config_text(c, BZR__CONFIG_MODEL), "password=");
    if (!one.status && one.n <= BZR__CONFIG_FILE && !secret) {
        CHECK(!bzr__config_add_yaml(again, BZR__LAYER_USER, "again", bzr__buf_str(&one)));
        CHECK(!bzr__config_mistakes(again));
        bzr__buf_clear(&one);
        bzr__config_yaml(c, false, &one);
        bzr__config_yaml(again, false, &two);
        CHECK(bzr__str_eq(bzr__buf_str(&one), bzr__buf_str(&two)));
    }
    bzr__config_free(again);
    bzr__buf_free(&one);
    bzr__buf_free(&two);
}

static void check_tightened(const bzr__config *c) {
    bzr__config *usual;
    CHECK(!bzr__config_new(&usual));
    for (int key = 0; key < BZR__CONFIG_POLICY + BZR__POLICY_N; key++) {
        int64_t was = bzr__config_number(usual, (bzr__config_key)key), is = bzr__config_number(c, (bzr__config_key)key);
        CHECK(key == BZR__CONFIG_CONFIRM_TTL ? is <= was : is >= was);
    }
    CHECK(!*bzr__config_text(c, BZR__CONFIG_STORE) && !*bzr__config_text(c, BZR__CONFIG_MODEL));
    bzr__config_free(usual);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    bzr__config *c;
    CHECK(!bzr__config_new(&c));
    CHECK(!bzr__config_add_yaml(c, BZR__LAYER_PROJECT, ".bezoar.yaml", bzr__str(data, size)));
    check_mistakes(c);
    check_tightened(c);
    bzr__config_free(c);
    CHECK(!bzr__config_new(&c));
    CHECK(!bzr__config_add_yaml(c, BZR__LAYER_USER, "config.yaml", bzr__str(data, size)));
    check_mistakes(c);
    check_round_trip(c);
    bzr__config_free(c);
    return 0;
}
