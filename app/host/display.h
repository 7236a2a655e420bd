/* display.h - a text as a person must see it before saying yes to it.
 *
 * A question to the user shows everything that could hide or mislead: control, default-ignorable, bidirectional,
 * private-use and non-ASCII blank characters as \u{...}, letters that pass for ASCII as \u{...} too, hosts in punycode
 * with a note, line breaks as \n before they are taken, runs of blanks and line breaks counted instead of shown, and of
 * a long text head, tail and length, never only the head. A backslash of the text is doubled, so nothing in it can pass
 * for one of these marks. Linear in the text. */
#ifndef TOAD_APP_DISPLAY_H
#define TOAD_APP_DISPLAY_H

#include "lib/base/buf.h"

/* Append `s` to `text`; lines after the first begin with `indent`. Each note is appended to `notes` as a line
 * of printable ASCII. Errors: TOAD_E_NOMEM, TOAD_E_LIMIT (of the buffers). */
toad_status toad__display(toad__buf *text, toad__buf *notes, const char *indent, toad_str s);

/* May it stand in a command of ours that a person is to copy? Letters, digits, ._- and no option. */
bool toad__is_plain_word(toad_str s);

#endif
