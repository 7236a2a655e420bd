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
    bzr_kind kind;
} known[] = { { "MEMORY.md", BZR_KIND_MEMORY },
              { "USER.md", BZR_KIND_MEMORY },
              { "SOUL.md", BZR_KIND_INSTRUCTION_FILE },
              { "IDENTITY.md", BZR_KIND_INSTRUCTION_FILE },
              { "AGENTS.md", BZR_KIND_INSTRUCTION_FILE },
              { "AGENT.md", BZR_KIND_INSTRUCTION_FILE },
              { "CLAUDE.md", BZR_KIND_INSTRUCTION_FILE },
              { "CLAUDE.local.md", BZR_KIND_INSTRUCTION_FILE },
              { "GEMINI.md", BZR_KIND_INSTRUCTION_FILE },
              { ".cursorrules", BZR_KIND_INSTRUCTION_FILE },
              { ".windsurfrules", BZR_KIND_INSTRUCTION_FILE },
              { ".clinerules", BZR_KIND_INSTRUCTION_FILE },
              { ".goosehints", BZR_KIND_INSTRUCTION_FILE },
              { ".github/copilot-instructions.md", BZR_KIND_INSTRUCTION_FILE } };
enum { KNOWN = sizeof known / sizeof *known };

static bzr_kind kind_of(const char *path) {
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    for (size_t i = 0; i < KNOWN; i++)
        if (!strcmp(name, known[i].name)) return known[i].kind;
    return BZR_KIND_INSTRUCTION_FILE;
}

/* The excerpt is the body of a JSON string already. */
static void add_finding(const bzr_finding *f, bzr__place place, bzr__buf *answer) {
    bzr__json_add_key(answer, NULL);
    bzr__buf_add_c(answer, '{');
    bzr__answer_z(answer, "rule", f->rule);
    bzr__answer_z(answer, "severity", bzr_severity_name(f->severity));
    bzr__answer_int(answer, "line", (int64_t)place.line);
    bzr__answer_int(answer, "column", (int64_t)place.column);
    bzr__answer_int(answer, "start", (int64_t)f->span.start);
    bzr__answer_int(answer, "end", (int64_t)f->span.end);
    bzr__json_add_key(answer, "path");
    bzr__buf_add_c(answer, '[');
    for (size_t i = 0; i < f->path_n; i++) bzr__answer_z(answer, NULL, f->path[i]);
    bzr__buf_add_z(answer, "],\"excerpt\":\"");
    bzr__buf_add_str(answer, f->excerpt);
    bzr__buf_add_c(answer, '"');
    bzr__answer_z(answer, "why", f->why);
    bzr__buf_add_c(answer, '}');
}

static bzr_status add_findings(bzr__host *host, const bzr_verdict *v, bzr__input *in, bzr__buf *answer) {
    enum { AT_ONCE = 256 };
    size_t n = bzr_verdict_count(v);
    uint64_t offsets[AT_ONCE];
    bzr__place places[AT_ONCE];
    bzr_status status = BZR_OK;
    bzr__json_add_key(answer, "findings");
    bzr__buf_add_c(answer, '[');
    for (size_t from = 0; from < n && !status; from += AT_ONCE) {
        size_t some = n - from < AT_ONCE ? n - from : AT_ONCE;
        for (size_t i = 0; i < some; i++) offsets[i] = bzr_verdict_finding(v, from + i)->span.start;
        status = bzr__locate(in, offsets, some, places);
        for (size_t i = 0; i < some && !status; i++) add_finding(bzr_verdict_finding(v, from + i), places[i], answer);
    }
    bzr__buf_add_c(answer, ']');
    return status ? bzr__host_fail(host, status, "%s", bzr_status_message(status)) : BZR_OK;
}

typedef struct tally {
    size_t checked, bad, failed;
} tally;

