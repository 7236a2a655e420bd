/* process.c - see process.h. */
#define _GNU_SOURCE /* struct ucred */
#include "sys/process.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { SHELLS = 8 }; /* between an agent and what it starts, at most */

/* "PID (NAME) STATE PPID ..."; NAME may hold anything, so the last ')' ends it. START is the 20th word behind it. */
bool toad__process_of(long pid, toad__process *ret) {
    char path[64], text[1024];
    toad__process p = { .pid = pid };
    snprintf(path, sizeof path, "/proc/%ld/stat", pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return false;
    ssize_t n = read(fd, text, sizeof text - 1);
    close(fd);
    if (n <= 0) return false;
    text[n] = 0;
    const char *from = strchr(text, '('), *to = strrchr(text, ')');
    if (!from || !to || to < from) return false;
    if (sscanf(to + 1, " %*c %ld %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %llu", &p.parent,
               &p.start) != 2)
        return false;
    snprintf(p.name, sizeof p.name, "%.*s", (int)(to - from - 1), from + 1);
    *ret = p;
    return true;
}

static bool is_shell(const char *name) {
    static const char *const shells[] = { "sh",   "dash",    "bash", "zsh", "ksh",
                                          "mksh", "busybox", "fish", "env", "timeout" };
    for (size_t i = 0; i < sizeof shells / sizeof *shells; i++)
        if (!strcmp(name, shells[i])) return true;
    return false;
}

bool toad__starter(char ret[TOAD__STARTER]) {
    toad__process p;
    long pid = getppid();
    for (int i = 0; i < SHELLS && pid > 1 && toad__process_of(pid, &p); i++, pid = p.parent) {
        if (is_shell(p.name)) continue;
        snprintf(ret, TOAD__STARTER, "%ld.%llu", p.pid, p.start);
        return true;
    }
    return false;
}

bool toad__starter_lives(const char *starter) {
    toad__process p;
    long pid;
    unsigned long long start;
    return sscanf(starter, "%ld.%llu", &pid, &start) == 2 && toad__process_of(pid, &p) && p.start == start;
}

/* Who made a pair of sockets is its peer for good, whoever holds the other end. */
bool toad__fed_by_starter(const char *starter) {
    struct ucred peer = { 0 };
    socklen_t n = sizeof peer;
    long pid;
    return sscanf(starter, "%ld.", &pid) == 1 && !getsockopt(STDIN_FILENO, SOL_SOCKET, SO_PEERCRED, &peer, &n) &&
           peer.pid == pid;
}
