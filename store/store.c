/* store.c - opening, migrating, the pool of links, and transactions that carry the audit chain.
 *
 * A writing transaction begins by reading the chain's head and keeping it (a row lock on PostgreSQL, the only writer on
 * SQLite), so that whatever it appends hangs on what is really last. That one row is what makes one chain of many
 * writers, and is why a transaction should be short: a body is packed before it begins, a large batch beside it. Links
 * are opened when they are first needed, up to a bound; a caller waits for a free one. */

#include "lib/base/hex.h"
#include "lib/base/json.h"
#include "lib/base/random.h"
#include "lib/base/utf8.h"
#include "store/internal.h"
#include "sys/clock.h"
#include "sys/digest.h"
#include "sys/path.h"

#include <assert.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define MAX_LINKS       64
#define JSON_MAX        (4u << 20)
#define STANDARD_LINKS  4
#define STANDARD_BUSY   10000
#define STANDARD_LENGTH 500000
#define STANDARD_TTL    (24 * 3600 * INT64_C(1000000))

struct toad__store {
    toad__store_options options;
    toad__store_host host;
    const toad__backend *backend;
    char *where;
    char salt[33];
    pthread_mutex_t lock;
    pthread_cond_t freed;
    toad__link *idle[MAX_LINKS];
    unsigned idle_count, made;
};

static _Thread_local char last_message[TOAD__STORE_MESSAGE];

const char *toad__store_message(void) { return last_message; }

toad_status toad__store_fail(toad_status status, const char *format, ...) {
    va_list list;
    va_start(list, format);
    vsnprintf(last_message, sizeof last_message, format, list);
    va_end(list);
    return status;
}

/* ---- time, chance, digests ---- */

static int64_t system_now(void *ctx) {
    (void)ctx;
    return toad__wall_us();
}

static bool system_random(void *ctx, void *p, size_t n) {
    (void)ctx;
    return toad__random(p, n);
}

int64_t toad__store_now(const toad__store *store) { return store->host.now(store->host.ctx); }

toad_status toad__store_random(const toad__store *store, void *p, size_t n) {
    if (store->host.random(store->host.ctx, p, n)) return TOAD_OK;
    return toad__store_fail(TOAD_E_RANDOM, "%s", toad_status_message(TOAD_E_RANDOM));
}

toad_status toad__new_id(toad__store *store, const char *prefix, char ret[24]) {
    unsigned char raw[6];
    toad_status status = toad__store_random(store, raw, sizeof raw);
    if (status) return status;
    size_t n = strlen(prefix);
    assert(n + 2 * sizeof raw < 24);
    memcpy(ret, prefix, n);
    toad__hex_z(ret + n, raw, sizeof raw);
    return TOAD_OK;
}

/* ---- columns ---- */

toad_str toad__next_text(toad__columns *c) {
    toad__value v = *c->at++;
    return v.type == TOAD__VALUE_TEXT || v.type == TOAD__VALUE_BYTES ? v.s : TOAD__S("");
}

int64_t toad__next_int(toad__columns *c) {
    toad__value v = *c->at++;
    return v.type == TOAD__VALUE_INT ? v.i : v.type == TOAD__VALUE_REAL && v.d > -9e18 && v.d < 9e18 ? (int64_t)v.d : 0;
}

double toad__next_real(toad__columns *c) {
    toad__value v = *c->at++;
    return v.type == TOAD__VALUE_REAL ? v.d : v.type == TOAD__VALUE_INT ? (double)v.i : 0;
}

bool toad__keep(toad__arena *arena, toad_str *text) {
    *text = toad__arena_dup(arena, *text);
    return text->p != NULL;
}

/* ---- links ---- */

static toad_status acquire(toad__store *store, toad__link **ret) {
    pthread_mutex_lock(&store->lock);
    while (!store->idle_count && store->made >= store->options.links) pthread_cond_wait(&store->freed, &store->lock);
    toad__link *link = store->idle_count ? store->idle[--store->idle_count] : NULL;
    if (!link) store->made++;
    pthread_mutex_unlock(&store->lock);
    toad_status status = link ? TOAD_OK : store->backend->open(store->where, &store->options, &link);
    if (!status) {
        *ret = link;
        return TOAD_OK;
    }
    pthread_mutex_lock(&store->lock);
    store->made--;
    pthread_cond_signal(&store->freed);
    pthread_mutex_unlock(&store->lock);
    return status;
}

