/* compile.c - rule definitions to the flat table (table.h).
 *
 * Each pattern is parsed, numbered, and its literals found; its automaton is written at once, forward and backward,
 * with the bytes that it never tells apart folded into classes. Literals are collected over all patterns, sorted, and
 * the filter tables are laid out from them. Guards that are the same set of literals, as word lists are, share one
 * slot, so a common word is noted once however many rules ask for it. The result depends on the definitions alone: same
 * rules, same bytes. */
#include "lib/base/buf.h"
#include "lib/base/str.h"
#include "lib/rules/pattern.h"
#include "lib/rules/table.h"

#include <stdlib.h>

#define TABLE_MAX   ((size_t)256 << 20)
#define ARENA_MAX   ((size_t)64 << 20)
#define THREE_BYTES 24 /* where more may stand, the three next to a literal are not listed */

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
               "the table and the matcher are written for little-endian machines");

/* A literal, and what it does: trigger a pattern, or be noted in a slot. */
typedef struct use {
    toad__literal literal;
    bool trigger;
    toad__table_ref ref;
    uint32_t slot;
    uint32_t id; /* of the literal, once sorted */
} use;

typedef struct uses {
    use *at;
    size_t n, cap;
} uses;

typedef struct compiler {
    const toad__rule_def *defs;
    size_t n;
    toad__buf out;
    toad__ruleset head;
    toad__arena arena; /* of one pattern */
    toad__view fold;
    uses uses;          /* of one set */
    toad__buf guards;   /* of one set, by slot: its literals, each set behind a uint32_t count */
    toad__buf patterns; /* toad__table_pattern[] of one set */
    toad__buf firsts;   /* of one pattern: where the sets of at_first() lie, uint32_t[] */
    toad__rule_error *err;
} compiler;

/* Append an aligned array and return its offset. Failures stay in out.status. */
static uint32_t put(compiler *c, const void *p, size_t n) {
    static const char zeros[8] = { 0 };
    toad__buf_add(&c->out, zeros, (8 - c->out.n % 8) % 8);
    uint32_t at = (uint32_t)c->out.n;
    toad__buf_add(&c->out, p, n);
    return at;
}

static uint32_t put_string(compiler *c, const char *z) {
    uint32_t at = (uint32_t)c->out.n;
    z = z ? z : "";
    toad__buf_add(&c->out, z, strlen(z) + 1);
    return at;
}

static bool id_is_well_formed(const char *id) {
    size_t n = 0;
    if (!id || !toad__is_lower(id[0])) return false;
    for (; id[n]; n++)
        if (!(toad__is_lower(id[n]) || toad__is_digit(id[n]) || id[n] == '_')) return false;
    return n <= 64;
}

static toad_status check_def(compiler *c, size_t i) {
    const toad__rule_def *d = &c->defs[i];
    c->err->rule = i;
    c->err->pattern = 0;
    if (!id_is_well_formed(d->id))
        return toad__rule_fail(c->err, 0, "id: must be a to z, 0 to 9 and _, begin with a letter, 64 bytes at most");
    if (!d->n_patterns) return toad__rule_fail(c->err, 0, "pattern: there must be at least one");
    if (d->severity > TOAD_HIGH || d->hidden_severity > TOAD_HIGH)
        return toad__rule_fail(c->err, 0, "severity: must be none, low, medium or high");
    if (d->scope > TOAD_STRICT) return toad__rule_fail(c->err, 0, "scope: must be relaxed or strict");
    return TOAD_OK;
}

static void put_rules(compiler *c) {
    toad__buf rows;
    toad__buf_init(&rows, TABLE_MAX);
    for (size_t i = 0; i < c->n; i++) {
        const toad__rule_def *d = &c->defs[i];
        toad__table_rule row = {
            .id = put_string(c, d->id),
            .title = put_string(c, d->title),
            .family = put_string(c, d->family),
            .why = put_string(c, d->why),
            .lang = put_string(c, d->lang),
            .mapping = put_string(c, d->mapping),
            .gate = put_string(c, d->gate),
            .verify = put_string(c, d->verify),
            .severity = (uint8_t)d->severity,
            .scope = (uint8_t)d->scope,
            .skeleton = d->skeleton,
            .not_in_memory = d->not_in_memory,
            .low_in_instructions = d->low_in_instructions,
            .tools_severity = (uint8_t)d->tools_severity,
            .hidden_severity = (uint8_t)(d->hidden_severity        ? d->hidden_severity
                                         : d->severity < TOAD_HIGH ? d->severity + 1u
                                                                   : TOAD_HIGH),
        };
        toad__buf_add(&rows, &row, sizeof row);
    }
    if (rows.status && !c->out.status) c->out.status = rows.status;
    c->head.n_rules = (uint32_t)c->n;
    c->head.rules = put(c, rows.p, rows.n);
    toad__buf_free(&rows);
}

