/* store.c - opening, migrating, the pool of links, and transactions that carry the audit chain.
 *
 * A writing transaction begins by reading the chain's head and keeping it (a row lock on PostgreSQL, the only writer on
 * SQLite), so that whatever it appends hangs on what is really last. That one row is what makes one chain of many
 * writers, and is why a transaction should be short: a body is packed before it begins, a large batch beside it. Links
 * are opened when they are first needed, up to a bound; a caller waits for a free one. */
#define OPENSSL_API_COMPAT 10100 /* SHA256_Update, deprecated in 3.0 in favor of what costs more than the digest */

#include "lib/base/json.h"
#include "lib/base/random.h"
#include "lib/base/utf8.h"
#include "store/internal.h"

#include <openssl/sha.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define MAX_LINKS       64
#define JSON_MAX        (4u << 20)
#define STANDARD_LINKS  4
#define STANDARD_BUSY   10000
#define STANDARD_LENGTH 500000
#define STANDARD_TTL    (24 * 3600 * INT64_C(1000000))

struct bzr__store {
    bzr__store_options options;
    bzr__store_host host;
    const bzr__backend *backend;
    char *where;
    char salt[33];
    pthread_mutex_t lock;
    pthread_cond_t freed;
    bzr__link *idle[MAX_LINKS];
    unsigned idle_count, made;
};

static _Thread_local char last_message[BZR__STORE_MESSAGE];

const char *bzr__store_message(void) { return last_message; }

bzr_status bzr__store_fail(bzr_status status, const char *format, ...) {
    va_list list;
    va_start(list, format);
    vsnprintf(last_message, sizeof last_message, format, list);
    va_end(list);
    return status;
}

/* ---- time, chance, digests ---- */

