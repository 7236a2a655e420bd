/* The contract of the store, one suite on every backend: records, batches, provenance, search, trust, release. */
#include "tests/store/fixture.h"

/* ---- contents ---- */

static toad__content page(const char *url, const char *body, const char *action) {
    return (toad__content){ .url = S(url),
                            .domain = S("example.com"),
                            .kind = S("web"),
                            .title = S("A page"),
                            .session_id = S("s1"),
                            .body = S(body),
                            .action = S(action),
                            .severity = S("none"),
                            .completeness = S("full"),
                            .confidence = S("low"),
                            .pattern_matched = S(""),
                            .findings = S("[]") };
}

static void put(fixture *f, const char *url, const char *body, const char *action, char id[24]) {
    toad__content c = page(url, body, action);
    assert_ok(toad__store_contents_put(f->store, &c, 1, (char(*)[24])id));
}

static void contents_come_back(void **state) {
    fixture *f = *state;
    char id[24], bytes[1000];
    toad__content c = page("https://example.com/a", "", "allow"), got;
    for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = (char)(i * 7);
    c.body = toad__str(exact_dup(bytes, sizeof bytes), sizeof bytes);
    assert_ok(toad__store_contents_put(f->store, &c, 1, &id));
    assert_int_equal(strlen(id), 18);
    assert_memory_equal(id, "fetch_", 6);
    assert_int_equal(strspn(id + 6, "0123456789abcdef"), 12);
    assert_ok(toad__store_content_get(f->store, S(id), true, &f->arena, &got));
    assert_int_equal(got.body.n, sizeof bytes);
    assert_memory_equal(got.body.p, bytes, sizeof bytes);
    assert_true(got.intact && !got.truncated && !got.access_count && got.size == sizeof bytes);
    assert_str(got.url, "https://example.com/a");
    assert_str(got.title, "A page");
    assert_int_equal(toad__store_content_get(f->store, S("fetch_missing"), true, &f->arena, &got), TOAD_E_NOT_FOUND);
    assert_non_null(strstr(toad__store_message(), "fetch_missing"));
    free((char *)(uintptr_t)c.body.p);
    assert_chain(f);
}

static void the_same_is_kept_once(void **state) {
    fixture *f = *state;
    char first[24], again[24], elsewhere[24];
    toad__store_stats stats;
    put(f, "https://example.com/a", "the same body, the same page", "allow", first);
    f->clock += HOUR;
    put(f, "https://example.com/a", "the same body, the same page", "allow", again);
    put(f, "https://example.org/b", "the same body, the same page", "allow", elsewhere);
    assert_string_equal(first, again);
    assert_string_not_equal(first, elsewhere);
    assert_ok(toad__store_stats_get(f->store, &stats));
    assert_int_equal(stats.total_contents, 2);
    assert_int_equal(stats.total_urls, 2);
    assert_string_equal(place_ask(&f->place, "SELECT count(*) FROM bodies"), "1");
    assert_ok(toad__store_content_delete(f->store, S(first)));
    assert_string_equal(place_ask(&f->place, "SELECT count(*) FROM bodies"), "1");
    assert_ok(toad__store_content_delete(f->store, S(elsewhere)));
    assert_string_equal(place_ask(&f->place, "SELECT count(*) FROM bodies"), "0");
    assert_int_equal(toad__store_content_delete(f->store, S(first)), TOAD_E_NOT_FOUND);
    assert_chain(f);
}

/* nanofolks: total_contents, total_urls, accessed, blocked, warned. */
static void stats_count(void **state) {
    fixture *f = *state;
    char id[24];
    toad__content got;
    toad__store_stats stats;
    put(f, "u", "0123456789abc", "warn", id);
    assert_ok(toad__store_content_read(f->store, S(id), TOAD__READER_MODEL, S(""), &f->arena, &got));
    put(f, "u", "0123456789", "block", id);
    assert_ok(toad__store_stats_get(f->store, &stats));
    assert_true(stats.total_contents == 2 && stats.total_urls == 1 && stats.accessed == 1);
    assert_true(stats.blocked == 1 && stats.warned == 1 && stats.events == 3 && stats.sources == 2);
}

static void long_bodies_are_cut_and_marked(void **state) {
    fixture *f = *state;
    char id[24];
    toad__content got;
    static const struct {
        const char *body, *kept;
    } cases[] = {
        { "0123456789", "0123456789" },
        { "0123456789abc", "0123456789\n[content truncated...]" },
        { "\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9",
          "\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9" },
        { "123456789\xc3\xa9"
          "cut",
          "123456789\xc3\xa9\n[content truncated...]" },
        { "12345678\xff\xff"
          "cut",
          "12345678\xff\xff\n[content truncated...]" },
    };
    toad__store_close(f->store);
    f->options.content_characters = 10;
    f->store = open_again(f);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        put(f, "u", cases[i].body, "allow", id);
        assert_ok(toad__store_content_get(f->store, S(id), true, &f->arena, &got));
        assert_str(got.body, cases[i].kept);
        assert_int_equal(got.truncated, strlen(cases[i].kept) > strlen(cases[i].body));
        assert_int_equal(got.size, strlen(cases[i].body));
    }
}

static void the_standard_limit_is_half_a_million(void **state) {
    fixture *f = *state;
    size_t n = 500001;
    char id[24], *big = malloc(n);
    toad__content c = page("u", "", "allow"), got;
    for (size_t i = 0; i < n; i++) big[i] = (char)('a' + i % 26);
    c.body = (toad_str){ big, n - 1 };
    assert_ok(toad__store_contents_put(f->store, &c, 1, &id));
    assert_ok(toad__store_content_get(f->store, S(id), true, &f->arena, &got));
    assert_true(!got.truncated && got.body.n == n - 1 && got.intact);
    c.body.n = n;
    assert_ok(toad__store_contents_put(f->store, &c, 1, &id));
    assert_ok(toad__store_content_get(f->store, S(id), true, &f->arena, &got));
    assert_true(got.truncated && got.body.n == n - 1 + strlen(TOAD__STORE_TRUNCATED) && got.size == n);
    free(big);
}

