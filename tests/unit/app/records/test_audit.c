/* Audit lines: what a stranger wrote can neither end a field nor a line in any format. */
#include "app/records/audit.h"
#include "lib/base/json.h"
#include "lib/base/str.h"
#include "tests/check.h"
#include "toadstone/toadstone.h"

#include <stdio.h>
#include <stdlib.h>

static toad__event event(void) {
    return (toad__event){ .seq = 42,
                          .at = INT64_C(1740738600123456),
                          .type = TOAD__S("security_scan"),
                          .direction = TOAD__S("inbound"),
                          .channel = TOAD__S("internal"),
                          .content = TOAD__S("injection_detected"),
                          .url = TOAD__S("https://example.com/page"),
                          .pattern_matched = TOAD__S("ignore_previous_instructions"),
                          .confidence = TOAD__S("high"),
                          .action = TOAD__S("block"),
                          .content_id = TOAD__S("fetch_0123456789ab"),
                          .session_id = TOAD__S("session_123"),
                          .details = TOAD__S("{\"k\":1}"),
                          .hash = TOAD__S("ab") };
}

static char *line(const toad__event *e, toad__audit_format format) {
    toad__buf b;
    toad__buf_init(&b, 1u << 24);
    toad__audit_line(e, format, &b);
    toad__buf_add_c(&b, 0);
    assert_int_equal(b.status, TOAD_OK);
    return b.p;
}

static void cef_is(const char *url, const char *type, const char *want) {
    toad__event e = event();
    e.url = toad__str_z(url);
    e.type = toad__str_z(type);
    e.pattern_matched = e.details = e.hash = e.session_id = e.content_id = e.confidence = TOAD__S("");
    char *got = line(&e, TOAD__AUDIT_CEF), start[64];
    int n = snprintf(start, sizeof start, "CEF:0|toadstone|toadstone|%s|", toad_version());
    assert_memory_equal(got, start, (size_t)n);
    assert_string_equal(got + n, want);
    free(got);
}

static void cef_escapes(void **state) {
    (void)state;
    cef_is("a", "t",
           "t|t|5|rt=1740738600123 externalId=evt_42 cat=t act=block request=a msg=injection_detected "
           "cs4Label=eventType cs4=t");
    cef_is(
        "a=b|c\\d\ne\rf", "t",
        "t|t|5|rt=1740738600123 externalId=evt_42 cat=t act=block request=a\\=b|c\\\\d\\ne\\rf msg=injection_detected "
        "cs4Label=eventType cs4=t");
    cef_is("a", "x|9|\n=\\",
           "x\\|9\\| =\\\\|x\\|9\\| =\\\\|5|rt=1740738600123 externalId=evt_42 cat=x|9|\\n\\=\\\\ act=block request=a "
           "msg=injection_detected cs4Label=eventType cs4=x|9|\\n\\=\\\\");
    cef_is("\xe2\x80\xae\x1b\"q\"\xff", "t",
           "t|t|5|rt=1740738600123 externalId=evt_42 cat=t act=block request=\\\\u202e\\\\u001b\"q\"\\\\ufffd "
           "msg=injection_detected "
           "cs4Label=eventType cs4=t");
}

static void cef_names_the_rule(void **state) {
    (void)state;
    toad__event e = event();
    char *got = line(&e, TOAD__AUDIT_CEF);
    assert_non_null(strstr(got, "|ignore_previous_instructions|"));
    assert_non_null(strstr(
        got, "|8|rt=1740738600123 externalId=evt_42 cat=prompt-injection act=block request=https://example.com/page"));
    assert_non_null(strstr(got, " cs6Label=details cs6={\"k\":1}"));
    free(got);
}

static const toad__json *parse(const char *text, toad__arena *arena) {
    const toad__json *root;
    size_t at;
    const char *why;
    toad__arena_init(arena, 1u << 24);
    assert_int_equal(toad__json_parse(toad__str_z(text), arena, &root, &at, &why), TOAD_OK);
    return root;
}

static void text_is(const toad__json *root, const char *key, const char *want) {
    toad_str got = toad__json_get_text(root, key);
    assert_int_equal(got.n, strlen(want));
    assert_memory_equal(got.p, want, got.n);
}

