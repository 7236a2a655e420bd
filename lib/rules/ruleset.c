/* ruleset.c - reading a compiled table: rules by number and by id. All of it is constant time but the look-up, which is
 * a binary search. */
#include "lib/base/str.h"
#include "lib/rules/table.h"
#include "lib/rules/user.h"

#include <stdlib.h>

void toad__ruleset_free(toad__ruleset *set) { free(set); }

size_t toad__ruleset_count(const toad__ruleset *set) { return set->n_rules; }

toad_str toad__ruleset_bytes(const toad__ruleset *set) { return toad__str(set, set->size); }

static const toad__table_rule *row_of(const toad__ruleset *set, size_t i) {
    const toad__table_rule *rules = toad__table_at(set, set->rules);
    return &rules[i];
}

void toad__ruleset_rule(const toad__ruleset *set, size_t i, toad__rule *ret) {
    const toad__table_rule *r = row_of(set, i);
    *ret = (toad__rule){
        .id = toad__table_at(set, r->id),
        .title = toad__table_at(set, r->title),
        .family = toad__table_at(set, r->family),
        .why = toad__table_at(set, r->why),
        .lang = toad__table_at(set, r->lang),
        .mapping = toad__table_at(set, r->mapping),
        .gate = toad__table_at(set, r->gate),
        .verify = toad__table_at(set, r->verify),
        .severity = (toad_severity)r->severity,
        .hidden_severity = (toad_severity)r->hidden_severity,
        .tools_severity = (toad_severity)r->tools_severity,
        .scope = (toad_scope)r->scope,
        .skeleton = r->skeleton,
        .not_in_memory = r->not_in_memory,
        .low_in_instructions = r->low_in_instructions,
    };
}

static int compare(toad_str a, toad_str b) {
    size_t n = a.n < b.n ? a.n : b.n;
    int order = n ? memcmp(a.p, b.p, n) : 0;
    return order ? order : (a.n > b.n) - (a.n < b.n);
}

size_t toad__ruleset_find(const toad__ruleset *set, toad_str id) {
    const uint32_t *by_id = toad__table_at(set, set->by_id);
    size_t low = 0, high = set->n_rules;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        int order = compare(toad__str_z(toad__table_at(set, row_of(set, by_id[mid])->id)), id);
        if (!order) return by_id[mid];
        if (order < 0)
            low = mid + 1;
        else
            high = mid;
    }
    return SIZE_MAX;
}
