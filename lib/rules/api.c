/* api.c - the public rules handle (toadstone/rules.h): a compiled table with a lifetime. */
#include "lib/base/limits.h"
#include "lib/base/options.h"
#include "lib/base/str.h"
#include "lib/rules/user.h"
#include "toadstone/rules.h"

#include <stdio.h>
#include <stdlib.h>

struct toad_rules {
    toad__ruleset *set;
};

static toad__rule_def def_of(const toad_rule_def *d) {
    return (toad__rule_def){
        .id = d->id,
        .title = d->title,
        .family = d->family,
        .why = d->why,
        .severity = d->severity,
        .hidden_severity = d->hidden_severity,
        .scope = d->scope,
        .skeleton = d->skeleton,
        .gate = d->gate,
        .verify = d->verify,
        .lang = d->lang,
        .mapping = d->mapping,
        .patterns = d->patterns,
        .n_patterns = d->patterns_n,
    };
}

TOAD__SIZED(toad_rule_def, patterns_n);

static bool is_valid(const toad_rule_def *d) {
    if ((unsigned)d->severity > TOAD_HIGH || (unsigned)d->hidden_severity > TOAD_HIGH ||
        (unsigned)d->scope > TOAD_STRICT || (d->patterns_n && !d->patterns))
        return false;
    for (size_t i = 0; i < d->patterns_n; i++)
        if (!d->patterns[i]) return false;
    return true;
}

static void explain(char *message, size_t n, const toad__rule_def *defs, const toad__rule_error *err) {
    const char *id = defs[err->rule].id;
    if (message && n)
        snprintf(message, n, "rule %zu (%.64s), pattern %zu, byte %zu: %s", err->rule + 1, id ? id : "no id",
                 err->pattern + 1, err->at, err->message);
}

toad_status toad__rules_adopt(toad__ruleset *set, toad_rules **ret) {
    toad_rules *rules = malloc(sizeof *rules);
    if (!rules) {
        toad__ruleset_free(set);
        return TOAD_E_NOMEM;
    }
    rules->set = set;
    *ret = rules;
    return TOAD_OK;
}

toad_status toad_rules_new(const toad_rule_def *defs, size_t n, toad_rules **ret, char *message, size_t message_n) {
    if (!ret || (n && !defs)) return TOAD_E_ARG;
    if (n > TOAD__LIMIT_RULES) return TOAD_E_LIMIT;
    toad__rule_def *inner = calloc(n ? n : 1, sizeof *inner);
    toad_status status = inner ? TOAD_OK : TOAD_E_NOMEM;
    for (size_t i = 0; i < n && !status; i++) { /* the caller's structs stand as far apart as his compiler put them */
        toad_rule_def def = { .size = sizeof def };
        const char *at = (const char *)defs + i * defs->size;
        if (((const toad_rule_def *)(const void *)at)->size != defs->size ||
            !toad__options_take(&def, sizeof def, at) || !is_valid(&def))
            status = TOAD_E_ARG;
        else
            inner[i] = def_of(&def);
    }
    toad__rule_error err;
    toad__ruleset *set;
    if (!status) {
        status = toad__ruleset_compile(inner, n, &set, &err);
        if (status == TOAD_E_RULE) explain(message, message_n, inner, &err);
    }
    free(inner);
    return status ? status : toad__rules_adopt(set, ret);
}

void toad_rules_free(toad_rules *rules) {
    if (!rules) return;
    toad__ruleset_free(rules->set);
    free(rules);
}

const toad__ruleset *toad__rules_set(const toad_rules *rules) { return rules->set; }

toad_status toad__rules_copy(const toad_rules *rules, const toad__ruleset **ret) {
    toad_str bytes = toad__ruleset_bytes(rules->set);
    void *copy = malloc(bytes.n);
    if (!copy) return TOAD_E_NOMEM;
    *ret = memcpy(copy, bytes.p, bytes.n);
    return TOAD_OK;
}

void toad__rules_copy_free(const toad__ruleset *copy) { free((void *)(uintptr_t)copy); }
