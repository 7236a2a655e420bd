/* squeeze.c - text that repeats itself says nothing new.
 *
 * Packed text of a few hundred bytes may stand for a hundred times as much, nearly all of it copies. A stretch that
 * goes on as what stood a period before is cut by whole periods in its middle, so that no seam shows: every piece of up
 * to KEEP bytes that stood in the text still stands in it, and no other does. Linear: the bytes of a stretch are
 * compared once. */
#include "lib/base/str.h"
#include "lib/decode/emit.h"

#include <assert.h>

enum {
    KEEP = 1024, /* bytes kept on either side of what is cut: about twice the longest match of a rule */
    GRAM = 16,   /* bytes by which a copy is noticed */
    SLOTS = 1024 /* places remembered; a later one displaces an earlier one */
};

static uint64_t load(const char *p) {
    uint64_t x;
    memcpy(&x, p, sizeof x);
    return x;
}

static unsigned slot_of(const char *p) { return (unsigned)(load(p) * UINT64_C(0x9E3779B97F4A7C15) >> 54) % SLOTS; }

void toad__squeeze(toad_str in, toad__buf *out) {
    uint32_t seen[SLOTS] = { 0 }; /* offset + 1 */
    size_t from = 0;              /* what stands before it was kept or cut */
    assert(in.n < UINT32_MAX);
    for (size_t at = 0; at + GRAM <= in.n; at++) {
        uint32_t *slot = &seen[slot_of(in.p + at)];
        size_t before = *slot, end = at;
        *slot = (uint32_t)at + 1;
        if (!before-- || load(in.p + before) != load(in.p + at)) continue;
        size_t period = at - before;
        while (end < in.n && in.p[end] == in.p[end - period]) end++;
        if (end - at < GRAM) continue;
        for (size_t i = at + 1; i < end && i + GRAM <= in.n; i++) seen[slot_of(in.p + i)] = (uint32_t)i + 1;
        size_t keep = at + KEEP, cut = end > keep + KEEP ? (end - keep - KEEP) / period * period : 0;
        if (cut) {
            assert(from <= keep && keep + cut + KEEP <= end);
            toad__buf_add_str(out, toad__str_part(in, from, keep));
            from = keep + cut;
        }
        at = end - 1;
    }
    toad__buf_add_str(out, toad__str_part(in, from, in.n));
}
