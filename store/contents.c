/* contents.c - untrusted bodies under ids, once each, packed and perishable.
 *
 * A body is cut at the limit, marked, hashed and packed before it is put; equal bodies are one row in `bodies`. The id
 * is derived from the store's secret salt, the URL and the digest: putting the same again needs no look-up and renews
 * the row, and nobody outside can guess an id. A release is bound to the digest: other content has another id and none.
 * Cost: one SHA-256 and one zstd pass a body, which is about what the database costs. So a few threads make a large
 * batch ready, a little ahead of this one, which puts it. */
#include "lib/base/json.h"
#include "lib/base/utf8.h"
#include "store/internal.h"
#include "sys/digest.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <zstd.h>

#define LEVEL    1
#define SMALL    128 /* not worth packing */
#define BODY_MAX (64u << 20)
#define THREADS  3  /* beside the one that puts */
#define SHARE    32 /* contents that are worth a thread */
#define AT_ONCE  8

#define PATTERNS_MAX 16 /* rules that an event names */
#define DETAILS_MAX  8192

typedef struct ready {
    char id[24], digest[65];
    toad_str packed; /* owned unless it is a slice of the body */
    char *cut, *zip;
    size_t size;
    bool truncated, is_packed;
    toad_status status;
    bool done; /* under the workshop's lock; then the rest may be read */
} ready;

/* Offset after `limit` characters; an ill-formed byte counts as one. */
static size_t cut_at(toad_str s, uint64_t limit) {
    if (s.n <= limit) return s.n;
    size_t at = toad__ascii_prefix(s);
    if (at >= limit) return (size_t)limit;
    uint64_t count = at;
    for (unsigned len; at < s.n && count < limit; at += len, count++) toad__utf8_decode(s, at, &len);
    return at;
}

static bool mark_cut(ready *r, toad_str *body, size_t at) {
    toad_str mark = TOAD__S(TOAD__STORE_TRUNCATED);
    r->cut = malloc(at + mark.n);
    if (!r->cut) return false;
    memcpy(r->cut, body->p, at);
    memcpy(r->cut + at, mark.p, mark.n);
    *body = (toad_str){ r->cut, at + mark.n };
    return true;
}

static bool pack(ready *r, ZSTD_CCtx *zip, toad_str body) {
    r->packed = body;
    if (body.n < SMALL) return true;
    size_t room = ZSTD_compressBound(body.n);
    r->zip = malloc(room);
    if (!r->zip) return false;
    size_t n = ZSTD_compressCCtx(zip, r->zip, room, body.p, body.n, LEVEL);
    if (ZSTD_isError(n) || n >= body.n) return true;
    r->packed = (toad_str){ r->zip, n };
    r->is_packed = true;
    return true;
}

static toad_status make_ready(toad__store *store, ZSTD_CCtx *zip, const toad__content *c, ready *r) {
    toad_str body = c->body;
    char hex[65];
    size_t at = cut_at(body, toad__store_settings_of(store)->content_characters);
    r->truncated = at < body.n;
    if (r->truncated && !mark_cut(r, &body, at)) return TOAD_E_NOMEM;
    r->size = body.n;
    if (!pack(r, zip, body)) return TOAD_E_NOMEM;
    toad__sha256_of(body, r->digest);
    const toad_str of[] = { toad__store_salt(store), c->url, TOAD__S("\n"), toad__str_z(r->digest) };
    toad__sha256_hex(of, 4, hex);
    memcpy(r->id, "fetch_", 6);
    memcpy(r->id + 6, hex, 12);
    return TOAD_OK;
}

/* What is allowed with a finding is not clean. */
static const char *event_word(const toad__content *c) {
    if (!toad__str_eq(c->action, TOAD__S("allow"))) return "injection_detected";
    return c->pattern_matched.n ? "finding" : "clean";
}

static bool is_among(const toad_str *list, size_t n, toad_str s) {
    for (size_t i = 0; i < n; i++)
        if (toad__str_eq(list[i], s)) return true;
    return false;
}

