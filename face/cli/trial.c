/* trial.c - see trial.h. Input and output are files, so no pipe can fill up. */
#include "face/cli/trial.h"

#include "app/memory/memory_disk.h"
#include "lib/base/str.h"
#include "sys/clock.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define OUTPUT ((size_t)1 << 20)
enum { SECONDS = 10, PATH_BYTES = 512 };

static void path_of(const cli_trial *t, const char *name, char out[PATH_BYTES]) {
    snprintf(out, PATH_BYTES, "%s/%s", t->directory, name);
}

bool cli_trial_open(cli_trial *t) {
    toad__buf_init(&t->out, OUTPUT);
    toad__buf_init(&t->err, OUTPUT);
    snprintf(t->directory, sizeof t->directory, "/tmp/toadstone-doctor-XXXXXX");
    return mkdtemp(t->directory) != NULL;
}

void cli_trial_close(cli_trial *t) {
    char path[PATH_BYTES];
    DIR *d = opendir(t->directory);
    for (struct dirent *e = d ? readdir(d) : NULL; e; e = readdir(d)) {
        path_of(t, e->d_name, path);
        if (strcmp(e->d_name, ".") && strcmp(e->d_name, "..")) unlink(path);
    }
    if (d) closedir(d);
    rmdir(t->directory);
    toad__buf_free(&t->out);
    toad__buf_free(&t->err);
}

bool cli_trial_write(const cli_trial *t, const char *name, toad_str text) {
    char path[PATH_BYTES];
    path_of(t, name, path);
    FILE *f = fopen(path, "we");
    bool ok = f && fwrite(text.p, 1, text.n, f) == text.n;
    return f && !fclose(f) && ok;
}

static _Noreturn void become(const cli_trial *t, const char *command, const char *store) {
    static const char *const names[] = { "in", "out", "err" };
    char path[PATH_BYTES];
    setpgid(0, 0);
    for (int i = 0; i < 3; i++) {
        path_of(t, names[i], path);
        int fd = open(path, (i ? O_WRONLY | O_CREAT | O_TRUNC : O_RDONLY) | O_CLOEXEC, 0600);
        if (fd < 0 || dup2(fd, i) < 0) _exit(126);
    }
    if (chdir(t->directory) || (store && setenv("TOADSTONE_STORE", store, 1))) _exit(126);
    execl("/bin/sh", "sh", "-c", command, (char *)NULL);
    _exit(127);
}

static int wait_for(pid_t pid) {
    const struct timespec pause = { 0, 2000000 };
    int64_t end = toad__now_ms() + SECONDS * 1000;
    int code = 0;
    for (pid_t done = 0; !done; done = waitpid(pid, &code, WNOHANG)) {
        if (toad__now_ms() > end) kill(-pid, SIGKILL);
        nanosleep(&pause, NULL);
    }
    kill(-pid, SIGKILL); /* what it left behind */
    return WIFEXITED(code) ? WEXITSTATUS(code) : -1;
}

bool cli_trial_run(cli_trial *t, const char *command, const char *store, toad_str input) {
    char path[PATH_BYTES];
    toad__buf_clear(&t->out);
    toad__buf_clear(&t->err);
    pid_t pid = cli_trial_write(t, "in", input) ? fork() : -1;
    if (!pid) become(t, command, store);
    if (pid < 0) return false;
    t->code = wait_for(pid);
    path_of(t, "out", path);
    int err = toad__memory_disk_read(path, &t->out);
    path_of(t, "err", path);
    if (!err) err = toad__memory_disk_read(path, &t->err);
    return !err;
}
