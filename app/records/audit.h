/* audit.h - the operations on the audit log: query, follow, verify, export (seed 004; research/ecosystem.md 5.6).
 *
 * Events are as the seed has them: event_type, direction, channel, content, and the rest under metadata. Exports are
 * lines, one an event; JSON lines are the very bytes the hash chain covers, so that they can be verified without
 * Bezoar. All text of strangers is escaped in every format. */
#ifndef BZR_APP_AUDIT_H
#define BZR_APP_AUDIT_H

#include "app/host/host.h"

typedef enum bzr__audit_format { BZR__AUDIT_JSONL, BZR__AUDIT_OCSF, BZR__AUDIT_ECS, BZR__AUDIT_CEF } bzr__audit_format;

/* What to look for, as the caller wrote it; NULL or empty: any. */
typedef struct bzr__audit_query_in {
    const char *since, *until; /* RFC 3339, a date, or a span such as 12h */
    bzr_str type, action, session_id;
    uint64_t limit;
} bzr__audit_query_in;

/* Newest first. Answer: {"events":[...]}; a model is not shown the ids of blocked content. Errors: BZR_E_ARG (a time
 * that is none). */
bzr_status bzr__audit_query(bzr__host *host, const bzr__audit_query_in *in, bzr__buf *answer);
/* Walk the chain. `anchor`: "SEQ:HASH" noted down earlier, or NULL. Answer: {"success","checked","head","anchor",...}.
 */
bzr_status bzr__audit_verify(bzr__host *host, const char *anchor, bzr__buf *answer);

typedef bool (*bzr__audit_sink)(void *ctx, bzr_str line);

/* Give each event as one line with its line feed, oldest first, to `sink` until it returns false. `*after` is the seq
 * to begin behind (0: at the start) and becomes that of the last line given: calling again gives what is new. The
 * user's alone. Errors: BZR_E_ARG, BZR_E_STATE (a model asks). */
bzr_status bzr__audit_export(bzr__host *host, const bzr__audit_query_in *in, bzr__audit_format format,
                             bzr__audit_sink sink, void *ctx, int64_t *after);
/* Append one event as a line, without line feed. */
void bzr__audit_line(const bzr__event *event, bzr__audit_format format, bzr__buf *out);
/* Append an event as the seed shows it. */
void bzr__audit_event(const bzr__event *event, bool hide_blocked_id, bzr__buf *out);

#endif
