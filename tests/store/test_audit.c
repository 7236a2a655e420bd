/* The audit chain, on every backend: what was done behind the store's back shows. */
#include "lib/base/json.h"
#include "tests/store/fixture.h"

#include <openssl/evp.h>

static toad__event scan_event(const char *url) {
    return (toad__event){ .type = S("security_scan"),
                          .direction = S("inbound"),
                          .channel = S("internal"),
                          .content = S("injection_detected"),
                          .url = S(url),
                          .pattern_matched = S("ignore_previous_instructions"),
                          .confidence = S("high"),
                          .action = S("block"),
                          .content_id = S("fetch_blocked_001"),
                          .session_id = S("session_123"),
                          .details = S("{\"n\":1}") };
}

static void append(fixture *f, int n) {
    for (int i = 0; i < n; i++) {
        char url[64];
        snprintf(url, sizeof url, "https://example.com/%d", i);
        toad__event e = scan_event(url);
        f->clock += SECOND;
        assert_ok(toad__store_events_append(f->store, &e, 1));
    }
}

/* ---- reading ---- */

typedef struct seen {
    int n;
    int64_t first, last;
    char hash[65];
    toad__buf json;
} seen;

static bool see(void *ctx, const toad__event *e) {
    seen *s = ctx;
    if (!s->n++) s->first = e->seq;
    s->last = e->seq;
    memcpy(s->hash, e->hash.p, 64);
    if (s->json.max) {
        toad__buf_clear(&s->json);
        toad__event_json(e, &s->json);
    }
    return true;
}

static void events_have_the_seeds_fields(void **state) {
    fixture *f = *state;
    seen s = { 0 };
    toad__buf_init(&s.json, 1u << 16);
    append(f, 1);
    assert_ok(toad__store_events(f->store, &(toad__event_filter){ 0 }, see, &s));
    assert_str(
        toad__buf_str(&s.json),
        "{\"seq\":1,\"at\":1767225601000000,\"event_type\":\"security_scan\",\"direction\":\"inbound\",\"channel\":"
        "\"internal\",\"content\":\"injection_detected\",\"url\":\"https://example.com/0\",\"pattern_matched\":"
        "\"ignore_previous_instructions\",\"confidence\":\"high\",\"action\":\"block\",\"content_id\":"
        "\"fetch_blocked_001\",\"session_id\":\"session_123\",\"details\":{\"n\":1}}");
    toad__buf_free(&s.json);
}

/* The hash can be had with nothing but SHA-256 over the hash before and the exported line. */
static void the_hash_is_what_the_head_of_the_file_says(void **state) {
    fixture *f = *state;
    char hash[65] = "0000000000000000000000000000000000000000000000000000000000000000";
    append(f, 3);
    for (int64_t i = 0; i < 3; i++) {
        seen s = { 0 };
        unsigned char digest[32];
        toad__buf_init(&s.json, 1u << 16);
        assert_ok(toad__store_events(f->store, &(toad__event_filter){ .after_seq = i, .limit = 1 }, see, &s));
        EVP_MD_CTX *ctx = EVP_MD_CTX_new();
        EVP_DigestInit_ex(ctx, EVP_sha256(), NULL);
        EVP_DigestUpdate(ctx, hash, 64);
        EVP_DigestUpdate(ctx, s.json.p, s.json.n);
        EVP_DigestFinal_ex(ctx, digest, NULL);
        EVP_MD_CTX_free(ctx);
        for (int k = 0; k < 32; k++) snprintf(hash + 2 * k, 3, "%02x", digest[k]);
        assert_memory_equal(hash, s.hash, 64);
        toad__buf_free(&s.json);
    }
}

static void queries_select(void **state) {
    fixture *f = *state;
    uint64_t n;
    append(f, 20);
    int64_t start = INT64_C(1767225600) * SECOND;
    seen s = { 0 };
    assert_ok(toad__store_events(
        f->store, &(toad__event_filter){ .since = start + 5 * SECOND, .until = start + 9 * SECOND }, see, &s));
    assert_true(s.n == 4 && s.first == 5 && s.last == 8);
    s = (seen){ 0 };
    assert_ok(toad__store_events(f->store, &(toad__event_filter){ .newest_first = true, .limit = 3 }, see, &s));
    assert_true(s.n == 3 && s.first == 20 && s.last == 18);
    s = (seen){ 0 };
    assert_ok(toad__store_events(f->store, &(toad__event_filter){ .after_seq = 10, .before_seq = 15 }, see, &s));
    assert_true(s.n == 4 && s.first == 11);
    s = (seen){ 0 };
    assert_ok(toad__store_events(f->store, &(toad__event_filter){ .url = S("https://example.com/7") }, see, &s));
    assert_true(s.n == 1 && s.first == 8);
    assert_ok(toad__store_events_count(f->store,
                                       &(toad__event_filter){ .action = S("block"),
                                                              .type = S("security_scan"),
                                                              .session_id = S("session_123"),
                                                              .content_id = S("fetch_blocked_001") },
                                       &n));
    assert_int_equal(n, 20);
    assert_ok(toad__store_events_count(f->store, &(toad__event_filter){ .action = S("allow") }, &n));
    assert_int_equal(n, 0);
}

