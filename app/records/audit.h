/* audit.h - the operations on the audit log: query, follow, verify, export.
 *
 * Events are as nanofolks' design has them: event_type, direction, channel, content, and the rest under metadata.
 * Exports are lines, one an event; JSON lines are the very bytes the hash chain covers, so that they can be verified
 * without Toadstone. All text of strangers is escaped in every format. */
#ifndef TOAD_APP_AUDIT_H
#define TOAD_APP_AUDIT_H

#include "app/host/host.h"

typedef enum toad__audit_format {
    TOAD__AUDIT_JSONL,
    TOAD__AUDIT_OCSF,
    TOAD__AUDIT_ECS,
    TOAD__AUDIT_CEF
} toad__audit_format;

/* What to look for, as the caller wrote it; NULL or empty: any. */
typedef struct toad__audit_query_in {
    const char *since, *until; /* RFC 3339, a date, or a span such as 12h */
    toad_str type, action, session_id;
    uint64_t limit;
} toad__audit_query_in;

/* Newest first. Answer: {"events":[...]}; a model is not shown the ids of blocked content. Errors: TOAD_E_ARG (a time
 * that is none). */
toad_status toad__audit_query(toad__host *host, const toad__audit_query_in *in, toad__answer *answer);
/* Walk the chain. `anchor`: "SEQ:HASH" noted down earlier, or NULL. Answer: {"success","checked","head","anchor",...}.
 */
toad_status toad__audit_verify(toad__host *host, const char *anchor, toad__answer *answer);

/* The members of that answer. */
void toad__audit_report_answer(const toad__audit_report *report, toad__answer *answer);

typedef bool (*toad__audit_sink)(void *ctx, toad_str line);

/* Give each event as one line with its line feed, oldest first, to `sink` until it returns false. `*after` is the seq
 * to begin behind (0: at the start) and becomes that of the last line given: calling again gives what is new. The
 * user's alone. Errors: TOAD_E_ARG, TOAD_E_STATE (a model asks). */
toad_status toad__audit_export(toad__host *host, const toad__audit_query_in *in, toad__audit_format format,
                               toad__audit_sink sink, void *ctx, int64_t *after);
/* Append one event as a line, without line feed. */
void toad__audit_line(const toad__event *event, toad__audit_format format, toad__buf *out);
/* Add an event in that form, as an item of the array that is open. */
void toad__audit_event(const toad__event *event, bool hide_blocked_id, toad__answer *out);

#endif
