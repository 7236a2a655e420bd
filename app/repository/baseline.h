/* baseline.h - findings that were there before: a file of fingerprints.
 *
 * A fingerprint is made of rule, path and the words of the lines that the finding stands in, blanks folded, with a
 * number for equal ones in one file. So it stays when lines move and goes when their words change: what was accepted
 * was this text. It is a truncated SHA-256, since the author of a tree must not be able to make a new finding that
 * passes for an old one. Thread rule: once read, any thread. */
#ifndef TOAD_APP_BASELINE_H
#define TOAD_APP_BASELINE_H

#include "lib/base/buf.h"

#define TOAD__BASELINE_MAX ((size_t)64 << 20)

typedef struct toad__baseline toad__baseline;

/* Read the bytes of a baseline. On TOAD_E_SYNTAX `message` says what is wrong, in ASCII. Errors: TOAD_E_SYNTAX,
 * TOAD_E_NOMEM, TOAD_E_LIMIT. */
toad_status toad__baseline_new(toad_str json, toad__baseline **ret, char *message, size_t message_n);
void toad__baseline_free(toad__baseline *b); /* NULL is a no-op */
size_t toad__baseline_count(const toad__baseline *b);
bool toad__baseline_has(const toad__baseline *b, const char *fingerprint);

/* One entry and a comma and line feed after it. */
void toad__baseline_add(toad__buf *entries, const char *fingerprint, const char *rule, const char *path,
                        toad_severity severity);
/* Write the whole file in one step: the old one stays until the new one is on the disk. Returns 0 or an errno. */
int toad__baseline_write(const char *path, toad_str entries);

#endif
