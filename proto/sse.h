/* sse.h - server-sent events (WHATWG HTML, 9.2): events to bytes, and bytes as they come to events.
 *
 * No input or output. The reader takes any chunking, all three line ends and a byte order mark, and holds at most one
 * line and one event, both within a limit. Names it does not know are passed over, as the standard says. Cost: linear.
 * Thread rule: one thread at a time. */
#ifndef TOAD_PROTO_SSE_H
#define TOAD_PROTO_SSE_H

#include "lib/base/buf.h"

#define TOAD__SSE_ID_MAX 256 /* bytes; a longer id counts as none */

/* Append an event. `id` and `event` without line ends, empty for none; each line of `data` becomes one of the event. */
void toad__sse_add(toad__buf *out, toad_str id, toad_str event, toad_str data);
/* Append how long a client is to wait before it comes again, as an event of no data. */
void toad__sse_add_retry(toad__buf *out, uint64_t ms);

typedef struct toad__sse_event {
    toad_str type; /* "message" where the event does not say */
    toad_str data;
    toad_str id; /* the last one sent, or empty */
} toad__sse_event;

typedef struct toad__sse_reader {
    toad__buf line, data, type;
    char id[TOAD__SSE_ID_MAX];
    size_t id_n, id_next_n;
    char id_next[TOAD__SSE_ID_MAX];
    int64_t retry; /* milliseconds last asked for, or -1 */
    bool started, after_cr, has_data, has_id;
} toad__sse_reader;

/* `max` bytes of one event's data, and of one line. */
void toad__sse_init(toad__sse_reader *r, size_t max);
void toad__sse_free(toad__sse_reader *r);
/* Read on; `take` gets each event that is whole, its slices valid during the call; one that the end of the stream cuts
 * off is none. False from it stops the reading (TOAD_OK). Errors: TOAD_E_LIMIT, TOAD_E_NOMEM; the reader is then of no
 * use any more. */
toad_status toad__sse_feed(toad__sse_reader *r, toad_str bytes, bool (*take)(void *ctx, const toad__sse_event *event),
                           void *ctx);

#endif
