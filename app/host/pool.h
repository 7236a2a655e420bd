/* pool.h - jobs done by several threads, answered in the order they came.
 *
 * The caller's thread submits, and on the same thread `done` is called for each job in that order, so whoever prints
 * needs no lock. A window of jobs is under way; submitting waits when it is full, so memory does not grow with
 * the number of jobs. */
#ifndef TOAD_APP_POOL_H
#define TOAD_APP_POOL_H

#include "toadstone/types.h"

typedef struct toad__pool toad__pool;

typedef struct toad__pool_calls {
    void (*work)(void *ctx, unsigned worker,
                 void *job);            /* on worker thread 0..jobs-1, or the caller's when jobs is 1 */
    void (*done)(void *ctx, void *job); /* on the caller's thread */
    void (*tick)(void *ctx);            /* on the caller's thread, some ten times a second while it waits */
} toad__pool_calls;

/* Start `threads` (1..TOAD__POOL_THREADS) workers; at most `window` (1..TOAD__POOL_WINDOW) jobs are under way. Errors:
 * TOAD_E_NOMEM, also when no thread can be made. */
#define TOAD__POOL_THREADS 256
#define TOAD__POOL_WINDOW  512
toad_status toad__pool_new(unsigned threads, size_t window, const toad__pool_calls *calls, void *ctx, toad__pool **ret);
void toad__pool_submit(toad__pool *pool, void *job);
/* Wait for every job, call `done` for each, and release the pool. */
void toad__pool_finish(toad__pool *pool);

#endif
