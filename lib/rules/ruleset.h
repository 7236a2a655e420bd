/* ruleset.h - rules as one flat, position-independent, read-only table.
 *
 * A rule definition (from data/rules or a user's file) holds patterns in the documented subset (docs/rules.md). The compiler folds the literals, derives for each pattern a set of
 * literals of which every match must hold at least one, and a bit-parallel automaton of bounded length; and it lays out the filter tables. The same bytes are built into the binary for the catalogue
 * and on the heap for user rules. Thread rule: a rule set is immutable; any number of readers. */
#ifndef BZR_RULES_RULESET_H
#define BZR_RULES_RULESET_H

#include "bezoar/types.h"

/* One rule as its author wrote it. Strings are borrowed for the time of the call. */
typedef struct bzr__rule_def {
    const char *id, *title, *family, *why;
    bzr_severity severity;        /* BZR_NONE: reported only where it stands hidden */
    bzr_severity hidden_severity; /* where it stands hidden, encoded or invisible; BZR_NONE: one step above `severity` */
    bzr_scope scope;
    bool skeleton;                /* also matched on the skeleton (text/skeleton.h) */
    const char *gate;             /* not NULL: no finding of its own; a match starts this transform (decode.h) */
    const char *verify;           /* NULL, or the name of a check in lib/scan/verify.c */
    const char *lang;             /* "en", "de fr" */
    const char *mapping;          /* "LLM01 ASI01 AML.T0051 CWE-77" */
    const char *const *patterns; size_t n_patterns;
    int line;                     /* in its file, for messages */
} bzr__rule_def;

/* One rule as the scanner sees it. */
typedef struct bzr__rule {
    const char *id, *title, *family, *why, *lang, *mapping, *gate, *verify; /* "" where there is none */
    bzr_severity severity, hidden_severity;
    bzr_scope scope;
    bool skeleton;
} bzr__rule;

typedef struct bzr__ruleset bzr__ruleset;

typedef struct bzr__rule_error {
    size_t rule;        /* index into the definitions */
    size_t pattern;     /* index into its patterns */
    size_t at;          /* offset in the pattern */
    char message[160];  /* what was wrong and what would be right; ASCII */
} bzr__rule_error;

/* Compile. Errors: BZR_E_RULE with *err filled, BZR_E_NOMEM. Release with bzr__ruleset_free. */
bzr_status bzr__ruleset_compile(const bzr__rule_def *defs, size_t n, bzr__ruleset **ret, bzr__rule_error *err);
void bzr__ruleset_free(bzr__ruleset *set); /* not for the catalogue */
/* The catalogue that is in the binary, and its version ("1"). */
const bzr__ruleset *bzr__catalogue(void);
const char *bzr__catalogue_version(void);
size_t bzr__ruleset_count(const bzr__ruleset *set);
void bzr__ruleset_rule(const bzr__ruleset *set, size_t i, bzr__rule *ret);
/* Index of a rule by id, or SIZE_MAX. */
size_t bzr__ruleset_find(const bzr__ruleset *set, bzr_str id);
/* The table as bytes, for the generator. */
bzr_str bzr__ruleset_bytes(const bzr__ruleset *set);

#endif
