/* sys/stat.h - with file numbers of 64 bits and links as links, which msvcrt's structure has no room for. */
#ifndef TOAD_WINDOWS_STAT_H
#define TOAD_WINDOWS_STAT_H

#include_next <sys/stat.h>

#include <stdint.h>
#include <time.h>

#undef stat
#undef fstat
#define stat  toad__stat
#define fstat toad__fstat
#define lstat toad__lstat
#define mkdir toad__mkdir

struct toad__stat {
    uint64_t st_dev, st_ino, st_size;
    unsigned st_mode, st_uid;
    struct timespec st_mtim, st_ctim;
};

#define S_IFLNK    0xA000
#define S_ISLNK(m) (((m)&0xF000) == S_IFLNK)

int toad__stat(const char *path, struct toad__stat *ret);
int toad__lstat(const char *path, struct toad__stat *ret);
int toad__fstat(int fd, struct toad__stat *ret);
/* The mode is left to the folder above: what is made below a profile is its owner's. */
int toad__mkdir(const char *path, unsigned mode);
int fchmod(int fd, unsigned mode);

#endif