typedef struct named {
    const char *id;
    uint32_t rule;
} named;

static int by_id(const void *a, const void *b) {
    const named *x = a, *y = b;
    int order = strcmp(x->id, y->id);
    return order ? order : x->rule < y->rule ? -1 : 1;
}

static toad_status put_ids(compiler *c) {
    named *ids = malloc((c->n ? c->n : 1) * sizeof *ids);
    if (!ids) return TOAD_E_NOMEM;
    for (size_t i = 0; i < c->n; i++) ids[i] = (named){ c->defs[i].id, (uint32_t)i };
    qsort(ids, c->n, sizeof *ids, by_id);
    toad_status status = TOAD_OK;
    c->head.by_id = put(c, NULL, 0);
    for (size_t i = 0; i < c->n && !status; i++) {
        if (i && !strcmp(ids[i - 1].id, ids[i].id)) {
            c->err->rule = ids[i].rule;
            status = toad__rule_fail(c->err, 0, "id: another rule has this id; ids must be unique");
        }
        toad__buf_add(&c->out, &ids[i].rule, sizeof ids[i].rule);
    }
    free(ids);
    return status;
}

/* --- one automaton --- */

static bool in_any(uint64_t *const sets[TOAD__EDGES], unsigned i) {
    return toad__bit(sets[0], i) || toad__bit(sets[1], i) || toad__bit(sets[2], i);
}

/* Which class may a match begin with, and which come second? All of them where a match of one byte is possible. */
static void put_starts(compiler *c, const toad__positions *p, const unsigned *example, unsigned classes,
                       toad__table_pattern *to) {
    to->starts = put(c, NULL, 0);
    for (unsigned k = 0; k < classes; k++) {
        uint64_t second[TOAD__WORDS_MAX] = { 0 }, starts = 0;
        for (unsigned i = 0; i < p->n; i++) {
            if (!in_any(p->first, i) || !toad__bytes_has(&p->set[i], example[k])) continue;
            if (in_any(p->last, i)) starts = UINT64_MAX;
            for (unsigned w = 0; w < p->words; w++) second[w] |= p->follow[(size_t)i * p->words + w];
        }
        for (unsigned i = 0; i < p->n; i++)
            for (unsigned j = 0; j < classes && toad__bit(second, i); j++)
                if (toad__bytes_has(&p->set[i], example[j])) starts |= (uint64_t)1 << (j & 63);
        toad__buf_add(&c->out, &starts, sizeof starts);
    }
}

/* Number the bytes by the set of positions that take them; write class_of and takes. */
static void put_classes(compiler *c, const toad__positions *p, toad__table_pattern *to) {
    uint8_t class_of[256];
    unsigned n = 0, example[256];
    for (unsigned byte = 0; byte < 256; byte++) {
        unsigned k = 0;
        for (; k < n; k++) {
            unsigned i = 0;
            while (i < p->n && toad__bytes_has(&p->set[i], byte) == toad__bytes_has(&p->set[i], example[k])) i++;
            if (i == p->n) break;
        }
        if (k == n) example[n++] = byte;
        class_of[byte] = (uint8_t)k;
    }
    to->classes = n;
    to->class_of = put(c, class_of, sizeof class_of);
    to->takes = put(c, NULL, 0);
    for (unsigned k = 0; k < n; k++) {
        uint64_t takes[TOAD__WORDS_MAX] = { 0 };
        for (unsigned i = 0; i < p->n; i++)
            if (toad__bytes_has(&p->set[i], example[k])) toad__bit_set(takes, i);
        toad__buf_add(&c->out, takes, p->words * sizeof *takes);
    }
    put_starts(c, p, example, n, to);
    for (unsigned e = 0; e < TOAD__EDGES; e++)
        for (unsigned w = 0; w < p->words; w++)
            if (p->first[e][w] && w >= to->first_words) to->first_words = w + 1;
}

