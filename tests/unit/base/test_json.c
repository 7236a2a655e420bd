/* The strict JSON reader and the string writers of lib/base/json.c. */
#include "lib/base/json.h"
#include "lib/base/str.h"
#include "tests/support/exact.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

typedef struct parsed {
    bzr__arena arena;
    char *copy;
    bzr_status status;
    const bzr__json *root;
    size_t at;
    const char *err;
} parsed;

static parsed parse_max(bzr_str in, size_t max) {
    parsed p = { .copy = exact_dup(in.p, in.n), .at = SIZE_MAX };
    bzr__arena_init(&p.arena, max);
    p.status = bzr__json_parse(bzr__str(p.copy, in.n), &p.arena, &p.root, &p.at, &p.err);
    return p;
}

static parsed parse(bzr_str in) { return parse_max(in, 64u << 20); }

static void drop(parsed *p) {
    bzr__arena_free(&p->arena);
    free(p->copy);
}

static void accepts(bzr_str in) {
    parsed p = parse(in);
    if (p.status) print_error("refused at %zu: expected %s: %.*s\n", p.at, p.err, (int)in.n, in.p);
    assert_int_equal(p.status, BZR_OK);
    assert_non_null(p.root);
    drop(&p);
}

static void refuses(bzr_str in, size_t at) {
    parsed p = parse(in);
    if (!p.status || p.at != at) print_error("status %d at %zu, not %zu: %.*s\n", p.status, p.at, at, (int)in.n, in.p);
    assert_int_equal(p.status, BZR_E_SYNTAX);
    assert_null(p.root);
    assert_int_equal(p.at, at);
    assert_non_null(p.err);
    drop(&p);
}

#define ACCEPTS(literal) accepts(BZR__S(literal))
#define REFUSES(literal, at) refuses(BZR__S(literal), at)

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
    bzr_str in = BZR__S(" {\"k\\n\" : [1, \"a\\u00e9b\\u0000\"], \"plain\": \"here\", \"none\": null} ");
    parsed p = parse(in);
    assert_int_equal(p.status, BZR_OK);
    assert_int_equal(p.root->raw.n, in.n - 2);
    assert_ptr_equal(p.root->raw.p, p.copy + 1);
    const bzr__json *list = bzr__json_get(p.root, "k\n");
    assert_int_equal(list->type, BZR__JSON_ARRAY);
    assert_true(bzr__str_eq(list->raw, BZR__S("[1, \"a\\u00e9b\\u0000\"]")));
    assert_true(bzr__str_eq(list->child->raw, BZR__S("1")));
    assert_true(bzr__str_eq(list->child->next->text, bzr__str("a\xc3\xa9" "b\0", 5)));
    assert_null(list->child->next->next);
    assert_ptr_equal(bzr__json_get_text(p.root, "plain").p, strstr(p.copy, "here"));
    assert_null(bzr__json_get_text(p.root, "none").p);
    assert_null(bzr__json_get_text(p.root, "absent").p);
    assert_null(bzr__json_get(list, "k"));
    assert_null(bzr__json_get(NULL, "k"));
    drop(&p);
}

static bzr_str nested(char *out, size_t depth) {
    memset(out, '[', depth);
    memset(out + depth, ']', depth);
    return bzr__str(out, 2 * depth);
}

static void bounds_depth_and_memory(void **state) {
    (void)state;
    char text[4096];
    accepts(nested(text, BZR__JSON_DEPTH));
    parsed p = parse(nested(text, BZR__JSON_DEPTH + 1));
    assert_int_equal(p.status, BZR_E_LIMIT);
    assert_int_equal(p.at, BZR__JSON_DEPTH);
    assert_non_null(p.err);
    drop(&p);
    p = parse_max(BZR__S("[1,2,3,4,5,6,7,8,9]"), 300);
    assert_int_equal(p.status, BZR_E_LIMIT);
    drop(&p);
}

