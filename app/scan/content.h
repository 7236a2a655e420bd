/* content.h - the operations `sanitize` and `wrap` on one content, with an account of what was taken out. */
#ifndef TOAD_APP_CONTENT_H
#define TOAD_APP_CONTENT_H

#include "lib/text/sanitize.h"
#include "toadstone/wrap.h"

/* Append the sanitized text to `out` and count what was removed. Errors: TOAD_E_NOMEM, TOAD_E_LIMIT. */
toad_status toad__sanitize_content(toad_str in, toad__buf *out, toad__census *removed);
/* Sanitize (unless options->keep_raw) and wrap. Errors: those of toad_wrap. */
toad_status toad__wrap_content(toad_str in, const toad_wrap_options *options, toad_text **ret, toad__census *removed);
/* Append `[{"class":..,"count":..},..]`. */
void toad__add_removed(toad__buf *b, const toad__census *removed);

#endif