static void put_edges(compiler *c, const toad__positions *p, uint64_t *const sets[TOAD__EDGES], uint32_t *by_edge,
                      uint32_t *any) {
    uint64_t all[TOAD__WORDS_MAX] = { 0 };
    *by_edge = put(c, NULL, 0);
    for (unsigned e = 0; e < TOAD__EDGES; e++) {
        toad__buf_add(&c->out, sets[e], p->words * sizeof *all);
        for (unsigned w = 0; w < p->words; w++) all[w] |= sets[e][w];
    }
    *any = put(c, all, p->words * sizeof *all);
}

typedef struct grouping {
    uint64_t members[TOAD__WORDS_MAX], to[TOAD__WORDS_MAX];
} grouping;

/* The words outside of which the set is empty. */
static void put_range(compiler *c, const uint64_t *set, unsigned words) {
    uint8_t range[2] = { 0, (uint8_t)words };
    while (range[0] < words && !set[range[0]]) range[0]++;
    while (range[1] > range[0] && !set[range[1] - 1]) range[1]--;
    toad__buf_add(&c->out, range, sizeof range);
}

/* Write a step relation: `next` [n][words]; `up` is +1 where the neighbor is the position above, -1 below. */
static bool put_steps(compiler *c, const toad__positions *p, const uint64_t *next, int up, toad__table_steps *to) {
    uint64_t shift[TOAD__WORDS_MAX] = { 0 }, jump[TOAD__WORDS_MAX] = { 0 };
    uint16_t *group_of = toad__arena_alloc(&c->arena, p->n * sizeof *group_of);
    grouping *groups = toad__arena_alloc(&c->arena, p->n * sizeof *groups);
    if (!group_of || !groups) return false;
    unsigned n = 0;
    for (unsigned i = 0; i < p->n; i++) {
        uint64_t rest[TOAD__WORDS_MAX] = { 0 }, some = 0;
        memcpy(rest, next + (size_t)i * p->words, p->words * sizeof *rest);
        unsigned neighbor = i + (unsigned)up;
        if (neighbor < p->n && toad__bit(rest, neighbor)) {
            toad__bit_set(shift, i);
            rest[neighbor >> 6] &= ~((uint64_t)1 << (neighbor & 63));
        }
        for (unsigned w = 0; w < p->words; w++) some |= rest[w];
        if (!some) continue;
        toad__bit_set(jump, i);
        unsigned g = 0;
        while (g < n && memcmp(groups[g].to, rest, sizeof rest)) g++;
        if (g == n) memcpy(groups[n++].to, rest, sizeof rest);
        toad__bit_set(groups[g].members, i);
        group_of[i] = (uint16_t)g;
    }
    to->shift = put(c, shift, p->words * sizeof *shift);
    to->jump = put(c, jump, p->words * sizeof *jump);
    to->group_of = put(c, group_of, p->n * sizeof *group_of);
    to->groups = put(c, NULL, 0);
    for (unsigned g = 0; g < n; g++) {
        toad__buf_add(&c->out, groups[g].members, p->words * sizeof *shift);
        toad__buf_add(&c->out, groups[g].to, p->words * sizeof *shift);
    }
    to->ranges = put(c, NULL, 0);
    for (unsigned g = 0; g < n; g++) put_range(c, groups[g].to, p->words);
    return true;
}

static bool put_backward(compiler *c, const toad__positions *p, toad__table_steps *to) {
    uint64_t *before = toad__arena_alloc(&c->arena, (size_t)p->n * p->words * sizeof *before);
    if (!before) return false;
    for (unsigned i = 0; i < p->n; i++)
        for (unsigned j = i + 1; j < p->n; j++)
            if (toad__bit(p->follow + (size_t)i * p->words, j)) toad__bit_set(before + (size_t)j * p->words, i);
    return put_steps(c, p, before, -1, to);
}

static bool put_automaton(compiler *c, const toad__positions *p, toad__table_pattern *to) {
    to->words = p->words;
    to->len_max = p->len_max;
    put_classes(c, p, to);
    put_edges(c, p, p->first, &to->first, &to->first_any);
    put_edges(c, p, p->last, &to->last, &to->last_any);
    return put_steps(c, p, p->follow, 1, &to->forward) && put_backward(c, p, &to->backward);
}

