/* rulebook.h - rule files from disk, and the proof of their own examples. */
#ifndef BZR_APP_RULEBOOK_H
#define BZR_APP_RULEBOOK_H

#include "app/scan/rulefile.h"

/* Read the file at `path` into `book`. Errors: as bzr__rulefile_add, and BZR_E_IO; `message` says what and where. */
bzr_status bzr__rulebook_read(bzr__rulefile *book, const char *path, char *message, size_t message_n);

typedef struct bzr__proof {
    size_t examples, failed;
    /* An example that did not do what it should: `wanted` says whether the rule had to match it. */
    void (*miss)(void *ctx, const bzr__rule_source *source, const char *rule, const char *example, bool wanted);
    void *ctx;
} bzr__proof;

/* Scan every match and pass example of the book's rules with the whole engine: the catalogue, these rules over it,
 * views and severities as in real use. A rule that only starts a decoder makes no finding and is passed over. Errors:
 * BZR_E_NOMEM, BZR_E_RULE. */
bzr_status bzr__rulebook_prove(const bzr__rulefile *book, const bzr_rules *rules, bzr__proof *proof);

#endif
