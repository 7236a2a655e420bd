/* passage.h - the passages of a text that order something: where the scanner has found something medium or high, or
 * the learned model has noted something.
 *
 * A finding is a few words; who acts on it acts on what stands around it. So findings near one another are one passage,
 * which reaches back to the start of its sentence and on for a line or two, but never out of the field of the record
 * (quoted string, "key:" line) it stands in. Linear in the text between the findings. */
#ifndef TOAD_APP_PASSAGE_H
#define TOAD_APP_PASSAGE_H

#include "lib/base/arena.h"
#include "toadstone/scan.h"

typedef struct toad__passages {
    const toad_span *at; /* in the original bytes, in order, apart from each other */
    size_t n;
} toad__passages;

/* Errors: TOAD_E_NOMEM. The spans are the arena's. */
toad_status toad__passages_of(const toad_verdict *verdict, toad_str text, toad__arena *arena, toad__passages *ret);

#endif
