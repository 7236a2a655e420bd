/* pattern.h - a pattern on its way from text to automaton: what the parts of the rule compiler hand each other.
 *
 * parse.c makes a tree of byte sets, literals folded by the folder of the views. glushkov.c numbers the sets of the
 * tree: a position is one byte of a match, and because every repetition is bounded and written out, a position is only
 * ever followed by higher ones. So the graph has no cycle, and lengths and distances are exact. factors.c finds the
 * literals of which every match must hold one. compile.c writes the table. Nothing here outlives the compilation; all
 * of it lies in one arena. */
#ifndef TOAD_RULES_PATTERN_H
#define TOAD_RULES_PATTERN_H

#include "lib/base/arena.h"
#include "lib/base/limits.h"
#include "lib/rules/ruleset.h"
#include "lib/text/fold.h"

/* A set of byte values. */
typedef struct toad__bytes {
    uint64_t w[4];
} toad__bytes;

static inline void toad__bytes_add(toad__bytes *s, unsigned c) { s->w[c >> 6] |= (uint64_t)1 << (c & 63); }
static inline bool toad__bytes_has(const toad__bytes *s, unsigned c) { return (s->w[c >> 6] >> (c & 63)) & 1; }
unsigned toad__bytes_count(const toad__bytes *s);

typedef enum toad__pnode_kind { TOAD__P_EMPTY, TOAD__P_SET, TOAD__P_CAT, TOAD__P_ALT, TOAD__P_REPEAT } toad__pnode_kind;

typedef struct toad__pnode {
    toad__pnode_kind kind;
    unsigned min, max;         /* REPEAT: how often its one child stands */
    toad__bytes set;           /* SET */
    struct toad__pnode *child; /* first child */
    struct toad__pnode *next;  /* next sibling */
} toad__pnode;

/* What must hold at an end of a match. */
enum { TOAD__EDGE_NONE, TOAD__EDGE_WORD, TOAD__EDGE_LINE, TOAD__EDGES };

/* One top-level alternative. */
typedef struct toad__branch {
    toad__pnode *body;
    unsigned left, right; /* TOAD__EDGE_ */
    struct toad__branch *next;
} toad__branch;

/* Parse `pattern`. `fold` is scratch. Errors: TOAD_E_RULE with err->at and err->message set, TOAD_E_NOMEM. */
toad_status toad__pattern_parse(toad_str pattern, toad__arena *arena, toad__view *fold, toad__branch **ret,
                                toad__rule_error *err);
/* The same pattern as it reads on the skeleton of a text. NULL: out of memory. */
toad__branch *toad__pattern_skeleton(const toad__branch *branches, toad__arena *arena);

#define TOAD__WORDS_MAX (TOAD__LIMIT_PATTERN_POSITIONS / 64)

/* Positions of one pattern, with bit sets over them of `words` words. */
typedef struct toad__positions {
    unsigned n, words;
    toad__bytes *set;                /* [n] the bytes a position takes */
    uint64_t *follow;                /* [n][words] the positions that may come next; all of them higher */
    uint64_t *first[TOAD__EDGES];    /* [words] where a match may begin, by what must hold before it */
    uint64_t *last[TOAD__EDGES];     /* [words] where it may end, by what must hold after it */
    uint32_t *depth_min, *depth_max; /* [n] bytes of a match before the position */
    uint32_t len_min, len_max;       /* bytes of a match */
} toad__positions;

static inline bool toad__bit(const uint64_t *set, unsigned i) { return (set[i >> 6] >> (i & 63)) & 1; }
static inline void toad__bit_set(uint64_t *set, unsigned i) { set[i >> 6] |= (uint64_t)1 << (i & 63); }

/* How many positions the subtree has; more than the limit counts as one more than the limit. */
unsigned toad__pnode_positions(const toad__pnode *n);
/* Number the positions, in the order of the tree. Errors: TOAD_E_RULE (too large, can be empty), TOAD_E_NOMEM. */
toad_status toad__positions_of(const toad__branch *branches, toad__arena *arena, toad__positions *ret,
                               toad__rule_error *err);

#define TOAD__LITERAL_MAX 8 /* one load, one compare */
#define TOAD__LITERAL_MIN 3

typedef struct toad__literal {
    uint8_t n;
    uint8_t at; /* offset of its rarest gram, or of the first of its rarest two neighboring ones: where its filter looks
                   (table.h) */
    char p[TOAD__LITERAL_MAX];
} toad__literal;

/* Literals of which a match holds one; sorted, each once. */
typedef struct toad__literals {
    size_t n;
    double rate;  /* how often one is expected at a byte of ordinary text */
    double fixed; /* what its place in the filter costs, in cycles per megabyte */
    const toad__literal *at;
} toad__literals;

#define TOAD__GUARDS 2

/* Every match holds a literal of the set, taken by positions of [from, to) alone. */
typedef struct toad__factor {
    toad__literals set;
    unsigned from, to;
} toad__factor;

/* Every match of one top-level alternative holds the factors: the guards first, in no order, and then the trigger,
 * overlapping none. */
typedef struct toad__chain {
    toad__factor trigger;
    toad__factor guards[TOAD__GUARDS];
    unsigned n_guards;
} toad__chain;

/* The cheapest chain for each top-level alternative: (*ret)[0..n). Errors: TOAD_E_RULE (there is none), TOAD_E_NOMEM.
 */
toad_status toad__factors_of(const toad__branch *branches, toad__arena *arena, const toad__chain **ret, size_t *ret_n,
                             toad__rule_error *err);

/* Write a message for the pattern. Always TOAD_E_RULE. */
toad_status toad__rule_fail(toad__rule_error *err, size_t at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