/* For the log: how long it was, and by which rules something was found, each once and the first ones. */
static void add_details(toad__tx *tx, const toad__content *c, toad__buf *out) {
    toad_str names[PATTERNS_MAX];
    const toad__json *findings = NULL;
    const char *expected;
    size_t at, n = 0;
    toad__buf_add_z(out, "{\"content_length\":");
    toad__buf_add_u64(out, c->body.n);
    toad__buf_add_z(out, ",\"patterns\":[");
    if (c->findings.n && toad__json_parse(c->findings, &tx->arena, &findings, &at, &expected)) findings = NULL;
    for (const toad__json *f = findings ? findings->child : NULL; f && n < PATTERNS_MAX; f = f->next) {
        toad_str rule = toad__json_get_text(f, "rule");
        if (!rule.n || is_among(names, n, rule)) continue;
        if (n) toad__buf_add_c(out, ',');
        toad__json_add_str(out, rule);
        names[n++] = rule;
    }
    toad__buf_add_z(out, "]}");
}

static void count_source(toad__tx *tx, const char *kind, toad_str name, const toad__content *c) {
    if (!name.n) return;
    bool blocked = toad__str_eq(c->action, TOAD__S("block"));
    bool warned = !blocked && !toad__str_eq(c->action, TOAD__S("allow"));
    toad__tx_queue(tx, TOAD__SQL_SOURCE_SCANNED,
                   TOAD__ARGS(toad__text_z(kind), toad__text(name), toad__text(c->domain), toad__int(blocked),
                              toad__int(warned), toad__int(tx->now)));
}

static void put_row(toad__tx *tx, const toad__content *c, const ready *r) {
    toad__tx_queue(tx, TOAD__SQL_BODY_ADD,
                   TOAD__ARGS(toad__text_z(r->digest), toad__int((int64_t)r->size), toad__int(r->is_packed),
                              toad__bytes(r->packed)));
    toad__tx_queue(tx, TOAD__SQL_CONTENT_PUT,
                   TOAD__ARGS(toad__text_z(r->id), toad__text(c->url), toad__text(c->domain), toad__text(c->kind),
                              toad__text(c->title), toad__text(c->session_id), toad__text_z(r->digest),
                              toad__int((int64_t)c->body.n), toad__int(r->truncated), toad__text(c->action),
                              toad__text(c->severity), toad__text(c->completeness), toad__text(c->confidence),
                              toad__text(c->pattern_matched), toad__text(c->findings), toad__int(tx->now),
                              toad__int(toad__expiry(tx))));
}

static void put_one(toad__tx *tx, const toad__content *c, const ready *r) {
    put_row(tx, c, r);
    if (c->page) toad__put_page(tx, c->page, r->id);
    count_source(tx, "url", c->url, c);
    count_source(tx, "domain", c->domain, c);
    if (c->session_id.n)
        toad__tx_queue(tx, TOAD__SQL_SESSION_SAW,
                       TOAD__ARGS(toad__text(c->session_id), toad__text_z(r->id), toad__text(c->url),
                                  toad__text(c->action), toad__int(0)));
    toad__buf details;
    toad__buf_init(&details, DETAILS_MAX);
    add_details(tx, c, &details);
    if (details.status) toad__tx_fail(tx, details.status, "%s", toad_status_message(details.status));
    toad__tx_event(tx, &(toad__event){ .type = TOAD__S("security_scan"),
                                       .direction = TOAD__S("inbound"),
                                       .channel = TOAD__S("internal"),
                                       .content = toad__str_z(event_word(c)),
                                       .url = c->url,
                                       .pattern_matched = c->pattern_matched,
                                       .confidence = c->confidence,
                                       .action = c->action,
                                       .content_id = toad__str_z(r->id),
                                       .session_id = c->session_id,
                                       .details = details.n ? toad__buf_str(&details) : TOAD__S("") });
    toad__buf_free(&details);
    for (size_t i = 0; i < c->learnings_n; i++) {
        char id[24];
        toad__tx_learning(tx, &c->learnings[i], id);
    }
}

static void free_ready(ready *items, size_t n) {
    for (size_t i = 0; items && i < n; i++) {
        free(items[i].cut);
        free(items[i].zip);
    }
    free(items);
}

/* A batch in the making: its items are taken in order, a few at a time, by whoever is free. */
typedef struct workshop {
    toad__store *store;
    const toad__content *contents;
    ready *items;
    size_t n;
    pthread_mutex_t lock;
    pthread_cond_t progress;
    size_t taken; /* under `lock` */
    bool stop;    /* under `lock`: nobody wants the rest */
} workshop;

