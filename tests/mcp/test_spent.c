/* Request states count once, are forgotten when they cannot be used any more, and none is accepted when too many are
 * remembered. */
#include "face/mcp/spent.h"
#include "lib/base/str.h"
#include "tests/check.h"

#include <stdio.h>

static bool spend(mcp_spent *s, unsigned number, int64_t now) {
    char mark[MCP_SPENT_MARK + 1];
    snprintf(mark, sizeof mark, "%016u", number);
    return mcp_spend(s, toad__str(mark, MCP_SPENT_MARK), now);
}

static void each_counts_once(void **state) {
    mcp_spent *s;
    (void)state;
    assert_int_equal(mcp_spent_new(&s), TOAD_OK);
    assert_true(spend(s, 1, 100));
    assert_true(spend(s, 2, 100));
    assert_false(spend(s, 1, 100));
    assert_false(spend(s, 1, 100 + MCP_SPENT_S));
    assert_false(mcp_spend(s, TOAD__S("short"), 100));
    assert_false(mcp_spend(s, toad__str(NULL, 0), 100));
    mcp_spent_free(s);
    mcp_spent_free(NULL);
}

static void too_many_are_refused_until_they_are_old(void **state) {
    mcp_spent *s;
    (void)state;
    assert_int_equal(mcp_spent_new(&s), TOAD_OK);
    for (unsigned i = 0; i < MCP_SPENT_MAX; i++) assert_true(spend(s, i, 100 + i / 1000));
    assert_false(spend(s, MCP_SPENT_MAX, 105));
    assert_true(spend(s, MCP_SPENT_MAX, 101 + MCP_SPENT_S)); /* the first thousand is forgotten */
    assert_false(spend(s, MCP_SPENT_MAX, 101 + MCP_SPENT_S));
    assert_false(spend(s, 1500, 101 + MCP_SPENT_S));
    for (unsigned i = 1; i < 1000; i++) assert_true(spend(s, MCP_SPENT_MAX + i, 101 + MCP_SPENT_S));
    assert_false(spend(s, 2 * MCP_SPENT_MAX, 101 + MCP_SPENT_S));
    mcp_spent_free(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_counts_once),
        cmocka_unit_test(too_many_are_refused_until_they_are_old),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
