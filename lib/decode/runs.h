/* runs.h - where blocks of an alphabet stand: runs, folded lines, and groups with blanks between. */
#ifndef BZR_DECODE_RUNS_H
#define BZR_DECODE_RUNS_H

#include "lib/base/cursor.h"

/* A set of bytes, also as bit maps by nibble: row[c & 15] and, from 0x80 on, high[c & 15] have bit (c >> 4 & 7) set
 * where c is in. */
typedef struct bzr__set {
    bool has[256];
    uint8_t row[16], high[16];
} bzr__set;

static inline void bzr__set_add(bzr__set *set, int c) {
    set->has[c & 0xFF] = true;
    (c & 0x80 ? set->high : set->row)[c & 15] |= (uint8_t)(1u << (c >> 4 & 7));
}
/* Add all bytes of a string. */
static inline void bzr__set_add_z(bzr__set *set, const char *z) {
    while (*z) bzr__set_add(set, (unsigned char)*z++);
}
static inline void bzr__set_add_range(bzr__set *set, int first, int last) {
    while (first <= last) bzr__set_add(set, first++);
}
static inline bool bzr__set_has(const bzr__set *set, char c) { return set->has[(unsigned char)c]; }

/* Bit i: the byte at `at` + i is in the set; bytes beyond the end are not. `at` <= in.n. SIMD. */
uint64_t bzr__set_word(bzr_str in, size_t at, const bzr__set *set);
/* The next maximal run of at least `least` (1..64) bytes of the set at or after `from`; false at the end. SIMD. */
bool bzr__run_next(bzr_str in, const bzr__set *set, size_t least, size_t from, bzr_span *ret);
/* The same for runs in which a capital stands behind a small letter or a digit, as in base64; much cheaper in other
 * text. */
bool bzr__mixed_run_next(bzr_str in, const bzr__set *set, size_t least, size_t from, bzr_span *ret);
/* The end of the block that starts with `run`: further lines of the set, as a mailer folds and quotes them ("> "), up
 * to the first that is shorter than the one before. run.end if there is none. */
size_t bzr__run_lines(bzr_str in, const bzr__set *set, bzr_span run);
/* The next block of at least `least` (24 or more) bytes of the set in groups of one width (2..8 or 10; the last may be
 * shorter) with one white space between, in text of mixed case; false at the end. SIMD. */
bool bzr__groups_next(bzr_str in, const bzr__set *set, size_t least, size_t from, bzr_span *ret);

#endif
