/* stdio.c - the pump between a client on standard input and output and its server: one thread, one poll.
 *
 * The client is gone when nobody reads its output any more; the server is then ended at once. When it only sends
 * nothing more, what is in flight is answered first. SIGTERM, SIGINT and SIGHUP end the server in the same way. */
#include "face/proxy/stdio.h"

#include "face/proxy/lines.h"
#include "face/proxy/signals.h"
#include "lib/base/str.h"
#include "sys/clock.h"

#include <fcntl.h>
#include <unistd.h>

typedef struct pump {
    proxy_session *session;
    proxy_lines in;
    proxy_sink out;
    int in_fd;
    bool client_gone;
} pump;

static void to_client(void *ctx, const toad__proxy_out *out) {
    pump *p = ctx;
    if (!p->client_gone && !proxy_sink_line(&p->out, out->message)) p->client_gone = true;
}

static void take_message(void *ctx, toad_str line) {
    toad__proxy_from_client(proxy_session_machine(((pump *)ctx)->session), 1, toad__str(NULL, 0), line);
}

static void take_too_long(void *ctx, toad_str id) {
    toad__proxy_client_oversize(proxy_session_machine(((pump *)ctx)->session), 1, id);
}

static void step(pump *p) {
    struct pollfd fds[3 + PROXY_FDS];
    int timeout = -1;
    bool hold = proxy_sink_waits(&p->out) > PROXY_SINK_HIGH;
    fds[0] = (struct pollfd){ .fd = proxy_session_full(p->session) ? -1 : p->in_fd, .events = POLLIN };
    fds[1] = (struct pollfd){ .fd = p->out.fd, .events = proxy_sink_waits(&p->out) ? POLLOUT : 0 };
    fds[2] = (struct pollfd){ .fd = proxy_wake_fd(), .events = POLLIN };
    size_t n = proxy_session_wait(p->session, fds + 3, hold, &timeout);
    if (poll(fds, (nfds_t)(3 + n), timeout) < 0) {
        for (size_t i = 0; i < 3 + n; i++) fds[i].revents = 0; /* a signal, which is in the pipe */
    }
    if (fds[0].revents && !proxy_lines_read(&p->in, p->in_fd)) p->in_fd = -1;
    if ((fds[1].revents & (POLLERR | POLLHUP | POLLNVAL)) || ((fds[1].revents & POLLOUT) && !proxy_sink_flush(&p->out)))
        p->client_gone = true;
    proxy_session_ready(p->session, fds + 3, n);
    if (p->client_gone || (fds[2].revents && proxy_was_told_to_end()))
        proxy_session_finish(p->session, true);
    else if (p->in_fd < 0)
        proxy_session_finish(p->session, false);
}

/* What is still to be written, while somebody reads. */
static void flush_out(pump *p) {
    int64_t end = toad__now_ms() + 5000;
    while (!p->client_gone && proxy_sink_waits(&p->out) && toad__now_ms() < end) {
        struct pollfd fd = { .fd = p->out.fd, .events = POLLOUT };
        if (poll(&fd, 1, 1000) > 0 && !proxy_sink_flush(&p->out)) return;
    }
}

int proxy_serve_stdio(proxy_session_settings *settings, int in, int out, char why[256]) {
    pump p = { .in_fd = in };
    int flags = fcntl(out, F_GETFL), code = 0;
    *why = 0;
    settings->client = &p;
    settings->to_client = to_client;
    if (!proxy_catch_signals() || !proxy_session_new(settings, &p.session, why)) return 2;
    proxy_lines_init(&p.in, TOAD__RPC_MESSAGE_MAX);
    proxy_sink_init(&p.out, out);
    p.in.ctx = &p;
    p.in.line = take_message;
    p.in.too_long = take_too_long;
    if (!isatty(out)) fcntl(out, F_SETFL, flags | O_NONBLOCK);
    while (!proxy_session_over(p.session)) step(&p);
    flush_out(&p);
    fcntl(out, F_SETFL, flags);
    if (proxy_session_crashed(p.session)) code = 2;
    proxy_session_free(p.session);
    proxy_lines_free(&p.in);
    proxy_sink_free(&p.out);
    return code;
}
