/* Server-sent events, written and read: the standard's examples, all line ends, limits, chunks of one byte. */
#include "lib/base/str.h"
#include "proto/sse.h"
#include "tests/check.h"
#include "tests/support/exact.h"

#include <stdio.h>

typedef struct seen {
    char text[4096];
    size_t n, stop_after;
} seen;

/* Each event as TYPE|ID|DATA; */
static bool note(void *ctx, const toad__sse_event *e) {
    seen *s = ctx;
    size_t at = strlen(s->text);
    snprintf(s->text + at, sizeof s->text - at, "%.*s|%.*s|%.*s;", (int)e->type.n, e->type.p ? e->type.p : "",
             (int)e->id.n, e->id.p ? e->id.p : "", (int)e->data.n, e->data.p ? e->data.p : "");
    return ++s->n != s->stop_after;
}

static toad_status read_in(const char *in, size_t step, size_t max, seen *s, int64_t *retry) {
    toad__sse_reader r;
    toad_status status = TOAD_OK;
    size_t n = strlen(in);
    toad__sse_init(&r, max);
    for (size_t at = 0; at < n && !status; at += step) {
        size_t part = n - at < step ? n - at : step;
        char *copy = exact_dup(in + at, part);
        status = toad__sse_feed(&r, toad__str(copy, part), note, s);
        free(copy);
    }
    if (retry) *retry = r.retry;
    toad__sse_free(&r);
    return status;
}

static void reads_as(const char *in, const char *want) {
    for (size_t step = 1; step <= 64; step += 7) {
        seen s = { .n = 0 };
        assert_int_equal(read_in(in, step, 1024, &s, NULL), TOAD_OK);
        assert_string_equal(s.text, want);
    }
}

static void the_standards_examples(void **state) {
    (void)state;
    reads_as("data: YHOO\ndata: +2\ndata: 10\n\n", "message||YHOO\n+2\n10;");
    reads_as(": test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third event\n\n",
             "message|1|first event;message||second event;message|| third event;");
    reads_as("data\n\ndata\ndata\n\ndata:", "message||;message||\n;");
    reads_as("data:test\n\ndata: test\n\n", "message||test;message||test;");
    reads_as("event: add\ndata: 73857293\n\nevent: remove\ndata: 2153\n\n", "add||73857293;remove||2153;");
}

static void line_ends_and_unknown_fields(void **state) {
    (void)state;
    reads_as("data: a\rdata: b\r\rdata: c\r\n\r\n", "message||a\nb;message||c;");
    reads_as("\xef\xbb\xbf"
             "data: a\n\n",
             "message||a;");
    reads_as("color: red\nDATA: x\n data: y\ndata : z\n\nid: 4\n\ndata: w\n\n", "message|4|w;");
    reads_as("event: x\n\ndata: a\n\n", "message||a;");
    reads_as("data: cut off\n", "");
}

static void an_id_with_a_nul_is_none(void **state) {
    static const char in[] = "id: 1\ndata: a\n\nid: 2\0x\ndata: b\n\n";
    toad__sse_reader r;
    seen s = { .n = 0 };
    (void)state;
    toad__sse_init(&r, 1024);
    assert_int_equal(toad__sse_feed(&r, toad__str(in, sizeof in - 1), note, &s), TOAD_OK);
    assert_string_equal(s.text, "message|1|a;message|1|b;");
    toad__sse_free(&r);
}

static void retry_is_kept(void **state) {
    int64_t retry;
    seen s = { .n = 0 };
    (void)state;
    assert_int_equal(read_in("retry: 500\n\n", 64, 1024, &s, &retry), TOAD_OK);
    assert_int_equal(retry, 500);
    assert_int_equal(read_in("retry: 5x\n\n", 64, 1024, &s, &retry), TOAD_OK);
    assert_int_equal(retry, -1);
    assert_int_equal(read_in("retry: 99999999999999999999\n\n", 64, 1024, &s, &retry), TOAD_OK);
    assert_true(retry > 0);
}

static void what_is_too_long_is_an_error(void **state) {
    seen s = { .n = 0 };
    (void)state;
    assert_int_equal(read_in("data: 0123456789", 3, 10, &s, NULL), TOAD_E_LIMIT);
    assert_int_equal(read_in("data:01\ndata:23\ndata:45\ndata:67\n\n", 64, 10, &s, NULL), TOAD_E_LIMIT);
    assert_int_equal(s.n, 0);
}

static void the_taker_may_stop(void **state) {
    seen s = { .stop_after = 1 };
    (void)state;
    assert_int_equal(read_in("data: a\n\ndata: b\n\n", 64, 1024, &s, NULL), TOAD_OK);
    assert_string_equal(s.text, "message||a;");
}

static void writes_what_it_reads(void **state) {
    toad__buf b;
    seen s = { .n = 0 };
    (void)state;
    toad__buf_init(&b, 4096);
    toad__sse_add_retry(&b, 500);
    toad__sse_add(&b, TOAD__S("1-0"), toad__str(NULL, 0), toad__str(NULL, 0));
    toad__sse_add(&b, TOAD__S("1-1"), TOAD__S("note"), TOAD__S("a\nid: 9\r\n\rb"));
    toad__buf_add_c(&b, 0);
    assert_int_equal(read_in(b.p, 5, 1024, &s, NULL), TOAD_OK);
    assert_string_equal(s.text, "message|1-0|;note|1-1|a\nid: 9\n\nb;");
    toad__buf_free(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_standards_examples),       cmocka_unit_test(line_ends_and_unknown_fields),
        cmocka_unit_test(an_id_with_a_nul_is_none),     cmocka_unit_test(retry_is_kept),
        cmocka_unit_test(what_is_too_long_is_an_error), cmocka_unit_test(the_taker_may_stop),
        cmocka_unit_test(writes_what_it_reads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
