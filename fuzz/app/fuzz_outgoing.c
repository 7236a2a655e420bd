/* fuzz_outgoing.c - any bytes as URL, body and event, in everything that leaves: references, readings, audit lines.
 *
 * Holds: a reference is one line of our making, with one id; a reading has one header and one envelope, whatever the
 * body; an audit line is one line, and JSON where it says so. */
#include "app/records/audit.h"
#include "app/records/fetched.h"
#include "fuzz/fuzz.h"
#include "lib/base/json.h"
#include "lib/base/str.h"

#define CHECK(x)                    \
    do {                            \
        if (!(x)) __builtin_trap(); \
    } while (0)

static size_t count(toad_str s, toad_str needle) {
    size_t n = 0;
    for (size_t at = 0; (at = toad__str_find(s, needle, at)) < s.n; at += needle.n) n++;
    return n;
}

static void check_fetched(toad_str text) {
    toad__buf out;
    toad__fetched f = { .id = TOAD__S("fetch_0123456789ab"),
                        .url = text,
                        .action = TOAD__S("allow"),
                        .confidence = TOAD__S("low"),
                        .accessed = TOAD__S("2026-01-01T00:00:00Z"),
                        .patterns = TOAD__S("none"),
                        .body = text };
    toad__buf_init(&out, 1u << 26);
    if (!toad__fetched_reference(&f, TOAD__FETCHED_SEED, &out)) {
        toad_str s = toad__buf_str(&out);
        CHECK(!memchr(s.p, '\n', s.n) && count(s, TOAD__S("[")) == 1 && count(s, TOAD__S("]")) == 1 &&
              count(s, TOAD__S("|")) == 2);
    }
    toad__buf_clear(&out);
    if (!toad__fetched_reading(&f, TOAD__FETCHED_TOADSTONE, TOAD_ENVELOPE_OPENCLAW, &out, NULL)) {
        toad_str s = toad__buf_str(&out);
        size_t from = toad__str_find(s, TOAD__S("<<<EXTERNAL_UNTRUSTED_CONTENT id="), 0),
               to = toad__str_find(s, TOAD__S("<<<END_EXTERNAL_UNTRUSTED_CONTENT"), 0);
        CHECK(count(toad__str_part(s, 0, from), TOAD__S("[Content from ")) == 1);
        CHECK(!count(toad__str_part(s, to, s.n), TOAD__S("[Content from ")));
        CHECK(count(s, TOAD__S("<<<EXTERNAL_UNTRUSTED_CONTENT id=")) == 1 &&
              count(s, TOAD__S("<<<END_EXTERNAL_UNTRUSTED_CONTENT")) == 1);
    }
    toad__buf_free(&out);
}

static void check_line(const toad__event *e, toad__audit_format format) {
    toad__buf out;
    toad__arena arena;
    const toad__json *root;
    size_t at;
    const char *expected;
    toad__buf_init(&out, 1u << 26);
    toad__arena_init(&arena, 1u << 28);
    toad__audit_line(e, format, &out);
    CHECK(!out.status && !memchr(out.p, '\n', out.n) && !memchr(out.p, '\r', out.n));
    CHECK(format == TOAD__AUDIT_CEF || !toad__json_parse(toad__buf_str(&out), &arena, &root, &at, &expected));
    toad__arena_free(&arena);
    toad__buf_free(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    toad_str t = size ? toad__str(data, size) : TOAD__S("");
    toad__event e = { .seq = 1,
                      .at = 1,
                      .type = size % 2 ? TOAD__S("security_scan") : t,
                      .direction = t,
                      .channel = t,
                      .content = t,
                      .url = t,
                      .pattern_matched = t,
                      .confidence = t,
                      .action = size % 3 ? TOAD__S("block") : t,
                      .content_id = t,
                      .session_id = t,
                      .details = t,
                      .hash = t };
    check_fetched(t);
    for (int f = TOAD__AUDIT_JSONL; f <= TOAD__AUDIT_CEF; f++) check_line(&e, (toad__audit_format)f);
    return 0;
}
