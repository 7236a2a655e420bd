/* rules.h - rules of one's own, and a look at the built-in ones.
 *
 * A rule says what a hostile text reads like. Patterns are written in the subset of docs/rules.md and matched on folded text. Rules usually
 * come from YAML files, which the bezoar program reads; this header is for programs that bring their own.
 *
 *     static const char *const patterns[] = { "open the pod bay doors?" };
 *     const bzr_rule_def def = { .size = sizeof def, .id = "pod_bay", .title = "Pod bay", .family = "custom",
 *                                .why = "Asks for the doors.", .severity = BZR_HIGH, .patterns = patterns, .patterns_n = 1 };
 *     char message[200];
 *     bzr_rules *rules;
 *     bzr_status status = bzr_rules_new(&def, 1, &rules, message, sizeof message); */
#ifndef BEZOAR_RULES_H
#define BEZOAR_RULES_H

#include "scan.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One rule. Strings are NUL-terminated UTF-8, borrowed for the time of the call; NULL means "". */
typedef struct bzr_rule_def {
    size_t size;                  /* sizeof(bzr_rule_def): lets the struct grow without breaking callers */
    const char *id;               /* a to z, 0 to 9, _; begins with a letter; unique */
    const char *title, *family;
    const char *why;              /* one sentence, shown with every finding */
    bzr_severity severity;        /* BZR_NONE: reported only where the text stands hidden */
    bzr_severity hidden_severity; /* where it stands hidden or encoded; BZR_NONE: one step above `severity` */
    bzr_scope scope;
    bool skeleton;                /* also match spaced-out, run-together and leet spellings */
    const char *gate;             /* NULL, or the decoder that a match of this rule starts; then it is no finding itself */
    const char *verify;           /* NULL, or the name of a built-in check on the matched span */
    const char *lang;             /* "en", "de fr" */
    const char *mapping;          /* "LLM01 ASI01 AML.T0051" */
    const char *const *patterns;  /* at least one; see docs/rules.md */
    size_t patterns_n;
} bzr_rule_def;

/* Compile `n` rules (0 is allowed).
 *
 * defs       array of n; all with the same `size`.
 * message    NULL, or where to write what is wrong and what would be right (ASCII, NUL-terminated, cut to message_n bytes).
 *
 * Release with bzr_rules_free. Errors: BZR_E_RULE, BZR_E_ARG (a size that is not known, n without defs), BZR_E_NOMEM. Thread rule: any thread. */
BZR_API bzr_status bzr_rules_new(const bzr_rule_def *defs, size_t n, bzr_rules **ret, char *message, size_t message_n);
/* NULL is a no-op. Engines made from it live on. */
BZR_API void bzr_rules_free(bzr_rules *rules);

/* One rule as it was compiled. Strings are never NULL and live as long as the rules, those of the built-in catalogue for ever. */
typedef struct bzr_rule {
    const char *id, *title, *family, *why, *lang, *mapping;
    bzr_severity severity, hidden_severity;
    bzr_scope scope;
    bool reports; /* false: only starts a decoder, never a finding */
} bzr_rule;

/* Number of rules; `rules` NULL means the built-in catalogue, here and below. Thread rule: any thread. */
BZR_API size_t bzr_rules_count(const bzr_rules *rules);
/* Rule `i`, in the order of definition. Errors: BZR_E_NOT_FOUND. */
BZR_API bzr_status bzr_rules_get(const bzr_rules *rules, size_t i, bzr_rule *ret);
/* The rule with this id. Errors: BZR_E_NOT_FOUND. */
BZR_API bzr_status bzr_rules_find(const bzr_rules *rules, bzr_str id, bzr_rule *ret);
/* Version of the built-in catalogue, for example "1". Static. */
BZR_API const char *bzr_catalogue_version(void);

#ifdef __cplusplus
}
#endif
#endif
