/* files.c - the names of POSIX for files, over Win32. Paths are UTF-8, which program.manifest makes the code page of
 * this process, and are given back with '/': "C:/Users/me".
 *
 * A file is opened shared with all, so that it can be replaced while somebody reads it, and a link in its last name is
 * seen and not followed where that was asked. What is no file of a disk (CON, NUL, COM1) says so in fstat. */
#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <windows.h>

#include "sys/windows/error.h"

enum { PATH_BYTES = 32768 };

/* ---- names ---- */

static void with_slashes(char *path) {
    for (; *path; path++)
        if (*path == '\\') *path = '/';
}

/* The name of what is open, without links, and without the prefix that turns off the parsing of names. */
static bool name_of(HANDLE h, char *out) {
    DWORD n = GetFinalPathNameByHandleA(h, out, PATH_BYTES, FILE_NAME_NORMALIZED);
    if (!n || n >= PATH_BYTES) return toad__win_fail(), false;
    if (!strncmp(out, "\\\\?\\UNC\\", 8))
        memmove(out + 1, out + 7, n - 6); /* \\server\share */
    else if (!strncmp(out, "\\\\?\\", 4))
        memmove(out, out + 4, n - 3);
    with_slashes(out);
    return true;
}

static bool is_absolute(const char *path) { return *path == '/' || *path == '\\' || (*path && path[1] == ':'); }

/* `path` within the folder that `dir` has open, in `room`; NULL with errno. */
static const char *within(int dir, const char *path, char *room) {
    if (dir == AT_FDCWD || is_absolute(path)) return path;
    if (!name_of((HANDLE)_get_osfhandle(dir), room)) return NULL;
    size_t n = strlen(room);
    if (n + 1 + strlen(path) >= PATH_BYTES) return errno = ENAMETOOLONG, NULL;
    room[n] = '/';
    strcpy(room + n + 1, path);
    return room;
}

char *toad__getcwd(char *out, size_t n) {
    DWORD got = GetCurrentDirectoryA((DWORD)n, out);
    if (!got) return toad__win_fail(), NULL;
    if (got >= n) return errno = ERANGE, NULL;
    with_slashes(out);
    return out;
}

char *realpath(const char *path, char *room) {
    HANDLE h = CreateFileA(path, FILE_READ_ATTRIBUTES, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, NULL,
                           OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS, NULL);
    if (room) return errno = EINVAL, NULL; /* of what size? */
    if (h == INVALID_HANDLE_VALUE) return toad__win_fail(), NULL;
    char *out = malloc(PATH_BYTES), *fits = NULL;
    if (out && name_of(h, out)) fits = realloc(out, strlen(out) + 1);
    if (!out) errno = ENOMEM;
    if (!fits) free(out);
    CloseHandle(h);
    return fits;
}

/* ---- what a file is ---- */

static struct timespec time_of(FILETIME t) {
    uint64_t ticks = (uint64_t)t.dwHighDateTime << 32 | t.dwLowDateTime; /* of 100 ns, since 1601 */
    return (struct timespec){ (time_t)(ticks / 10000000) - 11644473600, (long)(ticks % 10000000) * 100 };
}

static bool is_link(HANDLE h, DWORD attributes) {
    FILE_ATTRIBUTE_TAG_INFO info;
    return attributes & FILE_ATTRIBUTE_REPARSE_POINT &&
           GetFileInformationByHandleEx(h, FileAttributeTagInfo, &info, sizeof info) &&
           (info.ReparseTag == IO_REPARSE_TAG_SYMLINK || info.ReparseTag == IO_REPARSE_TAG_MOUNT_POINT);
}

static int describe(HANDLE h, struct toad__stat *ret) {
    *ret = (struct toad__stat){ 0 };
    BY_HANDLE_FILE_INFORMATION info;
    DWORD type = GetFileType(h);
    if (type != FILE_TYPE_DISK) {
        *ret = (struct toad__stat){ .st_mode = type == FILE_TYPE_PIPE ? _S_IFIFO : _S_IFCHR };
        return 0;
    }
    LARGE_INTEGER size;
    if (!GetFileInformationByHandle(h, &info)) { /* not every file that was handed down has a name and a number */
        if (!GetFileSizeEx(h, &size)) return toad__win_fail();
        *ret = (struct toad__stat){ .st_mode = _S_IFREG, .st_size = (uint64_t)size.QuadPart };
        return 0;
    }
    bool folder = info.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY;
    unsigned kind = is_link(h, info.dwFileAttributes) ? S_IFLNK : folder ? _S_IFDIR : _S_IFREG;
    unsigned mode = info.dwFileAttributes & FILE_ATTRIBUTE_READONLY ? 0444 : 0644;
    *ret = (struct toad__stat){ .st_dev = info.dwVolumeSerialNumber,
                                .st_ino = (uint64_t)info.nFileIndexHigh << 32 | info.nFileIndexLow,
                                .st_size = (uint64_t)info.nFileSizeHigh << 32 | info.nFileSizeLow,
                                .st_mode = kind | mode,
                                .st_mtim = time_of(info.ftLastWriteTime),
                                .st_ctim = time_of(info.ftCreationTime) };
    return 0;
}

static int stat_path(const char *path, DWORD flags, struct toad__stat *ret) {
    HANDLE h = CreateFileA(path, FILE_READ_ATTRIBUTES, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, NULL,
                           OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS | flags, NULL);
    if (h == INVALID_HANDLE_VALUE) return toad__win_fail();
    int code = describe(h, ret);
    CloseHandle(h);
    return code;
}

