/* browse.c - the accessors of toadstone/rules.h. Apart from api.c because they need the catalogue, and rulec, which
 * makes it, does not have it yet. */
#include "lib/rules/user.h"
#include "toadstone/rules.h"

static const toad__ruleset *set_of(const toad_rules *rules) {
    return rules ? toad__rules_set(rules) : toad__catalogue();
}

size_t toad_rules_count(const toad_rules *rules) { return toad__ruleset_count(set_of(rules)); }

toad_status toad_rules_get(const toad_rules *rules, size_t i, toad_rule *ret) {
    toad__rule r;
    if (!ret) return TOAD_E_ARG;
    if (i >= toad_rules_count(rules)) return TOAD_E_NOT_FOUND;
    toad__ruleset_rule(set_of(rules), i, &r);
    *ret = (toad_rule){ r.id,      r.title,    r.family,          r.why,   r.lang,
                        r.mapping, r.severity, r.hidden_severity, r.scope, !r.gate[0] };
    return TOAD_OK;
}

toad_status toad_rules_find(const toad_rules *rules, toad_str id, toad_rule *ret) {
    return toad_rules_get(rules, toad__ruleset_find(set_of(rules), id), ret);
}

const char *toad_catalogue_version(void) { return toad__catalogue_version(); }
