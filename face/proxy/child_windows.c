/* child_windows.c - see child.h. The server and all that it starts are in a job, which ends with us however we end. It
 * inherits three handles, and is looked for on PATH alone: the working folder is a project's, and may hold anything.
 *
 * A batch file (npx is one) is run by cmd.exe, which reads its arguments as code; what holds more than names, numbers
 * and paths is refused. */
#include "face/proxy/child.h"

#include "face/proxy/environment.h"
#include "lib/base/buf.h"
#include "lib/base/str.h"
#include "sys/path.h"

#include <fcntl.h>
#include <io.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <windows.h>

enum { PIPE_BYTES = 65536, PATH_BYTES = 4096, LINE_BYTES = 32000 };

/* What programs need of Windows. */
static const char *const needed[] = { "ALLUSERSPROFILE",
                                      "APPDATA",
                                      "COMPUTERNAME",
                                      "COMSPEC",
                                      "HOME",
                                      "HOMEDRIVE",
                                      "HOMEPATH",
                                      "LOCALAPPDATA",
                                      "PATH",
                                      "PATHEXT",
                                      "ProgramData",
                                      "ProgramFiles",
                                      "SYSTEMDRIVE",
                                      "SYSTEMROOT",
                                      "TEMP",
                                      "ProgramFiles(x86)",
                                      "TMP",
                                      "USERNAME",
                                      "USERPROFILE",
                                      "WINDIR",
                                      "NUMBER_OF_PROCESSORS",
                                      "PROCESSOR_ARCHITECTURE",
                                      "OS",
                                      "TZ",
                                      NULL };

static bool refuse(char why[256], const char *name, const char *what) {
    snprintf(why, 256, "'%.150s' cannot be started: %s", name, what);
    return false;
}

static bool refuse_last(char why[256], const char *name, const char *more) {
    char said[96] = "";
    FormatMessageA(FORMAT_MESSAGE_FROM_SYSTEM | FORMAT_MESSAGE_IGNORE_INSERTS, NULL, GetLastError(), 0, said,
                   sizeof said, NULL);
    said[strcspn(said, "\r\n")] = 0;
    snprintf(why, 256, "'%.100s' cannot be started%s: %s", name, more, said);
    return false;
}

/* ---- what is run ---- */

static bool is_file(const char *path) {
    DWORD attributes = GetFileAttributesA(path);
    return attributes != INVALID_FILE_ATTRIBUTES && !(attributes & FILE_ATTRIBUTE_DIRECTORY);
}

/* `folder`\`name` with one of the endings of a program. */
static bool find_in(const char *folder, size_t n, const char *name, char out[PATH_BYTES]) {
    static const char *const endings[] = { "", ".exe", ".com", ".cmd", ".bat" };
    const char *base = name + strlen(name);
    while (base > name && !strchr("/\\:", base[-1])) base--;
    for (size_t i = strchr(base, '.') ? 0 : 1; i < sizeof endings / sizeof *endings; i++) {
        int length = snprintf(out, PATH_BYTES, "%.*s%s%s%s", (int)n, folder, n ? "\\" : "", name, endings[i]);
        if (length > 0 && length < PATH_BYTES && is_file(out)) return true;
    }
    return false;
}

static bool find_program(const char *name, char out[PATH_BYTES]) {
    const char *path = getenv("PATH");
    if (strpbrk(name, "/\\:")) return find_in("", 0, name, out);
    for (size_t n; path && *path; path += n + (path[n] == ';')) {
        char folder[PATH_BYTES];
        n = strcspn(path, ";");
        snprintf(folder, sizeof folder, "%.*s", (int)n, path);
        bool absolute = toad__path_is_absolute(folder) || !strncmp(folder, "\\\\", 2);
        if (absolute && n < PATH_BYTES && find_in(path, n, name, out)) return true;
    }
    return false;
}

static bool ends_in(const char *s, const char *end) {
    size_t n = strlen(s), m = strlen(end);
    return n > m && !_stricmp(s + n - m, end);
}

