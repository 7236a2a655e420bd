/* sys/uio.h - see ../../posix.c. */
#ifndef TOAD_WINDOWS_UIO_H
#define TOAD_WINDOWS_UIO_H

#include <stddef.h>
#include <sys/types.h>

struct iovec {
    void *iov_base;
    size_t iov_len;
};

ssize_t writev(int fd, const struct iovec *parts, int n);

#endif
