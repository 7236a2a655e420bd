#define _GNU_SOURCE /* pipe2 */
#include "tests/store/place.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <grp.h>
#include <libpq-fe.h>
#include <pwd.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static char server_root[64], bin[256];
static pid_t postmaster, owner;

#define DIE(...) (fprintf(stderr, __VA_ARGS__), fputc('\n', stderr), abort())

/* The log goes with the server's files, so it is shown. */
static _Noreturn void die_of(const char *what, const char *log) {
    char text[4096] = "";
    FILE *file = fopen(log, "r");
    size_t n = file ? fread(text, 1, sizeof text - 1, file) : 0;
    DIE("%s:\n%.*s", what, (int)n, text);
}

static void remove_tree(const char *path) {
    pid_t child = fork();
    if (!child) {
        execlp("rm", "rm", "-rf", "--", path, (char *)NULL);
        _exit(127);
    }
    waitpid(child, NULL, 0);
}

/* In a child: become `postgres` or `nobody` when we are root, and be quiet. */
static void step_down(const char *log) {
    int fd = open(log, O_WRONLY | O_CREAT | O_APPEND, 0666);
    if (fd >= 0) {
        dup2(fd, 1);
        dup2(fd, 2);
    }
    if (geteuid()) return;
    struct passwd *user = getpwnam("postgres");
    if (!user) user = getpwnam("nobody");
    if (!user || setgroups(0, NULL) || setgid(user->pw_gid) || setuid(user->pw_uid)) _exit(126);
}

static void give_away(const char *path) {
    struct passwd *user = getpwnam("postgres");
    if (!user) user = getpwnam("nobody");
    if (!geteuid() && user && chown(path, user->pw_uid, user->pw_gid)) DIE("cannot chown %s", path);
}

static bool find_server(void) {
    glob_t found;
    bool ok = !glob("/usr/lib/postgresql/*/bin/postgres", 0, NULL, &found) ||
              !glob("/usr/local/pgsql/bin/postgres", 0, NULL, &found) || !glob("/usr/bin/postgres", 0, NULL, &found);
    if (!ok) return false;
    snprintf(bin, sizeof bin, "%s", found.gl_pathv[found.gl_pathc - 1]);
    *strrchr(bin, '/') = 0;
    globfree(&found);
    return true;
}

static void init_database(const char *data, const char *log) {
    char program[300];
    int status;
    snprintf(program, sizeof program, "%s/initdb", bin);
    pid_t child = fork();
    if (!child) {
        step_down(log);
        if (chdir("/")) _exit(125);
        /* argv[0] is where it looks for its neighbours; Debian has them in no PATH */
        execl(program, program, "-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "-N",
              (char *)NULL);
        _exit(127);
    }
    if (waitpid(child, &status, 0) != child || status) die_of("initdb failed", log);
}

static void server_uri(char *to, size_t room, const char *database) {
    snprintf(to, room, "postgresql://postgres@/%s?host=%s", database, server_root);
}

static void launch(void) {
    char program[300], data[128], log[128];
    snprintf(program, sizeof program, "%s/postgres", bin);
    snprintf(data, sizeof data, "%s/data", server_root);
    snprintf(log, sizeof log, "%s/log", server_root);
    postmaster = fork();
    if (postmaster) return;
    step_down(log);
    if (chdir("/")) _exit(125);
    execl(program, program, "-D", data, "-k", server_root, "-c", "listen_addresses=", "-c", "max_connections=100", "-c",
          "shared_buffers=128MB", getenv("TOAD_PG_FSYNC") ? NULL : "-c", "fsync=off", (char *)NULL);
    _exit(127);
}

void server_up(void) {
    char uri[512], log[128];
    snprintf(log, sizeof log, "%s/log", server_root);
    server_uri(uri, sizeof uri, "postgres");
    owner = getpid();
    launch();
    for (int i = 0; i < 300; i++) {
        if (PQping(uri) == PQPING_OK) return;
        if (waitpid(postmaster, NULL, WNOHANG) == postmaster)
            launch(); /* the last one's children still hold its memory */
        nanosleep(&(struct timespec){ 0, 100000000 }, NULL);
    }
    die_of("the PostgreSQL server does not come up", log);
}

static void at_exit(void) { server_stop(); }

/* A process that outlives us, however we end: then it stops the server and removes its files. */
static void watch(void) {
    int ends[2];
    char byte, path[128];
    if (pipe2(ends, O_CLOEXEC)) DIE("pipe: %s", strerror(errno));
    pid_t child = fork();
    if (child < 0) DIE("fork: %s", strerror(errno));
    if (child) {
        close(ends[0]); /* ends[1] stays open as long as we live */
        return;
    }
    close(ends[1]);
    setsid();
    while (read(ends[0], &byte, 1) > 0) {}
    snprintf(path, sizeof path, "%s/data/postmaster.pid", server_root);
    FILE *file = fopen(path, "r");
    long pid = 0;
    if (file && fscanf(file, "%ld", &pid) == 1 && pid > 1) kill((pid_t)pid, SIGQUIT);
    for (int i = 0; pid > 1 && i < 100 && !kill((pid_t)pid, 0); i++) nanosleep(&(struct timespec){ 0, 50000000 }, NULL);
    remove_tree(server_root);
    _exit(0);
}

