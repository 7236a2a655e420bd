/* child.h - a server as a process of ours: its own process group, only the environment it was given, three pipes.
 *
 * The server is a stranger's program that the user wants to run: it inherits no descriptor and no secret that happens
 * to be in the environment. Thread rule: one thread at a time. */
#ifndef TOAD_FACE_PROXY_CHILD_H
#define TOAD_FACE_PROXY_CHILD_H

#include "toadstone/types.h"

#include <sys/types.h>

typedef struct proxy_child {
    pid_t pid;        /* 0: none; on Windows the handle of the process */
    void *group;      /* on Windows the job that all it starts is in */
    int in, out, err; /* our ends, not blocking; -1: closed */
    bool ended;
    int status; /* as waitpid gives it, once ended */
} proxy_child;

/* Start `argv` (ends with NULL), found by PATH, in directory `cwd` (NULL: this one). `env`: names to pass on, or
 * NAME=VALUE, beside those that any program needs. False: `why` says why. */
bool proxy_child_start(char *const *argv, const char *const *env, size_t env_n, const char *cwd, proxy_child *ret,
                       char why[256]);
/* Has it ended? Does not wait. */
bool proxy_child_over(proxy_child *c);
/* Send a signal to all of its group. */
void proxy_child_signal(const proxy_child *c, int signal_number);
void proxy_child_close(int *fd);
/* Kill what is left of the group, and release everything. */
void proxy_child_end(proxy_child *c);
/* How it ended, in words: "status 1", "signal 9 (Killed)". */
void proxy_child_say(const proxy_child *c, char out[64]);

#endif
