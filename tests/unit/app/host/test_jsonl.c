/* Long lines, requests and base64 of app/host/jsonl.c. */
#include "app/host/jsonl.h"
#include "lib/base/str.h"
#include "tests/check.h"
#include "tests/support/exact.h"

#include <stdio.h>
#include <unistd.h>

static void base64_is_strict(void **state) {
    (void)state;
    static const char *const good[] = { "", "Zg==", "Zm8=", "Zm9v", "+/+/" };
    static const char *const bad[] = { "Z",    "Zg",   "Zg=",  "Zh==",   "Zm9=", "Zg==Zg==",
                                       "Z===", "====", "Zm 9", "Zm9v\n", "-_-_" };
    static const size_t lengths[] = { 0, 1, 2, 3, 3 };
    char out[16];
    size_t n;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        char *in = exact_dup(good[i], strlen(good[i]));
        assert_true(toad__base64_read(toad__str(in, strlen(good[i])), out, &n));
        assert_int_equal(n, lengths[i]);
        free(in);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) assert_false(toad__base64_read(toad__str_z(bad[i]), out, &n));
}

static void base64_comes_back(void **state) {
    (void)state;
    unsigned char bytes[256];
    char out[256];
    toad__buf b;
    toad__buf_init(&b, 4096);
    for (size_t n = 0; n <= sizeof bytes; n++) {
        size_t got;
        for (size_t i = 0; i < n; i++) bytes[i] = (unsigned char)(i * 167 + n);
        toad__buf_clear(&b);
        toad__base64_add(&b, toad__str(bytes, n));
        assert_true(toad__base64_read(toad__buf_str(&b), out, &got));
        assert_int_equal(got, n);
        assert_memory_equal(out, bytes, n);
    }
    toad__buf_free(&b);
}

static toad_status read_request(const char *line, toad__request *r) {
    static toad__arena arena;
    static char *copy;
    toad__arena_free(&arena);
    toad__arena_init(&arena, 1u << 20);
    free(copy);
    copy = exact_dup(line, strlen(line));
    return toad__request_read(toad__str(copy, strlen(line)), &arena, r);
}

static void requests(void **state) {
    (void)state;
    toad__request r;
    assert_int_equal(
        read_request("{\"id\":[1, \"x\"],\"text\":\"\",\"kind\":\"memory\",\"scope\":\"strict\",\"source\":\"s\"}", &r),
        TOAD_OK);
    assert_true(toad__str_eq(r.id, TOAD__S("[1, \"x\"]")));
    assert_true(r.bytes.p && !r.bytes.n && r.has_kind && r.kind == TOAD_KIND_MEMORY && r.has_scope &&
                r.scope == TOAD_STRICT);
    assert_true(toad__str_eq(r.source, TOAD__S("s")));
    assert_int_equal(read_request("{\"bytes_b64\":\"/w==\"}", &r), TOAD_OK);
    assert_true(!r.id.p && r.bytes.n == 1 && (unsigned char)r.bytes.p[0] == 0xFF);
    static const char *const bad[] = { "[]",
                                       "{}",
                                       "{\"text\":1}",
                                       "{\"text\":\"a\",\"bytes_b64\":\"\"}",
                                       "{\"bytes_b64\":\"a\"}",
                                       "{\"text\":\"\",\"kind\":\"x\"}",
                                       "{\"text\":\"\",\"scope\":1}",
                                       "{\"text\":\"\",\"source\":{}}",
                                       "{",
                                       "" };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(read_request(bad[i], &r), TOAD_E_SYNTAX);
        assert_true(r.error[0]);
    }
}

static void the_id_of_a_broken_line(void **state) {
    (void)state;
    toad__request r;
    assert_int_equal(read_request(" { \"id\" : \"a\\\"b\" , \"text\":\"\\ud800\"}", &r), TOAD_E_SYNTAX);
    assert_true(toad__str_eq(r.id, TOAD__S("\"a\\\"b\"")));
    assert_int_equal(read_request("{\"id\":12,\"text\":", &r), TOAD_E_SYNTAX);
    assert_true(toad__str_eq(r.id, TOAD__S("12")));
    assert_int_equal(read_request("{\"id\":\"\\", &r), TOAD_E_SYNTAX);
    assert_null(r.id.p);
    assert_int_equal(read_request("{\"id\":1 2}", &r), TOAD_E_SYNTAX);
    assert_null(r.id.p);
}

static void lines_of_any_length(void **state) {
    (void)state;
    char path[] = "/tmp/toadstone-lines-XXXXXX";
    int fd = mkstemp(path);
    FILE *f = fdopen(fd, "wb");
    assert_non_null(f);
    static const size_t lengths[] = { 0, 1, TOAD__INPUT_PIECE - 2, TOAD__INPUT_PIECE, 3 * TOAD__INPUT_PIECE + 1, 5 };
    for (size_t i = 0; i < 6; i++) {
        for (size_t k = 0; k < lengths[i]; k++) putc('a' + (int)i, f);
        if (i < 5) putc('\n', f);
    }
    fclose(f);
    toad__input in;
    toad__lines lines;
    toad_str line;
    bool more;
    assert_int_equal(toad__input_open(&in, path, true), 0);
    assert_int_equal(toad__lines_open(&lines, &in), TOAD_OK);
    for (size_t i = 0; i < 6; i++) {
        assert_int_equal(toad__lines_next(&lines, &line, &more), TOAD_OK);
        assert_true(more);
        assert_int_equal(lines.number, i + 1);
        assert_int_equal(line.n, lengths[i]);
        for (size_t k = 0; k < line.n; k++) assert_int_equal(line.p[k], 'a' + (int)i);
    }
    assert_int_equal(toad__lines_next(&lines, &line, &more), TOAD_OK);
    assert_false(more);
    toad__lines_close(&lines);
    toad__input_close(&in);
    unlink(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(base64_is_strict),        cmocka_unit_test(base64_comes_back),   cmocka_unit_test(requests),
        cmocka_unit_test(the_id_of_a_broken_line), cmocka_unit_test(lines_of_any_length),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