static void release(toad__store *store, toad__link *link) {
    pthread_mutex_lock(&store->lock);
    store->idle[store->idle_count++] = link;
    pthread_cond_signal(&store->freed);
    pthread_mutex_unlock(&store->lock);
}

static toad_status check_args(const toad__value *args, size_t n) {
    for (size_t i = 0; i < n; i++) {
        toad_str s = args[i].s;
        if (args[i].type != TOAD__VALUE_TEXT || !s.n) continue;
        if (toad__utf8_valid_upto(s) < s.n || memchr(s.p, 0, s.n))
            return toad__store_fail(TOAD_E_ARG, "a text is not well-formed UTF-8 or holds a NUL");
    }
    return TOAD_OK;
}

toad_status toad__store_read(toad__store *store, toad__sql sql, const toad__value *args, size_t n, toad__row_fn fn,
                             void *ctx) {
    toad__link *link;
    toad_status status = check_args(args, n);
    if (!status) status = acquire(store, &link);
    if (status) return status;
    status = store->backend->run(link, sql, args, n, fn, ctx, NULL);
    release(store, link);
    return status;
}

/* ---- transactions ---- */

static bool read_head(void *ctx, const toad__value *row, size_t n) {
    (void)n;
    toad__tx *tx = ctx;
    toad__columns c = { row };
    tx->seq = toad__next_int(&c);
    int64_t at = toad__next_int(&c);
    if (tx->now < at) tx->now = at;
    toad_str hash = toad__next_text(&c);
    if (hash.n == 64) memcpy(tx->hash, hash.p, 64);
    return true;
}

void toad__tx_begin(toad__store *store, toad__tx *tx) {
    *tx = (toad__tx){ .store = store, .now = toad__store_now(store) };
    toad__buf_init(&tx->json, JSON_MAX);
    toad__arena_init(&tx->arena, JSON_MAX);
    tx->status = acquire(store, &tx->link);
    if (tx->status) return;
    tx->status = store->backend->begin(tx->link);
    toad__tx_run(tx, TOAD__SQL_HEAD, NULL, 0, read_head, tx, NULL);
    if (!tx->status && !tx->hash[0]) toad__tx_fail(tx, TOAD_E_STATE, "the head of the audit chain is missing");
}

void toad__tx_queue(toad__tx *tx, toad__sql sql, const toad__value *args, size_t n) {
    if (!tx->status) tx->status = check_args(args, n);
    if (!tx->status) tx->status = tx->store->backend->queue(tx->link, sql, args, n);
}

void toad__tx_run(toad__tx *tx, toad__sql sql, const toad__value *args, size_t n, toad__row_fn fn, void *ctx,
                  uint64_t *ret_changed) {
    if (!tx->status) tx->status = check_args(args, n);
    if (!tx->status) tx->status = tx->store->backend->run(tx->link, sql, args, n, fn, ctx, ret_changed);
}

void toad__tx_fail(toad__tx *tx, toad_status status, const char *format, ...) {
    if (tx->status) return;
    va_list list;
    va_start(list, format);
    vsnprintf(last_message, sizeof last_message, format, list);
    va_end(list);
    tx->status = status;
}

static void check_details(toad__tx *tx, toad_str details) {
    const toad__json *root;
    size_t at;
    const char *why;
    if (tx->arena.used > JSON_MAX / 4) {
        toad__arena_free(&tx->arena);
        toad__arena_init(&tx->arena, JSON_MAX);
    }
    toad_status status = details.n ? toad__json_parse(details, &tx->arena, &root, &at, &why) : TOAD_OK;
    if (status == TOAD_E_NOMEM) toad__tx_fail(tx, status, "%s", toad_status_message(status));
    if (status || (details.n && root->type != TOAD__JSON_OBJECT))
        toad__tx_fail(tx, TOAD_E_ARG, "the details of an event are no JSON object");
}

