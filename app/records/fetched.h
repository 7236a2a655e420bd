/* fetched.h - what a model is told of a stored content: the reference it gets in place of the text, and the text when
 * it asks.
 *
 * Three styles: Toadstone's own, with the body in an envelope that nothing in it can close; and, for drop-in use, those
 * of nanofolks as designed (SEED) and as built, which have no envelope. There a body that could pass for the words
 * around it has "| " before each line. URLs are content too: one line, neutralized, without the characters that the
 * reference is built of. Pure functions. */
#ifndef TOAD_APP_FETCHED_H
#define TOAD_APP_FETCHED_H

#include "lib/base/buf.h"
#include "toadstone/wrap.h"

typedef enum toad__fetched_style {
    TOAD__FETCHED_TOADSTONE,
    TOAD__FETCHED_SEED,
    TOAD__FETCHED_NANOFOLKS
} toad__fetched_style;

typedef struct toad__fetched {
    toad_str id, url, title;     /* title: empty, or as the content has it */
    toad_str action, confidence; /* ours: allow, warn, block; low, medium, high */
    toad_str accessed;           /* RFC 3339 */
    toad_str patterns;           /* ids of rules, separated by ", " */
    toad_str body;
    size_t start, max; /* bytes of the text as it is read; max 0: all that follows */
} toad__fetched;

/* What of the text was given: [start, end) of `total` bytes. */
typedef struct toad__fetched_part {
    size_t start, end, total;
} toad__fetched_part;

/* Append the reference: `[Content from URL | ID: ID | Scan: allow]` and, in Toadstone's own style, the title and how to
 * read it; for blocked content, why there is no id. Errors: TOAD_E_NOMEM, TOAD_E_LIMIT. */
toad_status toad__fetched_reference(const toad__fetched *f, toad__fetched_style style, toad__buf *out);
/* Append head, warning where there is reason for one, body and note. `envelope` is of Toadstone's own style. The text
 * is the body sanitized and neutralized, so that its parts are those of one text whatever their size; `f->start` goes
 * back to where the text may be cut (paging.h). Of a part the head tells where the next begins; behind the end there is
 * a head and no body. `ret_part` may be NULL. Errors: those of toad_wrap. */
toad_status toad__fetched_reading(const toad__fetched *f, toad__fetched_style style, toad_envelope envelope,
                                  toad__buf *out, toad__fetched_part *ret_part);
/* Append what a model is told of an id that nothing is stored under. */
void toad__fetched_missing(toad_str id, toad__buf *out);

#endif
