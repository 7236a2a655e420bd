/* snapshots.c - the memory a session was given first, which it is given again: a prompt keeps its bytes while memories
 * change.
 *
 * The text goes into a prompt as it stands, so it must be ours: its digest is in the audit log from the moment it was
 * kept, and a text that this digest does not fit was written by a foreign hand and is never given. */
#include "store/internal.h"
#include "sys/digest.h"

#include <inttypes.h>
#include <stdio.h>

#define KEPT INT64_C(2592000000000) /* 30 days, in microseconds: no session lives longer */

typedef struct keep_one {
    toad__arena *arena;
    toad__snapshot snapshot;
    bool found, full;
} keep_one;

static bool keep_snapshot(void *ctx, const toad__value *row, size_t n) {
    (void)n;
    keep_one *k = ctx;
    toad__columns c = { row };
    k->snapshot.text = toad__next_text(&c);
    k->snapshot.entries = toad__next_int(&c);
    k->snapshot.external = toad__next_int(&c);
    k->snapshot.blocked = toad__next_int(&c);
    k->full = !toad__keep(k->arena, &k->snapshot.text);
    k->found = true;
    return false;
}

static bool take_digest(void *ctx, const toad__event *event) {
    char *digest = ctx;
    if (event->content.n == 64) memcpy(digest, event->content.p, 64);
    return false;
}

static void name_of(toad_str shape, toad__buf *ret) {
    toad__buf_add_z(ret, "snapshot:");
    toad__buf_add_str(ret, shape);
}

/* What the log says was kept last; empty: nothing. */
static toad_status digest_of(toad__store *store, toad_str session, toad_str shape, char ret[65]) {
    toad__buf name;
    memset(ret, 0, 65);
    toad__buf_init(&name, 4096);
    name_of(shape, &name);
    toad__event_filter filter = { .type = TOAD__S("memory_snapshot"),
                                  .url = toad__buf_str(&name),
                                  .session_id = session,
                                  .newest_first = true,
                                  .limit = 1 };
    toad_status status = name.status ? name.status : toad__store_events(store, &filter, take_digest, ret);
    toad__buf_free(&name);
    return status;
}

toad_status toad__store_snapshot_get(toad__store *store, toad_str session, toad_str shape, toad__arena *arena,
                                     toad__snapshot *ret) {
    keep_one k = { .arena = arena };
    char is[65], was[65];
    toad_status status = toad__store_read(store, TOAD__SQL_SNAPSHOT, TOAD__ARGS(toad__text(session), toad__text(shape)),
                                          keep_snapshot, &k);
    if (!status && k.full) status = toad__store_fail(TOAD_E_NOMEM, "%s", toad_status_message(TOAD_E_NOMEM));
    if (!status && !k.found) status = toad__store_fail(TOAD_E_NOT_FOUND, "no such snapshot");
    if (!status) status = digest_of(store, session, shape, was);
    if (status) return status;
    toad__sha256_of(k.snapshot.text, is);
    k.snapshot.intact = !strcmp(is, was);
    *ret = k.snapshot;
    return TOAD_OK;
}

toad_status toad__store_snapshot_put(toad__store *store, toad_str session, toad_str shape,
                                     const toad__snapshot *snapshot, toad_str instead) {
    toad__tx tx;
    toad__buf name;
    char digest[65], details[96];
    uint64_t changed = 0;
    toad__buf_init(&name, 4096);
    name_of(shape, &name);
    toad__sha256_of(snapshot->text, digest);
    snprintf(details, sizeof details, "{\"entries\":%" PRId64 ",\"external\":%" PRId64 ",\"blocked\":%" PRId64 "}",
             snapshot->entries, snapshot->external, snapshot->blocked);
    toad__tx_begin(store, &tx);
    toad__tx_run(&tx, TOAD__SQL_SNAPSHOT_PUT,
                 TOAD__ARGS(toad__text(session), toad__text(shape), toad__text(snapshot->text),
                            toad__int(snapshot->entries), toad__int(snapshot->external), toad__int(snapshot->blocked),
                            toad__int(tx.now), toad__text(instead)),
                 NULL, NULL, &changed);
    toad__tx_queue(&tx, TOAD__SQL_SNAPSHOTS_DROP, TOAD__ARGS(toad__int(tx.now - KEPT)));
    if (name.status) toad__tx_fail(&tx, name.status, "%s", toad_status_message(name.status));
    if (changed)
        toad__tx_event(&tx, &(toad__event){ .type = TOAD__S("memory_snapshot"),
                                            .direction = TOAD__S("internal"),
                                            .channel = TOAD__S("internal"),
                                            .content = toad__str_z(digest),
                                            .url = toad__buf_str(&name),
                                            .session_id = session,
                                            .details = toad__str_z(details) });
    toad_status status = toad__tx_end(&tx);
    toad__buf_free(&name);
    return status;
}
