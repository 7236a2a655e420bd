/* verdict.h - what the product's own parts share of the verdict: its findings as JSON, without the rest. */
#ifndef TOAD_VERDICT_VERDICT_H
#define TOAD_VERDICT_VERDICT_H

#include "lib/base/buf.h"
#include "toadstone/scan.h"

/* Append the findings as toad_verdict_json has them: an array. */
void toad__verdict_findings(const toad_verdict *v, toad__buf *out);

#endif
