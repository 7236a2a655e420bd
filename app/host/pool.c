/* pool.c - a ring of slots under one lock.
 *
 * head..tail are the jobs under way, `next` the first that no worker has taken: head <= next <= tail <= head + window.
 * A job is handed back when it is the head and finished. One lock is enough: it is held for a few instructions a job,
 * and a job is a file. */
#include "app/host/pool.h"
#include "sys/clock.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

typedef struct slot {
    void *job;
    bool finished;
} slot;

struct toad__pool {
    const toad__pool_calls *calls;
    void *ctx;
    slot ring[TOAD__POOL_WINDOW];
    size_t window, head, next, tail;
    bool closed;
    pthread_mutex_t lock;
    pthread_cond_t work, progress;
    unsigned started;
    pthread_t handles[TOAD__POOL_THREADS];
};

typedef struct start {
    toad__pool *pool;
    unsigned worker;
} start;

static void *run_worker(void *argument) {
    start from = *(start *)argument;
    toad__pool *p = from.pool;
    free(argument);
    pthread_mutex_lock(&p->lock);
    for (;;) {
        while (p->next == p->tail && !p->closed) pthread_cond_wait(&p->work, &p->lock);
        if (p->next == p->tail) break;
        slot *s = &p->ring[p->next++ % TOAD__POOL_WINDOW];
        pthread_mutex_unlock(&p->lock);
        p->calls->work(p->ctx, from.worker, s->job);
        pthread_mutex_lock(&p->lock);
        s->finished = true;
        pthread_cond_signal(&p->progress);
    }
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

static bool start_worker(toad__pool *p) {
    start *from = malloc(sizeof *from);
    if (!from) return false;
    *from = (start){ p, p->started };
    if (!pthread_create(&p->handles[p->started], NULL, run_worker, from)) {
        p->started++;
        return true;
    }
    free(from);
    return false;
}

toad_status toad__pool_new(unsigned threads, size_t window, const toad__pool_calls *calls, void *ctx,
                           toad__pool **ret) {
    assert(threads >= 1 && threads <= TOAD__POOL_THREADS && window >= 1 && window <= TOAD__POOL_WINDOW);
    toad__pool *p = calloc(1, sizeof *p);
    if (!p) return TOAD_E_NOMEM;
    p->calls = calls;
    p->ctx = ctx;
    p->window = window;
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->work, NULL);
    pthread_cond_init(&p->progress, NULL);
    while (threads > 1 && p->started < threads && start_worker(p)) {}
    if (threads > 1 && !p->started) {
        toad__pool_finish(p);
        return TOAD_E_NOMEM;
    }
    *ret = p;
    return TOAD_OK;
}

/* With the lock held: hand back what is finished at the head. */
static void hand_back(toad__pool *p) {
    while (p->head < p->next && p->ring[p->head % TOAD__POOL_WINDOW].finished) {
        void *job = p->ring[p->head++ % TOAD__POOL_WINDOW].job;
        pthread_mutex_unlock(&p->lock);
        p->calls->done(p->ctx, job);
        pthread_mutex_lock(&p->lock);
    }
}

/* With the lock held: wait until fewer than `most` jobs are under way. */
static void wait_below(toad__pool *p, size_t most) {
    for (hand_back(p); p->tail - p->head > most; hand_back(p)) {
        struct timespec until = toad__wall_in(100);
        pthread_cond_timedwait(&p->progress, &p->lock, &until);
        pthread_mutex_unlock(&p->lock);
        p->calls->tick(p->ctx);
        pthread_mutex_lock(&p->lock);
    }
}

void toad__pool_submit(toad__pool *p, void *job) {
    if (!p->started) {
        p->calls->work(p->ctx, 0, job);
        p->calls->done(p->ctx, job);
        p->calls->tick(p->ctx);
        return;
    }
    pthread_mutex_lock(&p->lock);
    wait_below(p, p->window - 1);
    assert(p->head <= p->next && p->next <= p->tail && p->tail < p->head + p->window);
    p->ring[p->tail++ % TOAD__POOL_WINDOW] = (slot){ job, false };
    pthread_cond_signal(&p->work);
    pthread_mutex_unlock(&p->lock);
}

void toad__pool_finish(toad__pool *p) {
    pthread_mutex_lock(&p->lock);
    wait_below(p, 0);
    p->closed = true;
    pthread_cond_broadcast(&p->work);
    pthread_mutex_unlock(&p->lock);
    for (unsigned i = 0; i < p->started; i++) pthread_join(p->handles[i], NULL);
    pthread_cond_destroy(&p->work);
    pthread_cond_destroy(&p->progress);
    pthread_mutex_destroy(&p->lock);
    free(p);
}