static void contents_perish(void **state) {
    fixture *f = *state;
    char id[24], young[24];
    toad__content got;
    uint64_t removed;
    put(f, "https://example.com/a", "old", "allow", id);
    f->clock += 24 * HOUR - 1;
    put(f, "https://example.com/b", "young", "allow", young);
    assert_ok(toad__store_content_get(f->store, S(id), false, &f->arena, &got));
    f->clock += 1;
    assert_int_equal(toad__store_content_get(f->store, S(id), false, &f->arena, &got), TOAD_E_NOT_FOUND);
    assert_int_equal(toad__store_content_read(f->store, S(id), TOAD__READER_USER, S(""), &f->arena, &got),
                     TOAD_E_NOT_FOUND);
    assert_ok(toad__store_contents_purge(f->store, &removed));
    assert_int_equal(removed, 1);
    assert_string_equal(place_ask(&f->place, "SELECT count(*) FROM bodies"), "1");
    assert_ok(toad__store_contents_purge(f->store, &removed));
    assert_int_equal(removed, 0);
    assert_ok(toad__store_content_get(f->store, S(young), false, &f->arena, &got));
    assert_chain(f);
}

static void blocked_content_waits_for_the_user(void **state) {
    fixture *f = *state;
    char id[24], digest[65], other[65];
    toad__content got;
    put(f, "https://example.com/bad", "a blocked page", "block", id);
    assert_int_equal(toad__store_content_read(f->store, S(id), TOAD__READER_MODEL, S("s1"), &f->arena, &got),
                     TOAD_E_STATE);
    assert_ok(toad__store_content_read(f->store, S(id), TOAD__READER_USER, S(""), &f->arena, &got));
    memcpy(digest, got.digest, 65);
    memcpy(other, digest, 65);
    other[5] = other[5] == '0' ? '1' : '0';
    assert_int_equal(toad__store_content_release(f->store, S(id), S(other)), TOAD_E_STATE);
    assert_int_equal(toad__store_content_read(f->store, S(id), TOAD__READER_MODEL, S("s1"), &f->arena, &got),
                     TOAD_E_STATE);
    assert_ok(toad__store_content_release(f->store, S(id), S(digest)));
    assert_ok(toad__store_content_read(f->store, S(id), TOAD__READER_MODEL, S("s1"), &f->arena, &got));
    assert_true(got.released_at > 0);
    /* The release is of those bytes: others under the same id are blocked again. */
    place_raw(&f->place, "UPDATE contents SET digest = 'x' || substr(digest, 2)");
    assert_int_equal(toad__store_content_read(f->store, S(id), TOAD__READER_MODEL, S("s1"), &f->arena, &got),
                     TOAD_E_STATE);
    assert_string_equal(place_ask(&f->place, "SELECT count(*) FROM events WHERE type = 'content_release'"), "1");
    assert_chain(f);
}

static void a_changed_body_is_noticed(void **state) {
    fixture *f = *state;
    char id[24];
    toad__content got;
    put(f, "https://example.com/a", "what was scanned", "allow", id);
    place_raw(&f->place, on_postgres ? "UPDATE bodies SET bytes = 'poison', packed = 0"
                                     : "UPDATE bodies SET bytes = x'706f69736f6e', packed = 0");
    assert_ok(toad__store_content_get(f->store, S(id), true, &f->arena, &got));
    assert_str(got.body, "poison");
    assert_false(got.intact);
    assert_int_equal(toad__store_content_read(f->store, S(id), TOAD__READER_MODEL, S("s1"), &f->arena, &got),
                     TOAD_E_STATE);
    assert_ok(toad__store_content_read(f->store, S(id), TOAD__READER_USER, S("s1"), &f->arena, &got));
    assert_false(got.intact);
}

static void a_batch_is_all_or_nothing(void **state) {
    fixture *f = *state;
    toad__content items[3] = { page("a", "1", "block"), page("b", "2", "allow"), page("c\xff", "3", "allow") };
    char ids[3][24] = { "untouched" };
    const toad__learning learned = { .category = S("security"), .pattern_type = S("rule"), .domain = S("a.example") };
    items[0].learnings = &learned;
    items[0].learnings_n = 1;
    assert_int_equal(toad__store_contents_put(f->store, items, 3, ids), TOAD_E_ARG);
    assert_string_equal(ids[0], "untouched");
    assert_string_equal(place_ask(&f->place, "SELECT count(*) FROM contents"), "0");
    assert_string_equal(place_ask(&f->place, "SELECT count(*) FROM events"), "0");
    assert_string_equal(place_ask(&f->place, "SELECT count(*) FROM learnings"), "0");
    items[2].url = toad__str("c\0d", 3);
    assert_int_equal(toad__store_contents_put(f->store, items, 3, ids), TOAD_E_ARG);
    items[2].url = S("c");
    assert_ok(toad__store_contents_put(f->store, items, 3, ids));
    assert_string_equal(place_ask(&f->place, "SELECT count(*) FROM learnings"), "1");
    assert_chain(f);
}

static bool count_contents(void *ctx, const toad__content *c) {
    (void)c;
    return ++*(int *)ctx < 100;
}

