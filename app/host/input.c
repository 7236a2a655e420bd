/* input.c - see input.h. Reads are plain read(2): standard I/O would copy once more and hide errno. */
#include "app/host/input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int toad__input_open(toad__input *in, const char *path, bool follow) {
    struct stat st;
    bool is_stdin = !strcmp(path, "-");
    *in = (toad__input){ .path = path, .fd = STDIN_FILENO, .own = !is_stdin };
    toad__buf_init(&in->text, TOAD__INPUT_KEEP + TOAD__INPUT_PIECE);
    if (!is_stdin) in->fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | (follow ? 0 : O_NOFOLLOW));
    if (in->fd < 0) return errno;
    int err = fstat(in->fd, &st) ? errno : S_ISDIR(st.st_mode) ? EISDIR : 0;
    if (err) {
        toad__input_close(in);
        return err;
    }
    in->start = S_ISREG(st.st_mode) ? lseek(in->fd, 0, SEEK_CUR) : -1;
    in->seekable = in->start >= 0;
    return 0;
}

int toad__input_read(toad__input *in, char *out, size_t n, size_t *ret_n) {
    ssize_t got;
    do got = read(in->fd, out, n);
    while (got < 0 && errno == EINTR);
    if (got < 0) return errno;
    *ret_n = (size_t)got;
    return 0;
}

bool toad__input_rewind(toad__input *in) { return in->seekable && lseek(in->fd, in->start, SEEK_SET) >= 0; }

void toad__input_close(toad__input *in) {
    if (in->own && in->fd >= 0) close(in->fd);
    in->fd = -1;
    toad__buf_free(&in->text);
}

int toad__input_slurp(const char *path, toad__buf *out) {
    toad__input in;
    int err = toad__input_open(&in, path, true);
    if (err) return err;
    char *bytes = malloc(TOAD__INPUT_PIECE);
    if (!bytes) err = ENOMEM;
    for (size_t n = 1; !err && n;) {
        err = toad__input_read(&in, bytes, TOAD__INPUT_PIECE, &n);
        if (!err) toad__buf_add(out, bytes, n);
        if (out->status) err = out->status == TOAD_E_LIMIT ? EFBIG : ENOMEM;
    }
    free(bytes);
    toad__input_close(&in);
    return err;
}
