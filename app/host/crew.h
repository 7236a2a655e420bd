/* crew.h - jobs done by several processes, answered in the order they were given.
 *
 * Processes, not threads: a job that forks (a fetch does) must not do so while another thread holds a lock, and one
 * that dies takes nothing with it but its own answer. A fixed window of jobs is under way, so memory does not grow with
 * their number. */
#ifndef TOAD_APP_CREW_H
#define TOAD_APP_CREW_H

#include "lib/base/buf.h"

#define TOAD__CREW_MAX 64

typedef struct toad__crew_calls {
    /* In a new process, before its first job: what it works with, or NULL. */
    void *(*start)(void *ctx);
    /* There: do job `i`; `answer` is empty. The process ends after the last one without any farewell. */
    toad_status (*work)(void *worker, size_t i, toad__buf *answer);
    /* In the caller's process, in order of the jobs. TOAD_E_IO with an empty answer: the process died. */
    void (*done)(void *ctx, size_t i, toad_status status, toad_str answer);
} toad__crew_calls;

/* Do the jobs 0 to n - 1 in up to `workers` processes; the caller must have no other threads. `most`: bytes of an
 * answer. Errors: TOAD_E_NOMEM, TOAD_E_IO (no process could be made; errno says why). */
toad_status toad__crew_run(size_t n, unsigned workers, size_t most, const toad__crew_calls *calls, void *ctx);

#endif