static void large_batches_and_lists(void **state) {
    fixture *f = *state;
    enum { N = 700 };
    static toad__content items[N];
    static char ids[N][24], urls[N][32];
    int n = 0;
    for (int i = 0; i < N; i++) {
        snprintf(urls[i], sizeof urls[i], "https://example.com/%d", i);
        items[i] = page(urls[i], urls[i], i % 3 ? "allow" : "warn");
    }
    items[650].url = S("not\xfftext");
    assert_int_equal(toad__store_contents_put(f->store, items, N, ids), TOAD_E_ARG);
    assert_string_equal(place_ask(&f->place, "SELECT count(*) FROM contents"), "0");
    items[650].url = S(urls[650]);
    assert_ok(toad__store_contents_put(f->store, items, N, ids));
    assert_ok(toad__store_contents(f->store, &(toad__content_filter){ .action = S("warn"), .limit = 50 },
                                   count_contents, &n));
    assert_int_equal(n, 50);
    n = 0;
    assert_ok(toad__store_contents(f->store, &(toad__content_filter){ .url = S(urls[9]) }, count_contents, &n));
    assert_int_equal(n, 1);
    assert_chain(f);
}

/* ---- memories ---- */

static void add(fixture *f, const char *text, toad_provenance provenance, toad__reader by, char id[24]) {
    toad__memory_op op = { .act = TOAD__MEMORY_ADD,
                           .by = by,
                           .content = S(text),
                           .category = S("notes"),
                           .source = S("cli"),
                           .session_id = S("s1"),
                           .provenance = provenance };
    toad__memory_made made;
    assert_ok(toad__store_memories_apply(f->store, &op, 1, &made, NULL));
    memcpy(id, made.id, sizeof made.id);
}

static toad__memory get(fixture *f, const char *id) {
    toad__memory m = { 0 };
    assert_ok(toad__store_memory_get(f->store, S(id), &f->arena, &m));
    return m;
}

static void memories_live(void **state) {
    fixture *f = *state;
    char id[24];
    toad__memory m;
    add(f, "prefers tea", TOAD_USER, TOAD__READER_USER, id);
    m = get(f, id);
    assert_str(m.content, "prefers tea");
    assert_true(m.intact && m.revision == 1 && m.provenance == TOAD_USER && m.created_at == f->clock);
    f->clock += SECOND;
    toad__memory_op op = { .act = TOAD__MEMORY_UPDATE,
                           .by = TOAD__READER_USER,
                           .id = S(id),
                           .content = S("prefers coffee"),
                           .provenance = TOAD_USER };
    assert_ok(toad__store_memories_apply(f->store, &op, 1, NULL, NULL));
    m = get(f, id);
    assert_str(m.content, "prefers coffee");
    assert_str(m.category, "notes");
    assert_true(m.intact && m.revision == 2 && m.updated_at == m.created_at + SECOND);
    op.act = TOAD__MEMORY_DELETE;
    assert_ok(toad__store_memories_apply(f->store, &op, 1, NULL, NULL));
    assert_int_equal(toad__store_memory_get(f->store, S(id), &f->arena, &m), TOAD_E_NOT_FOUND);
    assert_int_equal(toad__store_memories_apply(f->store, &op, 1, NULL, NULL), TOAD_E_NOT_FOUND);
    assert_non_null(strstr(toad__store_message(), "memory not found: mem_"));
    op.id = S("");
    assert_int_equal(toad__store_memories_apply(f->store, &op, 1, NULL, NULL), TOAD_E_ARG);
    assert_string_equal(place_ask(&f->place, "SELECT count(*) FROM events WHERE type = 'memory_write'"), "3");
    assert_chain(f);
}

static void memory_batches_are_all_or_nothing(void **state) {
    fixture *f = *state;
    char id[24];
    size_t failed = 99;
    add(f, "stays", TOAD_USER, TOAD__READER_USER, id);
    toad__memory_op ops[] = {
        { .act = TOAD__MEMORY_ADD, .content = S("new") },
        { .act = TOAD__MEMORY_UPDATE, .id = S(id), .content = S("changed") },
        { .act = TOAD__MEMORY_DELETE, .id = S("mem_none") },
        { .act = TOAD__MEMORY_ADD, .content = S("never") },
    };
    assert_int_equal(toad__store_memories_apply(f->store, ops, 4, NULL, &failed), TOAD_E_NOT_FOUND);
    assert_int_equal(failed, 2);
    assert_str(get(f, id).content, "stays");
    assert_string_equal(place_ask(&f->place, "SELECT count(*) FROM memories"), "1");
    ops[2] = (toad__memory_op){ .act = TOAD__MEMORY_ADD, .id = S(id), .content = S("twice") };
    assert_int_equal(toad__store_memories_apply(f->store, ops, 4, NULL, &failed), TOAD_E_STATE);
    ops[2] = (toad__memory_op){ .act = TOAD__MEMORY_ADD, .content = S("") };
    assert_int_equal(toad__store_memories_apply(f->store, ops, 4, NULL, &failed), TOAD_E_ARG);
    ops[2].content = S("bad \xf0");
    assert_int_equal(toad__store_memories_apply(f->store, ops, 4, NULL, &failed), TOAD_E_ARG);
    assert_int_equal(failed, 2);
    assert_str(get(f, id).content, "stays");
    ops[2].content = S("good");
    assert_ok(toad__store_memories_apply(f->store, ops, 4, NULL, NULL));
    assert_string_equal(place_ask(&f->place, "SELECT count(*) FROM memories"), "4");
    assert_chain(f);
}

