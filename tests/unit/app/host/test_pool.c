/* Jobs come back in order, each once, whatever the number of threads. */
#include "app/host/pool.h"
#include "tests/check.h"

#include <stdlib.h>

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
    static const toad__pool_calls calls = { work, done, tick };
    static const unsigned threads[] = { 1, 2, 7, 64 };
    static job jobs[JOBS];
    for (unsigned t = 0; t < sizeof threads / sizeof *threads; t++) {
        seen s = { 0, true, threads[t] };
        toad__pool *pool;
        assert_int_equal(toad__pool_new(threads[t], TOAD__POOL_WINDOW, &calls, &s, &pool), TOAD_OK);
        for (unsigned i = 0; i < JOBS; i++) {
            jobs[i] = (job){ i, 0 };
            toad__pool_submit(pool, &jobs[i]);
        }
        toad__pool_finish(pool);
        assert_true(s.ordered);
        assert_int_equal(s.next, JOBS);
    }
}

static void without_jobs(void **state) {
    (void)state;
    static const toad__pool_calls calls = { work, done, tick };
    seen s = { 0, true, 4 };
    toad__pool *pool;
    assert_int_equal(toad__pool_new(4, 3, &calls, &s, &pool), TOAD_OK);
    toad__pool_finish(pool);
    assert_int_equal(s.next, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = { cmocka_unit_test(in_order), cmocka_unit_test(without_jobs) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
