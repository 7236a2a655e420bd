/* upkeep.h - the operations on the store as a whole: count, purge, export, back up, verify. All but counting are the
 * user's alone. */
#ifndef TOAD_APP_UPKEEP_H
#define TOAD_APP_UPKEEP_H

#include "app/host/host.h"

/* Answer: one number for each kind of record; total_contents, total_urls, accessed, blocked and warned are nanofolks'.
 */
toad_status toad__upkeep_stats(toad__host *host, toad__answer *answer);
/* Remove contents that have expired and, where `until` is given, events before it (the chain keeps the hash that the
 * rest hangs on). */
toad_status toad__upkeep_purge(toad__host *host, const char *until, toad__answer *answer);
/* A consistent copy at `path`, which must not exist. */
toad_status toad__upkeep_backup(toad__host *host, const char *path, toad__answer *answer);
/* The files by the backend's own check, then the audit chain. Answer: {"success","store","audit":{...}} */
toad_status toad__upkeep_verify(toad__host *host, toad__answer *answer);

typedef bool (*toad__upkeep_sink)(void *ctx, toad_str line);
/* Give every record as one line of JSON with its line feed: {"record":"content",...}. Bodies that are no UTF-8 are in
 * "body_b64". What others write meanwhile may be in it or not. Errors: TOAD_E_STATE (a model asks). */
toad_status toad__upkeep_export(toad__host *host, toad__upkeep_sink sink, void *ctx);

#endif
