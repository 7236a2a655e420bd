/* child.c - start a server's process, and end it with all that it started.
 *
 * Between fork and exec only async-signal-safe calls are made: another thread may have held any lock. That the program
 * could not be started comes back through a pipe that exec closes. */
#include "face/proxy/child.h"

#include "face/proxy/environment.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static const char *const needed[] = { "HOME", "LOGNAME", "PATH", "SHELL",  "TERM", "USER",
                                      "LANG", "TZ",      "LC_",  "TMPDIR", NULL };

/* ---- start ---- */

typedef struct pipes {
    int in[2], out[2], err[2], fault[2];
} pipes;

static void close_pair(int pair[2]) {
    proxy_child_close(&pair[0]);
    proxy_child_close(&pair[1]);
}

static void close_pipes(pipes *p) {
    close_pair(p->in);
    close_pair(p->out);
    close_pair(p->err);
    close_pair(p->fault);
}

static bool open_pair(int pair[2]) {
    if (pipe(pair)) return false;
    for (int i = 0; i < 2; i++) {
        if (pair[i] < 3) { /* ours were closed: keep clear of what the child's are dup'ed to */
            int high = fcntl(pair[i], F_DUPFD, 3);
            close(pair[i]);
            pair[i] = high;
        }
        if (pair[i] < 0 || fcntl(pair[i], F_SETFD, FD_CLOEXEC)) return false;
    }
    return true;
}

static bool open_pipes(pipes *p) {
    *p = (pipes){ { -1, -1 }, { -1, -1 }, { -1, -1 }, { -1, -1 } };
    if (open_pair(p->in) && open_pair(p->out) && open_pair(p->err) && open_pair(p->fault)) return true;
    close_pipes(p);
    return false;
}

static void run_child(const pipes *p, char *const *argv, char **env, const char *cwd) {
    static const int signals[] = { SIGPIPE, SIGINT, SIGTERM, SIGHUP, SIGCHLD };
    sigset_t none;
    sigemptyset(&none);
    setpgid(0, 0);
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) signal(signals[i], SIG_DFL);
    sigprocmask(SIG_SETMASK, &none, NULL);
    bool ok = dup2(p->in[0], 0) >= 0 && dup2(p->out[1], 1) >= 0 && dup2(p->err[1], 2) >= 0 && (!cwd || !chdir(cwd));
    if (ok) {
        environ = env;
        execvp(argv[0], argv);
    }
    int fault = errno;
    if (write(p->fault[1], &fault, sizeof fault) < 0) _exit(126);
    _exit(127);
}

/* What exec failed with, or 0. */
static int read_fault(pipes *p) {
    int fault = 0;
    ssize_t n;
    proxy_child_close(&p->fault[1]);
    do {
        n = read(p->fault[0], &fault, sizeof fault);
    } while (n < 0 && errno == EINTR);
    return n == (ssize_t)sizeof fault ? fault : 0;
}

static void take_end(int *pipe_end, int *ret) {
    *ret = *pipe_end;
    *pipe_end = -1;
    fcntl(*ret, F_SETFL, fcntl(*ret, F_GETFL) | O_NONBLOCK);
}

bool proxy_child_start(char *const *argv, const char *const *env, size_t env_n, const char *cwd, proxy_child *ret,
                       char why[256]) {
    pipes p;
    char **made = proxy_environment(needed, env, env_n, strncmp);
    *ret = (proxy_child){ .in = -1, .out = -1, .err = -1 };
    if (!made || !open_pipes(&p)) {
        snprintf(why, 256, "%s", strerror(made ? errno : ENOMEM));
        free(made);
        return false;
    }
    pid_t pid = fork();
    if (!pid) run_child(&p, argv, made, cwd);
    int fault = pid < 0 ? errno : read_fault(&p);
    free(made);
    if (!fault) {
        setpgid(pid, pid); /* whoever comes first */
        ret->pid = pid;
        take_end(&p.in[1], &ret->in);
        take_end(&p.out[0], &ret->out);
        take_end(&p.err[0], &ret->err);
    } else {
        snprintf(why, 256, "'%.150s' cannot be started%s: %s", argv[0], cwd ? " in its directory" : "",
                 strerror(fault));
        if (pid > 0) waitpid(pid, NULL, 0);
    }
    close_pipes(&p);
    return !fault;
}

/* ---- end ---- */

void proxy_child_close(int *fd) {
    if (*fd >= 0) close(*fd);
    *fd = -1;
}

bool proxy_child_over(proxy_child *c) {
    if (!c->pid || c->ended) return true;
    pid_t got = waitpid(c->pid, &c->status, WNOHANG);
    c->ended = got == c->pid || (got < 0 && errno == ECHILD);
    return c->ended;
}

void proxy_child_signal(const proxy_child *c, int signal_number) {
    if (c->pid > 0) kill(-c->pid, signal_number);
}

void proxy_child_end(proxy_child *c) {
    proxy_child_close(&c->in);
    proxy_child_close(&c->out);
    proxy_child_close(&c->err);
    if (c->pid > 0) {
        kill(-c->pid, SIGKILL);
        while (!c->ended && waitpid(c->pid, &c->status, 0) < 0 && errno == EINTR) continue;
    }
    c->pid = 0;
    c->ended = true;
}

void proxy_child_say(const proxy_child *c, char out[64]) {
    if (WIFSIGNALED(c->status))
        snprintf(out, 64, "signal %d (%s)", WTERMSIG(c->status), strsignal(WTERMSIG(c->status)));
    else
        snprintf(out, 64, "status %d", WEXITSTATUS(c->status));
}
