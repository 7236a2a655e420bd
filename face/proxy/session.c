/* session.c - see session.h. Messages are handed on as they are read: one poll, one read, one write a message. */
#include "face/proxy/session.h"

#include "face/proxy/child.h"
#include "face/proxy/lines.h"
#include "face/proxy/remote.h"
#include "lib/base/str.h"
#include "sys/clock.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define GRACE_MS   2000  /* for each step of ending a server: its input closed, SIGTERM, SIGKILL */
#define FINISH_MS  60000 /* for what is in flight when the client sends nothing more */
#define LINGER_MS  500   /* for the output of a server that has ended */
#define STDERR_MAX 4096  /* bytes of a line */

typedef enum phase { RUNNING, FINISHING, CLOSED, TERMINATED, KILLED } phase;

struct proxy_session {
    proxy_session_settings o;
    proxy_screening screening;
    toad__proxy *machine;
    proxy_child child;
    proxy_lines out, err;
    proxy_sink in;
    proxy_remote *remote;
    phase phase;
    int64_t since;    /* of the phase */
    int64_t ended_at; /* 0: the server runs */
    int64_t ticked;
    bool over, crashed;
    char *session, *principal;
    char why[192]; /* the server is gone */
};

static void note(const proxy_session *s, const char *text) { s->o.note(s->o.target->name, text); }

static void enter(proxy_session *s, phase to) {
    s->phase = to;
    s->since = toad__now_ms();
}

/* ---- callbacks of the machine ---- */

static void emit(void *ctx, const toad__proxy_out *out) {
    proxy_session *s = ctx;
    if (!out->to_server)
        s->o.to_client(s->o.client, out);
    else if (s->remote)
        proxy_remote_send(s->remote, out, toad__proxy_server_version(s->machine));
    else if (s->in.fd >= 0 && !proxy_sink_line(&s->in, out->message))
        proxy_child_close(&s->in.fd); /* that it ended is seen at its output */
}

static bool screen_value(void *ctx, const toad__proxy_value *in, toad__buf *out, toad__buf *question,
                         toad__proxy_verdict *ret) {
    return proxy_screen_value(&((proxy_session *)ctx)->screening, in, out, question, ret);
}

static bool permit_call(void *ctx, const toad__proxy_value *in, toad__buf *out, toad__buf *question,
                        toad__proxy_verdict *ret) {
    return proxy_permit_call(&((proxy_session *)ctx)->screening, in, out, question, ret);
}

static toad__mcp_fate refuse_value(void *ctx, const toad__proxy_value *in, const char *why, toad__buf *out) {
    (void)ctx;
    return proxy_refuse_value(in, why, out);
}

static void note_machine(void *ctx, const char *text) { note(ctx, text); }

static int64_t now(void *ctx) {
    (void)ctx;
    return toad__now_ms();
}

/* ---- what the server sends ---- */

static void take_message(void *ctx, toad_str line) {
    toad__proxy_from_server(((proxy_session *)ctx)->machine, 0, 0, line);
}

static void take_too_long(void *ctx, toad_str id) {
    toad__proxy_server_oversize(((proxy_session *)ctx)->machine, 0, id);
}

static void take_stderr(void *ctx, toad_str line) {
    char text[STDERR_MAX + 1];
    snprintf(text, sizeof text, "%.*s", (int)line.n, line.p);
    note(ctx, text);
}

static void take_long_stderr(void *ctx, toad_str id) {
    (void)id;
    note(ctx, "(a line that is too long was left out)");
}

static void remote_message(void *ctx, uint64_t exchange, int http, toad_str bytes) {
    toad__proxy_from_server(((proxy_session *)ctx)->machine, exchange, http, bytes);
}

static void remote_too_long(void *ctx, uint64_t exchange) {
    toad__proxy_server_oversize(((proxy_session *)ctx)->machine, exchange, toad__str(NULL, 0));
}

static void remote_failed(void *ctx, uint64_t exchange, const char *why) {
    proxy_session *s = ctx;
    note(s, why);
    if (exchange) toad__proxy_failed(s->machine, exchange, why);
}