/* Hand in the items [*from, *to) and take the next ones; false when there are none. */
static bool next_items(workshop *w, size_t *from, size_t *to) {
    pthread_mutex_lock(&w->lock);
    for (size_t i = *from; i < *to; i++) w->items[i].done = true;
    if (*from < *to) pthread_cond_signal(&w->progress);
    *from = w->taken;
    *to = w->stop ? *from : w->n - w->taken < AT_ONCE ? w->n : w->taken + AT_ONCE;
    w->taken = *to;
    pthread_mutex_unlock(&w->lock);
    return *from < *to;
}

static void *work(void *ctx) {
    workshop *w = ctx;
    ZSTD_CCtx *zip = ZSTD_createCCtx();
    for (size_t from = 0, to = 0; next_items(w, &from, &to);)
        for (size_t i = from; i < to; i++)
            w->items[i].status = zip ? make_ready(w->store, zip, &w->contents[i], &w->items[i]) : TOAD_E_NOMEM;
    ZSTD_freeCCtx(zip);
    return NULL;
}

static void wait_for(workshop *w, size_t at) {
    pthread_mutex_lock(&w->lock);
    while (!w->items[at].done) pthread_cond_wait(&w->progress, &w->lock);
    pthread_mutex_unlock(&w->lock);
}

static toad_status put_all(workshop *w) {
    toad__tx tx;
    toad__tx_begin(w->store, &tx);
    for (size_t i = 0; i < w->n && !tx.status; i++) {
        if (i % AT_ONCE == 0) wait_for(w, i); /* with it are done those taken with it */
        if (w->items[i].status)
            toad__tx_fail(&tx, w->items[i].status, "%s", toad_status_message(w->items[i].status));
        else
            put_one(&tx, &w->contents[i], &w->items[i]);
    }
    return toad__tx_end(&tx);
}

static void finish(workshop *w, const pthread_t *threads, size_t started) {
    pthread_mutex_lock(&w->lock);
    w->stop = true;
    pthread_mutex_unlock(&w->lock);
    for (size_t i = 0; i < started; i++) pthread_join(threads[i], NULL);
}

toad_status toad__store_contents_put(toad__store *store, const toad__content *contents, size_t n, char (*ret_ids)[24]) {
    pthread_t threads[THREADS];
    size_t started = 0;
    workshop w = { .store = store, .contents = contents, .items = calloc(n ? n : 1, sizeof(ready)), .n = n };
    if (!w.items) return toad__store_fail(TOAD_E_NOMEM, "%s", toad_status_message(TOAD_E_NOMEM));
    pthread_mutex_init(&w.lock, NULL);
    pthread_cond_init(&w.progress, NULL);
    while (started < THREADS && started < n / SHARE && !pthread_create(&threads[started], NULL, work, &w)) started++;
    if (!started) work(&w);
    toad_status status = put_all(&w);
    finish(&w, threads, started);
    for (size_t i = 0; !status && i < n; i++) memcpy(ret_ids[i], w.items[i].id, sizeof ret_ids[i]);
    free_ready(w.items, n);
    pthread_cond_destroy(&w.progress);
    pthread_mutex_destroy(&w.lock);
    return status;
}

/* ---- reading ---- */

/* Returns the digest a release was given for. */
static toad_str read_columns(toad__columns *c, toad__content *r) {
    *r = (toad__content){ 0 };
    toad__str_copy_to(r->id, sizeof r->id, toad__next_text(c));
    r->url = toad__next_text(c);
    r->domain = toad__next_text(c);
    r->kind = toad__next_text(c);
    r->title = toad__next_text(c);
    r->session_id = toad__next_text(c);
    toad__str_copy_to(r->digest, sizeof r->digest, toad__next_text(c));
    r->size = (uint64_t)toad__next_int(c);
    r->truncated = toad__next_int(c) != 0;
    r->action = toad__next_text(c);
    r->severity = toad__next_text(c);
    r->completeness = toad__next_text(c);
    r->confidence = toad__next_text(c);
    r->pattern_matched = toad__next_text(c);
    r->findings = toad__next_text(c);
    r->stored_at = toad__next_int(c);
    r->expires_at = toad__next_int(c);
    r->accessed_at = toad__next_int(c);
    r->access_count = (uint64_t)toad__next_int(c);
    r->released_at = toad__next_int(c);
    return toad__next_text(c);
}

