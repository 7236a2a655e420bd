/* question.h - one question to the user, as it is shown: what would run, why it is asked about, where it comes from,
 * what can be answered, and what the contents behind it say.
 *
 * Written from what the question binds: no word of it is the model's. Its first two lines are the call and its source,
 * since some clients show no more; what came from a content stands between marks. */
#ifndef TOAD_APP_QUESTION_H
#define TOAD_APP_QUESTION_H

#include "app/host/host.h"

typedef struct toad__question {
    toad__host *host;
    toad__arena arena;
    toad__confirmation kept;
    const toad__json *arguments, *reasons;
    toad__buf text, notes; /* the dialog; what its reader should know besides, a line each */
    toad__answer *answer;  /* it grows with the dialog */
} toad__question;

/* Read the question from the store; free it whatever comes of it. */
toad_status toad__question_load(toad__host *host, toad_str id, toad__answer *answer, toad__question *q);
void toad__question_free(toad__question *q);

typedef toad_status (*toad__question_fn)(toad__question *q, toad_str content_id, void *ctx);
toad_status toad__question_each(toad__question *q, toad__question_fn fn, void *ctx);

typedef struct toad__question_always {
    toad_str entry;  /* what an "always" would cover */
    const char *why; /* why there is none; NULL: there is */
} toad__question_always;
toad_status toad__question_always_of(toad__question *q, toad__question_always *ret);

/* What every list tells of a question. */
void toad__question_head(toad__answer *b, const toad__confirmation *q, int64_t now);
/* Dialog and answer. A model learns what would run, and neither why nor where it comes from. */
toad_status toad__question_show(toad__question *q);
/* What the contents behind the question say, escaped, each line behind a bar. In a form, which is the client's: the
 * first contents, head and tail of each, and nothing of what a model may not read. */
toad_status toad__question_contents(toad__question *q, bool in_form);

#endif