void toad__tx_event(toad__tx *tx, const toad__event *event) {
    if (tx->status) return;
    toad__event e = *event;
    check_details(tx, e.details);
    e.seq = ++tx->seq;
    e.at = tx->now;
    toad__buf_clear(&tx->json);
    toad__event_json(&e, &tx->json);
    if (tx->json.status) toad__tx_fail(tx, tx->json.status, "an event is too large");
    if (tx->status) return;
    toad__sha256_hex((const toad_str[]){ { tx->hash, 64 }, toad__buf_str(&tx->json) }, 2, tx->hash);
    tx->chained = true;
    toad__tx_queue(tx, TOAD__SQL_EVENT_ADD,
                   TOAD__ARGS(toad__int(e.seq), toad__int(e.at), toad__text(e.type), toad__text(e.direction),
                              toad__text(e.channel), toad__text(e.content), toad__text(e.url),
                              toad__text(e.pattern_matched), toad__text(e.confidence), toad__text(e.action),
                              toad__text(e.content_id), toad__text(e.session_id), toad__text(e.details),
                              toad__text_z(tx->hash)));
}

toad_status toad__tx_end(toad__tx *tx) {
    if (tx->chained)
        toad__tx_queue(
            tx, TOAD__SQL_CHAIN_SET,
            TOAD__ARGS(toad__text_z("head"), toad__int(tx->seq), toad__int(tx->now), toad__text_z(tx->hash)));
    toad__buf_free(&tx->json);
    toad__arena_free(&tx->arena);
    if (!tx->link) return tx->status;
    if (!tx->status) tx->status = tx->store->backend->commit(tx->link);
    if (tx->status) tx->store->backend->rollback(tx->link);
    release(tx->store, tx->link);
    return tx->status;
}

/* ---- migrations ---- */

static bool copy_fact(void *ctx, const toad__value *row, size_t n) {
    (void)n;
    toad_str s = row[0].s;
    char *to = ctx;
    size_t length = s.n < 32 ? s.n : 32;
    memcpy(to, s.p, length);
    to[length] = 0;
    return false;
}

static int newest_version(const toad__backend *backend) {
    int version = 0;
    for (const toad__step *s = backend->steps; s->sql; s++) version = s->version;
    return version;
}

/* The store's version and its salt; version 0 when there is no schema yet. */
static toad_status read_version(toad__store *store, toad__link *link, int *ret) {
    bool there = false;
    char version[33] = "0";
    toad_status status = store->backend->has_facts(link, &there);
    if (!status && there) status = store->backend->run(link, TOAD__SQL_VERSION, NULL, 0, copy_fact, version, NULL);
    if (!status && there)
        status =
            store->backend->run(link, TOAD__SQL_FACT, TOAD__ARGS(toad__text_z("salt")), copy_fact, store->salt, NULL);
    if (status) return status;
    int found = atoi(version), known = newest_version(store->backend);
    if (found > known)
        return toad__store_fail(
            TOAD_E_STATE, "the store has version %d and this program knows versions up to %d: update it", found, known);
    *ret = found;
    return TOAD_OK;
}

static toad_status run_steps(toad__store *store, toad__link *link, int from) {
    const toad__backend *backend = store->backend;
    toad_status status = TOAD_OK;
    char version[12], salt[33];
    unsigned char raw[16];
    for (const toad__step *s = backend->steps; !status && s->sql; s++)
        if (s->version > from) status = backend->script(link, s->sql);
    if (!status) status = toad__store_random(store, raw, sizeof raw);
    if (status) return status;
    toad__hex_z(salt, raw, sizeof raw);
    snprintf(version, sizeof version, "%d", newest_version(backend));
    status =
        backend->run(link, TOAD__SQL_FACT_ONCE, TOAD__ARGS(toad__text_z("salt"), toad__text_z(salt)), NULL, NULL, NULL);
    if (!status)
        status = backend->run(link, TOAD__SQL_FACT_SET, TOAD__ARGS(toad__text_z("version"), toad__text_z(version)),
                              NULL, NULL, NULL);
    return status;
}

