/* What a process in the sandbox tries, and does not get: a child does each thing that an attacker with code in it
 * would, and tells through its one descriptor how it went. The same for a program that was started in it. */
#define _XOPEN_SOURCE 700 /* pseudo-terminals */
#include "net/sandbox.h"
#include "tests/check.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/msg.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

/* What the child may know of the world outside; a program gets it as its arguments. */
static struct world {
    int victim; /* a process of the same user */
    char terminal[64], directory[64], file[96], socket[96];
} w;

typedef struct attempt {
    const char *name;
    long (*run)(void); /* 0 or more: it went through */
    bool allowed, allowed_program;
} attempt;

static long try_kill(void) { return kill(w.victim, SIGTERM); }
static long try_kill_group(void) { return kill(-w.victim, SIGTERM); }
static long try_tgkill(void) { return syscall(SYS_tgkill, w.victim, w.victim, SIGKILL); }
static long try_tkill(void) { return syscall(SYS_tkill, w.victim, SIGKILL); }
static long try_queue(void) { return sigqueue(w.victim, SIGTERM, (union sigval){ 0 }); }
static long try_pidfd(void) { return syscall(434, w.victim, 0); }
static long try_trace(void) { return syscall(SYS_ptrace, 16 /* ATTACH */, w.victim, 0, 0); }
static long try_nice(void) { return setpriority(PRIO_PROCESS, (id_t)w.victim, 5); }
static long try_limits(void) {
    struct rlimit l = { 0, 0 };
    return syscall(SYS_prlimit64, w.victim, RLIMIT_CPU, &l, NULL);
}
static long try_own_signal(void) { return syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), 0); }

