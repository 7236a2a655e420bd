/* browse.c - the accessors of bezoar/rules.h. Apart from api.c because they need the catalogue, and rulec, which makes it, does not have it yet. */
#include "bezoar/rules.h"
#include "lib/rules/user.h"

static const bzr__ruleset *set_of(const bzr_rules *rules) { return rules ? bzr__rules_set(rules) : bzr__catalogue(); }

size_t bzr_rules_count(const bzr_rules *rules) { return bzr__ruleset_count(set_of(rules)); }

bzr_status bzr_rules_get(const bzr_rules *rules, size_t i, bzr_rule *ret) {
    bzr__rule r;
    if (i >= bzr_rules_count(rules)) return BZR_E_NOT_FOUND;
    bzr__ruleset_rule(set_of(rules), i, &r);
    *ret = (bzr_rule){ r.id, r.title, r.family, r.why, r.lang, r.mapping, r.severity, r.hidden_severity, r.scope, !r.gate[0] };
    return BZR_OK;
}

bzr_status bzr_rules_find(const bzr_rules *rules, bzr_str id, bzr_rule *ret) {
    return bzr_rules_get(rules, bzr__ruleset_find(set_of(rules), id), ret);
}

const char *bzr_catalogue_version(void) { return bzr__catalogue_version(); }