/* A release of other bytes is none. */
static void honor_release(toad__content *r, toad_str digest) {
    if (!toad__str_eq(digest, toad__str_z(r->digest))) r->released_at = 0;
}

typedef struct fetch {
    toad__arena *arena;
    toad__content content;
    bool found, with_body;
    toad_status status;
} fetch;

/* The body as it was put: the row says how long it is, and a row that lies gives a body that is not intact. */
static bool unpack(fetch *f, toad__columns *c) {
    int64_t size = toad__next_int(c);
    bool packed = toad__next_int(c) != 0;
    toad_str bytes = toad__next_text(c);
    char digest[65];
    if (packed && size >= 0 && size <= BODY_MAX) {
        char *p = toad__arena_alloc(f->arena, (size_t)size + 1);
        if (!p) return false;
        size_t n = ZSTD_decompress(p, (size_t)size, bytes.p, bytes.n);
        f->content.body = (toad_str){ p, ZSTD_isError(n) ? 0 : n };
    } else {
        f->content.body = bytes;
        if (!toad__keep(f->arena, &f->content.body)) return false;
    }
    toad__sha256_of(f->content.body, digest);
    f->content.intact = !strcmp(digest, f->content.digest);
    return true;
}

static bool take_content(void *ctx, const toad__value *row, size_t n) {
    (void)n;
    fetch *f = ctx;
    toad__columns c = { row };
    toad__content *r = &f->content;
    toad_str released = read_columns(&c, r);
    honor_release(r, released);
    toad_str *const texts[] = { &r->url,        &r->domain,          &r->kind,     &r->title,
                                &r->session_id, &r->action,          &r->severity, &r->completeness,
                                &r->confidence, &r->pattern_matched, &r->findings };
    bool ok = true;
    for (size_t i = 0; ok && i < sizeof texts / sizeof *texts; i++) ok = toad__keep(f->arena, texts[i]);
    if (ok && f->with_body) ok = unpack(f, &c);
    if (!ok) f->status = toad__store_fail(TOAD_E_NOMEM, "%s", toad_status_message(TOAD_E_NOMEM));
    f->found = true;
    return false;
}

static toad_status not_found(toad_str id) {
    return toad__store_fail(TOAD_E_NOT_FOUND, "Content not found for ID: %.*s. It may have expired or never existed.",
                            (int)(id.n < 64 ? id.n : 64), id.n ? id.p : "");
}

toad_status toad__store_content_get(toad__store *store, toad_str id, bool with_body, toad__arena *arena,
                                    toad__content *ret) {
    fetch f = { .arena = arena, .with_body = with_body };
    toad_status status =
        toad__store_read(store, with_body ? TOAD__SQL_CONTENT_BODY : TOAD__SQL_CONTENT,
                         TOAD__ARGS(toad__text(id), toad__int(toad__store_now(store))), take_content, &f);
    if (!status) status = f.status;
    if (!status && !f.found) status = not_found(id);
    if (!status) *ret = f.content;
    return status;
}

typedef struct alike {
    char id[24];
    size_t n;
} alike;

static bool count_alike(void *ctx, const toad__value *row, size_t n) {
    (void)n;
    alike *a = ctx;
    toad__columns c = { row };
    toad_str id = toad__next_text(&c);
    snprintf(a->id, sizeof a->id, "%.*s", (int)(id.n < 23 ? id.n : 23), id.n ? id.p : "");
    return a->n++ < 1;
}

