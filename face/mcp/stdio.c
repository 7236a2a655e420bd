/* stdio.c - lines in, lines out.
 *
 * Between two requests, and while one reports progress, what has arrived is taken in, so that a cancellation overtakes
 * what it cancels. When the engine is full no more is read: the pipe holds the client back. A line beyond the limit is
 * not kept; it is answered with an error under its own id. Only messages go to the output; the process's standard error
 * is for people. Cost: a read, a poll and a write a message; the buffer is as large as the longest line. */
#include "face/mcp/stdio.h"

#include "lib/base/str.h"

#include <errno.h>
#include <poll.h>
#include <sys/uio.h>
#include <unistd.h>

#define READ_BYTES 65536

typedef struct wire {
    toad__mcp *mcp;
    int in, out, err;   /* err: errno of a failure that is not a closed pipe */
    bool ended, closed; /* no more input; no more output */
    toad__buf buf;
    size_t start, looked; /* of the first line that was not taken; up to here it has no end */
    bool dropping;        /* within a line that is too long */
    toad__rpc_id_finder finder;
} wire;

/* ---- out ---- */

static bool can_wait(const wire *w) {
    struct pollfd p = { .fd = w->out, .events = POLLOUT };
    return errno == EINTR || ((errno == EAGAIN || errno == EWOULDBLOCK) && (poll(&p, 1, -1) >= 0 || errno == EINTR));
}

static void close_out(wire *w) {
    w->closed = true;
    if (errno != EPIPE) w->err = errno;
}

static void write_line(void *ctx, const toad__mcp_out *out) {
    static char end[] = "\n";
    wire *w = ctx;
    const char *p = out->message.p;
    if (out->kind == TOAD__MCP_PAUSE) return;
    for (size_t left = out->message.n + 1; left && !w->closed;) { /* with the line feed */
        struct iovec parts[] = { { (char *)(uintptr_t)p, left - 1 }, { end, 1 } };
        ssize_t n = writev(w->out, parts, 2);
        if (n < 0 && !can_wait(w)) close_out(w);
        if (n <= 0) continue;
        left -= (size_t)n;
        p += n;
    }
}

/* ---- in ---- */

static void answer_oversize(wire *w) {
    toad__buf id;
    toad__buf_init(&id, 4096);
    toad__rpc_found_id(&w->finder, &id);
    toad__mcp_oversize(w->mcp, 1, toad__buf_str(&id));
    toad__buf_free(&id);
    w->dropping = false;
}

static void take_line(wire *w, toad_str line) {
    if (!w->dropping && line.n > TOAD__RPC_MESSAGE_MAX) {
        w->finder = (toad__rpc_id_finder){ 0 };
        w->dropping = true;
    }
    if (w->dropping) {
        toad__rpc_find_id(&w->finder, line);
        answer_oversize(w);
    } else if (!toad__str_is_blank(line)) {
        toad__mcp_push(w->mcp, 1, toad__str(NULL, 0), line);
    }
}

/* A line that has no end yet and is too long already is looked through and let go. */
static void drop_long_line(wire *w) {
    toad_str line = toad__str_part(toad__buf_str(&w->buf), w->start, w->buf.n);
    if (!w->dropping && line.n <= TOAD__RPC_MESSAGE_MAX) return;
    if (!w->dropping) w->finder = (toad__rpc_id_finder){ 0 };
    w->dropping = true;
    toad__rpc_find_id(&w->finder, line);
    w->start = w->buf.n;
}

/* Push the lines that are here, as far as the engine takes them. False: it is full. */
static bool take_lines(wire *w) {
    while (!toad__mcp_full(w->mcp)) {
        const char *end = w->looked < w->buf.n ? memchr(w->buf.p + w->looked, '\n', w->buf.n - w->looked) : NULL;
        if (!end) {
            w->looked = w->buf.n;
            drop_long_line(w);
            return true;
        }
        size_t from = w->start;
        w->looked = w->start = (size_t)(end - w->buf.p) + 1;
        take_line(w, toad__str(w->buf.p + from, w->start - 1 - from));
    }
    return false;
}

/* Read once; waits for input if there is none. Only when every whole line was taken, so that little is moved. */
static void fill(wire *w) {
    struct pollfd p = { .fd = w->in, .events = POLLIN };
    size_t rest = w->buf.n - w->start;
    if (w->start && rest) memmove(w->buf.p, w->buf.p + w->start, rest);
    w->looked -= w->start;
    w->start = 0;
    w->buf.n = rest;
    char *room = toad__buf_room(&w->buf, READ_BYTES);
    ssize_t n = room ? read(w->in, room, READ_BYTES) : 0;
    if (n > 0)
        w->buf.n += (size_t)n;
    else if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
        poll(&p, 1, -1);
    else if (!n || errno != EINTR) {
        w->ended = true;
        if (n) w->err = errno;
    }
}

static void take_what_is_here(void *ctx) {
    wire *w = ctx;
    struct pollfd p = { .fd = w->in, .events = POLLIN };
    if (!take_lines(w) || w->ended || poll(&p, 1, 0) <= 0) return;
    fill(w);
    take_lines(w);
}

/* The last line may lack its line feed. */
static void take_rest(wire *w) {
    toad_str line = toad__str_part(toad__buf_str(&w->buf), w->start, w->buf.n);
    w->start = w->buf.n;
    take_line(w, line);
}

toad_status mcp_serve_stdio(toad__mcp_server *server, int in, int out) {
    wire w = { .in = in, .out = out };
    server->wire = &w;
    server->emit = write_line;
    server->poll = take_what_is_here;
    toad_status status = toad__mcp_new(server, &w.mcp);
    if (status) return status;
    toad__buf_init(&w.buf, TOAD__RPC_MESSAGE_MAX + 2 * READ_BYTES);
    while (!w.closed && !w.buf.status) {
        take_lines(&w);
        bool worked = toad__mcp_step(w.mcp);
        if (worked)
            take_what_is_here(&w);
        else if (!w.ended)
            fill(&w);
        else if (w.buf.n > w.start || w.dropping)
            take_rest(&w);
        else
            break;
    }
    toad__mcp_free(w.mcp);
    status = w.buf.status ? w.buf.status : w.err ? TOAD_E_IO : TOAD_OK;
    toad__buf_free(&w.buf);
    errno = w.err;
    return status;
}
