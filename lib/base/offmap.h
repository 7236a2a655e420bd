/* offmap.h - where did this byte come from?
 *
 * Every transformation of text (sanitize, fold, decode, extract) emits an offset map, so that a finding in the transformed
 * text can be shown in the original. A map is a sorted array of runs; a run says "from output byte `out` on, stand input
 * byte `in` and what follows", and ends where the next begins. Inside a run of `o` output and `i` input bytes: if i is a
 * whole multiple of o, the bytes advance together in that ratio (1:1 for copied text, 2:1 for Cyrillic folded to Latin);
 * otherwise every output byte stands for the whole input span. Runs with o == 0 are deletions. Unchanged text is one run.
 *
 * Invariants: `out` and `in` never decrease; the last run ends at (out_len, in_len). Cost: O(1) amortised to append,
 * O(log runs) to look up. Thread rule: immutable once finished, any number of readers. */
#ifndef BZR_BASE_OFFMAP_H
#define BZR_BASE_OFFMAP_H

#include "bezoar/types.h"

typedef struct bzr__run {
    uint32_t out, in;
} bzr__run;

typedef struct bzr__offmap {
    bzr__run *runs;
    size_t n, cap;
    uint32_t out_len, in_len;
    uint32_t ratio;    /* of the last run: in bytes per out byte; 0: a deletion; UINT32_MAX: not a whole ratio */
    bzr_status status; /* sticky, as in bzr__buf */
} bzr__offmap;

void bzr__offmap_init(bzr__offmap *m);
void bzr__offmap_free(bzr__offmap *m);
/* Empty it, keep the memory. */
void bzr__offmap_clear(bzr__offmap *m);
/* Append: the next `out` bytes of output come from the next `in` bytes of input. Either may be 0. */
void bzr__offmap_add(bzr__offmap *m, size_t out, size_t in);
/* The input has `in` more bytes before its first. */
void bzr__offmap_shift(bzr__offmap *m, size_t in);
/* The smallest input span that produced every byte of the output span [start, end). An empty span maps to an empty one.
 * Ends beyond the map are cut to its length. `m` NULL is the identity. */
bzr_span bzr__offmap_back(const bzr__offmap *m, bzr_span out);
/* Compose: append to `ret` the map that leads from `upper`'s output through `lower` to `lower`'s input. */
void bzr__offmap_then(const bzr__offmap *upper, const bzr__offmap *lower, bzr__offmap *ret);

#endif