static int64_t system_now(void *ctx) {
    (void)ctx;
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

static bool system_random(void *ctx, void *p, size_t n) {
    (void)ctx;
    return bzr__random(p, n);
}

int64_t bzr__store_now(const bzr__store *store) { return store->host.now(store->host.ctx); }

bzr_status bzr__store_random(const bzr__store *store, void *p, size_t n) {
    if (store->host.random(store->host.ctx, p, n)) return BZR_OK;
    return bzr__store_fail(BZR_E_RANDOM, "%s", bzr_status_message(BZR_E_RANDOM));
}

static void to_hex(const unsigned char *p, size_t n, char *ret) {
    for (size_t i = 0; i < n; i++) {
        ret[2 * i] = "0123456789abcdef"[p[i] >> 4];
        ret[2 * i + 1] = "0123456789abcdef"[p[i] & 15];
    }
    ret[2 * n] = 0;
}

/* The plain interface: no look-up and no heap for what is done for every row. It gives no errors. */
bzr_status bzr__sha256(const bzr_str *parts, size_t n, char ret[65]) {
    unsigned char digest[SHA256_DIGEST_LENGTH];
    SHA256_CTX ctx;
    bool ok = SHA256_Init(&ctx);
    for (size_t i = 0; ok && i < n; i++) ok = !parts[i].n || SHA256_Update(&ctx, parts[i].p, parts[i].n);
    if (!ok || !SHA256_Final(digest, &ctx)) return bzr__store_fail(BZR_E_IO, "cannot compute a SHA-256");
    to_hex(digest, sizeof digest, ret);
    return BZR_OK;
}

bzr_status bzr__new_id(bzr__store *store, const char *prefix, char ret[24]) {
    unsigned char raw[6];
    char hex[13];
    bzr_status status = bzr__store_random(store, raw, sizeof raw);
    if (status) return status;
    to_hex(raw, sizeof raw, hex);
    snprintf(ret, 24, "%s%s", prefix, hex);
    return BZR_OK;
}

/* ---- columns ---- */

bzr_str bzr__next_text(bzr__columns *c) {
    bzr__value v = *c->at++;
    return v.type == BZR__VALUE_TEXT || v.type == BZR__VALUE_BYTES ? v.s : BZR__S("");
}

int64_t bzr__next_int(bzr__columns *c) {
    bzr__value v = *c->at++;
    return v.type == BZR__VALUE_INT ? v.i : v.type == BZR__VALUE_REAL && v.d > -9e18 && v.d < 9e18 ? (int64_t)v.d : 0;
}

double bzr__next_real(bzr__columns *c) {
    bzr__value v = *c->at++;
    return v.type == BZR__VALUE_REAL ? v.d : v.type == BZR__VALUE_INT ? (double)v.i : 0;
}

bool bzr__keep(bzr__arena *arena, bzr_str *text) {
    *text = bzr__arena_dup(arena, *text);
    return text->p != NULL;
}

/* ---- links ---- */

static bzr_status acquire(bzr__store *store, bzr__link **ret) {
    pthread_mutex_lock(&store->lock);
    while (!store->idle_count && store->made >= store->options.links) pthread_cond_wait(&store->freed, &store->lock);
    bzr__link *link = store->idle_count ? store->idle[--store->idle_count] : NULL;
    if (!link) store->made++;
    pthread_mutex_unlock(&store->lock);
    bzr_status status = link ? BZR_OK : store->backend->open(store->where, store->options.busy_ms, &link);
    if (!status) {
        *ret = link;
        return BZR_OK;
    }
    pthread_mutex_lock(&store->lock);
    store->made--;
    pthread_cond_signal(&store->freed);
    pthread_mutex_unlock(&store->lock);
    return status;
}

static void release(bzr__store *store, bzr__link *link) {
    pthread_mutex_lock(&store->lock);
    store->idle[store->idle_count++] = link;
    pthread_cond_signal(&store->freed);
    pthread_mutex_unlock(&store->lock);
}

static bzr_status check_args(const bzr__value *args, size_t n) {
    for (size_t i = 0; i < n; i++) {
        bzr_str s = args[i].s;
        if (args[i].type != BZR__VALUE_TEXT || !s.n) continue;
        if (bzr__utf8_valid_upto(s) < s.n || memchr(s.p, 0, s.n))
            return bzr__store_fail(BZR_E_ARG, "a text is not well-formed UTF-8 or holds a NUL");
    }
    return BZR_OK;
}

bzr_status bzr__store_read(bzr__store *store, bzr__sql sql, const bzr__value *args, size_t n, bzr__row_fn fn,
                           void *ctx) {
    bzr__link *link;
    bzr_status status = check_args(args, n);
    if (!status) status = acquire(store, &link);
    if (status) return status;
    status = store->backend->run(link, sql, args, n, fn, ctx, NULL);
    release(store, link);
    return status;
}

/* ---- transactions ---- */

static bool read_head(void *ctx, const bzr__value *row, size_t n) {
    (void)n;
    bzr__tx *tx = ctx;
    bzr__columns c = { row };
    tx->seq = bzr__next_int(&c);
    int64_t at = bzr__next_int(&c);
    if (tx->now < at) tx->now = at;
    bzr_str hash = bzr__next_text(&c);
    if (hash.n == 64) memcpy(tx->hash, hash.p, 64);
    return true;
}

void bzr__tx_begin(bzr__store *store, bzr__tx *tx) {
    *tx = (bzr__tx){ .store = store, .now = bzr__store_now(store) };
    bzr__buf_init(&tx->json, JSON_MAX);
    bzr__arena_init(&tx->arena, JSON_MAX);
    tx->status = acquire(store, &tx->link);
    if (tx->status) return;
    tx->status = store->backend->begin(tx->link);
    bzr__tx_run(tx, BZR__SQL_HEAD, NULL, 0, read_head, tx, NULL);
    if (!tx->status && !tx->hash[0]) bzr__tx_fail(tx, BZR_E_STATE, "the head of the audit chain is missing");
}

void bzr__tx_queue(bzr__tx *tx, bzr__sql sql, const bzr__value *args, size_t n) {
    if (!tx->status) tx->status = check_args(args, n);
    if (!tx->status) tx->status = tx->store->backend->queue(tx->link, sql, args, n);
}

void bzr__tx_run(bzr__tx *tx, bzr__sql sql, const bzr__value *args, size_t n, bzr__row_fn fn, void *ctx,
                 uint64_t *ret_changed) {
    if (!tx->status) tx->status = check_args(args, n);
    if (!tx->status) tx->status = tx->store->backend->run(tx->link, sql, args, n, fn, ctx, ret_changed);
}

void bzr__tx_fail(bzr__tx *tx, bzr_status status, const char *format, ...) {
    if (tx->status) return;
    va_list list;
    va_start(list, format);
    vsnprintf(last_message, sizeof last_message, format, list);
    va_end(list);
    tx->status = status;
}

static void check_details(bzr__tx *tx, bzr_str details) {
    const bzr__json *root;
    size_t at;
    const char *why;
    if (tx->arena.used > JSON_MAX / 4) {
        bzr__arena_free(&tx->arena);
        bzr__arena_init(&tx->arena, JSON_MAX);
    }
    bzr_status status = details.n ? bzr__json_parse(details, &tx->arena, &root, &at, &why) : BZR_OK;
    if (status == BZR_E_NOMEM) bzr__tx_fail(tx, status, "%s", bzr_status_message(status));
    if (status || (details.n && root->type != BZR__JSON_OBJECT))
        bzr__tx_fail(tx, BZR_E_ARG, "the details of an event are no JSON object");
}

void bzr__tx_event(bzr__tx *tx, const bzr__event *event) {
    if (tx->status) return;
    bzr__event e = *event;
    check_details(tx, e.details);
    e.seq = ++tx->seq;
    e.at = tx->now;
    bzr__buf_clear(&tx->json);
    bzr__event_json(&e, &tx->json);
    if (tx->json.status) bzr__tx_fail(tx, tx->json.status, "an event is too large");
    if (tx->status) return;
    tx->status = bzr__sha256((const bzr_str[]){ { tx->hash, 64 }, bzr__buf_str(&tx->json) }, 2, tx->hash);
    tx->chained = true;
    bzr__tx_queue(tx, BZR__SQL_EVENT_ADD,
                  BZR__ARGS(bzr__int(e.seq), bzr__int(e.at), bzr__text(e.type), bzr__text(e.direction),
                            bzr__text(e.channel), bzr__text(e.content), bzr__text(e.url), bzr__text(e.pattern_matched),
                            bzr__text(e.confidence), bzr__text(e.action), bzr__text(e.content_id),
                            bzr__text(e.session_id), bzr__text(e.details), bzr__text_z(tx->hash)));
}

bzr_status bzr__tx_end(bzr__tx *tx) {
    if (tx->chained)
        bzr__tx_queue(tx, BZR__SQL_CHAIN_SET,
                      BZR__ARGS(bzr__text_z("head"), bzr__int(tx->seq), bzr__int(tx->now), bzr__text_z(tx->hash)));
    bzr__buf_free(&tx->json);
    bzr__arena_free(&tx->arena);
    if (!tx->link) return tx->status;
    if (!tx->status) tx->status = tx->store->backend->commit(tx->link);
    if (tx->status) tx->store->backend->rollback(tx->link);
    release(tx->store, tx->link);
    return tx->status;
}

/* ---- migrations ---- */

static bool copy_fact(void *ctx, const bzr__value *row, size_t n) {
    (void)n;
    bzr_str s = row[0].s;
    char *to = ctx;
    size_t length = s.n < 32 ? s.n : 32;
    memcpy(to, s.p, length);
    to[length] = 0;
    return false;
}

static int newest_version(const bzr__backend *backend) {
    int version = 0;
    for (const bzr__step *s = backend->steps; s->sql; s++) version = s->version;
    return version;
}

/* The store's version and its salt; version 0 when there is no schema yet. */
static bzr_status read_version(bzr__store *store, bzr__link *link, int *ret) {
    bool there = false;
    char version[33] = "0";
    bzr_status status = store->backend->has_facts(link, &there);
    if (!status && there) status = store->backend->run(link, BZR__SQL_VERSION, NULL, 0, copy_fact, version, NULL);
    if (!status && there)
        status = store->backend->run(link, BZR__SQL_FACT, BZR__ARGS(bzr__text_z("salt")), copy_fact, store->salt, NULL);
    if (status) return status;
    int found = atoi(version), known = newest_version(store->backend);
    if (found > known)
        return bzr__store_fail(
            BZR_E_STATE, "the store has version %d and this program knows versions up to %d: update it", found, known);
    *ret = found;
    return BZR_OK;
}

static bzr_status run_steps(bzr__store *store, bzr__link *link, int from) {
    const bzr__backend *backend = store->backend;
    bzr_status status = BZR_OK;
    char version[12], salt[33];
    unsigned char raw[16];
    for (const bzr__step *s = backend->steps; !status && s->sql; s++)
        if (s->version > from) status = backend->script(link, s->sql);
    if (!status) status = bzr__store_random(store, raw, sizeof raw);
    if (status) return status;
    to_hex(raw, sizeof raw, salt);
    snprintf(version, sizeof version, "%d", newest_version(backend));
    status =
        backend->run(link, BZR__SQL_FACT_ONCE, BZR__ARGS(bzr__text_z("salt"), bzr__text_z(salt)), NULL, NULL, NULL);
    if (!status)
        status = backend->run(link, BZR__SQL_FACT_SET, BZR__ARGS(bzr__text_z("version"), bzr__text_z(version)), NULL,
                              NULL, NULL);
    return status;
}

/* Look without a lock first: almost always there is nothing to do. */
static bzr_status migrate(bzr__store *store, bzr__link *link) {
    const bzr__backend *backend = store->backend;
    int version = 0, wanted = newest_version(backend);
    bzr_status status = read_version(store, link, &version);
    if (status || version == wanted) return status;
    status = backend->begin(link);
    if (!status) status = backend->lock_schema(link);
    if (!status) status = read_version(store, link, &version);
    if (!status && version < wanted) status = run_steps(store, link, version);
    if (!status) status = backend->commit(link);
    if (status) backend->rollback(link);
    return status ? status : read_version(store, link, &version);
}

/* ---- open and close ---- */

bzr_status bzr__store_default_path(bzr__buf *path) {
    const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    bool given = state && state[0] == '/';
    if (!given && (!home || home[0] != '/'))
        return bzr__store_fail(BZR_E_NOT_FOUND, "neither XDG_STATE_HOME nor HOME is an absolute path: name a store");
    bzr__buf_add_z(path, given ? state : home);
    bzr__buf_add_z(path, given ? "/bezoar/store.db" : "/.local/state/bezoar/store.db");
    return path->status;
}

static char *where_of(const char *where, bzr_status *ret_status) {
    bzr__buf path;
    bzr__buf_init(&path, 4096);
    *ret_status = BZR_OK;
    if (where)
        bzr__buf_add_z(&path, where);
    else
        *ret_status = bzr__store_default_path(&path);
    bzr__buf_add_c(&path, 0);
    if (!*ret_status) *ret_status = path.status;
    if (!*ret_status) return path.p;
    bzr__buf_free(&path);
    return NULL;
}

static bzr__store_options with_defaults(const bzr__store_options *given) {
    bzr__store_options o = given ? *given : (bzr__store_options){ 0 };
    if (!o.links) o.links = STANDARD_LINKS;
    if (o.links > MAX_LINKS) o.links = MAX_LINKS;
    if (!o.busy_ms) o.busy_ms = STANDARD_BUSY;
    if (!o.content_characters) o.content_characters = STANDARD_LENGTH;
    if (!o.content_ttl) o.content_ttl = STANDARD_TTL;
    return o;
}

static bool is_uri(const char *where) {
    return !strncmp(where, "postgresql://", 13) || !strncmp(where, "postgres://", 11);
}

static bzr_status open_first(bzr__store *store) {
    bzr__link *link;
    bzr_status status = acquire(store, &link);
    if (status) return status;
    status = migrate(store, link);
    release(store, link);
    return status;
}

bzr_status bzr__store_open(const bzr__store_options *options, bzr__store **ret, char message[BZR__STORE_MESSAGE]) {
    static const bzr__store_host system_host = { system_now, system_random, NULL };
    bzr_status status = bzr__store_fail(BZR_E_NOMEM, "%s", bzr_status_message(BZR_E_NOMEM));
    bzr__store *store = calloc(1, sizeof *store);
    if (store) {
        store->options = with_defaults(options);
        store->host = options && options->host ? *options->host : system_host;
        pthread_mutex_init(&store->lock, NULL);
        pthread_cond_init(&store->freed, NULL);
        store->where = where_of(store->options.where, &status);
        if (!status) {
            store->backend = is_uri(store->where) ? &bzr__postgres_backend : &bzr__sqlite_backend;
            status = open_first(store);
        }
    }
    if (status) {
        if (message) snprintf(message, BZR__STORE_MESSAGE, "%s", last_message);
        bzr__store_close(store);
        return status;
    }
    *ret = store;
    return BZR_OK;
}

void bzr__store_close(bzr__store *store) {
    if (!store) return;
    for (unsigned i = 0; i < store->idle_count; i++) store->backend->close(store->idle[i]);
    pthread_cond_destroy(&store->freed);
    pthread_mutex_destroy(&store->lock);
    free(store->where);
    free(store);
}

const char *bzr__store_backend(const bzr__store *store) { return store->backend->name; }
const bzr__backend *bzr__store_backend_of(const bzr__store *store) { return store->backend; }
const bzr__store_options *bzr__store_settings_of(const bzr__store *store) { return &store->options; }
bzr_str bzr__store_salt(const bzr__store *store) { return bzr__str_z(store->salt); }

/* ---- the store itself ---- */

static bool read_stats(void *ctx, const bzr__value *row, size_t n) {
    bzr__store_stats *s = ctx;
    uint64_t *const fields[] = { &s->total_contents, &s->total_urls, &s->accessed,      &s->blocked,
                                 &s->warned,         &s->expired,    &s->body_bytes,    &s->packed_bytes,
                                 &s->memories,       &s->sources,    &s->settings,      &s->sessions,
                                 &s->events,         &s->learnings,  &s->confirmations, &s->pending };
    bzr__columns c = { row };
    for (size_t i = 0; i < n && i < sizeof fields / sizeof *fields; i++) *fields[i] = (uint64_t)bzr__next_int(&c);
    return false;
}

bzr_status bzr__store_stats_get(bzr__store *store, bzr__store_stats *ret) {
    bzr__store_stats stats = { .version = (uint64_t)newest_version(store->backend) };
    bzr_status status =
        bzr__store_read(store, BZR__SQL_STATS, BZR__ARGS(bzr__int(bzr__store_now(store))), read_stats, &stats);
    if (!status) *ret = stats;
    return status;
}

bzr_status bzr__store_backup(bzr__store *store, const char *path) {
    bzr__link *link;
    bzr_status status = acquire(store, &link);
    if (status) return status;
    status = store->backend->backup(link, path);
    release(store, link);
    return status;
}

bzr_status bzr__store_check(bzr__store *store) {
    bzr__link *link;
    bzr_status status = acquire(store, &link);
    if (status) return status;
    status = store->backend->check(link);
    release(store, link);
    return status;
}
