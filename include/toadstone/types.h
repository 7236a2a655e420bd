/* types.h - the words every public header speaks.
 *
 * Text is a slice by value; it is never required to be NUL-terminated and may hold any byte, NUL included.
 * Offsets are bytes, 0-based, half-open `[start, end)`, into the ORIGINAL input of the call that returned them.
 * Three values are kept apart: a status says whether a call could do its work, a verdict says what was found,
 * a completeness says how much of the input was looked at.
 *
 * What holds in all headers, unless a comment says otherwise:
 * - A function that fails returns a status that is not TOAD_OK and leaves its `ret` arguments as they were.
 * - TOAD_E_ARG: a NULL that is not allowed, an enum value outside its list, a slice with bytes but no pointer, or an
 *   options struct that asks for something this version does not know.
 * - TOAD_E_NOMEM: an allocation failed, or a length did not fit; nothing is leaked, and the call may be tried again.
 * - What a function makes is the caller's, and is released with the function that its comment names; slices and strings
 *   that an object hands out live as long as the object. Releasing NULL is a no-op.
 * - Different objects may be used by different threads at once; one object by one thread at a time. What is immutable
 *   (an engine, rules, static strings) may be read by any number of threads.
 *
 * Structs come in three sorts, and each says which it is. SIZED: the first member is its own size, set by the _INIT
 * macro; members are only ever added at the end, an older caller's shorter struct gets the defaults for what it lacks,
 * and a newer caller's longer one is taken if what this library does not know is all zero. FROZEN: it will never
 * change. LENT: only the library makes it and the caller reads it through a pointer; members may be added at its end,
 * so it must not be copied by value into an array or allocated. Enums have explicit values that are never renumbered;
 * new values may be added, and a function refuses those that it does not know. */
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

/* A slice of bytes. `p` may be NULL only if `n` is 0, or where a function gives NULL a meaning of its own. FROZEN. */
typedef struct toad_str {
    const char *p;
    size_t n;
} toad_str;

/* A half-open byte span in the original input. FROZEN. */
typedef struct toad_span {
    uint64_t start, end;
} toad_span;

/* Whether a call could do its work. */
typedef enum toad_status {
    TOAD_OK = 0,
    TOAD_E_NOMEM = -1,     /* out of memory */
    TOAD_E_LIMIT = -2,     /* the input or the output is larger than a limit */
    TOAD_E_ARG = -3,       /* an argument is not valid */
    TOAD_E_SYNTAX = -4,    /* the input has not the form it must have */
    TOAD_E_RULE = -5,      /* a rule is not valid */
    TOAD_E_IO = -6,        /* the system refused to read or write; the program's, never the library's */
    TOAD_E_NOT_FOUND = -7, /* there is none */
    TOAD_E_STATE = -8,     /* the object is not in a state that allows this */
    TOAD_E_RANDOM = -9,    /* the system gave no random bytes */
} toad_status;

/* What a status means, one sentence, and what the user can do about it: English, static, never NULL, also for a number
 * that is no status ("unknown status"). Both are for people; programs compare the number.
 * Thread rule: any thread. */
TOAD_API const char *toad_status_message(toad_status status);
TOAD_API const char *toad_status_help(toad_status status);

/* How grave a finding is, or the worst of a verdict. */
typedef enum toad_severity { TOAD_NONE = 0, TOAD_LOW = 1, TOAD_MEDIUM = 2, TOAD_HIGH = 3 } toad_severity;

/* What to do with a text, from loose to tight, so that the larger of two is the stricter. Redact (give the text without
 * what was found) and ask (hold it until the user has answered) are for surfaces that can. */
typedef enum toad_action {
    TOAD_ALLOW = 0,
    TOAD_WARN = 1,
    TOAD_REDACT = 2,
    TOAD_ASK = 3,
    TOAD_BLOCK = 4,
} toad_action;

/* How readily rules match: strict is a superset of relaxed. Memory is always scanned strict. */
typedef enum toad_scope { TOAD_RELAXED = 0, TOAD_STRICT = 1 } toad_scope;

/* How much of the input was looked at: all of it, or why not. A scan that is not full and has no finding is not clean.
 */
typedef enum toad_completeness {
    TOAD_FULL = 0,
    TOAD_SIZE_LIMIT = 1,   /* more bytes than the caller's max_bytes */
    TOAD_DECODE_LIMIT = 2, /* more decoded text than the budget of a piece */
    TOAD_DEPTH_LIMIT = 3,  /* encodings in encodings, more than five deep */
    TOAD_MATCH_LIMIT = 4,  /* more findings than are kept, so that a graver one may have been left out */
    TOAD_TIME_LIMIT = 5,   /* the caller's time was up; the library itself has no clock */
} toad_completeness;

/* What sort of text the caller hands in; judgement depends on it. TOAD_KIND_ANY when it is not known. */
typedef enum toad_kind {
    TOAD_KIND_ANY = 0,
    TOAD_KIND_WEB = 1,
    TOAD_KIND_TOOL_RESULT = 2,
    TOAD_KIND_TOOL_DESCRIPTION = 3,
    TOAD_KIND_MEMORY = 4,
    TOAD_KIND_INSTRUCTION_FILE = 5,
    TOAD_KIND_EMAIL = 6,
    TOAD_KIND_CODE = 7,
    TOAD_KIND_SEARCH = 8,
} toad_kind;

/* Names as they stand in JSON and on the command line ("high", "block", "full", "tool_result", ...), static, never
 * NULL: "unknown" for a value outside the list. The _parse functions return false and leave `*ret` untouched for a name
 * they do not know; names are compared byte for byte, and `name` need not end in NUL. Thread rule: any thread. */
TOAD_API const char *toad_severity_name(toad_severity v);
TOAD_API const char *toad_action_name(toad_action v);
TOAD_API const char *toad_completeness_name(toad_completeness v);
TOAD_API const char *toad_scope_name(toad_scope v);
TOAD_API const char *toad_kind_name(toad_kind v);
TOAD_API bool toad_severity_parse(toad_str name, toad_severity *ret);
TOAD_API bool toad_scope_parse(toad_str name, toad_scope *ret);
TOAD_API bool toad_kind_parse(toad_str name, toad_kind *ret);

/* A text that the library made: any bytes, with a length, not NUL-terminated. Opaque; immutable.
 * toad_text_str gives the bytes, valid until toad_text_free, which releases them (NULL is a no-op).
 * Thread rule: any number of threads may read it. */
typedef struct toad_text toad_text;
TOAD_API toad_str toad_text_str(const toad_text *text);
TOAD_API void toad_text_free(toad_text *text);

#ifdef __cplusplus
}
#endif
#endif
