/* Jobs come back in order, each once, whatever the number of threads. */
#include "app/host/pool.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#define JOBS 5000

typedef struct job {
    unsigned in, out;
} job;

typedef struct seen {
    unsigned next;
    bool ordered;
    unsigned threads;
} seen;

static void work(void *ctx, unsigned worker, void *object) {
    const seen *s = ctx;
    job *j = object;
    if (worker >= s->threads) abort();
    for (unsigned i = 0; i < j->in % 1000; i++) j->out = j->out * 31 + i; /* of unlike length */
    j->out = j->in + 1;
}

static void done(void *ctx, void *object) {
    seen *s = ctx;
    job *j = object;
    s->ordered &= j->in == s->next && j->out == j->in + 1;
    s->next++;
}

static void tick(void *ctx) { (void)ctx; }

static void in_order(void **state) {
    (void)state;
    static const bzr__pool_calls calls = { work, done, tick };
    static const unsigned threads[] = { 1, 2, 7, 64 };
    static job jobs[JOBS];
    for (unsigned t = 0; t < sizeof threads / sizeof *threads; t++) {
        seen s = { 0, true, threads[t] };
        bzr__pool *pool;
        assert_int_equal(bzr__pool_new(threads[t], &calls, &s, &pool), BZR_OK);
        for (unsigned i = 0; i < JOBS; i++) {
            jobs[i] = (job){ i, 0 };
            bzr__pool_submit(pool, &jobs[i]);
        }
        bzr__pool_finish(pool);
        assert_true(s.ordered);
        assert_int_equal(s.next, JOBS);
    }
}

static void without_jobs(void **state) {
    (void)state;
    static const bzr__pool_calls calls = { work, done, tick };
    seen s = { 0, true, 4 };
    bzr__pool *pool;
    assert_int_equal(bzr__pool_new(4, &calls, &s, &pool), BZR_OK);
    bzr__pool_finish(pool);
    assert_int_equal(s.next, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = { cmocka_unit_test(in_order), cmocka_unit_test(without_jobs) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