static void time_never_runs_back(void **state) {
    fixture *f = *state;
    append(f, 1);
    f->clock -= HOUR;
    append(f, 1);
    seen s = { 0 };
    assert_ok(toad__store_events(f->store, &(toad__event_filter){ .since = f->clock }, see, &s));
    assert_int_equal(s.n, 2);
    assert_chain(f);
}

static void batches_are_all_or_nothing(void **state) {
    fixture *f = *state;
    toad__event items[3] = { scan_event("a"), scan_event("b"), scan_event("c") };
    static const char *const bad[] = { "[]", "{", "1", "{\"a\":1}}", "{\"a\":1,\"a\":2}", "{} x" };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        items[2].details = S(bad[i]);
        assert_int_equal(toad__store_events_append(f->store, items, 3), TOAD_E_ARG);
    }
    items[2].details = S("");
    items[1].content = S("\xed\xa0\x80");
    assert_int_equal(toad__store_events_append(f->store, items, 3), TOAD_E_ARG);
    assert_string_equal(place_ask(&f->place, "SELECT count(*) FROM events"), "0");
    items[1].content = S("fine");
    assert_ok(toad__store_events_append(f->store, items, 3));
    assert_chain(f);
}

/* ---- tampering ---- */

static void assert_broken(fixture *f, const toad__chain_head *anchor, int64_t at, const char *why) {
    toad__audit_report r;
    assert_ok(toad__store_audit_verify(f->store, anchor, &r));
    assert_false(r.ok);
    assert_string_equal(r.why, why);
    assert_int_equal(r.bad_seq, at);
}

static void a_changed_field_is_found(void **state) {
    fixture *f = *state;
    static const char *const columns[] = { "at",      "type",       "direction",       "channel",
                                           "content", "url",        "pattern_matched", "confidence",
                                           "action",  "content_id", "session_id",      "details",
                                           "hash" };
    append(f, 9);
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
        char sql[256];
        snprintf(sql, sizeof sql,
                 i ? "UPDATE events SET %s = %s || 'x' WHERE seq = 5" : "UPDATE events SET %s = %s + 1 WHERE seq = 5",
                 columns[i], columns[i]);
        place_raw(&f->place, sql);
        assert_broken(f, NULL, 5, "changed");
        if (i)
            snprintf(sql, sizeof sql, "UPDATE events SET %s = substr(%s, 1, length(%s) - 1) WHERE seq = 5", columns[i],
                     columns[i], columns[i]);
        else
            snprintf(sql, sizeof sql, "UPDATE events SET at = at - 1 WHERE seq = 5");
        place_raw(&f->place, sql);
        assert_chain(f);
    }
    if (!on_postgres) { /* bytes that are no text must not pass for U+FFFD */
        place_raw(&f->place, "UPDATE events SET url = CAST(x'ff' AS TEXT) WHERE seq = 2");
        assert_broken(f, NULL, 2, "malformed");
    }
}

static void deleted_moved_and_cut_rows_are_found(void **state) {
    fixture *f = *state;
    append(f, 9);
    place_raw(&f->place, "UPDATE events SET seq = 99 WHERE seq = 4");
    assert_broken(f, NULL, 4, "missing");
    place_raw(&f->place, "UPDATE events SET seq = 4 WHERE seq = 99");
    assert_chain(f);
    place_raw(&f->place, "UPDATE events SET seq = 99 WHERE seq = 4");
    place_raw(&f->place, "UPDATE events SET seq = 4 WHERE seq = 5");
    place_raw(&f->place, "UPDATE events SET seq = 5 WHERE seq = 99");
    assert_broken(f, NULL, 4, "changed");
    place_raw(&f->place, "UPDATE events SET seq = 99 WHERE seq = 4");
    place_raw(&f->place, "UPDATE events SET seq = 4 WHERE seq = 5");
    place_raw(&f->place, "UPDATE events SET seq = 5 WHERE seq = 99");
    assert_chain(f);
    place_raw(&f->place, "DELETE FROM events WHERE seq > 7");
    assert_broken(f, NULL, 8, "truncated");
    place_raw(&f->place, "DELETE FROM events WHERE seq < 3");
    assert_broken(f, NULL, 1, "missing");
    place_raw(&f->place, "DELETE FROM events");
    assert_broken(f, NULL, 1, "truncated");
}

