/* host.h - what the operations on the store share: an engine, a scanner, the open store, and who calls.
 *
 * An operation takes a host and gives its answer as one JSON value in a buffer: the command line prints it with --json or as a table,
 * other faces pass it on. Text that was never ours is escaped in it (bzr__json_add_utf8), times are RFC 3339 in UTC, absent values are
 * null. A refusal is an answer ({"success":false,"error":...}), not an error. On an error `message` says in one sentence of ours what
 * happened and what to do. Thread rule: a host belongs to one thread. */
#ifndef BZR_APP_HOST_H
#define BZR_APP_HOST_H

#include "app/config/config.h"
#include "bezoar/scan.h"
#include "lib/base/json.h"
#include "store/store.h"

#define BZR__HOST_MESSAGE 1024
#define BZR__HOST_ANSWER_MAX ((size_t)256 << 20) /* bytes of an answer */

typedef struct bzr__gate bzr__gate;

typedef struct bzr__host {
    const bzr_engine *engine;   /* borrowed */
    const bzr__config *config;  /* borrowed; NULL: all is as built in */
    bzr_scanner *scanner;
    bzr__store *store;        /* NULL: only after bzr__host_open_or_degrade */
    bzr__arena arena;         /* what an operation reads; freed with the host */
    bzr__reader by;           /* a model may not release, answer or set anything, nor raise a provenance */
    bzr_str session;          /* id, or empty */
    char judge[65];           /* who judges here, once asked for; see judge.h */
    struct bzr__gate *gate;   /* what app/memory/memory_gate.c found before; NULL: nothing */
    char message[BZR__HOST_MESSAGE];
} bzr__host;

/* Open the store at `where` (a path, postgresql://..., or NULL: what the configuration says, else the user's own). `engine` and `config` (NULL: all is
 * as built in) must outlive the host. On failure `ret->message` says why and nothing is left open. Errors: those of bzr__store_open, BZR_E_NOMEM. */
bzr_status bzr__host_open(const bzr_engine *engine, const bzr__config *config, const char *where, bzr__host *ret);
/* The same for bzr__contents_store and bzr__web_fetch, which can do without: where the store fails and `on_store_error` is not block, the host has no
 * store and `message` says why. */
bzr_status bzr__host_open_or_degrade(const bzr_engine *engine, const bzr__config *config, const char *where, bzr__host *ret);
void bzr__host_close(bzr__host *host);

/* Remember why the operation failed (printf; arguments that strangers wrote must be escaped before) and return `status`. */
bzr_status bzr__host_fail(bzr__host *host, bzr_status status, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* The same in the words of the store, after one of its calls failed. BZR_OK: nothing happens. */
bzr_status bzr__host_store_failed(bzr__host *host, bzr_status status);

/* What the store failed to keep, with `status` and the cause in host->message: does it go on without the store? The one place that decides by
 * `on_store_error`. BZR_OK: it does, and `event`, which the store should have got, is a line of JSON on standard error, with the cause as its details
 * and seq 0, since it is in no chain. Else `status`, and nothing of the content may be shown; `message` then says so, too. What is not the store's
 * failure (BZR_E_NOMEM, BZR_E_ARG, BZR_E_LIMIT) never goes on. */
bzr_status bzr__host_on_store_error(bzr__host *host, bzr_status status, bool blocked, const bzr__event *event);

/* Scan. `*ret` is valid until the next scan with this host. */
bzr_status bzr__host_scan(bzr__host *host, bzr_str text, bzr_kind kind, const bzr_verdict **ret);

/* What is done about content from `source` (policy.h; any other counts as web) with this verdict: the policy's action, static storage. */
const char *bzr__host_action(const bzr__host *host, bzr_str source, const bzr_verdict *verdict);
/* The same for what several scans found together. */
const char *bzr__host_action_for(const bzr__host *host, bzr_str source, bzr_severity severity, bzr_completeness completeness);

/* `,"key":"value"` and the like; the comma is left out after an opening bracket. Slices with p NULL and times of 0 are null. */
void bzr__answer_str(bzr__buf *b, const char *key, bzr_str value);
void bzr__answer_z(bzr__buf *b, const char *key, const char *value);
void bzr__answer_int(bzr__buf *b, const char *key, int64_t value);
void bzr__answer_bool(bzr__buf *b, const char *key, bool value);
void bzr__answer_real(bzr__buf *b, const char *key, double value); /* two decimals */
void bzr__answer_time(bzr__buf *b, const char *key, int64_t micros);
/* `value` is JSON already; empty: null. */
void bzr__answer_json(bzr__buf *b, const char *key, bzr_str value);

/* RFC 3339, UTC, microseconds. `out` has 28 bytes. */
void bzr__time_text(int64_t micros, char out[28]);
/* Read RFC 3339, "YYYY-MM-DD", or a span back from `now`: 30m, 12h, 7d. False: none of these. */
bool bzr__time_read(const char *text, int64_t now, int64_t *ret);

#endif
