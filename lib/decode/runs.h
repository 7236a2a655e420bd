/* runs.h - where blocks of an alphabet stand: runs, folded lines, and groups with blanks between. */
#ifndef TOAD_DECODE_RUNS_H
#define TOAD_DECODE_RUNS_H

#include "lib/base/cursor.h"
#include "lib/base/masks.h"

/* The sets of bytes of more than one decoder, and those that a run is made of. */
extern const toad__set toad__set_alnum, toad__set_letters, toad__set_digits, toad__set_base64, toad__set_low64,
    toad__set_visible, toad__set_hex_next, toad__set_quoted_next, toad__set_entity_next, toad__set_number_next,
    toad__set_joint_next, toad__set_written, toad__set_json, toad__set_pictures, toad__set_marks, toad__set_cuttable,
    toad__set_inside, toad__set_hex, toad__set_bits, toad__set_numbers, toad__set_bacon, toad__set_tap, toad__set_signs,
    toad__set_morse, toad__set_terse, toad__set_upper, toad__set_lower, toad__set_small, toad__set_blanks,
    toad__set_wide;

typedef struct toad__sites toad__sites; /* survey.h */

/* The next maximal run of at least `least` (1..64) bytes of the set at or after `from`; false at the end. */
bool toad__run_next(toad_str in, const toad__set *set, size_t least, size_t from, toad_span *ret);
/* The same for runs in which a capital stands behind a small letter or a digit, as in base64; `where`: the sites of
 * such capitals. */
bool toad__mixed_run_next(toad_str in, const toad__sites *where, const toad__set *set, size_t least, size_t from,
                          toad_span *ret);
/* The end of the block that starts with `run`: further lines of the set, as a mailer folds and quotes them ("> "), up
 * to the first that is shorter than the one before. run.end if there is none. */
size_t toad__run_lines(toad_str in, const toad__set *set, toad_span run);
/* The next block of at least `least` (24 or more) bytes of the set in groups of one width (2..8 or 10; the last may be
 * shorter) with one white space between, in text of mixed case; false at the end. `where` as before. */
bool toad__groups_next(toad_str in, const toad__sites *where, const toad__set *set, size_t least, size_t from,
                       toad_span *ret);

#endif