static long try_tty(void) { return open("/dev/tty", O_RDONLY | O_CLOEXEC); }
static long try_typing(void) {
    int fd = open(w.terminal, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return -1;
    ioctl(fd, TIOCSCTTY, 1);
    return ioctl(fd, TIOCSTI, "x");
}
static long try_typing_in(int fd) { return ioctl(fd, TIOCSTI, "x"); }
static long try_typing_error(void) { return try_typing_in(2); }
static long try_settings(void) {
    int fd = open(w.terminal, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    return fd < 0 ? -1 : ioctl(fd, TCFLSH, 0);
}

static long socket_of(int family, int type) { return socket(family, type, 0); }
static long try_unix(void) { return socket_of(AF_UNIX, SOCK_STREAM); }
static long try_netlink(void) { return socket_of(AF_NETLINK, SOCK_RAW); }
static long try_packet(void) { return socket_of(AF_PACKET, SOCK_DGRAM); }
static long try_raw(void) { return socket(AF_INET, SOCK_RAW, IPPROTO_ICMP); }
static long try_tcp(void) { return socket_of(AF_INET, SOCK_STREAM | SOCK_CLOEXEC); }
static long try_udp6(void) { return socket_of(AF_INET6, SOCK_DGRAM | SOCK_NONBLOCK); }
static long try_pair(void) {
    int ends[2];
    return socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends);
}
/* A datagram socket of a pair may be sent to a path. */
static long try_pair_to_path(void) {
    int ends[2];
    struct sockaddr_un to = { .sun_family = AF_UNIX };
    snprintf(to.sun_path, sizeof to.sun_path, "%s", w.socket);
    if (socketpair(AF_UNIX, SOCK_DGRAM, 0, ends)) return -1;
    return sendto(ends[0], "x", 1, 0, (struct sockaddr *)&to, sizeof to);
}
static long try_listen(void) {
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    return fd < 0 ? -1 : listen(fd, 1);
}

static long try_write(void) { return open(w.file, O_WRONLY); }
static long try_create(void) {
    char name[128];
    snprintf(name, sizeof name, "%s/new", w.directory);
    return open(name, O_CREAT | O_RDWR, 0600);
}
static long try_read(void) { return open(w.file, O_RDONLY | O_CLOEXEC); }
static long try_times(void) { return utimensat(AT_FDCWD, w.file, NULL, 0); }
static long try_mode(void) { return chmod(w.file, 0777); }
static long try_mode_new(void) { return syscall(452 /* fchmodat2 */, AT_FDCWD, w.file, 0777, 0); }
static long try_attribute(void) { return syscall(SYS_removexattr, w.file, "user.x"); }
static long try_unlink(void) { return unlink(w.file); }
static long try_mounting(void) { return syscall(430 /* fsopen */, "tmpfs", 0); }
static long try_tomorrow(void) {
    errno = 0;
    return syscall(500) < 0 && errno == ENOSYS ? -1 : 0;
}

static long try_owner(void) { return fcntl(0, F_SETOWN, w.victim); }
static long try_duplicate(void) { return fcntl(0, F_DUPFD_CLOEXEC, 0); }
static long try_shared_memory(void) { return shmget(IPC_PRIVATE, 4096, IPC_CREAT | 0600); }
static long try_attach(void) {
    errno = 0;
    return shmat(0, NULL, 0) == (void *)-1 && errno == EPERM ? -1 : 0;
}
static long try_messages(void) {
    errno = 0;
    return msgctl(0, IPC_STAT, NULL) < 0 && errno == EPERM ? -1 : 0;
}
static long try_fork(void) {
    pid_t child = fork();
    if (!child) _exit(0);
    if (child > 0) waitpid(child, NULL, 0);
    return child;
}
static void *nothing(void *p) { return p; }
static long try_thread(void) {
    pthread_t t;
    return pthread_create(&t, NULL, nothing, NULL) ? -1 : pthread_join(t, NULL);
}
/* How many descriptors are open beside 0, 1, 2 and, in a reader, its own. */
static long open_beyond(int first) {
    for (int fd = first; fd < 4096; fd++)
        if (fcntl(fd, F_GETFD) >= 0) return fd;
    return -1;
}
static long try_descriptors(void) { return open_beyond(4); }
static long try_session(void) { return getsid(0) == getpid() ? -1 : 0; }

static const attempt attempts[] = {
    { "a descriptor is left", try_descriptors, false, false },
    { "not a session of its own", try_session, false, false },
    { "kill", try_kill, false, false },
    { "kill a group", try_kill_group, false, false },
    { "tgkill", try_tgkill, false, false },
    { "tkill", try_tkill, false, false },
    { "sigqueue", try_queue, false, false },
    { "pidfd_open", try_pidfd, false, false },
    { "ptrace", try_trace, false, false },
    { "setpriority", try_nice, false, false },
    { "prlimit of another", try_limits, false, false },
    { "a signal to itself", try_own_signal, true, true },
    { "open /dev/tty", try_tty, false, false },
    { "type into a terminal", try_typing, false, false },
    { "type into standard error", try_typing_error, false, false },
    { "flush a terminal", try_settings, false, false },
    { "a Unix socket", try_unix, false, false },
    { "a netlink socket", try_netlink, false, false },
    { "a packet socket", try_packet, false, false },
    { "a raw socket", try_raw, false, false },
    { "TCP", try_tcp, true, false },
    { "UDP over IPv6", try_udp6, true, false },
    { "a pair of streams", try_pair, true, false },
    { "a datagram to a path", try_pair_to_path, false, false },
    { "listen", try_listen, false, false },
    { "open for writing", try_write, false, false },
    { "create a file", try_create, false, false },
    { "open for reading", try_read, true, true },
    { "set times", try_times, false, false },
    { "chmod", try_mode, false, false },
    { "fchmodat2", try_mode_new, false, false },
    { "removexattr", try_attribute, false, false },
    { "unlink", try_unlink, false, false },
    { "fsopen", try_mounting, false, false },
    { "a call that Linux has not yet", try_tomorrow, false, false },
    { "F_SETOWN", try_owner, false, false },
    { "F_DUPFD", try_duplicate, true, true },
    { "shmget", try_shared_memory, false, false },
    { "shmat", try_attach, false, false },
    { "msgctl", try_messages, false, false },
    { "a thread", try_thread, true, true },
    { "fork", try_fork, false, true },
};
enum { ATTEMPTS = sizeof attempts / sizeof *attempts };

/* Try all of it; `results` has one letter for each. */
static void try_all(char results[ATTEMPTS]) {
    for (int i = 0; i < ATTEMPTS; i++) results[i] = attempts[i].run() >= 0 ? 'y' : 'n';
}

static int judge(const char results[ATTEMPTS], bool program) {
    int wrong = 0;
    for (int i = 0; i < ATTEMPTS; i++) {
        bool expected = program ? attempts[i].allowed_program : attempts[i].allowed;
        if (results[i] == (expected ? 'y' : 'n')) continue;
        wrong++;
        print_error("%s: %s\n", attempts[i].name, results[i] == 'y' ? "went through" : "was refused");
    }
    return wrong;
}

/* ---- the world outside ---- */

static int master = -1, listener = -1;

static int set_up(void **state) {
    (void)state;
    snprintf(w.directory, sizeof w.directory, "/tmp/toad-sandbox-XXXXXX");
    assert_non_null(mkdtemp(w.directory));
    snprintf(w.file, sizeof w.file, "%s/file", w.directory);
    snprintf(w.socket, sizeof w.socket, "%s/socket", w.directory);
    int fd = open(w.file, O_CREAT | O_WRONLY, 0600);
    assert_true(fd >= 0 && !close(fd));
    struct sockaddr_un at = { .sun_family = AF_UNIX };
    snprintf(at.sun_path, sizeof at.sun_path, "%s", w.socket);
    listener = socket(AF_UNIX, SOCK_DGRAM, 0);
    assert_int_equal(bind(listener, (struct sockaddr *)&at, sizeof at), 0);
    master = posix_openpt(O_RDWR | O_NOCTTY);
    assert_true(master >= 0 && !grantpt(master) && !unlockpt(master));
    snprintf(w.terminal, sizeof w.terminal, "%s", ptsname(master));
    if (!(w.victim = fork()))
        for (;;) pause();
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    int code = 0;
    bool alive = waitpid(w.victim, &code, WNOHANG) == 0;
    kill(w.victim, SIGKILL);
    if (alive) waitpid(w.victim, &code, 0);
    struct stat st;
    bool whole = !stat(w.file, &st) && (st.st_mode & 0777) == 0600;
    unlink(w.file);
    unlink(w.socket);
    rmdir(w.directory);
    close(master);
    close(listener);
    return alive && whole ? 0 : -1;
}

/* In a session whose terminal is the test's, as under a shell: fork `inside`, its results through a pipe. */
static void run_under_terminal(void (*inside)(int out), char results[ATTEMPTS]) {
    int ends[2], code = 0;
    assert_int_equal(pipe(ends), 0);
    pid_t shell = fork();
    if (!shell) {
        setsid();
        int tty = open(w.terminal, O_RDWR);
        dup2(tty, 2);
        for (int fd = 40; fd < 60; fd++) dup2(tty, fd); /* what a careless parent leaves open */
        pid_t child = fork();
        if (!child) inside(ends[1]);
        waitpid(child, &code, 0);
        _exit(code ? 1 : 0);
    }
    close(ends[1]);
    size_t n = 0;
    for (ssize_t got; n < ATTEMPTS && (got = read(ends[0], results + n, ATTEMPTS - n)) > 0;) n += (size_t)got;
    close(ends[0]);
    waitpid(shell, &code, 0);
    assert_int_equal(n, ATTEMPTS);
    assert_int_equal(code, 0);
    assert_int_equal(waitpid(w.victim, &code, WNOHANG), 0); /* still there */
}

static void reader(int out) {
    char results[ATTEMPTS];
    if (!toad__sandbox_enter(out, 20, (size_t)512 << 20)) _exit(3);
    try_all(results);
    if (write(3, results, sizeof results) != (ssize_t)sizeof results) _exit(4);
    execl("/bin/false", "false", NULL); /* refused: so the status is ours */
    _exit(0);
}

static void a_reader_gets_nothing_but_its_connections(void **state) {
    (void)state;
    char results[ATTEMPTS];
    run_under_terminal(reader, results);
    assert_int_equal(judge(results, false), 0);
}

static char self[512];

static void program(int out) {
    char victim[16];
    snprintf(victim, sizeof victim, "%d", w.victim);
    dup2(out, 1);
    int null = open("/dev/null", O_RDWR);
    dup2(null, 0);
    dup2(null, 2);
    if (!toad__sandbox_program(20, (size_t)1 << 46)) _exit(3);
    execl(self, self, "inside", victim, w.terminal, w.directory, w.file, w.socket, NULL);
    _exit(5);
}

static void a_program_gets_no_connection_either(void **state) {
    (void)state;
    char results[ATTEMPTS];
    run_under_terminal(program, results);
    assert_int_equal(judge(results, true), 0);
}

static int inside(char **argv) {
    char results[ATTEMPTS];
    w.victim = atoi(argv[0]);
    snprintf(w.terminal, sizeof w.terminal, "%s", argv[1]);
    snprintf(w.directory, sizeof w.directory, "%s", argv[2]);
    snprintf(w.file, sizeof w.file, "%s", argv[3]);
    snprintf(w.socket, sizeof w.socket, "%s", argv[4]);
    try_all(results);
    return write(1, results, sizeof results) == (ssize_t)sizeof results ? 0 : 4;
}

int main(int argc, char **argv) {
    if (argc == 7 && !strcmp(argv[1], "inside")) _exit(inside(argv + 2)); /* a leak checker would trace itself */
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    if (n <= 0) return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_reader_gets_nothing_but_its_connections, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_program_gets_no_connection_either, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
