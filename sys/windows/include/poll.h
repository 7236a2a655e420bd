/* poll.h - waiting for pipes: see ../poll.c. */
#ifndef TOAD_WINDOWS_POLL_H
#define TOAD_WINDOWS_POLL_H

#define POLLIN   1
#define POLLOUT  4
#define POLLERR  8
#define POLLHUP  16
#define POLLNVAL 32

typedef unsigned long nfds_t;

struct pollfd {
    int fd;
    short events, revents;
};

int poll(struct pollfd *fds, nfds_t n, int timeout_ms);

#endif
