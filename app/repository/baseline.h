/* baseline.h - findings that were there before: a file of fingerprints.
 *
 * A fingerprint is made of rule, path and the words of the lines that the finding stands in, blanks folded, with a
 * number for equal ones in one file. So it stays when lines move and goes when their words change: what was accepted
 * was this text. It is a truncated SHA-256, since the author of a tree must not be able to make a new finding that
 * passes for an old one. Thread rule: once read, any thread. */
#ifndef BZR_APP_BASELINE_H
#define BZR_APP_BASELINE_H

#include "lib/base/buf.h"

#define BZR__BASELINE_MAX ((size_t)64 << 20)

typedef struct bzr__baseline bzr__baseline;

/* Read the bytes of a baseline. On BZR_E_SYNTAX `message` says what is wrong, in ASCII. Errors: BZR_E_SYNTAX,
 * BZR_E_NOMEM, BZR_E_LIMIT. */
bzr_status bzr__baseline_new(bzr_str json, bzr__baseline **ret, char *message, size_t message_n);
void bzr__baseline_free(bzr__baseline *b); /* NULL is a no-op */
size_t bzr__baseline_count(const bzr__baseline *b);
bool bzr__baseline_has(const bzr__baseline *b, const char *fingerprint);

/* One entry and a comma and line feed after it. */
void bzr__baseline_add(bzr__buf *entries, const char *fingerprint, const char *rule, const char *path,
                       bzr_severity severity);
/* Write the whole file in one step: the old one stays until the new one is on the disk. Returns 0 or an errno. */
int bzr__baseline_write(const char *path, bzr_str entries);

#endif
