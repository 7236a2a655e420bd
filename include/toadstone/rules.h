/* rules.h - rules of one's own, and a look at the built-in ones.
 *
 * A rule says what a hostile text reads like. Patterns are written in the subset of docs/rules.md and matched on folded
 * text. Rules usually come from YAML files, which the toadstone program reads; this header is for programs that bring
 * their own.
 *
 *     static const char *const patterns[] = { "open the pod bay doors?" };
 *     toad_rule_def def = TOAD_RULE_DEF_INIT;
 *     def.id = "pod_bay", def.title = "Pod bay", def.family = "custom", def.why = "Asks for the doors.";
 *     def.severity = TOAD_HIGH, def.patterns = patterns, def.patterns_n = 1;
 *     char message[200];
 *     toad_rules *rules;
 *     toad_status status = toad_rules_new(&def, 1, &rules, message, sizeof message); */
#ifndef TOADSTONE_RULES_H
#define TOADSTONE_RULES_H

#include "scan.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One rule. SIZED. Strings are NUL-terminated UTF-8, borrowed for the time of the call; NULL means "". */
typedef struct toad_rule_def {
    size_t size;    /* sizeof(toad_rule_def) */
    const char *id; /* a to z, 0 to 9, _; begins with a letter; unique */
    const char *title, *family;
    const char *why;               /* one sentence, shown with every finding */
    toad_severity severity;        /* TOAD_NONE: reported only where the text stands hidden */
    toad_severity hidden_severity; /* where it stands hidden or encoded; TOAD_NONE: one step above `severity` */
    toad_scope scope;
    bool skeleton;       /* also match spaced-out, run-together and leet spellings */
    const char *gate;    /* NULL, or the decoder that a match of this rule starts; then it is no finding itself */
    const char *verify;  /* NULL, or the name of a built-in check on the matched span */
    const char *lang;    /* "en", "de fr" */
    const char *mapping; /* "LLM01 ASI01 AML.T0051": OWASP LLM, OWASP Agentic, MITRE ATLAS, CWE */
    const char *const *patterns; /* at least one; see docs/rules.md */
    size_t patterns_n;
} toad_rule_def;
#define TOAD_RULE_DEF_INIT                                                                                          \
    {                                                                                                               \
        sizeof(toad_rule_def), NULL, NULL, NULL, NULL, TOAD_NONE, TOAD_NONE, TOAD_RELAXED, false, NULL, NULL, NULL, \
            NULL, NULL, 0                                                                                           \
    }

/* Compile rules: to automata of bounded size, so that no pattern can make a scan slow.
 *
 * defs       Array of `n` (0 is allowed), all of one size.
 * ret        The rules, for toad_rules_free; an engine that was made of them has its own copy.
 * message    NULL, or where to write what is wrong and what would be right (ASCII, NUL-terminated, cut to `message_n`
 *            bytes); written on TOAD_E_RULE only.
 *
 * Errors: TOAD_E_RULE (a field or a pattern is wrong, an id stands twice), TOAD_E_LIMIT (more than 8192 rules),
 * TOAD_E_ARG, TOAD_E_NOMEM. Thread rule: any thread. */
TOAD_API toad_status toad_rules_new(const toad_rule_def *defs, size_t n, toad_rules **ret, char *message,
                                    size_t message_n);
TOAD_API void toad_rules_free(toad_rules *rules); /* NULL is a no-op. Engines made from it live on. */

/* One rule as it was compiled. FROZEN. Strings are never NULL and live as long as the rules, those of the built-in
 * catalogue for ever. */
typedef struct toad_rule {
    const char *id, *title, *family, *why, *lang, *mapping;
    toad_severity severity, hidden_severity;
    toad_scope scope;
    bool reports; /* false: only starts a decoder, never a finding */
} toad_rule;

/* What rules there are; `rules` NULL means the built-in catalogue.
 *
 * count    Their number.
 * get      Rule `i`, in the order of definition. Errors: TOAD_E_NOT_FOUND (`i` is no rule), TOAD_E_ARG.
 * find     The rule with this id; `id` need not end in NUL. Errors: TOAD_E_NOT_FOUND, TOAD_E_ARG.
 * version  Of the built-in catalogue: "1". A verdict of another version may differ; it stands in each verdict's JSON.
 *
 * The struct is copied to the caller's, its strings are not. Thread rule: any thread. */
TOAD_API size_t toad_rules_count(const toad_rules *rules);
TOAD_API toad_status toad_rules_get(const toad_rules *rules, size_t i, toad_rule *ret);
TOAD_API toad_status toad_rules_find(const toad_rules *rules, toad_str id, toad_rule *ret);
TOAD_API const char *toad_catalogue_version(void);

#ifdef __cplusplus
}
#endif
#endif
