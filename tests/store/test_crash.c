/* Many writers at once, writers killed at any moment, and a server that goes away: nothing acknowledged is lost and the
 * chain holds. The children are processes of their own with their own stores; they report what was acknowledged through
 * a pipe. */
#include "tests/store/fixture.h"

#include <libpq-fe.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define WRITERS 8
#define ROUNDS  25
#define KILLS   200

static void nap(long microseconds) { nanosleep(&(struct timespec){ 0, microseconds * 1000 }, NULL); }

static toad__content page(const char *url) {
    return (toad__content){ .url = S(url),
                            .domain = S("example.com"),
                            .kind = S("web"),
                            .session_id = S("s1"),
                            .body = S(url),
                            .action = S("allow"),
                            .severity = S("none"),
                            .completeness = S("full"),
                            .confidence = S("low"),
                            .findings = S("[]") };
}

/* ---- many writers ---- */

/* Read a counter, write it one higher, only if nobody did meanwhile. */
static bool count_up(toad__store *store, toad__arena *arena) {
    toad__memory m;
    char text[32];
    for (;;) {
        if (toad__store_memory_get(store, S("counter"), arena, &m)) return false;
        snprintf(text, sizeof text, "%d", atoi(m.content.p) + 1);
        toad__memory_op op = {
            .act = TOAD__MEMORY_UPDATE, .id = S("counter"), .content = S(text), .expect_revision = m.revision
        };
        toad_status status = toad__store_memories_apply(store, &op, 1, NULL, NULL);
        if (status != TOAD_E_STATE) return !status;
    }
}

static void write_along(const fixture *f, int number) {
    toad__store_options options = { .where = f->place.where, .busy_ms = 60000 };
    toad__store *store;
    toad__arena arena;
    toad__arena_init(&arena, 64u << 20);
    if (toad__store_open(&options, &store, NULL)) _exit(2);
    for (int i = 0; i < ROUNDS; i++) {
        char url[64], id[1][24];
        snprintf(url, sizeof url, "https://example.com/%d/%d", number, i);
        toad__content c = page(url);
        if (toad__store_contents_put(store, &c, 1, id)) _exit(3);
        if (!count_up(store, &arena)) _exit(4);
    }
    toad__store_close(store);
    toad__arena_free(&arena);
    _exit(0);
}

static void eight_writers_make_one_chain(void **state) {
    fixture *f = *state;
    pid_t children[WRITERS];
    toad__memory m;
    toad__store_stats stats;
    toad__memory_op op = { .act = TOAD__MEMORY_ADD, .id = S("counter"), .content = S("0") };
    assert_ok(toad__store_memories_apply(f->store, &op, 1, NULL, NULL));
    toad__store_close(f->store);
    f->store = NULL;
    for (int i = 0; i < WRITERS; i++)
        if (!(children[i] = fork())) write_along(f, i);
    for (int i = 0; i < WRITERS; i++) {
        int status;
        waitpid(children[i], &status, 0);
        assert_int_equal(status, 0);
    }
    f->store = open_again(f);
    assert_ok(toad__store_memory_get(f->store, S("counter"), &f->arena, &m));
    assert_int_equal(atoi(m.content.p), WRITERS * ROUNDS);
    assert_int_equal(m.revision, WRITERS * ROUNDS + 1);
    assert_ok(toad__store_stats_get(f->store, &stats));
    assert_int_equal(stats.total_contents, WRITERS * ROUNDS);
    assert_int_equal(stats.events, 2 * WRITERS * ROUNDS + 1);
    assert_chain(f);
    assert_ok(toad__store_check(f->store));
}

static void eight_openers_make_one_schema(void **state) {
    fixture *f = *state;
    pid_t children[WRITERS];
    toad__store_close(f->store);
    place_drop(&f->place);
    f->place = place_new(on_postgres);
    for (int i = 0; i < WRITERS; i++)
        if (!(children[i] = fork())) {
            toad__store *store;
            toad_status status = toad__store_open(&f->options, &store, NULL);
            if (status) fprintf(stderr, "%s\n", toad__store_message());
            _exit(status != 0);
        }
    for (int i = 0; i < WRITERS; i++) {
        int status;
        waitpid(children[i], &status, 0);
        assert_int_equal(status, 0);
    }
    f->store = open_again(f);
    assert_string_equal(place_ask(&f->place, "SELECT value FROM facts WHERE name = 'version'"), NEWEST);
    assert_chain(f);
}

/* ---- threads of one process share few links ---- */