int toad__stat(const char *path, struct toad__stat *ret) { return stat_path(path, 0, ret); }
int toad__lstat(const char *path, struct toad__stat *ret) { return stat_path(path, FILE_FLAG_OPEN_REPARSE_POINT, ret); }
int toad__fstat(int fd, struct toad__stat *ret) { return describe((HANDLE)_get_osfhandle(fd), ret); }

int toad__access(const char *path, int mode) {
    struct toad__stat st;
    if (toad__stat(path, &st)) return -1;
    if (mode & W_OK && !(st.st_mode & 0200) && !S_ISDIR(st.st_mode)) return errno = EACCES, -1;
    return 0;
}

/* ---- open ---- */

int toad__openat(int dir, const char *path, int flags, ...) {
    static const DWORD dispositions[] = { OPEN_EXISTING, OPEN_ALWAYS, CREATE_NEW };
    char *room = malloc(PATH_BYTES);
    struct toad__stat st = { 0 };
    int how = flags & O_CREAT ? flags & O_EXCL ? 2 : 1 : 0, fd = -1;
    DWORD access = flags & O_RDWR ? GENERIC_READ | GENERIC_WRITE : flags & O_WRONLY ? GENERIC_WRITE : GENERIC_READ;
    const char *name = room ? within(dir, path, room) : NULL;
    HANDLE h = INVALID_HANDLE_VALUE;
    if (!room) errno = ENOMEM;
    if (name) {
        h = CreateFileA(name, access, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, NULL, dispositions[how],
                        FILE_ATTRIBUTE_NORMAL | (access == GENERIC_READ ? FILE_FLAG_BACKUP_SEMANTICS : 0) |
                            (flags & O_NOFOLLOW ? FILE_FLAG_OPEN_REPARSE_POINT : 0),
                        NULL);
        if (h == INVALID_HANDLE_VALUE) toad__win_fail();
    }
    free(room);
    if (h == INVALID_HANDLE_VALUE) return -1;
    int failed = describe(h, &st);
    int err = failed                                              ? errno
              : flags & O_NOFOLLOW && S_ISLNK(st.st_mode)         ? ELOOP
              : flags & O_DIRECTORY && !S_ISDIR(st.st_mode)       ? ENOTDIR
              : flags & O_TRUNC && !SetEndOfFile(h) && !(how & 2) ? EIO
                                                                  : 0;
    if (!err && (fd = _open_osfhandle((intptr_t)h, flags & (O_APPEND | O_RDWR | O_WRONLY))) < 0) err = errno;
    if (fd < 0) CloseHandle(h);
    if (fd < 0) errno = err;
    return fd;
}

int toad__mkstemp(char *name) {
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz012345";
    size_t n = strlen(name);
    int getentropy(void *, size_t);
    for (int i = 0; i < 100; i++) {
        unsigned char r[6];
        if (n < 6 || getentropy(r, sizeof r)) break;
        for (size_t k = 0; k < 6; k++) name[n - 6 + k] = letters[r[k] % 32];
        int fd = open(name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, 0600);
        if (fd >= 0 || errno != EEXIST) return fd;
    }
    return errno = EEXIST, -1;
}

FILE *toad__fopen(const char *path, const char *mode) {
    char plain[8] = "";
    int flags = *mode == 'r' ? O_RDONLY : O_WRONLY | O_CREAT | (*mode == 'a' ? O_APPEND : O_TRUNC);
    for (size_t n = 0; *mode && n < sizeof plain - 1; mode++) {
        if (*mode == 'x') flags |= O_EXCL;
        if (*mode == '+') flags |= O_RDWR;
        if (*mode != 'x' && *mode != 'e') plain[n++] = *mode;
    }
    int fd = open(path, flags, 0666);
    FILE *f = fd < 0 ? NULL : fdopen(fd, plain);
    if (fd >= 0 && !f) close(fd);
    return f;
}

/* ---- change ---- */

int toad__mkdir(const char *path, unsigned mode) {
    (void)mode;
    return CreateDirectoryA(path, NULL) ? 0 : toad__win_fail();
}

int fchmod(int fd, unsigned mode) { return (void)mode, _get_osfhandle(fd) == -1 ? -1 : 0; }

/* A folder has nothing to be written out by its own. */
int fsync(int fd) {
    struct toad__stat st;
    if (toad__fstat(fd, &st)) return -1;
    return S_ISDIR(st.st_mode) || FlushFileBuffers((HANDLE)_get_osfhandle(fd)) ? 0 : toad__win_fail();
}

int toad__rename(const char *from, const char *to) {
    return MoveFileExA(from, to, MOVEFILE_REPLACE_EXISTING | MOVEFILE_WRITE_THROUGH) ? 0 : toad__win_fail();
}

int renameat(int from_dir, const char *from, int to_dir, const char *to) {
    char *rooms = malloc(2 * (size_t)PATH_BYTES);
    const char *a = rooms ? within(from_dir, from, rooms) : NULL,
               *b = a ? within(to_dir, to, rooms + PATH_BYTES) : NULL;
    int code = b ? toad__rename(a, b) : -1;
    free(rooms);
    return code;
}

int unlinkat(int dir, const char *name, int flags) {
    char *room = malloc(PATH_BYTES);
    const char *path = room && !flags ? within(dir, name, room) : NULL;
    int code = path && DeleteFileA(path) ? 0 : path ? toad__win_fail() : -1;
    free(room);
    return code;
}
