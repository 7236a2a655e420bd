/* types.h - the words every public header speaks.
 *
 * Text is a slice by value; it is never required to be NUL-terminated and may hold any byte, NUL included.
 * Offsets are bytes, 0-based, half-open `[start, end)`, into the ORIGINAL input of the call that returned them.
 * Three values are kept apart: a status says whether a call could do its work, a verdict says what was found,
 * a completeness says how much of the input was looked at. */
#ifndef BEZOAR_TYPES_H
#define BEZOAR_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(_WIN32)
#define BZR_API
#else
#define BZR_API __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* A slice of bytes. `p` may be NULL only if `n` is 0, or where a function gives NULL a meaning of its own. */
typedef struct bzr_str {
    const char *p;
    size_t n;
} bzr_str;

/* A half-open byte span in the original input. */
typedef struct bzr_span {
    uint64_t start, end;
} bzr_span;

/* Whether a call could do its work. Never renumber: these cross the ABI. errors.def is the one table behind it. */
typedef enum bzr_status {
#define X(name, code, exit_code, http, jsonrpc, message, help) BZR_##name = (code),
#include "errors.def"
#undef X
} bzr_status;

/* One sentence for a status, in English, static storage. Never NULL. Thread rule: any thread. */
BZR_API const char *bzr_status_message(bzr_status status);
/* What the user can do about it, static storage. Never NULL. */
BZR_API const char *bzr_status_help(bzr_status status);
/* The command-line exit status for it: 0 for BZR_OK, 2 for every error. */
BZR_API int bzr_status_exit(bzr_status status);

typedef enum bzr_severity { BZR_NONE = 0, BZR_LOW = 1, BZR_MEDIUM = 2, BZR_HIGH = 3 } bzr_severity;
typedef enum bzr_action { BZR_ALLOW = 0, BZR_WARN = 1, BZR_BLOCK = 2 } bzr_action;
/* strict is a superset of relaxed; memory is always scanned strict. */
typedef enum bzr_scope { BZR_RELAXED = 0, BZR_STRICT = 1 } bzr_scope;
typedef enum bzr_completeness {
    BZR_FULL = 0,
    BZR_SIZE_LIMIT,
    BZR_DECODE_LIMIT,
    BZR_DEPTH_LIMIT,
    BZR_MATCH_LIMIT,
    BZR_TIME_LIMIT,
} bzr_completeness;

/* What sort of text the caller hands in; judgement depends on it. BZR_KIND_ANY when it is not known. */
typedef enum bzr_kind {
    BZR_KIND_ANY = 0,
    BZR_KIND_WEB,
    BZR_KIND_TOOL_RESULT,
    BZR_KIND_TOOL_DESCRIPTION,
    BZR_KIND_MEMORY,
    BZR_KIND_INSTRUCTION_FILE,
    BZR_KIND_EMAIL,
    BZR_KIND_CODE,
    BZR_KIND_SEARCH,
} bzr_kind;

/* Names as they stand in JSON and on the command line ("high", "block", "full", "tool_result", ...).
 * The _parse functions return false and leave `*ret` untouched for a name they do not know. Thread rule: any thread. */
BZR_API const char *bzr_severity_name(bzr_severity v);
BZR_API const char *bzr_action_name(bzr_action v);
BZR_API const char *bzr_completeness_name(bzr_completeness v);
BZR_API const char *bzr_scope_name(bzr_scope v);
BZR_API const char *bzr_kind_name(bzr_kind v);
BZR_API bool bzr_severity_parse(bzr_str name, bzr_severity *ret);
BZR_API bool bzr_scope_parse(bzr_str name, bzr_scope *ret);
BZR_API bool bzr_kind_parse(bzr_str name, bzr_kind *ret);

/* A text the library made. Release with bzr_text_free. */
typedef struct bzr_text bzr_text;
/* The bytes; valid until bzr_text_free. */
BZR_API bzr_str bzr_text_str(const bzr_text *text);
/* NULL is a no-op. */
BZR_API void bzr_text_free(bzr_text *text);

#ifdef __cplusplus
}
#endif
#endif
