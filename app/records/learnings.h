/* learnings.h - what was blocked, remembered: one learning for each rule and domain, counted when it comes
 * again.
 *
 * A learning is written in words of ours - the rule, its family, the domain - and never holds text of the content: what
 * is remembered may one day stand in a prompt. */
#ifndef TOAD_APP_LEARNINGS_H
#define TOAD_APP_LEARNINGS_H

#include "app/host/host.h"

/* The learning that a blocked finding leaves, for the store. `domain` and `url` are borrowed, the rest is in `arena`.
 * Errors: TOAD_E_NOMEM. */
toad_status toad__learning_from_finding(toad__arena *arena, const toad_finding *finding, toad_str domain, toad_str url,
                                        toad__learning *ret);
/* Last seen first. `domain` empty: of all. `limit` 0: 1000. Answer: {"learnings":[...]} */
toad_status toad__learnings_list(toad__host *host, toad_str domain, uint64_t limit, toad__answer *answer);

#endif