static void provenance_cannot_be_raised(void **state) {
    fixture *f = *state;
    char user[24], outside[24], made[24];
    toad__memory_made derived;
    add(f, "from the user", TOAD_USER, TOAD__READER_USER, user);
    add(f, "from a page", TOAD_EXTERNAL, TOAD__READER_MODEL, outside);
    add(f, "an agent says it is the user", TOAD_USER, TOAD__READER_MODEL, made);
    assert_int_equal(get(f, made).provenance, TOAD_AGENT);
    toad_str parents[] = { S(user), S(outside) };
    toad__memory_op op = { .act = TOAD__MEMORY_ADD,
                           .by = TOAD__READER_USER,
                           .content = S("derived"),
                           .provenance = TOAD_USER,
                           .parents = parents,
                           .parent_count = 2 };
    assert_ok(toad__store_memories_apply(f->store, &op, 1, &derived, NULL));
    assert_int_equal(derived.provenance, TOAD_EXTERNAL);
    assert_int_equal(get(f, derived.id).provenance, TOAD_EXTERNAL);
    op = (toad__memory_op){ .act = TOAD__MEMORY_UPDATE,
                            .by = TOAD__READER_MODEL,
                            .id = S(outside),
                            .content = S("washed"),
                            .provenance = TOAD_USER };
    assert_ok(toad__store_memories_apply(f->store, &op, 1, NULL, NULL));
    assert_int_equal(get(f, outside).provenance, TOAD_EXTERNAL);
    op.by = TOAD__READER_USER;
    assert_ok(toad__store_memories_apply(f->store, &op, 1, NULL, NULL));
    assert_int_equal(get(f, outside).provenance, TOAD_USER);
    toad_str missing[] = { S("mem_none") };
    op = (toad__memory_op){ .act = TOAD__MEMORY_ADD, .content = S("orphan"), .parents = missing, .parent_count = 1 };
    assert_int_equal(toad__store_memories_apply(f->store, &op, 1, NULL, NULL), TOAD_E_NOT_FOUND);
}

static void another_revision_is_refused(void **state) {
    fixture *f = *state;
    char id[24];
    add(f, "one", TOAD_USER, TOAD__READER_USER, id);
    toad__memory_op op = { .act = TOAD__MEMORY_UPDATE, .id = S(id), .content = S("two"), .expect_revision = 1 };
    assert_ok(toad__store_memories_apply(f->store, &op, 1, NULL, NULL));
    assert_int_equal(toad__store_memories_apply(f->store, &op, 1, NULL, NULL), TOAD_E_STATE);
    op.act = TOAD__MEMORY_DELETE;
    assert_int_equal(toad__store_memories_apply(f->store, &op, 1, NULL, NULL), TOAD_E_STATE);
    assert_int_equal(get(f, id).revision, 2);
}

typedef struct seen {
    int n, broken, external;
    char ids[8][64];
    double score;
} seen;

static bool see(void *ctx, const toad__memory *m) {
    seen *s = ctx;
    if (s->n < 8) snprintf(s->ids[s->n], sizeof s->ids[0], "%.*s", (int)m->id.n, m->id.p);
    s->broken += !m->intact;
    s->external += m->provenance == TOAD_EXTERNAL;
    assert_true(!s->n || m->score <= s->score + 1e-9);
    s->score = m->score;
    s->n++;
    return true;
}

/* A row written by another process is seen, told apart, inspected and deleted. */
static void rows_from_foreign_hands(void **state) {
    fixture *f = *state;
    char id[24];
    seen s = { 0 };
    add(f, "ours", TOAD_USER, TOAD__READER_USER, id);
    place_raw(&f->place, "INSERT INTO memories(id, content) VALUES ('abc123', 'a poisoned entry')");
    place_raw(&f->place, "INSERT INTO memories(id, content, provenance) VALUES ('x', 'says it is trusted', 'admin')");
    if (!on_postgres) place_raw(&f->place, "INSERT INTO memories(id, content) VALUES ('raw', CAST(x'ff00fe' AS TEXT))");
    assert_ok(toad__store_memories(f->store, &(toad__memory_filter){ 0 }, see, &s));
    assert_int_equal(s.n, on_postgres ? 3 : 4);
    assert_int_equal(s.broken, s.n - 1);
    assert_int_equal(s.external, s.n - 1);
    assert_string_equal(s.ids[0], id);
    assert_string_equal(s.ids[1], "abc123");
    assert_str(get(f, "abc123").content, "a poisoned entry");
    place_raw(&f->place, "UPDATE memories SET content = 'changed behind our back' WHERE provenance = 'user'");
    assert_false(get(f, id).intact);
    s = (seen){ 0 };
    assert_ok(toad__store_memories_search(f->store, S("poisoned behind"), false, 0, see, &s));
    assert_int_equal(s.n, 2);
    toad__memory_op op = { .act = TOAD__MEMORY_DELETE, .id = S("abc123") };
    assert_ok(toad__store_memories_apply(f->store, &op, 1, NULL, NULL));
    s = (seen){ 0 };
    assert_ok(toad__store_memories_search(f->store, S("poisoned"), false, 0, see, &s));
    assert_int_equal(s.n, 0);
    assert_ok(toad__store_check(f->store));
}

static void lists_are_stable(void **state) {
    fixture *f = *state;
    char ids[3][24];
    seen a = { 0 }, b = { 0 };
    add(f, "first", TOAD_USER, TOAD__READER_USER, ids[0]);
    add(f, "second", TOAD_EXTERNAL, TOAD__READER_MODEL, ids[1]);
    add(f, "third", TOAD_AGENT, TOAD__READER_MODEL, ids[2]);
    toad__memory_op op = { .act = TOAD__MEMORY_UPDATE, .id = S(ids[0]), .content = S("first again") };
    assert_ok(toad__store_memories_apply(f->store, &op, 1, NULL, NULL));
    assert_ok(toad__store_memories(f->store, &(toad__memory_filter){ 0 }, see, &a));
    assert_ok(toad__store_memories(f->store, &(toad__memory_filter){ 0 }, see, &b));
    assert_memory_equal(a.ids, b.ids, sizeof a.ids);
    for (int i = 0; i < 3; i++) assert_string_equal(a.ids[i], ids[i]);
    a = (seen){ 0 };
    assert_ok(toad__store_memories(f->store, &(toad__memory_filter){ .at_most = TOAD_EXTERNAL }, see, &a));
    assert_int_equal(a.n, 1);
    a = (seen){ 0 };
    assert_ok(toad__store_memories(f->store, &(toad__memory_filter){ .category = S("none") }, see, &a));
    assert_int_equal(a.n, 0);
}