/* The positions of the factor that can stand at the first byte of the literal when the whole of it follows. */
static void at_first(const toad__positions *p, const toad__factor *in, const toad__literal *l, uint64_t *ret) {
    uint64_t now[TOAD__WORDS_MAX], next[TOAD__WORDS_MAX];
    for (unsigned at = l->n; at-- > 0;) {
        memset(now, 0, sizeof now);
        for (unsigned i = in->from; i < in->to; i++) {
            uint64_t some = at + 1u == l->n;
            for (unsigned w = 0; w < p->words && !some; w++) some = p->follow[(size_t)i * p->words + w] & next[w];
            if (some && toad__bytes_has(&p->set[i], (unsigned char)l->p[at])) toad__bit_set(now, i);
        }
        memcpy(next, now, sizeof next);
    }
    memcpy(ret, next, sizeof next);
}

static bool add_use(compiler *c, const use *u) {
    uses *all = &c->uses;
    if (all->n == all->cap) {
        size_t cap = all->cap ? all->cap * 2 : 256;
        use *at = realloc(all->at, cap * sizeof *at);
        if (!at) return false;
        all->at = at;
        all->cap = cap;
    }
    all->at[all->n++] = *u;
    return true;
}

/* Bits (byte & 63) of the bytes that `set` holds. */
static uint64_t low_bits(const toad__bytes *set) { return set->w[0] | set->w[1] | set->w[2] | set->w[3]; }

/* What may stand before a match that begins with the byte `first`, by its edge. The start of the text always may. */
static uint64_t before_edge(unsigned edge, unsigned char first) {
    toad__bytes set = { { 0 } };
    for (unsigned c = 0; c < 256; c++)
        if ((toad__is_alnum((int)c) || c == '_') != (toad__is_alnum(first) || first == '_')) toad__bytes_add(&set, c);
    return edge == TOAD__EDGE_NONE ? UINT64_MAX : edge == TOAD__EDGE_LINE ? (uint64_t)1 << (' ' & 63) : low_bits(&set);
}

/* Where a match goes on behind the positions of `now`, or comes from. */
static void step_from(const toad__positions *p, const uint64_t *now, bool ahead, uint64_t *ret) {
    memset(ret, 0, p->words * sizeof *ret);
    for (unsigned i = 0; i < p->n; i++) {
        const uint64_t *follow = p->follow + (size_t)i * p->words;
        if (ahead && !toad__bit(now, i)) continue;
        for (unsigned w = 0; w < p->words; w++) {
            if (ahead)
                ret[w] |= follow[w];
            else if (follow[w] & now[w])
                toad__bit_set(ret, i);
        }
    }
}

static bool touches_edge(const toad__positions *p, const uint64_t *now, uint64_t *const sets[TOAD__EDGES]) {
    for (unsigned i = 0; i < p->n; i++)
        if (toad__bit(now, i) && in_any(sets, i)) return true;
    return false;
}

/* Add the bits of the `left` bytes that may stand next to what `now` took, `seen` being those already read; all bits
 * where they may be any. */
static void add_threes(const toad__positions *p, const uint64_t *now, bool ahead, unsigned left, uint32_t seen,
                       uint64_t *ret) {
    uint64_t next[TOAD__WORDS_MAX], taken[TOAD__WORDS_MAX];
    toad__bytes bytes = { { 0 } };
    if (!left) {
        *ret |= toad__three_bit(seen);
        return;
    }
    step_from(p, now, ahead, next);
    for (unsigned i = 0; i < p->n; i++)
        for (unsigned k = 0; k < 4 && toad__bit(next, i); k++) bytes.w[k] |= p->set[i].w[k];
    if (toad__bytes_count(&bytes) > THREE_BYTES || touches_edge(p, now, ahead ? p->last : p->first)) *ret = UINT64_MAX;
    for (unsigned c = 0; c < 256 && *ret != UINT64_MAX; c++) {
        if (!toad__bytes_has(&bytes, c)) continue;
        memset(taken, 0, sizeof taken);
        for (unsigned i = 0; i < p->n; i++)
            if (toad__bit(next, i) && toad__bytes_has(&p->set[i], c)) toad__bit_set(taken, i);
        add_threes(p, taken, ahead, left - 1, seen | c << 8 * (ahead ? 3 - left : left - 1), ret);
    }
}

