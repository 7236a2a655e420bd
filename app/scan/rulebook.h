/* rulebook.h - rule files from disk, and the proof of their own examples. */
#ifndef TOAD_APP_RULEBOOK_H
#define TOAD_APP_RULEBOOK_H

#include "app/scan/rulefile.h"

/* Read the file at `path` into `book`. Errors: as toad__rulefile_add, and TOAD_E_IO; `message` says what and where. */
toad_status toad__rulebook_read(toad__rulefile *book, const char *path, char *message, size_t message_n);

typedef struct toad__proof {
    size_t examples, failed;
    /* An example that did not do what it should: `wanted` says whether the rule had to match it. */
    void (*miss)(void *ctx, const toad__rule_source *source, const char *rule, const char *example, bool wanted);
    void *ctx;
} toad__proof;

/* Scan every match and pass example of the book's rules with the whole engine: the catalogue, these rules over it,
 * views and severities as in real use. A rule that only starts a decoder makes no finding and is passed over. Errors:
 * TOAD_E_NOMEM, TOAD_E_RULE. */
toad_status toad__rulebook_prove(const toad__rulefile *book, const toad_rules *rules, toad__proof *proof);

#endif
