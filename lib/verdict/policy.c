/* policy.c - see policy.h. Memory is read in every later session, so what is doubtful does not get in. */
#include "lib/verdict/policy.h"

#include <assert.h>

static const toad_policy usual = { TOAD_ALLOW, TOAD_ALLOW, TOAD_WARN, TOAD_BLOCK, TOAD_WARN };
static const toad_policy memory = { TOAD_ALLOW, TOAD_BLOCK, TOAD_BLOCK, TOAD_BLOCK, TOAD_BLOCK };

toad_policy toad_policy_for(toad_kind kind) { return kind == TOAD_KIND_MEMORY ? memory : usual; }

toad_action toad__policy_action(const toad_policy *policy, toad_severity severity, toad_completeness completeness) {
    const toad_action by_severity[] = { policy->none, policy->low, policy->medium, policy->high };
    assert((unsigned)severity <= TOAD_HIGH);
    toad_action action = by_severity[severity];
    return completeness != TOAD_FULL && policy->incomplete > action ? policy->incomplete : action;
}

toad_action toad__usual_action(toad_severity severity, toad_completeness completeness) {
    return toad__policy_action(&usual, severity, completeness);
}