static void search_ranks(void **state) {
    fixture *f = *state;
    char ids[5][24];
    seen s = { 0 };
    add(f, "The nginx configuration lives in /etc/nginx and nginx reloads it", TOAD_USER, TOAD__READER_USER, ids[0]);
    add(f,
        "A long note about many things, of which nginx is one, and then about gardens, roses, soil, rain, the "
        "weather of last year, the neighbours and their dog, and what was for lunch on many a day",
        TOAD_USER, TOAD__READER_USER, ids[1]);
    add(f, "Python tutorial, chapter one", TOAD_USER, TOAD__READER_USER, ids[2]);
    add(f, "nothing to see", TOAD_USER, TOAD__READER_USER, ids[3]);
    assert_ok(toad__store_memories_search(f->store, S("NGINX?"), false, 0, see, &s));
    assert_int_equal(s.n, 2);
    assert_string_equal(s.ids[0], ids[0]);
    s = (seen){ 0 };
    assert_ok(toad__store_memories_search(f->store, S("python nginx"), false, 0, see, &s));
    assert_int_equal(s.n, 3);
    s = (seen){ 0 };
    assert_ok(toad__store_memories_search(f->store, S("nginx roses"), true, 0, see, &s));
    assert_int_equal(s.n, 1);
    s = (seen){ 0 };
    assert_ok(toad__store_memories_search(f->store, S("python nginx"), false, 1, see, &s));
    assert_int_equal(s.n, 1);
    static const char *const queries[] = { "",
                                           "   ",
                                           "\"",
                                           "AND OR NOT",
                                           "nginx\" OR \"",
                                           "content:nginx",
                                           "(((",
                                           "'; DROP TABLE memories; --",
                                           "nginx & | !",
                                           "*",
                                           "a*",
                                           ":*",
                                           "\xe2\x80\x94",
                                           "\xd0\xb4\xd0\xb0",
                                           "^nginx NEAR/2 x",
                                           "\\" };
    for (size_t i = 0; i < sizeof queries / sizeof *queries; i++) {
        s = (seen){ 0 };
        assert_ok(toad__store_memories_search(f->store, S(queries[i]), false, 0, see, &s));
    }
    assert_int_equal(toad__store_memories_search(f->store, S("\xff"), false, 0, see, &s), TOAD_E_ARG);
}

/* ---- what the user alone says ---- */

typedef struct seen_exceptions {
    int n;
    char last[24];
} seen_exceptions;

static bool see_exception(void *ctx, const toad__exception *e) {
    seen_exceptions *all = ctx;
    all->n++;
    memcpy(all->last, e->id, sizeof all->last);
    return true;
}

static int exceptions_at(fixture *f, const char *url, const char *domain) {
    seen_exceptions at = { .n = 0 };
    assert_ok(toad__store_exceptions_for(f->store, S(url), S(domain), see_exception, &at));
    return at.n;
}

static void exceptions_hold_where_and_as_long_as_they_say(void **state) {
    fixture *f = *state;
    toad__exception list[] = {
        { .at = S("mcp:weather/now"), .rule = S("a_rule"), .digest = S(""), .note = S(""), .until = INT64_MAX },
        { .at = S("mcp:weather"),
          .rule = S("b_rule"),
          .digest = S(""),
          .note = S("it's a \"quote\""),
          .until = f->clock + 10 * SECOND },
    };
    toad__exception got, bad = { .at = S("x"), .rule = S("a"), .digest = S("b"), .note = S("") };
    seen_exceptions all = { .n = 0 };
    assert_ok(toad__store_exceptions_put(f->store, list, 2, NULL));
    assert_true(!strncmp(list[0].id, "exc_", 4) && strcmp(list[0].id, list[1].id) != 0);
    assert_int_equal(exceptions_at(f, "mcp:weather/now", "mcp:weather"), 2);
    assert_int_equal(exceptions_at(f, "mcp:weather/then", "mcp:weather"), 1);
    assert_int_equal(exceptions_at(f, "mcp:weather2/now", "mcp:weather2"), 0);
    assert_int_equal(exceptions_at(f, "", ""), 0);
    assert_ok(toad__store_exception_get(f->store, S(list[1].id), &f->arena, &got));
    assert_str(got.note, "it's a \"quote\"");
    f->clock += 10 * SECOND;
    assert_int_equal(exceptions_at(f, "mcp:weather/now", "mcp:weather"), 1);
    assert_ok(toad__store_exceptions_put(f->store, list, 1, NULL)); /* the same again replaces it */
    assert_ok(toad__store_exceptions(f->store, see_exception, &all));
    assert_int_equal(all.n, 2);
    assert_ok(toad__store_exception_get(f->store, S(list[0].id), &f->arena, &got));
    assert_ok(toad__store_exception_drop(f->store, &got));
    assert_int_equal(exceptions_at(f, "mcp:weather/now", "mcp:weather"), 0);
    assert_int_equal(toad__store_exception_get(f->store, S(list[0].id), &f->arena, &got), TOAD_E_NOT_FOUND);
    assert_int_equal(toad__store_exceptions_put(f->store, &bad, 1, NULL), TOAD_E_ARG);
    bad.rule = bad.digest = S("");
    assert_int_equal(toad__store_exceptions_put(f->store, &bad, 1, NULL), TOAD_E_ARG);
    assert_string_equal(place_ask(&f->place, "SELECT count(*) FROM events WHERE type = 'exception'"), "4");
    assert_chain(f);
}

