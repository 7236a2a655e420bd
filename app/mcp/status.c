/* status.c - see status.h. */
#include "app/mcp/status.h"

#include "app/mcp/pins.h"
#include "app/records/log.h"
#include "lib/base/str.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SHOWN = 20, CONTENTS = 200 };

/* The size of the file, and whether it may be written: SQLite keeps files beside it. */
static void add_file(const char *path, bool *ret_there, toad__answer *answer) {
    struct stat st;
    char directory[4096];
    const char *slash = strrchr(path, '/');
    bool there = !stat(path, &st);
    snprintf(directory, sizeof directory, "%.*s", slash ? (int)(slash - path) + (slash == path) : 1,
             slash ? path : ".");
    bool may = there ? !access(path, W_OK) && !access(directory, W_OK) : errno == ENOENT;
    toad__answer_bool(answer, "there", there);
    toad__answer_int(answer, "bytes", there ? (int64_t)st.st_size : 0);
    toad__answer_bool(answer, "writable", may);
    *ret_there = there;
}

toad_status toad__status_store(const toad__config *config, const char *where, bool *ret_there, toad__answer *answer) {
    toad__buf path;
    toad__buf_init(&path, 4096);
    if (!where && config && *toad__config_text(config, TOAD__CONFIG_STORE))
        where = toad__config_text(config, TOAD__CONFIG_STORE);
    bool database = where && strstr(where, "://");
    toad_status status = TOAD_OK;
    if (where)
        toad__buf_add_z(&path, where);
    else
        status = toad__store_default_path(&path);
    toad__buf_add_c(&path, 0);
    if (!status) status = path.status;
    toad__answer_object(answer, "store");
    *ret_there = database;
    toad__answer_z(answer, "where", status ? NULL : database ? "a database" : path.p);
    if (status)
        toad__answer_z(answer, "why", "there is no home directory to keep it in");
    else if (!database)
        add_file(path.p, ret_there, answer);
    toad__answer_end(answer);
    toad__buf_free(&path);
    return answer->status;
}

/* ---- what waits ---- */

typedef struct questions {
    toad__answer *answer;
    int64_t now;
} questions;

static bool add_question(void *ctx, const toad__confirmation *c) {
    const questions *q = ctx;
    if (c->expires_at <= q->now) return true;
    toad__answer_object(q->answer, NULL);
    toad__answer_z(q->answer, "id", c->id);
    toad__answer_str(q->answer, "tool", c->tool);
    toad__answer_time(q->answer, "created_at", c->created_at);
    toad__answer_time(q->answer, "expires_at", c->expires_at);
    toad__answer_end(q->answer);
    return !q->answer->status;
}

typedef struct blocked {
    toad__answer *answer;
    size_t n;
    bool model;
} blocked;

static bool add_blocked(void *ctx, const toad__content *c) {
    blocked *b = ctx;
    if (c->released_at || ++b->n > SHOWN) return true;
    toad__answer_object(b->answer, NULL);
    toad__answer_z(b->answer, "id", b->model ? NULL : c->id);
    toad__answer_str(b->answer, "from", c->url);
    toad__answer_str(b->answer, "rule", c->pattern_matched);
    toad__answer_time(b->answer, "stored_at", c->stored_at);
    toad__answer_end(b->answer);
    return !b->answer->status;
}

toad_status toad__status_waiting(toad__host *host, toad__answer *answer) {
    toad__store_stats stats;
    questions q = { answer, toad__store_now(host->store) };
    blocked b = { answer, 0, host->by == TOAD__READER_MODEL };
    toad__content_filter filter = { .action = TOAD__S("block"), .limit = CONTENTS };
    toad_status status = toad__store_stats_get(host->store, &stats);
    if (!status) toad__answer_int(answer, "schema", (int64_t)stats.version);
    toad__answer_array(answer, "questions");
    if (!status) status = toad__store_confirmations(host->store, TOAD__S("pending"), SHOWN, add_question, &q);
    toad__answer_end(answer);
    toad__answer_array(answer, "contents");
    if (!status) status = toad__store_contents(host->store, &filter, add_blocked, &b);
    toad__answer_end(answer);
    toad__answer_int(answer, "contents_blocked", (int64_t)b.n);
    if (status) return toad__host_store_failed(host, status);
    status = toad__pins_list(host, TOAD__S(""), true, answer);
    return status ? status : toad__log_counts(host, answer);
}
