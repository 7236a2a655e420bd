/* fixture.h - what every contract test starts from: a fresh store on the backend of its group, with a clock that the
 * test moves. */
#ifndef TOAD_TESTS_STORE_FIXTURE_H
#define TOAD_TESTS_STORE_FIXTURE_H

#include "lib/base/random.h"
#include "lib/base/str.h"
#include "store/store.h"
#include "tests/check.h"
#include "tests/store/place.h"
#include "tests/support/exact.h"

#include <stdio.h>
#include <stdlib.h>

#define SECOND INT64_C(1000000)
#define HOUR   (3600 * SECOND)

#define NEWEST "7" /* version of the store: the last step of schema.def */

static bool on_postgres; /* the group under test */

typedef struct fixture {
    place place;
    toad__store *store;
    toad__arena arena;
    int64_t clock;
    toad__store_host host;
    toad__store_options options;
} fixture;

static inline int64_t fixture_now(void *ctx) { return ((fixture *)ctx)->clock; }
static inline bool fixture_random(void *ctx, void *p, size_t n) {
    (void)ctx;
    return toad__random(p, n);
}

static inline toad__store *open_again(fixture *f) {
    char message[TOAD__STORE_MESSAGE] = "";
    toad__store *store = NULL;
    if (toad__store_open(&f->options, &store, message)) fail_msg("cannot open: %s", message);
    return store;
}

static inline int set_up(void **state) {
    fixture *f = calloc(1, sizeof *f);
    f->place = place_new(on_postgres);
    f->clock = INT64_C(1767225600) * SECOND;
    f->host = (toad__store_host){ fixture_now, fixture_random, f };
    f->options = (toad__store_options){ .where = f->place.where, .host = &f->host };
    toad__arena_init(&f->arena, 256u << 20);
    f->store = open_again(f);
    *state = f;
    return 0;
}

static inline int tear_down(void **state) {
    fixture *f = *state;
    toad__store_close(f->store);
    toad__arena_free(&f->arena);
    place_drop(&f->place);
    free(f);
    return 0;
}

#define T(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
#define S(z)    toad__str_z(z)

#define assert_ok(call)                                                                   \
    do {                                                                                  \
        toad_status got_ = (call);                                                        \
        if (got_) fail_msg("%s: status %d, %s", #call, (int)got_, toad__store_message()); \
    } while (0)
#define assert_str(got, want)                                                                                \
    do {                                                                                                     \
        toad_str a_ = (got), b_ = S(want);                                                                   \
        if (!toad__str_eq(a_, b_)) fail_msg("got \"%.*s\", want \"%s\"", (int)a_.n, a_.p ? a_.p : "", b_.p); \
    } while (0)

/* The chain must hold after whatever a test did. */
static inline void assert_chain(fixture *f) {
    toad__audit_report report;
    assert_ok(toad__store_audit_verify(f->store, NULL, &report));
    if (!report.ok) fail_msg("the chain breaks at %lld: %s", (long long)report.bad_seq, report.why);
}

#define NO_SERVER 1 /* a missing PostgreSQL is a failure, not a skip */

/* Run the tests on one backend or on both: argv[1] is "sqlite" or "postgres", nothing for both. */
#define RUN_ON_BOTH(tests)                                                                                         \
    int main(int argc, char **argv) {                                                                              \
        int failed = 0;                                                                                            \
        bool sqlite = argc < 2 || !strcmp(argv[1], "sqlite"), postgres = argc < 2 || !strcmp(argv[1], "postgres"); \
        if (sqlite) failed += cmocka_run_group_tests_name("sqlite", tests, NULL, NULL);                            \
        if (!postgres) return failed != 0;                                                                         \
        if (!server_start()) return NO_SERVER;                                                                     \
        on_postgres = true;                                                                                        \
        failed += cmocka_run_group_tests_name("postgres", tests, NULL, NULL);                                      \
        return failed != 0;                                                                                        \
    }

#endif