static void a_token_is_kept_as_its_digest_and_taken_back(void **state) {
    fixture *f = *state;
    char got[65] = "x", digest[65];
    memset(digest, 'a', 64);
    digest[64] = 0;
    assert_ok(toad__store_token(f->store, got));
    assert_string_equal(got, "");
    assert_ok(toad__store_token_put(f->store, digest));
    assert_ok(toad__store_token(f->store, got));
    assert_string_equal(got, digest);
    assert_ok(toad__store_token_put(f->store, ""));
    assert_ok(toad__store_token(f->store, got));
    assert_string_equal(got, "");
    assert_string_equal(place_ask(&f->place, "SELECT count(*) FROM events WHERE type = 'token'"), "2");
    assert_chain(f);
}

static void a_content_is_found_by_how_its_id_begins(void **state) {
    fixture *f = *state;
    char ids[40][24], urls[40][40], found[24];
    toad__content items[40];
    for (int i = 0; i < 40; i++) {
        snprintf(urls[i], sizeof urls[i], "https://example.com/%d", i);
        items[i] = page(urls[i], urls[i], "allow");
    }
    assert_ok(toad__store_contents_put(f->store, items, 40, ids));
    for (int i = 0; i < 40; i++) {
        assert_ok(toad__store_content_find(f->store, S(ids[i]), found));
        assert_string_equal(found, ids[i]);
        assert_ok(toad__store_content_find(f->store, S(ids[i] + 6), found));
        assert_string_equal(found, ids[i]);
    }
    static const char *const none[] = { "",    "fetch_",    "fetch_%%%%", "____",
                                        "abc", "fetch_abc", "fetch_zzzz", "FETCH_0123" };
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        assert_int_equal(toad__store_content_find(f->store, S(none[i]), found), TOAD_E_NOT_FOUND);
}

/* ---- sources, settings ---- */