/* As the C library of the other side takes it apart again. */
static void add_argument(toad__buf *line, const char *s) {
    size_t slashes = 0;
    if (line->n) toad__buf_add_c(line, ' ');
    toad__buf_add_c(line, '"');
    for (; *s; s++) {
        slashes = *s == '\\' ? slashes + 1 : 0;
        if (*s == '"') toad__buf_add_c(line, '\\');
        toad__buf_add_c(line, *s);
        if (*s != '\\' || (s[1] != '"' && s[1])) continue;
        for (size_t i = 0; i < slashes; i++)
            toad__buf_add_c(line, '\\'); /* those before a quotation mark count twice */
        slashes = 0;
    }
    toad__buf_add_c(line, '"');
}

static bool add_line(char *const *argv, const char *program, bool batch, toad__buf *line, char why[256]) {
    const char *shell = getenv("COMSPEC");
    if (batch && !toad__path_is_absolute(shell)) return refuse(why, argv[0], "COMSPEC does not say where cmd.exe is");
    if (batch) {
        add_argument(line, shell);
        toad__buf_add_z(line, " /d /v:off /s /c \"");
        for (const char *p = program; *p; p++)
            if (strchr("\"%", *p)) return refuse(why, argv[0], "its path has a character that cmd.exe would read");
        toad__buf_add_c(line, '"');
        toad__buf_add_z(line, program);
        toad__buf_add_c(line, '"');
    } else {
        add_argument(line, program);
    }
    for (size_t i = 1; argv[i]; i++) {
        if (batch && strpbrk(argv[i], "\"%!^&|<>\r\n"))
            return refuse(why, argv[0], "it is a batch file, and an argument has a character that cmd.exe would read");
        add_argument(line, argv[i]);
    }
    if (batch) toad__buf_add_c(line, '"');
    toad__buf_add_c(line, 0);
    return !line->status || refuse(why, argv[0], "its arguments are too long");
}

/* ---- its environment ---- */

static int by_name(const void *a, const void *b) { return _stricmp(*(char *const *)a, *(char *const *)b); }

static bool add_environment(const char *const *env, size_t env_n, toad__buf *block) {
    char **made = proxy_environment(needed, env, env_n, _strnicmp);
    size_t n = 0;
    if (!made) return false;
    while (made[n]) n++;
    qsort(made, n, sizeof *made, by_name);
    for (size_t i = 0; i < n; i++) toad__buf_add(block, made[i], strlen(made[i]) + 1);
    toad__buf_add(block, "\0", n ? 1 : 2);
    free(made);
    return !block->status;
}

/* ---- start ---- */

typedef struct ends {
    HANDLE theirs[3], ours[3]; /* in, out, err */
} ends;

static void close_ends(ends *e) {
    for (int i = 0; i < 3; i++) {
        if (e->theirs[i]) CloseHandle(e->theirs[i]);
        if (e->ours[i]) CloseHandle(e->ours[i]);
    }
}

static bool open_ends(ends *e) {
    *e = (ends){ 0 };
    for (int i = 0; i < 3; i++) {
        HANDLE *in = i ? &e->ours[i] : &e->theirs[i], *out = i ? &e->theirs[i] : &e->ours[i];
        if (!CreatePipe(in, out, NULL, PIPE_BYTES) ||
            !SetHandleInformation(e->theirs[i], HANDLE_FLAG_INHERIT, HANDLE_FLAG_INHERIT))
            return false;
    }
    return true;
}

static HANDLE new_job(void) {
    JOBOBJECT_EXTENDED_LIMIT_INFORMATION limits = { 0 };
    HANDLE job = CreateJobObjectA(NULL, NULL);
    limits.BasicLimitInformation.LimitFlags = JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE;
    if (job && SetInformationJobObject(job, JobObjectExtendedLimitInformation, &limits, sizeof limits)) return job;
    if (job) CloseHandle(job);
    return NULL;
}