static void *write_as_thread(void *ctx) {
    toad__store *store = ctx;
    toad__event e = { .type = S("t") };
    uint64_t n;
    for (int i = 0; i < 50; i++)
        if (toad__store_events_append(store, &e, 1) || toad__store_events_count(store, &(toad__event_filter){ 0 }, &n))
            return ctx;
    return NULL;
}

static void threads_share_links(void **state) {
    fixture *f = *state;
    pthread_t threads[WRITERS];
    toad__store_stats stats;
    toad__store_close(f->store);
    f->options.links = 2;
    f->options.busy_ms = 60000;
    f->store = open_again(f);
    for (int i = 0; i < WRITERS; i++) assert_int_equal(pthread_create(&threads[i], NULL, write_as_thread, f->store), 0);
    for (int i = 0; i < WRITERS; i++) {
        void *failed;
        pthread_join(threads[i], &failed);
        assert_null(failed);
    }
    assert_ok(toad__store_stats_get(f->store, &stats));
    assert_int_equal(stats.events, WRITERS * 50);
    assert_chain(f);
}

/* ---- kill -9 ---- */

typedef struct receipt {
    char content[24], memory[24];
} receipt;

static void write_until_killed(const fixture *f, int number, int out) {
    toad__store_options options = { .where = f->place.where, .busy_ms = 60000 };
    toad__store *store;
    if (toad__store_open(&options, &store, NULL)) _exit(2);
    for (int i = 0;; i++) {
        char url[64];
        receipt r;
        snprintf(url, sizeof url, "https://example.com/%d/%d", number, i);
        toad__content c = page(url);
        toad__memory_made made;
        toad__memory_op op = { .act = TOAD__MEMORY_ADD, .content = S(url) };
        if (toad__store_contents_put(store, &c, 1, (char(*)[24])r.content)) _exit(3);
        if (toad__store_memories_apply(store, &op, 1, &made, NULL)) _exit(4);
        memcpy(r.memory, made.id, sizeof made.id);
        if (write(out, &r, sizeof r) != sizeof r) _exit(5);
    }
}

static int check_receipts(fixture *f, int in) {
    receipt r;
    int n = 0;
    toad__content c;
    toad__memory m;
    while (read(in, &r, sizeof r) == sizeof r) {
        assert_ok(toad__store_content_get(f->store, S(r.content), true, &f->arena, &c));
        assert_true(c.intact);
        assert_ok(toad__store_memory_get(f->store, S(r.memory), &f->arena, &m));
        assert_true(m.intact);
        n++;
    }
    return n;
}

typedef struct writer {
    pid_t child;
    int receipts;
} writer;

static writer start_writer(const fixture *f, int number) {
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    if (!child) {
        close(ends[0]); /* if the test dies, the next receipt kills the writer */
        write_until_killed(f, number, ends[1]);
    }
    close(ends[1]);
    return (writer){ child, ends[0] };
}

static void kill_writer(writer w) {
    int status;
    kill(w.child, SIGKILL);
    waitpid(w.child, &status, 0);
    assert_true(WIFSIGNALED(status));
}

/* Two write; one dies, the other goes on beside what it left and dies in its turn; then the store is opened as after a
 * crash. */
static void killed_at_any_moment(void **state) {
    fixture *f = *state;
    int acknowledged = 0;
    long patience = 1; /* more on a slow machine: some must get as far as an acknowledgment */
    unsigned r = 99;
    f->clock = 0; /* the children's clock is the system's; nothing has expired by ours */
    toad__store_close(f->store);
    for (int i = 0; i < KILLS; i += 2) {
        writer first = start_writer(f, i), second = start_writer(f, i + 1);
        r = r * 1664525u + 1013904223u;
        nap((3000 + (long)(r >> 8) % 17000) * patience);
        kill_writer(first);
        nap((long)(r >> 16) % 10000 * patience);
        kill_writer(second);
        f->store = open_again(f);
        int n = check_receipts(f, first.receipts) + check_receipts(f, second.receipts);
        acknowledged += n;
        patience += n == 0 && patience < 20;
        close(first.receipts);
        close(second.receipts);
        if (i % 20 == 0) assert_chain(f);
        toad__store_close(f->store);
    }
    f->store = open_again(f);
    print_message("%d killed, %d writes acknowledged\n", KILLS, 2 * acknowledged);
    assert_true(acknowledged > KILLS / 4);
    assert_chain(f);
    assert_ok(toad__store_check(f->store));
    /* Every content has its event and every event its content. */
    assert_string_equal(place_ask(&f->place,
                                  "SELECT (SELECT count(*) FROM contents) - (SELECT count(*) FROM events WHERE "
                                  "type = 'security_scan')"),
                        "0");
    assert_string_equal(place_ask(&f->place,
                                  "SELECT (SELECT count(*) FROM memories) - (SELECT count(*) FROM events WHERE "
                                  "type = 'memory_write')"),
                        "0");
}

