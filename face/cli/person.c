/* person.c - see person.h. Only words of our own tables come out of what is read of other processes. */
#include "face/cli/person.h"

#include "face/cli/presence.h"
#include "lib/base/str.h"

#include <stdio.h>
#include <stdlib.h>

enum { WORDS = 4 /* of a command line, in which an interpreter names its script */ };

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

/* ---- all of it ---- */

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
    person = (toad__person){ .how = "terminal", .token = toad__str_z(token), .agrees = cli_typed };
    if (own) snprintf(why, sizeof why, "%s is set", own);
    if (own || cli_agent_above(why)) person.agent = why;
    return &person;
}