toad_status toad__store_content_find(toad__store *store, toad_str prefix, char ret[24]) {
    char from[24], to[32];
    alike a = { .n = 0 };
    bool bare = !toad__str_starts(prefix, TOAD__S("fetch_"));
    size_t digits = prefix.n - (bare ? 0 : sizeof "fetch_" - 1);
    for (size_t i = prefix.n - digits; i < prefix.n && digits <= prefix.n; i++)
        if (!toad__is_lower((unsigned char)prefix.p[i]) && !toad__is_digit((unsigned char)prefix.p[i])) digits = 0;
    if (digits < 4 || digits > 12) return not_found(prefix);
    snprintf(from, sizeof from, "%s%.*s", bare ? "fetch_" : "", (int)prefix.n, prefix.p);
    snprintf(to, sizeof to, "%sz", from);
    toad_status status = toad__store_read(
        store, TOAD__SQL_CONTENT_LIKE,
        TOAD__ARGS(toad__text_z(from), toad__text_z(to), toad__int(toad__store_now(store))), count_alike, &a);
    if (status) return status;
    if (!a.n) return not_found(prefix);
    if (a.n > 1)
        return toad__store_fail(TOAD_E_ARG, "more than one content begins with %s: write more of the id", from);
    memcpy(ret, a.id, sizeof a.id);
    return TOAD_OK;
}

/* Why a model may not read this, or NULL. */
static const char *withheld(const toad__content *c) {
    if (!c->intact) return "the stored body no longer fits its digest";
    if (toad__str_eq(c->action, TOAD__S("block")) && !c->released_at)
        return "this content is blocked until a user releases it";
    return NULL;
}

static void mark_accessed(toad__tx *tx, toad__content *c, toad__reader reader, toad_str session_id) {
    toad_str id = toad__str_z(c->id);
    c->accessed_at = tx->now;
    if (reader == TOAD__READER_MODEL) { /* what the user looked at, no model has */
        c->access_count++;
        toad__tx_queue(tx, TOAD__SQL_CONTENT_ACCESSED, TOAD__ARGS(toad__text(id), toad__int(tx->now)));
    }
    toad__tx_queue(tx, TOAD__SQL_SOURCE_ACCESSED,
                   TOAD__ARGS(toad__text_z("url"), toad__text(c->url), toad__int(tx->now)));
    if (c->domain.n)
        toad__tx_queue(tx, TOAD__SQL_SOURCE_ACCESSED,
                       TOAD__ARGS(toad__text_z("domain"), toad__text(c->domain), toad__int(tx->now)));
    if (session_id.n)
        toad__tx_queue(tx, TOAD__SQL_SESSION_SAW,
                       TOAD__ARGS(toad__text(session_id), toad__text(id), toad__text(c->url), toad__text(c->action),
                                  toad__int(tx->now)));
    toad__tx_event(tx, &(toad__event){ .type = TOAD__S("content_read"),
                                       .direction = TOAD__S("inbound"),
                                       .channel = TOAD__S("internal"),
                                       .content = toad__str_z(reader == TOAD__READER_MODEL ? "model" : "user"),
                                       .url = c->url,
                                       .action = c->action,
                                       .content_id = id,
                                       .session_id = session_id });
}

toad_status toad__store_content_read(toad__store *store, toad_str id, toad__reader reader, toad_str session_id,
                                     toad__arena *arena, toad__content *ret) {
    toad__tx tx;
    fetch f = { .arena = arena, .with_body = true };
    toad__tx_begin(store, &tx);
    toad__tx_run(&tx, TOAD__SQL_CONTENT_BODY, TOAD__ARGS(toad__text(id), toad__int(tx.now)), take_content, &f, NULL);
    if (!tx.status) tx.status = f.status;
    if (!tx.status && !f.found) tx.status = not_found(id);
    const char *why = !tx.status && reader == TOAD__READER_MODEL ? withheld(&f.content) : NULL;
    if (why) toad__tx_fail(&tx, TOAD_E_STATE, "%s", why);
    if (!tx.status) mark_accessed(&tx, &f.content, reader, session_id);
    toad_status status = toad__tx_end(&tx);
    if (!status) *ret = f.content;
    return status;
}

void toad__tx_release(toad__tx *tx, const toad__content *c) {
    toad_str id = toad__str_z(c->id);
    toad__tx_queue(tx, TOAD__SQL_CONTENT_RELEASE, TOAD__ARGS(toad__text(id), toad__int(tx->now)));
    toad__tx_event(tx, &(toad__event){ .type = TOAD__S("content_release"),
                                       .direction = TOAD__S("internal"),
                                       .channel = TOAD__S("user"),
                                       .content = toad__str_z(c->digest),
                                       .url = c->url,
                                       .action = c->action,
                                       .content_id = id });
}