static bool remote_waits(void *ctx, uint64_t exchange) {
    return toad__proxy_waits(((proxy_session *)ctx)->machine, exchange);
}

/* ---- life ---- */

static bool start_server(proxy_session *s, char why[256]) {
    const proxy_target *t = s->o.target;
    if (t->argv) {
        if (!proxy_child_start(t->argv, t->env, t->env_n, t->cwd, &s->child, why)) return false;
        s->in.fd = s->child.in;
        s->child.in = -1;
        return true;
    }
    const proxy_remote_settings settings = { .url = t->url,
                                             .headers = t->headers,
                                             .headers_n = t->headers_n,
                                             .ctx = s,
                                             .message = remote_message,
                                             .too_long = remote_too_long,
                                             .failed = remote_failed,
                                             .waits = remote_waits };
    return proxy_remote_new(&settings, &s->remote, why);
}

static toad_status make_machine(proxy_session *s) {
    s->session = toad__str_copy(s->o.session);
    s->principal = toad__str_copy(s->o.principal);
    if (!s->session || !s->principal) return TOAD_E_NOMEM;
    s->screening = (proxy_screening){ .host = s->o.host,
                                      .starter = s->o.starter,
                                      .screen = s->o.screen,
                                      .server = toad__str_z(s->o.target->name),
                                      .note = s->o.note,
                                      .session = toad__str(s->session, s->o.session.n) };
    const toad__proxy_options options = { .same_era = s->o.same_era,
                                          .shared = s->o.shared,
                                          .timeout = s->o.timeout_ms,
                                          .name = s->screening.server,
                                          .principal = toad__str_z(s->principal),
                                          .ctx = s,
                                          .emit = emit,
                                          .screen = screen_value,
                                          .permit = permit_call,
                                          .refuse = refuse_value,
                                          .note = note_machine,
                                          .now = now };
    return toad__proxy_new(&options, &s->machine);
}

bool proxy_session_new(const proxy_session_settings *settings, proxy_session **ret, char why[256]) {
    proxy_session *s = calloc(1, sizeof *s);
    if (!s) {
        snprintf(why, 256, "out of memory");
        return false;
    }
    s->o = *settings;
    s->child = (proxy_child){ .in = -1, .out = -1, .err = -1 };
    proxy_sink_init(&s->in, -1);
    proxy_lines_init(&s->out, TOAD__RPC_MESSAGE_MAX);
    proxy_lines_init(&s->err, STDERR_MAX);
    s->out.ctx = s->err.ctx = s;
    s->out.line = take_message;
    s->out.too_long = take_too_long;
    s->err.line = take_stderr;
    s->err.too_long = take_long_stderr;
    toad_status status = make_machine(s);
    if (status) snprintf(why, 256, "%s", toad_status_message(status));
    if (status || !start_server(s, why)) {
        proxy_session_free(s);
        return false;
    }
    s->ticked = toad__now_ms();
    *ret = s;
    return true;
}

void proxy_session_free(proxy_session *s) {
    if (!s) return;
    proxy_remote_free(s->remote);
    proxy_child_close(&s->in.fd);
    if (s->child.pid) proxy_child_end(&s->child);
    toad__proxy_free(s->machine);
    proxy_lines_free(&s->out);
    proxy_lines_free(&s->err);
    proxy_sink_free(&s->in);
    free(s->session);
    free(s->principal);
    free(s);
}

toad__proxy *proxy_session_machine(proxy_session *s) { return s->machine; }
bool proxy_session_full(const proxy_session *s) { return proxy_sink_waits(&s->in) > PROXY_SINK_HIGH; }
bool proxy_session_over(const proxy_session *s) { return s->over; }
bool proxy_session_crashed(const proxy_session *s) { return s->crashed; }

/* ---- the end ---- */

static void close_input(proxy_session *s) {
    proxy_child_close(&s->in.fd);
    enter(s, CLOSED);
}