/* Which bytes may stand next to the literal, of which the first byte is taken by `first`? */
static void neighbors(const toad__positions *p, const toad__literal *l, const uint64_t *first, toad__table_ref *to) {
    uint64_t now[TOAD__WORDS_MAX] = { 0 };
    memcpy(now, first, p->words * sizeof *now);
    add_threes(p, now, false, 3, 0, &to->three_before);
    for (unsigned e = 0; e < TOAD__EDGES; e++)
        for (unsigned w = 0; w < p->words; w++)
            if (first[w] & p->first[e][w]) to->before |= before_edge(e, (unsigned char)l->p[0]);
    for (unsigned i = 0; i < p->n; i++)
        for (unsigned w = 0; w < p->words; w++)
            if (p->follow[(size_t)i * p->words + w] & first[w]) to->before |= low_bits(&p->set[i]);
    for (unsigned at = 1; at <= l->n; at++) {
        uint64_t next[TOAD__WORDS_MAX] = { 0 };
        for (unsigned i = 0; i < p->n; i++)
            for (unsigned w = 0; w < p->words && toad__bit(now, i); w++) next[w] |= p->follow[(size_t)i * p->words + w];
        if (at == l->n)
            for (unsigned i = 0; i < p->n; i++) {
                if (toad__bit(next, i)) to->after |= low_bits(&p->set[i]);
                if (toad__bit(now, i) && in_any(p->last, i)) to->after = UINT64_MAX;
            }
        for (unsigned i = 0; i < p->n && at < l->n; i++)
            if (!toad__bytes_has(&p->set[i], (unsigned char)l->p[at])) next[i >> 6] &= ~((uint64_t)1 << (i & 63));
        if (at == l->n) add_threes(p, now, true, 3, 0, &to->three_after);
        memcpy(now, next, sizeof now);
    }
}

/* The least and the greatest number of bytes of a match before the literal. */
static void depths(const toad__positions *p, const uint64_t *first, uint32_t *least, uint32_t *most) {
    *least = UINT32_MAX;
    *most = 0;
    for (unsigned i = 0; i < p->n; i++) {
        if (!toad__bit(first, i)) continue;
        if (p->depth_min[i] < *least) *least = p->depth_min[i];
        if (p->depth_max[i] > *most) *most = p->depth_max[i];
    }
}

/* The slot of a guard, a new one if no pattern had that guard yet. */
static uint32_t slot_of(compiler *c, toad__table_set *set, const toad__literals *guard, bool *is_new) {
    uint32_t slot = 0, n;
    for (size_t at = 0; at < c->guards.n; at += sizeof n + n * sizeof *guard->at, slot++) {
        memcpy(&n, c->guards.p + at, sizeof n);
        if (n == guard->n && !memcmp(c->guards.p + at + sizeof n, guard->at, n * sizeof *guard->at))
            return *is_new = false, slot;
    }
    n = (uint32_t)guard->n;
    toad__buf_add(&c->guards, &n, sizeof n);
    toad__buf_add(&c->guards, guard->at, n * sizeof *guard->at);
    *is_new = true;
    return set->n_slots++;
}

/* How far before the trigger at depth `most` the guard can stand at most. */
static bool put_guard(compiler *c, toad__table_set *set, const toad__positions *p, const toad__factor *factor,
                      toad__table_guard *to) {
    const toad__literals *guard = &factor->set;
    uint32_t earliest = UINT32_MAX;
    bool is_new;
    to->slot = slot_of(c, set, guard, &is_new);
    for (size_t i = 0; i < guard->n; i++) {
        uint64_t first[TOAD__WORDS_MAX];
        uint32_t least, most;
        use u = { .literal = guard->at[i], .slot = to->slot };
        at_first(p, factor, &guard->at[i], first);
        depths(p, first, &least, &most);
        if (least < earliest) earliest = least;
        if (is_new && !add_use(c, &u)) return false;
    }
    to->reach = earliest; /* until the trigger is known: see put_chain */
    return true;
}

/* Many literals of a pattern begin at the same positions: these are written once. */
static uint32_t put_first(compiler *c, const uint64_t *first, unsigned words) {
    uint32_t at;
    for (size_t i = 0; i < c->firsts.n && !c->out.status; i += sizeof at) {
        memcpy(&at, c->firsts.p + i, sizeof at);
        if (!memcmp(c->out.p + at, first, words * sizeof *first)) return at;
    }
    at = put(c, first, words * sizeof *first);
    toad__buf_add(&c->firsts, &at, sizeof at);
    return at;
}

