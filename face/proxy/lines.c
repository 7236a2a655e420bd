/* lines.c - see lines.h. Cost: a read a piece, a write a line; a line is copied only where it comes in pieces. */
#include "face/proxy/lines.h"

#include "lib/base/str.h"

#include <errno.h>
#include <sys/uio.h>
#include <unistd.h>

#define READ_BYTES 65536

/* ---- in ---- */

void proxy_lines_init(proxy_lines *l, size_t max) {
    *l = (proxy_lines){ .max = max };
    toad__buf_init(&l->buf, max + 2 * READ_BYTES);
}

void proxy_lines_free(proxy_lines *l) { toad__buf_free(&l->buf); }

static void take(proxy_lines *l, toad_str line) {
    toad__buf id;
    if (!l->dropping && line.n <= l->max) {
        if (!toad__str_is_blank(line)) l->line(l->ctx, line);
        return;
    }
    toad__buf_init(&id, 4096);
    if (!l->dropping) l->finder = (toad__rpc_id_finder){ 0 };
    toad__rpc_find_id(&l->finder, line);
    toad__rpc_found_id(&l->finder, &id);
    l->dropping = false;
    l->too_long(l->ctx, toad__buf_str(&id));
    toad__buf_free(&id);
}

/* A line that has no end yet and is too long already is looked through and let go. */
static void drop_long(proxy_lines *l) {
    toad_str line = toad__str_part(toad__buf_str(&l->buf), l->start, l->buf.n);
    if (!l->dropping && line.n <= l->max) return;
    if (!l->dropping) l->finder = (toad__rpc_id_finder){ 0 };
    l->dropping = true;
    toad__rpc_find_id(&l->finder, line);
    l->start = l->looked = l->buf.n;
}

static void take_lines(proxy_lines *l) {
    const char *end;
    while (l->looked < l->buf.n && (end = memchr(l->buf.p + l->looked, '\n', l->buf.n - l->looked))) {
        size_t from = l->start;
        l->looked = l->start = (size_t)(end - l->buf.p) + 1;
        take(l, toad__str(l->buf.p + from, l->start - 1 - from));
    }
    l->looked = l->buf.n;
    drop_long(l);
}

static void make_room(proxy_lines *l) {
    size_t rest = l->buf.n - l->start;
    if (l->start && rest) memmove(l->buf.p, l->buf.p + l->start, rest);
    l->looked -= l->start;
    l->start = 0;
    l->buf.n = rest;
}

bool proxy_lines_read(proxy_lines *l, int fd) {
    make_room(l);
    char *room = toad__buf_room(&l->buf, READ_BYTES);
    if (!room) return false;
    ssize_t n = read(fd, room, READ_BYTES);
    if (n < 0 && (errno == EINTR || errno == EAGAIN || errno == EWOULDBLOCK)) return true;
    if (n > 0) {
        l->buf.n += (size_t)n;
        take_lines(l);
        return true;
    }
    toad_str rest = toad__str_part(toad__buf_str(&l->buf), l->start, l->buf.n);
    l->start = l->looked = l->buf.n;
    if (rest.n || l->dropping) take(l, rest); /* the last line may lack its line feed */
    return false;
}

/* ---- out ---- */

void proxy_sink_init(proxy_sink *s, int fd) {
    *s = (proxy_sink){ .fd = fd };
    toad__buf_init(&s->buf, (size_t)512 << 20);
}

void proxy_sink_free(proxy_sink *s) { toad__buf_free(&s->buf); }

static bool can_wait(void) { return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR; }

bool proxy_sink_line(proxy_sink *s, toad_str line) {
    static char end[] = "\n";
    ssize_t n = 0;
    if (s->fd < 0) return false;
    if (!proxy_sink_waits(s)) {
        struct iovec parts[] = { { (char *)(uintptr_t)line.p, line.n }, { end, 1 } };
        n = writev(s->fd, parts, 2);
        if (n < 0 && !can_wait()) return false;
        if (n < 0) n = 0;
    }
    if ((size_t)n > line.n) return true;
    toad__buf_add(&s->buf, line.p + n, line.n - (size_t)n);
    toad__buf_add_c(&s->buf, '\n');
    return !s->buf.status;
}

bool proxy_sink_flush(proxy_sink *s) {
    if (s->fd < 0) return false;
    while (proxy_sink_waits(s)) {
        ssize_t n = write(s->fd, s->buf.p + s->at, proxy_sink_waits(s));
        if (n < 0) {
            bool waits = can_wait();
            if (s->at > READ_BYTES) { /* what is written need not be kept */
                memmove(s->buf.p, s->buf.p + s->at, proxy_sink_waits(s));
                s->buf.n -= s->at;
                s->at = 0;
            }
            return waits;
        }
        s->at += (size_t)n;
    }
    s->at = 0;
    if (s->buf.cap > ((size_t)1 << 20)) toad__buf_free(&s->buf);
    toad__buf_clear(&s->buf);
    return true;
}
