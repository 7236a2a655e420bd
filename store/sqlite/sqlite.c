/* sqlite.c - the backend of one file: WAL, synchronous FULL (NORMAL for who is brief), statements prepared once a link.
 *
 * Why WAL: readers never wait for the writer and a process killed at any moment leaves a log that the next one replays.
 * Why FULL: what was acknowledged outlives the power, too. A writer begins IMMEDIATE, so that it waits before it has
 * read anything and never fails half way for a lock; it waits with a short random nap, which under eight writers is
 * fairer than SQLite's own growing one. Files are 0600 in a directory made 0700; a symbolic link in place of the file
 * is refused. */
#define S_LOCK ""
#define S_SEARCH                                                                                                       \
    "SELECT " MEMORY_COLUMNS                                                                                           \
    ", -min(f.score) FROM (SELECT * FROM (SELECT rowid AS n, rank AS score FROM memories_words "                       \
    "WHERE memories_words MATCH $1 ORDER BY rowid DESC LIMIT $3) UNION ALL SELECT * FROM (SELECT rowid AS n, rank AS " \
    "score "                                                                                                           \
    "FROM memories_words WHERE memories_words MATCH $4 AND $4 <> $1 ORDER BY rowid DESC LIMIT $3)) f JOIN memories m " \
    "ON "                                                                                                              \
    "m.n = f.n GROUP BY m.n ORDER BY min(f.score), m.n LIMIT $2"
#define S_TALLY                                                                                                \
    "SELECT count(*) FROM memories_words WHERE memories_words MATCH $1 AND rowid > (SELECT max(n) - 300 FROM " \
    "memories)"
#define T_ROW   "INTEGER PRIMARY KEY"
#define T_SEQ   "INTEGER PRIMARY KEY"
#define T_BYTES "BLOB"
#define T_REAL  "REAL"
#define T_TEXT  "TEXT"

#include "lib/base/str.h"
#include "store/backend.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define APPLICATION 0x544F4144 /* "TOAD", in the file's header. Never change. */

#define MAX_ARGS 20

struct toad__link {
    sqlite3 *db;
    sqlite3_stmt *prepared[TOAD__SQL_COUNT];
    unsigned char places[TOAD__SQL_COUNT][MAX_ARGS]; /* bind index of $1, $2 ...; 0 where not used */
    unsigned busy_ms;
    bool brief;
    unsigned random;
};

static const toad__step steps[] = {
#define STEP(version, sql)        { version, sql },
#define SQLITE_STEP(version, sql) { version, sql },
#define POSTGRES_STEP(version, sql)
#include "store/schema.def"
#undef STEP
#undef SQLITE_STEP
#undef POSTGRES_STEP
    { 0, NULL }
};

static const char *const statements[] = {
#define X(name, sql) sql,
#include "store/sql.def"
#undef X
};

static toad_status failed(toad__link *link, const char *doing) {
    int code = sqlite3_extended_errcode(link->db);
    if ((code & 0xFF) == SQLITE_NOMEM) return toad__store_fail(TOAD_E_NOMEM, "%s", toad_status_message(TOAD_E_NOMEM));
    if ((code & 0xFF) == SQLITE_BUSY || (code & 0xFF) == SQLITE_LOCKED)
        return toad__store_fail(TOAD_E_IO, "cannot %s: another process has kept the store locked for %u ms", doing,
                                link->busy_ms);
    if ((code & 0xFF) == SQLITE_CONSTRAINT)
        return toad__store_fail(TOAD_E_STATE, "cannot %s: %s", doing, sqlite3_errmsg(link->db));
    const char *help = (code & 0xFF) == SQLITE_NOTADB    ? " (the file is not a Toadstone store; it was left as it is)"
                       : (code & 0xFF) == SQLITE_CORRUPT ? " (the file is damaged: restore a backup)"
                       : (code & 0xFF) == SQLITE_FULL    ? " (free space on the disk; nothing was changed)"
                                                         : "";
    return toad__store_fail(TOAD_E_IO, "cannot %s: %s%s", doing, sqlite3_errmsg(link->db), help);
}

/* Nap 0.2 to 2 ms; give up when the naps add up to the limit. */
static int wait_busy(void *ctx, int tries) {
    toad__link *link = ctx;
    if ((unsigned)tries > link->busy_ms) return 0;
    link->random = link->random * 1664525u + 1013904223u;
    struct timespec nap = { 0, 200000 + (long)(link->random >> 11) % 1800000 };
    nanosleep(&nap, NULL);
    return 1;
}

