/* glushkov.c - the tree of a pattern to numbered positions and what follows what.
 *
 * Repetitions are written out, so their bounds must be counted before anything is built. Numbers rise along every path:
 * `follow` only points upwards, which makes the depth of a position a single pass and lets the matcher step by a shift
 * for the common case. Cost: positions times words of the sets. Recursion is on the tree, whose depth parse.c bounds.
 */
#include "lib/rules/pattern.h"

#include <string.h>

typedef struct builder {
    toad__positions *to;
    unsigned next;
} builder;

typedef struct fragment {
    uint64_t first[TOAD__WORDS_MAX], last[TOAD__WORDS_MAX];
    bool nullable;
} fragment;

static uint64_t capped(uint64_t n) { return n > TOAD__LIMIT_PATTERN_POSITIONS ? TOAD__LIMIT_PATTERN_POSITIONS + 1 : n; }

unsigned toad__pnode_positions(const toad__pnode *n) {
    if (n->kind == TOAD__P_SET) return 1;
    uint64_t sum = 0;
    for (const toad__pnode *c = n->child; c; c = c->next) sum = capped(sum + toad__pnode_positions(c));
    return (unsigned)(n->kind == TOAD__P_REPEAT ? capped(sum * n->max) : sum);
}

static void join(builder *b, uint64_t *to, const uint64_t *from) {
    for (unsigned i = 0; i < b->to->words; i++) to[i] |= from[i];
}

/* Everything in `next` may follow everything in `last`. */
static void connect(builder *b, const uint64_t *last, const uint64_t *next) {
    for (unsigned w = 0; w < b->to->words; w++)
        for (uint64_t x = last[w]; x; x &= x - 1)
            join(b, b->to->follow + (size_t)(w * 64 + (unsigned)__builtin_ctzll(x)) * b->to->words, next);
}

/* `all` followed by `part`. */
static void append(builder *b, fragment *all, const fragment *part) {
    connect(b, all->last, part->first);
    if (all->nullable) join(b, all->first, part->first);
    if (!part->nullable) memset(all->last, 0, sizeof all->last);
    join(b, all->last, part->last);
    all->nullable = all->nullable && part->nullable;
}

static void build(builder *b, const toad__pnode *n, fragment *ret);

static void build_alternatives(builder *b, const toad__pnode *n, fragment *ret) {
    for (const toad__pnode *c = n->child; c; c = c->next) {
        fragment f;
        build(b, c, &f);
        join(b, ret->first, f.first);
        join(b, ret->last, f.last);
        ret->nullable = ret->nullable || f.nullable;
    }
}

/* x{m,n} is m copies and n - m nested optional ones, (x(x)?)?: a later copy is only entered through the one before it.
 * A copy that may be empty adds nothing that fewer copies do not, so then m is 0 and every copy takes at least a byte.
 */
static void build_repeat(builder *b, const toad__pnode *n, fragment *ret) {
    uint64_t before[TOAD__WORDS_MAX] = { 0 };
    for (unsigned i = 0; i < n->max; i++) {
        fragment f;
        build(b, n->child, &f);
        bool may_stop = f.nullable || i + 1 >= n->min;
        if (!i) join(b, ret->first, f.first);
        connect(b, before, f.first);
        memcpy(before, f.last, sizeof before);
        if (may_stop) join(b, ret->last, f.last);
        ret->nullable = f.nullable || !n->min;
    }
}

static void build(builder *b, const toad__pnode *n, fragment *ret) {
    *ret = (fragment){ .nullable = n->kind == TOAD__P_EMPTY || n->kind == TOAD__P_CAT };
    switch (n->kind) {
    case TOAD__P_EMPTY: break;
    case TOAD__P_SET:
        toad__bit_set(ret->first, b->next);
        toad__bit_set(ret->last, b->next);
        b->to->set[b->next++] = n->set;
        break;
    case TOAD__P_CAT:
        for (const toad__pnode *c = n->child; c; c = c->next) {
            fragment f;
            build(b, c, &f);
            append(b, ret, &f);
        }
        break;
    case TOAD__P_ALT: build_alternatives(b, n, ret); break;
    case TOAD__P_REPEAT: build_repeat(b, n, ret); break;
    }
}

