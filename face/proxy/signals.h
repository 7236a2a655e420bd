/* signals.h - the end of the process, and work from other threads, as something to poll for. One per process. */
#ifndef TOAD_FACE_PROXY_SIGNALS_H
#define TOAD_FACE_PROXY_SIGNALS_H

#include <stdbool.h>

/* SIGTERM, SIGINT and SIGHUP from now on only wake; SIGPIPE is ignored. False: no descriptors left. */
bool proxy_catch_signals(void);
int proxy_wake_fd(void);
/* Make the descriptor readable. Any thread. */
void proxy_wake(void);
/* Take what woke it; was there a signal among it? */
bool proxy_was_told_to_end(void);

#endif
