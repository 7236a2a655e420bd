/* The answer object: what is said is read back and written in its order, whatever the bytes are, and under a failing
 * allocation or a ceiling it is whole or has failed. Texts and keys come from buffers of exactly their length. Built
 * with -Wl,--wrap=malloc,calloc,realloc: only our own allocations fail. */
#include "app/host/answer.h"
#include "lib/base/str.h"
#include "tests/check.h"
#include "tests/support/exact.h"
#include "tests/support/fail_alloc.h"

#define MOST ((size_t)1 << 20)

static void is_written(const toad__answer *a, const char *want) {
    toad__buf out;
    toad__buf_init(&out, MOST);
    toad__answer_write(a, &out);
    toad__buf_add_c(&out, 0);
    assert_int_equal(out.status, TOAD_OK);
    assert_string_equal(out.p, want);
    toad__buf_free(&out);
}

/* A text that is gone as soon as it was said. */
static void say(toad__answer *a, const char *key, const char *bytes, size_t n) {
    char *exact = exact_dup(bytes, n);
    toad__answer_str(a, key, toad__str(exact, n));
    memset(exact, '#', n);
    free(exact);
}

static void writes_every_kind(void **state) {
    (void)state;
    toad__answer a;
    toad__answer_init(&a, MOST);
    is_written(&a, "{}");
    assert_false(toad__answer_any(&a));
    say(&a, "text", "a b", 3);
    toad__answer_str(&a, "none", toad__str(NULL, 0));
    toad__answer_str(&a, "empty", TOAD__S(""));
    toad__answer_some(&a, "some", TOAD__S(""));
    toad__answer_z(&a, "z", NULL);
    toad__answer_int(&a, "least", INT64_MIN);
    toad__answer_bool(&a, "yes", true);
    toad__answer_bool(&a, "no", false);
    toad__answer_real(&a, "real", 0.7);
    toad__answer_time(&a, "never", 0);
    toad__answer_time(&a, "then", 1);
    assert_true(toad__answer_any(&a));
    is_written(&a, "{\"text\":\"a b\",\"none\":null,\"empty\":\"\",\"some\":null,\"z\":null,"
                   "\"least\":-9223372036854775808,\"yes\":true,\"no\":false,\"real\":0.70,\"never\":null,"
                   "\"then\":\"1970-01-01T00:00:00.000001Z\"}");
    toad__answer_free(&a);
}

static void escapes_what_strangers_wrote(void **state) {
    (void)state;
    toad__answer a;
    toad__answer_init(&a, MOST);
    say(&a, "a", "\"\\\n\x1b[2K\0z", 9);
    say(&a, "b", "\xe2\x80\xae\xff\xc3\xa9", 6); /* an override, no UTF-8, a letter */
    is_written(&a, "{\"a\":\"\\\"\\\\\\n\\u001b[2K\\u0000z\",\"b\":\"\\u202e\\ufffd\xc3\xa9\"}");
    toad_str read = toad__json_get_text(&a.root, "a");
    assert_int_equal(read.n, 9);
    assert_memory_equal(read.p, "\"\\\n\x1b[2K\0z", 9);
    toad__answer_free(&a);
}

static void nests_in_the_order_of_saying(void **state) {
    (void)state;
    toad__answer a;
    toad__answer_init(&a, MOST);
    toad__answer_array(&a, "rows");
    for (int i = 0; i < 2; i++) {
        toad__answer_object(&a, NULL);
        toad__answer_int(&a, "i", i);
        toad__answer_array(&a, "list");
        toad__answer_z(&a, NULL, i ? "x" : "y");
        toad__answer_int(&a, NULL, 7);
        toad__answer_end(&a);
        toad__answer_end(&a);
    }
    toad__answer_end(&a);
    toad__answer_object(&a, "empty");
    toad__answer_end(&a);
    toad__answer_bool(&a, "last", true);
    is_written(&a, "{\"rows\":[{\"i\":0,\"list\":[\"y\",7]},{\"i\":1,\"list\":[\"x\",7]}],\"empty\":{},\"last\":true}");
    const toad__json *second = toad__json_get(&a.root, "rows")->child->next;
    assert_true(toad__str_eq(toad__json_get(second, "i")->raw, TOAD__S("1")));
    toad__answer_free(&a);
}

static void nests_as_deep_as_it_says(void **state) {
    (void)state;
    toad__answer a;
    toad__answer_init(&a, MOST);
    for (int i = 1; i < TOAD__ANSWER_DEPTH; i++) toad__answer_array(&a, i == 1 ? "a" : NULL);
    for (int i = 1; i < TOAD__ANSWER_DEPTH; i++) toad__answer_end(&a);
    is_written(&a, "{\"a\":[[[[[[[]]]]]]]}");
    toad__answer_free(&a);
}