static void add_failure(const char *path, const char *why, tally *t, bzr__buf *answer) {
    t->failed++;
    bzr__json_add_key(answer, NULL);
    bzr__buf_add_c(answer, '{');
    bzr__answer_z(answer, "file", path);
    bzr__answer_z(answer, "error", why);
    bzr__buf_add_c(answer, '}');
}

static bzr_status add_verdict(bzr__host *host, const char *path, bzr_kind kind, const bzr_verdict *v, bzr__input *in,
                              bzr__buf *answer) {
    bzr__json_add_key(answer, NULL);
    bzr__buf_add_c(answer, '{');
    bzr__answer_z(answer, "file", path);
    bzr__answer_z(answer, "kind", bzr_kind_name(kind));
    bzr__answer_z(answer, "action", bzr_action_name(bzr_verdict_action(v)));
    bzr__answer_z(answer, "severity", bzr_severity_name(bzr_verdict_severity(v)));
    bzr__answer_z(answer, "completeness", bzr_completeness_name(bzr_verdict_completeness(v)));
    bzr_status status = add_findings(host, v, in, answer);
    bzr__answer_int(answer, "findings_total", (int64_t)bzr_verdict_total(v));
    bzr__buf_add_c(answer, '}');
    return status;
}

static bzr_status check_file(bzr__host *host, const char *path, tally *t, bzr__buf *answer) {
    bzr__input in;
    bzr__scan_outcome outcome;
    bzr_scan_options options = BZR_SCAN_OPTIONS_INIT;
    int err = bzr__input_open(&in, path, true);
    options.kind = kind_of(path);
    options.scope = BZR_STRICT;
    if (err) {
        add_failure(path, strerror(err), t, answer);
        return BZR_OK;
    }
    bzr_status status = bzr__scan_input(host->scanner, &in, &options, false, &outcome);
    if (status == BZR_E_IO) {
        add_failure(path, strerror(outcome.err), t, answer);
        status = BZR_OK;
    } else if (status) {
        bzr__host_fail(host, status, "%s", bzr_status_message(status));
    } else {
        t->checked++;
        t->bad += bzr_verdict_action(outcome.verdict) != BZR_ALLOW;
        status = add_verdict(host, path, options.kind, outcome.verdict, &in, answer);
    }
    bzr__input_close(&in);
    return status;
}

static bzr_status check_directory(bzr__host *host, const char *path, tally *t, bzr__buf *answer) {
    bzr_status status = BZR_OK;
    bzr__buf name;
    bzr__buf_init(&name, 65536);
    for (size_t i = 0; i < KNOWN && !status; i++) {
        bzr__buf_clear(&name);
        if (strcmp(path, ".")) {
            bzr__buf_add_z(&name, path);
            if (path[strlen(path) - 1] != '/') bzr__buf_add_c(&name, '/');
        }
        bzr__buf_add_z(&name, known[i].name);
        bzr__buf_add_c(&name, 0);
        if (name.status)
            status = bzr__host_fail(host, name.status, "%s", bzr_status_message(name.status));
        else if (!access(name.p, F_OK))
            status = check_file(host, name.p, t, answer);
    }
    bzr__buf_free(&name);
    return status;
}

bzr_status bzr__memory_check(bzr__host *host, const char *const *paths, size_t n, bzr__buf *answer) {
    tally t = { .checked = 0 };
    bzr_status status = BZR_OK;
    bzr__buf_add_z(answer, "{\"files\":[");
    for (size_t i = 0; i < n && !status; i++) {
        struct stat st;
        bool directory = *paths[i] && strcmp(paths[i], "-") && !stat(paths[i], &st) && S_ISDIR(st.st_mode);
        status = directory ? check_directory(host, paths[i], &t, answer) : check_file(host, paths[i], &t, answer);
    }
    bzr__buf_add_c(answer, ']');
    bzr__answer_int(answer, "checked", (int64_t)t.checked);
    bzr__answer_int(answer, "bad", (int64_t)t.bad);
    bzr__answer_int(answer, "failed", (int64_t)t.failed);
    bzr__buf_add_c(answer, '}');
    return status;
}
