/* visible.h - what the readers of answers share. */
#ifndef BZR_NET_VISIBLE_H
#define BZR_NET_VISIBLE_H

#include "lib/base/arena.h"
#include "lib/base/buf.h"

#define BZR__VISIBLE_MAX ((size_t)64 << 20) /* bytes of one text of an answer */

/* What a person sees of a piece of HTML, without white space at its end, in the arena. Errors: BZR_E_NOMEM. */
bzr_status bzr__visible(bzr_str html, bzr__arena *arena, bzr_str *ret);
/* The bytes of a buffer in the arena, with a NUL behind them, or the buffer's status. */
bzr_status bzr__arena_keep(bzr__arena *arena, const bzr__buf *b, bzr_str *ret);

#endif