static void trust_follows_the_formula(void **state) {
    (void)state;
    static const struct {
        int64_t blocked, warned;
        double score;
    } rows[] = {
        { 0, 0, 1.0 }, { 0, 3, 0.7 },  { 1, 0, 0.5 },
        { 1, 1, 0.4 }, { 0, 10, 0.0 }, { 0, 11, 0.0 },
        { 3, 5, 0.0 }, { 1, 5, 0.0 },  { INT64_MAX, INT64_MAX, 0.0 },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_true(toad__source_trust(rows[i].blocked, rows[i].warned) == rows[i].score);
}

static toad__source source(fixture *f, const char *kind, const char *name) {
    toad__source s = { 0 };
    assert_ok(toad__store_source_get(f->store, S(kind), S(name), &f->arena, &s));
    return s;
}

static bool count_sources(void *ctx, const toad__source *s) {
    (void)s;
    ++*(int *)ctx;
    return true;
}

static void sources_are_counted(void **state) {
    fixture *f = *state;
    char id[24];
    int n = 0;
    toad__content got;
    for (int i = 0; i < 15; i++) {
        char body[32];
        snprintf(body, sizeof body, "body %d", i);
        put(f, "https://example.com/tutorial", body, i < 3 ? "warn" : "allow", id);
    }
    toad__source s = source(f, "url", "https://example.com/tutorial");
    assert_true(s.scan_count == 15 && s.warned_count == 3 && s.blocked_count == 0 && s.trust == 0.7);
    assert_string_equal(s.reputation, "unknown"); /* a warned page is not what makes a source trusted */
    put(f, "https://example.com/bad", "x", "block", id);
    s = source(f, "domain", "example.com");
    assert_true(s.scan_count == 16 && s.blocked_count == 1 && s.trust < 0.21 && s.trust > 0.19);
    assert_string_equal(s.reputation, "suspicious");
    f->clock += SECOND;
    assert_ok(toad__store_content_read(f->store, S(id), TOAD__READER_USER, S(""), &f->arena, &got));
    assert_int_equal(source(f, "domain", "example.com").last_accessed, f->clock);
    assert_int_equal(source(f, "url", "https://example.com/bad").last_accessed, f->clock);
    assert_int_equal(toad__store_source_get(f->store, S("domain"), S("examp1e.com"), &f->arena, &s), TOAD_E_NOT_FOUND);
    assert_ok(toad__store_sources(f->store, &(toad__source_filter){ .domain = S("example.com") }, count_sources, &n));
    assert_int_equal(n, 3);
}

static void set(fixture *f, const char *kind, const char *pattern, const char *setting) {
    toad__setting s = { .kind = S(kind), .pattern = S(pattern), .setting = S(setting), .note = S("why not") };
    assert_ok(toad__store_setting_put(f->store, &s));
}

static void assert_setting(fixture *f, const char *url, const char *domain, const char *want) {
    toad_str got = { 0 };
    assert_ok(toad__store_setting_for(f->store, S(url), S(domain), &f->arena, &got));
    assert_str(got, want);
}

static bool count_settings(void *ctx, const toad__setting *s) {
    (void)s;
    ++*(int *)ctx;
    return true;
}

static void the_users_setting_wins(void **state) {
    fixture *f = *state;
    char id[24];
    int n = 0;
    put(f, "https://example.com/a", "x", "block", id);
    assert_setting(f, "https://example.com/a", "example.com", "");
    set(f, "domain", "example.com", "trusted");
    assert_string_equal(source(f, "domain", "example.com").reputation, "trusted");
    assert_setting(f, "https://example.com/a", "example.com", "trusted");
    assert_setting(f, "https://examp1e.com/a", "examp1e.com", "");
    set(f, "pattern", "https://example.com/*", "auto_confirm");
    set(f, "pattern", "https://*/docs/*.html", "blocked"); /* as long as the other: the blocking one holds */
    assert_setting(f, "https://example.com/docs/a.html", "example.com", "blocked");
    assert_setting(f, "https://example.com/docs/a.txt", "example.com", "auto_confirm");
    assert_setting(f, "https://other.org/docs/x/a.html", "other.org", "blocked");
    assert_setting(f, "https://other.org/docs/x/a.htm", "other.org", "");
    set(f, "url", "https://example.com/a", "blocked");
    assert_setting(f, "https://example.com/a", "example.com", "blocked");
    set(f, "url", "https://example.com/a", "default");
    assert_setting(f, "https://example.com/a", "example.com", "auto_confirm");
    toad__setting bad = { .kind = S("domain"), .pattern = S("a"), .setting = S("loved") };
    assert_int_equal(toad__store_setting_put(f->store, &bad), TOAD_E_ARG);
    assert_ok(toad__store_settings(f->store, count_settings, &n));
    assert_int_equal(n, 3);
    assert_string_equal(place_ask(&f->place, "SELECT count(*) FROM events WHERE type = 'setting_change'"), "5");
    assert_chain(f);
}

/* ---- sessions, learnings ---- */

typedef struct refs {
    int n, acted, accessed;
    toad__confirmed last;
} refs;

static bool see_ref(void *ctx, const toad__session_ref *r) {
    refs *s = ctx;
    s->n++;
    s->acted += r->was_acted_on;
    s->accessed += r->accessed_at > 0;
    if (r->was_acted_on)
        s->last = r->user_confirmed;
    else
        assert_int_equal(r->user_confirmed, TOAD__UNANSWERED);
    return true;
}

static void sessions_are_rehydrated(void **state) {
    fixture *f = *state;
    char a[24], b[24];
    toad__content got;
    toad__session session;
    refs seen_refs = { 0 };
    assert_ok(toad__store_session_touch(f->store,
                                        &(toad__session){ .id = S("s1"), .agent = S("claude"), .details = S("{}") }));
    put(f, "https://example.com/article", "one", "allow", a);
    put(f, "https://tutorial-site.com/guide", "two", "warn", b);
    assert_ok(toad__store_content_read(f->store, S(b), TOAD__READER_MODEL, S("s1"), &f->arena, &got));
    assert_ok(toad__store_session_acted(f->store, S("s1"), S(b), TOAD__YES));
    assert_int_equal(toad__store_session_acted(f->store, S("s1"), S("fetch_none"), TOAD__YES), TOAD_E_NOT_FOUND);
    f->clock += SECOND;
    assert_ok(toad__store_session_touch(f->store, &(toad__session){ .id = S("s1") }));
    toad__store_close(f->store);
    f->store = open_again(f);
    assert_ok(toad__store_session_refs(f->store, S("s1"), see_ref, &seen_refs));
    assert_true(seen_refs.n == 2 && seen_refs.acted == 1 && seen_refs.accessed == 1 && seen_refs.last == TOAD__YES);
    assert_ok(toad__store_session_get(f->store, S("s1"), &f->arena, &session));
    assert_str(session.agent, "claude");
    assert_int_equal(session.last_at, session.started_at + SECOND);
    assert_int_equal(toad__store_session_get(f->store, S("s2"), &f->arena, &session), TOAD_E_NOT_FOUND);
    assert_chain(f);
}

static void a_session_saw_what_is_no_content(void **state) {
    fixture *f = *state;
    refs seen_refs = { 0 };
    const toad__session_ref saw[] = {
        { .content_id = S("memory:m1"), .url = S("https://example.com/"), .scan_result = S("allow") },
        { .content_id = S("memory:m2"), .url = S("memory:m2"), .scan_result = S("allow") }
    };
    assert_ok(toad__store_session_saw(f->store, S("s1"), saw, 2));
    assert_ok(toad__store_session_saw(f->store, S("s1"), saw, 1));
    assert_int_equal(toad__store_session_saw(f->store, S(""), saw, 1), TOAD_E_ARG);
    assert_ok(toad__store_session_refs(f->store, S("s1"), see_ref, &seen_refs));
    assert_true(seen_refs.n == 2 && seen_refs.accessed == 2 && !seen_refs.acted);
    assert_chain(f);
}

typedef struct heard {
    size_t n;
    char text[8][64];
} heard;

static bool hear(void *ctx, const toad__turn *t) {
    heard *h = ctx;
    assert_true(h->n < 8 && t->at > 0);
    snprintf(h->text[h->n++], 64, "%.*s/%.*s/%.*s", (int)t->tool.n, t->tool.n ? t->tool.p : "", (int)t->text.n,
             t->text.n ? t->text.p : "", (int)t->content_id.n, t->content_id.n ? t->content_id.p : "");
    return h->n < 8;
}

static void turns_are_kept_in_order_and_for_a_day(void **state) {
    fixture *f = *state;
    heard h = { 0 };
    const toad__turn said = { .text = S("read it") }, read = { S("Read"), S("{}"), S("fetch_1"), 0 };
    assert_int_equal(toad__store_turn_add(f->store, S(""), &said), TOAD_E_ARG);
    assert_ok(toad__store_turn_add(f->store, S("s1"), &said));
    assert_ok(toad__store_turn_add(f->store, S("s1"), &read));
    assert_ok(toad__store_turn_add(f->store, S("s2"), &said));
    assert_ok(toad__store_turns(f->store, S("s1"), 0, hear, &h));
    assert_int_equal(h.n, 2);
    assert_string_equal(h.text[0], "Read/{}/fetch_1");
    assert_string_equal(h.text[1], "/read it/");
    h.n = 0;
    assert_ok(toad__store_turns(f->store, S("s1"), 1, hear, &h));
    assert_int_equal(h.n, 1);
    f->clock += TOAD__TURNS_KEPT + SECOND;
    assert_ok(toad__store_turn_add(f->store, S("s2"), &said));
    h.n = 0;
    assert_ok(toad__store_turns(f->store, S("s1"), 0, hear, &h));
    assert_int_equal(h.n, 0);
}

static void a_session_has_other_names(void **state) {
    fixture *f = *state;
    toad_str got;
    assert_int_equal(toad__store_alias_put(f->store, S(""), S("s1")), TOAD_E_ARG);
    assert_int_equal(toad__store_alias_get(f->store, S("claude_1"), &f->arena, &got), TOAD_E_NOT_FOUND);
    assert_ok(toad__store_alias_put(f->store, S("claude_1"), S("s1")));
    assert_ok(toad__store_alias_put(f->store, S("12.345"), S("s1")));
    assert_ok(toad__store_alias_put(f->store, S("12.345"), S("s2"))); /* the latest counts */
    assert_ok(toad__store_alias_get(f->store, S("claude_1"), &f->arena, &got));
    assert_true(toad__str_eq(got, S("s1")));
    assert_ok(toad__store_alias_get(f->store, S("12.345"), &f->arena, &got));
    assert_true(toad__str_eq(got, S("s2")));
    f->clock += TOAD__ALIAS_KEPT + SECOND;
    assert_ok(toad__store_alias_put(f->store, S("x"), S("s3")));
    assert_int_equal(toad__store_alias_get(f->store, S("claude_1"), &f->arena, &got), TOAD_E_NOT_FOUND);
}

static void a_snapshot_stays(void **state) {
    fixture *f = *state;
    const toad__snapshot one = { .text = S("# Memory one"), .entries = 3, .external = 1, .blocked = 2 },
                         two = { .text = S("# Memory two") };
    toad__snapshot got;
    toad_str shape = S("a");
    assert_int_equal(toad__store_snapshot_get(f->store, S("s1"), shape, &f->arena, &got), TOAD_E_NOT_FOUND);
    assert_ok(toad__store_snapshot_put(f->store, S("s1"), shape, &one, S("")));
    assert_ok(toad__store_snapshot_put(f->store, S("s1"), shape, &two, S(""))); /* the first wins */
    assert_ok(toad__store_snapshot_get(f->store, S("s1"), shape, &f->arena, &got));
    assert_str(got.text, "# Memory one");
    assert_true(got.intact && got.entries == 3 && got.external == 1 && got.blocked == 2);
    assert_int_equal(toad__store_snapshot_get(f->store, S("s2"), shape, &f->arena, &got), TOAD_E_NOT_FOUND);
    assert_int_equal(toad__store_snapshot_get(f->store, S("s1"), S("b"), &f->arena, &got), TOAD_E_NOT_FOUND);
    toad__store_close(f->store);
    f->store = open_again(f);
    assert_ok(toad__store_snapshot_put(f->store, S("s1"), shape, &two, S("# Memory one"))); /* instead of this one */
    assert_ok(toad__store_snapshot_get(f->store, S("s1"), shape, &f->arena, &got));
    assert_str(got.text, "# Memory two");
    assert_true(got.intact);
    f->clock += 31 * 24 * 3600 * SECOND; /* longer than any session */
    assert_ok(toad__store_snapshot_put(f->store, S("s3"), shape, &one, S("")));
    assert_int_equal(toad__store_snapshot_get(f->store, S("s1"), shape, &f->arena, &got), TOAD_E_NOT_FOUND);
    assert_chain(f);
}

static bool see_learning(void *ctx, const toad__learning *l) {
    *(int64_t *)ctx = l->reappeared_count;
    assert_true(l->relevance == 0.95);
    return true;
}

static void learnings_are_counted(void **state) {
    fixture *f = *state;
    char id[24], again[24], other[24];
    int64_t count = -1;
    toad__learning l = { .category = S("security"),
                         .content = S("Blocked prompt injection from example.com"),
                         .source = S("injection_detector"),
                         .pattern_type = S("ignore_previous_instructions"),
                         .domain = S("example.com"),
                         .url = S("https://example.com/malicious"),
                         .relevance = 0.95 };
    assert_ok(toad__store_learning_note(f->store, &l, id));
    assert_ok(toad__store_learnings(f->store, S("example.com"), 0, see_learning, &count));
    assert_int_equal(count, 0);
    assert_ok(toad__store_learning_note(f->store, &l, again));
    assert_string_equal(id, again);
    assert_ok(toad__store_learnings(f->store, S(""), 0, see_learning, &count));
    assert_int_equal(count, 1);
    l.domain = S("other.org");
    assert_ok(toad__store_learning_note(f->store, &l, other));
    assert_string_not_equal(id, other);
    assert_chain(f);
}

static const struct CMUnitTest tests[] = {
    T(contents_come_back),
    T(the_same_is_kept_once),
    T(stats_count),
    T(long_bodies_are_cut_and_marked),
    T(exceptions_hold_where_and_as_long_as_they_say),
    T(a_token_is_kept_as_its_digest_and_taken_back),
    T(a_content_is_found_by_how_its_id_begins),
    T(the_standard_limit_is_half_a_million),
    T(contents_perish),
    T(blocked_content_waits_for_the_user),
    T(a_changed_body_is_noticed),
    T(a_batch_is_all_or_nothing),
    T(large_batches_and_lists),
    T(memories_live),
    T(memory_batches_are_all_or_nothing),
    T(provenance_cannot_be_raised),
    T(another_revision_is_refused),
    T(rows_from_foreign_hands),
    T(lists_are_stable),
    T(search_ranks),
    cmocka_unit_test(trust_follows_the_formula),
    T(sources_are_counted),
    T(the_users_setting_wins),
    T(sessions_are_rehydrated),
    T(a_session_saw_what_is_no_content),
    T(turns_are_kept_in_order_and_for_a_day),
    T(a_session_has_other_names),
    T(a_snapshot_stays),
    T(learnings_are_counted),
};

RUN_ON_BOTH(tests)
