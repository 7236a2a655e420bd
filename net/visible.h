/* visible.h - what the readers of answers share. */
#ifndef TOAD_NET_VISIBLE_H
#define TOAD_NET_VISIBLE_H

#include "lib/base/arena.h"
#include "lib/base/buf.h"

#define TOAD__VISIBLE_MAX ((size_t)64 << 20) /* bytes of one text of an answer */

/* What a person sees of a piece of HTML, without white space at its end, in the arena. Errors: TOAD_E_NOMEM. */
toad_status toad__visible(toad_str html, toad__arena *arena, toad_str *ret);
/* The bytes of a buffer in the arena, with a NUL behind them, or the buffer's status. */
toad_status toad__arena_keep(toad__arena *arena, const toad__buf *b, toad_str *ret);

#endif
