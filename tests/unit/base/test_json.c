/* The strict JSON reader and the string writers of lib/base/json.c. */
#include "lib/base/json.h"
#include "lib/base/str.h"
#include "tests/check.h"
#include "tests/support/exact.h"

#include <stdio.h>

typedef struct parsed {
    toad__arena arena;
    char *copy;
    toad_status status;
    const toad__json *root;
    size_t at;
    const char *err;
} parsed;

static parsed parse_max(toad_str in, size_t max) {
    parsed p = { .copy = exact_dup(in.p, in.n), .at = SIZE_MAX };
    toad__arena_init(&p.arena, max);
    p.status = toad__json_parse(toad__str(p.copy, in.n), &p.arena, &p.root, &p.at, &p.err);
    return p;
}

static parsed parse(toad_str in) { return parse_max(in, 64u << 20); }

static void drop(parsed *p) {
    toad__arena_free(&p->arena);
    free(p->copy);
}

static void accepts(toad_str in) {
    parsed p = parse(in);
    if (p.status) print_error("refused at %zu: expected %s: %.*s\n", p.at, p.err, (int)in.n, in.p);
    assert_int_equal(p.status, TOAD_OK);
    assert_non_null(p.root);
    drop(&p);
}

static void refuses(toad_str in, size_t at) {
    parsed p = parse(in);
    if (!p.status || p.at != at) print_error("status %d at %zu, not %zu: %.*s\n", p.status, p.at, at, (int)in.n, in.p);
    assert_int_equal(p.status, TOAD_E_SYNTAX);
    assert_null(p.root);
    assert_int_equal(p.at, at);
    assert_non_null(p.err);
    drop(&p);
}

#define ACCEPTS(literal)     accepts(TOAD__S(literal))
#define REFUSES(literal, at) refuses(TOAD__S(literal), at)

static void accepts_the_grammar(void **state) {
    (void)state;
    ACCEPTS("null");
    ACCEPTS(" \t\r\n true \n");
    ACCEPTS("[]");
    ACCEPTS("{}");
    ACCEPTS("[ [ ] , { } , \"\" , 0 , -0 , 1.5 , 2e3 , -1.25E-7 , 1E+2 ]");
    ACCEPTS("{\"a\":{\"a\":[{\"a\":1},{\"a\":2}]},\"b\":\"\",\"\":null}");
    ACCEPTS("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u0041\\ud83d\\ude00\"");
    ACCEPTS("\"\x7f\xc2\x80\xf4\x8f\xbf\xbf\"");
}

static void refuses_everything_else(void **state) {
    (void)state;
    REFUSES("", 0);
    REFUSES("  ", 2);
    REFUSES("\xef\xbb\xbfnull", 0);
    REFUSES("nul", 0);
    REFUSES("nullx", 4);
    REFUSES("1 2", 2);
    REFUSES("[1,]", 3);
    REFUSES("[,1]", 1);
    REFUSES("[1 2]", 3);
    REFUSES("[1}", 2);
    REFUSES("[1", 2);
    REFUSES("{\"a\"}", 4);
    REFUSES("{\"a\":}", 5);
    REFUSES("{\"a\":1,}", 7);
    REFUSES("{a:1}", 1);
    REFUSES("{'a':1}", 1);
    REFUSES("{\"a\":1 \"b\":2}", 7);
    REFUSES("// c\n1", 0);
    REFUSES("01", 1);
    REFUSES("-", 1);
    REFUSES("+1", 0);
    REFUSES("1.", 2);
    REFUSES(".5", 0);
    REFUSES("1e", 2);
    REFUSES("1e+", 3);
    REFUSES("0x10", 1);
    REFUSES("NaN", 0);
    REFUSES("Infinity", 0);
    REFUSES("1\0", 1);
}

static void refuses_bad_strings(void **state) {
    (void)state;
    REFUSES("\"abc", 4);
    REFUSES("\"a\nb\"", 2);
    REFUSES("\"a\0b\"", 2);
    REFUSES("\"\\x41\"", 1);
    REFUSES("\"\\u12g4\"", 1);
    REFUSES("\"\\u12\"", 1);
    REFUSES("\"a\\", 3);
    REFUSES("\"\\ud800\"", 1);
    REFUSES("\"\\ud800\\u0041\"", 1);
    REFUSES("\"\\udc00\"", 1);
    REFUSES("\"ab\\ud83d\\ud83d\"", 3);
    REFUSES("\"a\xff\"", 2);
    REFUSES("\"a\xed\xa0\x80\"", 2);
    REFUSES("\"a\xc0\x80\"", 2);
    REFUSES("{\"\xf0\x9f\":1}", 2);
}

static void refuses_a_name_twice(void **state) {
    (void)state;
    REFUSES("{\"a\":1,\"a\":2}", 11);
    REFUSES("{\"a\":1,\"\\u0061\":2}", 16);
    REFUSES("[{\"x\":{\"a\":1,\"b\":0,\"a\":2}}]", 23);
    REFUSES("{\"\":1,\"\":2}", 9);
}

