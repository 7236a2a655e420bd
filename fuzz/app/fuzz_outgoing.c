/* fuzz_outgoing.c - any bytes as URL, body and event, in everything that leaves: references, readings, audit lines.
 *
 * Holds: a reference is one line of our making, with one id; a reading has one header and one envelope, whatever the
 * body; an audit line is one line, and JSON where it says so. */
#include "app/records/audit.h"
#include "app/records/fetched.h"
#include "lib/base/json.h"
#include "lib/base/str.h"

#include <stdint.h>

#define CHECK(x)                    \
    do {                            \
        if (!(x)) __builtin_trap(); \
    } while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static size_t count(bzr_str s, bzr_str needle) {
    size_t n = 0;
    for (size_t at = 0; (at = bzr__str_find(s, needle, at)) < s.n; at += needle.n) n++;
    return n;
}

static void check_fetched(bzr_str text) {
    bzr__buf out;
    bzr__fetched f = { .id = BZR__S("fetch_0123456789ab"),
                       .url = text,
                       .action = BZR__S("allow"),
                       .confidence = BZR__S("low"),
                       .accessed = BZR__S("2026-01-01T00:00:00Z"),
                       .patterns = BZR__S("none"),
                       .body = text };
    bzr__buf_init(&out, 1u << 26);
    if (!bzr__fetched_reference(&f, BZR__FETCHED_SEED, &out)) {
        bzr_str s = bzr__buf_str(&out);
        CHECK(!memchr(s.p, '\n', s.n) && count(s, BZR__S("[")) == 1 && count(s, BZR__S("]")) == 1 &&
              count(s, BZR__S("|")) == 2);
    }
    bzr__buf_clear(&out);
    if (!bzr__fetched_reading(&f, BZR__FETCHED_BEZOAR, BZR_ENVELOPE_OPENCLAW, &out, NULL)) {
        bzr_str s = bzr__buf_str(&out);
        size_t from = bzr__str_find(s, BZR__S("<<<EXTERNAL_UNTRUSTED_CONTENT id="), 0), to = bzr__str_find(s, BZR__S("<<<END_EXTERNAL_UNTRUSTED_CONTENT"), 0);
        CHECK(count(bzr__str_part(s, 0, from), BZR__S("[Content from ")) == 1);
        CHECK(!count(bzr__str_part(s, to, s.n), BZR__S("[Content from ")));
        CHECK(count(s, BZR__S("<<<EXTERNAL_UNTRUSTED_CONTENT id=")) == 1 &&
              count(s, BZR__S("<<<END_EXTERNAL_UNTRUSTED_CONTENT")) == 1);
    }
    bzr__buf_free(&out);
}

static void check_line(const bzr__event *e, bzr__audit_format format) {
    bzr__buf out;
    bzr__arena arena;
    const bzr__json *root;
    size_t at;
    const char *expected;
    bzr__buf_init(&out, 1u << 26);
    bzr__arena_init(&arena, 1u << 28);
    bzr__audit_line(e, format, &out);
    CHECK(!out.status && !memchr(out.p, '\n', out.n) && !memchr(out.p, '\r', out.n));
    CHECK(format == BZR__AUDIT_CEF || !bzr__json_parse(bzr__buf_str(&out), &arena, &root, &at, &expected));
    bzr__arena_free(&arena);
    bzr__buf_free(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    bzr_str t = size ? bzr__str(data, size) : BZR__S("");
    bzr__event e = { .seq = 1,
                     .at = 1,
                     .type = size % 2 ? BZR__S("security_scan") : t,
                     .direction = t,
                     .channel = t,
                     .content = t,
                     .url = t,
                     .pattern_matched = t,
                     .confidence = t,
                     .action = size % 3 ? BZR__S("block") : t,
                     .content_id = t,
                     .session_id = t,
                     .details = t,
                     .hash = t };
    check_fetched(t);
    for (int f = BZR__AUDIT_JSONL; f <= BZR__AUDIT_CEF; f++) check_line(&e, (bzr__audit_format)f);
    return 0;
}
