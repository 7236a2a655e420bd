/* memory_refusal.c - how a refused write is told: the sentence that agents know from hermes' memory tool, and beside it
 * which words, why, and what to change.
 *
 * The words are the finding's excerpt as the reader of it must see them: escaped, so that a character that nobody sees
 * is shown by its number. They are what the caller has just sent; what is encoded in them is not shown. */
#include "app/memory/memory_gate.h"

#include <stdio.h>
#include <string.h>

static const char *const as_fact = "Say it as a fact about the user or the project, not as an order to the agent.",
                         *const in_words = "Say in words what is used and where; leave out the command, the address or "
                                           "the secret.",
                         *const seen = "Leave out characters and markup that a reader does not see.",
                         *const no_marks = "Leave out tags and role names that mark who is speaking.",
                         *const plain = "Write it in plain text, not encoded.";

/* What helps goes by the family of the rule. One that is not here orders the reader about, or is the user's own. */
static const struct {
    const char *family, *const *hint;
} hints[] = { { "unicode", &seen },
              { "hidden", &seen },
              { "encoding", &plain },
              { "role_forgery", &no_marks },
              { "envelope_forgery", &no_marks },
              { "exfiltration", &in_words },
              { "credential", &in_words },
              { "secrets", &in_words },
              { "shell", &in_words },
              { "persistence", &in_words },
              { "command_control", &in_words },
              { "ssrf_url", &in_words } };

static const char *hint_of(const toad__refusal *r) {
    if (!strcmp(r->rule, TOAD__THREAT_INCOMPLETE)) return "Split it into several entries.";
    if (r->encoded && strcmp(r->family, "unicode") && strcmp(r->family, "hidden")) return plain;
    for (size_t i = 0; i < sizeof hints / sizeof *hints; i++)
        if (!strcmp(r->family, hints[i].family)) return *hints[i].hint;
    return as_fact;
}

void toad__refusal_members(const toad__refusal *r, toad__answer *answer) {
    toad__answer_z(answer, "rule", r->rule);
    if (*r->words) toad__answer_z(answer, "words", r->words);
    if (r->why) toad__answer_z(answer, "why", r->why);
    toad__answer_z(answer, "hint", hint_of(r));
}

void toad__refusal_message(const toad__refusal *r, char ret[TOAD__REFUSAL_MAX]) {
    if (!strcmp(r->rule, TOAD__THREAT_INCOMPLETE))
        snprintf(ret, TOAD__REFUSAL_MAX, "Content could not be scanned to its end. Shorten the entry.");
    else
        snprintf(ret, TOAD__REFUSAL_MAX,
                 "Content blocked: matched prompt-injection pattern '%.100s'. Rephrase the entry.", r->rule);
}
