/* pool.h - jobs done by several threads, answered in the order they came.
 *
 * The caller's thread submits, and on the same thread `done` is called for each job in that order, so whoever prints
 * needs no lock. A fixed window of jobs is under way; submitting waits when it is full, so memory does not grow with
 * the number of jobs. */
#ifndef BZR_APP_POOL_H
#define BZR_APP_POOL_H

#include "bezoar/types.h"

typedef struct bzr__pool bzr__pool;

typedef struct bzr__pool_calls {
    void (*work)(void *ctx, unsigned worker,
                 void *job);            /* on worker thread 0..jobs-1, or the caller's when jobs is 1 */
    void (*done)(void *ctx, void *job); /* on the caller's thread */
    void (*tick)(void *ctx);            /* on the caller's thread, some ten times a second while it waits */
} bzr__pool_calls;

/* Start `threads` (1..BZR__POOL_THREADS) workers. Errors: BZR_E_NOMEM, also when no thread can be made. */
#define BZR__POOL_THREADS 256
bzr_status bzr__pool_new(unsigned threads, const bzr__pool_calls *calls, void *ctx, bzr__pool **ret);
void bzr__pool_submit(bzr__pool *pool, void *job);
/* Wait for every job, call `done` for each, and release the pool. */
void bzr__pool_finish(bzr__pool *pool);

#endif
