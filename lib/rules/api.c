/* api.c - the public rules handle (bezoar/rules.h): a compiled table with a lifetime. */
#include "bezoar/rules.h"
#include "lib/base/limits.h"
#include "lib/base/str.h"
#include "lib/rules/user.h"

#include <stdio.h>
#include <stdlib.h>

struct bzr_rules {
    bzr__ruleset *set;
};

static bzr__rule_def def_of(const bzr_rule_def *d) {
    return (bzr__rule_def){
        .id = d->id, .title = d->title, .family = d->family, .why = d->why,
        .severity = d->severity, .hidden_severity = d->hidden_severity, .scope = d->scope, .skeleton = d->skeleton,
        .gate = d->gate, .verify = d->verify, .lang = d->lang, .mapping = d->mapping,
        .patterns = d->patterns, .n_patterns = d->patterns_n,
    };
}

static bool is_valid(const bzr_rule_def *d) {
    if (d->size != sizeof *d || (d->patterns_n && !d->patterns)) return false;
    for (size_t i = 0; i < d->patterns_n; i++)
        if (!d->patterns[i]) return false;
    return true;
}

static void explain(char *message, size_t n, const bzr_rule_def *defs, const bzr__rule_error *err) {
    const char *id = defs[err->rule].id;
    if (message && n) snprintf(message, n, "rule %zu (%.64s), pattern %zu, byte %zu: %s", err->rule + 1, id ? id : "no id", err->pattern + 1, err->at, err->message);
}

bzr_status bzr__rules_adopt(bzr__ruleset *set, bzr_rules **ret) {
    bzr_rules *rules = malloc(sizeof *rules);
    if (!rules) {
        bzr__ruleset_free(set);
        return BZR_E_NOMEM;
    }
    rules->set = set;
    *ret = rules;
    return BZR_OK;
}

bzr_status bzr_rules_new(const bzr_rule_def *defs, size_t n, bzr_rules **ret, char *message, size_t message_n) {
    if (n && !defs) return BZR_E_ARG;
    if (n > BZR__LIMIT_RULES) return BZR_E_LIMIT;
    bzr__rule_def *inner = calloc(n ? n : 1, sizeof *inner);
    bzr_status status = inner ? BZR_OK : BZR_E_NOMEM;
    for (size_t i = 0; i < n && !status; i++) {
        if (!is_valid(&defs[i])) status = BZR_E_ARG;
        else inner[i] = def_of(&defs[i]);
    }
    bzr__rule_error err;
    bzr__ruleset *set;
    if (!status) {
        status = bzr__ruleset_compile(inner, n, &set, &err);
        if (status == BZR_E_RULE) explain(message, message_n, defs, &err);
    }
    free(inner);
    return status ? status : bzr__rules_adopt(set, ret);
}

void bzr_rules_free(bzr_rules *rules) {
    if (!rules) return;
    bzr__ruleset_free(rules->set);
    free(rules);
}

const bzr__ruleset *bzr__rules_set(const bzr_rules *rules) { return rules->set; }

bzr_status bzr__rules_copy(const bzr_rules *rules, const bzr__ruleset **ret) {
    bzr_str bytes = bzr__ruleset_bytes(rules->set);
    void *copy = malloc(bytes.n);
    if (!copy) return BZR_E_NOMEM;
    *ret = memcpy(copy, bytes.p, bytes.n);
    return BZR_OK;
}

void bzr__rules_copy_free(const bzr__ruleset *copy) { free((void *)(uintptr_t)copy); }
