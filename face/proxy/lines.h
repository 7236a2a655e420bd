/* lines.h - bytes that come in pieces, cut into lines; and bytes that go out as a pipe takes them.
 *
 * A line that is longer than a message may be is not kept; of it, only the id is looked for. What cannot be written at
 * once waits in memory, and whoever produces it is to be held back meanwhile. */
#ifndef TOAD_FACE_PROXY_LINES_H
#define TOAD_FACE_PROXY_LINES_H

#include "proto/jsonrpc.h"

typedef struct proxy_lines {
    size_t max; /* bytes of a line */
    toad__buf buf;
    size_t start, looked; /* of the first line that was not taken; up to here it has no end */
    bool dropping, ended;
    toad__rpc_id_finder finder;
    void *ctx;
    void (*line)(void *ctx, toad_str line);
    void (*too_long)(void *ctx, toad_str id); /* `id`: JSON, or empty */
} proxy_lines;

void proxy_lines_init(proxy_lines *l, size_t max);
void proxy_lines_free(proxy_lines *l);
/* Read once from `fd`, which does not block, and hand on the lines that are whole. False: the end, or a failure. */
bool proxy_lines_read(proxy_lines *l, int fd);

typedef struct proxy_sink {
    int fd; /* -1: closed */
    toad__buf buf;
    size_t at; /* bytes of it that were written */
} proxy_sink;

#define PROXY_SINK_HIGH ((size_t)8 << 20) /* above this, hold back what fills it */

void proxy_sink_init(proxy_sink *s, int fd);
void proxy_sink_free(proxy_sink *s);
static inline size_t proxy_sink_waits(const proxy_sink *s) { return s->buf.n - s->at; }
/* Write a line, as far as it is taken. False: the other side is gone. */
bool proxy_sink_line(proxy_sink *s, toad_str line);
/* Write what waits. */
bool proxy_sink_flush(proxy_sink *s);

#endif
