/* types.h - the words every public header speaks.
 *
 * Text is a slice by value; it is never required to be NUL-terminated and may hold any byte, NUL included.
 * Offsets are bytes, 0-based, half-open `[start, end)`, into the ORIGINAL input of the call that returned them.
 * Three values are kept apart: a status says whether a call could do its work, a verdict says what was found,
 * a completeness says how much of the input was looked at. */
#ifndef TOADSTONE_TYPES_H
#define TOADSTONE_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(_WIN32)
#define TOAD_API
#else
#define TOAD_API __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* A slice of bytes. `p` may be NULL only if `n` is 0, or where a function gives NULL a meaning of its own. */
typedef struct toad_str {
    const char *p;
    size_t n;
} toad_str;

/* A half-open byte span in the original input. */
typedef struct toad_span {
    uint64_t start, end;
} toad_span;

/* Whether a call could do its work. Never renumber: these cross the ABI. errors.def is the one table behind it. */
typedef enum toad_status {
#define X(name, code, exit_code, http, jsonrpc, message, help) TOAD_##name = (code),
#include "errors.def"
#undef X
} toad_status;

/* One sentence for a status, in English, static storage. Never NULL. Thread rule: any thread. */
TOAD_API const char *toad_status_message(toad_status status);
/* What the user can do about it, static storage. Never NULL. */
TOAD_API const char *toad_status_help(toad_status status);
/* The command-line exit status for it: 0 for TOAD_OK, 2 for every error. */
TOAD_API int toad_status_exit(toad_status status);

typedef enum toad_severity { TOAD_NONE = 0, TOAD_LOW = 1, TOAD_MEDIUM = 2, TOAD_HIGH = 3 } toad_severity;
typedef enum toad_action { TOAD_ALLOW = 0, TOAD_WARN = 1, TOAD_BLOCK = 2 } toad_action;
/* strict is a superset of relaxed; memory is always scanned strict. */
typedef enum toad_scope { TOAD_RELAXED = 0, TOAD_STRICT = 1 } toad_scope;
typedef enum toad_completeness {
    TOAD_FULL = 0,
    TOAD_SIZE_LIMIT,
    TOAD_DECODE_LIMIT,
    TOAD_DEPTH_LIMIT,
    TOAD_MATCH_LIMIT,
    TOAD_TIME_LIMIT,
} toad_completeness;

/* What sort of text the caller hands in; judgement depends on it. TOAD_KIND_ANY when it is not known. */
typedef enum toad_kind {
    TOAD_KIND_ANY = 0,
    TOAD_KIND_WEB,
    TOAD_KIND_TOOL_RESULT,
    TOAD_KIND_TOOL_DESCRIPTION,
    TOAD_KIND_MEMORY,
    TOAD_KIND_INSTRUCTION_FILE,
    TOAD_KIND_EMAIL,
    TOAD_KIND_CODE,
    TOAD_KIND_SEARCH,
} toad_kind;

/* Names as they stand in JSON and on the command line ("high", "block", "full", "tool_result", ...).
 * The _parse functions return false and leave `*ret` untouched for a name they do not know. Thread rule: any thread. */
TOAD_API const char *toad_severity_name(toad_severity v);
TOAD_API const char *toad_action_name(toad_action v);
TOAD_API const char *toad_completeness_name(toad_completeness v);
TOAD_API const char *toad_scope_name(toad_scope v);
TOAD_API const char *toad_kind_name(toad_kind v);
TOAD_API bool toad_severity_parse(toad_str name, toad_severity *ret);
TOAD_API bool toad_scope_parse(toad_str name, toad_scope *ret);
TOAD_API bool toad_kind_parse(toad_str name, toad_kind *ret);

/* A text the library made. Release with toad_text_free. */
typedef struct toad_text toad_text;
/* The bytes; valid until toad_text_free. */
TOAD_API toad_str toad_text_str(const toad_text *text);
/* NULL is a no-op. */
TOAD_API void toad_text_free(toad_text *text);

#ifdef __cplusplus
}
#endif
#endif
