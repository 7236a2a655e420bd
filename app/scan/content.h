/* content.h - the operations `sanitize` and `wrap` on one content, with an account of what was taken out. */
#ifndef BZR_APP_CONTENT_H
#define BZR_APP_CONTENT_H

#include "bezoar/wrap.h"
#include "lib/text/sanitize.h"

/* Append the sanitized text to `out` and count what was removed. Errors: BZR_E_NOMEM, BZR_E_LIMIT. */
bzr_status bzr__sanitize_content(bzr_str in, bzr__buf *out, bzr__census *removed);
/* Sanitize (unless options->keep_raw) and wrap. Errors: those of bzr_wrap. */
bzr_status bzr__wrap_content(bzr_str in, const bzr_wrap_options *options, bzr_text **ret, bzr__census *removed);
/* Append `[{"class":..,"count":..},..]`. */
void bzr__add_removed(bzr__buf *b, const bzr__census *removed);

#endif
