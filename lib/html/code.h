/* code.h - Markdown around the tags of HTML: what is code, where '<' is text. After CommonMark: a fence goes on to one
 * that closes it or to the end, inline code to as many back quotes in the same paragraph, and there is neither in a
 * block of HTML. */
#ifndef TOAD_HTML_CODE_H
#define TOAD_HTML_CODE_H

#include "lib/html/state.h"

/* Is there nothing but blanks and marks of quotation before it in its line? */
bool toad__begins_line(toad_str s, size_t at);
/* Where code may begin in [from, to): a back quote, or a fence of tildes; `to` where there is none. */
size_t toad__code_begins(toad_str s, size_t from, size_t to);
/* The end of the code that begins at `at`, or of the marks there if they begin none. Within a fence, the end of that.
 * Keeps in `now` whether a fence is open at the end of the input. */
size_t toad__code_end(toad_str s, size_t at, toad__html_state *now);

/* Elements whose end tag was looked for and not found, by their number; what follows later has none, either. */
typedef struct toad__open_ends {
    uint64_t bits[4];
} toad__open_ends;
/* Does an end tag of the element follow behind `from`? */
bool toad__ends_ahead(toad__open_ends *known, toad_str s, size_t from, const toad__element *e);

#endif
