/* cmd_audit.c - `bezoar audit`: the log that cannot be changed unseen. */
#include "app/records/audit.h"
#include "face/cli/act.h"
#include "face/cli/out.h"
#include "lib/base/str.h"

#include <errno.h>
#include <stdio.h>
#include <time.h>

enum { POLL_MS = 200 };

static bzr__audit_query_in query_of(const args *a) {
    return (bzr__audit_query_in){ .since = a->since,
                                  .until = a->until,
                                  .type = bzr__str_z(a->event_type),
                                  .action = bzr__str_z(a->event_action),
                                  .session_id = bzr__str_z(a->session),
                                  .limit = a->limit };
}

static bzr_status query(bzr__host *host, const args *a, bzr__buf *answer) {
    bzr__audit_query_in in = query_of(a);
    return bzr__audit_query(host, &in, answer);
}

static bzr_status verify(bzr__host *host, const args *a, bzr__buf *answer) {
    return bzr__audit_verify(host, a->anchor, answer);
}

/* ---- lines as they come ---- */

static bool put_line(void *ctx, bzr_str line) {
    FILE *f = ctx;
    return fwrite(line.p, 1, line.n, f) == line.n;
}

static bzr__audit_format format_of(const args *a) {
    static const char *const names[] = { "jsonl", "ocsf", "ecs", "cef" };
    for (int i = 0; a->export_format && i < 4; i++)
        if (!strcmp(a->export_format, names[i])) return (bzr__audit_format)i;
    return BZR__AUDIT_JSONL;
}

static bzr_status write_to(bzr__host *host, const args *a, FILE *f) {
    int64_t after = 0;
    bzr__audit_query_in in = query_of(a);
    bzr_status status = bzr__audit_export(host, &in, format_of(a), put_line, f, &after);
    if (!status && (fflush(f) || ferror(f)))
        status = bzr__host_fail(host, BZR_E_IO, "cannot write: %s", strerror(errno));
    return status;
}

static bzr_status export(bzr__host *host, const args *a, bzr__buf *answer) {
    (void)answer;
    if (!a->out || !strcmp(a->out, "-")) return write_to(host, a, stdout);
    FILE *f = fopen(a->out, "wbx");
    if (!f) return bzr__host_fail(host, BZR_E_IO, "cannot make '%s': %s", cli_safe(a->out), strerror(errno));
    bzr_status status = write_to(host, a, f);
    if (fclose(f) && !status)
        status = bzr__host_fail(host, BZR_E_IO, "cannot write '%s': %s", cli_safe(a->out), strerror(errno));
    return status;
}

typedef struct follower {
    uint64_t given, limit;
    bool failed;
} follower;

static bool follow_line(void *ctx, bzr_str line) {
    follower *f = ctx;
    f->failed = fwrite(line.p, 1, line.n, stdout) != line.n;
    f->given += !f->failed;
    return !f->failed;
}

/* From now on, or from --since on, until --limit lines are out, or whoever reads them goes away. */
static bzr_status follow(bzr__host *host, const args *a, bzr__buf *answer) {
    const struct timespec pause = { 0, POLL_MS * 1000000L };
    follower f = { .limit = a->limit };
    bzr__chain_head head = { 0 };
    bzr__audit_query_in in = query_of(a);
    (void)answer;
    bzr_status status = a->since ? BZR_OK : bzr__host_store_failed(host, bzr__store_audit_head(host->store, &head));
    int64_t after = head.seq;
    while (!status && !f.failed && (!f.limit || f.given < f.limit)) {
        in.limit = f.limit ? f.limit - f.given : 0;
        status = bzr__audit_export(host, &in, format_of(a), follow_line, &f, &after);
        f.failed |= fflush(stdout) != 0;
        if (!status && !f.failed && (!f.limit || f.given < f.limit)) nanosleep(&pause, NULL);
    }
    return status;
}

/* ---- for people ---- */

static const cli_column event_columns[] = {
    { "seq", "seq" },
    { "time", "time" },
    { "event_type", "type" },
    { "content", "content" },
    { "metadata.action", "action" },
    { "metadata.pattern_matched", "rule" },
    { "metadata.content_id", "content id" },
    { "metadata.session_id", "session" },
    { "metadata.url", "url" },
};
static const cli_column report_columns[] = { { "checked", "events checked" }, { "anchor", "anchor" } };

static const cli_act acts[] = {
    { .name = "query",
      .operands = "",
      .run = query,
      .columns = event_columns,
      .columns_n = sizeof event_columns / sizeof *event_columns,
      .rows = "events" },
    { .name = "follow", .operands = "", .run = follow, .prints = true },
    { .name = "verify",
      .operands = "",
      .run = verify,
      .columns = report_columns,
      .columns_n = sizeof report_columns / sizeof *report_columns },
    { .name = "export", .operands = "", .run = export, .prints = true },
    { 0 },
};

int cmd_audit(args *a) { return cli_run_act(a, acts); }
