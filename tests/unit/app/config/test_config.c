/* Configuration files: every mistake with its line, layers over layers, and a project that may only tighten. */
#include "app/config/policy.h"
#include "lib/base/str.h"
#include "tests/check.h"
#include "tests/support/exact.h"

#include <stdio.h>

static toad__config *fresh(void) {
    toad__config *c;
    assert_int_equal(toad__config_new(&c), TOAD_OK);
    return c;
}

static void add(toad__config *c, toad__layer layer, const char *yaml) {
    char *in = exact_dup(yaml, strlen(yaml));
    assert_int_equal(toad__config_add_yaml(c, layer, "f.yaml", toad__str(in, strlen(yaml))), TOAD_OK);
    free(in);
}

/* The mistakes of `yaml`, each "line key message". */
static void mistakes(toad__layer layer, const char *yaml, const char *want) {
    toad__config *c = fresh();
    toad__buf got;
    toad__buf_init(&got, 1u << 20);
    add(c, layer, yaml);
    for (size_t i = 0; i < toad__config_mistakes(c); i++) {
        const toad__mistake *m = toad__config_mistake(c, i);
        char line[24];
        snprintf(line, sizeof line, "%zu ", m->line);
        toad__buf_add_z(&got, line);
        toad__buf_add_z(&got, m->key);
        toad__buf_add_z(&got, " ");
        toad__buf_add_z(&got, m->message);
        toad__buf_add_z(&got, "\n");
    }
    toad__buf_add_c(&got, 0);
    assert_string_equal(got.p, want);
    toad__buf_free(&got);
    toad__config_free(c);
}

static void reads_what_seed_004_writes(void **state) {
    (void)state;
    toad__config *c = fresh();
    add(c, TOAD__LAYER_USER,
        "security:\n  web_content_isolation: true\n  require_confirmation: false\n  auto_block_high_confidence: "
        "true\n");
    assert_int_equal(toad__config_mistakes(c), 0);
    assert_true(toad__config_flag(c, TOAD__CONFIG_ISOLATION));
    assert_false(toad__config_flag(c, TOAD__CONFIG_CONFIRM));
    assert_string_equal(toad__config_origin(c, TOAD__CONFIG_CONFIRM), "f.yaml:3");
    assert_null(toad__config_origin(c, TOAD__CONFIG_SCOPE));
    toad__config_free(c);
}

static void reads_every_type(void **state) {
    (void)state;
    toad__config *c = fresh();
    const char *const *list;
    add(c, TOAD__LAYER_USER,
        "store: {where: /tmp/x, content_ttl: never, content_characters: 10K}\nscan:\n  rules: [a.yaml, \"b c.yaml\"]\n "
        " scope: strict\n"
        "security: {confirmation_ttl: 2h}\non_store_error: block\n# done\n");
    assert_int_equal(toad__config_mistakes(c), 0);
    assert_string_equal(toad__config_text(c, TOAD__CONFIG_STORE), "/tmp/x");
    assert_int_equal(toad__config_number(c, TOAD__CONFIG_CONTENT_TTL), -1);
    assert_int_equal(toad__config_number(c, TOAD__CONFIG_CONTENT_SIZE), 10240);
    assert_int_equal(toad__config_number(c, TOAD__CONFIG_CONFIRM_TTL), INT64_C(7200000000));
    assert_int_equal(toad__config_number(c, TOAD__CONFIG_SCOPE), 1);
    assert_int_equal(toad__config_list(c, TOAD__CONFIG_RULES, &list), 2);
    assert_string_equal(list[1], "b c.yaml");
    toad__config_free(c);
}

