/* signals.c - see signals.h: a pipe that a signal handler and other threads write a byte to. */
#include "face/proxy/signals.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

static int wake[2] = { -1, -1 };

static void put(char c) {
    int saved = errno;
    if (write(wake[1], &c, 1) < 0) errno = saved; /* full: it is readable already */
    errno = saved;
}

static void on_signal(int number) {
    (void)number;
    put('s');
}

bool proxy_catch_signals(void) {
    static const int signals[] = { SIGTERM, SIGINT, SIGHUP };
    struct sigaction act = { .sa_handler = on_signal };
    if (pipe(wake)) return false;
    for (int i = 0; i < 2; i++) {
        fcntl(wake[i], F_SETFD, FD_CLOEXEC);
        fcntl(wake[i], F_SETFL, O_NONBLOCK);
    }
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) sigaction(signals[i], &act, NULL);
    signal(SIGPIPE, SIG_IGN);
    return true;
}

int proxy_wake_fd(void) { return wake[0]; }
void proxy_wake(void) { put('w'); }

bool proxy_was_told_to_end(void) {
    char bytes[256];
    bool told = false;
    for (ssize_t n; (n = read(wake[0], bytes, sizeof bytes)) > 0;)
        for (ssize_t i = 0; i < n; i++) told = told || bytes[i] == 's';
    return told;
}