static void takes_json_as_it_stands(void **state) {
    (void)state;
    static const char given[] = "{ \"b\" : [1e2, \"\\u0041\"] }";
    toad__answer a;
    char *exact = exact_dup(given, sizeof given - 1);
    toad__answer_init(&a, MOST);
    assert_true(toad__answer_json(&a, "kept", toad__str(exact, sizeof given - 1)));
    free(exact);
    assert_false(toad__answer_json(&a, "bad", TOAD__S("{\"a\":1,\"a\":2}")));
    assert_false(toad__answer_json(&a, "bad", TOAD__S("")));
    assert_int_equal(a.status, TOAD_OK);
    toad__answer_escaped(&a, "excerpt", TOAD__S("a\\u202eb\\\"<"));
    assert_true(toad__answer_members(&a, TOAD__S("{\"x\":1,\"y\":[true]}")));
    assert_false(toad__answer_members(&a, TOAD__S("[1]")));
    toad__answer_z(&a, "last", "z");
    is_written(&a, "{\"kept\":{ \"b\" : [1e2, \"\\u0041\"] },\"excerpt\":\"a\\u202eb\\\"<\",\"x\":1,\"y\":[true],"
                   "\"last\":\"z\"}");
    const toad__json *b = toad__json_get(toad__json_get(&a.root, "kept"), "b");
    assert_true(toad__str_eq(b->child->next->text, TOAD__S("A")));
    assert_true(toad__str_eq(toad__json_get_text(&a.root, "excerpt"), TOAD__S("a\xe2\x80\xae"
                                                                              "b\"<")));
    toad__answer_free(&a);
}

static void what_is_said_again_stands_where_it_was_said_last(void **state) {
    (void)state;
    toad__answer a;
    toad__answer_init(&a, MOST);
    toad__answer_z(&a, "a", "first");
    toad__answer_z(&a, "b", "only");
    toad__answer_z(&a, "a", "second");
    is_written(&a, "{\"b\":\"only\",\"a\":\"second\"}");
    toad__answer_z(&a, "a", "third"); /* it was the last */
    is_written(&a, "{\"b\":\"only\",\"a\":\"third\"}");
    toad__answer_members(&a, TOAD__S("{\"c\":1,\"b\":2}"));
    is_written(&a, "{\"a\":\"third\",\"c\":1,\"b\":2}");
    toad__answer_free(&a);
}

static void knows_a_refusal(void **state) {
    (void)state;
    toad__answer a;
    toad__answer_init(&a, MOST);
    assert_false(toad__answer_refused(&a));
    toad__answer_bool(&a, "success", true);
    assert_false(toad__answer_refused(&a));
    toad__answer_bool(&a, "success", false);
    assert_true(toad__answer_refused(&a));
    toad__answer_clear(&a);
    assert_false(toad__answer_refused(&a));
    is_written(&a, "{}");
    toad__answer_free(&a);
}

/* A bit of everything. */
static void fill(toad__answer *a) {
    toad__answer_bool(a, "success", true);
    toad__answer_array(a, "rows");
    for (int i = 0; i < 200; i++) {
        toad__answer_object(a, NULL);
        toad__answer_int(a, "i", i);
        toad__answer_str(a, "text", TOAD__S("twenty bytes of text"));
        toad__answer_json(a, "json", TOAD__S("{\"a\":[1,2]}"));
        toad__answer_escaped(a, "e", TOAD__S("\\n"));
        toad__answer_end(a);
    }
    toad__answer_end(a);
    toad__answer_members(a, TOAD__S("{\"m\":null}"));
}

static void has_failed_or_is_whole(void **state) {
    (void)state;
    toad__buf whole;
    toad__answer a;
    toad__buf_init(&whole, MOST);
    toad__answer_init(&a, MOST);
    fill(&a);
    toad__answer_write(&a, &whole);
    assert_int_equal(whole.status, TOAD_OK);
    toad__answer_free(&a);
    for (long n = 0, all = 0; !all; n++) {
        toad__buf out;
        toad__buf_init(&out, MOST);
        toad__answer_init(&a, MOST);
        countdown = n;
        fill(&a);
        toad__answer_write(&a, &out);
        all = countdown >= 0;
        countdown = -1;
        assert_true(all || out.status == TOAD_E_NOMEM);
        if (all) assert_true(toad__str_eq(toad__buf_str(&out), toad__buf_str(&whole)));
        toad__answer_clear(&a); /* and may be said again */
        toad__buf_clear(&out);
        fill(&a);
        toad__answer_write(&a, &out);
        assert_true(toad__str_eq(toad__buf_str(&out), toad__buf_str(&whole)));
        toad__answer_free(&a);
        toad__buf_free(&out);
    }
    toad__buf_free(&whole);
}

static void keeps_to_its_ceiling(void **state) {
    (void)state;
    toad__answer a;
    toad__buf out;
    toad__buf_init(&out, MOST);
    toad__answer_init(&a, 4096);
    fill(&a);
    assert_true(a.status == TOAD_E_LIMIT || a.status == TOAD_E_NOMEM);
    toad__answer_write(&a, &out);
    assert_int_equal(out.status, a.status);
    assert_int_equal(out.n, 0);
    toad__answer_free(&a);
    toad__buf_free(&out);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(writes_every_kind),
        cmocka_unit_test(escapes_what_strangers_wrote),
        cmocka_unit_test(nests_in_the_order_of_saying),
        cmocka_unit_test(nests_as_deep_as_it_says),
        cmocka_unit_test(takes_json_as_it_stands),
        cmocka_unit_test(what_is_said_again_stands_where_it_was_said_last),
        cmocka_unit_test(knows_a_refusal),
        cmocka_unit_test(has_failed_or_is_whole),
        cmocka_unit_test(keeps_to_its_ceiling),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
