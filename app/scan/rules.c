/* rules.c - one sorted list out of three sources of findings. Gate rules, which report nothing of their own, are left
 * out. */
#include "app/scan/rules.h"
#include "lib/base/str.h"
#include "lib/rules/user.h"
#include "lib/scan/scanner.h"

#include <stdlib.h>

static int by_id(const void *a, const void *b) {
    const bzr__rule_row *x = a, *y = b;
    return strcmp(x->rule.id, y->rule.id);
}

static void add_set(bzr__rule_list *list, const bzr__ruleset *set, const bzr__ruleset *over, const char *origin) {
    for (size_t i = 0, n = set ? bzr__ruleset_count(set) : 0; i < n; i++) {
        bzr__rule_row row = { .origin = origin };
        bzr__ruleset_rule(set, i, &row.rule);
        if (over && bzr__ruleset_find(over, bzr__str_z(row.rule.id)) != SIZE_MAX) continue;
        if (!*row.rule.gate) list->rows[list->n++] = row;
    }
}

/* Some ids are found both by a rule and by code. */
static void add_builtins(bzr__rule_list *list) {
    for (const bzr__builtin *b = bzr__builtins; b->id; b++) {
        if (bzr__ruleset_find(bzr__catalogue(), bzr__str_z(b->id)) != SIZE_MAX) continue;
        bzr__rule rule = {
            b->id, b->why, b->family, b->why, "", "", "", "", b->severity, BZR_NONE, BZR_RELAXED, false
        };
        list->rows[list->n++] = (bzr__rule_row){ rule, "code" };
    }
}

bzr_status bzr__rule_list_new(const bzr_rules *rules, bzr__rule_list **ret) {
    size_t most = bzr__ruleset_count(bzr__catalogue());
    bzr__rule_list *list = calloc(1, sizeof *list);
    if (!list) return BZR_E_NOMEM;
    bzr_status status = rules ? bzr__rules_copy(rules, &list->user) : BZR_OK;
    if (!status && list->user) most += bzr__ruleset_count(list->user);
    for (const bzr__builtin *b = bzr__builtins; b->id; b++) most++;
    if (!status && !(list->rows = calloc(most, sizeof *list->rows))) status = BZR_E_NOMEM;
    if (status) {
        bzr__rule_list_free(list);
        return status;
    }
    add_set(list, bzr__catalogue(), list->user, "catalogue");
    add_set(list, list->user, NULL, "user");
    add_builtins(list);
    qsort(list->rows, list->n, sizeof *list->rows, by_id);
    *ret = list;
    return BZR_OK;
}

void bzr__rule_list_free(bzr__rule_list *list) {
    if (!list) return;
    bzr__rules_copy_free(list->user);
    free(list->rows);
    free(list);
}

size_t bzr__rule_list_find(const bzr__rule_list *list, const char *id) {
    bzr__rule_row key = { .rule.id = id };
    const bzr__rule_row *hit = list->n ? bsearch(&key, list->rows, list->n, sizeof key, by_id) : NULL;
    return hit ? (size_t)(hit - list->rows) : SIZE_MAX;
}

size_t bzr__rule_rank(const char *id) { return bzr__ruleset_find(bzr__catalogue(), bzr__str_z(id)); }
