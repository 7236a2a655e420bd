/* proxy.c - what `toadstone proxy` costs: the same calls of a small server, directly and through it, in one run.
 *
 *   proxy TOADSTONE STORE                latency of a call with a result of 2 KB on standard input and output, then
 *                                     calls a second over HTTP and the processor time they take
 *   proxy TOADSTONE STORE soak           200 sessions, 10,000 calls: memory before and after
 *   proxy serve                       the server: answers every request at once
 *
 * Percentiles are of one connection that waits for each answer; the rest of the machine should be idle. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define CALLS  4000
#define HTTP_N 20000
#define LANES  8
#define PORT   18777
#define BUFFER 65536
#define INIT                                                                                                  \
    "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"2025-11-25\"," \
    "\"capabilities\":{},\"clientInfo\":{\"name\":\"b\",\"version\":\"1\"}}}"
#define READY "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}"
#define CALL                                             \
    "{\"jsonrpc\":\"2.0\",\"id\":%u,\"method\":\"tools/" \
    "call\",\"params\":{\"name\":\"read\",\"arguments\":{\"path\":\"notes.txt\"}}}"

static void die(const char *what) {
    perror(what);
    exit(2);
}

static double now_us(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

/* ---- the server ---- */

static int serve(void) {
    static const char *const sentences[] = { "The ferry to the island leaves at seven and at nine. ",
                                             "In winter the harbour office opens an hour later. ",
                                             "Tickets are sold on board, bicycles travel for free. ",
                                             "The crossing takes forty minutes in calm weather. " };
    static char line[BUFFER], text[2200];
    unsigned answers = 0;
    for (size_t i = 0; strlen(text) < 1950; i++) strcat(text, sentences[i % 4]);
    while (fgets(line, sizeof line, stdin)) {
        char *id = strstr(line, "\"id\":");
        if (!id) continue;
        size_t n = strcspn(id + 5, ",}");
        if (strstr(line, "\"initialize\""))
            printf("{\"jsonrpc\":\"2.0\",\"id\":%.*s,\"result\":{\"protocolVersion\":\"2025-11-25\",\"capabilities\":{"
                   "\"tools\":{}},\"serverInfo\":{\"name\":\"b\",\"version\":\"1\"}}}\n",
                   (int)n, id + 5);
        else
            printf("{\"jsonrpc\":\"2.0\",\"id\":%.*s,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"Note %u. "
                   "%s\"}]}}\n",
                   (int)n, id + 5, ++answers, text);
        fflush(stdout);
    }
    return 0;
}

/* ---- processes ---- */

typedef struct process {
    pid_t pid;
    int in, out;
    char buf[BUFFER];
    size_t n;
} process;

static void start(process *p, char *const *argv) {
    int in[2], out[2];
    if (pipe(in) || pipe(out)) die("pipe");
    p->n = 0;
    p->pid = fork();
    if (!p->pid) {
        dup2(in[0], 0);
        dup2(out[1], 1);
        for (int fd = 3; fd < 64; fd++) close(fd);
        execvp(argv[0], argv);
        _exit(127);
    }
    close(in[0]);
    close(out[1]);
    p->in = in[1];
    p->out = out[0];
}

static void stop(process *p) {
    close(p->in);
    close(p->out);
    waitpid(p->pid, NULL, 0);
}

static void say(process *p, const char *line) {
    size_t n = strlen(line);
    char text[1024];
    memcpy(text, line, n);
    text[n++] = '\n';
    if (write(p->in, text, n) != (ssize_t)n) die("write");
}

static void hear(process *p) {
    for (;;) {
        ssize_t n = read(p->out, p->buf + p->n, sizeof p->buf - p->n);
        if (n <= 0) die("read");
        p->n += (size_t)n;
        if (p->buf[p->n - 1] != '\n') continue;
        p->n = 0;
        return;
    }
}

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

typedef struct spread {
    double p50, p99;
} spread;

