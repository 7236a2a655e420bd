/* verdict.h - the verdict as JSON, for the product's own parts: all of it, its findings alone, or with what a surface
 * knows better than the text does. */
#ifndef TOAD_VERDICT_VERDICT_H
#define TOAD_VERDICT_VERDICT_H

#include "lib/base/buf.h"
#include "toadstone/scan.h"

/* A verdict weighed once more, as that of a file in a repository is. */
typedef struct toad__weighed {
    toad_action action;
    toad_severity severity;
    const void *ctx;
    /* The severity that finding `i` has there; false: it is left out. */
    bool (*finding)(const void *ctx, size_t i, toad_severity *ret);
    /* Append further members of the finding, each with a comma before it. */
    void (*members)(const void *ctx, size_t i, toad__buf *b);
} toad__weighed;

/* Append the findings as toad_verdict_json has them: an array. `weighed` may be NULL. */
void toad__verdict_findings(const toad_verdict *v, const toad__weighed *weighed, toad__buf *out);
/* Append the members of the object that toad_verdict_json makes, without its braces. `weighed` may be NULL. */
void toad__verdict_members(const toad_verdict *v, const toad__weighed *weighed, toad__buf *out);

#endif
