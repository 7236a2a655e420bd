/* pipes.c - read, write and poll as POSIX has them, for pipes, files and the console.
 *
 * Windows cannot wait for several pipes of other processes at once, so poll looks again and again: every millisecond at
 * first, then ever less often, up to 16. Room in a pipe cannot be asked for either: it is tried for at each look. */
#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <poll.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/uio.h>
#include <unistd.h>
#include <windows.h>

#include "sys/windows/error.h"

enum { CONSOLE_CHARS = 4096, SLOWEST_MS = 16, PIPE_BYTES = 65536, CONTROL_Z = 26 };

static HANDLE handle_of(int fd) { return (HANDLE)_get_osfhandle(fd); }
static bool is_pipe(HANDLE h) { return GetFileType(h) == FILE_TYPE_PIPE; }

int toad__isatty(int fd) {
    DWORD mode;
    return GetConsoleMode(handle_of(fd), &mode) != 0;
}

/* ---- read ---- */

/* A line that is typed, in UTF-8; Ctrl-Z at its beginning ends the input. */
static ssize_t read_console(HANDLE h, char *out, size_t n) {
    wchar_t typed[CONSOLE_CHARS];
    DWORD most = (DWORD)(n / 3 < CONSOLE_CHARS ? n / 3 : CONSOLE_CHARS), got = 0;
    if (!ReadConsoleW(h, typed, most, &got, NULL)) return toad__win_fail();
    if (!got || *typed == CONTROL_Z) return 0;
    return WideCharToMultiByte(CP_UTF8, 0, typed, (int)got, out, (int)n, NULL, NULL);
}

ssize_t toad__read(int fd, void *p, size_t n) {
    HANDLE h = handle_of(fd);
    DWORD got = 0, most = n > 1u << 30 ? 1u << 30 : (DWORD)n;
    if (toad__isatty(fd)) return read_console(h, p, most);
    if (ReadFile(h, p, most, &got, NULL)) return (ssize_t)got;
    DWORD error = GetLastError();
    if (error == ERROR_BROKEN_PIPE || error == ERROR_HANDLE_EOF) return 0;
    if (error == ERROR_NO_DATA) return errno = EAGAIN, -1; /* it does not wait, and is empty */
    return toad__win_fail();
}

/* ---- write ---- */

/* A pipe that does not wait takes all that it is given or nothing. */
ssize_t toad__write(int fd, const void *p, size_t n) {
    HANDLE h = handle_of(fd);
    DWORD most = n > 1u << 30 ? 1u << 30 : (DWORD)n;
    for (;; most /= 2) {
        DWORD put = 0;
        if (!WriteFile(h, p, most, &put, NULL)) return toad__win_fail();
        if (put || !n) return (ssize_t)put;
        if (most < 2) return errno = EAGAIN, -1;
    }
}

ssize_t writev(int fd, const struct iovec *parts, int n) {
    ssize_t all = 0;
    for (int i = 0; i < n; i++) {
        for (size_t at = 0; at < parts[i].iov_len;) {
            ssize_t put = toad__write(fd, (const char *)parts[i].iov_base + at, parts[i].iov_len - at);
            if (put < 0) return all ? all : -1;
            at += (size_t)put;
            all += put;
        }
    }
    return all;
}

/* ---- modes and locks ---- */

static int set_waiting(HANDLE h, bool waits) {
    DWORD mode = waits ? PIPE_WAIT : PIPE_NOWAIT;
    return !is_pipe(h) || SetNamedPipeHandleState(h, &mode, NULL, NULL) ? 0 : toad__win_fail();
}

int fcntl(int fd, int what, ...) {
    HANDLE h = handle_of(fd);
    OVERLAPPED all = { 0 };
    DWORD mode = 0;
    va_list more;
    if (what == F_GETFL)
        return is_pipe(h) && GetNamedPipeHandleStateA(h, &mode, NULL, NULL, NULL, NULL, 0) && mode & PIPE_NOWAIT
                   ? O_NONBLOCK
                   : 0;
    if (what == F_SETLK)
        return LockFileEx(h, LOCKFILE_EXCLUSIVE_LOCK | LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, &all) ? 0 : toad__win_fail();
    if (what != F_SETFL) return 0;
    va_start(more, what);
    bool waits = !(va_arg(more, int) & O_NONBLOCK);
    va_end(more);
    return set_waiting(h, waits);
}