static spread measure(char *const *argv) {
    static double times[CALLS];
    process p;
    char line[512];
    start(&p, argv);
    say(&p, INIT);
    hear(&p);
    say(&p, READY);
    for (unsigned i = 0; i < CALLS + 200; i++) {
        snprintf(line, sizeof line, CALL, i + 1);
        double before = now_us();
        say(&p, line);
        hear(&p);
        if (i >= 200) times[i - 200] = now_us() - before;
    }
    stop(&p);
    qsort(times, CALLS, sizeof *times, by_value);
    return (spread){ times[CALLS / 2], times[CALLS * 99 / 100] };
}

/* ---- HTTP ---- */

static int dial(void) {
    struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons(PORT) };
    int fd = socket(AF_INET, SOCK_STREAM, 0), on = 1;
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    for (int i = 0; connect(fd, (struct sockaddr *)&to, sizeof to); i++) {
        if (i == 300) die("connect");
        close(fd);
        usleep(20000);
        fd = socket(AF_INET, SOCK_STREAM, 0);
    }
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    return fd;
}

static void post(int fd, const char *session, const char *body) {
    char text[2048];
    int n =
        snprintf(text, sizeof text,
                 "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAccept: application/json, "
                 "text/event-stream\r\n%s%s%sContent-Length: %zu\r\n\r\n%s",
                 session ? "Mcp-Session-Id: " : "", session ? session : "", session ? "\r\n" : "", strlen(body), body);
    if (write(fd, text, (size_t)n) != n) die("write");
}

/* One whole answer. */
static void take(int fd, char buf[BUFFER]) {
    size_t have = 0;
    for (;;) {
        ssize_t n = read(fd, buf + have, BUFFER - 1 - have);
        if (n <= 0) die("read");
        have += (size_t)n;
        buf[have] = 0;
        char *body = strstr(buf, "\r\n\r\n"), *length = strstr(buf, "ontent-Length: ");
        if (!length) length = strstr(buf, "ontent-length: ");
        if (body && have - (size_t)(body + 4 - buf) >= (length ? (size_t)atoi(length + 15) : 0)) return;
    }
}

static void open_session(int fd, char session[64]) {
    static char buf[BUFFER];
    post(fd, NULL, INIT);
    take(fd, buf);
    char *id = strstr(buf, "cp-Session-Id: ");
    if (!id) id = strstr(buf, "cp-session-id: ");
    if (!id) die("no session");
    snprintf(session, 64, "%.*s", (int)strcspn(id + 15, "\r\n"), id + 15);
    post(fd, session, READY);
    take(fd, buf);
}

static double cpu_s(pid_t pid) {
    char path[64], text[1024], *at;
    unsigned long user, kernel;
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    FILE *f = fopen(path, "r");
    if (!f || !fgets(text, sizeof text, f)) die(path);
    fclose(f);
    at = strrchr(text, ')') + 1;
    for (int i = 0; i < 11; i++) at = strchr(at + 1, ' ');
    if (sscanf(at, "%lu %lu", &user, &kernel) != 2) die("stat");
    return (double)(user + kernel) / (double)sysconf(_SC_CLK_TCK);
}

static long rss_kb(pid_t pid) {
    char path[64], text[256];
    long kb = 0;
    snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
    FILE *f = fopen(path, "r");
    while (f && fgets(text, sizeof text, f)) (void)!sscanf(text, "VmRSS: %ld", &kb);
    if (f) fclose(f);
    return kb;
}

static void start_http(process *p, const char *toadstone, const char *store, char *self) {
    char port[16];
    snprintf(port, sizeof port, "%d", PORT);
    char *argv[] = { (char *)(uintptr_t)toadstone,  (char *)(uintptr_t) "proxy",
                     (char *)(uintptr_t) "--name",  (char *)(uintptr_t) "bench",
                     (char *)(uintptr_t) "--store", (char *)(uintptr_t)store,
                     (char *)(uintptr_t) "--http",  port,
                     (char *)(uintptr_t) "--",      self,
                     (char *)(uintptr_t) "serve",   NULL };
    start(p, argv);
}

static void stop_http(process *p) {
    kill(p->pid, SIGTERM);
    stop(p);
}

