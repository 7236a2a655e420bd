/* backend.h - what a database must do for the store: run the named statements of sql.def, inside transactions.
 *
 * A link is one connection, used by one thread at a time; store.c keeps a bounded pool of them. Statements are prepared
 * once a link. `queue` may put off the work (PostgreSQL sends a pipeline): its failure shows at the next `run` or at
 * `commit`, after which only `rollback` may follow. A row's values live until the next call on the link. */
#ifndef BZR_STORE_BACKEND_H
#define BZR_STORE_BACKEND_H

#include "store/store.h"

typedef enum bzr__sql {
#define X(name, sql) BZR__SQL_##name,
#include "store/sql.def"
#undef X
    BZR__SQL_COUNT
} bzr__sql;

typedef enum bzr__value_type {
    BZR__VALUE_NONE,
    BZR__VALUE_INT,
    BZR__VALUE_REAL,
    BZR__VALUE_TEXT,
    BZR__VALUE_BYTES
} bzr__value_type;

typedef struct bzr__value {
    bzr__value_type type;
    int64_t i;
    double d;
    bzr_str s;
} bzr__value;

#define BZR__MAX_COLUMNS 32
/* Gets each row; false to stop. */
typedef bool (*bzr__row_fn)(void *ctx, const bzr__value *row, size_t n);

/* A schema step or any other statement without arguments and rows. */
typedef struct bzr__step {
    int version;
    const char *sql;
} bzr__step;

typedef struct bzr__link bzr__link; /* each backend's own */

typedef struct bzr__backend {
    const char *name;
    const bzr__step *steps; /* ascending versions, ends with sql NULL */
    const char *const *statements;
    unsigned ranked; /* entries a search ranks: what a few milliseconds allow */
    /* Connect. `where`: path or URI. May create an empty database, never a table. */
    bzr_status (*open)(const char *where, unsigned busy_ms, bzr__link **ret);
    void (*close)(bzr__link *link);
    /* Begin to write: alone among writers or waiting for them. Reconnects when the last call lost the connection. */
    bzr_status (*begin)(bzr__link *link);
    /* All of the transaction is durable, or none of it. */
    bzr_status (*commit)(bzr__link *link);
    void (*rollback)(bzr__link *link);
    /* Run and hand out rows; outside a transaction the statement is its own. `ret_changed` (may be NULL): rows changed.
     */
    bzr_status (*run)(bzr__link *link, bzr__sql sql, const bzr__value *args, size_t n, bzr__row_fn fn, void *ctx,
                      uint64_t *ret_changed);
    bzr_status (*queue)(bzr__link *link, bzr__sql sql, const bzr__value *args, size_t n);
    /* Inside a transaction: be alone with the schema until its end. */
    bzr_status (*lock_schema)(bzr__link *link);
    /* Does the table `facts` stand there? */
    bzr_status (*has_facts)(bzr__link *link, bool *ret);
    bzr_status (*script)(bzr__link *link, const char *sql);
    /* Append the search expression for these words to `out`. */
    void (*search_words)(const bzr_str *words, size_t n, bool all, bzr__buf *out);
    bzr_status (*backup)(bzr__link *link, const char *path);
    bzr_status (*check)(bzr__link *link);
} bzr__backend;

extern const bzr__backend bzr__sqlite_backend;
extern const bzr__backend bzr__postgres_backend;

/* Note why a call failed, for bzr__store_message; printf's format. Returns `status`. */
bzr_status bzr__store_fail(bzr_status status, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
