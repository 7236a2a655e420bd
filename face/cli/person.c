/* person.c - see person.h. Only words of our own tables come out of what is read of other processes. */
#include "face/cli/person.h"

#include "face/cli/out.h"
#include "lib/base/random.h"
#include "lib/base/str.h"
#include "sys/process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <termios.h>
#include <unistd.h>

enum {
    ABOVE = 64,          /* processes above this one that are looked at */
    WORDS = 4,           /* of a command line, in which an interpreter names its script */
    ANSWER_MS = 300000,  /* until no answer is one */
    PROC_MAX = 16 << 20, /* bytes of an environment: the kernel allows less */
};

/* ---- agents ---- */

/* What agents set for what they run, and no person puts into a profile (CODEX_HOME, GEMINI_API_KEY). */
static const char *const variables[] = {
    "CLAUDECODE",      "CODEX_CI",
    "CODEX_SANDBOX",   "CODEX_SANDBOX_NETWORK_DISABLED",
    "CODEX_THREAD_ID", "COPILOT_AGENT_SESSION_ID",
    "COPILOT_CLI",     "CURSOR_AGENT",
    "GEMINI_CLI",      "OPENCODE",
    "QWEN_CODE",
};

/* Programs; and the packages that their scripts lie in, for an interpreter. */
static const char *const programs[] = { "claude",   "codex",     "gemini", "copilot", "cursor-agent", "opencode",
                                        "qwen",     "qwen-code", "aider",  "goose",   "crush",        "amp",
                                        "windsurf", "cline",     "droid",  "auggie",  "kiro-cli",     "openhands" };
static const char *const packages[] = { "/claude-code/",  "/@openai/codex/", "/gemini-cli/", "/@github/copilot/",
                                        "/cursor-agent/", "/opencode-ai/",   "/qwen-code/",  "/@sourcegraph/amp/" };
static const char *const interpreters[] = { "node", "nodejs", "bun",     "deno", "npx",
                                            "npm",  "python", "python3", "uv",   "uvx" };

const char *cli_agent_variable(const char *block, size_t n) {
    for (size_t at = 0; at < n;) {
        size_t length = strnlen(block + at, n - at);
        for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
            size_t name = strlen(variables[i]);
            if (length > name + 1 && !memcmp(block + at, variables[i], name) && block[at + name] == '=')
                return variables[i];
        }
        at += length + 1;
    }
    return NULL;
}

/* The last part of a path, without an ending that scripts have. */
static toad_str base_of(toad_str path) {
    static const char *const endings[] = { ".js", ".mjs", ".cjs", ".ts", ".py", ".exe" };
    size_t from = path.n;
    while (from && path.p[from - 1] != '/') from--;
    toad_str base = toad__str_part(path, from, path.n);
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        size_t n = strlen(endings[i]);
        if (base.n > n && !memcmp(base.p + base.n - n, endings[i], n)) return toad__str_part(base, 0, base.n - n);
    }
    return base;
}

static const char *listed(toad_str word, const char *const *list, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (toad__str_eq(word, toad__str_z(list[i]))) return list[i];
    return NULL;
}
#define LISTED(word, list) listed(word, list, sizeof(list) / sizeof *(list))

/* A word of a command line: a program, or a script within a package. */
static const char *agent_of(toad_str word) {
    const char *name = LISTED(base_of(word), programs);
    for (size_t i = 0; !name && i < sizeof packages / sizeof *packages; i++)
        if (toad__str_find(word, toad__str_z(packages[i]), 0) < word.n) name = packages[i];
    return name;
}

const char *cli_agent_program(const char *name, const char *words, size_t n) {
    const char *agent = LISTED(toad__str_z(name), programs);
    bool script = LISTED(toad__str_z(name), interpreters) != NULL;
    size_t at = 0;
    for (size_t i = 0; !agent && i < WORDS && at < n; i++) {
        toad_str word = { words + at, strnlen(words + at, n - at) };
        if (!i) script |= LISTED(base_of(word), interpreters) != NULL;
        if (!i || script) agent = agent_of(word);
        at += word.n + 1;
    }
    return agent;
}

/* ---- the processes above ---- */

/* All of /proc/PID/NAME. False: it cannot be read. */
static bool slurp(long pid, const char *name, toad__buf *out) {
    char path[64];
    ssize_t n = -1;
    toad__buf_clear(out);
    snprintf(path, sizeof path, "/proc/%ld/%s", pid, name);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return false;
    for (char *room; (room = toad__buf_room(out, 65536)) && (n = read(fd, room, 65536)) > 0;) out->n += (size_t)n;
    close(fd);
    return n == 0 && !out->status;
}

