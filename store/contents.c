/* contents.c - untrusted bodies under ids, once each, packed and perishable.
 *
 * A body is cut at the limit, marked, hashed and packed before it is put; equal bodies are one row in `bodies`. The id
 * is derived from the store's secret salt, the URL and the digest: putting the same again needs no look-up and renews
 * the row, and nobody outside can guess an id. A release is bound to the digest: other content has another id and none.
 * Cost: one SHA-256 and one zstd pass a body, which is about what the database costs. So a few threads make a large
 * batch ready, a little ahead of this one, which puts it. */
#include "lib/base/utf8.h"
#include "store/internal.h"

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

typedef struct ready {
    char id[24], digest[65];
    bzr_str packed; /* owned unless it is a slice of the body */
    char *cut, *zip;
    size_t size;
    bool truncated, is_packed;
    bzr_status status;
    bool done; /* under the workshop's lock; then the rest may be read */
} ready;

/* Offset after `limit` characters; an ill-formed byte counts as one. */
static size_t cut_at(bzr_str s, uint64_t limit) {
    if (s.n <= limit) return s.n;
    size_t at = bzr__ascii_prefix(s);
    if (at >= limit) return (size_t)limit;
    uint64_t count = at;
    for (unsigned len; at < s.n && count < limit; at += len, count++) bzr__utf8_decode(s, at, &len);
    return at;
}

static bool mark_cut(ready *r, bzr_str *body, size_t at) {
    bzr_str mark = BZR__S(BZR__STORE_TRUNCATED);
    r->cut = malloc(at + mark.n);
    if (!r->cut) return false;
    memcpy(r->cut, body->p, at);
    memcpy(r->cut + at, mark.p, mark.n);
    *body = (bzr_str){ r->cut, at + mark.n };
    return true;
}

static bool pack(ready *r, ZSTD_CCtx *zip, bzr_str body) {
    r->packed = body;
    if (body.n < SMALL) return true;
    size_t room = ZSTD_compressBound(body.n);
    r->zip = malloc(room);
    if (!r->zip) return false;
    size_t n = ZSTD_compressCCtx(zip, r->zip, room, body.p, body.n, LEVEL);
    if (ZSTD_isError(n) || n >= body.n) return true;
    r->packed = (bzr_str){ r->zip, n };
    r->is_packed = true;
    return true;
}

static bzr_status make_ready(bzr__store *store, ZSTD_CCtx *zip, const bzr__content *c, ready *r) {
    bzr_str body = c->body;
    char hex[65];
    size_t at = cut_at(body, bzr__store_settings_of(store)->content_characters);
    r->truncated = at < body.n;
    if (r->truncated && !mark_cut(r, &body, at)) return BZR_E_NOMEM;
    r->size = body.n;
    if (!pack(r, zip, body)) return BZR_E_NOMEM;
    bzr_status status = bzr__sha256(&body, 1, r->digest);
    const bzr_str of[] = { bzr__store_salt(store), c->url, BZR__S("\n"), bzr__str_z(r->digest) };
    if (!status) status = bzr__sha256(of, 4, hex);
    if (status) return status;
    memcpy(r->id, "fetch_", 6);
    memcpy(r->id + 6, hex, 12);
    return BZR_OK;
}

static const char *event_word(bzr_str action) {
    return bzr__str_eq(action, BZR__S("block")) || bzr__str_eq(action, BZR__S("warn")) ? "injection_detected" : "clean";
}

static void count_source(bzr__tx *tx, const char *kind, bzr_str name, const bzr__content *c) {
    if (!name.n) return;
    bool blocked = bzr__str_eq(c->action, BZR__S("block")), warned = bzr__str_eq(c->action, BZR__S("warn"));
    bzr__tx_queue(tx, BZR__SQL_SOURCE_SCANNED,
                  BZR__ARGS(bzr__text_z(kind), bzr__text(name), bzr__text(c->domain), bzr__int(blocked),
                            bzr__int(warned), bzr__int(tx->now)));
}