static bool put_chain(compiler *c, toad__table_set *set, const toad__positions *p, const toad__chain *chain) {
    toad__table_guard guards[TOAD__GUARDS] = { { TOAD__NO_SLOT, 0 }, { TOAD__NO_SLOT, 0 } };
    for (unsigned i = 0; i < chain->n_guards; i++)
        if (!put_guard(c, set, p, &chain->guards[i], &guards[i])) return false;
    for (size_t i = 0; i < chain->trigger.set.n; i++) {
        uint64_t first[TOAD__WORDS_MAX];
        use u = { .literal = chain->trigger.set.at[i], .trigger = true, .ref.pattern = set->n_patterns };
        at_first(p, &chain->trigger, &u.literal, first);
        depths(p, first, &u.ref.depth_min, &u.ref.depth_max);
        neighbors(p, &u.literal, first, &u.ref);
        for (unsigned g = 0; g < TOAD__GUARDS; g++) {
            uint32_t before = guards[g].reach < u.ref.depth_max ? u.ref.depth_max - guards[g].reach : 0;
            u.ref.guards[g] = (toad__table_guard){ guards[g].slot, before };
        }
        u.ref.at_first = put_first(c, first, p->words);
        if (!add_use(c, &u)) return false;
    }
    return true;
}

static toad_status put_pattern(compiler *c, size_t rule, size_t which, bool skeleton) {
    toad__branch *branches;
    toad__positions p;
    const toad__chain *chains;
    size_t n;
    c->err->rule = rule;
    c->err->pattern = which;
    toad_status status =
        toad__pattern_parse(toad__str_z(c->defs[rule].patterns[which]), &c->arena, &c->fold, &branches, c->err);
    if (!status && skeleton && !(branches = toad__pattern_skeleton(branches, &c->arena))) status = TOAD_E_NOMEM;
    if (!status) status = toad__positions_of(branches, &c->arena, &p, c->err);
    if (!status) status = toad__factors_of(branches, &c->arena, &chains, &n, c->err);
    if (status) return status;
    toad__table_set *set = &c->head.sets[skeleton];
    toad__buf_clear(&c->firsts);
    toad__table_pattern row = { .rule = (uint32_t)rule, .state = set->state_words };
    if (!put_automaton(c, &p, &row)) return TOAD_E_NOMEM;
    for (size_t i = 0; i < n; i++)
        if (!put_chain(c, set, &p, &chains[i])) return TOAD_E_NOMEM;
    set->state_words += p.words;
    set->n_patterns++;
    toad__buf_add(&c->patterns, &row, sizeof row);
    return TOAD_OK;
}

/* --- the filters of one set --- */

static int by_literal(const void *a, const void *b) {
    const use *x = a, *y = b;
    int order = memcmp(x->literal.p, y->literal.p, TOAD__LITERAL_MAX);
    if (!order) order = (int)x->literal.n - (int)y->literal.n;
    if (!order) order = (int)x->trigger - (int)y->trigger;
    if (!order) order = x->slot < y->slot ? -1 : x->slot > y->slot;
    if (!order) order = memcmp(&x->ref, &y->ref, sizeof x->ref);
    return order;
}

static bool same_literal(const use *a, const use *b) {
    return a->literal.n == b->literal.n && !memcmp(a->literal.p, b->literal.p, TOAD__LITERAL_MAX);
}

static bool is_first_use(const uses *all, size_t i) { return !i || all->at[i - 1].id != all->at[i].id; }

static uint64_t value_of(const toad__literal *l) {
    uint64_t v = 0;
    memcpy(&v, l->p, l->n);
    return v;
}

/* Number the literals and write what each does. */
static void put_literals(compiler *c, toad__table_set *set) {
    uses *all = &c->uses;
    uint32_t slots = 0, refs = 0;
    if (all->n) qsort(all->at, all->n, sizeof *all->at, by_literal);
    for (size_t i = 0; i < all->n; i++) {
        if (!i || !same_literal(&all->at[i - 1], &all->at[i])) set->n_literals++;
        all->at[i].id = set->n_literals - 1;
    }
    set->literals = put(c, NULL, 0);
    for (size_t i = 0; i <= all->n; i++) {
        toad__table_literal row = { .first_slot = slots, .first_ref = refs };
        if (i < all->n) row.value = value_of(&all->at[i].literal), row.n = all->at[i].literal.n;
        if (i == all->n || is_first_use(all, i)) toad__buf_add(&c->out, &row, sizeof row);
        if (i < all->n) *(all->at[i].trigger ? &refs : &slots) += 1;
    }
    set->slots = put(c, NULL, 0);
    for (size_t i = 0; i < all->n; i++)
        if (!all->at[i].trigger) toad__buf_add(&c->out, &all->at[i].slot, sizeof all->at[i].slot);
    set->refs = put(c, NULL, 0);
    for (size_t i = 0; i < all->n; i++)
        if (all->at[i].trigger) toad__buf_add(&c->out, &all->at[i].ref, sizeof all->at[i].ref);
}

