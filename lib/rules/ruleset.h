/* ruleset.h - rules as one flat, position-independent, read-only table.
 *
 * A rule definition (from data/rules or a user's file) holds patterns in the documented subset (docs/rules.md). The
 * compiler folds the literals, derives for each pattern a set of literals of which every match must hold at least one,
 * and a bit-parallel automaton of bounded length; and it lays out the filter tables. The same bytes are built into the
 * binary for the catalogue and on the heap for user rules. Thread rule: a rule set is immutable; any number of readers.
 */
#ifndef TOAD_RULES_RULESET_H
#define TOAD_RULES_RULESET_H

#include "toadstone/types.h"

/* One rule as its author wrote it. Strings are borrowed for the time of the call. */
typedef struct toad__rule_def {
    const char *id, *title, *family, *why;
    toad_severity severity; /* TOAD_NONE: reported only where it stands hidden */
    toad_severity
        hidden_severity; /* where it stands hidden, encoded or invisible; TOAD_NONE: one step above `severity` */
    toad_scope scope;
    bool skeleton;            /* also matched on the skeleton (text/skeleton.h) */
    bool not_in_memory;       /* a mere cue: where it stands plain in an entry of a memory, it is not reported */
    bool low_in_instructions; /* what owners tell their agents: where it stands plain in an instruction file, it is low
                               */
    toad_severity tools_severity; /* where it stands plain in a tool description; TOAD_NONE: as `severity` says */
    const char *gate;             /* not NULL: no finding of its own; a match starts this transform (decode.h) */
    const char *verify;           /* NULL, or the name of a check in lib/scan/verify.c */
    const char *lang;             /* "en", "de fr" */
    const char *mapping;          /* "LLM01 ASI01 AML.T0051 CWE-77" */
    const char *const *patterns;
    size_t n_patterns;
    int line; /* in its file, for messages */
} toad__rule_def;

/* One rule as the scanner sees it. */
typedef struct toad__rule {
    const char *id, *title, *family, *why, *lang, *mapping, *gate, *verify; /* "" where there is none */
    toad_severity severity, hidden_severity, tools_severity;
    toad_scope scope;
    bool skeleton, not_in_memory, low_in_instructions;
} toad__rule;

typedef struct toad__ruleset toad__ruleset;

typedef struct toad__rule_error {
    size_t rule;       /* index into the definitions */
    size_t pattern;    /* index into its patterns */
    size_t at;         /* offset in the pattern */
    char message[160]; /* what was wrong and what would be right; ASCII */
} toad__rule_error;

/* Compile. Errors: TOAD_E_RULE with *err filled, TOAD_E_NOMEM. Release with toad__ruleset_free. */
toad_status toad__ruleset_compile(const toad__rule_def *defs, size_t n, toad__ruleset **ret, toad__rule_error *err);
void toad__ruleset_free(toad__ruleset *set); /* not for the catalogue */
/* The catalogue that is in the binary, and its version ("1"). */
const toad__ruleset *toad__catalogue(void);
const char *toad__catalogue_version(void);
size_t toad__ruleset_count(const toad__ruleset *set);
void toad__ruleset_rule(const toad__ruleset *set, size_t i, toad__rule *ret);
/* Index of a rule by id, or SIZE_MAX. */
size_t toad__ruleset_find(const toad__ruleset *set, toad_str id);
/* The table as bytes, for the generator. */
toad_str toad__ruleset_bytes(const toad__ruleset *set);

#endif
