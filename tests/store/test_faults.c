/* What can be wrong with the place a store is in: each gives a clear error, changes nothing and loses nothing. */
#include "tests/store/fixture.h"

#include <fcntl.h>
#include <libpq-fe.h>
#include <signal.h>
#include <sqlite3.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static void assert_refused(fixture *f, const char *where, toad_status want, const char *says) {
    char message[TOAD__STORE_MESSAGE] = "";
    toad__store *store = (toad__store *)(void *)f;
    toad__store_options options = f->options;
    options.where = where;
    assert_int_equal(toad__store_open(&options, &store, message), want);
    assert_ptr_equal(store, f);
    if (!strstr(message, says)) fail_msg("\"%s\" does not say \"%s\"", message, says);
}

static toad_status append(toad__store *store) {
    toad__event e = { .type = S("t"), .content = S("something that takes some room in the log") };
    return toad__store_events_append(store, &e, 1);
}

static void a_newer_store_is_refused(void **state) {
    fixture *f = *state;
    assert_ok(append(f->store));
    place_raw(&f->place, "UPDATE facts SET value = '999' WHERE name = 'version'");
    assert_refused(f, f->place.where, TOAD_E_STATE,
                   "the store has version 999 and this program knows versions up to " NEWEST);
    assert_string_equal(place_ask(&f->place, "SELECT count(*) FROM events"), "1");
    place_raw(&f->place, "UPDATE facts SET value = '" NEWEST "' WHERE name = 'version'");
    toad__store_close(f->store);
    f->store = open_again(f);
    assert_chain(f);
}

static void a_store_without_its_chain_takes_nothing(void **state) {
    fixture *f = *state;
    assert_ok(append(f->store));
    place_raw(&f->place, "DELETE FROM chain");
    assert_int_equal(append(f->store), TOAD_E_STATE);
    toad__audit_report r;
    assert_ok(toad__store_audit_verify(f->store, NULL, &r));
    assert_false(r.ok);
}

static unsigned mode_of(const char *path) {
    struct stat st;
    assert_int_equal(stat(path, &st), 0);
    return st.st_mode & 07777;
}

static void files_are_private(void **state) {
    fixture *f = *state;
    char path[600];
    assert_ok(append(f->store));
    assert_int_equal(mode_of(f->place.where), 0600);
    snprintf(path, sizeof path, "%s-wal", f->place.where);
    assert_int_equal(mode_of(path), 0600);
    snprintf(path, sizeof path, "%s/a", f->place.directory);
    assert_int_equal(mode_of(path), 0700);
    snprintf(path, sizeof path, "%s/a/b", f->place.directory);
    assert_int_equal(mode_of(path), 0700);
}

static void the_default_path_is_the_state_directory(void **state) {
    (void)state;
    toad__buf path;
    toad__buf_init(&path, 4096);
    setenv("HOME", "/home/u", 1);
    unsetenv("XDG_STATE_HOME");
    assert_ok(toad__store_default_path(&path));
    assert_str(toad__buf_str(&path), "/home/u/.local/state/toadstone/store.db");
    toad__buf_clear(&path);
    setenv("XDG_STATE_HOME", "/state", 1);
    assert_ok(toad__store_default_path(&path));
    assert_str(toad__buf_str(&path), "/state/toadstone/store.db");
    toad__buf_clear(&path);
    setenv("XDG_STATE_HOME", "relative", 1);
    unsetenv("HOME");
    assert_int_equal(toad__store_default_path(&path), TOAD_E_NOT_FOUND);
    toad__buf_free(&path);
}

static void write_file(const char *path, const char *bytes, size_t n, long at) {
    FILE *file = fopen(path, at < 0 ? "wb" : "r+b");
    assert_non_null(file);
    if (at > 0) fseek(file, at, SEEK_SET);
    assert_int_equal(fwrite(bytes, 1, n, file), n);
    fclose(file);
}

static void what_is_no_store_is_left_alone(void **state) {
    fixture *f = *state;
    char path[600], other[600];
    static const char text[] = "This is a diary, not a database. It is long enough to have a header, though, and it "
                               "must still be here, word for word, when the store has been refused.";
    snprintf(path, sizeof path, "%s/diary", f->place.directory);
    write_file(path, text, sizeof text, -1);
    assert_refused(f, path, TOAD_E_IO, "not a Toadstone store");
    char back[sizeof text];
    FILE *file = fopen(path, "rb");
    assert_int_equal(fread(back, 1, sizeof back, file), sizeof text);
    fclose(file);
    assert_memory_equal(back, text, sizeof text);
    snprintf(other, sizeof other, "%s/other.db", f->place.directory);
    sqlite3 *db;
    assert_int_equal(sqlite3_open(other, &db), SQLITE_OK);
    sqlite3_exec(db, "CREATE TABLE memories(id TEXT, memory TEXT)", NULL, NULL, NULL);
    sqlite3_close(db);
    assert_refused(f, other, TOAD_E_STATE, "a database of another program");
}

