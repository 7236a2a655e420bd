/* status.c - the names of what crosses the ABI: statuses from errors.def, enums from the tables below. */
#include "lib/base/str.h"
#include "lib/base/text.h"

#include <stdlib.h>

#define X(name, number, message, help) _Static_assert(TOAD_##name == (number), #name);
#include "lib/base/errors.def"
#undef X

typedef struct error_row {
    toad_status status;
    const char *message, *help;
} error_row;

static const error_row errors[] = {
#define X(name, number, message, help) { TOAD_##name, message, help },
#include "lib/base/errors.def"
#undef X
};

static const error_row *error_of(toad_status status) {
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        if (errors[i].status == status) return &errors[i];
    static const error_row unknown = { TOAD_OK, "unknown status", "this library and its caller differ in version" };
    return &unknown;
}

const char *toad_status_message(toad_status status) { return error_of(status)->message; }
const char *toad_status_help(toad_status status) { return error_of(status)->help; }

static const char *const severities[] = { "none", "low", "medium", "high" };
static const char *const actions[] = { "allow", "warn", "redact", "ask", "block" };
static const char *const scopes[] = { "relaxed", "strict" };
static const char *const completenesses[] = { "full",        "size_limit",  "decode_limit",
                                              "depth_limit", "match_limit", "time_limit" };
static const char *const kinds[] = { "any",   "web",  "tool_result", "tool_description", "memory", "instruction_file",
                                     "email", "code", "search" };

#define COUNT(table) (sizeof(table) / sizeof *(table))

static const char *name_of(const char *const *table, size_t n, int v) {
    return v >= 0 && (size_t)v < n ? table[v] : "unknown";
}

static int value_of(const char *const *table, size_t n, toad_str name) {
    for (size_t i = 0; i < n; i++)
        if (toad__str_eq(name, toad__str_z(table[i]))) return (int)i;
    return -1;
}

const char *toad_severity_name(toad_severity v) { return name_of(severities, COUNT(severities), (int)v); }
const char *toad_action_name(toad_action v) { return name_of(actions, COUNT(actions), (int)v); }
const char *toad_scope_name(toad_scope v) { return name_of(scopes, COUNT(scopes), (int)v); }
const char *toad_kind_name(toad_kind v) { return name_of(kinds, COUNT(kinds), (int)v); }
const char *toad_completeness_name(toad_completeness v) {
    return name_of(completenesses, COUNT(completenesses), (int)v);
}

bool toad_severity_parse(toad_str name, toad_severity *ret) {
    int v = value_of(severities, COUNT(severities), name);
    if (v >= 0) *ret = (toad_severity)v;
    return v >= 0;
}

bool toad_scope_parse(toad_str name, toad_scope *ret) {
    int v = value_of(scopes, COUNT(scopes), name);
    if (v >= 0) *ret = (toad_scope)v;
    return v >= 0;
}

bool toad_kind_parse(toad_str name, toad_kind *ret) {
    int v = value_of(kinds, COUNT(kinds), name);
    if (v >= 0) *ret = (toad_kind)v;
    return v >= 0;
}

toad_str toad_text_str(const toad_text *text) { return (toad_str){ text->p, text->n }; }

void toad_text_free(toad_text *text) {
    if (!text) return;
    free(text->p);
    free(text);
}