int pipe(int ends[2]) {
    HANDLE in, out;
    if (!CreatePipe(&in, &out, NULL, PIPE_BYTES)) return toad__win_fail();
    ends[0] = _open_osfhandle((intptr_t)in, O_RDONLY);
    ends[1] = _open_osfhandle((intptr_t)out, 0);
    return ends[0] < 0 || ends[1] < 0 ? -1 : 0;
}

/* ---- poll ---- */

typedef struct pump {
    HANDLE from, to;
} pump;

static DWORD WINAPI carry(void *ctx) {
    pump p = *(pump *)ctx;
    char bytes[4096];
    DWORD n, put;
    free(ctx);
    while (ReadFile(p.from, bytes, sizeof bytes, &n, NULL) && n && WriteFile(p.to, bytes, n, &put, NULL)) {}
    CloseHandle(p.to);
    return 0;
}

/* An input that cannot be peeked into (a socket, what Wine hands down) becomes a pipe that can: a thread carries it
 * over. */
static bool make_peekable(int fd) {
    pump *p = malloc(sizeof *p);
    int ends[2] = { -1, -1 };
    HANDLE self = GetCurrentProcess(), thread = NULL;
    if (p && !pipe(ends) && DuplicateHandle(self, handle_of(fd), self, &p->from, 0, FALSE, DUPLICATE_SAME_ACCESS) &&
        DuplicateHandle(self, handle_of(ends[1]), self, &p->to, 0, FALSE, DUPLICATE_SAME_ACCESS))
        thread = CreateThread(NULL, 0, carry, p, 0, NULL);
    bool ok = thread && !dup2(ends[0], fd);
    if (!thread) free(p);
    if (thread) CloseHandle(thread);
    for (int i = 0; i < 2; i++)
        if (ends[i] >= 0) close(ends[i]);
    return ok;
}

static short look(const struct pollfd *f, bool again) {
    HANDLE h = handle_of(f->fd);
    short seen = 0;
    DWORD here = 0;
    if (h == INVALID_HANDLE_VALUE) return POLLNVAL;
    if (f->events & POLLIN && is_pipe(h)) {
        bool peeked = PeekNamedPipe(h, NULL, 0, NULL, &here, NULL);
        if (!peeked && GetLastError() != ERROR_BROKEN_PIPE && make_peekable(f->fd)) return 0;
        seen |= !peeked ? POLLHUP : here ? POLLIN : 0;
    }
    if (f->events & POLLIN && !is_pipe(h)) seen |= !toad__isatty(f->fd) || !WaitForSingleObject(h, 0) ? POLLIN : 0;
    if (f->events & POLLOUT && (again || !is_pipe(h))) seen |= POLLOUT;
    return seen;
}

static HANDLE new_timer(void) {
    return CreateWaitableTimerExW(NULL, NULL, 2 /* CREATE_WAITABLE_TIMER_HIGH_RESOLUTION */, TIMER_ALL_ACCESS);
}

static void nap(int ms) {
    static __thread HANDLE timer;
    LARGE_INTEGER due = { .QuadPart = -10000LL * ms };
    if (!timer) timer = new_timer();
    if (timer && SetWaitableTimer(timer, &due, 0, NULL, NULL, FALSE))
        WaitForSingleObject(timer, INFINITE);
    else
        Sleep((DWORD)ms);
}

int poll(struct pollfd *fds, nfds_t n, int timeout_ms) {
    uint64_t begun = GetTickCount64();
    for (int round = 0;; round++) {
        int ready = 0, pause = 1 + round / 8;
        for (nfds_t i = 0; i < n; i++) {
            fds[i].revents = fds[i].fd < 0 ? 0 : look(&fds[i], round > 0);
            ready += fds[i].revents != 0;
        }
        int64_t left = timeout_ms < 0 ? SLOWEST_MS : timeout_ms - (int64_t)(GetTickCount64() - begun);
        if (ready || left <= 0) return ready;
        if (pause > SLOWEST_MS) pause = SLOWEST_MS;
        nap(pause < left ? pause : (int)left);
    }
}
