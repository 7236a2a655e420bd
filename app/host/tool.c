/* tool.c - see tool.h. The child gives up what it can before it becomes the program: limits, and a filter that refuses
 * the network, other processes and writing files (net/sandbox.h; Linux on x86-64 and ARM64, elsewhere the limits alone
 * hold). A program that is built to open files for writing fails then, which is an error and never a result. */
#include "app/host/tool.h"

#include "lib/base/str.h"
#include "net/sandbox.h"
#include "sys/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { PATH_BYTES = 4096, SECONDS_BEYOND = 1, READ_BYTES = 1 << 16 };
#define MEMORY ((size_t)1 << 30)

/* The file that the shell would run, in `room`; false: none. */
static bool find_program(const char *name, char room[PATH_BYTES]) {
    const char *path = getenv("PATH");
    for (toad_str rest = toad__str_z(path ? path : "/usr/bin:/bin"); rest.n || (rest.p && *rest.p);) {
        size_t end = toad__str_find(rest, TOAD__S(":"), 0);
        int n = snprintf(room, PATH_BYTES, "%.*s/%s", (int)end, rest.p, name);
        struct stat st;
        bool fits = end && n > 0 && n < PATH_BYTES;
        if (fits && !stat(room, &st) && S_ISREG(st.st_mode) && !access(room, X_OK)) return true;
        if (end == rest.n) return false;
        rest = toad__str_part(rest, end + 1, rest.n);
    }
    return false;
}

static bool write_all(int fd, toad_str s) {
    while (s.n) {
        ssize_t n = write(fd, s.p, s.n);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        s = toad__str_part(s, (size_t)n, s.n);
    }
    return true;
}

/* A file without a name that holds `input`, at its beginning; -1: none could be made. */
static int file_of(toad_str input) {
    char name[] = "/tmp/toadstone-XXXXXX";
    int fd = mkstemp(name);
    if (fd < 0) return -1;
    unlink(name);
    if (write_all(fd, input) && !lseek(fd, 0, SEEK_SET)) return fd;
    close(fd);
    return -1;
}

/* ---- the child ---- */

static _Noreturn void become(const char *program, const char *const *argv, int in, int out, int deadline_ms) {
    static char path[] = "PATH=/usr/bin:/bin", locale[] = "LC_ALL=C.UTF-8";
    char *env[] = { path, locale, NULL };
    int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (dup2(in, 0) < 0 || dup2(out, 1) < 0 || dup2(null, 2) < 0) _exit(126);
    (void)toad__sandbox_program((unsigned)(deadline_ms / 1000 + SECONDS_BEYOND), MEMORY); /* as much as there is */
    execve(program, (char *const *)(uintptr_t)argv, env);
    _exit(127);
}

/* ---- the parent ---- */

/* All it prints until it closes its output. */
static toad__tool_end read_output(int fd, int64_t deadline, toad__buf *out) {
    for (;;) {
        struct pollfd p = { .fd = fd, .events = POLLIN };
        int64_t left = deadline - toad__now_ms();
        if (left <= 0) return TOAD__TOOL_LATE;
        if (poll(&p, 1, (int)left) < 0 && errno != EINTR) return TOAD__TOOL_FAILED;
        if (!p.revents) continue;
        char *room = toad__buf_room(out, READ_BYTES);
        if (!room) return TOAD__TOOL_LARGE;
        ssize_t n = read(fd, room, READ_BYTES);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return n < 0 ? TOAD__TOOL_FAILED : TOAD__TOOL_DONE;
        out->n += (size_t)n;
    }
}

static toad__tool_end finish(pid_t pid, toad__tool_end end) {
    int code = 0;
    if (end != TOAD__TOOL_DONE) kill(-pid, SIGKILL);
    if (end != TOAD__TOOL_DONE) kill(pid, SIGKILL);
    while (waitpid(pid, &code, 0) < 0 && errno == EINTR) continue;
    if (end == TOAD__TOOL_DONE && (!WIFEXITED(code) || WEXITSTATUS(code))) return TOAD__TOOL_FAILED;
    return end;
}

toad_status toad__tool_run(const char *const *argv, toad_str input, int deadline_ms, toad__buf *out,
                           toad__tool_end *ret) {
    char program[PATH_BYTES];
    int in = -1, ends[2] = { -1, -1 };
    pid_t pid = -1;
    if (!find_program(argv[0], program)) return *ret = TOAD__TOOL_MISSING, TOAD_OK;
    in = file_of(input);
    if (in >= 0 && !pipe(ends)) pid = fork();
    if (!pid) become(program, argv, in, ends[1], deadline_ms);
    if (in >= 0) close(in);
    if (ends[1] >= 0) close(ends[1]);
    if (pid > 0) *ret = finish(pid, read_output(ends[0], toad__now_ms() + deadline_ms, out));
    if (ends[0] >= 0) close(ends[0]);
    if (pid < 0) return TOAD_E_IO;
    return out->status == TOAD_E_NOMEM ? TOAD_E_NOMEM : TOAD_OK;
}
