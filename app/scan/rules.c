/* rules.c - one sorted list out of three sources of findings. Gate rules, which report nothing of their own, are left
 * out. */
#include "app/scan/rules.h"
#include "lib/base/str.h"
#include "lib/rules/user.h"
#include "lib/scan/scanner.h"

#include <stdlib.h>

static int by_id(const void *a, const void *b) {
    const toad__rule_row *x = a, *y = b;
    return strcmp(x->rule.id, y->rule.id);
}

static void add_set(toad__rule_list *list, const toad__ruleset *set, const toad__ruleset *over, const char *origin) {
    for (size_t i = 0, n = set ? toad__ruleset_count(set) : 0; i < n; i++) {
        toad__rule_row row = { .origin = origin };
        toad__ruleset_rule(set, i, &row.rule);
        if (over && toad__ruleset_find(over, toad__str_z(row.rule.id)) != SIZE_MAX) continue;
        if (!*row.rule.gate) list->rows[list->n++] = row;
    }
}

/* Some ids are found both by a rule and by code. */
static void add_builtins(toad__rule_list *list) {
    for (const toad__builtin *b = toad__builtins; b->id; b++) {
        if (toad__ruleset_find(toad__catalogue(), toad__str_z(b->id)) != SIZE_MAX) continue;
        toad__rule rule = { b->id,       b->why,    b->family, b->why,       "",    "",    "",   "",
                            b->severity, TOAD_NONE, TOAD_NONE, TOAD_RELAXED, false, false, false };
        list->rows[list->n++] = (toad__rule_row){ rule, "code" };
    }
}

toad_status toad__rule_list_new(const toad_rules *rules, toad__rule_list **ret) {
    size_t most = toad__ruleset_count(toad__catalogue());
    toad__rule_list *list = calloc(1, sizeof *list);
    if (!list) return TOAD_E_NOMEM;
    toad_status status = rules ? toad__rules_copy(rules, &list->user) : TOAD_OK;
    if (!status && list->user) most += toad__ruleset_count(list->user);
    for (const toad__builtin *b = toad__builtins; b->id; b++) most++;
    if (!status && !(list->rows = calloc(most, sizeof *list->rows))) status = TOAD_E_NOMEM;
    if (status) {
        toad__rule_list_free(list);
        return status;
    }
    add_set(list, toad__catalogue(), list->user, "catalogue");
    add_set(list, list->user, NULL, "user");
    add_builtins(list);
    qsort(list->rows, list->n, sizeof *list->rows, by_id);
    *ret = list;
    return TOAD_OK;
}

void toad__rule_list_free(toad__rule_list *list) {
    if (!list) return;
    toad__rules_copy_free(list->user);
    free(list->rows);
    free(list);
}

size_t toad__rule_list_find(const toad__rule_list *list, const char *id) {
    toad__rule_row key = { .rule.id = id };
    const toad__rule_row *hit = list->n ? bsearch(&key, list->rows, list->n, sizeof key, by_id) : NULL;
    return hit ? (size_t)(hit - list->rows) : SIZE_MAX;
}

size_t toad__rule_rank(const char *id) { return toad__ruleset_find(toad__catalogue(), toad__str_z(id)); }
