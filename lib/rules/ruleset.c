/* ruleset.c - reading a compiled table: rules by number and by id. All of it is constant time but the look-up, which is a binary search. */
#include "lib/base/str.h"
#include "lib/rules/table.h"
#include "lib/rules/user.h"

#include <stdlib.h>

void bzr__ruleset_free(bzr__ruleset *set) { free(set); }

size_t bzr__ruleset_count(const bzr__ruleset *set) { return set->n_rules; }

bzr_str bzr__ruleset_bytes(const bzr__ruleset *set) { return bzr__str(set, set->size); }

static const bzr__table_rule *row_of(const bzr__ruleset *set, size_t i) {
    const bzr__table_rule *rules = bzr__table_at(set, set->rules);
    return &rules[i];
}

void bzr__ruleset_rule(const bzr__ruleset *set, size_t i, bzr__rule *ret) {
    const bzr__table_rule *r = row_of(set, i);
    *ret = (bzr__rule){
        .id = bzr__table_at(set, r->id), .title = bzr__table_at(set, r->title), .family = bzr__table_at(set, r->family),
        .why = bzr__table_at(set, r->why), .lang = bzr__table_at(set, r->lang), .mapping = bzr__table_at(set, r->mapping),
        .gate = bzr__table_at(set, r->gate), .verify = bzr__table_at(set, r->verify),
        .severity = (bzr_severity)r->severity, .hidden_severity = (bzr_severity)r->hidden_severity,
        .scope = (bzr_scope)r->scope, .skeleton = r->skeleton,
    };
}

static int compare(bzr_str a, bzr_str b) {
    size_t n = a.n < b.n ? a.n : b.n;
    int order = n ? memcmp(a.p, b.p, n) : 0;
    return order ? order : (a.n > b.n) - (a.n < b.n);
}

size_t bzr__ruleset_find(const bzr__ruleset *set, bzr_str id) {
    const uint32_t *by_id = bzr__table_at(set, set->by_id);
    size_t low = 0, high = set->n_rules;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        int order = compare(bzr__str_z(bzr__table_at(set, row_of(set, by_id[mid])->id)), id);
        if (!order) return by_id[mid];
        if (order < 0) low = mid + 1;
        else high = mid;
    }
    return SIZE_MAX;
}
