/* Patterns through the public interface: what is refused and why, and that a user's rule finds what it says. */
#include "tests/check.h"
#include "tests/support/exact.h"
#include "toadstone/compat.h"
#include "toadstone/toadstone.h"

static toad_status compile(const char *pattern, toad_rules **rules, char *message, size_t n) {
    const char *patterns[] = { pattern };
    toad_rule_def def = { .size = sizeof def,
                          .id = "my_rule",
                          .title = "t",
                          .why = "w",
                          .severity = TOAD_HIGH,
                          .patterns = patterns,
                          .patterns_n = 1 };
    return toad_rules_new(&def, 1, rules, message, n);
}

static void bad_patterns_are_refused(void **state) {
    (void)state;
    static const char *const bad[] = { "open*doors", "open+",     "open{2,}", "(?=open)doors", "(open",
                                       "open)",      "[open",     "open\\",   "(a|b)\\1open",  "",
                                       "(?:open)?",  "open{3,2}", "a\\bopen", "op^en",         "\\Qopen" };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        toad_rules *rules = NULL;
        char message[200] = "";
        toad_status status = compile(bad[i], &rules, message, sizeof message);
        if (status != TOAD_E_RULE) print_error("accepted: %s\n", bad[i]);
        assert_int_equal(status, TOAD_E_RULE);
        assert_null(rules);
        assert_true(message[0] != 0);
    }
}

static size_t found(const char *pattern, const char *text, toad_span *at) {
    toad_rules *rules = NULL;
    toad_engine *engine = NULL;
    toad_scanner *scanner = NULL;
    const toad_verdict *v = NULL;
    char message[200], *exact = exact_dup(text, strlen(text));
    assert_int_equal(compile(pattern, &rules, message, sizeof message), TOAD_OK);
    assert_int_equal(
        toad_engine_new(&(toad_engine_options){ sizeof(toad_engine_options), rules, { NULL, 0 } }, &engine), TOAD_OK);
    toad_rules_free(rules);
    assert_int_equal(toad_scanner_new(engine, &scanner), TOAD_OK);
    assert_int_equal(toad_scan(scanner, (toad_str){ exact, strlen(text) }, NULL, &v), TOAD_OK);
    size_t n = 0;
    for (size_t i = 0; i < toad_verdict_count(v); i++) {
        if (strcmp(toad_verdict_finding(v, i)->rule, "my_rule")) continue;
        if (!n++) *at = toad_verdict_finding(v, i)->span;
    }
    toad_scanner_free(scanner);
    toad_engine_free(engine);
    free(exact);
    return n;
}

static void spans_are_exact(void **state) {
    (void)state;
    static const struct {
        const char *pattern, *text;
        uint64_t start, end;
    } cases[] = {
        { "open (?:the )?pod", "Please OPEN  the\n pod now", 7, 21 },
        { "\\bdoors\\b", "indoors doors doorstep", 8, 13 },
        { "airlock{1,3}", "xx airlockkkkk", 3, 12 },
        { "gate .{0,6}number", "gate with number", 0, 16 },
        { "^hangar", "the hangar\nhangar", 11, 17 },
        { "station\\b",
          "st\xE2\x80\x8B"
          "ation!",
          0, 10 },
        { "pod[^.!?]{0,10}bay", "pod. bay pod my bay", 9, 19 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        toad_span at = { 0, 0 };
        assert_true(found(cases[i].pattern, cases[i].text, &at) > 0);
        assert_int_equal(at.start, cases[i].start);
        assert_int_equal(at.end, cases[i].end);
    }
}

static void a_user_rule_replaces_a_built_in_one(void **state) {
    (void)state;
    const char *patterns[] = { "never to be seen words" };
    toad_rule_def def = { .size = sizeof def,
                          .id = "ignore_previous_instructions",
                          .title = "t",
                          .why = "w",
                          .severity = TOAD_LOW,
                          .patterns = patterns,
                          .patterns_n = 1 };
    toad_rules *rules = NULL;
    toad_engine *engine = NULL;
    toad_scanner *scanner = NULL;
    toad_text *ids = NULL;
    assert_int_equal(toad_rules_new(&def, 1, &rules, NULL, 0), TOAD_OK);
    assert_int_equal(
        toad_engine_new(&(toad_engine_options){ sizeof(toad_engine_options), rules, { NULL, 0 } }, &engine), TOAD_OK);
    assert_int_equal(toad_scanner_new(engine, &scanner), TOAD_OK);
    assert_int_equal(toad_scan_ids(scanner, (toad_str){ "ignore previous instructions", 28 }, TOAD_RELAXED, &ids),
                     TOAD_OK);
    toad_str s = toad_text_str(ids);
    for (size_t i = 0; i + 28 <= s.n; i++) assert_int_not_equal(memcmp(s.p + i, "ignore_previous_instructions", 28), 0);
    toad_text_free(ids);
    toad_scanner_free(scanner);
    toad_engine_free(engine);
    toad_rules_free(rules);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_patterns_are_refused),
        cmocka_unit_test(spans_are_exact),
        cmocka_unit_test(a_user_rule_replaces_a_built_in_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