bool server_start(void) {
    char data[128], log[128];
    if (!find_server()) {
        fprintf(stderr, "no PostgreSQL server is installed: its part of the contract is not tested\n");
        return false;
    }
    snprintf(server_root, sizeof server_root, "/tmp/toad-pg-XXXXXX");
    if (!mkdtemp(server_root)) DIE("mkdtemp: %s", strerror(errno));
    give_away(server_root);
    watch();
    snprintf(data, sizeof data, "%s/data", server_root);
    snprintf(log, sizeof log, "%s/log", server_root);
    init_database(data, log);
    server_up();
    atexit(at_exit);
    return true;
}

void server_crash(void) {
    kill(postmaster, SIGKILL);
    waitpid(postmaster, NULL, 0);
    postmaster = 0;
    char lock[128];
    snprintf(lock, sizeof lock, "%s/data/postmaster.pid", server_root);
    unlink(lock);
    nanosleep(&(struct timespec){ 0, 300000000 }, NULL); /* its children notice and go */
}

void server_stop(void) {
    if (!postmaster || getpid() != owner) return;
    kill(postmaster, SIGQUIT);
    waitpid(postmaster, NULL, 0);
    postmaster = 0;
    remove_tree(server_root);
}

/* ---- places ---- */

static PGconn *dial(const char *uri) {
    PGconn *c = PQconnectdb(uri);
    if (PQstatus(c) != CONNECTION_OK) DIE("cannot connect: %s", PQerrorMessage(c));
    return c;
}

static void command(const char *uri, const char *sql) {
    PGconn *c = dial(uri);
    PGresult *r = PQexec(c, sql);
    ExecStatusType got = PQresultStatus(r);
    if (got != PGRES_COMMAND_OK && got != PGRES_TUPLES_OK) DIE("%s: %s", sql, PQerrorMessage(c));
    PQclear(r);
    PQfinish(c);
}

place place_new(bool postgres) {
    static int number;
    place p = { .postgres = postgres };
    if (!postgres) {
        snprintf(p.directory, sizeof p.directory, "/tmp/toad-store-XXXXXX");
        if (!mkdtemp(p.directory)) DIE("mkdtemp: %s", strerror(errno));
        snprintf(p.where, sizeof p.where, "%s/a/b/store.db", p.directory);
        return p;
    }
    char name[32], sql[64], uri[512];
    snprintf(name, sizeof name, "t%d_%d", (int)getpid(), number++);
    snprintf(sql, sizeof sql, "CREATE DATABASE %s", name);
    server_uri(uri, sizeof uri, "postgres");
    command(uri, sql);
    server_uri(p.where, sizeof p.where, name);
    return p;
}

void place_drop(place *p) {
    if (!p->postgres) remove_tree(p->directory);
}

static sqlite3 *open_raw(const place *p) {
    sqlite3 *db;
    if (sqlite3_open_v2(p->where, &db, SQLITE_OPEN_READWRITE, NULL) != SQLITE_OK) DIE("cannot open %s", p->where);
    sqlite3_busy_timeout(db, 5000);
    return db;
}

void place_raw(const place *p, const char *sql) {
    if (p->postgres) {
        command(p->where, sql);
        return;
    }
    sqlite3 *db = open_raw(p);
    if (sqlite3_exec(db, sql, NULL, NULL, NULL) != SQLITE_OK) DIE("%s: %s", sql, sqlite3_errmsg(db));
    sqlite3_close(db);
}

static int first_text(void *ctx, int n, char **texts, char **names) {
    (void)names;
    char *to = ctx;
    if (n && texts[0] && !to[0]) snprintf(to, 256, "%s", texts[0]);
    return 0;
}

const char *place_ask(const place *p, const char *sql) {
    static char answer[256];
    answer[0] = 0;
    if (p->postgres) {
        PGconn *c = dial(p->where);
        PGresult *r = PQexec(c, sql);
        if (PQntuples(r)) snprintf(answer, sizeof answer, "%s", PQgetvalue(r, 0, 0));
        PQclear(r);
        PQfinish(c);
        return answer;
    }
    sqlite3 *db = open_raw(p);
    if (sqlite3_exec(db, sql, first_text, answer, NULL) != SQLITE_OK) DIE("%s: %s", sql, sqlite3_errmsg(db));
    sqlite3_close(db);
    return answer;
}