toad_status toad__store_content_release(toad__store *store, toad_str id, toad_str digest) {
    toad__tx tx;
    toad__arena arena;
    toad__arena_init(&arena, 2 * BODY_MAX);
    fetch f = { .arena = &arena, .with_body = true };
    toad__tx_begin(store, &tx);
    toad__tx_run(&tx, TOAD__SQL_CONTENT_BODY, TOAD__ARGS(toad__text(id), toad__int(tx.now)), take_content, &f, NULL);
    if (!tx.status) tx.status = f.status;
    if (!tx.status && !f.found) tx.status = not_found(id);
    if (!tx.status && (!f.content.intact || !toad__str_eq(digest, toad__str_z(f.content.digest))))
        toad__tx_fail(&tx, TOAD_E_STATE, "the content is not the one that was shown: look at it again");
    if (!tx.status) toad__tx_release(&tx, &f.content);
    toad_status status = toad__tx_end(&tx);
    toad__arena_free(&arena);
    return status;
}

/* ---- lists and removal ---- */

typedef struct hand_out {
    toad__content_fn fn;
    void *ctx;
} hand_out;

static bool give_content(void *ctx, const toad__value *row, size_t n) {
    (void)n;
    const hand_out *to = ctx;
    toad__content content;
    toad__columns c = { row };
    toad_str released = read_columns(&c, &content);
    honor_release(&content, released);
    return to->fn(to->ctx, &content);
}

toad_status toad__store_contents(toad__store *store, const toad__content_filter *filter, toad__content_fn fn,
                                 void *ctx) {
    hand_out to = { fn, ctx };
    int64_t after = filter->expired_too ? -1 : toad__store_now(store);
    return toad__store_read(store, TOAD__SQL_CONTENTS,
                            TOAD__ARGS(toad__int(after), toad__text(filter->url), toad__text(filter->domain),
                                       toad__text(filter->action), toad__limit(filter->limit, 1000)),
                            give_content, &to);
}

toad_status toad__store_content_delete(toad__store *store, toad_str id) {
    toad__tx tx;
    toad__arena arena;
    toad__arena_init(&arena, 8u << 20);
    fetch f = { .arena = &arena };
    toad__tx_begin(store, &tx);
    toad__tx_run(&tx, TOAD__SQL_CONTENT, TOAD__ARGS(toad__text(id), toad__int(-1)), take_content, &f, NULL);
    if (!tx.status && !f.found) tx.status = not_found(id);
    toad__tx_queue(&tx, TOAD__SQL_CONTENT_DELETE, TOAD__ARGS(toad__text(id)));
    toad__tx_queue(&tx, TOAD__SQL_BODY_DROP, TOAD__ARGS(toad__text_z(f.content.digest)));
    toad__tx_event(&tx, &(toad__event){ .type = TOAD__S("content_delete"),
                                        .direction = TOAD__S("internal"),
                                        .channel = TOAD__S("user"),
                                        .content = TOAD__S("deleted"),
                                        .url = f.content.url,
                                        .content_id = id });
    toad_status status = toad__tx_end(&tx);
    toad__arena_free(&arena);
    return status;
}

toad_status toad__store_contents_purge(toad__store *store, uint64_t *ret_removed) {
    toad__tx tx;
    uint64_t removed = 0;
    char details[48];
    toad__tx_begin(store, &tx);
    toad__tx_run(&tx, TOAD__SQL_CONTENTS_EXPIRED, TOAD__ARGS(toad__int(tx.now)), NULL, NULL, &removed);
    toad__forget_sites(&tx);
    if (!tx.status && removed) {
        toad__tx_queue(&tx, TOAD__SQL_BODIES_ORPHANED, NULL, 0);
        toad__tx_queue(&tx, TOAD__SQL_PAGES_ORPHANED, NULL, 0);
        snprintf(details, sizeof details, "{\"removed\":%llu}", (unsigned long long)removed);
        toad__tx_event(&tx, &(toad__event){ .type = TOAD__S("content_purge"),
                                            .direction = TOAD__S("internal"),
                                            .channel = TOAD__S("internal"),
                                            .content = TOAD__S("expired"),
                                            .details = toad__str_z(details) });
    }
    toad_status status = toad__tx_end(&tx);
    if (!status) *ret_removed = removed;
    return status;
}
