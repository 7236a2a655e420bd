/* json.h - RFC 8259, strict, with byte spans.
 *
 * The reader refuses what a security product must not guess at: duplicate keys, lone surrogates, ill-formed UTF-8,
 * trailing bytes, numbers outside the grammar, nesting beyond the depth limit. It is iterative and linear. Nodes live
 * in the caller's arena and point into the input, so a finding inside a string can be shown in the message it came
 * from. */
#ifndef TOAD_BASE_JSON_H
#define TOAD_BASE_JSON_H

#include "lib/base/arena.h"
#include "lib/base/buf.h"

typedef enum toad__json_type {
    TOAD__JSON_NULL,
    TOAD__JSON_FALSE,
    TOAD__JSON_TRUE,
    TOAD__JSON_NUMBER,
    TOAD__JSON_STRING,
    TOAD__JSON_ARRAY,
    TOAD__JSON_OBJECT,
} toad__json_type;

typedef struct toad__json {
    toad__json_type type;
    toad_str key;  /* unescaped member name; empty for array items and the root */
    toad_str raw;  /* the value as it stands in the input, quotes and brackets included */
    toad_str text; /* strings: unescaped (in the arena, or in place when there was no escape) */
    struct toad__json *child, *next;
} toad__json;

#define TOAD__JSON_DEPTH 128

/* Parse one value that fills `in`. On TOAD_E_SYNTAX `*err_at` is the offset of the first byte that could not be
 * accepted and
 * `*err` says what was expected (static storage). Errors: TOAD_E_SYNTAX, TOAD_E_LIMIT (depth), TOAD_E_NOMEM. */
toad_status toad__json_parse(toad_str in, toad__arena *arena, const toad__json **ret, size_t *err_at, const char **err);
/* Member of an object by name, or NULL (also when `node` is NULL or no object). */
const toad__json *toad__json_get(const toad__json *node, const char *key);
/* The text of a string member, or an empty slice with p NULL. */
toad_str toad__json_get_text(const toad__json *node, const char *key);

/* Append a comma, unless an object or array was just opened, and `"key":`. `key` is a word of ours, or NULL: an item of
 * an array. */
void toad__json_add_key(toad__buf *b, const char *key);
/* Append `s` as a quoted JSON string, ASCII only: control, invisible, bidirectional and all other non-ASCII characters
 * become \u escapes, ill-formed bytes become \ufffd. So what a stranger wrote stays readable and inert on a terminal
 * and in a log. */
void toad__json_add_str(toad__buf *b, toad_str s);
/* Append `s` as a quoted JSON string, UTF-8 kept as it is but for what JSON requires to be escaped and C0, C1,
 * bidirectional and default-ignorable code points, which become \u escapes (so it is lossless and inert). Ill-formed
 * bytes become \ufffd. */
void toad__json_add_utf8(toad__buf *b, toad_str s);

#endif