/* ---- a server that goes away ---- */

typedef struct outage {
    pthread_t thread;
    atomic_bool over;
} outage;

static void *crash_soon(void *ctx) {
    outage *o = ctx;
    nap(300000);
    server_crash();
    nap(200000);
    server_up();
    o->over = true;
    return NULL;
}

/* A call that is under way when the server dies fails, once; a call after it waits for the server. */
static void a_crashed_server_loses_nothing(void **state) {
    fixture *f = *state;
    if (!on_postgres) return;
    outage o = { .over = false };
    static char ids[20000][24];
    int n = 0, failures = 0, after = 0;
    assert_int_equal(pthread_create(&o.thread, NULL, crash_soon, &o), 0);
    while (after < 20 && n < 20000) {
        char url[64];
        snprintf(url, sizeof url, "https://example.com/%d", n);
        toad__content c = page(url);
        toad_status status = toad__store_contents_put(f->store, &c, 1, &ids[n]);
        if (status) assert_int_equal(status, TOAD_E_IO);
        failures += status != 0;
        n += !status;
        after += o.over && !status;
    }
    pthread_join(o.thread, NULL);
    assert_true(failures < 5);
    for (int i = 0; i < n; i++) {
        toad__content c;
        assert_ok(toad__store_content_get(f->store, S(ids[i]), true, &f->arena, &c));
    }
    assert_chain(f);
}

/* Body, content and sources are written, the event waits for a lock: then the server dies. */
static void a_transaction_cut_short_leaves_nothing(void **state) {
    fixture *f = *state;
    if (!on_postgres) return;
    outage o = { .over = false };
    char id[24] = "untouched";
    toad__content c = page("https://example.com/");
    PGconn *other = PQconnectdb(f->place.where);
    PQclear(PQexec(other, "BEGIN"));
    PQclear(PQexec(other, "LOCK TABLE events IN SHARE MODE"));
    assert_int_equal(pthread_create(&o.thread, NULL, crash_soon, &o), 0);
    assert_int_equal(toad__store_contents_put(f->store, &c, 1, &id), TOAD_E_IO);
    assert_string_equal(id, "untouched");
    pthread_join(o.thread, NULL);
    PQfinish(other);
    assert_string_equal(place_ask(&f->place, "SELECT (SELECT count(*) FROM contents) + (SELECT count(*) FROM bodies) + "
                                             "(SELECT count(*) FROM sources) + (SELECT count(*) FROM events)"),
                        "0");
    assert_ok(toad__store_contents_put(f->store, &c, 1, &id));
    assert_chain(f);
}

static void a_restart_between_calls_is_not_noticed(void **state) {
    fixture *f = *state;
    if (!on_postgres) return;
    toad__event e = { .type = S("t") };
    uint64_t n;
    assert_ok(toad__store_events_append(f->store, &e, 1));
    server_crash();
    server_up();
    assert_ok(toad__store_events_append(f->store, &e, 1));
    server_crash();
    server_up();
    assert_ok(toad__store_events_count(f->store, &(toad__event_filter){ 0 }, &n));
    assert_int_equal(n, 2);
    assert_chain(f);
}

static void no_server_is_a_clear_error(void **state) {
    (void)state;
    if (!on_postgres) return;
    char message[TOAD__STORE_MESSAGE];
    toad__store *store;
    toad__store_options options = { .where = "postgresql://nobody:secret-word@/x?host=/nonexistent", .busy_ms = 100 };
    assert_int_equal(toad__store_open(&options, &store, message), TOAD_E_IO);
    assert_non_null(strstr(message, "cannot connect to the store"));
    assert_null(strstr(message, "secret-word"));
}

static const struct CMUnitTest tests[] = {
    T(eight_openers_make_one_schema),
    T(eight_writers_make_one_chain),
    T(threads_share_links),
    T(killed_at_any_moment),
    T(a_crashed_server_loses_nothing),
    T(a_transaction_cut_short_leaves_nothing),
    T(a_restart_between_calls_is_not_noticed),
    cmocka_unit_test(no_server_is_a_clear_error),
};

RUN_ON_BOTH(tests)