/* The server has ended, or says nothing more. */
static void server_ended(proxy_session *s) {
    char how[64];
    bool ended = proxy_child_over(&s->child);
    if (s->over) return;
    s->crashed = s->phase == RUNNING || s->phase == FINISHING;
    proxy_child_say(&s->child, how);
    snprintf(s->why, sizeof s->why, "the server has ended (%s)", ended ? how : "it closed its output");
    if (s->crashed) note(s, s->why);
    s->over = true;
    toad__proxy_server_gone(s->machine, s->why);
}

void proxy_session_finish(proxy_session *s, bool at_once) {
    if (s->remote) {
        if (at_once || !toad__proxy_in_flight(s->machine)) s->over = true;
        if (s->phase == RUNNING) enter(s, FINISHING);
    } else if (at_once && s->phase <= FINISHING) {
        close_input(s);
    } else if (s->phase == RUNNING) {
        enter(s, FINISHING);
    }
}

/* One step further where it has waited long enough. */
static void move_on(proxy_session *s, int64_t at) {
    if (s->phase == FINISHING && (at - s->since >= FINISH_MS || !toad__proxy_in_flight(s->machine))) {
        if (s->remote)
            s->over = true;
        else if (!proxy_sink_waits(&s->in) || at - s->since >= FINISH_MS)
            close_input(s);
    } else if (s->phase == CLOSED && at - s->since >= GRACE_MS) {
        proxy_child_signal(&s->child, SIGTERM);
        enter(s, TERMINATED);
    } else if (s->phase == TERMINATED && at - s->since >= GRACE_MS) {
        proxy_child_signal(&s->child, SIGKILL);
        enter(s, KILLED);
    } else if (s->phase == KILLED && at - s->since >= LINGER_MS) {
        server_ended(s);
    }
    if (s->remote || s->over || !proxy_child_over(&s->child)) return;
    if (!s->ended_at) s->ended_at = at;
    if (at - s->ended_at >= LINGER_MS) server_ended(s); /* something else holds its output open */
}

/* ---- the loop ---- */

static void lower(int *timeout_ms, int64_t ms) {
    if (*timeout_ms < 0 || *timeout_ms > ms) *timeout_ms = (int)ms;
}

size_t proxy_session_wait(proxy_session *s, struct pollfd *fds, bool hold, int *timeout_ms) {
    if (s->over) return 0;
    lower(timeout_ms, s->ended_at || s->phase != RUNNING ? 50 : 1000);
    if (s->remote) return proxy_remote_wait(s->remote, fds, timeout_ms);
    fds[0] = (struct pollfd){ .fd = hold ? -1 : s->child.out, .events = POLLIN };
    fds[1] = (struct pollfd){ .fd = s->child.err, .events = POLLIN };
    fds[2] = (struct pollfd){ .fd = proxy_sink_waits(&s->in) ? s->in.fd : -1, .events = POLLOUT };
    return 3;
}

static void child_ready(proxy_session *s, const struct pollfd *fds) {
    if (fds[1].revents && s->child.err >= 0 && !proxy_lines_read(&s->err, s->child.err))
        proxy_child_close(&s->child.err);
    if (fds[0].revents && s->child.out >= 0 && !proxy_lines_read(&s->out, s->child.out)) {
        proxy_child_close(&s->child.out);
        if (!s->ended_at) s->ended_at = toad__now_ms(); /* how it ends is known in a moment */
    }
    if (fds[2].revents && !proxy_sink_flush(&s->in)) proxy_child_close(&s->in.fd);
}

void proxy_session_ready(proxy_session *s, const struct pollfd *fds, size_t n) {
    int64_t at = toad__now_ms();
    if (s->over) return;
    if (s->remote)
        proxy_remote_ready(s->remote, fds, n);
    else if (n)
        child_ready(s, fds);
    if (at - s->ticked >= 250) {
        s->ticked = at;
        toad__proxy_tick(s->machine);
    }
    move_on(s, at);
    if (s->child.out < 0 && !s->remote && !s->over && (proxy_child_over(&s->child) || at - s->ended_at >= LINGER_MS)) {
        if (!proxy_child_over(&s->child) && s->phase <= FINISHING) close_input(s);
        server_ended(s);
    }
}
