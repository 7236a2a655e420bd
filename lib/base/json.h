/* json.h - RFC 8259, strict, with byte spans.
 *
 * The reader refuses what a security product must not guess at: duplicate keys, lone surrogates, ill-formed UTF-8, trailing
 * bytes, numbers outside the grammar, nesting beyond the depth limit. It is iterative and linear. Nodes live in the caller's arena
 * and point into the input, so a finding inside a string can be shown in the message it came from. */
#ifndef BZR_BASE_JSON_H
#define BZR_BASE_JSON_H

#include "lib/base/arena.h"
#include "lib/base/buf.h"

typedef enum bzr__json_type {
    BZR__JSON_NULL, BZR__JSON_FALSE, BZR__JSON_TRUE, BZR__JSON_NUMBER, BZR__JSON_STRING, BZR__JSON_ARRAY, BZR__JSON_OBJECT,
} bzr__json_type;

typedef struct bzr__json {
    bzr__json_type type;
    bzr_str key;   /* unescaped member name; empty for array items and the root */
    bzr_str raw;   /* the value as it stands in the input, quotes and brackets included */
    bzr_str text;  /* strings: unescaped (in the arena, or in place when there was no escape) */
    struct bzr__json *child, *next;
} bzr__json;

#define BZR__JSON_DEPTH 128

/* Parse one value that fills `in`. On BZR_E_SYNTAX `*err_at` is the offset of the first byte that could not be accepted and
 * `*err` says what was expected (static storage). Errors: BZR_E_SYNTAX, BZR_E_LIMIT (depth), BZR_E_NOMEM. */
bzr_status bzr__json_parse(bzr_str in, bzr__arena *arena, const bzr__json **ret, size_t *err_at, const char **err);
/* Member of an object by name, or NULL (also when `node` is NULL or no object). */
const bzr__json *bzr__json_get(const bzr__json *node, const char *key);
/* The text of a string member, or an empty slice with p NULL. */
bzr_str bzr__json_get_text(const bzr__json *node, const char *key);

/* Append a comma, unless an object or array was just opened, and `"key":`. `key` is a word of ours, or NULL: an item of an array. */
void bzr__json_add_key(bzr__buf *b, const char *key);
/* Append `s` as a quoted JSON string, ASCII only: control, invisible, bidirectional and all other non-ASCII characters become \u
 * escapes, ill-formed bytes become \ufffd. So what a stranger wrote stays readable and inert on a terminal and in a log. */
void bzr__json_add_str(bzr__buf *b, bzr_str s);
/* Append `s` as a quoted JSON string, UTF-8 kept as it is but for what JSON requires to be escaped and C0, C1, bidirectional and
 * default-ignorable code points, which become \u escapes (so it is lossless and inert). Ill-formed bytes become \ufffd. */
void bzr__json_add_utf8(bzr__buf *b, bzr_str s);

#endif
