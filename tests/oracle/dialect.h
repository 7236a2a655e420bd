/* dialect.h - our pattern dialect in the syntax of Vectorscan and PCRE2, and folded text with its line breaks put back.
 */
#ifndef TOAD_ORACLE_DIALECT_H
#define TOAD_ORACLE_DIALECT_H

#include "lib/base/buf.h"
#include "lib/text/fold.h"

/* Append the regular expression (to be read with MULTILINE and DOTALL) for a pattern that our compiler accepts. Works
 * on the text of the pattern, apart from our own parser, so that an error in that parser shows. */
void oracle_regex(const char *pattern, toad__buf *to);
/* Append `text` with '\n' for the blanks that stand before a line start and for a blank at the very end. */
void oracle_text(toad_str text, const uint8_t *lines, toad__buf *to);

#endif
