/* crew.c - see crew.h. One pair of sockets for each process: numbers of jobs go down, answers come up. */
#include "app/host/crew.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { AHEAD = 4 /* jobs under way for each process, at most */ };

typedef struct head {
    int32_t status;
    uint64_t n;
} head;

typedef struct member {
    pid_t pid;
    int fd; /* -1: it is gone */
    size_t job;
    bool busy;
} member;

typedef struct result {
    toad__buf answer;
    toad_status status;
    bool done;
} result;

typedef struct crew {
    const toad__crew_calls *calls;
    void *ctx;
    member *members;
    result *results; /* a ring of the jobs under way */
    size_t workers, ring, n, given, told, most;
} crew;

/* ---- both ends ---- */

static bool send_all(int fd, const void *p, size_t n) {
    for (const char *at = p; n;) {
        ssize_t sent = send(fd, at, n, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR) continue;
        if (sent <= 0) return false;
        at += sent;
        n -= (size_t)sent;
    }
    return true;
}

static bool read_all(int fd, void *p, size_t n) {
    for (char *at = p; n;) {
        ssize_t got = read(fd, at, n);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return false;
        at += got;
        n -= (size_t)got;
    }
    return true;
}

/* ---- a worker ---- */

static void serve(const crew *c, int fd) {
    uint64_t job;
    void *worker = c->calls->start(c->ctx);
    while (worker && read_all(fd, &job, sizeof job)) {
        toad__buf answer;
        toad__buf_init(&answer, c->most);
        head h = { .status = (int32_t)c->calls->work(worker, (size_t)job, &answer) };
        if (answer.status) h.status = (int32_t)answer.status;
        h.n = answer.n;
        if (!send_all(fd, &h, sizeof h) || !send_all(fd, answer.p, answer.n)) break;
        toad__buf_free(&answer);
    }
    _exit(worker ? 0 : 1);
}

static bool hire(crew *c, member *m) {
    int ends[2];
    m->fd = -1;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends)) return false;
    m->pid = fork();
    if (!m->pid) {
        for (size_t i = 0; i < c->workers; i++) /* or it would keep the others' from ending */
            if (&c->members[i] < m) close(c->members[i].fd);
        close(ends[0]);
        serve(c, ends[1]);
    }
    close(ends[1]);
    if (m->pid < 0) return close(ends[0]), false;
    m->fd = ends[0];
    return true;
}

/* ---- the caller ---- */

static result *result_of(crew *c, size_t job) { return &c->results[job % c->ring]; }

static void take(crew *c, size_t job, toad_status status) {
    result_of(c, job)->status = status;
    result_of(c, job)->done = true;
}

/* A member that has gone answers for its job with an error. */
static void dismiss(crew *c, member *m) {
    close(m->fd);
    m->fd = -1;
    if (!m->busy) return;
    toad__buf_clear(&result_of(c, m->job)->answer);
    take(c, m->job, TOAD_E_IO);
}

static void listen_to(crew *c, member *m) {
    head h;
    result *r = result_of(c, m->job);
    bool ok = read_all(m->fd, &h, sizeof h) && h.n <= c->most;
    char *room = ok && h.n ? toad__buf_room(&r->answer, (size_t)h.n) : NULL;
    ok = ok && (!h.n || (room && read_all(m->fd, room, (size_t)h.n)));
    if (!ok) {
        dismiss(c, m);
        return;
    }
    r->answer.n = (size_t)h.n;
    m->busy = false;
    take(c, m->job, (toad_status)h.status);
}

static void tell(crew *c) {
    for (result *r; c->told < c->given && (r = result_of(c, c->told))->done; c->told++) {
        c->calls->done(c->ctx, c->told, r->status, toad__buf_str(&r->answer));
        toad__buf_free(&r->answer);
        r->done = false;
    }
}

/* The next jobs for those who are free. Returns how many are at work. */
static size_t give(crew *c) {
    size_t busy = 0;
    for (size_t i = 0; i < c->workers; i++) {
        member *m = &c->members[i];
        if (m->fd >= 0 && !m->busy && c->given < c->n && c->given - c->told < c->ring) {
            uint64_t job = m->job = c->given++;
            toad__buf_init(&result_of(c, m->job)->answer, c->most);
            m->busy = true;
            if (!send_all(m->fd, &job, sizeof job)) dismiss(c, m);
        }
        busy += m->fd >= 0 && m->busy;
    }
    return busy;
}

static void await(crew *c) {
    struct pollfd fds[TOAD__CREW_MAX];
    for (size_t i = 0; i < c->workers; i++)
        fds[i] = (struct pollfd){ .fd = c->members[i].busy ? c->members[i].fd : -1, .events = POLLIN };
    if (poll(fds, (nfds_t)c->workers, -1) < 0) return;
    for (size_t i = 0; i < c->workers; i++)
        if (fds[i].revents && c->members[i].fd >= 0) listen_to(c, &c->members[i]);
}

/* Nobody is left: what was not begun is answered with an error. */
static void give_up(crew *c) {
    for (tell(c); c->given < c->n; c->given++, c->told++)
        c->calls->done(c->ctx, c->given, TOAD_E_IO, (toad_str){ "", 0 });
}

static void send_home(crew *c) {
    for (size_t i = 0; i < c->workers; i++) {
        member *m = &c->members[i];
        if (m->fd >= 0) close(m->fd);
        while (m->pid > 0 && waitpid(m->pid, NULL, 0) < 0 && errno == EINTR) {}
    }
}

toad_status toad__crew_run(size_t n, unsigned workers, size_t most, const toad__crew_calls *calls, void *ctx) {
    member members[TOAD__CREW_MAX];
    result results[TOAD__CREW_MAX * AHEAD] = { 0 };
    size_t wanted = workers > TOAD__CREW_MAX ? TOAD__CREW_MAX : workers < 1 ? 1 : workers;
    crew c = { .calls = calls, .ctx = ctx, .members = members, .results = results, .n = n, .most = most };
    if (wanted > n) wanted = n;
    fflush(NULL); /* what is printed is printed once */
    while (c.workers < wanted) {
        members[c.workers] = (member){ .fd = -1 };
        if (!hire(&c, &members[c.workers])) break;
        c.workers++;
    }
    if (n && !c.workers) return TOAD_E_IO;
    c.ring = c.workers * AHEAD;
    while (give(&c)) {
        await(&c);
        tell(&c);
    }
    give_up(&c);
    send_home(&c);
    return TOAD_OK;
}