static bool allocate(toad__positions *p, toad__arena *arena) {
    p->set = toad__arena_alloc(arena, p->n * sizeof *p->set);
    p->follow = toad__arena_alloc(arena, (size_t)p->n * p->words * sizeof *p->follow);
    uint64_t *ends = toad__arena_alloc(arena, sizeof *ends * 2 * TOAD__EDGES * p->words);
    p->depth_min = toad__arena_alloc(arena, p->n * sizeof *p->depth_min);
    p->depth_max = toad__arena_alloc(arena, p->n * sizeof *p->depth_max);
    if (!p->set || !p->follow || !ends || !p->depth_min || !p->depth_max) return false;
    for (unsigned e = 0; e < TOAD__EDGES; e++) {
        p->first[e] = ends + (size_t)2 * e * p->words;
        p->last[e] = p->first[e] + p->words;
    }
    return true;
}

static bool in_any(uint64_t *const sets[TOAD__EDGES], unsigned i) {
    return toad__bit(sets[0], i) || toad__bit(sets[1], i) || toad__bit(sets[2], i);
}

/* Positions only point upwards, so one pass finds the shortest and the longest way to each. */
static void measure(toad__positions *p) {
    for (unsigned i = 0; i < p->n; i++) p->depth_min[i] = in_any(p->first, i) ? 0 : UINT32_MAX;
    p->len_min = UINT32_MAX;
    p->len_max = 0;
    for (unsigned i = 0; i < p->n; i++) {
        if (p->depth_min[i] == UINT32_MAX) continue;
        if (in_any(p->last, i)) {
            if (p->depth_min[i] + 1 < p->len_min) p->len_min = p->depth_min[i] + 1;
            if (p->depth_max[i] + 1 > p->len_max) p->len_max = p->depth_max[i] + 1;
        }
        const uint64_t *follow = p->follow + (size_t)i * p->words;
        for (unsigned j = i + 1; j < p->n; j++) {
            if (!toad__bit(follow, j)) continue;
            if (p->depth_min[i] + 1 < p->depth_min[j]) p->depth_min[j] = p->depth_min[i] + 1;
            if (p->depth_max[i] + 1 > p->depth_max[j]) p->depth_max[j] = p->depth_max[i] + 1;
        }
    }
}

toad_status toad__positions_of(const toad__branch *branches, toad__arena *arena, toad__positions *ret,
                               toad__rule_error *err) {
    uint64_t n = 0;
    for (const toad__branch *b = branches; b; b = b->next) n = capped(n + toad__pnode_positions(b->body));
    if (n > TOAD__LIMIT_PATTERN_POSITIONS)
        return toad__rule_fail(err, 0,
                               "the pattern is too large: more than %u positions once its repetitions are written out; "
                               "use smaller bounds or two rules",
                               (unsigned)TOAD__LIMIT_PATTERN_POSITIONS);
    *ret = (toad__positions){ .n = (unsigned)n, .words = n ? (unsigned)(n + 63) / 64 : 1 };
    if (!allocate(ret, arena)) return TOAD_E_NOMEM;
    builder b = { ret, 0 };
    for (const toad__branch *branch = branches; branch; branch = branch->next) {
        fragment f;
        build(&b, branch->body, &f);
        if (f.nullable)
            return toad__rule_fail(err, 0, "the pattern can match nothing at all; something in it must be required");
        join(&b, ret->first[branch->left], f.first);
        join(&b, ret->last[branch->right], f.last);
    }
    measure(ret); /* a match is never longer than there are positions, which is far below TOAD__LIMIT_PATTERN_LENGTH */
    return TOAD_OK;
}
