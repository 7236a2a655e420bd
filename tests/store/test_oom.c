/* Every operation under a failing allocation, one after the other: TOAD_E_NOMEM, nothing leaked (run it under ASan),
 * nothing half done, and the store goes on. Built with -Wl,--wrap=malloc,calloc,realloc: only our own allocations fail.
 */
#include "tests/store/fixture.h"
#include "tests/support/fail_alloc.h"

static char body[2000];

static toad_status put(fixture *f) {
    char id[24];
    toad__content c = { .url = S("u"),
                        .domain = S("d"),
                        .kind = S("web"),
                        .session_id = S("s"),
                        .body = { body, sizeof body },
                        .action = S("warn"),
                        .severity = S("low"),
                        .completeness = S("full"),
                        .confidence = S("low"),
                        .findings = S("[]") };
    return toad__store_contents_put(f->store, &c, 1, &id);
}

/* Enough for threads. */
static toad_status put_many(fixture *f) {
    enum { MANY = 100 };
    toad__content items[MANY];
    char ids[MANY][24];
    for (size_t i = 0; i < MANY; i++)
        items[i] = (toad__content){ .url = S("v"),
                                    .kind = S("web"),
                                    .body = { body, sizeof body - i },
                                    .action = S("allow"),
                                    .severity = S("none"),
                                    .completeness = S("full"),
                                    .confidence = S("low"),
                                    .findings = S("[]") };
    return toad__store_contents_put(f->store, items, MANY, ids);
}

static toad_status visit_page(fixture *f) {
    char id[24];
    int64_t at;
    toad__stored_page page = { .url = S("https://p.com/"), .final_url = S("https://p.com/q"), .facts = S("{}") }, got;
    toad__stored_site site = { .site = S("https://p.com:443"), .robots = S("x"), .until = INT64_MAX }, known;
    toad__content c = { .url = S("https://p.com/q"), .kind = S("web"), .body = { body, sizeof body }, .page = &page };
    toad_status status = toad__store_contents_put(f->store, &c, 1, &id);
    if (!status) status = toad__store_page_get(f->store, page.url, &f->arena, &got);
    if (!status) status = toad__store_page_again(f->store, &got, true, &c, S("s"));
    if (!status) status = toad__store_site_put(f->store, &site);
    if (!status) status = toad__store_site_get(f->store, site.site, &f->arena, &known);
    if (!status) status = toad__store_visit(f->store, S("p.com"), SECOND, INT64_MAX, &at);
    return status ? status : toad__store_page_drop(f->store, page.url);
}

static bool keep_id(void *ctx, const toad__content *c) {
    memcpy(ctx, c->id, sizeof c->id);
    return false;
}

static toad_status read_one(fixture *f) {
    char id[24] = "";
    toad__content got;
    toad_status status = toad__store_contents(f->store, &(toad__content_filter){ 0 }, keep_id, id);
    if (!status) status = toad__store_content_read(f->store, S(id), TOAD__READER_MODEL, S("s"), &f->arena, &got);
    return status ? status : toad__store_content_release(f->store, S(id), S(got.digest));
}

static toad_status remember(fixture *f) {
    toad_str parents[] = { S("one") };
    toad__memory_op ops[] = {
        { .act = TOAD__MEMORY_ADD, .content = S("two words"), .parents = parents, .parent_count = 1 },
        { .act = TOAD__MEMORY_UPDATE, .id = S("one"), .content = S("changed") }
    };
    return toad__store_memories_apply(f->store, ops, 2, NULL, NULL);
}

static bool any_memory(void *ctx, const toad__memory *m) {
    (void)ctx;
    (void)m;
    return true;
}

static toad_status find(fixture *f) {
    toad__memory m;
    toad_status status = toad__store_memories_search(f->store, S("two words"), false, 0, any_memory, NULL);
    return status ? status : toad__store_memory_get(f->store, S("one"), &f->arena, &m);
}

static toad_status confirm(fixture *f) {
    toad__confirmation c, got, q = { .session_id = S("s"), .tool = S("t"), .arguments = S("{}") };
    toad_status status = toad__store_confirmation_ask(f->store, &q, SECOND, &c);
    if (!status) status = toad__store_confirmation_get(f->store, S(c.id), &f->arena, &got);
    if (!status) status = toad__store_confirmation_answer(f->store, S(c.id), S(c.binding), true);
    return status ? status : toad__store_confirmation_use(f->store, &c);
}

static toad_status settle(fixture *f) {
    toad_str setting;
    toad__source source;
    toad__session session = { .id = S("s"), .agent = S("a") };
    toad__setting s = { .kind = S("domain"), .pattern = S("d"), .setting = S("trusted"), .note = S("n") };
    toad_status status = toad__store_setting_put(f->store, &s);
    if (!status) status = toad__store_setting_for(f->store, S("u"), S("d"), &f->arena, &setting);
    if (!status) status = toad__store_source_get(f->store, S("domain"), S("d"), &f->arena, &source);
    if (!status) status = toad__store_session_touch(f->store, &session);
    return status ? status : toad__store_session_get(f->store, S("s"), &f->arena, &session);
}

static toad_status look_back(fixture *f) {
    toad__audit_report r;
    toad__event e = { .type = S("t"), .details = S("{\"a\":[1,2,3]}") };
    toad_status status = toad__store_events_append(f->store, &e, 1);
    return status ? status : toad__store_audit_verify(f->store, NULL, &r);
}

static toad_status reopen(fixture *f) {
    toad__store *other;
    toad_status status = toad__store_open(&f->options, &other, NULL);
    if (!status) toad__store_close(other);
    return status;
}

static void every_failing_allocation(void **state) {
    fixture *f = *state;
    static toad_status (*const calls[])(fixture *) = { put,     put_many, read_one,  remember, find,
                                                       confirm, settle,   look_back, reopen,   visit_page };
    toad__memory_op op = { .act = TOAD__MEMORY_ADD, .id = S("one"), .content = S("the first") };
    for (size_t i = 0; i < sizeof body; i++) body[i] = (char)('a' + i % 17);
    toad__store_close(f->store);
    f->options.content_characters = 1000;
    f->store = open_again(f);
    assert_ok(toad__store_memories_apply(f->store, &op, 1, NULL, NULL));
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        toad_status status = TOAD_E_NOMEM;
        long n = 0;
        for (; status == TOAD_E_NOMEM && n < 1000; n++) {
            toad__arena_free(&f->arena);
            toad__arena_init(&f->arena, 64u << 20);
            countdown = n;
            status = calls[i](f);
            countdown = -1;
        }
        if (status) fail_msg("call %zu at allocation %ld: status %d, %s", i, n - 1, (int)status, toad__store_message());
        assert_true(n > 1);
    }
    assert_chain(f);
}

static const struct CMUnitTest tests[] = { T(every_failing_allocation) };

RUN_ON_BOTH(tests)
