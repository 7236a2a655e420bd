/* offmap.h - where did this byte come from?
 *
 * Every transformation of text (sanitize, fold, decode, extract) emits an offset map, so that a finding in the
 * transformed text can be shown in the original. A map is a sorted array of runs; a run says "from output byte `out`
 * on, stand input byte `in` and what follows", and ends where the next begins. Inside a run of `o` output and `i` input
 * bytes: if i is a whole multiple of o, the bytes advance together in that ratio (1:1 for copied text, 2:1 for Cyrillic
 * folded to Latin); otherwise every output byte stands for the whole input span. Runs with o == 0 are deletions.
 * Unchanged text is one run.
 *
 * Invariants: `out` and `in` never decrease; the last run ends at (out_len, in_len). Cost: O(1) amortised to append,
 * O(log runs) to look up. Thread rule: immutable once finished, any number of readers. */
#ifndef TOAD_BASE_OFFMAP_H
#define TOAD_BASE_OFFMAP_H

#include "toadstone/types.h"

typedef struct toad__run {
    uint32_t out, in;
} toad__run;

typedef struct toad__offmap {
    toad__run *runs;
    size_t n, cap;
    uint32_t out_len, in_len;
    uint32_t ratio;     /* of the last run: in bytes per out byte; 0: a deletion; UINT32_MAX: not a whole ratio */
    toad_status status; /* sticky, as in toad__buf */
} toad__offmap;

void toad__offmap_init(toad__offmap *m);
void toad__offmap_free(toad__offmap *m);
/* Empty it, keep the memory. */
void toad__offmap_clear(toad__offmap *m);
/* Append: the next `out` bytes of output come from the next `in` bytes of input. Either may be 0. */
void toad__offmap_add(toad__offmap *m, size_t out, size_t in);
/* The input has `in` more bytes before its first. */
void toad__offmap_shift(toad__offmap *m, size_t in);
/* The smallest input span that produced every byte of the output span [start, end). An empty span maps to an empty one.
 * Ends beyond the map are cut to its length. `m` NULL is the identity. */
toad_span toad__offmap_back(const toad__offmap *m, toad_span out);
/* Compose: append to `ret` the map that leads from `upper`'s output through `lower` to `lower`'s input. */
void toad__offmap_then(const toad__offmap *upper, const toad__offmap *lower, toad__offmap *ret);

#endif