/* Many members, all names of one length and with a long common start; the last is the first again. */
static void finds_a_twin_among_many(void **state) {
    (void)state;
    bzr__buf b;
    bzr__buf_init(&b, 64u << 20);
    bzr__buf_add_c(&b, '{');
    for (unsigned i = 0; i < 100000; i++) {
        char member[64];
        int n = snprintf(member, sizeof member, "\"aaaaaaaaaaaaaaaa%06u\":%u,", i, i);
        bzr__buf_add(&b, member, (size_t)n);
    }
    size_t n = b.n;
    b.p[n - 1] = '}';
    accepts(bzr__buf_str(&b));
    b.p[n - 1] = ',';
    bzr__buf_add_z(&b, "\"aaaaaaaaaaaaaaaa000000\":7}");
    refuses(bzr__buf_str(&b), b.n - 2);
    bzr__buf_free(&b);
}

static void writes(void (*add)(bzr__buf *, bzr_str), bzr_str in, const char *want) {
    bzr__buf b;
    bzr__buf_init(&b, 1u << 20);
    char *copy = exact_dup(in.p, in.n);
    add(&b, bzr__str(copy, in.n));
    bzr__buf_add(&b, "", 1);
    assert_int_equal(b.status, BZR_OK);
    assert_string_equal(b.p, want);
    free(copy);
    bzr__buf_free(&b);
}

static void writes_ascii(void **state) {
    (void)state;
    writes(bzr__json_add_str, BZR__S(""), "\"\"");
    writes(bzr__json_add_str, BZR__S("a\"\\/\b\f\n\r\t\x01\x7f"), "\"a\\\"\\\\/\\b\\f\\n\\r\\t\\u0001\\u007f\"");
    writes(bzr__json_add_str, BZR__S("\xc3\xa9\xf0\x9f\x98\x80\xff\0"), "\"\\u00e9\\ud83d\\ude00\\ufffd\\u0000\"");
}

static void writes_utf8(void **state) {
    (void)state;
    writes(bzr__json_add_utf8, BZR__S("\xc3\xa9 \xe6\xbc\xa2 \xf0\x9f\x98\x80"),
           "\"\xc3\xa9 \xe6\xbc\xa2 \xf0\x9f\x98\x80\"");
    writes(bzr__json_add_utf8, BZR__S("\x1b[0m\xc2\x9b\xe2\x80\x8b\xe2\x80\xae\xef\xbb\xbf\xf3\xa0\x81\xa1"),
           "\"\\u001b[0m\\u009b\\u200b\\u202e\\ufeff\\udb40\\udc61\"");
    writes(bzr__json_add_utf8, BZR__S("\xe2\x80\xa8\xf0\x9f"), "\"\\u2028\\ufffd\"");
}

/* Whatever valid text goes in comes back, through either writer. */
static void reads_what_it_wrote(void **state) {
    (void)state;
    bzr__buf all, out;
    bzr__buf_init(&all, 1u << 20);
    bzr__buf_init(&out, 1u << 22);
    for (uint32_t c = 0; c < 0x110000; c += c < 0x3000 ? 1 : 977)
        if (c < 0xD800 || c > 0xDFFF) bzr__buf_add_cp(&all, c);
    for (int ascii = 0; ascii < 2; ascii++) {
        bzr__buf_clear(&out);
        (ascii ? bzr__json_add_str : bzr__json_add_utf8)(&out, bzr__buf_str(&all));
        parsed p = parse(bzr__buf_str(&out));
        assert_int_equal(p.status, BZR_OK);
        assert_true(bzr__str_eq(p.root->text, bzr__buf_str(&all)));
        drop(&p);
    }
    bzr__buf_free(&all);
    bzr__buf_free(&out);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(accepts_the_grammar),     cmocka_unit_test(refuses_everything_else),
        cmocka_unit_test(refuses_bad_strings),     cmocka_unit_test(refuses_a_name_twice),
        cmocka_unit_test(gives_texts_and_spans),   cmocka_unit_test(bounds_depth_and_memory),
        cmocka_unit_test(finds_a_twin_among_many), cmocka_unit_test(writes_ascii),
        cmocka_unit_test(writes_utf8),             cmocka_unit_test(reads_what_it_wrote),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
