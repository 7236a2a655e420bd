/* canonical.h - one spelling of a JSON value, so that what was asked and what is about to run can be compared and bound
 * by hash.
 *
 * RFC 8785 (JSON Canonicalization Scheme): no white space, members in the order of their names' UTF-16 units, strings
 * escaped only where they must be, numbers as ECMAScript prints them. Where a number has more digits than a double
 * keeps, it stays as it was written, so that no two values of a reader with longer numbers become one. Iterative;
 * linear but for the sort of an object's members. */
#ifndef TOAD_APP_CANONICAL_H
#define TOAD_APP_CANONICAL_H

#include "lib/base/json.h"

/* Append the canonical form of `value` to `out`; `arena` is for the sorting. Errors: TOAD_E_NOMEM, TOAD_E_LIMIT (of
 * `out`). */
toad_status toad__canonical_json(const toad__json *value, toad__arena *arena, toad__buf *out);
/* The same to the letter of RFC 8785, as other programs hash it: every number is the double that it becomes in
 * ECMAScript, however many digits it was written with. One that is beyond them stays as it was written. */
toad_status toad__canonical_rfc8785(const toad__json *value, toad__arena *arena, toad__buf *out);

#endif
