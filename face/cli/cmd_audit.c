/* cmd_audit.c - `toadstone audit`: the log that cannot be changed unseen. */
#include "app/records/audit.h"
#include "face/cli/act.h"
#include "face/cli/out.h"
#include "lib/base/str.h"

#include <errno.h>
#include <stdio.h>
#include <time.h>

enum { POLL_MS = 200 };

static toad__audit_query_in query_of(const args *a) {
    return (toad__audit_query_in){ .since = a->since,
                                   .until = a->until,
                                   .type = toad__str_z(a->event_type),
                                   .action = toad__str_z(a->event_action),
                                   .session_id = toad__str_z(a->session),
                                   .limit = a->limit };
}

static toad_status query(toad__host *host, const args *a, toad__answer *answer) {
    toad__audit_query_in in = query_of(a);
    return toad__audit_query(host, &in, answer);
}

static toad_status verify(toad__host *host, const args *a, toad__answer *answer) {
    return toad__audit_verify(host, a->anchor, answer);
}

/* ---- lines as they come ---- */

static bool put_line(void *ctx, toad_str line) {
    FILE *f = ctx;
    return fwrite(line.p, 1, line.n, f) == line.n;
}

static toad__audit_format format_of(const args *a) {
    static const char *const names[] = { "jsonl", "ocsf", "ecs", "cef" };
    for (int i = 0; a->export_format && i < 4; i++)
        if (!strcmp(a->export_format, names[i])) return (toad__audit_format)i;
    return TOAD__AUDIT_JSONL;
}

static toad_status write_to(toad__host *host, const args *a, FILE *f) {
    int64_t after = 0;
    toad__audit_query_in in = query_of(a);
    toad_status status = toad__audit_export(host, &in, format_of(a), put_line, f, &after);
    if (!status && (fflush(f) || ferror(f)))
        status = toad__host_fail(host, TOAD_E_IO, "cannot write: %s", strerror(errno));
    return status;
}

static toad_status export(toad__host *host, const args *a, toad__answer *answer) {
    (void)answer;
    if (!a->out || !strcmp(a->out, "-")) return write_to(host, a, stdout);
    FILE *f = fopen(a->out, "wbx");
    if (!f) return toad__host_fail(host, TOAD_E_IO, "cannot make '%s': %s", cli_safe(a->out), strerror(errno));
    toad_status status = write_to(host, a, f);
    if (fclose(f) && !status)
        status = toad__host_fail(host, TOAD_E_IO, "cannot write '%s': %s", cli_safe(a->out), strerror(errno));
    return status;
}

typedef struct follower {
    uint64_t given, limit;
    bool failed;
} follower;

static bool follow_line(void *ctx, toad_str line) {
    follower *f = ctx;
    f->failed = fwrite(line.p, 1, line.n, stdout) != line.n;
    f->given += !f->failed;
    return !f->failed;
}

/* From now on, or from --since on, until --limit lines are out, or whoever reads them goes away. */
static toad_status follow(toad__host *host, const args *a, toad__answer *answer) {
    const struct timespec pause = { 0, POLL_MS * 1000000L };
    follower f = { .limit = a->limit };
    toad__chain_head head = { 0 };
    toad__audit_query_in in = query_of(a);
    (void)answer;
    toad_status status = a->since ? TOAD_OK : toad__host_store_failed(host, toad__store_audit_head(host->store, &head));
    int64_t after = head.seq;
    while (!status && !f.failed && (!f.limit || f.given < f.limit)) {
        in.limit = f.limit ? f.limit - f.given : 0;
        status = toad__audit_export(host, &in, format_of(a), follow_line, &f, &after);
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
    { "details.tool", "tool" },
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
