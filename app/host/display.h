/* display.h - a text as a person must see it before saying yes to it.
 *
 * A question to the user shows everything that could hide or mislead: control, default-ignorable, bidirectional,
 * private-use and non-ASCII blank characters as \u{...}, letters that pass for ASCII as \u{...} too, hosts in punycode
 * with a note, line breaks as \n before they are taken, runs of blanks and line breaks counted instead of shown, and of
 * a long text head, tail and length, never only the head. A backslash of the text is doubled, so nothing in it can pass
 * for one of these marks. What is pointed at stands between \u00bb and \u00ab, which the text itself then has as
 * \u{...}. Linear in the text. */
#ifndef TOAD_APP_DISPLAY_H
#define TOAD_APP_DISPLAY_H

#include "lib/base/buf.h"

typedef struct toad__display_how {
    const char *indent;     /* lines after the first begin with it */
    const toad_span *marks; /* what to point at: in order, apart from each other */
    size_t marks_n;
    bool reading; /* a text to be read, not agreed to: nothing marks a line break ... */
    bool whole;   /* ... and nothing of a long one is left out */
} toad__display_how;

/* Append `s` to `text`. Each note is appended to `notes` as a line of printable ASCII. Errors: TOAD_E_NOMEM,
 * TOAD_E_LIMIT (of the buffers). */
toad_status toad__display_as(toad__buf *text, toad__buf *notes, const toad__display_how *how, toad_str s);
/* The same without marks, for a text to be agreed to. */
toad_status toad__display(toad__buf *text, toad__buf *notes, const char *indent, toad_str s);

/* May it stand in a command of ours that a person is to copy? Letters, digits, ._- and no option. */
bool toad__is_plain_word(toad_str s);

#endif