static void gives_texts_and_spans(void **state) {
    (void)state;
    toad_str in = TOAD__S(" {\"k\\n\" : [1, \"a\\u00e9b\\u0000\"], \"plain\": \"here\", \"none\": null} ");
    parsed p = parse(in);
    assert_int_equal(p.status, TOAD_OK);
    assert_int_equal(p.root->raw.n, in.n - 2);
    assert_ptr_equal(p.root->raw.p, p.copy + 1);
    const toad__json *list = toad__json_get(p.root, "k\n");
    assert_int_equal(list->type, TOAD__JSON_ARRAY);
    assert_true(toad__str_eq(list->raw, TOAD__S("[1, \"a\\u00e9b\\u0000\"]")));
    assert_true(toad__str_eq(list->child->raw, TOAD__S("1")));
    assert_true(toad__str_eq(list->child->next->text, toad__str("a\xc3\xa9"
                                                                "b\0",
                                                                5)));
    assert_null(list->child->next->next);
    assert_ptr_equal(toad__json_get_text(p.root, "plain").p, strstr(p.copy, "here"));
    assert_null(toad__json_get_text(p.root, "none").p);
    assert_null(toad__json_get_text(p.root, "absent").p);
    assert_null(toad__json_get(list, "k"));
    assert_null(toad__json_get(NULL, "k"));
    drop(&p);
}

static toad_str nested(char *out, size_t depth) {
    memset(out, '[', depth);
    memset(out + depth, ']', depth);
    return toad__str(out, 2 * depth);
}

static void bounds_depth_and_memory(void **state) {
    (void)state;
    char text[4096];
    accepts(nested(text, TOAD__JSON_DEPTH));
    parsed p = parse(nested(text, TOAD__JSON_DEPTH + 1));
    assert_int_equal(p.status, TOAD_E_LIMIT);
    assert_int_equal(p.at, TOAD__JSON_DEPTH);
    assert_non_null(p.err);
    drop(&p);
    p = parse_max(TOAD__S("[1,2,3,4,5,6,7,8,9]"), 300);
    assert_int_equal(p.status, TOAD_E_LIMIT);
    drop(&p);
}

/* Many members, all names of one length and with a long common start; the last is the first again. */
static void finds_a_twin_among_many(void **state) {
    (void)state;
    toad__buf b;
    toad__buf_init(&b, 64u << 20);
    toad__buf_add_c(&b, '{');
    for (unsigned i = 0; i < 100000; i++) {
        char member[64];
        int n = snprintf(member, sizeof member, "\"aaaaaaaaaaaaaaaa%06u\":%u,", i, i);
        toad__buf_add(&b, member, (size_t)n);
    }
    size_t n = b.n;
    b.p[n - 1] = '}';
    accepts(toad__buf_str(&b));
    b.p[n - 1] = ',';
    toad__buf_add_z(&b, "\"aaaaaaaaaaaaaaaa000000\":7}");
    refuses(toad__buf_str(&b), b.n - 2);
    toad__buf_free(&b);
}

static void writes(void (*add)(toad__buf *, toad_str), toad_str in, const char *want) {
    toad__buf b;
    toad__buf_init(&b, 1u << 20);
    char *copy = exact_dup(in.p, in.n);
    add(&b, toad__str(copy, in.n));
    toad__buf_add(&b, "", 1);
    assert_int_equal(b.status, TOAD_OK);
    assert_string_equal(b.p, want);
    free(copy);
    toad__buf_free(&b);
}

static void writes_ascii(void **state) {
    (void)state;
    writes(toad__json_add_str, TOAD__S(""), "\"\"");
    writes(toad__json_add_str, TOAD__S("a\"\\/\b\f\n\r\t\x01\x7f"), "\"a\\\"\\\\/\\b\\f\\n\\r\\t\\u0001\\u007f\"");
    writes(toad__json_add_str, TOAD__S("\xc3\xa9\xf0\x9f\x98\x80\xff\0"), "\"\\u00e9\\ud83d\\ude00\\ufffd\\u0000\"");
}

static void writes_utf8(void **state) {
    (void)state;
    writes(toad__json_add_utf8, TOAD__S("\xc3\xa9 \xe6\xbc\xa2 \xf0\x9f\x98\x80"),
           "\"\xc3\xa9 \xe6\xbc\xa2 \xf0\x9f\x98\x80\"");
    writes(toad__json_add_utf8, TOAD__S("\x1b[0m\xc2\x9b\xe2\x80\x8b\xe2\x80\xae\xef\xbb\xbf\xf3\xa0\x81\xa1"),
           "\"\\u001b[0m\\u009b\\u200b\\u202e\\ufeff\\udb40\\udc61\"");
    writes(toad__json_add_utf8, TOAD__S("\xe2\x80\xa8\xf0\x9f"), "\"\\u2028\\ufffd\"");
}

/* Whatever valid text goes in comes back, through either writer. */
static void reads_what_it_wrote(void **state) {
    (void)state;
    toad__buf all, out;
    toad__buf_init(&all, 1u << 20);
    toad__buf_init(&out, 1u << 22);
    for (uint32_t c = 0; c < 0x110000; c += c < 0x3000 ? 1 : 977)
        if (c < 0xD800 || c > 0xDFFF) toad__buf_add_cp(&all, c);
    for (int ascii = 0; ascii < 2; ascii++) {
        toad__buf_clear(&out);
        (ascii ? toad__json_add_str : toad__json_add_utf8)(&out, toad__buf_str(&all));
        parsed p = parse(toad__buf_str(&out));
        assert_int_equal(p.status, TOAD_OK);
        assert_true(toad__str_eq(p.root->text, toad__buf_str(&all)));
        drop(&p);
    }
    toad__buf_free(&all);
    toad__buf_free(&out);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(accepts_the_grammar),
        cmocka_unit_test(refuses_everything_else),
        cmocka_unit_test(refuses_bad_strings),
        cmocka_unit_test(refuses_a_name_twice),
        cmocka_unit_test(gives_texts_and_spans),
        cmocka_unit_test(bounds_depth_and_memory),
        cmocka_unit_test(finds_a_twin_among_many),
        cmocka_unit_test(writes_ascii),
        cmocka_unit_test(writes_utf8),
        cmocka_unit_test(reads_what_it_wrote),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
