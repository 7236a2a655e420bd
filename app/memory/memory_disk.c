/* memory_disk.c - see memory_disk.h.
 *
 * The lock is a record lock on a file that stays: removing it would let two hold "the" lock. Record locks belong to a
 * process, so a mutex stands before it for the threads of this one. The last look at the old file and the rename are as
 * close as they can be; an editor that saves between the two loses to us, as POSIX has no rename on a condition. */
#define _XOPEN_SOURCE 700 /* realpath */
#include "app/memory/memory_disk.h"

#include "lib/base/str.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define WAIT_STEPS 100 /* of 50 ms */

static pthread_mutex_t in_process = PTHREAD_MUTEX_INITIALIZER;

/* ---- reading ---- */

static int slurp(int fd, toad__buf *out) {
    for (;;) {
        char *room = toad__buf_room(out, 65536);
        if (!room) return out->status == TOAD_E_LIMIT ? EFBIG : ENOMEM;
        ssize_t n = read(fd, room, 65536);
        if (n < 0 && errno != EINTR) return errno;
        if (!n) return 0;
        if (n > 0) out->n += (size_t)n;
    }
}

static int read_at(int dir, const char *name, toad__buf *out, mode_t *mode) {
    struct stat st;
    int fd = openat(dir, name, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0) return errno;
    int err = fstat(fd, &st) ? errno : S_ISDIR(st.st_mode) ? EISDIR : !S_ISREG(st.st_mode) ? EINVAL : 0;
    if (!err) err = slurp(fd, out);
    if (!err && mode) *mode = st.st_mode & 0777;
    close(fd);
    return err;
}

int toad__memory_disk_read(const char *path, toad__buf *out) { return read_at(AT_FDCWD, path, out, NULL); }

/* ---- names ---- */

static const char *base_of(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* The directory part of a path, "." where there is none; to be freed. */
static char *dir_of(const char *path) {
    size_t n = (size_t)(base_of(path) - path);
    char *dir = malloc(n + 2);
    if (!dir) return NULL;
    memcpy(dir, n ? path : ".", n ? n : 1);
    dir[n ? n : 1] = 0;
    return dir;
}

static bool is_name(const char *name) { return *name && strcmp(name, ".") && strcmp(name, "..") && strlen(name) < 200; }

int toad__memory_disk_name(const char *path, toad__buf *out) {
    if (!is_name(base_of(path))) return EISDIR;
    char *dir = dir_of(path), *real = dir ? realpath(dir, NULL) : NULL;
    int err = !dir ? ENOMEM : !real ? errno : 0;
    if (!err) {
        toad__buf_add_z(out, real);
        if (strcmp(real, "/")) toad__buf_add_c(out, '/');
        toad__buf_add_z(out, base_of(path));
        if (out->status) err = ENOMEM;
    }
    free(real);
    free(dir);
    return err;
}

/* ---- the lock ---- */

static int take(int fd) {
    struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
    for (int i = 0; i < WAIT_STEPS; i++) {
        if (!fcntl(fd, F_SETLK, &lock)) return 0;
        if (errno != EAGAIN && errno != EACCES && errno != EINTR) return errno;
        nanosleep(&(struct timespec){ .tv_nsec = 50000000 }, NULL);
    }
    return EAGAIN;
}

static int open_lock(int dir, const char *name, int *ret) {
    char path[NAME_MAX + 16];
    struct stat st;
    snprintf(path, sizeof path, ".%s.lock", name);
    int fd = openat(dir, path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY | O_NONBLOCK, 0600);
    if (fd < 0) return errno;
    int err = fstat(fd, &st) ? errno : S_ISREG(st.st_mode) ? take(fd) : EINVAL;
    if (err)
        close(fd);
    else
        *ret = fd;
    return err;
}

int toad__memory_disk_open(const char *path, toad__memory_disk *ret) {
    const char *name = base_of(path);
    if (!is_name(name)) return EISDIR;
    char *dir = dir_of(path);
    if (!dir) return ENOMEM;
    int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC), err = fd < 0 ? errno : 0;
    free(dir);
    if (err) return err;
    *ret = (toad__memory_disk){ fd, -1, name };
    pthread_mutex_lock(&in_process);
    err = open_lock(fd, name, &ret->lock);
    if (!err) return 0;
    pthread_mutex_unlock(&in_process);
    close(fd);
    return err;
}

void toad__memory_disk_close(toad__memory_disk *disk) {
    close(disk->lock);
    close(disk->dir);
    pthread_mutex_unlock(&in_process);
}

/* ---- replacing ---- */

int toad__memory_disk_now(const toad__memory_disk *disk, toad__buf *out) {
    return read_at(disk->dir, disk->name, out, NULL);
}

static int write_all(int fd, toad_str text) {
    for (size_t at = 0; at < text.n;) {
        ssize_t n = write(fd, text.p + at, text.n - at);
        if (n < 0 && errno != EINTR) return errno;
        if (n > 0) at += (size_t)n;
    }
    return fsync(fd) ? errno : 0;
}

/* Does the file still hold what was read, and under which mode? */
static int unchanged(const toad__memory_disk *disk, toad_str before, mode_t *mode) {
    toad__buf now;
    toad__buf_init(&now, TOAD__MEMORY_FILE_MAX);
    int err = read_at(disk->dir, disk->name, &now, mode);
    if (err == ENOENT)
        err = before.p ? ESTALE : 0;
    else if (!err && (!before.p || !toad__str_eq(before, toad__buf_str(&now))))
        err = ESTALE;
    toad__buf_free(&now);
    return err;
}

static int put_in_place(const toad__memory_disk *disk, toad_str before, const char *temporary, int fd, toad_str text) {
    mode_t mode = 0600;
    int err = write_all(fd, text);
    if (!err) err = unchanged(disk, before, &mode);
    if (!err && fchmod(fd, mode)) err = errno;
    if (!err && renameat(disk->dir, temporary, disk->dir, disk->name)) err = errno;
    if (!err && fsync(disk->dir)) err = errno;
    return err;
}

int toad__memory_disk_replace(const toad__memory_disk *disk, toad_str before, toad_str text) {
    char temporary[NAME_MAX + 64];
    int fd = -1;
    for (int i = 0; i < 100 && fd < 0; i++) {
        snprintf(temporary, sizeof temporary, ".%s.%ld.%d.new", disk->name, (long)getpid(), i);
        fd = openat(disk->dir, temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
        if (fd < 0 && errno != EEXIST) return errno;
    }
    if (fd < 0) return EEXIST;
    int err = put_in_place(disk, before, temporary, fd, text);
    close(fd);
    if (err) unlinkat(disk->dir, temporary, 0);
    return err;
}
