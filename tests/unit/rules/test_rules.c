/* Patterns through the public interface: what is refused and why, and that a user's rule finds what it says. */
#include "bezoar/bezoar.h"
#include "tests/support/exact.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

static bzr_status compile(const char *pattern, bzr_rules **rules, char *message, size_t n) {
    const char *patterns[] = { pattern };
    bzr_rule_def def = { .size = sizeof def, .id = "my_rule", .title = "t", .why = "w", .severity = BZR_HIGH, .patterns = patterns, .patterns_n = 1 };
    return bzr_rules_new(&def, 1, rules, message, n);
}

static void bad_patterns_are_refused(void **state) {
    (void)state;
    static const char *const bad[] = { "open*doors", "open+", "open{2,}", "(?=open)doors", "(open", "open)", "[open", "open\\", "(a|b)\\1open", "", "(?:open)?", "open{3,2}", "a\\bopen", "op^en", "\\Qopen" };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        bzr_rules *rules = NULL;
        char message[200] = "";
        bzr_status status = compile(bad[i], &rules, message, sizeof message);
        if (status != BZR_E_RULE) print_error("accepted: %s\n", bad[i]);
        assert_int_equal(status, BZR_E_RULE);
        assert_null(rules);
        assert_true(message[0] != 0);
    }
}

static size_t found(const char *pattern, const char *text, bzr_span *at) {
    bzr_rules *rules = NULL;
    bzr_engine *engine = NULL;
    bzr_scanner *scanner = NULL;
    const bzr_verdict *v = NULL;
    char message[200], *exact = exact_dup(text, strlen(text));
    assert_int_equal(compile(pattern, &rules, message, sizeof message), BZR_OK);
    assert_int_equal(bzr_engine_new(rules, &engine), BZR_OK);
    bzr_rules_free(rules);
    assert_int_equal(bzr_scanner_new(engine, &scanner), BZR_OK);
    assert_int_equal(bzr_scan(scanner, (bzr_str){ exact, strlen(text) }, NULL, &v), BZR_OK);
    size_t n = 0;
    for (size_t i = 0; i < bzr_verdict_count(v); i++) {
        if (strcmp(bzr_verdict_finding(v, i)->rule, "my_rule")) continue;
        if (!n++) *at = bzr_verdict_finding(v, i)->span;
    }
    bzr_scanner_free(scanner);
    bzr_engine_free(engine);
    free(exact);
    return n;
}

static void spans_are_exact(void **state) {
    (void)state;
    static const struct { const char *pattern, *text; uint64_t start, end; } cases[] = {
        { "open (?:the )?pod", "Please OPEN  the\n pod now", 7, 21 },
        { "\\bdoors\\b", "indoors doors doorstep", 8, 13 },
        { "airlock{1,3}", "xx airlockkkkk", 3, 12 },
        { "gate .{0,6}number", "gate with number", 0, 16 },
        { "^hangar", "the hangar\nhangar", 11, 17 },
        { "station\\b", "st\xE2\x80\x8B" "ation!", 0, 10 },
        { "pod[^.!?]{0,10}bay", "pod. bay pod my bay", 9, 19 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bzr_span at = { 0, 0 };
        assert_true(found(cases[i].pattern, cases[i].text, &at) > 0);
        assert_int_equal(at.start, cases[i].start);
        assert_int_equal(at.end, cases[i].end);
    }
}

static void a_user_rule_replaces_a_built_in_one(void **state) {
    (void)state;
    const char *patterns[] = { "never to be seen words" };
    bzr_rule_def def = { .size = sizeof def, .id = "ignore_previous_instructions", .title = "t", .why = "w", .severity = BZR_LOW, .patterns = patterns, .patterns_n = 1 };
    bzr_rules *rules = NULL;
    bzr_engine *engine = NULL;
    bzr_scanner *scanner = NULL;
    bzr_text *ids = NULL;
    assert_int_equal(bzr_rules_new(&def, 1, &rules, NULL, 0), BZR_OK);
    assert_int_equal(bzr_engine_new(rules, &engine), BZR_OK);
    assert_int_equal(bzr_scanner_new(engine, &scanner), BZR_OK);
    assert_int_equal(bzr_scan_ids(scanner, (bzr_str){ "ignore previous instructions", 28 }, BZR_RELAXED, &ids), BZR_OK);
    bzr_str s = bzr_text_str(ids);
    for (size_t i = 0; i + 28 <= s.n; i++) assert_int_not_equal(memcmp(s.p + i, "ignore_previous_instructions", 28), 0);
    bzr_text_free(ids);
    bzr_scanner_free(scanner);
    bzr_engine_free(engine);
    bzr_rules_free(rules);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_patterns_are_refused), cmocka_unit_test(spans_are_exact), cmocka_unit_test(a_user_rule_replaces_a_built_in_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
