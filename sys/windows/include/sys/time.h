/* sys/time.h - one alarm: the handler of SIGALRM runs in a thread of its own. */
#ifndef TOAD_WINDOWS_TIME_H
#define TOAD_WINDOWS_TIME_H

#include_next <sys/time.h>

typedef long suseconds_t;

struct itimerval {
    struct timeval it_interval, it_value;
};

#define ITIMER_REAL 0
int setitimer(int which, const struct itimerval *value, struct itimerval *old);

#endif