typedef struct hashed {
    uint64_t hash, bits_hash;
    uint64_t value; /* of the literal, of `n` bytes */
    unsigned n;
    toad__table_entry entry;
} hashed;

static int by_hash(const void *a, const void *b) {
    const hashed *x = a, *y = b;
    if (x->hash != y->hash) return x->hash < y->hash ? -1 : 1;
    if (x->entry.literal != y->entry.literal) return x->entry.literal < y->entry.literal ? -1 : 1;
    return (int)x->entry.at - (int)y->entry.at;
}

/* The least power of two of at least `want`, between the two given ones. */
static uint32_t log2_of(size_t want, uint32_t least, uint32_t most) {
    uint32_t k = least;
    while (k < most && ((size_t)1 << k) < want) k++;
    return k;
}

static bool is_in(const uses *all, size_t i, unsigned filter) {
    return is_first_use(all, i) && toad__filter_of(all->at[i].literal.n) == filter;
}

/* Every gram of every literal of the filter, sorted by hash. NULL: out of memory. */
static hashed *grams_of(const uses *all, unsigned filter, size_t *ret_n) {
    toad__filter_kind kind = toad__filter_kind_of(filter);
    hashed *to = malloc((all->n * kind.places + 1) * sizeof *to);
    size_t n = 0;
    for (size_t i = 0; to && i < all->n; i++) {
        const use *u = &all->at[i];
        for (unsigned k = 0; k < kind.places && is_in(all, i, filter); k++) {
            unsigned at = u->literal.at + k;
            uint64_t value = value_of(&u->literal), gram = value >> (8 * at);
            to[n++] = (hashed){ .hash = toad__gram_hash(gram, kind.gram),
                                .bits_hash = toad__bits_hash(gram, kind.gram),
                                .value = value,
                                .n = u->literal.n,
                                .entry = { .literal = u->id & 0xffffff, .at = at & 0xff } };
        }
    }
    if (to) qsort(to, n, sizeof *to, by_hash);
    *ret_n = n;
    return to;
}

static bool put_bits(compiler *c, toad__table_filter *to, const hashed *grams, size_t n) {
    unsigned shift = 64 - to->bits_log2;
    size_t words = ((size_t)1 << to->bits_log2) / 32;
    uint32_t *bits = calloc(words, sizeof *bits);
    if (!bits) return false;
    for (size_t i = 0; i < n; i++)
        bits[grams[i].bits_hash >> shift >> 5] |= toad__filter_bits(grams[i].bits_hash, shift);
    to->bits = put(c, bits, words * sizeof *bits);
    free(bits);
    return true;
}

/* Which byte stands next to the gram of the entry? */
static void add_neighbor(const hashed *g, unsigned gram, toad__table_bucket *to) {
    unsigned at = g->entry.at;
    if (at + gram < g->n)
        to->behind |= (uint16_t)(1u << (g->value >> (8 * (at + gram)) & 15));
    else if (at)
        to->before |= (uint16_t)(1u << (g->value >> (8 * (at - 1)) & 15));
    else
        to->behind = UINT16_MAX;
}

static void put_buckets(compiler *c, toad__table_filter *to, const hashed *grams, size_t n, unsigned gram) {
    to->buckets = put(c, NULL, 0);
    size_t at = 0;
    for (uint64_t k = 0; k <= (uint64_t)1 << to->buckets_log2; k++) {
        toad__table_bucket bucket = { .first = (uint32_t)at };
        for (; at < n && grams[at].hash >> (64 - to->buckets_log2) == k; at++) add_neighbor(&grams[at], gram, &bucket);
        toad__buf_add(&c->out, &bucket, sizeof bucket);
    }
    to->entries = put(c, NULL, 0);
    for (size_t i = 0; i < n; i++) toad__buf_add(&c->out, &grams[i].entry, sizeof grams[i].entry);
}