/* ---- open ---- */

/* Make the missing directories above `path`, 0700. */
static toad_status make_directories(char *path) {
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = 0;
        int failure = mkdir(path, 0700) && errno != EEXIST ? errno : 0;
        struct stat there;
        if (failure && !stat(path, &there) && S_ISDIR(there.st_mode)) failure = 0;
        if (failure) toad__store_fail(TOAD_E_IO, "cannot create the directory %s: %s", path, strerror(failure));
        *slash = '/';
        if (failure) return TOAD_E_IO;
    }
    return TOAD_OK;
}

/* The file exists afterwards, is ours alone and no link. Its own name may not be a link; directories above it may. */
static toad_status make_file(const char *path) {
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY, 0600);
    struct stat st;
    bool regular = fd >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode);
    int failure = errno;
    if (fd >= 0) close(fd);
    if (regular) return TOAD_OK;
    if (fd >= 0) return toad__store_fail(TOAD_E_IO, "%s is not a regular file", path);
    return toad__store_fail(TOAD_E_IO, "cannot open the store %s: %s", path,
                            failure == ELOOP ? "it is a symbolic link" : strerror(failure));
}

static toad_status script(toad__link *link, const char *sql) {
    return sqlite3_exec(link->db, sql, NULL, NULL, NULL) == SQLITE_OK ? TOAD_OK : failed(link, "change the store");
}

static bool take_int(sqlite3 *db, const char *sql, sqlite3_int64 *ret) {
    sqlite3_stmt *s;
    if (sqlite3_prepare_v2(db, sql, -1, &s, NULL) != SQLITE_OK) return false;
    bool row = sqlite3_step(s) == SQLITE_ROW;
    if (row) *ret = sqlite3_column_int64(s, 0);
    sqlite3_finalize(s);
    return row;
}

/* Changing to WAL needs the file alone for a moment, and then SQLite does not always ask the busy handler. */
static toad_status set_wal(toad__link *link) {
    int code;
    for (int tries = 0; (code = sqlite3_exec(link->db, "PRAGMA journal_mode = WAL", NULL, NULL, NULL)) == SQLITE_BUSY;)
        if (!wait_busy(link, tries++)) break;
    return code == SQLITE_OK ? TOAD_OK : failed(link, "open the store");
}

/* A file of another program is left alone. */
static toad_status check_owner(toad__link *link, const char *path) {
    sqlite3_int64 application = 0, tables = 0;
    if (!take_int(link->db, "PRAGMA application_id", &application) ||
        !take_int(link->db, "SELECT count(*) FROM sqlite_master", &tables))
        return failed(link, "open the store");
    if (application == APPLICATION || (!application && !tables)) return TOAD_OK;
    return toad__store_fail(TOAD_E_STATE, "%s is a database of another program; it was left as it is", path);
}