/* Look at one process; true: it is an agent's, see `why`. What cannot be read belongs to another user, who is not the
 * agent that runs as this one. */
static bool look_at(toad__buf *b, long pid, const char *name, char why[128]) {
    const char *found = slurp(pid, "cmdline", b) ? cli_agent_program(name, b->p, b->n) : cli_agent_program(name, "", 0);
    if (found) snprintf(why, 128, "process %ld above is %s", pid, found);
    if (!found && slurp(pid, "environ", b) && (found = cli_agent_variable(b->p, b->n)))
        snprintf(why, 128, "%s is set for process %ld above", found, pid);
    return found != NULL;
}

/* True with `why`: an agent stands above; or nobody can say who does. */
static bool agent_above(char why[128]) {
    toad__buf b;
    toad__process p;
    long pid = getppid();
    bool found = false, seen = toad__process_of(getpid(), &p);
    toad__buf_init(&b, PROC_MAX);
    if (!seen) snprintf(why, 128, "/proc cannot be read, so nobody knows who runs this");
    for (size_t i = 0; seen && !found && pid > 0; i++, pid = p.parent) {
        if (i == ABOVE) {
            found = true;
            snprintf(why, 128, "more than %d processes stand above this one", ABOVE);
        } else if (!toad__process_of(pid, &p)) {
            break;
        } else {
            found = look_at(&b, pid, p.name, why);
        }
    }
    toad__buf_free(&b);
    return found || !seen;
}

/* ---- the terminal ---- */

static void put(int tty, const char *text, size_t n) {
    for (ssize_t wrote; n && ((wrote = write(tty, text, n)) > 0 || errno == EINTR);)
        if (wrote > 0) text += wrote, n -= (size_t)wrote;
}
static void put_z(int tty, const char *text) { put(tty, text, strlen(text)); }

/* Five letters that can be said: 320,000 of them, and one try. */
static bool make_word(char word[6]) {
    unsigned char r[5];
    if (!toad__random(r, sizeof r)) return false;
    for (size_t i = 0; i < 5; i++) word[i] = i % 2 ? "aeiou"[r[i] % 5] : "bdfghklmnprstvwz"[r[i] % 16];
    word[5] = 0;
    return true;
}

static bool read_line(int tty, char line[32]) {
    struct pollfd ready = { .fd = tty, .events = POLLIN };
    int got = poll(&ready, 1, ANSWER_MS);
    ssize_t n = got > 0 ? read(tty, line, 31) : -1;
    if (n <= 0) return false;
    line[n] = 0;
    line[strcspn(line, "\r\n")] = 0;
    return true;
}

/* What stood in the keyboard's queue before the word was shown is no answer to it. */
static bool typed(int tty, const char *what, toad_str question) {
    char word[6], line[32];
    if (!make_word(word)) return false;
    put_z(tty, "\ntoadstone: ");
    put_z(tty, what);
    put_z(tty, "?\n");
    put(tty, question.p ? question.p : "", question.n);
    tcflush(tty, TCIFLUSH);
    put_z(tty, "to agree, type ");
    put_z(tty, word);
    put_z(tty, ": ");
    return read_line(tty, line) && !strcmp(line, word);
}

static bool agrees(const char *what, toad_str question, char why[160]) {
    int tty = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY);
    if (tty < 0) return snprintf(why, 160, "there is no terminal to ask at"), false;
    bool front = tcgetpgrp(tty) == getpgrp(), yes = false;
    if (!front)
        snprintf(why, 160, "it does not run in the foreground of its terminal");
    else if (fflush(stdout), !(yes = typed(tty, what, question)))
        snprintf(why, 160, "the word at the terminal was not typed");
    close(tty);
    return yes;
}

/* ---- both ---- */

#define TOKEN "TOADSTONE_USER_TOKEN"
static char token[2 * TOAD__TOKEN_BYTES + 2]; /* one more, so that a longer one is none */

void cli_take_token(void) {
    const char *given = getenv(TOKEN);
    if (!given) return;
    snprintf(token, sizeof token, "%s", given);
    unsetenv(TOKEN);
}

const char *cli_own_agent(void) {
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        const char *value = getenv(variables[i]);
        if (value && *value) return variables[i];
    }
    return NULL;
}

const toad__person *cli_person(void) {
    static toad__person person;
    static char why[128];
    const char *own = cli_own_agent();
    person = (toad__person){ .how = "terminal", .token = toad__str_z(token), .agrees = agrees };
    if (own) snprintf(why, sizeof why, "%s is set", own);
    if (own || agent_above(why)) person.agent = why;
    return &person;
}
