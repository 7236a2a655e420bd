/* cmd_store.c - `toadstone store`: the place where all is kept. */
#include "app/records/upkeep.h"
#include "face/cli/act.h"
#include "face/cli/out.h"
#include "lib/base/str.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

static toad_status stats(toad__host *host, const args *a, toad__answer *answer) {
    (void)a;
    return toad__upkeep_stats(host, answer);
}

static toad_status purge(toad__host *host, const args *a, toad__answer *answer) {
    return toad__upkeep_purge(host, a->until, answer);
}

static toad_status backup(toad__host *host, const args *a, toad__answer *answer) {
    return toad__upkeep_backup(host, a->operands[1], answer);
}

static toad_status verify(toad__host *host, const args *a, toad__answer *answer) {
    (void)a;
    return toad__upkeep_verify(host, answer);
}

static bool put_line(void *ctx, toad_str line) { return fwrite(line.p, 1, line.n, ctx) == line.n; }

static toad_status write_to(toad__host *host, FILE *f) {
    toad_status status = toad__upkeep_export(host, put_line, f);
    bool failed = fflush(f) || ferror(f);
    return !status && failed ? toad__host_fail(host, TOAD_E_IO, "cannot write: %s", strerror(errno)) : status;
}

/* A new file that only its owner can read: it holds what the store holds. */
static toad_status export(toad__host *host, const args *a, toad__answer *answer) {
    (void)answer;
    if (!a->out || !strcmp(a->out, "-")) return write_to(host, stdout);
    if (host->by == TOAD__READER_MODEL)
        return toad__upkeep_export(host, put_line, NULL); /* which refuses, before there is a file */
    int fd = open(a->out, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    FILE *f = fd < 0 ? NULL : fdopen(fd, "wb");
    if (!f) return toad__host_fail(host, TOAD_E_IO, "cannot make '%s': %s", cli_safe(a->out), strerror(errno));
    toad_status status = write_to(host, f);
    if (fclose(f) && !status)
        status = toad__host_fail(host, TOAD_E_IO, "cannot write '%s': %s", cli_safe(a->out), strerror(errno));
    return status;
}

static const cli_column stats_columns[] = {
    { "backend", "backend" },
    { "version", "version" },
    { "total_contents", "contents" },
    { "total_urls", "URLs" },
    { "accessed", "read" },
    { "blocked", "blocked" },
    { "warned", "warned" },
    { "expired", "expired" },
    { "body_bytes", "bytes of text" },
    { "packed_bytes", "bytes kept" },
    { "memories", "memories" },
    { "sources", "sources" },
    { "settings", "settings" },
    { "sessions", "sessions" },
    { "learnings", "learnings" },
    { "confirmations", "confirmations" },
    { "pending_confirmations", "pending" },
    { "applied_confirmations", "applied" },
    { "skipped_confirmations", "skipped" },
    { "events", "events" },
};
static const cli_column purge_columns[] = { { "contents_removed", "contents removed" },
                                            { "events_removed", "events removed" } };
static const cli_column backup_columns[] = { { "backup", "backup" } };
static const cli_column verify_columns[] = { { "store", "store" },
                                             { "audit.checked", "events checked" },
                                             { "audit.anchor", "anchor" } };

static const cli_act acts[] = {
    { .name = "stats",
      .operands = "",
      .run = stats,
      .columns = stats_columns,
      .columns_n = sizeof stats_columns / sizeof *stats_columns },
    { .name = "purge",
      .operands = "",
      .run = purge,
      .columns = purge_columns,
      .columns_n = sizeof purge_columns / sizeof *purge_columns },
    { .name = "export", .operands = "", .run = export, .prints = true },
    { .name = "backup",
      .operands = "FILE",
      .least = 1,
      .most = 1,
      .run = backup,
      .columns = backup_columns,
      .columns_n = 1 },
    { .name = "verify",
      .operands = "",
      .run = verify,
      .columns = verify_columns,
      .columns_n = sizeof verify_columns / sizeof *verify_columns },
    { 0 },
};

int cmd_store(args *a) { return cli_run_act(a, acts); }