static void measure_http(const char *toadstone, const char *store, char *self) {
    static char buf[BUFFER];
    int fds[LANES];
    char sessions[LANES][64], line[512];
    process p;
    start_http(&p, toadstone, store, self);
    for (int i = 0; i < LANES; i++) open_session(fds[i] = dial(), sessions[i]);
    double best = 0, cpu = 1e9;
    for (int round = 0; round < 3; round++) {
        double from = now_us(), used = cpu_s(p.pid);
        unsigned sent = 0, got = 0;
        struct pollfd ready[LANES];
        for (int i = 0; i < LANES; i++) {
            ready[i] = (struct pollfd){ .fd = fds[i], .events = POLLIN };
            snprintf(line, sizeof line, CALL, ++sent);
            post(fds[i], sessions[i], line);
        }
        while (got < HTTP_N) {
            poll(ready, LANES, -1);
            for (int i = 0; i < LANES; i++) {
                if (!ready[i].revents) continue;
                take(fds[i], buf);
                got++;
                if (sent == HTTP_N) continue;
                snprintf(line, sizeof line, CALL, ++sent);
                post(fds[i], sessions[i], line);
            }
        }
        double rate = HTTP_N / ((now_us() - from) / 1e6), each = (cpu_s(p.pid) - used) / HTTP_N;
        best = rate > best ? rate : best;
        cpu = each < cpu ? each : cpu;
    }
    printf(
        "http: %.0f calls a second; %.0f us of processor time a call in the proxy, %.0f calls a second of one core\n",
        best, cpu * 1e6, 1 / cpu);
    stop_http(&p);
}

/* ---- soak ---- */

static int soak(const char *toadstone, const char *store, char *self) {
    enum { SESSIONS = 200, EACH = 50 };
    static char buf[BUFFER];
    static char sessions[SESSIONS][64];
    int fds[SESSIONS];
    char line[512];
    process p;
    long before = 0;
    start_http(&p, toadstone, store, self);
    for (int i = 0; i < SESSIONS; i++) open_session(fds[i] = dial(), sessions[i]);
    for (int k = 0; k < 2 * EACH; k++) {
        if (k == EACH) before = rss_kb(p.pid);
        for (int i = 0; i < SESSIONS; i++) {
            snprintf(line, sizeof line, CALL, (unsigned)k + 1);
            post(fds[i], sessions[i], line);
        }
        for (int i = 0; i < SESSIONS; i++) take(fds[i], buf);
    }
    long after = rss_kb(p.pid);
    printf("soak: %d sessions, %d calls, then %d more: %ld KB, then %ld KB\n", SESSIONS, SESSIONS * EACH,
           SESSIONS * EACH, before, after);
    stop_http(&p);
    return after > before + before / 50; /* 2 %: what the allocator keeps */
}

int main(int argc, char **argv) {
    char self[4096];
    signal(SIGPIPE, SIG_IGN);
    if (argc == 2 && !strcmp(argv[1], "serve")) return serve();
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    if (argc < 3 || n < 0) {
        fprintf(stderr, "usage: proxy TOADSTONE STORE [soak]\n");
        return 2;
    }
    self[n] = 0;
    if (argc > 3) return soak(argv[1], argv[2], self);
    char *direct[] = { self, (char *)(uintptr_t) "serve", NULL };
    char *through[] = { argv[1],
                        (char *)(uintptr_t) "proxy",
                        (char *)(uintptr_t) "--name",
                        (char *)(uintptr_t) "bench",
                        (char *)(uintptr_t) "--store",
                        argv[2],
                        (char *)(uintptr_t) "--",
                        self,
                        (char *)(uintptr_t) "serve",
                        NULL };
    spread d = measure(direct), t = measure(through);
    for (int i = 0; i < 2; i++) { /* best of three */
        spread a = measure(direct), b = measure(through);
        if (a.p50 < d.p50) d.p50 = a.p50;
        if (a.p99 < d.p99) d.p99 = a.p99;
        if (b.p50 < t.p50) t.p50 = b.p50;
        if (b.p99 < t.p99) t.p99 = b.p99;
    }
    printf("stdio, a result of 2 KB: direct p50 %.0f us, p99 %.0f us; through the proxy %.0f, %.0f; more: %.0f, %.0f "
           "(limits 150, 1000)\n",
           d.p50, d.p99, t.p50, t.p99, t.p50 - d.p50, t.p99 - d.p99);
    measure_http(argv[1], argv[2], self);
    return 0;
}
