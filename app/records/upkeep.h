/* upkeep.h - the operations on the store as a whole: count, purge, export, back up, verify. All but counting are the
 * user's alone. */
#ifndef BZR_APP_UPKEEP_H
#define BZR_APP_UPKEEP_H

#include "app/host/host.h"

/* Answer: one number for each kind of record; total_contents, total_urls, accessed, blocked and warned are seed 004's.
 */
bzr_status bzr__upkeep_stats(bzr__host *host, bzr__buf *answer);
/* Remove contents that have expired and, where `until` is given, events before it (the chain keeps the hash that the
 * rest hangs on). */
bzr_status bzr__upkeep_purge(bzr__host *host, const char *until, bzr__buf *answer);
/* A consistent copy at `path`, which must not exist. */
bzr_status bzr__upkeep_backup(bzr__host *host, const char *path, bzr__buf *answer);
/* The files by the backend's own check, then the audit chain. Answer: {"success","store","audit":{...}} */
bzr_status bzr__upkeep_verify(bzr__host *host, bzr__buf *answer);

typedef bool (*bzr__upkeep_sink)(void *ctx, bzr_str line);
/* Give every record as one line of JSON with its line feed: {"record":"content",...}. Bodies that are no UTF-8 are in
 * "body_b64". What others write meanwhile may be in it or not. Errors: BZR_E_STATE (a model asks). */
bzr_status bzr__upkeep_export(bzr__host *host, bzr__upkeep_sink sink, void *ctx);

#endif