static void put_row(bzr__tx *tx, const bzr__content *c, const ready *r) {
    bzr__tx_queue(
        tx, BZR__SQL_BODY_ADD,
        BZR__ARGS(bzr__text_z(r->digest), bzr__int((int64_t)r->size), bzr__int(r->is_packed), bzr__bytes(r->packed)));
    bzr__tx_queue(tx, BZR__SQL_CONTENT_PUT,
                  BZR__ARGS(bzr__text_z(r->id), bzr__text(c->url), bzr__text(c->domain), bzr__text(c->kind),
                            bzr__text(c->title), bzr__text(c->session_id), bzr__text_z(r->digest),
                            bzr__int((int64_t)c->body.n), bzr__int(r->truncated), bzr__text(c->action),
                            bzr__text(c->severity), bzr__text(c->completeness), bzr__text(c->confidence),
                            bzr__text(c->pattern_matched), bzr__text(c->findings), bzr__int(tx->now),
                            bzr__int(bzr__expiry(tx))));
}

static void put_one(bzr__tx *tx, const bzr__content *c, const ready *r) {
    put_row(tx, c, r);
    if (c->page) bzr__put_page(tx, c->page, r->id);
    count_source(tx, "url", c->url, c);
    count_source(tx, "domain", c->domain, c);
    if (c->session_id.n)
        bzr__tx_queue(tx, BZR__SQL_SESSION_SAW,
                      BZR__ARGS(bzr__text(c->session_id), bzr__text_z(r->id), bzr__text(c->url), bzr__text(c->action),
                                bzr__int(0)));
    bzr__tx_event(tx, &(bzr__event){ .type = BZR__S("security_scan"),
                                     .direction = BZR__S("inbound"),
                                     .channel = BZR__S("internal"),
                                     .content = bzr__str_z(event_word(c->action)),
                                     .url = c->url,
                                     .pattern_matched = c->pattern_matched,
                                     .confidence = c->confidence,
                                     .action = c->action,
                                     .content_id = bzr__str_z(r->id),
                                     .session_id = c->session_id });
    for (size_t i = 0; i < c->learnings_n; i++) {
        char id[24];
        bzr__tx_learning(tx, &c->learnings[i], id);
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
    bzr__store *store;
    const bzr__content *contents;
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
            w->items[i].status = zip ? make_ready(w->store, zip, &w->contents[i], &w->items[i]) : BZR_E_NOMEM;
    ZSTD_freeCCtx(zip);
    return NULL;
}

static void wait_for(workshop *w, size_t at) {
    pthread_mutex_lock(&w->lock);
    while (!w->items[at].done) pthread_cond_wait(&w->progress, &w->lock);
    pthread_mutex_unlock(&w->lock);
}

static bzr_status put_all(workshop *w) {
    bzr__tx tx;
    bzr__tx_begin(w->store, &tx);
    for (size_t i = 0; i < w->n && !tx.status; i++) {
        if (i % AT_ONCE == 0) wait_for(w, i); /* with it are done those taken with it */
        if (w->items[i].status)
            bzr__tx_fail(&tx, w->items[i].status, "%s", bzr_status_message(w->items[i].status));
        else
            put_one(&tx, &w->contents[i], &w->items[i]);
    }
    return bzr__tx_end(&tx);
}

static void finish(workshop *w, const pthread_t *threads, size_t started) {
    pthread_mutex_lock(&w->lock);
    w->stop = true;
    pthread_mutex_unlock(&w->lock);
    for (size_t i = 0; i < started; i++) pthread_join(threads[i], NULL);
}

bzr_status bzr__store_contents_put(bzr__store *store, const bzr__content *contents, size_t n, char (*ret_ids)[24]) {
    pthread_t threads[THREADS];
    size_t started = 0;
    workshop w = { .store = store, .contents = contents, .items = calloc(n ? n : 1, sizeof(ready)), .n = n };
    if (!w.items) return bzr__store_fail(BZR_E_NOMEM, "%s", bzr_status_message(BZR_E_NOMEM));
    pthread_mutex_init(&w.lock, NULL);
    pthread_cond_init(&w.progress, NULL);
    while (started < THREADS && started < n / SHARE && !pthread_create(&threads[started], NULL, work, &w)) started++;
    if (!started) work(&w);
    bzr_status status = put_all(&w);
    finish(&w, threads, started);
    for (size_t i = 0; !status && i < n; i++) memcpy(ret_ids[i], w.items[i].id, sizeof ret_ids[i]);
    free_ready(w.items, n);
    pthread_cond_destroy(&w.progress);
    pthread_mutex_destroy(&w.lock);
    return status;
}

/* ---- reading ---- */

static void copy_z(char *to, size_t room, bzr_str s) {
    size_t n = s.n < room - 1 ? s.n : room - 1;
    if (n) memcpy(to, s.p, n);
    to[n] = 0;
}

/* Returns the digest a release was given for. */
static bzr_str read_columns(bzr__columns *c, bzr__content *r) {
    *r = (bzr__content){ 0 };
    copy_z(r->id, sizeof r->id, bzr__next_text(c));
    r->url = bzr__next_text(c);
    r->domain = bzr__next_text(c);
    r->kind = bzr__next_text(c);
    r->title = bzr__next_text(c);
    r->session_id = bzr__next_text(c);
    copy_z(r->digest, sizeof r->digest, bzr__next_text(c));
    r->size = (uint64_t)bzr__next_int(c);
    r->truncated = bzr__next_int(c) != 0;
    r->action = bzr__next_text(c);
    r->severity = bzr__next_text(c);
    r->completeness = bzr__next_text(c);
    r->confidence = bzr__next_text(c);
    r->pattern_matched = bzr__next_text(c);
    r->findings = bzr__next_text(c);
    r->stored_at = bzr__next_int(c);
    r->expires_at = bzr__next_int(c);
    r->accessed_at = bzr__next_int(c);
    r->access_count = (uint64_t)bzr__next_int(c);
    r->released_at = bzr__next_int(c);
    return bzr__next_text(c);
}

/* A release of other bytes is none. */
static void honor_release(bzr__content *r, bzr_str digest) {
    if (!bzr__str_eq(digest, bzr__str_z(r->digest))) r->released_at = 0;
}

typedef struct fetch {
    bzr__arena *arena;
    bzr__content content;
    bool found, with_body;
    bzr_status status;
} fetch;

/* The body as it was put: the row says how long it is, and a row that lies gives a body that is not intact. */
static bool unpack(fetch *f, bzr__columns *c) {
    int64_t size = bzr__next_int(c);
    bool packed = bzr__next_int(c) != 0;
    bzr_str bytes = bzr__next_text(c);
    char digest[65];
    if (packed && size >= 0 && size <= BODY_MAX) {
        char *p = bzr__arena_alloc(f->arena, (size_t)size + 1);
        if (!p) return false;
        size_t n = ZSTD_decompress(p, (size_t)size, bytes.p, bytes.n);
        f->content.body = (bzr_str){ p, ZSTD_isError(n) ? 0 : n };
    } else {
        f->content.body = bytes;
        if (!bzr__keep(f->arena, &f->content.body)) return false;
    }
    f->status = bzr__sha256(&f->content.body, 1, digest);
    f->content.intact = !f->status && !strcmp(digest, f->content.digest);
    return true;
}

static bool take_content(void *ctx, const bzr__value *row, size_t n) {
    (void)n;
    fetch *f = ctx;
    bzr__columns c = { row };
    bzr__content *r = &f->content;
    bzr_str released = read_columns(&c, r);
    honor_release(r, released);
    bzr_str *const texts[] = { &r->url,        &r->domain,          &r->kind,     &r->title,
                               &r->session_id, &r->action,          &r->severity, &r->completeness,
                               &r->confidence, &r->pattern_matched, &r->findings };
    bool ok = true;
    for (size_t i = 0; ok && i < sizeof texts / sizeof *texts; i++) ok = bzr__keep(f->arena, texts[i]);
    if (ok && f->with_body) ok = unpack(f, &c);
    if (!ok) f->status = bzr__store_fail(BZR_E_NOMEM, "%s", bzr_status_message(BZR_E_NOMEM));
    f->found = true;
    return false;
}

static bzr_status not_found(bzr_str id) {
    return bzr__store_fail(BZR_E_NOT_FOUND, "Content not found for ID: %.*s. It may have expired or never existed.",
                           (int)(id.n < 64 ? id.n : 64), id.n ? id.p : "");
}

bzr_status bzr__store_content_get(bzr__store *store, bzr_str id, bool with_body, bzr__arena *arena, bzr__content *ret) {
    fetch f = { .arena = arena, .with_body = with_body };
    bzr_status status = bzr__store_read(store, with_body ? BZR__SQL_CONTENT_BODY : BZR__SQL_CONTENT,
                                        BZR__ARGS(bzr__text(id), bzr__int(bzr__store_now(store))), take_content, &f);
    if (!status) status = f.status;
    if (!status && !f.found) status = not_found(id);
    if (!status) *ret = f.content;
    return status;
}

/* Why a model may not read this, or NULL. */
static const char *withheld(const bzr__content *c) {
    if (!c->intact) return "the stored body no longer fits its digest";
    if (bzr__str_eq(c->action, BZR__S("block")) && !c->released_at)
        return "this content is blocked until a user releases it";
    return NULL;
}

static void mark_accessed(bzr__tx *tx, bzr__content *c, bzr__reader reader, bzr_str session_id) {
    bzr_str id = bzr__str_z(c->id);
    c->accessed_at = tx->now;
    c->access_count++;
    bzr__tx_queue(tx, BZR__SQL_CONTENT_ACCESSED, BZR__ARGS(bzr__text(id), bzr__int(tx->now)));
    bzr__tx_queue(tx, BZR__SQL_SOURCE_ACCESSED, BZR__ARGS(bzr__text_z("url"), bzr__text(c->url), bzr__int(tx->now)));
    if (c->domain.n)
        bzr__tx_queue(tx, BZR__SQL_SOURCE_ACCESSED,
                      BZR__ARGS(bzr__text_z("domain"), bzr__text(c->domain), bzr__int(tx->now)));
    if (session_id.n)
        bzr__tx_queue(tx, BZR__SQL_SESSION_SAW,
                      BZR__ARGS(bzr__text(session_id), bzr__text(id), bzr__text(c->url), bzr__text(c->action),
                                bzr__int(tx->now)));
    bzr__tx_event(tx, &(bzr__event){ .type = BZR__S("content_read"),
                                     .direction = BZR__S("inbound"),
                                     .channel = BZR__S("internal"),
                                     .content = bzr__str_z(reader == BZR__READER_MODEL ? "model" : "user"),
                                     .url = c->url,
                                     .action = c->action,
                                     .content_id = id,
                                     .session_id = session_id });
}

bzr_status bzr__store_content_read(bzr__store *store, bzr_str id, bzr__reader reader, bzr_str session_id,
                                   bzr__arena *arena, bzr__content *ret) {
    bzr__tx tx;
    fetch f = { .arena = arena, .with_body = true };
    bzr__tx_begin(store, &tx);
    bzr__tx_run(&tx, BZR__SQL_CONTENT_BODY, BZR__ARGS(bzr__text(id), bzr__int(tx.now)), take_content, &f, NULL);
    if (!tx.status) tx.status = f.status;
    if (!tx.status && !f.found) tx.status = not_found(id);
    const char *why = !tx.status && reader == BZR__READER_MODEL ? withheld(&f.content) : NULL;
    if (why) bzr__tx_fail(&tx, BZR_E_STATE, "%s", why);
    if (!tx.status) mark_accessed(&tx, &f.content, reader, session_id);
    bzr_status status = bzr__tx_end(&tx);
    if (!status) *ret = f.content;
    return status;
}

bzr_status bzr__store_content_release(bzr__store *store, bzr_str id, bzr_str digest) {
    bzr__tx tx;
    bzr__arena arena;
    bzr__arena_init(&arena, 2 * BODY_MAX);
    fetch f = { .arena = &arena, .with_body = true };
    bzr__tx_begin(store, &tx);
    bzr__tx_run(&tx, BZR__SQL_CONTENT_BODY, BZR__ARGS(bzr__text(id), bzr__int(tx.now)), take_content, &f, NULL);
    if (!tx.status) tx.status = f.status;
    if (!tx.status && !f.found) tx.status = not_found(id);
    if (!tx.status && (!f.content.intact || !bzr__str_eq(digest, bzr__str_z(f.content.digest))))
        bzr__tx_fail(&tx, BZR_E_STATE, "the content is not the one that was shown: look at it again");
    bzr__tx_queue(&tx, BZR__SQL_CONTENT_RELEASE, BZR__ARGS(bzr__text(id), bzr__int(tx.now)));
    bzr__tx_event(&tx, &(bzr__event){ .type = BZR__S("content_release"),
                                      .direction = BZR__S("internal"),
                                      .channel = BZR__S("user"),
                                      .content = digest,
                                      .url = f.content.url,
                                      .action = f.content.action,
                                      .content_id = id });
    bzr_status status = bzr__tx_end(&tx);
    bzr__arena_free(&arena);
    return status;
}

/* ---- lists and removal ---- */

typedef struct hand_out {
    bzr__content_fn fn;
    void *ctx;
} hand_out;

static bool give_content(void *ctx, const bzr__value *row, size_t n) {
    (void)n;
    const hand_out *to = ctx;
    bzr__content content;
    bzr__columns c = { row };
    bzr_str released = read_columns(&c, &content);
    honor_release(&content, released);
    return to->fn(to->ctx, &content);
}

bzr_status bzr__store_contents(bzr__store *store, const bzr__content_filter *filter, bzr__content_fn fn, void *ctx) {
    hand_out to = { fn, ctx };
    int64_t after = filter->expired_too ? -1 : bzr__store_now(store);
    return bzr__store_read(store, BZR__SQL_CONTENTS,
                           BZR__ARGS(bzr__int(after), bzr__text(filter->url), bzr__text(filter->domain),
                                     bzr__text(filter->action), bzr__limit(filter->limit, 1000)),
                           give_content, &to);
}

bzr_status bzr__store_content_delete(bzr__store *store, bzr_str id) {
    bzr__tx tx;
    bzr__arena arena;
    bzr__arena_init(&arena, 8u << 20);
    fetch f = { .arena = &arena };
    bzr__tx_begin(store, &tx);
    bzr__tx_run(&tx, BZR__SQL_CONTENT, BZR__ARGS(bzr__text(id), bzr__int(-1)), take_content, &f, NULL);
    if (!tx.status && !f.found) tx.status = not_found(id);
    bzr__tx_queue(&tx, BZR__SQL_CONTENT_DELETE, BZR__ARGS(bzr__text(id)));
    bzr__tx_queue(&tx, BZR__SQL_BODY_DROP, BZR__ARGS(bzr__text_z(f.content.digest)));
    bzr__tx_event(&tx, &(bzr__event){ .type = BZR__S("content_delete"),
                                      .direction = BZR__S("internal"),
                                      .channel = BZR__S("user"),
                                      .content = BZR__S("deleted"),
                                      .url = f.content.url,
                                      .content_id = id });
    bzr_status status = bzr__tx_end(&tx);
    bzr__arena_free(&arena);
    return status;
}

bzr_status bzr__store_contents_purge(bzr__store *store, uint64_t *ret_removed) {
    bzr__tx tx;
    uint64_t removed = 0;
    char details[48];
    bzr__tx_begin(store, &tx);
    bzr__tx_run(&tx, BZR__SQL_CONTENTS_EXPIRED, BZR__ARGS(bzr__int(tx.now)), NULL, NULL, &removed);
    bzr__forget_sites(&tx);
    if (!tx.status && removed) {
        bzr__tx_queue(&tx, BZR__SQL_BODIES_ORPHANED, NULL, 0);
        bzr__tx_queue(&tx, BZR__SQL_PAGES_ORPHANED, NULL, 0);
        snprintf(details, sizeof details, "{\"removed\":%llu}", (unsigned long long)removed);
        bzr__tx_event(&tx, &(bzr__event){ .type = BZR__S("content_purge"),
                                          .direction = BZR__S("internal"),
                                          .channel = BZR__S("internal"),
                                          .content = BZR__S("expired"),
                                          .details = bzr__str_z(details) });
    }
    bzr_status status = bzr__tx_end(&tx);
    if (!status) *ret_removed = removed;
    return status;
}