/* Eight buckets of neighboring grams; half a byte has a bucket's bit where one of its grams has that half there. */
static void put_shuffles(compiler *c, toad__table_set *set) {
    uint8_t halves[3][2][16] = { { { 0 } } };
    size_t of = set->filters[TOAD__FILTER_SHORT].n, seen = 0;
    for (size_t i = 0; i < c->uses.n; i++) {
        if (!is_in(&c->uses, i, TOAD__FILTER_SHORT)) continue;
        uint8_t bucket = (uint8_t)(1u << (seen++ * 8 / of));
        for (unsigned k = 0; k < 3; k++) {
            unsigned char byte = (unsigned char)c->uses.at[i].literal.p[k];
            halves[k][0][byte & 15] |= bucket;
            halves[k][1][byte >> 4] |= bucket;
        }
    }
    set->shuffles = put(c, halves, sizeof halves);
}

static bool put_filter(compiler *c, toad__table_filter *to, unsigned filter) {
    size_t n;
    hashed *grams = grams_of(&c->uses, filter, &n);
    if (!grams) return false;
    *to = (toad__table_filter){ .n = (uint32_t)n,
                                .bits_log2 = log2_of(n * 32, 9, 18),
                                .buckets_log2 = log2_of(n, 4, 16) };
    bool ok = put_bits(c, to, grams, n);
    if (ok) put_buckets(c, to, grams, n, toad__filter_kind_of(filter).gram);
    free(grams);
    return ok;
}

static toad_status put_set(compiler *c, bool skeleton) {
    toad__table_set *set = &c->head.sets[skeleton];
    c->uses.n = 0;
    toad__buf_clear(&c->patterns);
    toad__buf_clear(&c->guards);
    for (size_t i = 0; i < c->n; i++) {
        for (size_t k = 0; k < c->defs[i].n_patterns && (!skeleton || c->defs[i].skeleton); k++) {
            toad_status status = put_pattern(c, i, k, skeleton);
            toad__arena_free(&c->arena);
            if (status) return status;
        }
    }
    const toad__buf *filled[] = { &c->patterns, &c->guards, &c->firsts };
    for (unsigned i = 0; i < 3; i++)
        if (filled[i]->status) return filled[i]->status;
    set->patterns = put(c, c->patterns.p, c->patterns.n);
    put_literals(c, set);
    for (unsigned filter = 0; filter < TOAD__FILTER_KINDS; filter++)
        if (!put_filter(c, &set->filters[filter], filter)) return TOAD_E_NOMEM;
    put_shuffles(c, set);
    return TOAD_OK;
}

static toad_status compile(compiler *c) {
    c->head.magic = TOAD__TABLE_MAGIC;
    toad_status status = TOAD_OK;
    for (size_t i = 0; i < c->n && !status; i++) status = check_def(c, i);
    if (!status && c->n > TOAD__LIMIT_RULES)
        status = toad__rule_fail(c->err, 0, "more than %u rules", (unsigned)TOAD__LIMIT_RULES);
    if (status) return status;
    put(c, &c->head, sizeof c->head);
    put_rules(c);
    status = put_ids(c);
    if (!status) status = put_set(c, false);
    if (!status) status = put_set(c, true);
    if (status) return status;
    put(c, NULL, 0);
    if (c->out.status) return c->out.status;
    c->head.size = (uint32_t)c->out.n;
    memcpy(c->out.p, &c->head, sizeof c->head);
    return TOAD_OK;
}

toad_status toad__ruleset_compile(const toad__rule_def *defs, size_t n, toad__ruleset **ret, toad__rule_error *err) {
    toad__rule_error unused;
    compiler c = { .defs = defs, .n = n, .err = err ? err : &unused };
    *c.err = (toad__rule_error){ 0 };
    toad__buf_init(&c.out, TABLE_MAX);
    toad__buf_init(&c.patterns, TABLE_MAX);
    toad__buf_init(&c.guards, TABLE_MAX);
    toad__buf_init(&c.firsts, TABLE_MAX);
    toad__arena_init(&c.arena, ARENA_MAX);
    toad__view_init(&c.fold, 256);
    toad_status status = compile(&c);
    toad__view_free(&c.fold);
    toad__arena_free(&c.arena);
    toad__buf_free(&c.patterns);
    toad__buf_free(&c.guards);
    toad__buf_free(&c.firsts);
    free(c.uses.at);
    if (!status)
        *ret = (toad__ruleset *)(void *)c.out.p;
    else
        toad__buf_free(&c.out);
    return status;
}