/* Look without a lock first: almost always there is nothing to do. */
static toad_status migrate(toad__store *store, toad__link *link) {
    const toad__backend *backend = store->backend;
    int version = 0, wanted = newest_version(backend);
    toad_status status = read_version(store, link, &version);
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

toad_status toad__store_default_path(toad__buf *path) {
    const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    bool given = toad__path_is_absolute(state);
    if (!given && !toad__path_is_absolute(home))
        return toad__store_fail(TOAD_E_NOT_FOUND, "neither XDG_STATE_HOME nor HOME is an absolute path: name a store");
    toad__buf_add_z(path, given ? state : home);
    toad__buf_add_z(path, given ? "/toadstone/store.db" : "/.local/state/toadstone/store.db");
    return path->status;
}

static char *where_of(const char *where, toad_status *ret_status) {
    toad__buf path;
    toad__buf_init(&path, 4096);
    *ret_status = TOAD_OK;
    if (where)
        toad__buf_add_z(&path, where);
    else
        *ret_status = toad__store_default_path(&path);
    toad__buf_add_c(&path, 0);
    if (!*ret_status) *ret_status = path.status;
    if (!*ret_status) return path.p;
    toad__buf_free(&path);
    return NULL;
}

static toad__store_options with_defaults(const toad__store_options *given) {
    toad__store_options o = given ? *given : (toad__store_options){ 0 };
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

static toad_status open_first(toad__store *store) {
    toad__link *link;
    toad_status status = acquire(store, &link);
    if (status) return status;
    status = migrate(store, link);
    release(store, link);
    return status;
}

toad_status toad__store_open(const toad__store_options *options, toad__store **ret, char message[TOAD__STORE_MESSAGE]) {
    static const toad__store_host system_host = { system_now, system_random, NULL };
    toad_status status = toad__store_fail(TOAD_E_NOMEM, "%s", toad_status_message(TOAD_E_NOMEM));
    toad__store *store = calloc(1, sizeof *store);
    if (store) {
        store->options = with_defaults(options);
        store->host = options && options->host ? *options->host : system_host;
        pthread_mutex_init(&store->lock, NULL);
        pthread_cond_init(&store->freed, NULL);
        store->where = where_of(store->options.where, &status);
        if (!status) {
            store->backend = is_uri(store->where) ? &toad__postgres_backend : &toad__sqlite_backend;
            status = open_first(store);
        }
    }
    if (status) {
        if (message) snprintf(message, TOAD__STORE_MESSAGE, "%s", last_message);
        toad__store_close(store);
        return status;
    }
    *ret = store;
    return TOAD_OK;
}

void toad__store_close(toad__store *store) {
    if (!store) return;
    for (unsigned i = 0; i < store->idle_count; i++) store->backend->close(store->idle[i]);
    pthread_cond_destroy(&store->freed);
    pthread_mutex_destroy(&store->lock);
    free(store->where);
    free(store);
}

const char *toad__store_backend(const toad__store *store) { return store->backend->name; }
const toad__backend *toad__store_backend_of(const toad__store *store) { return store->backend; }
const toad__store_options *toad__store_settings_of(const toad__store *store) { return &store->options; }
toad_str toad__store_salt(const toad__store *store) { return toad__str_z(store->salt); }

/* ---- the store itself ---- */

static bool read_stats(void *ctx, const toad__value *row, size_t n) {
    toad__store_stats *s = ctx;
    uint64_t *const fields[] = { &s->total_contents, &s->total_urls, &s->accessed,     &s->blocked,   &s->warned,
                                 &s->expired,        &s->body_bytes, &s->packed_bytes, &s->memories,  &s->sources,
                                 &s->settings,       &s->sessions,   &s->events,       &s->learnings, &s->confirmations,
                                 &s->pending,        &s->applied,    &s->skipped };
    toad__columns c = { row };
    for (size_t i = 0; i < n && i < sizeof fields / sizeof *fields; i++) *fields[i] = (uint64_t)toad__next_int(&c);
    return false;
}

toad_status toad__store_stats_get(toad__store *store, toad__store_stats *ret) {
    toad__store_stats stats = { .version = (uint64_t)newest_version(store->backend) };
    toad_status status =
        toad__store_read(store, TOAD__SQL_STATS, TOAD__ARGS(toad__int(toad__store_now(store))), read_stats, &stats);
    if (!status) *ret = stats;
    return status;
}

toad_status toad__store_backup(toad__store *store, const char *path) {
    toad__link *link;
    toad_status status = acquire(store, &link);
    if (status) return status;
    status = store->backend->backup(link, path);
    release(store, link);
    return status;
}

toad_status toad__store_check(toad__store *store) {
    toad__link *link;
    toad_status status = acquire(store, &link);
    if (status) return status;
    status = store->backend->check(link);
    release(store, link);
    return status;
}
