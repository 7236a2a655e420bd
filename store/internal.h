/* internal.h - what the files of the operations share: arguments, transactions with a sticky status, columns, digests.
 */
#ifndef TOAD_STORE_INTERNAL_H
#define TOAD_STORE_INTERNAL_H

#include "lib/base/str.h"
#include "store/backend.h"

/* Arguments of a statement. */
static inline toad__value toad__text(toad_str s) { return (toad__value){ .type = TOAD__VALUE_TEXT, .s = s }; }
static inline toad__value toad__text_z(const char *z) { return toad__text(toad__str_z(z)); }
static inline toad__value toad__int(int64_t i) { return (toad__value){ .type = TOAD__VALUE_INT, .i = i }; }
static inline toad__value toad__real(double d) { return (toad__value){ .type = TOAD__VALUE_REAL, .d = d }; }
static inline toad__value toad__bytes(toad_str s) { return (toad__value){ .type = TOAD__VALUE_BYTES, .s = s }; }
#define TOAD__ARGS(...) \
    (const toad__value[]){ __VA_ARGS__ }, sizeof((const toad__value[]){ __VA_ARGS__ }) / sizeof(toad__value)

/* The next column of a row, whatever type a foreign hand gave it. */
typedef struct toad__columns {
    const toad__value *at;
} toad__columns;
toad_str toad__next_text(toad__columns *c);
int64_t toad__next_int(toad__columns *c);
double toad__next_real(toad__columns *c);

/* One writing transaction. After a failure every further step is a no-op and toad__tx_end rolls back. */
typedef struct toad__tx {
    toad__store *store;
    toad__link *link;
    toad_status status;
    int64_t now; /* of all its records; never before the chain's last event */
    int64_t seq; /* head of the chain as it will be */
    char hash[65];
    bool chained;      /* events were added */
    toad__buf json;    /* scratch */
    toad__arena arena; /* scratch */
} toad__tx;

void toad__tx_begin(toad__store *store, toad__tx *tx);
/* Run later, or now with its rows. */
void toad__tx_queue(toad__tx *tx, toad__sql sql, const toad__value *args, size_t n);
void toad__tx_run(toad__tx *tx, toad__sql sql, const toad__value *args, size_t n, toad__row_fn fn, void *ctx,
                  uint64_t *ret_changed);
void toad__tx_event(toad__tx *tx, const toad__event *event);
/* Remember or count again, with the event. */
void toad__tx_learning(toad__tx *tx, const toad__learning *learning, char ret_id[24]);
/* Give up with this status and message. */
void toad__tx_fail(toad__tx *tx, toad_status status, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* Commit, or roll back if a step failed. */
toad_status toad__tx_end(toad__tx *tx);

/* One reading statement on a link of its own. */
toad_status toad__store_read(toad__store *store, toad__sql sql, const toad__value *args, size_t n, toad__row_fn fn,
                             void *ctx);

/* `prefix` and 12 hex digits of chance. */
toad_status toad__new_id(toad__store *store, const char *prefix, char ret[24]);
toad_status toad__store_random(const toad__store *store, void *p, size_t n);
const toad__store_options *toad__store_settings_of(const toad__store *store);
toad_str toad__store_salt(const toad__store *store);
const toad__backend *toad__store_backend_of(const toad__store *store);
/* A content is released, now. */
void toad__tx_release(toad__tx *tx, const toad__content *content);
/* When a content kept now expires. */
int64_t toad__expiry(const toad__tx *tx);
/* Keep the page of this content; drop what is kept of sites no longer. */
void toad__put_page(toad__tx *tx, const toad__stored_page *page, const char *content_id);
void toad__forget_sites(toad__tx *tx);
/* `limit` as a LIMIT argument: 0 is `standard`. */
static inline toad__value toad__limit(uint64_t limit, uint64_t standard) {
    uint64_t n = limit ? limit : standard;
    return toad__int(n > INT32_MAX ? INT32_MAX : (int64_t)n);
}
/* Copies into the caller's arena; false when it is full. */
bool toad__keep(toad__arena *arena, toad_str *text);

#endif
