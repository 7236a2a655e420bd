/* pieces.h - short texts of strangers that a reader gets one after the other: hits of a search, headlines of a feed.
 *
 * Each is shown on one line. Each is judged alone by its caller; here, whether an attack was laid over several. */
#ifndef BZR_APP_PIECES_H
#define BZR_APP_PIECES_H

#include "app/host/host.h"

/* `text` as it may be shown on one line: sanitized, neutralized, white space as single blanks, cut to `most` code
 * points with "..." where it is longer. In the host's arena. Errors: BZR_E_NOMEM. */
bzr_status bzr__piece_line(bzr__host *host, bzr_str text, size_t most, bzr_str *ret);

typedef struct bzr__pieces_span {
    size_t first, last; /* pieces */
    bzr_str text;       /* what is blocked, in the host's arena; p NULL: there is none */
} bzr__pieces_span;

/* Find pieces, of those with `keep`, that are harmless alone and blocked when they are read together: a finding spans
 * them. `source`: that of the policy. Errors: those of bzr__host_scan. Cost: one scan of all, one of each suspect. */
bzr_status bzr__pieces_run(bzr__host *host, const bzr_str *texts, const bool *keep, size_t n, bzr_kind kind,
                           bzr_str source, bzr__pieces_span *ret);

#endif
