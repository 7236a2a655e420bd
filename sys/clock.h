/* clock.h - the time, for what stands above lib/, which has no clock. */
#ifndef TOAD_SYS_CLOCK_H
#define TOAD_SYS_CLOCK_H

#include <stdint.h>
#include <time.h>

/* Milliseconds that only go forward: for deadlines and ages. */
static inline int64_t toad__now_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}
/* Microseconds since 1970: for what is stored and shown. */
static inline int64_t toad__wall_us(void) {
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}
/* `ms` from now, as pthread_cond_timedwait wants it. */
static inline struct timespec toad__wall_in(int64_t ms) {
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    t.tv_sec += (time_t)(ms / 1000);
    t.tv_nsec += (long)(ms % 1000) * 1000000;
    if (t.tv_nsec >= 1000000000) t.tv_nsec -= 1000000000, t.tv_sec++;
    return t;
}

#endif
