/* pins_internal.h - what the files of tool pinning share. */
#ifndef TOAD_APP_PINS_INTERNAL_H
#define TOAD_APP_PINS_INTERNAL_H

#include "app/mcp/pins.h"
#include "lib/base/str.h"

#define TOAD__PIN_NAME  256               /* bytes of a tool's name; the protocol allows 128 */
#define TOAD__PIN_BYTES ((size_t)1 << 20) /* of a definition */
#define TOAD__PIN_ARENA ((size_t)256 << 20)

/* ---- pins_names.c ---- */

typedef struct toad__pin_shape {
    toad_str loose, skeleton; /* without case and separators; and as it looks */
} toad__pin_shape;

toad_status toad__pin_shape_of(toad_str name, toad__arena *arena, toad__pin_shape *ret);
typedef bool (*toad__pin_word_fn)(void *ctx, toad_str word);
/* Does `fn` say yes to a word of the definition that looks like an identifier? *ret_all: all of them were looked at. */
bool toad__pin_speaks_of(const toad__json *tool, toad__pin_word_fn fn, void *ctx, bool *ret_all);

/* ---- pins_text.c ---- */

/* The definition in canonical JSON, of _meta what a client may render, and the digests of it and of it without its
 * names. Slices in `arena`. Errors: TOAD_E_NOMEM, TOAD_E_LIMIT (too long). */
toad_status toad__pin_digest(const toad__json *tool, toad__arena *arena, toad_str *ret_definition, char ret_digest[65],
                             char ret_body[65]);
/* Append the names of the members that differ, those that the protocol knows by name, the rest as "other". */
void toad__pin_changes(toad_str before, toad_str after, toad__arena *arena, toad__buf *out);
/* Append what changed line by line, all text escaped; `before` may be empty. */
toad_status toad__pin_diff(toad_str before, toad_str after, toad__arena *arena, toad__buf *out);

#endif