static void forged_tails_are_found(void **state) {
    fixture *f = *state;
    append(f, 3);
    place_raw(&f->place,
              "INSERT INTO events SELECT 4, at, type, direction, channel, content, url, pattern_matched, confidence, "
              "action, content_id, session_id, details, hash FROM events WHERE seq = 3");
    assert_broken(f, NULL, 4, "changed");
    place_raw(&f->place, "DELETE FROM events WHERE seq = 4");
    place_raw(
        &f->place,
        "UPDATE chain SET hash = 'f' || substr(hash, 2), seq = 3 WHERE name = 'head' AND substr(hash, 1, 1) <> 'f'");
    place_raw(&f->place, "UPDATE chain SET hash = 'e' || substr(hash, 2) WHERE name = 'head'");
    assert_broken(f, NULL, 3, "not chained");
}

/* An attacker who cuts the log and its head alike is caught by a head noted down elsewhere. */
static void an_anchor_catches_a_rewritten_log(void **state) {
    fixture *f = *state;
    toad__chain_head anchor;
    append(f, 5);
    assert_ok(toad__store_audit_head(f->store, &anchor));
    assert_int_equal(anchor.seq, 5);
    append(f, 2);
    toad__audit_report r;
    assert_ok(toad__store_audit_verify(f->store, &anchor, &r));
    assert_true(r.ok && r.checked == 7);
    place_raw(&f->place, "DELETE FROM events WHERE seq > 3");
    place_raw(&f->place,
              "UPDATE chain SET seq = 3, hash = (SELECT hash FROM events WHERE seq = 3) WHERE name = 'head'");
    assert_chain(f);
    assert_broken(f, &anchor, 5, "anchor");
    append(f, 4);
    assert_broken(f, &anchor, 5, "anchor");
}

static void a_purged_log_still_verifies(void **state) {
    fixture *f = *state;
    uint64_t removed;
    append(f, 10);
    int64_t start = INT64_C(1767225600) * SECOND;
    assert_ok(toad__store_audit_purge(f->store, start + 5 * SECOND, &removed));
    assert_int_equal(removed, 4);
    assert_chain(f);
    assert_string_equal(place_ask(&f->place, "SELECT details FROM events WHERE type = 'audit_purge'"),
                        "{\"removed\":4,\"upto\":4}");
    assert_ok(toad__store_audit_purge(f->store, start, &removed));
    assert_int_equal(removed, 0);
    append(f, 2);
    assert_chain(f);
    toad__audit_report r;
    assert_ok(toad__store_audit_verify(f->store, NULL, &r));
    assert_int_equal(r.checked, 9);
    place_raw(&f->place, "DELETE FROM events WHERE seq = 5");
    assert_broken(f, NULL, 5, "missing");
    place_raw(&f->place, "UPDATE events SET seq = 2 WHERE seq = 6");
    assert_broken(f, NULL, 2, "not chained");
}

/* More than one page of verification, and events that come while it runs. */
static void long_chains_verify(void **state) {
    fixture *f = *state;
    enum { N = 4500 };
    toad__event *items = calloc(N, sizeof *items);
    for (int i = 0; i < N; i++) items[i] = scan_event("u");
    assert_ok(toad__store_events_append(f->store, items, N));
    free(items);
    assert_chain(f);
    place_raw(&f->place, "UPDATE events SET action = 'allow' WHERE seq = 4400");
    assert_broken(f, NULL, 4400, "changed");
}

static const struct CMUnitTest tests[] = {
    T(events_have_the_seeds_fields),
    T(the_hash_is_what_the_head_of_the_file_says),
    T(queries_select),
    T(time_never_runs_back),
    T(batches_are_all_or_nothing),
    T(a_changed_field_is_found),
    T(deleted_moved_and_cut_rows_are_found),
    T(forged_tails_are_found),
    T(an_anchor_catches_a_rewritten_log),
    T(a_purged_log_still_verifies),
    T(long_chains_verify),
};

RUN_ON_BOTH(tests)
