/* match.h - the matcher: a sampled q-gram filter over the view, then the automaton of just that rule on just that
 * window.
 *
 * Exact and linear, no backtracking: for every rule, the (document, rule) answer equals that of a regular-expression
 * engine on the same folded text (tests/oracle: Vectorscan, PCRE2). Reported spans are leftmost, then longest,
 * non-overlapping per pattern, in order of their end. Overlapping windows of one pattern are walked once; text made of
 * nothing but literals stays bounded. */
#ifndef TOAD_SCAN_MATCH_H
#define TOAD_SCAN_MATCH_H

#include "lib/rules/ruleset.h"

typedef enum toad__match_set { TOAD__MATCH_TEXT, TOAD__MATCH_SKELETON } toad__match_set;

typedef struct toad__matcher toad__matcher;                 /* scratch of one thread, tied to one rule set */
toad__matcher *toad__matcher_new(const toad__ruleset *set); /* NULL: out of memory */
void toad__matcher_free(toad__matcher *m);

/* Look only for the rules for which wanted[rule] is true, until further notice; NULL: for all. The array is borrowed
 * and must outlive its use. */
void toad__matcher_want(toad__matcher *m, const bool *wanted);

/* A match of `rule` at [start, end) of the text. Returning false stops the search. */
typedef bool (*toad__match_fn)(void *ctx, uint32_t rule, uint32_t start, uint32_t end);

/* Search folded `text` (at most 16 MiB). `lines`: bit i set where byte i starts a line (fold.h); NULL: only byte 0
 * does. Returns false if `fn` stopped it. Never allocates. */
bool toad__match(toad__matcher *m, toad__match_set which, toad_str text, const uint8_t *lines, toad__match_fn fn,
                 void *ctx);

/* To be called from within the match function: the pattern that has just matched need not be looked for before `until`
 * of this text, UINT32_MAX: any more. */
void toad__matcher_skip(toad__matcher *m, uint32_t until);
/* Did a pattern use up its budget in the last text, so that later matches of it may be missing? */
bool toad__matcher_exhausted(const toad__matcher *m);

#endif