static toad_status prepare_connection(toad__link *link, const char *path) {
    toad_status status = check_owner(link, path);
    char sql[64];
    sqlite3_int64 application = 0;
    if (!status) status = set_wal(link);
    if (link->brief) sqlite3_db_config(link->db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
    if (!status) status = script(link, link->brief ? "PRAGMA synchronous = NORMAL" : "PRAGMA synchronous = FULL");
    if (!status) status = script(link, "PRAGMA cache_size = -16000; PRAGMA temp_store = MEMORY");
    if (status || (take_int(link->db, "PRAGMA application_id", &application) && application)) return status;
    snprintf(sql, sizeof sql, "PRAGMA application_id = %d", APPLICATION);
    return script(link, sql);
}

static void sqlite_close(toad__link *link) {
    for (size_t i = 0; i < TOAD__SQL_COUNT; i++) sqlite3_finalize(link->prepared[i]);
    sqlite3_close(link->db);
    free(link);
}

static toad_status open_file(toad__link *link, const char *path) {
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX;
    if (sqlite3_open_v2(path, &link->db, flags, NULL) != SQLITE_OK)
        return link->db ? failed(link, "open the store") : toad__store_fail(TOAD_E_NOMEM, "out of memory");
    sqlite3_extended_result_codes(link->db, 1);
    sqlite3_busy_handler(link->db, wait_busy, link);
    sqlite3_db_config(link->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    return prepare_connection(link, path);
}

static toad_status sqlite_open(const char *where, const toad__store_options *options, toad__link **ret) {
    toad__link *link = calloc(1, sizeof *link);
    char *path = strdup(where);
    toad_status status =
        link && path ? TOAD_OK : toad__store_fail(TOAD_E_NOMEM, "%s", toad_status_message(TOAD_E_NOMEM));
    if (!status) status = make_directories(path);
    if (!status) status = make_file(path);
    if (!status) {
        link->busy_ms = options->busy_ms;
        link->brief = options->brief;
        link->random = (unsigned)getpid() * 2654435761u ^ (unsigned)(uintptr_t)link;
        status = open_file(link, path);
    }
    free(path);
    if (!status)
        *ret = link;
    else if (link)
        sqlite_close(link);
    return status;
}

/* ---- statements ---- */

/* `$1` is a name to SQLite: its index is that of its first place in the statement. */
static void find_places(sqlite3_stmt *s, unsigned char *places) {
    char name[16];
    for (int i = 0; i < MAX_ARGS; i++) {
        snprintf(name, sizeof name, "$%d", i + 1);
        places[i] = (unsigned char)sqlite3_bind_parameter_index(s, name);
    }
}

static toad_status prepare(toad__link *link, toad__sql sql, sqlite3_stmt **ret) {
    sqlite3_stmt **slot = &link->prepared[sql];
    if (!*slot) {
        if (sqlite3_prepare_v3(link->db, statements[sql], -1, SQLITE_PREPARE_PERSISTENT, slot, NULL) != SQLITE_OK)
            return failed(link, "read the store");
        find_places(*slot, link->places[sql]);
    }
    *ret = *slot;
    return TOAD_OK;
}

static int bind_one(sqlite3_stmt *s, int at, const toad__value *v) {
    if (!at) return SQLITE_OK;
    switch (v->type) {
    case TOAD__VALUE_INT: return sqlite3_bind_int64(s, at, v->i);
    case TOAD__VALUE_REAL: return sqlite3_bind_double(s, at, v->d);
    case TOAD__VALUE_TEXT: return sqlite3_bind_text64(s, at, v->s.n ? v->s.p : "", v->s.n, SQLITE_STATIC, SQLITE_UTF8);
    case TOAD__VALUE_BYTES: return sqlite3_bind_blob64(s, at, v->s.n ? v->s.p : "", v->s.n, SQLITE_STATIC);
    case TOAD__VALUE_NONE: break;
    }
    return sqlite3_bind_null(s, at);
}

static toad__value column(sqlite3_stmt *s, int i) {
    toad__value v = { 0 };
    switch (sqlite3_column_type(s, i)) {
    case SQLITE_INTEGER:
        v.type = TOAD__VALUE_INT;
        v.i = sqlite3_column_int64(s, i);
        break;
    case SQLITE_FLOAT:
        v.type = TOAD__VALUE_REAL;
        v.d = sqlite3_column_double(s, i);
        break;
    case SQLITE_TEXT:
    case SQLITE_BLOB:
        v.type = sqlite3_column_type(s, i) == SQLITE_TEXT ? TOAD__VALUE_TEXT : TOAD__VALUE_BYTES;
        v.s.p = sqlite3_column_blob(s, i);
        v.s.n = v.s.p ? (size_t)sqlite3_column_bytes(s, i) : 0;
        break;
    default: break;
    }
    return v;
}

static int step_rows(sqlite3_stmt *s, toad__row_fn fn, void *ctx) {
    toad__value row[TOAD__MAX_COLUMNS];
    int code, n = sqlite3_column_count(s);
    while ((code = sqlite3_step(s)) == SQLITE_ROW) {
        for (int i = 0; i < n; i++) row[i] = column(s, i);
        if (fn && !fn(ctx, row, (size_t)n)) return SQLITE_DONE;
    }
    return code;
}

static toad_status sqlite_run(toad__link *link, toad__sql sql, const toad__value *args, size_t n, toad__row_fn fn,
                              void *ctx, uint64_t *ret_changed) {
    sqlite3_stmt *s = NULL;
    toad_status status = prepare(link, sql, &s);
    if (status) return status;
    int code = SQLITE_OK;
    for (size_t i = 0; code == SQLITE_OK && i < n; i++) code = bind_one(s, link->places[sql][i], &args[i]);
    if (code == SQLITE_OK) code = step_rows(s, fn, ctx);
    if (code != SQLITE_DONE)
        status = failed(link, "use the store");
    else if (ret_changed)
        *ret_changed = (uint64_t)sqlite3_changes64(link->db);
    sqlite3_reset(s);
    sqlite3_clear_bindings(s);
    return status;
}

static toad_status sqlite_queue(toad__link *link, toad__sql sql, const toad__value *args, size_t n) {
    return sqlite_run(link, sql, args, n, NULL, NULL, NULL);
}

/* ---- transactions ---- */

static toad_status sqlite_begin(toad__link *link) { return script(link, "BEGIN IMMEDIATE"); }
static toad_status sqlite_commit(toad__link *link) { return script(link, "COMMIT"); }

static void sqlite_rollback(toad__link *link) {
    if (!sqlite3_get_autocommit(link->db)) sqlite3_exec(link->db, "ROLLBACK", NULL, NULL, NULL);
}

/* BEGIN IMMEDIATE already made us the only writer. */
static toad_status sqlite_lock_schema(toad__link *link) {
    (void)link;
    return TOAD_OK;
}

static toad_status sqlite_has_facts(toad__link *link, bool *ret) {
    sqlite3_int64 n;
    if (!take_int(link->db, "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = 'facts'", &n))
        return failed(link, "open the store");
    *ret = n > 0;
    return TOAD_OK;
}

/* ---- the rest ---- */

/* Each word in quotes: nothing in a query is FTS5 syntax. */
static void search_words(const toad_str *words, size_t n, bool all, toad__buf *out) {
    for (size_t i = 0; i < n; i++) {
        if (i) toad__buf_add_z(out, all ? " AND " : " OR ");
        toad__buf_add_c(out, '"');
        toad__buf_add_str(out, words[i]);
        toad__buf_add_c(out, '"');
    }
}

static toad_status sqlite_backup(toad__link *link, const char *path) {
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0) return toad__store_fail(TOAD_E_IO, "cannot create %s: %s", path, strerror(errno));
    close(fd);
    sqlite3_stmt *s;
    if (sqlite3_prepare_v2(link->db, "VACUUM INTO $1", -1, &s, NULL) != SQLITE_OK)
        return failed(link, "back the store up");
    sqlite3_bind_text(s, 1, path, -1, SQLITE_STATIC);
    toad_status status = sqlite3_step(s) == SQLITE_DONE ? TOAD_OK : failed(link, "back the store up");
    sqlite3_finalize(s);
    if (status) unlink(path);
    return status;
}

static bool note_problem(void *ctx, int n, char **texts) {
    char *first = ctx;
    if (!first[0] && n > 0 && texts[0] && strcmp(texts[0], "ok")) snprintf(first, 256, "%s", texts[0]);
    return true;
}

static int on_check(void *ctx, int n, char **texts, char **names) {
    (void)names;
    return note_problem(ctx, n, texts) ? 0 : 1;
}

static toad_status sqlite_check(toad__link *link) {
    char first[256] = "";
    if (sqlite3_exec(link->db, "PRAGMA integrity_check(1)", on_check, first, NULL) != SQLITE_OK)
        return failed(link, "check the store");
    if (sqlite3_exec(link->db, "INSERT INTO memories_words(memories_words, rank) VALUES ('integrity-check', 1)", NULL,
                     NULL, NULL) != SQLITE_OK)
        return failed(link, "check the search index");
    return first[0] ? toad__store_fail(TOAD_E_IO, "the store is damaged: %s", first) : TOAD_OK;
}

const toad__backend toad__sqlite_backend = {
    .name = "sqlite",
    .steps = steps,
    .statements = statements,
    .ranked = 700,
    .open = sqlite_open,
    .close = sqlite_close,
    .begin = sqlite_begin,
    .commit = sqlite_commit,
    .rollback = sqlite_rollback,
    .run = sqlite_run,
    .queue = sqlite_queue,
    .lock_schema = sqlite_lock_schema,
    .has_facts = sqlite_has_facts,
    .script = script,
    .search_words = search_words,
    .backup = sqlite_backup,
    .check = sqlite_check,
};
