/* learnings.h - what was blocked, remembered (seed 004): one learning for each rule and domain, counted when it comes
 * again.
 *
 * A learning is written in words of ours - the rule, its family, the domain - and never holds text of the content: what
 * is remembered may one day stand in a prompt. */
#ifndef BZR_APP_LEARNINGS_H
#define BZR_APP_LEARNINGS_H

#include "app/host/host.h"

/* The learning that a blocked finding leaves, for the store. `domain` and `url` are borrowed, the rest is in `arena`.
 * Errors: BZR_E_NOMEM. */
bzr_status bzr__learning_from_finding(bzr__arena *arena, const bzr_finding *finding, bzr_str domain, bzr_str url,
                                      bzr__learning *ret);
/* Last seen first. `domain` empty: of all. `limit` 0: 1000. Answer: {"learnings":[...]} */
bzr_status bzr__learnings_list(bzr__host *host, bzr_str domain, uint64_t limit, bzr__buf *answer);

#endif
