/* The pins of tools, on both backends: an approval is moved by the user alone, and every change is in the chain. */
#include "tests/store/fixture.h"

static toad__tool tool(const char *name, const char *digest, const char *state) {
    return (toad__tool){ .server = S("s"),
                         .name = S(name),
                         .digest = S(digest),
                         .body = S("body"),
                         .definition = S(digest),
                         .state = S(state),
                         .why = S("why") };
}

static toad__tool get(fixture *f, const char *name) {
    toad__tool t;
    assert_ok(toad__store_tool_get(f->store, S("s"), S(name), &f->arena, &t));
    return t;
}

static void test_what_is_trusted_first_is_approved_and_stays_so(void **state) {
    fixture *f = *state;
    toad__tool t = tool("a", "one", "trusted");
    assert_ok(toad__store_tools_seen(f->store, &t, 1));
    f->clock += HOUR;
    t = tool("a", "two", "trusted"); /* whatever the caller says */
    assert_ok(toad__store_tools_seen(f->store, &t, 1));
    t = get(f, "a");
    assert_str(t.state, "held");
    assert_str(t.digest, "two");
    assert_str(t.approved, "one");
    assert_str(t.approved_definition, "one");
    assert_true(t.last_seen - t.first_seen == HOUR && !t.by_user);
    t = tool("a", "one", "trusted");
    assert_ok(toad__store_tools_seen(f->store, &t, 1));
    assert_str(get(f, "a").state, "trusted");
    assert_chain(f);
}

static void test_what_was_held_first_has_no_approval(void **state) {
    fixture *f = *state;
    toad__tool t = tool("a", "one", "held");
    assert_ok(toad__store_tools_seen(f->store, &t, 1));
    assert_str(get(f, "a").approved, "");
    t = tool("a", "one", "trusted");
    assert_ok(toad__store_tools_seen(f->store, &t, 1));
    assert_str(get(f, "a").state, "held");
}

static void test_the_user_approves_exactly_what_they_saw(void **state) {
    fixture *f = *state;
    toad__tool t = tool("a", "one", "held");
    uint64_t events, removed;
    assert_ok(toad__store_tools_seen(f->store, &t, 1));
    assert_int_equal(toad__store_tool_approve(f->store, S("s"), S("a"), S("two")), TOAD_E_STATE);
    assert_int_equal(toad__store_tool_approve(f->store, S("s"), S("b"), S("one")), TOAD_E_NOT_FOUND);
    assert_ok(toad__store_tool_approve(f->store, S("s"), S("a"), S("one")));
    t = get(f, "a");
    assert_str(t.state, "trusted");
    assert_str(t.why, "");
    assert_true(t.by_user);
    t = tool("a", "one", "held"); /* what a scan says later does not undo the user's word */
    assert_ok(toad__store_tools_seen(f->store, &t, 1));
    assert_str(get(f, "a").state, "trusted");
    toad__event_filter filter = { .type = S("tool_pin") };
    assert_ok(toad__store_events_count(f->store, &filter, &events));
    assert_int_equal(events, 3);
    assert_ok(toad__store_tools_forget(f->store, S("s"), S("a"), &removed));
    assert_int_equal(removed, 1);
    assert_int_equal(toad__store_tool_get(f->store, S("s"), S("a"), &f->arena, &t), TOAD_E_NOT_FOUND);
    assert_chain(f);
}

static bool count(void *ctx, const toad__tool *t) {
    *(size_t *)ctx += t->name.n;
    return true;
}

static void test_all_or_none_in_order(void **state) {
    fixture *f = *state;
    size_t n = 0;
    toad__tool both[] = { tool("a", "one", "trusted"), tool("b\xff", "one", "trusted") };
    assert_int_equal(toad__store_tools_seen(f->store, both, 2), TOAD_E_ARG);
    assert_ok(toad__store_tools(f->store, S(""), 0, count, &n));
    assert_int_equal(n, 0);
    both[1] = tool("b", "one", "held");
    both[1].server = S("other");
    assert_ok(toad__store_tools_seen(f->store, both, 2));
    assert_ok(toad__store_tools(f->store, S("other"), 0, count, &n));
    assert_int_equal(n, 1);
    assert_chain(f);
}

static const struct CMUnitTest tests[] = {
    T(test_what_is_trusted_first_is_approved_and_stays_so),
    T(test_what_was_held_first_has_no_approval),
    T(test_the_user_approves_exactly_what_they_saw),
    T(test_all_or_none_in_order),
};

RUN_ON_BOTH(tests)
