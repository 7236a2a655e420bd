/* pattern.h - a pattern on its way from text to automaton: what the parts of the rule compiler hand each other.
 *
 * parse.c makes a tree of byte sets, literals folded by the folder of the views. glushkov.c numbers the sets of the tree: a position is one
 * byte of a match, and because every repetition is bounded and written out, a position is only ever followed by higher ones. So the graph
 * has no cycle, and lengths and distances are exact. factors.c finds the literals of which every match must hold one. compile.c writes
 * the table. Nothing here outlives the compilation; all of it lies in one arena. */
#ifndef BZR_RULES_PATTERN_H
#define BZR_RULES_PATTERN_H

#include "lib/base/arena.h"
#include "lib/base/limits.h"
#include "lib/rules/ruleset.h"
#include "lib/text/fold.h"

/* A set of byte values. */
typedef struct bzr__bytes {
    uint64_t w[4];
} bzr__bytes;

static inline void bzr__bytes_add(bzr__bytes *s, unsigned c) { s->w[c >> 6] |= (uint64_t)1 << (c & 63); }
static inline bool bzr__bytes_has(const bzr__bytes *s, unsigned c) { return (s->w[c >> 6] >> (c & 63)) & 1; }
unsigned bzr__bytes_count(const bzr__bytes *s);

typedef enum bzr__pnode_kind { BZR__P_EMPTY, BZR__P_SET, BZR__P_CAT, BZR__P_ALT, BZR__P_REPEAT } bzr__pnode_kind;

typedef struct bzr__pnode {
    bzr__pnode_kind kind;
    unsigned min, max;        /* REPEAT: how often its one child stands */
    bzr__bytes set;           /* SET */
    struct bzr__pnode *child; /* first child */
    struct bzr__pnode *next;  /* next sibling */
} bzr__pnode;

/* What must hold at an end of a match. */
enum { BZR__EDGE_NONE, BZR__EDGE_WORD, BZR__EDGE_LINE, BZR__EDGES };

/* One top-level alternative. */
typedef struct bzr__branch {
    bzr__pnode *body;
    unsigned left, right; /* BZR__EDGE_ */
    struct bzr__branch *next;
} bzr__branch;

/* Parse `pattern`. `fold` is scratch. Errors: BZR_E_RULE with err->at and err->message set, BZR_E_NOMEM. */
bzr_status bzr__pattern_parse(bzr_str pattern, bzr__arena *arena, bzr__view *fold, bzr__branch **ret, bzr__rule_error *err);
/* The same pattern as it reads on the skeleton of a text. NULL: out of memory. */
bzr__branch *bzr__pattern_skeleton(const bzr__branch *branches, bzr__arena *arena);

#define BZR__WORDS_MAX (BZR__LIMIT_PATTERN_POSITIONS / 64)

/* Positions of one pattern, with bit sets over them of `words` words. */
typedef struct bzr__positions {
    unsigned n, words;
    bzr__bytes *set;                 /* [n] the bytes a position takes */
    uint64_t *follow;                /* [n][words] the positions that may come next; all of them higher */
    uint64_t *first[BZR__EDGES];     /* [words] where a match may begin, by what must hold before it */
    uint64_t *last[BZR__EDGES];      /* [words] where it may end, by what must hold after it */
    uint32_t *depth_min, *depth_max; /* [n] bytes of a match before the position */
    uint32_t len_min, len_max;       /* bytes of a match */
} bzr__positions;

static inline bool bzr__bit(const uint64_t *set, unsigned i) { return (set[i >> 6] >> (i & 63)) & 1; }
static inline void bzr__bit_set(uint64_t *set, unsigned i) { set[i >> 6] |= (uint64_t)1 << (i & 63); }

/* How many positions the subtree has; more than the limit counts as one more than the limit. */
unsigned bzr__pnode_positions(const bzr__pnode *n);
/* Number the positions, in the order of the tree. Errors: BZR_E_RULE (too large, can be empty), BZR_E_NOMEM. */
bzr_status bzr__positions_of(const bzr__branch *branches, bzr__arena *arena, bzr__positions *ret, bzr__rule_error *err);

#define BZR__LITERAL_MAX 8 /* one load, one compare */
#define BZR__LITERAL_MIN 3

typedef struct bzr__literal {
    uint8_t n;
    uint8_t at; /* offset of its rarest gram, or of the first of its rarest two neighboring ones: where its filter looks (table.h) */
    char p[BZR__LITERAL_MAX];
} bzr__literal;

/* Literals of which a match holds one; sorted, each once. */
typedef struct bzr__literals {
    size_t n;
    double rate;  /* how often one is expected at a byte of ordinary text */
    double fixed; /* what its place in the filter costs, in cycles per megabyte */
    const bzr__literal *at;
} bzr__literals;

#define BZR__GUARDS 2

/* Every match holds a literal of the set, taken by positions of [from, to) alone. */
typedef struct bzr__factor {
    bzr__literals set;
    unsigned from, to;
} bzr__factor;

/* Every match of one top-level alternative holds the factors: the guards first, in no order, and then the trigger, overlapping none. */
typedef struct bzr__chain {
    bzr__factor trigger;
    bzr__factor guards[BZR__GUARDS];
    unsigned n_guards;
} bzr__chain;

/* The cheapest chain for each top-level alternative: (*ret)[0..n). Errors: BZR_E_RULE (there is none), BZR_E_NOMEM. */
bzr_status bzr__factors_of(const bzr__branch *branches, bzr__arena *arena, const bzr__chain **ret, size_t *ret_n, bzr__rule_error *err);

/* Write a message for the pattern. Always BZR_E_RULE. */
bzr_status bzr__rule_fail(bzr__rule_error *err, size_t at, const char *format, ...) __attribute__((format(printf, 3, 4)));

#endif
