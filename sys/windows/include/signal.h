/* signal.h - what of signals there is: Ctrl-C, a crash, and the alarm of sys/time.h. A handler of others is never
 * called. */
#ifndef TOAD_WINDOWS_SIGNAL_H
#define TOAD_WINDOWS_SIGNAL_H

#include_next <signal.h>

#include <sys/types.h>

#define SIGHUP  1
#define SIGBUS  7
#define SIGKILL 9
#define SIGPIPE 13
#define SIGALRM 14

#define SA_RESETHAND 1 /* as signal() of Windows always does */

struct sigaction {
    void (*sa_handler)(int);
    _sigset_t sa_mask;
    int sa_flags;
};

#define sigemptyset(set) (*(set) = 0)
#define signal           toad__signal
int sigaction(int number, const struct sigaction *act, struct sigaction *old);
void (*toad__signal(int number, void (*handler)(int)))(int);

#endif
