/* engine.c - the immutable half of a scan: rule sets, read once, shared by every thread. */
#include "lib/base/str.h"
#include "lib/rules/user.h"
#include "lib/scan/scanner.h"

#include <stdlib.h>

static bool read_rules(toad_engine *e, unsigned set) {
    size_t n = toad__ruleset_count(e->sets[set]);
    e->rules[set] = calloc(n ? n : 1, sizeof **e->rules);
    if (!e->rules[set]) return false;
    e->counts[set] = n;
    for (size_t i = 0; i < n; i++) toad__ruleset_rule(e->sets[set], i, &e->rules[set][i]);
    return true;
}

/* A rule of strict scope is looked for in strict scans only, one of severity none only where text stands hidden or
 * encoded; gates always. */
static bool choose_rules(toad_engine *e, unsigned set) {
    for (unsigned k = 0; k < 4; k++) {
        size_t n = e->counts[set];
        bool *wanted = e->wanted[set][k] = calloc(n ? n : 1, sizeof *wanted);
        if (!wanted) return false;
        for (size_t i = 0; i < n; i++) {
            const toad__rule *r = &e->rules[set][i];
            wanted[i] = (k & 1 || r->scope != TOAD_STRICT) && (k & 2 || r->severity != TOAD_NONE || r->gate[0]);
        }
    }
    return true;
}

/* A user rule of the same id stands in for the built-in one. */
static void mark_replaced(toad_engine *e) {
    for (size_t i = 0; i < e->counts[TOAD__SET_USER]; i++) {
        size_t at = toad__ruleset_find(e->sets[TOAD__SET_BUILTIN], toad__str_z(e->rules[TOAD__SET_USER][i].id));
        if (at != SIZE_MAX) e->replaced[at] = true;
    }
}

toad_status toad_engine_new(const toad_rules *rules, toad_engine **ret) {
    toad_engine *e = calloc(1, sizeof *e);
    if (!e) return TOAD_E_NOMEM;
    toad_status status = TOAD_OK;
    e->sets[TOAD__SET_BUILTIN] = toad__catalogue();
    if (rules) status = toad__rules_copy(rules, &e->sets[TOAD__SET_USER]);
    for (unsigned set = 0; set < TOAD__SETS && !status; set++)
        if (e->sets[set] && (!read_rules(e, set) || !choose_rules(e, set))) status = TOAD_E_NOMEM;
    if (!status) {
        size_t n = e->counts[TOAD__SET_BUILTIN];
        e->replaced = calloc(n ? n : 1, sizeof *e->replaced);
        if (!e->replaced) status = TOAD_E_NOMEM;
        e->has_model = toad__model_read_builtin(&e->model) == TOAD_OK;
    }
    if (status) {
        toad_engine_free(e);
        return status;
    }
    mark_replaced(e);
    *ret = e;
    return TOAD_OK;
}

toad_status toad_engine_use_model(toad_engine *e, toad_str weights) {
    if (!e || (!weights.p && weights.n)) return TOAD_E_ARG;
    char *copy = NULL;
    toad__model model = { .gates = NULL };
    if (weights.n) {
        if (!(copy = malloc(weights.n))) return TOAD_E_NOMEM;
        memcpy(copy, weights.p, weights.n);
        toad_status status = toad__model_read(toad__str(copy, weights.n), &model);
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
    return TOAD_OK;
}

void toad_engine_free(toad_engine *e) {
    if (!e) return;
    toad__rules_copy_free(e->sets[TOAD__SET_USER]);
    for (unsigned set = 0; set < TOAD__SETS; set++) {
        free(e->rules[set]);
        for (unsigned k = 0; k < 4; k++) free(e->wanted[set][k]);
    }
    free(e->replaced);
    free(e->weights);
    free(e);
}
