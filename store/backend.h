/* backend.h - what a database must do for the store: run the named statements of sql.def, inside transactions.
 *
 * A link is one connection, used by one thread at a time; store.c keeps a bounded pool of them. Statements are prepared
 * once a link. `queue` may put off the work (PostgreSQL sends a pipeline): its failure shows at the next `run` or at
 * `commit`, after which only `rollback` may follow. A row's values live until the next call on the link. */
#ifndef TOAD_STORE_BACKEND_H
#define TOAD_STORE_BACKEND_H

#include "store/store.h"

typedef enum toad__sql {
#define X(name, sql) TOAD__SQL_##name,
#include "store/sql.def"
#undef X
    TOAD__SQL_COUNT
} toad__sql;

typedef enum toad__value_type {
    TOAD__VALUE_NONE,
    TOAD__VALUE_INT,
    TOAD__VALUE_REAL,
    TOAD__VALUE_TEXT,
    TOAD__VALUE_BYTES
} toad__value_type;

typedef struct toad__value {
    toad__value_type type;
    int64_t i;
    double d;
    toad_str s;
} toad__value;

#define TOAD__MAX_COLUMNS 32
/* Gets each row; false to stop. */
typedef bool (*toad__row_fn)(void *ctx, const toad__value *row, size_t n);

/* A schema step or any other statement without arguments and rows. */
typedef struct toad__step {
    int version;
    const char *sql;
} toad__step;

typedef struct toad__link toad__link; /* each backend's own */

typedef struct toad__backend {
    const char *name;
    const toad__step *steps; /* ascending versions, ends with sql NULL */
    const char *const *statements;
    unsigned ranked; /* entries a search ranks: what a few milliseconds allow */
    /* Connect. `where`: path or URI. May create an empty database, never a table. */
    toad_status (*open)(const char *where, const toad__store_options *options, toad__link **ret);
    void (*close)(toad__link *link);
    /* Begin to write: alone among writers or waiting for them. Reconnects when the last call lost the connection. */
    toad_status (*begin)(toad__link *link);
    /* All of the transaction is durable, or none of it. */
    toad_status (*commit)(toad__link *link);
    void (*rollback)(toad__link *link);
    /* Run and hand out rows; outside a transaction the statement is its own. `ret_changed` (may be NULL): rows changed.
     */
    toad_status (*run)(toad__link *link, toad__sql sql, const toad__value *args, size_t n, toad__row_fn fn, void *ctx,
                       uint64_t *ret_changed);
    toad_status (*queue)(toad__link *link, toad__sql sql, const toad__value *args, size_t n);
    /* Inside a transaction: be alone with the schema until its end. */
    toad_status (*lock_schema)(toad__link *link);
    /* Does the table `facts` stand there? */
    toad_status (*has_facts)(toad__link *link, bool *ret);
    toad_status (*script)(toad__link *link, const char *sql);
    /* Append the search expression for these words to `out`. */
    void (*search_words)(const toad_str *words, size_t n, bool all, toad__buf *out);
    toad_status (*backup)(toad__link *link, const char *path);
    toad_status (*check)(toad__link *link);
} toad__backend;

extern const toad__backend toad__sqlite_backend;
extern const toad__backend toad__postgres_backend;

/* Note why a call failed, for toad__store_message; printf's format. Returns `status`. */
toad_status toad__store_fail(toad_status status, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
