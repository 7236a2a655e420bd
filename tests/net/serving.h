/* serving.h - server.py as a child, for the tests of net/. */
#ifndef TOAD_TESTS_NET_SERVING_H
#define TOAD_TESTS_NET_SERVING_H

#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct serving {
    pid_t server;
    int stop; /* closing it ends the server */
    unsigned port;
} serving;

/* `addresses` as server.py takes them, ends with NULL; one port for all. */
static inline int serving_start(serving *s, const char *const *addresses) {
    const char *arguments[16] = { "python3", TOAD_ROOT "/tests/net/server.py" };
    int in[2], out[2];
    char line[32] = "";
    for (size_t i = 0; addresses[i] && i < 12; i++) arguments[i + 2] = addresses[i];
    if (pipe(in) || pipe(out)) return -1;
    s->server = fork();
    if (!s->server) {
        dup2(in[0], 0);
        dup2(out[1], 1);
        close(in[1]);
        execvp("python3", (char *const *)(uintptr_t)arguments);
        _exit(127);
    }
    close(in[0]);
    close(out[1]);
    s->stop = in[1];
    ssize_t n = read(out[0], line, sizeof line - 1);
    close(out[0]);
    s->port = n > 0 ? (unsigned)atoi(line) : 0;
    return s->port ? 0 : -1;
}

static inline int serving_stop(serving *s) {
    close(s->stop);
    return waitpid(s->server, NULL, 0) == s->server ? 0 : -1;
}

#endif
