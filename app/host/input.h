/* input.h - one input of a command: a file or standard input, read piece by piece.
 *
 * Whoever needs the bytes twice keeps them in `text` while they are few; of what is larger a file is read again from
 * its start, a pipe is gone. Memory is bounded either way. Thread rule: one thread at a time. */
#ifndef TOAD_APP_INPUT_H
#define TOAD_APP_INPUT_H

#include "lib/base/buf.h"

#include <sys/types.h>

#define TOAD__INPUT_PIECE 65536
#define TOAD__INPUT_KEEP  (8u << 20)

typedef struct toad__input {
    const char *path; /* as it was opened, borrowed */
    int fd;
    bool own, seekable;
    toad__buf text; /* all that was read, if the reader keeps it; else empty */
    off_t start;
} toad__input;

/* Open `path`, "-" for standard input. `follow` false refuses a symbolic link in the last name. Returns 0 or an errno;
 * EISDIR for a directory. */
int toad__input_open(toad__input *in, const char *path, bool follow);
/* Up to `n` bytes; *ret_n is 0 at the end. Returns 0 or an errno. */
int toad__input_read(toad__input *in, char *out, size_t n, size_t *ret_n);
/* Start again; false when the bytes are gone. */
bool toad__input_rewind(toad__input *in);
void toad__input_close(toad__input *in);

/* All of `path` to the end of `out`, whose ceiling is the limit. Returns 0, an errno, or EFBIG at the ceiling. */
int toad__input_slurp(const char *path, toad__buf *out);

#endif
