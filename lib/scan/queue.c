/* queue.c - texts read out of texts, in the order in which they wait to be scanned.
 *
 * The queue stands for recursion: depth is a number in the node. Nodes, their texts and their maps live in one arena
 * that is emptied with the piece; where it is full, that is a limit of ours and no error. */
#include "lib/base/str.h"
#include "lib/scan/scanner.h"

#include <assert.h>

static void enqueue(toad_scanner *s, toad__node *node) {
    if (s->queue_tail)
        s->queue_tail->next = node;
    else
        s->queue_head = node;
    s->queue_tail = node;
}

static bool copy_map(toad_scanner *s, const toad__offmap *from, toad__offmap *to) {
    *to = *from;
    to->runs = toad__arena_alloc(&s->nodes, from->n * sizeof *from->runs);
    if (!to->runs) return false;
    if (from->n) memcpy(to->runs, from->runs, from->n * sizeof *from->runs);
    to->cap = to->n;
    return true;
}

static uint64_t hash(toad_str t) {
    uint64_t h = t.n * 0x9e3779b97f4a7c15u, v;
    size_t at = 0;
    for (; at + 8 <= t.n; at += 8) {
        memcpy(&v, t.p + at, 8);
        h = (h ^ v) * 0xff51afd7ed558ccdu;
        h ^= h >> 32;
    }
    for (; at < t.n; at++) h = (h ^ (unsigned char)t.p[at]) * 0x100000001b3u;
    return h;
}

toad__node toad__child_of(const toad__node *parent, const toad__step *step, toad_str text, const toad__offmap *map) {
    return (toad__node){ .text = text,
                         .map = *map,
                         .parent = parent,
                         .step = step,
                         .depth = parent->depth,
                         .flags = parent->flags & ~(unsigned)TOAD__NODE_DERIVED,
                         .hash = hash(text) };
}

bool toad__is_known(const toad_scanner *s, const toad__node *child) {
    size_t from = toad__node_origin(child, (toad_span){ 0, child->text.n }).start;
    for (const toad__node *n = s->queue_head; n; n = n->next)
        if (n->hash == child->hash && n->flags == child->flags && toad__str_eq(n->text, child->text) &&
            toad__node_origin(n, (toad_span){ 0, n->text.n }).start == from)
            return true;
    return false;
}

bool toad__derive(toad_scanner *s, const toad__node *child) {
    assert(child->parent && child->map.out_len == child->text.n && child->map.in_len <= child->parent->text.n);
    toad__node *node = toad__arena_alloc(&s->nodes, sizeof *node);
    toad_str copy = toad__arena_dup(&s->nodes, child->text);
    if (node) *node = *child;
    if (!node || !copy.p || !copy_map(s, &child->map, &node->map)) {
        toad__incomplete(s, TOAD_DECODE_LIMIT);
        return false;
    }
    node->text = copy;
    enqueue(s, node);
    return true;
}
