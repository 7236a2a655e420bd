/* internal.h - what the files of the operations share: arguments, transactions with a sticky status, columns, digests.
 */
#ifndef BZR_STORE_INTERNAL_H
#define BZR_STORE_INTERNAL_H

#include "lib/base/str.h"
#include "store/backend.h"

/* Arguments of a statement. */
static inline bzr__value bzr__text(bzr_str s) { return (bzr__value){ .type = BZR__VALUE_TEXT, .s = s }; }
static inline bzr__value bzr__text_z(const char *z) { return bzr__text(bzr__str_z(z)); }
static inline bzr__value bzr__int(int64_t i) { return (bzr__value){ .type = BZR__VALUE_INT, .i = i }; }
static inline bzr__value bzr__real(double d) { return (bzr__value){ .type = BZR__VALUE_REAL, .d = d }; }
static inline bzr__value bzr__bytes(bzr_str s) { return (bzr__value){ .type = BZR__VALUE_BYTES, .s = s }; }
#define BZR__ARGS(...) \
    (const bzr__value[]){ __VA_ARGS__ }, sizeof((const bzr__value[]){ __VA_ARGS__ }) / sizeof(bzr__value)

/* The next column of a row, whatever type a foreign hand gave it. */
typedef struct bzr__columns {
    const bzr__value *at;
} bzr__columns;
bzr_str bzr__next_text(bzr__columns *c);
int64_t bzr__next_int(bzr__columns *c);
double bzr__next_real(bzr__columns *c);

/* One writing transaction. After a failure every further step is a no-op and bzr__tx_end rolls back. */
typedef struct bzr__tx {
    bzr__store *store;
    bzr__link *link;
    bzr_status status;
    int64_t now; /* of all its records; never before the chain's last event */
    int64_t seq; /* head of the chain as it will be */
    char hash[65];
    bool chained;     /* events were added */
    bzr__buf json;    /* scratch */
    bzr__arena arena; /* scratch */
} bzr__tx;

void bzr__tx_begin(bzr__store *store, bzr__tx *tx);
/* Run later, or now with its rows. */
void bzr__tx_queue(bzr__tx *tx, bzr__sql sql, const bzr__value *args, size_t n);
void bzr__tx_run(bzr__tx *tx, bzr__sql sql, const bzr__value *args, size_t n, bzr__row_fn fn, void *ctx,
                 uint64_t *ret_changed);
void bzr__tx_event(bzr__tx *tx, const bzr__event *event);
/* Remember or count again, with the event. */
void bzr__tx_learning(bzr__tx *tx, const bzr__learning *learning, char ret_id[24]);
/* Give up with this status and message. */
void bzr__tx_fail(bzr__tx *tx, bzr_status status, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* Commit, or roll back if a step failed. */
bzr_status bzr__tx_end(bzr__tx *tx);

/* One reading statement on a link of its own. */
bzr_status bzr__store_read(bzr__store *store, bzr__sql sql, const bzr__value *args, size_t n, bzr__row_fn fn,
                           void *ctx);

/* 64 lower-case hex digits of SHA-256 and a NUL. `parts` are hashed one after the other. */
bzr_status bzr__sha256(const bzr_str *parts, size_t n, char ret[65]);
/* `prefix` and 12 hex digits of chance. */
bzr_status bzr__new_id(bzr__store *store, const char *prefix, char ret[24]);
bzr_status bzr__store_random(const bzr__store *store, void *p, size_t n);
const bzr__store_options *bzr__store_settings_of(const bzr__store *store);
bzr_str bzr__store_salt(const bzr__store *store);
const bzr__backend *bzr__store_backend_of(const bzr__store *store);
/* When a content kept now expires. */
int64_t bzr__expiry(const bzr__tx *tx);
/* Keep the page of this content; drop what is kept of sites no longer. */
void bzr__put_page(bzr__tx *tx, const bzr__stored_page *page, const char *content_id);
void bzr__forget_sites(bzr__tx *tx);
/* `limit` as a LIMIT argument: 0 is `standard`. */
static inline bzr__value bzr__limit(uint64_t limit, uint64_t standard) {
    uint64_t n = limit ? limit : standard;
    return bzr__int(n > INT32_MAX ? INT32_MAX : (int64_t)n);
}
/* Copies into the caller's arena; false when it is full. */
bool bzr__keep(bzr__arena *arena, bzr_str *text);

#endif
