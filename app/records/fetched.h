/* fetched.h - what a model is told of a stored content: the reference it gets in place of the text, and the text when
 * it asks.
 *
 * Three styles: Bezoar's own, with the body in an envelope that nothing in it can close; and, for drop-in use, those of
 * seed 004 and of nanofolks, which have no envelope. There a body that could pass for the words around it has "| "
 * before each line. URLs are content too: one line, neutralized, without the characters that the reference is built of.
 * Pure functions. */
#ifndef BZR_APP_FETCHED_H
#define BZR_APP_FETCHED_H

#include "bezoar/wrap.h"
#include "lib/base/buf.h"

typedef enum bzr__fetched_style { BZR__FETCHED_BEZOAR, BZR__FETCHED_SEED, BZR__FETCHED_NANOFOLKS } bzr__fetched_style;

typedef struct bzr__fetched {
    bzr_str id, url, title; /* title: empty, or as the content has it */
    bzr_str action, confidence; /* ours: allow, warn, block; low, medium, high */
    bzr_str accessed;           /* RFC 3339 */
    bzr_str patterns;           /* ids of rules, separated by ", " */
    bzr_str body;
    size_t start, max; /* bytes of the text as it is read; max 0: all that follows */
} bzr__fetched;

/* What of the text was given: [start, end) of `total` bytes. */
typedef struct bzr__fetched_part {
    size_t start, end, total;
} bzr__fetched_part;

/* Append the reference: `[Content from URL | ID: ID | Scan: allow]` and, in Bezoar's own style, the title and how to
 * read it; for blocked content, why there is no id. Errors: BZR_E_NOMEM, BZR_E_LIMIT. */
bzr_status bzr__fetched_reference(const bzr__fetched *f, bzr__fetched_style style, bzr__buf *out);
/* Append head, warning where there is reason for one, body and note. `envelope` is of Bezoar's own style. The text is
 * the body sanitized and neutralized, so that its parts are those of one text whatever their size; `f->start` goes back
 * to where the text may be cut (paging.h). Of a part the head tells where the next begins; behind the end there is a
 * head and no body. `ret_part` may be NULL. Errors: those of bzr_wrap. */
bzr_status bzr__fetched_reading(const bzr__fetched *f, bzr__fetched_style style, bzr_envelope envelope, bzr__buf *out,
                                bzr__fetched_part *ret_part);
/* Append what a model is told of an id that nothing is stored under. */
void bzr__fetched_missing(bzr_str id, bzr__buf *out);

#endif
