/* presence.c - see presence.h. Only words of our own tables come out of what is read of other processes. */
#include "face/cli/presence.h"

#include "face/cli/person.h"
#include "lib/base/buf.h"
#include "lib/base/random.h"
#include "lib/base/str.h"
#include "sys/process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <termios.h>
#include <unistd.h>

enum {
    ABOVE = 64,          /* processes above this one that are looked at */
    ANSWER_MS = 300000,  /* until no answer is one */
    PROC_MAX = 16 << 20, /* bytes of an environment: the kernel allows less */
};

/* ---- the processes above ---- */

/* All of /proc/PID/NAME. False: it cannot be read. */
static bool slurp(long pid, const char *name, toad__buf *out) {
    char path[64];
    ssize_t n = -1;
    toad__buf_clear(out);
    snprintf(path, sizeof path, "/proc/%ld/%s", pid, name);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return false;
    for (char *room; (room = toad__buf_room(out, 65536)) && (n = read(fd, room, 65536)) > 0;) out->n += (size_t)n;
    close(fd);
    return n == 0 && !out->status;
}

/* Look at one process; true: it is an agent's, see `why`. What cannot be read belongs to another user, who is not the
 * agent that runs as this one. */
static bool look_at(toad__buf *b, long pid, const char *name, char why[128]) {
    const char *found = slurp(pid, "cmdline", b) ? cli_agent_program(name, b->p, b->n) : cli_agent_program(name, "", 0);
    if (found) snprintf(why, 128, "process %ld above is %s", pid, found);
    if (!found && slurp(pid, "environ", b) && (found = cli_agent_variable(b->p, b->n)))
        snprintf(why, 128, "%s is set for process %ld above", found, pid);
    return found != NULL;
}

bool cli_agent_above(char why[128]) {
    toad__buf b;
    toad__process p;
    long pid = getppid();
    bool found = false, seen = toad__process_of(getpid(), &p);
    toad__buf_init(&b, PROC_MAX);
    if (!seen) snprintf(why, 128, "/proc cannot be read, so nobody knows who runs this");
    for (size_t i = 0; seen && !found && pid > 0; i++, pid = p.parent) {
        if (i == ABOVE) {
            found = true;
            snprintf(why, 128, "more than %d processes stand above this one", ABOVE);
        } else if (!toad__process_of(pid, &p)) {
            break;
        } else {
            found = look_at(&b, pid, p.name, why);
        }
    }
    toad__buf_free(&b);
    return found || !seen;
}

/* ---- the terminal ---- */

static void put(int tty, const char *text, size_t n) {
    for (ssize_t wrote; n && ((wrote = write(tty, text, n)) > 0 || errno == EINTR);)
        if (wrote > 0) text += wrote, n -= (size_t)wrote;
}
static void put_z(int tty, const char *text) { put(tty, text, strlen(text)); }

/* Five letters that can be said: 320,000 of them, and one try. */
static bool make_word(char word[6]) {
    unsigned char r[5];
    if (!toad__random(r, sizeof r)) return false;
    for (size_t i = 0; i < 5; i++) word[i] = i % 2 ? "aeiou"[r[i] % 5] : "bdfghklmnprstvwz"[r[i] % 16];
    word[5] = 0;
    return true;
}

static bool read_line(int tty, char line[32]) {
    struct pollfd ready = { .fd = tty, .events = POLLIN };
    int got = poll(&ready, 1, ANSWER_MS);
    ssize_t n = got > 0 ? read(tty, line, 31) : -1;
    if (n <= 0) return false;
    line[n] = 0;
    line[strcspn(line, "\r\n")] = 0;
    return true;
}

/* What stood in the keyboard's queue before the word was shown is no answer to it. */
static bool typed(int tty, const char *what, toad_str question) {
    char word[6], line[32];
    if (!make_word(word)) return false;
    put_z(tty, "\ntoadstone: ");
    put_z(tty, what);
    put_z(tty, "?\n");
    put(tty, question.p ? question.p : "", question.n);
    tcflush(tty, TCIFLUSH);
    put_z(tty, "to agree, type ");
    put_z(tty, word);
    put_z(tty, ": ");
    return read_line(tty, line) && !strcmp(line, word);
}

bool cli_typed(const char *what, toad_str question, char why[160]) {
    int tty = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY);
    if (tty < 0) return snprintf(why, 160, "there is no terminal to ask at"), false;
    bool front = tcgetpgrp(tty) == getpgrp(), yes = false;
    if (!front)
        snprintf(why, 160, "it does not run in the foreground of its terminal");
    else if (fflush(stdout), !(yes = typed(tty, what, question)))
        snprintf(why, 160, "the word at the terminal was not typed");
    close(tty);
    return yes;
}
