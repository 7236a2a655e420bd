/* match_repeat.h - text that repeats itself need not be examined again.
 *
 * A text of near misses, copied over and over, triggers the same patterns all the time, and none of them matches. So it
 * is remembered where a literal stood, by what stands around it, and whether every pattern it triggered there was shown
 * not to match. Where it stands again within the same bytes, as far as any match reaches, the answer is the same. The
 * bytes are compared, not their hashes; and along a copied stretch each only once. */
#ifndef TOAD_SCAN_MATCH_REPEAT_H
#define TOAD_SCAN_MATCH_REPEAT_H

#include "lib/scan/match_walk.h"

#define TOAD__REPEAT_PLACES 4096u
#define TOAD__NOWHERE       UINT32_MAX

typedef struct toad__place {
    uint64_t when; /* `clock` of the text plus the offset */
    uint32_t literal;
    uint32_t around : 31; /* hash */
    uint32_t quiet : 1;   /* no pattern that the literal triggers matches with it there */
} toad__place;

typedef struct toad__repeats {
    toad__place places[TOAD__REPEAT_PLACES]; /* by hash, in one of two neighbors */
    uint32_t reach; /* a match with the literal lies within so many bytes of it, and what it depends on too */
    uint32_t from, to, distance; /* [from, to) is a copy of the bytes `distance` before, line starts included */
    uint32_t steps;              /* that may still be compared in this text, so that it stays linear */
} toad__repeats;

/* A new text of n bytes, for patterns that reach so far. */
void toad__repeats_begin(toad__repeats *r, uint32_t n, uint32_t reach);

/* The place of `literal` at `at`, to be brought up to date by the caller; *ret where the literal stood before within
 * the same bytes, or TOAD__NOWHERE. */
toad__place *toad__repeats_find(toad__repeats *r, const subject *t, uint64_t clock, uint32_t literal, uint32_t at,
                                uint32_t *ret);
/* Where the copied stretch of which the last place found is a part ends. */
uint32_t toad__repeats_end(toad__repeats *r, const subject *t);

#endif
