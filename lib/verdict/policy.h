/* policy.h - the one table from severity and completeness to action, and how it is read. */
#ifndef TOAD_VERDICT_POLICY_H
#define TOAD_VERDICT_POLICY_H

#include "toadstone/guard.h"

#include <string.h>

/* The action of the policy's row: by severity, and no looser than `incomplete` where the scan is not full. */
toad_action toad__policy_action(const toad_policy *policy, toad_severity severity, toad_completeness completeness);

/* The same of the row that holds for everything but memory: what is done where nobody chose anything. */
toad_action toad__usual_action(toad_severity severity, toad_completeness completeness);

/* The learned model's finding: it marks a passage, where a rule marks its words. */
static inline bool toad__is_guess(const toad_finding *f) { return !strcmp(f->family, "learned"); }

#endif
