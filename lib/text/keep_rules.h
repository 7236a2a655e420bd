/* keep_rules.h - one ruling on one odd code point: may it stay, and if not, what stands in its place?
 *
 * The rules are told in docs/sanitize.md. What stands to the left is the OUTPUT so far, what stands to
 * the right is input, and a rule may only lean on right neighbors that are never removed themselves. Two passes
 * therefore see the same neighbors, which is why sanitizing is idempotent. Each ruling looks at a bounded stretch, or
 * at the rest of a line once per line. */
#ifndef TOAD_TEXT_KEEP_RULES_H
#define TOAD_TEXT_KEEP_RULES_H

#include "lib/text/sanitize.h"
#include "lib/text/terminal.h"

typedef enum toad__action_on { TOAD__KEEP, TOAD__DROP, TOAD__PUT } toad__action_on;

typedef struct toad__ruling {
    toad__action_on act;
    size_t n;               /* bytes of input ruled on */
    size_t cut;             /* bytes at the end of the output that go as well */
    toad_str put;           /* TOAD__PUT: what is written instead */
    toad__census_class why; /* when something changes or is reported */
    bool report;            /* by itself a finding */
    bool ends_line;         /* blanks before it that spell bits go, too */
} toad__ruling;

typedef struct toad__keeper {
    toad_str in;
    size_t solid; /* the input up to here was kept without a gap before it */
    toad__colors colors;
    size_t line_end; /* the line facts below hold for offsets before it */
    bool line_rtl, line_math, line_isolates_ok;
    bool swaps_known, swaps; /* VS15 and VS16 alternate like bits */
    size_t replaced_at;      /* output length behind a replaced private-use run, 0 when none */
} toad__keeper;

void toad__keeper_init(toad__keeper *k, toad_str in);
/* Offset of the next code point at or after `at` that needs a ruling (or of a line feed with blanks before it), or
 * in.n. */
size_t toad__next_odd(toad_str in, size_t at);
/* The same without AVX2, for the tests that compare both. */
size_t toad__next_odd_portable(toad_str in, size_t at);
/* Rule on what stands at `at` (< in.n); `left` is the output so far. */
toad__ruling toad__rule_on(toad__keeper *k, toad_str left, size_t at);
/* Whether the ruling on what ends at `at` is also the one on what stands there: a dropped code point between two of its
 * kind, with the same output to its left; a byte that is ill-formed by itself behind another. */
bool toad__rules_alike(const toad__ruling *r, toad_str in, size_t at);
/* Bytes of blanks and tabs at the end of `left` that spell bits (they alternate): the channel of SNOW. */
size_t toad__trailing_bits(toad_str left);

#endif
