/* sse.h - server-sent events (WHATWG HTML, 9.2): events to bytes, and bytes as they come to events.
 *
 * No input or output. The reader takes any chunking, all three line ends and a byte order mark, and holds at most one
 * line and one event, both within a limit. Names it does not know are passed over, as the standard says. Cost: linear.
 * Thread rule: one thread at a time. */
#ifndef BZR_PROTO_SSE_H
#define BZR_PROTO_SSE_H

#include "lib/base/buf.h"

#define BZR__SSE_ID_MAX 256 /* bytes; a longer id counts as none */

/* Append an event. `id` and `event` without line ends, empty for none; each line of `data` becomes one of the event. */
void bzr__sse_add(bzr__buf *out, bzr_str id, bzr_str event, bzr_str data);
/* Append how long a client is to wait before it comes again, as an event of no data. */
void bzr__sse_add_retry(bzr__buf *out, uint64_t ms);

typedef struct bzr__sse_event {
    bzr_str type; /* "message" where the event does not say */
    bzr_str data;
    bzr_str id; /* the last one sent, or empty */
} bzr__sse_event;

typedef struct bzr__sse_reader {
    bzr__buf line, data, type;
    char id[BZR__SSE_ID_MAX];
    size_t id_n, id_next_n;
    char id_next[BZR__SSE_ID_MAX];
    int64_t retry; /* milliseconds last asked for, or -1 */
    bool started, after_cr, has_data, has_id;
} bzr__sse_reader;

/* `max` bytes of one event's data, and of one line. */
void bzr__sse_init(bzr__sse_reader *r, size_t max);
void bzr__sse_free(bzr__sse_reader *r);
/* Read on; `take` gets each event that is whole, its slices valid during the call; one that the end of the stream cuts
 * off is none. False from it stops the reading (BZR_OK). Errors: BZR_E_LIMIT, BZR_E_NOMEM; the reader is then of no use
 * any more. */
bzr_status bzr__sse_feed(bzr__sse_reader *r, bzr_str bytes, bool (*take)(void *ctx, const bzr__sse_event *event),
                         void *ctx);

#endif
