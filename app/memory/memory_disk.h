/* memory_disk.h - reading and replacing a file of memory that others write, too.
 *
 * Nothing here follows a symbolic link in the last name, opens what is no regular file, or leaves half a file: the new
 * text is written beside the old, flushed to the disk and put in its place in one step, under a lock that every
 * Toadstone takes. */
#ifndef TOAD_APP_MEMORY_DISK_H
#define TOAD_APP_MEMORY_DISK_H

#include "lib/base/buf.h"

#define TOAD__MEMORY_FILE_MAX ((size_t)64 << 20)

/* A file to be replaced: its directory is open and its lock is held. */
typedef struct toad__memory_disk {
    int dir, lock;
    const char *name; /* in the directory; points into the path */
} toad__memory_disk;

/* All of the file at `path`. Returns 0 or an errno: ELOOP (a symbolic link), EISDIR, EINVAL (no regular file), EFBIG,
 * ENOENT, ... */
int toad__memory_disk_read(const char *path, toad__buf *out);
/* Append the path without symbolic links in the directory part: the name by which a file is remembered. Returns 0 or an
 * errno. */
int toad__memory_disk_name(const char *path, toad__buf *out);

/* Take the lock of `path` (.NAME.lock beside it, 0600), waiting five seconds at most. Returns 0 or an errno; EAGAIN:
 * someone else holds it. */
int toad__memory_disk_open(const char *path, toad__memory_disk *ret);
/* What is there now. ENOENT: nothing. */
int toad__memory_disk_now(const toad__memory_disk *disk, toad__buf *out);
/* Put `text` in its place, if it still holds `before` (p NULL: if there still is none). Keeps the mode of the old file;
 * a new one is 0600. Returns 0 or an errno; ESTALE: it was changed meanwhile. */
int toad__memory_disk_replace(const toad__memory_disk *disk, toad_str before, toad_str text);
void toad__memory_disk_close(toad__memory_disk *disk);

#endif
