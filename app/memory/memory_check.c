/* memory_check.c - `check`: agents' own memory and instruction files, scanned strict where they stand. What is found is
 * told, never changed: the text is the user's. */
#include "app/memory/memory_file.h"
#include "app/scan/scan.h"
#include "lib/base/str.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Files that agents read at their start. */
static const struct {
    const char *name;
    toad_kind kind;
} known[] = { { "MEMORY.md", TOAD_KIND_MEMORY },
              { "USER.md", TOAD_KIND_MEMORY },
              { "SOUL.md", TOAD_KIND_INSTRUCTION_FILE },
              { "IDENTITY.md", TOAD_KIND_INSTRUCTION_FILE },
              { "AGENTS.md", TOAD_KIND_INSTRUCTION_FILE },
              { "AGENT.md", TOAD_KIND_INSTRUCTION_FILE },
              { "CLAUDE.md", TOAD_KIND_INSTRUCTION_FILE },
              { "CLAUDE.local.md", TOAD_KIND_INSTRUCTION_FILE },
              { "GEMINI.md", TOAD_KIND_INSTRUCTION_FILE },
              { ".cursorrules", TOAD_KIND_INSTRUCTION_FILE },
              { ".windsurfrules", TOAD_KIND_INSTRUCTION_FILE },
              { ".clinerules", TOAD_KIND_INSTRUCTION_FILE },
              { ".goosehints", TOAD_KIND_INSTRUCTION_FILE },
              { ".github/copilot-instructions.md", TOAD_KIND_INSTRUCTION_FILE } };
enum { KNOWN = sizeof known / sizeof *known };

static toad_kind kind_of(const char *path) {
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    for (size_t i = 0; i < KNOWN; i++)
        if (!strcmp(name, known[i].name)) return known[i].kind;
    return TOAD_KIND_INSTRUCTION_FILE;
}

static void add_finding(const toad_finding *f, toad__place place, toad__answer *answer) {
    toad__answer_object(answer, NULL);
    toad__answer_z(answer, "rule", f->rule);
    toad__answer_z(answer, "severity", toad_severity_name(f->severity));
    toad__answer_int(answer, "line", (int64_t)place.line);
    toad__answer_int(answer, "column", (int64_t)place.column);
    toad__answer_int(answer, "start", (int64_t)f->span.start);
    toad__answer_int(answer, "end", (int64_t)f->span.end);
    toad__answer_array(answer, "path");
    for (size_t i = 0; i < f->path_n; i++) toad__answer_z(answer, NULL, f->path[i]);
    toad__answer_end(answer);
    toad__answer_escaped(answer, "excerpt", f->excerpt);
    toad__answer_z(answer, "why", f->why);
    toad__answer_end(answer);
}

static toad_status add_findings(toad__host *host, const toad_verdict *v, toad__input *in, toad__answer *answer) {
    enum { AT_ONCE = 256 };
    size_t n = toad_verdict_count(v);
    uint64_t offsets[AT_ONCE];
    toad__place places[AT_ONCE];
    toad_status status = TOAD_OK;
    toad__answer_array(answer, "findings");
    for (size_t from = 0; from < n && !status; from += AT_ONCE) {
        size_t some = n - from < AT_ONCE ? n - from : AT_ONCE;
        for (size_t i = 0; i < some; i++) offsets[i] = toad_verdict_finding(v, from + i)->span.start;
        status = toad__locate(in, offsets, some, places);
        for (size_t i = 0; i < some && !status; i++) add_finding(toad_verdict_finding(v, from + i), places[i], answer);
    }
    toad__answer_end(answer);
    return toad__host_failed(host, status);
}

typedef struct tally {
    size_t checked, bad, failed;
} tally;

static void add_failure(const char *path, const char *why, tally *t, toad__answer *answer) {
    t->failed++;
    toad__answer_object(answer, NULL);
    toad__answer_z(answer, "file", path);
    toad__answer_z(answer, "error", why);
    toad__answer_end(answer);
}

static toad_status add_verdict(toad__host *host, const char *path, toad_kind kind, const toad_verdict *v,
                               toad__input *in, toad__answer *answer) {
    toad__answer_object(answer, NULL);
    toad__answer_z(answer, "file", path);
    toad__answer_z(answer, "kind", toad_kind_name(kind));
    toad__answer_z(answer, "action", toad_action_name(toad_verdict_action(v)));
    toad__answer_z(answer, "severity", toad_severity_name(toad_verdict_severity(v)));
    toad__answer_z(answer, "completeness", toad_completeness_name(toad_verdict_completeness(v)));
    toad_status status = add_findings(host, v, in, answer);
    toad__answer_int(answer, "findings_total", (int64_t)toad_verdict_total(v));
    toad__answer_end(answer);
    return status;
}

static toad_status check_file(toad__host *host, const char *path, tally *t, toad__answer *answer) {
    toad__input in;
    toad__scan_outcome outcome;
    toad_scan_options options = TOAD_SCAN_OPTIONS_INIT;
    int err = toad__input_open(&in, path, true);
    options.kind = kind_of(path);
    options.scope = TOAD_STRICT;
    if (err) {
        add_failure(path, strerror(err), t, answer);
        return TOAD_OK;
    }
    toad_status status = toad__scan_input(host->scanner, &in, &options, 0, 1, &outcome);
    if (status == TOAD_E_IO) {
        add_failure(path, strerror(outcome.err), t, answer);
        status = TOAD_OK;
    } else if (status) {
        toad__host_failed(host, status);
    } else {
        t->checked++;
        t->bad += toad_verdict_action(outcome.verdict) != TOAD_ALLOW;
        status = add_verdict(host, path, options.kind, outcome.verdict, &in, answer);
    }
    toad__input_close(&in);
    return status;
}

static toad_status check_directory(toad__host *host, const char *path, tally *t, toad__answer *answer) {
    toad_status status = TOAD_OK;
    toad__buf name;
    toad__buf_init(&name, 65536);
    for (size_t i = 0; i < KNOWN && !status; i++) {
        toad__buf_clear(&name);
        if (strcmp(path, ".")) {
            toad__buf_add_z(&name, path);
            if (path[strlen(path) - 1] != '/') toad__buf_add_c(&name, '/');
        }
        toad__buf_add_z(&name, known[i].name);
        toad__buf_add_c(&name, 0);
        if (name.status)
            status = toad__host_fail(host, name.status, "%s", toad_status_message(name.status));
        else if (!access(name.p, F_OK))
            status = check_file(host, name.p, t, answer);
    }
    toad__buf_free(&name);
    return status;
}

toad_status toad__memory_check(toad__host *host, const char *const *paths, size_t n, toad__answer *answer) {
    tally t = { .checked = 0 };
    toad_status status = TOAD_OK;
    toad__answer_array(answer, "files");
    for (size_t i = 0; i < n && !status; i++) {
        struct stat st;
        bool directory = *paths[i] && strcmp(paths[i], "-") && !stat(paths[i], &st) && S_ISDIR(st.st_mode);
        status = directory ? check_directory(host, paths[i], &t, answer) : check_file(host, paths[i], &t, answer);
    }
    toad__answer_end(answer);
    toad__answer_int(answer, "checked", (int64_t)t.checked);
    toad__answer_int(answer, "bad", (int64_t)t.bad);
    toad__answer_int(answer, "failed", (int64_t)t.failed);
    return status;
}