/* Suspended, until it is in its job: it must not start what is not. */
static bool create(char *line, char *environment, const char *cwd, ends *e, HANDLE job, PROCESS_INFORMATION *ret) {
    STARTUPINFOEXA start = { .StartupInfo = { .cb = sizeof start,
                                              .dwFlags = STARTF_USESTDHANDLES,
                                              .hStdInput = e->theirs[0],
                                              .hStdOutput = e->theirs[1],
                                              .hStdError = e->theirs[2] } };
    SIZE_T size = 0;
    InitializeProcThreadAttributeList(NULL, 1, 0, &size);
    start.lpAttributeList = malloc(size);
    bool ok =
        start.lpAttributeList && InitializeProcThreadAttributeList(start.lpAttributeList, 1, 0, &size) &&
        UpdateProcThreadAttribute(start.lpAttributeList, 0, PROC_THREAD_ATTRIBUTE_HANDLE_LIST, e->theirs,
                                  sizeof e->theirs, NULL, NULL) &&
        CreateProcessA(NULL, line, NULL, NULL, TRUE, CREATE_SUSPENDED | CREATE_NO_WINDOW | EXTENDED_STARTUPINFO_PRESENT,
                       environment, cwd, &start.StartupInfo, ret);
    DWORD error = GetLastError();
    free(start.lpAttributeList);
    SetLastError(error);
    if (!ok) return false;
    ok = AssignProcessToJobObject(job, ret->hProcess) && ResumeThread(ret->hThread) != (DWORD)-1;
    error = GetLastError();
    if (!ok) TerminateProcess(ret->hProcess, 1);
    CloseHandle(ret->hThread);
    if (!ok) CloseHandle(ret->hProcess);
    SetLastError(error);
    return ok;
}

static int take_end(HANDLE *h, int flags) {
    int fd = _open_osfhandle((intptr_t)*h, flags);
    if (fd < 0) return -1;
    *h = NULL;
    fcntl(fd, F_SETFL, O_NONBLOCK);
    return fd;
}

bool proxy_child_start(char *const *argv, const char *const *env, size_t env_n, const char *cwd, proxy_child *ret,
                       char why[256]) {
    char program[PATH_BYTES];
    toad__buf line, block;
    ends e = { 0 };
    PROCESS_INFORMATION made;
    HANDLE job = NULL;
    *ret = (proxy_child){ .in = -1, .out = -1, .err = -1 };
    if (!find_program(argv[0], program)) return refuse(why, argv[0], "there is no such program");
    toad__buf_init(&line, LINE_BYTES);
    toad__buf_init(&block, (size_t)1 << 20);
    bool batch = ends_in(program, ".cmd") || ends_in(program, ".bat");
    bool ok = add_line(argv, program, batch, &line, why);
    if (ok && !add_environment(env, env_n, &block)) ok = refuse(why, argv[0], "out of memory");
    if (ok) {
        ok = open_ends(&e) && (job = new_job()) && create(line.p, block.p, cwd, &e, job, &made);
        if (!ok) refuse_last(why, argv[0], cwd ? " in its directory" : "");
    }
    if (ok) {
        *ret = (proxy_child){ .pid = (pid_t)(intptr_t)made.hProcess, .group = job };
        ret->in = take_end(&e.ours[0], 0);
        ret->out = take_end(&e.ours[1], O_RDONLY);
        ret->err = take_end(&e.ours[2], O_RDONLY);
    } else if (job) {
        CloseHandle(job);
    }
    close_ends(&e);
    toad__buf_free(&line);
    toad__buf_free(&block);
    return ok;
}

/* ---- end ---- */

static HANDLE process_of(const proxy_child *c) { return (HANDLE)(intptr_t)c->pid; }

void proxy_child_close(int *fd) {
    if (*fd >= 0) close(*fd);
    *fd = -1;
}

bool proxy_child_over(proxy_child *c) {
    DWORD code = 0;
    if (!c->pid || c->ended) return true;
    c->ended = WaitForSingleObject(process_of(c), 0) == WAIT_OBJECT_0;
    if (c->ended && GetExitCodeProcess(process_of(c), &code)) c->status = (int)code;
    return c->ended;
}

/* A process without a console cannot be asked to end: it was, when its input was closed. */
void proxy_child_signal(const proxy_child *c, int signal_number) {
    if (c->pid && signal_number == SIGKILL) TerminateJobObject(c->group, 1);
}

void proxy_child_end(proxy_child *c) {
    proxy_child_close(&c->in);
    proxy_child_close(&c->out);
    proxy_child_close(&c->err);
    if (c->pid) {
        TerminateJobObject(c->group, 1);
        WaitForSingleObject(process_of(c), 5000);
        CloseHandle(process_of(c));
        CloseHandle(c->group);
    }
    *c = (proxy_child){ .in = -1, .out = -1, .err = -1, .ended = true, .status = c->status };
}

void proxy_child_say(const proxy_child *c, char out[64]) { snprintf(out, 64, "status %d", c->status); }
