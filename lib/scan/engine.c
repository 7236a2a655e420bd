/* engine.c - the immutable half of a scan: rule sets, read once, shared by every thread. */
#include "lib/base/str.h"
#include "lib/rules/user.h"
#include "lib/scan/scanner.h"

#include <stdlib.h>

static bool read_rules(bzr_engine *e, unsigned set) {
    size_t n = bzr__ruleset_count(e->sets[set]);
    e->rules[set] = calloc(n ? n : 1, sizeof **e->rules);
    if (!e->rules[set]) return false;
    e->counts[set] = n;
    for (size_t i = 0; i < n; i++) bzr__ruleset_rule(e->sets[set], i, &e->rules[set][i]);
    return true;
}

/* A rule of strict scope is looked for in strict scans only, one of severity none only where text stands hidden or encoded; gates always. */
static bool choose_rules(bzr_engine *e, unsigned set) {
    for (unsigned k = 0; k < 4; k++) {
        size_t n = e->counts[set];
        bool *wanted = e->wanted[set][k] = calloc(n ? n : 1, sizeof *wanted);
        if (!wanted) return false;
        for (size_t i = 0; i < n; i++) {
            const bzr__rule *r = &e->rules[set][i];
            wanted[i] = (k & 1 || r->scope != BZR_STRICT) && (k & 2 || r->severity != BZR_NONE || r->gate[0]);
        }
    }
    return true;
}

/* A user rule of the same id stands in for the built-in one. */
static void mark_replaced(bzr_engine *e) {
    for (size_t i = 0; i < e->counts[BZR__SET_USER]; i++) {
        size_t at = bzr__ruleset_find(e->sets[BZR__SET_BUILTIN], bzr__str_z(e->rules[BZR__SET_USER][i].id));
        if (at != SIZE_MAX) e->replaced[at] = true;
    }
}

bzr_status bzr_engine_new(const bzr_rules *rules, bzr_engine **ret) {
    bzr_engine *e = calloc(1, sizeof *e);
    if (!e) return BZR_E_NOMEM;
    bzr_status status = BZR_OK;
    e->sets[BZR__SET_BUILTIN] = bzr__catalogue();
    if (rules) status = bzr__rules_copy(rules, &e->sets[BZR__SET_USER]);
    for (unsigned set = 0; set < BZR__SETS && !status; set++)
        if (e->sets[set] && (!read_rules(e, set) || !choose_rules(e, set))) status = BZR_E_NOMEM;
    if (!status) {
        size_t n = e->counts[BZR__SET_BUILTIN];
        e->replaced = calloc(n ? n : 1, sizeof *e->replaced);
        if (!e->replaced) status = BZR_E_NOMEM;
        e->has_model = bzr__model_read_builtin(&e->model) == BZR_OK;
    }
    if (status) {
        bzr_engine_free(e);
        return status;
    }
    mark_replaced(e);
    *ret = e;
    return BZR_OK;
}

bzr_status bzr_engine_use_model(bzr_engine *e, bzr_str weights) {
    if (!e || (!weights.p && weights.n)) return BZR_E_ARG;
    char *copy = NULL;
    bzr__model model = { .gates = NULL };
    if (weights.n) {
        if (!(copy = malloc(weights.n))) return BZR_E_NOMEM;
        memcpy(copy, weights.p, weights.n);
        bzr_status status = bzr__model_read(bzr__str(copy, weights.n), &model);
        if (status) {
            free(copy);
            return status;
        }
    }
    free(e->weights);
    e->weights = copy;
    e->weights_n = weights.n;
    e->model = model;
    e->has_model = weights.n > 0;
    return BZR_OK;
}

void bzr_engine_free(bzr_engine *e) {
    if (!e) return;
    bzr__rules_copy_free(e->sets[BZR__SET_USER]);
    for (unsigned set = 0; set < BZR__SETS; set++) {
        free(e->rules[set]);
        for (unsigned k = 0; k < 4; k++) free(e->wanted[set][k]);
    }
    free(e->replaced);
    free(e->weights);
    free(e);
}
