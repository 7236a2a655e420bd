/* engine.c - the immutable half of a scan: rule sets, read once, shared by every thread. */
#include "lib/base/options.h"
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

/* `weights` of no bytes that is not NULL: no model. */
static toad_status take_model(toad_engine *e, toad_str weights) {
    if (!weights.p) {
        e->has_model = toad__model_read_builtin(&e->model) == TOAD_OK;
        return TOAD_OK;
    }
    if (!weights.n) return TOAD_OK;
    if (!(e->weights = malloc(weights.n))) return TOAD_E_NOMEM;
    memcpy(e->weights, weights.p, weights.n);
    e->weights_n = weights.n;
    e->has_model = true;
    return toad__model_read(toad__str(e->weights, e->weights_n), &e->model);
}

TOAD__SIZED(toad_engine_options, weights);

toad_status toad_engine_new(const toad_engine_options *options, toad_engine **ret) {
    toad_engine_options o = TOAD_ENGINE_OPTIONS_INIT;
    if (!ret || !toad__options_take(&o, sizeof o, options) || (!o.weights.p && o.weights.n)) return TOAD_E_ARG;
    toad_engine *e = calloc(1, sizeof *e);
    if (!e) return TOAD_E_NOMEM;
    e->sets[TOAD__SET_BUILTIN] = toad__catalogue();
    toad_status status = o.rules ? toad__rules_copy(o.rules, &e->sets[TOAD__SET_USER]) : TOAD_OK;
    if (status) goto out;
    for (unsigned set = 0; set < TOAD__SETS; set++)
        if (e->sets[set] && (!read_rules(e, set) || !choose_rules(e, set))) status = TOAD_E_NOMEM;
    if (status) goto out;
    size_t n = e->counts[TOAD__SET_BUILTIN];
    status = TOAD_E_NOMEM;
    if (!(e->replaced = calloc(n ? n : 1, sizeof *e->replaced))) goto out;
    mark_replaced(e);
    status = take_model(e, o.weights);
out:
    if (status)
        toad_engine_free(e);
    else
        *ret = e;
    return status;
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
