/* mcp_http.c - what --http takes, where tokens come from, and the main thread, which only waits for a signal.
 *
 * A token is read from a file that others cannot read, or from TOAD_TOKEN, never from the command line, where every
 * process sees it. */
#include "face/cli/mcp_http.h"

#include "face/cli/out.h"
#include "face/mcp/http.h"
#include "face/mcp/pool.h"
#include "lib/base/buf.h"
#include "lib/base/str.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define PORT       8731
#define WORKERS    4
#define TOKENS_MAX ((size_t)1 << 20)

/* ---- the address ---- */

static bool read_port(toad_str text, uint16_t *ret) {
    unsigned long n = 0;
    for (size_t i = 0; i < text.n && n <= 65535; i++) {
        if (!toad__is_digit((unsigned char)text.p[i])) return false;
        n = n * 10 + (unsigned long)(text.p[i] - '0');
    }
    *ret = (uint16_t)n;
    return text.n && n <= 65535;
}

/* ADDR:PORT, [ADDR]:PORT, ADDR, PORT or :PORT. */
static bool read_address(const char *given, char address[64], uint16_t *port) {
    toad_str text = toad__str_z(given), host = text;
    unsigned char in[sizeof(struct in6_addr)];
    *port = PORT;
    memcpy(address, "127.0.0.1", 10);
    if (read_port(text, port)) return true;
    if (text.n && text.p[0] == '[') {
        size_t end = toad__str_find(text, TOAD__S("]"), 0);
        host = toad__str_part(text, 1, end);
        text = toad__str_part(text, end + 1, text.n);
        if (end == toad__str_z(given).n) return false;
        if (text.n && (text.p[0] != ':' || !read_port(toad__str_part(text, 1, text.n), port))) return false;
    } else {
        size_t end = toad__str_find(text, TOAD__S(":"), 0);
        host = toad__str_part(text, 0, end);
        if (end < text.n && !read_port(toad__str_part(text, end + 1, text.n), port)) return false;
    }
    if (!host.n || toad__str_eq(host, TOAD__S("localhost"))) return true;
    if (host.n > 63) return false;
    memcpy(address, host.p, host.n);
    address[host.n] = 0;
    return inet_pton(AF_INET, address, in) == 1 || inet_pton(AF_INET6, address, in) == 1;
}

/* ---- tokens ---- */

static bool read_file(const char *path, toad__buf *out) {
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    ssize_t n = 1;
    bool ok = fd >= 0 && !fstat(fd, &st);
    if (ok && S_ISREG(st.st_mode) && st.st_mode & 077) {
        cli_error("mcp", "'%s' can be read by others: chmod 600 it", cli_safe(path));
        close(fd);
        return false;
    }
    while (ok && n > 0) {
        char *room = toad__buf_room(out, 4096);
        n = room ? read(fd, room, 4096) : -1;
        if (n > 0) out->n += (size_t)n;
    }
    if (n < 0) ok = false;
    if (!ok) cli_error("mcp", "cannot read '%s': %s", cli_safe(path), out->status ? "too long" : strerror(errno));
    if (fd >= 0) close(fd);
    return ok;
}

static bool add_token_file(const char *path, http_guard *guard) {
    toad__buf text;
    size_t line = 0;
    toad__buf_init(&text, TOKENS_MAX);
    bool read = read_file(path, &text), ok = read && http_guard_add_tokens(guard, toad__buf_str(&text), &line);
    if (read && !ok && line)
        cli_error("mcp", "%s:%zu: no token: 16 to 4096 visible ASCII characters, at most 64 of them", cli_safe(path),
                  line);
    else if (read && !ok)
        cli_error("mcp", "'%s' holds no token", cli_safe(path));
    toad__buf_free(&text);
    return ok;
}

static bool add_tokens(const args *a, http_guard *guard) {
    const char *token = getenv("TOAD_TOKEN");
    if (a->token_file) return add_token_file(a->token_file, guard);
    if (!token || !*token || http_guard_add_token(guard, toad__str_z(token))) return true;
    cli_error("mcp", "TOAD_TOKEN is no token: 16 to 4096 visible ASCII characters");
    return false;
}

/* ---- serving ---- */

/* Names that a client may call us by. Where only who has a token is heard, any will do. */
static bool set_names(const args *a, bool local, http_guard *guard) {
    if (a->hosts_n > HTTP_NAMES_MAX || a->origins_n > HTTP_NAMES_MAX) {
        cli_error("mcp", "at most %d names of each sort", HTTP_NAMES_MAX);
        return false;
    }
    for (size_t i = 0; i < a->hosts_n; i++) guard->hosts[guard->hosts_n++] = a->hosts[i];
    for (size_t i = 0; i < a->origins_n; i++) guard->origins[guard->origins_n++] = a->origins[i];
    if (!local && !a->hosts_n) guard->hosts[guard->hosts_n++] = "*";
    return true;
}

/* Each connection is a descriptor; the usual soft limit is for programs that use select. */
static void raise_descriptors(void) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit)) return;
    limit.rlim_cur = limit.rlim_max < 8192 ? limit.rlim_max : 8192;
    (void)setrlimit(RLIMIT_NOFILE, &limit);
}

/* Signals are blocked in every thread and taken here. */
static void wait_for_end(mcp_http *face, const sigset_t *ends) {
    struct timespec second = { .tv_sec = 1 };
    while (sigtimedwait(ends, NULL, &second) < 0) mcp_http_tick(face);
}

static int serve(const mcp_http_settings *settings, bool six) {
    mcp_http *face;
    char why[256];
    sigset_t ends;
    sigemptyset(&ends);
    sigaddset(&ends, SIGINT);
    sigaddset(&ends, SIGTERM);
    sigaddset(&ends, SIGHUP);
    pthread_sigmask(SIG_BLOCK, &ends, NULL);
    signal(SIGPIPE, SIG_IGN);
    raise_descriptors();
    toad_status status = mcp_http_new(settings, &face, why);
    if (status) {
        cli_error("mcp", "%s", cli_safe(why));
        return EXIT_ERROR;
    }
    fprintf(stderr, "toadstone: mcp: http://%s%s%s:%u/mcp%s\n", six ? "[" : "", settings->address, six ? "]" : "",
            (unsigned)mcp_http_port(face), settings->guard.tokens_n ? ", with a token" : "");
    wait_for_end(face, &ends);
    pthread_sigmask(SIG_UNBLOCK, &ends, NULL); /* who does not want to wait for what is being done says it again */
    mcp_http_free(face);
    return EXIT_OK;
}

bool cli_read_http(const args *a, char address[64], uint16_t *port, http_guard *guard) {
    if (read_address(a->http, address, port))
        return add_tokens(a, guard) && set_names(a, http_is_loopback(address), guard);
    cli_error("mcp", "--http takes ADDR:PORT, as 127.0.0.1:8731 or [::1]:8731, not '%s'", cli_safe(a->http));
    return false;
}

int cli_serve_mcp_http(const args *a, const mcp_settings *settings) {
    mcp_http_settings http = { .workers = WORKERS, .agent = settings->session, .enter = mcp_pool_enter };
    char address[64];
    mcp_pool *pool;
    if (!cli_read_http(a, address, &http.port, &http.guard)) return EXIT_ERROR;
    http.address = address;
    toad_status status = mcp_pool_new(settings, WORKERS, &pool);
    if (status) return cli_status("mcp", "server", status);
    http.server = mcp_pool_server(pool);
    http.ctx = pool;
    int code = serve(&http, strchr(address, ':') != NULL);
    mcp_pool_free(pool);
    return code;
}
