/* system.c - the names of POSIX that are no files: errors, the environment, chance, signals and the one alarm; and what
 * happens before main: bytes stay bytes, and the console speaks UTF-8.
 *
 * HOME is the profile where nothing else was said, as Git and the agents have it. */
#include <errno.h>
#include <fcntl.h>
#include <io.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/time.h>
#include <unistd.h>
#include <windows.h>

#include <bcrypt.h>

#include "sys/windows/error.h"

int toad__win_fail(void) {
    switch (GetLastError()) {
    case ERROR_FILE_NOT_FOUND:
    case ERROR_INVALID_NAME:
    case ERROR_BAD_NETPATH:
    case ERROR_INVALID_DRIVE: errno = ENOENT; break;
    case ERROR_PATH_NOT_FOUND: errno = ENOENT; break;
    case ERROR_DIRECTORY: errno = ENOTDIR; break;
    case ERROR_ACCESS_DENIED:
    case ERROR_SHARING_VIOLATION: errno = EACCES; break;
    case ERROR_LOCK_VIOLATION: errno = EAGAIN; break;
    case ERROR_FILE_EXISTS:
    case ERROR_ALREADY_EXISTS: errno = EEXIST; break;
    case ERROR_NOT_ENOUGH_MEMORY:
    case ERROR_OUTOFMEMORY: errno = ENOMEM; break;
    case ERROR_DISK_FULL: errno = ENOSPC; break;
    case ERROR_TOO_MANY_OPEN_FILES: errno = EMFILE; break;
    case ERROR_CANT_RESOLVE_FILENAME: errno = ELOOP; break;
    case ERROR_FILENAME_EXCED_RANGE: errno = ENAMETOOLONG; break;
    case ERROR_BROKEN_PIPE:
    case ERROR_NO_DATA: errno = EPIPE; break;
    case ERROR_INVALID_HANDLE: errno = EBADF; break;
    default: errno = EIO;
    }
    return -1;
}

int getentropy(void *p, size_t n);
int getentropy(void *p, size_t n) {
    return BCryptGenRandom(NULL, p, (ULONG)n, BCRYPT_USE_SYSTEM_PREFERRED_RNG) ? (errno = EIO, -1) : 0;
}

int unsetenv(const char *name) {
    char entry[256];
    snprintf(entry, sizeof entry, "%s=", name);
    return _putenv(entry);
}

long sysconf(int name) {
    SYSTEM_INFO info;
    GetSystemInfo(&info);
    return name == _SC_NPROCESSORS_ONLN ? (long)info.dwNumberOfProcessors : -1;
}

int ioctl(int fd, unsigned long what, struct winsize *ret) {
    CONSOLE_SCREEN_BUFFER_INFO info;
    if (what != TIOCGWINSZ || !GetConsoleScreenBufferInfo((HANDLE)_get_osfhandle(fd), &info)) return errno = ENOTTY, -1;
    ret->ws_col = (unsigned short)(info.srWindow.Right - info.srWindow.Left + 1);
    ret->ws_row = (unsigned short)(info.srWindow.Bottom - info.srWindow.Top + 1);
    return 0;
}

/* ---- signals ---- */

#undef signal
static void (*on_alarm)(int);

void (*toad__signal(int number, void (*handler)(int)))(int) {
    if (number == SIGALRM) on_alarm = handler;
    bool known = number == SIGINT || number == SIGTERM || number == SIGABRT || number == SIGSEGV || number == SIGILL ||
                 number == SIGFPE;
    return known ? signal(number, handler) : SIG_DFL;
}

int sigaction(int number, const struct sigaction *act, struct sigaction *old) {
    if (old) *old = (struct sigaction){ .sa_handler = SIG_DFL };
    if (act) toad__signal(number, act->sa_handler);
    return 0;
}

static HANDLE alarm_timer;

static void CALLBACK ring(void *ctx, BOOLEAN fired) {
    (void)ctx, (void)fired;
    if (on_alarm) on_alarm(SIGALRM);
}

int setitimer(int which, const struct itimerval *value, struct itimerval *old) {
    DWORD ms = (DWORD)(value->it_value.tv_sec * 1000 + value->it_value.tv_usec / 1000);
    (void)which, (void)old;
    if (alarm_timer) DeleteTimerQueueTimer(NULL, alarm_timer, INVALID_HANDLE_VALUE);
    alarm_timer = NULL;
    if (ms && !CreateTimerQueueTimer(&alarm_timer, NULL, ring, NULL, ms, 0, WT_EXECUTEONLYONCE))
        return toad__win_fail();
    return 0;
}

/* ---- before main ---- */

int _CRT_fmode = _O_BINARY;

static UINT code_page;

static void restore_console(void) { SetConsoleOutputCP(code_page); }

__attribute__((constructor)) static void begin(void) {
    const char *profile = getenv("USERPROFILE");
    for (int fd = 0; fd < 3; fd++) _setmode(fd, _O_BINARY);
    if ((code_page = GetConsoleOutputCP()) && SetConsoleOutputCP(CP_UTF8)) atexit(restore_console);
    if (!profile || getenv("HOME")) return;
    size_t n = strlen(profile);
    char *home = malloc(n + 6);
    if (!home) return;
    memcpy(home, "HOME=", 5);
    memcpy(home + 5, profile, n + 1);
    for (char *p = home; *p; p++)
        if (*p == '\\') *p = '/';
    _putenv(home);
    free(home);
}
