/* log.h - what happened, as a person asks for it: blocked, warned of, asked, answered, released, held, refused.
 *
 * There is one log, the audit log; this reads it. Events that nobody has to know of (clean scans, readings, learnings)
 * are left out, and the same again is one entry with a count. Nothing a stranger wrote is in a command to be copied. */
#ifndef TOAD_APP_LOG_H
#define TOAD_APP_LOG_H

#include "app/host/host.h"

#define TOAD__LOG_ENTRIES 200 /* where no limit is given */

typedef struct toad__log_in {
    const char *since; /* as times.h reads it; NULL: since midnight by the clock of this machine */
    uint64_t limit;    /* entries, the newest, 2000 at most; 0: TOAD__LOG_ENTRIES */
} toad__log_in;

/* Newest last. Answer: {"since","entries":[{"at","first_at","times","what","from","why","id","session_id","look"}],
 * "counts":{"blocked":3,...},"more"}; `look` is the command that shows more, `more` says that older ones are left out.
 * A model is told no ids of what is blocked. Errors: TOAD_E_ARG (a time that is none). */
toad_status toad__log(toad__host *host, const toad__log_in *in, toad__answer *answer);
/* The entries of the events behind `*after`, which becomes the seq of the last one read; nothing is folded. */
toad_status toad__log_news(toad__host *host, int64_t *after, toad__answer *answer);
/* Only the member "counts" of what happened since midnight. */
toad_status toad__log_counts(toad__host *host, toad__answer *answer);

#endif
