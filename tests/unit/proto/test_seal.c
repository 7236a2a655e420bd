/* A sealed state opens for the same call of the same principal under the same key, and for nothing else. */
#include "lib/base/json.h"
#include "lib/base/str.h"
#include "proto/seal.h"
#include "tests/check.h"

static const unsigned char key[TOAD__SEAL_KEY] = { 1, 2, 3 };

typedef struct call {
    toad__arena arena;
    toad__seal seal;
} call;

static void open_call(call *c, const char *params) {
    size_t at;
    const char *expected;
    *c = (call){ .seal = { key, TOAD__S("toad-1-"), TOAD__S("tools/call"), TOAD__S("local"), NULL } };
    toad__arena_init(&c->arena, 1 << 20);
    if (params) assert_int_equal(toad__json_parse(toad__str_z(params), &c->arena, &c->seal.params, &at, &expected), 0);
}

static toad_str closed(const toad__seal *s, toad_str body, toad__buf *out) {
    toad__buf_init(out, 1 << 16);
    assert_true(toad__seal_close(s, body, out));
    char *exact = malloc(out->n);
    memcpy(exact, out->p, out->n);
    toad_str sealed = { exact, out->n };
    toad__buf_free(out);
    return sealed;
}

static bool opens(const toad__seal *s, toad_str sealed, size_t room, toad_str expected) {
    unsigned char *body = malloc(room ? room : 1);
    size_t n = 77;
    bool ok = toad__seal_open(s, sealed, room, body, &n);
    if (ok) assert_true(toad__str_eq(toad__str(body, n), expected));
    if (!ok) assert_int_equal(n, 77);
    free(body);
    return ok;
}

static void what_was_closed_opens(void **state) {
    (void)state;
    static char longest[TOAD__SEAL_MOST];
    const toad_str bodies[] = { { NULL, 0 }, TOAD__S("x"), TOAD__S("0123456789abcdef"), { longest, sizeof longest } };
    call c;
    toad__buf b;
    open_call(&c, "{\"name\":\"a\"}");
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
        toad_str sealed = closed(&c.seal, bodies[i], &b);
        assert_true(opens(&c.seal, sealed, bodies[i].n, bodies[i]));
        if (bodies[i].n) assert_false(opens(&c.seal, sealed, bodies[i].n - 1, bodies[i]));
        free((char *)sealed.p);
    }
    toad__arena_free(&c.arena);
}

static void no_byte_may_change(void **state) {
    (void)state;
    call c;
    toad__buf b;
    open_call(&c, "{\"name\":\"a\"}");
    toad_str body = TOAD__S("state"), sealed = closed(&c.seal, body, &b);
    char *bytes = (char *)sealed.p;
    for (size_t i = 0; i < sealed.n; i++) {
        char was = bytes[i];
        for (unsigned bit = 0; bit < 8; bit++) {
            bytes[i] = (char)(was ^ 1 << bit);
            assert_false(opens(&c.seal, sealed, 64, body));
        }
        bytes[i] = was;
        assert_false(opens(&c.seal, toad__str(bytes, i), 64, body));
    }
    assert_true(opens(&c.seal, sealed, 64, body));
    free(bytes);
    toad__arena_free(&c.arena);
}

static void another_call_is_refused(void **state) {
    (void)state;
    static const unsigned char other_key[TOAD__SEAL_KEY] = { 1, 2, 4 };
    call c, same, more, moved;
    toad__buf b;
    open_call(&c, "{\"name\":\"a\",\"x\":\"bc\"}");
    open_call(&same, "{\"name\":\"a\",\"x\":\"bc\",\"requestState\":\"s\",\"_meta\":{},\"inputResponses\":{\"k\":1}}");
    open_call(&more, "{\"name\":\"a\",\"x\":\"bc\",\"y\":1}");
    open_call(&moved, "{\"name\":\"ab\",\"x\":\"c\"}");
    toad_str body = TOAD__S("state"), sealed = closed(&c.seal, body, &b);
    assert_true(opens(&same.seal, sealed, 64, body));
    assert_false(opens(&more.seal, sealed, 64, body));
    assert_false(opens(&moved.seal, sealed, 64, body));
    toad__seal others[] = { c.seal, c.seal, c.seal, c.seal, c.seal };
    others[0].key = other_key;
    others[1].method = TOAD__S("tools/calls");
    others[2].principal = TOAD__S("token:1");
    others[3].prefix = TOAD__S("toad-2-");
    others[4].params = NULL;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) assert_false(opens(&others[i], sealed, 64, body));
    free((char *)sealed.p);
    call *all[] = { &c, &same, &more, &moved };
    for (size_t i = 0; i < 4; i++) toad__arena_free(&all[i]->arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_closed_opens),
        cmocka_unit_test(no_byte_may_change),
        cmocka_unit_test(another_call_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