static void tells_every_mistake(void **state) {
    (void)state;
    mistakes(TOAD__LAYER_USER, "", "");
    mistakes(TOAD__LAYER_USER, "# nothing\n---\n", "");
    mistakes(
        TOAD__LAYER_USER,
        "securty:\n  x: {a: [1, {b: 2}]}\nsecurity:\n  web_content_isolation: yes\n  confirm_on: [a]\nenvelope: ptc\n",
        "1 securty there is no such key; did you mean security?\n"
        "4 security.web_content_isolation \"yes\" is neither true nor false\n"
        "5 security.confirm_on a single value is expected here\n");
    mistakes(TOAD__LAYER_USER, "envelope: ptc\nenvelope: ptc\nstore: x\nscan: {fail_on: , rules: a}\n",
             "2 envelope it stands twice in the file\n"
             "3 store this is a section; its keys stand indented below it\n"
             "4 scan.fail_on it has no value\n"
             "4 scan.rules a list is expected here: [a, b]\n");
    mistakes(TOAD__LAYER_USER, "policy: {web: {hihg: block}, web2: {}}\nscope: strict\n",
             "1 policy.web.hihg there is no such key; did you mean policy.web.high?\n"
             "1 policy.web2 there is no such key; did you mean policy.web?\n"
             "2 scope there is no such key; did you mean scan.scope?\n");
    mistakes(TOAD__LAYER_USER, "security: {confirmation_ttl: 99d}\nstore: {content_characters: 5}\n",
             "1 security.confirmation_ttl \"99d\" is no span of time within 1m 24h (30s, 15m, 24h, 7d)\n"
             "2 store.content_characters \"5\" is no number within 1000 10000000\n");
    mistakes(TOAD__LAYER_USER, "- a\n", "1  a configuration holds lines of the form  key: value\n");
    mistakes(TOAD__LAYER_USER, "? [a, b]\n: c\nenvelope: *x\n",
             "1  a name is expected here\n3 envelope anchors, aliases and tags are not allowed; write the value out\n");
    mistakes(TOAD__LAYER_USER, "envelope: ptc\n---\nenvelope: ptc\n",
             "2  one document a file; what follows is not read\n");
    mistakes(TOAD__LAYER_USER, "x\x01y: 1\n", "1  not valid YAML: control characters are not allowed\n");
    mistakes(TOAD__LAYER_USER, "\"a\\u202e\\n\": 1\n",
             "1 a\\u202e\\n there is no such key; 'toadstone config show' lists them\n");
    mistakes(TOAD__LAYER_USER, "envelope: \"p\\0tc\"\n", "1 envelope a value must not hold \\0\n");
}

static void ends_at_a_hundred(void **state) {
    (void)state;
    toad__buf b;
    toad__config *c = fresh();
    toad__buf_init(&b, 1u << 20);
    for (int i = 0; i < 5000; i++) toad__buf_add_z(&b, "unknown: 1\n");
    toad__buf_add_c(&b, 0);
    add(c, TOAD__LAYER_USER, b.p);
    assert_int_equal(toad__config_mistakes(c), TOAD__CONFIG_MISTAKES);
    toad__buf_free(&b);
    toad__config_free(c);
}

static void lets_a_project_only_tighten(void **state) {
    (void)state;
    toad__config *c = fresh();
    add(c, TOAD__LAYER_USER, "security: {require_confirmation: false, confirmation_ttl: 1h}\n");
    add(c, TOAD__LAYER_PROJECT,
        "security: {require_confirmation: true, confirmation_ttl: 30m}\npolicy: {web: {medium: block}}\nscan: {scope: "
        "strict, fail_on: low}\n");
    assert_int_equal(toad__config_mistakes(c), 0);
    assert_true(toad__config_flag(c, TOAD__CONFIG_CONFIRM));
    assert_int_equal(toad__config_number(c, TOAD__CONFIG_CONFIRM_TTL), INT64_C(1800000000));
    toad__config_free(c);
    mistakes(TOAD__LAYER_PROJECT,
             "security: {require_confirmation: false, confirmation_ttl: 1h, auto_block_high_confidence: false, "
             "confirm_on: overlap}\n"
             "on_store_error: degrade\nstore: {where: x}\nscan: {rules: [a], model: m, fail_on: none}\nenvelope: "
             "ptc\npolicy: {web: {high: warn}}\n",
             "1 security.require_confirmation this is looser than what holds (true); a project may only tighten\n"
             "1 security.confirmation_ttl this is looser than what holds (15m); a project may only tighten\n"
             "1 security.auto_block_high_confidence this is looser than what holds (true); a project may only tighten\n"
             "1 security.confirm_on this is looser than what holds (taint); a project may only tighten\n"
             "2 on_store_error this is looser than what holds (auto); a project may only tighten\n"
             "3 store.where this is not for a project to set\n"
             "4 scan.rules this is not for a project to set\n"
             "4 scan.model this is not for a project to set\n"
             "4 scan.fail_on this is looser than what holds (medium); a project may only tighten\n"
             "5 envelope this is not for a project to set\n"
             "6 policy.web.high this is looser than what holds (block); a project may only tighten\n");
}

