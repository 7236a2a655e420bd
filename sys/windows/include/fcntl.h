/* fcntl.h - files are opened as POSIX does: bytes, shared with all, renamed while open; links are seen. */
#ifndef TOAD_WINDOWS_FCNTL_H
#define TOAD_WINDOWS_FCNTL_H

#include_next <fcntl.h>

#include <sys/types.h>

#define O_CLOEXEC   0 /* nothing is inherited but what child_windows.c says */
#define O_NOCTTY    0
#define O_NOFOLLOW  0x01000000
#define O_DIRECTORY 0x02000000
#define O_NONBLOCK  0x04000000 /* of pipes; a file never waits */

#define AT_FDCWD (-100)

#define open(...) toad__openat(AT_FDCWD, __VA_ARGS__, 0)
/* A name that is not absolute is in the folder that `dir` has open. What follows the flags is the mode, not looked at.
 */
#define openat(dir, ...) toad__openat(dir, __VA_ARGS__, 0)
int toad__openat(int dir, const char *path, int flags, ...);

#define F_GETFL    3
#define F_SETFD    2 /* nothing is inherited: done */
#define FD_CLOEXEC 1
#define F_SETFL    4
#define F_SETLK    6
#define F_WRLCK    1

struct flock {
    short l_type, l_whence;
};

/* F_GETFL and F_SETFL know O_NONBLOCK of a pipe, F_SETLK locks all of a file. */
int fcntl(int fd, int what, ...);

#endif