static void links_and_odd_files_are_refused(void **state) {
    fixture *f = *state;
    char path[600];
    snprintf(path, sizeof path, "%s/link.db", f->place.directory);
    assert_int_equal(symlink(f->place.where, path), 0);
    assert_refused(f, path, TOAD_E_IO, "symbolic link");
    assert_refused(f, f->place.directory, TOAD_E_IO, "cannot open the store");
    assert_refused(f, "/dev/null", TOAD_E_IO, "not a regular file");
    assert_refused(f, "/proc/nowhere/store.db", TOAD_E_IO, "cannot create the directory");
}

static void damage_is_said(void **state) {
    fixture *f = *state;
    char junk[4096];
    memset(junk, 0x5a, sizeof junk);
    for (int i = 0; i < 200; i++) assert_ok(append(f->store));
    toad__store_close(f->store);
    f->store = NULL;
    for (long at = 4096; at < 8 * 4096; at += 4096) write_file(f->place.where, junk, sizeof junk, at);
    char message[TOAD__STORE_MESSAGE] = "";
    toad_status status = toad__store_open(&f->options, &f->store, message);
    if (!status) status = toad__store_check(f->store);
    if (!message[0]) snprintf(message, sizeof message, "%s", toad__store_message());
    assert_int_equal(status, TOAD_E_IO);
    assert_non_null(strstr(message, "damaged"));
}