static void raw_is(const toad__json *root, const char *key, const char *want) {
    const toad__json *v = toad__json_get(root, key);
    assert_non_null(v);
    assert_int_equal(v->raw.n, strlen(want));
    assert_memory_equal(v->raw.p, want, v->raw.n);
}

static void ocsf_detection(void **state) {
    (void)state;
    toad__event e = event();
    toad__arena arena;
    char *got = line(&e, TOAD__AUDIT_OCSF);
    const toad__json *root = parse(got, &arena), *info = toad__json_get(root, "finding_info");
    raw_is(root, "class_uid", "2004");
    raw_is(root, "type_uid", "200401");
    raw_is(root, "severity_id", "4");
    raw_is(root, "time", "1740738600123");
    raw_is(root, "action_id", "2");
    raw_is(root, "disposition_id", "2");
    raw_is(root, "is_alert", "true");
    text_is(info, "uid", "evt_42");
    text_is(toad__json_get(info, "analytic"), "uid", "ignore_previous_instructions");
    assert_true(toad__str_starts(
        toad__json_get_text(toad__json_get(toad__json_get(info, "attacks")->child, "technique"), "uid"),
        TOAD__S("AML.T")));
    text_is(toad__json_get(root, "unmapped"), "content_id", "fetch_0123456789ab");
    toad__arena_free(&arena);
    free(got);
    e.action = TOAD__S("redact");
    got = line(&e, TOAD__AUDIT_OCSF);
    root = parse(got, &arena);
    raw_is(root, "severity_id", "3");
    raw_is(root, "action_id", "4");
    raw_is(root, "disposition_id", "11");
    toad__arena_free(&arena);
    free(got);
    e.action = TOAD__S("allow");
    e.pattern_matched = TOAD__S("");
    got = line(&e, TOAD__AUDIT_OCSF);
    root = parse(got, &arena);
    raw_is(root, "class_uid", "0");
    raw_is(root, "severity_id", "1");
    assert_null(toad__json_get(root, "finding_info"));
    toad__arena_free(&arena);
    free(got);
}

static void ecs_alert(void **state) {
    (void)state;
    toad__event e = event();
    toad__arena arena;
    char *got = line(&e, TOAD__AUDIT_ECS);
    const toad__json *root = parse(got, &arena), *ev = toad__json_get(root, "event");
    text_is(root, "@timestamp", "2025-02-28T10:30:00.123456Z");
    text_is(ev, "kind", "alert");
    raw_is(ev, "category", "[\"intrusion_detection\"]");
    raw_is(ev, "type", "[\"denied\"]");
    text_is(toad__json_get(root, "rule"), "id", "ignore_previous_instructions");
    text_is(toad__json_get(root, "url"), "full", "https://example.com/page");
    toad__arena_free(&arena);
    free(got);
}

/* Whatever stands in a row, each JSON format stays one line of JSON. */
static void hostile_rows(void **state) {
    (void)state;
    static const char *const texts[] = { "\",\"action\":\"allow",
                                         "a\nb\r\n{}",
                                         "\xff\xfe\xe2\x80\xae",
                                         "{\"a\":1}\n{}",
                                         "\\",
                                         "{",
                                         "[1,2",
                                         "null",
                                         "{\"a\":\n1}" };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        toad_str t = toad__str_z(texts[i]);
        toad__event e = { .seq = 1,
                          .at = 1,
                          .type = t,
                          .direction = t,
                          .channel = t,
                          .content = t,
                          .url = t,
                          .pattern_matched = t,
                          .confidence = t,
                          .action = t,
                          .content_id = t,
                          .session_id = t,
                          .details = t,
                          .hash = t };
        for (int f = TOAD__AUDIT_JSONL; f <= TOAD__AUDIT_CEF; f++) {
            toad__arena arena;
            char *got = line(&e, (toad__audit_format)f);
            assert_null(strchr(got, '\n'));
            assert_null(strchr(got, '\r'));
            if (f != TOAD__AUDIT_CEF) {
                parse(got, &arena);
                toad__arena_free(&arena);
            }
            free(got);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = { cmocka_unit_test(cef_escapes), cmocka_unit_test(cef_names_the_rule),
                                        cmocka_unit_test(ocsf_detection), cmocka_unit_test(ecs_alert),
                                        cmocka_unit_test(hostile_rows) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
