/* pins_internal.h - what the files of tool pinning share. */
#ifndef BZR_APP_PINS_INTERNAL_H
#define BZR_APP_PINS_INTERNAL_H

#include "app/mcp/pins.h"
#include "lib/base/str.h"

#define BZR__PIN_NAME  256               /* bytes of a tool's name; the protocol allows 128 */
#define BZR__PIN_BYTES ((size_t)1 << 20) /* of a definition */
#define BZR__PIN_ARENA ((size_t)256 << 20)

/* ---- pins_names.c ---- */

typedef struct bzr__pin_shape {
    bzr_str loose, skeleton; /* without case and separators; and as it looks */
} bzr__pin_shape;

bzr_status bzr__pin_shape_of(bzr_str name, bzr__arena *arena, bzr__pin_shape *ret);
typedef bool (*bzr__pin_word_fn)(void *ctx, bzr_str word);
/* Does `fn` say yes to a word of the definition that looks like an identifier? *ret_all: all of them were looked at. */
bool bzr__pin_speaks_of(const bzr__json *tool, bzr__pin_word_fn fn, void *ctx, bool *ret_all);

/* ---- pins_text.c ---- */

/* The definition without _meta in canonical JSON, and the digests of it and of it without its names. Slices in `arena`.
 * Errors: BZR_E_NOMEM, BZR_E_LIMIT (too long). */
bzr_status bzr__pin_digest(const bzr__json *tool, bzr__arena *arena, bzr_str *ret_definition, char ret_digest[65],
                           char ret_body[65]);
/* Append the names of the members that differ, those that the protocol knows by name, the rest as "other". */
void bzr__pin_changes(bzr_str before, bzr_str after, bzr__arena *arena, bzr__buf *out);
/* Append what changed line by line, all text escaped; `before` may be empty. */
bzr_status bzr__pin_diff(bzr_str before, bzr_str after, bzr__arena *arena, bzr__buf *out);

#endif
