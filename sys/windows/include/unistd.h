/* unistd.h - see ../posix.c. */
#ifndef TOAD_WINDOWS_UNISTD_H
#define TOAD_WINDOWS_UNISTD_H

#include_next <unistd.h>

#define read(fd, p, n)     toad__read(fd, p, n)
#define write(fd, p, n)    toad__write(fd, p, n)
#define isatty(fd)         toad__isatty(fd)
#define access(path, mode) toad__access(path, mode)
#define getcwd(out, n)     toad__getcwd(out, n)

ssize_t toad__read(int fd, void *p, size_t n);
ssize_t toad__write(int fd, const void *p, size_t n); /* EAGAIN: a pipe that does not wait is full; EPIPE */
int toad__isatty(int fd);                             /* a console; NUL is none */
int toad__access(const char *path, int mode);
char *toad__getcwd(char *out, size_t n); /* "C:/Users/me" */
int fsync(int fd);
int pipe(int ends[2]);
#define geteuid() 0u /* what stat says, too: whose a file is, its folder decides */
int unlinkat(int dir, const char *name, int flags);

#define _SC_NPROCESSORS_ONLN 84
long sysconf(int name);

#endif