static void puts_environment_and_flags_on_top(void **state) {
    (void)state;
    char a[] = "TOADSTONE_SECURITY_REQUIRE_CONFIRMATION=false", b[] = "TOADSTONE_STORE=postgresql://me:pw@h/d",
         d[] = "TOADSTONE_SCAN_RULES=x", e[] = "TOADSTONE_SCAN_SCOPE=", f[] = "OTHER=1",
         g[] = "TOADSTONE_POLICY_EMAIL_LOW=warn", h[] = "TOADSTONE";
    char *environment[] = { a, b, d, e, f, g, h, NULL };
    toad__config *c = fresh();
    toad__buf out;
    add(c, TOAD__LAYER_PROJECT, "security: {require_confirmation: true}\n");
    assert_int_equal(toad__config_add_environment(c, environment), TOAD_OK);
    assert_false(toad__config_flag(c, TOAD__CONFIG_CONFIRM));
    assert_int_equal(toad__config_mistakes(c), 1);
    assert_string_equal(toad__config_mistake(c, 0)->key, "scan.rules");
    assert_int_equal(toad__config_add_flag(c, "--scope", "scan.scope", "strict"), TOAD_OK);
    assert_string_equal(toad__config_origin(c, TOAD__CONFIG_SCOPE), "--scope");
    toad__buf_init(&out, 1u << 20);
    toad__config_json(c, &out);
    toad__buf_add_c(&out, 0);
    assert_null(strstr(out.p, "pw"));
    assert_non_null(strstr(out.p, "postgresql://me:***@h/d"));
    toad__buf_free(&out);
    toad__config_free(c);
}

/* What is printed is read back as it is. */
static void prints_what_it_reads(void **state) {
    (void)state;
    for (int origin = 0; origin < 2; origin++) {
        toad__config *c = fresh(), *again = fresh();
        toad__buf one, two;
        toad__buf_init(&one, 1u << 20);
        toad__buf_init(&two, 1u << 20);
        add(c, TOAD__LAYER_USER,
            "store: {where: \"a\\u0022b\\n # c\"}\nscan: {rules: [\"x: y\", '']}\npolicy: {api: {none: block}}\n");
        toad__config_yaml(c, origin, &one);
        assert_int_equal(toad__config_add_yaml(again, TOAD__LAYER_USER, "f.yaml", toad__buf_str(&one)), TOAD_OK);
        assert_int_equal(toad__config_mistakes(again), 0);
        toad__config_yaml(c, false, &two);
        toad__buf_clear(&one);
        toad__config_yaml(again, false, &one);
        assert_true(toad__str_eq(toad__buf_str(&one), toad__buf_str(&two)));
        toad__buf_free(&one);
        toad__buf_free(&two);
        toad__config_free(c);
        toad__config_free(again);
    }
}

static void acts(const toad__config *c, const char *source, toad_severity severity, toad_completeness completeness,
                 const char *want) {
    size_t s;
    assert_true(toad__policy_source(source, &s));
    assert_string_equal(toad__policy_decide(c, s, severity, completeness).action, want);
}

static void policy(void **state) {
    (void)state;
    toad__config *c = fresh();
    size_t s;
    acts(c, "web", TOAD_HIGH, TOAD_FULL, "block");
    acts(c, "web", TOAD_MEDIUM, TOAD_FULL, "warn");
    acts(c, "web", TOAD_LOW, TOAD_FULL, "allow");
    acts(c, "web", TOAD_NONE, TOAD_FULL, "allow");
    acts(c, "web", TOAD_NONE, TOAD_SIZE_LIMIT, "warn");
    acts(c, "web", TOAD_HIGH, TOAD_TIME_LIMIT, "block");
    acts(c, "memory", TOAD_LOW, TOAD_FULL, "block");
    acts(c, "memory", TOAD_NONE, TOAD_DECODE_LIMIT, "block");
    assert_false(toad__policy_source("we", &s));
    assert_false(toad__policy_source("", &s));
    add(c, TOAD__LAYER_USER,
        "security: {auto_block_high_confidence: false}\npolicy: {mcp: {high: ask, incomplete: block}, api: {medium: "
        "redact}}\n");
    acts(c, "web", TOAD_HIGH, TOAD_FULL, "warn");
    acts(c, "mcp", TOAD_HIGH, TOAD_FULL, "ask");
    acts(c, "mcp", TOAD_LOW, TOAD_DEPTH_LIMIT, "block");
    acts(c, "api", TOAD_MEDIUM, TOAD_FULL, "redact");
    toad__config_free(c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_what_seed_004_writes),  cmocka_unit_test(reads_every_type),
        cmocka_unit_test(tells_every_mistake),         cmocka_unit_test(ends_at_a_hundred),
        cmocka_unit_test(lets_a_project_only_tighten), cmocka_unit_test(puts_environment_and_flags_on_top),
        cmocka_unit_test(prints_what_it_reads),        cmocka_unit_test(policy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
