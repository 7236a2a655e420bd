/* status.c - the names of what crosses the ABI: statuses from errors.def, enums from the tables below. */
#include "lib/base/str.h"
#include "lib/base/text.h"

#include <stdlib.h>

typedef struct error_row {
    bzr_status status;
    int exit;
    const char *message, *help;
} error_row;

static const error_row errors[] = {
#define X(name, code, exit_code, http, jsonrpc, message, help) { BZR_##name, exit_code, message, help },
#include "bezoar/errors.def"
#undef X
};

static const error_row *error_of(bzr_status status) {
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        if (errors[i].status == status) return &errors[i];
    static const error_row unknown = { BZR_OK, 2, "unknown status", "this library and its caller differ in version" };
    return &unknown;
}

const char *bzr_status_message(bzr_status status) { return error_of(status)->message; }
const char *bzr_status_help(bzr_status status) { return error_of(status)->help; }
int bzr_status_exit(bzr_status status) { return error_of(status)->exit; }

static const char *const severities[] = { "none", "low", "medium", "high" };
static const char *const actions[] = { "allow", "warn", "block" };
static const char *const scopes[] = { "relaxed", "strict" };
static const char *const completenesses[] = { "full", "size_limit", "decode_limit", "depth_limit", "match_limit", "time_limit" };
static const char *const kinds[] = { "any", "web", "tool_result", "tool_description", "memory", "instruction_file", "email", "code", "search" };

#define COUNT(table) (sizeof(table) / sizeof *(table))

static const char *name_of(const char *const *table, size_t n, int v) { return v >= 0 && (size_t)v < n ? table[v] : "unknown"; }

static int value_of(const char *const *table, size_t n, bzr_str name) {
    for (size_t i = 0; i < n; i++)
        if (bzr__str_eq(name, bzr__str_z(table[i]))) return (int)i;
    return -1;
}

const char *bzr_severity_name(bzr_severity v) { return name_of(severities, COUNT(severities), (int)v); }
const char *bzr_action_name(bzr_action v) { return name_of(actions, COUNT(actions), (int)v); }
const char *bzr_scope_name(bzr_scope v) { return name_of(scopes, COUNT(scopes), (int)v); }
const char *bzr_kind_name(bzr_kind v) { return name_of(kinds, COUNT(kinds), (int)v); }
const char *bzr_completeness_name(bzr_completeness v) { return name_of(completenesses, COUNT(completenesses), (int)v); }

bool bzr_severity_parse(bzr_str name, bzr_severity *ret) {
    int v = value_of(severities, COUNT(severities), name);
    if (v >= 0) *ret = (bzr_severity)v;
    return v >= 0;
}

bool bzr_scope_parse(bzr_str name, bzr_scope *ret) {
    int v = value_of(scopes, COUNT(scopes), name);
    if (v >= 0) *ret = (bzr_scope)v;
    return v >= 0;
}

bool bzr_kind_parse(bzr_str name, bzr_kind *ret) {
    int v = value_of(kinds, COUNT(kinds), name);
    if (v >= 0) *ret = (bzr_kind)v;
    return v >= 0;
}

bzr_str bzr_text_str(const bzr_text *text) { return (bzr_str){ text->p, text->n }; }

void bzr_text_free(bzr_text *text) {
    if (!text) return;
    free(text->p);
    free(text);
}
