/* pieces.h - short texts of strangers that a reader gets one after the other: hits of a search, headlines of a feed.
 *
 * Each is shown on one line. Each is judged alone by its caller; here, whether an attack was laid over several. */
#ifndef TOAD_APP_PIECES_H
#define TOAD_APP_PIECES_H

#include "app/records/exceptions.h"

/* `text` as it may be shown on one line: sanitized, neutralized, white space as single blanks, cut to `most` code
 * points with "..." where it is longer. In the host's arena. Errors: TOAD_E_NOMEM. */
toad_status toad__piece_line(toad__host *host, toad_str text, size_t most, toad_str *ret);

typedef struct toad__pieces_span {
    size_t first, last; /* pieces */
    toad_str text;      /* what is blocked, in the host's arena; p NULL: there is none */
} toad__pieces_span;

/* Find pieces, of those with `keep`, that are harmless alone and blocked when they are read together: a finding spans
 * them. `source`: that of the policy; `e`: what is excepted where all of them come from, or NULL. Errors: those of
 * toad__host_scan. Cost: one scan of all, one of each suspect. */
toad_status toad__pieces_run(toad__host *host, const toad_str *texts, const bool *keep, size_t n, toad_kind kind,
                             toad_str source, const toad__excepted *e, toad__pieces_span *ret);

#endif