static void a_locked_store_is_said(void **state) {
    fixture *f = *state;
    sqlite3 *db;
    toad__store_close(f->store);
    f->options.busy_ms = 50;
    f->store = open_again(f);
    assert_ok(append(f->store));
    assert_int_equal(sqlite3_open(f->place.where, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(append(f->store), TOAD_E_IO);
    assert_non_null(strstr(toad__store_message(), "another process has kept the store locked"));
    uint64_t n;
    assert_ok(toad__store_events_count(f->store, &(toad__event_filter){ 0 }, &n)); /* readers do not wait */
    assert_int_equal(n, 1);
    sqlite3_exec(db, "ROLLBACK", NULL, NULL, NULL);
    sqlite3_close(db);
    assert_ok(append(f->store));
    assert_chain(f);
}

/* A file size limit stands for the full disk: writes fail with EFBIG where they would with ENOSPC. */
static void fill_disk(fixture *f, int out) {
    struct rlimit limit = { 700000, 700000 };
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &limit);
    toad__store *store = open_again(f);
    int n = 0;
    toad_status status;
    while (!(status = append(store)) && n < 100000) n++;
    bool said = status == TOAD_E_IO && strstr(toad__store_message(), "cannot") != NULL;
    uint64_t count;
    bool reads = !toad__store_events_count(store, &(toad__event_filter){ 0 }, &count) && count == (uint64_t)n;
    int answer[3] = { n, said, reads };
    _exit(write(out, answer, sizeof answer) != sizeof answer);
}

static void a_full_disk_loses_nothing(void **state) {
    fixture *f = *state;
    int ends[2], answer[3] = { 0 }, status;
    toad__store_close(f->store);
    f->store = NULL;
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    if (!child) fill_disk(f, ends[1]);
    waitpid(child, &status, 0);
    assert_int_equal(read(ends[0], answer, sizeof answer), sizeof answer);
    close(ends[0]);
    close(ends[1]);
    assert_true(answer[0] > 10 && answer[1] && answer[2]);
    f->store = open_again(f);
    uint64_t n;
    assert_ok(toad__store_events_count(f->store, &(toad__event_filter){ 0 }, &n));
    assert_int_equal(n, answer[0]);
    assert_ok(append(f->store));
    assert_chain(f);
}

static void a_read_only_directory_is_said(void **state) {
    fixture *f = *state;
    int status;
    toad__store_close(f->store);
    f->store = NULL;
    pid_t child = fork();
    if (!child) {
        char path[600], message[TOAD__STORE_MESSAGE] = "";
        toad__store *store;
        snprintf(path, sizeof path, "%s/sealed", f->place.directory);
        bool made = !mkdir(path, 0555) && !chmod(f->place.directory, 0755);
        if (!geteuid() && setuid(65534)) _exit(9);
        strcat(path, "/x/store.db");
        toad__store_options options = { .where = path };
        bool refused = toad__store_open(&options, &store, message) == TOAD_E_IO;
        _exit(!(made && refused && strstr(message, "Permission denied")));
    }
    waitpid(child, &status, 0);
    assert_int_equal(status, 0);
    f->store = open_again(f);
}

static void a_backup_is_a_store(void **state) {
    fixture *f = *state;
    char path[600];
    snprintf(path, sizeof path, "%s/copy.db", f->place.directory);
    for (int i = 0; i < 5; i++) assert_ok(append(f->store));
    assert_ok(toad__store_backup(f->store, path));
    assert_int_equal(mode_of(path), 0600);
    assert_int_equal(toad__store_backup(f->store, path), TOAD_E_IO);
    assert_ok(append(f->store));
    toad__store_close(f->store);
    f->options.where = path;
    f->store = open_again(f);
    uint64_t n;
    assert_ok(toad__store_events_count(f->store, &(toad__event_filter){ 0 }, &n));
    assert_int_equal(n, 5);
    assert_ok(append(f->store));
    assert_chain(f);
}

static bool no_random(void *ctx, void *p, size_t n) {
    (void)ctx;
    (void)p;
    return n == 0;
}

static void no_chance_is_said(void **state) {
    fixture *f = *state;
    toad__store_close(f->store);
    f->host.random = no_random;
    f->store = open_again(f);
    toad__memory_op op = { .act = TOAD__MEMORY_ADD, .content = S("x") };
    assert_int_equal(toad__store_memories_apply(f->store, &op, 1, NULL, NULL), TOAD_E_RANDOM);
    assert_string_equal(place_ask(&f->place, "SELECT count(*) FROM events"), "0");
}

/* ---- a server ---- */

static void a_locked_server_is_said(void **state) {
    fixture *f = *state;
    uint64_t n;
    toad__store_close(f->store);
    f->options.busy_ms = 50;
    f->store = open_again(f);
    assert_ok(append(f->store));
    PGconn *other = PQconnectdb(f->place.where);
    PQclear(PQexec(other, "BEGIN"));
    PQclear(PQexec(other, "SELECT * FROM chain FOR UPDATE"));
    assert_int_equal(append(f->store), TOAD_E_IO);
    assert_non_null(strstr(toad__store_message(), "another writer has kept it locked"));
    assert_ok(toad__store_events_count(f->store, &(toad__event_filter){ 0 }, &n));
    assert_int_equal(n, 1);
    PQfinish(other);
    assert_ok(append(f->store));
    assert_chain(f);
}

static void a_read_only_server_is_said(void **state) {
    fixture *f = *state;
    uint64_t n;
    assert_ok(append(f->store));
    toad__store_close(f->store);
    char where[600];
    snprintf(where, sizeof where, "%s&options=-cdefault_transaction_read_only%%3Don", f->place.where);
    f->options.where = where;
    f->store = open_again(f);
    assert_int_equal(append(f->store), TOAD_E_IO);
    assert_non_null(strstr(toad__store_message(), "read-only"));
    assert_ok(toad__store_events_count(f->store, &(toad__event_filter){ 0 }, &n));
    assert_int_equal(n, 1);
    f->options.where = f->place.where;
    assert_chain(f);
}

static void tables_that_are_gone_are_said(void **state) {
    fixture *f = *state;
    place_raw(&f->place, "DROP TABLE events");
    assert_int_equal(append(f->store), TOAD_E_IO);
    assert_non_null(strstr(toad__store_message(), "events"));
    place_raw(&f->place, "DROP TABLE facts");
    assert_int_equal(toad__store_check(f->store), TOAD_E_STATE);
}

static const struct CMUnitTest everywhere[] = { T(a_newer_store_is_refused), T(a_store_without_its_chain_takes_nothing),
                                                T(no_chance_is_said) };
static const struct CMUnitTest of_files[] = {
    T(files_are_private),
    cmocka_unit_test(the_default_path_is_the_state_directory),
    T(what_is_no_store_is_left_alone),
    T(links_and_odd_files_are_refused),
    T(damage_is_said),
    T(a_locked_store_is_said),
    T(a_full_disk_loses_nothing),
    T(a_read_only_directory_is_said),
    T(a_backup_is_a_store),
};

static const struct CMUnitTest of_servers[] = { T(a_locked_server_is_said), T(a_read_only_server_is_said),
                                                T(tables_that_are_gone_are_said) };

int main(int argc, char **argv) {
    int failed = 0;
    bool sqlite = argc < 2 || !strcmp(argv[1], "sqlite"), postgres = argc < 2 || !strcmp(argv[1], "postgres");
    if (sqlite) failed += cmocka_run_group_tests_name("sqlite", everywhere, NULL, NULL);
    if (sqlite) failed += cmocka_run_group_tests_name("sqlite files", of_files, NULL, NULL);
    if (!postgres) return failed != 0;
    if (!server_start()) return NO_SERVER;
    on_postgres = true;
    failed += cmocka_run_group_tests_name("postgres", everywhere, NULL, NULL);
    failed += cmocka_run_group_tests_name("postgres servers", of_servers, NULL, NULL);
    return failed != 0;
}
